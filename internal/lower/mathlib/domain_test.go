package mathlib

import (
	"math"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/scalar"
)

const (
	tiny    = math.SmallestNonzeroFloat32
	largest = math.MaxFloat32
)

func TestInverseSqrt(t *testing.T) {
	exactly(t, "InverseSqrt", InverseSqrt, []point{
		{4, 0.5}, {0.25, 2}, {1, 1}, {0x1p126, 0x1p-63}, {0x1p-148, 0x1p74}, {0x1p-126, 0x1p63},
		{0, inf}, {neg0, -inf}, {inf, 0}, {-1, nan}, {-inf, nan}, {nan, nan}, {-tiny, nan},
	})
	c := build1(t, ir.F32, InverseSqrt)
	for bits := uint64(1); bits < 1<<23; bits += 997 { // denormals
		x := scalar.F32(bits)
		if u := off(c.f32(x), 1/math.Sqrt(float64(x))); u > 1.5 {
			t.Fatalf("InverseSqrt(%g) is %.2f ULP off", x, u)
		}
	}
	c = build1(t, ir.F64, InverseSqrt)
	if got := c.run(scalar.Bits64(0.25))[0]; got != scalar.Bits64(2) {
		t.Errorf("InverseSqrt.64(0.25) = %#x", got)
	}
}

func TestPowOutsideItsDomain(t *testing.T) {
	exactly2(t, "Pow", Pow, []point2{
		{2, 10, 1024}, {4, 0.5, 2}, {2, -149, tiny}, {2, 127, 0x1p127}, {10, 2, 100}, {3, 3, 27}, {0.5, 1, 0.5},
		{2, 128, inf}, {2, -160, 0}, {largest, 2, inf}, {largest, -2, 0}, {2, largest, inf}, {2, -largest, 0}, {0x1p-149, -1, inf}, {tiny, 1, tiny},
		{-1, 2, nan}, {-2, 3, nan}, {-inf, 2, nan}, {-tiny, 0.5, nan},
		{0, 1, 0}, {neg0, 3, 0}, {0, inf, 0}, {0, -1, inf}, {neg0, -1, inf}, {0, -inf, inf}, {0, 0, 1}, {neg0, neg0, 1},
		{inf, 2, inf}, {inf, -2, 0}, {inf, 0, 1}, {inf, tiny, inf},
		{2, inf, inf}, {2, -inf, 0}, {0.5, inf, 0}, {0.5, -inf, inf}, {1, inf, 1}, {1, -inf, 1}, {1, nan, 1}, {nan, 0, 1}, {nan, 1, nan}, {2, nan, nan}, {-2, 0, 1},
	})
}

func TestLogOutsideItsDomain(t *testing.T) {
	for _, r := range []struct {
		name string
		f    unaryFunc
	}{{"Log", Log}, {"Log2", Log2}} {
		exactly(t, r.name, r.f, []point{{1, 0}, {0, -inf}, {neg0, -inf}, {inf, inf}, {-1, nan}, {-tiny, nan}, {-inf, nan}, {nan, nan}})
	}
	exactly(t, "Log2", Log2, []point{{2, 1}, {8, 3}, {0.5, -1}, {tiny, -149}, {0x1p-126, -126}, {0x1p-130, -130}, {0x1p127, 127}})
}

func TestInverseFunctionsOutsideTheirDomain(t *testing.T) {
	const halfPi = math.Pi / 2
	exactly(t, "Asin", Asin, []point{{0, 0}, {neg0, neg0}, {1, halfPi}, {-1, -halfPi}, {1.0000001, nan}, {-2, nan}, {inf, nan}, {nan, nan}, {tiny, tiny}})
	exactly(t, "Acos", Acos, []point{{1, 0}, {-1, math.Pi}, {0, halfPi}, {neg0, halfPi}, {1.0000001, nan}, {-2, nan}, {inf, nan}, {nan, nan}})
	exactly(t, "Atan", Atan, []point{{0, 0}, {neg0, neg0}, {inf, halfPi}, {-inf, -halfPi}, {largest, halfPi}, {tiny, tiny}, {nan, nan}, {1, math.Pi / 4}})
	exactly(t, "Acosh", Acosh, []point{{1, 0}, {inf, inf}, {0.99999994, nan}, {0, nan}, {-1, nan}, {-3, nan}, {-inf, nan}, {nan, nan}})
	exactly(t, "Asinh", Asinh, []point{{0, 0}, {neg0, neg0}, {inf, inf}, {-inf, -inf}, {nan, nan}, {tiny, tiny}})
	exactly(t, "Atanh", Atanh, []point{{0, 0}, {neg0, neg0}, {1, inf}, {-1, -inf}, {1.0000001, nan}, {-2, nan}, {3, nan}, {inf, nan}, {-inf, nan}, {nan, nan}, {tiny, tiny}})
}

func TestAtan2Specials(t *testing.T) {
	const p = math.Pi
	exactly2(t, "Atan2", Atan2, []point2{
		{0, 0, 0}, {neg0, 0, neg0}, {0, neg0, p}, {neg0, neg0, -p}, {0, 1, 0}, {neg0, 1, neg0}, {0, -1, p}, {neg0, -1, -p},
		{1, 0, p / 2}, {1, neg0, p / 2}, {-1, 0, -p / 2}, {1, 1, p / 4}, {1, -1, 3 * p / 4}, {-1, -1, -3 * p / 4},
		{inf, inf, p / 4}, {inf, -inf, 3 * p / 4}, {-inf, inf, -p / 4}, {-inf, -inf, -3 * p / 4}, {1, inf, 0}, {-1, inf, neg0}, {1, -inf, p}, {-1, -inf, -p}, {inf, 1, p / 2}, {-inf, -1, -p / 2},
		{nan, 1, nan}, {1, nan, nan}, {nan, 0, nan}, {0, nan, nan}, {inf, nan, nan}, {tiny, 1, tiny}, {tiny, tiny, p / 4}, {largest, largest, p / 4}, {largest, tiny, p / 2},
	})
}

func TestCircularFunctionsOfLargeNumbers(t *testing.T) {
	sin, cos, tan := build1(t, ir.F32, Sin), build1(t, ir.F32, Cos), build1(t, ir.F32, Tan)
	// Beside the zeros, where the argument's reduction loses the most.
	for k := 1.0; k < 1<<19; k += 13 {
		x := float32(k * math.Pi / 2)
		for _, r := range []struct {
			got  float32
			want float64
		}{{sin.f32(x), math.Sin(float64(x))}, {cos.f32(x), math.Cos(float64(x))}, {tan.f32(x), math.Tan(float64(x))}} {
			if u := off(r.got, r.want); u > 4 {
				t.Fatalf("at %g: %g is %.2f ULP from %g", x, r.got, u, r.want)
			}
		}
	}
	for x := float32(1); x < inf; x *= 1.37 {
		s, c, n := sin.f32(x), cos.f32(-x), tan.f32(x)
		if !(s >= -1 && s <= 1 && c >= -1 && c <= 1) || n != n {
			t.Errorf("at %g: sine %g, cosine %g, tangent %g", x, s, c, n)
		}
	}
	exactly(t, "Sin", Sin, []point{{0, 0}, {neg0, neg0}, {tiny, tiny}, {inf, nan}, {-inf, nan}, {nan, nan}})
	exactly(t, "Cos", Cos, []point{{0, 1}, {neg0, 1}, {tiny, 1}, {inf, nan}, {-inf, nan}, {nan, nan}})
	exactly(t, "Tan", Tan, []point{{0, 0}, {neg0, neg0}, {-tiny, -tiny}, {inf, nan}, {-inf, nan}, {nan, nan}})
}

func TestExpSpecials(t *testing.T) {
	exactly(t, "Exp", Exp, []point{{0, 1}, {neg0, 1}, {inf, inf}, {-inf, 0}, {89, inf}, {-104, 0}, {-103.5, tiny}, {largest, inf}, {-largest, 0}, {nan, nan}, {1, math.E}})
	exactly(t, "Exp2", Exp2, []point{{0, 1}, {10, 1024}, {-149, tiny}, {-149.4, tiny}, {-151, 0}, {127, 0x1p127}, {128, inf}, {inf, inf}, {-inf, 0}, {largest, inf}, {-largest, 0}, {nan, nan}, {-126.5, 0x1.6a09e8p-127}})
	exactly(t, "Sinh", Sinh, []point{{0, 0}, {neg0, neg0}, {inf, inf}, {-inf, -inf}, {90, inf}, {nan, nan}, {tiny, tiny}})
	exactly(t, "Cosh", Cosh, []point{{0, 1}, {inf, inf}, {-inf, inf}, {90, inf}, {nan, nan}, {tiny, 1}})
	exactly(t, "Tanh", Tanh, []point{{0, 0}, {neg0, neg0}, {inf, 1}, {-inf, -1}, {100, 1}, {nan, nan}, {tiny, tiny}})
}

// TestNaN checks that a NaN makes a NaN of every function, whatever the operations with the flag AnyNaN yield for it.
func TestNaN(t *testing.T) {
	for name, f := range map[string]unaryFunc{
		"sin": Sin, "cos": Cos, "tan": Tan, "asin": Asin, "acos": Acos, "atan": Atan, "sinh": Sinh, "cosh": Cosh, "tanh": Tanh,
		"asinh": Asinh, "acosh": Acosh, "atanh": Atanh, "exp": Exp, "exp2": Exp2, "log": Log, "log2": Log2,
	} {
		exactly(t, name, f, []point{{nan, nan}, {-nan, nan}})
	}
	exactly2(t, "atan2", Atan2, []point2{{nan, 1, nan}, {1, nan, nan}, {nan, nan, nan}, {0, nan, nan}, {nan, 0, nan}, {inf, nan, nan}})
	exactly2(t, "pow", Pow, []point2{{nan, 2, nan}, {2, nan, nan}, {-1, 2, nan}, {nan, nan, nan}, {inf, nan, nan}, {0, nan, nan}})
}
