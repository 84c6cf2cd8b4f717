package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

const repository = "../../.."

// TestGenerated demands that the committed files equal the output of the generator.
func TestGenerated(t *testing.T) {
	dir := repository + "/../shared/spec/grammar"
	if _, err := os.Stat(dir); err != nil {
		t.Skip("no grammar at hand:", err)
	}
	files, err := Generate(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(repository, name))
		if err != nil {
			t.Error(err)
		} else if !bytes.Equal(got, want) {
			t.Errorf("%s is not what the grammar gives; run go run ./internal/gen/spirvgen", name)
		}
	}
	for _, dir := range []string{"spirv", "spirv/inst", "spirv/build"} {
		list, err := filepath.Glob(filepath.Join(repository, dir, "*_gen.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range list {
			name, err := filepath.Rel(repository, file)
			if err != nil {
				t.Fatal(err)
			}
			if files[filepath.ToSlash(name)] == nil {
				t.Errorf("%s is no longer generated", name)
			}
		}
	}
}

func TestCamel(t *testing.T) {
	cases := map[string]string{
		"x size": "XSize", "s_add_sat": "SAddSat", "acos": "Acos", "Result Type": "ResultType",
		"max_x_size": "MaxXSize", "2x2": "2x2", "DWARF Version": "DWARFVersion", "Structure Type'": "StructureType",
	}
	for in, want := range cases {
		if got := camel(in); got != want {
			t.Errorf("%q: %s; want %s", in, got, want)
		}
	}
}

func TestLower(t *testing.T) {
	cases := map[string]string{
		"Base": "base", "MS": "ms", "FPEncoding": "fpEncoding", "Type": "typ", "Default": "defaultArg",
		"Interface": "interfaceArg", "X": "x", "DWARFVersion": "dwarfVersion", "Dst": "dstArg",
	}
	for in, want := range cases {
		if got := lower(in); got != want {
			t.Errorf("%q: %s; want %s", in, got, want)
		}
	}
}

func TestOperandNames(t *testing.T) {
	list := []operand{
		{Kind: "IdResultType"}, {Kind: "IdResult"}, {Kind: "IdRef", Name: "Type"},
		{Kind: "MemoryAccess", Quantifier: "?"}, {Kind: "MemoryAccess", Quantifier: "?"},
		{Kind: "IdRef", Quantifier: "*", Name: "Parameter 0 Type, Parameter 1 Type, ..."},
		{Kind: "IdRef", Quantifier: "*"},
	}
	want := "Type Result TypeOperand MemoryAccess MemoryAccess2 ParameterTypes Operands"
	if got := strings.Join(operandNames(list), " "); got != want {
		t.Errorf("%s; want %s", got, want)
	}
}

func TestConstant(t *testing.T) {
	mask, value := kind{Category: "BitEnum", Name: "MemoryAccess"}, kind{Category: "ValueEnum", Name: "Dim"}
	for _, c := range []struct{ got, want string }{
		{constant(mask, "None", 0), "MemoryAccessMaskNone"},
		{constant(mask, "Aligned", 2), "MemoryAccessAlignedMask"},
		{constant(value, "2D", 1), "Dim2D"},
	} {
		if c.got != c.want {
			t.Errorf("%s; want %s", c.got, c.want)
		}
	}
}

// TestBadGrammar demands an error for a missing file or a file that is no grammar.
func TestBadGrammar(t *testing.T) {
	cases := map[string]string{
		"nothing":   "",
		"no JSON":   "{",
		"no number": `{"operand_kinds":[{"category":"ValueEnum","kind":"K","enumerants":[{"enumerant":"A","value":"x"}]}]}`,
		"core only": `{"instructions":[]}`,
	}
	for name, text := range cases {
		dir := fstest.MapFS{}
		if text != "" {
			dir["spirv.core.grammar.json"] = &fstest.MapFile{Data: []byte(text)}
		}
		if _, err := Generate(dir); err == nil || !strings.Contains(err.Error(), ".grammar.json") {
			t.Errorf("%s: %v; want an error that names the file", name, err)
		}
	}
}

// TestNestedParameters demands that a grammar that the walk over operands
// could not follow is refused.
func TestNestedParameters(t *testing.T) {
	inner := kind{Category: "ValueEnum", Name: "Inner", Enumerants: []enumerant{{Name: "A", Parameters: []operand{{Kind: "Inner"}}}}}
	if _, err := build(grammar{Kinds: []kind{inner}}, nil); err == nil {
		t.Error("parameters of parameters were taken")
	}
}

func TestVersions(t *testing.T) {
	for _, c := range []struct {
		got, want uint16
	}{{since("1.3"), 0x103}, {since("None"), 0}, {since(""), 0x100}, {version("1.5"), 0x105}, {version(""), 0}} {
		if c.got != c.want {
			t.Errorf("%#x; want %#x", c.got, c.want)
		}
	}
}

func TestListed(t *testing.T) {
	got := listed("A x y\nB z*", 0)
	if len(got) != 2 || got[1].Name != "B" || got[1].Code != 1 || got[1].Operands[0] != (operand{"IdRef", "*", "z"}) || len(got[0].Operands) != 2 {
		t.Errorf("%+v", got)
	}
}
