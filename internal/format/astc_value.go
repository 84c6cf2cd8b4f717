package format

import (
	"math"
	"math/bits"
)

// astcError writes the error color: opaque magenta, or NaN if the texels are half floats.
func (b *Blocks) astcError(t *[4]float32) {
	*t = [4]float32{1, 0, 1, 1}
	if b.hdr && b.Mode == DecodeHalf {
		for ch := range t {
			t[ch] = math.Float32frombits(0x7fc00000)
		}
	}
}

// astcConstant writes the color of a void-extent block.
func (b *Blocks) astcConstant(t *[4]float32, a *astcBlock) {
	var c [4]int32
	for ch, v := range a.color {
		c[ch] = int32(v)
	}
	switch {
	case !a.floats:
		b.setASTC(t, &c, &astcEndpoints{})
	case !b.hdr || b.Mode == DecodeUNorm8:
		b.astcError(t)
	case b.Mode == DecodeExponent:
		*t = sharedExponentOfHalf(c)
	default:
		for ch, v := range a.color {
			t[ch] = halfToFloat(v)
		}
	}
}

// setASTC converts an interpolated 16-bit color to the values of a texel, by the decode mode.
func (b *Blocks) setASTC(t *[4]float32, c *[4]int32, e *astcEndpoints) {
	switch {
	case e.invalid:
		b.astcError(t)
	case b.srgb:
		t[R], t[G], t[B], t[A] = srgbLinear[c[R]>>8&255], srgbLinear[c[G]>>8&255], srgbLinear[c[B]>>8&255], toHalfTruncated(c[A])
	case b.Mode == DecodeUNorm8:
		b.setBytes(t, uint8(c[R]>>8), uint8(c[G]>>8), uint8(c[B]>>8), uint8(c[A]>>8))
	case b.Mode == DecodeExponent && e.log[R]:
		*t = sharedExponentOfHalf([4]int32{logToHalf(c[R]), logToHalf(c[G]), logToHalf(c[B])})
	case b.Mode == DecodeExponent:
		*t = sharedExponentOfUNorm(*c)
	case !e.log[R]:
		t[R], t[G], t[B], t[A] = toHalfTruncated(c[R]), toHalfTruncated(c[G]), toHalfTruncated(c[B]), toHalfTruncated(c[A])
	default:
		t[R], t[G], t[B], t[A] = halfToFloat(uint16(logToHalf(c[R]))), halfToFloat(uint16(logToHalf(c[G]))), halfToFloat(uint16(logToHalf(c[B]))), toHalfTruncated(c[A])
		if e.log[A] {
			t[A] = halfToFloat(uint16(logToHalf(c[A])))
		}
	}
}

// toHalfTruncated returns c/65536 rounded towards zero to a half float (ten fraction bits remain); the
// greatest c, 0xffff, is 1.
func toHalfTruncated(c int32) float32 {
	if c == 0xffff {
		return 1
	}
	return float32(math.Float32frombits(math.Float32bits(float32(c))&^(1<<13-1)) * (1.0 / 65536))
}

// logToHalf converts a 16-bit logarithmic value to the bits of a half float: the high five bits are
// the exponent, the others a piecewise linear approximation of the mantissa's logarithm.
func logToHalf(c int32) int32 {
	m := c & 0x7ff
	switch {
	case m < 512:
		m = 3 * m
	case m >= 1536:
		m = 5*m - 2048
	default:
		m = 4*m - 512
	}
	return min(c>>11<<10+m>>3, 0x7bff)
}

// sharedExponentOfUNorm converts a 16-bit color to E5B9G9R9, truncating, and returns its values.
func sharedExponentOfUNorm(c [4]int32) [4]float32 {
	lead := 17 - bits.Len32(uint32(c[R]|c[G]|c[B]|1))
	for ch := range 3 {
		if c[ch] == 0xffff {
			c[ch], lead = 0x10000, 0
		}
	}
	word := uint32(16-lead) << 27
	for ch := range 3 {
		word |= uint32(c[ch]<<lead>>8&0x1ff) << (9 * ch)
	}
	return sharedExponentValues(word)
}

// sharedExponentOfHalf converts half floats to E5B9G9R9, truncating, and returns its values: negative values
// and NaN become 0, infinity the greatest value.
func sharedExponentOfHalf(c [4]int32) [4]float32 {
	var own, scale, m [3]int32
	for ch := range 3 {
		switch {
		case c[ch] > 0x7c00:
			c[ch] = 0
		case c[ch] == 0x7c00:
			c[ch] = 0x7bff
		}
		own[ch] = c[ch] >> 10
		scale[ch] = max(own[ch], 1)
		m[ch] = c[ch] & 0x3ff
		if own[ch] != 0 {
			m[ch] |= 0x400
		}
	}
	most := max(own[R], own[G], own[B])
	var shared int32
	var shift [3]int32
	if most == 0 {
		shared = (c[R] | c[G] | c[B]) >> 9 & 1
		shift = [3]int32{shared, shared, shared}
	} else {
		shared = most + 1
		for ch := range shift {
			shift[ch] = most - scale[ch] + 2
		}
	}
	word := uint32(shared) << 27
	for ch := range 3 {
		word |= uint32(m[ch]>>shift[ch]&0x1ff) << (9 * ch)
	}
	return sharedExponentValues(word)
}

// sharedExponentValues returns the values of an E5B9G9R9_UFLOAT_PACK32 texel.
func sharedExponentValues(word uint32) (v [4]float32) {
	for ch, n := range unpackSharedExponent(word) {
		v[ch] = math.Float32frombits(uint32(n))
	}
	return v
}
