package draw

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/raster"
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
	varSet    // the samples that are covered (setType)
	varPassed // those that have passed the tests
	varBefore // those that were covered before the tests
	varSizeX  // i32, of coarse fragments: the logarithms of the fragment's pixels along the axes
	varSizeY
	numFragmentVars
)

// fragmentShader writes a fragment program as a compute program: a workgroup is an
// item of raster's, an invocation a pixel of its block, or one after the other of each
// strip of the block. Behind the program's own code stands what becomes of its outputs.
type fragmentShader struct {
	*weaver
	key  *fragmentKey
	rec  *record
	vars [numFragmentVars]int // their variables, from 1

	table    int  // number of the table of sample positions, from 1
	swizzled bool // quads are lanes that follow each other
	helpers  bool // lanes that are not covered run
	strip    strip

	corner, inStrip [2]ir.V // in the entry point: of the strip's first pixel, and of the pixel from there
	below           ir.V    // how many blocks below the item's are like it
}

// fragmentProgram makes a compute program of a fragment program.
func fragmentProgram(from *ir.Program, key *fragmentKey, rec *record) (*ir.Program, error) {
	s := &fragmentShader{weaver: newWeaver(from), key: key, rec: rec}
	s.input, s.inputAt, s.interp = s.read, s.vertexInput, s.interpolatedAt
	s.p.StateEffects()
	// A program that reads values of lanes that it names may read those of its quad.
	s.helpers = s.p.Effects.Quads || s.reads(ir.QuadX) || s.reads(ir.QuadY) || from.Modes.Has(ir.FullQuads) || s.does(ir.Shuf)
	s.swizzled = s.helpers && s.p.SubgroupSize < 2*raster.Block || s.p.Effects.GroupOps || s.reads(ir.SubgroupLocalInvocationId) || s.coarse()
	s.strip.rows = s.rows()
	if s.swizzled {
		s.p.LocalSize = [3]uint32{raster.Block * s.strip.rows, 1, 1}
	} else {
		s.p.LocalSize = [3]uint32{raster.Block, s.strip.rows, 1}
		if s.helpers {
			s.p.QuadRow = raster.Block
		}
	}
	return s.weave(s.around)
}

// reads reports whether the fragment program has an input of the semantic.
func (s *fragmentShader) reads(x ir.Semantic) bool { return hasInput(s.from, x) }

// hasInput reports whether a program has an input of the semantic.
func hasInput(p *ir.Program, x ir.Semantic) bool {
	return slices.ContainsFunc(p.In, func(in ir.Input) bool { return in.Semantic == x })
}

// does reports whether the program has an operation.
func (s *fragmentShader) does(op ir.Op) bool {
	for _, f := range s.from.Funcs {
		if slices.ContainsFunc(f.Code, func(v ir.V) bool { return f.Val(v).Op == op }) {
			return true
		}
	}
	return false
}

// interpolates reports whether it has an input that is made with the weights of the
// interpolation at the place.
func (s *fragmentShader) interpolates(i ir.Interpolation, p ir.Sampling) bool {
	return slices.ContainsFunc(s.from.In, func(in ir.Input) bool { return weighing(in) == i && s.placeOf(in) == p })
}

// weighing is the interpolation with whose weights an input is made, Flat where it is
// with none.
func weighing(in ir.Input) ir.Interpolation {
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
func (s *fragmentShader) placeOf(in ir.Input) ir.Sampling {
	if in.Sampling == ir.Centroid && s.multi() {
		return ir.Centroid
	}
	return ir.Center
}

// centroids reports whether it has an input at the centroid.
func (s *fragmentShader) centroids() bool {
	return s.interpolates(ir.Perspective, ir.Centroid) || s.interpolates(ir.Linear, ir.Centroid)
}

// get reads a variable of the fragment's.
func (s *fragmentShader) get(v fragmentVar) ir.V {
	return s.b.OpAux(ir.PLd, s.varType(v), s.variable(v), s.b.I32(0))
}

// set writes one.
func (s *fragmentShader) set(v fragmentVar, x ir.V) {
	s.b.Emit(ir.Val{Op: ir.PSt, Type: s.varType(v), Args: [4]ir.V{s.b.I32(0), x}, Aux: s.variable(v)})
}

func (s *fragmentShader) varType(v fragmentVar) ir.Type {
	switch v {
	case varPrimitive, varRecords, varX, varY, varSizeX, varSizeY:
		return ir.I32
	case varSet, varPassed, varBefore:
		return s.setType()
	}
	return ir.F32
}

func (s *fragmentShader) variable(v fragmentVar) uint64 {
	if s.vars[v] == 0 {
		s.p.Vars = append(s.p.Vars, ir.Var{Name: "fragment", Slots: s.varType(v).Slots(), Func: -1})
		s.vars[v] = len(s.p.Vars)
	}
	return uint64(s.vars[v] - 1)
}

// around writes the entry point around the stage's own code.
func (s *fragmentShader) around(body func()) {
	item := s.block()
	if s.looped() {
		s.eachStrip(item, func(bits ir.V) { s.fragment(item, bits, body) })
	} else {
		s.fragment(item, 0, body)
	}
}

// fragment writes what is done for the pixels of a block or a strip of one.
func (s *fragmentShader) fragment(item, bits ir.V, body func()) {
	b := s.b
	covered := s.locate(item, bits)
	early := s.earlyTests()
	if early && (s.key.test.any() || s.key.counts) {
		covered = s.tested(covered)
	}
	if s.earlyAndLate() {
		covered = s.hopeful(covered)
	}
	if s.helpers {
		b.If(s.quad(covered))
	} else {
		b.If(covered)
	}
	// In a loop nobody becomes a helper: what others must not do with them is kept from them.
	apart := s.helpers && s.looped()
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
	if s.key.invocations {
		real(s.invoked)
	}
	if s.looped() {
		s.ended = b.Block()
	}
	s.spots()
	body()
	real(func() { s.leave(early) })
	if s.looped() {
		b.End()
	}
	b.End()
}

// tested writes the tests before the fragment program and reports what is covered
// behind them.
func (s *fragmentShader) tested(covered ir.V) ir.V {
	b := s.b
	merge := b.Block(ir.B1)
	b.If(covered)
	if s.multi() {
		t := s.setType()
		if s.reads(ir.SampleMask) && !s.from.Modes.Has(ir.PostDepthCoverage) {
			s.set(varBefore, s.get(varSet))
		}
		s.set(varPassed, b.Const(t, 0))
		s.forSamples(func(n ir.V) {
			s.test(n, func() { s.set(varPassed, b.Op(ir.Or, t, s.get(varPassed), s.only(n))) })
		})
		s.set(varSet, s.get(varPassed))
		b.Br(merge, s.not(b.Cmp(ir.Eq, s.get(varPassed), b.Const(t, 0))))
	} else if s.key.test.any() {
		s.testAnd(s.sample(), func() {}, func(pass ir.V) { b.Br(merge, pass) })
		if s.key.test.bounds {
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
func (s *fragmentShader) itemBytes() uint64 {
	return 8 * uint64(raster.ItemWords(int(s.key.samples), s.key.inner))
}

// block finds the item of the workgroup, and what is known of it before its pixels are.
func (s *fragmentShader) block() (item ir.V) {
	b := s.b
	item = s.nth(s.item(), s.itemBytes())
	h := s.handle(ir.StorageBuffer, bindItems, false)
	number := s.own(ir.I32, h, item, 0)
	s.set(varPrimitive, s.nth(number, 4*raster.PrimitiveWords))
	s.set(varRecords, s.nth(number, 3*uint64(s.rec.kept())))
	corner := s.own(ir.I32, h, item, 4)
	s.corner = [2]ir.V{s.and(corner, b.I32(0xffff)), b.Op(ir.LShr, ir.I32, corner, b.I32(16))}
	if s.looped() {
		high := func(i int) ir.V { return b.Op(ir.LShr, ir.I32, s.corner[i], b.I32(raster.RunShift)) }
		s.below = s.or(high(0), b.Op(ir.Shl, ir.I32, high(1), b.I32(2)))
		for i := range s.corner {
			s.corner[i] = s.and(s.corner[i], b.I32(raster.RunArea-1))
		}
	}
	if s.coarse() {
		s.sizes()
	}
	s.inStrip[0], s.inStrip[1] = s.local()
	if s.key.perSample {
		item = s.add(item, s.nth(s.sample(), 8))
	}
	return item
}

// locate finds the pixel of the invocation and reports whether it is covered. bits are
// those of the strip in the mask of the item, where there is one mask and a strip.
func (s *fragmentShader) locate(item, bits ir.V) ir.V {
	b := s.b
	x, y := s.inStrip[0], s.inStrip[1]
	if s.coarse() {
		return s.locateCoarse(item, x, y)
	}
	s.set(varX, s.add(s.corner[0], x))
	s.set(varY, s.add(s.corner[1], y))
	if s.multi() {
		s.set(varSet, s.coveredSet(item, x, y))
		return s.not(b.Cmp(ir.Eq, s.get(varSet), b.Const(s.setType(), 0)))
	}
	bit, word := s.inMask(x, y), bits
	switch {
	case bits == 0:
		bit, word = s.maskBit(item, x, y, 8)
	case !s.swizzled:
		bit = s.id(ir.LocalInvocationIndex) // the same, and engines know which lane has which
	}
	bit = b.Op(ir.Shl, ir.I32, b.I32(1), bit) // the same for all items
	return b.Cmp(ir.Eq, s.and(word, bit), bit)
}

// local is the place of the invocation in its block, or strip.
func (s *fragmentShader) local() (x, y ir.V) {
	if !s.swizzled {
		return s.id(ir.LocalInvocationIdX), s.id(ir.LocalInvocationIdY)
	}
	if s.coarse() {
		return s.coarseLocal()
	}
	b, lane := s.b, s.id(ir.LocalInvocationIndex)
	part := func(shift, mask uint32) ir.V {
		return b.Op(ir.And, ir.I32, b.Op(ir.LShr, ir.I32, lane, b.I32(shift)), b.I32(mask))
	}
	twice := func(v ir.V) ir.V { return b.Op(ir.Shl, ir.I32, v, b.I32(1)) }
	x = b.Op(ir.Or, ir.I32, twice(part(2, 3)), part(0, 1))
	y = b.Op(ir.Or, ir.I32, twice(part(4, 3)), part(1, 1))
	return x, y
}

// quad reports whether any invocation of the quad is covered.
func (s *fragmentShader) quad(covered ir.V) ir.V {
	b := s.b
	any := b.Op(ir.ZExt, ir.I32, covered)
	for across := range uint64(2) {
		any = b.Op(ir.Or, ir.I32, any, b.OpAux(ir.QuadSwap, ir.I32, across+1, any))
	}
	return b.Cmp(ir.Eq, any, b.I32(1))
}

// spots leaves where inputs are interpolated, and the weights there.
func (s *fragmentShader) spots() {
	at := s.middleOfPixel()
	if s.key.perSample {
		at = s.spotOf(s.sample())
	}
	s.setSpot(varDX, at)
	s.setWeights(varDX, ir.Center, at)
	if s.multi() && s.centroids() {
		at = s.centroid()
		s.setSpot(varCX, at)
		s.setWeights(varCX, ir.Centroid, at)
	}
}

// setSpot leaves a spot in two variables.
func (s *fragmentShader) setSpot(v fragmentVar, at spot) {
	s.set(v, at.dx)
	s.set(v+1, at.dy)
}

// setWeights leaves the weights at a spot in the variables behind it, those that
// inputs need.
func (s *fragmentShader) setWeights(v fragmentVar, p ir.Sampling, at spot) {
	if s.interpolates(ir.Perspective, p) {
		s.setPair(v+2, s.perspective(at))
	}
	if s.interpolates(ir.Linear, p) {
		s.setPair(v+4, s.linear(at))
	}
}

func (s *fragmentShader) setPair(v fragmentVar, w weights) {
	s.set(v, w.b1)
	s.set(v+1, w.b2)
}

// middle is the middle of the fragment along an axis, in pixels.
func (s *fragmentShader) middle(v fragmentVar) ir.V {
	half := s.num(0.5)
	if s.coarse() {
		half = s.fmul(half, s.toFloat(s.size(uint32(v-varX))))
	}
	return s.fadd(s.toFloat(s.get(v)), half)
}

// toFloat makes a float of a number of pixels, which fits an integer with a sign:
// machines have an instruction for those.
func (s *fragmentShader) toFloat(pixels ir.V) ir.V { return s.b.Op(ir.SToF, ir.F32, pixels) }

// center is the middle of the fragment as a spot: exact, for both have at most 8 bits
// below the pixel.
func (s *fragmentShader) center() spot {
	b := s.b
	return spot{
		b.Op(ir.FSub, ir.F32, s.middle(varX), s.primitiveWord(ir.F32, primitiveX)),
		b.Op(ir.FSub, ir.F32, s.middle(varY), s.primitiveWord(ir.F32, primitiveY)),
	}
}

// middleOfPixel is center in the entry point: the same, for all of it is exact, with
// but one sum that is not the same for all pixels of a block, or for all items. Strips
// of a block step from one to the next.
func (s *fragmentShader) middleOfPixel() spot {
	switch {
	case s.coarse():
		return s.center()
	case s.inStrips():
		return spot{s.middleAlong(0), s.strip.dy}
	}
	return spot{s.middleAlong(0), s.middleAlong(1)}
}

// middleAlong is one axis of middleOfPixel, of the item's corner.
func (s *fragmentShader) middleAlong(axis int) ir.V {
	middle := s.fadd(s.toFloat(s.inStrip[axis]), s.num(0.5))
	return s.fadd(middle, s.fsub(s.toFloat(s.corner[axis]), s.primitiveWord(ir.F32, primitiveX+uint32(axis))))
}

// here is the spot where inputs are interpolated.
func (s *fragmentShader) here() spot { return spot{s.get(varDX), s.get(varDY)} }

// read writes what an input of a fragment program is.
func (s *fragmentShader) read(in ir.Input) ir.V {
	b := s.b
	switch in.Semantic {
	case ir.Location:
		return s.location(in)
	case ir.ClipDistance, ir.CullDistance:
		in.Interpolation = ir.Perspective
		return s.interpolated(in, s.perspective(s.here()))
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
		return s.and(v, b.I32(MaxViewports-1))
	case ir.ViewIndex:
		return s.params(ir.I32, fragmentView)
	case ir.PointCoord:
		return s.get(varL1 + fragmentVar(in.Index))
	case ir.BaryCoord:
		return s.weight(s.spotOfInput(in)+2, in.Index)
	case ir.BaryCoordNoPersp:
		return s.weight(s.spotOfInput(in)+4, in.Index)
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
		if s.key.perSample {
			return b.I32(s.key.samples)
		}
		return b.I32(1)
	case ir.ShadingRate:
		return s.shadingRate()
	case ir.QuadX, ir.QuadY:
		x, y := s.local()
		if in.Semantic == ir.QuadY {
			x = y
		}
		return s.and(x, b.I32(1))
	}
	if in.Semantic.Engine() {
		return 0
	}
	s.unsupported("input %s of a fragment program", in.Semantic)
	return s.zero(in.Type)
}

// weight is the weight of vertex i, those of the second and the third standing in
// variables.
func (s *fragmentShader) weight(v fragmentVar, i uint32) ir.V {
	return s.vertexWeight(i, weights{s.get(v), s.get(v + 1)})
}

// maskIn is a word of the mask of samples that the invocation stands for: those that
// the primitive covers, unless the program wants those that passed the tests before it.
func (s *fragmentShader) maskIn(word uint32) ir.V {
	set := s.shadedSet()
	if s.vars[varBefore] != 0 {
		set = s.get(varBefore)
	}
	switch {
	case s.setType() == ir.I64:
		set = s.b.Op(ir.LShr, ir.I64, set, s.b.Const(ir.I64, uint64(32*word)))
		return s.b.Op(ir.Trunc, ir.I32, set)
	case word > 0:
		return s.b.I32(0)
	}
	return set
}

// location writes what a component of an input from the stage before is.
func (s *fragmentShader) location(in ir.Input) ir.V {
	at := s.spotOfInput(in)
	switch {
	case in.Type != ir.F32 && in.Type != ir.F16:
	case in.Interpolation == ir.Perspective:
		return s.interpolated(in, weights{s.get(at + 2), s.get(at + 3)})
	case in.Interpolation == ir.Linear:
		return s.interpolated(in, weights{s.get(at + 4), s.get(at + 5)})
	}
	return s.flat(in)
}

// spotOfInput is where the variables begin that say where an input is interpolated.
func (s *fragmentShader) spotOfInput(in ir.Input) fragmentVar {
	if s.placeOf(in) == ir.Centroid {
		return varCX
	}
	return varDX
}

// fragCoord writes a component of FragCoord: where the invocation is for a sample,
// that of the sample.
func (s *fragmentShader) fragCoord(i uint32) ir.V {
	switch {
	case i == 2:
		return s.plane(primitiveZ, s.here())
	case i == 3:
		return s.plane(primitiveW, s.here())
	case s.key.perSample:
		return s.fadd(s.toFloat(s.get(varX+fragmentVar(i))), s.position(s.sample(), i))
	}
	return s.middle(varX + fragmentVar(i))
}
