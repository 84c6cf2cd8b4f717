package vectorize

import "github.com/chiaro-gpu/chiaro/internal/ir"

// Dependences between phases
//
// In one stream phase 1 of all subgroups runs before phase 2 of the first one. That is the order of effects
// only if a barrier is between them. Without a barrier, each subgroup would run phase 2 right after its own
// phase 1, so a later phase must not depend on an earlier one through memory:
//
//	st A[i]          phase 1     subgroup 0 must not see here the store of subgroup 1:
//	if common { … }              a read of A in phase 2 is a conflict, and the workgroup
//	x = ld A[j]      phase 2     is not made one stream
//
// This is a forward dataflow analysis over the joint control flow. Its state is the memory accessed since
// the last barrier; states of different paths are united at labels. Two phases conflict by the conditions of
// Bernstein 1966: a write of one meets a read or a write of the other.

// memorySet is a set of memories that invocations share: a bit for each resource, modulo 63, and one for
// the workgroup memory.
type memorySet uint64

const (
	workgroupMemory memorySet = 1 << 63
	anyMemory       memorySet = 1<<64 - 1
)

// effects are the memories that code reads and writes.
type effects struct{ reads, writes memorySet }

// union returns the effects of both.
func (a effects) union(b effects) effects {
	return effects{a.reads | b.reads, a.writes | b.writes}
}

// conflicts reports whether the order of the two can be observed.
func (a effects) conflicts(b effects) bool {
	return a.writes&(b.reads|b.writes) != 0 || a.reads&b.writes != 0
}

// effectsOf returns the effects of one operation.
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
	case ir.Region: // no address is one of workgroup memory
		o = anyMemory &^ workgroupMemory
	}
	if x.Op != ir.St {
		a.reads = o
	}
	if x.Op != ir.Ld {
		a.writes = o
	}
	return a
}

// pending are the effects since the last barrier: of completed phases, and of the current one. The zero
// value belongs to unreachable code.
type pending struct {
	earlier, current effects
	reachable        bool
}

// join returns the state after a boundary of phases that both paths reach.
func (p pending) join(q pending) pending {
	return pending{p.earlier.union(p.current).union(q.earlier).union(q.current), effects{}, p.reachable || q.reachable}
}

// maxDependenceRounds bounds the walks before a conflict is assumed.
const maxDependenceRounds = 8

// hasCrossPhaseDependence reports whether a phase may conflict with an earlier one without a barrier
// between them.
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

// dependenceRound walks the code once. arrived holds the state at each label and grows by the state of each
// branch; changed reports growth, wrong a conflict.
func (s *groupFlow) dependenceRound(arrived map[ir.V]pending) (changed, wrong bool) {
	cur := pending{reachable: true}
	var open []ir.V
	var ifs []pending // by open if: the state before it, or after else the state at the end of the first arm
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
