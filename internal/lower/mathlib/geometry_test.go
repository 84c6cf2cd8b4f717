package mathlib

import (
	"math"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/scalar"
)

// vectors builds a function of n floats.
func vectors(t *testing.T, typ ir.Type, n int, f func(b *ir.Builder, x []ir.V) []ir.V) *code {
	args := make([]ir.Type, n)
	for i := range args {
		args[i] = typ
	}
	return build(t, args, f)
}

func (c *code) floats(w uint8, x ...float64) []float64 {
	in := make([]uint64, len(x))
	for i, v := range x {
		in[i] = scalar.FromFloat(w, false, v)
	}
	out := c.run(in...)
	got := make([]float64, len(out))
	for i, v := range out {
		got[i] = scalar.Float(w, v)
	}
	return got
}

func expect(t *testing.T, name string, got []float64, want ...float64) {
	t.Helper()
	for i, w := range want {
		if got[i] != w && !(got[i] != got[i] && w != w) {
			t.Errorf("%s = %g, want %g", name, got, want)
			return
		}
	}
}

func TestGeometry(t *testing.T) {
	one := func(v ir.V) []ir.V { return []ir.V{v} }
	for _, typ := range []ir.Type{ir.F16, ir.F32, ir.F64} {
		w := typ.Bits()
		dot := vectors(t, typ, 6, func(b *ir.Builder, x []ir.V) []ir.V { return one(Dot(b, x[:3], x[3:])) })
		expect(t, "Dot", dot.floats(w, 1, 2, 3, 4, 5, 6), 32)
		length := vectors(t, typ, 2, func(b *ir.Builder, x []ir.V) []ir.V { return one(Length(b, x)) })
		expect(t, "Length", length.floats(w, 3, -4), 5)
		expect(t, "Length", length.floats(w, 0, 0), 0)
		single := vectors(t, typ, 1, func(b *ir.Builder, x []ir.V) []ir.V { return one(Length(b, x)) })
		expect(t, "Length", single.floats(w, -4), 4)
		distance := vectors(t, typ, 4, func(b *ir.Builder, x []ir.V) []ir.V { return one(Distance(b, x[:2], x[2:])) })
		expect(t, "Distance", distance.floats(w, 1, 1, 4, 5), 5)
		cross := vectors(t, typ, 6, func(b *ir.Builder, x []ir.V) []ir.V { return Cross(b, x[:3], x[3:]) })
		expect(t, "Cross", cross.floats(w, 1, 0, 0, 0, 1, 0), 0, 0, 1)
		expect(t, "Cross", cross.floats(w, 1, 2, 3, 4, 5, 6), -3, 6, -3)
		face := vectors(t, typ, 6, func(b *ir.Builder, x []ir.V) []ir.V { return FaceForward(b, x[:2], x[2:4], x[4:]) })
		expect(t, "FaceForward", face.floats(w, 1, 2, 0, -1, 0, 1), 1, 2)
		expect(t, "FaceForward", face.floats(w, 1, 2, 0, 1, 0, 1), -1, -2)
		expect(t, "FaceForward", face.floats(w, 1, 2, 1, 0, 0, 1), -1, -2)
		expect(t, "FaceForward", face.floats(w, 1, 2, math.NaN(), 0, 0, 1), -1, -2)
		reflect := vectors(t, typ, 4, func(b *ir.Builder, x []ir.V) []ir.V { return Reflect(b, x[:2], x[2:]) })
		expect(t, "Reflect", reflect.floats(w, 1, -1, 0, 1), 1, 1)
		refract := vectors(t, typ, 5, func(b *ir.Builder, x []ir.V) []ir.V { return Refract(b, x[:2], x[2:4], x[4]) })
		expect(t, "Refract", refract.floats(w, 0, -1, 0, 1, 0.5), 0, -1)
		expect(t, "Refract", refract.floats(w, 1, 0, 0, 1, 2), 0, 0) // total reflection: k = 1 − 4
	}
	// 300² does not fit 16 bits, 424 does.
	length := vectors(t, ir.F16, 2, func(b *ir.Builder, x []ir.V) []ir.V { return one(Length(b, x)) })
	expect(t, "Length.16", length.floats(16, 300, 400), 500)
}

func TestNormalize(t *testing.T) {
	for _, typ := range []ir.Type{ir.F16, ir.F32, ir.F64} {
		w := typ.Bits()
		c := vectors(t, typ, 3, Normalize)
		expect(t, "Normalize", c.floats(w, 0, 4, 0), 0, 1, 0)
		expect(t, "Normalize", c.floats(w, -0.5, 0, 0), -1, 0, 0)
		nan := math.NaN()
		expect(t, "Normalize", c.floats(w, 0, 0, 0), nan, nan, nan)
		got := c.floats(w, 3, 4, 12)
		eps := math.Ldexp(1, 2-map[uint8]int{16: 11, 32: 24, 64: 53}[w])
		for i, want := range []float64{3.0 / 13, 4.0 / 13, 12.0 / 13} {
			if math.Abs(got[i]-want) > eps*want {
				t.Errorf("Normalize.%d = %g", w, got)
			}
		}
	}
}

func TestDeterminant(t *testing.T) {
	for n, r := range map[int]struct {
		m    []float64
		want float64
	}{
		2: {[]float64{1, 2, 3, 4}, -2},
		3: {[]float64{2, 0, 1, 1, 3, 2, 1, 1, 4}, 18},
		4: {[]float64{1, 0, 2, -1, 3, 0, 0, 5, 2, 1, 4, -3, 1, 0, 5, 0}, 30},
	} {
		c := vectors(t, ir.F32, n*n, func(b *ir.Builder, x []ir.V) []ir.V { return []ir.V{Determinant(b, n, x)} })
		expect(t, "Determinant", c.floats(32, r.m...), r.want)
	}
}

func TestMatrixInverse(t *testing.T) {
	for n, m := range map[int][]float64{
		2: {4, 2, 7, 6},
		3: {2, 0, 1, 1, 3, 2, 1, 1, 4},
		4: {1, 0, 2, -1, 3, 0, 0, 5, 2, 1, 4, -3, 1, 0, 5, 0},
	} {
		c := vectors(t, ir.F64, n*n, func(b *ir.Builder, x []ir.V) []ir.V { return MatrixInverse(b, n, x) })
		inv := c.floats(64, m...)
		for col := range n {
			for row := range n {
				sum, want := 0.0, 0.0
				for k := range n {
					sum += m[k*n+row] * inv[col*n+k]
				}
				if row == col {
					want = 1
				}
				if math.Abs(sum-want) > 1e-12 {
					t.Errorf("of %d columns: the product has %g in column %d, row %d", n, sum, col, row)
				}
			}
		}
	}
	// A singular one: division by 0.
	c := vectors(t, ir.F32, 4, func(b *ir.Builder, x []ir.V) []ir.V { return MatrixInverse(b, 2, x) })
	expect(t, "MatrixInverse", c.floats(32, 1, 2, 2, 4), math.Inf(1), math.Inf(-1), math.Inf(-1), math.Inf(1))
	expect(t, "MatrixInverse", c.floats(32, 0, 0, 0, 1), math.Inf(1), math.NaN())
}
