package exec

import "github.com/chiaro-gpu/chiaro/internal/ir"

// Hook observes a run, for a debugger or a profiler. One goroutine calls its methods, in the order of
// execution. An error from a method ends the run, which returns that error. Embed NoHook to implement only
// some methods.
type Hook interface {
	// BeginGroup is called before the invocations of a group run, EndGroup after them.
	BeginGroup(group [3]uint32) error
	EndGroup(group [3]uint32) error

	// Step is called before an operation executes for at least one lane.
	Step(s *Step) error
}

// Step is a subgroup that is about to execute one operation. It is valid until the hook returns.
type Step struct {
	Group    [3]uint32
	Subgroup uint32 // index in the group, from 0
	Active   Lanes
	Func     int // index in ir.Program.Funcs
	Value    ir.V

	// Read returns the bits of value v of the same function in one lane, as last computed in that
	// lane, or 0 if it has not been computed yet.
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
