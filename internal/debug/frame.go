package debug

import (
	"fmt"
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/shader"
	"github.com/chiaro-gpu/chiaro/vk"
)

// Frame is an active function of a thread.
type Frame struct {
	Name        string
	At          Location
	Instruction int // of the module, from 1; 0 if it is not known

	fn      int
	v       ir.V
	lane    uint32
	waiting bool // the thread is inactive: its callers are not known
}

// ThreadState is a thread of the subgroup at which a session is stopped.
type ThreadState struct {
	Thread
	Name   string
	Active bool // it executes the operation of the stop
}

// Threads returns the invocations of the subgroup of the stop, in the order of lanes; nil if the session is not stopped.
func (s *Session) Threads() (list []ThreadState) {
	s.state.RLock()
	defer s.state.RUnlock()
	h := s.hook
	if h == nil || h.step == nil {
		return nil
	}
	size := h.program.SubgroupSize
	for lane := range size {
		t := h.thread(h.step, lane)
		if t.Local >= h.program.Invocations() {
			break
		}
		active := h.step.Active.Has(lane)
		if h.command.Kind == vk.DebugLaunch && !h.inLaunch(lane) {
			continue
		}
		if !active && h.command.Kind == vk.DebugDraw && h.last[t.Local] == (place{}) {
			continue // an idle lane, which has no invocation
		}
		list = append(list, ThreadState{t, h.threadName(t), active})
	}
	return list
}

// threadName returns the name of a thread, which is unique in its stage.
func (h *hook) threadName(t Thread) string {
	x := &view{h, h.step, Frame{lane: t.Local % h.program.SubgroupSize}}
	if list := x.invocation(); len(list) > 0 {
		text := h.stage.Program.Stage.String()
		for i, v := range list {
			if i > 0 {
				text += ","
			}
			text += fmt.Sprintf(" %s %s", v.Name, v.Value)
		}
		if h.step.Helper.Has(x.lane) {
			text += " (helper)"
		}
		return text
	}
	if h.command.Kind == vk.DebugLaunch {
		id := h.launchID(h.step, x.lane)
		return fmt.Sprintf("launch %d,%d,%d", id[0], id[1], id[2])
	}
	id := h.local(t)
	if h.stage.Kernel != nil {
		return fmt.Sprintf("thread %d,%d,%d of block %d,%d,%d", id[0], id[1], id[2], t.Group[0], t.Group[1], t.Group[2])
	}
	return fmt.Sprintf("invocation %d,%d,%d of workgroup %d,%d,%d", id[0], id[1], id[2], t.Group[0], t.Group[1], t.Group[2])
}

// local returns LocalInvocationId.
func (h *hook) local(t Thread) [3]uint32 {
	x, y := h.program.LocalSize[0], h.program.LocalSize[1]
	return [3]uint32{t.Local % x, t.Local / x % y, t.Local / x / y}
}

// Stopped returns the thread in focus; false if the session is not stopped.
func (s *Session) Stopped() (Thread, bool) {
	s.state.RLock()
	defer s.state.RUnlock()
	if h := s.hook; h != nil && h.step != nil {
		return h.focus, true
	}
	return Thread{}, false
}

// Stage returns the stage of the stop; nil if the session is not stopped.
func (s *Session) Stage() *shader.Stage {
	s.state.RLock()
	defer s.state.RUnlock()
	if h := s.hook; h != nil && h.step != nil {
		return h.parts[h.step.Func].stage
	}
	return nil
}

// Frames returns the active functions of a thread of Threads, the innermost first. A thread that does not execute the operation of
// the stop is where it executed the last line; its callers are not known.
func (s *Session) Frames(t Thread) []Frame {
	s.state.RLock()
	defer s.state.RUnlock()
	h := s.hook
	if h == nil || h.step == nil {
		return nil
	}
	lane, ok := h.laneOf(h.step, t)
	if !ok || t.Local >= uint32(len(h.last)) {
		return nil
	}
	if !h.step.Active.Has(lane) {
		at := h.last[t.Local]
		if at.v == 0 {
			return nil
		}
		f := h.frameAt(at.fn, at.v, lane)
		f.waiting = true
		return []Frame{f}
	}
	var list []Frame
	if h.parts[h.step.Func].stage != nil { // a data breakpoint at the end of a launch stops in the composition
		list = append(list, h.frame(h.step, t))
	}
	for _, c := range h.step.Calls(nil) {
		if h.parts[c.Func].stage == nil {
			continue
		}
		list = append(list, h.frameAt(c.Func, c.Value, lane))
	}
	return list
}

// frame returns the innermost frame of a thread that executes a step.
func (h *hook) frame(s *exec.Step, t Thread) Frame {
	lane, _ := h.laneOf(s, t)
	return h.frameAt(s.Func, s.Value, lane)
}

func (h *hook) frameAt(fn int, v ir.V, lane uint32) Frame {
	f := Frame{Name: h.nameOfFunction(fn), At: h.marks.location(fn, v), fn: fn, v: v, lane: lane}
	if i, ok := h.marks.instruction(fn, v); ok {
		f.Instruction = i + 1
	}
	return f
}

// nameOfFunction returns the name of a function in the source, without the types of its parameters, which compilers append, and with the
// stage for a shader of a launch, as all of them are often called main.
func (h *hook) nameOfFunction(fn int) string {
	name, _, _ := strings.Cut(h.program.Funcs[fn].Name, "(")
	if of := h.parts[fn]; of.stage != nil && of.fn == 0 && h.command.Kind == vk.DebugLaunch {
		name += " (" + of.stage.Program.Stage.String() + ")"
	}
	return name
}
