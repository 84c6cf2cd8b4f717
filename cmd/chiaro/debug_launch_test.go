package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-dap"
)

// kernelText has a kernel without .loc, which scales numbers with a function, through shared and local memory.
const kernelText = `.version 7.0
.target sm_70
.address_size 64
.global .u32 bias = 7;
.func (.param .b32 r) twice(.param .b32 a)
{
	.reg .b32 %r<2>;
	ld.param.u32 %r0, [a];
	shl.b32 %r1, %r0, 1;
	st.param.b32 [r], %r1;
	ret;
}
.visible .entry scale(.param .u64 x, .param .u32 n)
{
	.reg .pred %p<2>;
	.reg .b32 %r<6>;
	.reg .f32 %f1;
	.reg .b64 %rd<4>;
	.shared .b32 tile[8];
	.local .align 4 .b8 bytes[8];
	mov.u32 %r1, %tid.x;
	ld.param.u32 %r2, [n];
	setp.ge.u32 %p1, %r1, %r2;
	@%p1 ret;
	ld.param.u64 %rd1, [x];
	mul.wide.u32 %rd2, %r1, 4;
	add.u64 %rd1, %rd1, %rd2;
	ld.global.u32 %r3, [%rd1];
	mov.u64 %rd3, tile;
	add.u64 %rd3, %rd3, %rd2;
	st.shared.u32 [%rd3], %r3;
	mov.u64 %rd3, bytes;
	st.local.u8 [%rd3+5], %r3;
	cvt.rn.f32.u32 %f1, %r3;
	{
	.param .b32 a;
	.param .b32 r;
	st.param.b32 [a], %r3;
	call (r), twice, (a);
	ld.param.b32 %r4, [r];
	}
	ld.global.u32 %r5, [bias];
	add.u32 %r4, %r4, %r5;
	st.global.u32 [%rd1], %r4;
	ret;
}
`

// lineWith returns the number of the first line with a text.
func lineWith(text, part string) int {
	return 1 + strings.Count(text[:strings.Index(text, part)], "\n")
}

// debugKernel starts a session on a launch of a kernel, and returns the folder of its files.
func debugKernel(t *testing.T, ptx, launch string) (*debugClient, string, func() string) {
	dir := t.TempDir()
	for name, text := range map[string]string{"k.ptx": ptx, "k.launch.yaml": launch} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	in, toDebugger := io.Pipe()
	fromDebugger, out := io.Pipe()
	var messages bytes.Buffer
	code := make(chan int, 1)
	go func() {
		code <- run([]string{"debug", filepath.Join(dir, "k.launch.yaml")}, console{in, out, &messages, new(lastInput), nil})
		out.Close()
	}()
	c := &debugClient{t: t, in: toDebugger, out: bufio.NewReader(fromDebugger)}
	c.request("initialize", `{"adapterID":"chiaro"}`)
	return c, dir, func() string {
		_, output := c.wait("terminated")
		c.request("disconnect", `{}`)
		if n := <-code; n != exitClean {
			t.Errorf("exit code %d: %s", n, messages.String())
		}
		return output
	}
}

// frames returns the frames of a thread.
func (c *debugClient) framesOf(thread int) []dap.StackFrame {
	c.t.Helper()
	return c.request("stackTrace", fmt.Sprintf(`{"threadId":%d}`, thread)).(*dap.StackTraceResponse).Body.StackFrames
}

// evaluates checks the value of an expression in the innermost frame.
func (c *debugClient) evaluates(expression, want string) {
	c.t.Helper()
	if got := c.request("evaluate", fmt.Sprintf(`{"expression":%q}`, expression)).(*dap.EvaluateResponse).Body.Result; got != want {
		c.t.Errorf("%s is %s; must be %s", expression, got, want)
	}
}

// TestDebugKernel stops a kernel at lines of its PTX: it steps into a function and out, back, reads and changes registers and memory, and
// stops when a register changes.
func TestDebugKernel(t *testing.T) {
	c, dir, end := debugKernel(t, kernelText, "module: k.ptx\ngrid: [2]\nblock: [4]\nbuffers: {x: \"uint:10,20,30,40\"}\nparams: [\"address:x\", \"uint:3\"]\n")
	c.request("launch", `{"invocation":2}`)
	module := filepath.Join(dir, "k.ptx")
	call := lineWith(kernelText, "call (r)")
	bps := c.request("setBreakpoints", fmt.Sprintf(`{"source":{"path":%q},"breakpoints":[{"line":%d,"condition":"%%r3 == 30u && %%tid.x == 2"}]}`, module, call-3)).(*dap.SetBreakpointsResponse).Body.Breakpoints
	if b := bps[0]; !b.Verified || b.Line != call-1 { // the next instruction
		t.Errorf("the breakpoint is %+v; must be at line %d", b, call-1)
	}
	c.request("configurationDone", `{}`)
	e, _ := c.wait("stopped")
	thread := e.(*dap.StoppedEvent).Body.ThreadId
	frames := c.framesOf(thread)
	if len(frames) != 1 || frames[0].Name != "scale" || frames[0].Line != call-1 || frames[0].Source.Path != module || thread != 3 {
		t.Errorf("thread %d stopped at %+v", thread, frames)
	}
	for _, x := range [][2]string{{"%r3", "30"}, {"%f1 * 0.5", "15"}, {"tile[2]", "30"}, {"bytes[5]", "30"}, {"n", "3"}, {"bias", "7"}, {"%ntid.x + %tid.x", "6"}, {"%p1", "false"}, {"%laneid", "2"}} {
		c.evaluates(x[0], x[1])
	}
	found := map[string]int{}
	for _, s := range c.request("scopes", `{}`).(*dap.ScopesResponse).Body.Scopes {
		found[s.Name] = len(c.request("variables", fmt.Sprintf(`{"variablesReference":%d}`, s.VariablesReference)).(*dap.VariablesResponse).Body.Variables)
	}
	for name, n := range map[string]int{"Registers": 10, "Parameters": 2, "Local memory": 3, "Shared memory": 1, "Module": 1, "Invocation": 5} {
		if found[name] != n {
			t.Errorf("the scope %s has %d variables; must have %d", name, found[name], n)
		}
	}
	if list := c.request("threads", `{}`).(*dap.ThreadsResponse).Body.Threads; len(list) != 4 || list[2].Name != "thread 2,0,0 of block 0,0,0" {
		t.Errorf("threads %+v", list)
	}
	list := c.request("disassemble", fmt.Sprintf(`{"memoryReference":%q,"instructionCount":2}`, frames[0].InstructionPointerReference)).(*dap.DisassembleResponse).Body.Instructions
	if !strings.HasPrefix(list[1].Instruction, "call (r), twice") {
		t.Errorf("instructions %+v", list)
	}
	step := func(command string, line int, name string) {
		t.Helper()
		c.request(command, fmt.Sprintf(`{"threadId":%d}`, thread))
		c.wait("stopped")
		if f := c.framesOf(thread)[0]; f.Line != line || f.Name != name {
			t.Errorf("%s stopped at line %d of %s; must stop at %d of %s", command, f.Line, f.Name, line, name)
		}
	}
	step("next", call, "scale")
	step("stepIn", lineWith(kernelText, "ld.param.u32 %r0, [a]"), "twice")
	step("next", lineWith(kernelText, "shl.b32"), "twice")
	c.evaluates("%r0", "30")
	c.evaluates("a", "30")
	if frames = c.framesOf(thread); len(frames) != 2 || frames[1].Name != "scale" || frames[1].Line != call {
		t.Errorf("frames %+v", frames)
	}
	c.request("setExpression", `{"expression":"%r0","value":"100"}`)
	step("stepOut", call+1, "scale")
	step("stepBack", call, "scale")
	step("next", call+1, "scale")
	info := c.request("dataBreakpointInfo", `{"name":"%r4"}`).(*dap.DataBreakpointInfoResponse)
	c.request("setDataBreakpoints", fmt.Sprintf(`{"breakpoints":[{"dataId":%q}]}`, info.Body.DataId.(string)))
	c.request("continue", fmt.Sprintf(`{"threadId":%d}`, thread))
	if e, _ := c.wait("stopped"); !strings.Contains(e.(*dap.StoppedEvent).Body.Text, "%r4 changed from 0 to 200") {
		t.Errorf("stopped: %+v", e.(*dap.StoppedEvent).Body)
	}
	c.request("setDataBreakpoints", `{"breakpoints":[]}`)
	c.request("continue", fmt.Sprintf(`{"threadId":%d}`, thread))
	if output := end(); !strings.Contains(output, "x: 61 101 421 40") { // both blocks scale
		t.Errorf("the output is %q", output)
	}
}

// TestDebugKernelSource stops at a line that .loc names, and at one of the PTX.
func TestDebugKernelSource(t *testing.T) {
	text := strings.Replace(kernelText, ".global .u32 bias", ".file 1 \"k.cu\"\n.global .u32 bias", 1)
	for part, line := range map[string]int{"	mov.u32 %r1, %tid.x": 20, "	ld.global.u32 %r3": 21, "	cvt.rn": 22, "	ld.global.u32 %r5": 23} {
		text = strings.Replace(text, part, fmt.Sprintf("	.loc 1 %d 3\n%s", line, part), 1)
	}
	c, dir, end := debugKernel(t, text, "module: k.ptx\nblock: [4]\nbuffers: {x: \"uint:10,20,30,40\"}\nparams: [\"address:x\", \"uint:3\"]\nexpect: {x: \"uint:27,47,67,40\"}\n")
	c.request("launch", `{"stopOnEntry":true}`)
	for file, line := range map[string]int{"k.cu": 22, filepath.Join(dir, "k.ptx"): lineWith(text, "st.global")} {
		b := c.request("setBreakpoints", fmt.Sprintf(`{"source":{"path":%q},"breakpoints":[{"line":%d}]}`, file, line)).(*dap.SetBreakpointsResponse).Body.Breakpoints[0]
		if !b.Verified || b.Line != line {
			t.Errorf("the breakpoint at line %d of %s is %+v", line, file, b)
		}
	}
	c.request("configurationDone", `{}`)
	at := func(want int, reason string) {
		t.Helper()
		e, _ := c.wait("stopped")
		body := e.(*dap.StoppedEvent).Body
		if f := c.framesOf(body.ThreadId)[0]; f.Line != want || f.Source.Name != "k.cu" || body.Reason != reason {
			t.Errorf("stopped by %s at line %d of %s; must stop by %s at %d", body.Reason, f.Line, f.Source.Name, reason, want)
		}
	}
	at(20, "entry")
	c.request("next", `{"threadId":1}`)
	at(20, "step") // after the guard
	c.request("next", `{"threadId":1}`)
	at(21, "step")
	c.request("next", `{"threadId":1,"granularity":"instruction"}`)
	at(21, "step")
	c.request("continue", `{"threadId":1}`)
	at(22, "breakpoint")
	c.request("continue", `{"threadId":1}`)
	at(23, "instruction breakpoint")
	c.request("continue", `{"threadId":1}`)
	if output := end(); strings.Contains(output, "error") {
		t.Errorf("the output is %q", output)
	}
}

// TestDebugPTX checks that a launch request of PTX asks for a description of a launch.
func TestDebugPTX(t *testing.T) {
	in, toDebugger := io.Pipe()
	fromDebugger, out := io.Pipe()
	go run([]string{"debug", "k.ptx"}, console{in, out, io.Discard, new(lastInput), nil})
	defer toDebugger.Close()
	c := &debugClient{t: t, in: toDebugger, out: bufio.NewReader(fromDebugger)}
	for launch, file := range map[string]string{`{}`: "k.ptx", `{"program":"other.ptx"}`: "other.ptx"} {
		if r, want := c.ask("launch", launch).GetResponse(), file+" is PTX; want a description of a launch, NAME.launch.yaml"; r.Success || r.Message != want {
			t.Errorf("launch with %s: %q; must be %q", launch, r.Message, want)
		}
	}
}
