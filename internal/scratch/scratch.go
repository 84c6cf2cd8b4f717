// Package scratch provides bump-allocated memory that a compiler pass reuses from run to run, to avoid the
// garbage collector. It refuses to know the purpose of the memory.
//
//	var s scratch.Slab[int32]
//	for each function {
//		order := s.Alloc(blocks) // zeroed, valid until Reset
//		…
//		s.Reset()
//	}
package scratch

import "unsafe"

// Bounds of a Slab: its minimum capacity in elements, and the maximum size in bytes that Reset retains.
const (
	minElements      = 32
	maxRetainedBytes = 1 << 23
)

// Slab is a bump allocator for elements of type T. The zero Slab is empty and ready to use. It is for one
// goroutine at a time.
type Slab[T any] struct {
	buf  []T // elements from used on are zero
	used int
}

// Alloc returns a slice of n zero elements with capacity n. It is valid until Reset.
func (s *Slab[T]) Alloc(n int) []T {
	if n > len(s.buf)-s.used {
		s.buf, s.used = make([]T, max(n, 2*len(s.buf), minElements)), 0 // slices of the old buffer stay valid
	}
	at := s.used
	s.used += n
	return s.buf[at:s.used:s.used]
}

// Reset frees all slices that Alloc has returned; they must not be used any more. It retains the memory for
// later Allocs, unless it exceeds 8 MiB.
func (s *Slab[T]) Reset() {
	var zero T
	if uintptr(len(s.buf))*unsafe.Sizeof(zero) > maxRetainedBytes {
		s.buf = nil
	}
	clear(s.buf[:min(s.used, len(s.buf))])
	s.used = 0
}
