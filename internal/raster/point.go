package raster

// MaxPointSize is the greatest size of a point in pixels (pointSizeRange); the least is 1.
const MaxPointSize = 1024

// Point adds a point at the vertex with record number v; id is its PrimitiveId.
func (r *Rasterizer) Point(v, id uint32) {
	if !r.records.Mask {
		r.vertexPoint(v, id)
		return
	}
	for r.viewportMask = r.viewports(v); r.viewportMask != 0; r.viewportMask &= r.viewportMask - 1 {
		r.vertexPoint(v, id)
	}
}

// vertexPoint is Point for one viewport.
func (r *Rasterizer) vertexPoint(v, id uint32) {
	if r.culledByDistance([]uint32{v}) {
		return
	}
	var p draft // set field by field, as in vertexLine
	p.ID, p.Flags, p.provoking = id, IsPoint|FrontFacing, v
	p.vertex[0], p.vertex[1], p.vertex[2] = v, v, v
	if t := r.selectViewport(&p); t != nil {
		r.point(&p, t, 0)
	}
}

// point covers the square of a point (Vulkan, Basic Point Rasterization). A point with its centre outside
// the view volume is dropped.
func (r *Rasterizer) point(p *draft, t *transform, bias float32) {
	v := r.vertex(p.vertex[0], t)
	if v.outcode&(viewVolume|allDistances|outEye|outGuardBand|notFinite) != 0 {
		return
	}
	size := r.size(p.vertex[0])
	q, ok := r.square(p, v.point, size)
	if !ok {
		return
	}
	q.X, q.Y = float32(v.x)/one, float32(v.y)/one
	q.Z, q.W = Plane{C: float32(v.z + bias)}, Plane{C: v.w}
	q.Q1, q.Q2 = Plane{}, Plane{}
	q.L1, q.L2 = Plane{C: 0.5, X: 1 / size}, Plane{C: 0.5, Y: 1 / size}
}

// square covers the square of a point, and returns the committed primitive without planes; covered is false if it covers nothing.
func (r *Rasterizer) square(p *draft, at point, size float32) (q slot, covered bool) {
	half := snap(float64(size) / 2)
	low, high := point{at.x - half, at.y - half}, point{at.x + half, at.y + half}
	any, ok := r.coverSquare(p, low, high)
	if !ok {
		any = r.quadrilateral(p, &[4]point{low, {high.x, low.y}, high, {low.x, high.y}})
	}
	if !any {
		return slot{}, false
	}
	return r.commitHeader(p), true
}

// coverSquare covers a square within one block, with one sample at the pixel's centre; ok is false if it is in several. The centres on its
// top and left edge are inside (edgeOf).
func (r *Rasterizer) coverSquare(p *draft, low, high point) (any, ok bool) {
	if !r.centreOnly {
		return false, false
	}
	b := r.boundsOf([]point{low, high}).Intersect(r.limits(p))
	if b.Empty() {
		return false, true
	}
	x, y, ok := b.block()
	if !ok {
		return false, false
	}
	b = b.Intersect(Rect{firstCentre(low.x), firstCentre(low.y), firstCentre(high.x), firstCentre(high.y)})
	if b.Empty() {
		return false, true
	}
	r.addBlock(x, y, b.pixelsOf(x, y))
	return true, true
}

// size returns the size of the point at vertex n in pixels, 1 to MaxPointSize: 1 if no shader writes it, or
// if it is NaN.
func (r *Rasterizer) size(n uint32) float32 {
	if r.records.Size < 0 {
		return 1
	}
	s := r.distance(n, r.records.Size)
	if !(s > 1) {
		return 1
	}
	return min(s, MaxPointSize)
}
