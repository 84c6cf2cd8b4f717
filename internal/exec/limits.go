package exec

import "github.com/chiaro-gpu/chiaro/internal/ir"

// Limits bound what a program may demand of an engine, so that a hostile one
// costs no more than an error. A zero field is its default.
type Limits struct {
	Invocations  uint32 // of a group; default 2048
	SharedBytes  uint32 // workgroup memory; default 1 MiB
	PrivateSlots uint32 // slots of 32 bits of one lane's private memory; default 1 Mi (4 MiB)
	GroupBytes   uint64 // state that an engine keeps for all lanes of one group; default 1 GiB
}

func (l Limits) filled() Limits {
	fill(&l.Invocations, 2048)
	fill(&l.SharedBytes, 1<<20)
	fill(&l.PrivateSlots, 1<<20)
	fill(&l.GroupBytes, 1<<30)
	return l
}

func fill[T comparable](p *T, deflt T) {
	var zero T
	if *p == zero {
		*p = deflt
	}
}

// Check returns a *LimitError where p demands more than l grants, or has an
// empty group. laneBytes is what the engine keeps per lane beside the private
// memory: values, label sets.
func (l Limits) Check(p *ir.Program, laneBytes uint64) error {
	l = l.filled()
	n := uint64(1)
	for _, d := range p.LocalSize {
		if d == 0 {
			return &LimitError{What: "a dimension of the local size", Least: 1}
		}
		n = min(n*uint64(d), 1<<32) // no product of three wraps
	}
	if n > uint64(l.Invocations) {
		return &LimitError{What: "invocations of a group", Have: n, Most: uint64(l.Invocations)}
	}
	if p.SharedBytes > l.SharedBytes {
		return &LimitError{What: "bytes of workgroup memory", Have: uint64(p.SharedBytes), Most: uint64(l.SharedBytes)}
	}
	slots := uint64(0)
	for _, v := range p.Vars {
		slots += uint64(v.Slots)
	}
	if slots > uint64(l.PrivateSlots) {
		return &LimitError{What: "slots of private memory", Have: slots, Most: uint64(l.PrivateSlots)}
	}
	lanes := uint64(p.Subgroups()) * uint64(p.SubgroupSize)
	if perLane := laneBytes + 4*slots; perLane > l.GroupBytes/lanes {
		return &LimitError{What: "bytes of state of a lane", Have: perLane, Most: l.GroupBytes / lanes}
	}
	return nil
}
