package raster

// Triangle adds a triangle: the numbers of its vertices' records, in order, that of
// the provoking one, and its PrimitiveId. What is culled, clipped away or covers no
// sample leaves nothing.
func (r *Rasterizer) Triangle(v [3]uint32, provoking, id uint32) {
	if !r.records.Mask {
		r.triangle(v, provoking, id)
		return
	}
	for r.left = r.viewports(provoking); r.left != 0; r.left &= r.left - 1 {
		r.triangle(v, provoking, id)
	}
}

// triangle is Triangle for one viewport.
func (r *Rasterizer) triangle(v [3]uint32, provoking, id uint32) {
	if r.culled(v[:]) {
		return
	}
	p := &r.primitive // whose planes are those of another until they are made
	p.vertex, p.provoking, p.ID, p.Flags = v, provoking, id, 0
	t := r.place(p)
	if t == nil {
		return
	}
	var at [3]*projected
	for i, n := range v {
		if int(n) < len(r.projected) {
			at[i] = &r.projected[n]
		} else {
			r.project(&r.own[i], n, t)
			at[i] = &r.own[i]
		}
	}
	all, any := at[0].sides&at[1].sides&at[2].sides, at[0].sides|at[1].sides|at[2].sides
	switch {
	case all&(dropping|allDistances|behind) != 0, any&lost != 0:
	case any&clipped != 0:
		r.clippedTriangle(p, t)
	default:
		r.wholeTriangle(p, t, &at)
	}
}

// vertex returns a vertex in the framebuffer.
func (r *Rasterizer) vertex(n uint32, t *transform) (v projected) {
	if int(n) < len(r.projected) {
		return r.projected[n]
	}
	r.project(&v, n, t)
	return v
}

// place chooses the viewport and layer of a primitive; nil where it has none.
func (r *Rasterizer) place(p *draft) *transform {
	number, t := r.view(p.provoking)
	layer, ok := r.layer(p.provoking, number)
	if t == nil || !ok {
		return nil
	}
	p.Layer, p.viewport, p.MinZ, p.MaxZ = layer, number, t.min, t.max
	r.shelf = nil
	return t
}

// culled reports whether one of the cull distances of all vertices is negative
// (Vulkan, Primitive Clipping).
func (r *Rasterizer) culled(v []uint32) bool {
	for i := range r.records.CullCount {
		all := true
		for _, n := range v {
			all = all && r.distance(n, r.records.Cull+i) < 0
		}
		if all {
			return true
		}
	}
	return false
}

// wholeTriangle adds a triangle that needs no clipping.
func (r *Rasterizer) wholeTriangle(p *draft, t *transform, v *[3]*projected) {
	area := doubled(v[0].point, v[1].point, v[2].point)
	if !r.faces(p, area) {
		return
	}
	fill := r.state.PolygonMode == Fill
	if fill && !r.coverTriangle(p, [3]point{v[0].point, v[1].point, v[2].point}) {
		return
	}
	q := &p.Primitive
	if fill {
		q = r.kept(p)
	}
	q.flat(v, area)
	bias := r.state.Bias.of(q, max(v[0].z, v[1].z, v[2].z))
	if !fill {
		r.outline(p, t, bias)
		return
	}
	q.Z.C = float32(q.Z.C + bias)
}

// doubled returns twice the area of a triangle in sub-pixels, positive where it runs
// clockwise as seen with y down.
func doubled(a, b, c point) int64 {
	return int64(b.x-a.x)*int64(c.y-a.y) - int64(c.x-a.x)*int64(b.y-a.y)
}

// faces notes which face of a polygon is seen, and reports whether it is to be drawn
// (Vulkan, Basic Polygon Rasterization). A polygon without area has no face that
// anyone sees.
func (r *Rasterizer) faces(p *draft, area int64) bool {
	if area == 0 {
		return false
	}
	front := area < 0 != r.state.Clockwise
	if front {
		p.Flags |= FrontFacing
		return !r.state.CullFront
	}
	return !r.state.CullBack
}

// coverTriangle covers a triangle.
func (r *Rasterizer) coverTriangle(p *draft, c [3]point) bool {
	if doubled(c[0], c[1], c[2]) < 0 {
		c[1], c[2] = c[2], c[1]
	}
	if !r.plain {
		edges := [3]edge{edgeOf(c[0], c[1]), edgeOf(c[1], c[2]), edgeOf(c[2], c[0])}
		return r.cover(p, edges[:], r.boundsOf(c[:]))
	}
	bounds := centresOf(&c).Intersect(r.frames[p.viewport].polygons)
	if bounds.Empty() {
		return false
	}
	if any, ok := r.coverTiny(&c, bounds); ok {
		return any
	}
	edges := [3]edge{edgeOf(c[0], c[1]), edgeOf(c[1], c[2]), edgeOf(c[2], c[0])}
	return r.cover(p, edges[:], bounds)
}
