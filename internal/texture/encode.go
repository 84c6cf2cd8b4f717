package texture

import (
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// store writes four numbers as the texel at an offset; those that the format has
// no component for are dropped, and its padding becomes 0.
func (c *code) store(x *texel, off ir.V, data []ir.V) { c.put(x, off, c.packed(x, data)) }

// packed returns the integers of the texel that four numbers make.
func (c *code) packed(x *texel, data []ir.V) []ir.V {
	words := c.zero(x)
	if x.exp != nil {
		words[0] = c.shared(data)
		return words
	}
	for i, k := range x.lanes {
		if k != nil {
			c.place(x, k, words, c.shifted(x, k, c.numeric(x, data[i])))
		}
	}
	return words
}

// put writes the integers of a texel.
func (c *code) put(x *texel, off ir.V, words []ir.V) {
	for i, w := range words {
		if x.unit < 4 {
			w = c.Op(ir.Trunc, ir.Int(uint32(8*x.unit)), w)
		}
		c.Emit(ir.Val{Op: ir.St, Type: c.Func.Type(w), Flags: c.t.Flags, Args: [4]ir.V{c.memory, off, w}, Aux: uint64(i * x.unit)})
	}
}

// shifted is pattern for who moves what it gives up to the component's place, where that
// leaves nothing of bits above the component's.
func (c *code) shifted(x *texel, k *format.Component, v ir.V) ir.V {
	if k.Numeric == format.UNorm && x.unit == 4 && k.Shift%32 >= 32-magicShift {
		return c.rounded(v, 0, 1, float64(uint64(1)<<k.Bits-1))
	}
	return c.pattern(k, v)
}

// place puts a component's bits into the integer that holds it.
func (c *code) place(x *texel, k *format.Component, words []ir.V, raw ir.V) {
	w, at := &words[k.Shift/(8*x.unit)], uint32(k.Shift%(8*x.unit))
	if at > 0 {
		raw = c.Op(ir.Shl, ir.I32, raw, c.I32(at))
	}
	if v := c.Func.Val(*w); v.Op == ir.Const && v.Aux == 0 {
		*w = raw
		return
	}
	*w = c.Op(ir.Or, ir.I32, *w, raw)
}

// numeric gives one of the function's components the type that the format's
// numbers have: see typed.
func (c *code) numeric(x *texel, v ir.V) ir.V {
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
	case to == ir.F32:
		return c.float(v)
	case to == ir.I64 && from != ir.I64:
		return c.Op(ir.ZExt, ir.I64, v)
	}
	return v
}

// magic is added to a number so that its whole part, rounded to nearest even,
// stands in the low bits of the sum: for numbers of up to 22 bits with a sign.
// unsignedMagic is for those without one: nothing else stands below bit magicShift then.
const (
	magic         = 3 << 22
	unsignedMagic = 1 << 23
	magicShift    = 24
)

// pattern returns the bits that stand for a number in a component, the others 0:
// fixed point is clamped and rounded to nearest even, and NaN is 0 (Vulkan
// §"Conversion From Floating-Point to Normalized Fixed-Point"); of integers the
// low bits are kept.
func (c *code) pattern(k *format.Component, v ir.V) ir.V {
	ones := uint32(1<<k.Bits - 1)
	switch k.Numeric {
	case format.UInt, format.SInt:
		if k.Bits >= 32 {
			return v
		}
		return c.Op(ir.And, ir.I32, v, c.I32(ones))
	case format.UNorm:
		return c.fixed(v, 0, 1, float64(ones), ones)
	case format.SNorm:
		return c.fixed(v, -1, 1, float64(ones>>1), ones)
	case format.SFixed5:
		return c.fixed(v, -float64(ones>>1+1)/32, float64(ones>>1)/32, 32, ones)
	case format.UScaled:
		return c.fixed(v, 0, float64(ones), 1, ones)
	case format.SScaled:
		return c.fixed(v, -float64(ones>>1)-1, float64(ones>>1), 1, ones)
	case format.SRGB:
		return c.srgb(v)
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

// fixed clamps a number, multiplies it and rounds the product once. Of products
// of more than 22 bits twice: in 64 bits that is exact.
func (c *code) fixed(v ir.V, least, most, by float64, ones uint32) ir.V {
	return c.Op(ir.And, ir.I32, c.rounded(v, least, most, by), c.I32(ones))
}

// rounded is fixed but for bits above the component's, from bit magicShift on where there
// is no sign.
func (c *code) rounded(v ir.V, least, most, by float64) ir.V {
	if least < 0 {
		v = c.Select(c.Cmp(ir.FEq, v, v), v, c.num(0))
	}
	v = c.nmin(c.nmax(v, c.num(least)), c.num(most))
	if by*most >= 1<<22 {
		wide := c.Op(ir.FMul, ir.F64, c.Op(ir.FCvt, ir.F64, v), c.Op(ir.FCvt, ir.F64, c.num(by)))
		return c.Op(ir.FToS, ir.I32, c.Op(ir.FRoundEven, ir.F64, wide))
	}
	up := c.num(magic)
	if least >= 0 {
		up = c.num(unsignedMagic)
	}
	if c.single {
		return c.bits(c.fadd(c.fmul(v, c.num(by)), up))
	}
	return c.bits(c.ffma(v, c.num(by), up))
}

// srgb returns the code of 8 bits: how many of the bounds between neighbours the
// number reaches.
func (c *code) srgb(v ir.V) ir.V {
	table, n := c.tables.bounds(c.Builder), c.I32(0)
	for step := uint32(128); step > 0; step /= 2 {
		bound := c.OpAux(ir.Ld, ir.F32, uint64(4*(step-1)), table, c.OpAux(ir.At, ir.I32, 4, c.I32(0), n))
		n = c.Select(c.fle(bound, v), c.add(n, c.I32(step)), n)
	}
	return n
}

// unsignedFloat returns the bits of the float without sign, with 5 bits of
// exponent and m of mantissa, that is nearest: negative numbers are 0, finite
// ones stay finite (Vulkan §"Unsigned 11-Bit Floating-Point Numbers").
func (c *code) unsignedFloat(v ir.V, m uint) ir.V {
	infinity, nan := uint32(31)<<m, uint32(31)<<m|1<<(m-1)
	x := c.nmax(v, c.num(0))
	b, drop := c.bits(x), uint32(23-m)
	r := c.sub(b, c.I32((127-15)<<23))
	r = c.add(r, c.add(c.Op(ir.And, ir.I32, c.Op(ir.LShr, ir.I32, r, c.I32(drop)), c.I32(1)), c.I32(1<<(drop-1)-1)))
	normal := c.Op(ir.UMin, ir.I32, c.Op(ir.LShr, ir.I32, r, c.I32(drop)), c.I32(infinity-1))
	unit := c.I32((127 + 9 - uint32(m)) << 23) // whose last place is the least denormal
	small := c.sub(c.bits(c.fadd(x, c.float(unit))), unit)
	out := c.Select(c.ult(b, c.I32((127-14)<<23)), small, normal)
	out = c.Select(c.eq(b, c.I32(0x7f800000)), c.I32(infinity), out)
	return c.Select(c.Cmp(ir.FEq, v, v), out, c.I32(nan))
}

// shared returns the texel of E5B9G9R9 (Vulkan §"Conversion to Shared Exponent").
func (c *code) shared(data []ir.V) ir.V {
	const bias, mantissa = 15, 9
	var n [3]ir.V
	for i := range n {
		n[i] = c.nmin(c.nmax(data[i], c.num(0)), c.num(511.0/512*65536))
	}
	most := c.nmax(n[0], c.nmax(n[1], n[2]))
	e := c.Op(ir.LShr, ir.I32, c.bits(most), c.I32(23)) // floor of the logarithm, and 127
	e = c.sub(c.Op(ir.UMax, ir.I32, e, c.I32(127-bias-1)), c.I32(127-bias-1))
	per := func(e ir.V) ir.V { // 2^(bias + mantissa − e)
		return c.float(c.Op(ir.Shl, ir.I32, c.sub(c.I32(127+bias+mantissa), e), c.I32(23)))
	}
	e = c.Select(c.eq(c.half5(c.fmul(most, per(e))), c.I32(1<<mantissa)), c.add(e, c.I32(1)), e)
	word := c.Op(ir.Shl, ir.I32, e, c.I32(27))
	for i := range n {
		word = c.Op(ir.Or, ir.I32, word, c.Op(ir.Shl, ir.I32, c.half5(c.fmul(n[i], per(e))), c.I32(uint32(mantissa*i))))
	}
	return word
}

// half5 rounds to the nearest integer, halves up.
func (c *code) half5(x ir.V) ir.V {
	whole := c.floor(x)
	up := c.fle(c.num(0.5), c.fsub(x, whole))
	return c.add(c.ftos(whole), c.Op(ir.ZExt, ir.I32, up))
}
