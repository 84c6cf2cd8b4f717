package lower

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// Explicit interpolation (SPV_AMD_shader_explicit_vertex_parameter): barycentric
// coordinates at places of the fragment, and inputs of its vertices. The coordinates
// are a pair (I, J), the weights of vertices 1 and 2; vertex 0 has the rest.

// weightPair describes the inputs of one of the built-ins.
type weightPair struct {
	semantic ir.Semantic
	sampling ir.Sampling
	pull     bool // the reciprocals at the center of the pixel, after the reciprocal of W
}

var weightPairs = map[spirv.BuiltIn]weightPair{
	spirv.BuiltInBaryCoordNoPerspAMD:         {semantic: ir.BaryCoordNoPersp},
	spirv.BuiltInBaryCoordNoPerspCentroidAMD: {semantic: ir.BaryCoordNoPersp, sampling: ir.Centroid},
	spirv.BuiltInBaryCoordNoPerspSampleAMD:   {semantic: ir.BaryCoordNoPersp, sampling: ir.Sample},
	spirv.BuiltInBaryCoordSmoothAMD:          {semantic: ir.BaryCoord},
	spirv.BuiltInBaryCoordSmoothCentroidAMD:  {semantic: ir.BaryCoord, sampling: ir.Centroid},
	spirv.BuiltInBaryCoordSmoothSampleAMD:    {semantic: ir.BaryCoord, sampling: ir.Sample},
	spirv.BuiltInBaryCoordPullModelAMD:       {semantic: ir.BaryCoord, pull: true},
}

// assignPair assigns the components of such a built-in their semantics: a vertex has
// the number of its weight. A third component, which one of the built-ins has
// in Vulkan, is K (docs/undefined.md).
func (u *unit) assignPair(x *ioVariable, t *facts.Type, k spirv.BuiltIn, p weightPair, like ioScalar) {
	like.typ, like.known, like.sampling, like.interpolation = ir.F32, k, p.sampling, ir.Perspective
	for i, s := range u.flat(t) {
		if s != ir.F32 || i > 2 {
			u.malformed("the type of %s differs from its required type", k)
		}
		like.semantic, like.index = p.semantic, uint32(i+1)%3
		if p.pull {
			if like.index = uint32(i); i == 0 {
				like.semantic, like.index = ir.FragCoord, 3
			}
		}
		x.scalars = append(x.scalars, like)
	}
}

// ofPair reports whether the scalar is a component of one of these built-ins.
func (l *ioScalar) ofPair() bool {
	_, ok := weightPairs[l.known]
	return ok
}

// pairComponent reads one.
func (f *function) pairComponent(l *ioScalar) ir.V {
	n := f.inputNumber(l.input())
	if !weightPairs[l.known].pull {
		return f.b.OpAux(ir.In, ir.F32, n)
	}
	zero := f.b.Const(ir.F32, 0)
	v := f.b.OpAux(ir.Interp, ir.F32, n, zero, zero)
	if l.semantic != ir.FragCoord { // FragCoord.w is a reciprocal
		v = f.b.Op(ir.FDiv, ir.F32, f.b.Const(ir.F32, 0x3f800000), v)
	}
	return v
}

// interpolateAtVertex lowers InterpolateAtVertexAMD: an input as the stage before gave it
// for a vertex.
func interpolateAtVertex(f *function, in spirv.Inst) {
	if n := spirv.AMDShaderExplicitVertexParameterOp(inst.ExtInst(in).Instruction()); n != spirv.AMDShaderExplicitVertexParameterInterpolateAtVertexAMD {
		f.malformed("the instruction set does not have this instruction")
	}
	if len(in) < 7 {
		f.malformed("the input or the vertex is missing")
	}
	id := spirv.ID(in[5])
	if d := f.facts.Code.DefInst(id); d != nil && d.Op() == spirv.OpLoad { // compilers load the interpolant; its pointer is meant
		id = inst.Load(d).Pointer()
	}
	p := f.pointer(id)
	if p.memory != inInput || p.io == nil || f.prog.Stage != ir.Fragment {
		f.unsupported("of a pointer that is not an input of a fragment")
	}
	f.sameType(p, f.facts.Type(in.Type()))
	vertex := f.ints32(spirv.ID(in[6]), 1)[0]
	var parts []ir.V
	f.scalarsAt(*p, func(at *pointer, t ir.Type) {
		parts = append(parts, f.selectIO(at, t, func(l *ioScalar) ir.V {
			if l.semantic != ir.Location || p.io.arrayed || !l.readableAs(t) {
				return f.readIO(at, l, t)
			}
			x := l.input()
			x.Interpolation, x.Sampling = ir.PerVertex, ir.Center
			return f.b.OpAux(ir.InAt, l.typ, f.inputNumber(x), vertex)
		}))
	})
	f.define(in, parts...)
}
