package raster

// flat sets the planes of a triangle whose vertices all lie before the eye: its
// reference is its first vertex.
func (p *Primitive) flat(v *[3]*projected, area int64) {
	p.X, p.Y = float32(v[0].x)/one, float32(v[0].y)/one
	inv := one / float64(area)
	x1, y1 := float64(v[1].x-v[0].x), float64(v[1].y-v[0].y)
	x2, y2 := float64(v[2].x-v[0].x), float64(v[2].y-v[0].y)
	l1 := plane{0, float64(y2 * inv), float64(-x2 * inv)}
	l2 := plane{0, float64(-y1 * inv), float64(x1 * inv)}
	s1, s2 := l1.single(), l2.single()
	p.L1, p.L2 = s1, s2
	p.Z = between(l1, l2, v[0].z, v[1].z, v[2].z)
	if v[0].w == v[1].w && v[0].w == v[2].w {
		p.Q1, p.Q2, p.W = s1, s2, Plane{C: v[0].w}
		return
	}
	p.Flags |= Perspective
	p.Q1, p.Q2 = l1.times(float64(v[1].w)).single(), l2.times(float64(v[2].w)).single()
	p.W = between(l1, l2, v[0].w, v[1].w, v[2].w)
}

// plane is a Plane before it is rounded.
type plane struct{ c, x, y float64 }

func (p plane) single() Plane { return Plane{float32(p.c), float32(p.x), float32(p.y)} }

func (p plane) times(f float64) plane {
	return plane{float64(p.c * f), float64(p.x * f), float64(p.y * f)}
}

func (p plane) plus(q plane) plane {
	return plane{float64(p.c + q.c), float64(p.x + q.x), float64(p.y + q.y)}
}

// between returns the function that is a, b and c at the vertices whose weights are
// 1−l1−l2, l1 and l2.
func between(l1, l2 plane, a, b, c float32) Plane {
	sum := l1.times(float64(b) - float64(a)).plus(l2.times(float64(c) - float64(a)))
	sum.c = float64(sum.c + float64(a))
	return sum.single()
}
