package shade

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/stage/compose"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
)

// The samples of a fragment are a set, one bit each, in an integer of 32 or 64 bits. A pixel with one
// sample has no set: its invocation runs if the sample is covered.

// forEachSample emits code for each covered sample of the invocation. Without a loop, n is the shaded
// sample.
func (s *shader) forEachSample(body func(n ir.V)) {
	b := s.B
	if !s.multi() {
		body(s.sample())
		return
	}
	if s.covers != nil { // the sample is a constant: positions and offsets of attachments are constants, too
		for n, covered := range s.covers {
			b.If(covered)
			body(b.I32(uint32(n)))
			b.End()
		}
		return
	}
	done := b.Block()
	loop := b.Loop(b.I32(0))
	n := b.Param(loop, 0)
	b.If(b.Cmp(ir.ULe, s.setSize(), n)) // first, so that loops of few samples are unrolled
	b.Br(done)
	b.End()
	b.If(s.contains(s.coveredSamples(), n))
	body(n)
	b.End()
	b.Br(loop, s.Add(n, b.I32(1)))
	b.End()
	b.End()
}

// maxSeparate is the greatest number of samples with a truth value each for their coverage, in place of a bit of a set. The code of each
// sample is emitted once.
const maxSeparate = 4

// separate reports whether the entry point knows each covered sample of an invocation as a truth value. Engines have these as masks;
// a set needs operations to yield them.
func (s *shader) separate() bool {
	return s.multi() && !s.coarse() && s.key.Samples <= maxSeparate
}

// setOfCovers returns the set of the samples in covers.
func (s *shader) setOfCovers() ir.V {
	set := s.B.I32(0)
	for n, covered := range s.covers {
		set = s.Or(set, s.B.Select(covered, s.B.I32(1<<n), s.B.I32(0)))
	}
	return set
}

// anyOfCovers reports whether a sample is in covers: whether the invocation runs.
func (s *shader) anyOfCovers() ir.V {
	any := s.covers[0]
	for _, covered := range s.covers[1:] {
		any = s.B.Op(ir.Or, ir.B1, any, covered)
	}
	return any
}

// positions returns the table of sample positions, in pixels from the pixel's corner.
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

// position returns the position of sample n of the fragment's first pixel along an axis, in pixels from the
// pixel's corner.
func (s *shader) position(n ir.V, axis uint32) ir.V {
	if s.key.located {
		return s.customPosition(s.get(varX), s.get(varY), n, axis)
	}
	return s.standardPosition(n, axis)
}

// standardPosition returns the position of sample n. The table has 8 bytes for each sample, x and y, of the
// standard sample locations (Vulkan §"Multisampling").
func (s *shader) standardPosition(n ir.V, axis uint32) ir.V {
	if s.key.Samples == 1 {
		return s.Float(0.5)
	}
	return s.Load(ir.F32, s.positions(), s.At(s.B.I32(0), n, 8), 4*axis)
}

// customPosition returns the position of sample n of pixel (x, y) with custom sample locations. The
// parameters have 8 bytes for each sample of each pixel of a grid of 2×2 pixels (layout.FragmentLocations).
func (s *shader) customPosition(x, y, n ir.V, axis uint32) ir.V {
	b := s.B
	odd := func(v ir.V) ir.V { return s.And(v, b.I32(raster.MaxLocationGrid-1)) }
	pixel := s.Add(odd(x), s.Mul(odd(y), b.I32(raster.MaxLocationGrid)))
	at := s.At(s.Scaled(pixel, 8*uint64(s.key.Samples)), n, 8)
	return s.Load(ir.F32, s.Handle(ir.UniformBuffer, compose.ParamsBinding, false), at, 4*(layout.FragmentLocations+axis))
}

// samplePoint returns the point of sample n.
func (s *shader) samplePoint(n ir.V) point {
	if s.key.Samples == 1 && !s.coarse() && !s.key.located {
		return s.centerPoint()
	}
	if v := s.B.Func.Val(n); s.covers != nil && v.Op == ir.Const && !s.key.located && s.B.Func == s.Program.Funcs[0] {
		// Exact, like the sums below: positions have four fractional bits, and the center has eight.
		c, p := s.entryCenter(), raster.SamplePositions(int(s.key.Samples))[v.Aux]
		return point{s.FAdd(c.dx, s.Float(p[0]-0.5)), s.FAdd(c.dy, s.Float(p[1]-0.5))}
	}
	x, y, n := s.pixelOf(n)
	along := func(v ir.V, axis, from uint32) ir.V {
		var p ir.V
		if s.key.located {
			p = s.customPosition(x, y, n, axis)
		} else {
			p = s.standardPosition(n, axis)
		}
		return s.FSub(s.FAdd(s.toFloat(v), p), s.primitiveWord(ir.F32, from))
	}
	return point{along(x, 0, primitiveX), along(y, 1, primitiveY)}
}

// centroid returns the center of the fragment if all samples are covered, the first covered sample
// otherwise. Vulkan permits any covered point of the pixel. The minimum bounds the index for lanes
// without a covered sample, helpers, that find no bit.
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

// coveredSamples returns the samples that are still covered at this point of the program.
func (s *shader) coveredSamples() ir.V { return s.get(varSet) }

// shadedSamples returns the samples that the invocation represents, as SampleMask reports them.
func (s *shader) shadedSamples() ir.V {
	switch {
	case s.multi():
		return s.coveredSamples()
	case s.key.PerSample:
		return s.singleton(s.sample())
	}
	return s.B.Const(s.setType(), 1)
}

// outputCoverage removes samples that outputs exclude: by the sample mask and by alpha to coverage.
// With one sample per pixel it is a set of one bit.
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

// limitsCoverage reports whether outputs of the program exclude samples. If not, the truth values in covers are still those of the set at
// the end of the program.
func (s *shader) limitsCoverage() bool {
	return s.key.AlphaToCoverage || slices.ContainsFunc(s.From.Out, func(o ir.Output) bool { return o.Semantic == ir.SampleMask && o.Index == 0 })
}

// applySampleMask intersects a set with the program's sample mask; m is its first word. A second word
// that the program does not write changes nothing (docs/undefined.md).
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
	// An invocation for one sample ignores the mask bits of other samples.
	if s.From.Modes.Has(ir.OverrideCoverage) && s.multi() {
		set = s.wholeSet()
	}
	return b.Op(ir.And, t, set, m)
}

// alphaCoverage returns the samples of alpha to coverage (Vulkan §"Multisample Coverage"): of n
// samples the first round(n·alpha). With four samples the bounds are 0.125, 0.375, 0.625 and 0.875:
// alpha 0.5 selects samples 0 and 1.
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

// pixelCenter returns the center of the fragment along an axis, in pixels.
func (s *shader) pixelCenter(v fragmentVar) ir.V {
	half := s.Float(0.5)
	if s.coarse() {
		half = s.FMul(half, s.toFloat(s.size(uint32(v-varX))))
	}
	return s.FAdd(s.toFloat(s.get(v)), half)
}

// centerPoint returns the center of the fragment. It is exact: both operands have at most 8 fractional
// bits.
func (s *shader) centerPoint() point {
	b := s.B
	return point{
		b.Op(ir.FSub, ir.F32, s.pixelCenter(varX), s.primitiveWord(ir.F32, primitiveX)),
		b.Op(ir.FSub, ir.F32, s.pixelCenter(varY), s.primitiveWord(ir.F32, primitiveY)),
	}
}

// entryCenter is centerPoint in the entry point. All sums are exact, so it regroups them: one sum
// that varies by lane, one that varies by item. In a strip loop the center advances by whole pixels.
// Coordinates have at most 15 bits before the binary point and 8 after it, so that f32 holds them
// exactly.
func (s *shader) entryCenter() point {
	switch {
	case s.coarse():
		return s.centerPoint()
	case s.inStrips() && len(s.stack.layers) > 0:
		return point{s.centerAlong(0), s.FSub(s.stripLoop.dy, s.primitiveWord(ir.F32, primitiveY))}
	case s.inStrips():
		return point{s.centerAlong(0), s.stripLoop.dy}
	}
	return point{s.centerAlong(0), s.centerAlong(1)}
}

// centerDown is the center along y of the pixels of the first strip: in a stack the layers have reference points of their own.
func (s *shader) centerDown() ir.V {
	if len(s.stack.layers) > 0 {
		return s.FAdd(s.FAdd(s.toFloat(s.inStrip[1]), s.Float(0.5)), s.toFloat(s.corner[1]))
	}
	return s.centerAlong(1)
}

// centerAlong is one axis of entryCenter, relative to the item's corner.
func (s *shader) centerAlong(axis int) ir.V {
	middle := s.FAdd(s.toFloat(s.inStrip[axis]), s.Float(0.5))
	return s.FAdd(middle, s.FSub(s.toFloat(s.corner[axis]), s.primitiveWord(ir.F32, primitiveX+uint32(axis))))
}

// shadedPoint returns the interpolation point of the invocation.
func (s *shader) shadedPoint() point { return point{s.get(varDX), s.get(varDY)} }
