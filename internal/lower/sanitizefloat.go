package lower

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// The findings on floats. The rule of floatResults is the section of the specification on results that are NaN, infinite or
// denormal.
var (
	floatDivisions = finding{ir.SanitizeFloat, "OpFDiv by 0"}
	floatResults   = finding{ir.SanitizeFloat, "Precision and Operation of SPIR-V Instructions"}
	floatTooLarge  = finding{ir.SanitizeFloat, "OpConvertUToF, OpFConvert beyond the greatest finite number"}
	floatDenormal  = finding{ir.SanitizeFloat, "denormals without DenormPreserve or DenormFlushToZero"}
)

// computesFloat reports whether an instruction may compute a float.
func computesFloat(op spirv.Op) bool {
	switch op {
	case spirv.OpExtInst:
		return true
	case spirv.OpFNegate, spirv.OpBitcast:
		return false
	}
	c := op.Class()
	return c == spirv.ClassArithmetic || c == spirv.ClassConversion || c == spirv.ClassDerivative
}

// mixes are the instructions whose results depend on several components, or on other invocations.
func mixes(op spirv.Op) bool {
	switch op {
	case spirv.OpVectorTimesMatrix, spirv.OpMatrixTimesVector, spirv.OpMatrixTimesMatrix, spirv.OpOuterProduct, spirv.OpDot:
		return true
	}
	return op.Class() == spirv.ClassDerivative
}

// mixing are the instructions of GLSL.std.450 whose results depend on several components, or on memory.
var mixing = map[spirv.GLSLOp]bool{
	spirv.GLSLDeterminant: true, spirv.GLSLMatrixInverse: true, spirv.GLSLLength: true, spirv.GLSLDistance: true, spirv.GLSLCross: true,
	spirv.GLSLNormalize: true, spirv.GLSLFaceForward: true, spirv.GLSLReflect: true, spirv.GLSLRefract: true,
}

// floatOperands returns the operands of an instruction that computes floats, and whether they and the results correspond by
// component.
func (f *function) floatOperands(in spirv.Inst) (operands []uint32, each, ok bool) {
	if in.Op() != spirv.OpExtInst {
		return in[3:], !mixes(in.Op()), true
	}
	v := inst.ExtInst(in)
	if f.facts.ExtSet(v.Set()) != spirv.ExtSetGLSL {
		return nil, false, false
	}
	switch n := spirv.GLSLOp(v.Instruction()); n {
	case spirv.GLSLUnpackHalf2x16, spirv.GLSLUnpackDouble2x32, spirv.GLSLModf, spirv.GLSLFrexp, spirv.GLSLModfStruct, spirv.GLSLFrexpStruct,
		spirv.GLSLInterpolateAtCentroid, spirv.GLSLInterpolateAtSample, spirv.GLSLInterpolateAtOffset:
		return nil, false, false // bits, results in memory, and inputs
	default:
		return in[5:], !mixing[n], true
	}
}

// checkFloatOperands: a division by 0, and denormal operands that the mode DenormFlushToZero flushes.
func checkFloatOperands(f *function, in spirv.Inst) {
	operands, _, ok := f.floatOperands(in)
	if !ok || len(operands) == 0 {
		return
	}
	if in.Op() == spirv.OpFDiv {
		f.eachOperands(operands, ir.Type.IsFloat, func(x []ir.V) {
			t := f.b.Func.Type(x[1])
			f.report(floatDivisions, f.b.Cmp(ir.FEq, x[1], f.floatOf(t, 0)), "a division of %g by %g", x...)
		})
	}
	if f.float.flush == 0 {
		return
	}
	for _, list := range f.operands(operands) {
		for _, x := range list {
			if t := f.b.Func.Type(x); f.float.flush.has(t) {
				f.report(floatDenormal, f.denormal(t, x), "the operand %g is flushed to 0", x)
			}
		}
	}
}

// leastNormal are the exponents of the least normal numbers.
var leastNormal = map[ir.Type]int{ir.F16: -14, ir.F32: -126, ir.F64: -1022}

// denormal returns whether x is denormal.
func (f *function) denormal(t ir.Type, x ir.V) ir.V {
	small := f.b.Cmp(ir.FLt, f.b.Op(ir.FAbs, t, x), f.floatOf(t, math.Ldexp(1, leastNormal[t])))
	return f.b.Op(ir.And, ir.B1, small, f.not(f.b.Cmp(ir.FEq, x, f.floatOf(t, 0))))
}

// finite returns whether x is neither infinite nor NaN.
func (f *function) finite(x ir.V) ir.V {
	t := f.b.Func.Type(x)
	return f.b.Cmp(ir.FLt, f.b.Op(ir.FAbs, t, x), f.floatOf(t, math.Inf(1)))
}

// all returns whether a condition holds for each float of a list.
func (f *function) all(list []ir.V, is func(ir.V) ir.V) ir.V {
	all := f.b.Bool(true)
	for _, x := range list {
		if f.b.Func.Type(x).IsFloat() {
			all = f.b.Op(ir.And, ir.B1, all, is(x))
		}
	}
	return all
}

// checkFloatResult: a NaN without a NaN as an operand, an infinity of finite operands, and a 0 whose exact result is another
// number.
func checkFloatResult(f *function, in spirv.Inst) {
	operands, each, ok := f.floatOperands(in)
	if !ok {
		return
	}
	results := f.scalars(in.Result())
	if len(results) == 0 || !f.b.Func.Type(results[0]).IsFloat() {
		return
	}
	args := f.operands(operands)
	of := func(i int) (x []ir.V) { // the operands of result i
		for _, a := range args {
			switch {
			case !each:
				x = append(x, a...)
			case len(a) == len(results):
				x = append(x, a[i])
			case len(a) == 1:
				x = append(x, a[0])
			}
		}
		return x
	}
	usual := f.finite
	if f.underflows(in.Op()) { // then 0 is unusual, too
		usual = func(x ir.V) ir.V {
			return f.b.Op(ir.And, ir.B1, f.finite(x), f.not(f.b.Cmp(ir.FEq, x, f.floatOf(f.b.Func.Type(x), 0))))
		}
	}
	f.guard(f.not(f.all(results, usual)))
	for i, r := range results {
		f.checkNotFinite(in.Op(), r, of(i))
		f.checkUnderflow(in.Op(), r, of(i))
	}
	f.b.End()
}

// underflows reports whether checkUnderflow has a check of an instruction.
func (f *function) underflows(op spirv.Op) bool {
	switch op {
	case spirv.OpFMul, spirv.OpVectorTimesScalar, spirv.OpMatrixTimesScalar, spirv.OpFDiv, spirv.OpFConvert, spirv.OpQuantizeToF16:
		return true
	case spirv.OpFAdd, spirv.OpFSub:
		return f.float.flush != 0
	}
	return false
}

// checkNotFinite: a result that is NaN or infinite.
func (f *function) checkNotFinite(op spirv.Op, r ir.V, x []ir.V) {
	t := f.b.Func.Type(r)
	shown := x[:min(len(x), 2)]
	text := [...]string{"", " of %g", " of %g and %g"}[len(shown)]
	for _, v := range shown {
		if !f.b.Func.Type(v).IsFloat() {
			shown, text = nil, ""
		}
	}
	born := f.b.Op(ir.And, ir.B1, f.isNaN(r), f.all(x, func(v ir.V) ir.V { return f.not(f.isNaN(v)) }))
	infinite := f.b.Op(ir.And, ir.B1, f.b.Cmp(ir.FEq, f.b.Op(ir.FAbs, t, r), f.floatOf(t, math.Inf(1))), f.all(x, f.finite))
	if op == spirv.OpFDiv && len(x) == 2 { // a division by 0 has its own report
		divides := f.not(f.b.Cmp(ir.FEq, x[1], f.floatOf(t, 0)))
		born, infinite = f.b.Op(ir.And, ir.B1, born, divides), f.b.Op(ir.And, ir.B1, infinite, divides)
	}
	f.report(floatResults, born, "the result"+text+" is NaN", shown...)
	rule := floatResults
	switch op {
	case spirv.OpFConvert, spirv.OpConvertUToF, spirv.OpConvertSToF, spirv.OpQuantizeToF16:
		rule = floatTooLarge
	}
	f.report(rule, infinite, "the result"+text+" is infinite", shown...)
}

// checkUnderflow: a result of 0 that has lost a number.
func (f *function) checkUnderflow(op spirv.Op, r ir.V, x []ir.V) {
	t := f.b.Func.Type(r)
	if len(x) == 0 || !f.b.Func.Type(x[0]).IsFloat() {
		return
	}
	is := func(v ir.V) ir.V { return f.b.Cmp(ir.FEq, v, f.floatOf(f.b.Func.Type(v), 0)) }
	nonzero := func(v ir.V) ir.V { return f.not(is(v)) }
	lost, text := is(r), ""
	and := func(c ir.V) { lost = f.b.Op(ir.And, ir.B1, lost, c) }
	switch op {
	case spirv.OpFMul, spirv.OpVectorTimesScalar, spirv.OpMatrixTimesScalar:
		and(f.all(x, nonzero))
		text = "the product of %g and %g is 0"
	case spirv.OpFDiv:
		and(nonzero(x[0]))
		and(f.finite(x[1]))
		text = "the quotient of %g and %g is 0"
	case spirv.OpFConvert, spirv.OpQuantizeToF16:
		and(nonzero(x[0]))
		text = "the conversion of %g is 0"
	case spirv.OpFAdd, spirv.OpFSub:
		if !f.float.flush.has(t) || len(x) != 2 {
			return
		}
		other := x[1]
		if op == spirv.OpFAdd {
			other = f.b.Op(ir.FNeg, t, other)
		}
		and(f.not(f.b.Cmp(ir.FEq, x[0], other)))
		text = "the denormal result of %g and %g is flushed to 0"
	default:
		return
	}
	f.report(floatResults, lost, text, x...)
}
