package amd64

import "github.com/chiaro-gpu/chiaro/internal/jit/vcode"

// Copies between registers and memory: spills, and arguments on the stack.

// moveMemory copies all lanes from memory to memory. A mask occupies eight bytes in memory, of which
// 16 bits are used.
func (m *machine) moveMemory(c vcode.Class, to, from Mem) {
	switch c {
	case vcode.Mask, vcode.Gen:
		m.GRM(MOV|W, RAX, from)
		m.GRM(MOV_ST|W, RAX, to)
		return
	case vcode.Wide:
		m.RM(VMOVDQA64, V512, 0, 0, upper(from), 0)
		m.RM(VMOVDQA64_ST, V512, 0, 0, upper(to), 0)
	}
	m.RM(VMOVDQA64, V512, 0, 0, from, 0)
	m.RM(VMOVDQA64_ST, V512, 0, 0, to, 0)
}

// toMemory stores a register.
func (m *machine) toMemory(to Mem, r vcode.Reg) {
	switch m.class(r) {
	case vcode.Mask:
		m.RM(KMOVW_ST, V128, m.maskBits(r, 1), 0, to, 0)
	case vcode.Gen:
		m.GRM(MOV_ST|W, m.gen(r, RAX), to)
	case vcode.Wide:
		for i := range 2 {
			m.RM(VMOVDQA64_ST, V512, m.half(r, i, 0), 0, At(to.Base, to.Disp+int32(64*i)), 0)
		}
	default:
		m.RM(VMOVDQA32_ST, V512, m.vec(r, 0), 0, to, 0)
	}
}

// fromMemory loads a register.
func (m *machine) fromMemory(r vcode.Reg, from Mem) {
	x, ok := m.phys(r)
	switch c := m.class(r); {
	case !ok:
		m.moveMemory(c, m.slot(r), from)
	case c == vcode.Mask:
		m.RM(KMOVW, V128, x, 0, from, 0)
	case c == vcode.Gen:
		m.GRM(MOV|W, x, from)
	case c == vcode.Wide:
		m.RM(VMOVDQA64, V512, x, 0, from, 0)
		m.RM(VMOVDQA64, V512, x+1, 0, upper(from), 0)
	default:
		m.RM(VMOVDQA32, V512, x, 0, from, 0)
	}
}
