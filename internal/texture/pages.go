package texture

import (
	"encoding/binary"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Pages tells which pages of SparseBytes have memory: blocks of an image, or of the addresses of a buffer. It is safe for concurrent
// use.
type Pages struct {
	mu      sync.Mutex
	words   []uint32 // bits of pages with memory
	changes atomic.Uint64
}

// NewPages returns n pages without memory.
func NewPages(n int) *Pages { return &Pages{words: make([]uint32, (n+31)/32)} }

// Set records that n pages have memory, or have none.
func (p *Pages) Set(first, n int, on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for k := first; k < first+n; k++ {
		p.words[k/32] &^= 1 << (k % 32)
		if on {
			p.words[k/32] |= 1 << (k % 32)
		}
	}
	p.changes.Add(1)
}

// Has reports whether a page has memory.
func (p *Pages) Has(n int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.words[n/32]>>(n%32)&1 != 0
}

// viewResidency is the residency of the pages that a view shows.
type viewResidency struct {
	pages *Pages
	first int      // of the words of pages; the view needs those from it on
	end   int      // 0 is all
	words []uint32 // before the bits
	base  []byte   // the shape
	shape atomic.Pointer[residentShape]
}

// residentShape is the words of a view after some number of changes.
type residentShape struct {
	changes uint64
	bytes   []byte
}

// with returns the residency with another shape.
func (v *viewResidency) with(shape []byte) *viewResidency {
	return &viewResidency{pages: v.pages, first: v.first, end: v.end, words: v.words, base: shape}
}

// bytes returns the shape with the residency as it is now.
func (v *viewResidency) bytes() []byte {
	p := v.pages
	if s := v.shape.Load(); s != nil && s.changes == p.changes.Load() {
		return s.bytes
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	end := v.end
	if end == 0 {
		end = len(p.words)
	}
	s := &residentShape{changes: p.changes.Load(), bytes: slices.Clone(v.base)}
	for _, list := range [][]uint32{v.words, p.words[v.first:end]} {
		for _, w := range list {
			s.bytes = binary.LittleEndian.AppendUint32(s.bytes, w)
		}
	}
	v.shape.Store(s)
	return s.bytes
}

// The residency of a view of a buffer is in words after the words of its shape: the bytes from the page of the first bit to the view,
// then the bits of pages.
const (
	pagesStart = ir.ShapeWords
	pagesBits  = pagesStart + 1
)

// NewSparseBufferView returns a view of a range of a sparse buffer as texels. The range begins offset bytes after the first of the
// pages. The error is a *DescError.
func NewSparseBufferView(bytes []byte, name string, pages *Pages, offset int) (*View, error) {
	const word = 32 * SparseBytes // bytes
	v, err := NewBufferView(bytes, name)
	if err != nil || len(v.memory) == 0 {
		return v, err
	}
	v.key.sparse = true
	binary.LittleEndian.PutUint64(v.shape[4*ir.ShapeKey:], v.key.word())
	v.sparse = &viewResidency{pages: pages, first: offset / word, end: (offset+len(v.memory)-1)/word + 1, words: []uint32{uint32(offset % word)}, base: v.shape}
	return v, nil
}

// residentTexel returns 1 if all bytes of a texel of a buffer have memory, else 0.
func (c *code) residentTexel(at ir.V) ir.V {
	size := uint32(format.ByID(c.v.format).Texel().Bytes)
	page := func(offset ir.V) ir.V { return c.pageBit(pagesBits, c.Op(ir.LShr, ir.I32, offset, c.I32(16))) }
	first := c.add(c.mul(at, c.I32(size)), c.shapeWord(pagesStart))
	last := c.add(first, c.I32(size-1)) // perhaps in the next page
	return c.Op(ir.And, ir.I32, c.Op(ir.And, ir.I32, page(first), page(last)), c.I32(1))
}
