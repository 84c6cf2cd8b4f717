package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Rows of the record's scratch memory for 64-bit atomics, with 64 bits for each lane.
const (
	// Two vectors each; the offsets remain 32 bits wide, at scratchOffset. The base and RBX are
	// between the operands and the old values:
	//
	//	  0 offsets   64 operands   192 unused   256 base, RBX   320 old   448 comparators
	scratchLongOperand = 64
	scratchLongOld     = 320
	scratchLongCompare = 448
)

// atomic64Bit reports whether an instruction is a 64-bit atomic.
func atomic64Bit(in *vcode.Inst) bool { return in.IR.Family() == ir.Atomics && in.Key.Type == ir.I64 }

// reach returns the distance from the offset to the end of a 32-bit access, a pair, 16 bytes, or a 64-bit
// atomic. An access at offset o is in range if o + reach ≤ length; inRange compares o with length −
// reach, which does not wrap after length ≥ reach is known.
func reach(in *vcode.Inst) uint64 {
	switch {
	case in.Op == vcode.Gather && len(in.Defs) > 2 && len(in.Uses) == 2:
		return in.Key.Aux + 16
	case atomic64Bit(in) || in.Op == vcode.Gather && len(in.Defs) > 1:
		return in.Key.Aux + 8
	}
	return in.Key.Aux + 4
}

// atomic64 is atomic with 64 bits.
func (m *machine) atomic64(in *vcode.Inst, lock bool) {
	off := m.vec(in.Uses[1], 1)
	m.RR(VPXORD, V128, 0, 0, 0, 0)
	for i := range int32(2 * len(in.Defs)) {
		m.RM(VMOVDQU32_ST, V512, 0, 0, m.scratch(scratchLongOld+64*i), 0)
	}
	done := m.NewLabel()
	if m.inRange(in, m.storingLanes(in), off, target.HandleWrites) {
		m.GRM(MOV_ST|W, RDX, m.scratch(scratchBase)) // plus 2³¹, because Z4 is 2³¹ less than the offset
		m.RM(VPADDD, V512, 3, off, m.word32(uint32(in.Key.Aux)), BC)
		// 64-bit atomics need multiples of 8: LOCK CMPXCHG across two cache lines is a split lock,
		// which locks the bus and may fault (Linux split_lock_detect).
		m.RM(VPTESTNMD, V512, 2, 3, m.word32(7), BC|K(2))
		m.RR(KMOVW_RK, V128, RAX, 0, 2, 0)
		m.RM(VMOVDQU32_ST, V512, 4, 0, m.scratch(scratchOffset), 0)
		for i := range 2 {
			m.load(wideInt, 0, in.Uses[2], i)
			m.RM(VMOVDQU32_ST, V512, 0, 0, m.scratch(scratchLongOperand+64*int32(i)), 0)
			if in.IR == ir.AtomCmpXchg {
				m.load(wideInt, 0, in.Uses[3], i)
				m.RM(VMOVDQU32_ST, V512, 0, 0, m.scratch(scratchLongCompare+64*int32(i)), 0)
			}
		}
		m.exchanges64(in, lock, done)
	}
	m.Bind(done)
	for i := range 2 * len(in.Defs) {
		m.RM(VMOVDQU32, V512, 0, 0, m.scratch(scratchLongOld+64*int32(i)), 0)
		m.store(wideInt, in, i, 0)
	}
}

// atomic64 is machine.atomic64 for AVX2.
func (m ymm) atomic64(in *vcode.Inst, lock bool) {
	off := m.vec(in.Uses[1], 1)
	m.zero(0)
	for i := range int32(2 * len(in.Defs)) {
		m.rm(AVX_VMOVUPS_ST, 0, 0, m.scratch(scratchLongOld+ymmBytes*i))
	}
	done := m.NewLabel()
	if at, ok := m.inRange(in, m.storingLanes(in, 0), off, target.HandleWrites); ok {
		m.word(AVX_VPADDD, 3, off, uint32(in.Key.Aux))
		m.rri(AVX_VPSLLD, 3, 0, 3, 29) // the low three bits, 0 if aligned
		m.zero(0)
		m.rr(AVX_VPCMPEQD, 3, 3, 0)
		m.rr(AVX_VPAND, 2, 2, 3)
		m.rr(AVX_VMOVMSKPS, RAX, 0, 2)
		m.laneBase(at)
		for i := range 2 {
			m.load(wideInt, 0, in.Uses[2], i)
			m.rm(AVX_VMOVUPS_ST, 0, 0, m.scratch(scratchLongOperand+ymmBytes*int32(i)))
			if in.IR == ir.AtomCmpXchg {
				m.load(wideInt, 0, in.Uses[3], i)
				m.rm(AVX_VMOVUPS_ST, 0, 0, m.scratch(scratchLongCompare+ymmBytes*int32(i)))
			}
		}
		m.exchanges64(in, lock, done)
	}
	m.Bind(done)
	for i := range 2 * len(in.Defs) {
		m.rm(AVX_VMOVUPS, 0, 0, m.scratch(scratchLongOld+ymmBytes*int32(i)))
		m.store(wideInt, in, i, 0)
	}
}

// exchanges64 is exchangeLanes with 64 bits. It does nothing if the buffer's address is not a
// multiple of 8, which RDX shows: it exceeds that address by a multiple of 8 and Aux. All lanes
// share the base, so that one test decides for all: the offsets are multiples of 8 after the test of
// atomic64.
func (m *machine) exchanges64(in *vcode.Inst, lock bool, done Label) {
	m.GRM(LEA, RCX, At(RDX, -int32(in.Key.Aux&7)))
	m.GI(AndI, false, RCX, 7)
	m.Jcc(NotEqual, done)
	m.GRR(TEST, RAX, RAX)
	m.Jcc(Equal, done)
	m.GRM(MOV_ST|W, RBX, m.scratch(scratchSaved))
	m.GRR(MOV, RBX, RAX)
	lane := func(row int32) Mem { return Indexed(R14, RCX, 8, m.record.Scratch+row) }
	next, skip := m.NewLabel(), m.NewLabel()
	m.Bind(next)
	m.GRR(TZCNT, RCX, RBX)
	m.GRM(MOVSXD|W, RDX, m.lane32(scratchOffset))
	m.GRM(ADD|W, RDX, m.scratch(scratchBase))
	if form, ok := storeForms[in.IR]; ok && len(in.Defs) == 0 {
		m.GRM(MOV|W, RCX, lane(scratchLongOperand))
		m.lockIf(lock)
		m.GRM(form|W, RCX, At(RDX, 0))
		m.nextLane64(next)
		return
	}
	m.GRM(MOV|W, RAX, At(RDX, 0))
	if in.IR == ir.AtomCmpXchg {
		m.GRM(CMP|W, RAX, lane(scratchLongCompare))
		m.Jcc(NotEqual, skip)
	}
	m.GRM(MOV|W, RCX, lane(scratchLongOperand))
	m.replacement(in, W)
	if lock {
		m.Lock()
		m.GRM(CMPXCHG|W, RCX, At(RDX, 0))
		m.Jcc(NotEqual, next)
	} else {
		m.GRM(MOV_ST|W, RCX, At(RDX, 0))
	}
	m.Bind(skip)
	m.GRR(TZCNT, RCX, RBX)
	m.GRM(MOV_ST|W, RAX, lane(scratchLongOld))
	m.nextLane64(next)
}

// nextLane64 ends the loop of exchanges64: it removes the lowest lane from RBX.
func (m *machine) nextLane64(next Label) {
	m.GRM(LEA, RCX, At(RBX, -1))
	m.GRR(AND, RBX, RCX)
	m.Jcc(NotEqual, next)
	m.GRM(MOV|W, RBX, m.scratch(scratchSaved))
}
