package arm64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// body emits an operation on operands in V0, V1 and V2, with the result in V0, in lanes of 32 or 64 bits. It may clobber V3 and V4, X0 to
// X2 and X17. bits is the width of the operation's type.
type body func(m *machine, t Arr, bits uint32)

// extension says how an operation of 8 or 16 bits is computed in 32-bit lanes, which have zeros above the value.
type extension uint8

const (
	plain32      extension = 0
	signExtended extension = 1 << iota // the operands are sign-extended
	truncated                          // the bits above the result are cleared
)

// lanewise is an operation with a result and first operand of type t. For 64 bits it emits the body twice, for lanes 0 and 1 and for 2 and
// 3. All operands of a half are loaded before its result is stored, so that the result may share its slot with an operand.
func lanewise(t ir.Type, how extension, do body) emitter {
	bits := uint32(t.Bits())
	return func(m *machine, in *vcode.Inst) {
		if bits == 64 {
			for i := range 2 {
				m.operands(in, i)
				do(m, D2, bits)
				m.doneHalf(in, i, 0)
			}
			return
		}
		for n, u := range in.Uses {
			m.loadVec(Reg(n), u)
			if how&signExtended != 0 {
				m.signExtend(Reg(n), Reg(n), bits)
			}
		}
		do(m, S4, bits)
		if how&truncated != 0 {
			m.truncate(0, bits)
		}
		m.done(in, 0)
	}
}

// operands loads two lanes of the operands of an operation on 64 bits. Those of 32 bits, such as the count of a bit field, are
// zero-extended.
func (m *machine) operands(in *vcode.Inst, i int) {
	for n, u := range in.Uses {
		if m.class(u) == vcode.Wide {
			m.loadHalf(Reg(n), u, i)
		} else {
			m.widen(VUXTL, Reg(n), m.vec(u, Reg(n)), i)
		}
	}
}

// widen extends two lanes of 32 bits to 64, with SXTL or UXTL.
func (m *machine) widen(op Op, d, x Reg, i int) { m.V2(op, [2]Arr{S2, S4}[i], d, x) }

// longCompare is a comparison of 64-bit lanes: the low words of both halves are the mask.
func longCompare(op Op, swapped bool) emitter {
	return func(m *machine, in *vcode.Inst) {
		for i := range 2 {
			m.operands(in, i)
			x, y := Reg(0), Reg(1)
			if swapped {
				x, y = y, x
			}
			m.V(op, D2, 2+Reg(i), x, y)
		}
		d := m.dest(in, 0)
		m.s4(VUZP1, d, 2, 3)
		m.done(in, d)
	}
}

// signExtend sign-extends a number below 32 bits.
func (m *machine) signExtend(d, x Reg, bits uint32) {
	if bits < 32 {
		m.shiftLeft(d, x, int64(32-bits))
		m.VI(VSSHR, S4, d, d, int64(32-bits))
	}
}

// lanesOf sets all lanes of v to a constant.
func (m *machine) lanesOf(t Arr, v Reg, k uint64) {
	if t == D2 {
		lo, hi := uint32(k), uint32(k>>32)
		m.literal(v, [4]uint32{lo, hi, lo, hi})
		return
	}
	m.fill(v, uint32(k))
}

// direct is a body of one instruction on V0 and V1, single of one on V0.
func direct(op Op) body {
	return func(m *machine, t Arr, _ uint32) { m.V(op, t, 0, 0, 1) }
}

func single(op Op) body {
	return func(m *machine, t Arr, _ uint32) { m.V2(op, t, 0, 0) }
}

// logic is a body of one instruction on all bits.
func logic(op Op) body {
	return func(m *machine, _ Arr, _ uint32) { m.bits(op, 0, 0, 1) }
}

// scalarBody computes in general registers, lane by lane: do has the operands in X0 and X1, and leaves the result in X0. w is W for lanes
// of 64 bits.
func scalarBody(do func(m *machine, w Op)) body {
	return func(m *machine, t Arr, _ uint32) {
		get, put, w, n := VGETW, VINSW, Op(0), uint8(4)
		if t == D2 {
			get, put, w, n = VGETX, VINSX, W, 2
		}
		for lane := range n {
			m.VE(get, t&^1, X0, 0, lane)
			m.VE(get, t&^1, X1, 1, lane)
			do(m, w)
			m.VE(put, t&^1, 0, X0, lane)
		}
	}
}

// choice is a minimum or maximum, by a comparison for greater.
func choice(op Op, least bool) body {
	return func(m *machine, t Arr, _ uint32) {
		if least {
			m.V(op, t, 3, 1, 0)
		} else {
			m.V(op, t, 3, 0, 1)
		}
		m.bits(VBIF, 0, 1, 3)
	}
}

// shiftBy takes the count modulo the width. The processor shifts right for a negative count.
func shiftBy(op Op, right bool) body {
	return func(m *machine, t Arr, bits uint32) {
		m.lanesOf(t, 3, uint64(bits-1))
		m.bits(VAND, 1, 1, 3)
		if right {
			m.V2(VNEG, t, 1, 1)
		}
		m.V(op, t, 0, 0, 1)
	}
}

// division is the body of a quotient or remainder. Of 0 it is all ones; the processor's quotient is 0 there.
func division(op ir.Op) body {
	return scalarBody(func(m *machine, w Op) {
		divide := SDIV
		if op == ir.UDiv || op == ir.UMod {
			divide = UDIV
		}
		m.R(divide|w, X2, X0, X1)
		if op != ir.UDiv && op != ir.SDiv {
			m.emit(Insn{Op: MSUB, Wide: w != 0, D: X2, N: X2, M: X1, A: X0})
		}
		if op == ir.SMod { // the sign of the divisor
			m.R(ADD|w, X0, X2, X1)
			m.R(EOR|w, scratch, X2, X1)
			m.cmpI(w, X2, 0)
			m.Select(CSEL|w, X0, X2, X0, EQ)
			m.cmpI(w, scratch, 0)
			m.Select(CSEL|w, X2, X0, X2, LT)
		}
		m.cmpI(w, X1, 0)
		m.Select(CSINV|w, X0, X2, ZR, NE)
	})
}

// fieldStart shifts V0 right by V1. A count of 64 shifts all bits out.
func fieldStart(m *machine, t Arr) {
	m.fill(3, 64)
	m.s4(VUMIN, 1, 1, 3)
	m.V2(VNEG, t, 1, 1)
	m.V(VUSHL, t, 0, 0, 1)
}

// lowOnes replaces the count in v by that many low one bits. It clobbers V3.
func lowOnes(m *machine, t Arr, v Reg) {
	m.fill(3, 64)
	m.s4(VUMIN, v, v, 3)
	m.lanesOf(t, 3, 1)
	m.V(VUSHL, t, v, 3, v)
	m.V(VSUB, t, v, v, 3)
}

func fieldUnsigned(m *machine, t Arr, _ uint32) {
	fieldStart(m, t)
	lowOnes(m, t, 2)
	m.bits(VAND, 0, 0, 2)
}

// fieldSigned shifts the field to the top of the lane and back. A count of 0 shifts all out.
func fieldSigned(m *machine, t Arr, bits uint32) {
	fieldStart(m, t)
	m.fill(3, bits)
	m.s4(VUMIN, 2, 2, 3)
	m.lanesOf(t, 3, uint64(8)<<t.size())
	m.V(VSUB, t, 3, 3, 2)
	m.V(VUSHL, t, 0, 0, 3)
	m.V2(VNEG, t, 3, 3)
	m.V(VSSHL, t, 0, 0, 3)
}

// fieldMask has the offset in V0 and the count in V1.
func fieldMask(m *machine, t Arr, _ uint32) {
	lowOnes(m, t, 1)
	m.fill(3, 64)
	m.s4(VUMIN, 0, 0, 3)
	m.V(VUSHL, t, 0, 1, 0)
}

// lessBit is 1 if V1 > V0, unsigned.
func lessBit(m *machine, t Arr) {
	m.V(VCMHI, t, 0, 1, 0)
	m.VI(VUSHR, t, 0, 0, int64(8)<<t.size()-1)
}

// selectLong is u0 ? u1 : u2 of 64-bit lanes.
func selectLong(m *machine, in *vcode.Inst) {
	k := m.vec(in.Uses[0], 3)
	for i := range 2 {
		m.longMask(2, k, i)
		m.loadHalf(0, in.Uses[1], i)
		m.loadHalf(1, in.Uses[2], i)
		m.bits(VBIF, 0, 1, 2)
		m.doneHalf(in, i, 0)
	}
}
