package draw

import (
	"math/bits"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/raster"
)

// A coarse fragment is one of several pixels: an invocation stands for them all. Its
// set of samples has the samples of all its pixels, ordered by their coverage index
// (Vulkan §"Multisampling"): the last pixel's first. A number of a sample is then such
// an index, and the variables of the fragment's pixel are its first pixel.

// coarse reports whether fragments may have several pixels.
func (s *fragmentShader) coarse() bool { return s.key.pixels > 1 }

// sizes takes the size of the block's fragments from where the block is.
func (s *fragmentShader) sizes() {
	for axis, v := range []fragmentVar{varSizeX, varSizeY} {
		s.set(v, s.and(s.corner[axis], s.b.I32(raster.Block-1)))
		s.corner[axis] = s.and(s.corner[axis], s.b.I32(s.placeBits()))
	}
}

// coarseLocal is the place of the invocation's fragment in its block, in fragments:
// quad by quad, so that those that there are have the first invocations.
func (s *fragmentShader) coarseLocal() (x, y ir.V) {
	b, lane := s.b, s.id(ir.LocalInvocationIndex)
	shifted := func(v, n ir.V) ir.V { return b.Op(ir.LShr, ir.I32, v, n) }
	odd := func(v ir.V) ir.V { return s.and(v, b.I32(1)) }
	twice := func(v ir.V) ir.V { return b.Op(ir.Shl, ir.I32, v, b.I32(1)) }
	quad := shifted(lane, b.I32(2))
	wide := b.Op(ir.Sub, ir.I32, b.I32(2), s.get(varSizeX)) // the logarithm of how many are side by side
	row := shifted(quad, wide)
	column := b.Op(ir.Sub, ir.I32, quad, b.Op(ir.Shl, ir.I32, row, wide))
	return s.or(twice(column), odd(lane)), s.or(twice(row), odd(shifted(lane, b.I32(1))))
}

// locateCoarse is locate for fragments of several pixels, of which (x, y) are numbers.
func (s *fragmentShader) locateCoarse(item, x, y ir.V) ir.V {
	b := s.b
	x, y = b.Op(ir.Shl, ir.I32, x, s.get(varSizeX)), b.Op(ir.Shl, ir.I32, y, s.get(varSizeY))
	s.set(varX, s.add(s.corner[0], x))
	s.set(varY, s.add(s.corner[1], y))
	done := b.Block(ir.B1)
	b.If(b.Cmp(ir.ULt, s.or(x, y), b.I32(raster.Block)))
	set := s.coarseSet(item, x, y)
	s.set(varSet, set)
	b.Br(done, s.not(b.Cmp(ir.Eq, set, s.zero(s.setType()))))
	b.End()
	s.set(varSet, s.zero(s.setType()))
	b.Br(done, b.Bool(false))
	b.End()
	return b.Param(done, 0)
}

// coarseSet reads which samples of a fragment are covered whose first pixel is (x, y)
// of the block.
func (s *fragmentShader) coarseSet(item, x, y ir.V) ir.V {
	b, t := s.b, s.setType()
	return s.forPixels(s.zero(t), func(px, py, set ir.V) ir.V {
		set = b.Op(ir.Shl, t, set, b.Const(t, uint64(s.key.samples)))
		return b.Op(ir.Or, t, set, s.coveredSet(item, s.add(x, px), s.add(y, py)))
	})
}

// forPixels writes a loop over the pixels of the fragment, of which each makes a value
// of the one before, by its place from the first pixel.
func (s *fragmentShader) forPixels(first ir.V, next func(px, py, v ir.V) ir.V) ir.V {
	b := s.b
	done := b.Block(b.Func.Type(first))
	loop := b.Loop(b.I32(0), first)
	n := b.Param(loop, 0)
	px, py := s.pixelOffset(n)
	v := next(px, py, b.Param(loop, 1))
	n = s.add(n, b.I32(1))
	b.If(b.Cmp(ir.ULt, n, s.pixelCount()))
	b.Br(loop, n, v)
	b.End()
	b.Br(done, v)
	b.End()
	b.End()
	return b.Param(done, 0)
}

// pixelCount is how many pixels the fragment has.
func (s *fragmentShader) pixelCount() ir.V {
	return s.b.Op(ir.Shl, ir.I32, s.b.I32(1), s.add(s.get(varSizeX), s.get(varSizeY)))
}

// pixelOffset is where pixel n of the fragment is, from its first pixel.
func (s *fragmentShader) pixelOffset(n ir.V) (x, y ir.V) {
	b := s.b
	wide := s.get(varSizeX)
	y = b.Op(ir.LShr, ir.I32, n, wide)
	return b.Op(ir.Sub, ir.I32, n, b.Op(ir.Shl, ir.I32, y, wide)), y
}

// pixelOf is the pixel that sample n is in, and its number there.
func (s *fragmentShader) pixelOf(n ir.V) (x, y, sample ir.V) {
	x, y = s.get(varX), s.get(varY)
	if !s.coarse() {
		return x, y, n
	}
	b := s.b
	log := b.I32(uint32(bits.Len32(s.key.samples) - 1))
	last := b.Op(ir.Sub, ir.I32, s.pixelCount(), b.I32(1))
	dx, dy := s.pixelOffset(b.Op(ir.Sub, ir.I32, last, b.Op(ir.LShr, ir.I32, n, log)))
	return s.add(x, dx), s.add(y, dy), s.and(n, b.I32(s.key.samples-1))
}

// setSize is how many samples there are in a set.
func (s *fragmentShader) setSize() ir.V {
	if !s.coarse() {
		return s.b.I32(s.key.samples)
	}
	return s.mul(s.pixelCount(), s.b.I32(s.key.samples))
}

// size is how many pixels the fragment has along an axis.
func (s *fragmentShader) size(axis uint32) ir.V {
	if !s.coarse() {
		return s.b.I32(1)
	}
	return s.b.Op(ir.Shl, ir.I32, s.b.I32(1), s.get(varSizeX+fragmentVar(axis)))
}

// shadingRate is ShadingRateKHR.
func (s *fragmentShader) shadingRate() ir.V {
	if !s.coarse() {
		return s.b.I32(0)
	}
	return s.or(s.b.Op(ir.Shl, ir.I32, s.get(varSizeX), s.b.I32(2)), s.get(varSizeY))
}

// eachPixel makes of a set of samples of a pixel that of all pixels' same samples.
func (s *fragmentShader) eachPixel(set ir.V) ir.V {
	if !s.coarse() {
		return set
	}
	t, all := s.setType(), uint64(0)
	for n := range s.key.pixels {
		all |= 1 << (n * s.key.samples)
	}
	return s.b.Op(ir.Mul, t, set, s.b.Const(t, all))
}

// wholeSet is the set of all samples of the fragment.
func (s *fragmentShader) wholeSet() ir.V {
	b, t := s.b, s.setType()
	if !s.coarse() {
		return b.Const(t, ^uint64(0)>>(64-s.key.samples))
	}
	less := b.Op(ir.Sub, ir.I32, b.I32(uint32(t.Bits())), s.setSize())
	if t == ir.I64 {
		less = b.Op(ir.ZExt, t, less)
	}
	return b.Op(ir.LShr, t, b.Const(t, ^uint64(0)>>(64-t.Bits())), less)
}
