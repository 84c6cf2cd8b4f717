package texture

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Coordinates are fixed point with 8 bits of fraction where texels are weighted:
// subTexelPrecisionBits is 8.
const fraction = 256

// pair is the two texels along an axis that a linear filter weights.
type pair struct {
	lo, hi     ir.V // their numbers, within the level but where the border is shown
	part       ir.V // i32: the weight of hi in 256ths
	weight     ir.V // f32: of hi; lo has the rest
	loIn, hiIn ir.V // b1: whether they are within; 0 (no value) where they always are
	beside     ir.V // b1: hi is the one behind lo; 0 (no value) where only they tell
	clamped    bool // where not beside, hi is lo, else it is 0
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
	counts       bool // u counts texels
	mode         AddressMode
}

// axis returns the coordinate along axis i of a level.
func (c *code) axis(i int, u, offset, size ir.V) axis {
	a := axis{u: u, offset: offset, size: size, length: c.utof(size), mode: c.s.address[i], counts: c.s.unnormalized}
	if c.v.corner { // half a texel on, they lie as others do; other addressing modes are not allowed
		one := c.num(1)
		if !a.counts {
			one = c.fsub(a.length, one)
		}
		a.u, a.counts, a.mode = c.ffma(u, one, c.num(0.5)), true, ClampToEdge
	}
	if c.seamless() { // the addressing modes are ignored
		a.mode = ClampToEdge
	}
	return a
}

// reduced is a coordinate that lies near the level: part of unit texels. A NaN or
// infinity has become a place near the level too.
type reduced struct {
	part, unit ir.V // f32
	wrapped    bool // the numbers of texels need a whole wrap
	within     bool // from 0 to the level's size
}

// texels is the coordinate in texels.
func (c *code) texels(r reduced) ir.V {
	if r.unit == 0 {
		return r.part
	}
	return c.fmul(r.part, r.unit)
}

// reduce wraps a coordinate as far as floats do it. Where there is an offset it
// counts texels: the sum is reduced, not the coordinate.
func (c *code) reduce(a axis) (r reduced) {
	plain := a.offset == 0 && !a.counts
	scaled := func(u ir.V) ir.V {
		if !a.counts {
			u = c.fmul(u, a.length)
		}
		if a.offset != 0 {
			u = c.fadd(u, c.stof(a.offset))
		}
		return u
	}
	most := a.length
	if plain {
		r.unit, most = a.length, c.num(1)
		scaled = func(u ir.V) ir.V { return u }
	}
	switch a.mode {
	case Repeat:
		r.part = scaled(c.fsub(a.u, c.floor(a.u)))
	case MirroredRepeat:
		half := c.fmul(a.u, c.num(0.5))
		t := c.fmul(c.fsub(half, c.floor(half)), c.num(2))
		if plain {
			t = c.fsub(c.num(1), c.fabs(c.fsub(t, c.num(1))))
		}
		r.part = scaled(t)
	case ClampToBorder:
		r.part, r.unit = a.u, 0
		if !a.counts {
			r.part = c.fmul(a.u, a.length)
		}
		if a.offset != 0 {
			r.part = c.fadd(r.part, c.stof(a.offset))
		}
		r.part = c.clamp(r.part, c.num(-2), c.fadd(a.length, c.num(2)))
		return r
	case MirrorClampToEdge:
		r.part = c.fabs(scaled(a.u))
	default:
		r.part = scaled(a.u)
	}
	switch {
	case a.offset != 0 && (a.mode == Repeat || a.mode == MirroredRepeat):
		r.wrapped = true
	case a.mode == Repeat: // it is no more than 1 anyway
		r.part, r.within = c.Op(ir.FMax, ir.F32, c.num(0), r.part), true
	default:
		r.part, r.within = c.clamp(r.part, c.num(0), most), true
	}
	return r
}

// clamp keeps a number between two others; NaN is the first.
func (c *code) clamp(x, least, most ir.V) ir.V {
	return c.Op(ir.FMin, ir.F32, most, c.Op(ir.FMax, ir.F32, least, x))
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

// fixed point of a coordinate less half a texel: its whole part and its fraction,
// as integers. Within the level the sum with a great number rounds it; no
// coordinate of the largest level has more than 22 bits.
func (c *code) fixedPoint(r reduced) (whole, part ir.V) {
	if !r.within {
		y := c.ffma(c.texels(r), c.num(fraction), c.num(-fraction/2))
		x := c.ftos(c.Op(ir.FRoundEven, ir.F32, y))
		return c.Op(ir.AShr, ir.I32, x, c.I32(8)), c.Op(ir.And, ir.I32, x, c.I32(fraction-1))
	}
	unit := c.num(fraction)
	if r.unit != 0 {
		unit = c.fmul(r.unit, unit)
	}
	x := c.bits(c.ffma(r.part, unit, c.num(magic-fraction/2)))
	bias := math.Float32bits(magic) >> 8
	return c.sub(c.Op(ir.LShr, ir.I32, x, c.I32(8)), c.I32(bias)), c.Op(ir.And, ir.I32, x, c.I32(fraction-1))
}

// linear returns the texels that a linear filter weights.
func (c *code) linear(a axis) (p pair) {
	r := c.reduce(a)
	whole, part := c.fixedPoint(r)
	p.lo, p.hi, p.part = whole, c.add(whole, c.I32(1)), part
	p.weight = c.fmul(c.stof(part), c.num(1.0/fraction))
	last := c.sub(a.size, c.I32(1))
	switch {
	case r.wrapped:
		p.lo, p.hi = c.wrap(a, p.lo), c.wrap(a, p.hi)
	case a.mode == Repeat: // from −1 to last
		p.beside = c.ult(whole, last)
		p.lo = c.Op(ir.UMin, ir.I32, p.lo, last)
		p.hi = c.Select(p.beside, p.hi, c.I32(0))
	case a.mode == ClampToBorder:
		p.loIn, p.hiIn = c.ult(p.lo, a.size), c.ult(p.hi, a.size)
	case c.seamless(): // beyond the edge is another face
	default: // likewise
		p.beside, p.clamped = c.ult(whole, last), true
		p.lo = c.Op(ir.SMax, ir.I32, p.lo, c.I32(0))
		p.hi = c.Op(ir.SMin, ir.I32, p.hi, last)
	}
	if c.s.reduction != Average { // a texel without weight does not count
		none := c.Cmp(ir.FEq, p.weight, c.num(0))
		p.hi, p.beside = c.Select(none, p.lo, p.hi), 0
		if p.hiIn != 0 {
			p.hiIn = c.Op(ir.Or, ir.B1, c.both(none, p.loIn), c.both(c.not(none), p.hiIn))
		}
	}
	return p
}

// nearest returns the texel that the coordinate lies in.
func (c *code) nearest(a axis) (s single) {
	r := c.reduce(a)
	y := c.floor(c.texels(r))
	if r.within { // the product may have been rounded up to the size
		i := c.sub(c.bits(c.fadd(y, c.num(1<<23))), c.I32(math.Float32bits(1<<23)))
		s.at = c.Op(ir.UMin, ir.I32, i, c.sub(a.size, c.I32(1)))
		return s
	}
	s.at = c.ftos(y)
	if r.wrapped {
		s.at = c.wrap(a, s.at)
	} else {
		s.in = c.ult(s.at, a.size)
	}
	return s
}
