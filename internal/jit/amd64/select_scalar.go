package amd64

import (
	"math"
	"math/bits"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// scalar emits an operation on general registers. Most compute in RAX, since the result may share its
// register with an operand.
//
// A value of 32 bits in a general register has zeros above, which each 32-bit instruction ensures;
// so it can be an index of an address without an extension. Truth values are 0 or 1. Handles are
// byte offsets in the handle table.
//
//	lea  rcx, [rbx + 16]        rbx is a 32-bit offset
//	cmp  rcx, [r13 + rsi + 8]   rsi is a handle
func (m *machine) scalar(in *vcode.Inst) {
	switch in.IR {
	case ir.Add, ir.Sub, ir.Mul, ir.And, ir.Or, ir.Xor:
		d := m.target(in, in.Uses[1])
		m.loadGen(d, in.Uses[0])
		m.arithmetic(in.IR, d, in.Uses[1])
		m.storeGen(in.Defs[0], d)
		return
	case ir.Not:
		d := m.resultReg(in)
		m.loadGen(d, in.Uses[0])
		all := int32(-1)
		if in.Key.Type == ir.B1 {
			all = 1
		}
		m.GI(XorI, false, d, all)
		m.storeGen(in.Defs[0], d)
		return
	case ir.Shl, ir.LShr, ir.AShr:
		m.storeGen(in.Defs[0], m.shiftGen(in))
		return
	case ir.UMin, ir.UMax, ir.SMin, ir.SMax:
		m.loadGen(RAX, in.Uses[0])
		m.loadGen(RCX, in.Uses[1])
		m.GRR(CMP, RAX, RCX)
		m.GRR(CMOV(preferred[in.IR]), RAX, RCX)
	case ir.Eq, ir.ULt, ir.ULe, ir.SLt, ir.SLe:
		m.compareGen(in)
	case ir.UMulHi: // both operands have zeros above, so the product has 64 bits
		m.loadGen(RAX, in.Uses[0])
		m.loadGen(RCX, in.Uses[1])
		m.GRR(IMUL|W, RAX, RCX)
		m.ShiftI(ShrI, true, RAX, 32)
	case ir.UDiv, ir.UMod:
		m.loadGen(RAX, in.Uses[0])
		m.loadGen(RCX, in.Uses[1])
		m.divideGen(in.IR)
		m.GRR(MOV, RAX, RAX) // the result of a division by 0 has 64 ones
	case ir.Select:
		m.selectGen(in)
	case ir.ZExt:
		m.loadGen(RAX, in.Uses[0])
	case ir.Res:
		m.resourceGen(in)
	case ir.Region:
		m.regionGen(in)
	case ir.RegionOff:
		m.regionOffsetGen(in)
	case ir.Len:
		m.GRM(MOV, RAX, Indexed(R13, m.gen(in.Uses[0], RAX), 1, target.HandleRange))
	case ir.At:
		if in.Proven && m.loadAddress(in, in.Key.Aux) {
			return
		}
		m.offsetGen(in)
	case ir.In:
		m.inputGen(in)
	case ir.Ld:
		if in.Key.Type == ir.I64 {
			m.scalarLoadWide(in)
			return
		}
		m.storeGen(in.Defs[0], m.scalarLoad(in))
		return
	case ir.St:
		m.scalarStore(in)
		return
	}
	m.storeGen(in.Defs[0], RAX)
}

// Machine instructions of operations on general registers. preferred is the condition for the second
// operand to be the minimum or maximum.
var (
	immediates = map[ir.Op]ALU{ir.Add: AddI, ir.Sub: SubI, ir.And: AndI, ir.Or: OrI, ir.Xor: XorI}
	binaries   = map[ir.Op]G{ir.Add: ADD, ir.Sub: SUB, ir.And: AND, ir.Or: OR, ir.Xor: XOR, ir.Mul: IMUL}
	shifts     = map[ir.Op]Shift{ir.Shl: ShlI, ir.LShr: ShrI, ir.AShr: SarI}
	preferred  = map[ir.Op]Cond{ir.UMin: Above, ir.UMax: Below, ir.SMin: Greater, ir.SMax: Less}
)

// resultReg returns the register in which an operation with one register operand computes: the result's,
// or RAX if that is in memory.
func (m *machine) resultReg(in *vcode.Inst) Reg {
	if d, ok := m.phys(in.Defs[0]); ok {
		return d
	}
	return RAX
}

// target returns the register in which a result is computed: its own unless that is u's, else RAX. d
// must not be overwritten before the second operand is read.
func (m *machine) target(in *vcode.Inst, u vcode.Reg) Reg {
	d, ok := m.phys(in.Defs[0])
	if x, _ := m.phys(u); !ok || x == d {
		return RAX
	}
	return d
}

// arithmetic is d = d op u. Instructions with an immediate need no register for a constant. IMUL has
// no such form in this assembler.
func (m *machine) arithmetic(op ir.Op, d Reg, u vcode.Reg) {
	if bits, ok := m.f.Const(u); ok && op != ir.Mul {
		m.GI(immediates[op], false, d, int32(bits))
		return
	}
	m.binary(binaries[op], d, u, RCX)
}

// binary is g = g op u, or a comparison of the two. A spilled u is a memory operand, whose low half has the 32 bits of a
// number. A constant u is loaded into the scratch register.
func (m *machine) binary(op G, g Reg, u vcode.Reg, scratch Reg) {
	if _, ok := m.phys(u); ok || m.f.IsConst(u) {
		m.GRR(op, g, m.gen(u, scratch))
		return
	}
	m.GRM(op, g, m.slot(u))
}

// shiftGen takes counts modulo 32, as the instruction does, and returns the register of the result.
// A variable count must be in CL.
func (m *machine) shiftGen(in *vcode.Inst) Reg {
	if n, ok := m.f.Const(in.Uses[1]); ok {
		d := m.resultReg(in)
		m.loadGen(d, in.Uses[0])
		m.ShiftI(shifts[in.IR], false, d, uint8(n&31))
		return d
	}
	m.loadGen(RAX, in.Uses[0])
	m.loadGen(RCX, in.Uses[1])
	m.ShiftCL(shifts[in.IR], RAX)
	return RAX
}

// conditions are the conditions of the flags for comparisons of general registers.
var conditions = map[ir.Op]Cond{ir.Eq: Equal, ir.ULt: Below, ir.ULe: BelowEqual, ir.SLt: Less, ir.SLe: LessEqual}

// compareGen sets a general register to 1 or 0.
func (m *machine) compareGen(in *vcode.Inst) {
	m.flagsOf(in)
	m.SetCC(conditions[in.IR], RAX)
}

// flagsOf sets the flags to a comparison of general registers. TEST is one byte shorter than a
// comparison with 0.
func (m *machine) flagsOf(in *vcode.Inst) {
	a := m.gen(in.Uses[0], RAX)
	switch bits, ok := m.f.Const(in.Uses[1]); {
	case ok && bits == 0 && in.IR == ir.Eq:
		m.GRR(TEST, a, a)
	case ok:
		m.GI(CmpI, false, a, int32(bits))
	default:
		m.binary(CMP, a, in.Uses[1], RCX)
	}
}

// The 64-bit move serves handles and values alike. It has no branch, since a uniform condition may
// still be unpredictable.
func (m *machine) selectGen(in *vcode.Inst) {
	c := m.gen(in.Uses[0], RDX)
	m.loadGen(RAX, in.Uses[2])
	m.loadGen(RCX, in.Uses[1])
	m.GRR(TEST, c, c)
	m.GRR(CMOV(NotEqual)|W, RAX, RCX)
}

// resourceGen is the handle of descriptor u0 of resource Aux, null out of range.
func (m *machine) resourceGen(in *vcode.Inst) {
	at := int32(in.Key.Aux) * target.ResourceBytes
	m.loadGen(RCX, in.Uses[0])
	m.GRM(MOV|W, RDX, arg(target.ArgResources))
	// The XOR sets the flags, so it precedes the comparison.
	m.GRR(XOR, RAX, RAX)
	m.GRM(CMP, RCX, At(RDX, at+target.ResourceCount))
	out := m.NewLabel()
	m.Jcc(AboveEqual, out)
	m.GRM(MOV, RAX, At(RDX, at))
	m.GRR(ADD, RAX, RCX)
	m.ShiftI(ShlI, true, RAX, target.HandleShift)
	m.Bind(out)
}

// offsetGen is u0 + u1·Aux, saturating unless Proven. Index and start have 32 bits, so that with an
// Aux of 32 bits nothing wraps in 64 bits, and one comparison afterwards finds every overflow.
func (m *machine) offsetGen(in *vcode.Inst) {
	m.loadGen(RAX, in.Uses[1])
	m.multiply(RAX, in.Key.Aux)
	if base, ok := m.f.Const(in.Uses[0]); !ok || base != 0 {
		m.GRR(ADD|W, RAX, m.gen(in.Uses[0], RCX))
	}
	if in.Proven {
		return
	}
	m.MovI(RCX, 1<<32-1)
	m.GRR(CMP|W, RAX, RCX)
	m.GRR(CMOV(Above)|W, RAX, RCX)
}

// multiply is g = g·k with 64 bits. It clobbers RDX.
func (m *machine) multiply(g Reg, k uint64) {
	switch {
	case k == 1:
	case k&(k-1) == 0 && k != 0:
		m.ShiftI(ShlI, true, g, uint8(bits.TrailingZeros64(k)))
	default:
		m.MovI(RDX, k)
		m.GRR(IMUL|W, g, RDX)
	}
}

// inputGen is a uniform built-in.
func (m *machine) inputGen(in *vcode.Inst) {
	switch s := m.prog.In[in.Key.Aux].Semantic; s {
	case ir.WorkgroupIdX, ir.WorkgroupIdY, ir.WorkgroupIdZ:
		m.GRM(MOV, RAX, arg(target.ArgGroup+int(s-ir.WorkgroupIdX)))
	case ir.NumWorkgroupsX, ir.NumWorkgroupsY, ir.NumWorkgroupsZ:
		m.GRM(MOV, RAX, arg(target.ArgNumGroups+int(s-ir.NumWorkgroupsX)))
	case ir.SubgroupId:
		m.GRM(MOV, RAX, At(R14, target.RecordID))
	case ir.NumSubgroups:
		m.MovI(RAX, uint64(m.prog.Subgroups()))
	default:
		m.firstLane(s, in)
	}
}

// local returns a row of local IDs in the record, from the part's first lane on; u0, if present, adds
// a number of lanes (work-item loop). It clobbers RCX.
func (m *machine) local(in *vcode.Inst, row ir.Semantic) Mem {
	at := m.record.Local + int32(row)*4*m.record.Lanes + 4*int32(in.Part)*int32(m.f.Form.Lanes)
	if len(in.Uses) > 0 {
		return Indexed(R14, m.gen(in.Uses[0], RCX), 4, at)
	}
	return At(R14, at)
}

// firstLane loads a built-in of a part's first lane into RAX.
func (m *machine) firstLane(s ir.Semantic, in *vcode.Inst) {
	local := func(row ir.Semantic) Mem { return m.local(in, row) }
	switch s {
	case ir.LocalInvocationIndex:
		m.GRM(MOV, RAX, local(0))
	case ir.LocalInvocationIdX, ir.LocalInvocationIdY, ir.LocalInvocationIdZ:
		m.GRM(MOV, RAX, local(1+s-ir.LocalInvocationIdX))
	case ir.GlobalInvocationIdX, ir.GlobalInvocationIdY, ir.GlobalInvocationIdZ:
		i := s - ir.GlobalInvocationIdX
		m.GRM(MOV, RAX, arg(target.ArgGroup+int(i)))
		n := m.prog.LocalSize[i]
		switch {
		case n == 1: // so LocalInvocationId is 0
			return
		case n&(n-1) == 0:
			m.ShiftI(ShlI, false, RAX, uint8(bits.TrailingZeros32(n)))
		default:
			m.MovI(RCX, uint64(n))
			m.GRR(IMUL, RAX, RCX)
		}
		m.GRM(ADD, RAX, local(1+i))
	case ir.SubgroupLocalInvocationId:
		m.MovI(RAX, uint64(in.Part)*uint64(m.f.Form.Lanes))
	default:
		m.GRR(XOR, RAX, RAX)
	}
}

// inputBase is a built-in of the part's first lane.
func (m *machine) inputBase(in *vcode.Inst) {
	m.firstLane(m.prog.In[in.Key.Aux].Semantic, in)
	m.storeGen(in.Defs[0], RAX)
}

// stridedBase is u0 + u1·Stride, which does not overflow (package vectorize).
//
// It has no saturation: the bounds check of the access works on the 64-bit number.
func (m *machine) stridedBase(in *vcode.Inst) {
	if d, ok := m.phys(in.Defs[0]); ok && in.Defs[0] == in.Uses[0] && in.Stride == 1 { // a pointer advances
		if k, constant := m.f.Const(in.Uses[1]); constant && k <= math.MaxInt32 {
			m.GI(AddI, true, d, int32(k))
		} else {
			m.binary(ADD|W, d, in.Uses[1], RAX)
		}
		return
	}
	if m.loadAddress(in, uint64(in.Stride)) {
		return
	}
	d := m.target(in, in.Uses[0])
	m.loadGen(d, in.Uses[1])
	m.multiply(d, uint64(in.Stride))
	if bits, ok := m.f.Const(in.Uses[0]); !ok || bits != 0 {
		m.GRR(ADD|W, d, m.gen(in.Uses[0], RCX))
	}
	m.storeGen(in.Defs[0], d)
}

// loadAddress emits u0 + u1·k with 64 bits as one LEA, and reports whether it did. It clobbers RAX and RCX.
func (m *machine) loadAddress(in *vcode.Inst, k uint64) bool {
	if m.f.IsConst(in.Uses[0]) || k != 1 && k != 2 && k != 4 && k != 8 {
		return false
	}
	d := m.resultReg(in)
	if n, ok := m.f.Const(in.Uses[1]); ok {
		if n > math.MaxInt32/k {
			return false
		}
		m.GRM(LEA|W, d, At(m.gen(in.Uses[0], RAX), int32(n*k)))
	} else {
		m.GRM(LEA|W, d, Indexed(m.gen(in.Uses[0], RAX), m.gen(in.Uses[1], RCX), uint8(k), 0))
	}
	m.storeGen(in.Defs[0], d)
	return true
}

// linearEnd is u0 + u1·u2, saturating at 2³² − 1: (2³² − 1)² + 2³² − 1 fits in 64 bits.
func (m *machine) linearEnd(in *vcode.Inst) {
	m.loadGen(RAX, in.Uses[1])
	m.GRR(IMUL|W, RAX, m.gen(in.Uses[2], RCX))
	m.GRR(ADD|W, RAX, m.gen(in.Uses[0], RCX))
	m.MovI(RCX, 1<<32-1)
	m.GRR(CMP|W, RAX, RCX)
	m.GRR(CMOV(Above)|W, RAX, RCX)
	m.storeGen(in.Defs[0], RAX)
}

// broadcastGen copies a general register to all lanes. A truth value is negated to 0 or all ones, of
// which KMOVW copies 16 bits. A handle becomes its number.
func (m *machine) broadcastGen(in *vcode.Inst) {
	d := in.Defs[0]
	if m.class(d) == vcode.Mask {
		g := m.gen(in.Uses[0], RAX)
		m.GRR(XOR, RCX, RCX)
		m.GRR(SUB, RCX, g)
		k, ok := m.phys(d)
		if !ok {
			k = 2
		}
		m.RR(KMOVW_KR, V128, k, 0, RCX, 0)
		m.storeMask(d, k)
		return
	}
	g := m.gen(in.Uses[0], RAX)
	if m.class(d) == vcode.Wide {
		m.RR(VPBROADCASTQ_R, V512, 0, 0, g, 0)
		m.defineHalf(in, 0, 0)
		m.defineHalf(in, 1, 0)
		return
	}
	if in.Key.Type == ir.H {
		m.loadGen(RAX, in.Uses[0])
		m.ShiftI(ShrI, true, RAX, target.HandleShift)
		g = RAX
	}
	z, o := m.dest(in, 0)
	m.RR(VPBROADCASTD_R, V512, z, 0, g, o)
	m.done(in, z)
}

// extract reads a value that is the same in all lanes. Lane 0 has the value. A mask register moves
// all 16 bits to RAX, and the others are cleared.
func (m *machine) extract(in *vcode.Inst) {
	u := in.Uses[0]
	if m.class(u) == vcode.Mask {
		m.RR(KMOVW_RK, V128, RAX, 0, m.mask(u, 2), 0)
		m.GI(AndI, false, RAX, 1)
	} else {
		m.RR(VMOVD_ST, V128, m.vec(u, 0), 0, RAX, 0)
		if in.Key.Type == ir.H {
			m.ShiftI(ShlI, true, RAX, target.HandleShift)
		}
	}
	m.storeGen(in.Defs[0], RAX)
}

// jumpIfZero jumps if a general register is 0, or if a fused comparison is false. The flags pass
// from the comparison to the jump without a register, and the processor fuses both into one
// micro-operation.
func (m *machine) jumpIfZero(in *vcode.Inst) {
	if len(in.Uses) == 2 {
		m.flagsOf(in)
		m.Jcc(conditions[in.IR].Not(), m.blocks[in.Target])
		return
	}
	g := m.gen(in.Uses[0], RAX)
	m.GRR(TEST|W, g, g)
	m.Jcc(Equal, m.blocks[in.Target])
}
