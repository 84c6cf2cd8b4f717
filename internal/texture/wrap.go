package texture

import (
	"math"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// fraction is the number of steps between texel centres: filters use coordinates in fixed point with 8
// fraction bits (subTexelPrecisionBits).
const fraction = 256

// pair is the two texels that a linear filter interpolates along an axis.
type pair struct {
	lo, hi     ir.V // indices, within the level unless a border is possible
	weight256  ir.V // i32: weight of hi in 256ths
	weight     ir.V // f32: weight of hi; lo has the rest
	loIn, hiIn ir.V // b1: inside the level; 0 (no value) if always
	adjacent   ir.V // b1: hi = lo+1; 0 (no value) if only a comparison of the indices tells
	clamped    bool // if not adjacent, hi = lo; otherwise hi = 0 (Repeat)
}

// single is the nearest texel along an axis: its index, and whether it is inside (0, no value, if always).
type single struct {
	at, in ir.V
}

// axis is a sample's coordinate along one axis, with the addressing mode.
type axis struct {
	u            ir.V // f32
	offset       ir.V // i32, in texels; 0 (no value) without offsets
	size, length ir.V // the level's extent, as i32 and f32
	counts       bool // u is in texels (unnormalized)
	mode         enum.AddressMode
}

// axis returns the coordinate u along axis i of a level with the given extent.
func (c *code) axis(i int, u, offset, size ir.V) axis {
	a := axis{u: u, offset: offset, size: size, length: c.stof(size), mode: c.s.address[i], counts: c.s.unnormalized}
	if c.v.corner { // moved by half a texel they behave as other images; other modes are invalid
		one := c.num(1)
		if !a.counts {
			one = c.fsub(a.length, one)
		}
		a.u, a.counts, a.mode = c.ffma(u, one, c.num(0.5)), true, enum.AddressModeClampToEdge
	}
	if c.seamless() { // addressing modes are ignored
		a.mode = enum.AddressModeClampToEdge
	}
	return a
}

// reduced is a coordinate after range reduction: part·unit texels, near the level. Infinities and NaN are mapped
// near the level too.
type reduced struct {
	part, unit ir.V // f32
	needsWrap  bool // texel indices need an integer wrap
	inRange    bool // from 0 to the level's extent
}

// texels returns the coordinate in texels.
func (c *code) texels(r reduced) ir.V {
	if r.unit == 0 {
		return r.part
	}
	return c.fmul(r.part, r.unit)
}

// reduce applies the addressing mode to the float coordinate, which bounds its conversion to integers; linear
// and nearest wrap the few indices that are still outside. For a normalized coordinate u without offset:
//
//	Repeat               u − ⌊u⌋
//	MirroredRepeat       1 − |2·frac(u/2) − 1|
//	ClampToEdge          clamp(u, 0, 1)
//	MirrorClampToEdge    clamp(|u|, 0, 1)
//	ClampToBorder        clamp(u·extent, −2, extent+2): two texels outside are border anyway
//
// With an offset the coordinate is converted to texels first, the sum is clamped, and repeated indices are
// wrapped as integers later.
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
	case enum.AddressModeRepeat:
		r.part = scaled(c.fsub(a.u, c.floor(a.u)))
	case enum.AddressModeMirroredRepeat:
		half := c.fmul(a.u, c.num(0.5))
		t := c.fmul(c.fsub(half, c.floor(half)), c.num(2))
		if plain {
			t = c.fsub(c.num(1), c.fabs(c.fsub(t, c.num(1))))
		}
		r.part = scaled(t)
	case enum.AddressModeClampToBorder:
		r.part, r.unit = a.u, 0
		if !a.counts {
			r.part = c.fmul(a.u, a.length)
		}
		if a.offset != 0 {
			r.part = c.fadd(r.part, c.stof(a.offset))
		}
		r.part = c.clamp(r.part, c.num(-2), c.fadd(a.length, c.num(2)))
		return r
	case enum.AddressModeMirrorClampToEdge:
		r.part = c.fabs(scaled(a.u))
	default:
		r.part = scaled(a.u)
	}
	switch {
	case a.offset != 0 && (a.mode == enum.AddressModeRepeat || a.mode == enum.AddressModeMirroredRepeat):
		r.needsWrap = true
	case a.mode == enum.AddressModeRepeat: // at most 1 already
		r.part, r.inRange = c.Op(ir.FMax, ir.F32, c.num(0), r.part), true
	default:
		r.part, r.inRange = c.clamp(r.part, c.num(0), most), true
	}
	return r
}

// clamp clamps x to [least, most]; NaN becomes least.
func (c *code) clamp(x, least, most ir.V) ir.V {
	return c.Op(ir.FMin, ir.F32, most, c.Op(ir.FMax, ir.F32, least, x))
}

// wrap maps a texel index outside the level by Repeat or MirroredRepeat (Vulkan §"Wrapping Operation"). For a
// level of 4 texels and the indices −2 … 5:
//
//	Repeat           2 3 0 1 2 3 0 1
//	MirroredRepeat   1 0 0 1 2 3 3 2
func (c *code) wrap(a axis, i ir.V) ir.V {
	if a.mode == enum.AddressModeRepeat {
		return c.Op(ir.SMod, ir.I32, i, a.size)
	}
	twice := c.add(a.size, a.size)
	m := c.Op(ir.SMod, ir.I32, i, twice)
	return c.Select(c.slt(m, a.size), m, c.sub(c.sub(twice, c.I32(1)), m))
}

// fixedPoint returns a coordinate minus half a texel, rounded to 256ths: whole part and fraction, as integers.
// Within the level it rounds by adding magic: the coordinates of the greatest level have at most 22 bits.
func (c *code) fixedPoint(r reduced) (whole, part ir.V) {
	if !r.inRange {
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

// linear returns the texels of a linear filter along an axis.
func (c *code) linear(a axis) (p pair) {
	r := c.reduce(a)
	whole, part := c.fixedPoint(r)
	p.lo, p.hi, p.weight256 = whole, c.add(whole, c.I32(1)), part
	p.weight = c.fmul(c.stof(part), c.num(1.0/fraction))
	last := c.sub(a.size, c.I32(1))
	// The two indices, from −1 to the extent after reduce, are brought into the level by the cheapest means.
	switch {
	case r.needsWrap:
		p.lo, p.hi = c.wrap(a, p.lo), c.wrap(a, p.hi)
	case a.mode == enum.AddressModeRepeat: // whole is from −1 to last
		p.adjacent = c.ult(whole, last)
		p.lo = c.Op(ir.UMin, ir.I32, p.lo, last)
		p.hi = c.Select(p.adjacent, p.hi, c.I32(0))
	case a.mode == enum.AddressModeClampToBorder:
		p.loIn, p.hiIn = c.ult(p.lo, a.size), c.ult(p.hi, a.size)
	case c.seamless(): // outside the edge is another face
	default: // whole is from −1 to last
		p.adjacent, p.clamped = c.ult(whole, last), true
		p.lo = c.Op(ir.SMax, ir.I32, p.lo, c.I32(0))
		p.hi = c.Op(ir.SMin, ir.I32, p.hi, last)
	}
	if c.s.reduction != enum.ReductionWeightedAverage { // a texel of weight 0 does not count in a minimum or maximum
		none := c.Cmp(ir.FEq, p.weight, c.num(0))
		p.hi, p.adjacent = c.Select(none, p.lo, p.hi), 0
		if p.hiIn != 0 {
			p.hiIn = c.Op(ir.Or, ir.B1, c.both(none, p.loIn), c.both(c.not(none), p.hiIn))
		}
	}
	return p
}

// nearest returns the texel that contains the coordinate.
func (c *code) nearest(a axis) (s single) {
	r := c.reduce(a)
	y := c.floor(c.texels(r))
	if r.inRange { // the product may have rounded up to the extent
		i := c.sub(c.bits(c.fadd(y, c.num(1<<23))), c.I32(math.Float32bits(1<<23)))
		s.at = c.Op(ir.UMin, ir.I32, i, c.sub(a.size, c.I32(1)))
		return s
	}
	s.at = c.ftos(y)
	if r.needsWrap {
		s.at = c.wrap(a, s.at)
	} else {
		s.in = c.ult(s.at, a.size)
	}
	return s
}
