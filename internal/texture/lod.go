package texture

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// MaxLodBias bounds the magnitude of the summed biases (maxSamplerLodBias).
const MaxLodBias = 16

// lod is the level of detail of a sample.
type lod struct {
	lambda  ir.V // λ with its biases, before clamping
	level   ir.V // clamped to the view's levels, in 256ths; 0 (no value) if the view has one level
	mag     ir.V // b1: magnification
	samples ir.V // f32: number of anisotropic probes; 0 (no value) without anisotropy
	alongX  ir.V // b1: the probes are along ∂/∂x, else along ∂/∂y
}

// computeLod computes the level of detail (Vulkan §"Level-of-Detail Operation"):
//
//	λ_base = log₂ of the footprint, the operand Lod, or 0 for unnormalized coordinates
//	λ′     = λ_base + clamp(sampler bias + operand bias, ±MaxLodBias)
//	λ      = clamp(λ′, max(sampler minLod, operand MinLod), sampler maxLod)
//	level  = clamp(λ, the view's minLod, last level), rounded to 256ths
func (c *code) computeLod(a *arguments) (d lod) {
	base := c.num(0)
	switch {
	case c.s.unnormalized:
	case c.t.Has(ir.TextureLod):
		base = a.lod
	case c.t.Has(ir.TextureGrad):
		base = c.footprint(a, &d)
	}
	bias := c.samplerFloat(ir.SamplerBias)
	if a.bias != 0 {
		bias = c.fadd(bias, a.bias)
	}
	bias = c.clamp(bias, c.num(-MaxLodBias), c.num(MaxLodBias))
	d.lambda = c.fadd(base, bias)
	least := c.samplerFloat(ir.SamplerMinLod)
	if a.minLod != 0 {
		least = c.nmax(least, a.minLod)
	}
	lambda := c.clamp(d.lambda, least, c.samplerFloat(ir.SamplerMaxLod))
	d.mag = c.fle(lambda, c.num(0))
	if c.v.levels {
		last := c.utof(c.sub(c.shapeWord(ir.ShapeLevelsN), c.I32(1)))
		floor := c.OpAux(ir.Ld, ir.F32, 4*ir.ShapeMinLod, c.shape, c.I32(0)) // not negative
		// level = round(256·λ), by adding magic
		x := c.ffma(c.clamp(lambda, floor, last), c.num(fraction), c.num(magic))
		d.level = c.sub(c.bits(x), c.I32(math.Float32bits(magic)))
	}
	return d
}

// footprint returns log₂ of the pixel footprint's length in texels of level 0: of its longer axis, or divided
// by the ratio of anisotropy (Vulkan §"Scale Factor Operation"). A NaN length counts as 0.
func (c *code) footprint(a *arguments, d *lod) ir.V {
	x, y := c.length2(a.dx), c.length2(a.dy)
	most := c.Op(ir.FMax, ir.F32, c.Op(ir.FMax, ir.F32, c.num(0), x), y)
	if c.s.anisotropic {
		least := c.nmin(x, y)
		d.alongX = c.fle(y, x)
		ratio := c.Op(ir.FSqrt, ir.F32, c.fdiv(most, least)) // 0/0 is NaN, and clamps to 1
		// N = ⌈η⌉ probes along the major axis, η = min(major/minor, the sampler's limit)
		ratio = c.clamp(ratio, c.num(1), c.samplerFloat(ir.SamplerAniso))
		d.samples = c.Op(ir.FCeil, ir.F32, ratio)
		most = c.fdiv(most, c.fmul(ratio, ratio))
	}
	return c.halfLog2(most)
}

// halfLog2 returns ½·log₂(x) for x ≥ 0, with an error of at most 2⁻¹⁶: small beside the 8 fraction bits of a
// level. It is exact for powers of two from 2⁻¹²⁶ on; 0 yields −63.5, infinity 64. The bits of a float, as an
// integer, approximate its logarithm linearly between powers of two (Mitchell's approximation); the
// correction is a polynomial in the significand m that vanishes at 1 and 2.
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

// length2 returns the squared length of a derivative, in texels of level 0.
func (c *code) length2(d []ir.V) ir.V {
	sum := ir.V(0)
	for i, v := range d[:c.v.axes()] {
		length := c.stof(c.shapeWord(ir.ShapeWidth + i))
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

// nearestLevel returns the nearest level; ties go to the finer one.
func (c *code) nearestLevel(d *lod) ir.V {
	return c.Op(ir.LShr, ir.I32, c.add(d.level, c.I32(fraction/2-1)), c.I32(8))
}

// queryLodBody is the body of QueryLod: the level that a sample would read, and λ before clamping (Vulkan
// §"Image Query Operations").
func (c *code) queryLodBody(a *arguments) []ir.V {
	if c.v.dim == ir.DimCube {
		c.selectFace(a)
	}
	d := c.computeLod(a)
	level := c.num(0)
	switch {
	case !c.v.levels:
	case c.s.mipLinear:
		level = c.fmul(c.stof(d.level), c.num(1.0/fraction))
	default:
		level = c.stof(c.nearestLevel(&d))
	}
	return []ir.V{level, c.canon(d.lambda)}
}
