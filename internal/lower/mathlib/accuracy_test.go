package mathlib

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/scalar"
)

// samples calls f with numbers between lo and hi: some evenly, some evenly by
// their bits.
func samples(lo, hi float32, n int, f func(float32)) {
	r := rand.New(rand.NewPCG(1, 2))
	order := func(x float32) int64 { // ascending with x
		b := int64(int32(math.Float32bits(x)))
		if b < 0 {
			return -(b & 0x7fffffff)
		}
		return b
	}
	back := func(i int64) float32 {
		if i < 0 {
			return math.Float32frombits(uint32(-i) | 1<<31)
		}
		return math.Float32frombits(uint32(i))
	}
	a, b := order(lo), order(hi)
	for range n {
		f(back(a + r.Int64N(b-a+1)))
		f(lo + (hi-lo)*r.Float32())
	}
	f(lo)
	f(hi)
}

const pi = math.Pi

// The error of each function over its usual range, in ULP of binary32, against
// float64.
func TestAccuracy(t *testing.T) {
	n := 40000
	if testing.Short() {
		n = 4000
	}
	rsqrt := func(x float64) float64 { return 1 / math.Sqrt(x) }
	for _, r := range []struct {
		name   string
		f      unaryFunc
		ref    func(float64) float64
		lo, hi float32
		bound  float64
	}{
		{"Sin", Sin, math.Sin, -pi, pi, 1.5}, {"Sin", Sin, math.Sin, -1 << 17, 1 << 17, 2}, {"Sin", Sin, math.Sin, 1 << 17, 1 << 20, 4},
		{"Cos", Cos, math.Cos, -pi, pi, 1.5}, {"Cos", Cos, math.Cos, -1 << 17, 1 << 17, 2}, {"Cos", Cos, math.Cos, 1 << 17, 1 << 20, 4},
		{"Tan", Tan, math.Tan, -pi, pi, 4}, {"Tan", Tan, math.Tan, -1 << 17, 1 << 17, 4}, {"Tan", Tan, math.Tan, 1 << 17, 1 << 20, 4},
		{"Asin", Asin, math.Asin, -1, 1, 2.5}, {"Acos", Acos, math.Acos, -1, 1, 2}, {"Atan", Atan, math.Atan, -inf, inf, 2},
		{"Atan", Atan, math.Atan, -4, 4, 2},
		{"Sinh", Sinh, math.Sinh, -90, 90, 3}, {"Sinh", Sinh, math.Sinh, -2, 2, 3}, {"Cosh", Cosh, math.Cosh, -90, 90, 2}, {"Tanh", Tanh, math.Tanh, -12, 12, 2.5}, {"Tanh", Tanh, math.Tanh, -1, 1, 2.5},
		{"Asinh", Asinh, math.Asinh, -math.MaxFloat32, math.MaxFloat32, 3.5}, {"Asinh", Asinh, math.Asinh, -4, 4, 3.5},
		{"Acosh", Acosh, math.Acosh, 1, math.MaxFloat32, 3.5}, {"Acosh", Acosh, math.Acosh, 1, 4, 3.5},
		{"Atanh", Atanh, math.Atanh, -1, 1, 3.5},
		{"Exp", Exp, math.Exp, -104, 89, 1.5}, {"Exp", Exp, math.Exp, -1, 1, 1.5}, {"Exp2", Exp2, math.Exp2, -150, 128, 1.5}, {"Exp2", Exp2, math.Exp2, -1, 1, 1.5},
		{"Log", Log, math.Log, 0, math.MaxFloat32, 1.5}, {"Log", Log, math.Log, 0.5, 2, 2}, {"Log2", Log2, log2, 0, math.MaxFloat32, 1.5}, {"Log2", Log2, log2, 0.5, 2, 2.5},
		{"InverseSqrt", InverseSqrt, rsqrt, 0, math.MaxFloat32, 1.5}, {"InverseSqrt", InverseSqrt, rsqrt, 0.5, 4, 1.5},
		{"Radians", Radians, func(x float64) float64 { return x * pi / 180 }, -720, 720, 1.5}, {"Degrees", Degrees, func(x float64) float64 { return x * 180 / pi }, -7, 7, 1.5},
	} {
		c := build1(t, ir.F32, r.f)
		worst, at := 0.0, float32(0)
		samples(r.lo, r.hi, n, func(x float32) {
			if u := off(c.f32(x), r.ref(float64(x))); u > worst {
				worst, at = u, x
			}
		})
		t.Logf("%-12s [%g, %g]: %.2f ULP, at %g; %d operations", r.name, r.lo, r.hi, worst, at, len(c.f.Code)-3)
		if worst > r.bound {
			t.Errorf("%s(%g) is %.2f ULP off (%g, want %g), more than %g", r.name, at, worst, c.f32(at), r.ref(float64(at)), r.bound)
		}
	}
}

// log2 is precise near 1, where math.Log2 is not.
func log2(x float64) float64 {
	if x < 0.5 || x > 2 {
		return math.Log2(x)
	}
	return math.Log1p(x-1) / math.Ln2
}

func TestAccuracyOfPowAndAtan2(t *testing.T) {
	pow, atan2 := build2(t, ir.F32, Pow), build2(t, ir.F32, Atan2)
	worst, worstAtan := 0.0, 0.0
	var at, atAtan [2]float32
	r := rand.New(rand.NewPCG(3, 4))
	for range 60000 {
		x := float32(math.Exp(r.Float64()*170 - 85))
		if r.IntN(2) == 0 {
			x = 0.5 + 1.5*r.Float32()
		}
		// A power from 2⁻¹⁴⁰ to 2¹²⁷.
		y := float32((r.Float64()*267 - 140) / math.Log2(float64(x)))
		if math.Abs(float64(y)) > 1e30 {
			continue
		}
		if u := off(pow.f32(x, y), math.Pow(float64(x), float64(y))); u > worst {
			worst, at = u, [2]float32{x, y}
		}
		a, b := float32(r.NormFloat64()), float32(math.Exp(r.NormFloat64()*4)*float64(1-2*r.IntN(2)))
		if u := off(atan2.f32(a, b), math.Atan2(float64(a), float64(b))); u > worstAtan {
			worstAtan, atAtan = u, [2]float32{a, b}
		}
	}
	t.Logf("Pow: %.2f ULP, at %g; Atan2: %.2f ULP, at %g; %d and %d operations", worst, at, worstAtan, atAtan, len(pow.f.Code)-3, len(atan2.f.Code)-3)
	if worst > 2 || worstAtan > 2 {
		t.Errorf("Pow%g is %.2f ULP off, Atan2%g %.2f", at, worst, atAtan, worstAtan)
	}
}

// Every number of binary16: within one ULP of the true value, which is far less
// than the rounding of 32 bits could cost.
func TestHalfFunctions(t *testing.T) {
	for _, r := range []struct {
		name string
		f    unaryFunc
		ref  func(float64) float64
	}{
		{"Sin", Sin, math.Sin}, {"Cos", Cos, math.Cos}, {"Tan", Tan, math.Tan}, {"Asin", Asin, math.Asin}, {"Acos", Acos, math.Acos}, {"Atan", Atan, math.Atan},
		{"Sinh", Sinh, math.Sinh}, {"Cosh", Cosh, math.Cosh}, {"Tanh", Tanh, math.Tanh}, {"Asinh", Asinh, math.Asinh}, {"Acosh", Acosh, math.Acosh}, {"Atanh", Atanh, math.Atanh},
		{"Exp", Exp, math.Exp}, {"Exp2", Exp2, math.Exp2}, {"Log", Log, math.Log}, {"Log2", Log2, math.Log2}, {"InverseSqrt", InverseSqrt, func(x float64) float64 { return 1 / math.Sqrt(x) }},
	} {
		c := build1(t, ir.F16, r.f)
		for x := uint64(0); x < 0x10000; x += 3 {
			v := r.ref(scalar.Float(16, x))
			want, got := scalar.FromFloat(16, false, v), c.run(x)[0]
			if want != got && (scalar.IsNaN(16, got) != (v != v) || math.Abs(float64(int64(want&0x7fff)-int64(got&0x7fff))) > 1) {
				t.Errorf("%s(%#04x) = %#04x, want %#04x", r.name, x, got, want)
				break
			}
		}
	}
}
