package raster

import (
	"math"
	"math/bits"

	"github.com/chiaro-gpu/chiaro/enum"
)

// corner is a vertex of the polygon being clipped, in clip coordinates.
type corner struct {
	at       [4]float64 // x, y, z, w
	distance [MaxDistances]float64
	weight   [2]float64 // weights of the primitive's second and third vertex
	original int        // 1 + index of the primitive's vertex; 0 if clipping made the corner
	error    float64    // bound of the error of a corner that clipping made, in pixels times w
	side     int        // of a polygon: number of the side from this corner to the next, 0 to 2, or madeSide or hiddenSide
}

// Sides of a clipped polygon that are no part of a side of the triangle.
const (
	madeSide   = 3 + iota // along a plane of the clip volume
	hiddenSide            // along a plane that Vulkan does not have, or outside of the viewport: never drawn
)

// polygon holds the two corner lists between which clipping alternates.
type polygon struct {
	corners, other []corner
	reach          [3]float64 // factors of x, y and w in a corner's size (polygon.size)
	far            bool       // a vertex is far: cancellation loses bits of made corners
	doubtful       bool       // far: a corner was cut off that may be inside, by the bound of its error
}

// halfSpace is a clip plane. A corner is inside if the dot product of the coefficients and its clip
// coordinates is at least threshold; or, if clipDistance is not 0, if clip distance clipDistance−1 is not
// negative.
type halfSpace struct {
	coefficients [4]float64
	clipDistance int
}

// distance returns the signed distance of a corner from the plane; negative is outside.
func (h *halfSpace) distance(c *corner) float64 {
	if h.clipDistance > 0 {
		return c.distance[h.clipDistance-1]
	}
	d := float64(h.coefficients[0] * c.at[0])
	for i := 1; i < 4; i++ {
		d = float64(d + float64(h.coefficients[i]*c.at[i]))
	}
	return d - h.threshold()
}

// side returns the number of the sides along the plane. Depth and clip distances bound the clip volume; the
// others are the guard band and w = 0.
func (h *halfSpace) side() int {
	if h.clipDistance > 0 || h.coefficients[2] != 0 {
		return madeSide
	}
	return hiddenSide
}

// threshold is the least value inside. It is 0, but for the plane w = 0 it is minW: a point at w = 0 has no
// image in the framebuffer.
func (h *halfSpace) threshold() float64 {
	if h.coefficients == [4]float64{3: 1} {
		return minW
	}
	return 0
}

// crossedPlanes appends the planes of which some vertex is outside, as the union of the outcodes tells. The
// four sides of the viewport are clipped only as far out as the guard band; the limits of coverage do the
// rest.
func (r *Rasterizer) crossedPlanes(list []halfSpace, any outcode, t *transform) []halfSpace {
	near := halfSpace{coefficients: [4]float64{2: 1}}
	if r.state.NegativeOneToOne {
		near.coefficients[3] = 1
	}
	if any&outNear != 0 {
		list = append(list, near)
	}
	if any&outFar != 0 {
		list = append(list, halfSpace{coefficients: [4]float64{2: -1, 3: 1}})
	}
	if any&(outEye|outGuardBand) != 0 {
		list = append(list, halfSpace{coefficients: [4]float64{3: 1}})
		for axis := range 2 {
			s, o := float64(t.scale[axis]), float64(t.offset[axis])
			low, high := halfSpace{}, halfSpace{}
			low.coefficients[axis], low.coefficients[3] = s, guardBand-1+o
			high.coefficients[axis], high.coefficients[3] = -s, guardBand-1-o
			list = append(list, low, high)
		}
	}
	for d := any & allDistances; d != 0; d &= d - 1 {
		list = append(list, halfSpace{clipDistance: 1 + bits.TrailingZeros32(uint32(d/outDistance))})
	}
	return list
}

// corner returns vertex n, the i-th of its primitive, as a corner. A NaN clip distance is outside.
func (r *Rasterizer) corner(n uint32, i int) corner {
	p := r.position(n)
	c := corner{at: p.wide(), original: i + 1, side: i}
	if i > 0 {
		c.weight[i-1] = 1
	}
	for k := range r.records.ClipCount {
		d := float64(r.distance(n, r.records.Clip+k))
		if d != d {
			d = -1
		}
		c.distance[k] = d
	}
	return c
}

// intersect returns the point between a (inside, distance da) and b (outside, distance db) at which the
// distance is 0. It always interpolates from the inside corner, so that two primitives that share the edge
// compute the same bits.
func (p *polygon) intersect(a, b *corner, da, db float64) (c corner) {
	t := da / float64(da-db)
	between := func(x, y float64) float64 { return float64(x + float64(t*float64(y-x))) }
	for i := range c.at {
		c.at[i] = between(a.at[i], b.at[i])
	}
	for i := range c.distance {
		c.distance[i] = between(a.distance[i], b.distance[i])
	}
	for i := range c.weight {
		c.weight[i] = between(a.weight[i], b.weight[i])
	}
	const ulps = 1.0 / (1 << 51) // at least the error of between, relative to its operands; that of t moves the corner along the side
	c.error = float64((1-t)*a.error) + float64(t*b.error) + float64(ulps*(p.size(a)+float64(t*p.size(b))))
	return c
}

// doubt notes whether a corner with distance d from a plane may be on its other side, unless its position is precise: then the cut moves a
// side by no more than the error.
func (p *polygon) doubt(c *corner, d float64) {
	if p.far && d < 0 && -d <= c.error && !c.precise() {
		p.doubtful = true
	}
}

// precise reports whether the position of a corner is as exact as it must be.
func (c *corner) precise() bool {
	return c.original > 0 || c.error <= float64(cornerTolerance*c.at[3])
}

// size returns the greatest magnitude of the terms of a corner's position, in pixels times w.
func (p *polygon) size(c *corner) float64 {
	return max(math.Abs(float64(p.reach[0]*c.at[0])), math.Abs(float64(p.reach[1]*c.at[1])), math.Abs(c.at[2])) + math.Abs(float64(p.reach[2]*c.at[3]))
}

// A vertex is far at so many guard bands from the origin, or if its size is so many times as large as another one's.
const (
	farDistance = 1 << 10
	farRatio    = 1 << 24
)

// begin prepares for clipping a primitive in a viewport.
func (p *polygon) begin(t *transform, v []corner) {
	p.doubtful = false
	p.reach = [3]float64{float64(t.scale[0]), float64(t.scale[1]), guardBand + math.Abs(float64(t.offset[0])) + math.Abs(float64(t.offset[1]))}
	w, least, most := 0.0, p.size(&v[0]), 0.0 // the greatest w in pixels, and the least and the greatest size
	for i := range v {
		size := p.size(&v[i])
		least, most = min(least, size), max(most, size)
		w = max(w, math.Abs(float64(p.reach[2]*v[i].at[3])))
	}
	p.far = !(most <= float64(farRatio*least) && most <= float64(farDistance*w))
}

// precise reports whether the positions of corners that clipping made are as exact as they must be.
func (p *polygon) precise(list []corner) bool {
	for i := range list {
		if !list[i].precise() {
			return false
		}
	}
	return true
}

// clip cuts the polygon at one plane (Sutherland & Hodgman 1974).
func (p *polygon) clip(h *halfSpace) {
	p.other = p.other[:0]
	for i := range p.corners {
		a, b := &p.corners[i], &p.corners[(i+1)%len(p.corners)]
		da, db := h.distance(a), h.distance(b)
		p.doubt(a, da)
		if da >= 0 {
			p.other = append(p.other, *a)
		}
		switch {
		case da >= 0 && db < 0:
			c := p.intersect(a, b, da, db)
			c.side = h.side()
			p.other = append(p.other, c)
		case da < 0 && db >= 0:
			c := p.intersect(b, a, db, da)
			c.side = a.side
			p.other = append(p.other, c)
		}
	}
	p.corners, p.other = p.other, p.corners
}

// clippedTriangle adds the inside part of a triangle that crosses clip planes. The part is covered as a fan
// of triangles; its plane equations belong to the unclipped triangle.
func (r *Rasterizer) clippedTriangle(p *draft, t *transform) {
	g := &r.polygon
	exactly, ok := r.clipPolygon(p, t)
	if !ok {
		return
	}
	var points [maxCorners]point
	list := points[:0]
	for i := range g.corners {
		list = append(list, r.snapCorner(&g.corners[i], p, t))
	}
	area := int64(0)
	for i := 2; i < len(list); i++ {
		area += doubleArea(list[0], list[i-1], list[i])
	}
	if !r.setFace(p, area) || !p.slot().setHomogeneousPlanes(r.positions(p), t, list[0], exactly) {
		return
	}
	bias := r.state.Bias.offset(&p.Primitive, t.maxDepth(g.corners))
	if r.state.PolygonMode != enum.PolygonModeFill {
		r.clippedOutline(p, t, bias)
		return
	}
	p.Z.C = float32(p.Z.C + bias)
	if r.state.Conservative != enum.ConservativeModeDisabled {
		r.commit(p, r.coverClipped(p, list, area < 0))
		return
	}
	covered := false
	for i := 2; i < len(list); i++ {
		if a := doubleArea(list[0], list[i-1], list[i]); a != 0 && a < 0 == (area < 0) {
			covered = r.coverTriangle(p, [3]point{list[0], list[i-1], list[i]}) || covered
		}
	}
	r.commit(p, covered)
}

// clipPolygon clips a triangle, and reports whether exact numbers were needed; ok is false if nothing remains.
func (r *Rasterizer) clipPolygon(p *draft, t *transform) (exactly, ok bool) {
	g := &r.polygon
	any := outcode(0)
	var v [3]corner
	for i, n := range p.vertex {
		any |= r.vertex(n, t).outcode
		v[i] = r.corner(n, i)
	}
	g.begin(t, v[:])
	var buffer [16]halfSpace
	planes := r.crossedPlanes(buffer[:0], any, t)
	g.corners = append(g.corners[:0], v[:]...)
	for i := range planes {
		if g.clip(&planes[i]); len(g.corners) < 3 {
			break
		}
	}
	if !g.doubtful && (len(g.corners) < 3 || g.precise(g.corners)) {
		return false, len(g.corners) >= 3
	}
	g.clipExactly(&v, planes)
	return true, len(g.corners) >= 3
}

// maxCorners bounds the corners of a clipped triangle: each plane adds at most one.
const maxCorners = 3 + 7 + MaxDistances

// snapCorner returns a corner's position in the framebuffer. An original vertex has the same bits as in
// unclipped triangles, so that neighbours share its edges exactly.
func (r *Rasterizer) snapCorner(c *corner, p *draft, t *transform) point {
	if c.original > 0 {
		if v := r.vertex(p.vertex[c.original-1], t); v.outcode&(outEye|outGuardBand|notFinite) == 0 {
			return v.point
		}
	}
	var e end
	t.projectCorner(&e, c)
	return e.point
}

// positions returns the clip coordinates of the primitive's vertices, before clipping.
func (r *Rasterizer) positions(p *draft) (v [3]clipSpace) {
	for i, n := range p.vertex {
		v[i] = r.position(n)
	}
	return v
}

// maxDepth returns the greatest framebuffer depth of a polygon's corners.
func (t *transform) maxDepth(list []corner) float32 {
	z := float32(math.Inf(-1))
	var e end
	for i := range list {
		t.projectCorner(&e, &list[i])
		z = max(z, float32(e.z))
	}
	return z
}
