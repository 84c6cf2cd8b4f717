package inst

import (
	"slices"
	"testing"

	"github.com/chiaro-gpu/chiaro/spirv"
)

// TestViews reads instructions that were put together by hand.
func TestViews(t *testing.T) {
	chain := AccessChain{6<<16 | 65, 1, 2, 3, 4, 5}
	if chain.Type() != 1 || chain.Result() != 2 || chain.Base() != 3 || !slices.Equal(chain.Indexes(), []spirv.ID{4, 5}) {
		t.Errorf("access chain: base %d, indexes %v", chain.Base(), chain.Indexes())
	}
	if got := (AccessChain{4<<16 | 65, 1, 2, 3}).Indexes(); len(got) != 0 {
		t.Errorf("indexes of none: %v", got)
	}
	load := Load{6<<16 | 61, 1, 2, 3, 2, 16}
	if a, ok := load.MemoryAccess(); !ok || a != spirv.MemoryAccessAlignedMask || !slices.Equal(load.MemoryAccessWords(), []uint32{16}) {
		t.Errorf("load: %v %v", a, load.MemoryAccessWords())
	}
	load = load[:4]
	if _, ok := load.MemoryAccess(); ok || load.MemoryAccessWords() != nil {
		t.Error("load without memory access")
	}
	c := CopyMemory{7<<16 | 63, 1, 2, 2, 4, 3, 8}
	if a, ok := c.MemoryAccess2(); !ok || a != 3 || !slices.Equal(c.MemoryAccess2Words(), []uint32{8}) || !slices.Equal(c.MemoryAccessWords(), []uint32{4}) {
		t.Errorf("copy: %v %v", a, c.MemoryAccess2Words())
	}
	e := EntryPoint{7<<16 | 15, 5, 1, 0x6e69616d, 0, 2, 3}
	if e.ExecutionModel() != spirv.ExecutionModelGLCompute || e.EntryPoint() != 1 || e.Name() != "main" || !slices.Equal(e.Interface(), []spirv.ID{2, 3}) {
		t.Errorf("entry point: %q %v", e.Name(), e.Interface())
	}
	s := Source{3<<16 | 3, 2, 450}
	if _, ok := s.File(); ok {
		t.Error("source without file")
	}
	if _, ok := s.Source(); ok {
		t.Error("source without text")
	}
	s = Source{5<<16 | 3, 2, 450, 7, 0x61}
	if f, ok := s.File(); !ok || f != 7 {
		t.Errorf("source: file %d", f)
	}
	if text, ok := s.Source(); !ok || text != "a" {
		t.Errorf("source: %q", text)
	}
	p := Phi{7<<16 | 245, 1, 2, 3, 4, 5, 6}
	if !slices.Equal(p.Variables(), [][2]spirv.ID{{3, 4}, {5, 6}}) {
		t.Errorf("phi: %v", p.Variables())
	}
	d := Decorate{6<<16 | 71, 1, 41, 0x66, 1}
	if d.Decoration() != spirv.DecorationLinkageAttributes || !slices.Equal(d.DecorationWords(), []uint32{0x66, 1}) {
		t.Errorf("decorate: %v", d.DecorationWords())
	}
	m := GLSLFMin{7<<16 | 12, 1, 2, 3, 37, 4, 5}
	if m.X() != 4 || m.Y() != 5 {
		t.Errorf("min of %d and %d", m.X(), m.Y())
	}
}

func TestCases(t *testing.T) {
	var got []uint32
	for lit, label := range (Switch{9<<16 | 251, 1, 2, 7, 0, 3, 8, 0, 4}).Cases(2) {
		got = append(got, lit[0], lit[1], uint32(label))
	}
	if want := []uint32{7, 0, 3, 8, 0, 4}; !slices.Equal(got, want) {
		t.Errorf("cases %v; want %v", got, want)
	}
	for range (Switch{3<<16 | 251, 1, 2}).Cases(1) {
		t.Error("a case of none")
	}
}

func TestNothingAllocates(t *testing.T) {
	chain := AccessChain{6<<16 | 65, 1, 2, 3, 4, 5}
	load := Load{6<<16 | 61, 1, 2, 3, 2, 16}
	sum := 0
	n := testing.AllocsPerRun(10, func() {
		sum += len(chain.Indexes()) + int(chain.Base()) + len(load.MemoryAccessWords())
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}
