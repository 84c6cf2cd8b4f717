package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Offsets in the record's scratch memory: rows with a word for each lane, and single values.
//
// Rows of 64 bytes are vectors of 16 lanes:
//
//	  0  offsets      of the lanes
//	 64  operands
//	128  old values
//	192  comparators  of compare-exchange
//	256  base address, and a saved RBX
//	320  results      of eight parts with eight lanes
const (
	scratchOffset  = 0
	scratchOperand = 64
	scratchOld     = 128
	scratchCompare = 192
	scratchBase    = 256 // 64 bits, as the next one
	scratchSaved   = 264
	scratchResults = 320 // of eight parts with eight lanes
	scratchBytes   = 576
)

// atomic performs an atomic lane by lane, in ascending order. Workgroup memory needs no lock prefix,
// since a workgroup runs on one thread. Out of range or misaligned it yields 0 and does nothing. A
// vector form exists only as gather, operate, scatter, which is wrong if two lanes have the same
// address, and not atomic for other threads. AVX-512CD detects such conflicts (VPCONFLICTD), but
// contended counters, the usual case, conflict in every lane.
func (m *machine) atomic(in *vcode.Inst, lock bool) {
	if atomic64Bit(in) {
		m.atomic64(in, lock)
		return
	}
	if single(in) {
		m.atomicNoResult(in, lock)
		return
	}
	off := m.vec(in.Uses[1], 1)
	m.RR(VPXORD, V128, 0, 0, 0, 0)
	m.RM(VMOVDQU32_ST, V512, 0, 0, m.scratch(scratchOld), 0)
	done := m.NewLabel()
	if m.inRange(in, m.storingLanes(in), off, target.HandleWrites) {
		// exchangeLanes needs RDX for the address of each lane.
		m.GRM(MOV_ST|W, RDX, m.scratch(scratchBase)) // plus 2³¹, because Z4 is 2³¹ less than the offset
		m.RM(VPADDD, V512, 3, off, m.word32(uint32(in.Key.Aux)), BC)
		// K2 retains the lanes that have a multiple of 4 as their byte offset.
		m.RM(VPTESTNMD, V512, 2, 3, m.word32(3), BC|K(2))
		m.RR(KMOVW_RK, V128, RAX, 0, 2, 0)
		m.GRR(TEST, RAX, RAX)
		m.Jcc(Equal, done)
		m.RM(VMOVDQU32_ST, V512, 4, 0, m.scratch(scratchOffset), 0)
		m.RM(VMOVDQU32_ST, V512, m.vec(in.Uses[2], 0), 0, m.scratch(scratchOperand), 0)
		if in.IR == ir.AtomCmpXchg {
			m.RM(VMOVDQU32_ST, V512, m.vec(in.Uses[3], 0), 0, m.scratch(scratchCompare), 0)
		}
		m.exchangeLanes(in, lock)
	}
	m.Bind(done)
	if len(in.Defs) > 0 {
		m.RM(VMOVDQU32, V512, 0, 0, m.scratch(scratchOld), 0)
		m.define(in, 0)
	}
}

// storeForms are the read-modify-write instructions for atomics without a used result. A single
// instruction needs no loop, even with a lock prefix: lock add [m], r.
var storeForms = map[ir.Op]G{ir.AtomAdd: ADD_ST, ir.AtomAnd: AND_ST, ir.AtomOr: OR_ST, ir.AtomXor: XOR_ST}

// single reports whether one instruction performs an atomic in a lane.
func single(in *vcode.Inst) bool {
	_, ok := storeForms[in.IR]
	return ok && len(in.Defs) == 0
}

// constantForms are those with an immediate operand.
var constantForms = map[ir.Op]ALU{ir.AtomAdd: AddI, ir.AtomAnd: AndI, ir.AtomOr: OrI, ir.AtomXor: XorI}

// atomicNoResult performs an atomic without a used result. If all lanes are active it is unrolled.
// It is the hot path of histograms and counters: two loads and one read-modify-write per lane, no
// branch.
//
//	movsxd rax, [offset of lane 0]
//	mov ecx, [operand of lane 0]
//	lock add [rdx + rax], ecx          and so on for sixteen lanes
func (m *machine) atomicNoResult(in *vcode.Inst, lock bool) {
	k, off := m.storingLanes(in), m.vec(in.Uses[1], 1)
	all, full := m.f.Const(in.Masks[0])
	full = full && all != 0 && !m.facts.Demotes
	known := func(base Mem) { // the words of the active lanes are in range and aligned
		m.RM(VMOVDQU32_ST, V512, off, 0, m.scratch(scratchOffset), 0)
		m.atomicOperands(in)
		if !full {
			m.RR(KMOVW_RK, V128, RAX, 0, k, 0)
		}
		m.atomicNoResultLanes(in, zmmLanes, full, lock, base, true)
	}
	if in.Proven {
		known(At(R12, int32(in.Key.Aux))) // only accesses of the workgroup memory are Proven here
		return
	}
	checked := func() {
		if !m.inRange(in, k, off, target.HandleWrites) {
			return
		}
		m.RM(VPADDD, V512, 3, off, m.word32(uint32(in.Key.Aux)), BC)
		m.RM(VPTESTNMD, V512, 2, 3, m.word32(3), BC|K(2))
		m.RM(VMOVDQU32_ST, V512, 4, 0, m.scratch(scratchOffset), 0)
		m.atomicOperands(in)
		m.RR(KMOVW_RK, V128, RAX, 0, 2, 0)
		m.atomicNoResultLanes(in, zmmLanes, false, lock, At(RDX, 0), false)
	}
	m.withinLimit(in, lock, known, checked)
}

// atomicOperands writes the operands of an atomic to the scratch memory, unless they are one constant.
func (m *machine) atomicOperands(in *vcode.Inst) {
	if _, constant := m.f.Const(in.Uses[2]); !constant {
		m.RM(VMOVDQU32_ST, V512, m.vec(in.Uses[2], 0), 0, m.scratch(scratchOperand), 0)
	}
}

// withinLimit emits known, with the memory of offset 0, if the memory of an atomic has all words below its Limit, and else checked, out of
// line:
//
//	cmp [handle + length], limit
//	jb  checked
//	mov rdx, [handle]
//
// It is one comparison in place of fourteen instructions for each vector of offsets. An atomic with a lock prefix needs a multiple of their
// time, so that it has only checked.
func (m *machine) withinLimit(in *vcode.Inst, lock bool, known func(base Mem), checked func()) {
	if in.Limit == 0 || lock {
		checked()
		return
	}
	slow, done := m.NewLabel(), m.NewLabel()
	at := m.handleWord(in.Uses[0], RAX, target.HandleWrites)
	m.GMI(CmpI, true, at, int32(in.Limit))
	m.Jcc(Below, slow)
	at.Disp -= target.HandleWrites
	m.GRM(MOV|W, RDX, at)
	known(At(RDX, int32(in.Key.Aux)))
	m.Bind(done)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(slow)
		checked()
		m.Jmp(done)
	})
}

// atomicNoResultLanes performs an atomic of storeForms for the lanes in RAX, or for all. The
// addresses are base plus the offsets in the scratch memory, which also holds the operands unless
// they are constant; positive offsets are not sign-extended, and such a copy costs nothing. A full mask is unrolled, because a loop over 16
// known lanes costs a count, a branch and a dependent TZCNT for each.
func (m *machine) atomicNoResultLanes(in *vcode.Inst, lanes int32, full, lock bool, base Mem, positive bool) {
	operand, constant := m.f.Const(in.Uses[2])
	some, done := m.NewLabel(), m.NewLabel()
	one := func(lane, at Mem) {
		if !constant {
			m.GRM(MOV, RCX, lane)
			m.lockIf(lock)
			m.GRM(storeForms[in.IR], RCX, at)
			return
		}
		m.lockIf(lock)
		m.GMI(constantForms[in.IR], false, at, int32(operand))
	}
	if !full {
		m.GI(CmpI, false, RAX, 1<<lanes-1)
		m.Jcc(NotEqual, some)
		m.slowPaths = append(m.slowPaths, func() {
			m.Bind(some)
			if base != At(RDX, 0) {
				m.GRM(LEA|W, RDX, base)
			}
			m.GRM(MOV_ST|W, RDX, m.scratch(scratchBase))
			m.GRR(TEST, RAX, RAX)
			m.Jcc(Equal, done)
			m.eachLane(func() { one(m.lane32(scratchOperand), At(RDX, 0)) })
			m.Jmp(done)
		})
	}
	extended, high := MOVSXD|W, SarI
	if positive {
		extended, high = MOV, ShrI
	}
	for lane := int32(0); lane < lanes; lane++ {
		if at := m.scratch(scratchOffset + 4*lane); !constant {
			m.GRM(extended, RAX, at)
		} else if lane%2 == 0 { // two offsets per load, since RCX is free
			m.GRM(MOV|W, RAX, at)
			m.GRR(extended, RCX, RAX)
			one(Mem{}, Indexed(base.Base, RCX, 1, base.Disp))
			continue
		} else {
			m.ShiftI(high, true, RAX, 32)
		}
		one(m.scratch(scratchOperand+4*lane), Indexed(base.Base, RAX, 1, base.Disp))
	}
	m.Bind(done)
}

// scratch returns the memory at an offset in the record's scratch memory.
func (m *machine) scratch(off int32) Mem { return At(R14, m.record.Scratch+off) }

// lane32 returns the word of the lane in RCX in a row of the scratch memory.
func (m *machine) lane32(row int32) Mem { return Indexed(R14, RCX, 4, m.record.Scratch+row) }

// lockIf emits LOCK if other threads may access the memory. Workgroup memory needs none: one thread executes a workgroup.
func (m *machine) lockIf(lock bool) {
	if lock {
		m.Lock()
	}
}

// eachLane loops over the lanes in RAX, which is not 0: do finds the lane's number in RCX and its
// address in RDX.
func (m *machine) eachLane(do func()) {
	next := m.NewLabel()
	m.Bind(next)
	m.GRR(TZCNT, RCX, RAX)
	m.GRM(MOVSXD|W, RDX, m.lane32(scratchOffset))
	m.GRM(ADD|W, RDX, m.scratch(scratchBase))
	do()
	m.GRM(LEA, RCX, At(RAX, -1)) // clear the lowest bit
	m.GRR(AND, RAX, RCX)
	m.Jcc(NotEqual, next)
}

// exchangeLanes performs atomics with a used result, or without a single instruction, by a
// compare-exchange loop. RBX holds the remaining lanes, since CMPXCHG needs RAX. For each lane:
//
//	next:  tzcnt ecx, ebx                 lowest remaining lane
//	       mov eax, [address]             old value
//	       new value in ecx
//	       lock cmpxchg [address], ecx    fails if another worker wrote meanwhile
//	       jne next                       the lane is still in rbx
//	       clear the lowest bit of rbx
//
// Compare-exchange of the IR exits the loop early if the old value differs, without a store. Without
// lock no other thread can write, and a plain store replaces CMPXCHG; LOCK costs about 20 cycles
// even without contention (uops.info).
func (m *machine) exchangeLanes(in *vcode.Inst, lock bool) {
	m.GRM(MOV_ST|W, RBX, m.scratch(scratchSaved))
	m.GRR(MOV, RBX, RAX)
	next, skip := m.NewLabel(), m.NewLabel()
	m.Bind(next)
	m.GRR(TZCNT, RCX, RBX)
	m.GRM(MOVSXD|W, RDX, m.lane32(scratchOffset))
	m.GRM(ADD|W, RDX, m.scratch(scratchBase))
	m.GRM(MOV, RAX, At(RDX, 0))
	if in.IR == ir.AtomCmpXchg {
		m.GRM(CMP, RAX, m.lane32(scratchCompare))
		m.Jcc(NotEqual, skip)
	}
	m.GRM(MOV, RCX, m.lane32(scratchOperand))
	m.replacement(in, 0)
	if lock {
		m.Lock()
		m.GRM(CMPXCHG, RCX, At(RDX, 0))
		m.Jcc(NotEqual, next)
	} else {
		m.GRM(MOV_ST, RCX, At(RDX, 0))
	}
	m.Bind(skip)
	// RCX held the new value; the lane number is needed again for the row of results.
	m.GRR(TZCNT, RCX, RBX)
	m.GRM(MOV_ST, RAX, m.lane32(scratchOld))
	m.GRM(LEA, RCX, At(RBX, -1))
	m.GRR(AND, RBX, RCX)
	m.Jcc(NotEqual, next)
	m.GRM(MOV|W, RBX, m.scratch(scratchSaved))
}

// replacement computes in RCX, from the old value in RAX and the operand in RCX, the new value: with
// 32 bits, or 64 if w is W. AtomXchg has no case: the new value is the operand, which RCX holds
// already.
func (m *machine) replacement(in *vcode.Inst, w G) {
	switch op := in.IR; op {
	case ir.AtomFAdd, ir.AtomFMin, ir.AtomFMax:
		m.set.floatAtomic(in)
	case ir.AtomAdd:
		m.GRR(ADD|w, RCX, RAX)
	case ir.AtomAnd:
		m.GRR(AND|w, RCX, RAX)
	case ir.AtomOr:
		m.GRR(OR|w, RCX, RAX)
	case ir.AtomXor:
		m.GRR(XOR|w, RCX, RAX)
	case ir.AtomUMin, ir.AtomUMax, ir.AtomSMin, ir.AtomSMax:
		// The flags of old − operand decide whether the old value replaces the operand.
		m.GRR(CMP|w, RAX, RCX)
		m.GRR(CMOV(map[ir.Op]Cond{ir.AtomUMin: Below, ir.AtomUMax: Above, ir.AtomSMin: Less, ir.AtomSMax: Greater}[op])|w, RCX, RAX)
	}
}
