package scalar

import "math/bits"

// Mask returns the bits that a value of width w may have set.
func Mask(w uint8) uint64 { return ^uint64(0) >> (64 - w) }

// Signed returns the value of x read as a two's complement number.
func Signed(w uint8, x uint64) int64 {
	s := 64 - w
	return int64(x<<s) >> s
}

// Add returns x + y modulo 2^w.
func Add(w uint8, x, y uint64) uint64 { return (x + y) & Mask(w) }

// Sub returns x − y modulo 2^w.
func Sub(w uint8, x, y uint64) uint64 { return (x - y) & Mask(w) }

// Mul returns the low half of x · y.
func Mul(w uint8, x, y uint64) uint64 { return x * y & Mask(w) }

// UDiv returns x / y, unsigned. x/0 is all ones.
func UDiv(w uint8, x, y uint64) uint64 {
	if y == 0 {
		return Mask(w)
	}
	return x / y
}

// UMod returns the remainder of x / y, unsigned. The remainder of x/0 is all ones.
func UMod(w uint8, x, y uint64) uint64 {
	if y == 0 {
		return Mask(w)
	}
	return x % y
}

// SDiv returns x / y, signed, toward zero. x/0 is −1. The least number divided by −1
// is itself.
func SDiv(w uint8, x, y uint64) uint64 {
	if y == 0 {
		return Mask(w)
	}
	return uint64(Signed(w, x)/Signed(w, y)) & Mask(w)
}

// SRem returns the remainder of SDiv, with the sign of x. It is −1 if y is 0.
func SRem(w uint8, x, y uint64) uint64 {
	if y == 0 {
		return Mask(w)
	}
	return uint64(Signed(w, x)%Signed(w, y)) & Mask(w)
}

// SMod returns the remainder of the division toward −∞, with the sign of y. It is −1
// if y is 0.
func SMod(w uint8, x, y uint64) uint64 {
	if y == 0 {
		return Mask(w)
	}
	d := Signed(w, y)
	r := Signed(w, x) % d
	if r != 0 && r < 0 != (d < 0) {
		r += d
	}
	return uint64(r) & Mask(w)
}

// UMulHi returns the high half of the unsigned product.
func UMulHi(w uint8, x, y uint64) uint64 {
	if w == 64 {
		hi, _ := bits.Mul64(x, y)
		return hi
	}
	return x * y >> w
}

// SMulHi returns the high half of the signed product.
func SMulHi(w uint8, x, y uint64) uint64 {
	if w < 64 {
		return uint64(Signed(w, x)*Signed(w, y)>>w) & Mask(w)
	}
	hi, _ := bits.Mul64(x, y)
	if int64(x) < 0 {
		hi -= y
	}
	if int64(y) < 0 {
		hi -= x
	}
	return hi
}

// AddCarry returns 1 if x + y exceeds w bits, else 0.
func AddCarry(w uint8, x, y uint64) uint64 {
	if w < 64 {
		return (x + y) >> w
	}
	_, c := bits.Add64(x, y, 0)
	return c
}

// SubBorrow returns 1 if x < y, unsigned, else 0.
func SubBorrow(_ uint8, x, y uint64) uint64 {
	_, b := bits.Sub64(x, y, 0)
	return b
}

// UMin returns the lesser, unsigned.
func UMin(_ uint8, x, y uint64) uint64 { return min(x, y) }

// UMax returns the greater, unsigned.
func UMax(_ uint8, x, y uint64) uint64 { return max(x, y) }

// SMin returns the lesser, signed.
func SMin(w uint8, x, y uint64) uint64 {
	if Signed(w, y) < Signed(w, x) {
		return y
	}
	return x
}

// SMax returns the greater, signed.
func SMax(w uint8, x, y uint64) uint64 {
	if Signed(w, x) < Signed(w, y) {
		return y
	}
	return x
}

// SAbs returns |x|. The absolute value of the least number is itself.
func SAbs(w uint8, x uint64) uint64 {
	if Signed(w, x) < 0 {
		return -x & Mask(w)
	}
	return x
}

// Eq reports x = y, bit for bit.
func Eq(_ uint8, x, y uint64) bool { return x == y }

// ULt reports x < y, unsigned.
func ULt(_ uint8, x, y uint64) bool { return x < y }

// ULe reports x ≤ y, unsigned.
func ULe(_ uint8, x, y uint64) bool { return x <= y }

// SLt reports x < y, signed.
func SLt(w uint8, x, y uint64) bool { return Signed(w, x) < Signed(w, y) }

// SLe reports x ≤ y, signed.
func SLe(w uint8, x, y uint64) bool { return Signed(w, x) <= Signed(w, y) }

// SExt sign-extends x from width from to width to.
func SExt(to, from uint8, x uint64) uint64 { return uint64(Signed(from, x)) & Mask(to) }

// ZExt zero-extends x.
func ZExt(_, _ uint8, x uint64) uint64 { return x }

// Trunc returns the low bits of x.
func Trunc(to, _ uint8, x uint64) uint64 { return x & Mask(to) }

// At returns the byte offset off + idx·stride, unsigned and saturating at 2³²−1, so
// that an offset never wraps back into range.
func At(off, idx, stride uint64) uint64 {
	const top = 1<<32 - 1
	hi, lo := bits.Mul64(idx, stride)
	sum, c := bits.Add64(off, lo, 0)
	if hi|c != 0 || sum > top {
		return top
	}
	return sum
}

// Dot4 returns z plus the sum of the products of the unsigned bytes of x and the
// signed bytes of y, modulo 2³².
func Dot4(x, y, z uint64) uint64 {
	sum := int64(z)
	for i := range 4 {
		sum += int64(uint8(x>>(8*i))) * int64(int8(y>>(8*i)))
	}
	return uint64(sum) & Mask(32)
}
