package asm

import (
	"math"
	"math/bits"
	"strconv"
)

// floatFormat describes a binary floating-point encoding: a sign bit (unless
// unsigned), exp exponent bits biased by bias, and mant mantissa bits.
type floatFormat struct {
	name     string
	width    uint8
	exp      uint8
	mant     uint8
	bias     int16
	unsigned bool // no sign bit, no zero, no subnormals (E8M0)
	finite   bool // no infinities (the encodings of 8 bits and fewer but E5M2)
	fixed    bool // two's complement with six fraction bits (MXInt8)
}

// The encodings of OpTypeFloat (SPIR-V §3.2, FP Encoding) that literals have.
var (
	formatHalf   = floatFormat{name: "16-bit float", width: 16, exp: 5, mant: 10, bias: 15}
	formatSingle = floatFormat{name: "32-bit float", width: 32, exp: 8, mant: 23, bias: 127}
	formatDouble = floatFormat{name: "64-bit float", width: 64, exp: 11, mant: 52, bias: 1023}
	formatBFloat = floatFormat{name: "bfloat16", width: 16, exp: 8, mant: 7, bias: 127}
	formatE4M3   = floatFormat{name: "Float8E4M3", width: 8, exp: 4, mant: 3, bias: 7, finite: true}
	formatE5M2   = floatFormat{name: "Float8E5M2", width: 8, exp: 5, mant: 2, bias: 15}
	formatE2M1   = floatFormat{name: "Float4E2M1", width: 4, exp: 2, mant: 1, bias: 1, finite: true}
	formatE2M3   = floatFormat{name: "Float6E2M3", width: 6, exp: 2, mant: 3, bias: 1, finite: true}
	formatE3M2   = floatFormat{name: "Float6E3M2", width: 6, exp: 3, mant: 2, bias: 3, finite: true}
	formatE8M0   = floatFormat{name: "Float8UnsignedE8M0", width: 8, exp: 8, bias: 127, unsigned: true, finite: true}
	formatMXInt8 = floatFormat{name: "MXInt8", width: 8, finite: true, fixed: true}
)

// maxE4M3 is the fraction of 448, the largest finite Float8E4M3, aligned left: the encoding above it is NaN (SPV_EXT_float8), which only a
// hexadecimal number can name.
const maxE4M3 = 0b110 << 61

// mxInt8Fraction is the number of fraction bits of an MXInt8 element.
const mxInt8Fraction = 6

// hexDigits are the digits of printed mantissas.
const hexDigits = "0123456789abcdef"

// maxHexExponent bounds the written exponent of a hexadecimal float; beyond it
// every format has long overflowed or vanished.
const maxHexExponent = 1 << 20

// appendFloat appends the value of an encoding. Single and double precision
// print in decimal with as many digits as tell any two values apart (9 and
// 17), but subnormals, infinities and NaNs, which decimal cannot carry in this
// syntax, and all other formats print as hexadecimal floats.
func appendFloat(dst []byte, f *floatFormat, v uint64) []byte {
	switch f.width {
	case 32:
		if e := v >> 23 & 0xff; e != 0xff && (e != 0 || v<<33 == 0) {
			return strconv.AppendFloat(dst, float64(math.Float32frombits(uint32(v))), 'g', 9, 64)
		}
	case 64:
		if e := v >> 52 & 0x7ff; e != 0x7ff && (e != 0 || v<<1 == 0) {
			return strconv.AppendFloat(dst, math.Float64frombits(v), 'g', 17, 64)
		}
	}
	return appendHexFloat(dst, f, v)
}

// appendHexFloat appends sign, leading digit, fraction without trailing zeros,
// and binary exponent. Infinities and NaNs print as the number that their bits
// would be if the largest exponent were an ordinary one; parseFloat reads that
// back to the same bits.
func appendHexFloat(dst []byte, f *floatFormat, v uint64) []byte {
	if f.fixed {
		return appendMXInt8(dst, int8(v))
	}
	if !f.unsigned && v>>(f.width-1)&1 != 0 {
		dst = append(dst, '-')
	}
	frac := v & (1<<f.mant - 1)
	e := int(v >> f.mant & (1<<f.exp - 1))
	exp := e - int(f.bias)
	if e == 0 && !f.unsigned {
		if frac == 0 {
			return append(dst, "0x0p+0"...)
		}
		shift := int(f.mant) + 1 - bits.Len64(frac)
		frac = frac << shift & (1<<f.mant - 1)
		exp = 1 - int(f.bias) - shift
	}
	return appendHexParts(dst, frac<<(64-f.mant), exp)
}

// appendMXInt8 appends a signed fixed-point element of SPV_EXT_ocp_microscaling_types.
func appendMXInt8(dst []byte, v int8) []byte {
	n := uint64(v)
	if v < 0 {
		dst = append(dst, '-')
		n = -uint64(int64(v))
	}
	if n == 0 {
		return append(dst, "0x0p+0"...)
	}
	top := bits.Len64(n) - 1
	return appendHexParts(dst, n<<(63-top)<<1, top-mxInt8Fraction)
}

// appendHexParts appends 1.frac × 2**exp, frac being left-aligned.
func appendHexParts(dst []byte, frac uint64, exp int) []byte {
	dst = append(dst, "0x1"...)
	if frac != 0 {
		dst = append(dst, '.')
		for ; frac != 0; frac <<= 4 {
			dst = append(dst, hexDigits[frac>>60])
		}
	}
	dst = append(dst, 'p')
	if exp >= 0 {
		dst = append(dst, '+')
	}
	return strconv.AppendInt(dst, int64(exp), 10)
}

// parseFloat reads a decimal or hexadecimal float into the bits of a format.
// ok is false if the text is no number, or if a decimal number is beyond
// the largest finite value. Hexadecimal numbers are cut, not rounded, to the
// mantissa, and reach into the exponent of infinities and NaNs.
func parseFloat(text string, f *floatFormat) (bits uint64, ok bool) {
	body, neg := text, false
	if body != "" && (body[0] == '-' || body[0] == '+') {
		body, neg = body[1:], body[0] == '-'
	}
	if len(body) > 2 && body[0] == '0' && (body[1] == 'x' || body[1] == 'X') {
		frac, exp, ok := parseHexParts(body[2:])
		if !ok {
			return 0, false
		}
		return f.encode(neg, frac, exp, true)
	}
	if !isDecimalFloat(body) {
		return 0, false
	}
	if f.width == 64 {
		v, err := strconv.ParseFloat(body, 64)
		return math.Float64bits(v) | sign(neg)<<63, err == nil
	}
	v, err := strconv.ParseFloat(body, 32)
	if err != nil {
		return 0, false
	}
	b := math.Float32bits(float32(v))
	if f.width == 32 {
		return uint64(b) | sign(neg)<<31, true
	}
	if b == 0 {
		return f.encode(neg, 0, 0, false)
	}
	// Narrow formats take the value by way of single precision, toward zero.
	frac, exp := math.Frexp(float64(math.Float32frombits(b)))
	return f.encode(neg, uint64(frac*(1<<53))<<11, exp-1, false)
}

// sign returns 1 for a negative number.
func sign(neg bool) uint64 {
	if neg {
		return 1
	}
	return 0
}

// isDecimalFloat reports whether s has the form digits [. digits] [e [sign] digits].
func isDecimalFloat(s string) bool {
	i, digits := 0, 0
	for ; i < len(s) && isDigit(s[i]); i++ {
		digits++
	}
	if i < len(s) && s[i] == '.' {
		for i++; i < len(s) && isDigit(s[i]); i++ {
			digits++
		}
	}
	if digits == 0 {
		return false
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		digits = 0
		for ; i < len(s) && isDigit(s[i]); i++ {
			digits++
		}
	}
	return digits > 0 && i == len(s)
}

// isDigit reports whether c is a decimal digit.
func isDigit(c byte) bool { return c-'0' < 10 }

// parseHexParts reads the text after 0x: the value is frac × 2**(exp-63), frac
// having its top bit set unless it is zero. Bits beyond 64 are cut off.
func parseHexParts(s string) (frac uint64, exp int, ok bool) {
	i, digits, dot, room := 0, 0, false, 60
	for ; i < len(s); i++ {
		if s[i] == '.' && !dot {
			dot = true
			continue
		}
		d, isHex := hexValue(s[i])
		if !isHex {
			break
		}
		digits++
		switch {
		case frac == 0 && d == 0:
			if dot {
				exp -= 4
			}
			continue
		case room >= 0:
			frac |= d << room
		}
		room -= 4
		if !dot {
			exp += 4
		}
	}
	if digits == 0 || i >= len(s) || s[i] != 'p' {
		return 0, 0, false
	}
	written, ok := parseExponent(s[i+1:])
	if frac == 0 {
		return 0, 0, ok
	}
	lead := bits.LeadingZeros64(frac)
	return frac << lead, exp - 1 - lead + written, ok
}

// hexValue returns the value of a hexadecimal digit.
func hexValue(c byte) (uint64, bool) {
	switch {
	case isDigit(c):
		return uint64(c - '0'), true
	case c-'a' < 6:
		return uint64(c-'a') + 10, true
	case c-'A' < 6:
		return uint64(c-'A') + 10, true
	}
	return 0, false
}

// parseExponent reads a decimal exponent with an optional sign.
func parseExponent(s string) (exp int, ok bool) {
	neg := false
	if s != "" && (s[0] == '-' || s[0] == '+') {
		neg = s[0] == '-'
		s = s[1:]
	}
	for i := 0; i < len(s); i++ {
		if !isDigit(s[i]) {
			return 0, false
		}
		exp = min(exp*10+int(s[i]-'0'), maxHexExponent)
	}
	if neg {
		exp = -exp
	}
	return exp, s != ""
}

// encode makes the bits of frac × 2**(exp-63), cut toward zero. If special is
// set, the exponent of infinities and NaNs may be written out and larger values
// become infinity; otherwise values beyond the finite ones are refused.
func (f *floatFormat) encode(neg bool, frac uint64, exp int, special bool) (uint64, bool) {
	if f.fixed {
		return encodeMXInt8(neg, frac, exp)
	}
	if f.unsigned && (neg || frac == 0) {
		return 0, false
	}
	out := uint64(0)
	if neg {
		out = 1 << (f.width - 1)
	}
	if frac == 0 {
		return out, true
	}
	top := 1<<f.exp - 1
	e := exp + int(f.bias)
	switch {
	case e > top && (f.finite || !special), e == top && !f.finite && !special:
		return 0, false
	case e > top:
		return out | uint64(top)<<f.mant, true
	case e == top && f == &formatE4M3 && !special && frac<<1 > maxE4M3:
		return 0, false
	case e > 0, f.unsigned && e == 0:
		return out | uint64(e)<<f.mant | frac<<1>>(64-f.mant), true
	case f.unsigned:
		return 0, false
	case 1-e+63-int(f.mant) > 63:
		return out, true
	}
	return out | frac>>(63-int(f.mant)+1-e), true
}

// encodeMXInt8 makes a fixed-point element; the range is -2 … 127/64.
func encodeMXInt8(neg bool, frac uint64, exp int) (uint64, bool) {
	shift := 63 - mxInt8Fraction - exp
	n := uint64(0)
	switch {
	case shift < 56:
		return 0, frac == 0
	case shift < 64:
		n = frac >> shift
	}
	if n > 127+sign(neg) {
		return 0, false
	}
	if neg {
		n = -n & 0xff
	}
	return n, true
}
