package scalar

import "math/bits"

// And returns the bitwise conjunction.
func And(_ uint8, x, y uint64) uint64 { return x & y }

// Or returns the bitwise disjunction.
func Or(_ uint8, x, y uint64) uint64 { return x | y }

// Xor returns the bitwise difference.
func Xor(_ uint8, x, y uint64) uint64 { return x ^ y }

// Not returns the complement.
func Not(w uint8, x uint64) uint64 { return ^x & Mask(w) }

// Shl shifts x left by y mod w bits.
func Shl(w uint8, x, y uint64) uint64 { return x << (y & uint64(w-1)) & Mask(w) }

// LShr shifts x right by y mod w bits and fills with zeros.
func LShr(w uint8, x, y uint64) uint64 { return x >> (y & uint64(w-1)) }

// AShr shifts x right by y mod w bits and fills with the sign.
func AShr(w uint8, x, y uint64) uint64 {
	return uint64(Signed(w, x)>>(y&uint64(w-1))) & Mask(w)
}

// BitCount returns how many bits of x are set.
func BitCount(_ uint8, x uint64) uint64 { return uint64(bits.OnesCount64(x)) }

// BitReverse returns x with its w bits in the opposite order.
func BitReverse(w uint8, x uint64) uint64 { return bits.Reverse64(x) >> (64 - w) }

// FindLsb returns the number of the lowest set bit; −1 for 0.
func FindLsb(w uint8, x uint64) uint64 {
	if x == 0 {
		return Mask(w)
	}
	return uint64(bits.TrailingZeros64(x))
}

// FindUMsb returns the number of the highest set bit; −1 for 0.
func FindUMsb(w uint8, x uint64) uint64 {
	return uint64(bits.Len64(x)-1) & Mask(w)
}

// FindSMsb returns the number of the highest bit that differs from the sign;
// −1 for 0 and −1.
func FindSMsb(w uint8, x uint64) uint64 {
	s := Signed(w, x)
	return FindUMsb(w, uint64(s^s>>63))
}

// low returns n ones from bit 0; for n ≥ w, w ones.
func low(w uint8, n uint64) uint64 {
	if n >= uint64(w) {
		return Mask(w)
	}
	return 1<<n - 1
}

// BitFieldU returns count bits of x from bit off, zero-extended. off and count
// are unsigned; bits above the top of x read 0.
func BitFieldU(w uint8, x, off, count uint64) uint64 {
	return x >> off & low(w, count)
}

// BitFieldS returns count bits of x from bit off, extended by bit count−1 of the
// field. off and count are unsigned; bits above the top of x read 0, and a
// field of w or more bits has w.
func BitFieldS(w uint8, x, off, count uint64) uint64 {
	s := 64 - min(count, uint64(w))
	return uint64(int64(x>>off<<s)>>s) & Mask(w)
}

// BitFieldMask returns count ones from bit off; ones above the top vanish.
func BitFieldMask(w uint8, off, count uint64) uint64 {
	return low(w, count) << off & Mask(w)
}
