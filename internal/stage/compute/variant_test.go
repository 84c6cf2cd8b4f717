package compute

import (
	"encoding/binary"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// TestHeapViews checks that the programs of all stages are compiled for the images of a heap: the
// resource is resolved by the number in the heap, not by set and binding.
func TestHeapViews(t *testing.T) {
	m, err := texture.NewImage(texture.Desc{Format: "R8_UNORM", Dim: ir.Dim2D, Width: 4, Height: 4})
	if err != nil {
		t.Fatal(err)
	}
	v, err := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D})
	if err != nil {
		t.Fatal(err)
	}
	heap := make([]byte, 2*ir.HeapDescriptor)
	binary.LittleEndian.PutUint64(heap[ir.HeapDescriptor:], 7)
	a := &Args{Heap: heap, HeapImages: map[uint64]*texture.View{7: v}}
	p := &ir.Program{Res: []ir.Resource{{Kind: ir.Texels, Heap: true}}}
	if b := appendBound(nil, p, a); len(b[0].Views) != 2 || b[0].Views[0] != nil || b[0].Views[1] != v {
		t.Errorf("views %v; want none and the view", b[0].Views)
	}
}
