package arm64

import (
	"encoding/binary"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var recording = flag.Bool("record", false, "write testdata/insns.txt anew, with the answers of GNU as and objdump")

// insnsFile has a line for each sample: its bytes, and the text of objdump, at address 4 times the line's number. GNU as makes the same
// bytes of the text.
var insnsFile = filepath.Join("testdata", "insns.txt")

// TestInsns compares the decoder, the printer and the encoder with recorded answers of GNU as and objdump (binutils), for instructions
// of every row.
func TestInsns(t *testing.T) {
	if *recording {
		recordInsns(t)
	}
	b, err := os.ReadFile(insnsFile)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[Op]bool{}
	for n, line := range strings.Split(strings.TrimSpace(string(b)), "\n") {
		code, want, _ := strings.Cut(line, " ; ")
		word, err := hex.DecodeString(code)
		if err != nil || len(word) != 4 {
			t.Fatalf("line %d is %q", n+1, line)
		}
		w := binary.LittleEndian.Uint32(word)
		i, ok := decode(w)
		if !ok {
			t.Errorf("%s is not decoded, want %s", code, want)
			continue
		}
		seen[i.Op] = true
		if got := i.text(4 * n); got != want {
			t.Errorf("%s is %s, want %s", code, got, want)
		}
		if got := i.encode(); got != w {
			t.Errorf("%s is encoded as %08x, want %08x", want, got, w)
		}
	}
	for op := Op(1); op < numOps; op++ {
		if !seen[op] {
			t.Errorf("%s (%08x) has no sample", rows[op].name, rows[op].bits)
		}
	}
}

// samples returns the words of instructions of all rows, with operands at the ends of their ranges.
func samples() (words []uint32) {
	seen := map[uint32]bool{}
	for op := Op(1); op < numOps; op++ {
		for _, i := range variants(rows[op]) {
			w, ok := i.word()
			if got, _ := decode(w); !ok || seen[w] || got.Op != op {
				continue
			}
			seen[w] = true
			words = append(words, w)
		}
	}
	return words
}

// variants are candidates for the operands of a row; some cannot be encoded.
func variants(r *row) (list []Insn) {
	regs := Insn{Op: r.op, D: 1, N: 2, M: 3, A: 30, Cond: GT}
	add := func(arr Arr, wide bool, imm int64, index uint8) {
		i := regs
		i.Arr, i.Wide, i.Imm, i.Index, i.From = arr, wide, imm, index, index^1
		list = append(list, i)
	}
	for arr := B8; arr <= D2; arr++ {
		add(arr, false, 8, 1)
		add(arr, true, 0, 0)
	}
	for _, imm := range []int64{1, 4, 16, 31, 40, 63, 255, 248, -256, -8, 496, 4096, 4095, 32760, 65520, 65535, 0x55555555, 0x3ffc0, -2, -1,
		0x0f0f0f0f0f0f0f0f, 0xffff0000, 0xfffffffe, 0x123400000000, 0x3f800000, 0xc1f80000} {
		add(S4, false, imm, 1)
		add(D2, true, imm, 24)
		regs.N, regs.D = 31, 30
	}
	return list
}

// recordInsns disassembles the samples that are defined, and assembles the result.
func recordInsns(t *testing.T) {
	words := samples()
	for n, text := range disassemble(t, words) {
		if strings.HasPrefix(text, ".inst") { // undefined
			words[n] = 0
		}
	}
	words = slices.DeleteFunc(words, func(w uint32) bool { return w == 0 })
	var out, source strings.Builder
	for n, text := range disassemble(t, words) {
		out.WriteString(hex.EncodeToString(binary.LittleEndian.AppendUint32(nil, words[n])) + " ; " + text + "\n")
		if i, _ := decode(words[n]); i.relative() { // the assembler's targets are symbols
			text = fmt.Sprintf("%s. + %d", text[:strings.LastIndexByte(text, ' ')+1], i.Imm)
		}
		source.WriteString(text + "\n")
	}
	if err := os.WriteFile(insnsFile, []byte(out.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	assemble(t, source.String(), words)
}

// relative reports whether the immediate is a distance from the instruction.
func (i *Insn) relative() bool {
	return strings.Contains(rows[i.Op].template, "{to") || i.Op == ADR
}

func codeOf(words []uint32) (code []byte) {
	for _, w := range words {
		code = binary.LittleEndian.AppendUint32(code, w)
	}
	return code
}

// disassemble returns the text of each word.
func disassemble(t *testing.T, words []uint32) (texts []string) {
	bin := filepath.Join(t.TempDir(), "code")
	if err := os.WriteFile(bin, codeOf(words), 0o666); err != nil {
		t.Fatal(err)
	}
	listing, err := exec.Command("aarch64-linux-gnu-objdump", "-D", "-z", "-b", "binary", "-m", "aarch64", bin).Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(listing), "\n") {
		if f := strings.SplitN(line, "\t", 3); len(f) == 3 {
			text, _, _ := strings.Cut(strings.ReplaceAll(f[2], "\t", " "), " //")
			texts = append(texts, strings.TrimSpace(text))
		}
	}
	if len(texts) != len(words) {
		t.Fatalf("%d lines for %d words", len(texts), len(words))
	}
	return texts
}

// assemble checks that the assembler makes the words of a source text with a line for each.
func assemble(t *testing.T, source string, words []uint32) {
	object := filepath.Join(t.TempDir(), "code.o")
	as := exec.Command("aarch64-linux-gnu-as", "-o", object, "-")
	as.Stdin = strings.NewReader(source)
	if b, err := as.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	if b, err := exec.Command("aarch64-linux-gnu-objcopy", "-O", "binary", "-j", ".text", object, object+".text").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	got, err := os.ReadFile(object + ".text")
	if err != nil {
		t.Fatal(err)
	}
	want, lines := codeOf(words), strings.Split(source, "\n")
	for n := 0; n < len(want); n += 4 {
		if n+4 > len(got) || string(got[n:n+4]) != string(want[n:n+4]) {
			t.Errorf("the assembler makes other bytes of %s", lines[n/4])
		}
	}
}
