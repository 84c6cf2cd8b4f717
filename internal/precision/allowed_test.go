package precision

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"
)

// next returns the number of 32 bits n steps from x.
func next(x float64, n int) float64 {
	v := float32(x)
	for ; n > 0; n-- {
		v = math.Nextafter32(v, float32(math.Inf(1)))
	}
	for ; n < 0; n++ {
		v = math.Nextafter32(v, float32(math.Inf(-1)))
	}
	return float64(v)
}

// TestAllowed has results at both sides of each limit that the specification's text defines.
func TestAllowed(t *testing.T) {
	one := func(x ...float64) [][]float64 {
		list := make([][]float64, len(x))
		for i, v := range x {
			list[i] = []float64{v}
		}
		return list
	}
	third := float64(float32(1) / 3)
	ulp := 0x1p-25 // of 1/3
	inf, nan, most := math.Inf(1), math.NaN(), float64(math.MaxFloat32)
	denormal := 0x1p-130
	for _, c := range []struct {
		name     string
		bits     int
		x        [][]float64
		yes, not []float64
	}{
		{"OpFAdd", 32, one(1, 2), []float64{3}, []float64{next(3, 1), next(3, -1), nan}},
		{"OpFAdd", 32, one(1, 0x1p-30), []float64{1, next(1, 1)}, []float64{next(1, 2), next(1, -1)}}, // either neighbor
		{"OpFAdd", 32, one(most, most), []float64{most, inf}, []float64{-inf, next(most, -1), nan}},
		{"OpFAdd", 32, one(inf, 1), []float64{inf, nan, 7}, nil},
		{"OpFMul", 32, one(denormal, 1), []float64{denormal, 0}, []float64{denormal / 2, 2 * denormal}},
		{"OpFAdd", 64, one(1, 0x1p-60), []float64{1, 1 + 0x1p-52, 1 + 0x1p-23}, []float64{1 - 0x1p-40, 1 + 0x1p-22}},
		{"OpFAdd", 64, one(1, 0x1p-1000), []float64{1, 1 + 0x1p-23}, []float64{1 - 0x1p-24, 1 + 0x1p-22}}, // the sum has 1001 bits
		{"OpFSub", 64, one(1, 0x1p-1000), []float64{1, 1 - 0x1p-24}, []float64{1 + 0x1p-23, 1 - 0x1p-23}},
		{"OpFDiv", 32, one(1, 3), []float64{third, third + 2*ulp, third - 2*ulp}, []float64{third + 3*ulp, third - 3*ulp}},
		{"OpFDiv", 32, one(1, 0), []float64{inf, nan, 1}, nil},
		{"OpFDiv", 32, one(0x1p-10, 0x1p127), []float64{1}, nil}, // no bound for a divisor beyond 2^126
		{"FAbs", 32, one(-3), []float64{3}, []float64{next(3, 1), -3}},
		{"FMin", 32, one(0, math.Copysign(0, -1)), []float64{0, math.Copysign(0, -1)}, []float64{1}},
		{"Round", 32, one(2.5), []float64{2, 3}, []float64{2.5, 1, 4}},
		{"RoundEven", 32, one(2.5), []float64{2}, []float64{3}},
		{"Exp2", 32, one(1), []float64{2, next(2, 2), next(2, -5)}, []float64{next(2, 3), next(2, -6)}}, // 3 + 2·1 ULP, of the numbers below 2
		{"Exp2", 16, one(1), []float64{2 + 0x1p-9, 2 - 3*0x1p-10}, []float64{2 + 0x1p-8, 2 - 4*0x1p-10}},
		{"Log2", 32, one(1.5), []float64{math.Log2(1.5) + 0x1p-22}, []float64{math.Log2(1.5) + 0x1p-20}},
		{"Log2", 32, one(8), []float64{next(3, 3), next(3, -3)}, []float64{next(3, 4), next(3, -4)}},
		{"Sin", 32, one(1), []float64{0.8415, 0.8411}, []float64{0.8425, 0.84}},
		{"Sin", 32, one(4), []float64{0, 7}, nil}, // beyond π
		{"InverseSqrt", 32, one(4), []float64{next(0.5, 1), next(0.5, -2)}, []float64{next(0.5, 2), next(0.5, -3)}},
		{"Sqrt", 32, one(-1), []float64{nan, 0}, nil},
		{"Sqrt", 32, one(4), []float64{2, next(2, 3)}, []float64{next(2, 9)}},
		{"Sqrt", 32, one(0), []float64{0}, []float64{1, nan}},
		{"Fma", 32, one(1+0x1p-12, 1+0x1p-12, -1-0x1p-11), []float64{0, 0x1p-24, 0x1p-23}, []float64{0x1p-22, -0x1p-24}}, // rounded once, or twice
		{"OpFmaKHR", 32, one(1+0x1p-12, 1+0x1p-12, -1-0x1p-11), []float64{0x1p-24}, []float64{0, 0x1p-23}},
		{"FClamp", 32, one(5, 2, 1), []float64{9}, nil},
		{"Step", 32, one(1, 1), []float64{1}, []float64{0}},
		{"Pow", 32, one(2, 3), []float64{8, next(8, 9), next(8, -9)}, []float64{8.1, nan}},
		{"Atan2", 16, one(1, 1), []float64{0.785}, []float64{0.8}},
		{"OpFConvert to 16", 32, one(1e6), []float64{65504, inf}, []float64{65472, nan}},
		{"OpQuantizeToF16", 32, one(0x1p-20), []float64{0x1p-20, 0}, []float64{0x1p-19}},
		{"Ldexp", 32, one(1.5, 20), []float64{1.5 * (1 << 20)}, []float64{0, next(1.5*(1<<20), 1), next(1.5*(1<<20), -1)}},
		{"Ldexp", 32, one(3, -150), []float64{0, 0x1p-149, 0x1p-148}, []float64{0x1.8p-148}}, // 1.5 of the least denormal number
		{"Ldexp", 32, one(1, 9000), []float64{most, inf}, []float64{1, nan}},
		{"Tanh", 32, one(600), []float64{1}, nil},
	} {
		s, err := Allowed(t.Context(), Query{Instruction: c.name, Bits: c.bits, Operands: c.x})
		if err != nil || len(s) != 1 {
			t.Fatal(c.name, err, s)
		}
		for _, v := range c.yes {
			if !s[0].Has(v) {
				t.Errorf("%s of %v: %.9g is not permitted; must be: %+v", c.name, c.x, v, s[0])
			}
		}
		for _, v := range c.not {
			if s[0].Has(v) {
				t.Errorf("%s of %v: %.9g is permitted; must not be: %+v", c.name, c.x, v, s[0])
			}
		}
	}
}

// TestHostileOperands: no shape and no number of operands panics.
func TestHostileOperands(t *testing.T) {
	values := []float64{1, -0.5, 0, math.Inf(-1), math.NaN(), 0x1p-149, math.MaxFloat64}
	for _, i := range append(Instructions(), Judged()...) {
		for operands := range 7 {
			for components := range 6 {
				for mixed := range 2 {
					x := make([][]float64, operands)
					for k := range x {
						n := components
						if mixed == 1 && k == operands-1 {
							n = 1 + components/2
						}
						for c := range n {
							x[k] = append(x[k], values[(operands+components+k+c)%len(values)])
						}
					}
					if _, err := Allowed(t.Context(), Query{Instruction: i.Name, Bits: i.Widths()[len(i.Widths())-1], Operands: x}); err == nil && operands == 0 {
						t.Errorf("%s without operands has results", i.Name)
					}
				}
			}
		}
	}
}

// TestEqualFormulas: sums in any order, and distributed products.
func TestEqualFormulas(t *testing.T) {
	big := float64(1 << 24)
	s, err := Allowed(t.Context(), Query{Instruction: "OpDot", Bits: 32, Operands: [][]float64{{big, 1, -big}, {1, 1, 1}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []float64{0, 1, 2} { // (2²⁴ + 1) − 2²⁴ is 0 or 2, 2²⁴ − 2²⁴ + 1 is 1
		if !s[0].Has(v) {
			t.Errorf("a dot product of %g is not permitted: %+v", v, s[0])
		}
	}
	if s[0].Has(4) {
		t.Errorf("a dot product of 4 is permitted: %+v", s[0])
	}
	// x·(1 − a) + y·a = x + a·(y − x): for x = y the first form has a rounding error, so that its neighbors are permitted.
	s, err = Allowed(t.Context(), Query{Instruction: "FMix", Bits: 32, Operands: [][]float64{{3}, {3}, {float64(float32(0.1))}}})
	if err != nil {
		t.Fatal(err)
	}
	if !s[0].Has(3) || !s[0].Has(next(3, 1)) || s[0].Has(next(3, 5)) {
		t.Errorf("FMix: %+v", s[0])
	}
	// A comparison of which both outcomes are possible: dot(Nref, I) is 0 up to rounding.
	s, err = Allowed(t.Context(), Query{Instruction: "FaceForward", Bits: 32, Operands: [][]float64{{1, 2}, {float64(float32(0.1)), float64(float32(0.3))}, {3, -1}}})
	if err != nil {
		t.Fatal(err)
	}
	if len(s) != 2 || !s[0].Has(1) || !s[0].Has(-1) {
		t.Errorf("FaceForward: %+v", s)
	}
}

// TestFlushedOperands: each denormal component may be flushed, of any number.
func TestFlushedOperands(t *testing.T) {
	d := 0x1p-130
	column := []float64{d, d, d, d}
	s, err := Allowed(t.Context(), Query{Instruction: "OpMatrixTimesScalar", Bits: 32, Operands: [][]float64{column, column, column, column, {0x1p20}}})
	if err != nil {
		t.Fatal(err)
	}
	for n := range s {
		if !s[n].Has(0) || !s[n].Has(0x1p-110) || s[n].Has(0x1p-109) {
			t.Errorf("component %d: %+v", n, s[n])
		}
	}
	s, err = Allowed(t.Context(), Query{Instruction: "OpVectorTimesScalar", Bits: 32, Operands: [][]float64{{d, 1}, {0x1p20}}})
	if err != nil {
		t.Fatal(err)
	}
	if !s[0].Has(0) || !s[0].Has(0x1p-110) || s[0].Has(0x1p-111) || s[1].Has(0) {
		t.Errorf("one denormal component: %+v", s)
	}
	if s, err = Allowed(t.Context(), Query{Instruction: "Refract", Bits: 32, Operands: [][]float64{column, column, {d}}}); err != nil || s[3].Any || !s[3].Has(0) || s[3].Has(1) {
		t.Errorf("Refract of denormal numbers: %v, %v", s, err)
	}
}

// TestAllowedStops: the search for equal formulas ends with its context.
func TestAllowedStops(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	x := []float64{1, 2, 3, 4}
	if s, err := Allowed(ctx, Query{Instruction: "Distance", Bits: 32, Operands: [][]float64{x, {4, 5, 7, 6}}}); !errors.Is(err, context.DeadlineExceeded) || s != nil {
		t.Errorf("after the context's end: %v, %v", s, err)
	}
}
