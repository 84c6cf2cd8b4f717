package scalar

import (
	"math"
	"math/bits"
)

// FCvt converts a float of width from to width to, rounded once.
func FCvt(to, from uint8, rtz bool, x uint64) uint64 {
	return FromFloat(to, rtz, Float(from, x))
}

// FToS converts to a signed integer, toward zero. A number out of range becomes the
// nearest one in range, NaN becomes 0.
func FToS(to, from uint8, x uint64) uint64 {
	v := Float(from, x)
	top := power(int64(to) - 1)
	switch {
	case v != v:
		return 0
	case v >= top:
		return Mask(to - 1)
	case v <= -top:
		return SignBit(to)
	}
	return uint64(int64(v)) & Mask(to)
}

// FToU converts to an unsigned integer, toward zero. A number out of range becomes
// the nearest one in range, NaN becomes 0.
func FToU(to, from uint8, x uint64) uint64 {
	v := Float(from, x)
	switch {
	case !(v > 0):
		return 0
	case v >= power(int64(to)):
		return Mask(to)
	}
	return uint64(v)
}

// SToF converts a signed integer to a float.
func SToF(to, from uint8, rtz bool, x uint64) uint64 {
	if s := Signed(from, x); s < 0 {
		return SignBit(to) | UToF(to, 64, rtz, -uint64(s))
	}
	return UToF(to, from, rtz, x)
}

// UToF converts an unsigned integer to a float. Overflow of binary16 is ∞, or with
// rtz the greatest finite number.
func UToF(to, _ uint8, rtz bool, x uint64) uint64 {
	if rtz {
		// Without its lowest bits the number is exact.
		if drop := bits.Len64(x) - int(fraction(to)) - 1; drop > 0 {
			x = x >> drop << drop
		}
	}
	switch to {
	case 16:
		// float64 rounds integers above 2⁵³, which overflow anyway.
		return Narrow(Binary16, rtz, float64(x))
	case 32:
		return Bits32(float32(x))
	}
	return math.Float64bits(float64(x))
}
