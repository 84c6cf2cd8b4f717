package amd64

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/codegen"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// ymmAccesses are the rules of loads and stores whose handles may differ between lanes: lane by lane,
// through the scratch memory.
//
// With differing handles each lane has a base address and a length of its own. AVX-512 gathers both
// fields of eight handles (checkedEights). AVX2 has no scatter, so a loop over the active lanes
// serves for both directions and for all sizes.
func ymmAccesses() map[codegen.Rule]ymmEmitter {
	r := map[codegen.Rule]ymmEmitter{}
	for _, t := range allTypes {
		r[codegen.Rule{ir.Ld, t, ir.H}] = ymmLoad
		r[codegen.Rule{ir.St, t, ir.H}] = ymmStore
	}
	return r
}

// loadApart loads a value for each lane, 0 out of range, if the handles may differ. The row of results is 0 at first: lanes that
// are inactive or out of range then need no code. A row of 64-bit lanes has two vectors.
func (m ymm) loadApart(in *vcode.Inst) {
	size := int32(in.Key.Type.Size())
	load := loadsOf[in.Key.Type.Size()]
	step, store := uint8(4), MOV_ST
	if size == 8 {
		step, store = 8, MOV_ST|W
	}
	m.zero(0)
	m.rm(AVX_VMOVUPS_ST, 0, 0, m.scratch(scratchOld))
	m.rm(AVX_VMOVUPS_ST, 0, 0, m.scratch(scratchOld+ymmBytes))
	// RAX is the end of the access, so that the comparison with the length needs no further
	// addition; the first byte is size bytes before.
	m.eachAccess(in, m.execution(in, 0), target.HandleLength, func() {
		m.GRM(load, RDX, At(RAX, -size))
		m.GRM(store, RDX, Indexed(R14, RCX, step, m.record.Scratch+scratchOld))
	})
	m.rm(AVX_VMOVUPS, 0, 0, m.scratch(scratchOld))
	if size < 8 {
		m.done(in, 0)
		return
	}
	m.doneHalf(in, 0, 0)
	m.rm(AVX_VMOVUPS, 0, 0, m.scratch(scratchOld+ymmBytes))
	m.doneHalf(in, 1, 0)
}

// storeApart stores a value of each lane, in ascending order, nothing out of range and nothing for
// helpers, if the handles may differ. The order matters: if two lanes store to the same address, the one with the higher number
// wins.
func (m ymm) storeApart(in *vcode.Inst) {
	size := int32(in.Key.Type.Size())
	store := map[int32]G{1: MOVB_ST, 2: MOVW_ST, 4: MOV_ST, 8: MOV_ST | W}[size]
	step, load := uint8(4), MOV
	if size == 8 {
		step, load = 8, MOV|W
		for i := range 2 {
			m.loadHalf(0, in.Uses[2], i)
			m.rm(AVX_VMOVUPS_ST, 0, 0, m.scratch(scratchOld+int32(i)*ymmBytes))
		}
	} else {
		m.rm(AVX_VMOVUPS_ST, m.vec(in.Uses[2], 0), 0, m.scratch(scratchOld))
	}
	m.eachAccess(in, m.storingLanes(in, 0), target.HandleWrites, func() {
		// The lane number in RCX is dead after this load; eachAccess finds the next one from RBX.
		m.GRM(load, RCX, Indexed(R14, RCX, step, m.record.Scratch+scratchOld))
		m.GRM(store, RCX, At(RAX, -size))
	})
}

// eachAccess loops over the lanes of k with an access in range, in ascending order: do finds the
// lane's number in RCX and the end of its access in RAX. It may clobber RDX; RBX holds the remaining
// lanes.
//
// The loop needs one register more than the scratch registers. RBX is allocatable, so that its value
// is saved in the scratch memory. One iteration:
//
//	tzcnt ecx, ebx               lane
//	mov   eax, [offsets + 4·rcx]
//	add   rax, imm + size        64 bits: it cannot wrap
//	mov   edx, [handles + 4·rcx]
//	shl   rdx, 5                 byte offset in the handle table
//	cmp   rax, [r13 + rdx + 8]   length
//	ja    skip
//	add   rax, [r13 + rdx]       base
func (m ymm) eachAccess(in *vcode.Inst, k Reg, field int32, do func()) {
	next, skip, done := m.NewLabel(), m.NewLabel(), m.NewLabel()
	m.rr(AVX_VMOVMSKPS, RAX, 0, k)
	m.GRR(TEST, RAX, RAX)
	m.Jcc(Equal, done)
	handles := Reg(1)
	if in.Op == vcode.Gather || in.Op == vcode.Scatter {
		m.loadGen(RCX, in.Uses[0]) // the position in the table, not the number
		m.ShiftI(ShrI, true, RCX, target.HandleShift)
		m.splat(handles, RCX)
	} else {
		handles = m.vec(in.Uses[0], handles)
	}
	m.rm(AVX_VMOVUPS_ST, handles, 0, m.scratch(scratchOperand))
	m.rm(AVX_VMOVUPS_ST, m.vec(in.Uses[1], 1), 0, m.scratch(scratchOffset))
	m.GRM(MOV_ST|W, RBX, m.scratch(scratchSaved))
	m.GRR(MOV, RBX, RAX)
	m.Bind(next)
	m.GRR(TZCNT, RCX, RBX)
	m.GRM(MOV, RAX, m.lane32(scratchOffset))
	if end := in.Key.Aux + uint64(in.Key.Type.Size()); end <= math.MaxInt32 {
		m.GI(AddI, true, RAX, int32(end))
	} else {
		m.MovI(RDX, end)
		m.GRR(ADD|W, RAX, RDX)
	}
	m.GRM(MOV, RDX, m.lane32(scratchOperand))
	m.ShiftI(ShlI, true, RDX, target.HandleShift)
	m.GRM(CMP|W, RAX, Indexed(R13, RDX, 1, field))
	m.Jcc(Above, skip)
	m.GRM(ADD|W, RAX, Indexed(R13, RDX, 1, 0))
	do()
	m.Bind(skip)
	m.GRM(LEA, RCX, At(RBX, -1)) // clear the lowest bit
	m.GRR(AND, RBX, RCX)
	m.Jcc(NotEqual, next)
	m.GRM(MOV|W, RBX, m.scratch(scratchSaved))
	m.Bind(done)
}
