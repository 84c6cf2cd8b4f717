package adapter

import (
	"github.com/google/go-dap"

	"github.com/chiaro-gpu/chiaro/internal/debug"
)

// handle answers a request. It returns true after the last one.
func (a *adapter) handle(m dap.RequestMessage) (done bool) {
	r := m.GetRequest()
	switch m := m.(type) {
	case *dap.InitializeRequest:
		a.initialize(r)
	case *dap.LaunchRequest:
		a.launched(m)
	case *dap.ConfigurationDoneRequest:
		a.configure(r)
	case *dap.DisconnectRequest:
		a.respond(r, nil)
		return true
	case *dap.TerminateRequest:
		a.resumed()
		if a.session != nil {
			a.session.End()
		}
		a.respond(r, nil)
	case *dap.SetBreakpointsRequest:
		a.setBreakpoints(m)
	case *dap.SetInstructionBreakpointsRequest:
		a.setInstructionBreakpoints(m)
	case *dap.SetDataBreakpointsRequest:
		a.setDataBreakpoints(m)
	case *dap.SetFunctionBreakpointsRequest:
		a.respond(r, unsupported(len(m.Arguments.Breakpoints), "the debugger has no breakpoints of functions; want a line"))
	case *dap.SetExceptionBreakpointsRequest:
		a.respond(r, unsupported(len(m.Arguments.Filters)+len(m.Arguments.FilterOptions), "the debugger has no filters; it stops at the findings of the sanitizers of the launch"))
	case *dap.PauseRequest:
		if a.session != nil && !a.isStopped() {
			a.session.Pause()
		}
		a.respond(r, nil)
	case *dap.ThreadsRequest:
		a.threads(r)
	case *dap.AttachRequest:
		a.refuse(r, "attach: a shader runs in this process; want launch")
	default:
		a.whileStopped(m)
	}
	return false
}

// whileStopped answers a request that needs a stopped shader.
func (a *adapter) whileStopped(m dap.RequestMessage) {
	r := m.GetRequest()
	if !a.isStopped() {
		if _, ok := m.(*unknown); ok {
			a.refuse(r, "unknown request %q", r.Command)
			return
		}
		a.refuse(r, "%s: the shader is not stopped", r.Command)
		return
	}
	switch m := m.(type) {
	case *dap.ContinueRequest:
		a.resume(r, dap.ContinueResponseBody{AllThreadsContinued: true}, func() { a.session.Continue(false) })
	case *dap.ReverseContinueRequest:
		a.resume(r, nil, func() { a.session.Continue(true) })
	case *dap.NextRequest:
		a.step(r, m.Arguments.ThreadId, func(t debug.Thread) { a.session.Next(t, m.Arguments.Granularity == byInstruction, false) })
	case *dap.StepBackRequest:
		a.step(r, m.Arguments.ThreadId, func(t debug.Thread) { a.session.Next(t, m.Arguments.Granularity == byInstruction, true) })
	case *dap.StepInRequest:
		a.step(r, m.Arguments.ThreadId, func(t debug.Thread) { a.session.StepIn(t, m.Arguments.Granularity == byInstruction) })
	case *dap.StepOutRequest:
		a.step(r, m.Arguments.ThreadId, a.session.StepOut)
	case *dap.StackTraceRequest:
		a.stackTrace(m)
	case *dap.ScopesRequest:
		a.scopes(m)
	case *dap.VariablesRequest:
		a.variables(m)
	case *dap.EvaluateRequest:
		a.evaluate(m)
	case *dap.SetVariableRequest:
		a.setVariable(m)
	case *dap.SetExpressionRequest:
		if text, ok := a.assign(r, m.Arguments.FrameId, m.Arguments.Expression, m.Arguments.Value); ok {
			a.respond(r, dap.SetExpressionResponseBody{Value: text})
		}
	case *dap.DataBreakpointInfoRequest:
		a.dataBreakpointInfo(m)
	case *dap.DisassembleRequest:
		a.disassemble(m)
	case *dap.ReadMemoryRequest:
		a.readMemory(m)
	case *unknown:
		if r.Command == "locations" {
			a.locations(r, m.Arguments)
			return
		}
		a.refuse(r, "%s: the debugger does not have this request", r.Command)
	default:
		a.refuse(r, "%s: the debugger does not have this request", r.Command)
	}
}

// byInstruction is the granularity of a step by one instruction of the module.
const byInstruction dap.SteppingGranularity = "instruction"

// resume answers a request, and then goes on.
func (a *adapter) resume(r *dap.Request, body any, do func()) {
	a.resumed()
	a.respond(r, body)
	do()
}

// step answers a request that steps a thread of the stop, and then goes on.
func (a *adapter) step(r *dap.Request, id int, do func(debug.Thread)) {
	t, ok := a.thread(id)
	if !ok {
		a.refuse(r, "no thread %d in the subgroup that is stopped", id)
		return
	}
	a.resume(r, nil, func() { do(t) })
}

// initialize answers the first request of a client, which sends it once.
func (a *adapter) initialize(r *dap.Request) {
	if a.initialized {
		a.refuse(r, "initialize: the client has sent it before; must send it once")
		return
	}
	a.initialized = true
	a.respond(r, capabilities)
}

// capabilities are the abilities of the adapter.
var capabilities = dap.Capabilities{
	SupportsConfigurationDoneRequest:  true,
	SupportsConditionalBreakpoints:    true,
	SupportsHitConditionalBreakpoints: true,
	SupportsLogPoints:                 true,
	SupportsEvaluateForHovers:         true,
	SupportsStepBack:                  true,
	SupportsSteppingGranularity:       true,
	SupportsInstructionBreakpoints:    true,
	SupportsDisassembleRequest:        true,
	SupportsDataBreakpoints:           true,
	SupportsReadMemoryRequest:         true,
	SupportsSetVariable:               true,
	SupportsSetExpression:             true,
	SupportsTerminateRequest:          true,
	SupportTerminateDebuggee:          true,
}

// launched reads and compiles the target; it runs after the configuration.
func (a *adapter) launched(m *dap.LaunchRequest) {
	r := m.GetRequest()
	if a.session != nil {
		a.refuse(r, "launch: a shader runs already")
		return
	}
	l, err := parse(m.Arguments)
	var pick debug.Pick
	if err == nil {
		pick, err = l.pick()
	}
	if err == nil {
		a.launch = l
		a.target, err = a.start(a.ctx, l, func(text string) { a.output("stdout", text) })
	}
	if err != nil {
		a.refuse(r, "%v", err)
		return
	}
	a.session = debug.New(debug.Config{
		Events: a.events(), Locate: a.target.Locate, StopOnEntry: l.StopOnEntry,
		Thread: debug.Thread{Group: l.Workgroup, Local: l.Invocation}, Dispatch: l.Dispatch, Draw: l.Draw, Launch: l.Launches, Pick: pick,
	})
	a.apply()
	a.respond(r, nil)
	a.event("initialized", nil) // breakpoints can be resolved now
	if a.configured {
		a.run()
	}
}

// configure runs the target after both a launch request and the first end of the configuration, which come in any order.
func (a *adapter) configure(r *dap.Request) {
	a.respond(r, nil)
	if !a.configured && a.session != nil {
		a.run()
	}
	a.configured = true
}

// isStopped reports whether the shader is stopped.
func (a *adapter) isStopped() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.stopped
}
