package amd64

import (
	"math"
	"math/bits"

	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// maxDisp is the greatest immediate offset that is used as a displacement. It leaves room for the
// size of the access. x86 displacements are signed 32-bit numbers.
const maxDisp = 1 << 30

// plusVectors returns the memory n vectors later. EVEX compresses such a displacement to one byte,
// since it is a multiple of 64 (disp8).
func plusVectors(at Mem, n int32) Mem {
	at.Disp += 64 * n
	return at
}

// handleWord returns a field of a handle in memory. g is the scratch register for the handle's
// offset. A Gen holds the byte offset of the handle in the table, not its index: the address needs
// no shift.
func (m *machine) handleWord(h vcode.Reg, g Reg, field int32) Mem {
	if n, ok := m.f.Const(h); ok {
		return At(R13, int32(n)+field)
	}
	return Indexed(R13, m.gen(h, g), 1, field)
}

// boundsCheck emits a jump to slow unless [u1, u1+bytes) is in range of handle u0, where u1 includes
// the immediate. The offset is a 64-bit number of at most 2⁶², so that no sum wraps. It returns the
// memory operand of the access, and whether the check is proven to succeed. It clobbers RAX, RCX and
// RDX. The general case, with u1 in a register:
//
//	lea rcx, [off + reach]            reach = immediate + bytes
//	cmp rcx, [handle + field]
//	ja  slow
//	mov rcx, [handle]                 base address
//	… [rcx + off + imm]
//
// field is handleLength for loads, and handleWrites for stores: the latter is 0 for a buffer that is
// read-only, so that one comparison covers both rules.
func (m *machine) boundsCheck(in *vcode.Inst, bytes int32, field int32, slow Label) (at Mem, proven bool) {
	imm := in.Key.Aux + uint64(in.IndexOffset)*uint64(in.Stride)
	// A hoisted check has computed the address already, null if it failed.
	if in.Checked {
		p := m.gen(in.Uses[len(in.Uses)-1], RDX)
		if !in.Proven {
			m.GRR(TEST|W, p, p)
			m.Jcc(Equal, slow)
		}
		return At(p, int32(imm)), in.Proven
	}
	// The slow path handles a large immediate exactly (boundsCheckLarge).
	if imm > maxDisp {
		m.Jmp(slow)
		return At(RCX, 0), false
	}
	reach := int32(imm) + bytes
	h, placed := m.f.Const(in.Uses[0])
	off, constant := m.f.Const(in.Uses[1])
	constant = constant && off+imm <= maxDisp
	switch {
	case placed && h == target.HandlePush*target.HandleBytes && constant && field == target.HandleLength && m.inPushCopy(off+imm, bytes):
		return At(R13, int32(m.layout.Push*target.HandleBytes)+int32(off+imm)), true
	case placed && h == target.HandleShared*target.HandleBytes:
		return m.boundsCheckShared(in, int32(imm), reach, slow)
	// Everything but the length is constant, so the LEA is dropped.
	case constant:
		at = m.handleWord(in.Uses[0], RAX, field)
		m.GMI(CmpI, true, at, reach+int32(off))
		m.Jcc(Below, slow)
		at.Disp -= field
		m.GRM(MOV|W, RCX, at)
		return At(RCX, int32(imm+off)), false
	}
	s := m.gen(in.Uses[1], RDX)
	at = m.handleWord(in.Uses[0], RAX, field)
	m.GRM(LEA|W, RCX, At(s, reach))
	m.GRM(CMP|W, RCX, at)
	m.Jcc(Above, slow)
	at.Disp -= field
	m.GRM(MOV|W, RCX, at)
	return Indexed(RCX, s, 1, int32(imm)), false
}

// inPushCopy reports whether bytes of the push constants can be read from the copy in the handle
// table, which has zeros after the bytes of the job: whole words only. An access of the copy needs
// neither a check nor the load of a base: it is [r13 + constant].
func (m *machine) inPushCopy(off uint64, bytes int32) bool {
	return off%4 == 0 && off+uint64(bytes) <= uint64(m.layout.PushBytes)
}

// boundsCheckShared is boundsCheck for the workgroup memory, whose length is known. Only the offset
// is compared, with a constant, unless it is proven to be in range; R12 is the base:
//
//	cmp off, length − reach
//	ja  slow
func (m *machine) boundsCheckShared(in *vcode.Inst, imm, reach int32, slow Label) (at Mem, proven bool) {
	maxOffset, scale := int64(m.prog.SharedBytes)-int64(reach), uint8(1)
	if isIndexed(in) {
		scale = uint8(in.Stride)
	}
	if off, ok := m.f.Const(in.Uses[1]); ok {
		off *= uint64(scale)
		proven = maxOffset >= 0 && off <= uint64(maxOffset)
		if !proven {
			m.Jmp(slow)
			off = 0
		}
		return At(R12, imm+int32(off)), proven
	}
	// Nothing at this immediate is in range. The code after the jump is never reached but must be
	// encodable.
	if maxOffset < 0 {
		m.Jmp(slow)
	}
	s := m.gen(in.Uses[1], RDX)
	if in.Proven && maxOffset >= 0 {
		return Indexed(R12, s, scale, imm), true
	}
	m.GI(CmpI, true, s, int32(min(max(maxOffset, 0), math.MaxInt32)))
	m.Jcc(Above, slow)
	return Indexed(R12, s, 1, imm), false
}

// boundsCheckLarge is boundsCheck for large immediates, and an access of the type's bytes. It sets the flags (Less: out of range)
// instead of jumping, sets RAX to 0, and puts the offset into RDX. Immediates above 2³⁰ are legal
// but rare (offsets of members in huge structs), so that this path may be slow.
func (m *machine) boundsCheckLarge(in *vcode.Inst, field int32) {
	m.loadGen(RDX, in.Uses[1])
	m.MovI(RCX, in.Key.Aux)
	m.GRR(ADD|W, RDX, RCX)
	m.GRM(LEA|W, RAX, m.handleWord(in.Uses[0], RCX, 0))
	m.GRM(MOV, RCX, At(RAX, field))
	// A length below the access becomes negative, which is less than any offset.
	m.GI(SubI, true, RCX, int32(in.Key.Type.Size()))
	m.GRR(CMP|W, RCX, RDX)
	m.GRM(MOV|W, RCX, At(RAX, 0))
	m.MovI(RAX, 0)
}

// loadOrZero loads 32 bits into d, 0 out of range. It is the slow path of accesses in groups, where
// one word may be in range and the next not.
func (m *machine) loadOrZero(in *vcode.Inst, d Reg) {
	slow, resume := m.NewLabel(), m.NewLabel()
	at, _ := m.boundsCheck(in, 4, target.HandleLength, slow)
	m.GRM(MOV, d, at)
	m.Jmp(resume)
	m.Bind(slow)
	m.GRR(XOR, d, d)
	m.Bind(resume)
}

// hoistedBoundsCheck yields the address of offset u1 in handle u0 if the Aux bytes there are in
// range; else null, or it bails out if the instruction is Proven. The loads of one struct share it:
// package vectorize widens the check to the whole range and marks the loads Checked.
//
//	p = check handle, offset, 48    lea p, [base + offset], or 0
//	a = load p + 0
//	b = load p + 44
func (m *machine) hoistedBoundsCheck(in *vcode.Inst, field int32) {
	whole := *in
	whole.Key.Aux = 0
	slow, resume := m.NewLabel(), m.NewLabel()
	at, _ := m.boundsCheck(&whole, int32(in.Key.Aux), field, slow)
	d := m.destGen(in.Defs[0])
	m.GRM(LEA|W, d, at)
	// The instruction names a function to bail out to.
	if in.Proven {
		m.storeGen(in.Defs[0], d)
		m.bailOut(in, slow)
		return
	}
	m.Bind(resume)
	m.storeGen(in.Defs[0], d)
	if in.WordMask != 0 {
		m.copyRecord(in, d, slow, resume)
		return
	}
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(slow)
		m.GRR(XOR, d, d)
		m.Jmp(resume)
	})
}

// copyRecord is the slow path of a total check: it copies the words of a record that are in range
// into the frame, with zeros for the others, and sets d to the address of the copy. So the accesses
// themselves need no check on either path. WordMask has a bit for each word of the record that is
// read.
func (m *machine) copyRecord(in *vcode.Inst, d Reg, slow, resume Label) {
	to := m.nextRecordCopy
	m.nextRecordCopy += int32(in.Key.Aux)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(slow)
		for words := in.WordMask; words != 0; words &= words - 1 {
			off := 4 * bits.TrailingZeros64(words)
			one := *in
			one.Key.Aux = uint64(off)
			m.loadOrZero(&one, RCX)
			m.GRM(MOV_ST, RCX, At(RSP, to+int32(off)))
		}
		m.GRM(LEA|W, d, At(RSP, to))
		m.Jmp(resume)
	})
}
