package amd64

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/codegen"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// emitter emits a Lane instruction. It finds operands in in.Uses and writes in.Defs, and may clobber
// all scratch registers (operand.go); values in allocated registers survive. Many emitters have the
// shape of
//
//	a := m.vec(in.Uses[0], 0)    operand in its register, or loaded into Z0
//	d, o := m.dest(in, 0)        result register and merging mask
//	m.with(op, d, a, u, o)       the other operand from a register or memory
//	m.done(in, d)                store d if the result is in memory
type emitter func(m *machine, in *vcode.Inst)

// Rounding of VRNDSCALEPS, without the inexact exception.
const (
	// Bit 3 suppresses the exception; bits 1 and 0 are the mode, as in MXCSR.
	roundEven  = 8
	roundFloor = 9
	roundCeil  = 10
	roundTrunc = 11
)

// rules are the operations with code for 16 lanes. The others exit to Go, which evaluates the
// operation's row in the IR.
var rules = codegen.NewTable(map[codegen.Rule]emitter{
	{ir.Add, ir.I32, ir.I32}:  commutativeOp(VPADDD),
	{ir.Sub, ir.I32, ir.I32}:  binaryOp(VPSUBD),
	{ir.Mul, ir.I32, ir.I32}:  commutativeOp(VPMULLD),
	{ir.And, ir.I32, ir.I32}:  commutativeOp(VPANDD),
	{ir.Or, ir.I32, ir.I32}:   binaryOp(VPORD),
	{ir.Xor, ir.I32, ir.I32}:  commutativeOp(VPXORD),
	{ir.UMin, ir.I32, ir.I32}: commutativeOp(VPMINUD),
	{ir.UMax, ir.I32, ir.I32}: commutativeOp(VPMAXUD),
	{ir.SMin, ir.I32, ir.I32}: commutativeOp(VPMINSD),
	{ir.SMax, ir.I32, ir.I32}: commutativeOp(VPMAXSD),
	{ir.SAbs, ir.I32, ir.I32}: unaryOp(VPABSD),
	{ir.Not, ir.I32, ir.I32}:  constOp(VPXORD, 0xffffffff),
	{ir.Shl, ir.I32, ir.I32}:  shift(VPSLLVD, VPSLLD),
	{ir.LShr, ir.I32, ir.I32}: shift(VPSRLVD, VPSRLD),
	{ir.AShr, ir.I32, ir.I32}: shift(VPSRAVD, VPSRAD),

	{ir.UDiv, ir.I32, ir.I32}:         divide,
	{ir.SDiv, ir.I32, ir.I32}:         divide,
	{ir.UMod, ir.I32, ir.I32}:         divide,
	{ir.SRem, ir.I32, ir.I32}:         divide,
	{ir.SMod, ir.I32, ir.I32}:         divide,
	{ir.UMulHi, ir.I32, ir.I32}:       highProduct(VPMULUDQ),
	{ir.SMulHi, ir.I32, ir.I32}:       highProduct(VPMULDQ),
	{ir.AddCarry, ir.I32, ir.I32}:     carry,
	{ir.SubBorrow, ir.I32, ir.I32}:    borrow,
	{ir.FindLsb, ir.I32, ir.I32}:      findLow,
	{ir.FindUMsb, ir.I32, ir.I32}:     findHigh,
	{ir.FindSMsb, ir.I32, ir.I32}:     findSign,
	{ir.BitFieldU, ir.I32, ir.I32}:    bitField,
	{ir.BitFieldS, ir.I32, ir.I32}:    signedBitField,
	{ir.BitFieldMask, ir.I32, ir.I32}: bitFieldMask,
	{ir.Dot4, ir.I32, ir.I32}:         dotBytes,

	{ir.And, ir.B1, ir.B1}: maskBinary(KANDW),
	{ir.Or, ir.B1, ir.B1}:  maskBinary(KORW),
	{ir.Xor, ir.B1, ir.B1}: maskBinary(KXORW),
	{ir.Eq, ir.B1, ir.B1}:  maskBinary(KXNORW),
	{ir.Not, ir.B1, ir.B1}: maskNot,

	{ir.FAdd, ir.F32, ir.F32}:       rounded(VADDPS, true),
	{ir.FSub, ir.F32, ir.F32}:       rounded(VSUBPS, false),
	{ir.FMul, ir.F32, ir.F32}:       rounded(VMULPS, true),
	{ir.FDiv, ir.F32, ir.F32}:       rounded(VDIVPS, false),
	{ir.FFma, ir.F32, ir.F32}:       multiplyAddOf(VFMADD213PS, VFMADD231PS),
	{ir.FSqrt, ir.F32, ir.F32}:      roundedUnary(VSQRTPS),
	{ir.FNeg, ir.F32, ir.F32}:       constOp(VPXORD, 0x80000000),
	{ir.FAbs, ir.F32, ir.F32}:       constOp(VPANDD, 0x7fffffff),
	{ir.FFloor, ir.F32, ir.F32}:     roundScale(roundFloor),
	{ir.FCeil, ir.F32, ir.F32}:      roundScale(roundCeil),
	{ir.FTrunc, ir.F32, ir.F32}:     roundScale(roundTrunc),
	{ir.FRoundEven, ir.F32, ir.F32}: roundScale(roundEven),
	{ir.FMin, ir.F32, ir.F32}:       swappedOp(VMINPS),
	{ir.FMax, ir.F32, ir.F32}:       swappedOp(VMAXPS),
	{ir.NMin, ir.F32, ir.F32}:       numeric(false),
	{ir.NMax, ir.F32, ir.F32}:       numeric(true),
	{ir.FLdexp, ir.F32, ir.F32}:     loadExponent,
	{ir.FCanon, ir.F32, ir.F32}:     canonical,
	{ir.FFlush, ir.F32, ir.F32}:     flush,

	{ir.Bitcast, ir.I32, ir.F32}: copyBits,
	{ir.Bitcast, ir.F32, ir.I32}: copyBits,
	{ir.Bitcast, ir.I32, ir.I32}: copyBits,
	{ir.Bitcast, ir.F32, ir.F32}: copyBits,
	{ir.ZExt, ir.I32, ir.B1}:     fromMask,
	{ir.FToS, ir.I32, ir.F32}:    toSigned,
	{ir.FToU, ir.I32, ir.F32}:    toUnsigned,
	{ir.SToF, ir.F32, ir.I32}:    roundedUnary(VCVTDQ2PS),
	{ir.UToF, ir.F32, ir.I32}:    roundedUnary(VCVTUDQ2PS),

	{ir.Select, ir.I8, ir.B1}:  selectLanes,
	{ir.Select, ir.I16, ir.B1}: selectLanes,
	{ir.Select, ir.I32, ir.B1}: selectLanes,
	{ir.Select, ir.F16, ir.B1}: selectLanes,
	{ir.Select, ir.F32, ir.B1}: selectLanes,
	{ir.Select, ir.H, ir.B1}:   selectLanes,
	{ir.Select, ir.B1, ir.B1}:  selectMask,

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
	{ir.Demote, 0, 0}:         demote,
	{ir.Helper, ir.B1, 0}:     helper,
	{ir.ResetBudget, 0, 0}:    budget,
}, comparisons(), integers(), bitOperations(), divisions(), doubles(), floatOperations(), halfFloats(), conversions(), variables(), accesses(), regions())

// zmmNative reports whether an IR operation has AVX-512 code, so that it needs no exit to Go. An offset
// with a stride of 2³² or more would not fit in a lane.
func zmmNative(k ir.Key, op ir.Op) bool {
	return rules.Of(op, k) != nil && (op != ir.At || k.Aux <= math.MaxUint32)
}

// native reports whether an instruction needs no exit to Go.
func native(in *vcode.Inst) bool {
	if in.Op == vcode.Strip {
		return groupNative(in)
	}
	return in.Op == vcode.Lane && zmmNative(in.Key, in.IR)
}

// lane emits an IR operation: by its rule, or as a service call that is skipped if no lane is
// active. The skip matters: a call of a service costs an exit to Go, and a branch of the shader
// often has no active lane.
func (m *machine) lane(in *vcode.Inst) {
	if native(in) && in.Op == vcode.Strip {
		m.group(in)
		return
	}
	if native(in) {
		rules.Of(in.IR, in.Key)(m, in)
		return
	}
	skip := m.NewLabel()
	m.testMasks(in.Masks)
	m.Jcc(Equal, skip)
	m.skipUnheeded(in, skip)
	m.callService(in)
	m.Bind(skip)
}

// binaryOp is d = u0 op u1.
func binaryOp(op Op) emitter {
	return func(m *machine, in *vcode.Inst) {
		a := m.vec(in.Uses[0], 0)
		d, o := m.dest(in, 0)
		m.with(op, d, a, in.Uses[1], o)
		m.done(in, d)
	}
}

// commutativeOp is d = u0 op u1 for a commutative operation: a memory operand can be either one.
// Example: add z9, [rsp+64], z10 is not encodable, but add z9, z10, [rsp+64] is.
func commutativeOp(op Op) emitter {
	return func(m *machine, in *vcode.Inst) {
		x, y := in.Uses[0], in.Uses[1]
		if _, ok := m.phys(x); !ok {
			x, y = y, x
		}
		a := m.vec(x, 0)
		d, o := m.dest(in, 0)
		m.with(op, d, a, y, o)
		m.done(in, d)
	}
}

// swappedOp is d = u1 op u0. VMINPS returns its second operand if the first is not less, and fmin
// must return its first. In terms of the instruction, min(a, b) = a < b ? a : b, which yields b for
// NaN and for zeros of both signs; fmin of the IR yields its first operand there.
func swappedOp(op Op) emitter {
	return func(m *machine, in *vcode.Inst) {
		a := m.vec(in.Uses[1], 0)
		d, o := m.dest(in, 0)
		m.with(op, d, a, in.Uses[0], o)
		m.done(in, d)
	}
}

func unaryOp(op Op) emitter {
	return func(m *machine, in *vcode.Inst) {
		d, o := m.dest(in, 0)
		m.with(op, d, 0, in.Uses[0], o)
		m.done(in, d)
	}
}

// constOp is d = u0 op a constant. The constant is an embedded broadcast from the data after the
// code: 4 bytes of memory, no register, and the load is fused with the operation.
func constOp(op Op, v uint32) emitter {
	return func(m *machine, in *vcode.Inst) {
		a := m.vec(in.Uses[0], 0)
		d, o := m.dest(in, 0)
		m.RM(op, V512, d, a, m.word32(v), o|BC)
		m.done(in, d)
	}
}

// shift takes the count modulo 32; the processor's vector shifts do not.
func shift(variable, fixed Op) emitter {
	return func(m *machine, in *vcode.Inst) {
		a := m.vec(in.Uses[0], 0)
		d, o := m.dest(in, 0)
		if n, ok := m.f.Const(in.Uses[1]); ok {
			// A constant count has a form with an immediate: one micro-operation, and no register
			// for the count.
			m.RRI(fixed, V512, d, 0, a, uint8(n&31), o)
			// The count is known to be below 32, so the AND is dropped.
		} else if in.Proven {
			m.with(variable, d, a, in.Uses[1], o)
		} else {
			count := m.vec(in.Uses[1], 1)
			m.RM(VPANDD, V512, 1, count, m.word32(31), BC)
			m.RR(variable, V512, d, a, 1, o)
		}
		m.done(in, d)
	}
}

// rounded is d = u0 op u1 of floats. The default rounding is to nearest even (mxcsr).
// The EVEX prefix encodes rounding toward zero (RTZ) without a change of MXCSR, which AVX2 needs
// (ymm.lane).
func rounded(op Op, commutes bool) emitter {
	nearest := binaryOp(op)
	if commutes {
		nearest = commutativeOp(op)
	}
	return func(m *machine, in *vcode.Inst) {
		if in.Key.Flags&ir.RTZ == 0 {
			nearest(m, in)
			return
		}
		a, b := m.vec(in.Uses[0], 0), m.vec(in.Uses[1], 1)
		d, o := m.dest(in, 0)
		m.RR(op, V512, d, a, b, o|RZ)
		m.done(in, d)
	}
}

func roundedUnary(op Op) emitter {
	nearest := unaryOp(op)
	return func(m *machine, in *vcode.Inst) {
		if in.Key.Flags&ir.RTZ == 0 {
			nearest(m, in)
			return
		}
		a := m.vec(in.Uses[0], 0)
		d, o := m.dest(in, 0)
		m.RR(op, V512, d, 0, a, o|RZ)
		m.done(in, d)
	}
}

// roundScale rounds to an integer. A conversion to integer and back is another two instructions, but
// only for numbers below 2³¹.
func roundScale(mode uint8) emitter {
	return func(m *machine, in *vcode.Inst) {
		d, o := m.dest(in, 0)
		m.withImm(VRNDSCALEPS, d, 0, in.Uses[0], mode, o)
		m.done(in, d)
	}
}

// canonical makes every NaN the canonical one.
func canonical(m *machine, in *vcode.Inst) {
	a := m.vec(in.Uses[0], 0)
	m.RRI(VCMPPS, V512, 2, a, a, unordered, 0)
	d := Reg(0)
	if x, ok := m.phys(in.Defs[0]); ok && !in.Merging {
		d = x
	}
	// 0x7fc00000 in lanes with a NaN, a in the others.
	m.RM(VPBLENDMD, V512, d, a, m.word32(0x7fc00000), BC|K(2))
	m.define(in, d)
}

func copyBits(m *machine, in *vcode.Inst) { m.copy(in) }

// fromMask is 1 in the lanes of the mask and 0 in the others. A zeroing broadcast of the constant 1
// is one instruction; the blend of 0 and 1 would be two.
func fromMask(m *machine, in *vcode.Inst) {
	k := m.mask(in.Uses[0], 2)
	d := Reg(0)
	if x, ok := m.phys(in.Defs[0]); ok && !in.Merging {
		d = x
	}
	m.RM(VPBROADCASTD, V512, d, 0, m.word32(1), K(k)|Z)
	m.define(in, d)
}

func maskBinary(op Op) emitter {
	return func(m *machine, in *vcode.Inst) {
		a, b := m.mask(in.Uses[0], 2), m.mask(in.Uses[1], 1)
		k := m.destMask(in, 2)
		m.RR(op, V128, k, a, b, 0)
		m.doneMask(in, k)
	}
}

func maskNot(m *machine, in *vcode.Inst) {
	a := m.mask(in.Uses[0], 2)
	k := m.destMask(in, 2)
	m.RR(KNOTW, V128, k, 0, a, 0)
	m.doneMask(in, k)
}

// selectLanes is u0 ? u1 : u2. VPBLENDMD is one micro-operation, with the mask as predicate;
// VBLENDVPS of AVX2 has two or three on Intel (uops.info).
func selectLanes(m *machine, in *vcode.Inst) {
	k := m.mask(in.Uses[0], 2)
	d := Reg(0)
	if x, ok := m.phys(in.Defs[0]); ok && !in.Merging {
		d = x
	}
	if bits, ok := m.f.Const(in.Uses[2]); ok && bits == 0 {
		// u0 ? u1 : 0 needs only zeroing.
		m.maskedOrZero(d, in.Uses[1], k)
	} else {
		m.with(VPBLENDMD, d, m.vec(in.Uses[2], 0), in.Uses[1], K(k))
	}
	m.define(in, d)
}

// maskedOrZero copies u to z in the lanes of k, with 0 in the others.
func (m *machine) maskedOrZero(z Reg, u vcode.Reg, k Reg) {
	if bits, ok := m.f.Const(u); ok {
		m.RM(VPBROADCASTD, V512, z, 0, m.word32(uint32(bits)), K(k)|Z)
		return
	}
	m.with(VMOVDQA32, z, 0, u, K(k)|Z)
}

// selectMask is u2 ^ (u2 ^ u1) & u0. Three mask operations with a latency of one cycle each; u0 & u1
// | ~u0 & u2 needs the same number but two temporaries.
func selectMask(m *machine, in *vcode.Inst) {
	m.loadMask(2, in.Uses[1])
	m.RR(KXORW, V128, 2, 2, m.mask(in.Uses[2], 1), 0)
	m.RR(KANDW, V128, 2, 2, m.mask(in.Uses[0], 1), 0)
	m.RR(KXORW, V128, 2, 2, m.mask(in.Uses[2], 1), 0)
	m.doneMask(in, 2)
}
