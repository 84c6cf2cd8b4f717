package scalar

import "math"

// SignBit returns the sign bit of width w.
func SignBit(w uint8) uint64 { return 1 << (w - 1) }

// NaN returns the canonical NaN: sign 0, and only the quiet bit of the fraction set.
func NaN(w uint8) uint64 { return inf(w) | 1<<(fraction(w)-1) }

// fraction returns the number of fraction bits of a float of width w.
func fraction(w uint8) uint8 {
	switch w {
	case 16:
		return 10
	case 32:
		return 23
	}
	return 52
}

// inf returns +∞, which is also the mask of the exponent.
func inf(w uint8) uint64 { return Mask(w-1) &^ (1<<fraction(w) - 1) }

// IsNaN reports whether x is a NaN.
func IsNaN(w uint8, x uint64) bool { return x&Mask(w-1) > inf(w) }

// F32 returns the float32 with the bits x.
func F32(x uint64) float32 { return math.Float32frombits(uint32(x)) }

// F64 returns the float64 with the bits x.
func F64(x uint64) float64 { return math.Float64frombits(x) }

// Bits32 returns the bits of f.
func Bits32(f float32) uint64 { return uint64(math.Float32bits(f)) }

// Bits64 returns the bits of f.
func Bits64(f float64) uint64 { return math.Float64bits(f) }

// Float returns the value of x, exactly.
func Float(w uint8, x uint64) float64 {
	switch w {
	case 16:
		return Widen(Binary16, x)
	case 32:
		return float64(F32(x))
	}
	return F64(x)
}

// FromFloat returns v rounded to width w.
func FromFloat(w uint8, rtz bool, v float64) uint64 {
	switch w {
	case 16:
		return Narrow(Binary16, rtz, v)
	case 32:
		f := float32(v)
		b := Bits32(f)
		if rtz && math.Abs(float64(f)) > math.Abs(v) {
			b-- // of ∞ the greatest finite number
		}
		return b
	}
	return Bits64(v)
}

// FAdd returns x + y.
func FAdd(w uint8, rtz bool, x, y uint64) uint64 {
	if w == 32 && !rtz {
		return Bits32(float32(F32(x) + F32(y)))
	}
	return sum(w, rtz, Float(w, x), Float(w, y))
}

// FSub returns x − y.
func FSub(w uint8, rtz bool, x, y uint64) uint64 {
	if w == 32 && !rtz {
		return Bits32(float32(F32(x) - F32(y)))
	}
	return sum(w, rtz, Float(w, x), -Float(w, y))
}

// sum returns a + b rounded once to width w.
func sum(w uint8, rtz bool, a, b float64) uint64 {
	s := float64(a + b)
	if w < 64 {
		return FromFloat(w, rtz, odd(s, rest(a, b, s)))
	}
	if rtz && finite(a) && finite(b) {
		s = towardZero(s, func(e *exact) { e.add(a, 1).add(b, 1) })
	}
	return Bits64(s)
}

// FMul returns x · y.
func FMul(w uint8, rtz bool, x, y uint64) uint64 {
	if w == 32 && !rtz {
		return Bits32(float32(F32(x) * F32(y)))
	}
	a, b := Float(w, x), Float(w, y)
	p := float64(a * b) // exact for 16 and 32 bits
	if w == 64 && rtz && finite(a) && finite(b) {
		p = towardZero(p, func(e *exact) { e.add(a, b) })
	}
	return FromFloat(w, rtz, p)
}

// FDiv returns x / y. A number other than zero divided by zero is ∞, zero divided by
// zero is NaN.
func FDiv(w uint8, rtz bool, x, y uint64) uint64 {
	if w == 32 && !rtz {
		return Bits32(float32(F32(x) / F32(y)))
	}
	a, b := Float(w, x), Float(w, y)
	q := float64(a / b)
	if !finite(a) || !finite(b) || b == 0 {
		return FromFloat(w, rtz, q)
	}
	if w < 64 {
		r := math.FMA(-q, b, a) // exact: neither can leave the range
		if b < 0 {
			r = -r
		}
		q = odd(q, r)
	} else if rtz {
		q = quotientTowardZero(q, a, b)
	}
	return FromFloat(w, rtz, q)
}

// FRem returns x − y·trunc(x/y), exactly, with the sign of x. It is NaN if y is 0 or
// x infinite, and x if only y is infinite.
func FRem(w uint8, x, y uint64) uint64 {
	return FromFloat(w, false, math.Mod(Float(w, x), Float(w, y)))
}

// FFma returns x · y + z, rounded once.
func FFma(w uint8, rtz bool, x, y, z uint64) uint64 {
	if w == 32 && !rtz {
		// The product is exact. The sum has 29 bits more than the result. Unless the lowest 28 are
		// all zero, it is strictly between two floats of 32 bits and the middle between them, on
		// the side of the exact value: the second rounding has the result of a single one. Denormal
		// results have fewer bits: their middles have more zeros.
		s := float64(float64(F32(x))*float64(F32(y))) + float64(F32(z))
		if math.Float64bits(s)<<36 != 0 {
			return Bits32(float32(s))
		}
	}
	a, b, c := Float(w, x), Float(w, y), Float(w, z)
	if w < 64 {
		p := float64(a * b) // exact
		s := float64(p + c)
		return FromFloat(w, rtz, odd(s, rest(p, c, s)))
	}
	s := math.FMA(a, b, c)
	if rtz && finite(a) && finite(b) && finite(c) {
		s = towardZero(s, func(e *exact) { e.add(a, b).add(c, 1) })
	}
	return Bits64(s)
}

// FSqrt returns the square root: NaN for x < 0, −0 for −0.
func FSqrt(w uint8, rtz bool, x uint64) uint64 {
	a := Float(w, x)
	s := math.Sqrt(a)
	if !(a > 0) || !finite(a) {
		return FromFloat(w, rtz, s)
	}
	if w < 64 {
		s = odd(s, math.FMA(-s, s, a))
	} else if rtz {
		s = rootTowardZero(s, a)
	}
	return FromFloat(w, rtz, s)
}

// FNeg flips the sign, of NaN too.
func FNeg(w uint8, x uint64) uint64 { return x ^ SignBit(w) }

// FAbs clears the sign, of NaN too.
func FAbs(w uint8, x uint64) uint64 { return x &^ SignBit(w) }

// FFloor returns the greatest integral value that is at most x.
func FFloor(w uint8, x uint64) uint64 { return FromFloat(w, false, math.Floor(Float(w, x))) }

// FCeil returns the least integral value that is at least x.
func FCeil(w uint8, x uint64) uint64 { return FromFloat(w, false, math.Ceil(Float(w, x))) }

// FTrunc returns x rounded to an integral value toward zero.
func FTrunc(w uint8, x uint64) uint64 { return FromFloat(w, false, math.Trunc(Float(w, x))) }

// FRoundEven returns x rounded to the nearest integral value, ties to even.
func FRoundEven(w uint8, x uint64) uint64 {
	return FromFloat(w, false, math.RoundToEven(Float(w, x)))
}

// FLdexp returns x · 2^n, rounded once. n is a signed 32-bit integer.
func FLdexp(w uint8, x, n uint64) uint64 {
	// No float of 64 bits needs more than this to go from end to end.
	k := min(max(Signed(32, n), -2200), 2200)
	a := Float(w, x)
	if w < 64 {
		// Exact in 64 bits: 2^±400 moves any narrower number out of its range.
		k = min(max(k, -400), 400)
		return FromFloat(w, false, float64(a*power(k)))
	}
	return Bits64(scale(a, k))
}

// power returns 2^k for k from −1022 to 1023.
func power(k int64) float64 { return math.Float64frombits(uint64(k+1023) << 52) }

// scale returns a · 2^k rounded once.
func scale(a float64, k int64) float64 {
	if a == 0 || !finite(a) {
		return a
	}
	b := math.Float64bits(a)
	if b>>52&0x7ff == 0 {
		b = math.Float64bits(float64(a * power(64)))
		k -= 64
	}
	e := int64(b>>52&0x7ff) + k
	m := b &^ (0x7ff << 52)
	switch {
	case e >= 0x7ff:
		return math.Copysign(math.Inf(1), a)
	case e > 0:
		return math.Float64frombits(m | uint64(e)<<52)
	case e < -60:
		return math.Copysign(0, a)
	}
	return float64(math.Float64frombits(m|uint64(e+100)<<52) * power(-100))
}

// FCanon returns x, or the canonical NaN if x is a NaN.
func FCanon(w uint8, x uint64) uint64 {
	if IsNaN(w, x) {
		return NaN(w)
	}
	return x
}

// FFlush returns x, or the zero of its sign if x is denormal.
func FFlush(w uint8, x uint64) uint64 {
	if x&inf(w) == 0 {
		return x & SignBit(w)
	}
	return x
}
