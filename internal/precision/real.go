package precision

import (
	"math"
	"math/big"
)

// Digits is the precision of exact arithmetic in bits. The argument of a sine may
// be 2¹²⁷, and its reduction loses as many.
const Digits = 400

// Real is a number of math/big.
type Real struct{ Big *big.Float }

// NewReal returns a variable of the precision of all exact arithmetic.
func NewReal() *big.Float { return new(big.Float).SetPrec(Digits) }

// RealOf returns a finite number.
func RealOf(x float64) Number {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		panic(Undefined{})
	}
	return Real{NewReal().SetFloat64(x)}
}

// Num returns a finite number.
func (a Real) Num(x float64) Number { return RealOf(x) }

// Pi returns π.
func (a Real) Pi() Number { return Real{piValue} }

func (a Real) both(b Number, f func(x, y *big.Float) *big.Float) Number {
	return Real{f(a.Big, b.(Real).Big)}
}

// Add returns a + b.
func (a Real) Add(b Number) Number {
	return a.both(b, func(x, y *big.Float) *big.Float { return NewReal().Add(x, y) })
}

// Sub returns a − b.
func (a Real) Sub(b Number) Number {
	return a.both(b, func(x, y *big.Float) *big.Float { return NewReal().Sub(x, y) })
}

// Mul returns a·b.
func (a Real) Mul(b Number) Number {
	return a.both(b, func(x, y *big.Float) *big.Float { return NewReal().Mul(x, y) })
}

// Div returns a/b, which is undefined for a zero b.
func (a Real) Div(b Number) Number {
	if b.(Real).Big.Sign() == 0 {
		panic(Undefined{})
	}
	return Real{NewReal().Quo(a.Big, b.(Real).Big)}
}

// Less reports whether a < b.
func (a Real) Less(b Number) bool { return a.Big.Cmp(b.(Real).Big) < 0 }

// Sqrt returns the square root, which is undefined for negative numbers.
func (a Real) Sqrt() Number {
	if a.Big.Sign() < 0 {
		panic(Undefined{})
	}
	return Real{NewReal().Sqrt(a.Big)}
}

// Rsqrt returns the reciprocal of the square root, which is undefined for 0 and negative numbers.
func (a Real) Rsqrt() Number { return one().Div(a.Sqrt()) }

func one() Real { return Real{NewReal().SetInt64(1)} }

// Whole rounds to a whole number.
func (a Real) Whole(kind Rounding) Number {
	i, acc := a.Big.Int(nil)
	r := NewReal().SetInt(i)
	up := func() { r.Add(r, big.NewFloat(1)) }
	switch {
	case acc == big.Exact || kind == ToZero:
	case kind == Down && a.Big.Sign() < 0:
		r.Sub(r, big.NewFloat(1))
	case kind == Up && a.Big.Sign() > 0:
		up()
	case kind == ToEven:
		rest := NewReal().Sub(a.Big, r)
		c := NewReal().Abs(rest).Cmp(big.NewFloat(0.5))
		if c > 0 || c == 0 && i.Bit(0) == 1 {
			r.Add(r, big.NewFloat(float64(rest.Sign())))
		}
	}
	return Real{r}
}

// scaled returns x·2^n.
func scaled(x *big.Float, n int) *big.Float { return NewReal().SetMantExp(x, n) }

// series sums the terms of a series until they vanish: next makes term k of the term before it.
func series(first *big.Float, next func(t *big.Float, k int64)) *big.Float {
	sum, t := NewReal().Set(first), NewReal().Set(first)
	for k := int64(1); t.Sign() != 0 && (sum.Sign() == 0 || t.MantExp(nil) > sum.MantExp(nil)-Digits); k++ {
		next(t, k)
		sum.Add(sum, t)
	}
	return sum
}

// over divides by a whole number.
func over(t *big.Float, n int64) { t.Quo(t, NewReal().SetInt64(n)) }

// Exp returns e^a: the series of a small part of a, squared again and again.
func (a Real) Exp() Number {
	x := a.Big
	if x.MantExp(nil) > 12 { // beyond the range of any width
		x = NewReal().SetInt64(int64(4096 * x.Sign()))
	}
	const halvings = 24
	r := scaled(x, -halvings)
	s := series(NewReal().SetInt64(1), func(t *big.Float, k int64) { t.Mul(t, r); over(t, k) })
	for range halvings {
		s.Mul(s, s)
	}
	return Real{s}
}

// Exp2 returns 2^a, exactly for whole numbers: Ldexp multiplies by it and is correctly rounded.
func (a Real) Exp2() Number {
	if a.Big.IsInt() && a.Big.MantExp(nil) <= 13 {
		n, _ := a.Big.Int64()
		return Real{scaled(big.NewFloat(1), int(n))}
	}
	return Real{NewReal().Mul(a.Big, ln2Value)}.Exp()
}

// odd sums the series x + s·x³/3 + s²·x⁵/5 + …: for s = 1 the inverse hyperbolic tangent of x, for s = −1 the arctangent.
func odd(x *big.Float, s int64) *big.Float {
	square := NewReal().Mul(x, x)
	square.Mul(square, NewReal().SetInt64(s))
	p := NewReal().Set(x)
	return series(x, func(t *big.Float, k int64) {
		p.Mul(p, square)
		t.Set(p)
		over(t, 2*k+1)
	})
}

// reciprocal returns n times a function of 1/d.
func reciprocal(n, d int64, of func(x *big.Float) *big.Float) *big.Float {
	x := NewReal().SetInt64(1)
	over(x, d)
	return NewReal().Mul(NewReal().SetInt64(n), of(x))
}

// atanh is the inverse hyperbolic tangent of a small number.
func atanh(x *big.Float) *big.Float { return odd(x, 1) }

// Constants, made once.
var (
	ln2Value = ln2()
	piValue  = machin()
)

// ln2 returns ln 2 = 18 atanh 1/26 − 2 atanh 1/4801 + 8 atanh 1/8749.
func ln2() *big.Float {
	s := reciprocal(18, 26, atanh)
	s.Add(s, reciprocal(-2, 4801, atanh))
	return s.Add(s, reciprocal(8, 8749, atanh))
}

// Log returns the natural logarithm, which is undefined for 0 and negative numbers.
func (a Real) Log() Number {
	if a.Big.Sign() <= 0 {
		panic(Undefined{})
	}
	m := NewReal()
	e := a.Big.MantExp(m)
	if m.Cmp(big.NewFloat(math.Sqrt2/2)) < 0 {
		m, e = scaled(m, 1), e-1
	}
	// log m = 2 atanh((m − 1)/(m + 1)); the series is short for the 256th root of m, which is near 1.
	const roots = 8
	for range roots {
		m.Sqrt(m)
	}
	q := NewReal().Quo(NewReal().Sub(m, big.NewFloat(1)), NewReal().Add(m, big.NewFloat(1)))
	s := scaled(atanh(q), 1+roots)
	return Real{s.Add(s, NewReal().Mul(NewReal().SetInt64(int64(e)), ln2Value))}
}

// Log2 returns the logarithm to base 2, which is undefined for 0 and negative numbers.
func (a Real) Log2() Number {
	return a.Log().Div(Real{ln2Value})
}

// arctan is the arctangent of a number from 0 to 1.
func arctan(x *big.Float) *big.Float {
	const halvings = 8
	x = NewReal().Set(x)
	for range halvings { // tan(a/2) = x/(1 + √(1 + x²))
		r := NewReal().Mul(x, x)
		r.Add(r, big.NewFloat(1))
		r.Sqrt(r)
		x.Quo(x, r.Add(r, big.NewFloat(1)))
	}
	return scaled(odd(x, -1), halvings)
}

// machin returns π by Machin's formula: 16 arctan 1/5 − 4 arctan 1/239.
func machin() *big.Float {
	atan := func(x *big.Float) *big.Float { return odd(x, -1) }
	return NewReal().Sub(reciprocal(16, 5, atan), reciprocal(4, 239, atan))
}

// Atan2 is the angle of the point (b, a).
func (a Real) Atan2(b Number) Number {
	if a.Big.Sign() == 0 && b.(Real).Big.Sign() == 0 {
		panic(Undefined{})
	}
	y, x := NewReal().Abs(a.Big), NewReal().Abs(b.(Real).Big)
	turned := y.Cmp(x) > 0
	if turned {
		x, y = y, x
	}
	p := arctan(NewReal().Quo(y, x))
	if turned {
		p.Sub(scaled(piValue, -1), p)
	}
	if b.(Real).Big.Sign() < 0 {
		p.Sub(piValue, p)
	}
	if a.Big.Sign() < 0 {
		p.Neg(p)
	}
	return Real{p}
}

// sinCos reduces by π/2 and evaluates the series.
func (a Real) sinCos() (sin, cos *big.Float) {
	half := scaled(piValue, -1)
	q := Real{NewReal().Quo(a.Big, half)}.Whole(ToEven).(Real).Big
	r := NewReal().Sub(a.Big, NewReal().Mul(q, half))
	square := NewReal().Mul(r, r)
	sin = series(r, func(t *big.Float, k int64) { t.Neg(t.Mul(t, square)); over(t, 2*k*(2*k+1)) })
	cos = series(NewReal().SetInt64(1), func(t *big.Float, k int64) { t.Neg(t.Mul(t, square)); over(t, 2*k*(2*k-1)) })
	n, _ := q.Int(nil)
	for range n.Mod(n, big.NewInt(4)).Int64() {
		sin, cos = cos, sin.Neg(sin)
	}
	return sin, cos
}

// Sin returns the sine of an angle in radians.
func (a Real) Sin() Number { s, _ := a.sinCos(); return Real{s} }

// Cos returns the cosine of an angle in radians.
func (a Real) Cos() Number { _, c := a.sinCos(); return Real{c} }

// Significand returns the number in [0.5, 1) times a power of two, with its sign.
func (a Real) Significand() Number {
	m := NewReal()
	a.Big.MantExp(m)
	return Real{m}
}

// Float returns the value as a rounded float64, for messages.
func (a Real) Float() float64 { f, _ := a.Big.Float64(); return f }
