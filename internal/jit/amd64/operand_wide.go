package amd64

import "github.com/chiaro-gpu/chiaro/internal/jit/vcode"

// Operands of 64 bits: a Wide register is two vector registers of eight lanes each.

// half returns the physical register of eight lanes of a Wide register, or z after loading them.
// Half 0 has the lanes 0 to 7, half 1 the lanes 8 to 15.
func (m *machine) half(r vcode.Reg, i int, z Reg) Reg {
	if x, ok := m.physHalf(r, i); ok {
		return x
	}
	if bits, ok := m.f.Const(r); ok {
		m.RM(VPBROADCASTQ, V512, z, 0, m.word64(bits), 0)
		return z
	}
	at := m.slot(r)
	at.Disp += int32(64 * i)
	m.RM(VMOVDQA64, V512, z, 0, at, 0)
	return z
}

// withHalf emits op d, a, b on eight lanes of a Wide register b.
func (m *machine) withHalf(op Op, d, a Reg, b vcode.Reg, i int, o Opt) {
	if x, ok := m.physHalf(b, i); ok {
		m.RR(op, V512, d, a, x, o)
		return
	}
	at, bc := m.halfOperand(b, i)
	m.RM(op, V512, d, a, at, o|bc)
}

// withHalfImm is withHalf for operations with an immediate.
func (m *machine) withHalfImm(op Op, d, a Reg, b vcode.Reg, i int, imm uint8) {
	if x, ok := m.physHalf(b, i); ok {
		m.RRI(op, V512, d, a, x, imm, 0)
		return
	}
	at, bc := m.halfOperand(b, i)
	m.RMI(op, V512, d, a, at, imm, bc)
}

// physHalf returns the physical register of eight lanes of a Wide register.
func (m *machine) physHalf(r vcode.Reg, i int) (Reg, bool) {
	x, ok := m.phys(r)
	return x + Reg(i), ok
}

// halfOperand returns the memory of eight lanes of a Wide register without a physical one, and BC if
// it is one element for all lanes.
func (m *machine) halfOperand(r vcode.Reg, i int) (Mem, Opt) {
	if bits, ok := m.f.Const(r); ok {
		return m.word64(bits), BC
	}
	at := m.slot(r)
	at.Disp += int32(64 * i)
	return at, 0
}

// destHalf returns the register for eight lanes of a Wide result: its physical register, under the
// mask if the instruction merges, or z. It clobbers K1 and K2.
func (m *machine) destHalf(in *vcode.Inst, i int, z Reg) (Reg, Opt) {
	if x, ok := m.physHalf(in.Defs[0], i); ok {
		return x, m.halfMask(in, i)
	}
	return z, 0
}

// doneHalf stores the register from destHalf to the stack slot, if the result is in memory.
func (m *machine) doneHalf(in *vcode.Inst, i int, z Reg) {
	if _, ok := m.phys(in.Defs[0]); ok {
		return
	}
	at, _ := m.halfOperand(in.Defs[0], i)
	m.RM(VMOVDQA64_ST, V512, z, 0, at, m.halfMask(in, i))
}

// defineHalf copies z to eight lanes of a Wide result. It clobbers K1 and K2.
func (m *machine) defineHalf(in *vcode.Inst, i int, z Reg) {
	d, o := m.destHalf(in, i, z)
	if d != z {
		m.RR(VMOVDQA64, V512, d, 0, z, o)
	}
	m.doneHalf(in, i, d)
}
