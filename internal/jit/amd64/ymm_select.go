package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/codegen"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// ymmRules are the operations with code for eight lanes. The others exit to Go, which evaluates the
// operation's row in the IR. The rules of one instruction are here; longer sequences are in the
// files of the merged tables. A rule without masks in its code computes all lanes: an inactive lane
// has some value, which cannot trap, because MXCSR masks all exceptions.
var ymmRules = codegen.NewTable(map[codegen.Rule]ymmEmitter{
	{ir.Add, ir.I32, ir.I32}:  ymmAdd,
	{ir.Sub, ir.I32, ir.I32}:  ymmBinaryOp(AVX_VPSUBD),
	{ir.Mul, ir.I32, ir.I32}:  ymmCommutativeOp(AVX_VPMULLD),
	{ir.And, ir.I32, ir.I32}:  ymmCommutativeOp(AVX_VPAND),
	{ir.Or, ir.I32, ir.I32}:   ymmCommutativeOp(AVX_VPOR),
	{ir.Xor, ir.I32, ir.I32}:  ymmCommutativeOp(AVX_VPXOR),
	{ir.UMin, ir.I32, ir.I32}: ymmCommutativeOp(AVX_VPMINUD),
	{ir.UMax, ir.I32, ir.I32}: ymmCommutativeOp(AVX_VPMAXUD),
	{ir.SMin, ir.I32, ir.I32}: ymmCommutativeOp(AVX_VPMINSD),
	{ir.SMax, ir.I32, ir.I32}: ymmCommutativeOp(AVX_VPMAXSD),
	{ir.SAbs, ir.I32, ir.I32}: ymmUnaryOp(AVX_VPABSD),
	{ir.Not, ir.I32, ir.I32}:  ymmConstOp(AVX_VPXOR, 1<<32-1),
	{ir.Shl, ir.I32, ir.I32}:  ymmShift(AVX_VPSLLVD, AVX_VPSLLD),
	{ir.LShr, ir.I32, ir.I32}: ymmShift(AVX_VPSRLVD, AVX_VPSRLD),
	{ir.AShr, ir.I32, ir.I32}: ymmShift(AVX_VPSRAVD, AVX_VPSRAD),

	{ir.And, ir.B1, ir.B1}: ymmCommutativeOp(AVX_VPAND),
	{ir.Or, ir.B1, ir.B1}:  ymmCommutativeOp(AVX_VPOR),
	{ir.Xor, ir.B1, ir.B1}: ymmCommutativeOp(AVX_VPXOR),
	{ir.Eq, ir.B1, ir.B1}:  ymmCommutativeOp(AVX_VPCMPEQD),
	{ir.Not, ir.B1, ir.B1}: ymmConstOp(AVX_VPXOR, 1<<32-1),

	{ir.Eq, ir.B1, ir.I32}:  ymmCommutativeOp(AVX_VPCMPEQD),
	{ir.ULt, ir.B1, ir.I32}: ymmBelow,
	{ir.ULe, ir.B1, ir.I32}: ymmBelowEqual,
	{ir.SLt, ir.B1, ir.I32}: ymmSwappedOp(AVX_VPCMPGTD),
	{ir.SLe, ir.B1, ir.I32}: ymmLessEqual,
	{ir.FEq, ir.B1, ir.F32}: ymmCompare(orderedEQ),
	{ir.FLt, ir.B1, ir.F32}: ymmCompare(orderedLT),
	{ir.FLe, ir.B1, ir.F32}: ymmCompare(orderedLE),

	{ir.FAdd, ir.F32, ir.F32}:       ymmCommutativeOp(AVX_VADDPS),
	{ir.FSub, ir.F32, ir.F32}:       ymmBinaryOp(AVX_VSUBPS),
	{ir.FMul, ir.F32, ir.F32}:       ymmCommutativeOp(AVX_VMULPS),
	{ir.FDiv, ir.F32, ir.F32}:       ymmBinaryOp(AVX_VDIVPS),
	{ir.FFma, ir.F32, ir.F32}:       ymmMultiplyAdd,
	{ir.FSqrt, ir.F32, ir.F32}:      ymmUnaryOp(AVX_VSQRTPS),
	{ir.FNeg, ir.F32, ir.F32}:       ymmConstOp(AVX_VPXOR, 0x80000000),
	{ir.FAbs, ir.F32, ir.F32}:       ymmConstOp(AVX_VPAND, 0x7fffffff),
	{ir.FFloor, ir.F32, ir.F32}:     ymmRound(roundFloor),
	{ir.FCeil, ir.F32, ir.F32}:      ymmRound(roundCeil),
	{ir.FTrunc, ir.F32, ir.F32}:     ymmRound(roundTrunc),
	{ir.FRoundEven, ir.F32, ir.F32}: ymmRound(roundEven),
	{ir.FMin, ir.F32, ir.F32}:       ymmSwappedOp(AVX_VMINPS),
	{ir.FMax, ir.F32, ir.F32}:       ymmSwappedOp(AVX_VMAXPS),

	{ir.Bitcast, ir.I32, ir.F32}: ymm.copy,
	{ir.Bitcast, ir.F32, ir.I32}: ymm.copy,
	{ir.Bitcast, ir.I32, ir.I32}: ymm.copy,
	{ir.Bitcast, ir.F32, ir.F32}: ymm.copy,
	{ir.ZExt, ir.I32, ir.B1}:     ymmFromMask,

	{ir.Select, ir.I8, ir.B1}:  ymmSelectLanes,
	{ir.Select, ir.I16, ir.B1}: ymmSelectLanes,
	{ir.Select, ir.I32, ir.B1}: ymmSelectLanes,
	{ir.Select, ir.F16, ir.B1}: ymmSelectLanes,
	{ir.Select, ir.F32, ir.B1}: ymmSelectLanes,
	{ir.Select, ir.H, ir.B1}:   ymmSelectLanes,
	{ir.Select, ir.B1, ir.B1}:  ymmSelectLanes,

	{ir.Res, ir.H, ir.I32}:    ymmResource,
	{ir.Push, ir.H, ir.None}:  ymmHandle,
	{ir.Wg, ir.H, ir.None}:    ymmHandle,
	{ir.Table, ir.H, ir.None}: ymmHandle,
	{ir.Len, ir.I32, ir.H}:    ymmLength,
	{ir.At, ir.I32, ir.I32}:   ymmOffset,
	{ir.In, ir.I32, ir.None}:  ymmInput,
	{ir.Demote, 0, 0}:         ymmDemote,
	{ir.Helper, ir.B1, 0}:     ymmHelper,
	{ir.ResetBudget, 0, 0}:    func(m ymm, in *vcode.Inst) { budget(m.machine, in) },
	{ir.Fence, 0, 0}:          func(m ymm, in *vcode.Inst) { fence(m.machine, in) },
}, ymmIntegers(), ymmFloats(), ymmNarrow(), ymmInt64(), ymmDoubles(), ymmHalves(), ymmConversions(), ymmAccesses(), ymmVariables(), ymmRegions())

// ymmBinaryOp is d = u0 op u1. Only the second operand may be in memory.
func ymmBinaryOp(op Op) ymmEmitter {
	return func(m ymm, in *vcode.Inst) {
		a := m.vec(in.Uses[0], 0)
		d := m.dest(in, 0)
		m.with(op, d, a, in.Uses[1])
		m.done(in, d)
	}
}

// ymmCommutativeOp is d = u0 op u1 for a commutative operation. If the first operand is in memory
// and the second is not, the exchange saves a load.
func ymmCommutativeOp(op Op) ymmEmitter {
	return func(m ymm, in *vcode.Inst) {
		x, y := in.Uses[0], in.Uses[1]
		if _, ok := m.phys(x); !ok {
			x, y = y, x
		}
		a := m.vec(x, 0)
		d := m.dest(in, 0)
		m.with(op, d, a, y)
		m.done(in, d)
	}
}

// ymmSwappedOp is d = u1 op u0: for VMINPS (see swappedOp), and since VPCMPGTD has only the
// greater-than form.
func ymmSwappedOp(op Op) ymmEmitter {
	return func(m ymm, in *vcode.Inst) {
		a := m.vec(in.Uses[1], 0)
		d := m.dest(in, 0)
		m.with(op, d, a, in.Uses[0])
		m.done(in, d)
	}
}

func ymmUnaryOp(op Op) ymmEmitter {
	return func(m ymm, in *vcode.Inst) {
		d := m.dest(in, 0)
		m.with(op, d, 0, in.Uses[0])
		m.done(in, d)
	}
}

// ymmConstOp is d = u0 op a constant. It serves negation and absolute value too, which change the
// sign bit alone and so preserve NaNs and signed zeros.
func ymmConstOp(op Op, v uint32) ymmEmitter {
	return func(m ymm, in *vcode.Inst) {
		a := m.vec(in.Uses[0], 0)
		d := m.dest(in, 0)
		m.word(op, d, a, v)
		m.done(in, d)
	}
}

// ymmShift takes the count modulo 32; the processor's vector shifts do not.
//
// The IR defines counts modulo the width; a proven count needs no masking. With a constant count the
// shift has an immediate:
//
//	vpslld  d, a, n             constant
//	vpsllvd d, a, count         proven to be below 32
//	vpand   ymm1, count, 31     else
//	vpsllvd d, a, ymm1
func ymmShift(variable, fixed Op) ymmEmitter {
	return func(m ymm, in *vcode.Inst) {
		a := m.vec(in.Uses[0], 0)
		if n, ok := m.f.Const(in.Uses[1]); ok {
			d := m.dest(in, 0)
			m.rri(fixed, d, 0, a, uint8(n&31))
			m.done(in, d)
			return
		}
		if in.Proven {
			d := m.dest(in, 0)
			m.with(variable, d, a, in.Uses[1])
			m.done(in, d)
			return
		}
		m.word(AVX_VPAND, 1, m.vec(in.Uses[1], 1), 31)
		d := m.dest(in, 0)
		m.rr(variable, d, a, 1)
		m.done(in, d)
	}
}

// ymmRound rounds to an integral number in the mode of VROUNDPS.
func ymmRound(mode uint8) ymmEmitter {
	return func(m ymm, in *vcode.Inst) {
		d := m.dest(in, 0)
		m.withImm(AVX_VROUNDPS, d, 0, in.Uses[0], mode)
		m.done(in, d)
	}
}

// ymmCompare is a comparison of floats. If only the first operand is in memory it swaps them.
func ymmCompare(predicate uint8) ymmEmitter {
	exchanged := map[uint8]uint8{orderedEQ: orderedEQ, orderedLT: orderedGT, orderedLE: orderedGE}[predicate]
	return func(m ymm, in *vcode.Inst) {
		x, y, p := in.Uses[0], in.Uses[1], predicate
		if _, ok := m.phys(x); !ok {
			x, y, p = y, x, exchanged
		}
		a := m.vec(x, 0)
		d := m.dest(in, 0)
		m.withImm(AVX_VCMPPS, d, a, y, p)
		m.done(in, d)
	}
}

// ymmBelow is u0 < u1, unsigned: not max(u0, u1) = u0, since AVX2 compares only signed integers. With
// a constant operand, less or greater by one, it needs no negation: u0 < k is min(u0, k−1) = u0.
//
// The general case and the one with a constant k:
//
//	vpmaxud ymm1, a, b          vpminud  ymm1, a, k − 1
//	vpcmpeqd ymm1, ymm1, a      vpcmpeqd d, ymm1, a
//	vpxor   d, ymm1, ones
//
// Nothing is below 0 or above the greatest number, and k − 1 or k + 1 would wrap there.
func ymmBelow(m ymm, in *vcode.Inst) {
	if k, ok := m.constant(in.Uses[1]); ok {
		if k == 0 {
			m.fill(0, 0)
			m.done(in, 0)
			return
		}
		m.extreme(in, AVX_VPMINUD, m.vec(in.Uses[0], 0), k-1)
		return
	}
	if k, ok := m.constant(in.Uses[0]); ok {
		if k == 1<<32-1 {
			m.fill(0, 0)
			m.done(in, 0)
			return
		}
		m.extreme(in, AVX_VPMAXUD, m.vec(in.Uses[1], 0), k+1)
		return
	}
	a := m.vec(in.Uses[0], 0)
	m.with(AVX_VPMAXUD, 1, a, in.Uses[1])
	m.rr(AVX_VPCMPEQD, 1, 1, a)
	d := m.dest(in, 0)
	m.invert(d, 1)
	m.done(in, d)
}

// extreme is true in lanes with x = min(x, k), or max.
func (m ymm) extreme(in *vcode.Inst, op Op, x Reg, k uint32) {
	m.word(op, 1, x, k)
	d := m.dest(in, 0)
	m.rr(AVX_VPCMPEQD, d, 1, x)
	m.done(in, d)
}

// ymmBelowEqual is u0 <= u1, unsigned: min(u0, u1) = u0. The non-strict comparison is the shorter
// one.
func ymmBelowEqual(m ymm, in *vcode.Inst) {
	least := m.spare(in.Uses[0])
	a := m.vec(in.Uses[0], 0)
	m.with(AVX_VPMINUD, least, a, in.Uses[1])
	d := m.dest(in, 0)
	m.rr(AVX_VPCMPEQD, d, least, a)
	m.done(in, d)
}

// ymmLessEqual is u0 <= u1, signed: not u0 > u1. VPCMPGTD is the only signed comparison besides
// equality.
func ymmLessEqual(m ymm, in *vcode.Inst) {
	m.with(AVX_VPCMPGTD, 0, m.vec(in.Uses[0], 0), in.Uses[1])
	d := m.dest(in, 0)
	m.invert(d, 0)
	m.done(in, d)
}

func ymmMultiplyAdd(m ymm, in *vcode.Inst) { m.multiplyAdd(AVX_VFMADD213PS, AVX_VFMADD231PS, in) }

func (m ymm) multiplySubtract(in *vcode.Inst) {
	if in.Fused == fusedMulSub {
		m.multiplyAdd(AVX_VFMSUB213PS, AVX_VFMSUB231PS, in)
	} else {
		m.multiplyAdd(AVX_VFNMADD213PS, AVX_VFNMADD231PS, in)
	}
}

// multiplyAdd is d = u0·u1 + u2, u2 − u0·u1 or u0·u1 − u2, rounded once. The instructions overwrite an operand, the form 213
// a factor, the form 231 the summand.
//
// The digits number the operands: 231 is d = s2·s3 + d, 213 is d = s2·d + s3, and s3 may be in
// memory. Only if all three operands and the result are in memory a second scratch vector is needed.
func (m ymm) multiplyAdd(factor, summand Op, in *vcode.Inst) {
	a, b, c := in.Uses[0], in.Uses[1], in.Uses[2]
	d := m.dest(in, 0)
	if x, ok := m.phys(b); ok && x == d {
		a, b = b, a
	} else if _, inRegister := m.phys(a); !inRegister {
		a, b = b, a // one factor may be in memory
	}
	if x, ok := m.phys(a); ok && x == d {
		m.with(factor, d, m.vec(b, 0), c)
		m.done(in, d)
		return
	}
	load := Reg(0)
	if d == load {
		load = 1
	}
	x := m.vec(a, load)
	m.loadVec(d, c)
	m.with(summand, d, x, b)
	m.done(in, d)
}

// ymmFromMask is 1 in the lanes of the mask and 0 in the others.
func ymmFromMask(m ymm, in *vcode.Inst) {
	k := m.vec(in.Uses[0], 0)
	d := m.dest(in, 0)
	m.rri(AVX_VPSRLD, d, 0, k, 31)
	m.done(in, d)
}

// negateIf flips the sign bit of u1 in the lanes of a mask, or in the others.
func (m ymm) negateIf(in *vcode.Inst) {
	sign := AVX_VPAND
	if in.Key.Aux == 1 {
		sign = AVX_VPANDN
	}
	m.word(sign, 0, m.vec(in.Uses[0], 0), 1<<31)
	d := m.dest(in, 0)
	m.with(AVX_VPXOR, d, 0, in.Uses[1])
	m.done(in, d)
}

// ymmSelectLanes is u0 ? u1 : u2. A zero on one side needs only a logic instruction.
func ymmSelectLanes(m ymm, in *vcode.Inst) {
	k := m.vec(in.Uses[0], 2)
	if v, ok := m.constant(in.Uses[2]); ok && v == 0 {
		d := m.dest(in, 0)
		m.with(AVX_VPAND, d, k, in.Uses[1])
		m.done(in, d)
		return
	}
	if v, ok := m.constant(in.Uses[1]); ok && v == 0 {
		d := m.dest(in, 0)
		m.with(AVX_VPANDN, d, k, in.Uses[2])
		m.done(in, d)
		return
	}
	no := m.vec(in.Uses[2], 0)
	d := m.dest(in, 0)
	m.withImm(AVX_VBLENDVPS, d, no, in.Uses[1], is4(k))
	m.done(in, d)
}
