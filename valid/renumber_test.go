package valid

import (
	"context"
	"fmt"
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

// TestRenumbered checks that no rule takes a literal for an id: the ids of each case
// are renumbered so that they coincide with its literals, for example an opcode
// of OpSpecConstantOp with the id of a type. The findings must stay the same.
func TestRenumbered(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		code := strings.TrimSuffix(filepath.Base(file), ".txtar")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		a := txtar.Parse(text)
		env, limits := caseEnv(t, code, string(a.Comment))
		for _, f := range a.Files {
			if !strings.HasSuffix(f.Name, ".spvasm") {
				continue
			}
			words := asmtest.Words(t, f.Data, env.SPIRV)
			m, err := spirv.FromWords(words)
			if err != nil {
				continue // the fault is one of the stream
			}
			want := placesOf(t, env, limits, m)
			for shift := range 3 {
				changed := renumbered(t, code+" "+f.Name, m, shift*7)
				if changed == nil {
					continue
				}
				if got := placesOf(t, env, limits, changed); !slices.Equal(got, want) {
					t.Errorf("%s, renumbered: finds %v; must find %v", code+" "+f.Name, got, want)
				}
			}
		}
	}
}

// placesOf returns the findings of a module as "instruction code", sorted.
func placesOf(t *testing.T, env *Env, limits Limits, m *spirv.Module) []string {
	r, err := Check(context.Background(), facts.Gather(m, nil), env, Options{Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for i := range r.Findings {
		out = append(out, fmt.Sprint(r.Findings[i].Pos.Instruction, " ", r.Findings[i].Code))
	}
	slices.Sort(out)
	return out
}

// renumbered returns a module with other ids, of which as many as possible are
// literals of the module.
func renumbered(t *testing.T, name string, m *spirv.Module, shift int) *spirv.Module {
	words := m.Words
	ids, literals := map[uint32]bool{}, map[uint32]bool{}
	places := idPlaces(m)
	for at := spirv.HeaderWords; at < len(words); at++ {
		if places[at] {
			ids[words[at]] = true
		}
	}
	for i, in := range m.All() {
		for k := 1; k < len(in); k++ {
			if w := in[k]; !places[m.Offset(i)+k] && w > 0 && w < 10_000 {
				literals[w] = true
			}
		}
	}
	to, next := map[uint32]uint32{}, uint32(10_000)
	numbers := make([]uint32, 0, len(literals))
	for w := range literals {
		numbers = append(numbers, w)
	}
	slices.Sort(numbers)
	old := make([]uint32, 0, len(ids))
	for id := range ids {
		old = append(old, id)
	}
	slices.Sort(old)
	for k := range old {
		id := old[(k+shift)%len(old)]
		if k < len(numbers) {
			to[id] = numbers[k]
			continue
		}
		to[id] = next
		next++
	}
	changed := slices.Clone(words)
	changed[3] = next
	for at := range changed {
		if places[at] {
			changed[at] = to[words[at]]
		}
	}
	out, err := spirv.FromWords(changed)
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
	return out
}

// idPlaces returns the words of a module that are ids.
func idPlaces(m *spirv.Module) map[int]bool {
	places := map[int]bool{}
	for i := range m.Len() {
		for w := m.Walk(i); w.Next(); {
			at := m.Offset(i) + w.Pos
			switch w.Kind.Category() {
			case spirv.CategoryID:
				places[at] = true
			}
		}
	}
	return places
}
