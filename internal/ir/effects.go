package ir

// StateEffects computes Program.Effects from the code.
func (p *Program) StateEffects() {
	n := noter{}
	for _, f := range p.Funcs {
		for _, v := range f.Code {
			x := f.Val(v)
			shared := (x.Op == St || x.Op.Family() == Atomics) && f.Val(x.Args[0]).Op == Wg
			if x.Op.Family() == Atomics && (x.Flags&Grouped != 0 || shared) {
				n.Writes, n.InGroup = n.Writes || !shared, true
				continue
			}
			if shared {
				continue
			}
			n.note(x)
		}
	}
	n.Ordered = n.Ordered || n.mixed || n.silent != Bad && n.watched
	p.Effects = n.Effects
}

// OrderedByReports reports whether only the reports of sanitizers order the lanes, if anything does. Of each place a log keeps the
// report of the first invocation, and the number of all: the order in which invocations log does not matter.
func (p *Program) OrderedByReports() bool {
	n := noter{}
	for _, f := range p.Funcs {
		for _, v := range f.Code {
			switch x := f.Val(v); {
			case x.Op == Log && !p.Messages[x.Aux].Kind.IsReport() || x.Op == LogEvent:
				return false
			case x.Op == Log || x.Op == LogArg:
			default:
				n.note(x)
			}
		}
	}
	return !n.Ordered && !n.mixed && !(n.silent != Bad && n.watched)
}

// noter accumulates the effects of operations.
type noter struct {
	Effects
	silent  Op   // the kind of the atomics without a used result; Bad if there is none
	mixed   bool // atomics without a used result are of several kinds, which do not commute
	watched bool // volatile or coherent loads may observe the memory
}

func (n *noter) note(x *Val) {
	switch x.Op {
	case Barrier:
		n.Barrier = true
	case Kill, Demote:
		n.Discards = true
	case QuadSwap:
		n.Quads = true
	case St:
		n.Writes = true
	case Ld:
		n.watched = n.watched || x.Flags&(Volatile|Coherent) != 0
	case Ray, RayI, Trace, Search:
		n.Rays = true
	case Count, CountEdge:
		n.Writes = true
	case Log, LogArg, LogEvent:
		n.Ordered = true
	default:
		n.GroupOps = n.GroupOps || x.Op.Family() == Subgroup
		if x.Op.Family() == Atomics {
			n.atomic(x)
		}
	}
}

// atomic notes an atomic. An atomic without a used result needs no order among
// atomics of the same kind if they commute.
func (n *noter) atomic(x *Val) {
	n.Writes = true
	if !x.Op.Combines().Is(Commute) {
		n.Ordered = true
		return
	}
	n.Ordered = n.Ordered || x.Flags&Unused == 0
	n.mixed = n.mixed || n.silent != Bad && n.silent != x.Op
	n.silent = x.Op
}
