package asm

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/chiaro-gpu/chiaro/spirv"
)

// FuzzAsm reads any text. If the result decodes, it must print with raw ids as a
// text that assembles to the same words, and that text must
// print as itself from then on. With friendly names no two ids become one.
func FuzzAsm(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.txtar")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(txtar.Parse(data).Files[0].Data)
	}
	for _, s := range []string{"!1 \"a\" %b 0.5 -3", "OpUnknown(1, 2) 3", "%1 = OpTypeFloat 16 %2 = OpConstant %1 0x1p-24", "OpName %\"", "%a = OpTypeInt !7 %b", "!0x20002 !0x100", "OpDecorate %1 LinkageAttributes !0x100 Export", "OpDecorate %1 LinkageAttributes !0x100 0"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		words, err := Assemble(text, AssembleOptions{})
		if err != nil {
			return
		}
		m, err := spirv.FromWordsWith(words, spirv.Options{AllowUnknown: true})
		if err != nil {
			return
		}
		for _, o := range []DisassembleOptions{{RawIDs: true}, {RawIDs: true, NoIndent: true, Offsets: true, Comment: true}, {RawIDs: true, NestedIndent: true}} {
			printed, err := Disassemble(nil, m, o)
			if err != nil {
				t.Fatal(err)
			}
			again, err := Assemble(printed, AssembleOptions{PreserveNumericIDs: true, Version: m.Version})
			if err != nil {
				t.Fatalf("%v in\n%s", err, printed)
			}
			if !slices.Equal(again[spirv.HeaderWords:], words[spirv.HeaderWords:]) {
				t.Fatalf("other words from\n%s", printed)
			}
		}
		friendly, err := Disassemble(nil, m, DisassembleOptions{Reorder: true})
		if err != nil {
			t.Fatal(err)
		}
		named, err := Assemble(friendly, AssembleOptions{Version: m.Version})
		if err != nil {
			t.Fatalf("%v in\n%s", err, friendly)
		}
		if len(named) != len(words) {
			t.Fatalf("%d words, then %d, from\n%s", len(words), len(named), friendly)
		}
	})
}

// FuzzDisassemble prints any stream that decodes, twice over the same buffer.
func FuzzDisassemble(f *testing.F) {
	for _, s := range []string{"OpNop", "%1 = OpTypeInt 32 0 %2 = OpConstant %1 4", "%1 = OpTypeFunction %1"} {
		words, err := Assemble([]byte(s), AssembleOptions{})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(Bytes(words))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := spirv.DecodeWith(data, spirv.Options{AllowUnknown: true})
		if err != nil {
			return
		}
		all := DisassembleOptions{Comment: true, Offsets: true, NestedIndent: true, Reorder: true, Color: true}
		one, err := Disassemble(nil, m, all)
		if err != nil {
			t.Fatal(err)
		}
		two, err := Disassemble(bytes.Clone(one), m, all)
		if err != nil || !bytes.Equal(two, append(bytes.Clone(one), one...)) {
			t.Fatal("printing depends on what was printed before", err)
		}
	})
}
