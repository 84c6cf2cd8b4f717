package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-dap"
)

// debugDraw is a session of chiaro debug on a script with two draws of triangles over each other. The arguments are those of launch.
func debugDraw(t *testing.T, launch string, breakpoints ...string) *debugClient {
	t.Helper()
	return debugScript(t, "testdata/debug_draw.amber", launch, breakpoints...)
}

// debugScript is debugDraw with another script.
func debugScript(t *testing.T, file, launch string, breakpoints ...string) *debugClient {
	t.Helper()
	in, toDebugger := io.Pipe()
	fromDebugger, out := io.Pipe()
	ended := make(chan bool)
	go func() {
		run([]string{"debug", file}, console{in, out, io.Discard, new(lastInput), nil})
		out.Close()
		close(ended)
	}()
	t.Cleanup(func() {
		toDebugger.Close()
		go io.Copy(io.Discard, fromDebugger)
		<-ended
	})
	c := &debugClient{t: t, in: toDebugger, out: bufio.NewReader(fromDebugger)}
	c.request("initialize", `{"adapterID":"chiaro"}`)
	c.request("launch", launch)
	for _, b := range breakpoints {
		c.request("setBreakpoints", b)
	}
	c.request("configurationDone", `{}`)
	return c
}

// stop waits for a stop and returns its thread and its frame.
func (c *debugClient) stop() (thread int, f dap.StackFrame) {
	c.t.Helper()
	e, _ := c.wait("stopped")
	thread = e.(*dap.StoppedEvent).Body.ThreadId
	return thread, c.request("stackTrace", fmt.Sprintf(`{"threadId":%d}`, thread)).(*dap.StackTraceResponse).Body.StackFrames[0]
}

// values returns the variables of a scope of a frame, with their values.
func (c *debugClient) values(f dap.StackFrame, scope string) map[string]string {
	c.t.Helper()
	list := map[string]string{}
	for _, s := range c.request("scopes", fmt.Sprintf(`{"frameId":%d}`, f.Id)).(*dap.ScopesResponse).Body.Scopes {
		if s.Name == scope {
			for _, v := range c.request("variables", fmt.Sprintf(`{"variablesReference":%d}`, s.VariablesReference)).(*dap.VariablesResponse).Body.Variables {
				list[v.Name] = v.Value
			}
		}
	}
	return list
}

// lineOf returns the line of an instruction in the assembly of the stop, and that of the frame.
func (c *debugClient) lineOf(f dap.StackFrame, text string) (line int, at string) {
	c.t.Helper()
	list := c.request("disassemble", `{"memoryReference":"1","instructionCount":200}`).(*dap.DisassembleResponse).Body.Instructions
	for _, x := range list {
		if strings.Contains(x.Instruction, text) {
			line = x.Line
		}
		if x.Address == f.InstructionPointerReference {
			at = x.Instruction
		}
	}
	return line, at
}

// TestDebugPixel stops in the fragments of one pixel: of both triangles, whose interpolated colors the position determines, with the
// fragments beside them, and goes back from the second one to the first.
func TestDebugPixel(t *testing.T) {
	c := debugDraw(t, `{"stopOnEntry":true,"pixel":[16,32]}`)
	thread, f := c.stop()
	// Pixel (16, 32) of 64 has its center at (16.5, 32.5)/64 of the target.
	const color = "(0.2578125, 0.5078125, 0.75, 1)"
	if got := c.values(f, "Inputs")["color"]; got != color {
		t.Errorf("the input is %s; must be %s", got, color)
	}
	if got := c.values(f, "Invocation"); got["pixel"] != "(16, 32)" || got["PrimitiveId"] != "0" || got["InstanceIndex"] != "0" {
		t.Errorf("the invocation is %v", got)
	}
	// The triangle is at the depth 0.5, and w is 1 at its vertices. Its area is negative by Vulkan's formula, and fronts are counter-clockwise.
	for _, x := range [][2]string{
		{"gl_FragCoord", "(16.5, 32.5, 0.5, 1)"}, {"gl_FragCoord.y * 2.0", "65"}, {"gl_PrimitiveID", "0"}, {"gl_Layer", "0"}, {"gl_FrontFacing", "false"},
	} {
		c.evaluates(x[0], x[1])
	}
	names := ""
	for _, x := range c.request("threads", `{}`).(*dap.ThreadsResponse).Body.Threads {
		names += x.Name + "\n"
	}
	for _, beside := range []string{"(17, 32)", "(16, 33)", "(17, 33)"} { // its quad
		if !strings.Contains(names, "fragment pixel "+beside) {
			t.Errorf("no thread is the fragment of pixel %s beside", beside)
		}
	}
	line, _ := c.lineOf(f, "OpStore %result")
	c.request("setBreakpoints", fmt.Sprintf(`{"source":{"path":%q},"breakpoints":[{"line":%d}]}`, f.Source.Path, line))
	for _, primitive := range []string{"0", "1"} {
		c.request("continue", fmt.Sprintf(`{"threadId":%d}`, thread))
		thread, f = c.stop()
		if got := c.values(f, "Invocation")["PrimitiveId"]; got != primitive {
			t.Errorf("stopped in a fragment of primitive %s; want %s", got, primitive)
		}
	}
	if got := c.values(f, "Locals")["local"]; got != "(0.2578125, 0.5078125, 0.25, 1)" {
		t.Errorf("the local variable before the last store is %s", got)
	}
	for _, back := range []struct{ command, primitive, local string }{
		{"stepBack", "1", "(0.2578125, 0.5078125, 0.25, 1)"}, {"stepBack", "1", "(0.2578125, 0.5078125, 0.625, 1)"},
		{"reverseContinue", "0", "(0.2578125, 0.5078125, 0.25, 1)"},
	} {
		c.request(back.command, fmt.Sprintf(`{"threadId":%d}`, thread))
		thread, f = c.stop()
		if id, local := c.values(f, "Invocation")["PrimitiveId"], c.values(f, "Locals")["local"]; id != back.primitive || local != back.local {
			t.Errorf("after %s primitive %s has the local variable %s; must be %s with %s", back.command, id, local, back.primitive, back.local)
		}
	}
	c.request("setBreakpoints", fmt.Sprintf(`{"source":{"path":%q},"breakpoints":[]}`, f.Source.Path))
	c.request("continue", fmt.Sprintf(`{"threadId":%d}`, thread))
	if _, out := c.wait("terminated"); !strings.Contains(out, "pass") {
		t.Errorf("the run ended with %q; the expectation of the script must hold", out)
	}
}

// TestDebugVertex stops in one vertex of the second draw, which has three.
func TestDebugVertex(t *testing.T) {
	c := debugDraw(t, `{"stopOnEntry":true,"vertex":1,"draw":1}`)
	thread, f := c.stop()
	if got := c.values(f, "Inputs")["position"]; got != "(3, -1, 0.5, 1)" {
		t.Errorf("the input of vertex 1 is %s", got)
	}
	if n := len(c.request("threads", `{}`).(*dap.ThreadsResponse).Body.Threads); n != 3 {
		t.Errorf("%d threads; must be the three vertices of the draw", n)
	}
	for _, x := range [][2]string{{"gl_VertexIndex", "1"}, {"gl_InstanceIndex", "0"}, {"gl_BaseVertex", "0"}, {"gl_BaseInstance", "0"}, {"gl_DrawID", "0"}} {
		c.evaluates(x[0], x[1])
	}
	for range 5 {
		c.request("next", fmt.Sprintf(`{"threadId":%d}`, thread))
		thread, f = c.stop()
	}
	if got := c.values(f, "Outputs")["color"]; got != "(2, 0, 0.75, 1)" {
		t.Errorf("the output of vertex 1 before its end is %s", got)
	}
}

// TestDebugNowhere runs to the end when no invocation is as the launch request asks, and says so.
func TestDebugNowhere(t *testing.T) {
	for _, launch := range []string{
		`{"stopOnEntry":true,"pixel":[64,0]}`, `{"stopOnEntry":true,"vertex":6}`, `{"stopOnEntry":true,"draw":2}`, `{"stopOnEntry":true,"stage":"geometry"}`,
		`{"stopOnEntry":true,"pixel":[16,32],"primitive":2}`,
	} {
		c := debugDraw(t, launch)
		if _, out := c.wait("terminated"); !strings.Contains(out, "pass") || !strings.Contains(out, "no invocation that the launch request asks for") {
			t.Errorf("%s ends with %q", launch, out)
		}
	}
}

// TestDebugPicks checks that launch refuses picks that exist nowhere.
func TestDebugPicks(t *testing.T) {
	in, toDebugger := io.Pipe()
	fromDebugger, out := io.Pipe()
	go run([]string{"debug", "testdata/debug_draw.amber"}, console{in, out, io.Discard, new(lastInput), nil})
	defer toDebugger.Close()
	c := &debugClient{t: t, in: toDebugger, out: bufio.NewReader(fromDebugger)}
	for _, launch := range []string{
		`{"stage":"pixel"}`, `{"pixel":[1]}`, `{"pixel":[-1,0]}`, `{"pixel":"x"}`, `{"pixel":[1,2],"vertex":3}`, `{"draw":-1}`, `{"vertex":4294967296}`,
	} {
		if r := c.ask("launch", launch).GetResponse(); r.Success || r.Message == "" {
			t.Errorf("launch with %s is a success; it asks for nothing that exists", launch)
		}
	}
}

// TestDebugStageBuiltins shows the built-ins of the other stages of draws, most of which the shaders do not declare.
func TestDebugStageBuiltins(t *testing.T) {
	const scripts = "../../internal/amber/testdata/"
	for _, x := range []struct {
		script, stage string
		want          map[string]string
	}{
		{"fixedstate.amber", "tesscontrol", map[string]string{"gl_InvocationID": "0", "gl_PrimitiveID": "0", "gl_PatchVerticesIn": "1"}},
		{"fixedstate.amber", "tesseval", map[string]string{"gl_PrimitiveID": "0", "gl_PatchVerticesIn": "1", "gl_TessCoord.z": "0"}},
		{"feedback.amber", "geometry", map[string]string{"gl_InvocationID": "0", "gl_PrimitiveIDIn": "0"}},
		{"meshgroup.amber", "mesh", map[string]string{"gl_WorkGroupID": "(0, 0, 0)", "gl_LocalInvocationIndex": "0", "gl_NumWorkGroups.y": "1"}},
	} {
		c := debugScript(t, scripts+x.script, fmt.Sprintf(`{"stopOnEntry":true,"stage":%q}`, x.stage))
		c.stop()
		for name, want := range x.want {
			c.evaluates(name, want)
		}
	}
}
