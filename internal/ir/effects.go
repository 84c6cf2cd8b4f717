package ir

// StateEffects computes Program.Effects from the code.
func (p *Program) StateEffects() {
	p.Effects = Effects{}
	for _, f := range p.Funcs {
		for _, v := range f.Code {
			p.Effects.note(f.Val(v))
		}
	}
}

func (e *Effects) note(x *Val) {
	switch x.Op {
	case Barrier:
		e.Barrier = true
	case Kill, Demote:
		e.Discards = true
	case QuadSwap:
		e.Quads = true
	case Elect, Any, All, AllEq, Ballot, Shuf, Reduce, ScanI, ScanX:
		e.GroupOps = true
	case St:
		e.Writes = true
	case AtomAdd, AtomSMin, AtomSMax, AtomUMin, AtomUMax, AtomAnd, AtomOr, AtomXor:
		e.Writes = true
		e.Ordered = e.Ordered || x.Flags&Unused == 0
	case AtomXchg, AtomCmpXchg, AtomFAdd, AtomFMin, AtomFMax, Exit:
		e.Writes = true
		e.Ordered = true
	}
}
