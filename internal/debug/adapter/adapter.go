// Package adapter speaks the Debug Adapter Protocol for a [debug.Session]: it translates requests to calls of the session, and events
// of the session to those of the protocol. It refuses to know how a shader is found, compiled and started: the caller's Start does.
//
// Two goroutines use an adapter: Serve reads requests, and the run of the shader calls the events of the session. A request that needs
// a stopped shader fails while it runs.
//
// # Files
//
//	adapter.go      messages, the run
//	handle.go       requests on the session and its run
//	inspect.go      requests on a stopped shader
//	breakpoint.go   requests on breakpoints
//	picture.go      images as pictures
//	read.go         messages of the client
package adapter

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/google/go-dap"

	"github.com/chiaro-gpu/chiaro/internal/debug"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/shader"
)

// Launch has the arguments of a launch request.
type Launch struct {
	Program     string    `json:"program"`     // the file
	Args        []string  `json:"args"`        // flags of the command line
	StopOnEntry bool      `json:"stopOnEntry"` // stop at the first line
	Workgroup   [3]uint32 `json:"workgroup"`   // the invocation in focus at first
	Invocation  uint32    `json:"invocation"`  // its LocalInvocationIndex
	Dispatch    int       `json:"dispatch"`    // the dispatches before it run without stops
	Draw        int       `json:"draw"`        // and the draws

	// Which invocations of draws stop; all without them.
	Stage     string   `json:"stage"`     // vertex or fragment, for example
	Pixel     []uint32 `json:"pixel"`     // x and y of fragments
	Primitive *uint32  `json:"primitive"` // PrimitiveId of fragments
	Sample    *uint32  `json:"sample"`    // of fragments with sample shading
	Vertex    *uint32  `json:"vertex"`    // VertexIndex
	Instance  *uint32  `json:"instance"`  // InstanceIndex of vertices

	Launches int      `json:"launch"`   // the launches of rays before the debugger stops in one
	Launch   []uint32 `json:"launchId"` // the invocation of a launch that stops: x, y and z
}

// pick returns the invocations that stop.
func (l *Launch) pick() (p debug.Pick, err error) {
	p = debug.Pick{Primitive: l.Primitive, Sample: l.Sample, Vertex: l.Vertex, Instance: l.Instance}
	switch {
	case l.Dispatch < 0 || l.Draw < 0 || l.Launches < 0:
		return p, fmt.Errorf("dispatch %d, draw %d and launch %d; must not be negative", l.Dispatch, l.Draw, l.Launches)
	case (l.Pixel != nil || l.Primitive != nil || l.Sample != nil) && (l.Vertex != nil || l.Instance != nil || l.Launch != nil), l.Launch != nil && (l.Vertex != nil || l.Instance != nil):
		return p, errors.New("a fragment, a vertex and a launch id; want one of them")
	}
	if l.Pixel != nil {
		if len(l.Pixel) != 2 {
			return p, fmt.Errorf("a pixel with %d coordinates; want x and y", len(l.Pixel))
		}
		p.Pixel = &[2]uint32{l.Pixel[0], l.Pixel[1]}
	}
	if l.Launch != nil {
		if len(l.Launch) == 0 || len(l.Launch) > 3 {
			return p, fmt.Errorf("a launch id with %d coordinates; want x, y and z", len(l.Launch))
		}
		p.Launch = &[3]uint32{}
		copy(p.Launch[:], l.Launch)
	}
	if l.Stage == "" {
		return p, nil
	}
	for s := range stages {
		if s := ir.Stage(s); s.String() == l.Stage {
			p.Stage = &s
			return p, nil
		}
	}
	return p, fmt.Errorf("stage %q; want compute, vertex, fragment or another one", l.Stage)
}

// picks reports whether the launch request asks for certain commands or invocations.
func (l *Launch) picks() bool {
	return l.Dispatch > 0 || l.Draw > 0 || l.Stage != "" || l.Pixel != nil || l.Primitive != nil || l.Sample != nil || l.Vertex != nil || l.Instance != nil || l.Launch != nil || l.Launches > 0
}

// stages is the number of stages.
const stages = ir.Callable + 1

// Target is a shader, or a script with shaders, that is ready to run.
type Target struct {
	Run    func(ctx context.Context, s *debug.Session) error
	Locate func(stage *shader.Stage) func(instruction int) debug.Location
	// Resolve returns the line at which a breakpoint will stop, as far as that is known before the shader runs; false if it will not.
	Resolve func(at debug.Location) (debug.Location, bool)
	// Instruction returns the instruction of a breakpoint at a line of the module itself, if Locate has lines of a source; nil if modules
	// have no lines.
	Instruction func(at debug.Location) (instruction int, ok bool)
	// Text returns a line with the instruction of the module, for disassembly.
	Text func(stage *shader.Stage, instruction int) string
}

// Start finds the target of a launch request. Its output goes to output.
type Start func(ctx context.Context, l Launch, output func(text string)) (*Target, error)

// adapter is the state of one client.
type adapter struct {
	ctx    context.Context
	start  Start
	cancel context.CancelFunc

	write sync.Mutex // of out and seq
	out   io.Writer
	seq   int
	bad   error // of out

	launch  Launch
	target  *Target
	session *debug.Session
	running sync.WaitGroup

	pictures pictures

	initialized bool // the client has sent its first request
	configured  bool // the client has set its breakpoints

	mu       sync.Mutex // of what follows
	stopped  bool
	handles  []any // of variables, since the last stop
	frames   []frameHandle
	lines    map[string][]*debug.Breakpoint // by file
	places   []*debug.Breakpoint            // instruction breakpoints
	watches  map[string]*debug.Watch        // by data id
	breaks   int                            // number of the last breakpoint
	verified map[int]bool
}

// frameHandle is a frame of a thread.
type frameHandle struct {
	thread debug.Thread
	frame  debug.Frame
}

// endGrace is the time for which Serve waits for the end of the run: a write to a client that does not read may not end.
const endGrace = 2 * time.Second

// Serve speaks with a client until it disconnects, the input ends, or ctx ends. A request that is malformed ends it with an error.
// Serve closes out if it can be closed.
func Serve(ctx context.Context, in io.Reader, out io.Writer, start Start) error {
	ctx, cancel := context.WithCancel(ctx)
	a := &adapter{ctx: ctx, cancel: cancel, start: start, out: out, lines: map[string][]*debug.Breakpoint{}, watches: map[string]*debug.Watch{}, verified: map[int]bool{}}
	defer func() {
		if a.session != nil {
			a.session.End()
		}
		cancel()
		if c, ok := out.(io.Closer); ok { // the run may wait for a client that does not read
			c.Close()
		}
		done := make(chan struct{})
		go func() {
			a.running.Wait()
			close(done)
		}()
		select {
		case <-done:
		case <-time.After(endGrace):
		}
		a.pictures.remove()
	}()
	messages, errs := make(chan dap.Message), make(chan error, 1)
	go func() {
		r := bufio.NewReader(in)
		for {
			m, err := read(r)
			if err != nil {
				errs <- err
				return
			}
			select {
			case messages <- m:
			case <-ctx.Done():
				return
			}
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case err := <-errs:
			if err == io.EOF {
				return nil
			}
			return err
		case m := <-messages:
			r, ok := m.(dap.RequestMessage)
			if !ok {
				continue // a response: the adapter makes no requests
			}
			if done := a.handle(r); done {
				return a.failed()
			}
			if err := a.failed(); err != nil {
				return err
			}
		}
	}
}

func (a *adapter) failed() error {
	a.write.Lock()
	defer a.write.Unlock()
	return a.bad
}

// send writes a message with the next sequence number.
func (a *adapter) send(m dap.Message) {
	a.write.Lock()
	defer a.write.Unlock()
	a.seq++
	switch x := m.(type) {
	case dap.ResponseMessage:
		x.GetResponse().Seq = a.seq
	case dap.EventMessage:
		x.GetEvent().Seq = a.seq
	}
	if err := dap.WriteProtocolMessage(a.out, m); err != nil && a.bad == nil {
		a.bad = err
	}
}

// respond answers a request with a body, or nil for none.
func (a *adapter) respond(to *dap.Request, body any) {
	a.send(&reply{Response: dap.Response{ProtocolMessage: dap.ProtocolMessage{Type: "response"}, Command: to.Command, RequestSeq: to.Seq, Success: true}, Body: body})
}

// reply is a response with any body.
type reply struct {
	dap.Response
	Body any `json:"body,omitempty"`
}

// refuse answers a request with an error.
func (a *adapter) refuse(to *dap.Request, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	a.send(&dap.ErrorResponse{
		Response: dap.Response{ProtocolMessage: dap.ProtocolMessage{Type: "response"}, Command: to.Command, RequestSeq: to.Seq, Message: text},
		Body:     dap.ErrorResponseBody{Error: &dap.ErrorMessage{Id: 1, Format: text, ShowUser: true}},
	})
}

// event sends an event.
func (a *adapter) event(name string, body any) {
	a.send(&notice{Event: dap.Event{ProtocolMessage: dap.ProtocolMessage{Type: "event"}, Event: name}, Body: body})
}

// notice is an event with any body.
type notice struct {
	dap.Event
	Body any `json:"body,omitempty"`
}

// output shows a text to the user.
func (a *adapter) output(category, text string) {
	a.event("output", dap.OutputEventBody{Category: category, Output: text})
}

// run runs the target in a goroutine.
func (a *adapter) run() {
	a.running.Add(1)
	go func() {
		defer a.running.Done()
		code := 0
		defer func() {
			if e := recover(); e != nil {
				code = 3
				a.output("stderr", fmt.Sprintf("internal error: %v\n", e))
			}
			a.event("exited", dap.ExitedEventBody{ExitCode: code})
			a.event("terminated", nil)
		}()
		if err := a.target.Run(a.ctx, a.session); err != nil && a.ctx.Err() == nil {
			code = 1
			a.output("stderr", err.Error()+"\n")
		} else if err == nil && a.launch.picks() && !a.session.Picked() && !a.session.Ended() {
			a.output("console", "no invocation that the launch request asks for has run\n")
		}
	}()
}

// events are those of the session.
func (a *adapter) events() debug.Events {
	return debug.Events{
		Stopped: a.stop,
		Output:  func(text string) { a.output("console", text+"\n") },
		Command: a.command,
	}
}

// command tells which breakpoints have lines in the shaders of a command.
func (a *adapter) command([]*shader.Stage) {
	a.mu.Lock()
	var list []*debug.Breakpoint
	for _, of := range a.lines {
		list = append(list, of...)
	}
	a.mu.Unlock()
	for _, b := range list {
		at, ok := a.session.Resolve(b.At)
		a.mu.Lock()
		changed := ok && !a.verified[b.Number]
		a.verified[b.Number] = a.verified[b.Number] || ok
		a.mu.Unlock()
		if changed {
			a.event("breakpoint", dap.BreakpointEventBody{Reason: "changed", Breakpoint: dap.Breakpoint{Id: b.Number, Verified: true, Line: at.Line}})
		}
	}
}

// stop tells of a stop of the session.
func (a *adapter) stop(s debug.Stop) {
	a.mu.Lock()
	a.stopped, a.handles, a.frames = true, nil, nil
	a.mu.Unlock()
	a.event("stopped", dap.StoppedEventBody{
		Reason: string(s.Reason), Description: s.Text, Text: s.Text, ThreadId: threadID(s.Thread), HitBreakpointIds: s.Hit,
	})
}

// resumed forgets the values of the stop.
func (a *adapter) resumed() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stopped, a.handles, a.frames = false, nil, nil
}

// threadID is the number of a thread: those of one workgroup are told apart, and the session shows one at a time.
func threadID(t debug.Thread) int { return int(t.Local) + 1 }

// thread returns the thread with a number; false if the stop has none.
func (a *adapter) thread(id int) (debug.Thread, bool) {
	for _, t := range a.session.Threads() {
		if threadID(t.Thread) == id {
			return t.Thread, true
		}
	}
	return debug.Thread{}, false
}

// parse reads the arguments of a launch request.
func parse(raw json.RawMessage) (l Launch, err error) {
	if len(raw) == 0 {
		return l, nil
	}
	if err := json.Unmarshal(raw, &l); err != nil {
		return l, fmt.Errorf("the arguments of launch: %w", err)
	}
	return l, nil
}
