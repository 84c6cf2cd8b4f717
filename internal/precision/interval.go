package precision

import (
	"math"
	"math/big"
)

// format is a floating-point format of results. Vulkan bounds the error of 64-bit instructions by the bounds of 32 bits: a
// 64-bit format has the range of 64 bits and the unit in the last place of 32 bits.
type format struct {
	bits   int
	digits int // bits of the significand, with the leading one
	least  int // exponent of the least denormal number
	normal int // exponent of the least normal number
	most   *big.Float
	// The negative of most, and the normal numbers next to zero.
	negativeMost, leastNormal, negativeNormal *big.Float
	// flush permits zero for each denormal operand and result.
	flush bool
}

// formatOf returns the format of a width.
func formatOf(bits int, flush bool) *format {
	f := &format{bits: bits, flush: flush}
	most := 0.0
	switch bits {
	case 16:
		f.digits, f.least, f.normal, most = 11, -24, -14, 65504
	case 32:
		f.digits, f.least, f.normal, most = 24, -149, -126, math.MaxFloat32
	default:
		f.digits, f.least, f.normal, most = 24, -1074, -1022, math.MaxFloat64
	}
	f.most, f.negativeMost = NewReal().SetFloat64(most), NewReal().SetFloat64(-most)
	f.leastNormal, f.negativeNormal = scaled(big.NewFloat(1), f.normal), scaled(big.NewFloat(-1), f.normal)
	return f
}

// interval is a closed range of numbers; the ends may be infinite.
type interval struct{ lo, hi *big.Float }

func point(x *big.Float) interval { return interval{x, x} }

// hull returns the least range that contains both.
func (a interval) hull(b interval) interval {
	if b.lo.Cmp(a.lo) < 0 {
		a.lo = b.lo
	}
	if b.hi.Cmp(a.hi) > 0 {
		a.hi = b.hi
	}
	return a
}

// ends returns the ends of a range; of a point one.
func (a interval) ends() []*big.Float {
	if a.lo == a.hi {
		return []*big.Float{a.lo}
	}
	return []*big.Float{a.lo, a.hi}
}

func (a interval) has(x *big.Float) bool { return a.lo.Cmp(x) <= 0 && x.Cmp(a.hi) <= 0 }

// ulp returns the unit in the last place of a finite x: the least distance of two different numbers of the format with x
// between them.
func (f *format) ulp(x *big.Float) *big.Float {
	if x.Sign() == 0 {
		return scaled(big.NewFloat(1), f.least)
	}
	e := x.MantExp(nil)
	if m := NewReal(); x.MantExp(m) == e && m.Abs(m).Cmp(big.NewFloat(0.5)) == 0 { // a power of two
		e--
	}
	return scaled(big.NewFloat(1), max(e-f.digits, f.least))
}

// toward returns the number of the format next to x: the greatest one that is not greater (Down), or the least one that is not
// less (Up).
func (f *format) toward(x *big.Float, r Rounding) *big.Float {
	if x.IsInf() || x.Sign() == 0 {
		return x
	}
	e := x.MantExp(nil)
	last := max(e-f.digits, f.least) // exponent of the quantum
	up := r == Up
	if e <= last { // less than the quantum
		switch {
		case up == (x.Sign() < 0):
			return NewReal()
		case up:
			return scaled(big.NewFloat(1), last)
		}
		return scaled(big.NewFloat(-1), last)
	}
	mode := big.ToNegativeInf
	if up {
		mode = big.ToPositiveInf
	}
	return new(big.Float).SetPrec(uint(e - last)).SetMode(mode).Set(x).SetMode(big.ToNearestEven).SetPrec(Digits)
}

// settled widens a range of results by the numbers that every instruction may return instead: beyond the greatest number the
// greatest or infinity, and zero for denormal numbers.
func (f *format) settled(a interval) interval {
	if a.hi.Cmp(f.most) > 0 {
		a.hi = NewReal().SetInf(false)
		if a.lo.Cmp(f.most) > 0 {
			a.lo = f.most
		}
	}
	if a.lo.Cmp(f.negativeMost) < 0 {
		a.lo = NewReal().SetInf(true)
		if a.hi.Cmp(f.negativeMost) < 0 {
			a.hi = f.negativeMost
		}
	}
	if !f.flush {
		return a
	}
	if a.lo.Sign() > 0 && a.lo.Cmp(f.leastNormal) < 0 {
		a.lo = NewReal()
	}
	if a.hi.Sign() < 0 && a.hi.Cmp(f.negativeNormal) > 0 {
		a.hi = NewReal()
	}
	return a
}

// rounded returns the permitted results of a correctly rounded step with the exact values of a range: either neighbor of each.
func (f *format) rounded(a interval) interval {
	return f.settled(interval{f.toward(a.lo, Down), f.toward(a.hi, Up)})
}

// within returns the permitted results of a step with an error: low and high are the errors at the ends.
func (f *format) within(a interval, low, high *big.Float) interval {
	lo, hi := a.lo, a.hi
	if !lo.IsInf() {
		lo = f.toward(NewReal().Sub(lo, low), Up)
	}
	if !hi.IsInf() {
		hi = f.toward(NewReal().Add(hi, high), Down)
	}
	if lo.Cmp(hi) > 0 { // no number of the format is within the error
		return f.rounded(a)
	}
	return f.settled(interval{lo, hi})
}

// ulps returns the permitted results of a step with an error of n ULP, of low and high ULP at the ends.
func (f *format) ulps(a interval, low, high float64) interval {
	errorOf := func(x *big.Float, n float64) *big.Float {
		if x.IsInf() {
			return NewReal()
		}
		return NewReal().Mul(f.ulp(x), NewReal().SetFloat64(n))
	}
	return f.within(a, errorOf(a.lo, low), errorOf(a.hi, high))
}

// absolute returns the permitted results of a step with an absolute error.
func (f *format) absolute(a interval, e float64) interval {
	x := NewReal().SetFloat64(e)
	return f.within(a, x, x)
}

// exactly computes both ends of an operation with directed rounding. An operation on infinite ends without a result, such as
// ∞ − ∞, is undefined.
func exactly(f func(z, x, y *big.Float) *big.Float, low, high [2]*big.Float) interval {
	end := func(x [2]*big.Float, mode big.RoundingMode) (z *big.Float) {
		defer func() {
			if r := recover(); r != nil {
				if _, ok := r.(big.ErrNaN); !ok {
					panic(r)
				}
				panic(Undefined{})
			}
		}()
		return f(NewReal().SetMode(mode), x[0], x[1])
	}
	lo := end(low, big.ToNegativeInf)
	if low == high && lo.Acc() == big.Exact {
		return point(lo.SetMode(big.ToNearestEven))
	}
	return interval{lo.SetMode(big.ToNearestEven), end(high, big.ToPositiveInf).SetMode(big.ToNearestEven)}
}

// infinite reports whether a range contains −∞ or ∞.
func (a interval) infinite() bool { return a.lo.IsInf() || a.hi.IsInf() }

func (a interval) plus(b interval) interval {
	if a.lo.IsInf() && a.lo.Sign() < 0 && b.hi.IsInf() && b.hi.Sign() > 0 || b.lo.IsInf() && b.lo.Sign() < 0 && a.hi.IsInf() && a.hi.Sign() > 0 {
		panic(Undefined{}) // ∞ − ∞
	}
	return exactly((*big.Float).Add, [2]*big.Float{a.lo, b.lo}, [2]*big.Float{a.hi, b.hi})
}

// corners returns the range of an operation that is monotone in each operand.
func (a interval) corners(b interval, f func(z, x, y *big.Float) *big.Float) (r interval) {
	for i, x := range a.ends() {
		for j, y := range b.ends() {
			v := exactly(f, [2]*big.Float{x, y}, [2]*big.Float{x, y})
			if i+j == 0 {
				r = v
			}
			r = r.hull(v)
		}
	}
	return r
}

func (a interval) times(b interval) interval {
	if zero := NewReal(); a.infinite() && b.has(zero) || b.infinite() && a.has(zero) { // 0·∞
		panic(Undefined{})
	}
	return a.corners(b, (*big.Float).Mul)
}

// over divides. The precision of a quotient is defined for divisors from 2^-126 to 2^126 (32 bits) alone; the reciprocal of
// ∞, which is the InverseSqrt of 0, is 0.
func (f *format) over(a, b interval) interval {
	if b.lo.Sign() <= 0 && b.hi.Sign() >= 0 || a.infinite() && b.infinite() {
		panic(Undefined{})
	}
	least, most := scaled(big.NewFloat(1), f.normal), scaled(big.NewFloat(1), -f.normal)
	for _, y := range []*big.Float{b.lo, b.hi} {
		if y = NewReal().Abs(y); !y.IsInf() && (y.Cmp(least) < 0 || y.Cmp(most) > 0) {
			panic(Undefined{})
		}
	}
	return f.ulps(a.corners(b, (*big.Float).Quo), 2.5, 2.5)
}

// value returns a function of a number. The series of a function has an error in its last bits: rounding removes it from
// values that are exact, such as the logarithm of a power of two.
func value(x Number) *big.Float {
	return NewReal().Set(new(big.Float).SetPrec(Digits - 64).Set(x.(Real).Big))
}

// image returns the range of an increasing function.
func (a interval) image(f func(x Real) Number) interval {
	return interval{value(f(Real{a.lo})), value(f(Real{a.hi}))}
}

func (f *format) rsqrt(a interval) interval {
	switch {
	case a.lo.Sign() < 0:
		panic(Undefined{})
	case a.hi.Sign() == 0:
		return point(NewReal().SetInf(false))
	}
	end := func(x *big.Float) *big.Float {
		switch {
		case x.IsInf():
			return NewReal()
		case x.Sign() == 0:
			return NewReal().SetInf(false)
		}
		return Real{x}.Rsqrt().(Real).Big
	}
	return f.ulps(interval{end(a.hi), end(a.lo)}, 2, 2)
}

// power is e or 2 to the power a: 3 + 2·|x| ULP, and 1 + 2·|x| of 16 bits.
func (f *format) power(a interval, of func(Real) Number) interval {
	n := 3.0
	if f.bits == 16 {
		n = 1
	}
	count := func(x *big.Float) float64 {
		v, _ := x.Float64()
		return n + 2*math.Abs(v)
	}
	end := func(x Real) Number {
		switch {
		case x.Big.IsInf() && x.Big.Sign() < 0:
			return Real{NewReal()}
		case x.Big.IsInf():
			return x
		}
		return of(x)
	}
	r := a.image(end)
	if a.lo.IsInf() || a.hi.IsInf() {
		return f.settled(interval{f.toward(r.lo, Down), f.toward(r.hi, Up)})
	}
	return f.ulps(r, count(a.lo), count(a.hi))
}

// logarithm is 3 ULP, and from 1/2 to 2 an absolute error of 2⁻²¹, or 2⁻⁷ of 16 bits.
func (f *format) logarithm(a interval, of func(Real) Number) interval {
	if a.lo.Sign() <= 0 {
		panic(Undefined{})
	}
	absolute := 0x1p-21
	if f.bits == 16 {
		absolute = 0x1p-7
	}
	end := func(x Real) Number {
		if x.Big.IsInf() {
			return x
		}
		return of(x)
	}
	r := a.image(end)
	errorOf := func(x, y *big.Float) *big.Float {
		switch {
		case y.IsInf():
			return NewReal()
		case x.Cmp(big.NewFloat(0.5)) >= 0 && x.Cmp(big.NewFloat(2)) <= 0:
			return NewReal().SetFloat64(absolute)
		}
		return NewReal().Mul(f.ulp(y), big.NewFloat(3))
	}
	return f.within(r, errorOf(a.lo, r.lo), errorOf(a.hi, r.hi))
}

// circular is the sine or the cosine: an absolute error from −π to π, and no bound beyond. turns are the arguments of the
// extremes.
func (f *format) circular(a interval, of func(Real) Number, turns []*big.Float) interval {
	if !(interval{NewReal().Neg(piValue), piValue}).has(a.lo) || a.hi.Cmp(piValue) > 0 {
		panic(Undefined{})
	}
	r := point(value(of(Real{a.lo}))).hull(point(value(of(Real{a.hi}))))
	for _, t := range turns {
		if a.has(t) {
			r = r.hull(point(value(of(Real{t}))))
		}
	}
	if f.bits == 16 {
		return f.absolute(r, 0x1p-7)
	}
	return f.absolute(r, 0x1p-11)
}

// atan2 is the angle of the points of a rectangle: 4096 ULP, and 5 of 16 bits.
func (f *format) atan2(y, x interval) interval {
	n := 4096.0
	if f.bits == 16 {
		n = 5
	}
	zero := NewReal()
	for _, end := range []*big.Float{y.lo, y.hi, x.lo, x.hi} {
		if end.IsInf() {
			panic(Undefined{})
		}
	}
	if y.has(zero) && x.has(zero) {
		panic(Undefined{})
	}
	if x.lo.Sign() < 0 && y.lo.Sign() < 0 && y.hi.Sign() >= 0 { // both sides of the branch cut
		return f.ulps(interval{NewReal().Neg(piValue), piValue}, n, n)
	}
	var r interval
	for i, v := range []*big.Float{y.lo, y.hi} { // without the origin, the extremes are at corners
		for j, u := range []*big.Float{x.lo, x.hi} {
			p := point(value(Real{v}.Atan2(Real{u})))
			if i+j == 0 {
				r = p
			}
			r = r.hull(p)
		}
	}
	return f.ulps(r, n, n)
}

func (a interval) whole(r Rounding) interval {
	end := func(x Real) Number {
		if x.Big.IsInf() {
			return x
		}
		return x.Whole(r)
	}
	return a.image(end)
}
