package arm64

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/codegen"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// allTypes are the types of values in memory.
var allTypes = [...]ir.Type{ir.I8, ir.I16, ir.I32, ir.I64, ir.F16, ir.F32, ir.F64}

// accesses are the rules of loads and stores with handles that may differ between lanes, or of 8, 16 or 64 bits: lane by lane.
func accesses() map[codegen.Rule]emitter {
	r := map[codegen.Rule]emitter{
		{ir.Len, ir.I32, ir.H}:      length,
		{ir.PClr, ir.None, ir.None}: clearVariable,
		{ir.PAddr, ir.I32, ir.None}: variableAddress,
		{ir.Demote, 0, 0}:           demote,
		{ir.Helper, ir.B1, 0}:       helper,
		{ir.PLd, ir.B1, ir.I32}:     loadSlots,
		{ir.PLdI, ir.B1, ir.I32}:    loadSlots,
		{ir.PSt, ir.B1, ir.I32}:     storeSlots,
		{ir.PStI, ir.B1, ir.I32}:    storeSlots,
	}
	for _, t := range allTypes {
		r[codegen.Rule{ir.Ld, t, ir.H}] = loadLanes
		r[codegen.Rule{ir.St, t, ir.H}] = storeLanes
		for _, op := range [...]ir.Op{ir.PLd, ir.PLdI} {
			r[codegen.Rule{op, t, ir.I32}] = loadSlots
		}
		for _, op := range [...]ir.Op{ir.PSt, ir.PStI} {
			r[codegen.Rule{op, t, ir.I32}] = storeSlots
		}
	}
	return r
}

// length is the length of the handle of each active lane.
func length(m *machine, in *vcode.Inst) {
	h := m.vec(in.Uses[0], 2)
	m.maskBits(X0, m.execution(in, 3))
	m.zero(0)
	m.eachLane(func(lane uint8) {
		m.handleOf(h, lane)
		m.loadW(X1, At(X1, target.HandleRange))
		m.VE(VINSW, S2, 0, X1, lane)
	})
	m.done(in, 0)
}

// handleOf sets X1 to the address of the handle with the number in a lane of h.
func (m *machine) handleOf(h Reg, lane uint8) {
	m.VE(VGETW, S2, X1, h, lane)
	m.RL(ADD|W, X1, handles, X1, target.HandleShift)
}

// The loads and stores of a general register by the size of the access in bytes.
var (
	loads  = map[int64]Op{1: LDRB, 2: LDRH, 4: LDRW, 8: LDRX}
	stores = map[int64]Op{1: STRB, 2: STRH, 4: STRW, 8: STRX}
)

// eachAccess emits do for each lane of k, whose access is skipped if it is out of range. The address is in X1, without the immediate if
// that is small: at is the memory. It clobbers V1, X0, X2, X17 and LR.
func (m *machine) eachAccess(in *vcode.Inst, k Reg, field int64, do func(lane uint8, at Mem)) {
	m.eachAccessAt(in, k, m.vec(in.Uses[0], 2), m.vec(in.Uses[1], 3), field, do)
}

// eachAccessAt is eachAccess with the handles and offsets of all lanes in registers.
func (m *machine) eachAccessAt(in *vcode.Inst, k, h, off Reg, field int64, do func(lane uint8, at Mem)) {
	m.maskBits(X0, k)
	m.eachLane(func(lane uint8) {
		skip := m.NewLabel()
		m.handleOf(h, lane)
		m.VE(VGETW, S2, X2, off, lane)
		m.loadX(LR, At(X1, field))
		m.plus(scratch, X2, int64(in.Key.Aux)+int64(in.Key.Type.Size()))
		m.R(CMP|W, 0, scratch, LR)
		m.BCond(HI, skip)
		m.loadX(X1, At(X1, 0))
		m.R(ADD|W, X1, X1, X2)
		do(lane, m.far24(X1, in.Key.Aux))
		m.Bind(skip)
	})
}

// scratchLane is a lane of 64 bits in the scratch memory.
func (m *machine) scratchLane(lane uint8) Mem {
	return At(record, int64(m.record.Scratch)+8*int64(lane))
}

// loadLanes loads a value for each lane, 0 out of range.
func loadLanes(m *machine, in *vcode.Inst) {
	size := int64(in.Key.Type.Size())
	m.zero(0)
	if size == 8 {
		m.store(0, m.scratchLane(0))
		m.store(0, m.scratchLane(2))
	}
	m.eachAccess(in, m.execution(in, 4), target.HandleLength, func(lane uint8, at Mem) {
		m.Access(loads[size], X2, at, address)
		if size == 8 {
			m.storeX(X2, m.scratchLane(lane))
		} else {
			m.VE(VINSW, S2, 0, X2, lane)
		}
	})
	m.doneRow(in, size)
}

// doneRow writes V0, or the row of 64-bit lanes in the scratch memory, to the result.
func (m *machine) doneRow(in *vcode.Inst, size int64) {
	if size < 8 {
		m.done(in, 0)
		return
	}
	for i := range 2 {
		m.load(0, m.scratchLane(uint8(2*i)))
		m.doneHalf(in, i, 0)
	}
}

// storeLanes stores a value of each lane, in ascending order, nothing out of range and nothing for helpers.
func storeLanes(m *machine, in *vcode.Inst) {
	size := int64(in.Key.Type.Size())
	k := m.storingLanes(in, 4)
	m.eachAccess(in, k, target.HandleWrites, func(lane uint8, at Mem) {
		m.laneGen(X2, in.Uses[2], lane)
		m.Access(stores[size], X2, at, address)
	})
}

// eachSlot emits do for each active lane whose slots, one or two, are in range. at is the memory of the first one, relative to X1. It
// clobbers V1, X0, X2 and X17.
func (m *machine) eachSlot(in *vcode.Inst, n uint32, do func(lane uint8, at Mem)) {
	slots, first := m.prog.PrivateSlots(), uint32(0)
	if in.IR == ir.PLd || in.IR == ir.PSt {
		slots, first = m.prog.Vars[in.Key.Aux].Slots, m.bases[in.Key.Aux]
	}
	slot := m.vec(in.Uses[0], 2)
	row := 4 * int64(m.record.Lanes)
	m.maskBits(X0, m.execution(in, 3))
	m.eachLane(func(lane uint8) {
		skip := m.NewLabel()
		m.VE(VGETW, S2, X1, slot, lane)
		m.cmpI(0, X1, uint64(max(slots+1, n)-n))
		m.BCond(HS, skip)
		m.multiplyAdd(X1, X1, uint64(row), record)
		do(lane, At(X1, int64(m.record.Private)+row*int64(first)+vectorBytes*int64(in.Part)+4*int64(lane)))
		m.Bind(skip)
	})
}

// loadSlots loads the low bits of a slot for each lane, or two slots, the low half first; 0 out of range. A truth value in memory is in bit
// 0.
func loadSlots(m *machine, in *vcode.Inst) {
	bits := in.Key.Type.Bits()
	m.zero(0)
	if bits == 64 {
		m.store(0, m.scratchLane(0))
		m.store(0, m.scratchLane(2))
		m.eachSlot(in, 2, func(lane uint8, at Mem) {
			for i := range int64(2) {
				m.loadW(X2, plusBytes(at, 4*i*int64(m.record.Lanes)))
				m.storeW(X2, plusBytes(m.scratchLane(lane), 4*i))
			}
		})
		m.doneRow(in, 8)
		return
	}
	m.eachSlot(in, 1, func(lane uint8, at Mem) {
		m.loadW(X2, at)
		m.VE(VINSW, S2, 0, X2, lane)
	})
	switch {
	case in.Key.Type == ir.B1:
		m.shiftLeft(0, 0, 31)
		m.VI(VSSHR, S4, 0, 0, 31)
	case bits < 32:
		m.truncate(0, uint32(bits))
	}
	m.done(in, 0)
}

// truncate clears the bits above a number below 32 bits. It clobbers V1.
func (m *machine) truncate(v Reg, bits uint32) {
	if bits < 32 {
		m.fill(1, 1<<bits-1)
		m.bits(VAND, v, v, 1)
	}
}

// storeSlots stores a slot, or two, of each lane in range. A mask becomes 0 or 1.
func storeSlots(m *machine, in *vcode.Inst) {
	u := in.Uses[1]
	n := uint32(1)
	if in.Key.Type.Bits() == 64 {
		n = 2
	}
	m.eachSlot(in, n, func(lane uint8, at Mem) {
		m.laneGen(X2, u, lane)
		if in.Key.Type == ir.B1 {
			m.RI(ANDI, X2, X2, 1)
		}
		m.storeW(X2, at)
		if n == 2 {
			m.RI(LSRI|W, X2, X2, 32)
			m.storeW(X2, plusBytes(at, 4*int64(m.record.Lanes)))
		}
	})
}

// clearVariable zeros all slots of a variable in the active lanes: inactive ones are read and written back.
func clearVariable(m *machine, in *vcode.Inst) {
	slots, row := m.prog.Vars[in.Key.Aux].Slots, 4*int64(m.record.Lanes)
	if slots == 0 {
		return
	}
	k := m.execution(in, 2)
	m.addI(X0, record, uint64(int64(m.record.Private)+row*int64(m.bases[in.Key.Aux])+vectorBytes*int64(in.Part)))
	m.MovI(X1, uint64(slots))
	again := m.NewLabel()
	m.Bind(again)
	m.load(0, At(X0, 0))
	m.bits(VBIC, 0, 0, k)
	m.store(0, At(X0, 0))
	m.plus(X0, X0, row)
	m.RI(SUBSI|W, X1, X1, 1)
	m.BCond(NE, again)
}

// variableAddress is the first slot of a variable.
func variableAddress(m *machine, in *vcode.Inst) {
	d := m.dest(in, 0)
	m.fill(d, m.bases[in.Key.Aux])
	m.done(in, d)
}

// helpers returns the bits of a part's helper lanes in memory.
func (m *machine) helpers(in *vcode.Inst) Mem {
	return At(record, int64(m.record.Helpers)+8*int64(in.Part))
}

// demote adds the active lanes to the helpers.
func demote(m *machine, in *vcode.Inst) {
	m.literal(1, quadBits)
	m.bits(VAND, 0, m.execution(in, 0), 1)
	m.V2(VADDV, S4, 0, 0)
	m.emit(Insn{Op: FMOVWS, D: X0, N: 0})
	m.loadW(X1, m.helpers(in))
	m.R(ORR, X0, X0, X1)
	m.storeW(X0, m.helpers(in))
}

// quadBits are the bits of four lanes.
var quadBits = [4]uint32{1, 2, 4, 8}

// helper is the mask of helpers.
func helper(m *machine, in *vcode.Inst) {
	m.expand(0, m.helpers(in))
	m.done(in, 0)
}

// reachable reports whether the immediate of an access lane by lane fits in the sums of 64 bits.
func reachable(k ir.Key, op ir.Op) bool {
	return op != ir.Ld && op != ir.St || k.Aux <= math.MaxUint32
}
