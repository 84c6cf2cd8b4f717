package asm

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chiaro-gpu/chiaro/internal/plain"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// spent runs f and returns the time and the bytes it allocated; of several
// runs that take long the shortest time, for the machine may be busy.
func spent(f func()) (time.Duration, uint64) {
	var a, b runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&a)
	start := time.Now()
	f()
	d := time.Since(start)
	runtime.ReadMemStats(&b)
	for range 2 {
		if d < time.Second {
			break
		}
		start = time.Now()
		f()
		d = min(d, time.Since(start))
	}
	return d, b.TotalAlloc - a.TotalAlloc
}

// TestHostileText assembles texts that are made to cost more than their size.
// Each megabyte may take a second and 64 megabytes.
func TestHostileText(t *testing.T) {
	const size = 1 << 20
	texts := map[string]string{
		"open string":     `OpName %1 "` + strings.Repeat("x", size),
		"open escape":     `OpName %1 "` + strings.Repeat(`\`, size),
		"long number":     "OpLine %1 " + strings.Repeat("9", size),
		"long hex":        "%1 = OpTypeFloat 64 %2 = OpConstant %1 0x" + strings.Repeat("f", size) + "p+1",
		"long decimal":    "%1 = OpTypeFloat 64 %2 = OpConstant %1 0." + strings.Repeat("1", size),
		"long exponent":   "%1 = OpTypeFloat 64 %2 = OpConstant %1 1e" + strings.Repeat("9", size),
		"long id":         "%" + strings.Repeat("a", size) + " = OpTypeVoid",
		"long mask":       "OpStore %1 %2 " + strings.Repeat("Volatile|", size/9),
		"many words":      strings.Repeat("x ", size/2),
		"many ids":        strings.Repeat("OpNop ", 10) + "%s = OpTypeStruct " + strings.Repeat("%a ", size/3),
		"many immediates": strings.Repeat("!1 ", size/3),
		"many comments":   strings.Repeat(";\n", size/2),
		"equal signs":     strings.Repeat("%a = ", size/5),
		"punctuation":     strings.Repeat("(", size),
		"zero bytes":      strings.Repeat("\x00", size),
		"only percent":    strings.Repeat("%", size),
		"far ids":         strings.Repeat("OpName %4294967294 \"\" OpName %4000000000 \"\"\n", size/44),
	}
	for name, text := range texts {
		for _, preserve := range []bool{false, true} {
			d, mem := spent(func() {
				if words, err := Assemble([]byte(text), AssembleOptions{PreserveNumericIDs: preserve}); err == nil && len(words) > len(text) {
					t.Errorf("%s: %d words from %d bytes", name, len(words), len(text))
				}
			})
			if d > time.Second || mem > 64*size {
				t.Errorf("%s: %v and %d bytes for a megabyte of text", name, d, mem)
			}
		}
	}
}

// TestHostileModules prints modules with names or nesting for which a naive
// output grows faster than the module.
func TestHostileModules(t *testing.T) {
	const n = 20000
	var chain, same, deep strings.Builder
	chain.WriteString("%1 = OpTypeVoid\n")
	deep.WriteString("%v = OpTypeVoid %f = OpTypeFunction %v %b = OpTypeBool %c = OpConstantNull %b %m = OpFunction %v None %f\n")
	for i := range n {
		fmt.Fprintf(&chain, "%%%d = OpTypePointer Function %%%d\n", i+2, i+1)
		fmt.Fprintf(&same, "OpName %%a%d \"n\"\n", i)
		fmt.Fprintf(&deep, "%%l%d = OpLabel OpSelectionMerge %%x%d None OpBranchConditional %%c %%l%d %%x%d\n", i, i, i+1, i)
	}
	fmt.Fprintf(&deep, "%%l%d = OpLabel OpReturn\n", n)
	for i := range n {
		fmt.Fprintf(&deep, "%%x%d = OpLabel OpReturn\n", i)
	}
	deep.WriteString("OpFunctionEnd")
	// Each word may cost as much as the longest name.
	for name, text := range map[string]string{"chain of types": chain.String(), "same names": same.String(), "deep nesting": deep.String()} {
		words, err := Assemble([]byte(text), AssembleOptions{})
		if err != nil {
			t.Fatal(name, err)
		}
		m, err := spirv.FromWords(words)
		if err != nil {
			t.Fatal(name, err)
		}
		d, mem := spent(func() {
			if _, err := Disassemble(nil, m, DisassembleOptions{NestedIndent: true, Reorder: true, Comment: true}); err != nil {
				t.Error(name, err)
			}
		})
		if d > 2*time.Second || mem > uint64(len(words))*4*maxName {
			t.Errorf("%s: %v and %d bytes for %d words", name, d, mem, len(words))
		}
	}
	// The bound is no promise of ids.
	m, err := spirv.FromWords([]uint32{spirv.Magic, 0x10000, 0, 0xffffffff, 0, spirv.Head(spirv.OpTypeVoid, 2), 0xfffffffe})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Disassemble(nil, m, DisassembleOptions{NoHeader: true, NoIndent: true})
	if err != nil || string(got) != "%void = OpTypeVoid\n" {
		t.Errorf("%s, %v", got, err)
	}
}

// TestTextLimit stops printing soon after the limit and leaves the buffer as it was.
func TestTextLimit(t *testing.T) {
	words, err := Assemble([]byte("%1 = OpTypeVoid "+strings.Repeat("OpNop ", 1000)), AssembleOptions{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := spirv.FromWords(words)
	if err != nil {
		t.Fatal(err)
	}
	got, err := disassemble([]byte("before"), m, DisassembleOptions{}, 200)
	if err == nil || string(got) != "before" {
		t.Errorf("%q, %v; want the text before and a finding", got, err)
	}
	if _, err := disassemble(nil, m, DisassembleOptions{NoHeader: true, NoIndent: true}, 16+6*1001); err != nil {
		t.Error(err)
	}
}

// TestUnsafeStrings disassembles strings that a terminal or a CI log would act on: the text has none of their
// characters, and its module is the same.
func TestUnsafeStrings(t *testing.T) {
	for _, s := range []string{"\x1b[31mRED", "a\rb", "a\n::error::b", "a\n  ::set-output name=x::y", "\u202eabc", "a\u009bb", "##[error]x", "\x07"} {
		text := "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %1 \"" + s + "\" %2\nOpName %1 \"" + s + "\"\nOpMemberName %3 0 \"" + s + "\"\n"
		words, err := Assemble([]byte(text), AssembleOptions{})
		if err != nil {
			t.Fatal(err)
		}
		m, err := spirv.Decode(Bytes(words))
		if err != nil {
			t.Fatal(err)
		}
		out, err := Disassemble(nil, m, DisassembleOptions{RawIDs: true})
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(out)) {
			if line = strings.TrimSuffix(line, "\n"); plain.Line(line) != line {
				t.Errorf("%q: line %q", s, line)
			}
		}
		again, err := Assemble(out, AssembleOptions{PreserveNumericIDs: true})
		if err != nil || !slices.Equal(again, words) {
			t.Errorf("%q: not the same module, %v:\n%s", s, err, out)
		}
	}
}
