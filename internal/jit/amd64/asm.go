package amd64

import "encoding/binary"

// Label is a position in the code of one Asm, to be bound later; 0 is no label.
type Label int32

// fixup is a 4-byte field of the code that Finish sets to the distance from end to a label.
type fixup struct {
	at, end int32
	label   Label
}

// Asm is a one-pass assembler: it appends encoded instructions and patches forward references at the
// end. The zero value is ready; Reset reuses the buffers. The code is position independent, since all
// references to itself are relative to RIP, so it can be cached on disk and mapped anywhere.
type Asm struct {
	Code   []byte
	labels []int32 // offset of each label, or -1; entry 0 is no label
	fixups []fixup

	vexOnly bool // AVX-512 instructions are an error of the compiler

	named uint64 // vector registers that instructions have used, one bit each; see sharing

	held  uint64 // the 64-bit lanes of vector register 0, if holds is set
	holds bool
}

// Reset removes code and labels and reuses their memory.
func (a *Asm) Reset() {
	a.Code, a.labels, a.fixups, a.holds = a.Code[:0], a.labels[:0], a.fixups[:0], false
}

// NewLabel returns a label to be bound later.
func (a *Asm) NewLabel() Label {
	if len(a.labels) == 0 {
		a.labels = append(a.labels, -1)
	}
	a.labels = append(a.labels, -1)
	return Label(len(a.labels) - 1)
}

// Bind sets a label to the current position, which jumps reach with other values in registers.
func (a *Asm) Bind(l Label) { a.labels[l], a.holds = int32(len(a.Code)), false }

// Offset returns the offset in bytes of a bound label.
func (a *Asm) Offset(l Label) int { return int(a.labels[l]) }

// Finish resolves all references and returns the code, which a still owns. Every referenced label must
// be bound.
func (a *Asm) Finish() []byte {
	for _, f := range a.fixups {
		binary.LittleEndian.PutUint32(a.Code[f.at:], uint32(a.labels[f.label]-f.end))
	}
	a.fixups = a.fixups[:0]
	return a.Code
}

// Data32 emits a 32-bit word of data, little-endian.
func (a *Asm) Data32(v uint32) { a.Code = binary.LittleEndian.AppendUint32(a.Code, v) }

// Data64 emits a 64-bit word of data, little-endian.
func (a *Asm) Data64(v uint64) { a.Code = binary.LittleEndian.AppendUint64(a.Code, v) }

// Align pads with one-byte NOPs to a multiple of n.
func (a *Asm) Align(n int) {
	for len(a.Code)%n != 0 {
		a.Code = append(a.Code, 0x90)
	}
}

// reference emits a 4-byte distance to a label, relative to the end of the field.
func (a *Asm) reference(l Label) {
	p := int32(len(a.Code))
	a.fixups = append(a.fixups, fixup{p, p + 4, l})
	a.Data32(0)
}

// modrm emits ModRM, SIB and displacement of a memory operand (Intel SDM vol. 2, 2.1.5). scale8 is the
// unit in bytes of a one-byte displacement, 1 outside EVEX. tail is the number of immediate bytes
// after the operand: a RIP-relative distance counts from the end of the instruction.
func (a *Asm) modrm(reg Reg, m *Mem, scale8, tail int32) {
	r := byte(reg&7) << 3
	if m.Base == NoReg {
		a.baseless(r, m, tail)
		return
	}
	b := byte(m.Base & 7)
	mod, disp := displacement(m.Disp, b, scale8)
	switch {
	case m.Index != NoReg:
		a.Code = append(a.Code, mod|r|4, scaleBits(m.Scale)|byte(m.Index&7)<<3|b)
	case b == 4: // RSP and R12 as a base need a SIB byte
		a.Code = append(a.Code, mod|r|4, 0x24)
	default:
		a.Code = append(a.Code, mod|r|b)
	}
	switch mod {
	case 0x40:
		a.Code = append(a.Code, byte(disp))
	case 0x80:
		a.Data32(uint32(disp))
	}
}

// baseless emits an operand without a base register: relative to RIP, or an index alone.
func (a *Asm) baseless(r byte, m *Mem, tail int32) {
	if m.Index != NoReg {
		a.Code = append(a.Code, r|4, scaleBits(m.Scale)|byte(m.Index&7)<<3|5)
		a.Data32(uint32(m.Disp))
		return
	}
	a.Code = append(a.Code, r|5)
	if m.Label > 0 {
		p := int32(len(a.Code))
		a.fixups = append(a.fixups, fixup{p, p + 4 + tail - m.Disp, m.Label})
	}
	a.Data32(uint32(m.Disp))
}

// displacement returns the shortest mod field for a displacement. With RBP or R13 as the base a
// displacement is mandatory, because mod 0 has another meaning there.
func displacement(disp int32, base byte, scale8 int32) (mod byte, d int32) {
	if disp == 0 && base != 5 {
		return 0, 0
	}
	if disp%scale8 == 0 {
		if q := disp / scale8; q == int32(int8(q)) {
			return 0x40, q
		}
	}
	return 0x80, disp
}

// scaleBits returns the two top bits of a SIB byte for a scale of 1, 2, 4 or 8.
func scaleBits(s uint8) byte {
	switch s {
	case 2:
		return 0x40
	case 4:
		return 0x80
	case 8:
		return 0xc0
	}
	return 0
}
