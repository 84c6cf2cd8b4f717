package texture

import "github.com/chiaro-gpu/chiaro/internal/ir"

// Coordinates are fixed point with 8 bits of fraction where texels are weighted:
// subTexelPrecisionBits is 8.
const fraction = 256

// pair is the two texels along an axis that a linear filter weights.
type pair struct {
	lo, hi     ir.V // their numbers, within the level but where the border is shown
	weight     ir.V // f32: of hi; lo has the rest
	loIn, hiIn ir.V // b1: whether they are within; 0 (no value) where they always are
}

// single is the texel along an axis that is nearest.
type single struct {
	at, in ir.V
}

// axis is a coordinate along one axis, and what wraps it.
type axis struct {
	u            ir.V // f32
	offset       ir.V // i32; 0 (no value) where there is none
	size, length ir.V // texels, as i32 and f32
	mode         AddressMode
}

// axis returns the coordinate along axis i of a level.
func (c *code) axis(i int, u, offset, size ir.V) axis {
	a := axis{u: u, offset: offset, size: size, length: c.utof(size), mode: c.s.address[i]}
	if c.v.dim == ir.DimCube { // filtered across edges: the addressing modes are ignored
		a.mode = ClampToEdge
	}
	return a
}

// reduced returns the coordinate in texels, reduced so that it is not far from the
// level: with wrapped set the numbers of texels need a whole wrap after it. Any
// NaN or infinity becomes a place near the level.
func (c *code) reduced(a axis) (y ir.V, wrapped bool) {
	u := a.u
	scaled := func(u ir.V) ir.V {
		if !c.s.unnormalized {
			u = c.fmul(u, a.length)
		}
		if a.offset != 0 {
			u = c.fadd(u, c.stof(a.offset))
		}
		return u
	}
	switch a.mode {
	case Repeat:
		return scaled(c.fsub(u, c.floor(u))), a.offset != 0
	case MirroredRepeat:
		half := c.fmul(u, c.num(0.5))
		t := c.fmul(c.fsub(half, c.floor(half)), c.num(2))
		if a.offset != 0 {
			return scaled(t), true
		}
		return scaled(c.fsub(c.num(1), c.fabs(c.fsub(t, c.num(1))))), false
	case ClampToBorder:
		return c.nmin(c.nmax(scaled(u), c.num(-2)), c.fadd(a.length, c.num(2))), false
	case MirrorClampToEdge:
		return c.nmin(c.nmax(c.fabs(scaled(u)), c.num(0)), a.length), false
	}
	return c.nmin(c.nmax(scaled(u), c.num(0)), a.length), false
}

// wrap returns the texel that an integer names where its coordinate was not
// reduced to the level (Vulkan §"Wrapping Operation").
func (c *code) wrap(a axis, i ir.V) ir.V {
	if a.mode == Repeat {
		return c.Op(ir.SMod, ir.I32, i, a.size)
	}
	twice := c.add(a.size, a.size)
	m := c.Op(ir.SMod, ir.I32, i, twice)
	return c.Select(c.slt(m, a.size), m, c.sub(c.sub(twice, c.I32(1)), m))
}

// linear returns the texels that a linear filter weights.
func (c *code) linear(a axis) (p pair) {
	y, wrapped := c.reduced(a)
	x := c.ftos(c.Op(ir.FRoundEven, ir.F32, c.ffma(y, c.num(fraction), c.num(-fraction/2))))
	p.lo = c.Op(ir.AShr, ir.I32, x, c.I32(8))
	p.hi = c.add(p.lo, c.I32(1))
	p.weight = c.fmul(c.stof(c.Op(ir.And, ir.I32, x, c.I32(fraction-1))), c.num(1.0/fraction))
	last := c.sub(a.size, c.I32(1))
	switch {
	case wrapped:
		p.lo, p.hi = c.wrap(a, p.lo), c.wrap(a, p.hi)
	case a.mode == Repeat:
		p.lo = c.Select(c.slt(p.lo, c.I32(0)), last, p.lo)
		p.hi = c.Select(c.slt(last, p.hi), c.I32(0), p.hi)
	case a.mode == ClampToBorder:
		p.loIn, p.hiIn = c.ult(p.lo, a.size), c.ult(p.hi, a.size)
	case c.v.dim == ir.DimCube && !c.s.nonSeamless: // beyond the edge is another face
	default:
		p.lo = c.Op(ir.SMax, ir.I32, p.lo, c.I32(0))
		p.hi = c.Op(ir.SMin, ir.I32, p.hi, last)
	}
	if c.s.reduction != Average { // a texel without weight does not count
		none := c.Cmp(ir.FEq, p.weight, c.num(0))
		p.hi = c.Select(none, p.lo, p.hi)
		if p.hiIn != 0 {
			p.hiIn = c.Op(ir.Or, ir.B1, c.both(none, p.loIn), c.both(c.not(none), p.hiIn))
		}
	}
	return p
}

// nearest returns the texel that the coordinate lies in.
func (c *code) nearest(a axis) (s single) {
	y, wrapped := c.reduced(a)
	s.at = c.ftos(c.floor(y))
	switch {
	case wrapped:
		s.at = c.wrap(a, s.at)
	case a.mode == ClampToBorder:
		s.in = c.ult(s.at, a.size)
	default: // the product may have been rounded up to the size
		s.at = c.Op(ir.SMin, ir.I32, s.at, c.sub(a.size, c.I32(1)))
	}
	return s
}
