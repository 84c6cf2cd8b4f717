package mathlib

import "github.com/chiaro-gpu/chiaro/internal/ir"

const (
	log2e0, log2e1 = 0x1.715476p+0, 0x1.4ae0c0p-26
	ln20, ln21     = 0x1.62e430p-1, -0x1.05c610p-29
)

// Exp returns e to the power x, of 16 or 32 bits; ∞, denormals and 0 if the
// power is.
func Exp(b *ir.Builder, x ir.V) ir.V {
	return unary(b, x, func(e emit, x ir.V) ir.V {
		p, k := e.exp(x)
		return e.ldexp(p, k)
	})
}

// Exp2 returns 2 to the power x, of 16 or 32 bits.
func Exp2(b *ir.Builder, x ir.V) ir.V {
	return unary(b, x, func(e emit, x ir.V) ir.V {
		x = e.clamp(x, -160, 160)
		k := e.near(x)
		return e.ldexp(e.exp2(e.sub(x, k)), e.exponent(k))
	})
}

// Pow returns x to the power y, of 16 or 32 bits. It is 1 for y = 0 and for
// x = 1, and otherwise NaN for x < 0 and exp2(y·log2(x)).
func Pow(b *ir.Builder, x, y ir.V) ir.V {
	return binary(b, x, y, func(e emit, x, y ir.V) ir.V {
		hi, lo := e.log2Wide(x)
		p := e.mul(y, hi)
		q := e.fma(y, lo, e.fma(y, hi, e.neg(p)))
		q = e.pick(e.lt(e.abs(p), e.num(160)), q, e.num(0)) // 0 if hi is not finite: p is infinite or NaN
		p = e.clamp(p, -160, 160)
		k := e.near(p)
		v := e.ldexp(e.exp2(e.add(e.sub(p, k), q)), e.exponent(k))
		one := e.num(1)
		v = e.pick(e.eq(x, one), one, v)
		return e.pick(e.eq(y, e.num(0)), one, v)
	})
}

// exp returns p and k with e^x = p·2^k, for x clamped to the relevant range.
func (e emit) exp(x ir.V) (p, k ir.V) {
	x = e.clamp(x, -110, 100)
	n := e.near(e.mul(x, e.num(log2e0)))
	r := e.fma(n, e.num(-ln20), x) // exact
	r = e.fma(n, e.num(-ln21), r)
	p = e.poly(r, 0x1.fffffcp-2, 0x1.555490p-3, 0x1.5558f4p-5, 0x1.123a6cp-7, 0x1.6a235cp-10)
	p = e.fma(e.mul(r, r), p, r)
	return e.add(p, e.num(1)), e.exponent(n)
}

// exp2 returns 2^f for |f| ≤ 1/2, to 2⁻²⁸ before rounding.
func (e emit) exp2(f ir.V) ir.V {
	p := e.poly(f, 0x1.62e430p-1, 0x1.ebfbe0p-3, 0x1.c6b08ap-5, 0x1.3b29f4p-7, 0x1.5d8a86p-10, 0x1.445c84p-13, 0x1.fde5e6p-17)
	return e.fma(p, f, e.num(1))
}

// exponent is the i32 k, which is at most 160 in magnitude or NaN. No result depends on the integer of a NaN: the power
// is NaN too.
func (e emit) exponent(k ir.V) ir.V {
	return e.b.Emit(ir.Val{Op: ir.FToS, Type: ir.I32, Flags: ir.AnyNaN | ir.Fits, Args: [4]ir.V{k}})
}

// ldexp is x·2^n, rounded once, for an x from 1/2 to 2 or NaN and an n from exponent.
func (e emit) ldexp(x, n ir.V) ir.V {
	return e.b.Emit(ir.Val{Op: ir.FLdexp, Type: e.t, Flags: ir.Fits, Args: [4]ir.V{x, n}})
}
