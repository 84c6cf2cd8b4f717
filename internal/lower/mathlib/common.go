package mathlib

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/scalar"
)

// Radians returns x·π/180.
func Radians(b *ir.Builder, x ir.V) ir.V {
	e := of(b, x)
	return e.mul(x, e.num(math.Pi/180))
}

// Degrees returns x·180/π.
func Degrees(b *ir.Builder, x ir.V) ir.V {
	e := of(b, x)
	return e.mul(x, e.num(180/math.Pi))
}

// Fract returns x − floor(x).
func Fract(b *ir.Builder, x ir.V) ir.V {
	e := of(b, x)
	return e.sub(x, b.Op(ir.FFloor, e.t, x))
}

// FMod returns x − y·floor(x/y), rounded at each step (OpFMod).
func FMod(b *ir.Builder, x, y ir.V) ir.V {
	e := of(b, x)
	return e.sub(x, e.mul(y, b.Op(ir.FFloor, e.t, e.div(x, y))))
}

// FSign returns 1, −1, or +0 of ±0 and NaN.
func FSign(b *ir.Builder, x ir.V) ir.V {
	e := of(b, x)
	zero := e.num(0)
	v := e.pick(e.lt(x, zero), e.num(-1), zero)
	return e.pick(e.lt(zero, x), e.num(1), v)
}

// SSign returns 1, −1 or 0 of an integer.
func SSign(b *ir.Builder, x ir.V) ir.V {
	t := b.Func.Type(x)
	zero := b.Const(t, 0)
	v := b.Select(b.Cmp(ir.SLt, x, zero), b.Const(t, ^uint64(0)), zero)
	return b.Select(b.Cmp(ir.SLt, zero, x), b.Const(t, 1), v)
}

// FMix returns x·(1 − a) + y·a.
func FMix(b *ir.Builder, x, y, a ir.V) ir.V {
	e := of(b, x)
	return e.add(e.mul(x, e.sub(e.num(1), a)), e.mul(y, a))
}

// Step returns 0 if x < edge, else 1.
func Step(b *ir.Builder, edge, x ir.V) ir.V {
	e := of(b, x)
	return e.pick(e.lt(x, edge), e.num(0), e.num(1))
}

// SmoothStep returns t²·(3 − 2t) with t = (x − edge0)/(edge1 − edge0), clamped
// to [0, 1] as FClamp does it.
func SmoothStep(b *ir.Builder, edge0, edge1, x ir.V) ir.V {
	e := of(b, x)
	t := FClamp(b, e.div(e.sub(x, edge0), e.sub(edge1, edge0)), e.num(0), e.num(1))
	return e.mul(e.mul(t, t), e.sub(e.num(3), e.mul(e.num(2), t)))
}

// FClamp returns the minimum of greatest and of the maximum of least and x: a NaN becomes least. The
// bounds are the first operands, because the operations return their first operand for a NaN.
func FClamp(b *ir.Builder, x, least, greatest ir.V) ir.V {
	t := b.Func.Type(x)
	return b.Op(ir.FMin, t, greatest, b.Op(ir.FMax, t, least, x))
}

// NClamp returns NMin(NMax(x, least), greatest): a NaN becomes least.
func NClamp(b *ir.Builder, x, least, greatest ir.V) ir.V {
	return bound(b, ir.NMax, ir.NMin, x, least, greatest)
}

// UClamp returns UMin(UMax(x, least), greatest).
func UClamp(b *ir.Builder, x, least, greatest ir.V) ir.V {
	return bound(b, ir.UMax, ir.UMin, x, least, greatest)
}

// SClamp returns SMin(SMax(x, least), greatest).
func SClamp(b *ir.Builder, x, least, greatest ir.V) ir.V {
	return bound(b, ir.SMax, ir.SMin, x, least, greatest)
}

func bound(b *ir.Builder, lower, upper ir.Op, x, least, greatest ir.V) ir.V {
	t := b.Func.Type(x)
	return b.Op(upper, t, b.Op(lower, t, x, least), greatest)
}

// Modf splits x into a fraction and a whole number, both with the sign of x.
func Modf(b *ir.Builder, x ir.V) (fract, whole ir.V) {
	e := of(b, x)
	whole = b.Op(ir.FTrunc, e.t, x)
	// Equal for ±∞ too, since their difference would be NaN; zero has the sign of x.
	zero := e.float(e.sign(x))
	return e.pick(e.eq(x, whole), zero, e.sub(x, whole)), whole
}

// Frexp splits x into a significand of magnitude [1/2, 1) and an exponent, an
// i32. Of ±0, ±∞ and NaN they are x and 0.
func Frexp(b *ir.Builder, x ir.V) (significand, exponent ir.V) {
	e := of(b, x)
	w := e.t.Bits()
	frac := e.fraction()
	bias := 1<<(int(w)-2-frac) - 1
	least := e.num(math.Ldexp(1, 1-bias))
	small := e.lt(e.abs(x), least)
	up := frac + 1
	s := e.pick(small, e.mul(x, e.num(math.Ldexp(1, up))), x)
	i := e.bits(s)
	field := e.mask(uint64(2*bias + 1))
	k := b.Op(ir.And, e.int(), b.Op(ir.LShr, e.int(), i, e.mask(uint64(frac))), field)
	k = toI32(b, k)
	k = b.Op(ir.Sub, ir.I32, k, b.Select(small, b.I32(uint32(bias-1+up)), b.I32(uint32(bias-1))))
	keep := scalar.SignBit(w) | (1<<frac - 1)
	half := e.float(e.or(e.and(i, keep), e.mask(uint64(bias-1)<<frac)))
	// 0 < |x| < ∞
	a := e.abs(x)
	inside := b.Select(e.lt(e.num(0), a), e.lt(a, e.inf()), b.Bool(false))
	return e.pick(inside, half, x), b.Select(inside, k, b.I32(0))
}

// fraction is the width of the fraction in bits.
func (e emit) fraction() int {
	switch e.t {
	case ir.F16:
		return 10
	case ir.F32:
		return 23
	}
	return 52
}

func toI32(b *ir.Builder, x ir.V) ir.V {
	switch t := b.Func.Type(x); {
	case t == ir.I32:
		return x
	case t == ir.I64:
		return b.Op(ir.Trunc, ir.I32, x)
	}
	return b.Op(ir.ZExt, ir.I32, x)
}

// QuantizeToF16 returns the f32 x rounded to 16 bits; a value that is denormal
// there becomes 0 of its sign (OpQuantizeToF16).
func QuantizeToF16(b *ir.Builder, x ir.V) ir.V {
	h := b.Op(ir.FFlush, ir.F16, b.Op(ir.FCvt, ir.F16, x))
	return b.Op(ir.FCvt, ir.F32, h)
}
