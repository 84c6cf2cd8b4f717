package raster

// MaxPointSize is the greatest size of a point in pixels (pointSizeRange); the least
// is 1.
const MaxPointSize = 1024

// Point adds a point: the number of its vertex's record and its PrimitiveId.
func (r *Rasterizer) Point(v, id uint32) {
	if !r.records.Mask {
		r.vertexPoint(v, id)
		return
	}
	for r.left = r.viewports(v); r.left != 0; r.left &= r.left - 1 {
		r.vertexPoint(v, id)
	}
}

// vertexPoint is Point for one viewport.
func (r *Rasterizer) vertexPoint(v, id uint32) {
	if r.culled([]uint32{v}) {
		return
	}
	p := draft{Primitive: Primitive{ID: id, Flags: IsPoint | FrontFacing}, vertex: [3]uint32{v, v, v}, provoking: v}
	if t := r.place(&p); t != nil {
		r.point(&p, t, 0)
	}
}

// point covers the square of a point (Vulkan, Basic Point Rasterization). One whose
// middle is outside the view volume is dropped.
func (r *Rasterizer) point(p *draft, t *transform, bias float32) {
	v := r.vertex(p.vertex[0], t)
	if v.sides&(dropping|allDistances|behind|beyond|lost) != 0 {
		return
	}
	size := r.size(p.vertex[0])
	p.X, p.Y = float32(v.x)/one, float32(v.y)/one
	p.Z, p.W = Plane{C: float32(v.z + bias)}, Plane{C: v.w}
	p.L1, p.L2 = Plane{C: 0.5, X: 1 / size}, Plane{C: 0.5, Y: 1 / size}
	half := snap(float64(size) / 2)
	c := [4]point{{v.x - half, v.y - half}, {v.x + half, v.y - half}, {v.x + half, v.y + half}, {v.x - half, v.y + half}}
	r.keep(p, r.quadrilateral(p, c))
}

// size returns the size of a point: 1 where no shader says one. What is no number
// is the least.
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
