package ptxlower

import "github.com/chiaro-gpu/chiaro/internal/ir"

// Fixed-point numbers (PTX ISA, "Fixed-point Data format", cvt): .s2f6 is a signed number of 8 bits in units of 2⁻⁶. With .scaled::n2::ue8m0 the
// last operand has the powers of two of both elements, which divide the inputs of a conversion to .s2f6 and multiply the results of one from it.
const fixedFraction = 6

// cvtFixed emits a conversion to or from .s2f6x2.
func (e *emitter) cvtFixed(to, from string) {
	n, scaled := len(e.in.Operands), e.in.Has(".scaled::n2::ue8m0")
	if scaled {
		n--
	}
	want := 2
	if from == ".f32" {
		want = 3
	}
	rounds := e.in.Has(".rn") || e.in.Has(".rz") && to == ".s2f6x2"
	if !rounds || n != want || to == ".s2f6x2" && !e.in.Has(".satfinite") {
		malformed(e.in.Pos, "%s has no .rn, no .satfinite or %d operands; must have another form", e.in.Name(), len(e.in.Operands))
	}
	scales := e.b.I32(0x7f7f)
	if scaled {
		scales = e.as(e.read(e.operand(n), ir.I16), ir.I32)
	}
	scale := func(i uint32) ir.V { return e.b.Op(ir.BitFieldU, ir.I32, scales, e.b.I32(8*i), e.b.I32(8)) }
	switch {
	case to == ".bf16x2" && from == ".s2f6x2":
		pair := e.as(e.read(e.operand(1), ir.I16), ir.I32)
		e.result(e.pack(e.fromFixed(pair, 0, scale(0)), e.fromFixed(pair, 1, scale(1))))
		return
	case to != ".s2f6x2" || from != ".f32" && from != ".bf16x2":
		unsupported(e.in.Pos, "%s", e.in.Name())
	}
	var high, low ir.V
	if from == ".f32" {
		high, low = e.read(e.operand(1), ir.F32), e.read(e.operand(2), ir.F32)
	} else {
		pair := e.read(e.operand(1), ir.I32)
		high, low = e.element(pair, 1, ".bf16"), e.element(pair, 0, ".bf16")
	}
	v := e.b.Op(ir.Or, ir.I32, e.b.Op(ir.Shl, ir.I32, e.toFixed(high, scale(1)), e.b.I32(8)), e.toFixed(low, scale(0)))
	e.result(e.b.Op(ir.Trunc, ir.I16, v))
}

// toFixed returns a float of 32 bits, divided by a power of two, as 8 bits. A NaN is the greatest number. The division is exact in 64 bits.
func (e *emitter) toFixed(x, scale ir.V) ir.V {
	b := e.b
	const bias, exponent, nan = 127, 1023, 255
	factor := b.Op(ir.Sub, ir.I32, b.I32(exponent+bias+fixedFraction), scale)
	bits := b.Op(ir.Shl, ir.I64, b.Op(ir.ZExt, ir.I64, factor), b.Const(ir.I64, 52))
	round := ir.FRoundEven
	if e.in.Has(".rz") {
		round = ir.FTrunc
	}
	v := b.Op(round, ir.F64, b.Op(ir.FMul, ir.F64, e.widen(e.finish(x)), e.as(bits, ir.F64)))
	n := b.Op(ir.FToS, ir.I32, v)
	n = b.Op(ir.SMin, ir.I32, b.Op(ir.SMax, ir.I32, n, b.I32(^uint32(127))), b.I32(127))
	number := b.Op(ir.And, ir.B1, b.Cmp(ir.FEq, x, x), b.Cmp(ir.ULt, scale, b.I32(nan)))
	return b.Op(ir.And, ir.I32, b.Select(number, n, b.I32(127)), b.I32(0xff))
}

// fromFixed returns an element of a pair, times a power of two, as .bf16. No product loses bits.
func (e *emitter) fromFixed(pair ir.V, i uint32, scale ir.V) ir.V {
	b := e.b
	n := b.Op(ir.AShr, ir.I32, b.Op(ir.Shl, ir.I32, pair, b.I32(24-8*i)), b.I32(24))
	v := b.Op(ir.FMul, ir.F32, b.Op(ir.SToF, ir.F32, n), b.Const(ir.F32, (127-fixedFraction)<<23))
	return e.limited(e.bfloatOf(e.finish(b.Op(ir.FMul, ir.F32, v, e.power(scale)))), 0x7f80)
}

// powerOfTwo returns scale i of a pair of .ue8m0 as a float of 32 bits.
func (e *emitter) powerOfTwo(scales ir.V, i uint32) ir.V {
	return e.power(e.b.Op(ir.BitFieldU, ir.I32, scales, e.b.I32(8*i), e.b.I32(8)))
}

// power returns a .ue8m0 as a float of 32 bits: 2⁻¹²⁷ is a subnormal number, and 255 a NaN.
func (e *emitter) power(scale ir.V) ir.V {
	b := e.b
	bits := b.Select(b.Cmp(ir.Eq, scale, b.I32(0)), b.I32(1<<22), b.Op(ir.Shl, ir.I32, scale, b.I32(23)))
	const nan = 255
	return e.as(b.Select(b.Cmp(ir.Eq, scale, b.I32(nan)), b.I32(0x7fc00000), bits), ir.F32)
}
