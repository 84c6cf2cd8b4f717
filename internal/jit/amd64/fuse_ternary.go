package amd64

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// logic is a bitwise function of up to three registers: bit abc (binary) of table is its result if
// their bits are a, b and c. So the table of the first register alone is 0xf0.
type logic struct {
	of    []vcode.Reg
	table uint8
}

// bitwise folds trees of bitwise operations with up to three leaves.
//
// The table of a function is computed like the function, with the tables of its operands: the three
// registers have the tables 0xf0, 0xcc and 0xaa. (a & b) | c is 0xf0 & 0xcc | 0xaa = 0xea. A
// function of two registers is recorded for a later operation but not replaced.
func (z *fuser) bitwise(in *vcode.Inst) {
	var x logic
	var gone []vcode.Reg
	switch in.IR {
	case ir.Not:
		y, inner := z.operand(in.Uses[0])
		x = logic{y.of, ^y.table}
		if inner {
			gone = in.Uses
		}
	case ir.And, ir.Or, ir.Xor:
		x, gone = z.combineOperands(in.IR, in.Uses[0], in.Uses[1])
	default:
		return
	}
	if len(x.of) > 3 {
		return
	}
	z.logic[in.Defs[0]] = x
	if len(gone) > 0 && len(x.of) == 3 {
		z.Replace(in, fusedTernaryLogic, uint64(x.table), x.of, gone...)
	}
}

// operand returns the function of an operand of a bitwise operation: its own if this is its only
// reader, else the register itself.
func (z *fuser) operand(r vcode.Reg) (x logic, inner bool) {
	if in := z.FoldableDef(r, 1); in != nil {
		if x, ok := z.logic[r]; ok && !z.Changed(r, x.of) {
			return x, true
		}
	}
	return logic{[]vcode.Reg{r}, 0xf0}, false
}

// combineOperands combines two operands, and returns those that become dead. It inlines both, or one,
// or none, so that at most three registers remain.
func (z *fuser) combineOperands(op ir.Op, a, b vcode.Reg) (x logic, gone []vcode.Reg) {
	ya, ina := z.operand(a)
	yb, inb := z.operand(b)
	leafA, leafB := logic{[]vcode.Reg{a}, 0xf0}, logic{[]vcode.Reg{b}, 0xf0}
	if x = combine(op, ya, yb); len(x.of) <= 3 {
		if ina {
			gone = append(gone, a)
		}
		if inb {
			gone = append(gone, b)
		}
		return x, gone
	}
	if x = combine(op, ya, leafB); ina && len(x.of) <= 3 {
		return x, []vcode.Reg{a}
	}
	if x = combine(op, leafA, yb); inb && len(x.of) <= 3 {
		return x, []vcode.Reg{b}
	}
	return combine(op, leafA, leafB), nil
}

// combine applies an operation to two functions. The table is meaningless if there are more than three
// registers.
func combine(op ir.Op, x, y logic) logic {
	of := slices.Clone(x.of)
	for _, r := range y.of {
		if !slices.Contains(of, r) {
			of = append(of, r)
		}
	}
	a, b := x.table, y.permuted(of)
	switch op {
	case ir.And:
		return logic{of, a & b}
	case ir.Or:
		return logic{of, a | b}
	}
	return logic{of, a ^ b}
}

// permuted returns the truth table of a function for another order of registers. Bit abc of the
// result is the bit of the old table at the same values, in the old order.
func (x logic) permuted(of []vcode.Reg) uint8 {
	if len(of) > 3 {
		return 0
	}
	out := uint8(0)
	for bits := range 8 {
		index := 0
		for i, r := range x.of {
			index |= bits >> (2 - slices.Index(of, r)) & 1 << (2 - i)
		}
		out |= x.table >> index & 1 << bits
	}
	return out
}

// ternary emits VPTERNLOGD, which overwrites its first operand. A cyclic exchange or a swap of
// operands changes the table alone; so no operand order costs more than one copy.
func (m *machine) ternary(in *vcode.Inst) {
	d, ok := m.phys(in.Defs[0])
	if in.Merging || !ok {
		d = 0
	}
	x := logic{in.Uses, uint8(in.Key.Aux)}
	for i, u := range in.Uses { // the operand in the result's register comes first
		if r, ok := m.phys(u); ok && r == d {
			of := []vcode.Reg{u, in.Uses[(i+1)%3], in.Uses[(i+2)%3]}
			x = logic{of, x.permuted(of)}
			break
		}
	}
	if _, ok := m.phys(x.of[1]); !ok { // a memory operand comes last
		of := []vcode.Reg{x.of[0], x.of[2], x.of[1]}
		x = logic{of, x.permuted(of)}
	}
	y := m.vec(x.of[1], 1)
	m.loadVec(d, x.of[0])
	m.withImm(VPTERNLOGD, d, y, x.of[2], x.table, 0)
	m.define(in, d)
}
