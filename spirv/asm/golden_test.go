package asm

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/chiaro-gpu/chiaro/spirv"
)

var update = flag.Bool("update", false, "rewrite the printed forms in testdata")

// forms are the sections of a golden case and the options that print them.
var forms = map[string]DisassembleOptions{
	"dis":     {},
	"raw":     {RawIDs: true},
	"plain":   {RawIDs: true, NoHeader: true, NoIndent: true},
	"nested":  {NoHeader: true, NestedIndent: true},
	"reorder": {NoHeader: true, Reorder: true},
	"both":    {RawIDs: true, NoHeader: true, NestedIndent: true, Reorder: true},
	"comment": {NoHeader: true, Comment: true, Offsets: true},
	"headed":  {NoHeader: true, NestedIndent: true, Comment: true},
	"color":   {NoHeader: true, Color: true},
}

// TestGolden assembles in.spvasm and compares each printed form that a case has.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden cases", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var m *spirv.Module
			for i, f := range a.Files {
				if f.Name == "in.spvasm" {
					m = assembled(t, f.Data)
					continue
				}
				o, ok := forms[f.Name]
				if !ok {
					t.Fatalf("section %s is no form", f.Name)
				}
				got, err := Disassemble(nil, m, o)
				if err != nil {
					t.Fatal(err)
				}
				// Escape characters would make the case unreadable.
				got = bytes.ReplaceAll(got, []byte("\x1b"), []byte("^"))
				if !*update && !bytes.Equal(got, f.Data) {
					t.Errorf("%s:\n%s\nwant\n%s", f.Name, got, f.Data)
				}
				a.Files[i].Data = got
				if o.Color {
					continue
				}
				again := assembled(t, got)
				if o.RawIDs && !o.Reorder && !bytes.Equal(Bytes(again.Words[spirv.HeaderWords:]), Bytes(m.Words[spirv.HeaderWords:])) {
					t.Errorf("%s does not assemble to the same words", f.Name)
				}
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(a), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// assembled returns the module of a text, numeric ids preserved.
func assembled(t *testing.T, text []byte) *spirv.Module {
	t.Helper()
	words, err := Assemble(text, AssembleOptions{PreserveNumericIDs: true})
	if err != nil {
		t.Fatal(err)
	}
	m, err := spirv.FromWords(words)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
