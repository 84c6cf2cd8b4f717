package raster

import "github.com/chiaro-gpu/chiaro/enum"

// MaxExtraSize is the greatest extra size of overestimation in pixels
// (maxExtraPrimitiveOverestimationSize).
const MaxExtraSize = 16

// extra returns the extra size of overestimation in sub-pixels.
func (r *Rasterizer) extra() int32 {
	if x := r.state.ExtraSize; r.state.Conservative == enum.ConservativeModeOverestimate && x > 0 {
		return int32(min(x, MaxExtraSize) * one)
	}
	return 0
}

// growth returns the distance, in sub-pixels along both axes, by which conservative rasterisation moves an
// edge outwards: half a pixel, so that the test at the pixel's centre accepts squares that touch the
// primitive, plus the extra size. Underestimation moves it half a pixel inwards.
func (r *Rasterizer) growth() int64 {
	if r.state.Conservative == enum.ConservativeModeUnderestimate {
		return -centre
	}
	return centre + int64(r.extra())
}

// conservative moves the edges of a polygon as the state's mode requires. With State.Inner it appends to
// inner the original edges moved inwards, which test for fully covered pixels.
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

// appendInner appends to an item the mask of its fully covered pixels (FullyCoveredEXT).
func (w *walker) appendInner(list *[]uint64, x, y int32, covered uint64) {
	for i := range w.inner {
		e := &w.inner[i]
		covered &= e.mask(e.at(point{centre, centre}) + e.a*int64(x) + e.b*int64(y))
	}
	*list = append(*list, covered)
	w.words++
}

// coverClipped covers a clipped polygon conservatively, all its edges at once: a fan of triangles would
// cover the pixels along the inner edges twice. turned tells that the corners run counter-clockwise.
func (r *Rasterizer) coverClipped(p *draft, corners []point, turned bool) bool {
	bounds := r.boundsOf(corners).Intersect(r.limits(p))
	if bounds.Empty() {
		return false
	}
	var edgeBuffer, innerBuffer [maxCorners]edge
	edges := edgeBuffer[:0]
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
	w := walker{Rasterizer: r, edges: edges, inner: r.conservative(edges, innerBuffer[:0]), bounds: bounds, number: r.reserve(r.tileOf(bounds.X0, bounds.Y0))}
	for y := bounds.Y0 &^ (Block - 1); y < bounds.Y1; y += Block {
		for x := bounds.X0 &^ (Block - 1); x < bounds.X1; x += Block {
			w.block(r.items(r.tileOf(x, y)), x, y, false)
		}
	}
	return w.any
}
