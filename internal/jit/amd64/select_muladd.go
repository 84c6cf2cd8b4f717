package amd64

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// multiplyAddOf is d = u0·u1 + u2, u2 − u0·u1 or u0·u1 − u2, rounded once. The instructions overwrite an
// operand: the form 213 a factor, the form 231 the addend. The three forms, d = first operand of the
// instruction:
//
//	132    d = d·c + b
//	213    d = b·d + c
//	231    d = b·c + d
//
// c may be in memory. The choice avoids copies: accumulation in a loop, d = a·b + d, needs none in
// the form 231.
func multiplyAddOf(factor, summand Op) emitter {
	return func(m *machine, in *vcode.Inst) {
		a, b, c := in.Uses[0], in.Uses[1], in.Uses[2]
		if in.Merging && in.Key.Flags&ir.RTZ == 0 && m.multiplyAddOver(factor, summand, in) {
			return
		}
		d, inRegister := m.phys(in.Defs[0])
		if in.Merging || !inRegister {
			d = 0
		}
		if _, ok := m.phys(a); !ok {
			a, b = b, a // one factor may be in memory
		}
		x, _ := m.phys(b)
		switch sum, _ := m.phys(c); {
		// Embedded rounding permits no memory operand.
		case in.Key.Flags&ir.RTZ != 0:
			m.loadVec(0, a)
			m.RR(factor, V512, 0, m.vec(b, 1), m.vec(c, 2), RZ)
			d = 0
		case d == sum:
			m.with(summand, d, m.vec(a, 0), b, 0)
		default:
			if x == d {
				a, b = b, a
			}
			m.factors(factor, summand, d, a, b, c)
		}
		m.define(in, d)
	}
}

// multiplyAddOver handles a merging multiplyAddOf with an operand in the result's register: a
// merging mask then preserves the right lanes. It reports whether that is so. Otherwise the result
// is computed in Z0 and merged by a masked move.
func (m *machine) multiplyAddOver(factor, summand Op, in *vcode.Inst) bool {
	a, b, c := in.Uses[0], in.Uses[1], in.Uses[2]
	d, ok := m.phys(in.Defs[0])
	if !ok {
		return false
	}
	if x, ok := m.phys(c); ok && x == d {
		m.with(summand, d, m.vec(a, 0), b, K(m.execution(in)))
		return true
	}
	for _, u := range [...][2]vcode.Reg{{a, b}, {b, a}} {
		if x, ok := m.phys(u[0]); ok && x == d {
			m.with(factor, d, m.vec(u[1], 0), c, K(m.execution(in)))
			return true
		}
	}
	return false
}

// factors is d = a·b + c if d holds neither b nor c: it overwrites a copy of a, or a copy of c if b
// is in memory and a is not. So there is one register move at most, which the processor usually
// eliminates (move elimination), or the load that is needed anyway.
func (m *machine) factors(factor, summand Op, d Reg, a, b, c vcode.Reg) {
	x, inPlace := m.phys(a)
	_, ok := m.phys(b)
	if !ok && inPlace && x != d {
		m.loadVec(d, c)
		m.with(summand, d, x, b, 0)
		return
	}
	y := m.vec(b, 1)
	m.loadVec(d, a)
	m.with(factor, d, y, c, 0)
}
