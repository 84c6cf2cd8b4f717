package ir

// atomicOps holds, for each atomic that combines, the operation on the old value and
// the operand whose result it stores.
var atomicOps = map[Op]Op{
	AtomAdd:  Add,
	AtomSMin: SMin,
	AtomSMax: SMax,
	AtomUMin: UMin,
	AtomUMax: UMax,
	AtomAnd:  And,
	AtomOr:   Or,
	AtomXor:  Xor,
	AtomFAdd: FAdd,
	AtomFMin: NMin,
	AtomFMax: NMax,
}

// Combines returns the operation whose value of the old value and the operand an
// atomic stores, such as Add for AtomAdd, or Bad for an exchange or another
// operation. Atomics of one such operation commute with each other if it has the
// trait Commute.
func (o Op) Combines() Op { return atomicOps[o] }

// Replacement returns the bits that the atomic op, of type and flags k, stores
// where it finds old: arg2 is operand, arg3 of atomcmpxchg is compare. A sum
// that is no number is canonical, for what is in memory is observed.
func Replacement(op Op, k Key, old, operand, compare uint64) uint64 {
	switch op {
	case AtomXchg:
		return operand
	case AtomCmpXchg:
		if old == compare {
			return operand
		}
		return old
	}
	x := atomicOps[op].Row().Eval(k, old, operand, 0)
	if op == AtomFAdd {
		x = FCanon.Row().Eval(k, x, 0, 0)
	}
	return x
}
