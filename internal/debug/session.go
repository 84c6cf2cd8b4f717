package debug

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/vk"
)

// ErrEnded is the error of a command that the controller ended.
var ErrEnded = errors.New("the debugger ended the run")

// errRewind ends a run so that the next one begins before its end.
var errRewind = errors.New("debug: rewind")

// Thread is an invocation.
type Thread struct {
	Group [3]uint32
	Local uint32 // index in the workgroup
	run   uint64 // of a draw: the number of the group, which tells the groups of its jobs apart, plus 1
}

// Reason is why a session stopped.
type Reason string

// The reasons, in the words of the Debug Adapter Protocol.
const (
	Entry          Reason = "entry"
	AtStep         Reason = "step"
	AtBreakpoint   Reason = "breakpoint"
	AtInstruction  Reason = "instruction breakpoint"
	DataBreakpoint Reason = "data breakpoint"
	Exception      Reason = "exception"
	Pause          Reason = "pause"
)

// Stop describes why and where a session stopped.
type Stop struct {
	Reason Reason
	Text   string // more about the reason; "" for nothing
	Thread Thread
	Hit    []int // the numbers of the breakpoints
}

// Events are what a session tells its controller. The functions are called from the goroutine of the command, one after the other.
type Events struct {
	Stopped func(Stop)
	Output  func(text string)
	Command func(stages []*shader.Stage) // a command with shaders that the debugger knows begins
}

// Config is how a session begins.
type Config struct {
	Events Events
	Locate func(stage *shader.Stage) func(instruction int) Location

	StopOnEntry bool
	Thread      Thread // the first in focus
	Dispatch    int    // the dispatches before it run without stops
	Draw        int    // and the draws
	Launch      int    // and the launches of rays
	Pick        Pick
}

// Session is a debugged run. Its methods other than Run are for one controller, and need the session to be stopped unless they
// say otherwise.
type Session struct {
	config Config

	mu          sync.Mutex // of breakpoints, which may change while the shader runs
	breakpoints []*Breakpoint
	watches     []*Watch
	revision    atomic.Uint64 // of breakpoints and watches

	pause  atomic.Bool
	picked atomic.Bool // an invocation that the pick permits has run
	ended  atomic.Bool
	resume chan request
	done   chan struct{} // closed by End
	end    sync.Once

	commands [vk.DebugNode + 1]int // by kind, so far
	codes    map[*ir.Program]*code

	// state is locked for writing while hook, its step and values change: a look at a stopped shader ends before the shader goes on.
	state sync.RWMutex
	hook  *hook // of the command that runs; nil between commands
}

// New returns a session that waits for commands.
func New(c Config) *Session {
	return &Session{config: c, resume: make(chan request), done: make(chan struct{}), codes: map[*ir.Program]*code{}}
}

// action is the next action of a stopped session.
type action uint8

const (
	proceed action = iota // to the next breakpoint
	stepInto
	stepOver
	stepOut
)

// request is a command of the controller.
type request struct {
	action      action
	backward    bool
	instruction bool // step by an instruction of the module, not by a line
	thread      Thread
}

// Continue goes on to the next breakpoint, or backward to the last one before.
func (s *Session) Continue(backward bool) { s.send(request{action: proceed, backward: backward}) }

// Next steps a thread to its next line, or instruction, without entering functions; backward to the one before.
func (s *Session) Next(t Thread, instruction, backward bool) {
	s.send(request{action: stepOver, thread: t, instruction: instruction, backward: backward})
}

// StepIn is Next, and enters functions.
func (s *Session) StepIn(t Thread, instruction bool) {
	s.send(request{action: stepInto, thread: t, instruction: instruction})
}

// StepOut goes on until the function of a thread has returned.
func (s *Session) StepOut(t Thread) { s.send(request{action: stepOut, thread: t}) }

// send resumes the session; it does nothing if the session has ended.
func (s *Session) send(r request) {
	select {
	case s.resume <- r:
	case <-s.done:
	}
}

// Pause stops a running session at its next line. It may be called at any time.
func (s *Session) Pause() { s.pause.Store(true) }

// End ends the run of the shader. It may be called at any time.
func (s *Session) End() {
	s.ended.Store(true)
	s.end.Do(func() { close(s.done) })
}

// Picked reports whether an invocation that may stop has run. It may be called at any time.
func (s *Session) Picked() bool { return s.picked.Load() }

// Ended reports whether End was called. It may be called at any time.
func (s *Session) Ended() bool { return s.ended.Load() }

// Run runs a command under the control of the session; it is the method of vk.Debugger.
func (s *Session) Run(ctx context.Context, c vk.DebugCommand, run func(exec.Hook) error) error {
	if s.ended.Load() {
		return ErrEnded
	}
	s.commands[c.Kind]++
	n := s.commands[c.Kind]
	before := map[vk.DebugKind]int{vk.DebugDispatch: s.config.Dispatch, vk.DebugDraw: s.config.Draw, vk.DebugLaunch: s.config.Launch}[c.Kind]
	known := slices.DeleteFunc(slices.Clone(c.Stages), func(x *shader.Stage) bool { return !known(x) })
	if len(known) == 0 || n <= before || !s.config.Pick.stage(known) {
		return run(nil)
	}
	h := newHook(ctx, s, c, known)
	s.setHook(h)
	defer s.setHook(nil)
	if s.config.Events.Command != nil {
		s.config.Events.Command(known)
	}
	for {
		h.begin()
		switch err := run(h); {
		case errors.Is(err, errRewind), err == nil && h.searches(): // the stretch of a search may end with the command
			h.rewind()
		case !h.slowly(err):
			return err
		}
	}
}

func (s *Session) setHook(h *hook) {
	s.state.Lock()
	defer s.state.Unlock()
	s.hook = h
}

// Evaluate returns the text and the type of an expression in a frame, in the syntax of GLSL, and the variable if it is
// one with parts.
func (s *Session) Evaluate(f Frame, expression string) (text, kind string, v *Variable, err error) {
	s.state.RLock()
	defer s.state.RUnlock()
	x := s.view(f)
	if x == nil {
		return "", "", nil, errors.New("the shader is not stopped")
	}
	r, err := x.evaluate(expression)
	if err != nil {
		return "", "", nil, err
	}
	text = r.String()
	if v = r.variable; v != nil {
		kind = v.Type
	} else {
		kind = r.typeName()
	}
	return text, kind, v, nil
}
