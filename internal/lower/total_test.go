package lower

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/direct"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// TestTotal demands a case for each instruction that is lowered: a line of a
// truth table, or a module that has it and a run, trace, graph or clusters section.
func TestTotal(t *testing.T) {
	var text []byte
	tables, _ := filepath.Glob("testdata/truth/*.txt")
	cases, _ := filepath.Glob("testdata/*/*.txtar")
	for _, file := range append(tables, cases...) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Ext(file) == ".txt" || bytes.Contains(data, []byte("\n-- run")) || bytes.Contains(data, []byte("\n-- trace")) || bytes.Contains(data, []byte("\n-- graph")) || bytes.Contains(data, []byte("\n-- clusters")) {
			text = append(text, data...)
		}
	}
	words := map[string]bool{}
	for _, word := range regexp.MustCompile(`\w+`).FindAll(text, -1) {
		words[string(word)] = true
	}
	has := func(name string) bool { return words[name] }
	for _, row := range spirv.Ops() {
		op := spirv.Op(row.Value())
		_, one := direct.Lookup(op)
		if (ruleOf[op] != nil || one) && op != spirv.OpExtInst && !has(op.String()) {
			t.Errorf("%s has no case", op)
		}
	}
	for op := range extended {
		if !has(op.String()) {
			t.Errorf("GLSL.std.450 %s has no case", op)
		}
	}
}
