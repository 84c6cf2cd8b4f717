package contest

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/modgen"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// TestCompare checks that a difference names the buffer and the byte.
func TestCompare(t *testing.T) {
	c := &Contest{Module: &modgen.Module{Buffers: []modgen.Buffer{{Binding: 4, Bytes: make([]byte, 3)}, {Binding: 7, Bytes: make([]byte, 3)}}}}
	want, got := make([]byte, 6), make([]byte, 6)
	if err := c.compare("x", want, got); err != nil {
		t.Error(err)
	}
	got[4] = 9
	if err := c.compare("x", want, got); err == nil || !strings.Contains(err.Error(), "x: binding 7, byte 1: 9, must be 0") {
		t.Errorf("%v; want binding 7, byte 1", err)
	}
}

// TestReduce checks that a module which fails becomes smaller and fails alike.
func TestReduce(t *testing.T) {
	m := modgen.New(1, modgen.Options{Size: 25})
	small := reduce(*m, func(m *modgen.Module) string {
		if strings.Contains(m.Text, "OpEntryPoint") {
			return "entry point"
		}
		return ""
	})
	if lines := strings.Count(small.Text, "\n"); lines != 1 || !strings.Contains(small.Text, "OpEntryPoint") {
		t.Errorf("%d lines:\n%s; want the entry point alone", lines, small.Text)
	}
}

// TestChange checks that the changes of a seed are always the same, and that they leave the module as it is.
func TestChange(t *testing.T) {
	words, err := modgen.New(1, modgen.Options{}).Words()
	if err != nil {
		t.Fatal(err)
	}
	whole := slices.Clone(words)
	different := 0
	for seed := range uint64(20) {
		var list [2][]uint32
		for i := range list {
			list[i] = (&Changer{rand.New(rand.NewPCG(seed, 0)), 3}).Change(words)
		}
		if !slices.Equal(list[0], list[1]) {
			t.Errorf("seed %d: two results", seed)
		}
		if !slices.Equal(list[0], whole) {
			different++
		}
	}
	if !slices.Equal(words, whole) || different < 15 {
		t.Errorf("%d of 20 seeds changed the module; want at least 15", different)
	}
	if a, b := Of(5, nil, false), Of(5, nil, true); a.Module.Text != b.Module.Text || !bytes.Equal(a.Module.Push, b.Module.Push) {
		t.Error("a seed has two modules")
	}
}

// TestChangeByGrammar checks that changes of modules decode: of a whole module, and of one that has decorations and nothing to decorate.
func TestChangeByGrammar(t *testing.T) {
	words, err := modgen.New(1, modgen.Options{}).Words()
	if err != nil {
		t.Fatal(err)
	}
	bare := append(slices.Clone(words[:5]),
		spirv.Head(spirv.OpDecorate, 3), 1, uint32(spirv.DecorationBlock),
		spirv.Head(spirv.OpMemberDecorate, 5), 1, 0, uint32(spirv.DecorationOffset), 0)
	for seed := range uint64(200) {
		r := &Changer{rand.New(rand.NewPCG(seed, 0)), 3}
		for _, from := range [][]uint32{words, bare} {
			if _, err := spirv.FromWords(r.ChangeByGrammar(from)); err != nil {
				t.Errorf("seed %d: %v; changes must be of the form that the grammar requires", seed, err)
			}
		}
	}
}
