package vk

import (
	"bytes"
	"sync"
	"sync/atomic"

	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// aliases are the blocks of images with ImageSparseAliased and memory in part. Their texels are copies of the memory that is bound
// (see sparseImage), which other blocks and buffers may show at once. So the copies of a block of memory are made equal wherever
// Vulkan makes writes available: at barriers and waits for events, and at the begin and the end of command buffers. Each block of
// memory has a shadow, its content at the last time: a byte that differs from the shadow is a write. Of several writes to one byte
// without a barrier between them any may win.
type aliases struct {
	some   atomic.Bool // groups has had an element
	mu     sync.Mutex
	groups map[backing]*aliasGroup // by the memory of the block
}

// aliasGroup is the copies of a block of memory.
type aliasGroup struct {
	memory backing
	shadow [SparseBlock]byte
	copies map[aliasCopy]bool
}

// aliasCopy is a block of an image, or a page of the mip tail of an aspect.
type aliasCopy struct {
	image *sparseImage
	place texture.SparsePlace
	tail  bool // place has the aspect, and X is the page
}

// rows calls each for the bytes of the copy, with their offset in the memory of the block.
func (c *aliasCopy) rows(each func(row []byte, offset int)) {
	r := c.image.residency
	if !c.tail {
		r.Rows(c.place, each)
		return
	}
	all := r.Tail(c.place.Aspect)
	at := min(c.place.X*SparseBlock, len(all))
	each(all[at:min(at+SparseBlock, len(all))], 0)
}

// changed reports to the views of the image that its texels have changed.
func (c *aliasCopy) changed() {
	if !c.tail {
		c.image.residency.Set(c.place, true)
	}
}

// join makes a copy that shows memory equal to it.
func (a *aliases) join(c aliasCopy, memory backing) {
	if memory.memory == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	g := a.groups[memory]
	if g == nil {
		g = &aliasGroup{memory: memory, copies: map[aliasCopy]bool{}}
		memory.use(func(bytes []byte) { copy(g.shadow[:], bytes) })
		if a.groups == nil {
			a.groups = map[backing]*aliasGroup{}
		}
		a.groups[memory] = g
		a.some.Store(true)
	}
	g.sync()
	c.rows(func(row []byte, offset int) { copy(row, g.shadow[offset:]) })
	g.copies[c] = true
}

// leave stores the writes of a copy, which shows its memory no longer.
func (a *aliases) leave(c aliasCopy, memory backing) {
	a.mu.Lock()
	defer a.mu.Unlock()
	g := a.groups[memory]
	if g == nil || !g.copies[c] {
		return
	}
	g.sync()
	if delete(g.copies, c); len(g.copies) == 0 {
		delete(a.groups, memory)
	}
}

// drop removes the copies of an image that is freed.
func (a *aliases) drop(s *sparseImage) {
	if !a.some.Load() {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for memory, g := range a.groups {
		for c := range g.copies {
			if c.image == s {
				delete(g.copies, c)
			}
		}
		if len(g.copies) == 0 {
			delete(a.groups, memory)
		}
	}
}

// sync makes all copies equal to their memory.
func (a *aliases) sync() {
	if !a.some.Load() {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, g := range a.groups {
		g.sync()
	}
}

// sync stores the writes to the copies and to the memory in all of them.
func (g *aliasGroup) sync() {
	g.memory.use(func(memory []byte) {
		for c := range g.copies {
			c.rows(func(row []byte, offset int) {
				if shadow := g.shadow[offset:][:len(row)]; !bytes.Equal(row, shadow) {
					merge(memory[offset:], row, shadow)
				}
			})
		}
		if bytes.Equal(memory, g.shadow[:]) {
			return
		}
		for c := range g.copies {
			different := false
			c.rows(func(row []byte, offset int) {
				if have := memory[offset:][:len(row)]; !bytes.Equal(row, have) {
					merge(row, have, g.shadow[offset:])
					different = true
				}
			})
			if different {
				c.changed()
			}
		}
		copy(g.shadow[:], memory)
	})
}

// merge stores the bytes of from that differ from the shadow, where to does not.
func merge(to, from, shadow []byte) {
	for i, x := range from {
		if x != shadow[i] && to[i] == shadow[i] {
			to[i] = x
		}
	}
}
