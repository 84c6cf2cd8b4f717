package amd64

// G is a general-purpose instruction: the low 16 bits are its opcode bytes (0F xx as 0x0Fxx), bit 16
// is REX.W, bits 17 and up are a mandatory prefix byte.
type G uint32

// W selects the 64-bit form of a G.
const W G = 1 << 16

// General-purpose instructions with the operands reg, rm; those named _ST, XADD and CMPXCHG have rm,
// reg.
const (
	ADD     G = 0x03
	OR      G = 0x0b
	AND     G = 0x23
	SUB     G = 0x2b
	XOR     G = 0x33
	CMP     G = 0x3b
	MOV     G = 0x8b
	MOV_ST  G = 0x89
	MOVB_ST G = 0x88
	MOVW_ST G = 0x89 | 0x66<<17
	LEA     G = 0x8d
	TEST    G = 0x85
	MOVSXD  G = 0x63
	IMUL    G = 0x0faf
	MOVZXB  G = 0x0fb6
	MOVZXW  G = 0x0fb7
	CMOVE   G = 0x0f44
	POPCNT  G = 0x0fb8 | 0xf3<<17
	ADD_ST  G = 0x01
	OR_ST   G = 0x09
	AND_ST  G = 0x21
	XOR_ST  G = 0x31
	XADD    G = 0x0fc1 // exchanges and adds
	CMPXCHG G = 0x0fb1 // if memory equals RAX: memory = register, else RAX = memory
	TZCNT   G = 0x0fbc | 0xf3<<17
	LZCNT   G = 0x0fbd | 0xf3<<17
	LDMXCSR G = 0x0fae // of a memory operand, with opcode extension 2

	PREFETCH G = 0x0f18 // a hint; of a memory operand, with opcode extension 1: into all cache levels
)

// CMOV returns the conditional move for c.
func CMOV(c Cond) G { return 0x0f40 | G(c) }

// ALU is the operation of an instruction with an immediate.
type ALU byte

// Immediate operations.
const (
	AddI ALU = 0
	OrI  ALU = 1
	AndI ALU = 4
	SubI ALU = 5
	XorI ALU = 6
	CmpI ALU = 7
)

// Shift is a shift by a constant.
type Shift byte

// Shifts.
const (
	ShlI Shift = 4
	ShrI Shift = 5
	SarI Shift = 7
)

// rex emits a REX prefix if one is needed.
func (a *Asm) rex(w byte, reg, x, b byte) {
	if r := 0x40 | w<<3 | reg<<2 | x<<1 | b; r != 0x40 {
		a.Code = append(a.Code, r)
	}
}

// w returns 1 if the operands have 64 bits.
func (g G) w() byte { return byte(g >> 16 & 1) }

// mandatory emits the prefix that is part of the opcode, which must be before REX.
func (a *Asm) mandatory(g G) {
	if p := byte(g >> 17); p != 0 {
		a.Code = append(a.Code, p)
	}
}

// opcode emits one or two bytes: the first of two is 0F.
func (a *Asm) opcode(g G) {
	if g&0xff00 != 0 {
		a.Code = append(a.Code, byte(g>>8))
	}
	a.Code = append(a.Code, byte(g))
}

// GRR emits g d, s.
func (a *Asm) GRR(g G, d, s Reg) {
	a.mandatory(g)
	a.rex(g.w(), d.bit3(), 0, s.bit3())
	a.opcode(g)
	a.Code = append(a.Code, 0xc0|byte(d&7)<<3|byte(s&7))
}

// GRM emits g d, [m]; for a store form g [m], d.
func (a *Asm) GRM(g G, d Reg, m Mem) {
	a.mandatory(g)
	a.rex(g.w(), d.bit3(), m.Index.bit3(), m.Base.bit3())
	a.opcode(g)
	a.modrm(d, &m, 1, 0)
}

// GI emits op r, imm; wide makes it 64 bits, the immediate sign-extended.
//
// The opcode 83 has an immediate of one byte, sign-extended, 81 one of four bytes:
//
//	83 c1 10             add ecx, 16
//	81 c1 00 01 00 00    add ecx, 256
func (a *Asm) GI(op ALU, wide bool, r Reg, imm int32) {
	a.rex(bit(wide), 0, 0, r.bit3())
	if imm == int32(int8(imm)) {
		a.Code = append(a.Code, 0x83, 0xc0|byte(op)<<3|byte(r&7), byte(imm))
		return
	}
	a.Code = append(a.Code, 0x81, 0xc0|byte(op)<<3|byte(r&7))
	a.Data32(uint32(imm))
}

// GMI emits op [m], imm.
func (a *Asm) GMI(op ALU, wide bool, m Mem, imm int32) {
	a.rex(bit(wide), 0, m.Index.bit3(), m.Base.bit3())
	if imm == int32(int8(imm)) {
		a.Code = append(a.Code, 0x83)
		a.modrm(Reg(op), &m, 1, 1)
		a.Code = append(a.Code, byte(imm))
		return
	}
	a.Code = append(a.Code, 0x81)
	a.modrm(Reg(op), &m, 1, 4)
	a.Data32(uint32(imm))
}

// MovMI emits mov [m], imm; a 64-bit store sign-extends the immediate.
func (a *Asm) MovMI(wide bool, m Mem, imm int32) {
	a.rex(bit(wide), 0, m.Index.bit3(), m.Base.bit3())
	a.Code = append(a.Code, 0xc7)
	a.modrm(0, &m, 1, 4)
	a.Data32(uint32(imm))
}

// MovI emits the shorter of mov r32, imm32 and mov r64, imm64. A 32-bit move clears the upper half.
// Neither form changes the flags, unlike XOR, so that it may be between a comparison and its jump.
func (a *Asm) MovI(r Reg, v uint64) {
	if v>>32 == 0 {
		a.rex(0, 0, 0, r.bit3())
		a.Code = append(a.Code, 0xb8|byte(r&7))
		a.Data32(uint32(v))
		return
	}
	a.rex(1, 0, 0, r.bit3())
	a.Code = append(a.Code, 0xb8|byte(r&7))
	a.Data64(v)
}

// ShiftI emits a shift of r by a constant.
func (a *Asm) ShiftI(s Shift, wide bool, r Reg, by uint8) {
	a.rex(bit(wide), 0, 0, r.bit3())
	a.Code = append(a.Code, 0xc1, 0xc0|byte(s)<<3|byte(r&7), by)
}

// ShiftCL emits a shift of the low 32 bits of r, below R8, by CL. It needs no REX prefix, and so no
// bit 3 of the register.
func (a *Asm) ShiftCL(s Shift, r Reg) { a.Code = append(a.Code, 0xd3, 0xc0|byte(s)<<3|byte(r&7)) }

// Divide emits a division by the 64 bits of r: unsigned of RDX:RAX, or signed of the sign-extended
// RAX. The quotient is in RAX, the remainder in RDX. x86 divides 128 by 64 bits: the caller of an
// unsigned division has set RDX; the signed one emits CQO.
func (a *Asm) Divide(signed bool, r Reg) {
	ext := byte(0xf0)
	if signed {
		a.Code = append(a.Code, 0x48, 0x99)
		ext = 0xf8
	}
	a.rex(1, 0, 0, r.bit3())
	a.Code = append(a.Code, 0xf7, ext|byte(r&7))
}

// SetCC sets r, one of RAX, RCX, RDX and RBX, to 1 if the condition holds, else to 0. Without a REX
// prefix the byte registers 4 to 7 are AH, CH, DH and BH. The instruction writes eight bits, so that
// a zero extension follows.
func (a *Asm) SetCC(c Cond, r Reg) {
	a.Code = append(a.Code, 0x0f, 0x90|byte(c), 0xc0|byte(r))
	a.GRR(MOVZXB, r, r)
}

// Lock makes the following instruction atomic.
func (a *Asm) Lock() { a.Code = append(a.Code, 0xf0) }

// Push emits push r.
func (a *Asm) Push(r Reg) { a.rex(0, 0, 0, r.bit3()); a.Code = append(a.Code, 0x50|byte(r&7)) }

// Pop emits pop r.
func (a *Asm) Pop(r Reg) { a.rex(0, 0, 0, r.bit3()); a.Code = append(a.Code, 0x58|byte(r&7)) }

func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}
