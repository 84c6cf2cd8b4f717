package mathlib

import (
	"math"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/scalar"
)

func TestFract(t *testing.T) {
	exactly(t, "Fract", Fract, []point{{1.25, 0.25}, {-1.25, 0.75}, {3, 0}, {neg0, 0}, {-1e-10, 1}, {inf, nan}, {-inf, nan}, {nan, nan}, {tiny, tiny}, {0x1p30, 0}})
}

// x − y·floor(x/y): the sign of y, NaN for y = 0 and y = ∞.
func TestFMod(t *testing.T) {
	exactly2(t, "FMod", FMod, []point2{
		{5, 3, 2}, {-5, 3, 1}, {5, -3, -1}, {-5, -3, -2}, {4, -2, 0}, {5.5, 2, 1.5}, {1, 0, nan}, {0, 0, nan}, {1, inf, nan}, {inf, 1, nan}, {nan, 1, nan}, {1, nan, nan},
	})
}

func TestSign(t *testing.T) {
	exactly(t, "FSign", FSign, []point{{3, 1}, {-3, -1}, {0, 0}, {neg0, 0}, {nan, 0}, {inf, 1}, {-inf, -1}, {tiny, 1}, {-tiny, -1}})
	for _, typ := range []ir.Type{ir.I8, ir.I16, ir.I32, ir.I64} {
		c := build1(t, typ, SSign)
		for x, want := range map[uint64]uint64{0: 0, 5: 1, typ.Mask(): typ.Mask(), scalar.SignBit(typ.Bits()): typ.Mask()} {
			if got := c.run(x)[0]; got != want {
				t.Errorf("SSign.%v(%#x) = %#x, want %#x", typ, x, got, want)
			}
		}
	}
}

func TestStep(t *testing.T) {
	exactly2(t, "Step", Step, []point2{{1, 0.5, 0}, {1, 1, 1}, {1, 2, 1}, {nan, 1, 1}, {1, nan, 1}, {0, neg0, 1}})
}

// three builds a function of three f32.
func three(t *testing.T, f func(b *ir.Builder, x, y, z ir.V) ir.V) *code {
	return build(t, []ir.Type{ir.F32, ir.F32, ir.F32}, func(b *ir.Builder, x []ir.V) []ir.V { return []ir.V{f(b, x[0], x[1], x[2])} })
}

func TestSmoothStep(t *testing.T) {
	c := three(t, SmoothStep)
	for _, r := range [][4]float32{
		{0, 1, -1, 0}, {0, 1, 0, 0}, {0, 1, 0.5, 0.5}, {0, 1, 0.25, 0.15625}, {0, 1, 1, 1}, {0, 1, 7, 1}, {0, 1, inf, 1},
		{1, 0, 0.25, 0.84375}, {1, 0, 2, 0}, {1, 0, -1, 1}, // falling
		{1, 1, 0.5, 0}, {1, 1, 1.5, 1}, {1, 1, 1, 0}, {0, 1, nan, 0},
	} {
		if got := c.f32(r[0], r[1], r[2]); !same(got, r[3]) {
			t.Errorf("SmoothStep(%g, %g, %g) = %g, want %g", r[0], r[1], r[2], got, r[3])
		}
	}
}

func TestMix(t *testing.T) {
	c := three(t, FMix)
	for _, r := range [][4]float32{{2, 4, 0, 2}, {2, 4, 1, 4}, {2, 4, 0.5, 3}, {2, 4, 2, 6}, {0, inf, 0, nan}} {
		if got := c.f32(r[0], r[1], r[2]); !same(got, r[3]) {
			t.Errorf("FMix(%g, %g, %g) = %g, want %g", r[0], r[1], r[2], got, r[3])
		}
	}
}

func TestClampWithCrossedBounds(t *testing.T) {
	for name, f := range map[string]func(b *ir.Builder, x, y, z ir.V) ir.V{"FClamp": FClamp, "NClamp": NClamp} {
		c := three(t, f)
		for _, r := range [][4]float32{{0.5, 0, 1, 0.5}, {-2, 0, 1, 0}, {2, 0, 1, 1}, {0.5, 1, 0, 0}, {5, 1, 0, 0}, {-5, 1, 0, 0}, {inf, 0, 1, 1}} {
			if got := c.f32(r[0], r[1], r[2]); !same(got, r[3]) {
				t.Errorf("%s(%g, %g, %g) = %g, want %g", name, r[0], r[1], r[2], got, r[3])
			}
		}
	}
	i32 := []ir.Type{ir.I32, ir.I32, ir.I32}
	u := build(t, i32, func(b *ir.Builder, x []ir.V) []ir.V {
		return []ir.V{UClamp(b, x[0], x[1], x[2]), SClamp(b, x[0], x[1], x[2])}
	})
	const minus1 = 0xffffffff
	for _, r := range [][5]uint64{{5, 1, 3, 3, 3}, {0, 1, 3, 1, 1}, {minus1, 1, 3, 3, 1}, {5, 7, 3, 3, 3}, {minus1, 7, 3, 3, 3}} {
		if got := u.run(r[0], r[1], r[2]); got[0] != r[3] || got[1] != r[4] {
			t.Errorf("UClamp, SClamp(%#x, %d, %d) = %d, %d, want %d, %d", r[0], r[1], r[2], got[0], got[1], r[3], r[4])
		}
	}
}

func TestClampOfNaN(t *testing.T) {
	for name, f := range map[string]func(b *ir.Builder, x, y, z ir.V) ir.V{"FClamp": FClamp, "NClamp": NClamp} {
		if got := three(t, f).f32(nan, 2, 3); got != 2 {
			t.Errorf("%s of NaN is %g, want the least bound", name, got)
		}
	}
}

func TestModf(t *testing.T) {
	c := build(t, []ir.Type{ir.F32}, func(b *ir.Builder, x []ir.V) []ir.V {
		fract, whole := Modf(b, x[0])
		return []ir.V{fract, whole}
	})
	for _, r := range [][3]float32{{2.75, 0.75, 2}, {-2.75, -0.75, -2}, {3, 0, 3}, {-3, neg0, -3}, {0, 0, 0}, {neg0, neg0, neg0}, {-0.5, -0.5, neg0}, {inf, 0, inf}, {-inf, neg0, -inf}, {nan, nan, nan}} {
		got := c.run(scalar.Bits32(r[0]))
		if f, w := scalar.F32(got[0]), scalar.F32(got[1]); !same(f, r[1]) || !same(w, r[2]) {
			t.Errorf("Modf(%g) = %g, %g, want %g, %g", r[0], f, w, r[1], r[2])
		}
	}
}

func TestFrexp(t *testing.T) {
	for _, typ := range []ir.Type{ir.F16, ir.F32, ir.F64} {
		w := typ.Bits()
		c := build(t, []ir.Type{typ}, func(b *ir.Builder, x []ir.V) []ir.V {
			s, k := Frexp(b, x[0])
			return []ir.V{s, k}
		})
		least := map[ir.Type]float64{ir.F16: 0x1p-24, ir.F32: 0x1p-149, ir.F64: 0x1p-1074}[typ]
		for _, v := range []float64{1, -1, 0.5, 3, -6.25, 1024, 0, math.Copysign(0, -1), least, 3 * least, 1023 * least, -least, 0x1p-14, 65504} {
			want, exp := math.Frexp(v)
			got := c.run(scalar.FromFloat(w, false, v))
			if got[0] != scalar.FromFloat(w, false, want) || int32(got[1]) != int32(exp) {
				t.Errorf("Frexp.%v(%g) = %g, %d, want %g, %d", typ, v, scalar.Float(w, got[0]), int32(got[1]), want, exp)
			}
		}
		for _, v := range []float64{math.Inf(1), math.Inf(-1), math.NaN()} {
			x := scalar.FromFloat(w, false, v)
			if got := c.run(x); got[0] != x || got[1] != 0 {
				t.Errorf("Frexp.%v(%g) = %#x, %d, want the same and 0", typ, v, got[0], int32(got[1]))
			}
		}
	}
}

func TestQuantizeToF16(t *testing.T) {
	exactly(t, "QuantizeToF16", QuantizeToF16, []point{
		{1, 1}, {1.0001, 1}, {65504, 65504}, {65520, inf}, {-1e9, -inf}, {0x1p-14, 0x1p-14}, {0x1p-15, 0}, {-0x1.8p-16, neg0}, {tiny, 0}, {neg0, neg0}, {inf, inf}, {nan, nan}, {0x1.ffp-15, 0},
	})
}
