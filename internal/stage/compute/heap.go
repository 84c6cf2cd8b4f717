package compute

import (
	"encoding/binary"
	"sort"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// heapBuffers returns the buffers with descriptors in the heap, one for each
// slot that may have one, as far as a program reaches through them.
func (a *Args) heapBuffers(level exec.Robustness, kind ir.ResourceKind) []exec.Buffer {
	out := make([]exec.Buffer, len(a.Heap)/ir.HeapDescriptor)
	for i := range out {
		d := a.Heap[i*ir.HeapDescriptor:]
		out[i] = level.Restrict(a.bufferAt(binary.LittleEndian.Uint64(d), binary.LittleEndian.Uint64(d[8:])), kind)
	}
	return out
}

// heapDescriptors returns the images or samplers with descriptors in a heap, one for
// each slot that may have one.
func heapDescriptors[T any](heap []byte, numbered map[uint64]*T) []*T {
	out := make([]*T, len(heap)/ir.HeapDescriptor)
	for i := range out {
		out[i] = numberedIn(heap[i*ir.HeapDescriptor:], numbered)
	}
	return out
}

// numberedIn returns the image or sampler of a descriptor, or nil.
func numberedIn[T any](descriptor []byte, numbered map[uint64]*T) *T {
	if binary.LittleEndian.Uint64(descriptor[8:]) != 0 {
		return nil
	}
	return numbered[binary.LittleEndian.Uint64(descriptor)]
}

// ViewsAt returns the views at a resource: of a heap, or of its set and binding. It allocates for a heap, and if the
// robustness of images is not the default.
func (a *Args) ViewsAt(r ir.Resource) []*texture.View {
	var list []*texture.View
	if r.Heap {
		list = heapDescriptors(a.Heap, a.HeapImages)
	} else {
		list = clipToDeclared(r, a.viewsAt(Binding{r.Set, r.Binding}))
	}
	if a.Robustness.Images < exec.Robust {
		return list
	}
	out := make([]*texture.View, len(list))
	for i, v := range list {
		out[i] = v.ZeroAlpha()
	}
	return out
}

// SamplersAt returns the samplers at a resource, as ViewsAt does for views.
func (a *Args) SamplersAt(r ir.Resource) []*texture.Sampler {
	if r.Heap {
		return heapDescriptors(a.SamplerHeap, a.HeapSamplers)
	}
	return clipToDeclared(r, a.samplersAt(Binding{r.Set, r.Binding}))
}

// regionOf returns the allocation that holds an address, or nil.
func (a *Args) regionOf(address uint64) *exec.Region {
	i := sort.Search(len(a.Regions), func(i int) bool { return a.Regions[i].Address > address }) - 1
	if i < 0 || address-a.Regions[i].Address >= uint64(len(a.Regions[i].Bytes)) {
		return nil
	}
	return &a.Regions[i]
}

// bufferAt returns the buffer of n bytes at an address: null if no live allocation
// holds them all, or if it does not begin at a multiple of 8.
func (a *Args) bufferAt(address, n uint64) exec.Buffer {
	r := a.regionOf(address)
	if r == nil || n == 0 {
		return exec.Buffer{}
	}
	from, size := address-r.Address, uint64(len(r.Bytes))
	if from > size || n > size-from || from%8 != 0 {
		return exec.Buffer{}
	}
	return exec.Buffer{Bytes: r.Bytes[from:], Beyond: int(size - from - n)}
}
