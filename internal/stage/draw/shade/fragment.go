package shade

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/stage/compose"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/layout"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// What raster says of a primitive (raster.Primitive.Flags).
const (
	flagFront       = raster.FrontFacing
	flagPerspective = raster.Perspective
	flagPoint       = raster.IsPoint
)

// fragmentVar is what the code before a fragment program leaves for the program's
// functions and the code behind it.
type fragmentVar int

const (
	varPrimitive fragmentVar = iota // i32: where the primitive stands, in bytes
	varRecords                      // i32: where the records of its vertices do
	varX                            // i32: the pixel
	varY
	varDX // f32: the spot where inputs are interpolated, from the primitive's reference
	varDY
	varP1 // f32: the weights there in perspective
	varP2
	varL1 // and without
	varL2
	varCX // f32: the same at the centroid
	varCY
	varCP1
	varCP2
	varCL1
	varCL2
	varSet      // the samples that are covered (setType)
	varPassed   // those that have passed the tests
	varEarlySet // those that were covered before the tests
	varSizeX    // i32, of coarse fragments: the logarithms of the fragment's pixels along the axes
	varSizeY
	numFragmentVars
)

// shader writes a fragment program as a compute program: a workgroup is an
// item of raster's, an invocation a pixel of its block, or one after the other of each
// strip of the block. Behind the program's own code stands what becomes of its outputs.
type shader struct {
	*compose.Builder
	key  *Key
	rec  *layout.Record
	vars [numFragmentVars]int // their variables, from 1

	positionTable int  // number of the table of sample positions, from 1
	swizzled      bool // quads are lanes that follow each other
	helpers       bool // lanes that are not covered run
	strip         strip

	corner, inStrip [2]ir.V // in the entry point: of the strip's first pixel, and of the pixel from there
	below           ir.V    // how many blocks below the item's are like it
}

// Program makes a compute program of a fragment program.
func Program(from *ir.Program, key *Key, rec *layout.Record) (*ir.Program, error) {
	s := &shader{Builder: compose.New("draw", from), key: key, rec: rec}
	s.Input, s.InputAt, s.Interp = s.readInput, s.vertexInput, s.interpolatedAt
	s.Program.StateEffects()
	// A program that reads values of lanes that it names may read those of its quad.
	s.helpers = s.Program.Effects.Quads || s.hasInput(ir.QuadX) || s.hasInput(ir.QuadY) || from.Modes.Has(ir.FullQuads) || s.hasOp(ir.Shuf)
	s.swizzled = s.helpers && s.Program.SubgroupSize < 2*raster.Block || s.Program.Effects.GroupOps || s.hasInput(ir.SubgroupLocalInvocationId) || s.coarse()
	s.strip.rows = s.stripRows()
	if s.swizzled {
		s.Program.LocalSize = [3]uint32{raster.Block * s.strip.rows, 1, 1}
	} else {
		s.Program.LocalSize = [3]uint32{raster.Block, s.strip.rows, 1}
		if s.helpers {
			s.Program.QuadRow = raster.Block
		}
	}
	return s.Build(s.entryPoint)
}

// hasInput reports whether the fragment program has an input of the semantic.
func (s *shader) hasInput(x ir.Semantic) bool { return HasInput(s.From, x) }

// hasOp reports whether the program has an operation.
func (s *shader) hasOp(op ir.Op) bool {
	for _, f := range s.From.Funcs {
		if slices.ContainsFunc(f.Code, func(v ir.V) bool { return f.Val(v).Op == op }) {
			return true
		}
	}
	return false
}

// interpolates reports whether it has an input that is made with the weights of the
// interpolation at the place.
func (s *shader) interpolates(i ir.Interpolation, p ir.Sampling) bool {
	return slices.ContainsFunc(s.From.In, func(in ir.Input) bool { return weightsOf(in) == i && s.placeOf(in) == p })
}

// weightsOf is the interpolation with whose weights an input is made, Flat where it is
// with none.
func weightsOf(in ir.Input) ir.Interpolation {
	switch in.Semantic {
	case ir.Location:
		return in.Interpolation
	case ir.BaryCoord:
		return ir.Perspective
	case ir.BaryCoordNoPersp, ir.PointCoord:
		return ir.Linear
	}
	return ir.Flat
}

// placeOf is where an input is interpolated: at the sample, or the middle of the pixel
// (Center), unless there are several samples and it is the centroid.
func (s *shader) placeOf(in ir.Input) ir.Sampling {
	if in.Sampling == ir.Centroid && s.multi() {
		return ir.Centroid
	}
	return ir.Center
}

// centroids reports whether it has an input at the centroid.
func (s *shader) centroids() bool {
	return s.interpolates(ir.Perspective, ir.Centroid) || s.interpolates(ir.Linear, ir.Centroid)
}

// get reads a variable of the fragment's.
func (s *shader) get(v fragmentVar) ir.V {
	return s.B.OpAux(ir.PLd, s.varType(v), s.variable(v), s.B.I32(0))
}

// set writes one.
func (s *shader) set(v fragmentVar, x ir.V) {
	s.B.Emit(ir.Val{Op: ir.PSt, Type: s.varType(v), Args: [4]ir.V{s.B.I32(0), x}, Aux: s.variable(v)})
}

func (s *shader) varType(v fragmentVar) ir.Type {
	switch v {
	case varPrimitive, varRecords, varX, varY, varSizeX, varSizeY:
		return ir.I32
	case varSet, varPassed, varEarlySet:
		return s.setType()
	}
	return ir.F32
}

func (s *shader) variable(v fragmentVar) uint64 {
	if s.vars[v] == 0 {
		s.Program.Vars = append(s.Program.Vars, ir.Var{Name: "fragment", Slots: s.varType(v).Slots(), Func: -1})
		s.vars[v] = len(s.Program.Vars)
	}
	return uint64(s.vars[v] - 1)
}

// entryPoint writes the entry point around the stage's own code.
func (s *shader) entryPoint(body func()) {
	item := s.loadItem()
	if s.walksStrips() {
		s.forStrips(item, func(bits ir.V) { s.fragment(item, bits, body) })
	} else {
		s.fragment(item, 0, body)
	}
}

// fragment writes what is done for the pixels of a block or a strip of one.
func (s *shader) fragment(item, bits ir.V, body func()) {
	b := s.B
	covered := s.locatePixel(item, bits)
	early := s.earlyTests()
	if early && (s.key.Test.any() || s.key.CountSamples) {
		covered = s.runEarlyTests(covered)
	}
	if s.earlyAndLate() {
		covered = s.mayPass(covered)
	}
	if s.helpers {
		b.If(s.quad(covered))
	} else {
		b.If(covered)
	}
	// In a loop nobody becomes a helper: what others must not do with them is kept from them.
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
	body()
	real(func() { s.writeOutputs(early) })
	if s.walksStrips() {
		b.End()
	}
	b.End()
}

// runEarlyTests writes the tests before the fragment program and reports what is covered
// behind them.
func (s *shader) runEarlyTests(covered ir.V) ir.V {
	b := s.B
	merge := b.Block(ir.B1)
	b.If(covered)
	if s.multi() {
		t := s.setType()
		if s.hasInput(ir.SampleMask) && !s.From.Modes.Has(ir.PostDepthCoverage) {
			s.set(varEarlySet, s.get(varSet))
		}
		s.set(varPassed, b.Const(t, 0))
		s.forEachSample(func(n ir.V) {
			s.test(n, func() { s.set(varPassed, b.Op(ir.Or, t, s.get(varPassed), s.singleton(n))) })
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

// itemBytes is the size of an item in memory.
func (s *shader) itemBytes() uint64 {
	return 8 * uint64(raster.ItemWords(int(s.key.Samples), s.key.FullyCovered))
}

// loadItem finds the item of the workgroup, and what is known of it before its pixels are.
func (s *shader) loadItem() (item ir.V) {
	b := s.B
	item = s.Scaled(s.itemNumber(), s.itemBytes())
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

// locatePixel finds the pixel of the invocation and reports whether it is covered. bits are
// those of the strip in the mask of the item, where there is one mask and a strip.
func (s *shader) locatePixel(item, bits ir.V) ir.V {
	b := s.B
	x, y := s.inStrip[0], s.inStrip[1]
	if s.coarse() {
		return s.locateCoarse(item, x, y)
	}
	s.set(varX, s.Add(s.corner[0], x))
	s.set(varY, s.Add(s.corner[1], y))
	if s.multi() {
		s.set(varSet, s.coveredSet(item, x, y))
		return s.Not(b.Cmp(ir.Eq, s.get(varSet), b.Const(s.setType(), 0)))
	}
	bit, word := s.inMask(x, y), bits
	switch {
	case bits == 0:
		bit, word = s.maskBit(item, x, y, 8)
	case !s.swizzled:
		bit = s.BuiltIn(ir.LocalInvocationIndex) // the same, and engines know which lane has which
	}
	bit = b.Op(ir.Shl, ir.I32, b.I32(1), bit) // the same for all items
	return b.Cmp(ir.Eq, s.And(word, bit), bit)
}

// localPixel is the place of the invocation in its block, or strip.
func (s *shader) localPixel() (x, y ir.V) {
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

// quad reports whether any invocation of the quad is covered.
func (s *shader) quad(covered ir.V) ir.V {
	b := s.B
	any := b.Op(ir.ZExt, ir.I32, covered)
	for across := range uint64(2) {
		any = b.Op(ir.Or, ir.I32, any, b.OpAux(ir.QuadSwap, ir.I32, across+1, any))
	}
	return b.Cmp(ir.Eq, any, b.I32(1))
}

// setPoints leaves where inputs are interpolated, and the weights there.
func (s *shader) setPoints() {
	at := s.entryCenter()
	if s.key.PerSample {
		at = s.samplePoint(s.sample())
	}
	s.setPoint(varDX, at)
	s.setWeights(varDX, ir.Center, at)
	if s.multi() && s.centroids() {
		at = s.centroid()
		s.setPoint(varCX, at)
		s.setWeights(varCX, ir.Centroid, at)
	}
}

// setPoint leaves a spot in two variables.
func (s *shader) setPoint(v fragmentVar, at point) {
	s.set(v, at.dx)
	s.set(v+1, at.dy)
}

// setWeights leaves the weights at a spot in the variables behind it, those that
// inputs need.
func (s *shader) setWeights(v fragmentVar, p ir.Sampling, at point) {
	if s.interpolates(ir.Perspective, p) {
		s.setPair(v+2, s.perspective(at))
	}
	if s.interpolates(ir.Linear, p) {
		s.setPair(v+4, s.linear(at))
	}
}

func (s *shader) setPair(v fragmentVar, w weights) {
	s.set(v, w.b1)
	s.set(v+1, w.b2)
}

// pixelCenter is the middle of the fragment along an axis, in pixels.
func (s *shader) pixelCenter(v fragmentVar) ir.V {
	half := s.Float(0.5)
	if s.coarse() {
		half = s.FMul(half, s.toFloat(s.size(uint32(v-varX))))
	}
	return s.FAdd(s.toFloat(s.get(v)), half)
}

// toFloat makes a float of a number of pixels, which fits an integer with a sign:
// machines have an instruction for those.
func (s *shader) toFloat(pixels ir.V) ir.V { return s.B.Op(ir.SToF, ir.F32, pixels) }

// centerPoint is the middle of the fragment as a spot: exact, for both have at most 8 bits
// below the pixel.
func (s *shader) centerPoint() point {
	b := s.B
	return point{
		b.Op(ir.FSub, ir.F32, s.pixelCenter(varX), s.primitiveWord(ir.F32, primitiveX)),
		b.Op(ir.FSub, ir.F32, s.pixelCenter(varY), s.primitiveWord(ir.F32, primitiveY)),
	}
}

// entryCenter is center in the entry point: the same, for all of it is exact, with
// but one sum that is not the same for all pixels of a block, or for all items. Strips
// of a block step from one to the next.
func (s *shader) entryCenter() point {
	switch {
	case s.coarse():
		return s.centerPoint()
	case s.inStrips():
		return point{s.centerAlong(0), s.strip.dy}
	}
	return point{s.centerAlong(0), s.centerAlong(1)}
}

// centerAlong is one axis of middleOfPixel, of the item's corner.
func (s *shader) centerAlong(axis int) ir.V {
	middle := s.FAdd(s.toFloat(s.inStrip[axis]), s.Float(0.5))
	return s.FAdd(middle, s.FSub(s.toFloat(s.corner[axis]), s.primitiveWord(ir.F32, primitiveX+uint32(axis))))
}

// shadedPoint is the spot where inputs are interpolated.
func (s *shader) shadedPoint() point { return point{s.get(varDX), s.get(varDY)} }

// readInput writes what an input of a fragment program is.
func (s *shader) readInput(in ir.Input) ir.V {
	b := s.B
	switch in.Semantic {
	case ir.Location:
		return s.location(in)
	case ir.ClipDistance, ir.CullDistance:
		in.Interpolation = ir.Perspective
		return s.interpolated(in, s.perspective(s.shadedPoint()))
	case ir.FragCoord:
		return s.fragCoord(in.Index)
	case ir.FrontFacing:
		return b.Op(ir.ZExt, ir.I32, s.flagged(flagFront))
	case ir.PrimitiveId:
		return s.primitiveWord(ir.I32, primitiveID)
	case ir.Layer:
		return s.primitiveWord(ir.I32, primitiveLayer)
	case ir.FramebufferLayer:
		return s.layer()
	case ir.ViewportIndex:
		v := b.Op(ir.LShr, ir.I32, s.primitiveWord(ir.I32, primitiveFlags), b.I32(raster.ViewportShift))
		return s.And(v, b.I32(state.MaxViewports-1))
	case ir.ViewIndex:
		return s.param(ir.I32, layout.FragmentView)
	case ir.PointCoord:
		return s.get(varL1 + fragmentVar(in.Index))
	case ir.BaryCoord:
		return s.weightFrom(s.inputPoint(in)+2, in.Index)
	case ir.BaryCoordNoPersp:
		return s.weightFrom(s.inputPoint(in)+4, in.Index)
	case ir.SampleId:
		return s.sample()
	case ir.SamplePosition:
		return s.position(s.sample(), in.Index)
	case ir.SampleMask:
		return s.maskIn(in.Index)
	case ir.FullyCovered:
		return s.fullyCovered()
	case ir.FragSize:
		return s.size(in.Index)
	case ir.FragInvocationCount:
		if s.key.PerSample {
			return b.I32(s.key.Samples)
		}
		return b.I32(1)
	case ir.ShadingRate:
		return s.shadingRate()
	case ir.QuadX, ir.QuadY:
		x, y := s.localPixel()
		if in.Semantic == ir.QuadY {
			x = y
		}
		return s.And(x, b.I32(1))
	}
	if in.Semantic.Engine() {
		return 0
	}
	s.Unsupported("input %s of a fragment program", in.Semantic)
	return s.Zero(in.Type)
}

// weightFrom is the weight of vertex i, those of the second and the third standing in
// variables.
func (s *shader) weightFrom(v fragmentVar, i uint32) ir.V {
	return s.vertexWeight(i, weights{s.get(v), s.get(v + 1)})
}

// maskIn is a word of the mask of samples that the invocation stands for: those that
// the primitive covers, unless the program wants those that passed the tests before it.
func (s *shader) maskIn(word uint32) ir.V {
	set := s.shadedSamples()
	if s.vars[varEarlySet] != 0 {
		set = s.get(varEarlySet)
	}
	switch {
	case s.setType() == ir.I64:
		set = s.B.Op(ir.LShr, ir.I64, set, s.B.Const(ir.I64, uint64(32*word)))
		return s.B.Op(ir.Trunc, ir.I32, set)
	case word > 0:
		return s.B.I32(0)
	}
	return set
}

// location writes what a component of an input from the stage before is.
func (s *shader) location(in ir.Input) ir.V {
	at := s.inputPoint(in)
	switch {
	case in.Type != ir.F32 && in.Type != ir.F16:
	case in.Interpolation == ir.Perspective:
		return s.interpolated(in, weights{s.get(at + 2), s.get(at + 3)})
	case in.Interpolation == ir.Linear:
		return s.interpolated(in, weights{s.get(at + 4), s.get(at + 5)})
	}
	return s.flatInput(in)
}

// inputPoint is where the variables begin that say where an input is interpolated.
func (s *shader) inputPoint(in ir.Input) fragmentVar {
	if s.placeOf(in) == ir.Centroid {
		return varCX
	}
	return varDX
}

// fragCoord writes a component of FragCoord: where the invocation is for a sample,
// that of the sample.
func (s *shader) fragCoord(i uint32) ir.V {
	switch {
	case i == 2:
		return s.plane(primitiveZ, s.shadedPoint())
	case i == 3:
		return s.plane(primitiveW, s.shadedPoint())
	case s.key.PerSample:
		return s.FAdd(s.toFloat(s.get(varX+fragmentVar(i))), s.position(s.sample(), i))
	}
	return s.pixelCenter(varX + fragmentVar(i))
}
