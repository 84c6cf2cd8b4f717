package format

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
)

// modelColor converts the numbers of a texel in float64, by the specification's
// formulas one after the other.
func modelColor(m enum.YcbcrModel, r enum.YcbcrRange, n int, v [4]float32) [3]float64 {
	cr, y, cb := float64(v[R]), float64(v[G]), float64(v[B])
	if m == enum.YcbcrModelRgbIdentity {
		return [3]float64{cr, y, cb}
	}
	codes, step := math.Pow(2, float64(n))-1, math.Pow(2, float64(n-8))
	if r == enum.YcbcrRangeItuNarrow {
		y = (y*codes - 16*step) / (219 * step)
		cb = (cb*codes - 128*step) / (224 * step)
		cr = (cr*codes - 128*step) / (224 * step)
	} else {
		cb -= math.Pow(2, float64(n-1)) / codes
		cr -= math.Pow(2, float64(n-1)) / codes
	}
	switch m {
	case enum.YcbcrModelYcbcr709:
		return [3]float64{y + 1.5748*cr, y - 0.13397432/0.7152*cb - 0.33480248/0.7152*cr, y + 1.8556*cb}
	case enum.YcbcrModelYcbcr601:
		return [3]float64{y + 1.402*cr, y - 0.202008/0.587*cb - 0.419198/0.587*cr, y + 1.772*cb}
	case enum.YcbcrModelYcbcr2020:
		return [3]float64{y + 1.4746*cr, y - 0.11156702/0.6780*cb - 0.38737742/0.6780*cr, y + 1.8814*cb}
	}
	return [3]float64{cr, y, cb}
}

// TestConversion compares every model and range with the formulas, to within the
// rounding of a few sums: 2⁻²¹ of what can be 2 and more.
func TestConversion(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	worst := 0.0
	for m := enum.YcbcrModelRgbIdentity; m <= enum.YcbcrModelYcbcr2020; m++ {
		for _, rg := range []enum.YcbcrRange{enum.YcbcrRangeItuFull, enum.YcbcrRangeItuNarrow} {
			for _, bits := range []int{8, 10, 12, 14, 16} {
				c := NewConversion(m, rg, bits)
				for range 2000 {
					codes := uint32(1)<<bits - 1
					v := [4]float32{A: r.Float32()}
					for ch := range 3 {
						v[ch] = float32(r.Uint32N(codes+1)) / float32(codes)
					}
					got := c.Convert(v)
					for ch, want := range modelColor(m, rg, bits, v) {
						worst = max(worst, math.Abs(float64(got[ch])-want))
					}
					if got[A] != v[A] {
						t.Fatalf("alpha %v becomes %v", v[A], got[A])
					}
					if m == enum.YcbcrModelRgbIdentity && got != v {
						t.Fatalf("%v becomes %v without a conversion", v, got)
					}
				}
			}
		}
	}
	if worst > 0x1p-21 {
		t.Errorf("worst difference %v", worst)
	}
	t.Logf("worst difference %v", worst)
}

// TestConversionByHand has black, white and gray as broadcast has them.
func TestConversionByHand(t *testing.T) {
	near := func(a float32, b float64) bool { return math.Abs(float64(a)-b) < 1e-6 }
	for _, c := range []struct {
		m     enum.YcbcrModel
		r     enum.YcbcrRange
		bits  int
		codes [3]float32 // Cr, luma, Cb
		want  [3]float64
	}{
		{enum.YcbcrModelYcbcr709, enum.YcbcrRangeItuNarrow, 8, [3]float32{128, 16, 128}, [3]float64{0, 0, 0}},
		{enum.YcbcrModelYcbcr709, enum.YcbcrRangeItuNarrow, 8, [3]float32{128, 235, 128}, [3]float64{1, 1, 1}},
		{enum.YcbcrModelYcbcr601, enum.YcbcrRangeItuNarrow, 10, [3]float32{512, 940, 512}, [3]float64{1, 1, 1}},
		{enum.YcbcrModelYcbcr2020, enum.YcbcrRangeItuNarrow, 12, [3]float32{2048, 256, 2048}, [3]float64{0, 0, 0}},
		{enum.YcbcrModelYcbcr2020, enum.YcbcrRangeItuFull, 8, [3]float32{128, 51, 128}, [3]float64{0.2, 0.2, 0.2}},
		// Red alone in BT.601: luma 0.299, Cr 0.5, Cb −0.299/1.772.
		{enum.YcbcrModelYcbcr601, enum.YcbcrRangeItuNarrow, 8, [3]float32{240, 16 + 219*0.299, 128 - 224*0.299/1.772}, [3]float64{1, 0, 0}},
		{enum.YcbcrModelYcbcrIdentity, enum.YcbcrRangeItuNarrow, 8, [3]float32{240, 235, 16}, [3]float64{0.5, 1, -0.5}},
		{enum.YcbcrModelYcbcrIdentity, enum.YcbcrRangeItuFull, 8, [3]float32{255, 255, 0}, [3]float64{127.0 / 255, 1, -128.0 / 255}},
		{enum.YcbcrModelRgbIdentity, enum.YcbcrRangeItuNarrow, 8, [3]float32{255, 0, 51}, [3]float64{1, 0, 0.2}},
	} {
		conv := NewConversion(c.m, c.r, c.bits)
		whole := float32(uint32(1)<<c.bits - 1)
		got := conv.Convert([4]float32{c.codes[0] / whole, c.codes[1] / whole, c.codes[2] / whole, 1})
		for ch := range c.want {
			if !near(got[ch], c.want[ch]) {
				t.Errorf("model %d range %d bits %d %v: %v; want %v", c.m, c.r, c.bits, c.codes, got, c.want)
				break
			}
		}
	}
}

// TestChroma reconstructs chroma of every texel of a row and a column, and
// compares with the specification's formula of weights.
func TestChroma(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	var sample [8][8]float64
	for j := range sample {
		for i := range sample[j] {
			sample[j][i] = float64(r.IntN(256)) / 256 // sums of quarters of them are exact
		}
	}
	at := func(i, j int) float64 { return sample[min(max(j, 0), 7)][min(max(i, 0), 7)] }
	for _, x := range []enum.ChromaLocation{enum.ChromaLocationCositedEven, enum.ChromaLocationMidpoint} {
		for _, y := range []enum.ChromaLocation{enum.ChromaLocationCositedEven, enum.ChromaLocationMidpoint} {
			for j := range 8 {
				for i := range 16 {
					ri, rj := 0.5*float64(i), 0.5*float64(j)
					if x == enum.ChromaLocationMidpoint {
						ri -= 0.25
					}
					if y == enum.ChromaLocationMidpoint {
						rj -= 0.25
					}
					fi, fj := math.Floor(ri), math.Floor(rj)
					a, b := ri-fi, rj-fj
					n, m := int(fi), int(fj)
					want := at(n, m)*(1-a)*(1-b) + at(n+1, m)*a*(1-b) + at(n, m+1)*(1-a)*b + at(n+1, m+1)*a*b
					p, px := ChromaTap(i, 2, x, true)
					q, py := ChromaTap(j, 2, y, true)
					got := MixChroma([2][2]float32{{float32(at(p, q)), float32(at(p+1, q))}, {float32(at(p, q+1)), float32(at(p+1, q+1))}}, px, py)
					if float64(got) != want {
						t.Fatalf("%d, %d: %v; want %v", i, j, got, want)
					}
					if p, px := ChromaTap(i, 2, x, false); p != i/2 || px != 0 {
						t.Fatalf("nearest of %d is %d and %v", i, p, px)
					}
					if p, px := ChromaTap(i, 1, x, true); p != i || px != 0 {
						t.Fatalf("that of %d with its own is %d and %v", i, p, px)
					}
				}
			}
		}
	}
	for _, c := range []struct {
		u    float32
		div  int
		at   enum.ChromaLocation
		want float32
	}{{3, 1, enum.ChromaLocationCositedEven, 3}, {3, 2, enum.ChromaLocationCositedEven, 1.75}, {3, 2, enum.ChromaLocationMidpoint, 1.5}, {-1, 2, enum.ChromaLocationCositedEven, -0.25}} {
		if got := ChromaCoordinate(c.u, c.div, c.at); got != c.want {
			t.Errorf("%v of %d at %d is %v; want %v", c.u, c.div, c.at, got, c.want)
		}
	}
}
