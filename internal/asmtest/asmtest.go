// Package asmtest assembles the modules of tests: a text that is not a module ends the test. It judges nothing.
package asmtest

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
)

// Words assembles a text for a version of SPIR-V; 0 is the newest.
func Words[T string | []byte](tb testing.TB, text T, version spirv.Version) []uint32 {
	tb.Helper()
	words, err := asm.Assemble([]byte(text), asm.AssembleOptions{Version: version})
	if err != nil {
		tb.Fatal(err)
	}
	return words
}

// Module assembles a text for a version of SPIR-V, and decodes it.
func Module[T string | []byte](tb testing.TB, text T, version spirv.Version) *spirv.Module {
	tb.Helper()
	m, err := spirv.FromWords(Words(tb, text, version))
	if err != nil {
		tb.Fatal(err)
	}
	return m
}
