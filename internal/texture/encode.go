package texture

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// store writes four values as the texel at byte offset off. Components that the format lacks are ignored;
// padding is written as 0.
func (c *code) store(x *texel, off ir.V, data []ir.V) { c.storeWords(x, off, c.packTexel(x, data)) }

// packTexel returns the words of the texel with the given four values.
func (c *code) packTexel(x *texel, data []ir.V) []ir.V {
	words := c.zero(x)
	if x.exp != nil {
		var rgb [3]ir.V
		for i := range rgb {
			rgb[i] = c.toFormatType(x, data[i])
		}
		words[0] = c.encodeSharedExponent(rgb)
		return words
	}
	for i, k := range x.channels {
		if k != nil {
			c.insertField(x, k, words, c.encodeForShift(x, k, c.toFormatType(x, data[i])))
		}
	}
	return words
}

// storeWords writes the words of a texel.
func (c *code) storeWords(x *texel, off ir.V, words []ir.V) {
	for i, w := range words {
		if x.wordBytes < 4 {
			w = c.Op(ir.Trunc, ir.Int(uint32(8*x.wordBytes)), w)
		}
		c.Emit(ir.Val{Op: ir.St, Type: c.Func.Type(w), Flags: c.t.Flags, Args: [4]ir.V{c.memory, off, w}, Aux: uint64(i * x.wordBytes)})
	}
}

// encodeForShift is encodeComponent without the final mask if the shift to the component's position drops
// the bits above it anyway.
func (c *code) encodeForShift(x *texel, k *format.Component, v ir.V) ir.V {
	if k.Numeric == format.UNorm && x.wordBytes == 4 && k.Shift%32 >= 32-magicShift {
		return c.scaleAndRound(v, 0, 1, float64(uint64(1)<<k.Bits-1))
	}
	return c.encodeComponent(k, v)
}

// insertField inserts a component's bits into the word that contains it.
func (c *code) insertField(x *texel, k *format.Component, words []ir.V, raw ir.V) {
	w, at := &words[k.Shift/(8*x.wordBytes)], uint32(k.Shift%(8*x.wordBytes))
	if at > 0 {
		raw = c.Op(ir.Shl, ir.I32, raw, c.I32(at))
	}
	if v := c.Func.Val(*w); v.Op == ir.Const && v.Aux == 0 {
		*w = raw
		return
	}
	*w = c.Op(ir.Or, ir.I32, *w, raw)
}

// toFormatType converts one of the function's components to the type of the format's values; it is the
// inverse of convertType. Texels with scaled components are floats, so that from is an integer where they are converted.
func (c *code) toFormatType(x *texel, v ir.V) ir.V {
	from, to := c.t.Type, x.kind()
	switch {
	case from == to:
		return v
	case from == ir.F32:
		v = c.bits(v)
	case from == ir.I64 && to != ir.I64:
		v = c.Op(ir.Trunc, ir.I32, v)
	}
	switch {
	case x.scaled() && x.channels[0].Numeric == format.SScaled:
		return c.stof(v)
	case x.scaled():
		return c.utof(v)
	case to == ir.F32:
		return c.float(v)
	case to == ir.I64 && from != ir.I64:
		return c.Op(ir.ZExt, ir.I64, v)
	}
	return v
}

// Adding magic (1.5·2²³) to an f32 rounds it to the nearest integer, ties to even, and leaves the integer in
// the sum's low bits, for signed values of up to 22 bits. unsignedMagic (2²³) is for values without sign:
// all sum bits below magicShift except the integer's are then 0.
const (
	magic         = 3 << 22
	unsignedMagic = 1 << 23
	magicShift    = 24
)

// encodeComponent returns the bits of a component with value v, all other bits 0. Fixed point is clamped and
// rounded to nearest, ties to even, and NaN becomes 0 (Vulkan §"Conversion From Floating-Point to Normalized
// Fixed-Point"); integers are clamped, but a stencil component is truncated to its low bits.
func (c *code) encodeComponent(k *format.Component, v ir.V) ir.V {
	ones := uint32(1<<k.Bits - 1)
	switch k.Numeric {
	case format.UInt, format.SInt:
		switch {
		case k.Bits >= 32:
			return v
		case k.Channel == format.S:
			return c.Op(ir.And, ir.I32, v, c.I32(ones))
		case k.Numeric == format.UInt:
			return c.Op(ir.UMin, ir.I32, v, c.I32(ones))
		}
		v = c.Op(ir.SMax, ir.I32, c.Op(ir.SMin, ir.I32, v, c.I32(ones>>1)), c.I32(^(ones >> 1)))
		return c.Op(ir.And, ir.I32, v, c.I32(ones))
	case format.UNorm:
		return c.encodeFixed(v, 0, 1, float64(ones), ones)
	case format.SNorm:
		return c.encodeFixed(v, -1, 1, float64(ones>>1), ones)
	case format.SFixed5:
		return c.encodeFixed(v, -float64(ones>>1+1)/32, float64(ones>>1)/32, 32, ones)
	case format.UScaled:
		return c.encodeFixed(v, 0, float64(ones), 1, ones)
	case format.SScaled:
		return c.encodeFixed(v, -float64(ones>>1)-1, float64(ones>>1), 1, ones)
	case format.SRGB:
		return c.encodeSRGB(v)
	case format.UFloat:
		return c.unsignedFloat(v, uint(k.Bits-5))
	case format.BFloat16:
		b := c.bits(v)
		up := c.add(c.Op(ir.And, ir.I32, c.Op(ir.LShr, ir.I32, b, c.I32(16)), c.I32(1)), c.I32(0x7fff))
		return c.Select(c.Cmp(ir.FEq, v, v), c.Op(ir.LShr, ir.I32, c.add(b, up), c.I32(16)), c.I32(0x7fc0))
	}
	switch k.Bits {
	case 16:
		h := c.Op(ir.FCanon, ir.F16, c.Op(ir.FCvt, ir.F16, v))
		return c.Op(ir.ZExt, ir.I32, c.Op(ir.Bitcast, ir.I16, h))
	case 64:
		return c.Op(ir.Bitcast, ir.I64, c.Op(ir.FCanon, ir.F64, c.Op(ir.FCvt, ir.F64, v)))
	}
	return c.bits(v)
}

// encodeFixed clamps v to [least, most], multiplies it by by, and rounds to an integer; ones masks the
// result. Products of more than 22 bits are computed in f64, exactly.
func (c *code) encodeFixed(v ir.V, least, most, by float64, ones uint32) ir.V {
	return c.Op(ir.And, ir.I32, c.scaleAndRound(v, least, most, by), c.I32(ones))
}

// scaleAndRound is encodeFixed without the mask. If least is 0, only bits from magicShift on may be wrong.
func (c *code) scaleAndRound(v ir.V, least, most, by float64) ir.V {
	if least < 0 {
		v = c.Select(c.Cmp(ir.FEq, v, v), v, c.num(0))
	}
	v = c.nmin(c.nmax(v, c.num(least)), c.num(most))
	if least == 0 && most == 1 && by == 1<<24-1 {
		return c.unsigned24(v)
	}
	if by*most >= 1<<22 {
		wide := c.Op(ir.FMul, ir.F64, c.Op(ir.FCvt, ir.F64, v), c.Op(ir.FCvt, ir.F64, c.num(by)))
		return c.Op(ir.FToS, ir.I32, c.Op(ir.FRoundEven, ir.F64, wide))
	}
	up := c.num(magic)
	if least >= 0 {
		up = c.num(unsignedMagic)
	}
	if c.roundsProduct {
		return c.bits(c.fadd(c.fmul(v, c.num(by)), up))
	}
	return c.bits(c.ffma(v, c.num(by), up))
}

// unsigned24 returns v·(2²⁴ − 1) for v in [0, 1], rounded to nearest even, in f32. The product is t − v for t = 2²⁴·v, which is exact. So
// is the difference d of t and its nearest integer n. As v is at most 1, the result is n, or n − 1 if d − v is less than −1/2. The only
// tie is v = 1/2, where n is even. d + 1/2 is exact unless t is so small that it exceeds v anyway. (All v of f32 were compared with the
// product in f64.)
func (c *code) unsigned24(v ir.V) ir.V {
	t := c.fmul(v, c.num(1<<24))
	n := c.Op(ir.FRoundEven, ir.F32, t)
	less := c.Cmp(ir.FLt, c.fadd(c.fsub(t, n), c.num(0.5)), v)
	whole := c.Emit(ir.Val{Op: ir.FToS, Type: ir.I32, Flags: ir.AnyNaN | ir.Fits, Args: [4]ir.V{n}})
	return c.sub(whole, c.Op(ir.ZExt, ir.I32, less))
}

// encodeSRGB returns the 8-bit sRGB code of v by one lookup in format.SRGBSteps: exact, and without a power function. NaN and negative
// values become 0.
func (c *code) encodeSRGB(v ir.V) ir.V {
	b := c.bits(c.nmin(c.nmax(v, c.num(format.SRGBLeast)), c.num(1)))
	interval := c.sub(c.Op(ir.LShr, ir.I32, b, c.I32(16)), c.I32(math.Float32bits(format.SRGBLeast)>>16))
	off := c.Op(ir.Shl, ir.I32, interval, c.I32(2)) // of a word of the table, as b is at most 1
	step := c.Emit(ir.Val{Op: ir.Ld, Type: ir.I32, Flags: ir.Proven, Args: [4]ir.V{c.tables.srgbSteps(c.Builder), off}})
	return c.Op(ir.LShr, ir.I32, c.add(step, c.Op(ir.And, ir.I32, b, c.I32(1<<16-1))), c.I32(16))
}

// unsignedFloat returns the nearest float without sign, with 5 exponent and m mantissa bits: negative values
// become 0, finite ones stay finite (Vulkan §"Unsigned 11-Bit Floating-Point Numbers").
func (c *code) unsignedFloat(v ir.V, m uint) ir.V {
	infinity, nan := uint32(31)<<m, uint32(31)<<m|1<<(m-1)
	x := c.nmax(v, c.num(0))
	b, drop := c.bits(x), uint32(23-m)
	// Rebias the exponent and round the mantissa to nearest even, as integers: the carry reaches the exponent.
	r := c.sub(b, c.I32((127-15)<<23))
	r = c.add(r, c.add(c.Op(ir.And, ir.I32, c.Op(ir.LShr, ir.I32, r, c.I32(drop)), c.I32(1)), c.I32(1<<(drop-1)-1)))
	normal := c.Op(ir.UMin, ir.I32, c.Op(ir.LShr, ir.I32, r, c.I32(drop)), c.I32(infinity-1))
	unit := c.I32((127 + 9 - uint32(m)) << 23) // its unit in the last place is the least denormal
	small := c.sub(c.bits(c.fadd(x, c.float(unit))), unit)
	out := c.Select(c.ult(b, c.I32((127-14)<<23)), small, normal)
	out = c.Select(c.eq(b, c.I32(0x7f800000)), c.I32(infinity), out)
	return c.Select(c.Cmp(ir.FEq, v, v), out, c.I32(nan))
}

// encodeSharedExponent returns the E5B9G9R9 texel of three values (Vulkan §"Conversion to Shared Exponent"): the
// exponent is the greatest component's, increased by one if its mantissa rounds up to 2⁹.
func (c *code) encodeSharedExponent(rgb [3]ir.V) ir.V {
	const bias, mantissa = 15, 9
	var n [3]ir.V
	for i := range n {
		n[i] = c.nmin(c.nmax(rgb[i], c.num(0)), c.num(511.0/512*65536))
	}
	most := c.nmax(n[0], c.nmax(n[1], n[2]))
	e := c.Op(ir.LShr, ir.I32, c.bits(most), c.I32(23)) // biased exponent: ⌊log₂⌋ + 127
	e = c.sub(c.Op(ir.UMax, ir.I32, e, c.I32(127-bias-1)), c.I32(127-bias-1))
	per := func(e ir.V) ir.V { // 2^(bias + mantissa − e)
		return c.float(c.Op(ir.Shl, ir.I32, c.sub(c.I32(127+bias+mantissa), e), c.I32(23)))
	}
	e = c.Select(c.eq(c.roundHalfUp(c.fmul(most, per(e))), c.I32(1<<mantissa)), c.add(e, c.I32(1)), e)
	word := c.Op(ir.Shl, ir.I32, e, c.I32(27))
	for i := range n {
		word = c.Op(ir.Or, ir.I32, word, c.Op(ir.Shl, ir.I32, c.roundHalfUp(c.fmul(n[i], per(e))), c.I32(uint32(mantissa*i))))
	}
	return word
}

// roundHalfUp rounds to the nearest integer, ties up.
func (c *code) roundHalfUp(x ir.V) ir.V {
	whole := c.floor(x)
	up := c.fle(c.num(0.5), c.fsub(x, whole))
	return c.add(c.ftos(whole), c.Op(ir.ZExt, ir.I32, up))
}
