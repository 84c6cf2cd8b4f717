// Package scratch is memory that is used again: what a pass over code needs while it
// runs, and the next one too, need not come from the collector each time. It refuses
// to know what the memory is for.
package scratch

import "unsafe"

// Bounds of a Slab: the elements that there are at least, and the bytes that it keeps
// for later at most.
const (
	least   = 32
	maxKept = 1 << 23
)

// Slab gives out parts of one piece of memory. The zero Slab has none yet. It is for
// one goroutine at a time.
type Slab[T any] struct {
	all  []T // 0 from used on
	used int
}

// Take returns n zeros, which are the caller's until Reset. Appending to them moves
// them elsewhere.
func (s *Slab[T]) Take(n int) []T {
	if n > len(s.all)-s.used {
		s.all, s.used = make([]T, max(n, 2*len(s.all), least)), 0 // those who have the old one keep it
	}
	at := s.used
	s.used += n
	return s.all[at:s.used:s.used]
}

// Reset takes back all that was given out: nobody may look at it any more.
func (s *Slab[T]) Reset() {
	var zero T
	if uintptr(len(s.all))*unsafe.Sizeof(zero) > maxKept {
		s.all = nil
	}
	clear(s.all[:min(s.used, len(s.all))])
	s.used = 0
}
