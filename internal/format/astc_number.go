package format

import (
	"math"
	"math/bits"
)

// astcError returns what texels of an invalid block, or of HDR where there is
// none, are: opaque magenta, and NaN in a format that has it.
func (b *Blocks) astcError() [4]float32 {
	if b.hdr && b.Mode == DecodeHalf {
		nan := math.Float32frombits(0x7fc00000)
		return [4]float32{nan, nan, nan, nan}
	}
	return [4]float32{1, 0, 1, 1}
}

// astcConstant returns the color of a block of one color.
func (b *Blocks) astcConstant(a *astcBlock) [4]float32 {
	var c [4]int32
	for ch, v := range a.color {
		c[ch] = int32(v)
	}
	switch {
	case !a.floats:
		return b.astcNumbers(c, &astcEnds{})
	case !b.hdr || b.Mode == DecodeUNorm8:
		return b.astcError()
	case b.Mode == DecodeExponent:
		return exponentOfHalves(c)
	}
	return [4]float32{halfNumber(a.color[R]), halfNumber(a.color[G]), halfNumber(a.color[B]), halfNumber(a.color[A])}
}

// astcNumbers returns the numbers of a color between ends.
func (b *Blocks) astcNumbers(c [4]int32, e *astcEnds) (v [4]float32) {
	if e.bad {
		return b.astcError()
	}
	if b.srgb {
		return [4]float32{srgbLinear[c[R]>>8&255], srgbLinear[c[G]>>8&255], srgbLinear[c[B]>>8&255], truncated(c[A])}
	}
	switch {
	case b.Mode == DecodeUNorm8:
		return [4]float32{float32(c[R]>>8) / 255, float32(c[G]>>8) / 255, float32(c[B]>>8) / 255, float32(c[A]>>8) / 255}
	case b.Mode == DecodeExponent && e.log[R]:
		return exponentOfHalves([4]int32{logarithmic(c[R]), logarithmic(c[G]), logarithmic(c[B])})
	case b.Mode == DecodeExponent:
		return exponentOfWhole(c)
	}
	for ch := range v {
		if e.log[ch] {
			v[ch] = halfNumber(uint16(logarithmic(c[ch])))
		} else {
			v[ch] = truncated(c[ch])
		}
	}
	return v
}

// truncated returns the half float below c/65536, and 1 of the greatest c.
func truncated(c int32) float32 {
	if c == 0xffff {
		return 1
	}
	drop := max(bits.Len32(uint32(c))-11, 0)
	return float32(c>>drop<<drop) / 65536
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
