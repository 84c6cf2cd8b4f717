package driver

import (
	"sync"
	"sync/atomic"
)

// table has the objects of one kind by handle. A handle is the number of a slot and the generation of its use, so that a stale
// handle is noticed; it is never 0. Look-up takes no lock: pages do not move.
type table[T any] struct {
	mu    sync.Mutex
	pages [maxPages]atomic.Pointer[page[T]]
	free  []uint32 // slots
	used  uint32   // slots that were ever used
}

const (
	pageBits = 10
	maxPages = 1 << 12 // 4,194,304 objects of each kind
)

type page[T any] [1 << pageBits]slot[T]

type slot[T any] struct {
	generation atomic.Uint32
	object     atomic.Pointer[T]
}

// slot returns a slot that was used; nil if there is none of the number.
func (t *table[T]) slot(n uint32) *slot[T] {
	if n>>pageBits >= maxPages {
		return nil
	}
	p := t.pages[n>>pageBits].Load()
	if p == nil {
		return nil
	}
	return &p[n&(1<<pageBits-1)]
}

// add returns a handle of an object; 0 if the table is full.
func (t *table[T]) add(x *T) uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.used
	if last := len(t.free) - 1; last >= 0 {
		n, t.free = t.free[last], t.free[:last]
	} else if n>>pageBits >= maxPages {
		return 0
	} else {
		if t.pages[n>>pageBits].Load() == nil {
			t.pages[n>>pageBits].Store(new(page[T]))
		}
		t.used++
	}
	s := t.slot(n)
	s.object.Store(x)
	return uint64(s.generation.Load())<<32 | uint64(n) + 1
}

// get returns the object of a handle; nil if the handle is 0, stale or invalid.
func (t *table[T]) get(h uint64) *T {
	s := t.slot(uint32(h) - 1)
	if s == nil || s.generation.Load() != uint32(h>>32) {
		return nil
	}
	return s.object.Load()
}

// remove removes the object of a handle and returns it, or nil.
func (t *table[T]) remove(h uint64) *T {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := uint32(h) - 1
	s := t.slot(n)
	if s == nil || s.generation.Load() != uint32(h>>32) {
		return nil
	}
	x := s.object.Swap(nil)
	if x != nil {
		s.generation.Add(1)
		t.free = append(t.free, n)
	}
	return x
}

// each calls f with the handle of each object.
func (t *table[T]) each(f func(h uint64, x *T)) {
	t.mu.Lock()
	used := t.used
	t.mu.Unlock()
	for n := range used {
		s := t.slot(n)
		generation := s.generation.Load()
		if x := s.object.Load(); x != nil {
			f(uint64(generation)<<32|uint64(n)+1, x)
		}
	}
}
