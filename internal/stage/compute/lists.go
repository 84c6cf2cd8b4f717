package compute

import (
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// Lists are the descriptors of a binding with many descriptors in the forms that programs read. They are made once, not for
// each draw, and a change of a descriptor changes only its entries. A caller changes descriptors by [Lists.Changed] while no
// program uses the binding; otherwise the binding gets new Lists.
type Lists struct {
	version uint64 // of the content

	mu       sync.Mutex
	images   [2]imageLists // of the views, and of those with an alpha of 0
	state    *exec.List
	samplers []*texture.Sampler // one for each key
	buffers  []bufferList
	scanned  bool // samplers has all keys
}

// imageLists are the forms of views.
type imageLists struct {
	texels, shapes *exec.List
	changing       []int           // views that do work before each run, such as the decoding of blocks
	views          []*texture.View // one for each key
	scanned        bool            // changing and views are complete
}

// bufferList is the form of buffers for programs with a robustness.
type bufferList struct {
	level exec.Robustness
	kind  ir.ResourceKind
	list  *exec.List
}

// versions counts the contents of lists.
var versions atomic.Uint64

// NewLists returns the lists of a binding with a content that is new.
func NewLists() *Lists { return &Lists{version: versions.Add(1)} }

// LongList is the number of descriptors of a binding from which on Lists are worth their memory.
const LongList = 32

// Changed updates the lists of a binding after a change of descriptor i. l may be nil.
func (l *Lists) Changed(b *SetBinding, i int) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.version = versions.Add(1)
	if b.Views != nil {
		for zeroed := range l.images {
			l.images[zeroed].set(i, shown(b.Views[i], zeroed == 1), len(b.Views))
		}
	}
	if b.Samplers != nil {
		if l.state != nil {
			l.state.Set(i, b.Samplers[i].State())
		}
		if l.scanned {
			l.samplers = withSampler(l.samplers, b.Samplers[i])
		}
	}
	if b.Buffers != nil {
		for _, x := range l.buffers {
			x.list.Set(i, x.level.Restrict(b.Buffers[i], x.kind))
		}
	}
}

// set changes view i of n.
func (x *imageLists) set(i int, v *texture.View, n int) {
	if !x.scanned {
		return
	}
	if x.views = withView(x.views, v); v.Changes() {
		x.changing = append(x.changing, i)
	}
	if len(x.changing) > n { // the same ones several times
		*x = imageLists{}
		return
	}
	if x.texels != nil {
		x.texels.Set(i, v.Memory())
	}
	if x.shapes != nil {
		x.shapes.Set(i, v.Shape())
	}
}

// shown returns the view that programs see.
func shown(v *texture.View, zeroed bool) *texture.View {
	if zeroed {
		return v.ZeroAlpha()
	}
	return v
}

// withView returns a list of views with one for the key of v.
func withView(list []*texture.View, v *texture.View) []*texture.View {
	if v == nil || slices.ContainsFunc(list, v.SameCode) {
		return list
	}
	return append(slices.Clip(list), v) // variants have the old list
}

func withSampler(list []*texture.Sampler, s *texture.Sampler) []*texture.Sampler {
	if s == nil || slices.ContainsFunc(list, s.SameCode) {
		return list
	}
	return append(slices.Clip(list), s)
}

// scan completes the lists of all views.
func (x *imageLists) scan(views []*texture.View, zeroed bool) {
	if x.scanned {
		return
	}
	x.scanned = true
	for i, v := range views {
		v = shown(v, zeroed)
		if x.views = withView(x.views, v); v.Changes() {
			x.changing = append(x.changing, i)
		}
	}
}

// viewsOf returns the buffers of views: their memory or their shapes.
func (l *Lists) viewsOf(views []*texture.View, zeroed bool, shapes bool) *exec.List {
	l.mu.Lock()
	defer l.mu.Unlock()
	x, of := &l.images[0], (*texture.View).Memory
	if zeroed {
		x = &l.images[1]
	}
	x.scan(views, zeroed)
	at := &x.texels
	if shapes {
		at, of = &x.shapes, (*texture.View).Shape
	}
	if *at == nil {
		buffers := make([]exec.Buffer, len(views))
		for i, v := range views {
			buffers[i] = of(shown(v, zeroed))
		}
		*at = exec.NewList(buffers)
		return *at
	}
	now, buffers := (*at).Buffers(), []exec.Buffer(nil)
	for _, i := range x.changing {
		if b := of(shown(views[i], zeroed)); unsafe.SliceData(b.Bytes) != unsafe.SliceData(now[i].Bytes) {
			if buffers == nil { // a run may have the old list
				buffers = slices.Clone(now)
			}
			buffers[i] = b
		}
	}
	if buffers != nil {
		*at = exec.NewList(buffers)
	}
	return *at
}

// samplersOf returns the buffers of samplers.
func (l *Lists) samplersOf(samplers []*texture.Sampler) *exec.List {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state == nil {
		buffers := make([]exec.Buffer, len(samplers))
		for i, s := range samplers {
			buffers[i] = s.State()
		}
		l.state = exec.NewList(buffers)
	}
	return l.state
}

// buffersOf returns the buffers with the bytes that programs of a robustness reach.
func (l *Lists) buffersOf(buffers []exec.Buffer, level exec.Robustness, kind ir.ResourceKind) *exec.List {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, x := range l.buffers {
		if x.level == level && x.kind == kind {
			return x.list
		}
	}
	list := make([]exec.Buffer, len(buffers))
	for i, b := range buffers {
		list[i] = level.Restrict(b, kind)
	}
	l.buffers = append(l.buffers, bufferList{level, kind, exec.NewList(list)})
	return l.buffers[len(l.buffers)-1].list
}

// viewKeys returns a view for each key among views, and perhaps for keys that earlier views had.
func (l *Lists) viewKeys(views []*texture.View, zeroed bool) []*texture.View {
	l.mu.Lock()
	defer l.mu.Unlock()
	x := &l.images[0]
	if zeroed {
		x = &l.images[1]
	}
	x.scan(views, zeroed)
	return x.views
}

// samplerKeys returns a sampler for each key, as viewKeys does for views.
func (l *Lists) samplerKeys(samplers []*texture.Sampler) []*texture.Sampler {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.scanned {
		l.scanned = true
		for _, s := range samplers {
			l.samplers = withSampler(l.samplers, s)
		}
	}
	return l.samplers
}

// listsAt returns the lists of a resource; nil if it has none.
func (a *Args) listsAt(r ir.Resource) *Lists {
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

// zeroed reports whether programs see views with an alpha of 0.
func (a *Args) zeroed() bool { return a.Robustness.Images >= exec.Robust }

// version returns the number of the content of a resource that is images or samplers; 0 if it has no lists.
func (a *Args) version(r ir.Resource) uint64 {
	if l := a.listsAt(r); l != nil {
		return l.version
	}
	return 0
}

// imageList returns the list of a resource that is images or samplers; nil if it has none.
func (a *Args) imageList(r ir.Resource) *exec.List {
	l := a.listsAt(r)
	switch {
	case l == nil:
		return nil
	case r.Kind == ir.SamplerState:
		return l.samplersOf(a.allSamplers(r))
	}
	return l.viewsOf(a.allViews(r), a.zeroed(), r.Kind == ir.ImageShape)
}

// bufferList returns the list of a resource that is buffers; nil if it has none.
func (a *Args) bufferList(r ir.Resource) *exec.List {
	if a.Sets == nil || r.Kind != ir.UniformBuffer && r.Kind != ir.StorageBuffer {
		return nil
	}
	at := Binding{r.Set, r.Binding}
	b := a.slot(at)
	if b.Lists == nil || b.Dynamic != nil || b.HasInline {
		return nil
	}
	return b.Lists.buffersOf(b.Buffers, a.Robustness.Of(at, r.Kind), r.Kind)
}

// viewsFor returns the views of a resource on which code depends, and samplersFor its samplers: of the list of an array one
// for each key. Code for a single descriptor depends on this one.
func (a *Args) viewsFor(r ir.Resource) []*texture.View {
	if l := a.listsAt(r); l != nil && r.Count != 1 {
		return l.viewKeys(a.allViews(r), a.zeroed())
	}
	return a.ViewsAt(r)
}

func (a *Args) samplersFor(r ir.Resource) []*texture.Sampler {
	if l := a.listsAt(r); l != nil && r.Count != 1 {
		return l.samplerKeys(a.allSamplers(r))
	}
	return a.SamplersAt(r)
}
