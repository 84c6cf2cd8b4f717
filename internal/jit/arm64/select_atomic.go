package arm64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// atomic performs an atomic lane by lane, in ascending order: a loop of an exclusive load and store, or plain ones in the workgroup
// memory, which only this thread accesses. Out of range or misaligned it yields 0 and does nothing. The old values of the lanes are in a
// row of the scratch memory until the end. Registers of a lane:
//
//	X2   address             X0   old value
//	X17  operand             X16  new value, or the comparand
func (m *machine) atomic(in *vcode.Inst) {
	size := uint64(in.Key.Type.Bits()) / 8
	none := m.NewLabel()
	old := At(record, int64(m.record.Scratch))
	m.zero(0)
	m.store(0, old)
	m.store(0, plusBytes(old, vectorBytes))
	off := m.vec(in.Uses[1], 5)
	m.inRange(in, m.storingLanes(in, 4), off, size, target.HandleWrites, none)
	m.fill(0, uint32(in.Key.Aux))
	m.s4(VADD, 0, 0, off)
	m.fill(1, uint32(size-1))
	m.s4(VCMTST, 0, 0, 1) // misaligned
	m.bits(VBIC, 2, 2, 0)
	m.barrierIf(in)
	for lane := range uint8(lanes) {
		skip := m.NewLabel()
		m.VE(VGETW, S2, X0, 2, lane)
		m.BZero(CBZ, X0, skip)
		m.VE(VGETW, S2, X2, off, lane)
		m.R(ADD|W, X2, X2, X1)
		if size == 8 { // the buffer itself may begin between two multiples of 8
			m.RI(TSTI|W, 0, X2, 7)
			m.BCond(NE, skip)
		}
		m.exchange(in, lane)
		m.Bind(skip)
	}
	m.barrierIf(in)
	m.Bind(none)
	if len(in.Defs) == 0 {
		return
	}
	if size == 4 {
		m.load(0, old)
		m.done(in, 0)
		return
	}
	for i := range 2 {
		m.load(0, plusBytes(old, vectorBytes*int64(i)))
		m.doneHalf(in, i, 0)
	}
}

// barrierIf orders a Coherent atomic with the accesses before and after it.
func (m *machine) barrierIf(in *vcode.Inst) {
	if in.Key.Flags&ir.Coherent != 0 {
		m.emit(Insn{Op: DMB})
	}
}

// exchange performs the atomic of one lane at the address in X2. LR is the status of the exclusive store: the frame has the return
// address.
func (m *machine) exchange(in *vcode.Inst, lane uint8) {
	again, differs := m.NewLabel(), m.NewLabel()
	wide := in.Key.Type.Bits() == 64
	w, load, store := Op(0), LDRW, STRW
	if wide {
		w, load, store = W, LDRX, STRX
	}
	local := in.Op == vcode.AtomicLocal
	m.laneGen(scratch, in.Uses[2], lane)
	m.Bind(again)
	if local {
		m.Access(load, X0, At(X2, 0), address)
	} else {
		m.R(LDAXR|w, X0, X2, 0)
	}
	next := address
	if in.IR == ir.AtomCmpXchg {
		m.laneGen(address, in.Uses[3], lane)
		m.R(CMP|w, 0, X0, address)
		m.BCond(NE, differs)
		next = scratch
	} else {
		m.replacement(in, w)
	}
	if local {
		m.Access(store, next, At(X2, 0), address)
	} else {
		m.R(STLXR|w, next, X2, LR)
		m.BZero(CBNZ, LR, again)
	}
	m.Bind(differs)
	to := At(record, int64(m.record.Scratch)+int64(in.Key.Type.Bits()/8)*int64(lane))
	m.Access(store, X0, to, address)
}

// laneGen copies a lane of a Vec or Wide to a general register. It clobbers V0.
func (m *machine) laneGen(x Reg, r vcode.Reg, lane uint8) {
	switch bits, ok := m.f.Const(r); {
	case ok:
		m.MovI(x, bits)
	case m.class(r) == vcode.Wide:
		m.loadX(x, plusBytes(m.slot(r), 8*int64(lane)))
	default:
		m.VE(VGETW, S2, x, m.vec(r, 0), lane)
	}
}

// replacement computes in X16, from the old value in X0 and the operand in X17, the new value. It clobbers V0, V1, V3 and V4 for floats.
func (m *machine) replacement(in *vcode.Inst, w Op) {
	switch op := in.IR; op {
	case ir.AtomXchg:
		m.Move(address, scratch)
	case ir.AtomAdd, ir.AtomAnd, ir.AtomOr, ir.AtomXor:
		m.R(map[ir.Op]Op{ir.AtomAdd: ADD, ir.AtomAnd: AND, ir.AtomOr: ORR, ir.AtomXor: EOR}[op]|w, address, X0, scratch)
	case ir.AtomUMin, ir.AtomUMax, ir.AtomSMin, ir.AtomSMax:
		m.R(CMP|w, 0, X0, scratch)
		m.Select(CSEL|w, address, X0, scratch, map[ir.Op]Cond{ir.AtomUMin: LO, ir.AtomUMax: HI, ir.AtomSMin: LT, ir.AtomSMax: GT}[op])
	default:
		m.floatAtomic(in)
	}
}

// floatAtomic is replacement of floats. A NaN that it computes is canonical.
func (m *machine) floatAtomic(in *vcode.Inst) {
	t, to, from := S4, FMOVSW, FMOVWS
	if in.Key.Type.Bits() == 64 {
		t, to, from = D2, FMOVDX, FMOVXD
	}
	m.emit(Insn{Op: to, D: 0, N: X0})
	m.emit(Insn{Op: to, D: 1, N: scratch})
	switch in.IR {
	case ir.AtomFAdd:
		m.flushWords(in, 0, 1)
		m.V(VFADD, t, 0, 0, 1)
		m.flushWords(in, 0)
		m.canonical(t, 0, 0)
	case ir.AtomFMin:
		m.numeric(t, 0, 1, VFMINNM)
	case ir.AtomFMax:
		m.numeric(t, 0, 1, VFMAXNM)
	}
	m.emit(Insn{Op: from, D: address, N: 0})
}

// flushWords makes denormal numbers of 32 bits in each register zeros of their sign, if the atomic has FTZ. It clobbers V3 and V4.
func (m *machine) flushWords(in *vcode.Inst, list ...Reg) {
	if in.Key.Flags&ir.FTZ == 0 {
		return
	}
	for _, v := range list {
		m.fill(3, 0x7f800000)
		m.s4(VCMTST, 3, v, 3)
		m.fill(4, 1<<31)
		m.bits(VORR, 3, 3, 4) // the bits that remain
		m.bits(VAND, v, v, 3)
	}
}
