package exec

import "sync"

// FreeList is a bounded list of idle objects for reuse. Unlike a sync.Pool it never drops objects at a
// garbage collection, and so bounds the allocations of steady-state frames to zero. It is safe for concurrent
// use; the zero FreeList is empty.
//
// Invariant: slots of the array of list at and above its length are nil, so that the list retains no
// object that a caller owns. A lock suffices: callers get one object for each run, not for each batch.
type FreeList[T any] struct {
	mu   sync.Mutex
	list []*T
}

// Get removes an object from the list and returns it, or nil if the list is empty. The object of the latest
// Put comes first: its memory is the most likely to be in the processor's caches.
func (l *FreeList[T]) Get() *T {
	l.mu.Lock()
	defer l.mu.Unlock()
	last := len(l.list) - 1
	if last < 0 {
		return nil
	}
	x := l.list[last]
	l.list[last] = nil
	l.list = l.list[:last]
	return x
}

// Put adds x to the list, or drops it if the list already has limit objects. The caller must not use x
// afterwards.
func (l *FreeList[T]) Put(x *T, limit int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.list) < limit {
		l.list = append(l.list, x)
	}
}
