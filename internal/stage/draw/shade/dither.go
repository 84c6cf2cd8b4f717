package shade

import (
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// maxDitherBits is the maximum size of a component that legacy dithering applies to. A step of a larger one cannot be
// seen.
const maxDitherBits = 8

// dithered returns the components of sample n for an attachment with legacy dithering (VK_EXT_legacy_dithering): a
// value between two steps of the format is rounded down or up by an offset of the pixel (Bayer 1973, "An Optimum
// Method for Two-Level Rendition of Continuous-Tone Pictures"). A value that the format has is unchanged, because
// the offset is less than half a step.
//
//	c = 100.3 steps: 101 in the pixels with an offset of 0.2 steps or more, that is in 5 of 16, else 100
func (s *shader) dithered(a *attachment, c [4]ir.V, n ir.V) [4]ir.V {
	if !s.key.dither || a.Kind() != ir.F32 {
		return c
	}
	offset := ir.V(0)
	for i := range c {
		k := a.Component(i)
		if k == nil || k.Numeric != format.UNorm || k.Bits > maxDitherBits {
			continue
		}
		if offset == 0 {
			offset = s.ditherOffset(n)
		}
		step := 1 / float32(uint32(1)<<k.Bits-1)
		c[i] = s.FAdd(c[i], s.FMul(offset, s.Float(step)))
	}
	return c
}

// ditherOffset returns the offset of sample n's pixel, −15/32 to 15/32 of a step. Its number in the 4×4 matrix has the
// bits of x ⊕ y and y, interleaved, from the least significant bit of the position on:
//
//	 0  8  2 10
//	12  4 14  6
//	 3 11  1  9
//	15  7 13  5
func (s *shader) ditherOffset(n ir.V) ir.V {
	b := s.B
	x, y, _ := s.pixelOf(n)
	bit := func(v ir.V, from, to uint32) ir.V {
		return b.Op(ir.Shl, ir.I32, s.And(b.Op(ir.LShr, ir.I32, v, b.I32(from)), b.I32(1)), b.I32(to))
	}
	x = b.Op(ir.Xor, ir.I32, x, y)
	number := s.Or(s.Or(bit(x, 0, 3), bit(y, 0, 2)), s.Or(bit(x, 1, 1), bit(y, 1, 0)))
	return s.FAdd(s.FMul(s.toFloat(number), s.Float(1.0/16)), s.Float(-15.0/32))
}
