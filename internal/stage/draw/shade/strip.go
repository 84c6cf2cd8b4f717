package shade

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/raster"
)

// stripPixelRows returns the pixel rows of a strip: enough for one subgroup, and pairs of pixel rows for quads. The
// lanes of a strip are reused by the next one. So a program whose lanes end for good, or has
// observable helpers, has the whole block as one strip; so do coarse fragments and loops with long
// latencies.
func (s *shader) stripPixelRows() uint32 {
	e := s.Program.Effects
	// A debugger shows each pixel as a lane of its own.
	if s.From.Observed || s.coarse() || s.endsOutsideEntry() || s.helpers && (e.Writes || e.Ordered || s.writesTexels() || s.hasOp(ir.Helper)) {
		return raster.Block
	}
	n := s.Program.SubgroupSize
	switch {
	case s.hasLongLatencyLoop() && !s.samplesImages():
		return raster.Block
	case Long(s.From):
		n *= 2
	}
	for pixelRows := uint32(2); pixelRows < raster.Block; pixelRows *= 2 {
		if n <= raster.Block*pixelRows {
			return pixelRows
		}
	}
	return raster.Block
}

// hasLongLatencyLoop reports whether the entry point has a loop with unpipelined operations
// (ir.LongLatency). A wide strip hides their latency better.
func (s *shader) hasLongLatencyLoop() bool {
	f := s.From.Funcs[0]
	depth, loop := 0, 0 // open regions, and the depth of the outermost loop
	for _, v := range f.Code {
		switch op := f.Val(v).Op; {
		case op == ir.Block, op == ir.If, op == ir.Loop:
			if depth++; op == ir.Loop && loop == 0 {
				loop = depth
			}
		case op == ir.End:
			if depth == loop {
				loop = 0
			}
			depth--
		case loop > 0 && op.Is(ir.LongLatency):
			return true
		}
	}
	return false
}

// endsOutsideEntry reports whether invocations can be demoted, or end in a function other than the
// entry point. In the entry point an end is a branch to the end of the strip. A demoted lane stays a
// helper until its invocation ends, but here the invocation continues with the next strip.
func (s *shader) endsOutsideEntry() bool {
	for i, f := range s.From.Funcs {
		if slices.ContainsFunc(f.Code, func(v ir.V) bool {
			op := f.Val(v).Op
			return op == ir.Demote || op == ir.Kill && i > 0
		}) {
			return true
		}
	}
	return false
}

// samplesImages reports whether the program samples images.
func (s *shader) samplesImages() bool { return samplesImages(s.From) }

// writesTexels reports whether the program writes images.
func (s *shader) writesTexels() bool { return writesTexels(s.From) }

// forStrips emits the loop over the strips of the item's block and of the identical blocks below it.
// body receives the strip's part of the mask, or 0 if a pixel has several samples.
func (s *shader) forStrips(item ir.V, body func(bits ir.V)) {
	b := s.B
	zero := b.I32(0)
	all := s.anyCovered(item)
	corner, dy := s.corner[1], s.centerDown()
	// Values of the loop: first pixel row, the rest of the mask shifted so that the next strip is lowest,
	// blocks below, and the center's offset.
	done := b.Block()
	s.stripLoop.loop, s.stripLoop.inLoop, s.stripLoop.hoisted = len(b.Func.Code), true, nil
	loop := b.Loop(zero, all.low, all.high, s.below, dy)
	s.stripLoop.first, s.stripLoop.dy = b.Param(loop, 0), b.Param(loop, 4)
	m, below := mask{b.Param(loop, 1), b.Param(loop, 2)}, b.Param(loop, 3)
	s.corner[1] = s.Add(corner, s.stripLoop.first)
	b.Op(ir.ResetBudget, ir.None) // the instruction budget applies to one strip
	b.If(s.Not(b.Cmp(ir.Eq, s.And(m.low, b.I32(s.stripMask())), zero)))
	s.clearVariables()
	if s.multi() {
		body(0)
	} else {
		body(m.low)
	}
	b.End()
	m = s.nextStrip(m)
	b.If(b.Cmp(ir.Eq, s.Or(m.low, m.high), zero))
	b.If(b.Cmp(ir.Eq, below, zero))
	b.Br(done)
	b.End()
	next := s.Add(s.Or(s.stripLoop.first, b.I32(raster.Block-1)), b.I32(1))
	s.continueBelow(loop, b.Op(ir.Sub, ir.I32, next, s.stripLoop.first), all, b.Op(ir.Sub, ir.I32, below, b.I32(1)))
	b.End()
	s.continueBelow(loop, b.I32(s.stripLoop.pixelRows), m, below)
	b.End()
	b.End()
	b.Func.Code = slices.Insert(b.Func.Code, s.stripLoop.loop, s.stripLoop.hoisted...)
	s.stripLoop.inLoop = false
}

// clearVariables sets the private variables and the outputs of the program to 0, which each invocation starts with.
func (s *shader) clearVariables() {
	for v := range len(s.From.Vars) + len(s.From.Out) {
		s.B.OpAux(ir.PClr, 0, uint64(v))
	}
}

// continueBelow branches to the strip a number of pixel rows below. The center moves by an integer, so the
// sum is exact.
func (s *shader) continueBelow(loop, distance ir.V, m mask, below ir.V) {
	s.B.Br(loop, s.Add(s.stripLoop.first, distance), m.low, m.high, below, s.FAdd(s.stripLoop.dy, s.toFloat(distance)))
}

// mask is the coverage mask of a block, a bit for each pixel: two words of four pixel rows.
type mask struct{ low, high ir.V }

// stripMask returns the mask of the first strip in the low word.
func (s *shader) stripMask() uint32 { return uint32(1<<(raster.Block*s.stripLoop.pixelRows) - 1) }

// nextStrip shifts the next strip of a mask to the first strip's position. A shift of 64 bits in two
// words, n = 16 for strips of two pixel rows.
func (s *shader) nextStrip(m mask) mask {
	b := s.B
	n := raster.Block * s.stripLoop.pixelRows
	if n == 32 {
		return mask{m.high, b.I32(0)}
	}
	next := s.Or(b.Op(ir.LShr, ir.I32, m.low, b.I32(n)), b.Op(ir.Shl, ir.I32, m.high, b.I32(32-n)))
	return mask{next, b.Op(ir.LShr, ir.I32, m.high, b.I32(n))}
}

// anyCovered returns the pixels with a covered sample, among the samples that the invocation shades.
func (s *shader) anyCovered(item ir.V) mask {
	low, high := s.maskWords(item, 8)
	if s.multi() {
		for n := range s.key.Samples - 1 {
			l, h := s.maskWords(item, 16+8*n)
			low, high = s.Or(low, l), s.Or(high, h)
		}
	}
	return mask{low, high}
}
