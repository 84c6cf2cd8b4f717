package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// element is the operand format of a body: 16 lanes of 32 bits, with the value in the low bits and
// zeros above, or eight lanes of 64 bits. Narrow types have no vectors of their own: a lane is an
// invocation, whatever the width of its value.
type element struct {
	bits uint32
	wide bool
}

func elementOf(t ir.Type) element { return element{uint32(t.Bits()), t.Bits() == 64} }

// op selects the form of an instruction for 32 or for 64 bits per lane. The names of both forms
// differ in the last letter, D or Q, PS or PD.
func (e element) op(narrow, wide Op) Op {
	if e.wide {
		return wide
	}
	return narrow
}

// lane returns the number of bits of a lane.
func (e element) lane() uint32 {
	if e.wide {
		return 64
	}
	return 32
}

// mask returns all ones of the type.
func (e element) mask() uint64 { return ^uint64(0) >> (64 - e.bits) }

// Words of a kind of element.
var (
	narrowInt = element{32, false}
	wideInt   = element{64, true}
)

// body emits an operation on operands in Z0, Z1 and Z2, with the result in Z0. It may clobber all
// scratch vectors and masks.
type body func(m *machine, in *vcode.Inst, e element)

// extension is the treatment of integers narrower than a lane.
type extension uint8

const (
	plain        extension = 0
	signExtended extension = 1 << iota // operands are sign-extended
	truncated                          // the result is truncated to the type
)

// lanewise is an operation with result and first operand of type t. A body has its operands in fixed
// scratch registers, which costs up to three moves; frequent operations have rules with operands in
// place (pair).
func lanewise(t ir.Type, how extension, do body) emitter {
	e := elementOf(t)
	return func(m *machine, in *vcode.Inst) {
		for i := range m.pieces(e) {
			for n, u := range in.Uses {
				m.load(e, Reg(n), u, i)
				if how&signExtended != 0 {
					m.signExtend(Reg(n), e.bits)
				}
			}
			do(m, in, e)
			if how&truncated != 0 {
				m.truncate(0, e.bits)
			}
			m.store(e, in, i, 0)
		}
	}
}

// pieces returns the number of vectors of 16 lanes. It is 2 for types of 64 bits: eight lanes each.
func (m *machine) pieces(e element) int {
	if e.wide {
		return 2
	}
	return 1
}

// load puts an operand, or its i-th eight lanes, into z. A 32-bit operand in 64-bit lanes is
// zero-extended.
func (m *machine) load(e element, z Reg, u vcode.Reg, i int) {
	switch {
	case !e.wide:
		m.loadVec(z, u)
	case m.class(u) == vcode.Wide:
		m.moveVec(z, m.half(u, i, z))
	default:
		m.eightLanes(z, u, i)
		m.RR(VPMOVZXDQ, V512, z, 0, z, 0)
	}
}

// store writes z to the result, or to its i-th eight lanes. It clobbers K1 and K2.
func (m *machine) store(e element, in *vcode.Inst, i int, z Reg) {
	if e.wide {
		m.defineHalf(in, i, z)
		return
	}
	m.define(in, z)
}

// eightLanes puts the 32-bit lanes 8i to 8i+7 into the lower half of z. The upper half of z is
// unspecified; the following conversion reads the lower one only.
func (m *machine) eightLanes(z Reg, u vcode.Reg, i int) {
	x := m.vec(u, z)
	if i == 0 {
		m.moveVec(z, x)
		return
	}
	m.highHalf(z, x)
}

// join concatenates the lower halves of lo and hi.
func (m *machine) join(d, lo, hi Reg) { m.RRI(VSHUFF32X4, V512, d, lo, hi, lowHalves, 0) }

// word is d = a op a constant in all lanes.
func (m *machine) word(e element, op Op, d, a Reg, v uint64, o Opt) {
	m.RM(op, V512, d, a, m.constant(e, v), o|BC)
}

// constant returns a constant in memory, for an embedded broadcast.
func (m *machine) constant(e element, v uint64) Mem {
	if e.wide {
		return m.word64(v)
	}
	return m.word32(uint32(v))
}

// fill sets the lanes of a mask to a constant. The other lanes are preserved: merge masking.
func (m *machine) fill(e element, d Reg, v uint64, k Reg) {
	m.RM(e.op(VPBROADCASTD, VPBROADCASTQ), V512, d, 0, m.constant(e, v), K(k))
}

// signExtend sign-extends a number below 32 bits.
func (m *machine) signExtend(z Reg, bits uint32) {
	if bits < 32 {
		m.RRI(VPSLLD, V512, z, 0, z, uint8(32-bits), 0)
		m.RRI(VPSRAD, V512, z, 0, z, uint8(32-bits), 0)
	}
}

// truncate clears the bits above a number below 32 bits.
func (m *machine) truncate(z Reg, bits uint32) {
	if bits < 32 {
		m.word(narrowInt, VPANDD, z, z, 1<<bits-1, 0)
	}
}

// pair is d = u0 op u1 with 64 bits per lane. The halves are independent, and the result may share
// its registers with an operand, because half i of the operands is read before half i of the result
// is written.
func pair(op Op) emitter {
	return func(m *machine, in *vcode.Inst) {
		x, y := in.Uses[0], in.Uses[1]
		if _, ok := m.phys(x); !ok && commutes(in.IR) {
			x, y = y, x // a memory operand comes last
		}
		for i := range 2 {
			a := m.half(x, i, 0)
			d, o := m.destHalf(in, i, 0)
			m.withHalf(op, d, a, y, i, o)
			m.doneHalf(in, i, d)
		}
	}
}

// commutes reports whether the operands of an operation may be swapped. For floats the order decides
// which of two NaNs results, but that cannot be observed.
func commutes(op ir.Op) bool { return op.Is(ir.Commute) || op == ir.FAdd || op == ir.FMul }

// pairSwapped is d = u1 op u0 with 64 bits per lane.
func pairSwapped(op Op) emitter {
	return func(m *machine, in *vcode.Inst) {
		for i := range 2 {
			a := m.half(in.Uses[1], i, 0)
			d, o := m.destHalf(in, i, 0)
			m.withHalf(op, d, a, in.Uses[0], i, o)
			m.doneHalf(in, i, d)
		}
	}
}

// pairWord is d = u0 op a constant with 64 bits per lane.
func pairWord(op Op, v uint64) emitter {
	return func(m *machine, in *vcode.Inst) {
		for i := range 2 {
			a := m.half(in.Uses[0], i, 0)
			d, o := m.destHalf(in, i, 0)
			m.word(wideInt, op, d, a, v, o)
			m.doneHalf(in, i, d)
		}
	}
}

// direct is a body of one instruction on Z0 and Z1.
func direct(narrow, wide Op) body {
	return func(m *machine, in *vcode.Inst, e element) { m.RR(e.op(narrow, wide), V512, 0, 0, 1, 0) }
}

// comparison compares types of 64 bits, or below 32.
//
// The two masks of eight lanes are concatenated: KUNPCKBW puts the low byte of its second source
// below the low byte of the first.
func comparison(t ir.Type, how extension, op Op, predicate uint8) emitter {
	e := elementOf(t)
	if !e.wide {
		return func(m *machine, in *vcode.Inst) {
			for n, u := range in.Uses {
				m.loadVec(Reg(n), u)
				if how&signExtended != 0 {
					m.signExtend(Reg(n), e.bits)
				}
			}
			m.RRI(op, V512, 2, 0, 1, predicate, 0)
			m.doneMask(in, 2)
		}
	}
	return func(m *machine, in *vcode.Inst) {
		x, y, ask := in.Uses[0], in.Uses[1], predicate
		if _, ok := m.phys(x); !ok {
			x, y, ask = y, x, exchanged(op, predicate) // a memory operand comes last
		}
		for i := range 2 {
			m.withHalfImm(op, Reg(2+i), m.half(x, i, 0), y, i, ask)
		}
		m.RR(KUNPCKBW, V128, 2, 3, 2, 0)
		m.doneMask(in, 2)
	}
}

// exchanged returns the predicate for swapped operands.
func exchanged(op Op, predicate uint8) uint8 {
	switch {
	case op == VCMPPD && predicate == orderedLT:
		return orderedGT
	case op == VCMPPD && predicate == orderedLE:
		return orderedGE
	case op != VCMPPD && predicate == compareLT:
		return compareGT
	case op != VCMPPD && predicate == compareLE:
		return compareGE
	}
	return predicate // equality
}
