package scalar

import (
	"math/big"
	"testing"
)

// row is one line of a truth table: width, operands, expected bits.
type row struct {
	w       uint8
	x, y, z uint64
}

func check(t *testing.T, name string, f func(w uint8, x, y uint64) uint64, rows []row) {
	t.Helper()
	for _, r := range rows {
		if got := f(r.w, r.x, r.y); got != r.z {
			t.Errorf("%s.%d(%#x, %#x) = %#x, want %#x", name, r.w, r.x, r.y, got, r.z)
		}
	}
}

// one makes a unary function binary; its rows leave y 0.
func one(f func(w uint8, x uint64) uint64) func(w uint8, x, y uint64) uint64 {
	return func(w uint8, x, _ uint64) uint64 { return f(w, x) }
}

func truth(f func(w uint8, x, y uint64) bool) func(w uint8, x, y uint64) uint64 {
	return func(w uint8, x, y uint64) uint64 {
		if f(w, x, y) {
			return 1
		}
		return 0
	}
}

const (
	ones = ^uint64(0)
	min8 = 0x80
	min6 = 0x8000
	min2 = 0x80000000
	min4 = 1 << 63
	m32  = 0xffffffff
)

func TestMask(t *testing.T) {
	for w, want := range map[uint8]uint64{1: 1, 8: 0xff, 16: 0xffff, 32: m32, 64: ones} {
		if got := Mask(w); got != want {
			t.Errorf("Mask(%d) = %#x, want %#x", w, got, want)
		}
	}
	for _, r := range []struct {
		w    uint8
		x    uint64
		want int64
	}{{8, 0x7f, 127}, {8, 0x80, -128}, {16, 0xffff, -1}, {32, min2, -1 << 31}, {64, ones, -1}, {1, 1, -1}} {
		if got := Signed(r.w, r.x); got != r.want {
			t.Errorf("Signed(%d, %#x) = %d, want %d", r.w, r.x, got, r.want)
		}
	}
}

func TestAddSubMul(t *testing.T) {
	check(t, "add", Add, []row{
		{8, 0xff, 1, 0}, {8, 0x7f, 1, 0x80}, {16, 0xffff, 0xffff, 0xfffe}, {32, m32, 1, 0}, {32, 2, 3, 5}, {64, ones, 1, 0}, {64, ones, ones, ones - 1},
	})
	check(t, "sub", Sub, []row{
		{8, 0, 1, 0xff}, {16, 0, 1, 0xffff}, {32, 0, 1, m32}, {32, 5, 3, 2}, {64, 0, 1, ones}, {8, 0x80, 1, 0x7f},
	})
	check(t, "mul", Mul, []row{
		{8, 0x10, 0x10, 0}, {8, 0xff, 0xff, 1}, {16, 0x100, 0x100, 0}, {32, 0x10000, 0x10000, 0}, {32, m32, m32, 1}, {64, 1 << 32, 1 << 32, 0}, {64, ones, 2, ones - 1},
	})
}

// Division by zero: all ones, signed and unsigned.
func TestDivisionByZero(t *testing.T) {
	for _, w := range []uint8{8, 16, 32, 64} {
		for _, x := range []uint64{0, 1, SignBit(w), Mask(w)} {
			check(t, "udiv", UDiv, []row{{w, x, 0, Mask(w)}})
			check(t, "umod", UMod, []row{{w, x, 0, Mask(w)}})
			check(t, "sdiv", SDiv, []row{{w, x, 0, Mask(w)}})
			check(t, "srem", SRem, []row{{w, x, 0, Mask(w)}})
			check(t, "smod", SMod, []row{{w, x, 0, Mask(w)}})
		}
	}
}

// The least number divided by −1 is itself, with remainder 0.
func TestDivisionOverflow(t *testing.T) {
	for _, w := range []uint8{8, 16, 32, 64} {
		check(t, "sdiv", SDiv, []row{{w, SignBit(w), Mask(w), SignBit(w)}})
		check(t, "srem", SRem, []row{{w, SignBit(w), Mask(w), 0}})
		check(t, "smod", SMod, []row{{w, SignBit(w), Mask(w), 0}})
	}
}

func TestDivision(t *testing.T) {
	check(t, "udiv", UDiv, []row{{8, 0xff, 2, 0x7f}, {32, m32, 1, m32}, {32, 7, 2, 3}, {64, ones, 10, 1844674407370955161}})
	check(t, "umod", UMod, []row{{8, 0xff, 0x10, 0xf}, {32, 7, 2, 1}, {64, ones, 10, 5}})
	check(t, "sdiv", SDiv, []row{
		{8, 0xf9, 2, 0xfd}, // −7/2 = −3
		{32, 7, m32 - 1, m32 - 2}, {16, 0xfff9, 0xfffe, 3}, {64, ones - 6, 2, ones - 2},
	})
	// The remainder has the sign of the first operand, the modulus the sign of the
	// second.
	check(t, "srem", SRem, []row{
		{8, 0xf9, 2, 0xff}, {8, 7, 0xfe, 1}, {32, m32 - 6, 3, m32}, {32, 7, m32 - 2, 1}, {32, m32 - 5, 3, 0}, {64, ones - 6, 3, ones}, {16, 0xfff9, 0xfffd, 0xffff},
	})
	check(t, "smod", SMod, []row{
		{8, 0xf9, 2, 1}, {8, 7, 0xfe, 0xff}, {32, m32 - 6, 3, 2}, {32, 7, m32 - 2, m32 - 1}, {32, m32 - 5, 3, 0}, {64, ones - 6, 3, 2}, {16, 0xfff9, 0xfffd, 0xffff},
	})
}

func TestExtendedProducts(t *testing.T) {
	check(t, "umulhi", UMulHi, []row{
		{8, 0xff, 0xff, 0xfe}, {16, 0xffff, 0xffff, 0xfffe}, {32, m32, m32, m32 - 1}, {32, 0x10000, 0x10000, 1}, {64, ones, ones, ones - 1}, {64, 1 << 32, 1 << 32, 1},
	})
	check(t, "smulhi", SMulHi, []row{
		{8, 0xff, 0xff, 0}, {8, 0x80, 0x80, 0x40}, {8, 0xff, 1, 0xff}, {16, 0x8000, 0x7fff, 0xc000}, {32, m32, m32, 0}, {32, min2, min2, 0x40000000}, {32, m32, 1, m32},
		{64, ones, ones, 0}, {64, min4, min4, 1 << 62}, {64, ones, 1, ones}, {64, min4, 1, ones},
	})
	check(t, "addcarry", AddCarry, []row{
		{8, 0xff, 1, 1}, {8, 0xff, 0, 0}, {16, 0xffff, 0xffff, 1}, {32, m32, 1, 1}, {32, min2, 0x7fffffff, 0}, {64, ones, 1, 1}, {64, ones, 0, 0}, {64, ones, ones, 1},
	})
	check(t, "subborrow", SubBorrow, []row{{8, 0, 1, 1}, {32, 1, 1, 0}, {32, 0, m32, 1}, {64, ones, 0, 0}, {64, 0, ones, 1}})
}

func TestDot4(t *testing.T) {
	for _, r := range [][4]uint64{ // unsigned bytes, signed bytes, summand, sum
		{0, 0, 0, 0}, {0, 0, 7, 7}, {1, 1, 0, 1}, {0x04030201, 0x01010101, 0, 10}, {0xff, 0xff, 0, 0xffffff01},
		{0xffffffff, 0x7f7f7f7f, 0, 4 * 255 * 127}, {0xffffffff, 0x80808080, 0, 1<<32 - 4*255*128}, {0x80, 0x80, 1 << 14, 0},
		{1, 1, 0xffffffff, 0}, {0xff, 0x80, 0x80000000, 0x7fff8080}, {0xff000000, 0x01000000, 0, 255},
	} {
		if got := Dot4(r[0], r[1], r[2]); got != r[3] {
			t.Errorf("Dot4(%#x, %#x, %#x) = %#x, want %#x", r[0], r[1], r[2], got, r[3])
		}
	}
}

func TestIntegerMinMax(t *testing.T) {
	check(t, "umin", UMin, []row{{8, 0x80, 0x7f, 0x7f}, {32, 0, m32, 0}, {64, ones, 1, 1}})
	check(t, "umax", UMax, []row{{8, 0x80, 0x7f, 0x80}, {32, 0, m32, m32}, {64, ones, 1, ones}})
	check(t, "smin", SMin, []row{{8, 0x80, 0x7f, 0x80}, {16, 0xffff, 0, 0xffff}, {32, 0, m32, m32}, {64, ones, 1, ones}})
	check(t, "smax", SMax, []row{{8, 0x80, 0x7f, 0x7f}, {16, 0xffff, 0, 0}, {32, 0, m32, 0}, {64, ones, 1, 1}})
	check(t, "sabs", one(SAbs), []row{{8, 0xff, 0, 1}, {8, 0x80, 0, 0x80}, {16, 5, 0, 5}, {32, m32, 0, 1}, {32, min2, 0, min2}, {64, min4, 0, min4}, {64, ones, 0, 1}})
}

func TestIntegerComparisons(t *testing.T) {
	check(t, "eq", truth(Eq), []row{{1, 1, 1, 1}, {1, 0, 1, 0}, {8, 3, 3, 1}, {64, ones, ones - 1, 0}})
	check(t, "ult", truth(ULt), []row{{8, 0x7f, 0x80, 1}, {8, 0x80, 0x7f, 0}, {32, 1, 1, 0}, {64, 0, ones, 1}})
	check(t, "ule", truth(ULe), []row{{8, 0x80, 0x7f, 0}, {32, 1, 1, 1}, {64, 0, ones, 1}})
	check(t, "slt", truth(SLt), []row{{8, 0x7f, 0x80, 0}, {8, 0x80, 0x7f, 1}, {16, 0xffff, 0, 1}, {32, m32, m32, 0}, {64, ones, 0, 1}})
	check(t, "sle", truth(SLe), []row{{8, 0x7f, 0x80, 0}, {32, m32, m32, 1}, {64, min4, ones, 1}})
}

func TestIntegerConversions(t *testing.T) {
	for _, r := range []struct {
		name     string
		f        func(to, from uint8, x uint64) uint64
		to, from uint8
		x, want  uint64
	}{
		{"sext", SExt, 16, 8, 0x80, 0xff80}, {"sext", SExt, 32, 8, 0x7f, 0x7f}, {"sext", SExt, 64, 32, min2, 0xffffffff80000000}, {"sext", SExt, 64, 16, 0xffff, ones},
		{"zext", ZExt, 16, 8, 0x80, 0x80}, {"zext", ZExt, 64, 32, m32, m32}, {"zext", ZExt, 32, 1, 1, 1},
		{"trunc", Trunc, 8, 32, 0x12345678, 0x78}, {"trunc", Trunc, 32, 64, ones, m32}, {"trunc", Trunc, 16, 32, 0x18000, 0x8000},
	} {
		if got := r.f(r.to, r.from, r.x); got != r.want {
			t.Errorf("%s.%d.%d(%#x) = %#x, want %#x", r.name, r.to, r.from, r.x, got, r.want)
		}
	}
}

// An offset that does not fit 32 bits is 2³²−1 and never small again.
func TestOffsetSaturates(t *testing.T) {
	for _, r := range []struct{ off, idx, stride, want uint64 }{
		{0, 0, 0, 0}, {16, 3, 4, 28}, {0, 1 << 30, 4, m32}, {0, 1<<30 - 1, 4, 0xfffffffc}, {4, 1<<30 - 1, 4, m32}, {3, 1<<30 - 1, 4, m32},
		{m32, 1, 1, m32}, {m32, 0, 8, m32}, {5, m32, m32, m32}, {0, m32, 1, m32}, {0, m32, ones, m32}, {0, 2, 1 << 63, m32}, {7, 0, ones, 7},
	} {
		if got := At(r.off, r.idx, r.stride); got != r.want {
			t.Errorf("At(%d, %d, %d) = %d, want %d", r.off, r.idx, r.stride, got, r.want)
		}
	}
}

// Every pair of 8 bits against whole numbers without a width.
func TestBytesAgainstNumbers(t *testing.T) {
	low := func(v int) uint64 { return uint64(v) & 0xff }
	for x := range 256 {
		for y := range 256 {
			sx, sy := int(int8(x)), int(int8(y))
			ux, uy := uint64(x), uint64(y)
			check(t, "add", Add, []row{{8, ux, uy, low(x + y)}})
			check(t, "smulhi", SMulHi, []row{{8, ux, uy, low(sx * sy >> 8)}})
			check(t, "umulhi", UMulHi, []row{{8, ux, uy, low(x * y >> 8)}})
			if y == 0 {
				continue
			}
			check(t, "sdiv", SDiv, []row{{8, ux, uy, low(sx / sy)}})
			// big's DivMod is Euclid's: correct it toward −∞.
			m := new(big.Int).Mod(big.NewInt(int64(sx)), big.NewInt(int64(sy))).Int64()
			if m != 0 && sy < 0 {
				m += int64(sy)
			}
			check(t, "smod", SMod, []row{{8, ux, uy, low(int(m))}})
		}
	}
}
