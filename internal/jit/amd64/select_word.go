package amd64

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// broadcastLoad loads 32 bits into all lanes, 0 out of range. VPBROADCASTD from memory needs no
// shuffle port: the load unit replicates the word.
func (m *machine) broadcastLoad(in *vcode.Inst) {
	slow, resume := m.NewLabel(), m.NewLabel()
	at, proven := m.boundsCheck(in, 4, target.HandleLength, slow)
	d, o := m.dest(in, 0)
	m.RM(VPBROADCASTD, V512, d, 0, at, o)
	m.done(in, d)
	if proven {
		return
	}
	m.Bind(resume)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(slow)
		m.slowLoad(in)
		m.RR(VPBROADCASTD_R, V512, 0, 0, RAX, 0)
		m.define(in, 0)
		m.Jmp(resume)
	})
}

// slowLoad is the slow path of broadcastLoad and scalarLoad: it loads into RAX. A large immediate is
// the only other reason to come here apart from a failed check; for one above 2³² − 1 no offset is
// in range.
func (m *machine) slowLoad(in *vcode.Inst) {
	if in.Checked {
		m.recheckedLoad(in)
		return
	}
	m.GRR(XOR, RAX, RAX)
	if in.Key.Aux <= maxDisp || in.Key.Aux > math.MaxUint32 {
		return
	}
	out := m.NewLabel()
	m.boundsCheckLarge(in, target.HandleLength)
	m.Jcc(Less, out)
	m.GRM(loadsOf[in.Key.Type.Size()], RAX, Indexed(RCX, RDX, 1, 0))
	m.Bind(out)
}

// loadsOf are the loads into a general register, by their bytes, with zeros above.
var loadsOf = [...]G{1: MOVZXB, 2: MOVZXW, 4: MOV, 8: MOV | W}

// recheckedLoad loads 32 bits into RAX after a failed hoisted check, with a check of its own.
func (m *machine) recheckedLoad(in *vcode.Inst) {
	one := *in
	one.Checked = false
	m.loadOrZero(&one, RAX)
}

// scalarLoad loads 8, 16 or 32 bits from handle u0 at offset u1, 0 out of range, and returns their register.
// Its result stays in a general register, unlike the one of broadcastLoad: offsets and loop bounds
// are used there.
func (m *machine) scalarLoad(in *vcode.Inst) Reg {
	slow, resume := m.NewLabel(), m.NewLabel()
	d := m.resultReg(in)
	size := in.Key.Type.Size()
	at, proven := m.boundsCheck(in, int32(size), target.HandleLength, slow)
	m.GRM(loadsOf[size], d, at)
	if proven {
		return d
	}
	m.Bind(resume)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(slow)
		m.slowLoad(in)
		if d != RAX {
			m.GRR(MOV, d, RAX)
		}
		m.Jmp(resume)
	})
	return d
}

// scalarStore stores the 32 bits of u2, nothing out of range. It has no mask: package vectorize
// emits it only for a uniform store.
func (m *machine) scalarStore(in *vcode.Inst) {
	slow, resume := m.NewLabel(), m.NewLabel()
	at, _ := m.boundsCheck(in, 4, target.HandleWrites, slow)
	m.GRM(MOV_ST, m.gen(in.Uses[2], RAX), at)
	m.Bind(resume)
	m.slowPaths = append(m.slowPaths, func() {
		m.Bind(slow)
		if in.Key.Aux > maxDisp && in.Key.Aux <= math.MaxUint32 {
			m.boundsCheckLarge(in, target.HandleWrites)
			m.Jcc(Less, resume)
			m.GRM(MOV_ST, m.gen(in.Uses[2], RAX), Indexed(RCX, RDX, 1, 0))
		}
		m.Jmp(resume)
	})
}
