package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image/color"
	"image/png"
	"os"
	"strings"
	"testing"

	"github.com/google/go-dap"
)

// expression returns the text of an expression, and the error of one that has none.
func (c *debugClient) expression(text string) string {
	c.t.Helper()
	switch m := c.ask("evaluate", fmt.Sprintf(`{"expression":%q}`, text)).(type) {
	case *dap.EvaluateResponse:
		return m.Body.Result
	case *dap.ErrorResponse:
		return m.Message
	}
	return ""
}

// TestDebugTexel stops when the shader changes a texel, or a component of one, and goes back before the change.
func TestDebugTexel(t *testing.T) {
	c := debugScript(t, "testdata/debug_image.amber", `{"stopOnEntry":true}`)
	thread, _ := c.stop()
	for _, w := range []struct{ text, why string }{
		{"target", "several texels"}, {"imageLoad(target, ivec2(8, 0))", "must be less than 8"}, {"imageLoad(target, ivec2(-1, 0))", "must be less than 8"},
		{"imageLoad(target, ivec3(0, 0, 0))", "the image has 2"}, {"imageLoad(target, vec2(0, 0))", "integer"}, {"imageLoad(light, ivec2(0, 0))", "wants an image"}, {"imageLoad()", "wants an image"},
	} {
		m := c.request("dataBreakpointInfo", fmt.Sprintf(`{"name":%q}`, w.text)).(*dap.DataBreakpointInfoResponse)
		if id, _ := m.Body.DataId.(string); id != "" || !strings.Contains(m.Body.Description, w.why) {
			t.Errorf("a data breakpoint at %s has the id %q: %q; want none, since %s", w.text, id, m.Body.Description, w.why)
		}
	}
	watches := ""
	for i, text := range []string{"imageLoad(target, ivec2(5, 2))", "counts[1][3].x"} {
		if i > 0 {
			watches += ","
		}
		m := c.request("dataBreakpointInfo", fmt.Sprintf(`{"name":%q}`, text)).(*dap.DataBreakpointInfoResponse)
		watches += fmt.Sprintf(`{"dataId":%q}`, m.Body.DataId)
	}
	c.request("setDataBreakpoints", `{"breakpoints":[`+watches+`]}`)
	// Workgroup (5, 2) stores 5/8, 2/4, 1 and 0.2 in 8 bits: the nearest codes are 159, 128, 255 and 51. Row 3 of workgroups
	// subtracts 3 from texel (3, 1) of the counts.
	stops := []struct{ text, group string }{
		{"imageLoad(target, ivec2(5, 2)) changed from (0, 0, 0, 0) to (0.62352943, 0.5019608, 1, 0.2)", "(5, 2, 0)"},
		{"counts[1][3].x changed from 0 to -3", "(0, 3, 0)"}, {"counts[1][3].x changed from -3 to -6", "(1, 3, 0)"},
	}
	for _, want := range stops {
		c.request("continue", fmt.Sprintf(`{"threadId":%d}`, thread))
		e, _ := c.wait("stopped")
		body := e.(*dap.StoppedEvent).Body
		if thread = body.ThreadId; body.Reason != "data breakpoint" || !strings.HasPrefix(body.Text, want.text) {
			t.Errorf("stopped by %s: %s; want %s", body.Reason, body.Text, want.text)
		}
		if got := c.expression("gl_WorkGroupID"); got != want.group {
			t.Errorf("%s in workgroup %s; want %s", body.Text, got, want.group)
		}
	}
	for _, want := range []string{stops[1].text, stops[0].text} {
		c.request("reverseContinue", fmt.Sprintf(`{"threadId":%d}`, thread))
		e, _ := c.wait("stopped")
		if got := e.(*dap.StoppedEvent).Body.Text; !strings.HasPrefix(got, want) {
			t.Errorf("back at %q; want %s", got, want)
		}
	}
	if got := c.expression("imageLoad(counts, ivec2(3, 1)).x + texelFetch(source, ivec2(1, 0), 0).y * 2.0"); got != "1" {
		t.Errorf("the texel of the counts is %s after going back, with 1 of the source; want 1", got)
	}
	if got := c.expression("target[2][5].x == target[2][4].x"); got != "false" {
		t.Errorf("the texels beside are equal: %s", got)
	}
	c.request("setDataBreakpoints", `{"breakpoints":[]}`)
	c.request("continue", fmt.Sprintf(`{"threadId":%d}`, thread))
	if _, out := c.wait("terminated"); !strings.Contains(out, "pass") {
		t.Errorf("the run ended with %q", out)
	}
}

// image returns the variable of a scope with a name.
func (c *debugClient) image(scope, name string) (v dap.Variable) {
	c.t.Helper()
	for _, s := range c.request("scopes", `{}`).(*dap.ScopesResponse).Body.Scopes {
		if s.Name != scope {
			continue
		}
		for _, v := range c.request("variables", fmt.Sprintf(`{"variablesReference":%d}`, s.VariablesReference)).(*dap.VariablesResponse).Body.Variables {
			if v.Name == name {
				return v
			}
		}
	}
	c.t.Fatalf("%s has no %s", scope, name)
	return v
}

// pictureOf reads the memory of a picture in pieces, and returns it with the file of the picture, which has the same bytes.
func (c *debugClient) pictureOf(v dap.Variable) (file string, data []byte) {
	c.t.Helper()
	for {
		m := c.request("readMemory", fmt.Sprintf(`{"memoryReference":%q,"offset":%d,"count":50}`, v.MemoryReference, len(data))).(*dap.ReadMemoryResponse)
		piece, err := base64.StdEncoding.DecodeString(m.Body.Data)
		if err != nil {
			c.t.Fatal(err)
		}
		if data = append(data, piece...); len(piece)+m.Body.UnreadableBytes != 50 {
			c.t.Fatalf("%d bytes and %d unreadable ones of 50", len(piece), m.Body.UnreadableBytes)
		}
		if len(piece) < 50 {
			break
		}
	}
	file = c.expression("picture(" + v.EvaluateName + ")")
	if saved, err := os.ReadFile(file); err != nil || !bytes.Equal(saved, data) {
		c.t.Errorf("the file of %s: %v; must have the bytes of its memory", v.Name, err)
	}
	return file, data
}

// TestDebugPicture looks at images of a dispatch, and at the attachments of a draw, as variables and as pictures. The files are removed when
// the client leaves.
func TestDebugPicture(t *testing.T) {
	c := debugScript(t, "testdata/debug_image.amber", `{"stopOnEntry":true}`)
	thread, f := c.stop()
	line, _ := c.lineOf(f, "OpAtomicIAdd")
	c.request("setBreakpoints", fmt.Sprintf(`{"source":{"path":%q},"breakpoints":[{"line":%d,"condition":"gl_WorkGroupID.x == 7 && gl_WorkGroupID.y == 3"}]}`, f.Source.Path, line))
	c.request("continue", fmt.Sprintf(`{"threadId":%d}`, thread))
	c.stop()
	target := c.image("Resources", "target")
	if target.Type != "image2D" || target.Value != "8×4 R8G8B8A8_UNORM" || target.IndexedVariables != 4 {
		t.Errorf("the image is a %s of %d rows, %s", target.Type, target.IndexedVariables, target.Value)
	}
	rows := c.request("variables", fmt.Sprintf(`{"variablesReference":%d,"start":2,"count":1}`, target.VariablesReference)).(*dap.VariablesResponse).Body.Variables
	texels := c.request("variables", fmt.Sprintf(`{"variablesReference":%d}`, rows[0].VariablesReference)).(*dap.VariablesResponse).Body.Variables
	if len(texels) != 8 || texels[5].EvaluateName != "target[2][5]" || texels[5].Value != "(0.62352943, 0.5019608, 1, 0.2)" || texels[5].Type != "vec4" || texels[5].MemoryReference != "" {
		t.Errorf("the texels of row 2 are %+v", texels)
	}
	if counts := c.image("Resources", "counts"); counts.Value != "4×2 R32_SINT" {
		t.Errorf("the counts are %s", counts.Value)
	}
	file, data := c.pictureOf(target)
	m, err := png.Decode(bytes.NewReader(data))
	if err != nil || m.Bounds().Dx() != 8 || m.Bounds().Dy() != 4 {
		t.Fatalf("a picture %v: %v", m, err)
	}
	for y := range 4 {
		for x := range 8 {
			want := color.NRGBA{R: uint8((x*255*2 + 8) / 16), G: uint8((y*255*2 + 4) / 8), B: 255, A: 51}
			if got := m.At(x, y); got != want {
				t.Errorf("the picture has %v at (%d, %d); want %v", got, x, y, want)
			}
		}
	}
	for _, r := range []string{`{"memoryReference":"picture:999","count":1}`, `{"memoryReference":"0x10","count":1}`, `{"memoryReference":"","count":1}`} {
		if c.ask("readMemory", r).GetResponse().Success {
			t.Errorf("reading %s is a success", r)
		}
	}
	if got := c.expression("picture(light)"); !strings.Contains(got, "not an image") {
		t.Errorf("the picture of a vector is %q", got)
	}
	c.located(target.VariablesReference, file)
	c.request("disconnect", `{}`)
	for {
		if _, err := dap.ReadBaseMessage(c.out); err != nil {
			break
		}
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("the picture is still there: %v", err)
	}
}

// located asks for the location of a picture, a request that the client's package does not have, and of one that there is not.
func (c *debugClient) located(reference int, file string) {
	c.t.Helper()
	for _, n := range []int{reference, 999} {
		if err := dap.WriteBaseMessage(c.in, fmt.Appendf(nil, `{"seq":1,"type":"request","command":"locations","arguments":{"locationReference":%d}}`, n)); err != nil {
			c.t.Fatal(err)
		}
		data, err := dap.ReadBaseMessage(c.out)
		if err != nil {
			c.t.Fatal(err)
		}
		if got := strings.Contains(string(data), fmt.Sprintf("%q", file)); got != (n == reference) {
			c.t.Errorf("the location %d is %s", n, data)
		}
	}
}

// TestDebugAttachment stops when a draw changes a pixel of its attachment, and looks at the attachments as pictures.
func TestDebugAttachment(t *testing.T) {
	c := debugDraw(t, `{"stopOnEntry":true,"stage":"fragment"}`)
	thread, _ := c.stop()
	watch := c.request("dataBreakpointInfo", `{"name":"depth[32][16].x"}`).(*dap.DataBreakpointInfoResponse)
	c.request("setDataBreakpoints", fmt.Sprintf(`{"breakpoints":[{"dataId":%q}]}`, watch.Body.DataId))
	for _, want := range []string{"changed from 1 to 0.5", "changed from 0.5 to 0.25"} {
		c.request("continue", fmt.Sprintf(`{"threadId":%d}`, thread))
		e, _ := c.wait("stopped")
		body := e.(*dap.StoppedEvent).Body
		if thread = body.ThreadId; body.Reason != "data breakpoint" || !strings.Contains(body.Text, want) {
			t.Errorf("stopped by %s: %s; want that the depth %s", body.Reason, body.Text, want)
		}
	}
	if got := c.expression("imageLoad(color0, ivec2(16, 32))"); got != "(0.25882354, 0.5058824, 0.2509804, 1)" {
		t.Errorf("the pixel is %s", got)
	}
	_, data := c.pictureOf(c.image("Attachments", "color0"))
	if m, err := png.Decode(bytes.NewReader(data)); err != nil || color.NRGBAModel.Convert(m.At(16, 32)) != (color.NRGBA{66, 129, 64, 255}) {
		t.Errorf("the pixel of the picture is %v: %v", m.At(16, 32), err)
	}
	_, data = c.pictureOf(c.image("Attachments", "depth"))
	if m, err := png.Decode(bytes.NewReader(data)); err != nil || color.NRGBAModel.Convert(m.At(16, 32)) != (color.NRGBA{64, 64, 64, 255}) {
		t.Errorf("the depth of the picture is %v: %v", m.At(16, 32), err)
	}
}
