package mathlib

import "github.com/chiaro-gpu/chiaro/internal/ir"

// InverseSqrt returns 1/√x: ±∞ of ±0, 0 of ∞, NaN below 0.
func InverseSqrt(b *ir.Builder, x ir.V) ir.V {
	if b.Func.Type(x) == ir.F64 {
		e := of(b, x)
		return e.div(e.num(1), e.sqrt(x))
	}
	return unary(b, x, emit.rsqrt)
}

// rsqrt starts from the bits of x: half the exponent, negated, to 3.5 %. Two
// steps of third order follow. That is faster than a root and a quotient.
func (e emit) rsqrt(x ir.V) ir.V {
	zero, inf := e.num(0), e.inf()
	small := e.lt(x, e.num(0x1p-126))
	s := e.pick(small, e.mul(x, e.num(0x1p24)), x)
	i := e.b.Op(ir.LShr, ir.I32, e.bits(s), e.b.I32(1))
	y := e.float(e.b.Op(ir.Sub, ir.I32, e.b.I32(0x5f3759df), i))
	for range 2 {
		y = e.rsqrtStep(s, y)
	}
	y = e.mul(y, e.pick(small, e.num(0x1p12), e.num(1)))
	// Ends: ±0, ∞, and NaN for all that is left.
	end := e.pick(e.eq(x, inf), zero, e.nan())
	end = e.pick(e.eq(x, zero), e.flip(e.negative(x), inf), end)
	inside := e.pick(e.lt(zero, x), e.lt(x, inf), e.b.Bool(false))
	return e.pick(inside, y, end)
}

// rsqrtStep improves y: with r = 1 − x·y², y·(1 + r/2 + 3r²/8).
func (e emit) rsqrtStep(x, y ir.V) ir.V {
	r := e.fma(e.neg(e.mul(x, y)), y, e.num(1))
	c := e.fma(r, e.num(0.375), e.num(0.5))
	return e.fma(e.mul(y, r), c, y)
}
