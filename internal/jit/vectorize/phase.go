package vectorize

import "github.com/chiaro-gpu/chiaro/internal/ir"

// memorySet is a set of memories that subgroups share: a bit for each resource, of
// which some may have the same one, and one for the workgroup memory.
type memorySet uint64

const (
	workgroupMemory memorySet = 1 << 63
	anyMemory       memorySet = 1<<64 - 1
)

// effects is what code does to memory.
type effects struct{ reads, writes memorySet }

func (a effects) union(b effects) effects {
	return effects{a.reads | b.reads, a.writes | b.writes}
}

// conflicts reports whether the order of the two can be told.
func (a effects) conflicts(b effects) bool {
	return a.writes&(b.reads|b.writes) != 0 || a.reads&b.writes != 0
}

// effectsOf is what one operation does.
func effectsOf(f *ir.Func, x *ir.Val) (a effects) {
	if x.Op != ir.Ld && x.Op != ir.St && x.Op.Family() != ir.Atomics {
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
	earlier, current effects
	reachable        bool
}

func (p pending) join(q pending) pending {
	return pending{p.earlier.union(p.current).union(q.earlier).union(q.current), effects{}, p.reachable || q.reachable}
}

// maxDependenceRounds bounds the rounds of meddles.
const maxDependenceRounds = 8

// hasCrossPhaseDependence reports whether a phase may do something that depends on a phase
// before it with no barrier between: then a subgroup that is through with the
// first would have to go on with the second before the next one begins the first.
func (s *groupFlow) hasCrossPhaseDependence() bool {
	arrived := map[ir.V]pending{}
	for range maxDependenceRounds {
		changed, wrong := s.dependenceRound(arrived)
		if wrong || !changed {
			return wrong
		}
	}
	return true
}

// dependenceRound walks the code once, with what is known to arrive at labels, and adds to
// that.
func (s *groupFlow) dependenceRound(arrived map[ir.V]pending) (changed, wrong bool) {
	cur := pending{reachable: true}
	var open []ir.V
	var ifs []pending // what went into an open if, and behind else what came out of its first arm
	for _, v := range s.f.Code {
		x := s.f.Val(v)
		boundary := s.joint[v] || x.Op == ir.Barrier
		switch x.Op {
		case ir.Block, ir.Loop, ir.If:
			open = append(open, v)
		case ir.Else:
			boundary = s.joint[open[len(open)-1]]
		case ir.End:
			boundary = s.joint[open[len(open)-1]]
		case ir.Br:
			boundary = s.joint[x.Args[0]]
		}
		if !boundary {
			a := effectsOf(s.f, x)
			if cur.reachable && cur.earlier.conflicts(a) {
				return false, true
			}
			cur.current = cur.current.union(a)
		} else {
			cur = cur.join(pending{})
		}
		switch {
		case !boundary:
		case x.Op == ir.Barrier:
			cur = pending{reachable: cur.reachable}
		case x.Op == ir.If:
			ifs = append(ifs, cur)
		case x.Op == ir.Else:
			ifs[len(ifs)-1], cur = cur, ifs[len(ifs)-1]
		case x.Op == ir.Loop:
			cur = cur.join(arrived[v])
		case x.Op == ir.Br:
			to := arrived[x.Args[0]].join(cur)
			changed = changed || to != arrived[x.Args[0]]
			arrived[x.Args[0]] = to
			cur = pending{}
		case x.Op == ir.End:
			switch l := open[len(open)-1]; s.f.Val(l).Op {
			case ir.If:
				cur = cur.join(ifs[len(ifs)-1])
				ifs = ifs[:len(ifs)-1]
			case ir.Loop:
				cur = pending{}
			default:
				cur = cur.join(arrived[l])
			}
		}
		if x.Op == ir.End {
			open = open[:len(open)-1]
		}
	}
	return changed, false
}
