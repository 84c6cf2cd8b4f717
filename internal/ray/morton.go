package ray

import (
	"math"
	"math/bits"
	"sort"
	"unsafe"
)

// mortonBits is the number of bits of a coordinate in a Morton code, and also of a digit of the radix sort.
const mortonBits = 10

// mortonLeaf is the largest number of triangles of a leaf. A leaf of other primitives has one.
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
	boxes := make([]wideBounds, (count+readChunkSize-1)/readChunkSize)
	points := readAll(readers, b.starts, b.team, scratchPoints.take(count), func(c int, list []point) func(x *batch, it *item) int {
		boxes[c] = nowhere
		return func(x *batch, it *item) int {
			n := 1
			if it != nil {
				list[0] = it.point(b.starts, &boxes[c])
			} else {
				n = x.points(list, b.starts, &boxes[c])
			}
			list = list[n:]
			return n
		}
	})
	all := nowhere
	for i := range boxes {
		all.grow(&boxes[i])
	}
	return points, all
}

// points sets list to the active triangles and grows centers by their middles. It returns how many there are.
func (b *batch) points(list []point, starts []int, centers *wideBounds) int {
	if hasKernel && len(list) >= b.count {
		return pointsAVX2(&list[0], b, &starts[0], centers)
	}
	return b.pointsPortable(list, starts, centers)
}

// pointsPortable is points without machine code.
func (b *batch) pointsPortable(list []point, starts []int, centers *wideBounds) (n int) {
	for i := range b.count {
		if b.ok[i] {
			it := item{lo: vec(b.lo[i][:3]), hi: vec(b.hi[i][:3]), geometry: b.geometry[i], primitive: b.primitive[i]}
			list[n] = it.point(starts, centers)
			n++
		}
	}
	return n
}

// point returns the point of the item and grows centers by it.
func (it *item) point(starts []int, centers *wideBounds) point {
	p := point{vec{it.middle(0), it.middle(1), it.middle(2)}, uint32(starts[it.geometry]) + it.primitive}
	for k, m := range p.middle {
		centers.lo[k], centers.hi[k] = min32(m, centers.lo[k]), max32(m, centers.hi[k])
	}
	return p
}

// sortMorton sorts the active triangles along the Morton curve through their middles.
func (b *builder) sortMorton(readers []reader) {
	points, centers := b.readPoints(readers)
	b.sortPoints(points, &centers)
}

// sortItems sorts the items along the Morton curve through their middles. Numbered ones stay in their places: the keys have the numbers of
// their primitives.
func (b *builder) sortItems() {
	n := len(b.items)
	chunks := (n + readChunkSize - 1) / readChunkSize
	points, parts := scratchPoints.take(n), make([]wideBounds, chunks)
	b.team.each(chunks, func(c int) {
		from, to := c*readChunkSize, min((c+1)*readChunkSize, n)
		parts[c] = middles(b.items[from:to])
		for i := from; i < to; i++ {
			it, number := &b.items[i], uint32(i)
			if b.numbered {
				number = it.primitive
			}
			points[i] = point{vec{it.middle(0), it.middle(1), it.middle(2)}, number}
		}
	})
	all := nowhere
	for i := range parts {
		all.grow(&parts[i])
	}
	b.sortPoints(points, &all)
	if b.numbered {
		return
	}
	items := scratchItems.take(n)
	for i, k := range b.keys {
		items[i] = b.items[uint32(k)]
	}
	scratchItems.give(b.items)
	b.items = items
}

// sortPoints sorts the keys of points. Their middles are inside centers. It overwrites the points.
func (b *builder) sortPoints(points []point, centers *wideBounds) {
	b.points = points
	if len(points) == 0 {
		return
	}
	scale := mortonScale(centers)
	b.spare = scratchKeys.take(len(points))
	b.keys = b.sorted(points, b.spare, &centers.lo, &scale)
}

// mortonScale returns the scale of Morton codes in the box. It is 0 along an axis without extent.
func mortonScale(box *wideBounds) (scale [4]float32) {
	for k := range 3 {
		size, cells := box.hi[k]-box.lo[k], float32(1<<mortonBits)
		if size > math.MaxFloat32 {
			size, cells = float32(0.5*box.hi[k])-float32(0.5*box.lo[k]), cells/2 // points beyond that are in the last cell
		}
		if size > 0 {
			if s := cells / size; isFinite(s) {
				scale[k] = s
			}
		}
	}
	return scale
}

// sorted returns the sorted keys of points, at least one, in the memory of keys or of points.
func (b *builder) sorted(points []point, keys []mortonKey, from, scale *[4]float32) []mortonKey {
	n := len(points)
	const chunk = 1 << 11
	b.team.each((n+chunk-1)/chunk, func(c int) {
		first, to := c*chunk, min((c+1)*chunk, n)
		mortonKeys(keys[first:to], points[first:to], from, scale)
	})
	other := unsafe.Slice((*mortonKey)(unsafe.Pointer(&points[0])), n) // a point is larger than a key
	return sortKeys(keys, other, b.team)
}

// mortonKeys sets keys to the keys of points: component k is (middle−from)·scale.
func mortonKeys(keys []mortonKey, points []point, from, scale *[4]float32) {
	if hasKernel {
		mortonKeysAVX2(&keys[0], &points[0], len(points), from, scale)
		return
	}
	mortonKeysPortable(keys, points, from, scale)
}

// mortonKeysPortable is mortonKeys without machine code.
func mortonKeysPortable(keys []mortonKey, points []point, from, scale *[4]float32) {
	for i := range points {
		var code uint32
		for k := range 3 {
			x := float32((points[i].middle[k] - from[k]) * scale[k])
			code = code<<1 | spread3(int32(min32(max32(x, 0), 1<<mortonBits-1))) // a NaN, from an infinite difference, is 0
		}
		keys[i] = mortonKey(code)<<32 | mortonKey(points[i].primitive)
	}
}

// spread3 moves bit i of x, which has mortonBits bits, to bit 3i.
func spread3(x int32) uint32 {
	y := uint32(x)
	y = (y | y<<16) & 0x030000FF
	y = (y | y<<8) & 0x0300F00F
	y = (y | y<<4) & 0x030C30C3
	return (y | y<<2) & 0x09249249
}

// sortKeys sorts keys by their codes, stably, with the memory of other: by one digit after the other, from the lowest one on. Each
// goroutine moves a part of the keys; its keys of a digit follow the keys of the parts before.
func sortKeys(keys, other []mortonKey, team *team) []mortonKey {
	const mask = 1<<mortonBits - 1
	const minPart = 1 << 12 // keys of a goroutine
	n := len(keys)
	parts := max(min(team.threads(), n/minPart), 1)
	at := make([][mask + 1]int32, parts)
	for digit := range 3 {
		shift := mortonBits * digit
		team.each(parts, func(p int) {
			next := &at[p]
			*next = [mask + 1]int32{}
			for _, k := range keys[n*p/parts : n*(p+1)/parts] {
				next[k.code()>>shift&mask]++
			}
		})
		sum := int32(0)
		for d := range mask + 1 {
			for p := range at {
				count := at[p][d]
				at[p][d] = sum
				sum += count
			}
		}
		team.each(parts, func(p int) {
			next := &at[p]
			for _, k := range keys[n*p/parts : n*(p+1)/parts] {
				d := k.code() >> shift & mask
				other[next[d]] = k
				next[d]++
			}
		})
		keys, other = other, keys
	}
	return keys
}

// buildMorton makes the wide tree of the sorted keys from from to to in t: a range of items is divided where the highest bit of
// its codes changes (Lauterbach et al. 2009, "Fast BVH Construction on GPUs"), its largest part first, until it has eight
// parts. refined is how often refine has changed the codes of these items.
func (b *builder) buildMorton(t *branch, from, to, refined int32) ref {
	most := int32(mortonLeaf)
	if b.single {
		most = 1
	}
	switch {
	case to-from <= most || b.stopped.Load():
		return b.leaf(t, from, min(to, from+4*maxLeafBlocks))
	case to-from >= stopItems && b.shouldStop():
		return emptyRef
	case to-from <= b.grain:
		return b.later(child{from: from, to: to, split: refined})
	}
	at := len(t.links)
	t.links = append(t.links, [width]ref{})
	if b.numbered && to-from <= width { // splits would leave one item in each part
		for i := range width {
			r := emptyRef
			if i < int(to-from) {
				r = leafBit | ref(uint32(b.keys[int(from)+i]))
			}
			t.links[at][i] = r
		}
		return ref(at)
	}
	ends, changes := [width + 1]int32{from, to}, [width]int32{refined}
	count := 1
	for ; count < width; count++ {
		largest := 0 // eight times a size, and 7 minus the number of its part: the first one of the largest parts wins
		for i := range count {
			largest = max(largest, int(ends[i+1]-ends[i])<<3|(width-1-i))
		}
		if largest>>3 <= int(most) {
			break
		}
		part := width - 1 - largest&(width-1)
		changes[part] = b.refine(ends[part], ends[part+1], changes[part])
		m := ends[part] + b.mortonSplit(ends[part], ends[part+1])
		for i := count; i > part; i-- {
			ends[i+1], changes[i] = ends[i], changes[i-1]
		}
		ends[part+1] = m
	}
	for i := range width {
		r := emptyRef
		switch {
		case i >= count:
		case b.numbered && ends[i+1]-ends[i] == 1:
			r = leafBit | ref(uint32(b.keys[ends[i]]))
		default:
			r = b.buildMorton(t, ends[i], ends[i+1], changes[i])
		}
		t.links[at][i] = r
	}
	return ref(at)
}

// mortonSplit returns the number of items from from whose highest differing bit is 0, or half of all if the codes are
// equal.
func (b *builder) mortonSplit(from, to int32) int32 {
	first, last := b.keys[from].code(), b.keys[to-1].code()
	if first == last {
		return (to - from) / 2
	}
	bit := bits.Len32(first^last) - 1
	low := from // the bit of low is 0, and the one of low+n is 1; no branch depends on the keys
	for n := to - from; n > 1; {
		half := n >> 1
		low += half & (int32(b.keys[low+half].code()>>bit&1) - 1)
		n -= half
	}
	return low + 1 - from
}

// addMorton adds the triangles of block j to x.
func (b *builder) addMorton(x *batch, j int) {
	r := b.ranges[j]
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
