package arm64

import "encoding/binary"

// Label is a position in the code of one Asm, to be bound later; 0 is no label.
type Label int32

// fixup is an instruction with the distance to a label, which Finish sets.
type fixup struct {
	at    int32
	label Label
	insn  Insn
}

// Asm is a one-pass assembler: it appends encoded instructions and patches references at the end. The zero value is ready; Reset reuses
// the buffers. The code is position independent, since all references to itself are relative, so it can be cached on disk and mapped
// anywhere.
type Asm struct {
	Code   []byte
	labels []int32 // offset of each label, or -1; entry 0 is no label
	fixups []fixup

	far bool // the code may be too long for conditional jumps

	constants [scratchVectors]constant // of the scratch vectors, at the current position
}

// scratchVectors is the number of scratch vectors, from V0 on.
const scratchVectors = 6

// constant is a vector that a register is known to hold.
type constant struct {
	known bool
	words [4]uint32
}

// holds reports whether a register has a constant already. Adjacent parts of an instruction use the same ones.
func (a *Asm) holds(v Reg, k [4]uint32) bool {
	return v < scratchVectors && a.constants[v] == constant{true, k}
}

// remember notes the constant that a register has from here on.
func (a *Asm) remember(v Reg, k [4]uint32) {
	if v < scratchVectors {
		a.constants[v] = constant{true, k}
	}
}

// forget notes that an instruction may overwrite its registers. Those of general registers and of stores are no vectors that it writes:
// to forget these too is harmless.
func (a *Asm) forget(i Insn) {
	n := Reg(1)
	switch i.Op {
	case LD2:
		n = 2
	case LD4:
		n = 4
	case LDPQ:
		a.forget(Insn{D: i.A})
	}
	for r := i.D; r < min(i.D+n, scratchVectors); r++ {
		a.constants[r].known = false
	}
}

// forgetAll notes that the code may come from elsewhere.
func (a *Asm) forgetAll() { a.constants = [scratchVectors]constant{} }

// Reset removes code and labels and reuses their memory.
func (a *Asm) Reset() {
	a.Code, a.labels, a.fixups = a.Code[:0], a.labels[:0], a.fixups[:0]
	a.forgetAll()
}

// NewLabel returns a label to be bound later.
func (a *Asm) NewLabel() Label {
	if len(a.labels) == 0 {
		a.labels = append(a.labels, -1)
	}
	a.labels = append(a.labels, -1)
	return Label(len(a.labels) - 1)
}

// Bind sets a label to the current position.
func (a *Asm) Bind(l Label) {
	a.labels[l] = int32(len(a.Code))
	a.forgetAll()
}

// Offset returns the offset in bytes of a bound label.
func (a *Asm) Offset(l Label) int { return int(a.labels[l]) }

// Finish resolves all references and returns the code, which a still owns. Every referenced label must be bound.
func (a *Asm) Finish() []byte {
	for i := range a.fixups {
		f := &a.fixups[i]
		f.insn.Imm = int64(a.labels[f.label] - f.at)
		binary.LittleEndian.PutUint32(a.Code[f.at:], f.insn.encode())
	}
	a.fixups = a.fixups[:0]
	return a.Code
}

// Data32 emits a 32-bit word of data, little-endian.
func (a *Asm) Data32(v uint32) { a.Code = binary.LittleEndian.AppendUint32(a.Code, v) }

// Data64 emits a 64-bit word of data, little-endian.
func (a *Asm) Data64(v uint64) { a.Code = binary.LittleEndian.AppendUint64(a.Code, v) }

// nopWord is the encoding of NOP.
const nopWord = 0xd503201f

// Align pads with NOPs to a multiple of n, which is a multiple of 4.
func (a *Asm) Align(n int) {
	for len(a.Code)%n != 0 {
		a.Data32(nopWord)
	}
}

// emit appends an instruction.
func (a *Asm) emit(i Insn) {
	a.forget(i)
	a.Data32(i.encode())
}

// reference appends an instruction with the distance to a label.
func (a *Asm) reference(i Insn, l Label) {
	a.fixups = append(a.fixups, fixup{int32(len(a.Code)), l, i})
	if a.forget(i); i.Op == BL {
		a.forgetAll()
	}
	a.Data32(0)
}

// W marks an operation on 64-bit general registers, as the amd64 assembler's does.
const W Op = 1 << 15

func plain(op Op) Insn { return Insn{Op: op &^ W, Wide: op&W != 0} }

// R emits op d, n, m on general registers.
func (a *Asm) R(op Op, d, n, m Reg) {
	i := plain(op)
	i.D, i.N, i.M = d, n, m
	a.emit(i)
}

// RI emits op d, n, imm on general registers.
func (a *Asm) RI(op Op, d, n Reg, imm int64) {
	i := plain(op)
	i.D, i.N, i.Imm = d, n, imm
	a.emit(i)
}

// RL emits op d, n, m shifted left.
func (a *Asm) RL(op Op, d, n, m Reg, shift int64) {
	i := plain(op)
	i.D, i.N, i.M, i.Imm = d, n, m, shift
	a.emit(i)
}

// Select emits a conditional select, op d, n, m, c.
func (a *Asm) Select(op Op, d, n, m Reg, c Cond) {
	i := plain(op)
	i.D, i.N, i.M, i.Cond = d, n, m, c
	a.emit(i)
}

// Move copies all 64 bits of a general register, unless both are the same. Neither is the stack pointer.
func (a *Asm) Move(d, n Reg) {
	if d != n {
		a.R(MOV|W, d, 0, n)
	}
}

// MovI sets a general register to a constant, in up to four instructions.
func (a *Asm) MovI(d Reg, v uint64) {
	one := Insn{Op: MOVZ, Wide: v>>32 != 0, D: d, Imm: int64(v)}
	for _, op := range []Op{MOVZ, MOVN, MOVBITS} {
		one.Op = op
		if w, ok := one.word(); ok {
			a.Data32(w)
			return
		}
	}
	op := MOVZ
	for h := range uint8(4) {
		part := v >> (16 * h) & 0xffff
		switch {
		case part == 0:
		case op == MOVZ:
			a.emit(Insn{Op: MOVZ, Wide: true, D: d, Imm: int64(part << (16 * h))})
			op = MOVK
		default:
			a.emit(Insn{Op: MOVK, Wide: true, D: d, Imm: int64(part), Index: h})
		}
	}
}

// B emits a jump, BL a call.
func (a *Asm) B(l Label) { a.reference(Insn{Op: B}, l) }

// BL emits a call.
func (a *Asm) BL(l Label) { a.reference(Insn{Op: BL}, l) }

// BCond emits a conditional jump. In long code it is a jump around one that reaches 128 MiB.
func (a *Asm) BCond(c Cond, l Label) {
	if a.far {
		a.emit(Insn{Op: BCOND, Cond: c.Not(), Imm: 8})
		a.B(l)
		return
	}
	a.reference(Insn{Op: BCOND, Cond: c}, l)
}

// BZero emits a jump on a general register, CBZ or CBNZ.
func (a *Asm) BZero(op Op, r Reg, l Label) {
	i := plain(op)
	i.D = r
	if a.far {
		i.Op, i.Imm = CBZ+CBNZ-i.Op, 8
		a.emit(i)
		a.B(l)
		return
	}
	a.reference(i, l)
}

// Adr sets d to the address of a label.
func (a *Asm) Adr(d Reg, l Label) { a.reference(Insn{Op: ADR, D: d}, l) }

// LoadLiteral loads a vector of 128 bits at a label.
func (a *Asm) LoadLiteral(d Reg, l Label) { a.reference(Insn{Op: LDRQ_LIT, D: d}, l) }

// Mem is the address Base + Index + Disp; without an index register Index is NoReg. The instructions have either an index or a
// displacement, so that an operand with both needs an addition (Asm.Access).
type Mem struct {
	Base, Index Reg
	Disp        int64
}

// At returns [base + disp].
func At(base Reg, disp int64) Mem { return Mem{base, NoReg, disp} }

// access has the forms of a load or store.
type access struct {
	scaled, near, indexed Op
	unit                  int64
}

// accessForms are the loads and stores by their scaled form.
var accessForms = map[Op]access{
	LDRB: {LDRB, LDRB_NEAR, LDRB_INDEX, 1}, LDRH: {LDRH, LDRH_NEAR, LDRH_INDEX, 2}, LDRW: {LDRW, LDRW_NEAR, LDRW_INDEX, 4},
	LDRX: {LDRX, LDRX_NEAR, LDRX_INDEX, 8}, LDRS: {LDRS, LDRS_NEAR, LDRS_INDEX, 4}, LDRD: {LDRD, LDRD_NEAR, LDRD_INDEX, 8},
	LDRQ: {LDRQ, LDRQ_NEAR, LDRQ_INDEX, 16},
	STRB: {STRB, STRB_NEAR, STRB_INDEX, 1}, STRH: {STRH, STRH_NEAR, STRH_INDEX, 2}, STRW: {STRW, STRW_NEAR, STRW_INDEX, 4},
	STRX: {STRX, STRX_NEAR, STRX_INDEX, 8}, STRS: {STRS, STRS_NEAR, STRS_INDEX, 4}, STRD: {STRD, STRD_NEAR, STRD_INDEX, 8},
	STRQ: {STRQ, STRQ_NEAR, STRQ_INDEX, 16},
}

// Access emits a load or store of t, an operation with a scaled displacement such as LDRW. An address that the instruction cannot encode
// is computed in scratch.
func (a *Asm) Access(op Op, t Reg, at Mem, scratch Reg) {
	f := accessForms[op]
	if at.Index != NoReg && at.Disp == 0 {
		a.emit(Insn{Op: f.indexed, D: t, N: at.Base, M: at.Index})
		return
	}
	if at.Index != NoReg {
		a.R(ADD|W, scratch, at.Base, at.Index)
		at = At(scratch, at.Disp)
	}
	switch d := at.Disp; {
	case d >= 0 && d%f.unit == 0 && d/f.unit < 1<<12:
		a.emit(Insn{Op: f.scaled, D: t, N: at.Base, Imm: d})
	case d >= -256 && d < 256:
		a.emit(Insn{Op: f.near, D: t, N: at.Base, Imm: d})
	default:
		a.plus(scratch, at.Base, d)
		a.emit(Insn{Op: f.scaled, D: t, N: scratch})
	}
}

// plus is d = n + v in 64 bits; both may be the stack pointer. A large v clobbers X17.
func (a *Asm) plus(d, n Reg, v int64) {
	op, abs := ADDI|W, v
	if v < 0 {
		op, abs = SUBI|W, -v
	}
	switch {
	case v == 0 && d == n:
	case abs < 1<<12 || abs < 1<<24 && abs&0xfff == 0:
		a.RI(op, d, n, abs)
	case abs < 1<<24:
		a.RI(op, d, n, abs&^0xfff)
		a.RI(op, d, d, abs&0xfff)
	default:
		a.MovI(scratch, uint64(v))
		a.R(ADDX, d, n, scratch)
	}
}

// V emits op d, n, m on vectors.
func (a *Asm) V(op Op, t Arr, d, n, m Reg) { a.emit(Insn{Op: op, Arr: t, D: d, N: n, M: m}) }

// V2 emits op d, n on vectors.
func (a *Asm) V2(op Op, t Arr, d, n Reg) { a.emit(Insn{Op: op, Arr: t, D: d, N: n}) }

// VI emits op d, n, imm on vectors, such as a shift.
func (a *Asm) VI(op Op, t Arr, d, n Reg, imm int64) {
	a.emit(Insn{Op: op, Arr: t, D: d, N: n, Imm: imm})
}

// VE emits an operation on lane k of a vector.
func (a *Asm) VE(op Op, t Arr, d, n Reg, k uint8) {
	a.emit(Insn{Op: op, Arr: t, D: d, N: n, Index: k})
}
