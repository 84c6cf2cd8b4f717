package scalar

import (
	"math"
	"sort"
	"testing"
)

func TestWiden(t *testing.T) {
	nan := math.NaN()
	for _, r := range []struct {
		f    Small
		x    uint64
		want float64
	}{
		{Binary16, one1, 1}, {Binary16, 1, 0x1p-24}, {Binary16, 0x3ff, 0x3ffp-24}, {Binary16, 0x400, 0x1p-14}, {Binary16, max1, 65504}, {Binary16, inf1, math.Inf(1)}, {Binary16, 0xfc00, math.Inf(-1)}, {Binary16, snan1, nan}, {Binary16, 0x3555, 0x1.554p-2},
		{BFloat16, 0x3f80, 1}, {BFloat16, 1, 0x1p-133}, {BFloat16, 0x7f7f, 0x1.fep127}, {BFloat16, 0xff80, math.Inf(-1)}, {BFloat16, 0x7fc0, nan}, {BFloat16, 0x7f81, nan},
		{E4M3, 0x38, 1}, {E4M3, 0x7e, 448}, {E4M3, 0xfe, -448}, {E4M3, 0x7f, nan}, {E4M3, 0xff, nan}, {E4M3, 1, 0x1p-9}, {E4M3, 8, 0x1p-6}, {E4M3, 0x78, 256},
		{E5M2, 0x3c, 1}, {E5M2, 0x7b, 57344}, {E5M2, 0x7c, math.Inf(1)}, {E5M2, 0x7d, nan}, {E5M2, 1, 0x1p-16}, {E5M2, 0xfc, math.Inf(-1)},
		{E2M1, 1, 0.5}, {E2M1, 2, 1}, {E2M1, 7, 6}, {E2M1, 0xf, -6}, {E2M3, 1, 0.125}, {E2M3, 0x1f, 7.5}, {E2M3, 0x28, -1}, {E3M2, 1, 0.0625}, {E3M2, 0x1f, 28}, {E3M2, 0x2c, -1},
		{E8M0, 0, 0x1p-127}, {E8M0, 127, 1}, {E8M0, 254, 0x1p127}, {E8M0, 255, nan}, {MXInt8, 0x40, 1}, {MXInt8, 0x80, -2}, {MXInt8, 0x7f, 127.0 / 64},
	} {
		if got := Widen(r.f, r.x); got != r.want && !(got != got && r.want != r.want) {
			t.Errorf("Widen(%d, %#x) = %g, want %g", r.f, r.x, got, r.want)
		}
	}
	if b := math.Float64bits(Widen(Binary16, 0x8000)); b != neg4 {
		t.Errorf("Widen of −0 = %#x", b)
	}
}

func TestNarrow(t *testing.T) {
	inf := math.Inf(1)
	for _, r := range []struct {
		f             Small
		v             float64
		rne, rtz, sat uint64
	}{
		{BFloat16, 1, 0x3f80, 0x3f80, 0x3f80}, {BFloat16, 0x1.01p0, 0x3f80, 0x3f80, 0x3f80}, {BFloat16, 0x1.03p0, 0x3f82, 0x3f81, 0x3f82}, {BFloat16, 0x1.ffp127, 0x7f80, 0x7f7f, 0x7f7f}, {BFloat16, 0x1.fep127, 0x7f7f, 0x7f7f, 0x7f7f},
		{BFloat16, 0x1p-133, 1, 1, 1}, {BFloat16, 0x1p-134, 0, 0, 0}, {BFloat16, 0x1.8p-133, 2, 1, 2}, {BFloat16, inf, 0x7f80, 0x7f80, 0x7f7f}, {BFloat16, math.NaN(), 0x7fc0, 0x7fc0, 0x7fc0},
		{E4M3, 448, 0x7e, 0x7e, 0x7e}, {E4M3, 464, 0x7e, 0x7e, 0x7e}, {E4M3, 464.5, 0x7f, 0x7e, 0x7e}, {E4M3, -1e9, 0xff, 0xfe, 0xfe}, {E4M3, inf, 0x7f, 0x7f, 0x7e}, {E4M3, -inf, 0xff, 0xff, 0xfe}, {E4M3, math.NaN(), 0x7f, 0x7f, 0x7f},
		{E4M3, 0x1p-10, 0, 0, 0}, {E4M3, 0x1.8p-9, 2, 1, 2}, {E4M3, 0x1p-400, 0, 0, 0}, {E4M3, 1.0625, 0x38, 0x38, 0x38}, {E4M3, 1.1875, 0x3a, 0x39, 0x3a}, {E4M3, 0x1.fp-7, 0x08, 0x07, 0x08},
		{E5M2, 57344, 0x7b, 0x7b, 0x7b}, {E5M2, 61439, 0x7b, 0x7b, 0x7b}, {E5M2, 61440, 0x7c, 0x7b, 0x7b}, {E5M2, -inf, 0xfc, 0xfc, 0xfb}, {E5M2, math.NaN(), 0x7e, 0x7e, 0x7e}, {E5M2, -0x1p-16, 0x81, 0x81, 0x81},
		{Binary16, 0x1p-1074, 0, 0, 0}, {Binary16, math.Copysign(0, -1), 0x8000, 0x8000, 0x8000}, {Binary16, math.MaxFloat64, inf1, max1, max1},
	} {
		if got := Narrow(r.f, false, r.v); got != r.rne {
			t.Errorf("Narrow(%d, %g) = %#x, want %#x", r.f, r.v, got, r.rne)
		}
		if got := Narrow(r.f, true, r.v); got != r.rtz {
			t.Errorf("Narrow(%d, rtz, %g) = %#x, want %#x", r.f, r.v, got, r.rtz)
		}
		if got := NarrowSat(r.f, r.v); got != r.sat {
			t.Errorf("NarrowSat(%d, %g) = %#x, want %#x", r.f, r.v, got, r.sat)
		}
	}
}

// Every number of every small format survives the way there and back.
func TestSmallRoundTrip(t *testing.T) {
	for f := range numSmall {
		for x := range uint64(1) << smalls[f].bits {
			v := Widen(f, x)
			if v != v {
				continue
			}
			for _, rtz := range []bool{false, true} {
				if got := Narrow(f, rtz, v); got != x {
					t.Fatalf("format %d: %#x is %g and comes back as %#x", f, x, v, got)
				}
			}
		}
	}
}

// The ends of every gap of binary16, its middle and the neighbours of the middle.
func TestNarrowEveryGap(t *testing.T) {
	for x := range uint64(max1) {
		lo, hi := Widen(Binary16, x), Widen(Binary16, x+1)
		mid := (lo + hi) / 2
		even := x + x&1
		for _, r := range []struct {
			v        float64
			rne, rtz uint64
		}{{mid, even, x}, {math.Nextafter(mid, 0), x, x}, {math.Nextafter(mid, 1e9), x + 1, x}, {math.Nextafter(hi, 0), x + 1, x}} {
			if got := Narrow(Binary16, false, r.v); got != r.rne {
				t.Fatalf("Narrow(%g) = %#x, want %#x", r.v, got, r.rne)
			}
			if got := Narrow(Binary16, true, -r.v); got != r.rtz|0x8000 {
				t.Fatalf("Narrow(rtz, %g) = %#x, want %#x", -r.v, got, r.rtz|0x8000)
			}
		}
	}
	all := make([]float64, max1+1)
	for x := range all {
		all[x] = Widen(Binary16, uint64(x))
	}
	if !sort.Float64sAreSorted(all) {
		t.Error("the numbers of binary16 do not ascend")
	}
}
