package mathlib

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/scalar"
)

// emit appends operations on floats of one type.
type emit struct {
	b *ir.Builder
	t ir.Type
}

// of returns an emit for the type of x.
func of(b *ir.Builder, x ir.V) emit { return emit{b, b.Func.Type(x)} }

// single returns an emit for 32 bits.
func single(b *ir.Builder) emit { return emit{b, ir.F32} }

// num is the constant v, rounded to the type.
func (e emit) num(v float64) ir.V {
	return e.b.Const(e.t, scalar.FromFloat(e.t.Bits(), false, v))
}

func (e emit) nan() ir.V { return e.b.Const(e.t, scalar.NaN(e.t.Bits())) }
func (e emit) inf() ir.V { return e.num(math.Inf(1)) }

func (e emit) add(x, y ir.V) ir.V    { return e.b.Op(ir.FAdd, e.t, x, y) }
func (e emit) sub(x, y ir.V) ir.V    { return e.b.Op(ir.FSub, e.t, x, y) }
func (e emit) mul(x, y ir.V) ir.V    { return e.b.Op(ir.FMul, e.t, x, y) }
func (e emit) div(x, y ir.V) ir.V    { return e.b.Op(ir.FDiv, e.t, x, y) }
func (e emit) fma(x, y, z ir.V) ir.V { return e.b.Op(ir.FFma, e.t, x, y, z) }
func (e emit) neg(x ir.V) ir.V       { return e.b.Op(ir.FNeg, e.t, x) }
func (e emit) abs(x ir.V) ir.V       { return e.b.Op(ir.FAbs, e.t, x) }
func (e emit) sqrt(x ir.V) ir.V      { return e.b.Op(ir.FSqrt, e.t, x) }
func (e emit) near(x ir.V) ir.V      { return e.b.Op(ir.FRoundEven, e.t, x) }
func (e emit) min(x, y ir.V) ir.V    { return e.b.Op(ir.FMin, e.t, x, y) }
func (e emit) max(x, y ir.V) ir.V    { return e.b.Op(ir.FMax, e.t, x, y) }

func (e emit) lt(x, y ir.V) ir.V { return e.b.Cmp(ir.FLt, x, y) }
func (e emit) eq(x, y ir.V) ir.V { return e.b.Cmp(ir.FEq, x, y) }

// pick is c ? x : y.
func (e emit) pick(c, x, y ir.V) ir.V { return e.b.Select(c, x, y) }

// clamp limits x to the range between two constants, and returns NaN unchanged.
func (e emit) clamp(x ir.V, least, greatest float64) ir.V {
	return e.min(e.max(x, e.num(least)), e.num(greatest))
}

// poly is c[0] + c[1]·x + c[2]·x² + … by Horner's rule.
func (e emit) poly(x ir.V, c ...float64) ir.V {
	p := e.num(c[len(c)-1])
	for i := len(c) - 2; i >= 0; i-- {
		p = e.fma(p, x, e.num(c[i]))
	}
	return p
}

// odd is x + x·t·p, for t = x² and p the value of a polynomial in t.
func (e emit) odd(x, t, p ir.V) ir.V { return e.fma(e.mul(x, t), p, x) }

// int is the integer type as wide as the float.
func (e emit) int() ir.Type { return ir.Int(uint32(e.t.Bits())) }

// bits and float reinterpret.
func (e emit) bits(x ir.V) ir.V  { return e.b.Op(ir.Bitcast, e.int(), x) }
func (e emit) float(x ir.V) ir.V { return e.b.Op(ir.Bitcast, e.t, x) }

// numberBits are the bits of x; a NaN x may have any bits, because callers discard the result.
func (e emit) numberBits(x ir.V) ir.V {
	return e.b.Emit(ir.Val{Op: ir.Bitcast, Type: e.int(), Flags: ir.AnyNaN, Args: [4]ir.V{x}})
}

// mask is the integer constant x.
func (e emit) mask(x uint64) ir.V { return e.b.Const(e.int(), x) }

func (e emit) and(x ir.V, m uint64) ir.V { return e.b.Op(ir.And, e.int(), x, e.mask(m)) }
func (e emit) or(x, y ir.V) ir.V         { return e.b.Op(ir.Or, e.int(), x, y) }

// sign is the sign bit of x, as an integer.
func (e emit) sign(x ir.V) ir.V { return e.and(e.bits(x), scalar.SignBit(e.t.Bits())) }

// negative reports whether the sign bit of x is set, for −0 too. It reports anything for a NaN, of which all callers make a
// NaN.
func (e emit) negative(x ir.V) ir.V { return e.b.Cmp(ir.SLt, e.numberBits(x), e.mask(0)) }

// flip is c ? −x : x. It is made of operations on floats, so that a NaN that
// comes out is still known for one that was computed.
func (e emit) flip(c, x ir.V) ir.V { return e.pick(c, e.neg(x), x) }

// differ is the exclusive or of two b1.
func (e emit) differ(x, y ir.V) ir.V { return e.b.Op(ir.Xor, ir.B1, x, y) }

// unary computes f in 32 bits.
func unary(b *ir.Builder, x ir.V, f func(e emit, x ir.V) ir.V) ir.V {
	t := b.Func.Type(x)
	return narrow(b, t, f(single(b), widen(b, x)))
}

// binary computes f in 32 bits.
func binary(b *ir.Builder, x, y ir.V, f func(e emit, x, y ir.V) ir.V) ir.V {
	t := b.Func.Type(x)
	return narrow(b, t, f(single(b), widen(b, x), widen(b, y)))
}

func widen(b *ir.Builder, x ir.V) ir.V {
	if b.Func.Type(x) == ir.F32 {
		return x
	}
	return b.Op(ir.FCvt, ir.F32, x)
}

func narrow(b *ir.Builder, t ir.Type, x ir.V) ir.V {
	if t == ir.F32 {
		return x
	}
	return b.Op(ir.FCvt, t, x)
}
