package exec

import (
	"errors"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Hook observes a run, for a debugger or a profiler. One goroutine calls its methods, in the order of
// execution. An error from a method ends the run, which returns that error. Embed NoHook to implement only
// some methods.
type Hook interface {
	// BeginGroup is called before the invocations of a group run, EndGroup after them. A group whose BeginGroup returns ErrSkipGroup
	// does not run, and has no EndGroup; one with ErrNoSteps runs without steps.
	BeginGroup(g *Group) error
	EndGroup(g *Group) error

	// Step is called before an operation executes for at least one lane. After ErrNoSteps the subgroup runs without further steps.
	Step(s *Step) error
}

// BoundedHook is a hook that lets groups without steps have fewer steps of their loops and calls (see Job.Budget) than the job. An
// engine that is faster without steps may keep this bound, and then returns a *BudgetError.
type BoundedHook interface {
	Hook
	Budget() uint64
}

// YieldHook is a hook that observes where the engine leaves a subgroup with steps: at a barrier, and at its end.
type YieldHook interface {
	Hook

	// Yield is called after the last operation, with the step of the last call of Step.
	Yield(s *Step) error
}

// Group is a group of a job. A run of several jobs, such as a draw, has groups of several programs.
type Group struct {
	ID      [3]uint32
	Job     *Job
	Program *ir.Program

	// Resume may be set by BeginGroup to a snapshot of the group: it goes on there, with a call of Step for the operation of the snapshot.
	Resume Snapshot
}

// Snapshot is a copy of the state of a group between two operations, without the memory outside of the group. It stays valid.
type Snapshot interface {
	Bytes() int // its size, about
}

// Step is a subgroup that is about to execute one operation. It is valid until EndGroup of its group; each step of the subgroup changes it.
type Step struct {
	Group    [3]uint32
	Subgroup uint32 // index in the group, from 0
	Active   Lanes
	Helper   Lanes // demoted
	Func     int   // index in ir.Program.Funcs
	Value    ir.V

	// Read returns the bits of value v of a function in one lane, as last computed in that
	// lane, or 0 if it has not been computed yet.
	Read func(fn int, v ir.V, lane uint32) uint64

	// ReadPrivate returns a slot of the private memory of a lane, 0 if there is none. Variable v begins at slot Bases[v].
	ReadPrivate func(slot uint64, lane uint32) uint32
	Bases       []uint32

	// WritePrivate changes a slot of the private memory of a lane; nothing if there is none.
	WritePrivate func(slot uint64, lane, word uint32)

	Workgroup []byte // the workgroup memory

	// Calls appends the active calls to a list, the innermost first: the functions and their call operations.
	Calls func(list []Call) []Call

	// Snapshot copies the state of the group; nil if the engine cannot.
	Snapshot func() Snapshot
}

// Call is an operation that called a function and waits for its end.
type Call struct {
	Func  int // the caller
	Value ir.V
}

// Errors that BeginGroup may return, and Step the second.
var (
	ErrSkipGroup = errors.New("exec: the hook skips the group")
	ErrNoSteps   = errors.New("exec: the hook needs no steps of the group")
)

// NoHook observes nothing.
type NoHook struct{}

// BeginGroup does nothing.
func (NoHook) BeginGroup(*Group) error { return nil }

// EndGroup does nothing.
func (NoHook) EndGroup(*Group) error { return nil }

// Step does nothing.
func (NoHook) Step(*Step) error { return nil }
