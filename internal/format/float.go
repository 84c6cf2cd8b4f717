package format

import "math"

// shape is how a small float divides its bits: all have 5 bits of exponent,
// bias 15; those of 10 and 11 bits have no sign (Vulkan §"Floating-Point
// Format Conversions").
func shape(bits int) (mantissa int, signed bool) {
	switch bits {
	case 10:
		return 5, false
	case 11:
		return 6, false
	}
	return 10, true
}

// floatValue returns the number that the low bits of raw stand for; bits is
// 10, 11, 16, 32 or 64.
func floatValue(raw uint64, bits int) float64 {
	switch bits {
	case 32:
		return float64(math.Float32frombits(uint32(raw)))
	case 64:
		return math.Float64frombits(raw)
	}
	mant, signed := shape(bits)
	m := float64(raw & (1<<mant - 1))
	e := int(raw >> mant & 31)
	var v float64
	switch e {
	case 0:
		v = math.Ldexp(m, -14-mant)
	case 31:
		v = math.Inf(1)
		if m != 0 {
			v = math.NaN()
		}
	default:
		v = math.Ldexp(m+float64(int(1)<<mant), e-15-mant)
	}
	if signed && raw>>15&1 != 0 {
		v = math.Copysign(v, -1)
	}
	return v
}

// floatBits returns the bits of the float of that width next to v, ties to
// even. Where there is no sign, negative numbers become 0.
func floatBits(v float64, bits int) uint64 {
	switch bits {
	case 32:
		return uint64(math.Float32bits(float32(v)))
	case 64:
		return math.Float64bits(v)
	}
	mant, signed := shape(bits)
	var sign uint64
	if math.Signbit(v) {
		if !signed && !math.IsNaN(v) {
			return 0
		}
		if signed {
			sign = 1 << 15
		}
	}
	const special = 31
	a := math.Abs(v)
	switch {
	case math.IsNaN(a):
		return sign | special<<mant | 1<<(mant-1)
	case math.IsInf(a, 0):
		return sign | special<<mant
	case a == 0:
		return sign
	}
	exp := max(math.Ilogb(a), -14)
	m := uint64(math.RoundToEven(math.Ldexp(a, mant-exp)))
	if m == 2<<mant { // rounded up to the next power of two
		m, exp = m>>1, exp+1
	}
	switch {
	case exp > 15 && signed:
		return sign | special<<mant
	case exp > 15: // without a sign, finite numbers stay finite
		return special<<mant - 1
	case m < 1<<mant: // denormal
		return sign | m
	}
	return sign | uint64(exp+15)<<mant | m&(1<<mant-1)
}
