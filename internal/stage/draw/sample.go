package draw

import (
	"encoding/binary"
	"math"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/raster"
)

// A pixel's samples are a set, one bit for each, in an integer that has room for all.
// With one sample there is no such set: that an invocation runs is all there is to
// know.

// multi reports whether a fragment has several samples, and an invocation stands for
// all that are covered.
func (s *fragmentShader) multi() bool {
	return s.key.samples > 1 && !s.key.perSample || s.coarse()
}

// setType is the type of sets of samples.
func (s *fragmentShader) setType() ir.Type {
	if s.key.samples*s.key.pixels > 32 {
		return ir.I64
	}
	return ir.I32
}

// coveredSet reads which samples are covered: of pixel (x, y) of the block, or strip.
func (s *fragmentShader) coveredSet(item, x, y ir.V) ir.V {
	t, set := s.setType(), s.b.Const(s.setType(), 0)
	for n := range s.key.samples {
		bit := s.coveredBit(item, x, y, 8+8*n)
		if t == ir.I64 {
			bit = s.b.Op(ir.ZExt, t, bit)
		}
		set = s.b.Op(ir.Or, t, set, s.b.Op(ir.Shl, t, bit, s.b.Const(t, uint64(n))))
	}
	return set
}

// coveredBit is the bit of pixel (x, y) in the mask that stands so many bytes behind
// the item's begin.
func (s *fragmentShader) coveredBit(item, x, y ir.V, behind uint32) ir.V {
	bit, part := s.maskBit(item, x, y, behind)
	return s.and(s.b.Op(ir.LShr, ir.I32, part, bit), s.b.I32(1))
}

// maskBit is the number of that bit in the part of the mask that it is in, and the
// part: a half of the mask, or what it has of the strip.
func (s *fragmentShader) maskBit(item, x, y ir.V, behind uint32) (bit, part ir.V) {
	b := s.b
	low, high := s.maskWords(item, behind)
	if s.inStrips() {
		return s.inMask(x, y), s.ofStrip(low, high)
	}
	return s.inMask(x, s.and(y, b.I32(3))), b.Select(b.Cmp(ir.ULt, y, b.I32(4)), low, high)
}

// inMask is the number of the bit of a pixel.
func (s *fragmentShader) inMask(x, y ir.V) ir.V {
	return s.add(s.mul(y, s.b.I32(raster.Block)), x)
}

// maskWords reads the two words of a mask.
func (s *fragmentShader) maskWords(item ir.V, behind uint32) (low, high ir.V) {
	word := func(n uint32) ir.V {
		return s.own(ir.I32, s.handle(ir.StorageBuffer, bindItems, false), item, behind+n)
	}
	return s.ofItem(func() ir.V { return word(0) }), s.ofItem(func() ir.V { return word(4) })
}

// has reports whether a set has sample n.
func (s *fragmentShader) has(set, n ir.V) ir.V {
	t, b := s.setType(), s.b
	if t == ir.I64 {
		n = b.Op(ir.ZExt, t, n)
	}
	return b.Cmp(ir.Eq, b.Op(ir.And, t, b.Op(ir.LShr, t, set, n), b.Const(t, 1)), b.Const(t, 1))
}

// only is the set of sample n alone.
func (s *fragmentShader) only(n ir.V) ir.V {
	t := s.setType()
	if t == ir.I64 {
		n = s.b.Op(ir.ZExt, t, n)
	}
	return s.b.Op(ir.Shl, t, s.b.Const(t, 1), n)
}

// forSamples writes what is done for each sample of the invocation that is covered.
// Without a loop n is the sample that is shaded.
func (s *fragmentShader) forSamples(body func(n ir.V)) {
	b := s.b
	if !s.multi() {
		body(s.sample())
		return
	}
	done := b.Block()
	loop := b.Loop(b.I32(0))
	n := b.Param(loop, 0)
	b.If(s.has(s.samples(), n))
	body(n)
	b.End()
	next := s.add(n, b.I32(1))
	b.If(b.Cmp(ir.ULt, next, s.setSize()))
	b.Br(loop, next)
	b.End()
	b.Br(done)
	b.End()
	b.End()
}

// sample is the sample that is shaded: 0 where the invocation stands for the pixel.
func (s *fragmentShader) sample() ir.V {
	if !s.key.perSample {
		return s.b.I32(0)
	}
	return s.b.Op(ir.UMod, ir.I32, s.id(ir.WorkgroupIdX), s.b.I32(s.key.samples))
}

// item is the number of the item.
func (s *fragmentShader) item() ir.V {
	if !s.key.perSample {
		return s.id(ir.WorkgroupIdX)
	}
	return s.b.Op(ir.UDiv, ir.I32, s.id(ir.WorkgroupIdX), s.b.I32(s.key.samples))
}

// positions is the table of where samples are, in pixels from the pixel's corner.
func (s *fragmentShader) positions() ir.V {
	if s.table == 0 {
		var data []byte
		for _, p := range raster.SamplePositions(int(s.key.samples)) {
			for _, x := range p {
				data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
			}
		}
		s.texels.Table(data)
		s.table = len(s.p.Tables)
	}
	return s.b.OpAux(ir.Table, ir.H, uint64(s.table-1))
}

// position is where sample n is along an axis, in pixels from the pixel's corner.
func (s *fragmentShader) position(n ir.V, axis uint32) ir.V {
	if s.key.samples == 1 {
		return s.num(0.5)
	}
	return s.load(ir.F32, s.positions(), s.at(s.b.I32(0), n, 8), 4*axis)
}

// spotOf is sample n of the fragment as a spot.
func (s *fragmentShader) spotOf(n ir.V) spot {
	if s.key.samples == 1 && !s.coarse() {
		return s.center()
	}
	x, y, n := s.pixelOf(n)
	along := func(v ir.V, axis, from uint32) ir.V {
		x := s.fadd(s.toFloat(v), s.position(n, axis))
		return s.fsub(x, s.primitiveWord(ir.F32, from))
	}
	return spot{along(x, 0, primitiveX), along(y, 1, primitiveY)}
}

// centroid is the middle of the fragment where all its samples are covered, and else
// the first one that is.
func (s *fragmentShader) centroid() spot {
	if !s.multi() {
		return s.here()
	}
	b, t := s.b, s.setType()
	all := b.Cmp(ir.Eq, s.samples(), s.wholeSet())
	first := b.Op(ir.FindLsb, t, s.samples())
	if t == ir.I64 {
		first = b.Op(ir.Trunc, ir.I32, first)
	}
	c, p := s.here(), s.spotOf(b.Op(ir.UMin, ir.I32, first, b.I32(s.key.samples*s.key.pixels-1)))
	return spot{b.Select(all, c.dx, p.dx), b.Select(all, c.dy, p.dy)}
}

// samples is those of the pixel that are covered, as far as is known.
func (s *fragmentShader) samples() ir.V { return s.get(varSet) }

// shadedSet is which samples an invocation stands for, as SampleMask has them.
func (s *fragmentShader) shadedSet() ir.V {
	switch {
	case s.multi():
		return s.samples()
	case s.key.perSample:
		return s.only(s.sample())
	}
	return s.b.Const(s.setType(), 1)
}

// kept takes from the set what outputs take from it: the sample mask, and alpha where
// it stands for coverage. With one sample it reports whether that one is left.
func (s *fragmentShader) kept() ir.V {
	b, t := s.b, s.setType()
	set := s.shadedSet()
	for k, o := range s.from.Out {
		if o.Semantic == ir.SampleMask && o.Index == 0 {
			set = s.masking(set, s.output(k))
		}
	}
	if s.key.alphaToCoverage {
		set = b.Op(ir.And, t, set, s.alphaSet())
	}
	return set
}

// masking is what the sample mask of the program, of which m is the first word, makes of
// a set. A second word that the program does not write takes nothing away, and adds
// nothing (docs/undefined.md).
func (s *fragmentShader) masking(set, m ir.V) ir.V {
	b, t := s.b, s.setType()
	if t == ir.I64 {
		upper, high := ir.V(0), b.Const(ir.I64, 32)
		for k, o := range s.from.Out {
			if o.Semantic == ir.SampleMask && o.Index == 1 {
				upper = b.Op(ir.ZExt, ir.I64, s.output(k))
			}
		}
		if upper == 0 {
			upper = b.Op(ir.LShr, ir.I64, set, high)
		}
		m = b.Op(ir.Or, t, b.Op(ir.ZExt, t, m), b.Op(ir.Shl, t, upper, high))
	}
	// Of an invocation for one sample the bits of others mean nothing.
	if s.from.Modes.Has(ir.OverrideCoverage) && s.multi() {
		set = s.wholeSet()
	}
	return b.Op(ir.And, t, set, m)
}

// alphaSet is the samples that alpha covers (Vulkan §"Multisample Coverage"): of n as
// many as are nearest to n times alpha, the first ones.
func (s *fragmentShader) alphaSet() ir.V {
	b, t := s.b, s.setType()
	alpha := s.num(1)
	for k, o := range s.from.Out {
		if o.Semantic == ir.Location && o.Index == 3 && o.Source == 0 {
			alpha = s.typed(s.widened(s.output(k)), false, ir.F32)
		}
	}
	set := b.Const(t, 0)
	for n := range s.key.samples {
		bound := s.num((float32(n) + 0.5) / float32(s.key.samples))
		bit := b.Op(ir.ZExt, t, b.Cmp(ir.FLe, bound, alpha))
		set = b.Op(ir.Or, t, set, b.Op(ir.Shl, t, bit, b.Const(t, uint64(n))))
	}
	return s.eachPixel(set)
}
