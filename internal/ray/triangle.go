package ray

import "math"

// crossing is the point at which a ray crosses a triangle.
type crossing struct {
	t, u, v float32
	// front: the vertices run counterclockwise as the ray's origin sees them.
	front bool
}

// cross intersects the ray with the triangle (Woop, Benthin and Wald 2013, "Watertight Ray/Triangle Intersection").
// The vertices are sheared into the plane across the ray; each sheared vertex depends on the ray and the vertex
// only, and the signs of the three edge functions are exact. A ray through an edge or a vertex belongs to exactly
// one of the triangles around it: the signs are the ones of a ray moved by (ε, ε²) (Edelsbrunner and Mücke 1990,
// "Simulation of Simplicity"). So closed meshes have no leaks and no double hits.
//
// t is in the interval of the triangle's box, and so in the intervals of all boxes of the tree above it: the order
// of a traversal never changes its result.
func (l *level) cross(p *triangle) (c crossing, ok bool) {
	if c, ok = l.meet(p); !ok {
		return c, false
	}
	lo, hi := p.bounds()
	pad(&lo, &hi)
	near, far := l.slabs(&lo, &hi)
	c.t = min32(far, max32(near, c.t))
	return c, near <= far
}

// meet is cross without the box.
func (l *level) meet(p *triangle) (c crossing, ok bool) {
	if l.wide {
		return l.crossWide(p)
	}
	return l.crossNarrow(p)
}

// bounds returns the box of the triangle.
func (p *triangle) bounds() (lo, hi vec) {
	for k := range 3 {
		lo[k] = min32(min32(p[0][k], p[1][k]), p[2][k])
		hi[k] = max32(max32(p[0][k], p[1][k]), p[2][k])
	}
	return lo, hi
}

// crossNarrow is cross in 32 bits, without the box. The 32-bit products have the right order, so that an edge
// function has the right sign or is 0: then crossExact decides.
func (l *level) crossNarrow(p *triangle) (c crossing, ok bool) {
	var x, y, z [3]float32
	for i := range 3 {
		w := p[i][l.component[2]] - l.origin[2]
		x[i] = (p[i][l.component[0]] - l.origin[0]) - float32(l.shear[0]*w)
		y[i] = (p[i][l.component[1]] - l.origin[1]) - float32(l.shear[1]*w)
		z[i] = float32(l.shear[2] * w)
	}
	e0 := float32(x[2]*y[1]) - float32(y[2]*x[1])
	e1 := float32(x[0]*y[2]) - float32(y[0]*x[2])
	e2 := float32(x[1]*y[0]) - float32(y[1]*x[0])
	if (e0 < 0 || e1 < 0 || e2 < 0) && (e0 > 0 || e1 > 0 || e2 > 0) {
		return c, false
	}
	if e0 != 0 && e1 != 0 && e2 != 0 {
		sum := e0 + e1 + e2
		t := (float32(e0*z[0]) + float32(e1*z[1]) + float32(e2*z[2])) / sum
		if isFinite(sum) && isFinite(t) {
			return crossing{t: t, u: e1 / sum, v: e2 / sum, front: sum > 0}, true
		}
	}
	var wide [3][3]float64
	for i := range 3 {
		wide[0][i], wide[1][i], wide[2][i] = float64(x[i]), float64(y[i]), float64(z[i])
		if !isFinite(z[i]) { // a far vertex of a triangle with a point at a finite distance
			wide[2][i] = float64(l.shear[2]) * float64(p[i][l.component[2]]-l.origin[2])
		}
	}
	return crossExact(wide[0], wide[1], wide[2])
}

// crossWide is cross in 64 bits, without the box.
func (l *level) crossWide(p *triangle) (c crossing, ok bool) {
	var x, y, z [3]float64
	for i := range 3 {
		w := float64(p[i][l.component[2]]) - float64(l.origin[2])
		x[i] = (float64(p[i][l.component[0]]) - float64(l.origin[0])) - float64(float64(l.shear[0])*w)
		y[i] = (float64(p[i][l.component[1]]) - float64(l.origin[1])) - float64(float64(l.shear[1])*w)
		z[i] = w / l.wideDirection
	}
	return crossExact(x, y, z)
}

// misses reports whether the ray misses all triangles in a box. It is a second test for boxes with a growth beyond all
// triangles of a structure (blurs).
//
// A component of a sheared vertex is monotonic in the components of the vertex, roundings included, and the operations here are the ones of
// crossNarrow and crossWide: the bounds of the sheared vertices are exact. The signs of the edge functions are, too. So the
// ray misses a triangle beside the axis, and a triangle without an extent along x or y.
func (l *level) misses(lo, hi *vec) bool {
	if l.wide {
		return l.missesWide(lo, hi)
	}
	w := l.component[2]
	first, last := lo[w]-l.origin[2], hi[w]-l.origin[2]
	for i := range 2 {
		k := l.component[i]
		from, to := float32(l.shear[i]*first), float32(l.shear[i]*last)
		if from > to {
			from, to = to, from
		}
		least, most := (lo[k]-l.origin[i])-to, (hi[k]-l.origin[i])-from
		if least > 0 || most < 0 || least == most {
			return true
		}
	}
	return false
}

// missesWide is misses of a wide level.
func (l *level) missesWide(lo, hi *vec) bool {
	w, o := l.component[2], float64(l.origin[2])
	first, last := float64(lo[w])-o, float64(hi[w])-o
	for i := range 2 {
		k, o := l.component[i], float64(l.origin[i])
		from, to := float64(float64(l.shear[i])*first), float64(float64(l.shear[i])*last)
		if from > to {
			from, to = to, from
		}
		least, most := (float64(lo[k])-o)-to, (float64(hi[k])-o)-from
		if least > 0 || most < 0 || least == most {
			return true
		}
	}
	return false
}

// crossExact intersects a sheared triangle with the axis z.
func crossExact(x, y, z [3]float64) (c crossing, ok bool) {
	var e [3]float64
	side := 0
	for i := range 3 {
		a, b := (i+2)%3, (i+1)%3
		value, sign := edge(x[a], y[a], x[b], y[b])
		if sign == 0 || i > 0 && sign != side {
			return c, false
		}
		e[i], side = value, sign
	}
	sum := e[0] + e[1] + e[2]
	t := (float64(e[0]*z[0]) + float64(e[1]*z[1]) + float64(e[2]*z[2])) / sum
	c = crossing{t: float32(t), u: float32(e[1] / sum), v: float32(e[2] / sum), front: side > 0}
	return c, t-t == 0
}

// edge returns the edge function ax·by−ay·bx and its sign at the origin moved by (ε, ε²). The sign of two opposite
// edges is opposite. It is 0 only if both ends are the same or one is a NaN. The conversions forbid that a compiler fuses
// one product with the difference.
func edge(ax, ay, bx, by float64) (value float64, sign int) {
	p, q := float64(ax*by), float64(ay*bx)
	value = p - q
	rest := value
	if rest == 0 { // the products are not exact if their factors have more than 26 bits
		rest = math.FMA(ax, by, -p) - math.FMA(ay, bx, -q)
	}
	if rest == 0 {
		rest = ay - by
	}
	if rest == 0 {
		rest = bx - ax
	}
	switch {
	case rest > 0:
		return value, 1
	case rest < 0:
		return value, -1
	}
	return value, 0
}
