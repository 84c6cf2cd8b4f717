package amd64

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Inverted comparisons
//
// AVX2 has comparisons for equality and signed greater alone: unsigned less and signed less or equal need an inversion. The inversion is
// unnecessary if all readers can read the inverse instead, for the same number of instructions:
//
//	c = x < y, unsigned            n = y <= x
//	arm  = active & c              arm  = active & ¬n       VPANDN
//	rest = active & ¬c      →      rest = active & n
//	z = c ? a : b                  z = n ? b : a

// invertComparisons replaces such comparisons and their readers.
func (z *fuser) invertComparisons() {
	inverted := z.Numbers(len(z.F.Classes)) // by register of a candidate: 1, and its readers that can read the inverse
	found := false
	z.F.Each(func(in *vcode.Inst) {
		if z.invertible(in) {
			inverted[in.Defs[0]] = 1
			found = true
		}
	})
	if !found {
		return
	}
	z.F.Each(func(in *vcode.Inst) {
		// A reader of two candidates can read one of them so.
		if i := invertedOperand(in, func(r vcode.Reg) bool { return inverted[r] > 0 }); i >= 0 {
			inverted[in.Uses[i]]++
		}
	})
	for r, n := range inverted {
		if n != z.Reads[r]+1 {
			inverted[r] = 0
		}
	}
	isInverted := func(r vcode.Reg) bool { return inverted[r] > 1 }
	z.F.Each(func(in *vcode.Inst) {
		if z.invertible(in) && isInverted(in.Defs[0]) {
			in.IR, _ = in.IR.NotLess()
			in.Uses = []vcode.Reg{in.Uses[1], in.Uses[0]}
		} else if i := invertedOperand(in, isInverted); i >= 0 {
			z.readInverse(in, i)
		}
	})
}

// invertible reports whether an instruction is the only definition of a comparison that is cheaper if inverted.
func (z *fuser) invertible(in *vcode.Inst) bool {
	if in.Op != vcode.Lane || in.Merging || in.Key.Type != ir.B1 || in.Key.From != ir.I32 || in.IR != ir.ULt && in.IR != ir.SLe || z.Defs[in.Defs[0]] != 1 {
		return false
	}
	// Unsigned comparisons with constants need no inversion.
	constant := slices.ContainsFunc(in.Uses, func(r vcode.Reg) bool { _, ok := z.F.Const(r); return ok })
	return in.IR == ir.SLe || !constant
}

// invertedOperand returns the number of the operand that an instruction can read inverted, the first one of those that a function accepts, or −1.
func invertedOperand(in *vcode.Inst, accepts func(r vcode.Reg) bool) int {
	switch {
	case in.Op == vcode.And, in.Op == vcode.Lane && in.IR == ir.And && in.Key.Type == ir.B1 && !in.Merging:
		if in.Uses[0] != in.Uses[1] {
			return slices.IndexFunc(in.Uses, accepts)
		}
	case in.Op == vcode.AndNot:
		if accepts(in.Uses[1]) {
			return 1
		}
	case in.Op == vcode.Lane && in.IR == ir.Select && accepts(in.Uses[0]):
		return 0
	}
	return -1
}

// readInverse makes an instruction read the inverse of operand i, which gets its value.
func (z *fuser) readInverse(in *vcode.Inst, i int) {
	switch u := in.Uses; {
	case in.Op == vcode.AndNot:
		in.Op = vcode.And
	case in.IR == ir.Select && in.Op == vcode.Lane:
		in.Uses = []vcode.Reg{u[0], u[2], u[1]}
	default:
		for _, r := range in.Masks {
			z.Reads[r]--
		}
		*in = vcode.Inst{Op: vcode.AndNot, Defs: in.Defs, Uses: []vcode.Reg{u[1-i], u[i]}, Part: in.Part, Origin: in.Origin}
	}
}
