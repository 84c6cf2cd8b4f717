package mathlib

import "github.com/chiaro-gpu/chiaro/internal/ir"

// Log returns the natural logarithm, of 16 or 32 bits; −∞ of 0, NaN below.
func Log(b *ir.Builder, x ir.V) ir.V { return unary(b, x, emit.log) }

// Log2 returns the logarithm to the base 2, of 16 or 32 bits; −∞ of 0, NaN
// below.
func Log2(b *ir.Builder, x ir.V) ir.V {
	return unary(b, x, func(e emit, x ir.V) ir.V {
		f, n := e.reduce(x)
		r := e.mul(f, e.num(log2e1))
		r = e.fma(e.logTail(f), e.num(log2e0), r)
		r = e.fma(f, e.num(log2e0), r)
		return e.logEnds(x, e.add(r, n))
	})
}

func (e emit) log(x ir.V) ir.V {
	f, n := e.reduce(x)
	r := e.fma(n, e.num(ln21), e.logTail(f))
	return e.logEnds(x, e.fma(n, e.num(ln20), e.add(r, f)))
}

// log1p returns the logarithm of 1 + u, for u ≥ 0, precise also for small u.
func (e emit) log1p(u ir.V) ir.V {
	one := e.num(1)
	w := e.add(u, one)
	lost := e.sub(u, e.sub(w, one))
	fix := e.pick(e.lt(u, e.num(1<<30)), e.div(lost, w), e.num(0)) // ∞ − ∞ beyond
	return e.add(e.log(w), fix)
}

// reduce returns f and n with x = (1 + f)·2^n and √½ ≤ 1 + f < √2, of x > 0; of a
// NaN they are not to be looked at.
func (e emit) reduce(x ir.V) (f, n ir.V) {
	const rootHalf = 0x3f3504f3 // bits of √½
	small := e.lt(x, e.num(0x1p-126))
	x = e.pick(small, e.mul(x, e.num(0x1p24)), x)
	i := e.b.Op(ir.Sub, ir.I32, e.numberBits(x), e.b.I32(rootHalf))
	m := e.b.Op(ir.Add, ir.I32, e.and(i, 1<<23-1), e.b.I32(rootHalf))
	n = e.b.Op(ir.SToF, ir.F32, e.b.Op(ir.AShr, ir.I32, i, e.b.I32(23)))
	n = e.add(n, e.pick(small, e.num(-24), e.num(0)))
	return e.sub(e.float(m), e.num(1)), n
}

// logTail returns log(1 + f) − f, to 2⁻²⁶ of the logarithm.
func (e emit) logTail(f ir.V) ir.V {
	p := e.poly(f, 0x1.555554p-2, -0x1.000228p-2, 0x1.99a008p-3, -0x1.547244p-3, 0x1.22da16p-3, -0x1.0d8548p-3, 0x1.055b9cp-3, -0x1.38b5d2p-4)
	p = e.fma(p, f, e.num(-0.5))
	return e.mul(e.mul(f, f), p)
}

// logEnds replaces r, the logarithm of x, if x is not positive and finite.
func (e emit) logEnds(x, r ir.V) ir.V {
	zero := e.num(0)
	r = e.pick(e.lt(x, e.inf()), r, x) // ∞ and NaN
	r = e.pick(e.eq(x, zero), e.neg(e.inf()), r)
	return e.pick(e.lt(x, zero), e.nan(), r)
}

// log2Wide returns the logarithm to the base 2 as hi + lo, to 2⁻³⁰ of it or better;
// lo is meaningless if hi is not finite. log(m) = 2·atanh((m−1)/(m+1)).
func (e emit) log2Wide(x ir.V) (hi, lo ir.V) {
	const c0, c1 = 2 * log2e0, 2 * log2e1
	f, n := e.reduce(x)
	d := e.add(f, e.num(2))
	dLow := e.sub(f, e.sub(d, e.num(2)))
	s := e.div(f, d)
	rest := e.fma(e.neg(s), d, f)
	rest = e.fma(e.neg(s), dLow, rest)
	sLow := e.div(rest, d)
	// The cubic and higher terms, as tail and its rounding error.
	t := e.mul(s, s)
	cube := e.mul(s, t)
	lost := e.fma(s, t, e.neg(cube))
	lost = e.fma(s, e.fma(s, s, e.neg(t)), lost)
	p := e.poly(t, 0x1.ec709ep-1, 0x1.2776e0p-1, 0x1.a5d03cp-2, 0x1.589214p-2)
	tail := e.mul(cube, p)
	lo = e.fma(lost, p, e.fma(cube, p, e.neg(tail)))
	// The linear term, with the derivative of the others for the error of s.
	h := e.mul(s, e.num(c0))
	lo = e.add(lo, e.fma(s, e.num(c0), e.neg(h)))
	lo = e.fma(s, e.num(c1), lo)
	lo = e.fma(sLow, e.fma(t, e.num(3), e.num(c0)), lo)
	// n + h + tail, descending, or n is 0.
	sum := e.add(n, h)
	lo = e.add(lo, e.sub(h, e.sub(sum, n)))
	hi = e.add(sum, tail)
	lo = e.add(lo, e.sub(tail, e.sub(hi, sum)))
	return e.logEnds(x, hi), lo
}
