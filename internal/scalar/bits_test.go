package scalar

import "testing"

func TestBitwise(t *testing.T) {
	check(t, "and", And, []row{{1, 1, 0, 0}, {1, 1, 1, 1}, {8, 0xcc, 0xaa, 0x88}, {64, ones, 5, 5}})
	check(t, "or", Or, []row{{1, 1, 0, 1}, {1, 0, 0, 0}, {8, 0xcc, 0xaa, 0xee}})
	check(t, "xor", Xor, []row{{1, 1, 1, 0}, {1, 1, 0, 1}, {8, 0xcc, 0xaa, 0x66}})
	check(t, "not", one(Not), []row{{1, 1, 0, 0}, {1, 0, 0, 1}, {8, 0xcc, 0, 0x33}, {16, 0, 0, 0xffff}, {32, 0, 0, m32}, {64, 0, 0, ones}})
}

// Shift amounts count modulo the width.
func TestShiftAmounts(t *testing.T) {
	check(t, "shl", Shl, []row{
		{8, 1, 7, 0x80}, {8, 1, 8, 1}, {8, 0xff, 4, 0xf0}, {16, 1, 17, 2}, {32, 1, 31, min2}, {32, 1, 32, 1}, {32, 3, 33, 6}, {32, 1, m32, min2}, {64, 1, 63, min4}, {64, 1, 64, 1}, {64, 1, ones, min4},
	})
	check(t, "lshr", LShr, []row{
		{8, 0x80, 7, 1}, {8, 0x80, 8, 0x80}, {16, 0x8000, 17, 0x4000}, {32, min2, 31, 1}, {32, min2, 32, min2}, {32, min2, 33, min2 >> 1}, {64, min4, 63, 1}, {64, min4, 64, min4},
	})
	check(t, "ashr", AShr, []row{
		{8, 0x80, 7, 0xff}, {8, 0x80, 8, 0x80}, {8, 0x40, 1, 0x20}, {16, 0x8000, 1, 0xc000}, {32, min2, 31, m32}, {32, min2, 32, min2}, {32, min2, 33, 0xc0000000}, {64, min4, 63, ones}, {64, min4, 64, min4},
	})
}

func TestBitCounts(t *testing.T) {
	check(t, "bitcount", one(BitCount), []row{{8, 0xff, 0, 8}, {32, 0, 0, 0}, {32, 0x10101, 0, 3}, {64, ones, 0, 64}})
	check(t, "bitreverse", one(BitReverse), []row{{8, 1, 0, 0x80}, {8, 0x12, 0, 0x48}, {16, 1, 0, 0x8000}, {32, 1, 0, min2}, {32, 0x12345678, 0, 0x1e6a2c48}, {64, 1, 0, min4}})
}

// The result is −1 if no bit is found.
func TestFindBits(t *testing.T) {
	for _, w := range []uint8{8, 16, 32, 64} {
		check(t, "findlsb", one(FindLsb), []row{{w, 0, 0, Mask(w)}, {w, 1, 0, 0}, {w, Mask(w), 0, 0}, {w, SignBit(w), 0, uint64(w) - 1}, {w, 0x68, 0, 3}})
		check(t, "findumsb", one(FindUMsb), []row{{w, 0, 0, Mask(w)}, {w, 1, 0, 0}, {w, Mask(w), 0, uint64(w) - 1}, {w, 0x68, 0, 6}})
		check(t, "findsmsb", one(FindSMsb), []row{
			{w, 0, 0, Mask(w)}, {w, Mask(w), 0, Mask(w)}, {w, 1, 0, 0}, {w, Mask(w) - 1, 0, 0}, {w, SignBit(w), 0, uint64(w) - 2}, {w, Mask(w - 1), 0, uint64(w) - 2}, {w, 0x28, 0, 5},
		})
	}
}

// Bits of a field above the top of the base are 0; a field is never wider than
// the base.
func TestBitFieldRanges(t *testing.T) {
	type field struct {
		w                   uint8
		x, off, count, u, s uint64
	}
	for _, r := range []field{
		{32, 0xabcd1234, 0, 32, 0xabcd1234, 0xabcd1234},
		{32, 0xabcd1234, 8, 8, 0x12, 0x12},
		{32, 0xabcd1234, 24, 8, 0xab, 0xffffffab},
		{32, 0xabcd1234, 4, 0, 0, 0},
		{32, 0xabcd1234, 32, 0, 0, 0},
		{8, 0xa5, 4, 4, 0xa, 0xfa},
		{16, 0x8421, 15, 1, 1, 0xffff},
		{64, min4 | 1, 63, 1, 1, ones},
		{64, ones, 0, 64, ones, ones},
		{64, ones, 1, 62, 1<<62 - 1, ones},
		// Out of range.
		{32, m32, 28, 8, 0xf, 0xf},
		{32, m32, 32, 1, 0, 0},
		{32, m32, 0, 33, m32, m32},
		{32, m32, m32, 1, 0, 0},
		{32, m32, 0, m32, m32, m32},
		{32, m32, 8, m32, 0xffffff, 0xffffff},
		{8, 0xff, 4, 8, 0xf, 0xf},
		{64, ones, 64, 8, 0, 0},
		{64, ones, 60, 8, 0xf, 0xf},
	} {
		if got := BitFieldU(r.w, r.x, r.off, r.count); got != r.u {
			t.Errorf("BitFieldU(%d, %#x, %d, %d) = %#x, want %#x", r.w, r.x, r.off, r.count, got, r.u)
		}
		if got := BitFieldS(r.w, r.x, r.off, r.count); got != r.s {
			t.Errorf("BitFieldS(%d, %#x, %d, %d) = %#x, want %#x", r.w, r.x, r.off, r.count, got, r.s)
		}
	}
	check(t, "bitfieldmask", BitFieldMask, []row{
		{32, 0, 32, m32}, {32, 4, 8, 0xff0}, {32, 0, 0, 0}, {32, 32, 0, 0}, {8, 7, 1, 0x80}, {16, 0, 16, 0xffff}, {64, 0, 64, ones}, {64, 63, 1, min4},
		{32, 28, 8, 0xf0000000}, {32, 32, 4, 0}, {32, m32, m32, 0}, {32, 0, m32, m32}, {8, 4, 8, 0xf0}, {64, 64, 64, 0},
	})
}
