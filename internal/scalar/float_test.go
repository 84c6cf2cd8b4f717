package scalar

import (
	"math"
	"testing"
)

// Bits that the tables use, by width.
const (
	one2, two2, half2               = 0x3f800000, 0x40000000, 0x3f000000
	three2, neg2                    = 0x40400000, 0x80000000 // neg2 is −0
	inf2, ninf2, nan2               = 0x7f800000, 0xff800000, 0x7fc00000
	max2, nmax2, den2, norm2        = 0x7f7fffff, 0xff7fffff, 1, 0x00800000
	one1, inf1, nan1, max1          = 0x3c00, 0x7c00, 0x7e00, 0x7bff
	one4, inf4, nan4                = 0x3ff0 << 48, 0x7ff0 << 48, 0x7ff8 << 48
	max4, norm4, neg4               = 0x7fefffffffffffff, 0x0010 << 48, 1 << 63
	snan1, snan2, snan4             = 0x7d01, 0x7fa00001, 0x7ff4000000000001
	nnan1, nnan2, nnan4      uint64 = 0xfe00, 0xffc00000, 0xfff8 << 48
)

// canon compares after FCanon: an arithmetic NaN has no bits of its own.
func canon(f func(w uint8, x, y uint64) uint64) func(w uint8, x, y uint64) uint64 {
	return func(w uint8, x, y uint64) uint64 { return FCanon(w, f(w, x, y)) }
}

func mode(rtz bool, f func(w uint8, rtz bool, x, y uint64) uint64) func(w uint8, x, y uint64) uint64 {
	return canon(func(w uint8, x, y uint64) uint64 { return f(w, rtz, x, y) })
}

func mode1(rtz bool, f func(w uint8, rtz bool, x uint64) uint64) func(w uint8, x, y uint64) uint64 {
	return canon(func(w uint8, x, _ uint64) uint64 { return f(w, rtz, x) })
}

func TestFAddFSub(t *testing.T) {
	rows := []row{
		{32, one2, one2, two2}, {32, one2, 0xbf800000, 0}, {32, neg2, neg2, neg2}, {32, neg2, 0, 0},
		{32, inf2, ninf2, nan2}, {32, inf2, one2, inf2}, {32, nan2, one2, nan2}, {32, den2, den2, 2}, {32, norm2, 0x80000001, 0x007fffff},
		{32, one2, 0x33800000, one2},             // 1 + 2⁻²⁴: a tie to even
		{32, 0x3f800001, 0x33800000, 0x3f800002}, // a tie, upward to even
		{32, one2, 0x33800001, 0x3f800001},       // just above the tie
		{32, max2, max2, inf2}, {32, max2, 0x73000000, inf2}, {32, max2, 0x72ffffff, max2},
		{16, one1, one1, 0x4000}, {16, one1, 0x1000, one1}, {16, 0x3c01, 0x1000, 0x3c02}, {16, max1, 0x4c00, inf1}, {16, max1, 0x4bff, max1}, {16, inf1, 0xfc00, nan1}, {16, 1, 1, 2},
		{16, one1, 1, one1}, {16, 0x8000, 0, 0},
		{64, one4, one4, 0x4000 << 48}, {64, one4, 0x3ca0 << 48, one4}, {64, max4, max4, inf4}, {64, inf4, inf4 | neg4, nan4}, {64, neg4, 0, 0}, {64, 1, 1, 2},
	}
	check(t, "fadd", mode(false, FAdd), rows)
	for i := range rows {
		rows[i].y ^= SignBit(rows[i].w)
	}
	rows[6].y = one2
	check(t, "fsub", mode(false, FSub), rows)
	check(t, "fadd rtz", mode(true, FAdd), []row{
		{32, one2, 0x33800001, one2}, {32, 0xbf800000, 0xb3ffffff, 0xbf800000}, {32, one2, 0xb3000000, 0x3f7fffff}, {32, one2, 0x80000001, 0x3f7fffff}, {32, one2, 1, one2},
		{32, max2, max2, max2}, {32, nmax2, nmax2, nmax2}, {32, inf2, one2, inf2}, {32, inf2, ninf2, nan2}, {32, one2, 0xbf800000, 0},
		{16, max1, max1, max1}, {16, one1, 0x8001, 0x3bff}, {16, 0x3c01, 0x1000, 0x3c01},
		{64, max4, max4, max4}, {64, one4, 1 | neg4, one4 - 1}, {64, one4, 0x3cb0<<48 - 1, one4}, {64, inf4, one4, inf4}, {64, one4 | neg4, 1, neg4 | (one4 - 1)}, {64, 0, neg4, 0},
	})
	check(t, "fsub rtz", mode(true, FSub), []row{{32, one2, 1, 0x3f7fffff}, {64, one4, 1, one4 - 1}, {16, one1, 1, 0x3bff}})
}

func TestFMul(t *testing.T) {
	check(t, "fmul", mode(false, FMul), []row{
		{32, two2, half2, one2}, {32, neg2, one2, neg2}, {32, neg2, neg2, 0}, {32, inf2, 0, nan2}, {32, inf2, 0xbf800000, ninf2},
		{32, max2, two2, inf2}, {32, den2, half2, 0}, {32, 3, half2, 2}, {32, 0x3f800001, 0x3f800001, 0x3f800002}, {32, norm2, half2, 0x00400000},
		{16, 0x4000, 0x3800, one1}, {16, max1, 0x4000, inf1}, {16, 1, 0x3800, 0}, {16, 3, 0x3800, 2}, {16, inf1, 0, nan1}, {16, 0x3c01, 0x3c01, 0x3c02},
		{64, 0x4000 << 48, 0x3fe0 << 48, one4}, {64, max4, 0x4000 << 48, inf4}, {64, 3, 0x3fe0 << 48, 2}, {64, inf4, 0, nan4},
	})
	check(t, "fmul rtz", mode(true, FMul), []row{
		{32, max2, two2, max2}, {32, max2, 0xc0000000, nmax2}, {32, 3, half2, 1}, {32, den2, half2, 0}, {32, 0x80000001, half2, neg2}, {32, 0x3f800001, 0x3f800001, 0x3f800002}, {32, 0x3fffffff, 0x3fffffff, 0x407ffffe},
		{16, max1, 0x4000, max1}, {16, 3, 0x3800, 1}, {16, inf1, one1, inf1},
		{64, max4, 0x4000 << 48, max4}, {64, 3, 0x3fe0 << 48, 1}, {64, 1, 0x3fe0 << 48, 0}, {64, inf4, one4, inf4}, {64, one4 + 1, one4 + 1, one4 + 2}, {64, one4 | (1<<52 - 1), one4 | (1<<52 - 1), 0x400ffffffffffffe},
	})
}

func TestFDiv(t *testing.T) {
	check(t, "fdiv", mode(false, FDiv), []row{
		{32, one2, two2, half2}, {32, one2, three2, 0x3eaaaaab}, {32, one2, 0, inf2}, {32, one2, neg2, ninf2}, {32, 0, 0, nan2}, {32, inf2, inf2, nan2}, {32, one2, inf2, 0}, {32, one2, ninf2, neg2},
		{32, den2, two2, 0}, {32, 3, two2, 2}, {32, max2, half2, inf2},
		{16, one1, 0x4200, 0x3555}, {16, one1, 0, inf1}, {16, 0, 0, nan1}, {16, 3, 0x4000, 2}, {16, max1, 0x3800, inf1},
		{64, one4, 0x4008 << 48, 0x3fd5555555555555}, {64, one4, 0, inf4}, {64, 0, 0, nan4}, {64, 3, 0x4000 << 48, 2},
	})
	check(t, "fdiv rtz", mode(true, FDiv), []row{
		{32, one2, three2, 0x3eaaaaaa}, {32, 0xbf800000, three2, 0xbeaaaaaa}, {32, one2, 0xc0400000, 0xbeaaaaaa}, {32, max2, half2, max2}, {32, one2, 0, inf2}, {32, one2, two2, half2}, {32, 3, two2, 1},
		{16, one1, 0x4200, 0x3555}, {16, 0x4000, 0x4200, 0x3955}, {16, max1, 0x3800, max1}, {16, one1, 0, inf1},
		{64, 0x4000 << 48, 0x4008 << 48, 0x3fe5555555555555}, {64, 0x4014 << 48, 0x4008 << 48, 0x3ffaaaaaaaaaaaaa}, {64, max4, 0x3fe0 << 48, max4}, {64, 3, 0x4000 << 48, 1}, {64, one4, 0, inf4}, {64, one4, inf4, 0},
	})
}

// The remainder has the sign of the first operand; of a division by zero it is
// NaN, by ∞ the first operand.
func TestFRem(t *testing.T) {
	check(t, "frem", canon(FRem), []row{
		{32, 0x40a00000, three2, two2}, {32, 0xc0a00000, three2, 0xc0000000}, {32, 0x40a00000, 0xc0400000, two2}, {32, 0xc0800000, two2, neg2}, {32, 0x40800000, 0xc0000000, 0},
		{32, one2, 0, nan2}, {32, one2, neg2, nan2}, {32, inf2, one2, nan2}, {32, one2, inf2, one2}, {32, one2, ninf2, one2}, {32, neg2, one2, neg2}, {32, nan2, one2, nan2}, {32, one2, nan2, nan2},
		{32, max2, den2, 0}, {32, 0x40b00000, two2, 0x3fc00000}, // 5.5 rem 2 = 1.5
		{16, 0x4500, 0x4200, 0x4000}, {16, 0xc500, 0x4200, 0xc000}, {16, one1, 0, nan1}, {16, one1, inf1, one1},
		{64, 0x4014 << 48, 0x4008 << 48, 0x4000 << 48}, {64, 0xc014 << 48, 0x4008 << 48, 0xc000 << 48}, {64, one4, 0, nan4},
	})
}

func TestFFmaRoundsOnce(t *testing.T) {
	type fma struct {
		w                uint8
		x, y, z, rne, rz uint64
	}
	for _, r := range []fma{
		{32, two2, three2, one2, 0x40e00000, 0x40e00000},
		// 1.5 · (1+3·2⁻²³) is half way between two floats: 2⁻⁸⁰ decides, and a
		// sum rounded in float64 first has lost it.
		{32, 0x3fc00000, 0x3f800003, 0x17800000, 0x3fc00005, 0x3fc00004},
		{32, 0x3fc00000, 0x3f800003, 0, 0x3fc00004, 0x3fc00004},
		{32, 0x3fc00000, 0x3f800003, 0x97800000, 0x3fc00004, 0x3fc00004},
		{32, 0x3fc00000, 0x3f800001, 0, 0x3fc00002, 0x3fc00001},
		{32, 0x3fc00000, 0x3f800001, 0x97800000, 0x3fc00001, 0x3fc00001},
		{32, max2, two2, nmax2, max2, max2},
		{32, max2, two2, 0, inf2, max2},
		{32, max2, two2, ninf2, ninf2, ninf2},
		{32, inf2, 0, one2, nan2, nan2},
		{32, one2, one2, 0xbf800000, 0, 0},
		{32, neg2, one2, neg2, neg2, neg2},
		{32, den2, half2, 0, 0, 0},
		{32, den2, half2, den2, 2, 1},
		{32, 0x3f800001, 0x3f800001, 0xbf800002, 0x28800000, 0x28800000}, // 2⁻⁴⁶, lost without the fusion
		{16, 0x3e00, 0x3c03, 1, 0x3e05, 0x3e04},                          // 1.5·(1+3·2⁻¹⁰) is a tie; 2⁻²⁴ decides
		{16, 0x3e00, 0x3c03, 0x8001, 0x3e04, 0x3e04},
		{16, 0x3c01, 0x3c01, 0xbc02, 0x0010, 0x0010}, // 2⁻²⁰
		{16, max1, 0x4000, 0xfbff, max1, max1},
		{16, max1, 0x4000, 0, inf1, max1},
		{16, 0x7bff, 0x7bff, 1, inf1, max1},
		{64, 0x4000 << 48, 0x4008 << 48, one4, 0x401c << 48, 0x401c << 48},
		{64, one4 + 1, one4 + 1, 0xbff0000000000002, 0x3970 << 48, 0x3970 << 48}, // 2⁻¹⁰⁴
		{64, max4, 0x4000 << 48, 0, inf4, max4},
		{64, one4, one4, 1 | neg4, one4, one4 - 1},
		{64, 1, 0x3fe0 << 48, 1, 2, 1},
		{64, inf4, one4, inf4 | neg4, nan4, nan4},
	} {
		if got := FCanon(r.w, FFma(r.w, false, r.x, r.y, r.z)); got != r.rne {
			t.Errorf("FFma.%d(%#x, %#x, %#x) = %#x, want %#x", r.w, r.x, r.y, r.z, got, r.rne)
		}
		if got := FCanon(r.w, FFma(r.w, true, r.x, r.y, r.z)); got != r.rz {
			t.Errorf("FFma.%d rtz(%#x, %#x, %#x) = %#x, want %#x", r.w, r.x, r.y, r.z, got, r.rz)
		}
	}
}

// Below zero the root is NaN, of −0 it is −0.
func TestFSqrt(t *testing.T) {
	check(t, "fsqrt", mode1(false, FSqrt), []row{
		{32, 0x40800000, 0, two2}, {32, two2, 0, 0x3fb504f3}, {32, three2, 0, 0x3fddb3d7}, {32, 0, 0, 0}, {32, neg2, 0, neg2}, {32, 0xbf800000, 0, nan2}, {32, ninf2, 0, nan2}, {32, inf2, 0, inf2}, {32, nan2, 0, nan2},
		{32, den2, 0, 0x1a3504f3}, {32, max2, 0, 0x5f7fffff},
		{16, 0x4400, 0, 0x4000}, {16, 0x4000, 0, 0x3da8}, {16, 0xbc00, 0, nan1}, {16, 0x8000, 0, 0x8000}, {16, 1, 0, 0x0c00}, {16, inf1, 0, inf1},
		{64, 0x4010 << 48, 0, 0x4000 << 48}, {64, 0x4000 << 48, 0, 0x3ff6a09e667f3bcd}, {64, 0xbff0 << 48, 0, nan4}, {64, neg4, 0, neg4},
	})
	check(t, "fsqrt rtz", mode1(true, FSqrt), []row{
		{32, 0x40800000, 0, two2}, {32, two2, 0, 0x3fb504f3}, {32, 0x40a00000, 0, 0x400f1bbc}, {32, neg2, 0, neg2}, {32, 0xbf800000, 0, nan2}, {32, inf2, 0, inf2},
		{16, 0x4400, 0, 0x4000}, {16, 0x4200, 0, 0x3eed}, {64, 0x4000 << 48, 0, 0x3ff6a09e667f3bcc}, {64, 0x4010 << 48, 0, 0x4000 << 48}, {64, inf4, 0, inf4},
	})
}

func TestFNegFAbs(t *testing.T) {
	check(t, "fneg", one(FNeg), []row{{16, one1, 0, 0xbc00}, {32, 0, 0, neg2}, {32, nan2, 0, uint64(nnan2)}, {32, snan2, 0, 0xffa00001}, {64, neg4, 0, 0}})
	check(t, "fabs", one(FAbs), []row{{16, 0xbc00, 0, one1}, {32, neg2, 0, 0}, {32, nnan2, 0, nan2}, {32, ninf2, 0, inf2}, {64, nnan4, 0, nan4}})
}

func TestRoundingToWhole(t *testing.T) {
	// 2.5, −2.5, 0.5, −0.5, 1.5, 0.49999997, then special values.
	in := []uint64{0x40200000, 0xc0200000, half2, 0xbf000000, 0x3fc00000, 0x3effffff, neg2, inf2, ninf2, nan2, 0x4affffff, max2, den2, 0x80000001}
	for _, f := range []struct {
		name string
		f    func(w uint8, x uint64) uint64
		want []uint64
	}{
		{"ffloor", FFloor, []uint64{two2, 0xc0400000, 0, 0xbf800000, one2, 0, neg2, inf2, ninf2, nan2, 0x4afffffe, max2, 0, 0xbf800000}},
		{"fceil", FCeil, []uint64{three2, 0xc0000000, one2, neg2, two2, one2, neg2, inf2, ninf2, nan2, 0x4b000000, max2, one2, neg2}},
		{"ftrunc", FTrunc, []uint64{two2, 0xc0000000, 0, neg2, one2, 0, neg2, inf2, ninf2, nan2, 0x4afffffe, max2, 0, neg2}},
		{"froundeven", FRoundEven, []uint64{two2, 0xc0000000, 0, neg2, two2, 0, neg2, inf2, ninf2, nan2, 0x4b000000, max2, 0, neg2}},
	} {
		for i, x := range in {
			check(t, f.name, canon(one(f.f)), []row{{32, x, 0, f.want[i]}})
			// The other widths represent the same numbers, if in range.
			check(t, f.name, canon(one(f.f)), []row{{64, FCvt(64, 32, false, x), 0, FCvt(64, 32, false, f.want[i])}})
		}
	}
	check(t, "froundeven", one(FRoundEven), []row{{16, 0x4100, 0, 0x4000}, {16, 0x4300, 0, 0x4400}, {16, 0xb800, 0, 0x8000}})
	check(t, "ffloor", one(FFloor), []row{{16, 0x8001, 0, 0xbc00}, {64, 0x4330000000000001, 0, 0x4330000000000001}})
}

// x·2^n is rounded once, however far it goes.
func TestFLdexp(t *testing.T) {
	check(t, "fldexp", canon(FLdexp), []row{
		{32, one2, 3, 0x41000000}, {32, one2, m32, half2}, {32, one2, 127, 0x7f000000}, {32, one2, 128, inf2}, {32, den2, 276, 0x7f000000}, {32, den2, 277, inf2},
		{32, one2, m32 - 148, den2}, {32, one2, m32 - 149, 0}, {32, 0x3f800001, m32 - 149, 1}, {32, 0x3fc00000, m32 - 148, 2},
		{32, 0xbfc00000, m32 - 148, 0x80000002}, {32, 3, m32, 2}, {32, 0x3f800001, m32 - 125, norm2 + 1}, {32, 0x3f800001, m32 - 126, 0x00400000}, {32, 0x3f800003, m32 - 126, 0x00400002},
		{32, one2, 0x7fffffff, inf2}, {32, 0xbf800000, 0x7fffffff, ninf2}, {32, one2, min2, 0}, {32, 0xbf800000, min2, neg2}, {32, 0, 0x7fffffff, 0}, {32, neg2, 5, neg2}, {32, inf2, min2, inf2}, {32, nan2, 1, nan2},
		{32, max2, m32 - 277, 0}, {32, max2, m32 - 276, 1}, {32, max2, m32 - 275, 2},
		{16, one1, 15, 0x7800}, {16, one1, 16, inf1}, {16, one1, m32 - 23, 1}, {16, one1, m32 - 24, 0}, {16, 0x3c01, m32 - 24, 1}, {16, one1, 0x7fffffff, inf1}, {16, 0xbc00, min2, 0x8000},
		{64, one4, 1023, 0x7fe0 << 48}, {64, one4, 1024, inf4}, {64, one4, m32 - 1073, 1}, {64, one4, m32 - 1074, 0}, {64, one4 + 1, m32 - 1074, 1}, {64, 1, 2097, 0x7fe0 << 48}, {64, 1, 2098, inf4}, {64, max4, m32 - 2096, 2}, {64, max4, m32 - 2097, 1}, {64, max4, m32 - 2098, 0},
		{64, one4, min2, 0}, {64, one4, 0x7fffffff, inf4}, {64, one4 + 1, m32 - 1022, norm4 >> 1}, {64, one4 + 3, m32 - 1022, norm4>>1 + 2}, {64, 3, m32, 2}, {64, 1, m32, 0}, {64, neg4 | one4, min2, neg4},
	})
}

func TestFCanon(t *testing.T) {
	check(t, "fcanon", one(FCanon), []row{
		{16, snan1, 0, nan1}, {16, nnan1, 0, nan1}, {16, 0xffff, 0, nan1}, {16, inf1, 0, inf1}, {16, 0xfc00, 0, 0xfc00},
		{32, snan2, 0, nan2}, {32, nnan2, 0, nan2}, {32, m32, 0, nan2}, {32, inf2, 0, inf2}, {32, neg2, 0, neg2}, {32, den2, 0, den2},
		{64, snan4, 0, nan4}, {64, nnan4, 0, nan4}, {64, ones, 0, nan4}, {64, inf4, 0, inf4},
	})
	for w, want := range map[uint8]uint64{16: nan1, 32: nan2, 64: nan4} {
		if NaN(w) != want || !IsNaN(w, want) || IsNaN(w, inf(w)) {
			t.Errorf("NaN(%d) = %#x, want %#x", w, NaN(w), want)
		}
	}
}

func TestFFlush(t *testing.T) {
	check(t, "fflush", one(FFlush), []row{
		{16, 0x3ff, 0, 0}, {16, 0x83ff, 0, 0x8000}, {16, 0x400, 0, 0x400},
		{32, den2, 0, 0}, {32, 0x807fffff, 0, neg2}, {32, norm2, 0, norm2}, {32, one2, 0, one2}, {32, nan2, 0, nan2}, {32, neg2, 0, neg2},
		{64, 1, 0, 0}, {64, norm4 - 1, 0, 0}, {64, norm4, 0, norm4},
	})
}

// No operation flushes a denormal on its own.
func TestDenormalsArePreserved(t *testing.T) {
	for _, w := range []uint8{16, 32, 64} {
		d, o := uint64(3), map[uint8]uint64{16: one1, 32: one2, 64: one4}[w]
		for name, got := range map[string]uint64{
			"fadd": FAdd(w, false, d, 0), "fsub": FSub(w, false, d, 0), "fmul": FMul(w, false, d, o), "fdiv": FDiv(w, false, d, o),
			"ffma": FFma(w, false, d, o, 0), "frem": FRem(w, d, o), "fmin": FMin(w, d, o), "nmin": NMin(w, d, o), "fldexp": FLdexp(w, d, 0), "fcanon": FCanon(w, d),
		} {
			if got != d {
				t.Errorf("%s.%d made %#x of a denormal", name, w, got)
			}
		}
		if !FLt(w, 0, d) || FEq(w, 0, d) {
			t.Errorf("a denormal of %d bits compares as zero", w)
		}
	}
}

func TestFloatBits(t *testing.T) {
	if Float(16, one1) != 1 || Float(32, one2) != 1 || Float(64, one4) != 1 {
		t.Error("1 is not 1")
	}
	if F32(inf2) != float32(math.Inf(1)) || F64(max4) != math.MaxFloat64 || Bits32(2) != two2 || Bits64(1) != one4 {
		t.Error("bits and floats do not agree")
	}
	for _, r := range []struct {
		w    uint8
		rtz  bool
		v    float64
		want uint64
	}{
		{32, false, 1e300, inf2}, {32, true, 1e300, max2}, {32, true, -1e300, nmax2}, {32, true, math.Inf(1), inf2}, {32, false, 0x1p-150, 0}, {32, false, 0x1.8p-149, 2}, {32, true, 0x1.8p-149, 1},
		{16, false, 65519, max1}, {16, false, 65520, inf1}, {16, true, 65535, max1}, {64, true, 1e300, Bits64(1e300)},
	} {
		if got := FromFloat(r.w, r.rtz, r.v); got != r.want {
			t.Errorf("FromFloat(%d, %v, %g) = %#x, want %#x", r.w, r.rtz, r.v, got, r.want)
		}
	}
}
