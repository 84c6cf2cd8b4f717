package raster

// setPlanes sets the planes of a triangle with all vertices in front of the eye. The reference point is
// its first vertex, and area twice its area in square sub-pixels. L1 and L2 are barycentric coordinates;
// all other planes are linear combinations of them.
func (p slot) setPlanes(v *[3]*projected, area int64) {
	p.X, p.Y = float32(v[0].x)/one, float32(v[0].y)/one
	inv := one / float64(area)
	x1, y1 := float64(v[1].x-v[0].x), float64(v[1].y-v[0].y)
	x2, y2 := float64(v[2].x-v[0].x), float64(v[2].y-v[0].y)
	l1 := plane{0, float64(y2 * inv), float64(-x2 * inv)}
	l2 := plane{0, float64(-y1 * inv), float64(x1 * inv)}
	s1, s2 := l1.rounded(), l2.rounded()
	p.L1, p.L2 = s1, s2
	p.Z = interpolant(l1, l2, v[0].z, v[1].z, v[2].z)
	if v[0].w == v[1].w && v[0].w == v[2].w {
		p.Q1, p.Q2, p.W = s1, s2, Plane{C: v[0].w}
		return
	}
	p.Flags |= Perspective
	p.Q1, p.Q2 = l1.times(float64(v[1].w)).rounded(), l2.times(float64(v[2].w)).rounded()
	p.W = interpolant(l1, l2, v[0].w, v[1].w, v[2].w)
}

// plane is a Plane in float64, before it is rounded.
type plane struct{ c, x, y float64 }

// rounded returns the plane with each coefficient rounded to float32.
func (p plane) rounded() Plane { return Plane{float32(p.c), float32(p.x), float32(p.y)} }

// times returns the plane times f.
func (p plane) times(f float64) plane {
	return plane{float64(p.c * f), float64(p.x * f), float64(p.y * f)}
}

// plus returns the sum of two planes.
func (p plane) plus(q plane) plane {
	return plane{float64(p.c + q.c), float64(p.x + q.x), float64(p.y + q.y)}
}

// interpolant returns the linear function with values a, b and c at the vertices; their weights are
// 1−l1−l2, l1 and l2.
func interpolant(l1, l2 plane, a, b, c float32) Plane {
	sum := l1.times(float64(b) - float64(a)).plus(l2.times(float64(c) - float64(a)))
	sum.c = float64(sum.c + float64(a))
	return sum.rounded()
}
