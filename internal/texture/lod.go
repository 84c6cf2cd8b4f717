package texture

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// maxLodBias bounds the sum of the biases (maxSamplerLodBias).
const maxLodBias = 16

// detail is the level of detail of a sample.
type detail struct {
	lambda ir.V // as computed, with its biases
	level  ir.V // clamped to the view's levels, in 256ths; 0 (no value) where the view has one
	mag    ir.V // b1: the image is magnified
	steps  ir.V // f32: how many samples anisotropy takes; 0 (no value) where it is off
	alongX ir.V // b1: they lie along dx
}

// detail computes the level of detail (Vulkan §"Level-of-Detail Operation").
func (c *code) detail(a *arguments) (d detail) {
	base := c.num(0)
	switch {
	case c.s.unnormalized:
	case c.t.Has(ir.TextureLod):
		base = a.lod
	case c.t.Has(ir.TextureGrad):
		base = c.footprint(a, &d)
	}
	bias := c.setting(ir.SamplerBias)
	if a.bias != 0 {
		bias = c.fadd(bias, a.bias)
	}
	bias = c.clamp(bias, c.num(-maxLodBias), c.num(maxLodBias))
	d.lambda = c.fadd(base, bias)
	least := c.setting(ir.SamplerMinLod)
	if a.minLod != 0 {
		least = c.nmax(least, a.minLod)
	}
	lambda := c.clamp(d.lambda, least, c.setting(ir.SamplerMaxLod))
	d.mag = c.fle(lambda, c.num(0))
	if c.v.levels {
		last := c.utof(c.sub(c.word(ir.ShapeLevelsN), c.I32(1)))
		floor := c.OpAux(ir.Ld, ir.F32, 4*ir.ShapeMinLod, c.shape, c.I32(0)) // it is never below 0
		x := c.ffma(c.clamp(lambda, floor, last), c.num(fraction), c.num(magic))
		d.level = c.sub(c.bits(x), c.I32(math.Float32bits(magic)))
	}
	return d
}

// footprint returns the logarithm of how many texels of level 0 the derivatives
// span, along the longer of them, or of anisotropy's shorter one (Vulkan §"Scale
// Factor Operation"). A length that is a NaN does not count.
func (c *code) footprint(a *arguments, d *detail) ir.V {
	x, y := c.length2(a.dx), c.length2(a.dy)
	most := c.Op(ir.FMax, ir.F32, c.Op(ir.FMax, ir.F32, c.num(0), x), y)
	if c.s.anisotropic {
		least := c.nmin(x, y)
		d.alongX = c.fle(y, x)
		ratio := c.Op(ir.FSqrt, ir.F32, c.fdiv(most, least)) // 0/0 is NaN, and becomes 1
		ratio = c.clamp(ratio, c.num(1), c.setting(ir.SamplerAniso))
		d.steps = c.Op(ir.FCeil, ir.F32, ratio)
		most = c.fdiv(most, c.fmul(ratio, ratio))
	}
	return c.halfLog2(most)
}

// halfLog2 is half the logarithm to the base 2 of a number that is 0 or more, to 2⁻¹⁶,
// which is little beside the levels' fraction of 8 bits, and exact of powers of two from
// 2⁻¹²⁶ on; of 0 it is -63.5, and of infinity 64. A float's bits are the logarithm of the
// power of two below it and, as a straight line, what lies between two powers; the rest
// is a polynomial of the significand m, which is 0 where m is 1 or 2.
func (c *code) halfLog2(x ir.V) ir.V {
	one, i := math.Float32bits(1), c.bits(x)
	line := c.fmul(c.stof(c.sub(i, c.I32(one))), c.num(0x1p-24))
	m := c.float(c.Op(ir.Or, ir.I32, c.Op(ir.And, ir.I32, i, c.I32(1<<23-1)), c.I32(one)))
	rest := c.num(-0.022574513)
	for _, k := range []float64{0.14193685, -0.34973985, 0.45133603} {
		rest = c.ffma(rest, m, c.num(k))
	}
	between := c.ffma(m, c.fsub(c.num(3), m), c.num(-2)) // (m − 1)·(2 − m)
	return c.ffma(between, rest, line)
}

// length2 is the square of a derivative's length in texels of level 0.
func (c *code) length2(d []ir.V) ir.V {
	sum := ir.V(0)
	for i, v := range d[:c.v.axes()] {
		length := c.utof(c.word(ir.ShapeWidth + i))
		if c.v.corner {
			length = c.fsub(length, c.num(1))
		}
		v = c.fmul(v, length)
		if sum == 0 {
			sum = c.fmul(v, v)
		} else {
			sum = c.ffma(v, v, sum)
		}
	}
	return sum
}

// nearestLevel returns the level that is nearest: of two the finer one.
func (c *code) nearestLevel(d *detail) ir.V {
	return c.Op(ir.LShr, ir.I32, c.add(d.level, c.I32(fraction/2-1)), c.I32(8))
}

// query is the body of QueryLod: the level that would be read, and the level of
// detail as computed (Vulkan §"Image Query Operations").
func (c *code) query(a *arguments) []ir.V {
	if c.v.dim == ir.DimCube {
		c.faced(a)
	}
	d := c.detail(a)
	level := c.num(0)
	switch {
	case !c.v.levels:
	case c.s.mipLinear:
		level = c.fmul(c.utof(d.level), c.num(1.0/fraction))
	default:
		level = c.utof(c.nearestLevel(&d))
	}
	return []ir.V{level, c.canon(d.lambda)}
}
