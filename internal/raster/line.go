package raster

import (
	"math"
	"math/bits"

	"github.com/chiaro-gpu/chiaro/enum"
)

// end is an end of a line in the framebuffer, after clipping.
type end struct {
	point
	x, y   float64 // the position before it was snapped, in pixels
	z      float64
	w      float64    // 1/w
	weight [2]float64 // weights of the second and third vertex, interpolated in clip space
}

// Line adds a line between the vertices with record numbers v, in order. provoking is the record number of
// the provoking vertex, id the PrimitiveId.
func (r *Rasterizer) Line(v [2]uint32, provoking, id uint32) {
	if !r.records.Mask {
		r.vertexLine(v, provoking, id)
		return
	}
	for r.viewportMask = r.viewports(provoking); r.viewportMask != 0; r.viewportMask &= r.viewportMask - 1 {
		at := &r.stippleCounters[bits.TrailingZeros32(r.viewportMask)]
		r.stippleCounter = *at
		r.vertexLine(v, provoking, id)
		*at = r.stippleCounter
	}
}

// vertexLine is Line for one viewport.
func (r *Rasterizer) vertexLine(v [2]uint32, provoking, id uint32) {
	if r.culledByDistance(v[:]) {
		return
	}
	var p draft // set field by field: a copy of a struct right after its fields waits for their stores
	p.ID, p.Flags, p.provoking = id, IsLine|FrontFacing, provoking
	p.vertex[0], p.vertex[1], p.vertex[2] = v[0], v[1], v[1]
	if t := r.selectViewport(&p); t != nil {
		r.line(&p, t, 0)
	}
}

// line adds a line after its viewport has been selected. bias is added to depths: if the line is an edge of
// a polygon, the polygon's depth bias, else 0.
func (r *Rasterizer) line(p *draft, t *transform, bias float32) {
	var a, b end
	if r.ends(&a, &b, p, t) {
		r.segment(p, &a, &b, bias)
	}
}

// segment adds a line between two ends in the framebuffer. Their weights belong to the vertices of p.
func (r *Rasterizer) segment(p *draft, a, b *end, bias float32) {
	w, covered := [2]float32{r.position(p.vertex[1]).w, r.position(p.vertex[2]).w}, false
	switch {
	case r.state.LineMode == enum.LineModeBresenham:
		covered = r.coverDiamonds(p, a, b)
	case r.state.LineMode == enum.LineModeRectangularSmooth:
		p.slot().setLinePlanes(a, b, w, bias)
		r.smooth(p, a, b)
	case r.state.Stipple.Factor > 0:
		p.slot().setLinePlanes(a, b, w, bias)
		r.dashes(p, a, b)
	default:
		covered = r.rectangle(p, a, b)
	}
	if covered {
		r.commitHeader(p).setLinePlanes(a, b, w, bias)
	}
}

// ends clips a line and sets its ends in the framebuffer; false if nothing remains, or both ends snap to one point.
func (r *Rasterizer) ends(a, b *end, p *draft, t *transform) bool {
	first, second := r.vertex(p.vertex[0], t).outcode, r.vertex(p.vertex[1], t).outcode
	any := first | second
	if first&second&(viewVolume|allDistances|outEye) != 0 || any&notFinite != 0 {
		return false
	}
	if any&needsClipping != 0 {
		return r.clippedEnds(a, b, p, t, any)
	}
	from, to := r.position(p.vertex[0]), r.position(p.vertex[1])
	t.project(a, float64(from.x), float64(from.y), float64(from.z), float64(from.w), [2]float64{})
	t.project(b, float64(to.x), float64(to.y), float64(to.z), float64(to.w), [2]float64{1})
	return a.point != b.point
}

// clippedEnds is ends for a line that crosses planes, by parametric clipping against each plane. any has their outcodes.
func (r *Rasterizer) clippedEnds(a, b *end, p *draft, t *transform, any outcode) bool {
	c := [2]corner{r.corner(p.vertex[0], 0), r.corner(p.vertex[1], 1)}
	var buffer [20]halfSpace
	planes := r.crossedPlanes(buffer[:0], any, t)
	g, whole := &r.polygon, c
	g.begin(t, c[:])
	switch remains := g.clipEnds(&c, planes); {
	case g.doubtful || remains && !g.precise(c[:]):
		if c = whole; !clipEndsExactly(&c, planes) {
			return false
		}
	case !remains:
		return false
	}
	t.projectCorner(a, &c[0])
	t.projectCorner(b, &c[1])
	return a.point != b.point
}

// project sets e to the position in the framebuffer of a point at clip coordinates (x, y, z, w), computed in float64 and clamped to the
// guard band. weight has the weights of the primitive's second and third vertex.
func (t *transform) project(e *end, x, y, z, w float64, weight [2]float64) {
	w = 1 / w
	coordinate := func(v float64, axis int) float64 {
		return float64(float64(float64(v*w)*float64(t.scale[axis])) + float64(t.offset[axis]))
	}
	e.x, e.y = min(max(coordinate(x, 0), -guardBand), guardBand), min(max(coordinate(y, 1), -guardBand), guardBand)
	e.point.x, e.point.y = snap(e.x), snap(e.y)
	e.z, e.w, e.weight = coordinate(z, 2), w, weight
}

// projectCorner is project for a corner after clipping.
func (t *transform) projectCorner(e *end, c *corner) {
	t.project(e, c.at[0], c.at[1], c.at[2], c.at[3], c.weight)
}

// setLinePlanes sets the planes of a line: linear along it, constant across it. last has the w of the second and
// third vertex, and bias is added to depths. The third vertex has a weight only on sides that clipping makes.
func (p slot) setLinePlanes(a, b *end, last [2]float32, bias float32) {
	p.X, p.Y = float32(a.point.x)/one, float32(a.point.y)/one
	dx, dy := float64(b.point.x-a.point.x)/one, float64(b.point.y-a.point.y)/one
	length := float64(float64(dx*dx) + float64(dy*dy))
	part := plane{0, dx / length, dy / length}
	linear := func(x, y float64) plane {
		f := part.times(float64(y - x))
		f.c = x
		return f
	}
	p.Z = linear(a.z, b.z).rounded()
	p.Z.C = float32(p.Z.C + bias)
	p.Q2, p.L2 = Plane{}, Plane{}
	weights := func(k int) (q, l Plane) {
		qa, qb, w := float64(a.weight[k]*a.w), float64(b.weight[k]*b.w), float64(last[k])
		return linear(qa, qb).rounded(), linear(float64(qa*w), float64(qb*w)).rounded()
	}
	third := a.weight[1] != 0 || b.weight[1] != 0
	if p.Q1, p.L1 = weights(0); third {
		p.Q2, p.L2 = weights(1)
	}
	if a.w == b.w && !third {
		p.Q1, p.W = p.L1, Plane{C: float32(a.w)}
		return
	}
	p.Flags |= Perspective
	p.W = linear(a.w, b.w).rounded()
}

// rectangle covers a line as a rectangle of the line's width (Vulkan, Basic Line Segment Rasterization).
func (r *Rasterizer) rectangle(p *draft, a, b *end) bool {
	nx, ny := r.halfWidth(a, b)
	c := [4]point{a.displaced(nx, ny), a.displaced(-nx, -ny), b.displaced(-nx, -ny), b.displaced(nx, ny)}
	return r.quadrilateral(p, &c)
}

// MaxLineWidth is the greatest width of a line in pixels (lineWidthRange); the least is 1. A wide line may have fragments outside of its
// viewport, which applications that use the greatest width do not expect: it is small.
const MaxLineWidth = 64

// width returns the width of lines in pixels, 1 to MaxLineWidth; NaN is 1.
func (r *Rasterizer) width() float32 {
	if w := r.state.LineWidth; w > 1 {
		return min(w, MaxLineWidth)
	}
	return 1
}

// halfWidth returns the vector perpendicular to the line with half the line's width as length.
func (r *Rasterizer) halfWidth(a, b *end) (nx, ny float64) {
	dx, dy := float64(b.x-a.x), float64(b.y-a.y)
	half := float64(r.width()) / 2 / math.Sqrt(float64(dx*dx)+float64(dy*dy))
	return float64(-dy * half), float64(dx * half)
}

// displaced returns the snapped point at the end plus (nx, ny), in pixels.
func (e *end) displaced(nx, ny float64) point {
	return point{snap(float64(e.x + nx)), snap(float64(e.y + ny))}
}

// quadrilateral covers a convex quadrilateral, whichever way it turns. It can exchange corners.
func (r *Rasterizer) quadrilateral(p *draft, c *[4]point) bool {
	area := doubleArea(c[0], c[1], c[2]) + doubleArea(c[0], c[2], c[3])
	if area == 0 {
		return false
	}
	if area < 0 {
		c[1], c[3] = c[3], c[1]
	}
	bounds := r.boundsOf(c[:])
	if r.centreOnly {
		bounds = centresOfRectangle(c)
	}
	if bounds = bounds.Intersect(r.limits(p)); bounds.Empty() {
		return false
	}
	if r.centreOnly {
		if any, ok := r.coverTinyRectangle(c, bounds); ok {
			return any
		}
		if any, ok := r.coverSmall(c[:], bounds); ok {
			return any
		}
	}
	edges := [4]edge{edgeOf(c[0], c[1]), edgeOf(c[1], c[2]), edgeOf(c[2], c[3]), edgeOf(c[3], c[0])}
	return r.cover(p, edges[:], bounds)
}
