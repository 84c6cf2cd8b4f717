package main

import (
	"math"
	"math/big"
)

// digits is the precision of exact arithmetic in bits. The argument of a sine may
// be 2¹²⁷, and its reduction loses as many.
const digits = 400

// real is a number of math/big.
type real struct{ f *big.Float }

func newReal() *big.Float { return new(big.Float).SetPrec(digits) }

func realOf(x float64) number {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		panic(undefined{})
	}
	return real{newReal().SetFloat64(x)}
}

func (a real) num(x float64) number { return realOf(x) }
func (a real) pi() number           { return real{piValue} }

func (a real) both(b number, f func(x, y *big.Float) *big.Float) number {
	return real{f(a.f, b.(real).f)}
}

func (a real) add(b number) number {
	return a.both(b, func(x, y *big.Float) *big.Float { return newReal().Add(x, y) })
}
func (a real) sub(b number) number {
	return a.both(b, func(x, y *big.Float) *big.Float { return newReal().Sub(x, y) })
}
func (a real) mul(b number) number {
	return a.both(b, func(x, y *big.Float) *big.Float { return newReal().Mul(x, y) })
}

func (a real) div(b number) number {
	if b.(real).f.Sign() == 0 {
		panic(undefined{})
	}
	return real{newReal().Quo(a.f, b.(real).f)}
}

func (a real) less(b number) bool { return a.f.Cmp(b.(real).f) < 0 }

func (a real) sqrt() number {
	if a.f.Sign() < 0 {
		panic(undefined{})
	}
	return real{newReal().Sqrt(a.f)}
}

func (a real) rsqrt() number { return one().div(a.sqrt()) }
func one() real              { return real{newReal().SetInt64(1)} }

func (a real) whole(kind rounding) number {
	i, acc := a.f.Int(nil)
	r := newReal().SetInt(i)
	up := func() { r.Add(r, big.NewFloat(1)) }
	switch {
	case acc == big.Exact || kind == toZero:
	case kind == down && a.f.Sign() < 0:
		r.Sub(r, big.NewFloat(1))
	case kind == upward && a.f.Sign() > 0:
		up()
	case kind == toEven:
		rest := newReal().Sub(a.f, r)
		c := newReal().Abs(rest).Cmp(big.NewFloat(0.5))
		if c > 0 || c == 0 && i.Bit(0) == 1 {
			r.Add(r, big.NewFloat(float64(rest.Sign())))
		}
	}
	return real{r}
}

// scaled is x·2^n.
func scaled(x *big.Float, n int) *big.Float { return newReal().SetMantExp(x, n) }

// series sums terms, each next(term, k) of the one before, until they vanish.
func series(first *big.Float, next func(t *big.Float, k int64)) *big.Float {
	sum, t := newReal().Set(first), newReal().Set(first)
	for k := int64(1); t.Sign() != 0 && (sum.Sign() == 0 || t.MantExp(nil) > sum.MantExp(nil)-digits); k++ {
		next(t, k)
		sum.Add(sum, t)
	}
	return sum
}

// over divides by a whole number.
func over(t *big.Float, n int64) { t.Quo(t, newReal().SetInt64(n)) }

func (a real) exp() number {
	x := a.f
	if x.MantExp(nil) > 12 { // beyond the range of any width
		x = newReal().SetInt64(int64(4096 * x.Sign()))
	}
	const halvings = 24
	r := scaled(x, -halvings)
	s := series(newReal().SetInt64(1), func(t *big.Float, k int64) { t.Mul(t, r); over(t, k) })
	for range halvings {
		s.Mul(s, s)
	}
	return real{s}
}

func (a real) exp2() number { return real{newReal().Mul(a.f, ln2Value)}.exp() }

// atanh of a small number by its series.
func atanh(x *big.Float) *big.Float {
	square := newReal().Mul(x, x)
	p := newReal().Set(x)
	return series(x, func(t *big.Float, k int64) {
		p.Mul(p, square)
		t.Set(p)
		over(t, 2*k+1)
	})
}

// Constants, made once.
var (
	ln2Value = ln2()
	piValue  = machin()
)

func ln2() *big.Float { // 18 atanh 1/26 − 2 atanh 1/4801 + 8 atanh 1/8749
	part := func(n, d int64) *big.Float {
		x := newReal().SetInt64(1)
		over(x, d)
		return newReal().Mul(newReal().SetInt64(n), atanh(x))
	}
	s := part(18, 26)
	s.Add(s, part(-2, 4801))
	return s.Add(s, part(8, 8749))
}

func (a real) log() number {
	if a.f.Sign() <= 0 {
		panic(undefined{})
	}
	m := newReal()
	e := a.f.MantExp(m)
	if m.Cmp(big.NewFloat(math.Sqrt2/2)) < 0 {
		m, e = scaled(m, 1), e-1
	}
	// log m = 2 atanh((m − 1)/(m + 1)); m is a root of a root … of it.
	n := 0
	for ; n < 8; n++ {
		m.Sqrt(m)
	}
	q := newReal().Quo(newReal().Sub(m, big.NewFloat(1)), newReal().Add(m, big.NewFloat(1)))
	s := scaled(atanh(q), 1+n)
	return real{s.Add(s, newReal().Mul(newReal().SetInt64(int64(e)), ln2Value))}
}

func (a real) log2() number {
	return a.log().div(real{ln2Value})
}

// arctan of a number from 0 to 1.
func arctan(x *big.Float) *big.Float {
	const halvings = 8
	x = newReal().Set(x)
	for range halvings { // tan(a/2) = x/(1 + √(1 + x²))
		r := newReal().Mul(x, x)
		r.Add(r, big.NewFloat(1))
		r.Sqrt(r)
		x.Quo(x, r.Add(r, big.NewFloat(1)))
	}
	square := newReal().Mul(x, x)
	p := newReal().Set(x)
	s := series(x, func(t *big.Float, k int64) {
		p.Neg(p.Mul(p, square))
		t.Set(p)
		over(t, 2*k+1)
	})
	return scaled(s, halvings)
}

// machin is π.
func machin() *big.Float {
	part := func(n, d int64) *big.Float {
		x := newReal().SetInt64(1)
		over(x, d)
		square := newReal().Mul(x, x)
		p := newReal().Set(x)
		s := series(x, func(t *big.Float, k int64) {
			p.Neg(p.Mul(p, square))
			t.Set(p)
			over(t, 2*k+1)
		})
		return s.Mul(s, newReal().SetInt64(n))
	}
	return newReal().Sub(part(16, 5), part(4, 239))
}

// atan2 is the angle of (x, a).
func (a real) atan2(b number) number {
	if a.f.Sign() == 0 && b.(real).f.Sign() == 0 {
		panic(undefined{})
	}
	y, x := newReal().Abs(a.f), newReal().Abs(b.(real).f)
	turned := y.Cmp(x) > 0
	if turned {
		x, y = y, x
	}
	p := arctan(newReal().Quo(y, x))
	if turned {
		p.Sub(scaled(piValue, -1), p)
	}
	if b.(real).f.Sign() < 0 {
		p.Sub(piValue, p)
	}
	if a.f.Sign() < 0 {
		p.Neg(p)
	}
	return real{p}
}

// sinCos reduces by π/2 and evaluates the series.
func (a real) sinCos() (sin, cos *big.Float) {
	half := scaled(piValue, -1)
	q := real{newReal().Quo(a.f, half)}.whole(toEven).(real).f
	r := newReal().Sub(a.f, newReal().Mul(q, half))
	square := newReal().Mul(r, r)
	sin = series(r, func(t *big.Float, k int64) { t.Neg(t.Mul(t, square)); over(t, 2*k*(2*k+1)) })
	cos = series(newReal().SetInt64(1), func(t *big.Float, k int64) { t.Neg(t.Mul(t, square)); over(t, 2*k*(2*k-1)) })
	n, _ := q.Int(nil)
	for range n.Mod(n, big.NewInt(4)).Int64() {
		sin, cos = cos, sin.Neg(sin)
	}
	return sin, cos
}

func (a real) sin() number { s, _ := a.sinCos(); return real{s} }
func (a real) cos() number { _, c := a.sinCos(); return real{c} }

// float is the value as a float64, rounded, for messages.
func (a real) float() float64 { f, _ := a.f.Float64(); return f }
