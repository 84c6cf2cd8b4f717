package oracle

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/precision"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// fast returns the range of a sum, a difference, a product, a negation or an absolute value of 32-bit numbers without arithmetic of
// many digits. ok is false for the other instructions, and if an end is denormal or infinite: package precision then has the rules.
func fast(op spirv.Op, x []precision.Range) (r precision.Range, ok bool) {
	for _, a := range x {
		if !normal(a.Low) || !normal(a.High) {
			return r, false
		}
	}
	switch op {
	case spirv.OpFNegate:
		return precision.Range{Low: -x[0].High, High: -x[0].Low}, true
	case spirv.OpFAdd:
		r = precision.Range{Low: down(sum2(x[0].Low, x[1].Low)), High: up(sum2(x[0].High, x[1].High))}
	case spirv.OpFSub:
		r = precision.Range{Low: down(sum2(x[0].Low, -x[1].High)), High: up(sum2(x[0].High, -x[1].Low))}
	case spirv.OpFMul: // the product of two 24-bit significands is exact in 53 bits
		low, high := math.Inf(1), math.Inf(-1)
		for _, a := range [...]float64{x[0].Low, x[0].High} {
			for _, b := range [...]float64{x[1].Low, x[1].High} {
				low, high = min(low, a*b), max(high, a*b)
			}
		}
		r = precision.Range{Low: down(low, 0), High: up(high, 0)}
	default:
		return r, false
	}
	return r, normal(r.Low) && normal(r.High)
}

// normal reports whether a number is zero or a normal number of 32 bits.
func normal(v float64) bool {
	a := math.Abs(v)
	return a == 0 || a >= 0x1p-126 && a <= math.MaxFloat32
}

// sum2 returns a+b rounded to 64 bits and the error: their sum is exact (Knuth, TwoSum).
func sum2(a, b float64) (s, e float64) {
	s = a + b
	t := s - a
	return s, (a - (s - t)) + (b - t)
}

// down returns the greatest number of 32 bits that is at most x+e, where e is the error of x.
func down(x, e float64) float64 {
	f := float32(x)
	if v := float64(f); v > x || v == x && e < 0 {
		f = math.Nextafter32(f, float32(math.Inf(-1)))
	}
	return float64(f)
}

// up returns the least number of 32 bits that is at least x+e.
func up(x, e float64) float64 { return -down(-x, -e) }
