package draw

import (
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
	varX                            // i32: the pixel
	varY
	varDX // f32: the spot where inputs are interpolated, from the primitive's reference
	varDY
	varP1 // f32: the weights there in perspective
	varP2
	varL1 // and without
	varL2
	numFragmentVars
)

var fragmentVarTypes = [numFragmentVars]ir.Type{
	varPrimitive: ir.I32, varX: ir.I32, varY: ir.I32, varDX: ir.F32, varDY: ir.F32,
	varP1: ir.F32, varP2: ir.F32, varL1: ir.F32, varL2: ir.F32,
}

// fragmentShader writes a fragment program as a compute program: a workgroup is an
// item of raster's, an invocation a pixel of its block. Behind the program's own code
// stands what becomes of its outputs.
type fragmentShader struct {
	*weaver
	key  *fragmentKey
	rec  *record
	vars [numFragmentVars]int // their variables, from 1

	swizzled bool // quads are lanes that follow each other
	helpers  bool // lanes that are not covered run
}

// fragmentProgram makes a compute program of a fragment program.
func fragmentProgram(from *ir.Program, key *fragmentKey, rec *record) (*ir.Program, error) {
	s := &fragmentShader{weaver: newWeaver(from), key: key, rec: rec}
	s.weaver.input = s.read
	s.p.StateEffects()
	s.helpers = s.p.Effects.Quads || s.reads(ir.QuadX) || s.reads(ir.QuadY)
	s.swizzled = s.helpers && (s.p.SubgroupSize < 2*raster.Block || s.p.Effects.GroupOps)
	if s.swizzled {
		s.p.LocalSize = [3]uint32{raster.Block * raster.Block, 1, 1}
	} else {
		s.p.LocalSize = [3]uint32{raster.Block, raster.Block, 1}
		if s.helpers {
			s.p.QuadRow = raster.Block
		}
	}
	return s.weave(s.around)
}

// reads reports whether the fragment program has an input of the semantic.
func (s *fragmentShader) reads(x ir.Semantic) bool {
	for _, in := range s.from.In {
		if in.Semantic == x {
			return true
		}
	}
	return false
}

// interpolates reports whether it has an input of the interpolation.
func (s *fragmentShader) interpolates(i ir.Interpolation) bool {
	for _, in := range s.from.In {
		if in.Semantic == ir.Location && in.Interpolation == i {
			return true
		}
	}
	return false
}

// get reads a variable of the fragment's.
func (s *fragmentShader) get(v fragmentVar) ir.V {
	return s.b.OpAux(ir.PLd, fragmentVarTypes[v], s.variable(v), s.b.I32(0))
}

// set writes one.
func (s *fragmentShader) set(v fragmentVar, x ir.V) {
	s.b.Emit(ir.Val{Op: ir.PSt, Type: fragmentVarTypes[v], Args: [4]ir.V{s.b.I32(0), x}, Aux: s.variable(v)})
}

func (s *fragmentShader) variable(v fragmentVar) uint64 {
	if s.vars[v] == 0 {
		s.p.Vars = append(s.p.Vars, ir.Var{Name: "fragment", Slots: 1, Func: -1})
		s.vars[v] = len(s.p.Vars)
	}
	return uint64(s.vars[v] - 1)
}

// around writes the entry point around the stage's own code.
func (s *fragmentShader) around(body func()) {
	b := s.b
	covered := s.locate()
	if s.helpers {
		b.If(s.quad(covered))
		b.If(b.Op(ir.Not, ir.B1, covered))
		b.OpAux(ir.Demote, 0, 0)
		b.End()
	} else {
		b.If(covered)
	}
	s.spots()
	body()
	s.leave()
	b.End()
}

// itemBytes is the size of an item in memory.
func (s *fragmentShader) itemBytes() uint64 { return 8 * uint64(raster.ItemWords(int(s.key.samples))) }

// locate finds the pixel of the invocation and reports whether it is covered.
func (s *fragmentShader) locate() ir.V {
	b := s.b
	item := b.OpAux(ir.At, ir.I32, s.itemBytes(), b.I32(0), s.id(ir.WorkgroupIdX))
	h := s.handle(ir.StorageBuffer, bindItems, false)
	s.set(varPrimitive, b.OpAux(ir.At, ir.I32, 4*raster.PrimitiveWords, b.I32(0), s.load(ir.I32, h, item, 0)))
	corner := s.load(ir.I32, h, item, 4)
	x, y := s.local()
	s.set(varX, b.Op(ir.Add, ir.I32, b.Op(ir.And, ir.I32, corner, b.I32(0xffff)), x))
	s.set(varY, b.Op(ir.Add, ir.I32, b.Op(ir.LShr, ir.I32, corner, b.I32(16)), y))

	bit := b.Op(ir.Add, ir.I32, b.Op(ir.Mul, ir.I32, b.Op(ir.And, ir.I32, y, b.I32(3)), b.I32(raster.Block)), x)
	half := b.Select(b.Cmp(ir.ULt, y, b.I32(4)), s.load(ir.I32, h, item, 8), s.load(ir.I32, h, item, 12))
	one := b.Op(ir.And, ir.I32, b.Op(ir.LShr, ir.I32, half, bit), b.I32(1))
	return b.Cmp(ir.Eq, one, b.I32(1))
}

// local is the place of the invocation in its block.
func (s *fragmentShader) local() (x, y ir.V) {
	if !s.swizzled {
		return s.id(ir.LocalInvocationIdX), s.id(ir.LocalInvocationIdY)
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
	at := s.center()
	s.set(varDX, at.dx)
	s.set(varDY, at.dy)
	if s.interpolates(ir.Perspective) || s.reads(ir.BaryCoord) {
		w := s.perspective(at)
		s.set(varP1, w.b1)
		s.set(varP2, w.b2)
	}
	if s.interpolates(ir.Linear) || s.reads(ir.BaryCoordNoPersp) || s.reads(ir.PointCoord) {
		w := s.linear(at)
		s.set(varL1, w.b1)
		s.set(varL2, w.b2)
	}
}

// middle is the middle of a pixel along an axis, in pixels.
func (s *fragmentShader) middle(v fragmentVar) ir.V {
	return s.b.Op(ir.FAdd, ir.F32, s.b.Op(ir.UToF, ir.F32, s.get(v)), s.num(0.5))
}

// center is the middle of the pixel as a spot: exact, for both have at most 8 bits
// below the pixel.
func (s *fragmentShader) center() spot {
	b := s.b
	return spot{
		b.Op(ir.FSub, ir.F32, s.middle(varX), s.primitiveWord(ir.F32, primitiveX)),
		b.Op(ir.FSub, ir.F32, s.middle(varY), s.primitiveWord(ir.F32, primitiveY)),
	}
}

// here is the spot where inputs are interpolated.
func (s *fragmentShader) here() spot { return spot{s.get(varDX), s.get(varDY)} }

// read writes what an input of a fragment program is.
func (s *fragmentShader) read(in ir.Input) ir.V {
	b := s.b
	switch in.Semantic {
	case ir.Location:
		return s.location(in)
	case ir.FragCoord:
		return s.fragCoord(in.Index)
	case ir.FrontFacing:
		return b.Op(ir.ZExt, ir.I32, s.flagged(flagFront))
	case ir.PrimitiveId:
		return s.primitiveWord(ir.I32, primitiveID)
	case ir.Layer:
		return s.primitiveWord(ir.I32, primitiveLayer)
	case ir.ViewportIndex:
		return s.primitiveWord(ir.I32, primitiveViewport)
	case ir.QuadX, ir.QuadY:
		x, y := s.local()
		if in.Semantic == ir.QuadY {
			x = y
		}
		return b.Op(ir.And, ir.I32, x, b.I32(1))
	}
	if in.Semantic.Engine() {
		return 0
	}
	s.unsupported("input %s of a fragment program", in.Semantic)
	return s.zero(in.Type)
}

// location writes what a component of an input from the stage before is.
func (s *fragmentShader) location(in ir.Input) ir.V {
	switch {
	case in.Interpolation == ir.Linear && in.Type.IsFloat():
		return s.interpolated(in, weights{s.get(varL1), s.get(varL2)})
	case in.Interpolation == ir.Perspective && in.Type.IsFloat():
		return s.interpolated(in, weights{s.get(varP1), s.get(varP2)})
	}
	return s.flat(in)
}

// fragCoord writes a component of FragCoord.
func (s *fragmentShader) fragCoord(i uint32) ir.V {
	switch i {
	case 0:
		return s.middle(varX)
	case 1:
		return s.middle(varY)
	case 2:
		return s.plane(primitiveZ, s.here())
	}
	return s.plane(primitiveW, s.here())
}
