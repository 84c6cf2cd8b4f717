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

// rsqrt uses the bits of x if x is normal and finite. Otherwise it computes 1/√x by
// operations, which engines skip if no lane needs them.
func (e emit) rsqrt(x ir.V) ir.V {
	const least, beyond = 0x00800000, 0x7f800000 // bits of the least normal number and of ∞
	i := e.numberBits(x)
	rare := e.b.Cmp(ir.ULe, e.b.I32(beyond-least), e.b.Op(ir.Sub, ir.I32, i, e.b.I32(least)))
	return e.pick(rare, e.div(e.num(1), e.sqrt(x)), e.rsqrtOfBits(x, i))
}

// rsqrtOfBits is 1/√x from the bits i of x. Half the exponent, negated, yields
// w = a/√x with a³ = ½ to 3.5 %; w·(c − x·w²) with c = 3/(2a) is then Newton's
// step without a product. Seed and c minimize the error after the step,
// 8.9·10⁻⁴. A step of third order follows.
func (e emit) rsqrtOfBits(x, i ir.V) ir.V {
	const seed, c = 0x5f0b34e3, 0x1.e41842p+0
	w := e.float(e.b.Op(ir.Sub, ir.I32, e.b.I32(seed), e.b.Op(ir.LShr, ir.I32, i, e.b.I32(1))))
	y := e.mul(w, e.fma(e.neg(e.mul(x, w)), w, e.num(c)))
	// With r = 1 − x·y², y·(1 + r/2 + 3r²/8).
	r := e.fma(e.neg(e.mul(x, y)), y, e.num(1))
	return e.fma(e.mul(y, r), e.fma(r, e.num(0.375), e.num(0.5)), y)
}
