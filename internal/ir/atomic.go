package ir

// atomicOps maps each combining atomic to the operation that computes the stored value
// from the old value and the operand.
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

// Combines returns the operation that an atomic applies to the old value and its
// operand, such as Add for AtomAdd, or Bad for an exchange or another
// operation. Atomics of one such operation commute with each other if it has the
// trait Commute.
func (o Op) Combines() Op { return atomicOps[o] }

// Replacement returns the bits that the atomic op, of type and flags k, stores
// if the old value is old. operand is its third operand, compare the fourth
// (atomcmpxchg only). A NaN sum is canonical because memory is observable.
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
	if op == AtomFAdd {
		return sum(k, old, operand)
	}
	return atomicOps[op].Row().Eval(k, old, operand, 0)
}

// sum is Replacement of AtomFAdd.
func sum(k Key, x, y uint64) uint64 {
	flush := func(x uint64) uint64 {
		if k.Flags&FTZ != 0 {
			return FFlush.Row().Eval(k, x, 0, 0)
		}
		return x
	}
	x = FAdd.Row().Eval(k, flush(x), flush(y), 0)
	return FCanon.Row().Eval(k, flush(x), 0, 0)
}
