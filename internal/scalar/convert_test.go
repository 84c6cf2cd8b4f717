package scalar

import "testing"

// conv is a row of a table of conversions. rtz is the result toward zero.
type conv struct {
	to, from     uint8
	x, want, rtz uint64
}

func TestFCvt(t *testing.T) {
	for _, r := range []conv{
		{64, 32, one2, one4, one4}, {64, 32, den2, 0x36a0 << 48, 0x36a0 << 48}, {64, 16, 1, 0x3e70 << 48, 0x3e70 << 48}, {32, 16, 0x8000, neg2, neg2}, {32, 16, inf1, inf2, inf2}, {32, 16, 0x03ff, 0x387fc000, 0x387fc000},
		{32, 64, 0x3ff0000010000000, one2, one2},             // a tie to even
		{32, 64, 0x3ff0000030000000, 0x3f800002, 0x3f800001}, // a tie, upward to even
		{32, 64, 0x3ff0000010000001, 0x3f800001, one2}, {32, 64, max4, inf2, max2}, {32, 64, max4 | neg4, ninf2, nmax2}, {32, 64, inf4, inf2, inf2}, {32, 64, 1, 0, 0}, {32, 64, 1 | neg4, neg2, neg2}, {32, 64, nnan4, nan2, nan2},
		{32, 64, 0x3690 << 48, 0, 0}, {32, 64, 0x3690000000000001, 1, 0}, {32, 64, 0x36a8 << 48, 2, 1}, // around 2⁻¹⁵⁰
		{16, 32, 0x3f801000, one1, one1}, {16, 32, 0x3f803000, 0x3c02, 0x3c01}, {16, 32, 0x477fefff, max1, max1}, {16, 32, 0x477ff000, inf1, max1}, {16, 32, max2, inf1, max1}, {16, 32, nmax2, 0xfc00, 0xfbff}, {16, 32, ninf2, 0xfc00, 0xfc00},
		{16, 32, 0x33000000, 0, 0}, {16, 32, 0x33000001, 1, 0}, {16, 32, 0x33c00000, 2, 1}, {16, 32, 0x387fe000, 0x0400, 0x03ff}, {16, 32, snan2, nan1, nan1}, {16, 32, neg2, 0x8000, 0x8000}, {16, 32, den2, 0, 0},
		{16, 64, 0x3ff0020000000001, 0x3c01, one1}, {16, 64, 0x3ff0020000000000, one1, one1}, {16, 64, max4, inf1, max1}, // one rounding, not two
	} {
		for rtz, want := range map[bool]uint64{false: r.want, true: r.rtz} {
			if got := FCanon(r.to, FCvt(r.to, r.from, rtz, r.x)); got != want {
				t.Errorf("FCvt(%d, %d, %v, %#x) = %#x, want %#x", r.to, r.from, rtz, r.x, got, want)
			}
		}
	}
}

// Toward zero; out of range the nearest in range; NaN is 0.
func TestFloatToIntegerOutOfRange(t *testing.T) {
	for _, r := range []struct {
		to, from uint8
		x, s, u  uint64
	}{
		{32, 32, 0x40200000, 2, 2}, {32, 32, 0xc0200000, m32 - 1, 0}, {32, 32, 0x3f7fffff, 0, 0}, {32, 32, 0xbf7fffff, 0, 0}, {32, 32, neg2, 0, 0},
		{32, 32, nan2, 0, 0}, {32, 32, nnan2, 0, 0}, {32, 32, inf2, 0x7fffffff, m32}, {32, 32, ninf2, min2, 0}, {32, 32, max2, 0x7fffffff, m32},
		{32, 32, 0x4f000000, 0x7fffffff, min2}, {32, 32, 0xcf000000, min2, 0}, {32, 32, 0xcf000001, min2, 0}, {32, 32, 0x4effffff, 0x7fffff80, 0x7fffff80}, {32, 32, 0x4f800000, 0x7fffffff, m32}, {32, 32, 0x4f7fffff, 0x7fffffff, 0xffffff00},
		{8, 32, 0x43000000, 0x7f, 0x80}, {8, 32, 0xc3000000, 0x80, 0}, {8, 32, 0x437f0000, 0x7f, 0xff}, {8, 32, 0x43800000, 0x7f, 0xff}, {8, 32, 0x42fe0000, 0x7f, 0x7f}, {8, 32, 0xc3008000, 0x80, 0},
		{16, 16, max1, 0x7fff, 65504}, {16, 16, inf1, 0x7fff, 0xffff}, {16, 16, 0xfbff, 0x8000, 0}, {16, 16, nan1, 0, 0}, {32, 16, max1, 65504, 65504},
		{64, 64, 0x43e0 << 48, 1<<63 - 1, 1 << 63}, {64, 64, 0xc3e0 << 48, 1 << 63, 0}, {64, 64, 0x43dfffffffffffff, 0x7ffffffffffffc00, 0x7ffffffffffffc00}, {64, 64, 0x43f0 << 48, 1<<63 - 1, ones}, {64, 64, 0x43efffffffffffff, 1<<63 - 1, 0xfffffffffffff800},
		{64, 64, nan4, 0, 0}, {64, 64, inf4, 1<<63 - 1, ones}, {64, 32, max2, 1<<63 - 1, ones}, {64, 32, ninf2, 1 << 63, 0}, {32, 64, 0x41dfffffffe00000, 0x7fffffff, 0x7fffffff}, {32, 64, 0xc1e0000000100000, min2, 0},
	} {
		if got := FToS(r.to, r.from, r.x); got != r.s {
			t.Errorf("FToS(%d, %d, %#x) = %#x, want %#x", r.to, r.from, r.x, got, r.s)
		}
		if got := FToU(r.to, r.from, r.x); got != r.u {
			t.Errorf("FToU(%d, %d, %#x) = %#x, want %#x", r.to, r.from, r.x, got, r.u)
		}
	}
}

func TestIntegerToFloat(t *testing.T) {
	type f = func(to, from uint8, rtz bool, x uint64) uint64
	for _, r := range []struct {
		name string
		f    f
		conv
	}{
		{"stof", SToF, conv{32, 32, m32, 0xbf800000, 0xbf800000}}, {"utof", UToF, conv{32, 32, m32, 0x4f800000, 0x4f7fffff}}, {"stof", SToF, conv{32, 32, min2, 0xcf000000, 0xcf000000}}, {"stof", SToF, conv{32, 32, 0, 0, 0}}, {"utof", UToF, conv{32, 32, 0, 0, 0}},
		{"utof", UToF, conv{32, 32, 0x1000001, 0x4b800000, 0x4b800000}}, {"utof", UToF, conv{32, 32, 0x1000003, 0x4b800002, 0x4b800001}}, {"stof", SToF, conv{32, 32, 0xfefffffd, 0xcb800002, 0xcb800001}},
		{"stof", SToF, conv{32, 8, 0x80, 0xc3000000, 0xc3000000}}, {"utof", UToF, conv{32, 8, 0x80, 0x43000000, 0x43000000}}, {"stof", SToF, conv{16, 16, 0x8000, 0xf800, 0xf800}},
		{"utof", UToF, conv{16, 16, 0xffff, inf1, max1}}, {"utof", UToF, conv{16, 16, 65519, max1, max1}}, {"utof", UToF, conv{16, 16, 65520, inf1, max1}}, {"utof", UToF, conv{16, 32, 2049, 0x6800, 0x6800}}, {"utof", UToF, conv{16, 32, 2051, 0x6802, 0x6801}},
		{"utof", UToF, conv{16, 64, ones, inf1, max1}}, {"stof", SToF, conv{16, 64, min4, 0xfc00, 0xfbff}}, {"stof", SToF, conv{16, 32, min2, 0xfc00, 0xfbff}},
		{"utof", UToF, conv{64, 64, ones, 0x43f0 << 48, 0x43efffffffffffff}}, {"stof", SToF, conv{64, 64, ones, 0xbff0 << 48, 0xbff0 << 48}}, {"stof", SToF, conv{64, 64, min4, 0xc3e0 << 48, 0xc3e0 << 48}}, {"utof", UToF, conv{64, 64, 1<<53 + 1, 0x4340 << 48, 0x4340 << 48}}, {"utof", UToF, conv{64, 64, 1<<53 + 3, 0x4340000000000002, 0x4340000000000001}},
		{"utof", UToF, conv{32, 64, 1<<63 + 1<<39 + 1, 0x5f000001, 0x5f000000}}, // just above a tie: one rounding, not two
		{"utof", UToF, conv{32, 64, 1<<63 + 1<<39, 0x5f000000, 0x5f000000}}, {"stof", SToF, conv{32, 64, 1<<62 + 1<<38 + 1, 0x5e800001, 0x5e800000}}, {"utof", UToF, conv{32, 64, ones, 0x5f800000, 0x5f7fffff}},
	} {
		for rtz, want := range map[bool]uint64{false: r.want, true: r.rtz} {
			if got := r.f(r.to, r.from, rtz, r.x); got != want {
				t.Errorf("%s(%d, %d, %v, %#x) = %#x, want %#x", r.name, r.to, r.from, rtz, r.x, got, want)
			}
		}
	}
}
