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

// request sends a request and returns its response.
func (c *debugClient) request(command, arguments string) dap.ResponseMessage {
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
			if r := m.GetResponse(); !r.Success {
				c.t.Fatalf("%s: %s", command, r.Message)
			}
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

// TestDebug stops saxpy at a line of its assembly, evaluates, goes on and back, and reads the result.
func TestDebug(t *testing.T) {
	in, toDebugger := io.Pipe()
	fromDebugger, out := io.Pipe()
	var messages bytes.Buffer
	code := make(chan int, 1)
	go func() {
		code <- run([]string{"debug", "../../docs/tour/saxpy.spvasm", "--", "--buffer", "0=float:1,2,3,4", "--buffer", "1=float:10,20,30,40", "--push", "float:2"},
			console{in, out, &messages, new([]byte)})
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
