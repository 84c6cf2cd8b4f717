package arm64

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vectorize"
)

// compile generates the code of a program of one function.
func compile(t *testing.T, text string) *target.Code {
	t.Helper()
	p, err := ir.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	p.StateEffects()
	b := newBuilder(p)
	b.Add(vectorize.Program(p, form, []int{0})...)
	code, ok := b.Code()
	if !ok {
		t.Fatal("no code")
	}
	return code
}

// listing is the disassembly of code without its constants.
func listing(code *target.Code) (lines []string) {
	Target{}.Disassemble(code.Bytes[:code.Data], func(_ int, text string) { lines = append(lines, text) })
	return lines
}

// TestKernelCode checks that every generated instruction is in the table, that no exit to Go is left in programs of 32-bit arithmetic, and
// that no product is fused: the programs have no ffma.
func TestKernelCode(t *testing.T) {
	for _, name := range []string{"saxpy", "mandelbrot", "localarr"} {
		b, err := os.ReadFile(filepath.Join("..", "testdata", name+".ir"))
		if err != nil {
			t.Fatal(err)
		}
		code := compile(t, string(b))
		if code.CallsServices() {
			t.Errorf("%s exits to Go", name)
		}
		for at, line := range listing(code) {
			if strings.HasPrefix(line, ".inst") || strings.HasPrefix(line, "fml") {
				t.Errorf("%s has at %#x: %s", name, 4*at, line)
			}
		}
	}
}

// TestFarCode compares the instructions of long code, whose conditional jumps reach 128 MiB and whose constants are immediates, with what
// the Arm ARM requires: no conditional jump leaves its neighborhood, and there is no literal.
func TestFarCode(t *testing.T) {
	var a Asm
	a.far = true
	l := a.NewLabel()
	a.BCond(EQ, l)
	a.BZero(CBZ|W, X3, l)
	a.Bind(l)
	var got []string
	Target{}.Disassemble(a.Finish(), func(_ int, text string) { got = append(got, text) })
	if want := "b.ne 0x8; b 0x10; cbnz x3, 0x10; b 0x10"; strings.Join(got, "; ") != want {
		t.Errorf("%s, want %s", strings.Join(got, "; "), want)
	}
}

// TestMovI checks that the moves of a constant make it.
func TestMovI(t *testing.T) {
	for v, want := range map[uint64]string{
		0: "mov w0, #0x0", 0x12340000: "mov w0, #0x12340000", 1<<64 - 1: "mov x0, #0xffffffffffffffff", 0xffff0000: "mov w0, #0xffff0000",
		0x5555555555555555: "mov x0, #0x5555555555555555", 0x12345678: "mov x0, #0x5678; movk x0, #0x1234, lsl #16",
		0x123400000000: "mov x0, #0x123400000000", 0xfffffffe: "mov w0, #0xfffffffe",
	} {
		var a Asm
		a.MovI(X0, v)
		var got []string
		Target{}.Disassemble(a.Finish(), func(_ int, text string) { got = append(got, text) })
		if strings.Join(got, "; ") != want {
			t.Errorf("%#x: %s, want %s", v, strings.Join(got, "; "), want)
		}
	}
}
