package jit

import (
	"cmp"
	"math"
	"math/bits"
	"os"
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
)

// Handle tables are in one range of address space: jobs' tables in its first part and long lists of descriptors after it.
// Machine code finds a handle by its number from the start of the job's table on, in 32 bits. So all jobs share one table of
// a list: a resource's first number is its distance from the job's table.
//
//	┌───────────────┬──────┬─────┬──────────────────────┬──────────┬─────┐
//	│ table of job A│ B    │  …  │ list of textures     │ list     │  …  │
//	└───────────────┴──────┴─────┴──────────────────────┴──────────┴─────┘
//	   └── first = distance in handles ──▶┘
//
// The system provides memory for the pages in use.
const (
	jobHandles   = 1 << 24 // handles for jobs; the rest is for lists
	spaceHandles = 1 << 26
	leastBlock   = 6 // log₂ of the handles of the smallest block
)

// handleWords is the size of a handle in 64-bit words.
const handleWords = target.HandleBytes / 8

// tableSpace is the memory of handle tables, in blocks of powers of two: segregated free lists with deferred coalescing (Wilson,
// Johnstone, Neely, Boles: Dynamic Storage Allocation, 1995, sections 3.6 and 3.7). A free block is used again as a whole. If there is
// no space left, larger free blocks are split, and adjacent ones merge.
type tableSpace struct {
	mu     sync.Mutex
	memory *exec.Space // nil if the system has no address space for it
	next   [2]uint32   // the first handle of each part that was never used
	free   [2][32][]uint32
}

// tables is the space of the process.
var tables = sync.OnceValue(func() *tableSpace {
	t := &tableSpace{next: [2]uint32{0, jobHandles}}
	if size := uint64(spaceHandles) * target.HandleBytes; size <= math.MaxInt { // hosts of 32 bits have no space for it
		if m, err := exec.NewSpace(int(size), nil); err == nil {
			t.memory = m
		}
	}
	return t
})

// block is a piece of the space. It is freed when nothing refers to it.
type block struct {
	words   []uint64
	at      uint32      // its first handle
	space   *tableSpace // nil in Go's memory, at no distance from other blocks
	cleanup runtime.Cleanup
}

// place names a block for its release.
type place struct {
	part, class int
	at          uint32
}

// reserve returns a block for n handles or more: 0 for a job, 1 for a list. Without space for it a job's block is in Go's
// memory, and there is none for a list.
func (t *tableSpace) reserve(part, n int) *block {
	class := max(bits.Len(uint(max(n, 1)-1)), leastBlock)
	at, ok := t.take(part, class)
	if !ok {
		if part == 1 {
			return nil
		}
		return &block{words: make([]uint64, handleWords<<class)}
	}
	first := unsafe.Pointer(&t.memory.Bytes()[uint64(at)*target.HandleBytes])
	b := &block{words: unsafe.Slice((*uint64)(first), handleWords<<class), at: at, space: t}
	b.cleanup = runtime.AddCleanup(b, t.put, place{part, class, at})
	return b
}

// take returns the first handle of a free block.
func (t *tableSpace) take(part, class int) (at uint32, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if at, ok = t.pop(part, class); ok {
		return at, true
	}
	if at, ok = t.extend(part, class); ok {
		return at, true
	}
	if at, ok = t.split(part, class); ok {
		return at, true
	}
	t.coalesce(part)
	if at, ok = t.extend(part, class); ok {
		return at, true
	}
	return t.split(part, class)
}

// pop takes a block from its free list.
func (t *tableSpace) pop(part, class int) (at uint32, ok bool) {
	list := &t.free[part][class]
	n := len(*list)
	if n == 0 {
		return 0, false
	}
	at = (*list)[n-1]
	*list = (*list)[:n-1]
	return at, true
}

// extend takes a block that was never used.
func (t *tableSpace) extend(part, class int) (at uint32, ok bool) {
	end := [...]uint32{jobHandles, spaceHandles}[part]
	if t.memory == nil || uint64(t.next[part])+1<<class > uint64(end) {
		return 0, false
	}
	at = t.next[part]
	t.next[part] += 1 << class
	return at, true
}

// split takes the first part of the smallest free block that is large enough. The rest is free.
func (t *tableSpace) split(part, class int) (at uint32, ok bool) {
	for c := class; c < len(t.free[part]); c++ {
		if at, ok = t.pop(part, c); ok {
			t.cut(part, at+1<<class, 1<<c-1<<class)
			return at, true
		}
	}
	return 0, false
}

// cut makes free blocks of a range.
func (t *tableSpace) cut(part int, at, n uint32) {
	for n > 0 {
		class := bits.Len32(n) - 1
		t.free[part][class] = append(t.free[part][class], at)
		at, n = at+1<<class, n-1<<class
	}
}

// coalesce merges adjacent free blocks.
func (t *tableSpace) coalesce(part int) {
	type span struct{ at, end uint32 }
	var list []span
	for class := range t.free[part] {
		for _, at := range t.free[part][class] {
			list = append(list, span{at, at + 1<<class})
		}
		t.free[part][class] = t.free[part][class][:0]
	}
	slices.SortFunc(list, func(x, y span) int { return cmp.Compare(x.at, y.at) })
	for i := 0; i < len(list); {
		s := list[i]
		for i++; i < len(list) && list[i].at == s.end; i++ {
			s.end = list[i].end
		}
		if s.end == t.next[part] { // never used, in effect
			t.next[part] = s.at
			break
		}
		t.cut(part, s.at, s.end-s.at)
	}
}

// put frees a block. The pages of a large one return to the system.
func (t *tableSpace) put(p place) {
	if n := target.HandleBytes << p.class; n >= 1<<16 && n%os.Getpagesize() == 0 {
		begin := int(p.at) * target.HandleBytes
		page := os.Getpagesize()
		if from := (begin + page - 1) &^ (page - 1); from+page <= begin+n {
			t.memory.Unmap(from, (begin+n-from)&^(page-1)) // after an error the pages are as before
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.free[p.part][p.class] = append(t.free[p.part][p.class], p.at)
}

// release frees a block now. b may be nil.
func (b *block) release(part int) {
	if b == nil || b.space == nil {
		return
	}
	b.cleanup.Stop()
	t, class := b.space, bits.Len(uint(len(b.words)/handleWords))-1
	b.space, b.words = nil, nil
	t.put(place{part, class, b.at})
}

// listTable is the table of a long list, for all jobs that have the list. All of its descriptors are read-only.
type listTable struct{ *block }

// tableOf returns the table of a list, or nil if there is no space for it.
func tableOf(l *exec.List) *listTable {
	form, _ := l.Form(func(list []exec.Buffer) exec.ListForm {
		b := tables().reserve(1, len(list))
		if b == nil {
			return nil
		}
		t := &listTable{b}
		for i := range list {
			t.Set(i, list[i])
		}
		return t
	}).(*listTable)
	return form
}

// Set writes the handle of a descriptor.
func (t *listTable) Set(i int, b exec.Buffer) {
	h := handleOf(b, true, false)
	h.encode((*[handleWords]uint64)(t.words[i*handleWords:]))
}
