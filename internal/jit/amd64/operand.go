package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/jit/regalloc"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// The allocatable masks and general registers are listed below. The others are scratch within one vcode
// instruction: Z0 to Z8, K1 to K3, RAX, RCX and RDX.
//
// The vector registers of AVX-512 code, from Z0 on:
//
//	0 … 4       scratch
//	5 … 8       scratch, or 32-bit values where no instruction needs them as scratch (shared.go)
//	9 … 31      32-bit values upwards, 64-bit values downwards in pairs

// allocatedTag is added to the numbers of shared vectors that hold values, to tell them from scratch registers in
// Asm.named. The encoder uses only the low five bits.
const allocatedTag = 32

// masks are the allocatable mask registers. K0 cannot mask an instruction, so it comes last. In an
// EVEX prefix the mask number 0 means "no mask".
var masks = [...]Reg{4, 5, 6, 7, 0}

// generals are the allocatable general registers. R12 to R15 and RSP are reserved, RAX, RCX and RDX
// scratch: shifts need RCX, divisions RAX and RDX.
var generals = [...]Reg{RBX, RBP, RSI, RDI, R8, R9, R10, R11}

// registers is the number of allocatable registers of each class.
var registers = [vcode.NumClasses]int{vcode.Mask: len(masks), vcode.Vec: int(zmmFile.end - zmmFile.first), vcode.Gen: len(generals)}

// machineFor returns the machine description for the register allocator. A value with 64 bits per lane
// occupies two vectors, allocated from Z31 downwards; the more such values a function has, the fewer
// registers remain for 32-bit values.
func machineFor(f *vcode.Func) *regalloc.Machine {
	const some, most = 5, 8
	m := regalloc.Machine{Registers: registers, Clobbers: clobbers, SlotOperands: slotOperands, InternalMentions: internalMentions}
	reservePairs(&m, f, some, most)
	return &m
}

// reservePairs gives a machine pairs of vectors for 64-bit lanes: some if f has such values, most if it has more of
// them than others.
func reservePairs(m *regalloc.Machine, f *vcode.Func, some, most int) {
	wide, vec := 0, 0
	for r := 1; r < len(f.Classes); r++ {
		if f.IsConst(vcode.Reg(r)) {
			continue
		}
		switch f.Classes[r] {
		case vcode.Wide:
			wide++
		case vcode.Vec:
			vec++
		}
	}
	switch {
	case wide > vec:
		m.Registers[vcode.Wide] = most
	case wide > 0:
		m.Registers[vcode.Wide] = some
	}
	m.Registers[vcode.Vec] -= 2 * m.Registers[vcode.Wide]
}

// internalMentions returns the number of scratch vector operands in the code of an instruction, if
// that code is long.
func internalMentions(in *vcode.Inst) float32 {
	if in.Op == vcode.Own && in.Fused == fusedHalfMulAdd {
		return mulAddMentions
	}
	return 0
}

// class returns the class of a register of the current function.
func (m *machine) class(r vcode.Reg) vcode.Class { return m.f.Classes[r] }

// phys returns the physical register of r, the first of two if r is Wide, and false if r is in
// memory or constant. Pair n is the registers 30 − 2n and 31 − 2n.
func (m *machine) phys(r vcode.Reg) (Reg, bool) {
	n := m.frame.Regs[r]
	if n == regalloc.None {
		return NoReg, false
	}
	switch m.class(r) {
	case vcode.Mask:
		return masks[n], true
	case vcode.Gen:
		return generals[n], true
	case vcode.Wide:
		return 32 - 2*(Reg(n)+1), true
	}
	return m.vectorOf(n), true
}

// slot returns the stack slot of a register. Slots of vectors are aligned to 64 bytes, so that
// VMOVDQA32 may access them (frame).
func (m *machine) slot(r vcode.Reg) Mem { return At(RSP, m.frame.Slots[r]) }

// upper returns the second half of a Wide register in memory.
func upper(at Mem) Mem {
	at.Disp += 64
	return at
}

// vec returns the physical register of r, or z after loading r into it.
func (m *machine) vec(r vcode.Reg, z Reg) Reg {
	if x, ok := m.phys(r); ok {
		return x
	}
	m.loadVec(z, r)
	return z
}

// loadVec copies r to z.
func (m *machine) loadVec(z Reg, r vcode.Reg) {
	if x, ok := m.phys(r); ok {
		m.moveVec(z, x)
		return
	}
	if bits, ok := m.f.Const(r); ok {
		m.broadcast(z, uint32(bits))
		return
	}
	at, _ := m.operand(r)
	m.RM(VMOVDQA32, V512, z, 0, at, 0)
}

// moveVec copies one physical register to another.
func (m *machine) moveVec(d, s Reg) {
	if d != s {
		m.RR(VMOVDQA32, V512, d, 0, s, 0)
	}
}

// broadcast sets all lanes of z to a constant. The load port broadcasts by itself, so that a
// constant of four bytes is as fast as a full vector.
func (m *machine) broadcast(z Reg, v uint32) {
	if v == 0 {
		m.RR(VPXORD, V128, z, z, z, 0)
		return
	}
	m.RM(VPBROADCASTD, V512, z, 0, m.word32(v), 0)
}

// with emits op d, a, b with b in a register or in memory. The operation has 32-bit lanes and full
// vectors. BC is the embedded broadcast of EVEX: a constant costs four bytes of data and no
// register.
//
//	vpaddd zmm9, zmm10, dword [rip + …]{1to16}
func (m *machine) with(op Op, d, a Reg, b vcode.Reg, o Opt) {
	if x, ok := m.phys(b); ok {
		m.RR(op, V512, d, a, x, o)
		return
	}
	at, bc := m.operand(b)
	m.RM(op, V512, d, a, at, o|bc)
}

// withImm is with for operations with an immediate.
func (m *machine) withImm(op Op, d, a Reg, b vcode.Reg, imm uint8, o Opt) {
	if x, ok := m.phys(b); ok {
		m.RRI(op, V512, d, a, x, imm, o)
		return
	}
	at, bc := m.operand(b)
	m.RMI(op, V512, d, a, at, imm, o|bc)
}

// operand returns the memory of a register without a physical one, and BC if it is one element for all
// lanes.
func (m *machine) operand(r vcode.Reg) (Mem, Opt) {
	if bits, ok := m.f.Const(r); ok {
		return m.word32(uint32(bits)), BC
	}
	if first, step, ok := m.f.Sequence(r); ok {
		return m.sequence(first, step), 0
	}
	return m.slot(r), 0
}

// mask returns a mask register that holds r and can mask an instruction: k after loading r if
// needed. K0 is valid as an operand of mask instructions but not as a mask, hence the copy.
func (m *machine) mask(r vcode.Reg, k Reg) Reg {
	if x, ok := m.phys(r); ok && x != 0 {
		return x
	}
	m.loadMask(k, r)
	return k
}

// maskBits returns a mask register that holds r, possibly K0, for an instruction that only reads its
// bits; k after loading r if needed.
func (m *machine) maskBits(r vcode.Reg, k Reg) Reg {
	if x, ok := m.phys(r); ok {
		return x
	}
	m.loadMask(k, r)
	return k
}

// loadMask copies r to k. The constants are computed without memory: x xnor x is all ones, x xor x
// is 0.
func (m *machine) loadMask(k Reg, r vcode.Reg) {
	if x, ok := m.phys(r); ok {
		m.moveMask(k, x)
		return
	}
	if bits, ok := m.f.Const(r); ok {
		if bits&1 != 0 {
			m.RR(KXNORW, V128, k, k, k, 0)
		} else {
			m.RR(KXORW, V128, k, k, k, 0)
		}
		return
	}
	m.RM(KMOVW, V128, k, 0, m.slot(r), 0)
}

func (m *machine) moveMask(d, s Reg) {
	if d != s {
		m.RR(KMOVW, V128, d, 0, s, 0)
	}
}

// storeMask writes a whole mask to r.
func (m *machine) storeMask(r vcode.Reg, k Reg) {
	if x, ok := m.phys(r); ok {
		m.moveMask(x, k)
		return
	}
	m.RM(KMOVW_ST, V128, k, 0, m.slot(r), 0)
}

// execution returns the mask register of an instruction's mask, K1 after loading it if needed. A
// constant mask is loaded to K1 too.
func (m *machine) execution(in *vcode.Inst) Reg { return m.mask(in.Masks[0], 1) }

// dest returns the register for the result of an instruction: its physical register, under the mask
// if the instruction merges, or z. Merge masking writes the active lanes in place, without a blend;
// ymm.dest needs a temporary.
func (m *machine) dest(in *vcode.Inst, z Reg) (Reg, Opt) {
	x, ok := m.phys(in.Defs[0])
	switch {
	case !ok:
		return z, 0
	case in.Merging:
		return x, K(m.execution(in))
	}
	return x, 0
}

// done stores the register from dest to the stack slot, if the result is in memory.
func (m *machine) done(in *vcode.Inst, z Reg) {
	if _, ok := m.phys(in.Defs[0]); ok {
		return
	}
	o := Opt(0)
	if in.Merging {
		o = K(m.execution(in))
	}
	m.RM(VMOVDQA32_ST, V512, z, 0, m.slot(in.Defs[0]), o)
}

// define copies z to the result, in the lanes of the mask if the instruction merges.
func (m *machine) define(in *vcode.Inst, z Reg) {
	d, o := m.dest(in, z)
	if d != z {
		m.RR(VMOVDQA32, V512, d, 0, z, o)
	}
	m.done(in, d)
}

// destMask returns the register for a mask result: its physical register, or k.
func (m *machine) destMask(in *vcode.Inst, k Reg) Reg {
	if x, ok := m.phys(in.Defs[0]); ok && !in.Merging {
		return x
	}
	return k
}

// doneMask writes K2 from destMask to the result. If the instruction merges it computes old ^ (old ^
// K2) & mask, which clobbers K1 and K2: masks have no masked moves. The lanes of the mask become K2,
// the others remain old.
func (m *machine) doneMask(in *vcode.Inst, k Reg) {
	if !in.Merging {
		m.storeMask(in.Defs[0], k)
		return
	}
	old := in.Defs[0]
	m.RR(KXORW, V128, 2, 2, m.maskBits(old, 1), 0)
	m.RR(KANDW, V128, 2, 2, m.maskBits(in.Masks[0], 1), 0)
	m.RR(KXORW, V128, 2, 2, m.maskBits(old, 1), 0)
	m.storeMask(old, 2)
}

// gen returns the general register that holds r, or g after loading r into it.
func (m *machine) gen(r vcode.Reg, g Reg) Reg {
	if x, ok := m.phys(r); ok {
		return x
	}
	m.loadGen(g, r)
	return g
}

// loadGen copies r to g.
func (m *machine) loadGen(g Reg, r vcode.Reg) {
	if x, ok := m.phys(r); ok {
		if x != g {
			m.GRR(MOV|W, g, x)
		}
		return
	}
	if bits, ok := m.f.Const(r); ok {
		m.MovI(g, bits)
		return
	}
	m.GRM(MOV|W, g, m.slot(r))
}

// storeGen copies g to r.
func (m *machine) storeGen(r vcode.Reg, g Reg) {
	if x, ok := m.phys(r); ok {
		if x != g {
			m.GRR(MOV|W, x, g)
		}
		return
	}
	m.GRM(MOV_ST|W, g, m.slot(r))
}

// destGen returns the register for the result r: its physical register, or RAX.
func (m *machine) destGen(r vcode.Reg) Reg {
	if x, ok := m.phys(r); ok {
		return x
	}
	return RAX
}
