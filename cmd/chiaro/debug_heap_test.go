package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-dap"
)

// TestDebugHeapImages looks at images that a shader loads from a descriptor heap: they are values of the instructions, with texels, data breakpoints and
// pictures. Workgroup x stores 31 + x + 1 + x in texel x.
func TestDebugHeapImages(t *testing.T) {
	c := debugScript(t, "testdata/debug_heap.amber", `{"stopOnEntry":true}`)
	thread, _ := c.stop()
	for range 8 { // to the fetch, after the loads
		c.request("next", fmt.Sprintf(`{"threadId":%d,"granularity":"instruction"}`, thread))
		next, f := c.stop()
		thread = next
		if _, at := c.lineOf(f, ""); strings.Contains(at, "OpImageFetch") {
			break
		}
	}
	for name, want := range map[string]string{"source": "4×1 R32_SFLOAT", "target": "4×1 R32_SFLOAT"} {
		v := c.image("Values", name)
		if v.Type != "image2D" || v.Value != want {
			t.Errorf("%s is a %s, %s; want a image2D, %s", name, v.Type, v.Value, want)
		}
		if _, data := c.pictureOf(v); len(data) == 0 {
			t.Errorf("%s has no picture", name)
		}
	}
	c.evaluates("imageLoad(target, ivec2(2, 0)).x + texelFetch(source, ivec2(3, 0), 0).x", "37")
	m := c.request("dataBreakpointInfo", `{"name":"imageLoad(target, ivec2(2, 0))"}`).(*dap.DataBreakpointInfoResponse)
	c.request("setDataBreakpoints", fmt.Sprintf(`{"breakpoints":[{"dataId":%q}]}`, m.Body.DataId))
	c.request("continue", fmt.Sprintf(`{"threadId":%d}`, thread))
	e, _ := c.wait("stopped")
	body := e.(*dap.StoppedEvent).Body
	if body.Reason != "data breakpoint" || !strings.Contains(body.Text, "changed from (3, 0, 0, 1) to (36, 0, 0, 1)") {
		t.Errorf("stopped by %s: %s; want a change of texel 2 from 3 to 36", body.Reason, body.Text)
	}
	c.evaluates("gl_WorkGroupID", "(2, 0, 0)")
}

// TestDebugMappedImage looks at an image variable whose descriptor is in a heap, by a mapping: it has no texels before the shader has loaded it.
func TestDebugMappedImage(t *testing.T) {
	c := debugScript(t, "testdata/debug_mapped.amber", `{"stopOnEntry":true}`)
	thread, _ := c.stop()
	if v := c.image("Resources", "target"); !strings.Contains(v.Value, "no image") {
		t.Errorf("the image is %s before its load; must be none", v.Value)
	}
	for range 8 {
		c.request("next", fmt.Sprintf(`{"threadId":%d,"granularity":"instruction"}`, thread))
		next, f := c.stop()
		thread = next
		if _, at := c.lineOf(f, ""); strings.Contains(at, "OpImageRead") {
			break
		}
	}
	if v := c.image("Resources", "target"); v.Value != "4×1 R32_SFLOAT" {
		t.Errorf("the image is %s; must have 4×1 texels", v.Value)
	}
	c.evaluates("imageLoad(target, ivec2(3, 0)).x + target[0][1].x", "6")
}
