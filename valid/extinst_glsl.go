package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// glslFamily checks the set GLSL.std.450, for extInst.
var glslFamily = family{
	rules: append([]Rule{
		{Code: "SPV-GLSL-Result", Section: "GLSL.std.450", Words: "the result has the result type of the instruction"},
		{Code: "SPV-GLSL-Operand", Section: "GLSL.std.450", Words: "each operand has the type that the instruction requires"},
		{Code: "SPV-GLSL-Interpolant", Section: "GLSL.std.450", Words: "the interpolant is a pointer to Input, in a fragment shader"},
		{Code: "SPV-GLSL-Reserved", Section: "GLSL.std.450", Words: "IMix is not used"},
	}, offsetRules...),
}

// form is a requirement on the types of an instruction.
type form uint8

const (
	formNone    form = iota
	formFloat        // floats; all operands of the result's type
	formFloat32      // floats of 16 or 32 bits; likewise
	formInt          // integers of any sign; operands of the result's count and width
	formMsb          // integers of 32 bits; likewise
)

// glslForms are the forms of the instructions whose operands have equal types.
var glslForms = [...]form{
	spirv.GLSLRound: formFloat, spirv.GLSLRoundEven: formFloat, spirv.GLSLTrunc: formFloat,
	spirv.GLSLFAbs: formFloat, spirv.GLSLFSign: formFloat, spirv.GLSLFloor: formFloat,
	spirv.GLSLCeil: formFloat, spirv.GLSLFract: formFloat, spirv.GLSLSqrt: formFloat,
	spirv.GLSLInverseSqrt: formFloat, spirv.GLSLFMin: formFloat, spirv.GLSLFMax: formFloat,
	spirv.GLSLFClamp: formFloat, spirv.GLSLFMix: formFloat, spirv.GLSLStep: formFloat,
	spirv.GLSLSmoothStep: formFloat, spirv.GLSLFma: formFloat, spirv.GLSLNormalize: formFloat,
	spirv.GLSLFaceForward: formFloat, spirv.GLSLReflect: formFloat, spirv.GLSLNMin: formFloat,
	spirv.GLSLNMax: formFloat, spirv.GLSLNClamp: formFloat,
	spirv.GLSLRadians: formFloat32, spirv.GLSLDegrees: formFloat32, spirv.GLSLSin: formFloat32,
	spirv.GLSLCos: formFloat32, spirv.GLSLTan: formFloat32, spirv.GLSLAsin: formFloat32,
	spirv.GLSLAcos: formFloat32, spirv.GLSLAtan: formFloat32, spirv.GLSLSinh: formFloat32,
	spirv.GLSLCosh: formFloat32, spirv.GLSLTanh: formFloat32, spirv.GLSLAsinh: formFloat32,
	spirv.GLSLAcosh: formFloat32, spirv.GLSLAtanh: formFloat32, spirv.GLSLAtan2: formFloat32,
	spirv.GLSLPow: formFloat32, spirv.GLSLExp: formFloat32, spirv.GLSLLog: formFloat32,
	spirv.GLSLExp2: formFloat32, spirv.GLSLLog2: formFloat32,
	spirv.GLSLSAbs: formInt, spirv.GLSLSSign: formInt, spirv.GLSLUMin: formInt, spirv.GLSLSMin: formInt,
	spirv.GLSLUMax: formInt, spirv.GLSLSMax: formInt, spirv.GLSLUClamp: formInt, spirv.GLSLSClamp: formInt,
	spirv.GLSLFindILsb: formInt, spirv.GLSLFindSMsb: formMsb, spirv.GLSLFindUMsb: formMsb,
}

// glslCall is one instruction that is being checked.
type glslCall struct {
	c    *checker
	i    int
	op   spirv.GLSLOp
	args []spirv.ID
	t    *facts.Type // of the result
}

// glsl checks an instruction of the set.
func (c *checker) glsl(i int, in spirv.Inst) {
	g := glslCall{c, i, spirv.GLSLOp(inst.ExtInst(in).Instruction()), spirv.IDs(in[5:]), c.m.Type(in.Type())}
	if g.t == nil {
		return
	}
	if c.limitedWithin(g.t) && c.capable(spirv.CapabilityShader) {
		c.fail(i, "SPV-Constant-Small", "%s of %s; must have capabilities for arithmetic on its contents, not only for storage", g.op, c.typeName(g.t))
		return
	}
	if int(g.op) < len(glslForms) && glslForms[g.op] != formNone {
		g.alike(glslForms[g.op])
		return
	}
	g.special()
}

// alike checks an instruction whose operands all have the type of the result.
func (g *glslCall) alike(f form) {
	ok, want := false, ""
	switch f {
	case formFloat:
		ok, want = isFloats(g.t, 16, 32, 64), "a float or a vector of floats"
	case formFloat32:
		ok, want = isFloats(g.t, 16, 32), "a float or a vector of floats of 16 or 32 bits"
	case formInt:
		ok, want = isInts(g.t), "an integer or a vector of integers"
	case formMsb:
		ok, want = isInts(g.t) && g.t.Scalar().Width == 32, "an integer or a vector of integers of 32 bits"
	}
	if !g.result(ok, want) {
		return
	}
	for n := range g.args {
		t := g.arg(n)
		if t == nil {
			continue
		}
		if f == formInt || f == formMsb {
			g.operand(n, t, isInts(t) && t.Components() == g.t.Components() && t.Scalar().Width == g.t.Scalar().Width, "an integer like the result")
		} else {
			g.operand(n, t, t == g.t, "of the result's type")
		}
	}
}

// result checks the result.
func (g *glslCall) result(ok bool, want string) bool {
	if !ok {
		g.c.fail(g.i, "SPV-GLSL-Result", "%s is %s; must be %s", g.op, g.c.typeName(g.t), want)
	}
	return ok
}

// arg returns the type of operand n. It returns nil if the operand does not exist
// or has no type; it reports an operand without a type.
func (g *glslCall) arg(n int) *facts.Type {
	if n >= len(g.args) {
		return nil
	}
	t := g.c.m.TypeOf(g.args[n])
	if d := g.c.code.DefInst(g.args[n]); t == nil && d != nil && d.Type() == 0 {
		g.c.fail(g.i, "SPV-GLSL-Operand", "operand %d of %s is the result of %s; must be a value with a type", n+1, g.op, d.Op())
	}
	return t
}

// operand checks operand n.
func (g *glslCall) operand(n int, t *facts.Type, ok bool, want string) bool {
	if t != nil && !ok {
		g.c.fail(g.i, "SPV-GLSL-Operand", "operand %d of %s is %s; must be %s", n+1, g.op, g.c.typeName(t), want)
	}
	return ok
}

// isFloats reports whether a type is a float, or a vector of floats, of IEEE 754
// with one of the widths.
func isFloats(t *facts.Type, widths ...uint32) bool {
	if t.IsMatrix() {
		return false
	}
	s := t.Scalar()
	if s == nil || !s.IsFloat() || s.Encoded {
		return false
	}
	for _, w := range widths {
		if s.Width == w {
			return true
		}
	}
	return false
}

// isInts reports whether a type is an integer or a vector of integers.
func isInts(t *facts.Type) bool {
	return !t.IsMatrix() && t.Scalar().IsInt()
}

// isVectorOf reports whether a type is a vector of n components that are
// integers (or floats) of a width.
func isVectorOf(t *facts.Type, n uint64, float bool, width uint32) bool {
	return t.IsVector() && t.Count == n && t.Elem != nil && t.Elem.Width == width && !t.Elem.Encoded &&
		(float && t.Elem.IsFloat() || !float && t.Elem.IsInt())
}

// special checks the instructions that have a form of their own.
func (g *glslCall) special() {
	switch g.op {
	case spirv.GLSLIMix:
		g.c.fail(g.i, "SPV-GLSL-Reserved", "IMix; must not be used")
	case spirv.GLSLDeterminant, spirv.GLSLMatrixInverse:
		g.matrix()
	case spirv.GLSLModf, spirv.GLSLModfStruct, spirv.GLSLFrexp, spirv.GLSLFrexpStruct, spirv.GLSLLdexp:
		g.parts()
	case spirv.GLSLPackSnorm4x8, spirv.GLSLPackUnorm4x8:
		g.pack(4)
	case spirv.GLSLPackSnorm2x16, spirv.GLSLPackUnorm2x16, spirv.GLSLPackHalf2x16:
		g.pack(2)
	case spirv.GLSLUnpackSnorm4x8, spirv.GLSLUnpackUnorm4x8:
		g.unpack(4)
	case spirv.GLSLUnpackSnorm2x16, spirv.GLSLUnpackUnorm2x16, spirv.GLSLUnpackHalf2x16:
		g.unpack(2)
	case spirv.GLSLPackDouble2x32:
		t := g.arg(0)
		_ = g.result(g.t.IsFloat() && g.t.Width == 64, "a float of 64 bits") &&
			g.operand(0, t, isVectorOf(t, 2, false, 32), "a vector of 2 integers of 32 bits")
	case spirv.GLSLUnpackDouble2x32:
		t := g.arg(0)
		_ = g.result(isVectorOf(g.t, 2, false, 32), "a vector of 2 integers of 32 bits") &&
			g.operand(0, t, t.IsFloat() && t.Width == 64, "a float of 64 bits")
	case spirv.GLSLLength, spirv.GLSLDistance:
		g.length()
	case spirv.GLSLCross:
		if g.result(isFloats(g.t, 16, 32, 64) && g.t.Components() == 3, "a vector of 3 floats") {
			for n := range g.args {
				t := g.arg(n)
				g.operand(n, t, t == g.t, "of the result's type")
			}
		}
	case spirv.GLSLRefract:
		if g.result(isFloats(g.t, 16, 32, 64), "a float or a vector of floats") {
			for n := range 2 {
				t := g.arg(n)
				g.operand(n, t, t == g.t, "of the result's type")
			}
			t := g.arg(2)
			g.operand(2, t, t.IsFloat() && !t.Encoded, "a float")
		}
	case spirv.GLSLInterpolateAtCentroid, spirv.GLSLInterpolateAtSample, spirv.GLSLInterpolateAtOffset:
		g.interpolate()
	}
}

// matrix checks Determinant and MatrixInverse, which need a square matrix.
func (g *glslCall) matrix() {
	square := func(t *facts.Type) bool {
		return t.IsMatrix() && t.Rows() == t.Columns() && t.Scalar() != nil && !t.Scalar().Encoded
	}
	t := g.arg(0)
	if g.op == spirv.GLSLMatrixInverse {
		_ = g.result(square(g.t), "a square matrix") && g.operand(0, t, t == g.t, "of the result's type")
		return
	}
	_ = g.result(g.t.IsFloat() && !g.t.Encoded, "a float") && g.operand(0, t, square(t) && t.Scalar() == g.t, "a square matrix of the result's type")
}

// parts checks the instructions that split floats into parts or join the parts:
// Modf, Frexp and Ldexp, with their struct variants.
func (g *glslCall) parts() {
	x := g.arg(0)
	switch g.op {
	case spirv.GLSLModfStruct, spirv.GLSLFrexpStruct:
		ok := g.t.IsStruct() && len(g.t.Members) == 2 && isFloats(g.t.Members[0].Type, 16, 32, 64)
		if ok && g.op == spirv.GLSLModfStruct {
			ok = g.t.Members[1].Type == g.t.Members[0].Type
		} else if ok {
			e := g.t.Members[1].Type
			ok = g.exponent(e) && e.Components() == g.t.Members[0].Type.Components()
		}
		_ = g.result(ok, "a struct of the two parts") && g.operand(0, x, x == g.t.Members[0].Type, "of the first member's type")
		return
	}
	if !g.result(isFloats(g.t, 16, 32, 64), "a float or a vector of floats") || !g.operand(0, x, x == g.t, "of the result's type") {
		return
	}
	y := g.arg(1)
	switch g.op {
	case spirv.GLSLModf:
		g.operand(1, y, y.IsPointer() && y.Elem == g.t, "a pointer to the result's type")
	case spirv.GLSLFrexp:
		g.operand(1, y, y.IsPointer() && g.exponent(y.Elem) && y.Elem.Components() == g.t.Components(),
			"a pointer to integers of 32 bits, or of 16 with SPV_AMD_gpu_shader_int16, as many as the result has")
	case spirv.GLSLLdexp:
		g.operand(1, y, isInts(y) && y.Components() == g.t.Components(), "an integer for each component of the result")
	}
}

// exponent reports whether a type holds exponents of floats: integers of 32 bits, or of
// 16 with the extension for them.
func (g *glslCall) exponent(t *facts.Type) bool {
	return isInts(t) && (t.Scalar().Width == 32 || t.Scalar().Width == 16 && g.c.m.Extension("SPV_AMD_gpu_shader_int16"))
}

func (g *glslCall) pack(n uint64) {
	t := g.arg(0)
	_ = g.result(g.t.IsInt() && g.t.Width == 32, "an integer of 32 bits") &&
		g.operand(0, t, isVectorOf(t, n, true, 32), "a vector of "+itoa(n)+" floats of 32 bits")
}

func (g *glslCall) unpack(n uint64) {
	t := g.arg(0)
	_ = g.result(isVectorOf(g.t, n, true, 32), "a vector of "+itoa(n)+" floats of 32 bits") &&
		g.operand(0, t, t.IsInt() && t.Width == 32, "an integer of 32 bits")
}

// length checks Length and Distance.
func (g *glslCall) length() {
	if !g.result(g.t.IsFloat() && !g.t.Encoded, "a float") {
		return
	}
	first := g.arg(0)
	g.operand(0, first, isFloats(first, 16, 32, 64) && first.Scalar() == g.t, "a float or a vector of the result's type")
	if g.op == spirv.GLSLDistance {
		t := g.arg(1)
		g.operand(1, t, t == first, "of the first operand's type")
	}
}

// interpolate checks the InterpolateAt instructions.
func (g *glslCall) interpolate() {
	half := g.c.m.Extension("SPV_AMD_gpu_shader_half_float")
	if !g.result(isFloats(g.t, 32) || half && isFloats(g.t, 16), "a float or a vector of floats of 32 bits") {
		return
	}
	p := g.arg(0)
	if g.c.env.BeforeLegalization && p != nil && !p.IsPointer() { // legalization replaces a loaded interpolant by its pointer
		if d := g.c.code.DefInst(g.args[0]); d != nil && d.Op() == spirv.OpLoad {
			p = g.c.m.TypeOf(inst.Load(d).Pointer())
		}
	}
	switch {
	case p == nil:
	case !p.IsPointer():
		g.c.fail(g.i, "SPV-GLSL-Interpolant", "the interpolant is %s; must be a pointer", g.c.typeName(p))
	case p.Elem != nil && p.Elem != g.t:
		g.operand(0, p, false, "a pointer to the result's type")
	case p.Storage != spirv.StorageClassInput:
		g.c.fail(g.i, "SPV-GLSL-Interpolant", "the interpolant points into %s; must point into Input", p.Storage)
	}
	y := g.arg(1)
	switch g.op {
	case spirv.GLSLInterpolateAtSample:
		g.operand(1, y, y.IsInt() && y.Width == 32, "an integer of 32 bits")
	case spirv.GLSLInterpolateAtOffset:
		g.operand(1, y, isVectorOf(y, 2, true, 32) || half && isVectorOf(y, 2, true, 16), "a vector of 2 floats of 32 bits")
		g.offset()
	}
	g.c.onlyIn(g.i, inFragment, "SPV-GLSL-Interpolant")
}
