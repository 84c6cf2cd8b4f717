package texture

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// code builds the body of one texture function for one view and one sampler. A zero ir.V is "no value":
// an operand that is absent, or a fact that needs no run-time test.
type code struct {
	*ir.Builder
	tables        *tables     // the program's constant data
	t             *ir.Texture // the function's declaration
	v             viewKey     // of the view that the body is for
	s             samplerKey  // of its sampler; zero for functions without one
	looks         bool        // the body looks for texels without memory: see missing
	roundsProduct bool        // values are scaled to fixed point with a product rounded to f32: see Texels

	memory, shape, state ir.V // handles of the view's memory and shape, and of the sampler's state
}

// num is an f32 constant.
func (c *code) num(x float64) ir.V { return c.Const(ir.F32, uint64(math.Float32bits(float32(x)))) }

// fadd to fle emit operations on f32. Each rounds by itself: IR contracts nothing.
func (c *code) fadd(x, y ir.V) ir.V    { return c.Op(ir.FAdd, ir.F32, x, y) }
func (c *code) fsub(x, y ir.V) ir.V    { return c.Op(ir.FSub, ir.F32, x, y) }
func (c *code) fmul(x, y ir.V) ir.V    { return c.Op(ir.FMul, ir.F32, x, y) }
func (c *code) fdiv(x, y ir.V) ir.V    { return c.Op(ir.FDiv, ir.F32, x, y) }
func (c *code) ffma(x, y, z ir.V) ir.V { return c.Op(ir.FFma, ir.F32, x, y, z) }
func (c *code) floor(x ir.V) ir.V      { return c.Op(ir.FFloor, ir.F32, x) }
func (c *code) fabs(x ir.V) ir.V       { return c.Op(ir.FAbs, ir.F32, x) }
func (c *code) fneg(x ir.V) ir.V       { return c.Op(ir.FNeg, ir.F32, x) }
func (c *code) flt(x, y ir.V) ir.V     { return c.Cmp(ir.FLt, x, y) }
func (c *code) fle(x, y ir.V) ir.V     { return c.Cmp(ir.FLe, x, y) }

// nmin and nmax return the other operand if one is NaN.
func (c *code) nmin(x, y ir.V) ir.V { return c.Op(ir.NMin, ir.F32, x, y) }
func (c *code) nmax(x, y ir.V) ir.V { return c.Op(ir.NMax, ir.F32, x, y) }

// add to eq emit operations on i32.
func (c *code) add(x, y ir.V) ir.V { return c.Op(ir.Add, ir.I32, x, y) }
func (c *code) sub(x, y ir.V) ir.V { return c.Op(ir.Sub, ir.I32, x, y) }
func (c *code) mul(x, y ir.V) ir.V { return c.Op(ir.Mul, ir.I32, x, y) }
func (c *code) ult(x, y ir.V) ir.V { return c.Cmp(ir.ULt, x, y) }
func (c *code) slt(x, y ir.V) ir.V { return c.Cmp(ir.SLt, x, y) }
func (c *code) eq(x, y ir.V) ir.V  { return c.Cmp(ir.Eq, x, y) }

// both and either are the conjunction and disjunction of b1 values.
func (c *code) both(x, y ir.V) ir.V   { return c.Op(ir.And, ir.B1, x, y) }
func (c *code) either(x, y ir.V) ir.V { return c.Op(ir.Or, ir.B1, x, y) }
func (c *code) not(x ir.V) ir.V       { return c.Op(ir.Not, ir.B1, x) }

// ftos, stof and utof convert between f32 and i32, signed or unsigned. Sizes of images are converted as signed numbers, which is one
// instruction on every processor: they are less than 2³¹.
func (c *code) ftos(x ir.V) ir.V { return c.Op(ir.FToS, ir.I32, x) }
func (c *code) stof(x ir.V) ir.V { return c.Op(ir.SToF, ir.F32, x) }
func (c *code) utof(x ir.V) ir.V { return c.Op(ir.UToF, ir.F32, x) }

// bits and float reinterpret 32 bits.
func (c *code) bits(x ir.V) ir.V  { return c.Op(ir.Bitcast, ir.I32, x) }
func (c *code) float(x ir.V) ir.V { return c.Op(ir.Bitcast, ir.F32, x) }

// shapeWord loads word n of the view's shape.
func (c *code) shapeWord(n int) ir.V { return c.OpAux(ir.Ld, ir.I32, uint64(4*n), c.shape, c.I32(0)) }

// samplerFloat loads word n of the sampler's state, a float.
func (c *code) samplerFloat(n int) ir.V {
	return c.OpAux(ir.Ld, ir.F32, uint64(4*n), c.state, c.I32(0))
}

// ifElse emits an if with results: the values of the arm that runs.
func (c *code) ifElse(cond ir.V, types []ir.Type, yes, no func() []ir.V) []ir.V {
	merge := c.Block(types...) // its parameters are the results
	c.If(cond)
	c.Br(merge, yes()...)
	c.Else()
	c.Br(merge, no()...)
	c.End()
	c.End()
	return append([]ir.V(nil), c.Func.Params(merge)...)
}

// arguments are the arguments of a texture function, by meaning.
type arguments struct {
	image, sampler  ir.V
	coord           []ir.V // one per axis
	layer           ir.V   // of arrays, else 0 (no value)
	dref, bias, lod ir.V   // f32
	dx, dy          []ir.V // derivatives of coord, one per axis
	offset, offsets []ir.V // i32, in texels; offsets has x and y for each of a gather's texels
	sampleI, minLod ir.V
	data            []ir.V     // components of a write; further operands of image processing
	reference       otherImage // the second image of image processing
}

// arguments splits the function's arguments in the order of ir.Texture.Signature.
func (c *code) arguments() (a arguments) {
	rest := c.Func.Args
	take := func(n int) []ir.V {
		list := rest[:n:n]
		rest = rest[n:]
		return list
	}
	one := func(o ir.TextureOperands) ir.V {
		if c.t.Has(o) {
			return take(1)[0]
		}
		return 0
	}
	n := c.t.Dim.Axes()
	if a.image = take(1)[0]; c.t.Sampler >= 0 {
		a.sampler = take(1)[0]
	}
	if a.coord = take(n); c.t.Coordinates() > n {
		a.layer = take(1)[0]
	}
	a.dref, a.bias, a.lod = one(ir.TextureDref), one(ir.TextureBias), one(ir.TextureLod)
	if c.t.Has(ir.TextureGrad) {
		a.dx, a.dy = take(n), take(n)
	}
	if c.t.Has(ir.TextureOffset) {
		a.offset = take(n)
	}
	if c.t.Has(ir.TextureOffsets) {
		a.offsets = take(8)
	}
	a.sampleI, a.minLod = one(ir.TextureSampleI), one(ir.TextureMinLod)
	a.data = rest
	return a
}
