package amd64

import (
	"maps"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// element is what a body computes on: 16 lanes of 32 bits, of which the low
// ones are the value and the others zero, or eight lanes of 64 bits.
type element struct {
	bits uint32
	wide bool
}

func elementOf(t ir.Type) element { return element{uint32(t.Bits()), t.Bits() == 64} }

// op chooses between an instruction's forms for 32 and for 64 bits a lane.
func (e element) op(narrow, wide Op) Op {
	if e.wide {
		return wide
	}
	return narrow
}

// lane is the number of bits of a lane of the machine.
func (e element) lane() uint32 {
	if e.wide {
		return 64
	}
	return 32
}

// mask is all ones of the type.
func (e element) mask() uint64 { return ^uint64(0) >> (64 - e.bits) }

// Words of a kind of element.
var (
	narrowInt = element{32, false}
	wideInt   = element{64, true}
)

// body is the code of an operation on lanes: operands in Z0, Z1 and Z2, the
// result in Z0. It may use all vectors and masks that are scratch.
type body func(m *machine, in *vcode.Inst, e element)

// manner says what a body wants of integers narrower than a lane.
type extension uint8

const (
	plain        extension = 0
	signExtended extension = 1 << iota // operands extended by their sign
	truncated                          // the result loses the bits above the type
)

// lanewise is an operation whose result and first operand have type t.
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

// pieces is how many vectors hold 16 lanes.
func (m *machine) pieces(e element) int {
	if e.wide {
		return 2
	}
	return 1
}

// load puts an operand, or the i-th eight lanes of it, into z. One of 32 bits
// is extended with zeros where lanes have 64.
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

// store writes z to the result, or to the i-th eight lanes of it. It uses K1
// and K2.
func (m *machine) store(e element, in *vcode.Inst, i int, z Reg) {
	if e.wide {
		m.defineHalf(in, i, z)
		return
	}
	m.define(in, z)
}

// eight puts lanes 8i to 8i+7 of 32 bits into the lower half of z.
func (m *machine) eightLanes(z Reg, u vcode.Reg, i int) {
	x := m.vec(u, z)
	if i == 0 {
		m.moveVec(z, x)
		return
	}
	m.highHalf(z, x)
}

// join puts the lower halves of lo and hi together.
func (m *machine) join(d, lo, hi Reg) { m.RRI(VSHUFF32X4, V512, d, lo, hi, lowHalves, 0) }

// word is d = a op a constant in all lanes.
func (m *machine) word(e element, op Op, d, a Reg, v uint64, o Opt) {
	m.RM(op, V512, d, a, m.constant(e, v), o|BC)
}

// constant is a number in memory, to be broadcast.
func (m *machine) constant(e element, v uint64) Mem {
	if e.wide {
		return m.word64(v)
	}
	return m.word32(uint32(v))
}

// fill puts a constant into the lanes of a mask.
func (m *machine) fill(e element, d Reg, v uint64, k Reg) {
	m.RM(e.op(VPBROADCASTD, VPBROADCASTQ), V512, d, 0, m.constant(e, v), K(k))
}

// signExtend extends a number of fewer than 32 bits by its sign.
func (m *machine) signExtend(z Reg, bits uint32) {
	if bits < 32 {
		m.RRI(VPSLLD, V512, z, 0, z, uint8(32-bits), 0)
		m.RRI(VPSRAD, V512, z, 0, z, uint8(32-bits), 0)
	}
}

// truncate clears what is above a number of fewer than 32 bits.
func (m *machine) truncate(z Reg, bits uint32) {
	if bits < 32 {
		m.word(narrowInt, VPANDD, z, z, 1<<bits-1, 0)
	}
}

// pair is d = u0 op u1 on 64 bits a lane.
func pair(op Op) emitter {
	return func(m *machine, in *vcode.Inst) {
		x, y := in.Uses[0], in.Uses[1]
		if _, ok := m.phys(x); !ok && commutes(in.IR) {
			x, y = y, x // what stands in memory comes last
		}
		for i := range 2 {
			a := m.half(x, i, 0)
			d, o := m.destHalf(in, i, 0)
			m.withHalf(op, d, a, y, i, o)
			m.doneHalf(in, i, d)
		}
	}
}

// exchangeable reports whether the operands of an operation may be exchanged;
// which of two NaN a float operation gives is not observed.
func commutes(op ir.Op) bool { return op.Is(ir.Commute) || op == ir.FAdd || op == ir.FMul }

// pairSwapped is d = u1 op u0 on 64 bits a lane.
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

// pairWord is d = u0 op a constant on 64 bits a lane.
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

// comparison compares 64 bits a lane, or what is narrower than 32.
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
			x, y, ask = y, x, exchanged(op, predicate) // what stands in memory comes last
		}
		for i := range 2 {
			m.withHalfImm(op, Reg(2+i), m.half(x, i, 0), y, i, ask)
		}
		m.RR(KUNPCKBW, V128, 2, 3, 2, 0)
		m.doneMask(in, 2)
	}
}

// exchanged is a predicate for exchanged operands.
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

// together joins tables of rules: the first that has a row counts.
func mergeRules[E any](tables ...map[rule]E) map[rule]E {
	all := map[rule]E{}
	for i := range tables {
		maps.Copy(all, tables[len(tables)-1-i])
	}
	return all
}
