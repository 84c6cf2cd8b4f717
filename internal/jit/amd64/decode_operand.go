package amd64

import "fmt"

// gprNames are the names of the general registers, of 32 and of 64 bits.
var gprNames = [2][16]string{
	{"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "r8d", "r9d", "r10d", "r11d", "r12d", "r13d", "r14d", "r15d"},
	{"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"},
}

func vectorName(vl VL, r Reg) string { return fmt.Sprintf("%cmm%d", "xyz?"[vl&3], r) }

// halved returns a vector length halved a number of times, at least 128 bits. A conversion that
// halves the element size has such an operand.
func halved(vl VL, by VL) VL {
	if vl < by {
		return V128
	}
	return vl - by
}

// operandName writes a register of a kind.
func operandName(kind Op, op Op, vl VL, r Reg) string {
	switch kind {
	case kindGPR:
		return gprNames[op>>shW&1][r&15]
	case kindMask:
		return fmt.Sprintf("k%d", r&7)
	case kindHalf:
		vl = halved(vl, 1)
	case kindQuarter:
		vl = halved(vl, 2)
	case kindXMM:
		vl = V128
	}
	return vectorName(vl, r)
}

// modrm reads ModRM, SIB and displacement of a memory operand; reg is the middle field. scale is the
// unit of a one-byte displacement, tail the number of immediate bytes after it. always is set if index
// 4 is a register too, as in vector indices.
//
// ModRM is mod, reg and r/m, of 2, 3 and 3 bits. Special cases of r/m with memory:
//
//	r/m = 4             a SIB byte follows
//	r/m = 5, mod = 0    relative to the next instruction
//	SIB base 5, mod 0   no base, four bytes of displacement
func (d *decoder) modrm(base3, index3 Reg, scale int32, index func(Reg) string, always bool, tail int) (reg Reg, text string) {
	m := byte(d.bytes(1))
	reg = Reg(m >> 3 & 7)
	mod, base := m>>6, Reg(m&7)
	terms := ""
	if base == 4 {
		sib := byte(d.bytes(1))
		base = Reg(sib & 7)
		if i := Reg(sib>>3&7) | index3; i != 4 || always {
			terms = index(i)
			if s := 1 << (sib >> 6); s > 1 {
				terms = fmt.Sprintf("%d*%s", s, terms)
			}
		}
		if mod == 0 && base == 5 {
			return reg, fmt.Sprintf("[%s%s]", terms, distance(d.bytes(4)))
		}
	} else if mod == 0 && base == 5 {
		to := int(d.bytes(4)) // from the end of the instruction
		return reg, fmt.Sprintf("[rip -> %04x]", d.at+tail+to)
	}
	if terms != "" {
		terms = " + " + terms
	}
	disp := int64(0)
	switch mod {
	case 1:
		disp = d.bytes(1) * int64(scale)
	case 2:
		disp = d.bytes(4)
	}
	return reg, "[" + gprNames[1][base|base3] + terms + distance(disp) + "]"
}

// distance writes a signed addend, nothing for 0.
func distance(n int64) string {
	switch {
	case n > 0:
		return fmt.Sprintf(" + %d", n)
	case n < 0:
		return fmt.Sprintf(" - %d", -n)
	}
	return ""
}
