package lower

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/direct"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
	"github.com/chiaro-gpu/chiaro/spirv/typing"
)

// TestTyped demands a row or a form of the typing table for each instruction
// that is lowered.
func TestTyped(t *testing.T) {
	for _, row := range spirv.Ops() {
		op := spirv.Op(row.Value())
		_, one := direct.Lookup(op)
		if !one && !Has(op) {
			continue
		}
		_, r := typing.Of(op)
		_, f := typing.FormOf(op)
		if r == f {
			t.Errorf("%s: a row %v, a form %v; want one of them", op, r, f)
		}
	}
}

// TestCasesFitForms holds the instructions of all cases, which are valid but
// for what their name says, against the typing table.
func TestCasesFitForms(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range files {
		if filepath.Base(filepath.Dir(file)) == "error" {
			continue
		}
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range a.Files {
			if !strings.HasSuffix(s.Name, ".spvasm") {
				continue
			}
			words, err := asm.Assemble(s.Data, asm.AssembleOptions{Version: spirv.Version16})
			if err != nil {
				t.Fatal(file, err)
			}
			m, err := spirv.FromWords(words)
			if err != nil {
				t.Fatal(file, err)
			}
			fitsForms(t, file, facts.Gather(m, nil))
		}
	}
}

// fitsForms holds a module against the typing table.
func fitsForms(t *testing.T, name string, m *facts.Module) {
	t.Helper()
	for i := range m.Code.Len() {
		if at := m.Misfit(i); at >= 0 {
			t.Errorf("%s: instruction %d, %s: operand %d does not fit", name, i+1, m.Code.Inst(i).Op(), at)
		}
	}
}
