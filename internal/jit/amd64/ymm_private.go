package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/codegen"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// ymmVariables are the rules of accesses to private memory and of operations on whole variables. PLd
// and PSt name a variable and index its slots, PLdI and PStI index the whole private memory. The
// bounds differ, the code does not.
func ymmVariables() map[codegen.Rule]ymmEmitter {
	r := map[codegen.Rule]ymmEmitter{
		{ir.PClr, ir.None, ir.None}: ymmClearVariable,
		{ir.PAddr, ir.I32, ir.None}: func(m ymm, in *vcode.Inst) {
			m.fill(0, uint32(m.prog.VarBase(int(in.Key.Aux))))
			m.done(in, 0)
		},
	}
	for _, t := range append([]ir.Type{ir.B1}, allTypes[:]...) {
		load, store := ymmLoadSlots, ymmStoreSlots
		if t.Bits() == 64 {
			load, store = ymmLoadPairs, ymmStorePairs
		}
		for _, op := range [...]ir.Op{ir.PLd, ir.PLdI} {
			r[codegen.Rule{op, t, ir.I32}] = load
		}
		for _, op := range [...]ir.Op{ir.PSt, ir.PStI} {
			r[codegen.Rule{op, t, ir.I32}] = store
		}
	}
	return r
}

// slotIndices finds slots: Y2 becomes the lanes whose n slots are in range, Y1 the index of the first
// relative to the returned memory. It clobbers Y0 and Y3.
//
// Private memory has the order [slot][lane], so that neighboring lanes of one slot are adjacent. The
// word of slot s and lane l is s·Lanes + l. With n slots per access, the first one must be below
// slots + 1 − n.
func (m ymm) slotIndices(in *vcode.Inst, n uint32) Mem {
	slots, first := m.prog.PrivateSlots(), uint32(0)
	if in.IR == ir.PLd || in.IR == ir.PSt {
		v := int(in.Key.Aux)
		slots, first = m.prog.Vars[v].Slots, m.prog.VarBase(v)
	}
	slot := m.vec(in.Uses[0], 0)
	m.word(AVX_VPMAXUD, 2, slot, max(slots+1, n)-n)
	m.rr(AVX_VPCMPEQD, 2, 2, slot) // out of range
	m.rr(AVX_VPANDN, 2, 2, m.execution(in, 3))
	if lanes := uint32(m.record.Lanes); lanes&(lanes-1) == 0 {
		m.rri(AVX_VPSLLD, 1, 0, slot, log2(lanes))
	} else {
		m.word(AVX_VPMULLD, 1, slot, lanes)
	}
	m.rm(AVX_VPADDD, 1, 1, m.vector8(octetOf(0, 1)))
	return Indexed(R14, 1, 4, m.record.Private+4*int32(first)*m.record.Lanes+ymmBytes*int32(in.Part))
}

// log2 returns the number of the highest bit.
func log2(n uint32) uint8 {
	k := uint8(0)
	for ; n > 1; n >>= 1 {
		k++
	}
	return k
}

// ymmLoadSlots loads the low bits of a slot for each lane, 0 out of range. The gather loads only
// lanes of Y2, and leaves the others as they were, 0. A truth value in memory is 0 or 1 in bit 0,
// and two shifts spread it to a mask.
func ymmLoadSlots(m ymm, in *vcode.Inst) {
	at := m.slotIndices(in, 1)
	m.zero(0)
	m.rm(AVX_VPGATHERDD, 0, 2, at)
	if in.Key.Type == ir.B1 {
		m.rri(AVX_VPSLLD, 0, 0, 0, 31)
		m.rri(AVX_VPSRAD, 0, 0, 0, 31)
	} else {
		m.truncate(0, uint32(in.Key.Type.Bits()))
	}
	m.done(in, 0)
}

// ymmStoreSlots stores a slot of each lane in range. A mask becomes 0 or 1 by a shift.
func ymmStoreSlots(m ymm, in *vcode.Inst) {
	at := m.slotIndices(in, 1)
	m.divertInactive(at, scratchOffset)
	value := m.vec(in.Uses[1], 0)
	if in.Key.Type == ir.B1 {
		m.rri(AVX_VPSRLD, 0, 0, value, 31)
		value = 0
	}
	m.storeWords(at, value, scratchOffset)
}

// divertInactive writes the indices in Y1, relative to at, to the scratch memory, and for lanes
// outside Y2 the index of a dummy word there: AVX2 has no scatter, and stores to a dummy need no
// branches. It clobbers Y3.
//
// A loop over the active lanes, as for buffers, would need a bit scan and a branch per lane. Private
// memory is always writable, so that eight unconditional stores are cheaper. The dummy word is in
// the same record, within reach of the 32-bit index.
func (m ymm) divertInactive(at Mem, to int32) {
	m.fill(3, uint32((m.record.Scratch+scratchSaved-at.Disp)/4))
	m.blend(3, 3, 1, 2)
	m.rm(AVX_VMOVUPS_ST, 3, 0, m.scratch(to))
}

// storeWords stores the words of y at the indices from divertInactive, lane by lane. The indices are
// signed: the scratch memory precedes the private memory, so the dummy has a negative one.
func (m ymm) storeWords(at Mem, y Reg, indices int32) {
	m.rm(AVX_VMOVUPS_ST, y, 0, m.scratch(scratchOperand))
	for lane := range int32(ymmLanes) {
		m.GRM(MOVSXD|W, RAX, m.scratch(indices+4*lane))
		m.GRM(MOV, RCX, m.scratch(scratchOperand+4*lane))
		m.GRM(MOV_ST, RCX, Indexed(R14, RAX, 4, at.Disp))
	}
}

// ymmLoadPairs loads two slots for each lane, the low half first; 0 if one is out of range.
//
// The mask of the first gather is copied, because a gather clears its mask. Low words l and high
// words h are interleaved per 128-bit half, and the halves then exchanged through memory:
//
//	ymm3, ymm4       l7 … l0, h7 … h0
//	unpcklps         h5 l5 h4 l4 | h1 l1 h0 l0
//	unpckhps         h7 l7 h6 l6 | h3 l3 h2 l2
//	first half       h3 l3 h2 l2 | h1 l1 h0 l0
func ymmLoadPairs(m ymm, in *vcode.Inst) {
	at := m.slotIndices(in, 2)
	m.zero(3)
	m.zero(4)
	m.moveVec(0, 2)
	m.rm(AVX_VPGATHERDD, 3, 2, at)
	m.rm(AVX_VPGATHERDD, 4, 0, m.nextSlot(at))
	m.rr(AVX_VUNPCKLPS, 0, 3, 4) // lanes 0 1 4 5
	m.rr(AVX_VUNPCKHPS, 1, 3, 4) // lanes 2 3 6 7
	m.rm(AVX_VMOVUPS_ST, 1, 0, m.scratch(scratchOld))
	m.RMI(AVX_VINSERTF128, V256, 2, 0, m.scratch(scratchOld), 1, 0)
	m.rm(AVX_VMOVUPS_ST, 0, 0, m.scratch(scratchOperand))
	m.doneHalf(in, 0, 2)
	m.RM(AVX_VMOVUPS, V128, 0, 0, m.scratch(scratchOperand+16), 0)
	m.RMI(AVX_VINSERTF128, V256, 0, 0, m.scratch(scratchOld+16), 1, 0)
	m.doneHalf(in, 1, 0)
}

// ymmStorePairs stores two slots of each lane if both are in range. The low words of all lanes are
// one row, the high words the next. VSHUFPS with 0xdd selects the odd words, as lowWords the even
// ones. Both index rows are written first, since their registers are needed for the values.
func ymmStorePairs(m ymm, in *vcode.Inst) {
	at := m.slotIndices(in, 2)
	m.divertInactive(at, scratchOffset)
	m.divertInactive(m.nextSlot(at), scratchOld)
	m.loadHalf(0, in.Uses[1], 0)
	m.loadHalf(1, in.Uses[1], 1)
	m.lowWords(2, 0, 1)
	m.storeWords(at, 2, scratchOffset)
	m.rri(AVX_VSHUFPS, 0, 0, 1, 0xdd)
	m.rri(AVX_VPERMQ, 0, 0, 0, 0xd8)
	m.storeWords(m.nextSlot(at), 0, scratchOld)
}

// ymmClearVariable zeros all slots of a variable in the active lanes. AVX-512 stores zeros under the
// mask. Here inactive lanes are read and written back: VPANDN with the mask clears the active ones.
// No other thread accesses the record meanwhile.
func ymmClearVariable(m ymm, in *vcode.Inst) {
	v := int(in.Key.Aux)
	slots, row := m.prog.Vars[v].Slots, 4*m.record.Lanes
	at := At(R14, m.record.Private+row*int32(m.prog.VarBase(v))+ymmBytes*int32(in.Part))
	k := m.execution(in, 2)
	clear := func(at Mem) {
		if m.always(in) {
			m.rm(AVX_VMOVUPS_ST, 0, 0, at)
			return
		}
		m.rm(AVX_VPANDN, 1, k, at)
		m.rm(AVX_VMOVUPS_ST, 1, 0, at)
	}
	m.zero(0)
	if slots <= maxUnrolledSlots {
		for i := range int32(slots) {
			clear(plusBytes(at, row*i))
		}
		return
	}
	again := m.NewLabel()
	m.GRM(LEA|W, RAX, at)
	m.MovI(RCX, uint64(slots))
	m.Bind(again)
	clear(At(RAX, 0))
	m.GI(AddI, true, RAX, row)
	m.GI(SubI, true, RCX, 1)
	m.Jcc(NotEqual, again)
}

func (m ymm) slotLoads(list []vcode.Inst) {
	slow, resume := m.NewLabel(), m.NewLabel()
	at := m.slotAddress(&list[0], slow, ymmBytes)
	for i := range list {
		d := m.dest(&list[i], 0)
		m.rm(AVX_VMOVUPS, d, 0, slotPart(at, &list[0], &list[i], ymmBytes))
		m.done(&list[i], d)
	}
	m.Bind(resume)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(slow)
		m.zero(0)
		for i := range list {
			m.done(&list[i], 0)
		}
		m.Jmp(resume)
	})
}

// slotStores merges by reading the old slot: no other thread writes to the memory of a subgroup.
func (m ymm) slotStores(list []vcode.Inst) {
	slow := m.NewLabel()
	at := m.slotAddress(&list[0], slow, ymmBytes)
	for i := range list {
		in, part := &list[i], slotPart(at, &list[0], &list[i], ymmBytes)
		value := m.vec(in.Uses[1], 0)
		if !m.always(in) {
			m.rm(AVX_VMOVUPS, 1, 0, part)
			m.blend(1, 1, value, m.execution(in, 2))
			value = 1
		}
		m.rm(AVX_VMOVUPS_ST, value, 0, part)
	}
	m.Bind(slow)
}
