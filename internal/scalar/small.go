package scalar

import "math"

// Small is a float format that Go has no type for.
type Small uint8

// The small formats.
const (
	Binary16 Small = iota // IEEE 754
	BFloat16              // the upper half of binary32 (SPV_KHR_bfloat16)
	E4M3                  // no infinities, NaN is 0x7f and 0xff (SPV_EXT_float8)
	E5M2                  // the upper half of binary16 (SPV_EXT_float8)
	E2M1                  // neither infinities nor NaN, as E2M3 and E3M2 (SPV_EXT_ocp_microscaling_types)
	E2M3
	E3M2
	numSmall
)

// Formats that can only be widened (SPV_EXT_ocp_microscaling_types).
const (
	E8M0   Small = numSmall + iota // 2^(x−127); NaN is 0xff
	MXInt8                         // a signed integer divided by 64
)

// small describes a format. Encodings are without the sign.
type small struct {
	bits, fraction uint8
	bias           int
	top            uint64 // the greatest finite number
	over           uint64 // the result of overflow: ∞, or NaN if the format has no ∞, or top
	nan            uint64 // the canonical NaN
}

var smalls = [numSmall]small{
	Binary16: {16, 10, 15, 0x7bff, 0x7c00, 0x7e00},
	BFloat16: {16, 7, 127, 0x7f7f, 0x7f80, 0x7fc0},
	E4M3:     {8, 3, 7, 0x7e, 0x7f, 0x7f},
	E5M2:     {8, 2, 15, 0x7b, 0x7c, 0x7e},
	E2M1:     {4, 1, 1, 0x7, 0x7, 0x7},
	E2M3:     {6, 3, 1, 0x1f, 0x1f, 0x1f},
	E3M2:     {6, 2, 3, 0x1f, 0x1f, 0x1f},
}

// Widen returns the value of x, exactly. Any NaN gives a NaN of the same sign.
func Widen(f Small, x uint64) float64 {
	switch {
	case f == E8M0 && x&0xff == 0xff:
		return math.NaN()
	case f == E8M0:
		return power(int64(x&0xff) - 127)
	case f == MXInt8:
		return float64(int8(x)) / 64
	}
	s := &smalls[f]
	sign := x >> (s.bits - 1) & 1 << 63
	x &= Mask(s.bits - 1)
	e := int64(x >> s.fraction)
	m := x & (1<<s.fraction - 1)
	switch {
	case x > s.top && x == s.over && s.over != s.nan:
		return math.Float64frombits(sign | 0x7ff<<52)
	case x > s.top:
		return math.Float64frombits(sign | 0x7ff8<<48)
	case e == 0:
		v := float64(float64(m) * power(1-int64(s.bias)-int64(s.fraction)))
		return math.Float64frombits(sign | math.Float64bits(v))
	}
	return math.Float64frombits(sign | uint64(e+1023-int64(s.bias))<<52 | m<<(52-s.fraction))
}

// Narrow returns v rounded to the format: to nearest even, or toward zero with rtz.
// Overflow is ∞ (NaN in E4M3), or with rtz the greatest finite number. A NaN becomes
// the canonical one.
func Narrow(f Small, rtz bool, v float64) uint64 {
	s := &smalls[f]
	b := math.Float64bits(v)
	sign := b >> 63 << (s.bits - 1)
	switch {
	case v != v:
		return s.nan
	case !finite(v):
		return sign | s.over
	}
	r := s.round(b&^(1<<63), rtz)
	switch {
	case r <= s.top:
		return sign | r
	case rtz:
		return sign | s.top
	}
	return sign | s.over
}

// NarrowSat is Narrow to nearest even, but saturates: overflow and ∞ become the
// greatest finite number (SaturatedToLargestFloat8NormalConversionEXT).
func NarrowSat(f Small, v float64) uint64 {
	s := &smalls[f]
	if v != v {
		return s.nan
	}
	b := math.Float64bits(v)
	return b>>63<<(s.bits-1) | min(s.round(b&^(1<<63), false), s.top)
}

// round returns the encoding of the positive double b for an unbounded exponent.
func (s *small) round(b uint64, rtz bool) uint64 {
	e := int(b>>52) - 1023
	m := b & (1<<52 - 1)
	if e > -1023 {
		m |= 1 << 52
	}
	least := 1 - s.bias // exponent of the least normal number
	shift := uint(52-int(s.fraction)) + uint(max(least-e, 0))
	shift = min(shift, 54) // a longer shift also leaves less than half of the least denormal
	r, rest, half := m>>shift, m&(1<<shift-1), uint64(1)<<(shift-1)
	if !rtz && (rest > half || rest == half && r&1 == 1) {
		r++
	}
	if e >= least {
		// The leading one of r adds 1 to the exponent, as does its carry.
		r += uint64(e+s.bias-1) << s.fraction
	}
	return r
}
