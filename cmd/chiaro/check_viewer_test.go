package main

import (
	"context"
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
