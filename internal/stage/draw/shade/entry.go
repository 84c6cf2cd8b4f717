package shade

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/stage/compose"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
)

// Program builds the compute program of a fragment program.
func Program(from *ir.Program, key *Key, rec *layout.Record) (*ir.Program, error) {
	s := &shader{Builder: compose.New("draw", from), key: key, rec: rec}
	s.Input, s.InputAt, s.Interp = s.readInput, s.vertexInput, s.interpolatedAt
	if key.InPlace {
		s.kept = rec.Kept(from)
	}
	s.Program.StateEffects()
	// Shuffles can read the lanes of their quad, as derivatives do: helper lanes must run.
	s.helpers = s.Program.Effects.Quads || s.hasInput(ir.QuadX) || s.hasInput(ir.QuadY) || from.Modes.Has(ir.FullQuads) || s.hasOp(ir.Shuf)
	// Quads suffice for derivatives if a subgroup has at least two pixel rows: then the neighbour
	// below is eight lanes away (QuadRow). Built-ins of the subgroup make the order of lanes
	// visible, so that it is the order of quads.
	s.swizzled = s.helpers && s.Program.SubgroupSize < 2*raster.Block || s.Program.Effects.GroupOps || s.hasInput(ir.SubgroupLocalInvocationId) || s.coarse()
	s.stripLoop.pixelRows = s.stripPixelRows()
	if key.Pixels {
		s.helpers = false
	}
	if key.Packed {
		s.swizzled, s.stripLoop.pixelRows = true, raster.Block
		s.Program.LocalSize = [3]uint32{s.packLanes(), 1, 1}
	} else if s.swizzled {
		s.Program.LocalSize = [3]uint32{raster.Block * s.stripLoop.pixelRows, 1, 1}
	} else {
		s.Program.LocalSize = [3]uint32{raster.Block, s.stripLoop.pixelRows, 1}
		if s.helpers {
			s.Program.QuadRow = raster.Block
		}
	}
	p, err := s.Build(s.entryPoint)
	if err == nil {
		s.withoutUnused(p)
	}
	return p, err
}

// entryPoint emits prologue and epilogue around the program's own code, in a strip loop if the block
// has several strips.
func (s *shader) entryPoint(body func()) {
	if s.key.Packed {
		s.loadQuad()
		s.fragment(0, 0, body)
		return
	}
	if s.key.Stacked {
		s.stacked(body)
		return
	}
	item := s.loadItem()
	if s.walksStrips() {
		s.forStrips(item, func(bits ir.V) { s.fragment(item, bits, body) })
	} else {
		s.fragment(item, 0, body)
	}
}

// fragment emits the code for the pixels of a block or strip: coverage, early tests, interpolation
// setup, body, epilogue. Lanes are active from outside to inside: all lanes of the strip; lanes of
// quads with a covered pixel; covered lanes for effects and writes.
func (s *shader) fragment(item, bits ir.V, body func()) {
	b := s.B
	covered := s.locatePixel(item, bits)
	s.identify(covered)
	early := s.earlyTests()
	if early && (s.key.Test.any() || s.key.CountSamples) {
		covered = s.runEarlyTests(covered)
	}
	if s.earlyAndLate() {
		covered = s.mayPass(covered)
	}
	inside := covered
	if s.helpers {
		inside = s.quad(covered)
	}
	b.If(inside)
	// A lane is reused by the next strip of the loop and must not be demoted. Side effects of helpers
	// are masked explicitly instead.
	apart := s.helpers && s.walksStrips()
	if s.helpers && !apart {
		b.If(b.Op(ir.Not, ir.B1, covered))
		b.OpAux(ir.Demote, 0, 0)
		b.End()
	}
	real := func(code func()) {
		if apart {
			b.If(covered)
			defer b.End()
		}
		code()
	}
	if s.key.CountInvocations {
		real(s.countInvocation)
	}
	if s.walksStrips() {
		s.KillTarget = b.Block()
	}
	s.setPoints()
	s.identifyPoint()
	if s.From.Observed { // no pass removes the code after a body that always ends its invocations, and the verifier permits none
		b.If(inside)
		body()
		b.End()
	} else {
		body()
	}
	real(func() {
		if s.From.Observed {
			s.Probe(ir.ProbeEnd, s.Not(s.B.Op(ir.Helper, ir.B1)))
		}
		s.writeOutputs(early)
	})
	if s.walksStrips() {
		b.End()
	}
	b.End()
}

// identify tells a debugger which fragment a lane is. The records of vertices have the InstanceIndex if no stage is between them and the
// rasterizer, and a debugger observes the pipeline. All vertices of a primitive have the same one, so that it is read as a flat value of the
// provoking vertex.
func (s *shader) identify(covered ir.V) {
	if !s.From.Observed {
		return
	}
	s.Identify(ir.FragCoord, 0, s.get(varX))
	s.Identify(ir.FragCoord, 1, s.get(varY))
	s.Identify(ir.PrimitiveId, 0, s.primitiveWord(ir.I32, primitiveID))
	if _, ok := s.rec.Offset(ir.InstanceIndex, 0); ok {
		s.Identify(ir.InstanceIndex, 0, s.flatInput(ir.Input{Semantic: ir.InstanceIndex, Type: ir.I32}))
	}
	s.Identify(ir.Layer, 0, s.layer())
	if s.key.PerSample {
		s.Identify(ir.SampleId, 0, s.sample())
	}
	s.Probe(ir.ProbeCovered, covered)
}

// identifyPoint tells a debugger the built-ins of a fragment that its program may not read.
func (s *shader) identifyPoint() {
	if !s.From.Observed {
		return
	}
	for i := range uint32(4) {
		s.Identify(ir.Position, i, s.B.Op(ir.Bitcast, ir.I32, s.fragCoord(i)))
	}
	s.Identify(ir.FrontFacing, 0, s.B.Op(ir.ZExt, ir.I32, s.flagged(flagFront)))
}

// runEarlyTests emits the tests before the program and reports whether the invocation is still
// covered.
func (s *shader) runEarlyTests(covered ir.V) ir.V {
	if s.covers != nil {
		return s.testCovers(covered)
	}
	b := s.B
	merge := b.Block(ir.B1)
	b.If(covered)
	if s.multi() {
		t := s.setType()
		if s.hasInput(ir.SampleMask) && !s.From.Modes.Has(ir.PostDepthCoverage) {
			s.set(varEarlySet, s.get(varSet))
		}
		// forEachSample reads varSet, so the results need another variable until the loop ends.
		s.set(varPassed, b.Const(t, 0))
		keep := func(set ir.V) { s.set(varPassed, b.Op(ir.Or, t, s.get(varPassed), set)) }
		s.forEachSample(func(n ir.V) {
			if s.key.Test.any() { // a selection: lanes that pass and fail are mixed
				s.testThen(n, func() {}, func(pass ir.V) { keep(b.Select(pass, s.singleton(n), b.Const(t, 0))) })
			} else {
				s.test(n, func() { keep(s.singleton(n)) })
			}
		})
		s.set(varSet, s.get(varPassed))
		b.Br(merge, s.Not(b.Cmp(ir.Eq, s.get(varPassed), b.Const(t, 0))))
	} else if s.key.Test.any() {
		s.testThen(s.sample(), func() {}, func(pass ir.V) { b.Br(merge, pass) })
		if s.key.Test.Bounds {
			b.Br(merge, b.Bool(false))
		}
	} else {
		s.test(s.sample(), func() { b.Br(merge, b.Bool(true)) })
	}
	b.End()
	b.Br(merge, b.Bool(false))
	b.End()
	return b.Param(merge, 0)
}

// testCovers is runEarlyTests for separate samples. If the depth test is the only one, no sample needs a branch before its store.
// Afterwards covers has the samples that passed. The result of a sample is a
// parameter of a block, so that it needs no operation on the lanes that did not test it: these are not covered.
func (s *shader) testCovers(covered ir.V) ir.V {
	b := s.B
	var types []ir.Type
	var pass, none []ir.V
	for range s.covers {
		types, none = append(types, ir.B1), append(none, b.Bool(false))
	}
	merge := b.Block(types...)
	b.If(covered)
	if s.hasInput(ir.SampleMask) && !s.From.Modes.Has(ir.PostDepthCoverage) {
		s.set(varEarlySet, s.get(varSet))
	}
	for n, covered := range s.covers {
		if s.testsDepthAlone() {
			pass = append(pass, s.testDepth(b.I32(uint32(n)), covered))
			continue
		}
		tested := b.Block(ir.B1)
		b.If(covered)
		if s.key.Test.any() {
			s.testThen(b.I32(uint32(n)), func() {}, func(pass ir.V) { b.Br(tested, pass) })
			if s.key.Test.Bounds {
				b.Br(tested, b.Bool(false))
			}
		} else {
			s.test(b.I32(uint32(n)), func() { b.Br(tested, b.Bool(true)) })
		}
		b.End()
		b.Br(tested, b.Bool(false))
		b.End()
		pass = append(pass, b.Param(tested, 0))
	}
	b.Br(merge, pass...)
	b.End()
	b.Br(merge, none...)
	b.End()
	for n := range s.covers {
		s.covers[n] = b.Param(merge, n)
	}
	s.set(varSet, s.setOfCovers())
	return s.anyOfCovers()
}

// loadItem reads the item of the workgroup: primitive, position of the block, number of identical
// blocks below.
func (s *shader) loadItem() (item ir.V) {
	b := s.B
	item = s.Scaled(s.itemNumber(), s.itemBytes())
	if s.key.Stacked {
		item = s.Scaled(s.itemNumber(), 8*StackWords)
	}
	h := s.Handle(ir.StorageBuffer, layout.BindItems, false)
	number := s.LoadOwn(ir.I32, h, item, 0)
	s.set(varPrimitive, s.Scaled(number, 4*raster.PrimitiveWords))
	s.set(varRecords, s.Scaled(number, 3*uint64(s.rec.KeptBytes())))
	corner := s.LoadOwn(ir.I32, h, item, 4)
	s.corner = [2]ir.V{s.And(corner, b.I32(0xffff)), b.Op(ir.LShr, ir.I32, corner, b.I32(16))}
	if s.walksStrips() {
		high := func(i int) ir.V { return b.Op(ir.LShr, ir.I32, s.corner[i], b.I32(raster.RunShift)) }
		s.below = s.Or(high(0), b.Op(ir.Shl, ir.I32, high(1), b.I32(2)))
		for i := range s.corner {
			s.corner[i] = s.And(s.corner[i], b.I32(raster.RunArea-1))
		}
	}
	if s.coarse() {
		s.readSizes()
	}
	s.inStrip[0], s.inStrip[1] = s.localPixel()
	if s.key.PerSample {
		item = s.Add(item, s.Scaled(s.sample(), 8))
	}
	return item
}

// locatePixel computes the pixel of the invocation and reports whether it is covered. bits is the
// strip's part of the mask, or 0 without a strip loop.
func (s *shader) locatePixel(item, bits ir.V) ir.V {
	b := s.B
	x, y := s.inStrip[0], s.inStrip[1]
	if s.coarse() {
		return s.locateCoarse(item, x, y)
	}
	s.set(varX, s.Add(s.corner[0], x))
	s.set(varY, s.Add(s.corner[1], y))
	if s.separate() {
		s.coverSamples(item, x, y)
		s.set(varSet, s.setOfCovers())
		return s.anyOfCovers()
	}
	if s.multi() {
		s.set(varSet, s.coveredSet(item, x, y))
		return s.Not(b.Cmp(ir.Eq, s.get(varSet), b.Const(s.setType(), 0)))
	}
	if s.key.Packed {
		return s.packed
	}
	bit, word := s.inMask(x, y), bits
	switch {
	case bits == 0:
		bit, word = s.maskBit(item, x, y, 8)
	case !s.swizzled:
		bit = s.BuiltIn(ir.LocalInvocationIndex) // the same index; engines know its value for each lane
	}
	bit = b.Op(ir.Shl, ir.I32, b.I32(1), bit) // invariant in the strip loop
	return b.Cmp(ir.Eq, s.And(word, bit), bit)
}

// quad reports whether any invocation of the quad is covered. Each step combines a lane with its
// neighbour: across 1 horizontally, across 2 vertically.
func (s *shader) quad(covered ir.V) ir.V {
	b := s.B
	any := b.Op(ir.ZExt, ir.I32, covered)
	for across := range uint64(2) {
		any = b.Op(ir.Or, ir.I32, any, b.OpAux(ir.QuadSwap, ir.I32, across+1, any))
	}
	return b.Cmp(ir.Eq, any, b.I32(1))
}
