package adapter

import (
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/google/go-dap"

	"github.com/chiaro-gpu/chiaro/internal/debug"
)

// threads answers with the invocations of the subgroup of the stop.
func (a *adapter) threads(r *dap.Request) {
	list := []dap.Thread{}
	if a.isStopped() {
		for _, t := range a.session.Threads() {
			name := t.Name
			if !t.Active {
				name += " (inactive)"
			}
			list = append(list, dap.Thread{Id: threadID(t.Thread), Name: name})
		}
	} else {
		list = append(list, dap.Thread{Id: int(a.launch.Invocation) + 1, Name: "the shader runs"})
	}
	a.respond(r, dap.ThreadsResponseBody{Threads: list})
}

func (a *adapter) stackTrace(m *dap.StackTraceRequest) {
	t, ok := a.thread(m.Arguments.ThreadId)
	if !ok {
		a.refuse(m.GetRequest(), "no thread %d in the subgroup that is stopped", m.Arguments.ThreadId)
		return
	}
	all := a.session.Frames(t)
	frames := []dap.StackFrame{}
	first := max(m.Arguments.StartFrame, 0)
	for i, f := range all {
		if i < first || m.Arguments.Levels > 0 && i-first >= m.Arguments.Levels {
			continue
		}
		a.frames = append(a.frames, frameHandle{t, f})
		x := dap.StackFrame{Id: len(a.frames), Name: f.Name, Line: f.At.Line, InstructionPointerReference: reference(f.Instruction)}
		if f.At.File != "" {
			x.Source = &dap.Source{Name: filepath.Base(f.At.File), Path: absolute(f.At.File)}
			x.Column = 1
		}
		frames = append(frames, x)
	}
	a.respond(m.GetRequest(), dap.StackTraceResponseBody{StackFrames: frames, TotalFrames: len(all)})
}

// absolute returns the absolute path of a file, for clients that open it.
func absolute(file string) string {
	if p, err := filepath.Abs(file); err == nil {
		return p
	}
	return file
}

// reference is the memory reference of an instruction: its number in the module.
func reference(instruction int) string {
	if instruction == 0 {
		return ""
	}
	return fmt.Sprintf("0x%x", instruction)
}

// frame returns the frame with an id; the innermost of the thread in focus for 0.
func (a *adapter) frame(id int) (frameHandle, bool) {
	if id > 0 && id <= len(a.frames) {
		return a.frames[id-1], true
	}
	t, _ := a.session.Stopped()
	if list := a.session.Frames(t); id == 0 && len(list) > 0 {
		return frameHandle{t, list[0]}, true
	}
	return frameHandle{}, false
}

func (a *adapter) scopes(m *dap.ScopesRequest) {
	f, ok := a.frame(m.Arguments.FrameId)
	if !ok {
		a.refuse(m.GetRequest(), "no frame %d", m.Arguments.FrameId)
		return
	}
	list := []dap.Scope{}
	for _, s := range a.session.Scopes(f.frame) {
		x := dap.Scope{Name: s.Name, VariablesReference: a.handleOf(s), Expensive: s.Name == "Values"}
		if s.Name == "Locals" {
			x.PresentationHint = "locals"
		}
		list = append(list, x)
	}
	a.respond(m.GetRequest(), dap.ScopesResponseBody{Scopes: list})
}

// handleOf returns the reference of an object until the shader goes on.
func (a *adapter) handleOf(x any) int {
	a.handles = append(a.handles, x)
	return len(a.handles)
}

// maxShown bounds the variables of an answer.
const maxShown = 4096

func (a *adapter) variables(m *dap.VariablesRequest) {
	n := m.Arguments.VariablesReference
	if n < 1 || n > len(a.handles) {
		a.refuse(m.GetRequest(), "no variables %d", n)
		return
	}
	list := []shown{}
	switch x := a.handles[n-1].(type) {
	case debug.Scope:
		for _, v := range a.session.Variables(x) {
			list = append(list, a.variable(v))
		}
	case *debug.Variable:
		count := uint64(max(m.Arguments.Count, 0))
		if count == 0 || count > maxShown {
			count = maxShown
		}
		for _, v := range a.session.Children(x, uint64(max(m.Arguments.Start, 0)), count) {
			list = append(list, a.variable(v))
		}
	}
	a.respond(m.GetRequest(), struct {
		Variables []shown `json:"variables"`
	}{list})
}

// variable returns a variable, with a reference if it has parts.
func (a *adapter) variable(v *debug.Variable) shown {
	x := shown{Variable: dap.Variable{Name: v.Name, Value: v.Value, Type: v.Type, EvaluateName: v.Path()}}
	if v.Parts > 0 {
		x.VariablesReference = a.handleOf(v)
		x.IndexedVariables = int(min(v.Parts, 1<<30))
		if v.Named() {
			x.NamedVariables, x.IndexedVariables = x.IndexedVariables, 0
		}
		if v.HasPicture() {
			x.MemoryReference, x.ValueLocationReference = pictureReference(x.VariablesReference), x.VariablesReference
		}
	}
	return x
}

// inConsole is the context of an expression that the user has entered in the debug console. A client evaluates those of other contexts
// again and again.
const inConsole = "repl"

// evaluate answers with the value of an expression, or of a variable after an assignment to it.
func (a *adapter) evaluate(m *dap.EvaluateRequest) {
	f, ok := a.frame(m.Arguments.FrameId)
	if !ok {
		a.refuse(m.GetRequest(), "no frame %d", m.Arguments.FrameId)
		return
	}
	if image, ok := pictureIn(m.Arguments.Expression); ok {
		a.evaluatePicture(m.GetRequest(), f.frame, image)
		return
	}
	expression := m.Arguments.Expression
	if variable, value, ok := debug.Assignment(expression); ok {
		if c := m.Arguments.Context; c != "" && c != inConsole {
			a.refuse(m.GetRequest(), "%s changes a variable; want the debug console for it", expression)
			return
		}
		if _, err := a.session.Assign(f.frame, variable, value); err != nil {
			a.refuse(m.GetRequest(), "%v", err)
			return
		}
		expression = variable // with its new value
	}
	text, kind, v, err := a.session.Evaluate(f.frame, expression)
	if err != nil {
		a.refuse(m.GetRequest(), "%v", err)
		return
	}
	body := evaluation{EvaluateResponseBody: dap.EvaluateResponseBody{Result: text, Type: kind}}
	if v != nil && v.Parts > 0 {
		body.VariablesReference = a.handleOf(v)
		if v.HasPicture() {
			body.MemoryReference, body.ValueLocationReference = pictureReference(body.VariablesReference), body.VariablesReference
		}
	}
	a.respond(m.GetRequest(), body)
}

// maxDisassembled bounds the instructions of an answer.
const maxDisassembled = 4096

// disassemble answers with instructions of the module; their addresses are their numbers.
func (a *adapter) disassemble(m *dap.DisassembleRequest) {
	from, err := strconv.ParseInt(m.Arguments.MemoryReference, 0, 32)
	if n := m.Arguments.InstructionCount; n > maxDisassembled {
		a.refuse(m.GetRequest(), "%d instructions; an answer has at most %d", n, maxDisassembled)
		return
	}
	if err != nil || a.target == nil || a.target.Text == nil {
		a.refuse(m.GetRequest(), "no instructions at %q", m.Arguments.MemoryReference)
		return
	}
	stage := a.session.Stage()
	if stage == nil {
		a.refuse(m.GetRequest(), "no instructions at %q", m.Arguments.MemoryReference)
		return
	}
	list := []dap.DisassembledInstruction{}
	n := int(from) + m.Arguments.InstructionOffset + m.Arguments.Offset
	locate := a.target.Locate(stage)
	for i := range max(m.Arguments.InstructionCount, 0) {
		x := dap.DisassembledInstruction{Address: fmt.Sprintf("0x%x", max(n+i, 0)), Instruction: "invalid"}
		if at := n + i - 1; at >= 0 && at < debug.Instructions(stage) {
			x.Instruction = a.target.Text(stage, at)
			if l := locate(at); l.Line > 0 && l.File != "" {
				x.Line, x.Location = l.Line, &dap.Source{Name: filepath.Base(l.File), Path: absolute(l.File)}
			}
		}
		list = append(list, x)
	}
	a.respond(m.GetRequest(), dap.DisassembleResponseBody{Instructions: list})
}

// setVariable changes a variable of an answer.
func (a *adapter) setVariable(m *dap.SetVariableRequest) {
	r, n, name := m.GetRequest(), m.Arguments.VariablesReference, m.Arguments.Name
	if n < 1 || n > len(a.handles) {
		a.refuse(r, "no variables %d", n)
		return
	}
	container := a.handles[n-1].(interface{ Frame() debug.Frame }) // a scope or a variable
	if v, ok := container.(*debug.Variable); ok {
		name = v.PathOf(name)
	}
	a.frames = append(a.frames, frameHandle{frame: container.Frame()})
	if text, ok := a.assign(r, len(a.frames), name, m.Arguments.Value); ok {
		a.respond(r, dap.SetVariableResponseBody{Value: text})
	}
}

// assign changes a variable in a frame, and returns its new text; false if it has answered with an error.
func (a *adapter) assign(r *dap.Request, frame int, variable, value string) (string, bool) {
	f, ok := a.frame(frame)
	if !ok {
		a.refuse(r, "no frame %d", frame)
		return "", false
	}
	text, err := a.session.Assign(f.frame, variable, value)
	if err != nil {
		a.refuse(r, "%v", err)
		return "", false
	}
	return text, true
}
