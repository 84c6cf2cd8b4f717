package amd64

import (
	"fmt"
	"strings"
)

// integerNames are the general-purpose instructions with ModRM, by prefix and opcode. to is set if the
// register field is the destination.
var integerNames = map[G]struct {
	name string
	to   bool
}{
	ADD: {"add", true}, OR: {"or", true}, AND: {"and", true}, SUB: {"sub", true}, XOR: {"xor", true}, CMP: {"cmp", true},
	MOV: {"mov", true}, MOV_ST: {"mov", false}, MOVB_ST: {"mov byte", false}, MOVW_ST: {"mov word", false},
	LEA: {"lea", true}, TEST: {"test", false}, MOVSXD: {"movsxd", true}, IMUL: {"imul", true},
	MOVZXB: {"movzx byte", true}, MOVZXW: {"movzx word", true}, POPCNT: {"popcnt", true}, TZCNT: {"tzcnt", true}, LZCNT: {"lzcnt", true},
	ADD_ST: {"add", false}, OR_ST: {"or", false}, AND_ST: {"and", false}, XOR_ST: {"xor", false},
	XADD: {"xadd", false}, CMPXCHG: {"cmpxchg", false},
}

var aluNames = [8]string{AddI: "add", OrI: "or", AndI: "and", SubI: "sub", XorI: "xor", CmpI: "cmp"}

var shiftNames = [8]string{ShlI: "shl", ShrI: "shr", SarI: "sar"}

var condNames = [16]string{
	Below: "b", AboveEqual: "ae", Equal: "e", NotEqual: "ne", BelowEqual: "be", Above: "a",
	Sign: "s", NotSign: "ns", Less: "l", GreaterEqual: "ge", LessEqual: "le", Greater: "g",
}

// prefixes are the legacy and REX prefixes of an instruction. REX is 0100WRXB; R, X and B are bit 3
// of the register numbers.
type prefixes struct {
	lock       string
	mandatory  G
	w, r, x, b Reg
}

// integer writes a general-purpose instruction, or returns "".
func (d *decoder) integer() string {
	var p prefixes
	for ; d.left() > 0; d.at++ {
		switch c := d.code[d.at]; {
		case c == 0xf0:
			p.lock = "lock "
		case c == 0x66 || c == 0xf3:
			p.mandatory = G(c) << 17
		case c&0xf0 == 0x40:
			p.w, p.r, p.x, p.b = Reg(c>>3&1), Reg(c>>2&1)<<3, Reg(c>>1&1)<<3, Reg(c&1)<<3
		default:
			if text := d.opcode(&p); text != "" {
				return p.lock + text
			}
			return ""
		}
	}
	return ""
}

// opcode decodes an instruction of general registers after its prefixes.
func (d *decoder) opcode(p *prefixes) string {
	c := byte(d.bytes(1))
	g := G(c)
	if c == 0x0f {
		c = byte(d.bytes(1))
		g = 0x0f00 | G(c)
		switch {
		case c>>4 == 8:
			return d.jump("j"+condNames[c&15], 4)
		case c>>4 == 9:
			return "set" + condNames[c&15] + " " + d.operand(p, "byte ")
		case c>>4 == 4 && condNames[c&15] != "":
			return d.both(p, "cmov"+condNames[c&15], true)
		case c == 0xae:
			return "ldmxcsr " + d.operand(p, "")
		case c == 0x18:
			return "prefetcht0 " + d.operand(p, "")
		}
	}
	if n, ok := integerNames[g|p.mandatory]; ok {
		return d.both(p, n.name, n.to)
	}
	if text := d.plain(p, c); text != "" {
		return text
	}
	return d.extended(p, c)
}

// plain writes instructions without ModRM.
func (d *decoder) plain(p *prefixes, c byte) string {
	low := Reg(c&7) | p.b
	switch {
	case c&0xf8 == 0x50:
		return "push " + gprNames[1][low]
	case c&0xf8 == 0x58:
		return "pop " + gprNames[1][low]
	case c&0xf8 == 0xb8 && p.w == 0:
		return fmt.Sprintf("mov %s, %d", gprNames[0][low], uint32(d.bytes(4)))
	case c&0xf8 == 0xb8:
		return fmt.Sprintf("movabs %s, %d", gprNames[1][low], d.bytes(8))
	case c>>4 == 7:
		return d.jump("j"+condNames[c&15], 1)
	}
	switch c {
	case 0x90:
		return "nop"
	case 0xc3:
		return "ret"
	case 0xcc:
		return "int3"
	case 0xe8:
		return d.jump("call", 4)
	case 0xe9:
		return d.jump("jmp", 4)
	case 0xeb:
		return d.jump("jmp", 1)
	case 0x99:
		return "cqo"
	}
	return ""
}

// jump writes a jump or call over a distance of n bytes.
func (d *decoder) jump(name string, n int) string {
	to := d.bytes(n)
	return fmt.Sprintf("%s %04x", name, int64(d.at)+to)
}

// extended writes instructions with an opcode extension in ModRM.reg.
func (d *decoder) extended(p *prefixes, c byte) string {
	if d.left() == 0 {
		return ""
	}
	ext := d.code[d.at] >> 3 & 7
	size := [2]string{"dword ", "qword "}[p.w]
	switch c {
	case 0x81:
		rm := d.operand(p, size)
		return fmt.Sprintf("%s %s, %d", aluNames[ext], rm, d.bytes(4))
	case 0x83:
		rm := d.operand(p, size)
		return fmt.Sprintf("%s %s, %d", aluNames[ext], rm, d.bytes(1))
	case 0xc7:
		rm := d.operandBefore(p, size, 4)
		return fmt.Sprintf("mov %s, %d", rm, d.bytes(4))
	case 0xc1:
		rm := d.operand(p, size)
		return fmt.Sprintf("%s %s, %d", shiftNames[ext], rm, d.bytes(1))
	case 0xd3:
		return shiftNames[ext] + " " + d.operand(p, size) + ", cl"
	case 0xf7:
		return [8]string{6: "div", 7: "idiv"}[ext] + " " + d.operand(p, size)
	case 0xff:
		p.w = 1
		return [8]string{2: "call", 4: "jmp"}[ext] + " " + d.operand(p, "")
	}
	return ""
}

// operand writes the r/m operand; size is the prefix of a memory operand, such as "byte ".
func (d *decoder) operand(p *prefixes, size string) string { return d.operandBefore(p, size, 0) }

// operandBefore decodes an r/m operand with so many bytes of the instruction after it: an address relative to the next instruction
// counts them.
func (d *decoder) operandBefore(p *prefixes, size string, tail int) string {
	if d.left() > 0 && d.code[d.at] >= 0xc0 {
		return gprNames[p.w&1][Reg(d.bytes(1)&7)|p.b]
	}
	_, m := d.modrm(p.b, p.x, 1, func(r Reg) string { return gprNames[1][r] }, false, tail)
	return size + m
}

// both writes an instruction with a register and an r/m operand. A second word of its name is the size
// of the r/m operand.
func (d *decoder) both(p *prefixes, name string, to bool) string {
	if d.left() == 0 {
		return ""
	}
	r := Reg(d.code[d.at]>>3&7) | p.r
	reg := gprNames[p.w&1][r]
	name, size, sized := strings.Cut(name, " ")
	if sized && !to {
		reg = narrow(r, size)
	}
	if sized {
		size += " "
	}
	if rm := d.operand(p, size); to {
		return name + " " + reg + ", " + rm
	} else {
		return name + " " + rm + ", " + reg
	}
}

// narrow is the name of the low byte or word of a general register.
func narrow(r Reg, size string) string {
	full := gprNames[0][r]
	switch {
	case size == "byte" && r >= R8:
		return strings.TrimSuffix(full, "d") + "b"
	case size == "byte" && r >= RSP:
		return full[1:] + "l"
	case size == "byte":
		return full[1:2] + "l"
	case r >= R8:
		return strings.TrimSuffix(full, "d") + "w"
	}
	return full[1:]
}
