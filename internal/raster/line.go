package raster

import (
	"math"
	"math/bits"
)

// end is an end of a line in the framebuffer, after clipping.
type end struct {
	point
	x, y   float64 // the same, before it was snapped, in pixels
	z      float64
	w      float64 // the reciprocal of w
	second float64 // how much of the second vertex it is, in clip space
}

// Line adds a line: the numbers of its vertices' records, in order, that of the
// provoking one, and its PrimitiveId.
func (r *Rasterizer) Line(v [2]uint32, provoking, id uint32) {
	if !r.records.Mask {
		r.vertexLine(v, provoking, id)
		return
	}
	for r.left = r.viewports(provoking); r.left != 0; r.left &= r.left - 1 {
		at := &r.stipples[bits.TrailingZeros32(r.left)]
		r.stippled = *at
		r.vertexLine(v, provoking, id)
		*at = r.stippled
	}
}

// vertexLine is Line for one viewport.
func (r *Rasterizer) vertexLine(v [2]uint32, provoking, id uint32) {
	if r.culled(v[:]) {
		return
	}
	p := draft{Primitive: Primitive{ID: id, Flags: IsLine | FrontFacing}, vertex: [3]uint32{v[0], v[1], v[0]}, provoking: provoking}
	if t := r.place(&p); t != nil {
		r.line(&p, t, 0)
	}
}

// line adds a line whose primitive has vertices and a place; bias is what the
// polygon that it is an edge of adds to depths.
func (r *Rasterizer) line(p *draft, t *transform, bias float32) {
	a, b, ok := r.ends(p, t)
	if !ok {
		return
	}
	p.along(&a, &b, r.position(p.vertex[1]).w)
	p.Z.C = float32(p.Z.C + bias)
	switch {
	case r.state.LineMode == Bresenham:
		r.keep(p, r.diamonds(p, &a, &b))
	case r.state.LineMode == Smooth:
		r.smooth(p, &a, &b)
	case r.state.Stipple.Factor > 0:
		r.dashes(p, &a, &b)
	default:
		r.keep(p, r.rectangle(p, &a, &b))
	}
}

// ends returns what is left of a line in the framebuffer; false for nothing.
func (r *Rasterizer) ends(p *draft, t *transform) (a, b end, ok bool) {
	c := [2]corner{r.corner(p.vertex[0], 0), r.corner(p.vertex[1], 1)}
	c[0].weight[0], c[1].weight[1] = 1, 1
	s := [2]sides{r.vertex(p.vertex[0], t).sides, r.vertex(p.vertex[1], t).sides}
	if s[0]&s[1]&(dropping|allDistances|behind) != 0 || (s[0]|s[1])&lost != 0 {
		return a, b, false
	}
	var room [20]halfSpace
	planes := room[:0]
	if any := s[0] | s[1]; any&clipped != 0 {
		planes = r.halfSpaces(planes, any, t)
	}
	for i := range planes {
		da, db := planes[i].distance(&c[0]), planes[i].distance(&c[1])
		switch {
		case da < 0 && db < 0:
			return a, b, false
		case db < 0:
			c[1] = mix(&c[0], &c[1], da, db)
		case da < 0:
			c[0] = mix(&c[1], &c[0], db, da)
		}
	}
	a, b = t.end(&c[0]), t.end(&c[1])
	return a, b, a.point != b.point
}

func (t *transform) end(c *corner) end {
	w := 1 / c.at[3]
	place := func(axis int) float64 {
		return float64(float64(float64(c.at[axis]*w)*float64(t.scale[axis])) + float64(t.offset[axis]))
	}
	x, y := min(max(place(0), -guardBand), guardBand), min(max(place(1), -guardBand), guardBand)
	return end{point{snap(x), snap(y)}, x, y, place(2), w, c.weight[1]}
}

// along sets the planes of a line: all is linear along it, and the same across it.
// last is w of its second vertex.
func (p *Primitive) along(a, b *end, last float32) {
	p.X, p.Y = float32(a.point.x)/one, float32(a.point.y)/one
	dx, dy := float64(b.point.x-a.point.x)/one, float64(b.point.y-a.point.y)/one
	length := float64(float64(dx*dx) + float64(dy*dy))
	part := plane{0, dx / length, dy / length}
	linear := func(x, y float64) plane {
		f := part.times(float64(y - x))
		f.c = x
		return f
	}
	p.Z = linear(a.z, b.z).single()
	qa, qb := float64(a.second*a.w), float64(b.second*b.w)
	p.L1 = linear(float64(qa*float64(last)), float64(qb*float64(last))).single()
	if a.w == b.w {
		p.Q1, p.W = p.L1, Plane{C: float32(a.w)}
		return
	}
	p.Flags |= Perspective
	p.Q1, p.W = linear(qa, qb).single(), linear(a.w, b.w).single()
}

// rectangle covers a line as a rectangle that is as wide as the line (Vulkan,
// Basic Line Segment Rasterization).
func (r *Rasterizer) rectangle(p *draft, a, b *end) bool {
	nx, ny := r.across(a, b)
	return r.quadrilateral(p, [4]point{a.beside(nx, ny), a.beside(-nx, -ny), b.beside(-nx, -ny), b.beside(nx, ny)})
}

// MaxLineWidth is the greatest width of a line in pixels (lineWidthRange); the least is
// 1.
const MaxLineWidth = 256

// width returns the width of lines. What is no number is the least.
func (r *Rasterizer) width() float32 {
	if w := r.state.LineWidth; w > 1 {
		return min(w, MaxLineWidth)
	}
	return 1
}

// across returns half the line's width, at a right angle to the line.
func (r *Rasterizer) across(a, b *end) (nx, ny float64) {
	dx, dy := float64(b.x-a.x), float64(b.y-a.y)
	half := float64(r.width()) / 2 / math.Sqrt(float64(dx*dx)+float64(dy*dy))
	return float64(-dy * half), float64(dx * half)
}

// beside returns the place that lies so far from the end.
func (e *end) beside(nx, ny float64) point {
	return point{snap(float64(e.x + nx)), snap(float64(e.y + ny))}
}

// quadrilateral covers a convex polygon of four corners.
func (r *Rasterizer) quadrilateral(p *draft, c [4]point) bool {
	area := doubled(c[0], c[1], c[2]) + doubled(c[0], c[2], c[3])
	if area == 0 {
		return false
	}
	if area < 0 {
		c[1], c[3] = c[3], c[1]
	}
	edges := [4]edge{edgeOf(c[0], c[1]), edgeOf(c[1], c[2]), edgeOf(c[2], c[3]), edgeOf(c[3], c[0])}
	return r.cover(p, edges[:], r.boundsOf(c[:]))
}

// outline draws a polygon as its edges or its corners, with bias added to depths.
func (r *Rasterizer) outline(p *draft, t *transform, bias float32) {
	r.ResetStipple()
	for i, n := range p.vertex {
		q := draft{Primitive: Primitive{ID: p.ID, Flags: p.Flags & FrontFacing, Layer: p.Layer, MinZ: p.MinZ, MaxZ: p.MaxZ},
			vertex: [3]uint32{n, p.vertex[(i+1)%3], n}, provoking: p.provoking, viewport: p.viewport}
		if r.state.PolygonMode == Line {
			q.Flags |= IsLine
			r.line(&q, t, bias)
			continue
		}
		q.vertex[1] = n
		q.Flags |= IsPoint
		r.point(&q, t, bias)
	}
}
