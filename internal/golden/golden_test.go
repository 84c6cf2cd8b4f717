package golden

import (
	"image"
	"image/color"
	"math"
	"strings"
	"testing"
)

// TestNear has results within and outside of tolerances. ULP are numbers of IEEE 754: 1+2⁻²³ is next to 1 in 32 bits, 1+2⁻¹⁰ in
// 16 bits, 1+2⁻⁵² in 64 bits.
func TestNear(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		got, want float64
		bits      int
		t         Tolerance
		near      bool
	}{
		{1, 1, 32, Tolerance{}, true},
		{0, math.Copysign(0, -1), 32, Tolerance{}, true},
		{1 + 0x1p-23, 1, 32, Tolerance{}, false},
		{1 + 0x1p-23, 1, 32, Tolerance{ULP: 1}, true},
		{1 + 0x1p-22, 1, 32, Tolerance{ULP: 1}, false},
		{1 - 0x1p-24, 1, 32, Tolerance{ULP: 1}, true},
		{1 + 0x1p-10, 1, 16, Tolerance{ULP: 1}, true},
		{1 + 0x1p-9, 1, 16, Tolerance{ULP: 1}, false},
		{2 - 0x1p-10, 2, 16, Tolerance{ULP: 1}, true},
		{0x1p-24, -0x1p-24, 16, Tolerance{ULP: 2}, true},
		{0x1p-24, -0x1p-24, 16, Tolerance{ULP: 1}, false},
		{0x1p-14, 0x1p-14 - 0x1p-24, 16, Tolerance{ULP: 1}, true},
		{0x1p-149, -0x1p-149, 32, Tolerance{ULP: 2}, true},
		{1 + 0x1p-52, 1, 64, Tolerance{ULP: 1}, true},
		{-1, 1, 64, Tolerance{ULP: 1 << 62}, false},
		{1.25, 1, 32, Tolerance{Absolute: 0.25}, true},
		{1.25, 1, 32, Tolerance{Absolute: 0.125}, false},
		{110, 100, 32, Tolerance{Relative: 0.1}, true},
		{111, 100, 32, Tolerance{Relative: 0.1}, false},
		{nan, nan, 32, Tolerance{}, true},
		{nan, 1, 32, Tolerance{Absolute: inf}, false},
		{inf, math.MaxFloat32, 32, Tolerance{ULP: 4}, false},
		{inf, inf, 32, Tolerance{}, true},
	} {
		if c.t.Near(c.got, c.want, c.bits) != c.near {
			t.Errorf("%v, %v expected, %d bits, tolerance %v: near is %v", c.got, c.want, c.bits, c.t, !c.near)
		}
	}
	for _, bad := range []Tolerance{{Absolute: -1}, {Relative: nan}, {Absolute: inf}} {
		if bad.Check() == nil {
			t.Errorf("%+v has no error", bad)
		}
	}
}

// TestCompare compares pictures that differ in one pixel, in their sizes, and not.
func TestCompare(t *testing.T) {
	picture := func(w, h int, c color.NRGBA) *image.NRGBA {
		m := image.NewNRGBA(image.Rect(0, 0, w, h))
		for i := range w * h {
			m.SetNRGBA(i%w, i/w, c)
		}
		return m
	}
	gray := color.NRGBA{100, 100, 100, 255}
	want, got := picture(4, 3, gray), picture(4, 3, gray)
	if d := Compare(got, want, PictureTolerance{}); !d.Equal() || d.Worst != 0 {
		t.Errorf("equal pictures differ: %v", d)
	}
	got.SetNRGBA(2, 1, color.NRGBA{100, 103, 100, 255})
	d := Compare(got, want, PictureTolerance{Levels: 2})
	if d.Equal() || d.Pixels != 1 || d.Worst != 3 || d.At != image.Pt(2, 1) || !strings.Contains(d.String(), "(100, 103, 100, 255); must be (100, 100, 100, 255)") {
		t.Errorf("one pixel: %v", d)
	}
	for _, permitted := range []PictureTolerance{{Levels: 3}, {Pixels: 1}} {
		if d := Compare(got, want, permitted); !d.Equal() {
			t.Errorf("%+v: %v", permitted, d)
		}
	}
	m := d.Picture()
	if size := m.Bounds().Size(); size != image.Pt(3*4+2*gap, 3) {
		t.Errorf("the difference has the size %v", size)
	}
	black, bright := m.At(4+gap, 0), m.At(4+gap+2, 1)
	if black != (color.NRGBA{A: 255}) || bright != (color.NRGBA{128, 128, 128, 255}) {
		t.Errorf("the difference has %v and %v", black, bright)
	}
	if d := Compare(picture(2, 2, gray), want, PictureTolerance{Pixels: 100}); d.Equal() || !strings.Contains(d.String(), "2×2 pixels; must be 4×3") || d.Picture() == nil {
		t.Errorf("other size: %v", d)
	}
}
