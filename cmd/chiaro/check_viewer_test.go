package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/asmtest"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
)

// TestViewerStops requires that an interrupt ends the display of a large module's
// instructions and lines, and none of a small module's.
func TestViewerStops(t *testing.T) {
	view := func(instructions int, stop func() error) *viewer {
		text := "OpCapability Shader\nOpMemoryModel Logical GLSL450\n%void = OpTypeVoid\n" + strings.Repeat("OpNop\n", instructions)
		words := asmtest.Words(t, text, 0)
		m, err := spirv.Decode(asm.Bytes(words))
		if err != nil {
			t.Fatal(err)
		}
		return newViewer(&checked{facts: facts.Gather(m, nil), stop: stop})
	}
	ctx, cancel := context.WithCancel(context.Background())
	v := view(10_000, ctx.Err)
	if s, n := v.text(instructionPos(2)), v.shownLine(instructionPos(2)); s != "%void = OpTypeVoid" || n != 8 {
		t.Errorf("before the interrupt the viewer returns %q in line %d; want the instruction in line 8", s, n)
	}
	cancel()
	if s, n := view(100, ctx.Err).text(instructionPos(2)), view(100, ctx.Err).shownLine(instructionPos(2)); s != "%void = OpTypeVoid" || n != 8 {
		t.Errorf("of a small module the viewer returns %q in line %d; want the instruction in line 8", s, n)
	}
	v = view(10_000, ctx.Err)
	if s, n := v.text(instructionPos(2)), v.shownLine(instructionPos(2)); s != "" || n != 0 {
		t.Errorf("after the interrupt the viewer returns %q in line %d; want nothing", s, n)
	}
	calls := 0
	v = view(10_000, func() error { // ends after the names
		if calls++; calls > 2 {
			return context.Canceled
		}
		return nil
	})
	if s, n := v.text(instructionPos(2)), v.shownLine(instructionPos(2)); s != "%void = OpTypeVoid" || n != 0 {
		t.Errorf("after an interrupt between names and lines the viewer returns %q in line %d; want the instruction in no line", s, n)
	}
}

// TestUndecodedPosition requires that every format names the word at which a module cannot be
// decoded: such a module has no listing, so no line says where the fault is.
func TestUndecodedPosition(t *testing.T) {
	words := asmtest.Words(t, "OpCapability Shader\nOpMemoryModel Logical GLSL450\n%void = OpTypeVoid\n", 0)
	for _, c := range []struct {
		name, code, place string
		offset            string
		change            func(w []uint32) []uint32
	}{
		{"version", "SPV-Header-Version", "at word 1", "4", func(w []uint32) []uint32 { w[1] = 0x00020000; return w }},
		{"no words", "SPV-Instruction-WordCount", "at instruction 2, word 7", "28", func(w []uint32) []uint32 { w[7] &= 0xffff; return w }},
		{"too long", "SPV-Instruction-WordCount", "at instruction 3, word 10", "40", func(w []uint32) []uint32 { w[10] += 7 << 16; return w }},
		{"opcode", "SPV-Instruction-Opcode", "at instruction 1, word 5", "20", func(w []uint32) []uint32 { w[5] |= 0xfffe; return w }},
		{"more words", "SPV-Instruction-WordCount", "at instruction 4, word 12", "48", func(w []uint32) []uint32 { return append(w, 0) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "broken.spv")
			if err := os.WriteFile(file, asm.Bytes(c.change(append([]uint32(nil), words...))), 0o600); err != nil {
				t.Fatal(err)
			}
			for format, want := range map[string]string{
				"text": c.place + "\n", "github": c.place, "junit": c.place, "html": c.place, "sarif": `"byteOffset": ` + c.offset,
			} {
				var out bytes.Buffer
				check := newCheck(console{out: &out})
				check.SetArgs([]string{"--no-cache", "--format", format, file})
				_ = check.Execute() // findings are an exit code
				if s := out.String(); !strings.Contains(s, c.code) || !strings.Contains(s, want) {
					t.Errorf("%s has no %q for %s:\n%s", format, want, c.code, s)
				}
			}
		})
	}
}
