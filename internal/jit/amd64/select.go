package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// rule names an IR operation with its type and that of its first operand.
type rule struct {
	op       ir.Op
	typ, arg ir.Type
}

// emitter makes the code of a Lane instruction.
type emitter func(m *machine, in *vcode.Inst)

// Predicates of integer and float comparisons (Intel SDM vol. 2, VPCMPD and
// CMPPS; the quiet ones).
const (
	compareEQ = 0
	compareLT = 1
	compareLE = 2
	compareGE = 5
	compareGT = 6

	orderedEQ = 0x00
	unordered = 0x03
	orderedLT = 0x11
	orderedLE = 0x12
)

// Rounding of VRNDSCALEPS, without the inexact exception.
const (
	roundEven  = 8
	roundFloor = 9
	roundCeil  = 10
	roundTrunc = 11
)

// rules is the code of operations on 16 lanes. What is not here leaves for Go,
// which asks the operation's row in the IR.
var rules = map[rule]emitter{
	{ir.Add, ir.I32, ir.I32}:  two(VPADDD),
	{ir.Sub, ir.I32, ir.I32}:  two(VPSUBD),
	{ir.Mul, ir.I32, ir.I32}:  two(VPMULLD),
	{ir.And, ir.I32, ir.I32}:  two(VPANDD),
	{ir.Or, ir.I32, ir.I32}:   two(VPORD),
	{ir.Xor, ir.I32, ir.I32}:  two(VPXORD),
	{ir.UMin, ir.I32, ir.I32}: two(VPMINUD),
	{ir.UMax, ir.I32, ir.I32}: two(VPMAXUD),
	{ir.SMin, ir.I32, ir.I32}: two(VPMINSD),
	{ir.SMax, ir.I32, ir.I32}: two(VPMAXSD),
	{ir.SAbs, ir.I32, ir.I32}: one(VPABSD),
	{ir.Not, ir.I32, ir.I32}:  withWord(VPXORD, 0xffffffff),
	{ir.Shl, ir.I32, ir.I32}:  shift(VPSLLVD),
	{ir.LShr, ir.I32, ir.I32}: shift(VPSRLVD),
	{ir.AShr, ir.I32, ir.I32}: shift(VPSRAVD),

	{ir.And, ir.B1, ir.B1}: maskBinary(KANDW),
	{ir.Or, ir.B1, ir.B1}:  maskBinary(KORW),
	{ir.Xor, ir.B1, ir.B1}: maskBinary(KXORW),
	{ir.Eq, ir.B1, ir.B1}:  maskBinary(KXNORW),
	{ir.Not, ir.B1, ir.B1}: maskNot,

	{ir.Eq, ir.B1, ir.I32}:  compare(VPCMPUD, compareEQ),
	{ir.ULt, ir.B1, ir.I32}: compare(VPCMPUD, compareLT),
	{ir.ULe, ir.B1, ir.I32}: compare(VPCMPUD, compareLE),
	{ir.SLt, ir.B1, ir.I32}: compare(VPCMPD, compareLT),
	{ir.SLe, ir.B1, ir.I32}: compare(VPCMPD, compareLE),
	{ir.FEq, ir.B1, ir.F32}: compare(VCMPPS, orderedEQ),
	{ir.FLt, ir.B1, ir.F32}: compare(VCMPPS, orderedLT),
	{ir.FLe, ir.B1, ir.F32}: compare(VCMPPS, orderedLE),

	{ir.FAdd, ir.F32, ir.F32}:       rounded(VADDPS),
	{ir.FSub, ir.F32, ir.F32}:       rounded(VSUBPS),
	{ir.FMul, ir.F32, ir.F32}:       rounded(VMULPS),
	{ir.FDiv, ir.F32, ir.F32}:       rounded(VDIVPS),
	{ir.FFma, ir.F32, ir.F32}:       multiplyAdd,
	{ir.FSqrt, ir.F32, ir.F32}:      roundedUnary(VSQRTPS),
	{ir.FNeg, ir.F32, ir.F32}:       withWord(VPXORD, 0x80000000),
	{ir.FAbs, ir.F32, ir.F32}:       withWord(VPANDD, 0x7fffffff),
	{ir.FFloor, ir.F32, ir.F32}:     roundScale(roundFloor),
	{ir.FCeil, ir.F32, ir.F32}:      roundScale(roundCeil),
	{ir.FTrunc, ir.F32, ir.F32}:     roundScale(roundTrunc),
	{ir.FRoundEven, ir.F32, ir.F32}: roundScale(roundEven),
	{ir.FMin, ir.F32, ir.F32}:       swapped(VMINPS),
	{ir.FMax, ir.F32, ir.F32}:       swapped(VMAXPS),
	{ir.FCanon, ir.F32, ir.F32}:     canonical,

	{ir.Bitcast, ir.I32, ir.F32}: same,
	{ir.Bitcast, ir.F32, ir.I32}: same,
	{ir.Bitcast, ir.I32, ir.I32}: same,
	{ir.Bitcast, ir.F32, ir.F32}: same,
	{ir.ZExt, ir.I32, ir.B1}:     fromMask,
	{ir.SToF, ir.F32, ir.I32}:    roundedUnary(VCVTDQ2PS),
	{ir.UToF, ir.F32, ir.I32}:    roundedUnary(VCVTUDQ2PS),

	{ir.Select, ir.I8, ir.B1}:  choose,
	{ir.Select, ir.I16, ir.B1}: choose,
	{ir.Select, ir.I32, ir.B1}: choose,
	{ir.Select, ir.F16, ir.B1}: choose,
	{ir.Select, ir.F32, ir.B1}: choose,
	{ir.Select, ir.H, ir.B1}:   choose,
	{ir.Select, ir.B1, ir.B1}:  chooseMask,

	{ir.Res, ir.H, ir.I32}:    resource,
	{ir.Push, ir.H, ir.None}:  handle,
	{ir.Wg, ir.H, ir.None}:    handle,
	{ir.Table, ir.H, ir.None}: handle,
	{ir.Len, ir.I32, ir.H}:    length,
	{ir.At, ir.I32, ir.I32}:   offsetAt,
	{ir.Ld, ir.I32, ir.H}:     load,
	{ir.Ld, ir.F32, ir.H}:     load,
	{ir.St, ir.I32, ir.H}:     store,
	{ir.St, ir.F32, ir.H}:     store,
	{ir.PLd, ir.I32, ir.I32}:  privateLoad,
	{ir.PLd, ir.F32, ir.I32}:  privateLoad,
	{ir.PSt, ir.I32, ir.I32}:  privateStore,
	{ir.PSt, ir.F32, ir.I32}:  privateStore,
	{ir.In, ir.I32, ir.None}:  input,
	{ir.Fence, 0, 0}:          fence,
}

// Native reports whether an IR operation has code of its own, so that it does
// not leave for Go.
func Native(k ir.Key, op ir.Op) bool {
	_, ok := rules[rule{op, k.Type, k.From}]
	return ok
}

// lane makes the code of an IR operation: its rule's, or a call of Go that is
// skipped where no lane is active.
func (m *machine) lane(in *vcode.Inst) {
	if emit, ok := rules[rule{in.IR, in.Key.Type, in.Key.From}]; ok && in.Op == vcode.Lane {
		emit(m, in)
		return
	}
	m.leaveUnlessEmpty(in)
}

// leaveUnlessEmpty calls Go for an instruction if any lane is active.
func (m *machine) leaveUnlessEmpty(in *vcode.Inst) {
	skip := m.NewLabel()
	m.testMasks(in.Masks)
	m.Jcc(Equal, skip)
	m.leave(in)
	m.Bind(skip)
}

// two is d = u0 op u1.
func two(op Op) emitter {
	return func(m *machine, in *vcode.Inst) {
		m.execution(in)
		m.loadVec(0, in.Uses[0])
		m.RM(op, V512, 0, 0, m.slot(in.Uses[1]), 0)
		m.define(in, 0)
	}
}

// swapped is d = u1 op u0: VMINPS gives its second operand where the first is
// not less, which fmin wants of its first.
func swapped(op Op) emitter {
	return func(m *machine, in *vcode.Inst) {
		m.execution(in)
		m.loadVec(0, in.Uses[1])
		m.RM(op, V512, 0, 0, m.slot(in.Uses[0]), 0)
		m.define(in, 0)
	}
}

func one(op Op) emitter {
	return func(m *machine, in *vcode.Inst) {
		m.execution(in)
		m.RM(op, V512, 0, 0, m.slot(in.Uses[0]), 0)
		m.define(in, 0)
	}
}

// withWord is d = u0 op a constant.
func withWord(op Op, v uint32) emitter {
	return func(m *machine, in *vcode.Inst) {
		m.execution(in)
		m.loadVec(0, in.Uses[0])
		m.RM(op, V512, 0, 0, m.word32(v), BC)
		m.define(in, 0)
	}
}

// shift takes the count modulo 32, which the machine does not.
func shift(op Op) emitter {
	return func(m *machine, in *vcode.Inst) {
		m.execution(in)
		m.loadVec(0, in.Uses[0])
		m.loadVec(1, in.Uses[1])
		m.RM(VPANDD, V512, 1, 1, m.word32(31), BC)
		m.RR(op, V512, 0, 0, 1, 0)
		m.define(in, 0)
	}
}

// rounding is the embedded rounding that an operation's flags ask for.
func rounding(in *vcode.Inst) Opt {
	if in.Key.Flags&ir.RTZ != 0 {
		return RZ
	}
	return RN
}

func rounded(op Op) emitter {
	return func(m *machine, in *vcode.Inst) {
		m.execution(in)
		m.loadVec(0, in.Uses[0])
		m.loadVec(1, in.Uses[1])
		m.RR(op, V512, 0, 0, 1, rounding(in))
		m.define(in, 0)
	}
}

func roundedUnary(op Op) emitter {
	return func(m *machine, in *vcode.Inst) {
		m.execution(in)
		m.loadVec(0, in.Uses[0])
		m.RR(op, V512, 0, 0, 0, rounding(in))
		m.define(in, 0)
	}
}

// multiplyAdd is d = u0·u1 + u2, rounded once.
func multiplyAdd(m *machine, in *vcode.Inst) {
	m.execution(in)
	m.loadVec(0, in.Uses[0])
	m.loadVec(1, in.Uses[1])
	m.loadVec(2, in.Uses[2])
	m.RR(VFMADD213PS, V512, 0, 1, 2, rounding(in))
	m.define(in, 0)
}

func roundScale(mode uint8) emitter {
	return func(m *machine, in *vcode.Inst) {
		m.execution(in)
		m.RMI(VRNDSCALEPS, V512, 0, 0, m.slot(in.Uses[0]), mode, 0)
		m.define(in, 0)
	}
}

// canonical makes every NaN the canonical one.
func canonical(m *machine, in *vcode.Inst) {
	m.execution(in)
	m.loadVec(0, in.Uses[0])
	m.RRI(VCMPPS, V512, 2, 0, 0, unordered, 0)
	m.RM(VPBROADCASTD, V512, 0, 0, m.word32(0x7fc00000), K(2))
	m.define(in, 0)
}

func same(m *machine, in *vcode.Inst) {
	m.execution(in)
	m.loadVec(0, in.Uses[0])
	m.define(in, 0)
}

// fromMask is 1 where the mask is set and 0 elsewhere.
func fromMask(m *machine, in *vcode.Inst) {
	m.execution(in)
	m.loadMask(2, in.Uses[0])
	m.RM(VPBROADCASTD, V512, 0, 0, m.word32(1), K(2)|Z)
	m.define(in, 0)
}

// compare is a comparison of vectors into a mask.
func compare(op Op, predicate uint8) emitter {
	return func(m *machine, in *vcode.Inst) {
		m.execution(in)
		m.loadVec(0, in.Uses[0])
		m.RMI(op, V512, 2, 0, m.slot(in.Uses[1]), predicate, K(1))
		m.defineMask(in, 2)
	}
}

func maskBinary(op Op) emitter {
	return func(m *machine, in *vcode.Inst) {
		m.execution(in)
		m.loadMask(2, in.Uses[0])
		m.loadMask(3, in.Uses[1])
		m.RR(op, V128, 2, 2, 3, 0)
		m.RR(KANDW, V128, 2, 2, 1, 0)
		m.defineMask(in, 2)
	}
}

func maskNot(m *machine, in *vcode.Inst) {
	m.execution(in)
	m.loadMask(2, in.Uses[0])
	m.RR(KANDNW, V128, 2, 2, 1, 0)
	m.defineMask(in, 2)
}

// choose is u0 ? u1 : u2.
func choose(m *machine, in *vcode.Inst) {
	m.execution(in)
	m.loadMask(2, in.Uses[0])
	m.loadVec(0, in.Uses[2])
	m.RM(VMOVDQA32, V512, 0, 0, m.slot(in.Uses[1]), K(2))
	m.define(in, 0)
}

func chooseMask(m *machine, in *vcode.Inst) {
	m.execution(in)
	m.loadMask(2, in.Uses[0])
	m.loadMask(3, in.Uses[1])
	m.loadMask(4, in.Uses[2])
	m.RR(KANDW, V128, 3, 2, 3, 0)
	m.RR(KANDNW, V128, 4, 2, 4, 0)
	m.RR(KORW, V128, 3, 3, 4, 0)
	m.RR(KANDW, V128, 3, 3, 1, 0)
	m.defineMask(in, 3)
}
