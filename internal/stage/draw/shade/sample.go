package shade

import (
	"encoding/binary"
	"math"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
)

// A pixel's samples are a set, one bit for each, in an integer that has room for all.
// With one sample there is no such set: that an invocation runs is all there is to
// know.

// multi reports whether a fragment has several samples, and an invocation stands for
// all that are covered.
func (s *shader) multi() bool {
	return s.key.Samples > 1 && !s.key.PerSample || s.coarse()
}

// setType is the type of sets of samples.
func (s *shader) setType() ir.Type {
	if s.key.Samples*s.key.MaxPixels > 32 {
		return ir.I64
	}
	return ir.I32
}

// coveredSet reads which samples are covered: of pixel (x, y) of the block, or strip.
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

// coveredBit is the bit of pixel (x, y) in the mask that stands so many bytes behind
// the item's begin.
func (s *shader) coveredBit(item, x, y ir.V, behind uint32) ir.V {
	bit, part := s.maskBit(item, x, y, behind)
	return s.And(s.B.Op(ir.LShr, ir.I32, part, bit), s.B.I32(1))
}

// maskBit is the number of that bit in the part of the mask that it is in, and the
// part: a half of the mask, or what it has of the strip.
func (s *shader) maskBit(item, x, y ir.V, behind uint32) (bit, part ir.V) {
	b := s.B
	low, high := s.maskWords(item, behind)
	if s.inStrips() {
		return s.inMask(x, y), s.stripBits(low, high)
	}
	return s.inMask(x, s.And(y, b.I32(3))), b.Select(b.Cmp(ir.ULt, y, b.I32(4)), low, high)
}

// inMask is the number of the bit of a pixel.
func (s *shader) inMask(x, y ir.V) ir.V {
	return s.Add(s.Mul(y, s.B.I32(raster.Block)), x)
}

// maskWords reads the two words of a mask.
func (s *shader) maskWords(item ir.V, behind uint32) (low, high ir.V) {
	word := func(n uint32) ir.V {
		return s.LoadOwn(ir.I32, s.Handle(ir.StorageBuffer, layout.BindItems, false), item, behind+n)
	}
	return s.perItem(func() ir.V { return word(0) }), s.perItem(func() ir.V { return word(4) })
}

// contains reports whether a set has sample n.
func (s *shader) contains(set, n ir.V) ir.V {
	t, b := s.setType(), s.B
	if t == ir.I64 {
		n = b.Op(ir.ZExt, t, n)
	}
	return b.Cmp(ir.Eq, b.Op(ir.And, t, b.Op(ir.LShr, t, set, n), b.Const(t, 1)), b.Const(t, 1))
}

// singleton is the set of sample n alone.
func (s *shader) singleton(n ir.V) ir.V {
	t := s.setType()
	if t == ir.I64 {
		n = s.B.Op(ir.ZExt, t, n)
	}
	return s.B.Op(ir.Shl, t, s.B.Const(t, 1), n)
}

// forEachSample writes what is done for each sample of the invocation that is covered.
// Without a loop n is the sample that is shaded.
func (s *shader) forEachSample(body func(n ir.V)) {
	b := s.B
	if !s.multi() {
		body(s.sample())
		return
	}
	done := b.Block()
	loop := b.Loop(b.I32(0))
	n := b.Param(loop, 0)
	b.If(s.contains(s.coveredSamples(), n))
	body(n)
	b.End()
	next := s.Add(n, b.I32(1))
	b.If(b.Cmp(ir.ULt, next, s.setSize()))
	b.Br(loop, next)
	b.End()
	b.Br(done)
	b.End()
	b.End()
}

// sample is the sample that is shaded: 0 where the invocation stands for the pixel.
func (s *shader) sample() ir.V {
	if !s.key.PerSample {
		return s.B.I32(0)
	}
	return s.B.Op(ir.UMod, ir.I32, s.BuiltIn(ir.WorkgroupIdX), s.B.I32(s.key.Samples))
}

// itemNumber is the number of the item.
func (s *shader) itemNumber() ir.V {
	if !s.key.PerSample {
		return s.BuiltIn(ir.WorkgroupIdX)
	}
	return s.B.Op(ir.UDiv, ir.I32, s.BuiltIn(ir.WorkgroupIdX), s.B.I32(s.key.Samples))
}

// positions is the table of where samples are, in pixels from the pixel's corner.
func (s *shader) positions() ir.V {
	if s.positionTable == 0 {
		var data []byte
		for _, p := range raster.SamplePositions(int(s.key.Samples)) {
			for _, x := range p {
				data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
			}
		}
		s.Texels.Table(data)
		s.positionTable = len(s.Program.Tables)
	}
	return s.B.OpAux(ir.Table, ir.H, uint64(s.positionTable-1))
}

// position is where sample n is along an axis, in pixels from the pixel's corner.
func (s *shader) position(n ir.V, axis uint32) ir.V {
	if s.key.Samples == 1 {
		return s.Float(0.5)
	}
	return s.Load(ir.F32, s.positions(), s.At(s.B.I32(0), n, 8), 4*axis)
}

// samplePoint is sample n of the fragment as a spot.
func (s *shader) samplePoint(n ir.V) point {
	if s.key.Samples == 1 && !s.coarse() {
		return s.centerPoint()
	}
	x, y, n := s.pixelOf(n)
	along := func(v ir.V, axis, from uint32) ir.V {
		x := s.FAdd(s.toFloat(v), s.position(n, axis))
		return s.FSub(x, s.primitiveWord(ir.F32, from))
	}
	return point{along(x, 0, primitiveX), along(y, 1, primitiveY)}
}

// centroid is the middle of the fragment where all its samples are covered, and else
// the first one that is.
func (s *shader) centroid() point {
	if !s.multi() {
		return s.shadedPoint()
	}
	b, t := s.B, s.setType()
	all := b.Cmp(ir.Eq, s.coveredSamples(), s.wholeSet())
	first := b.Op(ir.FindLsb, t, s.coveredSamples())
	if t == ir.I64 {
		first = b.Op(ir.Trunc, ir.I32, first)
	}
	c, p := s.shadedPoint(), s.samplePoint(b.Op(ir.UMin, ir.I32, first, b.I32(s.key.Samples*s.key.MaxPixels-1)))
	return point{b.Select(all, c.dx, p.dx), b.Select(all, c.dy, p.dy)}
}

// coveredSamples is those of the pixel that are covered, as far as is known.
func (s *shader) coveredSamples() ir.V { return s.get(varSet) }

// shadedSamples is which samples an invocation stands for, as SampleMask has them.
func (s *shader) shadedSamples() ir.V {
	switch {
	case s.multi():
		return s.coveredSamples()
	case s.key.PerSample:
		return s.singleton(s.sample())
	}
	return s.B.Const(s.setType(), 1)
}

// outputCoverage takes from the set what outputs take from it: the sample mask, and alpha where
// it stands for coverage. With one sample it reports whether that one is left.
func (s *shader) outputCoverage() ir.V {
	b, t := s.B, s.setType()
	set := s.shadedSamples()
	for k, o := range s.From.Out {
		if o.Semantic == ir.SampleMask && o.Index == 0 {
			set = s.applySampleMask(set, s.Output(k))
		}
	}
	if s.key.AlphaToCoverage {
		set = b.Op(ir.And, t, set, s.alphaCoverage())
	}
	return set
}

// applySampleMask is what the sample mask of the program, of which m is the first word, makes of
// a set. A second word that the program does not write takes nothing away, and adds
// nothing (docs/undefined.md).
func (s *shader) applySampleMask(set, m ir.V) ir.V {
	b, t := s.B, s.setType()
	if t == ir.I64 {
		upper, high := ir.V(0), b.Const(ir.I64, 32)
		for k, o := range s.From.Out {
			if o.Semantic == ir.SampleMask && o.Index == 1 {
				upper = b.Op(ir.ZExt, ir.I64, s.Output(k))
			}
		}
		if upper == 0 {
			upper = b.Op(ir.LShr, ir.I64, set, high)
		}
		m = b.Op(ir.Or, t, b.Op(ir.ZExt, t, m), b.Op(ir.Shl, t, upper, high))
	}
	// Of an invocation for one sample the bits of others mean nothing.
	if s.From.Modes.Has(ir.OverrideCoverage) && s.multi() {
		set = s.wholeSet()
	}
	return b.Op(ir.And, t, set, m)
}

// alphaCoverage is the samples that alpha covers (Vulkan §"Multisample Coverage"): of n as
// many as are nearest to n times alpha, the first ones.
func (s *shader) alphaCoverage() ir.V {
	b, t := s.B, s.setType()
	alpha := s.Float(1)
	for k, o := range s.From.Out {
		if o.Semantic == ir.Location && o.Index == 3 && o.Source == 0 {
			alpha = s.Convert(s.toF32(s.Output(k)), false, ir.F32)
		}
	}
	set := b.Const(t, 0)
	for n := range s.key.Samples {
		bound := s.Float((float32(n) + 0.5) / float32(s.key.Samples))
		bit := b.Op(ir.ZExt, t, b.Cmp(ir.FLe, bound, alpha))
		set = b.Op(ir.Or, t, set, b.Op(ir.Shl, t, bit, b.Const(t, uint64(n))))
	}
	return s.replicate(set)
}
