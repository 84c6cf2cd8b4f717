package ray

import (
	"math/bits"
	"sort"
	"unsafe"
)

// mortonBits is the number of bits of a coordinate in a Morton code, and also of a digit of the radix sort.
const mortonBits = 10

// mortonLeaf is the largest number of triangles of a leaf.
const mortonLeaf = 8

// point is a primitive of a fast build: the middle of its box, and its number over all geometries.
type point struct {
	middle    vec
	primitive uint32
}

// mortonKey is a Morton code in the high half and the number of a primitive.
type mortonKey uint64

// code returns the Morton code.
func (k mortonKey) code() uint32 { return uint32(k >> 32) }

// readPoints returns the active triangles, in the order of geometries and primitives, and the box of their middles.
func (b *builder) readPoints(readers []reader) ([]point, wideBounds) {
	count := b.starts[len(readers)]
	const chunk = 1 << 9
	chunks := (count + chunk - 1) / chunk
	points, active, boxes := make([]point, count), make([]int, chunks), make([]wideBounds, chunks)
	parallel(b.threads, chunks, func(c int) {
		var items [chunk]item
		from := c * chunk
		n := readChunk(readers, b.starts, from, items[:min(chunk, count-from)])
		active[c], boxes[c] = n, nowhere
		if n > 0 {
			boxes[c] = middles(items[:n])
		}
		for i := range items[:n] {
			it := &items[i]
			points[from+i] = point{vec{it.middle(0), it.middle(1), it.middle(2)}, uint32(b.starts[it.geometry]) + it.primitive}
		}
	})
	all := nowhere
	for i := range boxes {
		all.grow(&boxes[i])
	}
	return compacted(points, active, chunk), all
}

// sortMorton sorts the active triangles along the Morton curve through their middles.
func (b *builder) sortMorton(readers []reader) {
	points, centers := b.readPoints(readers)
	n := len(points)
	var scale vec
	for k := range scale {
		if size := centers.hi[k] - centers.lo[k]; size > 0 {
			if s := (1 << mortonBits) / size; isFinite(s) {
				scale[k] = s
			}
		}
	}
	if n == 0 {
		return
	}
	keys := make([]mortonKey, n)
	const chunk = 1 << 14
	parallel(b.threads, (n+chunk-1)/chunk, func(c int) {
		for i := c * chunk; i < min((c+1)*chunk, n); i++ {
			var code uint32
			for k := range 3 {
				x := float32((points[i].middle[k] - centers.lo[k]) * scale[k])
				code = code<<1 | spread3(int32(min(max(x, 0), 1<<mortonBits-1)))
			}
			keys[i] = mortonKey(code)<<32 | mortonKey(points[i].primitive)
		}
	})
	b.keys = sortKeys(keys, unsafe.Slice((*mortonKey)(unsafe.Pointer(&points[0])), n)) // a point is larger than a key
}

// spread3 moves bit i of x, which has mortonBits bits, to bit 3i.
func spread3(x int32) uint32 {
	y := uint32(x)
	y = (y | y<<16) & 0x030000FF
	y = (y | y<<8) & 0x0300F00F
	y = (y | y<<4) & 0x030C30C3
	return (y | y<<2) & 0x09249249
}

// sortKeys sorts keys by their codes, stably, with the memory of other.
func sortKeys(keys, other []mortonKey) []mortonKey {
	const mask = 1<<mortonBits - 1
	var at [3][mask + 1]int32
	for _, k := range keys {
		c := k.code()
		at[0][c&mask]++
		at[1][c>>mortonBits&mask]++
		at[2][c>>(2*mortonBits)&mask]++
	}
	for digit := range at {
		next, sum := &at[digit], int32(0)
		for i, n := range next {
			next[i] = sum
			sum += n
		}
		shift := mortonBits * digit
		for _, k := range keys {
			d := k.code() >> shift & mask
			other[next[d]] = k
			next[d]++
		}
		keys, other = other, keys
	}
	return keys
}

// buildMorton makes the wide tree of the sorted keys, without boxes: a range of items is divided where the highest bit of
// its codes changes (Lauterbach et al. 2009, "Fast BVH Construction on GPUs"), its largest part first, until it has eight
// parts.
func (b *builder) buildMorton(from, to int32) ref {
	if to-from <= mortonLeaf || b.stopped.Load() {
		return b.leaf(&child{from: from, to: min(to, from+4*maxLeafBlocks)})
	}
	if to-from >= stopItems && b.shouldStop() {
		return emptyRef
	}
	at := len(b.nodes)
	b.nodes = append(b.nodes, node{})
	ends := [width + 1]int32{from, to}
	count := 1
	for count < width {
		largest := 0
		for i := range count {
			if ends[i+1]-ends[i] > ends[largest+1]-ends[largest] {
				largest = i
			}
		}
		if ends[largest+1]-ends[largest] <= mortonLeaf {
			break
		}
		m := ends[largest] + b.mortonSplit(ends[largest], ends[largest+1])
		copy(ends[largest+2:], ends[largest+1:count+1])
		ends[largest+1] = m
		count++
	}
	var list [width]ref
	for i := range width {
		if list[i] = emptyRef; i < count {
			list[i] = b.buildMorton(ends[i], ends[i+1])
		}
	}
	b.nodes[at].child = list
	return ref(at)
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

// addMorton adds the triangles of block j to x.
func (b *builder) addMorton(x *batch, j int) {
	r := b.blockRanges[j]
	for _, k := range b.keys[r.from:r.to] {
		n, g := int(uint32(k)), 0
		if x.count > 0 { // neighbors are often of the same geometry
			g = int(x.geometry[x.count-1])
		}
		if n < b.starts[g] || n >= b.starts[g+1] {
			g = sort.SearchInts(b.starts[1:], n+1)
		}
		x.add(uint32(g), uint32(n-b.starts[g]))
	}
}
