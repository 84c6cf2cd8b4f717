package lower

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/lower/mathlib"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

var glslRules = rules{
	spirv.OpExtInst: extInst,
}

// extInst lowers OpExtInst. Instructions for debuggers have no effect.
func extInst(f *function, in spirv.Inst) {
	v := inst.ExtInst(in)
	set := f.facts.ExtSet(v.Set())
	switch {
	case set == spirv.ExtSetGLSL:
	case set == spirv.ExtSetAMDShaderTrinaryMinmax:
		trinaryMinmax(f, in)
		f.flushResult(in)
		return
	case set == spirv.ExtSetAMDShaderBallot:
		amdBallot(f, in)
		return
	case set == spirv.ExtSetAMDGcnShader:
		amdGcn(f, in)
		f.flushResult(in)
		return
	case set == spirv.ExtSetAMDShaderExplicitVertexParameter:
		interpolateAtVertex(f, in)
		return
	case set == spirv.ExtSetNonSemanticDebugPrintf:
		debugPrintf(f, in)
		return
	case set == spirv.ExtSetNonSemanticDebugBreak:
		f.logMessage(ir.Break, "", nil)
		return
	case set.NonSemantic(), set == spirv.ExtSetOpenCLDebugInfo100, set == spirv.ExtSetDebugInfo:
		return
	default:
		f.unsupported("%s", set)
	}
	r, ok := extended[spirv.GLSLOp(v.Instruction())]
	if !ok {
		f.unsupported("GLSL.std.450 %s", spirv.GLSLOp(v.Instruction()))
	}
	r(f, in)
	if f.float.flush != 0 && !unpacks[spirv.GLSLOp(v.Instruction())] {
		f.flushResult(in)
	}
}

// flushResult flushes the denormals of a result if the entry point's mode requires it:
// the intermediate operations of an extended instruction are unspecified, but in the mode
// DenormFlushToZero its result is no denormal (VK_KHR_shader_float_controls, issues 1
// and 2).
func (f *function) flushResult(in spirv.Inst) {
	v := f.value(in.Result())
	parts := make([]ir.V, len(v.parts))
	for i, p := range v.parts {
		parts[i] = f.flush(p)
	}
	v.parts = parts
	f.put(in.Result(), v)
}

// unpacks are the extended instructions that reinterpret bits as floats and do no
// arithmetic.
var unpacks = map[spirv.GLSLOp]bool{spirv.GLSLUnpackDouble2x32: true, spirv.GLSLUnpackHalf2x16: true}

// extended are the instructions of GLSL.std.450.
var extended = map[spirv.GLSLOp]rule{
	spirv.GLSLRound:         each(ir.FRoundEven), // ties to even
	spirv.GLSLRoundEven:     each(ir.FRoundEven),
	spirv.GLSLTrunc:         each(ir.FTrunc),
	spirv.GLSLFAbs:          each(ir.FAbs),
	spirv.GLSLSAbs:          each(ir.SAbs),
	spirv.GLSLFloor:         each(ir.FFloor),
	spirv.GLSLCeil:          each(ir.FCeil),
	spirv.GLSLSqrt:          each(ir.FSqrt),
	spirv.GLSLFMin:          eachChoice(ir.FMin),
	spirv.GLSLUMin:          each(ir.UMin),
	spirv.GLSLSMin:          each(ir.SMin),
	spirv.GLSLFMax:          eachChoice(ir.FMax),
	spirv.GLSLUMax:          each(ir.UMax),
	spirv.GLSLSMax:          each(ir.SMax),
	spirv.GLSLNMin:          each(ir.NMin),
	spirv.GLSLNMax:          each(ir.NMax),
	spirv.GLSLFma:           each(ir.FFma),
	spirv.GLSLFindILsb:      each(ir.FindLsb),
	spirv.GLSLFindSMsb:      each(ir.FindSMsb),
	spirv.GLSLFindUMsb:      each(ir.FindUMsb),
	spirv.GLSLFSign:         float1(mathlib.FSign, ir.F64),
	spirv.GLSLSSign:         integer1(mathlib.SSign),
	spirv.GLSLFract:         float1(mathlib.Fract, ir.F64),
	spirv.GLSLRadians:       float1(mathlib.Radians, ir.F32),
	spirv.GLSLDegrees:       float1(mathlib.Degrees, ir.F32),
	spirv.GLSLSin:           float1(mathlib.Sin, ir.F32),
	spirv.GLSLCos:           float1(mathlib.Cos, ir.F32),
	spirv.GLSLTan:           float1(mathlib.Tan, ir.F32),
	spirv.GLSLAsin:          float1(mathlib.Asin, ir.F32),
	spirv.GLSLAcos:          float1(mathlib.Acos, ir.F32),
	spirv.GLSLAtan:          float1(mathlib.Atan, ir.F32),
	spirv.GLSLSinh:          float1(mathlib.Sinh, ir.F32),
	spirv.GLSLCosh:          float1(mathlib.Cosh, ir.F32),
	spirv.GLSLTanh:          float1(mathlib.Tanh, ir.F32),
	spirv.GLSLAsinh:         float1(mathlib.Asinh, ir.F32),
	spirv.GLSLAcosh:         float1(mathlib.Acosh, ir.F32),
	spirv.GLSLAtanh:         float1(mathlib.Atanh, ir.F32),
	spirv.GLSLAtan2:         float2(mathlib.Atan2, ir.F32),
	spirv.GLSLPow:           float2(mathlib.Pow, ir.F32),
	spirv.GLSLExp:           float1(mathlib.Exp, ir.F32),
	spirv.GLSLLog:           float1(mathlib.Log, ir.F32),
	spirv.GLSLExp2:          float1(mathlib.Exp2, ir.F32),
	spirv.GLSLLog2:          float1(mathlib.Log2, ir.F32),
	spirv.GLSLInverseSqrt:   float1(mathlib.InverseSqrt, ir.F64),
	spirv.GLSLStep:          float2(mathlib.Step, ir.F64),
	spirv.GLSLFMix:          float3(mathlib.FMix),
	spirv.GLSLSmoothStep:    float3(mathlib.SmoothStep),
	spirv.GLSLFClamp:        float3(mathlib.FClamp),
	spirv.GLSLNClamp:        float3(mathlib.NClamp),
	spirv.GLSLUClamp:        integer3(mathlib.UClamp),
	spirv.GLSLSClamp:        integer3(mathlib.SClamp),
	spirv.GLSLLdexp:         ldexp,
	spirv.GLSLModf:          modf,
	spirv.GLSLModfStruct:    modfStruct,
	spirv.GLSLFrexp:         frexp,
	spirv.GLSLFrexpStruct:   frexpStruct,
	spirv.GLSLLength:        length,
	spirv.GLSLDistance:      distance,
	spirv.GLSLCross:         cross,
	spirv.GLSLNormalize:     normalize,
	spirv.GLSLFaceForward:   faceForward,
	spirv.GLSLReflect:       reflectAt,
	spirv.GLSLRefract:       refractAt,
	spirv.GLSLDeterminant:   determinant,
	spirv.GLSLMatrixInverse: matrixInverse,

	spirv.GLSLInterpolateAtCentroid: interpolateAt(spirv.GLSLInterpolateAtCentroid),
	spirv.GLSLInterpolateAtSample:   interpolateAt(spirv.GLSLInterpolateAtSample),
	spirv.GLSLInterpolateAtOffset:   interpolateAt(spirv.GLSLInterpolateAtOffset),

	spirv.GLSLPackSnorm4x8:     packed(4, ir.F32, mathlib.PackSnorm4x8),
	spirv.GLSLPackUnorm4x8:     packed(4, ir.F32, mathlib.PackUnorm4x8),
	spirv.GLSLPackSnorm2x16:    packed(2, ir.F32, mathlib.PackSnorm2x16),
	spirv.GLSLPackUnorm2x16:    packed(2, ir.F32, mathlib.PackUnorm2x16),
	spirv.GLSLPackHalf2x16:     packed(2, ir.F32, mathlib.PackHalf2x16),
	spirv.GLSLPackDouble2x32:   packed(2, ir.I32, mathlib.PackDouble2x32),
	spirv.GLSLUnpackSnorm4x8:   unpacked(ir.I32, mathlib.UnpackSnorm4x8),
	spirv.GLSLUnpackUnorm4x8:   unpacked(ir.I32, mathlib.UnpackUnorm4x8),
	spirv.GLSLUnpackSnorm2x16:  unpacked(ir.I32, mathlib.UnpackSnorm2x16),
	spirv.GLSLUnpackUnorm2x16:  unpacked(ir.I32, mathlib.UnpackUnorm2x16),
	spirv.GLSLUnpackHalf2x16:   unpackHalf,
	spirv.GLSLUnpackDouble2x32: unpacked(ir.F64, mathlib.UnpackDouble2x32),
}
