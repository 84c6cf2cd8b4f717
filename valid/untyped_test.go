package valid

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/asmtest"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// TestUntypedOnce checks each instruction with a result or value operands in the
// cases' legal modules: if one of its operands becomes a label, there is one
// finding, of the rules of ids, and no other of the same instruction.
func TestUntypedOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[spirv.Op]int{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		a := txtar.Parse(data)
		env, limits := caseEnv(t, strings.TrimSuffix(filepath.Base(file), ".txtar"), string(a.Comment))
		for _, f := range a.Files {
			if !strings.HasPrefix(f.Name, "pass") || !strings.HasSuffix(f.Name, ".spvasm") {
				continue
			}
			words := asmtest.Words(t, f.Data, env.SPIRV)
			untypedOnce(t, filepath.Base(file)+" "+f.Name, words, env, limits, seen)
		}
	}
}

// untypedOnce checks one module; seen is how often each opcode was tried.
func untypedOnce(t *testing.T, name string, words []uint32, env *Env, limits Limits, seen map[spirv.Op]int) {
	m, err := spirv.FromWords(words)
	if err != nil {
		t.Fatal(err)
	}
	label := spirv.ID(0)
	for _, in := range m.All() {
		if in.Op() == spirv.OpLabel && label == 0 {
			label = in.Result()
		}
	}
	for i, in := range m.All() {
		op := in.Op()
		if label == 0 || seen[op] >= 3 || !takesValues(op) {
			continue
		}
		for at := 1; at < len(in) && at < 32; at++ {
			if opcodes[op].ids>>(at-1)&1 == 0 || namesUntyped(op, at) {
				continue
			}
			out := slices.Clone(words)
			out[m.Offset(i)+at] = uint32(label)
			changed, err := spirv.FromWords(out)
			if err != nil {
				continue
			}
			seen[op]++
			r, err := Check(context.Background(), facts.Gather(changed, nil), env, Options{Limits: limits})
			if err != nil {
				t.Fatal(err)
			}
			var codes []string
			for k := range r.Findings {
				if r.Findings[k].Pos.Instruction == i+1 {
					codes = append(codes, r.Findings[k].Code)
				}
			}
			if !slices.Equal(codes, []string{"SPV-Id-Untyped"}) {
				t.Errorf("%s: %s with a label at word %d: finds %v; must find SPV-Id-Untyped alone", name, op, at, codes)
			}
		}
	}
}

// takesValues reports whether an opcode belongs to blocks and its operands are
// values.
func takesValues(op spirv.Op) bool {
	return opcodes[op].plain
}
