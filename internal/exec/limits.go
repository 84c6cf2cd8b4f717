package exec

import "github.com/chiaro-gpu/chiaro/internal/ir"

// Limits bound the resources that a program may require, so that a hostile program causes an error and not
// memory exhaustion. A zero field selects its default.
type Limits struct {
	Invocations  uint32 // per group; default 2048
	SharedBytes  uint32 // of workgroup memory; default 1 MiB
	PrivateSlots uint32 // private memory of one lane in 32-bit slots; default 2 Mi (8 MiB)
	GroupBytes   uint64 // an engine's state for all lanes of one group; default 1 GiB
}

func (l Limits) filled() Limits {
	fill(&l.Invocations, 2048)
	fill(&l.SharedBytes, 1<<20)
	fill(&l.PrivateSlots, 2<<20)
	fill(&l.GroupBytes, 1<<30)
	return l
}

func fill[T comparable](p *T, deflt T) {
	var zero T
	if *p == zero {
		*p = deflt
	}
}

// Check returns a *LimitError if p exceeds the limits or has an empty group. laneBytes is the engine's state
// for one lane in bytes, apart from private memory: values, masks, label sets.
func (l Limits) Check(p *ir.Program, laneBytes uint64) error {
	l = l.filled()
	n := uint64(1)
	for _, d := range p.LocalSize {
		if d == 0 {
			return &LimitError{Quantity: "a dimension of the local size", Min: 1}
		}
		n = min(n*uint64(d), 1<<32) // so that no product of three dimensions overflows
	}
	if n > uint64(l.Invocations) {
		return &LimitError{Quantity: "invocations of a group", Value: n, Max: uint64(l.Invocations)}
	}
	if p.SharedBytes > l.SharedBytes {
		return &LimitError{Quantity: "bytes of workgroup memory", Value: uint64(p.SharedBytes), Max: uint64(l.SharedBytes)}
	}
	slots := uint64(0)
	for _, v := range p.Vars {
		slots += uint64(v.Slots)
	}
	if slots > uint64(l.PrivateSlots) {
		return &LimitError{Quantity: "slots of private memory", Value: slots, Max: uint64(l.PrivateSlots)}
	}
	lanes := uint64(p.Subgroups()) * uint64(p.SubgroupSize)
	if perLane := laneBytes + 4*slots; perLane > l.GroupBytes/lanes {
		return &LimitError{Quantity: "bytes of state of a lane", Value: perLane, Max: l.GroupBytes / lanes}
	}
	return nil
}
