package amd64

// Reg is a register number: 0 to 15 for general registers, 0 to 31 for vectors, 0 to 7 for masks. The
// instruction determines the register file.
type Reg uint8

// General registers.
const (
	RAX Reg = iota
	RCX
	RDX
	RBX
	RSP
	RBP
	RSI
	RDI
	R8
	R9
	R10
	R11
	R12
	R13
	R14
	R15

	NoReg Reg = 0xff
)

// Mem is the memory operand [Base + Index*Scale + Disp]. Without Base and Index it is RIP-relative, at
// Disp from Label.
type Mem struct {
	Base, Index Reg
	Scale       uint8 // 1, 2, 4 or 8
	Disp        int32
	Label       Label
}

// At returns [base + disp].
func At(base Reg, disp int32) Mem { return Mem{Base: base, Index: NoReg, Scale: 1, Disp: disp} }

// Indexed returns [base + index*scale + disp]; the index of a gather or scatter is a vector register.
func Indexed(base, index Reg, scale uint8, disp int32) Mem {
	return Mem{Base: base, Index: index, Scale: scale, Disp: disp}
}

// Relative returns the memory at a label.
func Relative(l Label) Mem { return Mem{Base: NoReg, Index: NoReg, Scale: 1, Label: l} }

// bit3 returns bit 3 of a register number, or 0 if there is no register.
func (r Reg) bit3() byte {
	if r == NoReg {
		return 0
	}
	return byte(r >> 3 & 1)
}
