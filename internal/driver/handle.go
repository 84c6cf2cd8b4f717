package driver

import (
	"sync"
	"sync/atomic"

	"github.com/chiaro-gpu/chiaro/internal/abi"
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
	device     atomic.Pointer[device] // that has made the object
	callbacks  atomic.Uint32          // whether the object has allocation callbacks
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
	s.device.Store(nil)
	s.callbacks.Store(callbacksUnknown)
	s.object.Store(x)
	return uint64(s.generation.Load())<<32 | uint64(n) + 1
}

// find returns the slot of a handle; nil if the handle is 0, stale or invalid.
func (t *table[T]) find(h uint64) *slot[T] {
	s := t.slot(uint32(h) - 1)
	if s == nil || s.generation.Load() != uint32(h>>32) {
		return nil
	}
	return s
}

// get returns the object of a handle; nil if the handle is 0, stale or invalid.
func (t *table[T]) get(h uint64) *T {
	if s := t.find(h); s != nil {
		return s.object.Load()
	}
	return nil
}

// owner returns the device that has made the object of a handle, and whether there is an object.
func (t *table[T]) owner(h uint64) (*device, bool) {
	if s := t.find(h); s != nil && s.object.Load() != nil {
		return s.device.Load(), true
	}
	return nil, false
}

// keep keeps whether the object of a handle has allocation callbacks.
func (t *table[T]) keep(h uint64, callbacks *abi.AllocationCallbacks) {
	s := t.find(h)
	switch {
	case s == nil:
	case callbacks != nil:
		s.callbacks.Store(callbacksGiven)
	default:
		s.callbacks.Store(callbacksAbsent)
	}
}

// callbacks returns whether the object of a handle has allocation callbacks.
func (t *table[T]) callbacks(h uint64) uint32 {
	if s := t.find(h); s != nil {
		return s.callbacks.Load()
	}
	return callbacksUnknown
}

// remove removes the object of a handle and returns it, or nil.
func (t *table[T]) remove(h uint64) *T {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.find(h)
	if s == nil {
		return nil
	}
	x := s.object.Swap(nil)
	if x != nil {
		s.device.Store(nil)
		s.generation.Add(1)
		t.free = append(t.free, uint32(h)-1)
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
