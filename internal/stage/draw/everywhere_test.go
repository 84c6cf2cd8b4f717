package draw_test

import (
	"math"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// fan is triangles around a middle that wobble, in several tiles, some of them beyond
// the edges of the picture, some before others.
func fan(n int) []byte {
	var list []float32
	for i := range n {
		at := func(k int, r float64) (float32, float32) {
			s, c := math.Sincos(float64(k) * 2.399963)
			return float32(r * c), float32(r * s)
		}
		x0, y0 := at(i, 0.1)
		x1, y1 := at(i+1, 1.25)
		x2, y2 := at(i+5, 0.4+float64(i%7)/6)
		z := float32(i%11) / 11
		w := 1 + float32(i%3)/2
		list = append(list, x0, y0, z, 1, x1*w, y1*w, (1-z)*w, w, x2, y2, 0.5, 1)
	}
	return floats(list...)
}

// scenes are draws with all stages and most of the state.
func scenes() map[string]*fuzzed {
	over := state.BlendAttachment{Enable: true, SrcColor: enum.BlendFactorSrcAlpha, DstColor: enum.BlendFactorOneMinusSrcAlpha, SrcAlpha: enum.BlendFactorOne, DstAlpha: enum.BlendFactorOneMinusSrcAlpha, WriteMask: 15}
	add := state.BlendAttachment{Enable: true, SrcColor: enum.BlendFactorSrcColor, DstColor: enum.BlendFactorOne, SrcAlpha: enum.BlendFactorOne, DstAlpha: enum.BlendFactorOne, WriteMask: 11}
	nearest := state.DepthStencil{Test: true, Write: true, Compare: enum.CompareOpLess}
	face := state.StencilFace{Pass: enum.StencilOpIncrementAndWrap, DepthFail: enum.StencilOpInvert, Compare: enum.CompareOpNotEqual, CompareMask: 15, WriteMask: 255, Reference: 3}
	given := func(extra int) string {
		return strings.NewReplacer("DECLARED", extras[extra][0], "MORE", extras[extra][1]).Replace(givenText)
	}
	slope := strings.Replace(slopeText, "DEMOTE", "if v23 {\n demote\n }\n", 1)
	list := map[string]*fuzzed{
		"blended":        {formats: []string{"R8G8B8A8_UNORM"}, fragment: shownText, state: state.State{Blend: state.Blend{Attachments: []state.BlendAttachment{over}}}},
		"added":          {formats: []string{"R16G16B16A16_SFLOAT", "R16_UNORM"}, fragment: shownText, second: 1, state: state.State{Blend: state.Blend{Attachments: []state.BlendAttachment{add}}}},
		"samples":        {formats: []string{"R8G8B8A8_SRGB"}, fragment: shownText, samples: 4, tests: "D32_SFLOAT_S8_UINT", state: state.State{DepthStencil: nearest, Blend: state.Blend{Attachments: []state.BlendAttachment{over}}}},
		"shaded samples": {formats: []string{"R8G8B8A8_UNORM"}, fragment: strings.ReplaceAll(shownText, "f32 5\n", "f32 5 sample\n"), samples: 8, modes: ir.PerSample},
		"alpha":          {formats: []string{"R8G8B8A8_UNORM"}, fragment: shownText, samples: 4, state: state.State{Multisample: state.Multisample{AlphaToCoverage: true}}},
		"stencil": {formats: []string{"R8G8B8A8_UNORM"}, fragment: shownText, tests: "D24_UNORM_S8_UINT",
			state: state.State{DepthStencil: state.DepthStencil{Test: true, Compare: enum.CompareOpGreater, Stencil: true, Front: face, Back: face}}},
		"depth export": {formats: []string{"R8_UNORM"}, fragment: deepText, tests: "D32_SFLOAT_S8_UINT", state: state.State{DepthStencil: nearest}},
		"slopes":       {formats: []string{"R32G32B32A32_SFLOAT"}, fragment: slope},
		"loops":        {formats: []string{"R32G32B32A32_SFLOAT"}, fragment: strings.Replace(loopText, "ENDS", "demote", 1)},
		"roots":        {formats: []string{"R32G32B32A32_SFLOAT"}, fragment: waiting("fsqrt.f32 v8")},
		"quotients":    {formats: []string{"R8G8B8A8_UNORM"}, fragment: waiting("fdiv.f32 v8, 1.5:f32"), samples: 4},
		"holes":        {formats: []string{"R8_UNORM"}, fragment: holesText, tests: "D16_UNORM", state: state.State{DepthStencil: nearest}},
		"geometry":     {formats: []string{"R8G8B8A8_UNORM"}, fragment: shownText, middle: 1, state: state.State{Blend: state.Blend{Attachments: []state.BlendAttachment{over}}}},
		"tessellation": {formats: []string{"R8G8B8A8_UNORM"}, fragment: shownText, middle: 2, domain: "quads fractionalodd ccw", level: "5.5", tests: "D32_SFLOAT_S8_UINT",
			state: state.State{Assembly: state.Assembly{Topology: enum.TopologyPatchList, PatchPoints: 4}, DepthStencil: nearest}},
		"isolines": {formats: []string{"R8G8B8A8_UNORM"}, fragment: shownText, middle: 2, domain: "isolines equal ccw", level: "7.0",
			state: state.State{Assembly: state.Assembly{Topology: enum.TopologyPatchList, PatchPoints: 4}}},
		"points": {formats: []string{"R8G8B8A8_UNORM"}, fragment: giveText("pointcoord f32 1", "f32"), vertex: given(2), state: state.State{Assembly: state.Assembly{Topology: enum.TopologyPointList}}},
		"lines": {formats: []string{"R8G8B8A8_UNORM"}, fragment: shownText,
			state: state.State{Assembly: state.Assembly{Topology: enum.TopologyLineStrip}, Rasterization: state.Rasterization{LineWidth: 3, LineMode: enum.LineModeRectangularSmooth, Stipple: state.LineStipple{Factor: 3, Pattern: 0x6b5d}}}},
		"outlines":      {formats: []string{"R8G8B8A8_UNORM"}, fragment: shownText, state: state.State{Rasterization: state.Rasterization{PolygonMode: enum.PolygonModeLine, LineMode: enum.LineModeBresenham}}},
		"overestimated": {formats: []string{"R8G8B8A8_UNORM"}, fragment: giveText("fullycovered i32 0", "i32"), state: state.State{Rasterization: state.Rasterization{Conservative: 1}}},
		"views":         {formats: []string{"R8G8B8A8_UNORM"}, fragment: giveText("viewindex i32 0", "i32"), layers: 3, state: state.State{ViewMask: 6}},
		"coarse":        {formats: []string{"R8G8B8A8_UNORM"}, fragment: shownText, state: state.State{Rate: state.ShadingRate{Width: 2, Height: 2}}},
		"clipped":       {formats: []string{"R8G8B8A8_UNORM"}, fragment: giveText("clipdistance f32 1", "f32"), vertex: given(5), state: state.State{Rasterization: state.Rasterization{DepthClip: true}}},
		"logic":         {formats: []string{"A2B10G10R10_UNORM_PACK32"}, fragment: shownText, state: state.State{Blend: state.Blend{Logic: true, LogicOp: enum.LogicOpXor}}},
	}
	list["many"] = &fuzzed{formats: []string{"R8G8B8A8_UNORM"}, fragment: shownText, tests: "D16_UNORM", state: state.State{DepthStencil: nearest, Blend: state.Blend{Attachments: []state.BlendAttachment{over}}}}
	for _, f := range list {
		f.complete(given(0))
	}
	list["many"].args.Instances = 16
	return list
}

// complete is a draw with what it does not say.
func (f *fuzzed) complete(vertex string) {
	const triangles = 40
	f.width, f.height = 97, 71
	f.samples, f.layers = max(f.samples, 1), max(f.layers, 1)
	if f.vertex == "" {
		f.vertex = vertex
	}
	s := &f.state
	if s.Assembly == (state.Assembly{}) {
		s.Assembly.Topology = enum.TopologyTriangleList
	}
	s.Viewports = []state.Viewport{{Width: 97, Height: 71, MaxDepth: 1}}
	s.Scissors = []state.Rect{{X: 3, Y: 2, Width: 90, Height: 67}}
	s.Multisample.Samples = uint32(f.samples)
	s.Vertex = state.VertexInput{Bindings: []state.VertexBinding{{Stride: 16}, {Binding: 1, Stride: 4}},
		Attributes: []state.VertexAttribute{{Format: "R32G32B32A32_SFLOAT"}, {Location: 1, Binding: 1, Format: "R8G8B8A8_UNORM"}}}
	var colors []byte
	for i := range 4 * 3 * triangles {
		colors = append(colors, byte(40+i*71))
	}
	f.args = state.Args{Count: 3 * triangles, Instances: 1, VertexBuffers: []exec.Buffer{{Bytes: fan(triangles)}, {Bytes: colors}}}
}

// TestEverywhere draws scenes with each engine, several sizes of subgroups and several
// workers, some of them with packs: of each all pictures are the same, and something is drawn.
func TestEverywhere(t *testing.T) {
	for name, f := range scenes() {
		t.Run(name, func(t *testing.T) {
			f.everywhere(t)
		})
	}
}

// everywhere draws a scene with each engine and compares the pictures.
func (f *fuzzed) everywhere(t *testing.T) {
	everywhere(t, func(t *testing.T, e exec.Engine, subgroup uint32, workers int) []byte {
		if workers == 2 {
			defer draw.Packs(true)()
		}
		picture, passed, err := f.run(t, how{e, subgroup, workers})
		if err != nil {
			t.Fatal(err)
		}
		if passed < 100 {
			t.Errorf("%d samples passed; want more", passed)
		}
		return picture
	})
}

// TestInstancesEverywhere draws instances beside each other, in more chunks than two, for two views. Instances repeat chunks.
func TestInstancesEverywhere(t *testing.T) {
	over := state.BlendAttachment{Enable: true, SrcColor: enum.BlendFactorSrcAlpha, DstColor: enum.BlendFactorOneMinusSrcAlpha, SrcAlpha: enum.BlendFactorOne, WriteMask: 15}
	moved := "v90 = in.i32 #7\n v91 = utof.f32.i32 v90\n v92 = ffma.f32 v91, 0.015625:f32, v1\n out.f32 v92, #0"
	f := &fuzzed{formats: []string{"R8G8B8A8_UNORM"}, fragment: shownText, layers: 2, state: state.State{ViewMask: 3, Blend: state.Blend{Attachments: []state.BlendAttachment{over}}}}
	f.complete(strings.NewReplacer("DECLARED", "", "MORE", "", "out.f32 v1, #0", moved).Replace(givenText))
	f.args.Instances = 150
	f.everywhere(t)
}

// TestMismatchedAttachments draws to attachments of several sizes: what all of them have
// is drawn, and nothing else.
func TestMismatchedAttachments(t *testing.T) {
	text := with(shownText, "out location f32 4", "out.f32 1.0:f32, #4")
	for _, e := range engines() {
		c := blank(t, 16, 12, "R8G8B8A8_UNORM")
		other := blank(t, 9, 20, "R8_UNORM")
		c.Colors, c.images = append(c.Colors, other.Colors...), append(c.images, other.images...)
		s := full(c)
		s.Viewports[0] = state.Viewport{Width: 64, Height: 64, MaxDepth: 1}
		s.Scissors[0] = state.Rect{Width: 64, Height: 64}
		paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, text, 0)}, s, c, state.Args{Count: 3, Shader: compute.Args{Push: cover}})
		for i := range 16 * 12 {
			if got, want := c.bytes(0)[4*i+3] != 0, i%16 < 9; got != want {
				t.Errorf("%s: texel (%d, %d) of the first is drawn: %t", e.Name(), i%16, i/16, got)
			}
		}
		for i := range 9 * 20 {
			if got, want := c.bytes(1)[i] != 0, i/9 < 12; got != want {
				t.Errorf("%s: texel (%d, %d) of the second is drawn: %t", e.Name(), i%9, i/9, got)
			}
		}
	}
}

// TestQuadEdges draws triangles that cover one pixel each, in each place of a quad, in
// the middle of a picture of odd size and at its edges, where half of the quad is
// outside: the weights of the corners are sums of powers of two, and so are derivatives,
// exactly (Vulkan §"Derivative Operations", §"Helper Invocations").
func TestQuadEdges(t *testing.T) {
	const width, height = 13, 11
	for _, wide := range []bool{false, true} { // quads of strips, and of lanes that follow each other
		text := strings.Replace(slopeText, "DEMOTE", "", 1)
		if wide {
			text = strings.Replace(text, "func \"main\"", "in subgrouplane i32 0\nfunc \"main\"", 1)
		}
		for _, at := range [][2]int{{4, 4}, {5, 4}, {4, 5}, {5, 5}, {0, 0}, {12, 4}, {12, 5}, {4, 10}, {5, 10}, {12, 10}} {
			everySize(t, func(e exec.Engine, size uint32) {
				c := blank(t, width, height, "R32G32B32A32_SFLOAT")
				x, y := float32(at[0])+0.25, float32(at[1])+0.25
				ndc := func(x, y float32) []float32 { return []float32{x*2/16 - 1, y*2/16 - 1, 0.5, 1} }
				push := floats(append(append(ndc(x, y), ndc(x+1, y)...), ndc(x, y+1)...)...)
				s := full(c)
				s.Viewports[0] = state.Viewport{Width: 16, Height: 16, MaxDepth: 1}
				paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, text, size)}, s, c, state.Args{Count: 3, Shader: compute.Args{Push: push}})
				// The first corner's weight is 1 − (x − x₀) − (y − y₀): ½ at the pixel's middle.
				across := 0.5
				for axis := range 2 {
					if at[axis]&1 == 0 {
						across--
					} else {
						across++
					}
				}
				for i := range width * height {
					want := [4]float64{}
					if i%width == at[0] && i/width == at[1] {
						want = [4]float64{-1, -1, across, 2}
					}
					b := c.bytes(0)[16*i:]
					if got := [4]float64{number(b, 0), number(b, 1), number(b, 2), number(b, 3)}; got != want {
						t.Errorf("%s, subgroups of %d, pixel %v: texel (%d, %d) is %v; want %v", e.Name(), size, at, i%width, i/width, got, want)
					}
				}
			})
		}
	}
}

// everySize calls run with each engine and size of subgroups.
func everySize(t *testing.T, run func(e exec.Engine, size uint32)) {
	t.Helper()
	for _, e := range engines() {
		for _, size := range []uint32{4, 8, 16, 32, 64} {
			run(e, size)
		}
	}
}
