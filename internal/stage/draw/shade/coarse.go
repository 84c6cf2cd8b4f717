package shade

import (
	"math/bits"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/raster"
)

// A coarse fragment has several pixels and runs as one invocation. Its sample set holds the samples of
// all its pixels in the order of the coverage index (Vulkan §"Multisampling"): the samples of the last pixel
// first. A sample number is such an index, and varX and varY are the first pixel.
//
// Example, a fragment of 2×1 pixels with two samples each: bits 0 and 1 are the samples of the right
// pixel, bits 2 and 3 are the samples of the left pixel.

// readSizes extracts the fragment size from the low bits of the item's block position. Blocks of
// coarse draws are aligned to eight pixels, so that three bits of each coordinate are free. The
// values are logarithms, 0 to 2.
func (s *shader) readSizes() {
	for axis, v := range []fragmentVar{varSizeX, varSizeY} {
		s.set(v, s.And(s.corner[axis], s.B.I32(raster.Block-1)))
		s.corner[axis] = s.And(s.corner[axis], s.B.I32(s.coordinateMask()))
	}
}

// coarseLocal returns the position of the invocation's fragment in its block, counted in fragments.
// Fragments are numbered quad by quad, so that the existing ones occupy the first invocations. Quads
// must consist of adjacent fragments for derivatives. Fragments of 2×1 pixels form 4×8 in a block:
// two quads side by side, four such pairs below each other, 32 of the 64 invocations.
func (s *shader) coarseLocal() (x, y ir.V) {
	b, lane := s.B, s.BuiltIn(ir.LocalInvocationIndex)
	shifted := func(v, n ir.V) ir.V { return b.Op(ir.LShr, ir.I32, v, n) }
	odd := func(v ir.V) ir.V { return s.And(v, b.I32(1)) }
	twice := func(v ir.V) ir.V { return b.Op(ir.Shl, ir.I32, v, b.I32(1)) }
	quad := shifted(lane, b.I32(2))
	wide := b.Op(ir.Sub, ir.I32, b.I32(2), s.get(varSizeX)) // logarithm of the number of quads side by side
	down := shifted(quad, wide)
	across := b.Op(ir.Sub, ir.I32, quad, b.Op(ir.Shl, ir.I32, down, wide))
	return s.Or(twice(across), odd(lane)), s.Or(twice(down), odd(shifted(lane, b.I32(1))))
}

// locateCoarse is locatePixel for coarse fragments; (x, y) is the position of the fragment in its
// block, counted in fragments. Invocations beyond the last fragment have a position outside of the
// block and are not covered.
func (s *shader) locateCoarse(item, x, y ir.V) ir.V {
	b := s.B
	x, y = b.Op(ir.Shl, ir.I32, x, s.get(varSizeX)), b.Op(ir.Shl, ir.I32, y, s.get(varSizeY))
	s.set(varX, s.Add(s.corner[0], x))
	s.set(varY, s.Add(s.corner[1], y))
	done := b.Block(ir.B1)
	b.If(b.Cmp(ir.ULt, s.Or(x, y), b.I32(raster.Block)))
	set := s.coarseSet(item, x, y)
	s.set(varSet, set)
	b.Br(done, s.Not(b.Cmp(ir.Eq, set, s.Zero(s.setType()))))
	b.End()
	s.set(varSet, s.Zero(s.setType()))
	b.Br(done, b.Bool(false))
	b.End()
	return b.Param(done, 0)
}

// coarseSet reads the covered samples of the fragment with first pixel (x, y) of the block. The loop
// visits the last pixel last and shifts before each step, so that the last pixel has the lowest
// bits.
func (s *shader) coarseSet(item, x, y ir.V) ir.V {
	b, t := s.B, s.setType()
	return s.forPixels(s.Zero(t), func(px, py, set ir.V) ir.V {
		set = b.Op(ir.Shl, t, set, b.Const(t, uint64(s.key.Samples)))
		return b.Op(ir.Or, t, set, s.coveredSet(item, s.Add(x, px), s.Add(y, py)))
	})
}

// forPixels emits a loop over the pixels of the fragment. next computes the accumulated value from
// the previous one and from the pixel's offset to the first pixel. The size is dynamic, since it can
// differ between items: an unrolled loop would have 16 pixels.
func (s *shader) forPixels(first ir.V, next func(px, py, v ir.V) ir.V) ir.V {
	b := s.B
	done := b.Block(b.Func.Type(first))
	loop := b.Loop(b.I32(0), first)
	n := b.Param(loop, 0)
	px, py := s.pixelOffset(n)
	v := next(px, py, b.Param(loop, 1))
	n = s.Add(n, b.I32(1))
	b.If(b.Cmp(ir.ULt, n, s.pixelCount()))
	b.Br(loop, n, v)
	b.End()
	b.Br(done, v)
	b.End()
	b.End()
	return b.Param(done, 0)
}

// pixelCount returns the number of pixels of the fragment.
func (s *shader) pixelCount() ir.V {
	return s.B.Op(ir.Shl, ir.I32, s.B.I32(1), s.Add(s.get(varSizeX), s.get(varSizeY)))
}

// pixelOffset returns the offset of pixel n from the first pixel of the fragment.
func (s *shader) pixelOffset(n ir.V) (x, y ir.V) {
	b := s.B
	wide := s.get(varSizeX)
	y = b.Op(ir.LShr, ir.I32, n, wide)
	return b.Op(ir.Sub, ir.I32, n, b.Op(ir.Shl, ir.I32, y, wide)), y
}

// pixelOf returns the pixel that contains sample n of the fragment, and the sample's number in that
// pixel.
func (s *shader) pixelOf(n ir.V) (x, y, sample ir.V) {
	x, y = s.get(varX), s.get(varY)
	if !s.coarse() {
		return x, y, n
	}
	b := s.B
	log := b.I32(uint32(bits.Len32(s.key.Samples) - 1))
	last := b.Op(ir.Sub, ir.I32, s.pixelCount(), b.I32(1))
	dx, dy := s.pixelOffset(b.Op(ir.Sub, ir.I32, last, b.Op(ir.LShr, ir.I32, n, log)))
	return s.Add(x, dx), s.Add(y, dy), s.And(n, b.I32(s.key.Samples-1))
}

// setSize returns the number of samples in a full set.
func (s *shader) setSize() ir.V {
	if !s.coarse() {
		return s.B.I32(s.key.Samples)
	}
	return s.Mul(s.pixelCount(), s.B.I32(s.key.Samples))
}

// size returns the number of pixels of the fragment along an axis.
func (s *shader) size(axis uint32) ir.V {
	if !s.coarse() {
		return s.B.I32(1)
	}
	return s.B.Op(ir.Shl, ir.I32, s.B.I32(1), s.get(varSizeX+fragmentVar(axis)))
}

// shadingRate returns the built-in ShadingRateKHR.
func (s *shader) shadingRate() ir.V {
	if !s.coarse() {
		return s.B.I32(0)
	}
	return s.Or(s.B.Op(ir.Shl, ir.I32, s.get(varSizeX), s.B.I32(2)), s.get(varSizeY))
}

// replicate extends a sample set of one pixel to all pixels of the fragment. A multiplication by
// 0…01 0…01 copies the bits of one pixel: samples = 2, four pixels, set 0b10 becomes 0b10101010.
func (s *shader) replicate(set ir.V) ir.V {
	if !s.coarse() {
		return set
	}
	t, all := s.setType(), uint64(0)
	for n := range s.key.MaxPixels {
		all |= 1 << (n * s.key.Samples)
	}
	return s.B.Op(ir.Mul, t, set, s.B.Const(t, all))
}

// wholeSet returns the set of all samples of the fragment.
func (s *shader) wholeSet() ir.V {
	b, t := s.B, s.setType()
	if !s.coarse() {
		return b.Const(t, ^uint64(0)>>(64-s.key.Samples))
	}
	less := b.Op(ir.Sub, ir.I32, b.I32(uint32(t.Bits())), s.setSize())
	if t == ir.I64 {
		less = b.Op(ir.ZExt, t, less)
	}
	return b.Op(ir.LShr, t, b.Const(t, ^uint64(0)>>(64-t.Bits())), less)
}

// localPixel returns the position of the invocation in its block, or in its strip. In subgroups with
// quad order the lane bits are interleaved; lanes 0 to 15 of a block that is eight pixels wide:
//
//	y 0    0  1   4  5   8  9   12 13
//	y 1    2  3   6  7  10 11   14 15
//
// Otherwise consecutive lanes are neighbours in a pixel row, and their memory accesses are consecutive.
func (s *shader) localPixel() (x, y ir.V) {
	if s.key.Pixels {
		return s.inStrip[0], s.inStrip[1]
	}
	if !s.swizzled {
		return s.BuiltIn(ir.LocalInvocationIdX), s.BuiltIn(ir.LocalInvocationIdY)
	}
	if s.coarse() {
		return s.coarseLocal()
	}
	b, lane := s.B, s.BuiltIn(ir.LocalInvocationIndex)
	part := func(shift, mask uint32) ir.V {
		return b.Op(ir.And, ir.I32, b.Op(ir.LShr, ir.I32, lane, b.I32(shift)), b.I32(mask))
	}
	twice := func(v ir.V) ir.V { return b.Op(ir.Shl, ir.I32, v, b.I32(1)) }
	x = b.Op(ir.Or, ir.I32, twice(part(2, 3)), part(0, 1))
	y = b.Op(ir.Or, ir.I32, twice(part(4, 3)), part(1, 1))
	return x, y
}
