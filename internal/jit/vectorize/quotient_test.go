package vectorize

import (
	"math"
	"testing"
)

// TestFactors: a number of few bits times the factors of a divisor has the bits of the quotient, in every
// case. Divisors for which that is not known have no factors.
func TestFactors(t *testing.T) {
	for _, d := range []float32{255, 1, 2, 3, 5, 7, 10, 127, 63, 31, 0.1, 1.0 / 3, 1e-10, 1e17, 16777213} {
		f := findFactors(uint64(math.Float32bits(d)), maxDividendBits)
		if !f.ok {
			t.Logf("%v is divided by", d)
			continue
		}
		high, low := math.Float32frombits(uint32(f.high)), math.Float32frombits(uint32(f.low))
		for n := range 1 << maxDividendBits {
			x := float32(n)
			got := float32(x * high)
			if f.fused {
				// Only the last sum is inexact in 64 bits, and its operands differ much in magnitude.
				got = float32(float64(x)*float64(high) + float64(float32(x*low)))
			}
			if want := x / d; got != want {
				t.Errorf("%v/%v = %v, want %v", x, d, got, want)
			}
		}
	}
	for _, d := range []float32{0, -255, 1e-30, 1e30, float32(math.Inf(1)), float32(math.NaN())} {
		if findFactors(uint64(math.Float32bits(d)), maxDividendBits).ok {
			t.Errorf("%v has factors", d)
		}
	}
	if f := findFactors(uint64(math.Float32bits(255)), maxDividendBits); !f.ok {
		t.Error("255 has none")
	}
}
