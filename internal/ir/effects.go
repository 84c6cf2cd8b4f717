package ir

// StateEffects computes Program.Effects from the code.
func (p *Program) StateEffects() {
	n := noter{}
	for _, f := range p.Funcs {
		for _, v := range f.Code {
			n.note(f.Val(v))
		}
	}
	n.Ordered = n.Ordered || n.mixed || n.silent != Bad && n.watched
	p.Effects = n.Effects
}

// noter gathers the effects of operations.
type noter struct {
	Effects
	silent  Op   // an atomic without a used result; Bad where there is none
	mixed   bool // there are several, which do not commute with each other
	watched bool // memory is read while others may be writing it
}

func (n *noter) note(x *Val) {
	switch x.Op {
	case Barrier:
		n.Barrier = true
	case Kill, Demote:
		n.Discards = true
	case QuadSwap:
		n.Quads = true
	case Elect, Any, All, AllEq, Ballot, Shuf, Reduce, ScanI, ScanX:
		n.GroupOps = true
	case St:
		n.Writes = true
	case Ld:
		n.watched = n.watched || x.Flags&(Volatile|Coherent) != 0
	case AtomAdd, AtomSMin, AtomSMax, AtomUMin, AtomUMax, AtomAnd, AtomOr, AtomXor:
		n.Writes = true
		n.Ordered = n.Ordered || x.Flags&Unused == 0
		n.mixed = n.mixed || n.silent != Bad && n.silent != x.Op
		n.silent = x.Op
	case AtomXchg, AtomCmpXchg, AtomFAdd, AtomFMin, AtomFMax, Exit:
		n.Writes = true
		n.Ordered = true
	case Log, LogArg:
		n.Ordered = true
	}
}
