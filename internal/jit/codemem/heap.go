package codemem

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"
)

// ErrFull is the error of Add if no free span is large enough.
var ErrFull = errors.New("codemem: the code reservation is full")

// blockAlign is the alignment of blocks in bytes: a cache line.
const blockAlign = 64

// span is a range of the reservation: offset and size in bytes.
type span struct{ off, size int }

// Heap is a reservation of executable memory with an allocator. It is safe for concurrent use.
type Heap struct {
	mu      sync.Mutex
	mapping mapping
	free    []span // sorted by offset, adjacent spans merged
	align   int
}

// mapping is the memory of a heap: either two views of the same pages or, if protect is not nil, one.
type mapping struct {
	write, run []byte
	protect    func(off, size int, writable bool) error // changes the protection of pages; nil with two views
	discard    func(off, size int) error                // returns pages to the system; may be nil
}

// Block is an allocation in a Heap.
type Block struct {
	at   span
	addr uintptr
}

// Entry returns the address of the block's first byte in the executable view.
func (b Block) Entry() uintptr { return b.addr }

// Size returns the size of the block in bytes, including padding.
func (b Block) Size() int { return b.at.size }

// Code returns a block in the executable view, with its padding. It must not be used after Free.
func (h *Heap) Code(b Block) []byte { return h.mapping.run[b.at.off:][:b.at.size:b.at.size] }

// New reserves an address range of size bytes, rounded up to pages. Physical memory is allocated as blocks
// are added. It returns an error if size is not positive or if the system permits neither kind of mapping.
func New(size int) (*Heap, error) {
	if size <= 0 {
		return nil, fmt.Errorf("codemem: a reservation of %d bytes; must be positive", size)
	}
	size = roundUp(size, pageSize)
	first := mapDual
	if oneView {
		first = mapSingle
	}
	view, err := first(size)
	if err != nil {
		var again error
		if view, again = mapSingle(size); again != nil {
			return nil, errors.Join(err, again)
		}
	}
	return newHeap(view), nil
}

func newHeap(view mapping) *Heap {
	h := &Heap{mapping: view, free: []span{{0, len(view.run)}}, align: blockAlign}
	if view.protect != nil {
		h.align = pageSize // a page is writable while Add fills it, so blocks must not share pages
	}
	return h
}

// Range returns the address range [lo, hi) of all blocks.
func (h *Heap) Range() (lo, hi uintptr) {
	lo = addressOf(h.mapping.run)
	return lo, lo + uintptr(len(h.mapping.run))
}

// Add allocates a block and copies code into it, aligned to 64 bytes. The code must be position-independent.
// The error is ErrFull if the heap has no free span of this size, or an error of the system.
func (h *Heap) Add(code []byte) (Block, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s, err := h.alloc(roundUp(max(len(code), 1), h.align))
	if err != nil {
		return Block{}, err
	}
	if err := h.write(s, code); err != nil {
		h.release(s)
		return Block{}, err
	}
	lo, _ := h.Range()
	return Block{s, lo + uintptr(s.off)}, nil
}

func (h *Heap) write(s span, code []byte) error {
	if h.mapping.protect != nil {
		if err := h.mapping.protect(s.off, s.size, true); err != nil {
			return err
		}
	}
	n := copy(h.mapping.write[s.off:], code)
	for i := s.off + n; i < s.off+s.size; i++ {
		h.mapping.write[i] = trap // execution past the end traps
	}
	if h.mapping.protect != nil {
		if err := h.mapping.protect(s.off, s.size, false); err != nil {
			return err
		}
	}
	if err := h.populate(s); err != nil {
		return err
	}
	flush(addressOf(h.mapping.write)+uintptr(s.off), addressOf(h.mapping.run)+uintptr(s.off), uintptr(s.size))
	return nil
}

func addressOf(view []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(view))) }

// minPageSize divides the page size of every supported machine.
const minPageSize = 4 << 10

// populate reads each page of a block in the executable view, to fault it in. The code contains constants,
// and a masked load with an empty mask from a page that is not present does not fault but is about a hundred
// times slower, each time. It returns an error if the two views differ.
func (h *Heap) populate(s span) error {
	for i := s.off; i < s.off+s.size; i += minPageSize {
		if h.mapping.run[i] != h.mapping.write[i] {
			return fmt.Errorf("codemem: byte %d of the code differs from the written one", i)
		}
	}
	if last := s.off + s.size - 1; h.mapping.run[last] != h.mapping.write[last] {
		return fmt.Errorf("codemem: byte %d of the code differs from the written one", last)
	}
	return nil
}

// Free frees a block. No thread may execute it, now or later.
func (h *Heap) Free(b Block) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.mapping.discard != nil {
		lo, hi := roundUp(b.at.off, pageSize), (b.at.off+b.at.size)&^(pageSize-1)
		if lo < hi {
			_ = h.mapping.discard(lo, hi-lo) // failure only leaves pages allocated
		}
	}
	h.release(b.at)
}

// alloc removes size bytes from the first free span that is large enough (first fit).
func (h *Heap) alloc(size int) (span, error) {
	for i := range h.free {
		f := &h.free[i]
		if f.size < size {
			continue
		}
		s := span{f.off, size}
		f.off, f.size = f.off+size, f.size-size
		if f.size == 0 {
			h.free = append(h.free[:i], h.free[i+1:]...)
		}
		return s, nil
	}
	return span{}, ErrFull
}

// release inserts a span into the free list and merges it with adjacent free spans.
func (h *Heap) release(s span) {
	i := 0
	for i < len(h.free) && h.free[i].off < s.off {
		i++
	}
	h.free = append(h.free, span{})
	copy(h.free[i+1:], h.free[i:])
	h.free[i] = s
	if i+1 < len(h.free) && s.off+s.size == h.free[i+1].off {
		h.free[i].size += h.free[i+1].size
		h.free = append(h.free[:i+1], h.free[i+2:]...)
	}
	if i > 0 && h.free[i-1].off+h.free[i-1].size == s.off {
		h.free[i-1].size += h.free[i].size
		h.free = append(h.free[:i], h.free[i+1:]...)
	}
}

// Close unmaps the heap. No thread may execute a block of it, now or later.
func (h *Heap) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.free = nil
	return unmap(h.mapping)
}

func roundUp(n, to int) int { return (n + to - 1) &^ (to - 1) }
