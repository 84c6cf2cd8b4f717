package compute

import (
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// Lists are the descriptors of a binding as a program reads them, for bindings with many descriptors that many draws use:
// made once, not for each draw. The binding must not change as long as it has them.
type Lists struct {
	version               uint64
	texels, shapes, state atomic.Pointer[list]
}

type list struct {
	buffers  []exec.Buffer
	changing []int // views that do work before each run, such as the decoding of blocks
}

// versions counts the lists.
var versions atomic.Uint64

// NewLists returns the lists of a binding with a content that is new.
func NewLists() *Lists { return &Lists{version: versions.Add(1)} }

// LongList is the number of descriptors of a binding from which on Lists are worth their memory.
const LongList = 32

// viewsOf returns the buffers of views.
func (l *Lists) viewsOf(at *atomic.Pointer[list], views []*texture.View, of func(*texture.View) exec.Buffer) []exec.Buffer {
	x := at.Load()
	if x == nil || len(x.buffers) != len(views) {
		x = &list{buffers: make([]exec.Buffer, len(views))}
		for i, v := range views {
			if x.buffers[i] = of(v); v.Changes() {
				x.changing = append(x.changing, i)
			}
		}
		at.Store(x)
		return x.buffers
	}
	for _, i := range x.changing {
		b := of(views[i])
		if unsafe.SliceData(b.Bytes) != unsafe.SliceData(x.buffers[i].Bytes) { // a run may have the old list
			x = &list{buffers: slices.Clone(x.buffers), changing: x.changing}
			x.buffers[i] = b
			at.Store(x)
		}
	}
	return x.buffers
}

// samplersOf returns the buffers of samplers.
func (l *Lists) samplersOf(samplers []*texture.Sampler) []exec.Buffer {
	x := l.state.Load()
	if x == nil || len(x.buffers) != len(samplers) {
		x = &list{buffers: make([]exec.Buffer, len(samplers))}
		for i, s := range samplers {
			x.buffers[i] = s.State()
		}
		l.state.Store(x)
	}
	return x.buffers
}

// listsAt returns the lists of a resource; nil if it has none. The other result for alpha has none: it has views of its own.
func (a *Args) listsAt(r ir.Resource) *Lists {
	if a.Robustness.Images >= exec.Robust && (r.Kind == ir.Texels || r.Kind == ir.ImageShape) {
		return nil
	}
	if r.Heap {
		if a.HeapLists == nil {
			return nil
		}
		return &a.HeapLists.lists
	}
	if a.Sets == nil {
		return nil
	}
	return a.slot(Binding{r.Set, r.Binding}).Lists
}

// Version returns the number of the descriptors of a resource, for [exec.Job]; 0 if they have none.
func (a *Args) Version(r ir.Resource) uint64 {
	switch r.Kind {
	case ir.Texels, ir.ImageShape, ir.SamplerState:
		if l := a.listsAt(r); l != nil {
			return l.version
		}
	case ir.HeapBuffer, ir.HeapUniform:
		if a.HeapLists != nil {
			return a.HeapLists.lists.version
		}
	case ir.UniformBuffer, ir.StorageBuffer:
		if a.Sets != nil && !r.Heap {
			if b := a.slot(Binding{r.Set, r.Binding}); b.Lists != nil && b.Dynamic == nil && !b.HasInline {
				return b.Lists.version
			}
		}
	}
	return 0
}

// imageLists returns the buffers of a resource that is images or samplers; ok is false if it has no lists.
func (a *Args) imageLists(r ir.Resource) (buffers []exec.Buffer, ok bool) {
	l := a.listsAt(r)
	if l == nil {
		return nil, false
	}
	switch r.Kind {
	case ir.Texels:
		return l.viewsOf(&l.texels, a.ViewsAt(r), (*texture.View).Memory), true
	case ir.ImageShape:
		return l.viewsOf(&l.shapes, a.ViewsAt(r), (*texture.View).Shape), true
	}
	return l.samplersOf(a.SamplersAt(r)), true
}
