package raster

import (
	"math"
	"math/bits"
)

// corner is a vertex of a polygon that is being clipped, in clip coordinates.
type corner struct {
	at       [4]float64 // x, y, z, w
	distance [MaxDistances]float64
	weight   [2]float64 // of a line: how much of its first and its second vertex it is
	original int        // 1 + which of the primitive's vertices it is; 0 for a new one
}

// polygon is memory for clipping.
type polygon struct{ corners, other []corner }

// halfSpace is a plane of clip coordinates whose inside is where the sum of the
// products is not negative; or, where number is positive, the side where the clip
// distance with that number less one is not.
type halfSpace struct {
	by     [4]float64
	number int
}

func (h *halfSpace) distance(c *corner) float64 {
	if h.number > 0 {
		return c.distance[h.number-1]
	}
	d := float64(h.by[0] * c.at[0])
	for i := 1; i < 4; i++ {
		d = float64(d + float64(h.by[i]*c.at[i]))
	}
	return d - h.least()
}

// least is how much more than nothing the distance must be: what is at w = 0 has no
// place in a framebuffer.
func (h *halfSpace) least() float64 {
	if h.by == [4]float64{3: 1} {
		return minW
	}
	return 0
}

// halfSpaces appends the planes that vertices are outside of.
func (r *Rasterizer) halfSpaces(list []halfSpace, any sides, t *transform) []halfSpace {
	near := halfSpace{by: [4]float64{2: 1}}
	if r.state.NegativeOneToOne {
		near.by[3] = 1
	}
	if any&outNear != 0 {
		list = append(list, near)
	}
	if any&outFar != 0 {
		list = append(list, halfSpace{by: [4]float64{2: -1, 3: 1}})
	}
	if any&(behind|beyond) != 0 {
		list = append(list, halfSpace{by: [4]float64{3: 1}})
		for axis := range 2 {
			s, o := float64(t.scale[axis]), float64(t.offset[axis])
			low, high := halfSpace{}, halfSpace{}
			low.by[axis], low.by[3] = s, guardBand-1+o
			high.by[axis], high.by[3] = -s, guardBand-1-o
			list = append(list, low, high)
		}
	}
	for d := any & allDistances; d != 0; d &= d - 1 {
		list = append(list, halfSpace{number: 1 + bits.TrailingZeros32(uint32(d/outDistance))})
	}
	return list
}

// corner returns vertex n, the i-th of its primitive.
func (r *Rasterizer) corner(n uint32, i int) corner {
	p := r.position(n)
	c := corner{at: [4]float64{float64(p.x), float64(p.y), float64(p.z), float64(p.w)}, original: i + 1}
	for k := range r.records.ClipCount {
		d := float64(r.distance(n, r.records.Clip+k))
		if d != d {
			d = -1
		}
		c.distance[k] = d
	}
	return c
}

// mix returns the place between a and b, of which the first is inside and the second
// outside, where the distance is 0: from the inside, so that two primitives that
// share the edge find the same one.
func mix(a, b *corner, da, db float64) (c corner) {
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
	return c
}

// clip leaves of the polygon what is inside (Sutherland and Hodgman).
func (p *polygon) clip(h *halfSpace) {
	p.other = p.other[:0]
	for i := range p.corners {
		a, b := &p.corners[i], &p.corners[(i+1)%len(p.corners)]
		da, db := h.distance(a), h.distance(b)
		if da >= 0 {
			p.other = append(p.other, *a)
		}
		switch {
		case da >= 0 && db < 0:
			p.other = append(p.other, mix(a, b, da, db))
		case da < 0 && db >= 0:
			p.other = append(p.other, mix(b, a, db, da))
		}
	}
	p.corners, p.other = p.other, p.corners
}

// clippedTriangle adds what is left of a triangle that is partly outside.
func (r *Rasterizer) clippedTriangle(p *draft, t *transform) {
	g := &r.polygon
	g.corners = g.corners[:0]
	any := sides(0)
	for i, n := range p.vertex {
		any |= r.vertex(n, t).sides
		g.corners = append(g.corners, r.corner(n, i))
	}
	var room [16]halfSpace
	for _, h := range r.halfSpaces(room[:0], any, t) {
		if g.clip(&h); len(g.corners) < 3 {
			return
		}
	}
	var points [maxCorners]point
	list := points[:0]
	for i := range g.corners {
		list = append(list, r.corners(&g.corners[i], p, t))
	}
	area := int64(0)
	for i := 2; i < len(list); i++ {
		area += doubled(list[0], list[i-1], list[i])
	}
	if !r.faces(p, area) || !p.homogeneous(r.whole(p), t, list[0]) {
		return
	}
	bias := r.state.Bias.of(&p.Primitive, t.greatest(g.corners))
	if r.state.PolygonMode != Fill {
		r.outline(p, t, bias)
		return
	}
	p.Z.C = float32(p.Z.C + bias)
	if r.state.Conservative != Exact {
		r.keep(p, r.coverClipped(p, list, area < 0))
		return
	}
	covered := false
	for i := 2; i < len(list); i++ {
		if a := doubled(list[0], list[i-1], list[i]); a != 0 && a < 0 == (area < 0) {
			covered = r.coverTriangle(p, [3]point{list[0], list[i-1], list[i]}) || covered
		}
	}
	r.keep(p, covered)
}

// maxCorners is how many corners a clipped triangle may have: each plane adds one.
const maxCorners = 3 + 7 + MaxDistances

// corners returns where a corner comes to lie. An original vertex lies where it lies
// in triangles that are not clipped.
func (r *Rasterizer) corners(c *corner, p *draft, t *transform) point {
	if c.original > 0 {
		if v := r.vertex(p.vertex[c.original-1], t); v.sides&(behind|beyond|lost) == 0 {
			return v.point
		}
	}
	return t.end(c).point
}

// whole returns the primitive's vertices as they were before clipping.
func (r *Rasterizer) whole(p *draft) (v [3]clipSpace) {
	for i, n := range p.vertex {
		v[i] = r.position(n)
	}
	return v
}

// greatest returns the greatest depth of the corners of a polygon.
func (t *transform) greatest(list []corner) float32 {
	z := float32(math.Inf(-1))
	for i := range list {
		z = max(z, float32(t.end(&list[i]).z))
	}
	return z
}
