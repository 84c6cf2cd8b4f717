package compose

import (
	"encoding/binary"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// idle is a program that is never run.
type idle struct {
	exec.Program
	p *ir.Program
}

func (i idle) IR() *ir.Program { return i.p }

// TestHeap checks that images of a heap reach the programs of graphics stages: the resource is resolved by
// the number in the heap, not by set and binding.
func TestHeap(t *testing.T) {
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
	a := &compute.Args{Heap: heap, HeapImages: map[uint64]*texture.View{7: v}}
	p := &ir.Program{Res: []ir.Resource{{Kind: ir.Texels, Heap: true}, {Kind: ir.ImageShape, Heap: true}}}
	var b Binding
	if err := b.Resolve(idle{p: p}, ir.Fragment, a, &OwnResources{}); err != nil {
		t.Fatal(err)
	}
	if len(b.fixed[0]) != 2 || len(b.fixed[0][1].Bytes) != len(v.Memory().Bytes) || len(b.fixed[1]) != 2 {
		t.Errorf("%d and %d buffers; want 2 with the image's memory in the second", len(b.fixed[0]), len(b.fixed[1]))
	}
}
