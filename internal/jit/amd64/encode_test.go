package amd64

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"sort"
	"strings"
	"testing"

	"golang.org/x/arch/x86/x86asm"
)

var update = flag.Bool("update", false, "rewrite testdata/encodings.txt from what llvm-mc says")

const golden = "testdata/encodings.txt"

// formsPerRow is how many random operand choices of each row are pinned.
const formsPerRow = 5

func allForms(t *testing.T) []form {
	out := integerForms()
	for _, r := range readTable(t) {
		out = append(out, forms(r, formsPerRow)...)
	}
	return out
}

// TestEncode compares with the bytes of LLVM's assembler for the same text; they are checked in, so
// that no assembler is needed.
func TestEncode(t *testing.T) {
	all := allForms(t)
	if *update {
		writeGolden(t, all)
	}
	f, err := os.Open(golden)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want := map[string]string{}
	for s := bufio.NewScanner(f); s.Scan(); {
		code, text, ok := strings.Cut(s.Text(), "\t")
		if ok {
			want[text] = code
		}
	}
	for _, f := range all {
		w, ok := want[f.text]
		switch {
		case !ok:
			t.Errorf("%s: not in %s; run with -update where llvm-mc is", f.text, golden)
		case w != hex.EncodeToString(f.code):
			t.Errorf("%s: % x, want %s", f.text, f.code, w)
		}
	}
}

// TestDecode has every form that golang.org/x/arch knows read back: its name and
// its length must be ours.
func TestDecode(t *testing.T) {
	rows, read := readTable(t), 0
	for _, r := range rows {
		if m := r.op & (7 << shMap); m == mp5 || m == mp6 {
			continue // FP16: the decoder takes map 5 for 0F and map 6 for 0F38
		}
		known := false
		for _, f := range forms(r, formsPerRow) {
			in, err := x86asm.Decode(f.code, 64)
			if err != nil || in.Len == 0 {
				continue
			}
			known = true
			if in.Len != len(f.code) {
				t.Errorf("%s: % x: decoder reads %d bytes of %d", f.text, f.code, in.Len, len(f.code))
			}
			if got := strings.ToLower(in.Op.String()); got != r.mnemonic {
				t.Errorf("%s: % x: decoder reads %s", f.text, f.code, got)
			}
		}
		if known {
			read++
		}
	}
	if read < len(rows)*3/4 {
		t.Errorf("the decoder knows %d of %d rows", read, len(rows))
	}
	t.Logf("the decoder knows %d of %d rows", read, len(rows))
}

func TestJumps(t *testing.T) {
	var a Asm
	back, ahead := a.NewLabel(), a.NewLabel()
	a.Bind(back)
	a.Jcc(NotEqual, back) // 75 fe
	a.Jmp(ahead)          // e9 +4 over the next two
	a.Jmp(back)           // eb, -9
	a.Ret()
	a.Ret()
	a.Bind(ahead)
	a.GRM(LEA|W, RAX, Relative(back)) // 48 8d 05, from the end of the instruction
	a.Call(back)
	want := []byte{0x75, 0xfe, 0xe9, 4, 0, 0, 0, 0xeb, 0xf7, 0xc3, 0xc3, 0x48, 0x8d, 0x05, 0xee, 0xff, 0xff, 0xff, 0xe8, 0xe9, 0xff, 0xff, 0xff}
	if got := a.Finish(); !bytes.Equal(got, want) {
		t.Errorf("% x, want % x", got, want)
	}
	a.Reset()
	slow := a.NewLabel()
	a.Bind(slow)
	a.Align(4)
	for range 200 {
		a.Ret()
	}
	a.Jcc(Equal, slow)
	if got := a.Finish()[200:]; !bytes.Equal(got, []byte{0x0f, 0x84, 0x32, 0xff, 0xff, 0xff}) {
		t.Errorf("far jump: % x", got)
	}
}

func TestEmitAllocatesNothing(t *testing.T) {
	var a Asm
	a.Code = make([]byte, 0, 1<<12)
	n := testing.AllocsPerRun(100, func() {
		a.Reset()
		a.RR(VFMADD231PS, V512, 1, 2, 19, K(1)|Z)
		a.RM(VADDPS, V512, 3, 4, At(RAX, 256), BC)
		a.RM(VGATHERDPS, V512, 5, 0, Indexed(RSI, 20, 4, 0), K(2))
		a.GRR(ADD|W, RAX, RCX)
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// writeGolden asks llvm-mc for the bytes of every form.
func writeGolden(t *testing.T, all []form) {
	if _, err := exec.LookPath("llvm-mc"); err != nil {
		t.Fatal("no llvm-mc, which -update asks: ", err)
	}
	lines := make([]string, 0, len(all))
	for i, code := range assemble(t, all) {
		if code == "" {
			continue
		}
		if ours := hex.EncodeToString(all[i].code); code != ours && disassemble(code) == disassemble(ours) {
			t.Logf("%s: %s, llvm-mc %s, disassemble alike", all[i].text, ours, code)
			code = ours
		}
		lines = append(lines, code+"\t"+all[i].text+"\n")
	}
	sort.Slice(lines, func(i, j int) bool {
		return lines[i][strings.Index(lines[i], "\t"):] < lines[j][strings.Index(lines[j], "\t"):]
	})
	if err := os.WriteFile(golden, []byte(strings.Join(lines, "")), 0o644); err != nil {
		t.Fatal(err)
	}
}

func disassemble(code string) string {
	b, _ := hex.DecodeString(code)
	c := exec.Command("llvm-mc", "-disassemble", "-triple=x86_64", "-mattr=+avx512f,+avx512fp16,+avx512bf16,+avx512vl")
	c.Stdin = strings.NewReader(strings.ReplaceAll(fmt.Sprintf("% #x", b), " ", ","))
	out, _ := c.CombinedOutput()
	return regexp.MustCompile(`\s*#.*`).ReplaceAllString(string(out), "")
}

// assemble returns the bytes of each form in hexadecimal, "" where rejected.
func assemble(t *testing.T, all []form) []string {
	var text strings.Builder
	text.WriteString(".intel_syntax noprefix\n")
	for _, f := range all {
		text.WriteString(f.text + "\n")
	}
	c := exec.Command("llvm-mc", "-triple=x86_64", "-x86-asm-syntax=intel", "-show-encoding", "-mattr=+avx512f,+avx512vl,+avx512bw,+avx512dq,+avx512cd,+avx512vbmi,+avx512vbmi2,+avx512vnni,+avx512bitalg,+avx512vpopcntdq,+avx512bf16,+avx512fp16,+gfni,+bmi,+lzcnt,+avx2,+fma,+f16c")
	c.Stdin = strings.NewReader(text.String())
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	_ = c.Run() // rejected lines are in errs
	rejected := map[int]bool{}
	for _, l := range strings.Split(errs.String(), "\n") {
		var n, col int
		if _, err := fmt.Sscanf(l, "<stdin>:%d:%d: error", &n, &col); err == nil {
			rejected[n-2] = true
			t.Errorf("llvm-mc: %s: %s", all[n-2].text, l)
		}
	}
	codes, i := make([]string, len(all)), 0
	for _, m := range regexp.MustCompile(`encoding: \[([^\]]*)\]`).FindAllStringSubmatch(out.String(), -1) {
		for rejected[i] {
			i++
		}
		codes[i] = strings.NewReplacer("0x", "", ",", "").Replace(m[1])
		i++
	}
	return codes
}
