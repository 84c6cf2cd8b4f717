package exec

import (
	"math/bits"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Lanes is a set of lanes of a subgroup: lane i is bit i%64 of word i/64.
type Lanes [2]uint64

// FirstLanes returns the set of the lanes 0 to n−1; n is at most 128.
func FirstLanes(n uint32) Lanes {
	switch {
	case n >= 128:
		return Lanes{^uint64(0), ^uint64(0)}
	case n >= 64:
		return Lanes{^uint64(0), 1<<(n-64) - 1}
	}
	return Lanes{1<<n - 1, 0}
}

// Has reports whether the lane is in the set.
func (s Lanes) Has(lane uint32) bool { return lane < 128 && s[lane>>6]>>(lane&63)&1 != 0 }

// Empty reports whether no lane is in the set.
func (s Lanes) Empty() bool { return s[0]|s[1] == 0 }

// Len returns the number of lanes in the set.
func (s Lanes) Len() int { return bits.OnesCount64(s[0]) + bits.OnesCount64(s[1]) }

// First returns the lowest lane of the set, or 128.
func (s Lanes) First() uint32 {
	if s[0] != 0 {
		return uint32(bits.TrailingZeros64(s[0]))
	}
	return 64 + uint32(bits.TrailingZeros64(s[1]))
}

// And returns the lanes that are in both sets.
func (s Lanes) And(t Lanes) Lanes { return Lanes{s[0] & t[0], s[1] & t[1]} }

// Or returns the lanes that are in at least one of the sets.
func (s Lanes) Or(t Lanes) Lanes { return Lanes{s[0] | t[0], s[1] | t[1]} }

// Without returns the lanes of s that are not in t.
func (s Lanes) Without(t Lanes) Lanes { return Lanes{s[0] &^ t[0], s[1] &^ t[1]} }

// Hook observes a run: a debugger, a profiler. Its methods are called by one
// goroutine, in the order of effects. An error ends the run, which returns it.
// Embed NoHook to observe less than all.
type Hook interface {
	// BeginGroup is called before, EndGroup after a group's invocations run.
	BeginGroup(group [3]uint32) error
	EndGroup(group [3]uint32) error

	// Step is called before an operation runs for at least one lane.
	Step(s *Step) error
}

// Step is a subgroup about to run one operation. It is valid until the hook
// returns.
type Step struct {
	Group    [3]uint32
	Subgroup uint32 // of the group, from 0
	Active   Lanes
	Func     int // number in ir.Program.Funcs
	Value    ir.V

	// Read returns the bits of a value of the same function in one lane: those
	// of the last time it was computed there. Values that never were give 0.
	Read func(v ir.V, lane uint32) uint64
}

// NoHook observes nothing.
type NoHook struct{}

// BeginGroup does nothing.
func (NoHook) BeginGroup([3]uint32) error { return nil }

// EndGroup does nothing.
func (NoHook) EndGroup([3]uint32) error { return nil }

// Step does nothing.
func (NoHook) Step(*Step) error { return nil }
