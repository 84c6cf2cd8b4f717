package raster

import (
	"math"
	"math/big"
)

// Exact clipping
//
// The corners that clipping makes are computed in float64, with a bound of their error (corner.error): a floating-point filter (Fortune
// and Van Wyk 1993, "Efficient Exact Arithmetic for Computational Geometry"). If a vertex is far from the view, cancellation loses the
// bits of a corner's position, and the filter fails. Such polygons are clipped in exact numbers. A point of
// the triangle is given by three weights, up to a positive factor; planes and sides are linear functions of the weights, and
// a corner is the cross product of two of them.

// cornerTolerance is the greatest error of a corner in pixels. Most made corners are at the guard band, 16384 pixels or more from the view, so
// that a side through one moves by a part of this in the view, less than a sub-pixel. Triangles that cross w = 0 have errors of about 0.001.
const cornerTolerance = 1.0 / (1 << 7)

// exactBits is a precision in which sums and products are exact: terms are products of up to six float32, with exponents between
// ±6·150.
const exactBits = 4096

// exact is a vector of exact numbers: weights of a triangle's vertices, or the values of a linear function at them.
type exact [3]*big.Float

// number returns x as an exact number. Infinities are the greatest numbers, and NaN is 0: a hostile viewport can have both.
func number(x float64) *big.Float {
	if x != x {
		x = 0
	}
	return new(big.Float).SetPrec(exactBits).SetFloat64(min(max(x, -math.MaxFloat32), math.MaxFloat32))
}

func product(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(exactBits).Mul(x, y) }

// dot returns a · b.
func (a exact) dot(b exact) *big.Float {
	sum := product(a[0], b[0])
	sum.Add(sum, product(a[1], b[1]))
	return sum.Add(sum, product(a[2], b[2]))
}

// cross returns a × b.
func (a exact) cross(b exact) exact {
	m := func(i, j int) *big.Float {
		x := product(a[i], b[j])
		return x.Sub(x, product(a[j], b[i]))
	}
	return exact{m(1, 2), m(2, 0), m(0, 1)}
}

// sum returns the sum of the elements.
func (a exact) sum() *big.Float {
	s := new(big.Float).SetPrec(exactBits).Add(a[0], a[1])
	return s.Add(s, a[2])
}

// over returns x/y, rounded.
func over(x, y *big.Float) float64 {
	q, _ := new(big.Float).SetPrec(exactBits).Quo(x, y).Float64()
	return q
}

// exactCorner is a corner of a polygon that is clipped exactly.
type exactCorner struct {
	weight   exact // not negative
	line     int   // number of the line from this corner to the next: a side of the triangle, or 3 + a plane's index
	original int   // as in corner
}

// exactPolygon is clipping in progress.
type exactPolygon struct {
	corners, other []exactCorner
	lines          []exact // functions that are 0 on a line: the triangle's sides, then the planes
}

// clip cuts the polygon at the last line, as polygon.clip does. A corner on the plane is not made again.
func (g *exactPolygon) clip() {
	line := len(g.lines) - 1
	g.other = g.other[:0]
	for i, a := range g.corners {
		b := &g.corners[(i+1)%len(g.corners)]
		from, to := g.lines[line].dot(a.weight).Sign(), g.lines[line].dot(b.weight).Sign()
		made := exactCorner{line: line}
		switch {
		case from == 0 && to < 0:
			a.line = line
		case from < 0 && to > 0:
			made.line = a.line
		}
		if from >= 0 {
			g.other = append(g.other, a)
		}
		if from*to < 0 {
			made.weight = g.lines[line].cross(g.lines[a.line])
			if made.weight.sum().Sign() < 0 {
				for k := range made.weight {
					made.weight[k].Neg(made.weight[k])
				}
			}
			g.other = append(g.other, made)
		}
	}
	g.corners, g.other = g.other, g.corners
}

// exactCorners clips a triangle exactly and appends the corners to list.
func exactCorners(list []corner, v *[3]corner, planes []halfSpace) []corner {
	g := exactPolygon{}
	for k := range v {
		unit := exact{number(0), number(0), number(0)}
		unit[k] = number(1)
		g.corners = append(g.corners, exactCorner{unit, k, k + 1})
	}
	for k := range v { // the side from vertex k to the next one lacks the vertex before k
		g.lines = append(g.lines, g.corners[(k+2)%3].weight)
	}
	for i := range planes {
		var f exact
		for k := range v {
			f[k] = planes[i].exactDistance(&v[k])
		}
		g.lines = append(g.lines, f)
		if g.clip(); len(g.corners) < 3 {
			return list
		}
	}
	for _, c := range g.corners {
		e := corner{original: c.original, side: c.line}
		if c.original > 0 {
			e = v[c.original-1]
			e.side = c.line
		}
		if c.line > 2 {
			e.side = planes[c.line-3].side()
		}
		if c.original == 0 {
			sum := c.weight.sum()
			for i := range e.at {
				e.at[i] = over(c.weight.dot(exact{number(v[0].at[i]), number(v[1].at[i]), number(v[2].at[i])}), sum)
			}
			e.weight = [2]float64{over(c.weight[1], sum), over(c.weight[2], sum)}
			if e.at[3] == 0 {
				continue // no image in the framebuffer
			}
		}
		list = append(list, e)
	}
	return list
}

// exactDistance is distance in exact numbers. Its threshold is 0 for all planes: a point at w = 0 is outside of the guard band, but for
// one with x and y of 0.
func (h *halfSpace) exactDistance(c *corner) *big.Float {
	if h.clipDistance > 0 {
		return number(c.distance[h.clipDistance-1])
	}
	d := number(0)
	for i, x := range h.coefficients {
		d.Add(d, product(number(x), number(c.at[i])))
	}
	return d
}

// clipExactly replaces the polygon by the exactly clipped triangle. Corners of sides that float64 clips well keep these
// positions: a neighbour that shares such a side may have no need of exact numbers.
func (g *polygon) clipExactly(v *[3]corner, planes []halfSpace) {
	list := exactCorners(g.other[:0], v, planes)
	var ends [3][2]corner
	var well [3]bool
	for k := range ends {
		ends[k] = [2]corner{v[k], v[(k+1)%3]}
		well[k] = g.clipEnds(&ends[k], planes) && g.precise(ends[k][:])
	}
	for i := range list {
		c, last := &list[i], &list[(i+len(list)-1)%len(list)]
		switch side := c.side; {
		case c.original > 0:
		case side < madeSide && well[side]:
			*c = ends[side][0]
			c.side = side
		case last.side < madeSide && well[last.side]:
			*c = ends[last.side][1]
			c.side = side
		}
	}
	g.corners, g.other = list, g.corners
}

// clipEnds clips a line from c[0] to c[1] at each plane; false if nothing remains.
func (g *polygon) clipEnds(c *[2]corner, planes []halfSpace) bool {
	for i := range planes {
		da, db := planes[i].distance(&c[0]), planes[i].distance(&c[1])
		g.doubt(&c[0], da)
		g.doubt(&c[1], db)
		switch {
		case da < 0 && db < 0:
			return false
		case db < 0:
			c[1] = g.intersect(&c[0], &c[1], da, db)
		case da < 0:
			c[0] = g.intersect(&c[1], &c[0], db, da)
		}
	}
	return true
}

// clipEndsExactly is clipEnds in exact numbers. It returns false if nothing remains.
func clipEndsExactly(c *[2]corner, planes []halfSpace) bool {
	weights := [2][2]*big.Float{{number(1), number(0)}, {number(0), number(1)}}
	made := [2]bool{}
	for i := range planes {
		d0, d1 := planes[i].exactDistance(&c[0]), planes[i].exactDistance(&c[1])
		var out [2]bool
		for k, w := range weights {
			x := product(d0, w[0])
			out[k] = x.Add(x, product(d1, w[1])).Sign() < 0
		}
		if out[0] && out[1] {
			return false
		}
		for k := range out {
			if out[k] {
				made[k], weights[k] = true, [2]*big.Float{d1.Abs(d1), d0.Abs(d0)}
			}
		}
	}
	from := *c
	for k, w := range weights {
		if !made[k] {
			continue
		}
		e := corner{side: from[k].side}
		sum := new(big.Float).SetPrec(exactBits).Add(w[0], w[1])
		for i := range e.at {
			x := product(w[0], number(from[0].at[i]))
			e.at[i] = over(x.Add(x, product(w[1], number(from[1].at[i]))), sum)
		}
		if e.weight[0] = over(w[1], sum); e.at[3] == 0 {
			return false // no image in the framebuffer
		}
		c[k] = e
	}
	return true
}

// exactPlanes is homogeneousPlanes in exact numbers, which are rounded at last.
func (p *Primitive) exactPlanes(v *[3]clipSpace, t *transform) (weight [3]plane, z, w plane, ok bool) {
	var h [3]exact
	for i, c := range v {
		axis := func(x float32, k int, at float32) *big.Float {
			n := product(number(float64(x)), number(float64(t.scale[k])))
			return n.Add(n, product(number(float64(c.w)), number(float64(t.offset[k])-float64(at))))
		}
		h[i] = exact{axis(c.x, 0, p.X), axis(c.y, 1, p.Y), number(float64(c.w))}
	}
	q := [3]exact{h[1].cross(h[2]), h[2].cross(h[0]), h[0].cross(h[1])}
	det := h[0].dot(q[0])
	if det.Sign() == 0 {
		return weight, z, w, false
	}
	divided := func(f exact) plane { return plane{over(f[2], det), over(f[0], det), over(f[1], det)} }
	var sums [2]exact // of the functions z/w and 1/w
	for k := range 3 {
		column := exact{q[0][k], q[1][k], q[2][k]}
		sums[0][k] = column.dot(exact{number(float64(v[0].z)), number(float64(v[1].z)), number(float64(v[2].z))})
		sums[1][k] = column.sum()
	}
	for i := range q {
		weight[i] = divided(q[i])
	}
	return weight, divided(sums[0]), divided(sums[1]), true
}
