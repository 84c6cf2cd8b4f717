package format

import "math"

// smallFloat is the layout of a float of 8 to 16 bits. Its exponent bias is 2^(exponent−1)−1 (Vulkan §"16-Bit
// Floating-Point Numbers", §"Unsigned 11-Bit Floating-Point Numbers", §"Unsigned 10-Bit Floating-Point
// Numbers").
type smallFloat struct {
	exponent, mantissa uint8
	unsigned           bool
	finite             bool // no infinity; all ones is NaN
}

// The small floats.
var (
	half       = smallFloat{exponent: 5, mantissa: 10}
	uf11       = smallFloat{exponent: 5, mantissa: 6, unsigned: true}
	uf10       = smallFloat{exponent: 5, mantissa: 5, unsigned: true}
	bfloat16   = smallFloat{exponent: 8, mantissa: 7}
	float8E4M3 = smallFloat{exponent: 4, mantissa: 3, finite: true}
	float8E5M2 = smallFloat{exponent: 5, mantissa: 2}
)

// smallFloat returns the layout of the component's float; ok is false for other types, and for 32- and
// 64-bit floats.
func (c Component) smallFloat() (s smallFloat, ok bool) {
	switch {
	case c.Numeric == UFloat && c.Bits == 11:
		return uf11, true
	case c.Numeric == UFloat && c.Bits == 10:
		return uf10, true
	case c.Numeric == SFloat && c.Bits == 16:
		return half, true
	case c.Numeric == BFloat16:
		return bfloat16, true
	case c.Numeric == Float8E4M3:
		return float8E4M3, true
	case c.Numeric == Float8E5M2:
		return float8E5M2, true
	}
	return smallFloat{}, false
}

// bias returns the exponent bias.
func (s smallFloat) bias() int { return 1<<(s.exponent-1) - 1 }

// infinity returns the bits of infinity, or the bits that infinity would have in a finite-only format.
func (s smallFloat) infinity() uint64 { return (1<<s.exponent - 1) << s.mantissa }

// nan returns the canonical NaN: sign 0, the fraction's high bit alone set (all ones in a finite-only format).
func (s smallFloat) nan() uint64 {
	if s.finite {
		return s.infinity() | (1<<s.mantissa - 1)
	}
	return s.infinity() | 1<<(s.mantissa-1)
}

// maxFinite returns the bits of the greatest finite value.
func (s smallFloat) maxFinite() uint64 {
	if s.finite {
		return s.nan() - 1
	}
	return s.infinity() - 1
}

// toFloat32 converts raw bits, exactly; any NaN becomes the canonical one.
func (s smallFloat) toFloat32(raw uint64) float32 {
	width := s.exponent + s.mantissa
	m := uint32(raw & (1<<s.mantissa - 1))
	e := int(raw >> s.mantissa & (1<<s.exponent - 1))
	var sign uint32
	if !s.unsigned {
		sign = uint32(raw>>width&1) << 31
	}
	switch a := raw & (1<<width - 1); {
	case s.finite && a == s.nan(), !s.finite && a > s.infinity():
		return math.Float32frombits(0x7fc00000)
	case !s.finite && a == s.infinity():
		return math.Float32frombits(sign | 0x7f800000)
	case e == 0: // denormal: m units of the last place
		v := float32(m) * math.Float32frombits(unit(1-s.bias()-int(s.mantissa)))
		return math.Float32frombits(sign | math.Float32bits(v))
	}
	return math.Float32frombits(sign | uint32(e-s.bias()+127)<<23 | m<<(23-s.mantissa))
}

// unit returns the float32 bits of 2^e, −149 ≤ e ≤ 127.
func unit(e int) uint32 {
	if e < -126 {
		return 1 << (e + 149)
	}
	return uint32(e+127) << 23
}

// fromFloat64 rounds v to nearest, ties to even. Without a sign, negative values become 0 and finite ones stay
// finite; without infinity, values that overflow become NaN.
func (s smallFloat) fromFloat64(v float64) uint64 {
	b := math.Float64bits(v)
	var sign uint64
	if v != v {
		return s.nan()
	}
	if b>>63 != 0 {
		if s.unsigned {
			return 0
		}
		sign = 1 << (s.exponent + s.mantissa)
	}
	b &= 1<<63 - 1
	m := b & (1<<52 - 1)
	e := int(b >> 52)
	if e != 0 {
		m |= 1 << 52
	}
	e = max(e, 1) - 1023 + s.bias() // exponent field of the result
	drop := 52 - int(s.mantissa)
	if e < 1 { // denormal
		drop, e = drop+1-e, 1
	}
	if drop > 54 { // less than half of the least denormal
		return sign
	}
	up := m>>drop&1 + 1<<(drop-1) - 1
	raw := uint64(e-1)<<s.mantissa + (m+up)>>drop // a carry runs into the exponent
	switch {
	case raw <= s.maxFinite():
		return sign | raw
	case s.unsigned && !math.IsInf(v, 1):
		return s.maxFinite()
	case s.finite:
		return s.nan()
	}
	return sign | s.infinity()
}
