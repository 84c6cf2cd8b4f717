package codemem

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"
)

// ErrFull is returned where the reservation has no room left.
var ErrFull = errors.New("codemem: the code reservation is full")

// grain is the alignment of blocks, a cache line.
const grain = 64

// span is a range of the reservation, in bytes.
type span struct{ off, size int }

// Heap is one reservation of code memory. Its methods may be called from
// several goroutines.
type Heap struct {
	mu    sync.Mutex
	view  mapping
	free  []span // sorted by offset, neighbours joined
	grain int
}

// mapping is the memory of a heap. Where write and run are different views,
// both always stand; where they are the same, protect changes pages.
type mapping struct {
	write, run []byte
	protect    func(off, size int, writable bool) error // nil where mapped twice
	discard    func(off, size int) error                // gives pages back; may be nil
}

// Block is a piece of code in a Heap.
type Block struct {
	at   span
	addr uintptr
}

// Entry returns the address of the block's first byte, to run it.
func (b Block) Entry() uintptr { return b.addr }

// Size returns the block's length in bytes, padding included.
func (b Block) Size() int { return b.at.size }

// New reserves size bytes of addresses, rounded up to pages. Memory is taken
// as blocks are added.
func New(size int) (*Heap, error) {
	if size <= 0 {
		return nil, fmt.Errorf("codemem: a reservation of %d bytes; must be positive", size)
	}
	size = roundUp(size, pageSize)
	view, err := mapTwice(size)
	if err != nil {
		var again error
		if view, again = mapOnce(size); again != nil {
			return nil, errors.Join(err, again)
		}
	}
	return newHeap(view), nil
}

func newHeap(view mapping) *Heap {
	h := &Heap{view: view, free: []span{{0, len(view.run)}}, grain: grain}
	if view.protect != nil {
		h.grain = pageSize // no page may hold running code and be writable
	}
	return h
}

// Range returns the addresses between which all blocks of the heap lie.
func (h *Heap) Range() (lo, hi uintptr) {
	lo = uintptr(unsafe.Pointer(unsafe.SliceData(h.view.run)))
	return lo, lo + uintptr(len(h.view.run))
}

// Add copies code into the heap, aligned to 64 bytes. The code must not depend
// on its position.
func (h *Heap) Add(code []byte) (Block, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s, err := h.take(roundUp(max(len(code), 1), h.grain))
	if err != nil {
		return Block{}, err
	}
	if err := h.fill(s, code); err != nil {
		h.release(s)
		return Block{}, err
	}
	lo, _ := h.Range()
	return Block{s, lo + uintptr(s.off)}, nil
}

func (h *Heap) fill(s span, code []byte) error {
	if h.view.protect != nil {
		if err := h.view.protect(s.off, s.size, true); err != nil {
			return err
		}
	}
	n := copy(h.view.write[s.off:], code)
	for i := s.off + n; i < s.off+s.size; i++ {
		h.view.write[i] = 0xcc // running off the end traps
	}
	if h.view.protect != nil {
		if err := h.view.protect(s.off, s.size, false); err != nil {
			return err
		}
	}
	return h.touch(s)
}

// leastPage is a divisor of the page of every machine.
const leastPage = 4 << 10

// touch reads each page of a block where it will run, so that it is there. A
// masked load of no lane from a page that nobody has read is no fault, but takes
// the machine a hundred times as long, each time.
func (h *Heap) touch(s span) error {
	for i := s.off; i < s.off+s.size; i += leastPage {
		if h.view.run[i] != h.view.write[i] {
			return fmt.Errorf("codemem: byte %d of the code is not what was written", i)
		}
	}
	if last := s.off + s.size - 1; h.view.run[last] != h.view.write[last] {
		return fmt.Errorf("codemem: byte %d of the code is not what was written", last)
	}
	return nil
}

// Free gives a block back. Nothing may run in it, now or later.
func (h *Heap) Free(b Block) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.view.discard != nil {
		lo, hi := roundUp(b.at.off, pageSize), (b.at.off+b.at.size)&^(pageSize-1)
		if lo < hi {
			_ = h.view.discard(lo, hi-lo) // only memory is lost where it fails
		}
	}
	h.release(b.at)
}

// take cuts size bytes from the first free span that has them.
func (h *Heap) take(size int) (span, error) {
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

// release puts a span back in order and joins it with its neighbours.
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

// Close unmaps the heap. No block of it may run, now or later.
func (h *Heap) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.free = nil
	return unmap(h.view)
}

func roundUp(n, to int) int { return (n + to - 1) &^ (to - 1) }
