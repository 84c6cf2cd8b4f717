package vectorize

import "github.com/chiaro-gpu/chiaro/internal/ir"

// objects is a set of memories that subgroups share: a bit for each resource, of
// which some may have the same one, and one for the workgroup memory.
type objects uint64

const (
	workgroupMemory objects = 1 << 63
	anyMemory       objects = 1<<64 - 1
)

// accesses is what code does to memory.
type accesses struct{ reads, writes objects }

func (a accesses) and(b accesses) accesses {
	return accesses{a.reads | b.reads, a.writes | b.writes}
}

// meddle reports whether the order of the two can be told.
func (a accesses) meddle(b accesses) bool {
	return a.writes&(b.reads|b.writes) != 0 || a.reads&b.writes != 0
}

// accessOf is what one operation does.
func accessOf(f *ir.Func, x *ir.Val) (a accesses) {
	if x.Op != ir.Ld && x.Op != ir.St && !x.Op.Is(ir.Atomic) {
		return a
	}
	o := anyMemory
	switch h := f.Val(x.Args[0]); h.Op {
	case ir.Push, ir.Table:
		return a
	case ir.Wg:
		o = workgroupMemory
	case ir.Res:
		o = 1 << (h.Aux % 63)
	}
	if x.Op != ir.St {
		a.reads = o
	}
	if x.Op != ir.Ld {
		a.writes = o
	}
	return a
}

// pending is what has been done since the last barrier: by phases that are over,
// and by the one that is not. The zero one is that where no code runs.
type pending struct {
	over, now accesses
	runs      bool
}

func (p pending) or(q pending) pending {
	return pending{p.over.and(p.now).and(q.over).and(q.now), accesses{}, p.runs || q.runs}
}

// maxMeddling bounds the rounds of meddles.
const maxMeddling = 8

// meddles reports whether a phase may do something that depends on a phase
// before it with no barrier between: then a subgroup that is through with the
// first would have to go on with the second before the next one begins the first.
func (s *spine) meddles() bool {
	arrived := map[ir.V]pending{}
	for range maxMeddling {
		changed, wrong := s.round(arrived)
		if wrong || !changed {
			return wrong
		}
	}
	return true
}

// round walks the code once, with what is known to arrive at labels, and adds to
// that.
func (s *spine) round(arrived map[ir.V]pending) (changed, wrong bool) {
	cur := pending{runs: true}
	var open []ir.V
	var ifs []pending // what went into an open if, and behind else what came out of its first arm
	for _, v := range s.f.Code {
		x := s.f.Val(v)
		spine := s.on[v] || x.Op == ir.Barrier
		switch x.Op {
		case ir.Block, ir.Loop, ir.If:
			open = append(open, v)
		case ir.Else:
			spine = s.on[open[len(open)-1]]
		case ir.End:
			spine = s.on[open[len(open)-1]]
		case ir.Br:
			spine = s.on[x.Args[0]]
		}
		if !spine {
			a := accessOf(s.f, x)
			if cur.runs && cur.over.meddle(a) {
				return false, true
			}
			cur.now = cur.now.and(a)
		} else {
			cur = cur.or(pending{})
		}
		switch {
		case !spine:
		case x.Op == ir.Barrier:
			cur = pending{runs: cur.runs}
		case x.Op == ir.If:
			ifs = append(ifs, cur)
		case x.Op == ir.Else:
			ifs[len(ifs)-1], cur = cur, ifs[len(ifs)-1]
		case x.Op == ir.Loop:
			cur = cur.or(arrived[v])
		case x.Op == ir.Br:
			to := arrived[x.Args[0]].or(cur)
			changed = changed || to != arrived[x.Args[0]]
			arrived[x.Args[0]] = to
			cur = pending{}
		case x.Op == ir.End:
			switch l := open[len(open)-1]; s.f.Val(l).Op {
			case ir.If:
				cur = cur.or(ifs[len(ifs)-1])
				ifs = ifs[:len(ifs)-1]
			case ir.Loop:
				cur = pending{}
			default:
				cur = cur.or(arrived[l])
			}
		}
		if x.Op == ir.End {
			open = open[:len(open)-1]
		}
	}
	return changed, false
}
