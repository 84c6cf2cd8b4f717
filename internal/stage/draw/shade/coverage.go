package shade

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
)

// coveredSet reads the covered samples of pixel (x, y) of the block or strip. Masks are stored by
// sample, sets by pixel: it gathers one bit of each mask. For two samples, pixel bit p:
//
//	item word 1   … bit p of sample 0 ─┐
//	item word 2   … bit p of sample 1 ─┼▶ set = s1·2 + s0
func (s *shader) coveredSet(item, x, y ir.V) ir.V {
	t, set := s.setType(), s.B.Const(s.setType(), 0)
	for n := range s.key.Samples {
		bit := s.coveredBit(item, x, y, 8+8*n)
		if t == ir.I64 {
			bit = s.B.Op(ir.ZExt, t, bit)
		}
		set = s.B.Op(ir.Or, t, set, s.B.Op(ir.Shl, t, bit, s.B.Const(t, uint64(n))))
	}
	return set
}

// coverSamples reads the coverage of the samples of pixel (x, y) of the block or strip. For four samples, pixel bit p:
//
//	item words 1 to 4 ─▶ covers[n] = word n+1 has bit p
func (s *shader) coverSamples(item, x, y ir.V) {
	b := s.B
	s.covers = nil
	for n := range s.key.Samples {
		bit, part := s.maskBit(item, x, y, 8+8*n)
		if s.inStrips() && !s.swizzled {
			bit = s.BuiltIn(ir.LocalInvocationIndex) // the same index; engines know its value for each lane
		}
		bit = b.Op(ir.Shl, ir.I32, b.I32(1), bit)
		s.covers = append(s.covers, b.Cmp(ir.Eq, s.And(part, bit), bit))
	}
}

// coveredBit returns the bit of pixel (x, y) in the mask at a byte offset in the item.
func (s *shader) coveredBit(item, x, y ir.V, offset uint32) ir.V {
	bit, part := s.maskBit(item, x, y, offset)
	return s.And(s.B.Op(ir.LShr, ir.I32, part, bit), s.B.I32(1))
}

// maskBit returns a bit index and the word that contains it: a half of the mask, or the strip's part
// of the mask in a strip loop. Words have 32 bits, because a vector of 64-bit values needs two
// registers. Pixel rows 0 to 3 are the low word.
func (s *shader) maskBit(item, x, y ir.V, offset uint32) (bit, part ir.V) {
	b := s.B
	low, high := s.maskWords(item, offset)
	if s.inStrips() {
		return s.inMask(x, y), s.stripBits(low, high)
	}
	return s.inMask(x, s.And(y, b.I32(3))), b.Select(b.Cmp(ir.ULt, y, b.I32(4)), low, high)
}

// inMask returns the bit index of a pixel.
func (s *shader) inMask(x, y ir.V) ir.V {
	return s.Add(s.Mul(y, s.B.I32(raster.Block)), x)
}

// maskWords reads the two words of a mask.
func (s *shader) maskWords(item ir.V, offset uint32) (low, high ir.V) {
	word := func(n uint32) ir.V {
		return s.LoadOwn(ir.I32, s.Handle(ir.StorageBuffer, layout.BindItems, false), item, offset+n)
	}
	return s.perItem(func() ir.V { return word(0) }), s.perItem(func() ir.V { return word(4) })
}

// contains reports whether a sample set contains sample n.
func (s *shader) contains(set, n ir.V) ir.V {
	t, b := s.setType(), s.B
	if t == ir.I64 {
		n = b.Op(ir.ZExt, t, n)
	}
	return b.Cmp(ir.Eq, b.Op(ir.And, t, b.Op(ir.LShr, t, set, n), b.Const(t, 1)), b.Const(t, 1))
}

// singleton returns the sample set {n}.
func (s *shader) singleton(n ir.V) ir.V {
	t := s.setType()
	if t == ir.I64 {
		n = s.B.Op(ir.ZExt, t, n)
	}
	return s.B.Op(ir.Shl, t, s.B.Const(t, 1), n)
}

// stripBits extracts the strip's pixel rows from a mask, shifted to bit 0.
func (s *shader) stripBits(low, high ir.V) ir.V {
	b := s.B
	upper := b.Cmp(ir.Eq, s.And(s.stripLoop.first, b.I32(4)), b.I32(0))
	return b.Op(ir.LShr, ir.I32, b.Select(upper, low, high), s.Mul(s.And(s.stripLoop.first, b.I32(3)), b.I32(raster.Block)))
}
