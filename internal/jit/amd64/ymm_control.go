package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/target"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// copy copies a register, in the lanes of the mask if there is one. A merging copy reads the old
// value of d, so that it passes through done.
func (m ymm) copy(in *vcode.Inst) {
	d, u := in.Defs[0], in.Uses[0]
	switch m.class(d) {
	case vcode.Gen:
		m.storeGen(d, m.gen(u, RAX))
	case vcode.Wide:
		for i := range 2 {
			m.loadHalf(0, u, i)
			m.doneHalf(in, i, 0)
		}
	default:
		if x, ok := m.phys(d); ok && !in.Merging {
			m.loadVec(x, u)
			return
		}
		m.done(in, m.vec(u, 0))
	}
}

// maskOp combines two masks in all lanes. VPANDN inverts its first operand, AndNot of vcode the
// second, hence the exchange.
func (m ymm) maskOp(in *vcode.Inst) {
	x, y := in.Uses[0], in.Uses[1]
	op := AVX_VPAND
	switch in.Op {
	case vcode.AndNot:
		x, y, op = y, x, AVX_VPANDN
	case vcode.Or:
		op = AVX_VPOR
	}
	a := m.vec(x, 0)
	d := m.dest(in, 0)
	m.with(op, d, a, y)
	m.done(in, d)
}

// testMasks sets the zero flag if all masks are empty. It clobbers RAX. Several masks are combined
// with VPOR, since VMOVMSKPS moves only one vector. The mask in K registers of AVX-512 needs KORTEST
// alone.
func (m ymm) testMasks(masks []vcode.Reg) {
	k := m.vec(masks[0], 0)
	for _, r := range masks[1:] {
		m.with(AVX_VPOR, 0, k, r)
		k = 0
	}
	m.rr(AVX_VMOVMSKPS, RAX, 0, k)
	m.GRR(TEST, RAX, RAX)
}

// broadcastGen copies a general register to all lanes.
//
// A Gen with a truth value is 0 or 1, and its negation is 0 or all ones in the low 32 bits: a lane
// of a mask. A handle in a Gen is a byte offset in the handle table, in a lane it is the handle's
// number.
func (m ymm) broadcastGen(in *vcode.Inst) {
	g := m.gen(in.Uses[0], RAX)
	if m.class(in.Defs[0]) == vcode.Wide {
		m.RR(AVX_VMOVQ, V128, 0, 0, g, 0)
		m.rri(AVX_VPERMQ, 0, 0, 0, 0)
		m.doneHalf(in, 0, 0)
		m.doneHalf(in, 1, 0)
		return
	}
	d := m.dest(in, 0)
	switch {
	case m.class(in.Defs[0]) == vcode.Mask:
		m.GRR(XOR, RCX, RCX)
		m.GRR(SUB, RCX, g)
		g = RCX
	case in.Key.Type == ir.H:
		m.loadGen(RAX, in.Uses[0])
		m.ShiftI(ShrI, true, RAX, target.HandleShift)
		g = RAX
	}
	m.splat(d, g)
	m.done(in, d)
}

// splat copies 32 bits of a general register to all lanes of y. AVX2 broadcasts from a vector
// register only: VPBROADCASTD with a general register is an instruction of AVX-512.
func (m ymm) splat(y, g Reg) {
	m.RR(AVX_VMOVD, V128, y, 0, g, 0)
	m.rr(AVX_VPBROADCASTD, y, 0, y)
}

// extract reads a value that is the same in all lanes. It reads lane 0. The value is the same in all
// lanes, also in inactive ones, or the vectorizer would not have marked it uniform.
func (m ymm) extract(in *vcode.Inst) {
	u := in.Uses[0]
	m.RR(AVX_VMOVD_ST, V128, m.vec(u, 0), 0, RAX, 0)
	switch {
	case m.class(u) == vcode.Mask:
		m.GI(AndI, false, RAX, 1)
	case in.Key.Type == ir.H:
		m.ShiftI(ShlI, true, RAX, target.HandleShift)
	}
	m.storeGen(in.Defs[0], RAX)
}
