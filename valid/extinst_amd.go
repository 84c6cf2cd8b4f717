package valid

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// amdFamily checks the extended instruction sets of AMD, for extInst, and the
// instructions of SPV_AMD_shader_fragment_mask.
var amdFamily = family{
	rules: []Rule{
		{Code: "SPV-AMD-Trinary", Section: "SPIR-V, SPV_AMD_shader_trinary_minmax", Words: "the operands have the type of the result: floats, unsigned or signed integers"},
		{Code: "SPV-AMD-Ballot", Section: "SPIR-V, SPV_AMD_shader_ballot", Words: "the data have the type of the result; an offset is 4 unsigned constants of at most 3, a mask 3 of at most 31; an index is an unsigned integer of 32 bits, as is a count of bits; the mask of a count is one of 32 or 64 bits"},
		{Code: "SPV-AMD-Gcn", Section: "SPIR-V, SPV_AMD_gcn_shader", Words: "the direction of a cube face is a vector of 3 floats, its index a float, its coordinate a vector of 2 floats; a time is an unsigned integer of 64 bits"},
		{Code: "SPV-AMD-Vertex", Section: "SPIR-V, SPV_AMD_shader_explicit_vertex_parameter", Words: "the interpolant is a pointer to Input and points to the type of the result, the vertex is a constant of at most 2"},
		{Code: "SPV-AMD-FragmentMask", Section: "SPIR-V, SPV_AMD_shader_fragment_mask", Words: "the image of a fetch of fragments is multisampled, 2D or SubpassData; the coordinate has integers, one more for an array; a mask is an unsigned integer of 32 bits, a fragment has four components of the sampled type"},
	},
	insts: map[spirv.Op]judge{
		spirv.OpFragmentMaskFetchAMD: (*checker).fragmentFetch,
		spirv.OpFragmentFetchAMD:     (*checker).fragmentFetch,
	},
}

// amdCodes are the rules of the sets.
var amdCodes = map[spirv.ExtSet]string{
	spirv.ExtSetAMDShaderTrinaryMinmax: "SPV-AMD-Trinary", spirv.ExtSetAMDShaderBallot: "SPV-AMD-Ballot",
	spirv.ExtSetAMDGcnShader: "SPV-AMD-Gcn", spirv.ExtSetAMDShaderExplicitVertexParameter: "SPV-AMD-Vertex",
}

// amd checks an instruction of one of the sets.
func (c *checker) amd(i int, in spirv.Inst, set spirv.ExtSet) {
	t := c.m.Type(in.Type())
	args := spirv.IDs(in[5:])
	if t == nil {
		return
	}
	n := inst.ExtInst(in).Instruction()
	if k := slices.IndexFunc(args, func(id spirv.ID) bool { return c.m.TypeOf(id) == nil }); k >= 0 {
		c.fail(i, amdCodes[set], "operand %s is no value; must be a value", c.name(args[k]))
		return
	}
	switch set {
	case spirv.ExtSetAMDShaderTrinaryMinmax:
		c.trinary(i, spirv.AMDShaderTrinaryMinmaxOp(n), t, args)
	case spirv.ExtSetAMDShaderBallot:
		c.ballotAMD(i, spirv.AMDShaderBallotOp(n), t, args)
	case spirv.ExtSetAMDGcnShader:
		c.gcn(i, spirv.AMDGcnShaderOp(n), t, args)
	case spirv.ExtSetAMDShaderExplicitVertexParameter:
		c.vertexParameter(i, t, args)
	}
}

// trinary checks the minimum, the maximum or the median of three values.
func (c *checker) trinary(i int, op spirv.AMDShaderTrinaryMinmaxOp, t *facts.Type, args []spirv.ID) {
	s, want := t.Scalar(), "floats"
	ok := s.IsFloat()
	switch op {
	case spirv.AMDShaderTrinaryMinmaxUMin3AMD, spirv.AMDShaderTrinaryMinmaxUMax3AMD, spirv.AMDShaderTrinaryMinmaxUMid3AMD:
		ok, want = s.IsInt() && !s.Signed, "unsigned integers"
	case spirv.AMDShaderTrinaryMinmaxSMin3AMD, spirv.AMDShaderTrinaryMinmaxSMax3AMD, spirv.AMDShaderTrinaryMinmaxSMid3AMD:
		ok, want = s.IsInt() && s.Signed, "signed integers"
	}
	if !ok || !t.IsScalar() && !t.IsVector() {
		c.fail(i, "SPV-AMD-Trinary", "%s is %s; must be a scalar or vector of %s", op, c.typeName(t), want)
		return
	}
	for _, id := range args {
		if x := c.m.TypeOf(id); x != nil && x != t {
			c.fail(i, "SPV-AMD-Trinary", "operand %s of %s is %s; must be %s, like the result", c.name(id), op, c.typeName(x), c.typeName(t))
		}
	}
}

// ballotAMD checks an instruction of SPV_AMD_shader_ballot.
func (c *checker) ballotAMD(i int, op spirv.AMDShaderBallotOp, t *facts.Type, args []spirv.ID) {
	const code = "SPV-AMD-Ballot"
	same := func(n int) {
		if x := c.argument(args, n); x != nil && x != t {
			c.fail(i, code, "operand %d of %s is %s; must be %s, like the result", n, op, c.typeName(x), c.typeName(t))
		}
	}
	lanes := func(count uint64, most int64) {
		x := c.argument(args, 1)
		if x == nil {
			return
		}
		if !isVectorOf(x, count, false, 32) || x.Elem.Signed || c.m.Const(args[1]) == nil {
			c.fail(i, code, "operand 1 of %s is %s; must be a constant of %d unsigned integers of 32 bits", op, c.name(args[1]), count)
			return
		}
		d := c.code.DefInst(args[1])
		if d == nil || d.Op() != spirv.OpConstantComposite {
			return
		}
		for _, id := range spirv.IDs(d[3:]) {
			if n, ok := c.settled(id); ok && (n < 0 || n > most) {
				c.fail(i, code, "operand 1 of %s has the component %d; must be at most %d", op, n, most)
			}
		}
	}
	switch op {
	case spirv.AMDShaderBallotSwizzleInvocationsAMD:
		same(0)
		lanes(4, 3)
	case spirv.AMDShaderBallotSwizzleInvocationsMaskedAMD:
		same(0)
		lanes(3, 31)
	case spirv.AMDShaderBallotWriteInvocationAMD:
		same(0)
		same(1)
		if x := c.argument(args, 2); x != nil && (!isWord(x) || x.Signed) {
			c.fail(i, code, "the index of %s is %s; must be an unsigned integer of 32 bits", op, c.typeName(x))
		}
	case spirv.AMDShaderBallotMbcntAMD:
		if !isWord(t) || t.Signed {
			c.fail(i, code, "%s is %s; must be an unsigned integer of 32 bits", op, c.typeName(t))
		}
		// The text asks for 32 bits. Compilers give the 64 bits of the GLSL function.
		if x := c.argument(args, 0); x != nil && (!x.IsInt() || x.Signed || x.Width != 32 && x.Width != 64) {
			c.fail(i, code, "the mask of %s is %s; must be an unsigned integer of 32 or 64 bits", op, c.typeName(x))
		}
	}
}

// argument returns the type of an operand, nil if it is missing.
func (c *checker) argument(args []spirv.ID, n int) *facts.Type {
	if n >= len(args) {
		return nil
	}
	return c.m.TypeOf(args[n])
}

// gcn checks an instruction of SPV_AMD_gcn_shader.
func (c *checker) gcn(i int, op spirv.AMDGcnShaderOp, t *facts.Type, args []spirv.ID) {
	ok, want := true, ""
	switch op {
	case spirv.AMDGcnShaderCubeFaceIndexAMD:
		ok, want = isSingle(t), "a float of 32 bits"
	case spirv.AMDGcnShaderCubeFaceCoordAMD:
		ok, want = isVectorOf(t, 2, true, 32), "a vector of 2 floats"
	case spirv.AMDGcnShaderTimeAMD:
		ok, want = t.IsInt() && t.Width == 64 && !t.Signed, "an unsigned integer of 64 bits"
	}
	if !ok {
		c.fail(i, "SPV-AMD-Gcn", "%s is %s; must be %s", op, c.typeName(t), want)
	}
	if x := c.argument(args, 0); x != nil && !isVectorOf(x, 3, true, 32) {
		c.fail(i, "SPV-AMD-Gcn", "the direction of %s is %s; must be a vector of 3 floats", op, c.typeName(x))
	}
}

// vertexParameter checks InterpolateAtVertexAMD.
func (c *checker) vertexParameter(i int, t *facts.Type, args []spirv.ID) {
	const code = "SPV-AMD-Vertex"
	if p := c.argument(args, 0); p != nil {
		switch {
		case !p.IsPointer() && p != t:
			c.fail(i, code, "the interpolant is %s; must be a pointer to %s, like the result", c.typeName(p), c.typeName(t))
		case !p.IsPointer():
			c.fail(i, code, "the interpolant is %s; must be a pointer to Input", c.typeName(p)).warn() // a compiler in use loads it
		case p.Storage != spirv.StorageClassInput:
			c.fail(i, code, "the interpolant is %s; must be a pointer to Input", c.typeName(p))
		case p.Elem != nil && p.Elem != t:
			c.fail(i, code, "the interpolant points to %s; must point to %s, like the result", c.typeName(p.Elem), c.typeName(t))
		}
	}
	if x := c.argument(args, 1); x != nil {
		n, ok := c.settled(args[1])
		if k := c.m.Const(args[1]); k == nil || !x.IsInt() || ok && (n < 0 || n > 2) {
			c.fail(i, code, "the vertex is %s; must be the constant 0, 1 or 2", c.name(args[1]))
		}
	}
}

// fragmentCoordinates returns the number of coordinates of a texel of a multisampled image.
func fragmentCoordinates(image *facts.Type) int {
	if image.Image.Arrayed {
		return 3
	}
	return 2
}

// fragmentFetch checks OpFragmentMaskFetchAMD and OpFragmentFetchAMD.
func (c *checker) fragmentFetch(i int, in spirv.Inst) {
	const code = "SPV-AMD-FragmentMask"
	v := inst.FragmentFetchAMD(in)
	t, x := c.m.Type(v.Type()), c.m.TypeOf(v.Image())
	if t == nil || x == nil {
		return
	}
	if x.Image == nil || x.Op != spirv.OpTypeImage || !x.Image.MS || x.Image.Dim != spirv.Dim2D && x.Image.Dim != spirv.DimSubpassData {
		c.fail(i, code, "the image of %s is %s; must be multisampled, 2D or SubpassData", in.Op(), c.typeName(x))
		return
	}
	if at := c.m.TypeOf(v.Coordinate()); at != nil && (!at.IsInt() && !(at.IsVector() && at.Elem != nil && at.Elem.IsInt()) || at.Components() < fragmentCoordinates(x)) {
		c.fail(i, code, "the coordinate of %s is %s; must be %d integers", in.Op(), c.typeName(at), fragmentCoordinates(x))
		return
	}
	if in.Op() == spirv.OpFragmentMaskFetchAMD {
		if !isWord(t) || t.Signed {
			c.fail(i, code, "%s is %s; must be an unsigned integer of 32 bits", in.Op(), c.typeName(t))
		}
		return
	}
	if !t.IsVector() || t.Components() != 4 || !t.Elem.IsInt() && !t.Elem.IsFloat() || x.Elem != nil && !x.Elem.IsVoid() && t.Elem != x.Elem {
		c.fail(i, code, "%s is %s; must be a vector of four components of the sampled type", in.Op(), c.typeName(t))
	}
}
