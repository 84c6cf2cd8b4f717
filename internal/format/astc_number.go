package format

import (
	"math"
	"math/bits"
)

// astcError writes what texels of an invalid block, or of HDR where there is
// none, are: opaque magenta, and NaN in a format that has it.
func (b *Blocks) astcError(t *[4]float32) {
	*t = [4]float32{1, 0, 1, 1}
	if b.hdr && b.Mode == DecodeHalf {
		for ch := range t {
			t[ch] = math.Float32frombits(0x7fc00000)
		}
	}
}

// astcConstant writes the color of a block of one color.
func (b *Blocks) astcConstant(t *[4]float32, a *astcBlock) {
	var c [4]int32
	for ch, v := range a.color {
		c[ch] = int32(v)
	}
	switch {
	case !a.floats:
		b.astcNumbers(t, &c, &astcEnds{})
	case !b.hdr || b.Mode == DecodeUNorm8:
		b.astcError(t)
	case b.Mode == DecodeExponent:
		*t = exponentOfHalves(c)
	default:
		for ch, v := range a.color {
			t[ch] = halfNumber(v)
		}
	}
}

// astcNumbers writes the numbers of a color between ends.
func (b *Blocks) astcNumbers(t *[4]float32, c *[4]int32, e *astcEnds) {
	switch {
	case e.bad:
		b.astcError(t)
	case b.srgb:
		t[R], t[G], t[B], t[A] = srgbLinear[c[R]>>8&255], srgbLinear[c[G]>>8&255], srgbLinear[c[B]>>8&255], truncated(c[A])
	case b.Mode == DecodeUNorm8:
		b.bytes(t, uint8(c[R]>>8), uint8(c[G]>>8), uint8(c[B]>>8), uint8(c[A]>>8))
	case b.Mode == DecodeExponent && e.log[R]:
		*t = exponentOfHalves([4]int32{logarithmic(c[R]), logarithmic(c[G]), logarithmic(c[B])})
	case b.Mode == DecodeExponent:
		*t = exponentOfWhole(*c)
	case !e.log[R]:
		t[R], t[G], t[B], t[A] = truncated(c[R]), truncated(c[G]), truncated(c[B]), truncated(c[A])
	default:
		t[R], t[G], t[B], t[A] = halfNumber(uint16(logarithmic(c[R]))), halfNumber(uint16(logarithmic(c[G]))), halfNumber(uint16(logarithmic(c[B]))), truncated(c[A])
		if e.log[A] {
			t[A] = halfNumber(uint16(logarithmic(c[A])))
		}
	}
}

// truncated returns the half float below c/65536, and 1 of the greatest c: of the
// fraction ten bits stay.
func truncated(c int32) float32 {
	if c == 0xffff {
		return 1
	}
	return float32(math.Float32frombits(math.Float32bits(float32(c))&^(1<<13-1)) * (1.0 / 65536))
}

// logarithmic returns the bits of the half float of 16 bits whose highest five
// are an exponent and whose others are nearly logarithmic.
func logarithmic(c int32) int32 {
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

// exponentOfWhole returns the numbers of a color of 16 bits with 9 bits each
// and one exponent.
func exponentOfWhole(c [4]int32) [4]float32 {
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
	return exponentNumbers(word)
}

// exponentOfHalves does it with half floats: negative ones and NaN are 0,
// infinity is the greatest number.
func exponentOfHalves(c [4]int32) [4]float32 {
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
	return exponentNumbers(word)
}

// exponentNumbers returns the numbers of a texel of E5B9G9R9_UFLOAT_PACK32.
func exponentNumbers(word uint32) (v [4]float32) {
	for ch, n := range loadShared(word) {
		v[ch] = math.Float32frombits(uint32(n))
	}
	return v
}
