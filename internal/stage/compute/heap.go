package compute

import (
	"encoding/binary"
	"sort"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// HeapLists are the objects of the descriptors of heaps, one for each slot that may have one. They are made when a program
// first needs them, and do not change then. One goroutine uses them at a time.
type HeapLists struct {
	lists    Lists
	buffers  map[heapBuffersKey]*exec.List
	views    []*texture.View
	samplers []*texture.Sampler
}

// NewHeapLists returns the lists of heaps with a content that is new.
func NewHeapLists() *HeapLists { return &HeapLists{lists: Lists{version: versions.Add(1)}} }

type heapBuffersKey struct {
	level exec.Robustness
	kind  ir.ResourceKind
}

// heapBuffers returns the buffers with descriptors in the heap that a program can reach, and their list if it is remembered.
func (a *Args) heapBuffers(level exec.Robustness, kind ir.ResourceKind) ([]exec.Buffer, *exec.List) {
	key := heapBuffersKey{level, kind}
	if a.HeapLists != nil && a.HeapLists.buffers[key] != nil {
		l := a.HeapLists.buffers[key]
		return l.Buffers(), l
	}
	out := make([]exec.Buffer, len(a.Heap)/ir.HeapDescriptor)
	for i := range out {
		d := a.Heap[i*ir.HeapDescriptor:]
		out[i] = level.Restrict(a.BufferOf(d), kind)
	}
	if a.HeapLists == nil {
		return out, nil
	}
	if a.HeapLists.buffers == nil {
		a.HeapLists.buffers = map[heapBuffersKey]*exec.List{}
	}
	l := exec.NewList(out)
	a.HeapLists.buffers[key] = l
	return out, l
}

// BufferOf returns the buffer of a descriptor in memory.
func (a *Args) BufferOf(descriptor []byte) exec.Buffer {
	return a.BufferAt(binary.LittleEndian.Uint64(descriptor), binary.LittleEndian.Uint64(descriptor[8:])&ir.HeapRange)
}

// heapViews returns the views with descriptors in the heap.
func (a *Args) heapViews() []*texture.View {
	if a.HeapLists == nil {
		return heapDescriptors(a.Heap, a.heapView)
	}
	if a.HeapLists.views == nil {
		a.HeapLists.views = heapDescriptors(a.Heap, a.heapView)
	}
	return a.HeapLists.views
}

// heapSamplers returns the samplers with descriptors in the heap of samplers.
func (a *Args) heapSamplers() []*texture.Sampler {
	if a.HeapLists == nil {
		return heapDescriptors(a.SamplerHeap, a.heapSampler)
	}
	if a.HeapLists.samplers == nil {
		a.HeapLists.samplers = heapDescriptors(a.SamplerHeap, a.heapSampler)
	}
	return a.HeapLists.samplers
}

func (a *Args) heapView(descriptor []byte) *texture.View {
	if a.HeapView != nil {
		return a.HeapView(descriptor)
	}
	return numberedIn(descriptor, a.HeapImages)
}

func (a *Args) heapSampler(descriptor []byte) *texture.Sampler {
	if a.HeapSampler != nil {
		return a.HeapSampler(descriptor)
	}
	return numberedIn(descriptor, a.HeapSamplers)
}

// heapDescriptors returns the objects with descriptors in a heap, one for each slot that may have one.
func heapDescriptors[T any](heap []byte, object func([]byte) T) []T {
	out := make([]T, len(heap)/ir.HeapDescriptor)
	for i := range out {
		out[i] = object(heap[i*ir.HeapDescriptor:])
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

// allViews returns the views at a place: of a heap, or of a set and binding.
func (a *Args) allViews(r ir.Resource) []*texture.View {
	if r.Heap {
		return a.heapViews()
	}
	return a.viewsAt(Binding{r.Set, r.Binding})
}

func (a *Args) allSamplers(r ir.Resource) []*texture.Sampler {
	if r.Heap {
		return a.heapSamplers()
	}
	return a.samplersAt(Binding{r.Set, r.Binding})
}

// declared returns the descriptors of a resource that its program declares. A heap has no declared number.
func declared[T any](r ir.Resource, list []T) []T {
	if r.Heap {
		return list
	}
	return clipToDeclared(r, list)
}

// ViewsAt returns the views at a resource: of a heap, or of its set and binding. It allocates for a heap, and if the
// robustness of images is not the default.
func (a *Args) ViewsAt(r ir.Resource) []*texture.View {
	list := declared(r, a.allViews(r))
	if !a.zeroed() {
		return list
	}
	out := make([]*texture.View, len(list))
	for i, v := range list {
		out[i] = v.ZeroAlpha()
	}
	return out
}

// SamplersAt returns the samplers at a resource, as ViewsAt does for views.
func (a *Args) SamplersAt(r ir.Resource) []*texture.Sampler { return declared(r, a.allSamplers(r)) }

// regionOf returns the allocation that holds an address, or nil.
func (a *Args) regionOf(address uint64) *exec.Region {
	i := sort.Search(len(a.Regions), func(i int) bool { return a.Regions[i].Address > address }) - 1
	if i < 0 || address-a.Regions[i].Address >= uint64(len(a.Regions[i].Bytes)) {
		return nil
	}
	return &a.Regions[i]
}

// BufferAt returns the buffer of n bytes at an address: null if no live allocation
// holds them all, or if it does not begin at a multiple of 8.
func (a *Args) BufferAt(address, n uint64) exec.Buffer {
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
