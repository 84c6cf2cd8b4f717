package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-dap"
)

// raysScript launches 4×2 rays from z = 0 or 1, with shaders of all stages.
const raysScript = "../../internal/amber/testdata/raytracing.amber"

// expect fails the test if a variable of a scope has another value.
func (c *debugClient) expect(f dap.StackFrame, scope, name, want string) {
	c.t.Helper()
	if got := c.values(f, scope)[name]; got != want {
		c.t.Errorf("%s: %s %s is %s, want %s", f.Name, scope, name, got, want)
	}
}

// TestDebugHitShader stops in the closest-hit shader of one invocation of a launch: the ray generation shader that traced the ray is its
// caller, it has the payload, the attributes of the hit and the built-ins of both. A step out returns to the caller, a step back enters the
// shader again.
func TestDebugHitShader(t *testing.T) {
	c := debugScript(t, raysScript, `{"stopOnEntry":true,"stage":"closesthit","launchId":[2,1]}`)
	thread, f := c.stop()
	frames := c.request("stackTrace", fmt.Sprintf(`{"threadId":%d}`, thread)).(*dap.StackTraceResponse).Body.StackFrames
	if len(frames) != 2 || frames[0].Name != "main (closesthit)" || frames[1].Name != "main (raygen)" {
		t.Fatalf("frames %+v", frames)
	}
	c.expect(f, "Invocation", "LaunchIdKHR", "(2, 1, 0)")
	c.expect(f, "Invocation", "LaunchSizeKHR", "(4, 2, 1)")
	c.expect(f, "Rays", "%5", "(0.5, 0)")
	c.expect(f, "Rays", "%3", "0")
	c.expect(f, "Inputs", "%4", "9") // the custom index of the instance
	r := c.request("evaluate", fmt.Sprintf(`{"frameId":%d,"expression":"gl_LaunchIDEXT.x * 10u + gl_LaunchSizeEXT.y"}`, f.Id)).(*dap.EvaluateResponse)
	if r.Body.Result != "22" {
		t.Errorf("an expression with built-ins is %s, want 22", r.Body.Result)
	}
	if list := c.request("threads", `{}`).(*dap.ThreadsResponse).Body.Threads; len(list) != 8 {
		t.Errorf("%d threads, want the 8 invocations of the launch: %v", len(list), list)
	}

	info := c.request("dataBreakpointInfo", fmt.Sprintf(`{"name":"%%3","frameId":%d}`, f.Id)).(*dap.DataBreakpointInfoResponse)
	c.request("setDataBreakpoints", fmt.Sprintf(`{"breakpoints":[{"dataId":%q}]}`, info.Body.DataId.(string)))
	c.request("continue", fmt.Sprintf(`{"threadId":%d}`, thread))
	e, _ := c.wait("stopped")
	if s := e.(*dap.StoppedEvent).Body; s.Reason != "data breakpoint" || !strings.Contains(s.Text, "%3 changed from 0 to 59") {
		t.Errorf("stopped by %s: %s", s.Reason, s.Text)
	}
	c.request("setDataBreakpoints", `{"breakpoints":[]}`)
	c.request("reverseContinue", fmt.Sprintf(`{"threadId":%d}`, thread))
	if _, f = c.stop(); f.Name != "main (closesthit)" {
		t.Errorf("going back ends in %s", f.Name)
	}
	c.expect(f, "Rays", "%3", "0")
}

// TestDebugEnter steps from the ray generation shader into those that its ray runs.
func TestDebugEnter(t *testing.T) {
	c := debugScript(t, raysScript, `{"stopOnEntry":true,"launchId":[0,0]}`)
	thread, f := c.stop()
	var seen []string
	for range 100 {
		if len(seen) == 0 || seen[len(seen)-1] != f.Name {
			seen = append(seen, f.Name)
		}
		if strings.Contains(f.Name, "callable") {
			break
		}
		c.request("stepIn", fmt.Sprintf(`{"threadId":%d}`, thread))
		thread, f = c.stop()
	}
	if got := strings.Join(seen, " "); got != "main (raygen) main (anyhit) main (raygen) main (closesthit) main (raygen) main (callable)" && got != "main (raygen) main (anyhit) main (closesthit) main (raygen) main (callable)" {
		t.Errorf("the steps enter %s", got)
	}
}

// TestDebugRayQuery shows a ray query before and after its traversal.
func TestDebugRayQuery(t *testing.T) {
	c := debugScript(t, "../../examples/rays.amber", `{"stopOnEntry":true,"stage":"fragment","pixel":[128,128]}`)
	thread, f := c.stop()
	c.expect(f, "Globals", "%67", "not started")
	for range 100 {
		if v := c.values(f, "Globals")["%67"]; strings.HasPrefix(v, "ended") {
			if v != "ended, committed: box at 4.733629" {
				t.Errorf("the ray query is %s", v)
			}
			return
		}
		c.request("next", fmt.Sprintf(`{"threadId":%d}`, thread))
		thread, f = c.stop()
	}
	t.Error("the ray query does not end")
}

// TestDebugLaunchEnd stops at a change of data by the last operation of a shader, in the code around the shaders, which shows no frame.
func TestDebugLaunchEnd(t *testing.T) {
	c := debugScript(t, raysScript, `{"stopOnEntry":true,"stage":"raygen","launchId":[0,0]}`)
	thread, f := c.stop()
	info := c.request("dataBreakpointInfo", fmt.Sprintf(`{"name":"%%7.member0[0]","frameId":%d}`, f.Id)).(*dap.DataBreakpointInfoResponse)
	c.request("setDataBreakpoints", fmt.Sprintf(`{"breakpoints":[{"dataId":%q}]}`, info.Body.DataId.(string)))
	c.request("continue", fmt.Sprintf(`{"threadId":%d}`, thread))
	if e, _ := c.wait("stopped"); e.(*dap.StoppedEvent).Body.Reason != "data breakpoint" {
		t.Errorf("stopped by %+v", e)
	}
	frames := c.request("stackTrace", fmt.Sprintf(`{"threadId":%d}`, thread)).(*dap.StackTraceResponse).Body.StackFrames
	for _, f := range frames {
		c.request("scopes", fmt.Sprintf(`{"frameId":%d}`, f.Id))
		if f.Name == "launch" {
			t.Error("a frame of the code around the shaders")
		}
	}
	c.request("threads", `{}`)
}
