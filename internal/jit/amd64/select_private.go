package amd64

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/codegen"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// variables are the rules of operations on whole variables, and of accesses to private memory by
// variable and by address.
func variables() map[codegen.Rule]emitter {
	r := map[codegen.Rule]emitter{
		{ir.PClr, ir.None, ir.None}: clearVariable,
		{ir.PAddr, ir.I32, ir.None}: variableAddress,
	}
	for _, t := range [...]ir.Type{ir.B1, ir.I8, ir.I16, ir.I32, ir.I64, ir.F16, ir.F32, ir.F64} {
		load, store := loadSlots, storeSlots
		if t.Bits() == 64 {
			load, store = loadPairs, storePairs
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

// slotIndices finds slots: K2 becomes the lanes whose n slots are in range, Z0 the index of the first
// relative to the returned memory.
//
// Slot s of lane l is word s·Lanes + l of the private memory: 16 adjacent words for one slot. A
// uniform slot therefore needs no gather (slotLoads).
func (m *machine) slotIndices(in *vcode.Inst, n uint32) Mem {
	slots, first := m.prog.PrivateSlots(), uint32(0)
	if in.IR == ir.PLd || in.IR == ir.PSt {
		v := int(in.Key.Aux)
		slots, first = m.prog.Vars[v].Slots, m.varBase(v)
	}
	slot := m.vec(in.Uses[0], 0)
	end := max(slots+1, n) - n
	m.RMI(VPCMPUD, V512, 2, slot, m.word32(end), compareLT, K(m.execution(in))|BC)
	m.RM(VPMULLD, V512, 0, slot, m.word32(uint32(m.record.Lanes)), BC)
	m.RM(VPADDD, V512, 0, 0, m.iota16(), 0)
	return Indexed(R14, 0, 4, m.record.Private+4*int32(first)*m.record.Lanes+64*int32(in.Part))
}

// loadSlots loads the low bits of a slot for each lane, 0 out of range. The bits above a narrow type
// in the slot may be from an earlier store of another type, hence the truncation.
func loadSlots(m *machine, in *vcode.Inst) {
	at := m.slotIndices(in, 1)
	m.RR(VPXORD, V128, 1, 1, 1, 0)
	m.RM(VPGATHERDD, V512, 1, 0, at, K(2))
	if in.Key.Type == ir.B1 {
		m.RM(VPTESTMD, V512, 2, 1, m.word32(1), BC)
		m.doneMask(in, 2)
		return
	}
	m.truncate(1, uint32(in.Key.Type.Bits()))
	m.define(in, 1)
}

// storeSlots stores a slot of each lane in range.
func storeSlots(m *machine, in *vcode.Inst) {
	at := m.slotIndices(in, 1)
	value := Reg(1)
	if in.Key.Type == ir.B1 {
		m.RM(VPBROADCASTD, V512, 1, 0, m.word32(1), K(m.mask(in.Uses[1], 3))|Z)
	} else {
		value = m.vec(in.Uses[1], 1)
	}
	m.RM(VPSCATTERDD, V512, value, 0, at, K(2))
}

// nextSlot returns the memory of the following slot.
func (m *machine) nextSlot(at Mem) Mem {
	at.Disp += 4 * m.record.Lanes
	return at
}

// loadPairs loads two slots for each lane, the low half first; 0 if one is out of range. Each gather
// clears its mask, so that two copies exist. Low and high words are then widened and combined, eight
// lanes at a time.
func loadPairs(m *machine, in *vcode.Inst) {
	at := m.slotIndices(in, 2)
	m.RR(VPXORD, V128, 3, 3, 3, 0)
	m.RR(VPXORD, V128, 4, 4, 4, 0)
	m.RR(KMOVW, V128, 3, 0, 2, 0)
	m.RM(VPGATHERDD, V512, 3, 0, at, K(2))
	m.RM(VPGATHERDD, V512, 4, 0, m.nextSlot(at), K(3))
	for i := range 2 {
		m.RR(VPMOVZXDQ, V512, 0, 0, 3, 0)
		m.RR(VPMOVZXDQ, V512, 1, 0, 4, 0)
		m.RRI(VPSLLQ, V512, 1, 0, 1, 32, 0)
		m.RR(VPORQ, V512, 0, 0, 1, 0)
		m.defineHalf(in, i, 0)
		m.highHalf(3, 3)
		m.highHalf(4, 4)
	}
}

// storePairs stores two slots of each lane if both are in range.
func storePairs(m *machine, in *vcode.Inst) {
	at := m.slotIndices(in, 2)
	m.RR(KMOVW, V128, 3, 0, 2, 0)
	m.lowWords(3, in.Uses[1])
	m.RM(VPSCATTERDD, V512, 3, 0, at, K(2))
	for i := range 2 {
		z := Reg(3 + i)
		m.RRI(VPSRLQ, V512, z, 0, m.half(in.Uses[1], i, z), 32, 0)
		m.RR(VPMOVQD, V512, z, 0, z, 0)
	}
	m.join(3, 3, 4)
	m.RM(VPSCATTERDD, V512, 3, 0, m.nextSlot(at), K(3))
}

// maxUnrolledSlots is the number of slots up to which a clear is unrolled.
const maxUnrolledSlots = 16

// clearVariable zeros all slots of a variable in the active lanes. Masked stores preserve the slots
// of inactive lanes. A large array has a loop, so that the code size is bounded.
func clearVariable(m *machine, in *vcode.Inst) {
	v := int(in.Key.Aux)
	slots, row := m.prog.Vars[v].Slots, 4*m.record.Lanes
	at := At(R14, m.record.Private+row*int32(m.varBase(v))+64*int32(in.Part))
	k := K(m.execution(in))
	m.RR(VPXORD, V128, 0, 0, 0, 0)
	if slots <= maxUnrolledSlots {
		for range slots {
			m.RM(VMOVDQU32_ST, V512, 0, 0, at, k)
			at.Disp += row
		}
		return
	}
	again := m.NewLabel()
	m.GRM(LEA|W, RAX, at)
	m.MovI(RCX, uint64(slots))
	m.Bind(again)
	m.RM(VMOVDQU32_ST, V512, 0, 0, At(RAX, 0), k)
	m.GI(AddI, true, RAX, row)
	m.GI(SubI, true, RCX, 1)
	m.Jcc(NotEqual, again)
}

// variableAddress is the number of a variable's first slot.
func variableAddress(m *machine, in *vcode.Inst) {
	m.broadcast(0, uint32(m.varBase(int(in.Key.Aux))))
	m.define(in, 0)
}

// slotAddress returns the memory of a slot of a private variable, the same slot in all lanes, of a part
// of so many bytes. It jumps to slow out of range. The slot is uniform, so that its words of all lanes
// are one vector: no gather is necessary. In a work-item loop the first lane is a register, because one
// code serves all subgroups:
//
//	[r14 + 4·lane + row]
func (m *machine) slotAddress(in *vcode.Inst, slow Label, bytes int32) Mem {
	v := m.prog.Vars[in.Key.Aux]
	first := m.record.Private + 4*int32(m.varBase(int(in.Key.Aux)))*m.record.Lanes + bytes*int32(in.Part)
	if n, ok := m.f.Const(in.Uses[0]); ok {
		if n >= uint64(v.Slots) {
			// The code after the jump is unreachable, but needs a valid displacement.
			m.Jmp(slow)
			n = 0
		}
		if u, ok := in.FirstLane(); ok {
			return Indexed(R14, m.gen(u, RDX), 4, first+int32(n)*4*m.record.Lanes)
		}
		return At(R14, first+int32(n)*4*m.record.Lanes)
	}
	m.loadGen(RAX, in.Uses[0])
	m.GI(CmpI, true, RAX, int32(min(v.Slots, math.MaxInt32)))
	m.Jcc(AboveEqual, slow)
	m.multiply(RAX, uint64(4*m.record.Lanes))
	return Indexed(R14, RAX, 1, first)
}

// slotRun returns the number of accesses at the start of a list to the parts of one slot; 0 if the first one is none. They share the bounds check.
func (m *machine) slotRun(list []vcode.Inst) int {
	first := &list[0]
	if first.Op != vcode.SlotLoad && first.Op != vcode.SlotStore {
		return 0
	}
	if _, constant := m.f.Const(first.Uses[0]); constant { // no check to share
		return 1
	}
	n := 1
	for n < len(list) && list[n].Op == first.Op && list[n].IR == first.IR && list[n].Key == first.Key && list[n].Uses[0] == first.Uses[0] {
		n++
	}
	return n
}

// slotPart returns the address of a part of the slot, from the address of the first part of a run.
func slotPart(at Mem, first, in *vcode.Inst, bytes int32) Mem {
	return plusBytes(at, bytes*(int32(in.Part)-int32(first.Part)))
}

// slotLoads loads a slot of a variable at one index for all lanes, 0 out of range: the lanes of a slot are a row.
func (m *machine) slotLoads(list []vcode.Inst) {
	slow, resume := m.NewLabel(), m.NewLabel()
	at := m.slotAddress(&list[0], slow, 64)
	for i := range list {
		d, o := m.dest(&list[i], 0)
		m.RM(VMOVDQU32, V512, d, 0, slotPart(at, &list[0], &list[i], 64), o)
		m.done(&list[i], d)
	}
	m.Bind(resume)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(slow)
		for i := range list {
			m.RR(VPXORD, V128, 0, 0, 0, 0)
			m.define(&list[i], 0)
		}
		m.Jmp(resume)
	})
}

// slotStores stores a slot in the active lanes, nothing out of range.
func (m *machine) slotStores(list []vcode.Inst) {
	slow := m.NewLabel()
	at := m.slotAddress(&list[0], slow, 64)
	for i := range list {
		in, o := &list[i], Opt(0)
		if all, ok := m.f.Const(in.Masks[0]); !ok || all == 0 {
			o = K(m.execution(in))
		}
		m.RM(VMOVDQU32_ST, V512, m.vec(in.Uses[1], 0), 0, slotPart(at, &list[0], in, 64), o)
	}
	m.Bind(slow)
}
