package mathlib

import "github.com/chiaro-gpu/chiaro/internal/ir"

// Sinh returns the hyperbolic sine, of 16 or 32 bits.
func Sinh(b *ir.Builder, x ir.V) ir.V {
	return unary(b, x, func(e emit, x ir.V) ir.V {
		a := e.abs(x)
		t := e.mul(a, a)
		small := e.odd(a, t, e.poly(t, 0x1.555556p-3, 0x1.1110e0p-7, 0x1.a022bcp-13, 0x1.756c1ep-19))
		h := e.halfExp(a)
		v := e.pick(e.lt(a, e.num(1)), small, e.sub(h, e.div(e.num(0.25), h)))
		return e.flip(e.negative(x), v)
	})
}

// Cosh returns the hyperbolic cosine, of 16 or 32 bits.
func Cosh(b *ir.Builder, x ir.V) ir.V {
	return unary(b, x, func(e emit, x ir.V) ir.V {
		h := e.halfExp(e.abs(x))
		return e.add(h, e.div(e.num(0.25), h))
	})
}

// Tanh returns the hyperbolic tangent, of 16 or 32 bits.
func Tanh(b *ir.Builder, x ir.V) ir.V {
	return unary(b, x, func(e emit, x ir.V) ir.V {
		a, one := e.abs(x), e.num(1)
		t := e.mul(a, a)
		small := e.odd(a, t, e.poly(t, -0x1.55552ep-2, 0x1.110614p-3, -0x1.b81740p-5, 0x1.512de6p-6, -0x1.7172eep-8))
		p, k := e.exp(e.add(a, a))
		big := e.sub(one, e.div(e.num(2), e.add(e.ldexp(p, k), one)))
		return e.flip(e.negative(x), e.pick(e.lt(a, e.num(0.625)), small, big))
	})
}

// halfExp returns e^a / 2, which is finite whenever the hyperbolic functions are.
func (e emit) halfExp(a ir.V) ir.V {
	p, k := e.exp(a)
	return e.ldexp(p, e.b.Op(ir.Sub, ir.I32, k, e.b.I32(1)))
}

// far is the least a for which, in 32 bits, x² + 1 is x² and x + 1 is x.
const far = 1 << 28

// Asinh returns the inverse hyperbolic sine, of 16 or 32 bits.
func Asinh(b *ir.Builder, x ir.V) ir.V {
	return unary(b, x, func(e emit, x ir.V) ir.V {
		a, one := e.abs(x), e.num(1)
		t := e.mul(a, a)
		// √(1+t) − 1 without cancellation.
		u := e.add(a, e.div(t, e.add(one, e.sqrt(e.add(t, one)))))
		return e.flip(e.negative(x), e.logOrFar(a, a, u))
	})
}

// Acosh returns the inverse hyperbolic cosine, of 16 or 32 bits; NaN if
// x < 1.
func Acosh(b *ir.Builder, x ir.V) ir.V {
	return unary(b, x, func(e emit, x ir.V) ir.V {
		t := e.sub(x, e.num(1))
		u := e.add(t, e.sqrt(e.mul(t, e.add(t, e.num(2)))))
		return e.pick(e.lt(x, e.num(1)), e.nan(), e.logOrFar(x, t, u))
	})
}

// logOrFar is log(1 + u), or if a is far log(1 + near) + log 2.
func (e emit) logOrFar(a, near, u ir.V) ir.V {
	isFar := e.lt(e.num(far), a)
	v := e.log1p(e.pick(isFar, near, u))
	return e.add(v, e.pick(isFar, e.num(ln20), e.num(0)))
}

// Atanh returns the inverse hyperbolic tangent, of 16 or 32 bits; ±∞ of ±1, NaN
// if |x| > 1.
func Atanh(b *ir.Builder, x ir.V) ir.V {
	return unary(b, x, func(e emit, x ir.V) ir.V {
		a := e.abs(x)
		u := e.div(e.add(a, a), e.sub(e.num(1), a))
		return e.flip(e.negative(x), e.mul(e.log1p(u), e.num(0.5)))
	})
}
