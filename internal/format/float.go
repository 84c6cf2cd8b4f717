package format

import "math"

// small is how a float of 8 to 16 bits divides its bits; the exponent's bias is
// 2^(exponent−1)−1 (Vulkan §"16-Bit Floating-Point Numbers", §"Unsigned 11-Bit
// Floating-Point Numbers", §"Unsigned 10-Bit Floating-Point Numbers").
type small struct {
	exponent, mantissa uint8
	unsigned           bool
	finite             bool // all ones are NaN, and there is no infinity
}

// The small floats.
var (
	half       = small{exponent: 5, mantissa: 10}
	eleven     = small{exponent: 5, mantissa: 6, unsigned: true}
	ten        = small{exponent: 5, mantissa: 5, unsigned: true}
	bfloat16   = small{exponent: 8, mantissa: 7}
	float8E4M3 = small{exponent: 4, mantissa: 3, finite: true}
	float8E5M2 = small{exponent: 5, mantissa: 2}
)

// small returns how the component's float divides its bits; ok is false where it
// is none, or one of 32 or 64 bits.
func (c Component) small() (s small, ok bool) {
	switch {
	case c.Numeric == UFloat && c.Bits == 11:
		return eleven, true
	case c.Numeric == UFloat && c.Bits == 10:
		return ten, true
	case c.Numeric == SFloat && c.Bits == 16:
		return half, true
	case c.Numeric == BFloat16:
		return bfloat16, true
	case c.Numeric == Float8E4M3:
		return float8E4M3, true
	case c.Numeric == Float8E5M2:
		return float8E5M2, true
	}
	return small{}, false
}

func (s small) bias() int { return 1<<(s.exponent-1) - 1 }

// infinity is also where the pattern of infinity would be, had s one.
func (s small) infinity() uint64 { return (1<<s.exponent - 1) << s.mantissa }

// nan is the canonical NaN: sign 0, of the fraction the highest bit alone.
func (s small) nan() uint64 {
	if s.finite {
		return s.infinity() | (1<<s.mantissa - 1)
	}
	return s.infinity() | 1<<(s.mantissa-1)
}

// greatest is the greatest finite number.
func (s small) greatest() uint64 {
	if s.finite {
		return s.nan() - 1
	}
	return s.infinity() - 1
}

// widen returns the number that raw stands for, which is always exact; any NaN
// is the canonical one.
func (s small) widen(raw uint64) float32 {
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

// unit returns the bits of 2^e as a float32, e from −149 to 127.
func unit(e int) uint32 {
	if e < -126 {
		return 1 << (e + 149)
	}
	return uint32(e+127) << 23
}

// narrow returns the bits of the small float next to v, ties to even. Where
// there is no sign, negative numbers become 0 and finite ones stay finite;
// where there is no infinity, what is too great becomes NaN.
func (s small) narrow(v float64) uint64 {
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
	e = max(e, 1) - 1023 + s.bias() // the exponent's bits in the small float
	drop := 52 - int(s.mantissa)
	if e < 1 { // denormal
		drop, e = drop+1-e, 1
	}
	if drop > 54 { // less than half of the least
		return sign
	}
	up := m>>drop&1 + 1<<(drop-1) - 1
	raw := uint64(e-1)<<s.mantissa + (m+up)>>drop // a carry runs into the exponent
	switch {
	case raw <= s.greatest():
		return sign | raw
	case s.unsigned && !math.IsInf(v, 1):
		return s.greatest()
	case s.finite:
		return s.nan()
	}
	return sign | s.infinity()
}
