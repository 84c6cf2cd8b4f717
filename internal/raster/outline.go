package raster

import "github.com/chiaro-gpu/chiaro/enum"

// outline draws a polygon's edges as lines or its vertices as points, by the polygon mode. bias is added to
// depths.
func (r *Rasterizer) outline(p *draft, t *transform, bias float32) {
	r.ResetStipple()
	for i := range p.vertex {
		r.originalSide(p, t, i, bias)
	}
}

// originalSide draws the edge of a polygon that begins at its vertex i, or the vertex.
func (r *Rasterizer) originalSide(p *draft, t *transform, i int, bias float32) {
	n, next := p.vertex[i], p.vertex[(i+1)%3]
	q := p.part([3]uint32{n, next, next})
	if r.state.PolygonMode == enum.PolygonModeLine {
		q.Flags |= IsLine
		r.line(&q, t, bias)
		return
	}
	q.vertex = [3]uint32{n, n, n}
	q.Flags |= IsPoint
	r.point(&q, t, bias)
}

// part returns the draft of an edge or corner of polygon p. Its values are interpolated between vertices v.
func (p *draft) part(v [3]uint32) draft {
	return draft{Primitive: Primitive{ID: p.ID, Flags: p.Flags & FrontFacing}, PrimitiveRest: PrimitiveRest{Layer: p.Layer, MinZ: p.MinZ, MaxZ: p.MaxZ},
		vertex: v, provoking: p.provoking, viewport: p.viewport}
}

// clippedOutline is outline for the clipped polygon in r.polygon. New edges along the boundary of the clip volume
// connect the clipped ones (Vulkan, Primitive Clipping), but for the sides of the viewport: polygons are not
// clipped there.
func (r *Rasterizer) clippedOutline(p *draft, t *transform, bias float32) {
	r.ResetStipple()
	list := r.polygon.corners
	for i := range list {
		c, next := &list[i], &list[(i+1)%len(list)]
		switch {
		case r.state.PolygonMode == enum.PolygonModePoint && c.original == 0:
			r.madeCorner(p, t, c, bias)
		case r.state.PolygonMode == enum.PolygonModePoint:
			r.originalSide(p, t, c.original-1, bias)
		case c.side < madeSide:
			r.originalSide(p, t, c.side, bias)
		case c.side == madeSide:
			r.madeSide(p, t, c, next, bias)
		}
	}
}

// madeSide draws an edge that clipping made. Its values are interpolated between all vertices of the polygon.
func (r *Rasterizer) madeSide(p *draft, t *transform, from, to *corner, bias float32) {
	var a, b end
	t.projectCorner(&a, from)
	t.projectCorner(&b, to)
	if a.point == b.point {
		return
	}
	q := p.part(p.vertex)
	q.Flags |= IsLine
	r.segment(&q, &a, &b, bias)
}

// madeCorner draws a corner that clipping made, if it is in the viewport. It has the size of the provoking vertex.
func (r *Rasterizer) madeCorner(p *draft, t *transform, c *corner, bias float32) {
	if x, y, w := c.at[0], c.at[1], c.at[3]; !(x >= -w && x <= w && y >= -w && y <= w) {
		return
	}
	var e end
	t.projectCorner(&e, c)
	q := p.part(p.vertex)
	q.Flags |= IsPoint
	if to, ok := r.square(&q, e.point, r.size(p.provoking)); ok {
		to.Flags |= Perspective
		to.setCornerPlanes(&e, [2]float32{r.position(p.vertex[1]).w, r.position(p.vertex[2]).w}, bias)
	}
}

// setCornerPlanes sets the planes of a corner that clipping made: they are constant. PointCoord, which is undefined
// for polygons, yields to the weights of linear interpolation.
func (p slot) setCornerPlanes(e *end, last [2]float32, bias float32) {
	p.X, p.Y = float32(e.point.x)/one, float32(e.point.y)/one
	p.Z, p.W = Plane{C: float32(float32(e.z) + bias)}, Plane{C: float32(e.w)}
	q := [2]float64{float64(e.weight[0] * e.w), float64(e.weight[1] * e.w)}
	p.Q1, p.Q2 = Plane{C: float32(q[0])}, Plane{C: float32(q[1])}
	p.L1, p.L2 = Plane{C: float32(q[0] * float64(last[0]))}, Plane{C: float32(q[1] * float64(last[1]))}
}
