package mathlib

import "github.com/chiaro-gpu/chiaro/internal/ir"

// Asin returns the arc sine, of 16 or 32 bits; NaN where |x| > 1.
func Asin(b *ir.Builder, x ir.V) ir.V {
	return unary(b, x, func(e emit, x ir.V) ir.V {
		a := e.abs(x)
		upper := e.lt(e.num(0.5), a)
		p := e.arc(a, upper)
		// asin(a) = π/2 − 2·asin(√((1−a)/2))
		two := e.sub(e.num(halfPi0), e.fma(p, e.num(2), e.num(-halfPi1)))
		return e.flip(e.pick(upper, two, p), e.sign(x))
	})
}

// Acos returns the arc cosine, of 16 or 32 bits; NaN where |x| > 1.
func Acos(b *ir.Builder, x ir.V) ir.V {
	return unary(b, x, func(e emit, x ir.V) ir.V {
		a := e.abs(x)
		upper := e.lt(e.num(0.5), a)
		p, sign := e.arc(a, upper), e.sign(x)
		negative := e.lt(x, e.num(0))
		two := e.add(p, p)
		two = e.pick(negative, e.sub(e.num(pi0), e.sub(two, e.num(pi1))), two)
		one := e.sub(e.num(halfPi0), e.sub(e.flip(p, sign), e.num(halfPi1)))
		return e.pick(upper, two, one)
	})
}

// arc returns the arc sine of a, or where upper is set of √((1−a)/2).
func (e emit) arc(a, upper ir.V) ir.V {
	z := e.fma(a, e.num(-0.5), e.num(0.5)) // exact
	t := e.pick(upper, z, e.mul(a, a))
	s := e.pick(upper, e.sqrt(z), a)
	return e.odd(s, t, e.poly(t, 0x1.5555c8p-3, 0x1.3301fcp-4, 0x1.747d06p-5, 0x1.8c2d82p-6, 0x1.596d66p-5))
}

// Atan returns the arc tangent, of 16 or 32 bits.
func Atan(b *ir.Builder, x ir.V) ir.V {
	return unary(b, x, func(e emit, x ir.V) ir.V {
		a, one := e.abs(x), e.num(1)
		over := e.lt(one, a)
		z := e.div(e.pick(over, one, a), e.pick(over, a, one))
		return e.flip(e.beyond(over, e.atan(z), halfPi0, halfPi1), e.sign(x))
	})
}

// Atan2 returns the angle of the point (x, y), of 16 or 32 bits, from −π to π.
// Of two zeros and two infinities it follows IEEE 754's atan2.
func Atan2(b *ir.Builder, y, x ir.V) ir.V {
	return binary(b, y, x, func(e emit, y, x ir.V) ir.V {
		ax, ay := e.abs(x), e.abs(y)
		over := e.lt(ax, ay)
		n, d := e.pick(over, ax, ay), e.pick(over, ay, ax)
		z := e.pick(e.eq(n, d), e.num(1), e.div(n, d)) // of infinities 1
		z = e.pick(e.eq(d, e.num(0)), e.num(0), z)
		p := e.beyond(over, e.atan(z), halfPi0, halfPi1)
		left := e.b.Cmp(ir.SLt, e.bits(x), e.mask(0)) // −0 too
		return e.flip(e.beyond(left, p, pi0, pi1), e.sign(y))
	})
}

// beyond is c ? (hi + lo) − p : p.
func (e emit) beyond(c, p ir.V, hi, lo float64) ir.V {
	return e.pick(c, e.sub(e.num(hi), e.sub(p, e.num(lo))), p)
}

// atan returns the arc tangent of z from 0 to 1, to 2⁻²⁷ before rounding.
func (e emit) atan(z ir.V) ir.V {
	t := e.mul(z, z)
	return e.odd(z, t, e.poly(t,
		-0x1.55553ep-2, 0x1.9991e4p-3, -0x1.2420aap-3, 0x1.c0905cp-4, -0x1.581c66p-4,
		0x1.da7b36p-5, -0x1.fe20b0p-6, 0x1.64b3fap-7, -0x1.d3ed4cp-10))
}
