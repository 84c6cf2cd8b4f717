package amd64

import "fmt"

// named is an instruction of the table with its assembler name.
type named struct {
	op   Op
	name string
}

// decoder disassembles code of this package in one pass, for listings and tests. It knows no other
// instructions.
//
// The prefix byte determines the form. 62, C4 and C5 are unambiguous, because the instructions with
// these opcodes do not exist in 64-bit mode (BOUND, LES and LDS).
//
//	62        EVEX, four bytes
//	C4, C5    VEX, three or two bytes
//	else      legacy prefixes, REX, opcode
type decoder struct {
	code  []byte
	at    int
	names map[Op][]named // by the fields before ModRM
}

// opcodeBits are the fields of an Op that are encoded before ModRM. Several instructions may share
// them: ModRM selects by extension, or by register or memory.
const opcodeBits = Op(0xff) | 7<<shMap | 3<<shPP | 1<<shW | fVEX

func newDecoder(code []byte) *decoder {
	d := &decoder{code: code, names: map[Op][]named{}}
	for _, n := range names {
		k := n.op & opcodeBits
		d.names[k] = append(d.names[k], n)
	}
	return d
}

// next returns the text of the next instruction, or one byte of data if it is unknown. The decoder
// never fails: unknown bytes are data, and the next attempt is one byte later.
func (d *decoder) next() string {
	begin := d.at
	text := ""
	switch {
	case d.code[d.at] == 0x62 && d.left() >= 6:
		text = d.evex()
	case d.code[d.at] == 0xc5 && d.left() >= 4:
		text = d.vex(d.code[d.at+1], 1, 0, 0, 2)
	case d.code[d.at] == 0xc4 && d.left() >= 5:
		b := d.code[d.at+1]
		text = d.vex(b&0x80|d.code[d.at+2]&0x7f, b&0x1f, ^b>>5&3, d.code[d.at+2]>>7, 3)
	default:
		text = d.integer()
	}
	if text == "" || d.at > len(d.code) {
		d.at = begin + 1
		return fmt.Sprintf(".byte %#02x", d.code[begin])
	}
	return text
}

func (d *decoder) left() int { return len(d.code) - d.at }

// bytes reads n bytes of an immediate or a distance, little-endian and sign-extended. After the end of
// the code it reads zeros.
func (d *decoder) bytes(n int) int64 {
	v := uint64(0)
	for i := range n {
		if d.at+i < len(d.code) {
			v |= uint64(d.code[d.at+i]) << (8 * i)
		}
	}
	d.at += n
	return int64(v<<(64-8*n)) >> (64 - 8*n)
}

// vector is a vector or mask instruction after its prefix was read.
type vector struct {
	key      Op // its opcodeBits
	vl       VL
	reg, v   Reg // upper bits of ModRM.reg; vvvv
	base, x  Reg // bits 3 of base and index
	mask     Reg
	zero, bc bool
}

// The bits R, X, B, R', V' and vvvv are inverted, hence the complements:
//
//	p0   R X B R' 0 m m m
//	p1   W v v v v 1 p p
//	p2   z L' L b V' a a a
func (d *decoder) evex() string {
	p0, p1, p2 := d.code[d.at+1], d.code[d.at+2], d.code[d.at+3]
	x := vector{
		key:  Op(p0&7)<<shMap | Op(p1&3)<<shPP | Op(p1>>7)<<shW | Op(d.code[d.at+4]),
		vl:   VL(p2 >> 5 & 3),
		reg:  Reg(^p0>>7&1<<3 | ^p0>>4&1<<4),
		v:    Reg(^p1>>3&15 | ^p2>>3&1<<4),
		base: Reg(^p0 >> 5 & 1 << 3), x: Reg(^p0 >> 6 & 1 << 3),
		mask: Reg(p2 & 7), zero: p2&0x80 != 0, bc: p2&0x10 != 0,
	}
	d.at += 5
	return d.vector(&x)
}

// vex reads a VEX prefix of n bytes. rvlp is its last byte: R, vvvv, L and pp.
func (d *decoder) vex(rvlp, mm, bx, w byte, n int) string {
	x := vector{
		key:  Op(mm)<<shMap | Op(rvlp&3)<<shPP | Op(w)<<shW | Op(d.code[d.at+n]) | fVEX,
		vl:   VL(rvlp >> 2 & 1),
		reg:  Reg(^rvlp >> 7 & 1 << 3),
		v:    Reg(^rvlp >> 3 & 15),
		base: Reg(bx & 1 << 3), x: Reg(bx >> 1 & 1 << 3),
	}
	d.at += n + 1
	return d.vector(&x)
}

// find returns the instruction that prefix and ModRM select. With embedded rounding the length field
// has the rounding mode, which is only valid with registers (vector).
func (d *decoder) find(x *vector, modrm byte) (named, bool) {
	register := modrm >= 0xc0
	for _, n := range d.names[x.key] {
		switch {
		case n.op.form() == fVMI && Op(modrm>>3&7) != n.op>>shExt&7:
		case register && n.op&(fMemOnly|fVSIB|fVSIBHalf) != 0, !register && n.op&fRegOnly != 0:
		case n.op&fVEX != 0 && n.op>>shVL&3 != 0 && byte(n.op>>shVL&3) != byte(x.vl):
		default:
			return n, true
		}
	}
	return named{}, false
}

// vector writes an instruction, starting at ModRM.
func (d *decoder) vector(x *vector) string {
	if d.left() == 0 {
		return ""
	}
	modrm := d.code[d.at]
	n, ok := d.find(x, modrm)
	if !ok {
		return ""
	}
	op, register := n.op, modrm >= 0xc0
	rounding := ""
	if register && x.bc {
		rounding = ", {" + []string{"rn", "rd", "ru", "rz"}[x.vl] + "-sae}"
		x.vl = V512
	}
	masks := n.name[0] == 'k'
	if masks {
		x.vl = V128
	}
	rm, reg := "", operandName(op.dstKind(), op, x.vl, x.reg|Reg(modrm>>3&7))
	if op.form() == fMR || op.form() == fMVR {
		reg = operandName(op.srcKind(), op, x.vl, x.reg|Reg(modrm>>3&7))
	}
	switch {
	case !register:
		rm = d.memory(x, op)
	case op.form() == fMR:
		d.at++
		rm = operandName(op.dstKind(), op, x.vl, x.base|x.x<<1|Reg(modrm&7))
	default:
		d.at++
		rm = operandName(op.srcKind(), op, x.vl, x.base|x.x<<1|Reg(modrm&7))
	}
	middle := operandName(0, op, x.vl, x.v)
	if masks {
		middle = operandName(kindMask, op, x.vl, x.v)
	}
	text := n.name + " "
	switch op.form() {
	case fMR:
		text += rm + x.decoration() + ", " + reg
	case fMVR:
		text += rm + ", " + middle + ", " + reg
	case fVMI:
		text += middle + x.decoration() + ", " + rm
	case fRVM:
		if op&fVEX != 0 && op&(fVSIB|fVSIBHalf) != 0 { // the mask is the last operand
			middle, rm = rm, operandName(op.dstKind(), op, x.vl, x.v)
		}
		text += reg + x.decoration() + ", " + middle + ", " + rm
	default:
		text += reg + x.decoration() + ", " + rm
	}
	text += rounding
	switch {
	case op&fIs4 != 0:
		text += ", " + vectorName(x.vl, Reg(d.bytes(1)>>4&15))
	case op&fImm != 0:
		text += fmt.Sprintf(", %d", uint8(d.bytes(1)))
	}
	return text
}

func (x *vector) decoration() string {
	s := ""
	if x.mask > 0 {
		s = fmt.Sprintf(" {k%d}", x.mask)
	}
	if x.zero {
		s += " {z}"
	}
	return s
}

// memory writes the memory operand of a vector instruction. A displacement of one byte counts in
// units of the operand's size in EVEX, and in bytes in VEX.
func (d *decoder) memory(x *vector, op Op) string {
	scale, broadcast := int32(1), ""
	if op&fVEX == 0 {
		scale = op.disp8(x.vl, x.bc)
		if x.bc {
			broadcast = fmt.Sprintf("{1to%d}", op.disp8(x.vl, false)/scale)
		}
	}
	index := func(r Reg) string { return gprNames[1][r] }
	switch {
	case op&fVSIB != 0:
		index = func(r Reg) string { return vectorName(x.vl, r|x.v&16) }
	case op&fVSIBHalf != 0:
		index = func(r Reg) string { return vectorName(halved(x.vl, 1), r|x.v&16) }
	}
	tail := 0
	if op&(fImm|fIs4) != 0 {
		tail = 1
	}
	_, rm := d.modrm(x.base, x.x, scale, index, op&(fVSIB|fVSIBHalf) != 0, tail)
	return rm + broadcast
}
