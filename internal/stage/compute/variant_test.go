package compute

import (
	"encoding/binary"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
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

// TestSingleDescriptors: draws that take turns with single images get the program for the code of their image, and no program more than
// there are codes; a null descriptor has another program than all of them.
func TestSingleDescriptors(t *testing.T) {
	view := func(format string) *texture.View {
		m, err := texture.NewImage(texture.Desc{Format: format, Dim: ir.Dim2D, Width: 4, Height: 4})
		if err != nil {
			t.Fatal(err)
		}
		v, err := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	p := &ir.Program{Name: "reads", SubgroupSize: 4, LocalSize: [3]uint32{4, 1, 1}, In: []ir.Input{{Semantic: ir.LocalInvocationIdX, Type: ir.I32}},
		Res: []ir.Resource{{Kind: ir.Texels, Count: 1}, {Kind: ir.ImageShape, Count: 1, NonWritable: true}}}
	head := ir.Texture{Op: ir.TextureRead, Dim: ir.Dim2D, Type: ir.I32, Image: 0, Sampler: -1}
	b := ir.NewFunc("main", nil, nil)
	_, results := head.Signature()
	b.Call(1, results, b.I32(0), b.OpAux(ir.In, ir.I32, 0), b.I32(0))
	p.Funcs = []*ir.Func{b.Finish(), ir.NewTexture("read", head)}
	p.StateEffects()
	l := newPipeline(p, interp.Engine{}, exec.Options{})
	defer l.Close()
	args := func(v *texture.View) *Args { return &Args{Sets: []Set{{{Views: []*texture.View{v}}}}} }
	last, err := l.variants.Acquire(t.Context(), &struct{}{}, l.engine, l.options, args(view("R8_UINT")))
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]*Variant[struct{}]{"R8_UINT": last}
	formats := []string{"R8_UINT", "R16_UINT", "", "R32_UINT", "R16_UINT", "R8G8_UINT", "", "R8_UINT"}
	for i := range 40 {
		format := formats[i%len(formats)]
		var v *texture.View
		if format != "" {
			v = view(format)
		}
		x, err := l.variants.AcquireLike(t.Context(), last, l.engine, l.options, args(v))
		if err != nil {
			t.Fatal(err)
		}
		if of[format] == nil {
			of[format] = x
		} else if of[format] != x {
			t.Errorf("draw %d with format %q: another program than before", i, format)
		}
		last.Release()
		last = x
	}
	last.Release()
	if n := len(l.variants.list); n != 5 {
		t.Errorf("%d programs; want one for each of the four formats and one for the null descriptor", n)
	}
	for _, v := range l.variants.list {
		if v.users != 0 {
			t.Errorf("a program has %d users; want none", v.users)
		}
	}
}
