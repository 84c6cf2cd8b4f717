package amd64

// evex emits the EVEX prefix (Intel SDM vol. 2, "Instruction Format and EVEX") and the opcode. b3 and x3 extend base and
// index, or are bits 3 and 4 of a register in r/m. v4 is bit 4 of vvvv, or of a vector index.
//
// Register numbers have five bits, of which three are in ModRM and SIB; the prefix has the others,
// inverted. The bytes after 62:
//
//	p0   R X B R' 0 m m m     bits 3 and 4 of the registers, opcode map
//	p1   W v v v v 1 p p      first source, mandatory prefix
//	p2   z L' L b V' a a a    zeroing, length or rounding, broadcast, mask
func (a *Asm) evex(op Op, vl VL, reg, v Reg, b3, x3, v4 byte, o Opt) {
	p0 := byte(op>>shMap&7) | ^byte(reg)<<4&0x80 | ^byte(reg)&0x10 | ^b3<<5&0x20 | ^x3<<6&0x40
	p1 := byte(op>>shW&1)<<7 | ^byte(v)&15<<3 | 4 | byte(op>>shPP&3)
	ll, b := byte(vl), byte(0)
	switch {
	case o&embedded != 0:
		ll, b = byte(o>>6&3), 1
	case o&BC != 0:
		b = 1
	}
	p2 := byte(o>>3&1)<<7 | ll<<5 | b<<4 | ^v4&1<<3 | byte(o&7)
	a.Code = append(a.Code, 0x62, p0, p1, p2, byte(op))
}

// vex emits the VEX prefix, in its two-byte form if possible, and the opcode. The short form saves a
// byte; it has R, vvvv, L and pp only, so that W must be 0, the map 0F, and base and index below 8.
func (a *Asm) vex(op Op, l byte, reg, v Reg, b3, x3 byte) {
	w, pp, mm := byte(op>>shW&1), byte(op>>shPP&3), byte(op>>shMap&7)
	vv := ^byte(v) & 15 << 3
	r := ^byte(reg) << 4 & 0x80
	if w == 0 && mm == 1 && b3 == 0 && x3 == 0 {
		a.Code = append(a.Code, 0xc5, r|vv|l<<2|pp, byte(op))
		return
	}
	a.Code = append(a.Code, 0xc4, r|^x3<<6&0x40|^b3<<5&0x20|mm, w<<7|vv|l<<2|pp, byte(op))
}

// check panics if op is an AVX-512 instruction in code for AVX2. Such a mistake would otherwise
// appear only on a processor without AVX-512, as SIGILL.
func (a *Asm) check(op Op) {
	if a.vexOnly && (op&fVEX == 0 || op.srcKind() == kindMask || op.dstKind() == kindMask) {
		panic("amd64: an instruction of AVX-512 in code for AVX2")
	}
}

// fields maps the operands d, s1 to ModRM.reg and vvvv. With an extension in ModRM.reg, as of shifts
// by a constant, the destination is in vvvv.
func (op Op) fields(d, s1 Reg) (reg, v Reg) {
	switch op.form() {
	case fVMI:
		return Reg(op >> shExt & 7), d
	case fRM, fMR:
		return d, 0
	}
	return d, s1
}

// RR emits op d, s1, s2 with registers only. Forms with two operands ignore s1; in store forms d is
// the source and s2 the destination.
func (a *Asm) RR(op Op, vl VL, d, s1, s2 Reg, o Opt) {
	a.check(op)
	a.name(op, d, s1)
	if op.form() == fMR && op.dstKind() < kindGPR || op.form() != fMR && op.srcKind() < kindGPR {
		a.named |= 1 << (s2 & 63)
	}
	if s2 == 0 && op.form() == fMR {
		a.holds = false
	}
	reg, v := op.fields(d, s1)
	if op&fVEX != 0 {
		a.vex(op, byte(vl)|byte(op>>shVL&3), reg, v, byte(s2>>3&1), 0)
	} else {
		a.evex(op, vl, reg, v, byte(s2>>3&1), byte(s2>>4&1), byte(v>>4&1), o)
	}
	a.Code = append(a.Code, 0xc0|byte(reg&7)<<3|byte(s2&7))
}

// RRI is RR with an immediate.
func (a *Asm) RRI(op Op, vl VL, d, s1, s2 Reg, imm uint8, o Opt) {
	a.RR(op, vl, d, s1, s2, o)
	a.Code = append(a.Code, imm)
}

// RM emits op d, s1, [m]; for store forms op [m], d.
func (a *Asm) RM(op Op, vl VL, d, s1 Reg, m Mem, o Opt) { a.memory(op, vl, d, s1, &m, o, 0) }

// RMI is RM with an immediate.
func (a *Asm) RMI(op Op, vl VL, d, s1 Reg, m Mem, imm uint8, o Opt) {
	a.memory(op, vl, d, s1, &m, o, 1)
	a.Code = append(a.Code, imm)
}

// name records the vector registers of the first two operands as used. With allocatedTag an
// allocated register sets one of the bits from 32 on, and a scratch register one of the lower bits.
func (a *Asm) name(op Op, d, s1 Reg) {
	first, second := op.dstKind(), op.srcKind()
	if op.form() == fMR {
		first, second = second, first
	} else if d == 0 || s1 == 0 && op&(fVSIB|fVSIBHalf) != 0 { // a gather clears its mask
		a.holds = false
	}
	if first < kindGPR {
		a.named |= 1 << (d & 63)
	}
	if op.form() == fRVM && second < kindGPR {
		a.named |= 1 << (s1 & 63)
	}
}

func (a *Asm) memory(op Op, vl VL, d, s1 Reg, m *Mem, o Opt, tail int32) {
	a.check(op)
	a.name(op, d, s1)
	if op&(fVSIB|fVSIBHalf) != 0 {
		a.named |= 1 << (m.Index & 63)
	}
	reg, v := op.fields(d, s1)
	b3, x3 := m.Base.bit3(), m.Index.bit3()
	if op&fVEX != 0 {
		a.vex(op, byte(vl)|byte(op>>shVL&3), reg, v, b3, x3)
		a.modrm(reg, m, 1, tail)
		return
	}
	v4 := byte(v >> 4 & 1)
	if op&(fVSIB|fVSIBHalf) != 0 {
		v4 = byte(m.Index >> 4 & 1)
	}
	a.evex(op, vl, reg, v, b3, x3, v4, o)
	a.modrm(reg, m, op.disp8(vl, o&BC != 0), tail)
}
