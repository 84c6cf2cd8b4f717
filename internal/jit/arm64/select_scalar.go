package arm64

import (
	"math"
	"math/bits"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Machine instructions of operations on general registers. preferred is the condition for the first operand to be the minimum or maximum.
var (
	binaries   = map[ir.Op]Op{ir.Add: ADD, ir.Sub: SUB, ir.And: AND, ir.Or: ORR, ir.Xor: EOR, ir.Mul: MUL}
	shifts     = map[ir.Op]Op{ir.Shl: LSLV, ir.LShr: LSRV, ir.AShr: ASRV}
	fixed      = map[ir.Op]Op{ir.LShr: LSRI, ir.AShr: ASRI, ir.Shl: LSLI}
	preferred  = map[ir.Op]Cond{ir.UMin: LO, ir.UMax: HI, ir.SMin: LT, ir.SMax: GT}
	conditions = map[ir.Op]Cond{ir.Eq: EQ, ir.ULt: LO, ir.ULe: LS, ir.SLt: LT, ir.SLe: LE}
)

// scalar emits an operation on general registers. A value of 32 bits has zeros above, which each 32-bit instruction ensures; so it can be
// the index of an address. Truth values are 0 or 1. Handles are byte offsets in the handle table.
func (m *machine) scalar(in *vcode.Inst) {
	if in.IR == ir.St {
		m.scalarStore(in)
		return
	}
	d := m.destGen(in.Defs[0], X0)
	switch in.IR {
	case ir.Add, ir.Sub, ir.Mul, ir.And, ir.Or, ir.Xor:
		m.arithmetic(in, d)
	case ir.Not:
		if a := m.gen(in.Uses[0], X0); in.Key.Type == ir.B1 {
			m.RI(EORI, d, a, 1)
		} else {
			m.R(MVN, d, 0, a)
		}
	case ir.Shl, ir.LShr, ir.AShr:
		m.shiftGen(in, d)
	case ir.UMin, ir.UMax, ir.SMin, ir.SMax:
		a, b := m.gen(in.Uses[0], X0), m.gen(in.Uses[1], X1)
		m.R(CMP, 0, a, b)
		m.Select(CSEL, d, a, b, preferred[in.IR])
	case ir.Eq, ir.ULt, ir.ULe, ir.SLt, ir.SLe:
		m.compareFlags(in)
		m.emit(Insn{Op: CSET, D: d, Cond: conditions[in.IR]})
	case ir.UMulHi: // both operands have zeros above, so the product has 64 bits
		m.R(MUL|W, d, m.gen(in.Uses[0], X0), m.gen(in.Uses[1], X1))
		m.RI(LSRI|W, d, d, 32)
	case ir.UDiv, ir.UMod:
		m.divisionGen(in, d)
	case ir.Select: // 64 bits serve handles and values alike
		c, yes, no := m.gen(in.Uses[0], X0), m.gen(in.Uses[1], X1), m.gen(in.Uses[2], X2)
		m.cmpI(0, c, 0)
		m.Select(CSEL|W, d, yes, no, NE)
	case ir.ZExt:
		m.loadGen(d, in.Uses[0])
	case ir.Res:
		m.resourceGen(in, d)
	case ir.Len:
		m.loadW(d, m.handleWord(in.Uses[0], X0, target.HandleRange))
	case ir.At:
		m.offsetGen(in, d)
	case ir.In:
		d = m.inputGen(in)
	case ir.Ld:
		m.scalarLoad(in, d)
	}
	m.storeGen(in.Defs[0], d)
}

// arithmetic is d = u0 op u1.
func (m *machine) arithmetic(in *vcode.Inst, d Reg) {
	a := m.gen(in.Uses[0], X0)
	if k, ok := m.f.Const(in.Uses[1]); ok && m.immediate(in.IR, d, a, uint32(k)) {
		return
	}
	m.R(binaries[in.IR], d, a, m.gen(in.Uses[1], X1))
}

// immediate is d = a op k if an instruction has this immediate, and reports whether one has.
func (m *machine) immediate(op ir.Op, d, a Reg, k uint32) bool {
	i := Insn{D: d, N: a, Imm: int64(k)}
	switch op {
	case ir.Add:
		if i.Op = ADDI; k > math.MaxInt32 {
			i.Op, i.Imm = SUBI, int64(-k)
		}
	case ir.Sub:
		if i.Op = SUBI; k > math.MaxInt32 {
			i.Op, i.Imm = ADDI, int64(-k)
		}
	case ir.And:
		i.Op = ANDI
	case ir.Or:
		i.Op = ORRI
	case ir.Xor:
		i.Op = EORI
	default:
		return false
	}
	w, ok := i.word()
	if ok {
		m.Data32(w)
	}
	return ok
}

// shiftGen takes counts modulo 32, as the instruction does.
func (m *machine) shiftGen(in *vcode.Inst, d Reg) {
	a := m.gen(in.Uses[0], X0)
	n, ok := m.f.Const(in.Uses[1])
	switch n &= 31; {
	case ok && n == 0:
		m.Move(d, a)
	case ok:
		m.RI(fixed[in.IR], d, a, int64(n))
	default:
		m.R(shifts[in.IR], d, a, m.gen(in.Uses[1], X1))
	}
}

// divisionGen is d = u0 / u1 or the remainder, without signs. By 0 both are all ones; the instruction yields 0.
func (m *machine) divisionGen(in *vcode.Inst, d Reg) {
	m.loadGen(X0, in.Uses[0])
	m.loadGen(X1, in.Uses[1])
	m.R(UDIV, X2, X0, X1)
	if in.IR == ir.UMod {
		m.R(MUL, X2, X2, X1)
		m.R(SUB, X2, X0, X2)
	}
	m.MovI(X0, math.MaxUint32)
	m.cmpI(0, X1, 0)
	m.Select(CSEL, d, X2, X0, NE)
}

// compareFlags sets the flags to a comparison of general registers.
func (m *machine) compareFlags(in *vcode.Inst) {
	a := m.gen(in.Uses[0], X0)
	if k, ok := m.f.Const(in.Uses[1]); ok {
		m.cmpI(0, a, k)
		return
	}
	m.R(CMP, 0, a, m.gen(in.Uses[1], X1))
}

// resourceGen is the handle of descriptor u0 of resource Aux, null out of range.
func (m *machine) resourceGen(in *vcode.Inst, d Reg) {
	at := int64(in.Key.Aux) * target.ResourceBytes
	i := m.gen(in.Uses[0], X0)
	m.loadX(X2, ctxArg(target.ArgResources))
	m.loadW(X1, At(X2, at+target.ResourceCount))
	m.loadW(X2, At(X2, at))
	m.R(CMP, 0, i, X1)
	m.R(ADD, X2, X2, i)
	m.RI(LSLI|W, X2, X2, target.HandleShift)
	m.Select(CSEL|W, d, X2, ZR, LO)
}

// offsetGen is u0 + u1·Aux, saturating unless Proven. Index and start have 32 bits, so that with an Aux of 32 bits nothing wraps in 64
// bits, and one comparison afterwards finds every overflow.
func (m *machine) offsetGen(in *vcode.Inst, d Reg) {
	start := NoReg
	if k, ok := m.f.Const(in.Uses[0]); !ok || k != 0 {
		start = m.gen(in.Uses[0], X1)
	}
	m.multiplyAdd(X0, m.gen(in.Uses[1], X0), in.Key.Aux, start)
	if in.Proven {
		m.Move(d, X0)
		return
	}
	m.MovI(X1, math.MaxUint32)
	m.R(CMP|W, 0, X0, X1)
	m.Select(CSEL|W, d, X0, X1, LS)
}

// multiplyAdd is d = x·k + start with 64 bits; start may be NoReg. It clobbers X17.
func (m *machine) multiplyAdd(d, x Reg, k uint64, start Reg) {
	power := k != 0 && k&(k-1) == 0
	n := int64(bits.TrailingZeros64(k))
	switch {
	case power && start != NoReg:
		m.RL(ADD|W, d, start, x, n)
	case power && n == 0:
		m.Move(d, x)
	case power:
		m.RI(LSLI|W, d, x, n)
	case start != NoReg:
		m.MovI(scratch, k)
		m.emit(Insn{Op: MADD, Wide: true, D: d, N: x, M: scratch, A: start})
	default:
		m.MovI(scratch, k)
		m.R(MUL|W, d, x, scratch)
	}
}

// linearEnd is u0 + u1·u2, saturating at 2³² − 1: (2³² − 1)² + 2³² − 1 fits in 64 bits.
func (m *machine) linearEnd(in *vcode.Inst) {
	d := m.destGen(in.Defs[0], X0)
	m.emit(Insn{Op: MADD, Wide: true, D: X0, N: m.gen(in.Uses[1], X0), M: m.gen(in.Uses[2], X2), A: m.gen(in.Uses[0], X1)})
	m.MovI(X1, math.MaxUint32)
	m.R(CMP|W, 0, X0, X1)
	m.Select(CSEL|W, d, X0, X1, LS)
	m.storeGen(in.Defs[0], d)
}

// inputGen is a uniform built-in, in the returned register.
func (m *machine) inputGen(in *vcode.Inst) Reg {
	switch s := m.prog.In[in.Key.Aux].Semantic; s {
	case ir.WorkgroupIdX, ir.WorkgroupIdY, ir.WorkgroupIdZ:
		m.loadW(X0, ctxArg(target.ArgGroup+int(s-ir.WorkgroupIdX)))
	case ir.NumWorkgroupsX, ir.NumWorkgroupsY, ir.NumWorkgroupsZ:
		m.loadW(X0, ctxArg(target.ArgNumGroups+int(s-ir.NumWorkgroupsX)))
	case ir.SubgroupId:
		m.loadW(X0, At(record, target.RecordID))
	case ir.NumSubgroups:
		m.MovI(X0, uint64(m.prog.Subgroups()))
	default:
		return m.firstLane(s, in)
	}
	return X0
}

// local returns a row of local IDs in the record, from the part's first lane on; u0, if present, adds a number of lanes (work-item loop).
// It clobbers X2.
func (m *machine) local(in *vcode.Inst, row ir.Semantic) Mem {
	at := int64(m.record.Local) + int64(row)*4*int64(m.record.Lanes) + 4*lanes*int64(in.Part)
	if len(in.Uses) > 0 {
		m.RL(ADD|W, X2, record, m.gen(in.Uses[0], X2), 2)
		return At(X2, at)
	}
	return At(record, at)
}

// firstLane loads a built-in of a part's first lane into X0, which it returns. It clobbers X1 and X2.
func (m *machine) firstLane(s ir.Semantic, in *vcode.Inst) Reg {
	switch s {
	case ir.LocalInvocationIndex:
		m.loadW(X0, m.local(in, 0))
	case ir.LocalInvocationIdX, ir.LocalInvocationIdY, ir.LocalInvocationIdZ:
		m.loadW(X0, m.local(in, 1+s-ir.LocalInvocationIdX))
	case ir.GlobalInvocationIdX, ir.GlobalInvocationIdY, ir.GlobalInvocationIdZ:
		i := s - ir.GlobalInvocationIdX
		m.loadW(X0, ctxArg(target.ArgGroup+int(i)))
		n := m.prog.LocalSize[i]
		if n == 1 { // so LocalInvocationId is 0
			return X0
		}
		m.loadW(X1, m.local(in, 1+i))
		m.MovI(X2, uint64(n))
		m.emit(Insn{Op: MADD, D: X0, N: X0, M: X2, A: X1})
	case ir.SubgroupLocalInvocationId:
		m.MovI(X0, uint64(in.Part)*lanes)
	default:
		m.MovI(X0, 0)
	}
	return X0
}

// stridedBase is u0 + u1·Stride, which does not overflow (package vectorize).
func (m *machine) stridedBase(in *vcode.Inst) {
	start := NoReg
	if k, ok := m.f.Const(in.Uses[0]); !ok || k != 0 {
		start = m.gen(in.Uses[0], X1)
	}
	d := m.destGen(in.Defs[0], X0)
	m.multiplyAdd(d, m.gen(in.Uses[1], X0), uint64(in.Stride), start)
	m.storeGen(in.Defs[0], d)
}
