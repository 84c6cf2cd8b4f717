package scalar

import "testing"

func TestFloatComparisons(t *testing.T) {
	check(t, "feq", truth(FEq), []row{{32, 0, neg2, 1}, {32, nan2, nan2, 0}, {32, one2, one2, 1}, {32, inf2, inf2, 1}, {32, inf2, ninf2, 0}, {16, 0, 0x8000, 1}, {16, nan1, nan1, 0}, {64, 0, neg4, 1}, {64, nan4, one4, 0}})
	check(t, "flt", truth(FLt), []row{{32, neg2, 0, 0}, {32, one2, two2, 1}, {32, 0xc0000000, 0xbf800000, 1}, {32, nan2, one2, 0}, {32, one2, nan2, 0}, {32, ninf2, inf2, 1}, {32, 0, den2, 1}, {16, 0x8001, 0, 1}, {64, one4, inf4, 1}, {64, nan4, one4, 0}})
	check(t, "fle", truth(FLe), []row{{32, 0, neg2, 1}, {32, two2, one2, 0}, {32, nan2, nan2, 0}, {32, one2, one2, 1}, {16, 1, 1, 1}, {16, nan1, 0, 0}, {64, inf4, inf4, 1}, {64, one4, nan4, 0}})
}

// The result is the first operand if either is NaN, and for two zeros.
func TestFMinFMaxOfNaNAndZeros(t *testing.T) {
	check(t, "fmin", FMin, []row{
		{32, one2, two2, one2}, {32, two2, one2, one2}, {32, nan2, one2, nan2}, {32, one2, nan2, one2}, {32, snan2, one2, snan2}, {32, 0, neg2, 0}, {32, neg2, 0, neg2}, {32, ninf2, one2, ninf2},
		{16, nan1, one1, nan1}, {16, one1, nan1, one1}, {16, 0, 0x8000, 0}, {64, nan4, one4, nan4}, {64, one4, nan4, one4}, {64, 0, neg4, 0}, {64, inf4, one4, one4},
	})
	check(t, "fmax", FMax, []row{
		{32, one2, two2, two2}, {32, two2, one2, two2}, {32, nan2, one2, nan2}, {32, one2, nan2, one2}, {32, 0, neg2, 0}, {32, neg2, 0, neg2}, {32, inf2, one2, inf2},
		{16, nan1, one1, nan1}, {16, one1, nan1, one1}, {16, 0x8000, 0, 0x8000}, {64, nan4, one4, nan4}, {64, one4, nan4, one4}, {64, neg4, 0, neg4}, {64, inf4, one4, inf4},
	})
}

// A NaN loses, −0 is less than +0, and of two NaN comes the canonical one.
func TestNMinNMaxOfNaNAndZeros(t *testing.T) {
	check(t, "nmin", NMin, []row{
		{32, one2, two2, one2}, {32, two2, one2, one2}, {32, nan2, one2, one2}, {32, one2, nan2, one2}, {32, snan2, nnan2, nan2}, {32, 0, neg2, neg2}, {32, neg2, 0, neg2}, {32, neg2, neg2, neg2}, {32, nan2, ninf2, ninf2}, {32, one2, one2, one2},
		{16, nan1, one1, one1}, {16, one1, snan1, one1}, {16, 0, 0x8000, 0x8000}, {16, nnan1, snan1, nan1}, {64, nan4, one4, one4}, {64, 0, neg4, neg4}, {64, snan4, snan4, nan4},
	})
	check(t, "nmax", NMax, []row{
		{32, one2, two2, two2}, {32, two2, one2, two2}, {32, nan2, one2, one2}, {32, one2, nan2, one2}, {32, snan2, nnan2, nan2}, {32, 0, neg2, 0}, {32, neg2, 0, 0}, {32, neg2, neg2, neg2}, {32, nan2, ninf2, ninf2}, {32, 0xbf800000, 0xbf800000, 0xbf800000},
		{16, nan1, one1, one1}, {16, one1, snan1, one1}, {16, 0, 0x8000, 0}, {16, nnan1, snan1, nan1}, {64, nan4, one4, one4}, {64, neg4, 0, 0}, {64, snan4, snan4, nan4},
	})
}
