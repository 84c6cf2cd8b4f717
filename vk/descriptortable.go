package vk

import (
	"sync"
)

// table numbers objects for descriptors in memory. A number is an index and a generation: that of an object which is
// closed is of no other. Descriptors in memory can be anything, so that each lookup is checked.
type table[T any] struct {
	mu    sync.RWMutex
	slots []tableSlot[T]
	free  []uint32
}

type tableSlot[T any] struct {
	object     *T     // nil if the slot is free
	generation uint32 // of the object; begins at 1
}

// maxNumbered bounds the objects of a table; lastGeneration is the last of a slot.
const (
	maxNumbered    = 1 << 24
	lastGeneration = 1<<31 - 1
)

// number returns the number of an object, which is in n: 0 before the first call.
func (t *table[T]) number(x *T, n *uint64) (uint64, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if *n != 0 {
		return *n, nil
	}
	i := uint32(len(t.slots))
	switch free := len(t.free); {
	case free > 0:
		i, t.free = t.free[free-1], t.free[:free-1]
	case i >= maxNumbered:
		return 0, &OutOfMemoryError{Bytes: 1}
	default:
		t.slots = append(t.slots, tableSlot[T]{})
	}
	s := &t.slots[i]
	s.object = x
	s.generation++
	*n = uint64(i) | uint64(s.generation)<<32
	return *n, nil
}

// get returns the object of a number; nil if there is none.
func (t *table[T]) get(n uint64) *T {
	t.mu.RLock()
	defer t.mu.RUnlock()
	i := uint64(uint32(n))
	if i >= uint64(len(t.slots)) || uint64(t.slots[i].generation) != n>>32 {
		return nil
	}
	return t.slots[i].object
}

// drop frees the number of an object.
func (t *table[T]) drop(n *uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if *n == 0 {
		return
	}
	i := uint32(*n)
	t.slots[i].object = nil
	if t.slots[i].generation < lastGeneration {
		t.free = append(t.free, i)
	}
	*n = 0
}
