package raster

// MaxExtraSize is the greatest extra size of overestimation in pixels
// (maxExtraPrimitiveOverestimationSize).
const MaxExtraSize = 16

// extra returns the extra size of overestimation in sub-pixels.
func (r *Rasterizer) extra() int32 {
	if x := r.state.ExtraSize; r.state.Conservative == Overestimate && x > 0 {
		return int32(min(x, MaxExtraSize) * one)
	}
	return 0
}

// growth returns by how many sub-pixels along both axes an edge moves: that of a
// pixel's half, so that a pixel counts where its square touches the primitive, or
// lies in it; and the extra size.
func (r *Rasterizer) growth() int64 {
	if r.state.Conservative == Underestimate {
		return -centre
	}
	return centre + int64(r.extra())
}

// conservative moves the edges of a polygon as the state says. Where it is asked for
// which pixels are wholly covered it appends edges for that: those of the polygon as
// it is, moved inwards.
func (r *Rasterizer) conservative(edges, inner []edge) []edge {
	for i := range edges {
		e := edges[i]
		edges[i].conservative(r.growth())
		if r.state.Inner {
			e.conservative(-centre)
			inner = append(inner, e)
		}
	}
	return inner
}

// appendInner appends to an item which of its pixels the primitive covers wholly.
func (w *walker) appendInner(list *[]uint64, x, y int32, covered uint64) {
	for i := range w.inner {
		e := &w.inner[i]
		covered &= e.mask(e.at(point{centre, centre}) + e.a*int64(x) + e.b*int64(y))
	}
	*list = append(*list, covered)
	w.words++
}

// coverClipped covers a polygon of any number of corners conservatively, as a whole:
// in parts it would cover pixels along what parts them twice.
func (r *Rasterizer) coverClipped(p *draft, corners []point, turned bool) bool {
	bounds := r.boundsOf(corners).Intersect(r.limits(p))
	if bounds.Empty() {
		return false
	}
	var room, innerRoom [maxCorners]edge
	edges := room[:0]
	for i, c := range corners {
		next := corners[(i+1)%len(corners)]
		switch {
		case c == next:
		case turned:
			edges = append(edges, edgeOf(next, c))
		default:
			edges = append(edges, edgeOf(c, next))
		}
	}
	w := walker{Rasterizer: r, edges: edges, inner: r.conservative(edges, innerRoom[:0]), bounds: bounds, number: r.number(r.tileOf(bounds.X0, bounds.Y0))}
	for y := bounds.Y0 &^ (Block - 1); y < bounds.Y1; y += Block {
		for x := bounds.X0 &^ (Block - 1); x < bounds.X1; x += Block {
			w.block(&r.tiles[r.tileOf(x, y)], x, y, false)
		}
	}
	return w.any
}
