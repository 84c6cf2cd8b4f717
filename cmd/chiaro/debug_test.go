package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-dap"
)

// debugClient speaks with chiaro debug.
type debugClient struct {
	t      *testing.T
	seq    int
	in     io.Writer
	out    *bufio.Reader
	events []dap.EventMessage
}

// request sends a request and returns its response, which is a success.
func (c *debugClient) request(command, arguments string) dap.ResponseMessage {
	c.t.Helper()
	m := c.ask(command, arguments)
	if r := m.GetResponse(); !r.Success {
		c.t.Fatalf("%s: %s", command, r.Message)
	}
	return m
}

// ask sends a request and returns its response.
func (c *debugClient) ask(command, arguments string) dap.ResponseMessage {
	c.t.Helper()
	c.seq++
	text := fmt.Sprintf(`{"seq":%d,"type":"request","command":%q,"arguments":%s}`, c.seq, command, arguments)
	if err := dap.WriteBaseMessage(c.in, []byte(text)); err != nil {
		c.t.Fatal(err)
	}
	for {
		m, err := dap.ReadProtocolMessage(c.out)
		if err != nil {
			c.t.Fatal(err)
		}
		switch m := m.(type) {
		case dap.EventMessage:
			c.events = append(c.events, m)
		case dap.ResponseMessage:
			return m
		}
	}
}

// wait returns the next event of a name, and the output before it.
func (c *debugClient) wait(name string) (e dap.EventMessage, output string) {
	c.t.Helper()
	for {
		if len(c.events) == 0 {
			m, err := dap.ReadProtocolMessage(c.out)
			if err != nil {
				c.t.Fatal(err)
			}
			c.events = append(c.events, m.(dap.EventMessage))
		}
		e, c.events = c.events[0], c.events[1:]
		if o, ok := e.(*dap.OutputEvent); ok {
			output += o.Body.Output
		}
		if e.GetEvent().Event == name {
			return e, output
		}
	}
}

// valuesAt checks the scopes of a frame: "Locals" is absent if there are none, and "Invocation" has the built-ins.
func (c *debugClient) valuesAt(frame int) {
	c.t.Helper()
	found := map[string]int{}
	for _, s := range c.request("scopes", fmt.Sprintf(`{"frameId":%d}`, frame)).(*dap.ScopesResponse).Body.Scopes {
		found[s.Name] = len(c.request("variables", fmt.Sprintf(`{"variablesReference":%d}`, s.VariablesReference)).(*dap.VariablesResponse).Body.Variables)
	}
	if _, ok := found["Locals"]; ok || found["Invocation"] != 10 || found["Resources"] != 3 {
		c.t.Errorf("the scopes have %v variables", found)
	}
}

// changeIn changes element 2 of the only member of a block of a scope.
func (c *debugClient) changeIn(scope, block string) {
	c.t.Helper()
	reference := 0
	for _, s := range c.request("scopes", `{}`).(*dap.ScopesResponse).Body.Scopes {
		if s.Name == scope {
			reference = s.VariablesReference
		}
	}
	for _, name := range []string{block, "member0"} {
		for _, v := range c.request("variables", fmt.Sprintf(`{"variablesReference":%d}`, reference)).(*dap.VariablesResponse).Body.Variables {
			if v.Name == name {
				reference = v.VariablesReference
			}
		}
	}
	if got := c.request("setVariable", fmt.Sprintf(`{"variablesReference":%d,"name":"[2]","value":"-2"}`, reference)).(*dap.SetVariableResponse).Body.Value; got != "-2" {
		c.t.Errorf("the changed element is %s; must be -2", got)
	}
	if m := c.ask("setVariable", `{"variablesReference":99,"name":"x","value":"1"}`); m.GetResponse().Success {
		c.t.Error("a change in a scope that does not exist is a success")
	}
}

// assignInConsole changes an element by assignments in the debug console, and leaves it as it was; other expressions change nothing.
func (c *debugClient) assignInConsole() {
	c.t.Helper()
	for _, x := range [][2]string{{"%4.member0[3] += 2", "43"}, {"%4.member0[3] = 41.0", "41"}} {
		got := c.request("evaluate", fmt.Sprintf(`{"context":"repl","expression":%q}`, x[0])).(*dap.EvaluateResponse).Body
		if got.Result != x[1] || got.Type != "float" {
			c.t.Errorf("%s is %s %s; must be float %s", x[0], got.Type, got.Result, x[1])
		}
	}
	for _, x := range [][2]string{{"watch", "%4.member0[3] = 1.0"}, {"repl", "%4 = 1.0"}, {"repl", "1 = 2"}} {
		if m := c.ask("evaluate", fmt.Sprintf(`{"context":%q,"expression":%q}`, x[0], x[1])).GetResponse(); m.Success {
			c.t.Errorf("%s in the context %s is a success", x[1], x[0])
		}
	}
	if got := c.request("evaluate", `{"expression":"%4.member0[3]"}`).(*dap.EvaluateResponse).Body.Result; got != "41" {
		c.t.Errorf("the element is %s; must be 41", got)
	}
}

// TestDebug stops saxpy at a line of its assembly, evaluates, goes on and back, and reads the result.
func TestDebug(t *testing.T) {
	in, toDebugger := io.Pipe()
	fromDebugger, out := io.Pipe()
	var messages bytes.Buffer
	code := make(chan int, 1)
	go func() {
		code <- run([]string{"debug", "../../docs/tour/saxpy.spvasm", "--", "--buffer", "0=float:1,2,3,4", "--buffer", "1=float:10,20,30,40", "--push", "float:2"},
			console{in, out, &messages, new(lastInput), nil})
		out.Close()
	}()
	c := &debugClient{t: t, in: toDebugger, out: bufio.NewReader(fromDebugger)}
	c.request("initialize", `{"adapterID":"chiaro"}`)
	c.request("launch", `{"stopOnEntry":true}`)
	c.request("configurationDone", `{}`)
	c.wait("stopped")
	top := c.request("stackTrace", `{"threadId":1}`).(*dap.StackTraceResponse).Body.StackFrames[0]
	if top.Name != "main" || top.Source == nil || !strings.HasSuffix(top.Source.Path, "saxpy.spvasm") {
		t.Errorf("the innermost frame is %+v", top)
	}
	for _, command := range []string{"next", "stepIn", "stepOut", "stepBack", "stackTrace"} {
		for _, id := range []int64{0, -1, 5, 1 << 40} { // the subgroup has the threads 1 to 4
			if m := c.ask(command, fmt.Sprintf(`{"threadId":%d}`, id)); m.GetResponse().Success {
				t.Errorf("%s of thread %d is a success; there is no such thread", command, id)
			}
		}
	}
	c.valuesAt(top.Id)
	list := c.request("disassemble", fmt.Sprintf(`{"memoryReference":%q,"instructionCount":100}`, top.InstructionPointerReference)).(*dap.DisassembleResponse).Body.Instructions
	store := ""
	for _, x := range list {
		if strings.Contains(x.Instruction, "OpStore") {
			store = x.Address
		}
	}
	c.request("setInstructionBreakpoints", fmt.Sprintf(`{"breakpoints":[{"instructionReference":%q}]}`, store))
	c.request("continue", `{"threadId":1}`)
	if e, _ := c.wait("stopped"); e.(*dap.StoppedEvent).Body.Reason != "instruction breakpoint" {
		t.Errorf("stopped by %s", e.(*dap.StoppedEvent).Body.Reason)
	}
	if got := c.request("evaluate", `{"expression":"gl_GlobalInvocationID.x + %4.member0[2]"}`).(*dap.EvaluateResponse).Body.Result; got != "30" {
		t.Errorf("the expression is %s; must be 30", got)
	}
	if got := c.request("setExpression", `{"expression":"%4.member0[3]","value":"40.5 + 0.5"}`).(*dap.SetExpressionResponse).Body.Value; got != "41" {
		t.Errorf("the changed element is %s; must be 41", got)
	}
	c.assignInConsole()
	c.changeIn("Resources", "%4")
	c.request("stepBack", `{"threadId":1}`)
	c.wait("stopped")
	c.request("setInstructionBreakpoints", `{"breakpoints":[]}`)
	c.request("continue", `{"threadId":1}`)
	if _, output := c.wait("terminated"); !strings.Contains(output, ": 12 24 36 48") {
		t.Errorf("the output is %q; want 12 24 36 48", output)
	}
	c.request("disconnect", `{}`)
	if n := <-code; n != exitClean {
		t.Errorf("exit code %d: %s", n, messages.String())
	}
}
