package adapter

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-dap"

	"github.com/chiaro-gpu/chiaro/internal/debug"
	"github.com/chiaro-gpu/chiaro/internal/shader"
)

// client speaks with an adapter whose target runs no shader.
type client struct {
	t    *testing.T
	seq  int
	in   io.WriteCloser
	out  *bufio.Reader
	done chan error
}

func connect(t *testing.T, start Start) *client {
	in, toAdapter := io.Pipe()
	fromAdapter, out := io.Pipe()
	c := &client{t: t, in: toAdapter, out: bufio.NewReader(fromAdapter), done: make(chan error, 1)}
	go func() {
		c.done <- Serve(context.Background(), in, out, start)
		in.Close()
		out.Close()
	}()
	t.Cleanup(func() { toAdapter.Close(); fromAdapter.Close() })
	return c
}

// idle starts a target that ends at once.
func idle(context.Context, Launch, func(string)) (*Target, error) {
	return &Target{
		Run:     func(context.Context, *debug.Session) error { return nil },
		Locate:  func(*shader.Stage) func(int) debug.Location { return nil },
		Resolve: func(at debug.Location) (debug.Location, bool) { return at, at.Line == 3 },
	}, nil
}

func (c *client) send(command, arguments string) {
	c.seq++
	text := fmt.Sprintf(`{"seq":%d,"type":"request","command":%q,"arguments":%s}`, c.seq, command, arguments)
	if err := dap.WriteBaseMessage(c.in, []byte(text)); err != nil {
		c.t.Fatal(err)
	}
}

// receive returns the next message.
func (c *client) receive() dap.Message {
	c.t.Helper()
	m, err := dap.ReadProtocolMessage(c.out)
	if err != nil {
		c.t.Fatal(err)
	}
	return m
}

// answer returns the response to the last request, and the names of the events before it.
func (c *client) answer() (r *dap.Response, events []string) {
	c.t.Helper()
	for {
		switch m := c.receive().(type) {
		case dap.EventMessage:
			events = append(events, m.GetEvent().Event)
		case dap.ResponseMessage:
			if r = m.GetResponse(); r.RequestSeq != c.seq {
				c.t.Fatalf("a response to request %d; want %d", r.RequestSeq, c.seq)
			}
			return r, events
		}
	}
}

// TestLifetime: initialize, launch, configurationDone, the end of the shader, disconnect.
func TestLifetime(t *testing.T) {
	c := connect(t, idle)
	c.send("initialize", `{"adapterID":"chiaro"}`)
	if r, _ := c.answer(); !r.Success {
		t.Fatal(r.Message)
	}
	c.send("launch", `{"program":"a.comp"}`)
	if r, _ := c.answer(); !r.Success {
		t.Fatal(r.Message)
	}
	if e, ok := c.receive().(*dap.InitializedEvent); !ok || e.Seq == 0 {
		t.Fatalf("%v after launch; want the event initialized", e)
	}
	c.send("setBreakpoints", `{"source":{"path":"a.comp"},"breakpoints":[{"line":3},{"line":4}]}`)
	if r, ok := c.receive().(*dap.SetBreakpointsResponse); !ok || len(r.Body.Breakpoints) != 2 || !r.Body.Breakpoints[0].Verified || r.Body.Breakpoints[1].Verified {
		t.Fatalf("%+v; want the first of two breakpoints verified", r)
	}
	c.send("configurationDone", `{}`)
	if r, _ := c.answer(); !r.Success {
		t.Fatal(r.Message)
	}
	if e, ok := c.receive().(*dap.ExitedEvent); !ok || e.Body.ExitCode != 0 {
		t.Fatalf("%+v at the end; want the event exited", e)
	}
	if _, ok := c.receive().(*dap.TerminatedEvent); !ok {
		t.Fatal("no event terminated")
	}
	c.send("disconnect", `{}`)
	if r, _ := c.answer(); !r.Success {
		t.Fatal(r.Message)
	}
	if err := <-c.done; err != nil {
		t.Error(err)
	}
}

// TestRefused: a request that the adapter cannot do gets an error, and the session goes on.
func TestRefused(t *testing.T) {
	c := connect(t, func(context.Context, Launch, func(string)) (*Target, error) { return nil, errors.New("no such file") })
	for _, r := range [][2]string{
		{"stackTrace", `{"threadId":1}`}, {"next", `{"threadId":99}`}, {"variables", `{"variablesReference":-5}`}, {"evaluate", `{"expression":"x"}`},
		{"attach", `{}`}, {"launch", `{"program":7}`}, {"launch", `{"program":"a"}`}, {"somethingNew", `{}`}, {"disassemble", `{"memoryReference":"0"}`},
		{"goto", `{"threadId":1}`}, {"setVariable", `{"variablesReference":1,"name":"x","value":"1"}`}, {"setExpression", `{"expression":"x","value":"1"}`}, {"reverseContinue", `{}`},
	} {
		c.send(r[0], r[1])
		if got, _ := c.answer(); got.Success || got.Message == "" {
			t.Errorf("%s %s has no error", r[0], r[1])
		}
	}
	c.send("threads", `{}`)
	if got, _ := c.answer(); !got.Success {
		t.Error("threads fails after errors")
	}
	for _, r := range [][2]string{{"setFunctionBreakpoints", `{"breakpoints":[{"name":"f"},{"name":"g"}]}`}, {"setExceptionBreakpoints", `{"filters":["a","b"]}`}} { // one element for each
		c.send(r[0], r[1])
		var list []dap.Breakpoint
		switch m := c.receive().(type) {
		case *dap.SetFunctionBreakpointsResponse:
			list = m.Body.Breakpoints
		case *dap.SetExceptionBreakpointsResponse:
			list = m.Body.Breakpoints
		}
		if len(list) != 2 || list[0].Verified || list[1].Message == "" {
			t.Errorf("%s has the answer %+v; must be two breakpoints without a place", r[0], list)
		}
	}
	for i, want := range []bool{true, false} { // "The initialize request may only be sent once."
		c.send("initialize", `{"adapterID":"chiaro"}`)
		if got, _ := c.answer(); got.Success != want {
			t.Errorf("initialize %d: success %t; must be %t", i+1, got.Success, want)
		}
	}
}

// TestMalformed checks that a malformed message ends the session, and that the error names the expected value.
func TestMalformed(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"hello\r\n\r\n", "without Content-Length"},
		{"Content-Length: 99999999999\r\n\r\n", "must be 0 to"},
		{"Content-Length: -1\r\n\r\n", "must be 0 to"},
		{"Content-Length: 2\r\n\r\n{]", "malformed"},
		{"Content-Length: 20\r\n\r\n{}", "unexpected EOF"},
		{strings.Repeat("x", 1<<16), "buffer full"},
		{strings.Repeat("a: b\r\n", 1<<12), "a header of more than"},
	} {
		err := Serve(context.Background(), strings.NewReader(c.text), io.Discard, idle)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.20q gives %v; want %q", c.text, err, c.want)
		}
	}
	if err := Serve(context.Background(), strings.NewReader(""), io.Discard, idle); err != nil {
		t.Errorf("the end of the input gives %v", err)
	}
}

// FuzzServe: no input of a client crashes the adapter.
func FuzzServe(f *testing.F) {
	for _, text := range []string{
		`{"seq":1,"type":"request","command":"initialize","arguments":{}}`,
		`{"seq":1,"type":"request","command":"setBreakpoints","arguments":{"source":{"path":"a"},"breakpoints":[{"line":-1}]}}`,
		`{"seq":2,"type":"request","command":"launch","arguments":{"args":["-x"]}}`,
		`{"seq":2,"type":"event","event":"x"}`, `{"type":"response"}`, `{`,
	} {
		f.Add([]byte(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(text), text)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		_ = Serve(context.Background(), bytes.NewReader(data), io.Discard, idle)
	})
}

// TestConfiguredTwice: only the first end of the configuration runs the target.
func TestConfiguredTwice(t *testing.T) {
	runs := make(chan bool, 8)
	c := connect(t, func(ctx context.Context, l Launch, output func(string)) (*Target, error) {
		x, err := idle(ctx, l, output)
		x.Run = func(context.Context, *debug.Session) error {
			runs <- true
			return nil
		}
		return x, err
	})
	c.send("launch", `{}`)
	c.answer()
	for range 3 {
		c.send("configurationDone", `{}`)
		c.answer()
	}
	c.send("disconnect", `{}`)
	c.answer()
	<-c.done
	if len(runs) != 1 {
		t.Errorf("%d runs; must be one", len(runs))
	}
}

// TestUnread: a client that has gone, and reads nothing, does not stop Serve.
func TestUnread(t *testing.T) {
	c := connect(t, func(ctx context.Context, l Launch, output func(string)) (*Target, error) {
		x, err := idle(ctx, l, output)
		x.Run = func(context.Context, *debug.Session) error {
			for range 100 {
				output("text")
			}
			return nil
		}
		return x, err
	})
	c.send("launch", `{}`)
	c.answer()
	c.receive()
	c.send("configurationDone", `{}`)
	c.answer()
	c.in.Close()
	<-c.done
}
