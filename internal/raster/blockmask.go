package raster

// blockEdges are three edge functions in a block: the values at its first pixel, the steps to the next column, and the steps
// to the next row.
type blockEdges struct{ c, a, b [3]int32 }

// maxEdgeValue bounds the values of blockEdges. Steps are below 2²⁵, so that a function changes by less than 2²⁹ in a block: a
// value that is clamped keeps the signs of the whole block, and no sum overflows.
const maxEdgeValue = 1 << 30

// quadEdges is blockEdges with four edge functions.
type quadEdges struct{ c, a, b [maxEdges]int32 }

// mask returns the pixels of the block at (x, y) that have their sample inside three or four edges. The steps of t are those of the edges;
// offsets are their values at the sample of pixel (0, 0).
func (t *quadEdges) mask(edges []edge, offsets *[maxEdges]int64, x, y int32) uint64 {
	for i := range min(len(edges), maxEdges) {
		e := &edges[i]
		c := offsets[i] + e.a*int64(x) + e.b*int64(y)
		t.c[i] = int32(min(max(c, -maxEdgeValue), maxEdgeValue))
	}
	return quadMask(t)
}

// masks sets each of masks to the result of mask for a sample; offsets has an element for each.
func (t *quadEdges) masks(edges []edge, offsets [][maxEdges]int64, x, y int32, masks []uint64) {
	var at [maxEdges]int64
	for i := range min(len(edges), maxEdges) {
		at[i] = edges[i].a*int64(x) + edges[i].b*int64(y)
	}
	sampleMasks(t, &at, &offsets[0], len(masks), len(edges), &masks[0])
}
