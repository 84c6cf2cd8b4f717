package mathlib

import "github.com/chiaro-gpu/chiaro/internal/ir"

// Asin returns the arc sine, of 16 or 32 bits; NaN if |x| > 1.
func Asin(b *ir.Builder, x ir.V) ir.V {
	return unary(b, x, func(e emit, x ir.V) ir.V {
		a := e.abs(x)
		upper := e.lt(e.num(0.5), a)
		p := e.arc(a, upper)
		// asin(a) = π/2 − 2·asin(√((1−a)/2))
		two := e.sub(e.num(halfPi0), e.fma(p, e.num(2), e.num(-halfPi1)))
		return e.flip(e.negative(x), e.pick(upper, two, p))
	})
}

// Acos returns the arc cosine, of 16 or 32 bits; NaN if |x| > 1.
func Acos(b *ir.Builder, x ir.V) ir.V {
	return unary(b, x, func(e emit, x ir.V) ir.V {
		a := e.abs(x)
		upper := e.lt(e.num(0.5), a)
		p := e.arc(a, upper)
		negative := e.lt(x, e.num(0))
		two := e.add(p, p)
		two = e.pick(negative, e.sub(e.num(pi0), e.sub(two, e.num(pi1))), two)
		one := e.sub(e.num(halfPi0), e.sub(e.flip(negative, p), e.num(halfPi1)))
		return e.pick(upper, two, one)
	})
}

// arc returns the arc sine of a, or if upper is set of √((1−a)/2).
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
		p := e.atan(e.div(e.pick(over, one, a), e.pick(over, a, one)))
		turned := e.sub(e.num(halfPi0), e.sub(p, e.num(halfPi1)))
		return e.flip(e.negative(x), e.pick(over, turned, p))
	})
}

// Atan2 returns the angle of the point (x, y), of 16 or 32 bits, from −π to π.
// Of two zeros and two infinities it follows IEEE 754's atan2.
func Atan2(b *ir.Builder, y, x ir.V) ir.V {
	return binary(b, y, x, func(e emit, y, x ir.V) ir.V {
		ax, ay := e.abs(x), e.abs(y)
		over := e.lt(ax, ay)
		n, d := e.pick(over, ax, ay), e.pick(over, ay, ax)
		zero, one := e.num(0), e.num(1)
		alike := e.pick(e.eq(d, zero), zero, one) // of zeros 0, of infinities 1
		p := e.atan(e.pick(e.eq(n, d), alike, e.div(n, d)))
		// The angle is p, π − p, π/2 − p or π/2 + p: a base and a sign.
		left := e.negative(x)
		hi := e.pick(over, e.num(halfPi0), e.pick(left, e.num(pi0), zero))
		lo := e.pick(over, e.num(halfPi1), e.pick(left, e.num(pi1), zero))
		p = e.add(hi, e.add(e.flip(e.differ(over, left), p), lo))
		return e.flip(e.negative(y), p)
	})
}

// atan returns the arc tangent of z from 0 to 1, to 2⁻²⁷ before rounding.
func (e emit) atan(z ir.V) ir.V {
	t := e.mul(z, z)
	return e.odd(z, t, e.poly(t,
		-0x1.55553ep-2, 0x1.9991e4p-3, -0x1.2420aap-3, 0x1.c0905cp-4, -0x1.581c66p-4,
		0x1.da7b36p-5, -0x1.fe20b0p-6, 0x1.64b3fap-7, -0x1.d3ed4cp-10))
}
