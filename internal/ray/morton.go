package ray

import (
	"math/bits"
	"sync"
)

// mortonBits is the number of bits of a coordinate in a Morton code, and also of a digit of the radix sort.
const mortonBits = 10

// mortonLeaf is the largest number of items of a leaf.
const mortonLeaf = 8

// mortonKey is a Morton code in the high half and the index of an item.
type mortonKey uint64

// code returns the Morton code.
func (k mortonKey) code() uint32 { return uint32(k >> 32) }

// sortMorton sorts the items along the Morton curve through their middles.
func (b *builder) sortMorton() {
	n := len(b.items)
	centers := middles(b.items)
	var grid binning
	grid.from = centers.lo
	for k := range 3 {
		if size := centers.hi[k] - centers.lo[k]; size > 0 {
			if s := (1 << mortonBits) / size; isFinite(s) {
				grid.scale[k] = s
			}
		}
		grid.last[k] = 1<<mortonBits - 1
	}
	keys, other := make([]mortonKey, n), make([]mortonKey, n)
	const chunk = 1 << 14
	chunks := (n + chunk - 1) / chunk
	parallel(b.threads, chunks, func(c int) {
		for i := c * chunk; i < min((c+1)*chunk, n); i++ {
			it := &b.items[i]
			code := spread3(grid.bin(it, 0))<<2 | spread3(grid.bin(it, 1))<<1 | spread3(grid.bin(it, 2))
			keys[i] = mortonKey(code)<<32 | mortonKey(i)
		}
	})
	for digit := range 3 {
		radixPass(keys, other, 32+mortonBits*digit)
		keys, other = other, keys
	}
	items := make([]item, n)
	parallel(b.threads, chunks, func(c int) {
		for i := c * chunk; i < min((c+1)*chunk, n); i++ {
			items[i] = b.items[uint32(keys[i])]
		}
	})
	b.items, b.keys = items, keys
}

// spread3 moves bit i of x, which has mortonBits bits, to bit 3i.
func spread3(x int32) uint32 {
	y := uint32(x)
	y = (y | y<<16) & 0x030000FF
	y = (y | y<<8) & 0x0300F00F
	y = (y | y<<4) & 0x030C30C3
	return (y | y<<2) & 0x09249249
}

// radixPass sorts keys stably by mortonBits bits from a shift into to.
func radixPass(keys, to []mortonKey, shift int) {
	const mask = 1<<mortonBits - 1
	var at [mask + 1]int
	for _, k := range keys {
		at[k>>shift&mask]++
	}
	sum := 0
	for i, n := range at {
		at[i] = sum
		sum += n
	}
	for _, k := range keys {
		d := k >> shift & mask
		to[at[d]] = k
		at[d]++
	}
}

// divideMorton splits c, whose items are sorted, where the highest bit of their codes changes (Lauterbach et al. 2009,
// "Fast BVH Construction on GPUs"), and sets its box and the boxes of its parts.
func (b *builder) divideMorton(c *child) {
	n := c.to - c.from
	if n <= mortonLeaf || b.stopped.Load() {
		box := nothing()
		for i := c.from; i < c.to; i++ {
			box.add(&b.items[i].lo, &b.items[i].hi)
		}
		c.bounds = box
		return
	}
	m := c.from + b.mortonSplit(c.from, c.to)
	c.split = m
	d := &b.binary[m]
	d.left, d.right = child{from: c.from, to: m}, child{from: m, to: c.to}
	if n >= 2*minFork && b.free.Add(-1) >= 0 {
		var wait sync.WaitGroup
		wait.Go(func() {
			b.divideMorton(&d.left)
			b.free.Add(1)
		})
		b.divideMorton(&d.right)
		wait.Wait()
	} else {
		if n >= 2*minFork {
			b.free.Add(1)
			if n >= stopItems && b.shouldStop() {
				return
			}
		}
		b.divideMorton(&d.left)
		b.divideMorton(&d.right)
	}
	c.bounds = d.left.bounds
	c.add(&d.right.lo, &d.right.hi)
}

// mortonSplit returns the number of items from from whose highest differing bit is 0, or half of all if the codes are
// equal.
func (b *builder) mortonSplit(from, to int32) int32 {
	first, last := b.keys[from].code(), b.keys[to-1].code()
	if first == last {
		return (to - from) / 2
	}
	bit := uint32(1) << (bits.Len32(first^last) - 1)
	low, high := from, to-1 // the bit of low is 0, of high 1
	for high-low > 1 {
		if m := low + (high-low)/2; b.keys[m].code()&bit == 0 {
			low = m
		} else {
			high = m
		}
	}
	return high - from
}
