package raster

// vector is a vector of the homogeneous plane: x, y, w.
type vector [3]float64

// cross returns a × b, each product and difference rounded.
func (a vector) cross(b vector) vector {
	m := func(i, j int) float64 { return float64(float64(a[i]*b[j]) - float64(a[j]*b[i])) }
	return vector{m(1, 2), m(2, 0), m(0, 1)}
}

// dot returns a · b, summed from the left, each step rounded.
func (a vector) dot(b vector) float64 {
	return float64(float64(float64(a[0]*b[0])+float64(a[1]*b[1])) + float64(a[2]*b[2]))
}

// setHomogeneousPlanes sets the planes of a triangle with vertices at w ≤ 0 or beyond the guard band (Olano &
// Greer 1997, "Triangle Scan Conversion using 2D Homogeneous Coordinates"): it inverts the matrix of the
// vertices' homogeneous framebuffer coordinates. The columns of the inverse are the functions that are 1/w
// at one vertex and 0 at the two others; no vertex needs a position in the framebuffer. reference should be
// a covered point. It returns false if the matrix is singular: the triangle is seen from its edge.
func (p slot) setHomogeneousPlanes(v [3]clipSpace, t *transform, reference point, exactly bool) bool {
	p.X, p.Y = float32(reference.x)/one, float32(reference.y)/one
	var weight [3]plane
	var z, w plane
	ok := false
	if exactly {
		far := v // escapes
		weight, z, w, ok = p.exactPlanes(&far, t)
	} else {
		weight, z, w, ok = p.homogeneousPlanes(&v, t)
	}
	if !ok {
		return false
	}
	z = z.times(float64(t.scale[2]))
	z.c = float64(z.c + float64(t.offset[2]))
	p.Z, p.W = z.rounded(), w.rounded()
	l1, l2 := weight[1].times(float64(v[1].w)), weight[2].times(float64(v[2].w))
	p.L1, p.L2 = l1.rounded(), l2.rounded()
	if v[0].w == v[1].w && v[0].w == v[2].w {
		p.Q1, p.Q2, p.W = p.L1, p.L2, Plane{C: 1 / v[0].w}
		return true
	}
	p.Flags |= Perspective
	p.Q1, p.Q2 = weight[1].rounded(), weight[2].rounded()
	return true
}

// homogeneousPlanes returns the functions of setHomogeneousPlanes: each vertex's weight over w, z/w and 1/w.
func (p *Primitive) homogeneousPlanes(v *[3]clipSpace, t *transform) (weight [3]plane, z, w plane, ok bool) {
	var h [3]vector
	for i, c := range v {
		w := float64(c.w)
		axis := func(x float32, k int, at float32) float64 {
			return float64(float64(x)*float64(t.scale[k])) + float64(w*(float64(t.offset[k])-float64(at)))
		}
		h[i] = vector{axis(c.x, 0, p.X), axis(c.y, 1, p.Y), w}
	}
	q := [3]vector{h[1].cross(h[2]), h[2].cross(h[0]), h[0].cross(h[1])}
	det := h[0].dot(q[0])
	if det == 0 {
		return weight, z, w, false
	}
	for i := range q {
		weight[i] = plane{q[i][2], q[i][0], q[i][1]}.times(1 / det)
		w = w.plus(weight[i])
		z = z.plus(weight[i].times(float64(v[i].z)))
	}
	return weight, z, w, true
}
