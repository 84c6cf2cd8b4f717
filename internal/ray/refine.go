package ray

import "sort"

const (
	// mostEqual is the largest number of items with equal Morton codes that are divided in any order.
	mostEqual = 4 * mortonLeaf
	// mostRefined is the largest number of refinements of the codes of one item. Of the splits of a node, all seven divide the part that
	// becomes a child, or this child has at most half of its items. So the depth of a tree is at most 28, the logarithm of maxPrimitives,
	// and a seventh of 30·(mostRefined+1)+28, the bits of the codes and the splits without them.
	mostRefined = 4
)

// refine sorts the items from from to to along the curve in the box of their own middles, if many of them have the same code: a far
// primitive makes the cells of the first curve as large as the space of all others. It returns how often their codes changed,
// or mostRefined if their middles do not differ.
func (b *builder) refine(from, to, refined int32) int32 {
	if refined == mostRefined || to-from <= mostEqual || b.keys[from].code() != b.keys[to-1].code() || to-from >= stopItems && b.shouldStop() {
		return refined
	}
	n := int(to - from)
	points, parts := scratchPoints.take(n), make([]wideBounds, (n+readChunkSize-1)/readChunkSize)
	defer scratchPoints.give(points)
	b.team.each(len(parts), func(c int) {
		first, last := c*readChunkSize, min((c+1)*readChunkSize, n)
		parts[c] = nowhere
		b.pointsOf(points[first:last], int(from)+first, &parts[c])
	})
	box := nowhere
	for i := range parts {
		box.grow(&parts[i])
	}
	scale := mortonScale(&box)
	if scale == [4]float32{} {
		return mostRefined
	}
	keys := scratchKeys.take(n)
	defer scratchKeys.give(keys)
	list := b.sorted(points, keys, &box.lo, &scale)
	if b.single && !b.numbered { // the keys have the numbers of items
		items := scratchItems.take(n)
		for i, k := range list {
			items[i] = b.items[uint32(k)]
		}
		copy(b.items[from:to], items)
		scratchItems.give(items)
	}
	copy(b.keys[from:to], list)
	return refined + 1
}

// pointsOf sets points to the items of the keys from number first on, and grows box by their middles.
func (b *builder) pointsOf(points []point, first int, box *wideBounds) {
	keys := b.keys[first:][:len(points)]
	if !b.single {
		b.trianglePoints(points, keys, box)
		return
	}
	noStarts := []int{0}
	for i, k := range keys {
		at := first + i
		if b.numbered { // the items have the order of their numbers, but some numbers have no item
			at = sort.Search(len(b.items), func(j int) bool { return b.items[j].primitive >= uint32(k) })
		}
		it := b.items[at]
		if it.geometry = 0; !b.numbered {
			it.primitive = uint32(at)
		}
		points[i] = it.point(noStarts, box)
	}
}

// trianglePoints is pointsOf for triangles. One that is no longer active keeps its place: an application may make it so during a build.
func (b *builder) trianglePoints(points []point, keys []mortonKey, box *wideBounds) {
	noStarts := []int{0}
	for i, k := range keys {
		g := sort.SearchInts(b.starts[1:], int(uint32(k))+1)
		it, ok := readItem(&b.readers[g], uint32(g), uint32(k)-uint32(b.starts[g]))
		if !ok {
			points[i] = point{primitive: uint32(k)}
			continue
		}
		it.geometry, it.primitive = 0, uint32(k)
		points[i] = it.point(noStarts, box)
	}
}
