package lower

import (
	"fmt"
	"math"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/scalar"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// With Options.Sanitize the program checks itself, as with UndefinedBehaviorSanitizer of LLVM: before an instruction with
// operands for which SPIR-V or Vulkan defines no result, the invocation logs a message of kind ir.Undefined. The results
// remain as in docs/undefined.md. The checks are ordinary operations, so that both engines and all stages have them.

// sanitizers are the checks by instruction. Others are at the accesses themselves: checkRange, checkIndexes,
// checkInitialized, checkTexel, checkLane.
var sanitizers = map[spirv.Op]func(f *function, in spirv.Inst){
	spirv.OpUDiv: checkDivisor, spirv.OpUMod: checkDivisor,
	spirv.OpSDiv: checkDivisor, spirv.OpSRem: checkDivisor, spirv.OpSMod: checkDivisor,

	spirv.OpShiftLeftLogical: checkShift, spirv.OpShiftRightLogical: checkShift, spirv.OpShiftRightArithmetic: checkShift,

	spirv.OpBitFieldInsert:   checkField(5),
	spirv.OpBitFieldSExtract: checkField(4),
	spirv.OpBitFieldUExtract: checkField(4),

	spirv.OpConvertFToS: checkConversion,
	spirv.OpConvertFToU: checkConversion,

	spirv.OpVectorExtractDynamic: checkComponent(3, 4),
	spirv.OpVectorInsertDynamic:  checkComponent(3, 5),

	spirv.OpDPdx: checkQuad, spirv.OpDPdy: checkQuad, spirv.OpFwidth: checkQuad,
	spirv.OpDPdxFine: checkQuad, spirv.OpDPdyFine: checkQuad, spirv.OpFwidthFine: checkQuad,
	spirv.OpDPdxCoarse: checkQuad, spirv.OpDPdyCoarse: checkQuad, spirv.OpFwidthCoarse: checkQuad,
	spirv.OpImageSampleImplicitLod: checkQuad, spirv.OpImageSampleDrefImplicitLod: checkQuad,
	spirv.OpImageSampleProjImplicitLod: checkQuad, spirv.OpImageSampleProjDrefImplicitLod: checkQuad,
	spirv.OpImageSparseSampleImplicitLod: checkQuad, spirv.OpImageSparseSampleDrefImplicitLod: checkQuad,
	spirv.OpImageQueryLod: checkQuad,

	spirv.OpExtInst: checkDomain,
}

// sanitize appends the checks of an instruction.
func (f *function) sanitize(op spirv.Op, in spirv.Inst) {
	if check := sanitizers[op]; check != nil {
		check(f, in)
	}
}

// maxChecks bounds the messages of checks, below maxMessages so that the shader's own have room. A larger program is not
// checked further.
const maxChecks = maxMessages / 2

// undefined appends a message that the current instruction has no defined result, for the lanes in which c is 1. text has
// the formats of debugPrintf for args.
func (f *function) undefined(c ir.V, text string, args ...ir.V) {
	bits, known := f.constBits(c)
	if known && bits == 0 {
		return
	}
	types := make([]ir.Type, len(args))
	for i, v := range args {
		types[i] = f.b.Func.Type(v)
	}
	n, ok := f.checkMessage(ir.Undefined, f.located(text), types)
	if !ok {
		return
	}
	if !known {
		f.b.If(c)
	}
	f.b.OpAux(ir.Log, ir.None, n)
	for i, v := range args {
		f.b.Op(ir.LogArg, types[i], v)
	}
	if !known {
		f.b.End()
	}
}

// checkMessage returns the number of a message of a check; equal ones of a program are one. It returns false if there are
// too many.
func (u *unit) checkMessage(kind ir.MessageKind, text string, types []ir.Type) (uint64, bool) {
	if n, ok := u.checks[text]; ok {
		return n, true
	}
	if len(u.checks) >= maxChecks || len(u.prog.Messages) >= maxMessages {
		return 0, false
	}
	if u.checks == nil {
		u.checks = map[string]uint64{}
	}
	n := uint64(len(u.prog.Messages))
	u.checks[text] = n
	u.prog.Messages = append(u.prog.Messages, ir.Message{Kind: kind, Text: text, Args: types})
	return n, true
}

// located returns a text that begins with the position in the source and the instruction.
func (f *function) located(text string) string {
	in := f.facts.Code.Inst(f.at)
	at := in.Op().String()
	if v := inst.ExtInst(in); in.Op() == spirv.OpExtInst && f.facts.ExtSet(v.Set()) == spirv.ExtSetGLSL {
		at = spirv.GLSLOp(v.Instruction()).String()
	}
	if r := in.Result(); r != 0 {
		at += fmt.Sprintf(" %%%d", r)
	}
	if p, ok := f.facts.Line(f.at); ok {
		at = fmt.Sprintf("%s:%d: %s", p.File, p.Line, at)
	}
	return escaped(at) + ": " + text
}

// escaped returns a text as a part of a format of debugPrintf.
func escaped(text string) string { return strings.ReplaceAll(text, "%", "%%") }

// not returns the complement of a boolean.
func (f *function) not(c ir.V) ir.V { return f.b.Op(ir.Not, ir.B1, c) }

// eachOperands calls yield with the scalars of the operands of each component; an operand with one scalar is an operand of
// every component. It ends at a type that is of another kind: the lowering of the instruction reports the malformed operand.
func (f *function) eachOperands(words []uint32, is func(ir.Type) bool, yield func(x []ir.V)) {
	args := f.operands(words)
	for i := range args[0] {
		x := make([]ir.V, len(args))
		for k, a := range args {
			if len(a) != len(args[0]) && len(a) != 1 {
				return
			}
			x[k] = a[min(i, len(a)-1)]
			if !is(f.b.Func.Type(x[k])) {
				return
			}
		}
		yield(x)
	}
}

// checkDivisor: a divisor of 0, and the quotient of the least number by -1, which is not representable.
func checkDivisor(f *function, in spirv.Inst) {
	f.eachOperands(in[3:5], ir.Type.IsInt, func(x []ir.V) {
		t := f.b.Func.Type(x[1])
		f.undefined(f.b.Cmp(ir.Eq, x[1], f.b.Const(t, 0)), "a division by 0")
		if op := in.Op(); op == spirv.OpUDiv || op == spirv.OpUMod || f.b.Func.Type(x[0]) != t {
			return
		}
		least := f.b.Cmp(ir.Eq, x[0], f.b.Const(t, 1<<(t.Bits()-1)))
		minus := f.b.Cmp(ir.Eq, x[1], f.b.Const(t, math.MaxUint64))
		f.undefined(f.b.Op(ir.And, ir.B1, least, minus), "a division of the least number by -1")
	})
}

// checkShift: a shift by the width or more.
func checkShift(f *function, in spirv.Inst) {
	f.eachOperands(in[3:5], ir.Type.IsInt, func(x []ir.V) {
		t, width := f.b.Func.Type(x[1]), f.b.Func.Type(x[0]).Bits()
		f.undefined(f.not(f.b.Cmp(ir.ULt, x[1], f.b.Const(t, uint64(width)))), fmt.Sprintf("a shift of %d bits by %%d", width), x[1])
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
		f.undefined(f.b.Cmp(ir.ULt, f.b.Const(ir.I64, width), end), fmt.Sprintf("a field of %%u bits from bit %%u on of %d bits", width), count, offset)
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
		f.undefined(f.not(f.b.Op(ir.And, ir.B1, low, high)), fmt.Sprintf("a conversion of %%g to an integer of %d bits", to[0].Bits()), x[0])
	})
}

// checkComponent: an index beyond a vector. The words are the vector and the index.
func checkComponent(vector, index int) func(f *function, in spirv.Inst) {
	return func(f *function, in spirv.Inst) {
		f.checkIndex(f.indexOperand(spirv.ID(in[index])), uint64(len(f.scalars(spirv.ID(in[vector])))), "components of the vector")
	}
}

// checkIndexes: the indexes of an access chain into arrays of known size, matrices and vectors.
func (f *function) checkIndexes(p pointer, indexes []spirv.ID) {
	t := p.typ
	for _, id := range indexes {
		if t == nil {
			return
		}
		if t.IsStruct() {
			i, ok := f.constBits(f.one(id))
			if !ok || i >= uint64(len(t.Members)) {
				return
			}
			t = t.Members[i].Type
			continue
		}
		if t.Count > 0 && !t.IsRuntimeArray() {
			f.checkIndex(f.indexOperand(id), t.Count, "elements")
		}
		t = t.Elem
	}
}

// checkIndex: index i of n.
func (f *function) checkIndex(i operand, n uint64, of string) {
	v := f.operandValue(i)
	f.undefined(f.not(f.b.Cmp(ir.ULt, v, f.b.I32(uint32(min(n, farAway))))), fmt.Sprintf("index %%d of %d %s", n, of), v)
}

// checkUniform: an index of a descriptor that is not the same in the subgroup's active lanes, without NonUniform.
func (f *function) checkUniform(chain, index spirv.ID, i operand) {
	if i.v == 0 || f.facts.Has(chain, spirv.DecorationNonUniform) || f.facts.Has(index, spirv.DecorationNonUniform) {
		return
	}
	f.undefined(f.not(f.b.Op(ir.AllEq, ir.B1, i.v)), fmt.Sprintf("the index of a descriptor is not uniform; %%%%%d has no NonUniform", chain))
}

// checkLane: a lane that is not active, or not in the subgroup.
func (f *function) checkLane(lane ir.V) {
	one := f.b.I32(1)
	f.undefined(f.b.Cmp(ir.Eq, f.b.Op(ir.Shuf, ir.I32, one, lane), f.b.I32(0)), "the value of invocation %d of the subgroup, which is not active", lane)
}

// checkQuad: a derivative in control flow that not all invocations of the quad reach.
func checkQuad(f *function, in spirv.Inst) {
	if f.prog.Stage != ir.Fragment && !f.inQuadGroups() || f.options.SubgroupSize < 4 {
		return
	}
	own := f.lane()
	alone := f.b.Bool(false)
	for direction := uint64(1); direction <= acrossX|acrossY; direction++ { // an inactive lane reads as the own one
		other := f.b.OpAux(ir.QuadSwap, ir.I32, direction, own)
		alone = f.b.Op(ir.Or, ir.B1, alone, f.b.Cmp(ir.Eq, own, other))
	}
	f.undefined(alone, "a derivative that not all invocations of the quad reach")
}

// checkCluster: a cluster whose size is no power of two, or more than the subgroup.
func (f *function) checkCluster(n uint64) {
	if n == 0 || n&(n-1) != 0 || n > uint64(f.options.SubgroupSize) {
		f.undefined(f.b.Bool(true), fmt.Sprintf("a cluster of %d invocations", n))
	}
}

// domain is the set of operands for which GLSL.std.450 leaves the result undefined.
type domain struct {
	operands int
	text     string // with the format of the first operand, except for Atan2
	bad      func(f *function, t ir.Type, x []ir.V) ir.V
}

// floatOf returns a constant of a float type.
func (f *function) floatOf(t ir.Type, x float64) ir.V {
	return f.b.Const(t, scalar.FromFloat(uint8(t.Bits()), false, x))
}

var (
	negative = domain{1, "an operand of %g, less than 0", func(f *function, t ir.Type, x []ir.V) ir.V {
		return f.b.Cmp(ir.FLt, x[0], f.floatOf(t, 0))
	}}
	notPositive = domain{1, "an operand of %g, not more than 0", func(f *function, t ir.Type, x []ir.V) ir.V {
		return f.b.Cmp(ir.FLe, x[0], f.floatOf(t, 0))
	}}
	beyondOne = domain{1, "an operand of %g, beyond -1 to 1", func(f *function, t ir.Type, x []ir.V) ir.V {
		return f.b.Cmp(ir.FLt, f.floatOf(t, 1), f.b.Op(ir.FAbs, t, x[0]))
	}}
	crossed = domain{3, "bounds in descending order, of the value %g", func(f *function, t ir.Type, x []ir.V) ir.V {
		return f.b.Cmp(ir.FLt, x[2], x[1])
	}}
)

// domains has the domain of each instruction of GLSL.std.450 on floats that is not defined for all operands.
var domains = map[spirv.GLSLOp]domain{
	spirv.GLSLSqrt:        negative,
	spirv.GLSLInverseSqrt: notPositive,
	spirv.GLSLLog:         notPositive,
	spirv.GLSLLog2:        notPositive,
	spirv.GLSLAsin:        beyondOne,
	spirv.GLSLAcos:        beyondOne,
	spirv.GLSLFClamp:      crossed,
	spirv.GLSLNClamp:      crossed,
	spirv.GLSLAcosh: {1, "an operand of %g, less than 1", func(f *function, t ir.Type, x []ir.V) ir.V {
		return f.b.Cmp(ir.FLt, x[0], f.floatOf(t, 1))
	}},
	spirv.GLSLAtanh: {1, "an operand of %g, not between -1 and 1", func(f *function, t ir.Type, x []ir.V) ir.V {
		return f.b.Cmp(ir.FLe, f.floatOf(t, 1), f.b.Op(ir.FAbs, t, x[0]))
	}},
	spirv.GLSLAtan2: {2, "two operands of 0", func(f *function, t ir.Type, x []ir.V) ir.V {
		return f.b.Op(ir.And, ir.B1, f.b.Cmp(ir.FEq, x[0], f.floatOf(t, 0)), f.b.Cmp(ir.FEq, x[1], f.floatOf(t, 0)))
	}},
	spirv.GLSLPow: {2, "a base of %g, less than 0, or 0 with an exponent of 0 or less", func(f *function, t ir.Type, x []ir.V) ir.V {
		zero := f.floatOf(t, 0)
		both := f.b.Op(ir.And, ir.B1, f.b.Cmp(ir.FEq, x[0], zero), f.b.Cmp(ir.FLe, x[1], zero))
		return f.b.Op(ir.Or, ir.B1, both, f.b.Cmp(ir.FLt, x[0], zero))
	}},
	spirv.GLSLSmoothStep: {3, "edges in descending order, from %g on", func(f *function, t ir.Type, x []ir.V) ir.V {
		return f.b.Cmp(ir.FLe, x[1], x[0])
	}},
}

// checkDomain: the operands of an instruction of GLSL.std.450.
func checkDomain(f *function, in spirv.Inst) {
	v := inst.ExtInst(in)
	if f.facts.ExtSet(v.Set()) != spirv.ExtSetGLSL {
		return
	}
	n := spirv.GLSLOp(v.Instruction())
	switch d, ok := domains[n]; {
	case ok && len(in) == 5+d.operands:
		f.eachOperands(in[5:], ir.Type.IsFloat, func(x []ir.V) {
			for _, y := range x {
				if f.b.Func.Type(y) != f.b.Func.Type(x[0]) {
					return
				}
			}
			args := x[:1]
			if n == spirv.GLSLAtan2 {
				args = nil
			}
			f.undefined(d.bad(f, f.b.Func.Type(x[0]), x), d.text, args...)
		})
	case (n == spirv.GLSLUClamp || n == spirv.GLSLSClamp) && len(in) == 8:
		less := ir.ULt
		if n == spirv.GLSLSClamp {
			less = ir.SLt
		}
		f.eachOperands(in[5:], ir.Type.IsInt, func(x []ir.V) {
			if t := f.b.Func.Type(x[0]); t == f.b.Func.Type(x[1]) && t == f.b.Func.Type(x[2]) {
				f.undefined(f.b.Cmp(less, x[2], x[1]), "bounds in descending order, of the value %d", x[0])
			}
		})
	}
}
