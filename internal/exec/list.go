package exec

import (
	"sync"
	"unsafe"
)

// List is a list of buffer descriptors that many jobs have, such as a large array of textures. An engine makes its form of
// the list once, and a change of one descriptor costs no more than this descriptor.
type List struct {
	buffers []Buffer
	invalid int // of buffers

	mu       sync.Mutex
	form     ListForm
	overlaps []overlap // the latest results, oldest first
}

// ListForm is the form of a list that an engine keeps.
type ListForm interface {
	Set(i int, b Buffer) // descriptor i has changed
}

// overlap tells whether the list shares bytes with a range of memory.
type overlap struct {
	begin, end uintptr
	hit        bool
}

// MaxOverlaps is the number of results of Overlaps that a list remembers.
const MaxOverlaps = 64

// NewList returns a list of buffers, which it owns from now on.
func NewList(buffers []Buffer) *List {
	l := &List{buffers: buffers}
	for i := range buffers {
		l.invalid += invalid(&buffers[i])
	}
	return l
}

// invalid returns 1 for a descriptor that no job may have, otherwise 0.
func invalid(b *Buffer) int {
	if b.Beyond < 0 || b.Beyond > len(b.Bytes) || !aligned(b.Bytes) {
		return 1
	}
	return 0
}

// begins reports whether descriptors are the first of the list.
func (l *List) begins(with []Buffer) bool {
	return len(with) <= len(l.buffers) && (len(with) == 0 || &with[0] == &l.buffers[0])
}

// Buffers returns the descriptors. They may change by Set alone.
func (l *List) Buffers() []Buffer { return l.buffers }

// Set changes a descriptor. No job that has the list may be prepared or run meanwhile.
func (l *List) Set(i int, b Buffer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	old := l.buffers[i]
	l.invalid += invalid(&b) - invalid(&old)
	l.buffers[i] = b
	if l.form != nil {
		l.form.Set(i, b)
	}
	kept := l.overlaps[:0]
	for _, o := range l.overlaps {
		if o.hit && o.shares(old.Bytes) && !o.shares(b.Bytes) {
			continue // another descriptor may share bytes with it or not
		}
		o.hit = o.hit || o.shares(b.Bytes)
		kept = append(kept, o)
	}
	l.overlaps = kept
}

// Form returns the form of the list, which of makes if there is none.
func (l *List) Form(of func([]Buffer) ListForm) ListForm {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.form == nil {
		l.form = of(l.buffers)
	}
	return l.form
}

// Overlaps reports whether a descriptor of the list shares bytes with b. It remembers the results for a few ranges.
func (l *List) Overlaps(b []byte) bool {
	if len(b) == 0 {
		return false
	}
	begin := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	o := overlap{begin: begin, end: begin + uintptr(len(b))}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, x := range l.overlaps {
		if x.begin == o.begin && x.end == o.end {
			return x.hit
		}
	}
	for i := range l.buffers {
		if o.hit = o.shares(l.buffers[i].Bytes); o.hit {
			break
		}
	}
	if len(l.overlaps) == MaxOverlaps {
		l.overlaps = l.overlaps[:copy(l.overlaps, l.overlaps[1:])]
	}
	l.overlaps = append(l.overlaps, o)
	return o.hit
}

// shares reports whether the range shares bytes with b.
func (o *overlap) shares(b []byte) bool {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return len(b) > 0 && at < o.end && o.begin < at+uintptr(len(b))
}
