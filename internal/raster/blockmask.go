package raster

// blockEdges are three edge functions in a block: the values at its first pixel, the steps to the next column, and the steps
// to the next row.
type blockEdges struct{ c, a, b [3]int32 }

// maxEdgeValue bounds the values of blockEdges. Steps are below 2²⁵, so that a function changes by less than 2²⁹ in a block: a
// value that is clamped keeps the signs of the whole block, and no sum overflows.
const maxEdgeValue = 1 << 30

// mask3 returns the pixels of the block at (x, y) that have their sample, at offset s in sub-pixels, inside three edges.
func mask3(edges *[3]edge, x, y int32, s point) uint64 {
	var t blockEdges
	for i := range edges {
		e := &edges[i]
		c := e.at(s) + e.a*int64(x) + e.b*int64(y)
		t.c[i], t.a[i], t.b[i] = int32(min(max(c, -maxEdgeValue), maxEdgeValue)), int32(e.a), int32(e.b)
	}
	return blockMask(&t)
}
