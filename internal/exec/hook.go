package exec

import "github.com/chiaro-gpu/chiaro/internal/ir"

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
