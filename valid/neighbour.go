package valid

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// Properties of the values of two neighbours: the invocations of a workgroup, or of a subgroup, with the numbers 2k and
// 2k+1. They survive where apart does not: a remainder is the same in many invocations, and certainly not in neighbours.
const (
	next    uint16 = 1 << (iota + 8) // the values are one apart
	odd                              // the lowest bits differ
	bit                              // one is 0 or false, the other 1 or true
	parted                           // the values differ; holds with each of the others
	ordered                          // with next: the sum of the lesser value and 1 does not wrap
)

// numbered are the properties of the number of an invocation.
const numbered = next | odd | parted | ordered

// personal are the properties that a variable has from one store to the whole of it.
const personal = apart | numbered | bit

// neighbours derives the properties of a result between neighbours from its operands.
func (w *flow) neighbours(in spirv.Inst) uint16 {
	if w.quad {
		return 0
	}
	switch in.Op() {
	case spirv.OpCopyObject:
		return w.of(inst.CopyObject(in).Operand()) & (numbered | bit)
	case spirv.OpBitcast, spirv.OpUConvert, spirv.OpSConvert:
		return w.converted(in)
	case spirv.OpNot, spirv.OpSNegate:
		return w.of(spirv.ID(in[3])) & numbered &^ ordered
	case spirv.OpLogicalNot:
		return w.of(inst.LogicalNot(in).Operand()) & (bit | parted)
	case spirv.OpSelect:
		return w.selected(inst.Select(in))
	case spirv.OpISub, spirv.OpIAdd, spirv.OpIMul, spirv.OpBitwiseAnd, spirv.OpBitwiseOr, spirv.OpBitwiseXor, spirv.OpIEqual, spirv.OpINotEqual:
		x, k := w.of(spirv.ID(in[3])), w.constant(spirv.ID(in[4]))
		if k == nil {
			x, k = w.of(spirv.ID(in[4])), w.constant(spirv.ID(in[3]))
		}
		if k != nil {
			return combined(in.Op(), x, k)
		}
	case spirv.OpUMod, spirv.OpSMod, spirv.OpSRem, spirv.OpShiftLeftLogical:
		if k := w.constant(spirv.ID(in[4])); k != nil {
			return combined(in.Op(), w.of(spirv.ID(in[3])), k)
		}
	}
	return 0
}

// constant returns an integer constant that is the same in all modules of the specialization, nil for any other value.
func (w *flow) constant(id spirv.ID) *facts.Const {
	if k := w.checker.m.Const(id); k != nil && k.Known && !k.Spec && !k.Undef && k.Type.IsInt() && k.Type.Width <= 64 {
		return k
	}
	return nil
}

// converted derives the properties of an integer that is another one in fewer or more bits.
func (w *flow) converted(in spirv.Inst) uint16 {
	from, to := w.checker.m.TypeOf(spirv.ID(in[3])), w.checker.m.Type(in.Type())
	if !from.IsInt() || !to.IsInt() {
		return 0
	}
	x := w.of(spirv.ID(in[3])) & (numbered | bit)
	if to.Width < from.Width && x&(next|odd|bit) == 0 {
		return 0 // the bits that differ may be lost
	}
	return x
}

// selected derives the properties of one of two constants.
func (w *flow) selected(in inst.Select) uint16 {
	a, b := w.constant(in.Object1()), w.constant(in.Object2())
	if w.of(in.Condition())&bit == 0 || a == nil || b == nil || a.Bits == b.Bits {
		return 0
	}
	out := parted
	if a.Bits&1 != b.Bits&1 {
		out |= odd
	}
	if a.Bits|b.Bits == 1 {
		out |= bit
	}
	return out
}

// combined derives the properties of the result of an operation on a value with the properties x and a constant, in
// either order if the operation has two values of the same rank.
func combined(op spirv.Op, x uint16, k *facts.Const) uint16 {
	n := k.Bits
	even := n&1 == 0
	switch op {
	case spirv.OpIAdd, spirv.OpISub:
		return x & numbered &^ ordered
	case spirv.OpBitwiseXor:
		return x & (odd | parted)
	case spirv.OpIMul: // an odd number has an inverse
		if !even {
			return x & (odd | parted)
		}
	case spirv.OpBitwiseAnd:
		if x&odd != 0 && !even {
			out := odd | parted
			if n == 1 {
				out |= bit
			}
			return out
		}
	case spirv.OpBitwiseOr:
		if x&odd != 0 && even {
			return odd | parted
		}
	case spirv.OpUMod, spirv.OpSMod, spirv.OpSRem:
		return remainder(op, x, n)
	case spirv.OpShiftLeftLogical:
		if x&odd != 0 && n < 8 { // the least width
			return parted
		}
	case spirv.OpIEqual, spirv.OpINotEqual:
		if x&bit != 0 && n <= 1 {
			return bit | parted
		}
	}
	return 0
}

// remainder derives the properties of the remainder of a division by n.
func remainder(op spirv.Op, x uint16, n uint64) (out uint16) {
	const large = 1 << 31 // negative in 32 bits, or so large that the numbers of invocations remain as they are
	if n < 2 || n >= large {
		return 0
	}
	// −1 and 0 have the same remainder if n divides 2^width − 1, which is odd.
	if x&next != 0 && (x&ordered != 0 || n&(n-1) == 0) {
		out |= parted
	}
	if x&odd != 0 && n%2 == 0 {
		out |= odd | parted
		if n == 2 && op != spirv.OpSRem {
			out |= bit
		}
	}
	return out
}
