package adapter

import (
	"fmt"
	"strconv"

	"github.com/google/go-dap"

	"github.com/chiaro-gpu/chiaro/internal/debug"
)

// apply hands all breakpoints to the session.
func (a *adapter) apply() {
	if a.session == nil {
		return
	}
	var all []*debug.Breakpoint
	for _, list := range a.lines {
		all = append(all, list...)
	}
	a.session.SetBreakpoints(append(all, a.places...))
}

func (a *adapter) setBreakpoints(m *dap.SetBreakpointsRequest) {
	file := m.Arguments.Source.Path
	if file == "" {
		file = m.Arguments.Source.Name
	}
	a.mu.Lock()
	var list []*debug.Breakpoint
	for _, b := range m.Arguments.Breakpoints {
		a.breaks++
		x := &debug.Breakpoint{Number: a.breaks, At: debug.Location{File: file, Line: b.Line}, Condition: b.Condition, Hits: b.HitCondition, Log: b.LogMessage}
		a.ofModule(x)
		list = append(list, x)
	}
	a.lines[file] = list
	stopped := a.stopped
	a.mu.Unlock()
	a.apply()
	out := []dap.Breakpoint{}
	for _, b := range list {
		x := dap.Breakpoint{Id: b.Number, Line: b.At.Line, Message: "no shader with this line is known yet"}
		at, ok := b.At, false
		if b.Instruction > 0 {
			at.Line, ok = b.Instruction, true
		} else if stopped {
			at, ok = a.session.Resolve(b.At)
		}
		if !ok && a.target != nil {
			at, ok = a.target.Resolve(b.At)
		}
		if x.Verified = ok; ok {
			x.Line, x.Message = at.Line, ""
		}
		out = append(out, x)
	}
	a.respond(m.GetRequest(), dap.SetBreakpointsResponseBody{Breakpoints: out})
}

// ofModule makes a breakpoint at a line of the module one at the instruction there.
func (a *adapter) ofModule(b *debug.Breakpoint) {
	if a.target == nil || a.target.Instruction == nil {
		return
	}
	if n, ok := a.target.Instruction(b.At); ok {
		b.Instruction = n
	}
}

func (a *adapter) setInstructionBreakpoints(m *dap.SetInstructionBreakpointsRequest) {
	out := []dap.Breakpoint{}
	a.mu.Lock()
	a.places = nil
	for _, b := range m.Arguments.Breakpoints {
		a.breaks++
		n, err := strconv.ParseInt(b.InstructionReference, 0, 32)
		n += int64(b.Offset)
		if err != nil || n < 1 {
			out = append(out, dap.Breakpoint{Id: a.breaks, Message: fmt.Sprintf("no instruction %q", b.InstructionReference)})
			continue
		}
		a.places = append(a.places, &debug.Breakpoint{Number: a.breaks, Instruction: int(n), Condition: b.Condition, Hits: b.HitCondition})
		out = append(out, dap.Breakpoint{Id: a.breaks, Verified: true, InstructionReference: reference(int(n))})
	}
	a.mu.Unlock()
	a.apply()
	a.respond(m.GetRequest(), dap.SetInstructionBreakpointsResponseBody{Breakpoints: out})
}

// dataBreakpointInfo makes a data breakpoint of a variable of an answer, or of an expression.
func (a *adapter) dataBreakpointInfo(m *dap.DataBreakpointInfoRequest) {
	name := m.Arguments.Name
	if n := m.Arguments.VariablesReference; n > 0 && n <= len(a.handles) {
		if v, ok := a.handles[n-1].(*debug.Variable); ok {
			name = v.PathOf(name)
		}
	}
	f, ok := a.frame(m.Arguments.FrameId)
	if !ok {
		a.refuse(m.GetRequest(), "no frame %d", m.Arguments.FrameId)
		return
	}
	w, err := a.session.Watch(f.thread, f.frame, name)
	if err != nil {
		a.respond(m.GetRequest(), dap.DataBreakpointInfoResponseBody{Description: err.Error()})
		return
	}
	id := fmt.Sprintf("%s#%d", name, len(a.watches)+1)
	a.watches[id] = w
	a.respond(m.GetRequest(), dap.DataBreakpointInfoResponseBody{DataId: id, Description: name, AccessTypes: []dap.DataBreakpointAccessType{"write"}})
}

func (a *adapter) setDataBreakpoints(m *dap.SetDataBreakpointsRequest) {
	out := []dap.Breakpoint{}
	var list []*debug.Watch
	for _, b := range m.Arguments.Breakpoints {
		w := a.watches[b.DataId]
		if w == nil {
			out = append(out, dap.Breakpoint{Message: fmt.Sprintf("no data %q", b.DataId)})
			continue
		}
		list = append(list, w)
		out = append(out, dap.Breakpoint{Verified: true})
	}
	if a.session != nil {
		a.session.SetWatches(list)
	}
	a.respond(m.GetRequest(), dap.SetDataBreakpointsResponseBody{Breakpoints: out})
}

// unsupported is the answer to a request for n breakpoints of a kind that the debugger does not have: each one has an element.
func unsupported(n int, why string) dap.SetBreakpointsResponseBody {
	list := make([]dap.Breakpoint, n)
	for i := range list {
		list[i].Message = why
	}
	return dap.SetBreakpointsResponseBody{Breakpoints: list}
}
