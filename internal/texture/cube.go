package texture

import "github.com/chiaro-gpu/chiaro/internal/ir"

// selectFace replaces the direction and its derivatives by coordinates on the face that the direction meets,
// from 0 to 1, and returns the face's number (Vulkan §"Cube Map Face Selection"). If axes tie for the major
// axis, z precedes y, and y precedes x. Faces are numbered +x, −x, +y, −y, +z, −z:
//
//	     ┌────┐
//	     │ +y │
//	┌────┼────┼────┬────┐
//	│ −x │ +z │ +x │ −z │      on each face, s to the right, t down
//	└────┼────┼────┴────┘
//	     │ −y │
//	     └────┘
//
// The derivatives follow by the quotient rule: with s = v/m, ∂s = (m·∂v − v·∂m)/m².
func (c *code) selectFace(a *arguments) (face ir.V) {
	x, y, z := a.coord[0], a.coord[1], a.coord[2]
	ax, ay, az := c.fabs(x), c.fabs(y), c.fabs(z)
	isZ := c.both(c.fle(ax, az), c.fle(ay, az))
	isY := c.both(c.not(isZ), c.fle(ax, ay))
	pick := func(ofX, ofY, ofZ ir.V) ir.V { return c.Select(isZ, ofZ, c.Select(isY, ofY, ofX)) }
	major := pick(x, y, z)
	negative := c.flt(major, c.num(0))
	flip := func(on, v ir.V) ir.V { return c.Select(on, c.fneg(v), v) }
	// For a positive major axis x, y, z: s is −z, x, x and t is −y, z, −y. For a negative x or z, s changes
	// sign; for a negative y, t does.
	project := func(v []ir.V) (s, t, m ir.V) {
		s = flip(c.both(negative, c.not(isY)), pick(c.fneg(v[2]), v[0], v[0]))
		t = flip(c.both(negative, isY), pick(c.fneg(v[1]), v[2], c.fneg(v[1])))
		return s, t, flip(negative, pick(v[0], v[1], v[2]))
	}
	s, t, m := project(a.coord)
	half := func(v ir.V) ir.V { return c.ffma(c.fdiv(v, m), c.num(0.5), c.num(0.5)) }
	if a.dx != nil {
		square := c.fmul(m, m)
		derive := func(d []ir.V) []ir.V {
			ds, dt, dm := project(d)
			one := func(v, dv ir.V) ir.V {
				return c.fmul(c.fdiv(c.fsub(c.fmul(m, dv), c.fmul(v, dm)), square), c.num(0.5))
			}
			return []ir.V{one(s, ds), one(t, dt)}
		}
		a.dx, a.dy = derive(a.dx), derive(a.dy)
	}
	a.coord = []ir.V{half(s), half(t)}
	face = pick(c.I32(0), c.I32(2), c.I32(4))
	return c.add(face, c.Op(ir.ZExt, ir.I32, negative))
}

// neighbourTexel maps texel (i, j) of a face, up to two texels outside it, to the face and texel that are
// there. corner is true if the texel is outside along both axes: no texel is there.
func (c *code) neighbourTexel(face, i, j, size ir.V) (f, x, y, corner ir.V) {
	last := c.sub(size, c.I32(1))
	outX := c.not(c.ult(i, size))
	outY := c.not(c.ult(j, size))
	corner = c.both(outX, outY)
	out := c.either(outX, outY)
	found := c.ifElse(out, []ir.Type{ir.I32, ir.I32, ir.I32}, func() []ir.V {
		f, x, y := c.acrossEdge(face, i, j, size, last, outX)
		return []ir.V{f, x, y}
	}, func() []ir.V { return []ir.V{face, i, j} })
	return found[0], found[1], found[2], corner
}

// acrossEdge maps a texel that is one or two texels outside one edge to the neighbouring face. It computes
// with a cube twice the size in texels, so that texel centres are integers: a texel outside the edge is in
// one of the outer rows of the next face.
func (c *code) acrossEdge(face, i, j, size, last, outX ir.V) (f, x, y ir.V) {
	twice := func(n ir.V) ir.V { return c.sub(c.add(n, n), last) }
	neg := func(v ir.V) ir.V { return c.sub(c.I32(0), v) }
	s, t := twice(i), twice(j)
	// The coordinate that left the face becomes the major axis; the old major axis ends at the
	// outermost row.
	leaving := c.Select(outX, s, t)
	s = c.Select(outX, c.Select(c.slt(s, c.I32(0)), neg(size), size), s)
	t = c.Select(outX, t, c.Select(c.slt(t, c.I32(0)), neg(size), size))
	axis := c.Op(ir.LShr, ir.I32, face, c.I32(1))
	negative := c.eq(c.Op(ir.And, ir.I32, face, c.I32(1)), c.I32(1))
	isX, isY := c.eq(axis, c.I32(0)), c.eq(axis, c.I32(1))
	// the second texel outside is in the second row; a face of one texel has none
	out := c.Op(ir.SMax, ir.I32, c.Op(ir.SAbs, ir.I32, leaving), c.add(size, c.I32(1)))
	row := c.Op(ir.SMax, ir.I32, c.sub(c.add(size, size), out), neg(last))
	m := c.Select(negative, neg(row), row)
	flip := func(on, v ir.V) ir.V { return c.Select(on, neg(v), v) }
	s = flip(c.both(negative, c.not(isY)), s)
	t = flip(c.both(negative, isY), t)
	px := c.Select(isX, m, s)
	py := c.Select(isY, m, neg(t))
	pz := c.Select(isX, neg(s), c.Select(isY, t, m))
	// back to a face: its major axis is as long as the face
	isX = c.eq(c.Op(ir.SAbs, ir.I32, px), size)
	isY = c.eq(c.Op(ir.SAbs, ir.I32, py), size)
	pick := func(ofX, ofY, ofZ ir.V) ir.V { return c.Select(isX, ofX, c.Select(isY, ofY, ofZ)) }
	negative = c.slt(pick(px, py, pz), c.I32(0))
	s = flip(c.both(negative, c.not(isY)), pick(neg(pz), px, px))
	t = flip(c.both(negative, isY), pick(neg(py), pz, neg(py)))
	half := func(v ir.V) ir.V { return c.Op(ir.AShr, ir.I32, c.add(v, last), c.I32(1)) }
	f = c.add(pick(c.I32(0), c.I32(2), c.I32(4)), c.Op(ir.ZExt, ir.I32, negative))
	return f, half(s), half(t)
}
