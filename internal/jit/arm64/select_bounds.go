package arm64

import (
	"math/bits"

	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// maxDisp is the greatest immediate offset of the fast paths. Slow paths add any.
const maxDisp = 1 << 20

// handleWord returns a field of a handle in memory. g is the scratch register for the handle's offset. A Gen holds the byte offset of the
// handle in the table, not its index.
func (m *machine) handleWord(h vcode.Reg, g Reg, field int64) Mem {
	if n, ok := m.f.Const(h); ok {
		return At(handles, int64(n)+field)
	}
	return Mem{Base: handles, Index: m.gen(h, g), Disp: field}
}

// immediateOf returns the immediate of an access, which its offset does not include.
func immediateOf(in *vcode.Inst) uint64 {
	return in.Key.Aux + uint64(in.IndexOffset)*uint64(in.Stride)
}

// boundsCheck emits a jump to slow unless [u1, u1+bytes) is in range of handle u0, where u1 includes the immediate. The offset is a 64-bit
// number of at most 2⁶², so that no sum wraps. It returns the memory of the access, without an index, and whether the check is proven to
// succeed. It clobbers X0 to X2; the memory is relative to X1 or to an allocatable register. The general case:
//
//	add  x0, off, #reach            reach = immediate + bytes
//	ldp  x1, x17, [handle]          base address and length
//	cmp  x0, x17
//	b.hi slow
//	add  x1, x1, off
//	… [x1, #imm]
//
// field is HandleLength for loads, and HandleWrites for stores: the latter is 0 for a buffer that is read-only, so that one comparison
// covers both rules.
func (m *machine) boundsCheck(in *vcode.Inst, bytes, field int64, slow Label) (at Mem, proven bool) {
	at, proven = m.boundsCheckIndexed(in, bytes, field, slow)
	if at.Index != NoReg {
		m.R(ADD|W, X1, at.Base, at.Index)
		at = m.far24(X1, uint64(at.Disp))
	}
	return at, proven
}

// boundsCheckIndexed is boundsCheck for one access: the memory may have an index, X2 or an allocatable register.
func (m *machine) boundsCheckIndexed(in *vcode.Inst, bytes, field int64, slow Label) (at Mem, proven bool) {
	imm := immediateOf(in)
	if in.Checked { // a hoisted check has computed the address already, null if it failed
		p := m.gen(in.Uses[len(in.Uses)-1], X1)
		if !in.Proven {
			m.BZero(CBZ|W, p, slow)
		}
		return m.far24(p, imm), in.Proven
	}
	h, placed := m.f.Const(in.Uses[0])
	off, constant := m.f.Const(in.Uses[1])
	constant = constant && off <= maxDisp && imm <= maxDisp
	if placed && h == target.HandlePush*target.HandleBytes && constant && field == target.HandleLength && m.inPushCopy(off+imm, bytes) {
		return At(handles, int64(m.layout.Push*target.HandleBytes)+int64(off+imm)), true
	}
	where := m.handleWord(in.Uses[0], X1, field)
	if constant {
		paired := m.pairOf(X0, where, field)
		m.cmpI(W, X0, off+imm+uint64(bytes))
		m.BCond(LO, slow)
		if !paired {
			m.loadX(X1, plusBytes(where, -field))
		}
		return At(X1, int64(off+imm)), false
	}
	s := m.gen(in.Uses[1], X2)
	m.addI(X0, s, imm+uint64(bytes))
	if where.Index != NoReg {
		m.R(ADD|W, X1, handles, where.Index)
		where = At(X1, where.Disp)
	}
	paired := m.pairOf(scratch, where, field)
	m.R(CMP|W, 0, X0, scratch)
	m.BCond(HI, slow)
	if !paired {
		m.loadX(X1, plusBytes(where, -field))
	}
	return Mem{Base: X1, Index: s, Disp: int64(imm)}, false
}

// pairOf loads a field of a handle into x. If the field is next to the address, it loads this too, into X1, and returns true.
func (m *machine) pairOf(x Reg, where Mem, field int64) bool {
	if first := where.Disp - field; field == 8 && where.Index == NoReg && first%8 == 0 && first >= -512 && first <= 504 {
		m.emit(Insn{Op: LDPX, D: X1, A: x, N: where.Base, Imm: first})
		return true
	}
	m.loadX(x, where)
	return false
}

// far24 returns the memory at a register and an immediate, which it adds to X1 if it is large.
func (m *machine) far24(p Reg, imm uint64) Mem {
	if imm <= maxDisp {
		return At(p, int64(imm))
	}
	m.addI(X1, p, imm)
	return At(X1, 0)
}

// inPushCopy reports whether bytes of the push constants can be read from the copy in the handle table, which has zeros after the bytes
// of the job: whole words only.
func (m *machine) inPushCopy(off uint64, bytes int64) bool {
	return off%4 == 0 && off+uint64(bytes) <= uint64(m.layout.PushBytes)
}

// loadOrZero loads 32 bits into X0, 0 out of range. It clobbers X1 and X2.
func (m *machine) loadOrZero(in *vcode.Inst) {
	one := *in
	one.Checked = false
	slow, resume := m.NewLabel(), m.NewLabel()
	at, _ := m.boundsCheck(&one, 4, target.HandleLength, slow)
	m.loadW(X0, at)
	m.B(resume)
	m.Bind(slow)
	m.MovI(X0, 0)
	m.Bind(resume)
}

// hoistedBoundsCheck yields the address of offset u1 in handle u0 if the Aux bytes there are in range; else null, or it bails out if the
// instruction is Proven.
func (m *machine) hoistedBoundsCheck(in *vcode.Inst, field int64) {
	whole := *in
	whole.Key.Aux, whole.Proven = 0, false
	slow, resume := m.NewLabel(), m.NewLabel()
	at, _ := m.boundsCheck(&whole, int64(in.Key.Aux), field, slow)
	d := m.destGen(in.Defs[0], X0)
	m.plus(d, at.Base, at.Disp)
	m.Bind(resume)
	m.storeGen(in.Defs[0], d)
	switch {
	case in.Proven:
		m.bailOut(in, slow)
	case in.WordMask != 0:
		m.copyRecord(in, d, slow, resume)
	default:
		m.outOfLine(in, func() {
			m.Bind(slow)
			m.MovI(d, 0)
			m.B(resume)
		})
	}
}

// copyRecord is the slow path of a total check: it copies the words of a record that are in range into the frame, with zeros for the
// others, and sets d to the address of the copy. So the accesses themselves need no check on either path. WordMask has a bit for each word
// of the record that is read.
func (m *machine) copyRecord(in *vcode.Inst, d Reg, slow, resume Label) {
	to := m.nextRecordCopy
	m.nextRecordCopy += int64(in.Key.Aux)
	m.outOfLine(in, func() {
		m.Bind(slow)
		for words := in.WordMask; words != 0; words &= words - 1 {
			off := 4 * bits.TrailingZeros64(words)
			one := *in
			one.Key.Aux, one.Proven = uint64(off), false
			m.loadOrZero(&one)
			m.storeW(X0, At(SP, to+int64(off)))
		}
		m.plus(d, SP, to)
		m.B(resume)
	})
}
