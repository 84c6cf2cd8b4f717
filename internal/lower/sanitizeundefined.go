package lower

import (
	"fmt"
	"math"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/scalar"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// The findings on operands without a defined result.
var (
	unsignedDivisions  = finding{ir.SanitizeUndefined, "OpUDiv, OpUMod by 0"}
	signedDivisions    = finding{ir.SanitizeUndefined, "OpSDiv, OpSRem, OpSMod by 0"}
	overflows          = finding{ir.SanitizeUndefined, "OpSDiv of the least number by −1"}
	remainderOverflows = finding{ir.SanitizeUndefined, "OpSRem, OpSMod of the least number by −1"}
	signedRemainder    = finding{ir.SanitizeUndefined, "OpSRem, OpSMod with operands of either sign"}
	shifts             = finding{ir.SanitizeUndefined, "shift by the width or more, or by a negative amount"}
	extracted          = finding{ir.SanitizeUndefined, "OpBitFieldUExtract, OpBitFieldSExtract with offset + count beyond the width"}
	inserted           = finding{ir.SanitizeUndefined, "OpBitFieldInsert with offset + count beyond the width"}
	outOfInteger       = finding{ir.SanitizeUndefined, "OpConvertFToS, OpConvertFToU out of range"}
	integerOfNaN       = finding{ir.SanitizeUndefined, "OpConvertFToS, OpConvertFToU of NaN"}
	floatRemainders    = finding{ir.SanitizeUndefined, "OpFRem, OpFMod by 0"}
	crossedClamp       = finding{ir.SanitizeUndefined, "SClamp, UClamp with least > greatest"}
	unreachable        = finding{ir.SanitizeUndefined, "an OpUnreachable that is reached"}
	generatedHit       = finding{ir.SanitizeUndefined, "VUID-RuntimeSpirv-OpRayQueryGenerateIntersectionKHR-06353"}
	hitPositions       = finding{ir.SanitizeUndefined, "VUID-HitTriangleVertexPositionsKHR-HitTriangleVertexPositionsKHR-08750"}
	clusters           = finding{ir.SanitizeUndefined, "a cluster size that is no power of two, or more than the subgroup"}
	ballotBits         = finding{ir.SanitizeUndefined, "OpGroupNonUniformBallotBitExtract of a bit beyond the subgroup"}
	emptyBallot        = finding{ir.SanitizeUndefined, "OpGroupNonUniformBallotFindLSB, OpGroupNonUniformBallotFindMSB without a bit"}
	leastOffsetX       = finding{ir.SanitizeUndefined, "VUID-RuntimeSpirv-Offset-06344"}
	greatestOffsetX    = finding{ir.SanitizeUndefined, "VUID-RuntimeSpirv-Offset-06345"}
	leastOffsetY       = finding{ir.SanitizeUndefined, "VUID-RuntimeSpirv-Offset-06346"}
	greatestOffsetY    = finding{ir.SanitizeUndefined, "VUID-RuntimeSpirv-Offset-06347"}
	quadIndex          = finding{ir.SanitizeUndefined, "OpGroupNonUniformQuadBroadcast of an index above 3"}
)

// checkDivisor: a divisor of 0, and the quotient of the least number by -1, which is not representable.
func checkDivisor(f *function, in spirv.Inst) {
	f.eachOperands(in[3:5], ir.Type.IsInt, func(x []ir.V) {
		t := f.b.Func.Type(x[1])
		op, zero := in.Op(), f.b.Cmp(ir.Eq, x[1], f.b.Const(t, 0))
		if op == spirv.OpUDiv || op == spirv.OpUMod {
			f.report(unsignedDivisions, zero, "a division of %u by 0", x[0])
			return
		}
		f.report(signedDivisions, zero, "a division of %d by 0", x[0])
		if f.b.Func.Type(x[0]) != t {
			return
		}
		least := f.b.Cmp(ir.Eq, x[0], f.b.Const(t, 1<<(t.Bits()-1)))
		minus := f.b.Cmp(ir.Eq, x[1], f.b.Const(t, math.MaxUint64))
		both := f.b.Op(ir.And, ir.B1, least, minus)
		if op == spirv.OpSDiv {
			f.report(overflows, both, "a division of the least number by -1")
			return
		}
		f.report(remainderOverflows, both, "a division of the least number by -1")
		if f.options.SignedRemainder {
			return
		}
		negative := f.b.Op(ir.Or, ir.B1, f.b.Cmp(ir.SLt, x[0], f.b.Const(t, 0)), f.b.Cmp(ir.SLt, x[1], f.b.Const(t, 0)))
		f.report(signedRemainder, f.b.Op(ir.And, ir.B1, negative, f.not(both)), "a remainder of %d by %d without maintenance8", x[0], x[1])
	})
}

// checkFloatDivisor: a remainder by 0.
func checkFloatDivisor(f *function, in spirv.Inst) {
	if !f.sanitizes(ir.SanitizeUndefined) {
		return
	}
	f.eachOperands(in[3:5], ir.Type.IsFloat, func(x []ir.V) {
		f.report(floatRemainders, f.b.Cmp(ir.FEq, x[1], f.floatOf(f.b.Func.Type(x[1]), 0)), "a remainder of %g by 0", x[0])
	})
}

// checkShift: a shift by the width or more.
func checkShift(f *function, in spirv.Inst) {
	f.eachOperands(in[3:5], ir.Type.IsInt, func(x []ir.V) {
		t, width := f.b.Func.Type(x[1]), f.b.Func.Type(x[0]).Bits()
		f.report(shifts, f.not(f.b.Cmp(ir.ULt, x[1], f.b.Const(t, uint64(width)))), fmt.Sprintf("a shift of %d bits by %%d", width), x[1])
	})
}

// checkField: bits beyond the width. The words from at on are the offset and the count.
func checkField(at int) func(f *function, in spirv.Inst) {
	return func(f *function, in spirv.Inst) {
		base := f.scalars(spirv.ID(in[3]))
		offset, count := f.one(spirv.ID(in[at])), f.one(spirv.ID(in[at+1]))
		if len(base) == 0 || !f.b.Func.Type(offset).IsInt() || !f.b.Func.Type(count).IsInt() {
			return
		}
		width := uint64(f.b.Func.Type(base[0]).Bits())
		wide := func(v ir.V) ir.V { // so that the sum does not wrap
			return f.b.Op(ir.UMin, ir.I64, f.toInt(v, ir.I64), f.b.Const(ir.I64, 1<<32))
		}
		end := f.b.Op(ir.Add, ir.I64, wide(offset), wide(count))
		rule := extracted
		if in.Op() == spirv.OpBitFieldInsert {
			rule = inserted
		}
		f.report(rule, f.b.Cmp(ir.ULt, f.b.Const(ir.I64, width), end), fmt.Sprintf("a field of %%u bits from bit %%u on of %d bits", width), count, offset)
	}
}

// checkConversion: a float that the integer cannot represent after truncation.
func checkConversion(f *function, in spirv.Inst) {
	to := f.flat(f.facts.Type(in.Type()))
	if len(to) == 0 || !to[0].IsInt() || f.facts.Has(in.Result(), spirv.DecorationSaturatedConversion) {
		return
	}
	width := float64(to[0].Bits())
	f.eachOperands(in[3:4], ir.Type.IsFloat, func(x []ir.V) {
		v := x[0]
		if f.b.Func.Type(v) != ir.F64 {
			v = f.b.Op(ir.FCvt, ir.F64, v)
		}
		number := func(x float64) ir.V { return f.b.Const(ir.F64, math.Float64bits(x)) }
		low, high := f.b.Cmp(ir.FLt, number(-1), v), f.b.Cmp(ir.FLt, v, number(math.Exp2(width)))
		if in.Op() == spirv.OpConvertFToS {
			least := -math.Exp2(width - 1)
			low = f.b.Cmp(ir.FLt, number(least-1), v)
			if least-1 == least { // 64 bits: no float is between them
				low = f.b.Cmp(ir.FLe, number(least), v)
			}
			high = f.b.Cmp(ir.FLt, v, number(math.Exp2(width-1)))
		}
		nan := f.not(f.b.Cmp(ir.FEq, v, v))
		f.report(integerOfNaN, nan, fmt.Sprintf("a conversion of NaN to an integer of %d bits", to[0].Bits()))
		low = f.b.Op(ir.Or, ir.B1, low, nan)
		high = f.b.Op(ir.Or, ir.B1, high, nan)
		f.report(outOfInteger, f.not(f.b.Op(ir.And, ir.B1, low, high)), fmt.Sprintf("a conversion of %%g to an integer of %d bits", to[0].Bits()), x[0])
	})
}

// checkCluster: a cluster whose size is no power of two, or more than the subgroup.
func (f *function) checkCluster(n uint64) {
	if n == 0 || n&(n-1) != 0 || n > uint64(f.options.SubgroupSize) {
		f.report(clusters, f.b.Bool(true), fmt.Sprintf("a cluster of %d invocations in a subgroup of %d", n, f.options.SubgroupSize))
	}
}

// checkBit: a bit of a ballot that no invocation of the subgroup has.
func (f *function) checkBit(i ir.V) {
	n := f.options.SubgroupSize
	f.report(ballotBits, f.b.Cmp(ir.ULe, f.b.I32(n), i), fmt.Sprintf("bit %%u of a ballot of %d invocations", n), i)
}

// checkFind: no bit of the words of a ballot that have lanes.
func (f *function) checkFind(w []ir.V) {
	all := f.b.I32(0)
	for _, x := range w {
		all = f.b.Op(ir.Or, ir.I32, all, x)
	}
	f.report(emptyBallot, f.b.Cmp(ir.Eq, all, f.b.I32(0)), "the ballot has no bit")
}

// domain is the set of operands for which GLSL.std.450 leaves the result undefined.
type domain struct {
	rule     string // the case of its row of docs/undefined.md
	operands int
	text     string // with the formats of the first operands
	shown    int    // how many
	bad      func(f *function, t ir.Type, x []ir.V) ir.V
}

// floatOf returns a constant of a float type.
func (f *function) floatOf(t ir.Type, x float64) ir.V {
	return f.b.Const(t, scalar.FromFloat(uint8(t.Bits()), false, x))
}

// isNaN returns whether a float is NaN.
func (f *function) isNaN(x ir.V) ir.V { return f.not(f.b.Cmp(ir.FEq, x, x)) }

// negative is the domain of instructions that have no result for a number below 0.
func negative(rule string) domain {
	return domain{rule, 1, "an operand of %g, less than 0", 1, func(f *function, t ir.Type, x []ir.V) ir.V {
		return f.b.Cmp(ir.FLt, x[0], f.floatOf(t, 0))
	}}
}

// zero is the domain of instructions that have no result for 0.
func zero(rule string) domain {
	return domain{rule, 1, "an operand of %g", 1, func(f *function, t ir.Type, x []ir.V) ir.V {
		return f.b.Cmp(ir.FEq, x[0], f.floatOf(t, 0))
	}}
}

// beyondOne is the domain of instructions that have results for -1 to 1.
func beyondOne(rule string) domain {
	return domain{rule, 1, "an operand of %g, beyond -1 to 1", 1, func(f *function, t ir.Type, x []ir.V) ir.V {
		return f.b.Cmp(ir.FLt, f.floatOf(t, 1), f.b.Op(ir.FAbs, t, x[0]))
	}}
}

// anyNaN is the domain of instructions that have no result if one of n operands is NaN.
func anyNaN(rule string, n int) domain {
	return domain{rule, n, "an operand is NaN: %g, %g", 2, func(f *function, _ ir.Type, x []ir.V) ir.V {
		bad := f.b.Bool(false)
		for _, y := range x {
			bad = f.b.Op(ir.Or, ir.B1, bad, f.isNaN(y))
		}
		return bad
	}}
}

// crossed is the domain of clamps: the greatest is not below the least.
var crossed = domain{"FClamp with least > greatest", 3, "bounds in descending order, of the value %g: %g and %g", 3, func(f *function, _ ir.Type, x []ir.V) ir.V {
	return f.b.Cmp(ir.FLt, x[2], x[1])
}}

// domains have the instructions of GLSL.std.450 on floats that are not defined for all operands.
var domains = map[spirv.GLSLOp][]domain{
	spirv.GLSLSqrt:        {negative("Sqrt, InverseSqrt of x < 0")},
	spirv.GLSLInverseSqrt: {negative("Sqrt, InverseSqrt of x < 0"), zero("InverseSqrt of ±0, of ∞")},
	spirv.GLSLLog:         {negative("Log, Log2 of x < 0"), zero("Log, Log2 of 0")},
	spirv.GLSLLog2:        {negative("Log, Log2 of x < 0"), zero("Log, Log2 of 0")},
	spirv.GLSLAsin:        {beyondOne("Asin, Acos of |x| > 1")},
	spirv.GLSLAcos:        {beyondOne("Asin, Acos of |x| > 1")},
	spirv.GLSLFMin:        {anyNaN("FMin, FMax if one operand is NaN", 2)},
	spirv.GLSLFMax:        {anyNaN("FMin, FMax if one operand is NaN", 2)},
	spirv.GLSLFClamp:      {crossed, anyNaN("FClamp of NaN", 3)},
	spirv.GLSLNClamp:      {crossed},
	spirv.GLSLAcosh: {{"Acosh of x < 1", 1, "an operand of %g, less than 1", 1, func(f *function, t ir.Type, x []ir.V) ir.V {
		return f.b.Cmp(ir.FLt, x[0], f.floatOf(t, 1))
	}}},
	spirv.GLSLAtanh: {{"Atanh of |x| ≥ 1", 1, "an operand of %g, not between -1 and 1", 1, func(f *function, t ir.Type, x []ir.V) ir.V {
		return f.b.Cmp(ir.FLe, f.floatOf(t, 1), f.b.Op(ir.FAbs, t, x[0]))
	}}},
	spirv.GLSLAtan2: {{"Atan2 of two zeros", 2, "two operands of 0", 0, func(f *function, t ir.Type, x []ir.V) ir.V {
		return f.b.Op(ir.And, ir.B1, f.b.Cmp(ir.FEq, x[0], f.floatOf(t, 0)), f.b.Cmp(ir.FEq, x[1], f.floatOf(t, 0)))
	}}},
	spirv.GLSLPow: {{"Pow of x < 0", 2, "a base of %g, less than 0, with the exponent %g", 2, func(f *function, t ir.Type, x []ir.V) ir.V {
		return f.b.Cmp(ir.FLt, x[0], f.floatOf(t, 0))
	}}, {"Pow of 0 and y ≤ 0", 2, "a base of %g with the exponent %g, 0 or less", 2, func(f *function, t ir.Type, x []ir.V) ir.V {
		zero := f.floatOf(t, 0)
		return f.b.Op(ir.And, ir.B1, f.b.Cmp(ir.FEq, x[0], zero), f.b.Cmp(ir.FLe, x[1], zero))
	}}},
	spirv.GLSLSmoothStep: {{"SmoothStep with edge0 ≥ edge1, SmoothStep of NaN", 3, "edges of %g and %g, not in ascending order", 2, func(f *function, _ ir.Type, x []ir.V) ir.V {
		return f.b.Cmp(ir.FLe, x[1], x[0])
	}}},
}

// checkDomain: the operands of an instruction of GLSL.std.450.
func checkDomain(f *function, in spirv.Inst) {
	v := inst.ExtInst(in)
	if f.facts.ExtSet(v.Set()) != spirv.ExtSetGLSL {
		return
	}
	n := spirv.GLSLOp(v.Instruction())
	for _, d := range domains[n] {
		if len(in) != 5+d.operands {
			continue
		}
		f.eachOperands(in[5:], ir.Type.IsFloat, func(x []ir.V) {
			for _, y := range x {
				if f.b.Func.Type(y) != f.b.Func.Type(x[0]) {
					return
				}
			}
			f.report(finding{ir.SanitizeUndefined, d.rule}, d.bad(f, f.b.Func.Type(x[0]), x), d.text, x[:d.shown]...)
		})
	}
	if (n == spirv.GLSLUClamp || n == spirv.GLSLSClamp) && len(in) == 8 {
		less := ir.ULt
		if n == spirv.GLSLSClamp {
			less = ir.SLt
		}
		f.eachOperands(in[5:], ir.Type.IsInt, func(x []ir.V) {
			if t := f.b.Func.Type(x[0]); t == f.b.Func.Type(x[1]) && t == f.b.Func.Type(x[2]) {
				f.report(crossedClamp, f.b.Cmp(less, x[2], x[1]), "bounds in descending order, of the value %d: %d and %d", x...)
			}
		})
	}
}

// The limits of the offset of InterpolateAtOffset, in fragments. Interpolation is exact to float32 at any offset: the limits are other
// drivers'.
const (
	MinInterpolationOffset  = -2
	MaxInterpolationOffset  = 2
	InterpolationOffsetBits = 8 // of the fraction

	interpolationStep = 1. / (1 << InterpolationOffsetBits)
)

// checkOffset: an offset of InterpolateAtOffset outside of the limits, which are multiples of the size of the fragment.
func (f *function) checkOffset(at [2]ir.V) {
	if !f.sanitizes(ir.SanitizeUndefined) {
		return
	}
	for i, rules := range [2][2]finding{{leastOffsetX, greatestOffsetX}, {leastOffsetY, greatestOffsetY}} {
		pixels := f.b.OpAux(ir.In, ir.I32, f.inputNumber(ir.Input{Semantic: ir.FragSize, Type: ir.I32, Index: uint32(i)}))
		size := f.b.Op(ir.UToF, ir.F32, pixels)
		least := f.b.Op(ir.FMul, ir.F32, size, f.floatOf(ir.F32, MinInterpolationOffset))
		end := f.b.Op(ir.FMul, ir.F32, size, f.floatOf(ir.F32, MaxInterpolationOffset+interpolationStep))
		most := f.b.Op(ir.FSub, ir.F32, end, f.floatOf(ir.F32, interpolationStep))
		f.report(rules[0], f.not(f.b.Cmp(ir.FLe, least, at[i])), "the offset %g of component "+"xy"[i:i+1]+", less than %g", at[i], least)
		f.report(rules[1], f.b.Cmp(ir.FLt, most, at[i]), "the offset %g of component "+"xy"[i:i+1]+", more than %g", at[i], most)
	}
}

// checkGeneratedHit: the distance of a hit in a bounding box that is outside of the rest of the ray. Without a committed hit, the
// committed distance is the end of the ray.
func checkGeneratedHit(f *function, in spirv.Inst) {
	v := inst.RayQueryGenerateIntersectionKHR(in)
	p, t := f.rayAt(v.RayQuery()), f.typed(v.HitT(), ir.F32)
	least, most := f.rayFloat(p, ir.RayTMin), f.rayFloat(p, ir.RayCommitted+ir.HitT)
	inside := f.b.Op(ir.And, ir.B1, f.b.Cmp(ir.FLe, least, t), f.b.Cmp(ir.FLe, t, most))
	f.report(generatedHit, f.not(inside), "a hit at the distance %g, outside of the ray from %g to %g", t, least, most)
}

// checkPositions: the vertices of a hit that is no triangle.
func (f *function) checkPositions() {
	if !f.sanitizes(ir.SanitizeUndefined) {
		return
	}
	const front, back = 0xFE, 0xFF // HitKindFrontFacingTriangleKHR, HitKindBackFacingTriangleKHR
	kind := f.raySlot(f.frame(), f.hitOfStage()+ir.HitShaderKind)
	triangle := f.b.Op(ir.Or, ir.B1, f.b.Cmp(ir.Eq, kind, f.b.I32(front)), f.b.Cmp(ir.Eq, kind, f.b.I32(back)))
	f.report(hitPositions, f.not(triangle), "the vertices of a hit of the kind %u, which is no triangle", kind)
}
