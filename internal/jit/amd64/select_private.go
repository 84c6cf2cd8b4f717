package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// variables is the code of operations on whole variables of private memory.
func variables() map[rule]emitter {
	return map[rule]emitter{
		{ir.PClr, ir.None, ir.None}: clearVariable,
		{ir.PAddr, ir.I32, ir.None}: variablePlace,
	}
}

// flatSlots is how many slots are cleared without a loop.
const flatSlots = 16

// clearVariable makes all slots of a variable 0 for the active lanes.
func clearVariable(m *machine, in *vcode.Inst) {
	v := int(in.Key.Aux)
	slots, row := m.prog.Vars[v].Slots, 4*m.record.Lanes
	at := At(R14, m.record.Private+row*int32(m.prog.VarBase(v))+64*int32(in.Part))
	k := K(m.execution(in))
	m.RR(VPXORD, V128, 0, 0, 0, 0)
	if slots <= flatSlots {
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

// variablePlace is the place of a variable's first slot.
func variablePlace(m *machine, in *vcode.Inst) {
	m.broadcast(0, uint32(m.prog.VarBase(int(in.Key.Aux))))
	m.define(in, 0)
}
