package raster

import "github.com/chiaro-gpu/chiaro/enum"

// Triangle adds a triangle of the vertices with record numbers v, in order. provoking is the record number
// of the provoking vertex, id the PrimitiveId. A triangle that is culled, clipped away or covers no sample
// adds nothing.
func (r *Rasterizer) Triangle(v [3]uint32, provoking, id uint32) {
	if !r.records.Mask {
		r.triangle(v, provoking, id)
		return
	}
	for r.viewportMask = r.viewports(provoking); r.viewportMask != 0; r.viewportMask &= r.viewportMask - 1 {
		r.triangle(v, provoking, id)
	}
}

// triangle is Triangle for one viewport.
func (r *Rasterizer) triangle(v [3]uint32, provoking, id uint32) {
	if r.culledByDistance(v[:]) {
		return
	}
	p := &r.primitive // reused; holds the previous triangle's planes until setup writes them
	p.vertex, p.provoking, p.ID, p.Flags = v, provoking, id, 0
	t := r.selectViewport(p)
	if t == nil {
		return
	}
	var at [3]*projected
	for i, n := range v {
		if int(n) < len(r.projected) {
			at[i] = &r.projected[n]
		} else {
			r.project(&r.scratch[i], n, t)
			at[i] = &r.scratch[i]
		}
	}
	all, any := at[0].outcode&at[1].outcode&at[2].outcode, at[0].outcode|at[1].outcode|at[2].outcode
	switch {
	case all&(viewVolume|allDistances|outEye) != 0, any&notFinite != 0:
	case any&needsClipping != 0:
		r.clippedTriangle(p, t)
	default:
		r.unclippedTriangle(p, t, &at)
	}
}

// vertex returns vertex n projected into viewport t.
func (r *Rasterizer) vertex(n uint32, t *transform) (v projected) {
	if int(n) < len(r.projected) {
		return r.projected[n]
	}
	r.project(&v, n, t)
	return v
}

// selectViewport sets the viewport and layer of a primitive, and begins it anew: no slot is reserved. It
// returns nil if the primitive has no viewport.
func (r *Rasterizer) selectViewport(p *draft) *transform {
	number, t := r.viewportOf(p.provoking)
	if t == nil {
		return nil
	}
	p.Layer, p.viewport, p.MinZ, p.MaxZ = r.layerOf(p.provoking, number), number, t.min, t.max
	r.chunk = nil
	return t
}

// culledByDistance reports whether some cull distance is negative at all vertices (Vulkan, Primitive
// Clipping).
func (r *Rasterizer) culledByDistance(v []uint32) bool {
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

// unclippedTriangle adds a triangle that needs no clipping. Coverage precedes the planes: most tiny triangles
// cover nothing, and need none.
func (r *Rasterizer) unclippedTriangle(p *draft, t *transform, v *[3]*projected) {
	area := doubleArea(v[0].point, v[1].point, v[2].point)
	if !r.setFace(p, area) {
		return
	}
	fill := r.state.PolygonMode == enum.PolygonModeFill
	if fill && !r.coverTriangle(p, [3]point{v[0].point, v[1].point, v[2].point}) {
		return
	}
	q := p.slot()
	if fill {
		q = r.commitHeader(p)
	}
	q.setPlanes(v, area)
	bias := r.state.Bias.offset(q.Primitive, max(v[0].z, v[1].z, v[2].z))
	if !fill {
		r.outline(p, t, bias)
		return
	}
	q.Z.C = float32(q.Z.C + bias)
}

// doubleArea returns twice the signed area of a triangle in square sub-pixels, positive if it is clockwise
// as seen with y down.
func doubleArea(a, b, c point) int64 {
	return int64(b.x-a.x)*int64(c.y-a.y) - int64(c.x-a.x)*int64(b.y-a.y)
}

// setFace sets the flag FrontFacing of a polygon by its signed area, and reports whether its face is drawn
// (Vulkan, Basic Polygon Rasterization). A polygon of area 0 is never drawn.
func (r *Rasterizer) setFace(p *draft, area int64) bool {
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

// coverTriangle covers a triangle, whichever way it turns.
func (r *Rasterizer) coverTriangle(p *draft, c [3]point) bool {
	if doubleArea(c[0], c[1], c[2]) < 0 {
		c[1], c[2] = c[2], c[1]
	}
	if !r.centreOnly {
		edges := [3]edge{edgeOf(c[0], c[1]), edgeOf(c[1], c[2]), edgeOf(c[2], c[0])}
		return r.cover(p, edges[:], r.boundsOf(c[:]))
	}
	bounds := centresOf(&c).Intersect(r.clipRects[p.viewport].polygons)
	if bounds.Empty() {
		return false
	}
	if any, ok := r.coverTiny(&c, bounds); ok {
		return any
	}
	if any, ok := r.coverSmall(c[:], bounds); ok {
		return any
	}
	edges := [3]edge{edgeOf(c[0], c[1]), edgeOf(c[1], c[2]), edgeOf(c[2], c[0])}
	return r.cover(p, edges[:], bounds)
}
