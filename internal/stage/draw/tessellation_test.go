package draw_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// controlText passes the corners of a patch of 4 on, each invocation that of the
// next vertex, and gives outer levels 4 and inner ones 3. Location 2 is once for the
// patch.
const controlText = `
program "control" tesscontrol
subgroup 16
local 1 1 1
outputvertices 4
in position f32 0
in position f32 1
in invocationid i32 0
in patchvertices i32 0
out location f32 0
out location f32 1
out tesslevelouter f32 0 patch
out tesslevelouter f32 1 patch
out tesslevelouter f32 2 patch
out tesslevelouter f32 3 patch
out tesslevelinner f32 0 patch
out tesslevelinner f32 1 patch
out location f32 8 patch
func "main"() L1 {
	v1 = in.i32 #2
	v2 = inat.f32 v1, #0
	v3 = inat.f32 v1, #1
	v4 = add.i32 v1, 1:i32
	v5 = and.i32 v4, 3:i32
	outat.f32 v5, v2, #0
	outat.f32 v5, v3, #1
	outat.f32 0:i32, 4.0:f32, #2
	outat.f32 0:i32, 4.0:f32, #3
	outat.f32 0:i32, 4.0:f32, #4
	outat.f32 0:i32, 4.0:f32, #5
	outat.f32 0:i32, 3.0:f32, #6
	outat.f32 0:i32, 3.0:f32, #7
	v6 = in.i32 #3
	v7 = utof.f32.i32 v6
	barrier
	v8 = outget.f32 1:i32, #0
	v9 = inat.f32 0:i32, #0
	v10 = feq.f32 v8, v9
	v11 = select.f32 v10, v7, 0.0:f32
	outat.f32 0:i32, v11, #8
}`

// evaluationText puts a point of the domain between the vertices of the patch that
// were 0 (u = 0, v = 0) and 3 (u = 1, v = 1), and gives it its place in the domain as
// color, and what stands once for the patch.
const evaluationText = `
program "evaluation" tesseval
subgroup 16
local 1 1 1
modes MODES
in tesscoord f32 0
in tesscoord f32 1
in location f32 0
in location f32 1
in location f32 8 patch
out position f32 0
out position f32 1
out position f32 2
out position f32 3
out location f32 4
out location f32 5
out location f32 6
func "main"() L1 {
	v1 = in.f32 #0
	v2 = in.f32 #1
	v3 = inat.f32 1:i32, #2
	v4 = inat.f32 0:i32, #2
	v5 = fsub.f32 v4, v3
	v6 = fmul.f32 v5, v1
	v7 = fadd.f32 v6, v3
	v8 = inat.f32 1:i32, #3
	v9 = inat.f32 0:i32, #3
	v10 = fsub.f32 v9, v8
	v11 = fmul.f32 v10, v2
	v12 = fadd.f32 v11, v8
	out.f32 v7, #0
	out.f32 v12, #1
	out.f32 0.0:f32, #2
	out.f32 1.0:f32, #3
	out.f32 v1, #4
	out.f32 v2, #5
	v13 = in.f32 #4
	v14 = fmul.f32 v13, 0.25:f32
	out.f32 v14, #6
}`

// quad is a patch over the whole target.
var quad = floats(-1, -1, 0, 1, 1, -1, 0, 1, -1, 1, 0, 1, 1, 1, 0, 1)

// tessellated are the stages of a tessellated square.
func tessellated(t *testing.T, modes string, subgroup uint32) draw.Stages {
	return draw.Stages{
		Vertex: parse(t, cornersText, subgroup), TessControl: parse(t, controlText, subgroup),
		TessEval: parse(t, strings.Replace(evaluationText, "MODES", modes, 1), subgroup), Fragment: parse(t, shownText, subgroup),
	}
}

// patches is a state that draws patches of 4.
func patches(c *canvas) state.State {
	s := full(c)
	s.Assembly = state.Assembly{Topology: enum.TopologyPatchList, PatchPoints: 4}
	return s
}

// TestTessellation draws a square that is subdivided: it covers all, and the place in
// the domain is where the pixel is (Vulkan §"Tessellation Evaluation Shaders").
func TestTessellation(t *testing.T) {
	const within = 1. / 256 / side // vertices stand at multiples of 1/256 of a pixel
	for _, spacing := range []string{"equal", "fractionaleven", "fractionalodd"} {
		everywhere(t, func(t *testing.T, e exec.Engine, subgroup uint32, workers int) []byte {
			c := blank(t, side, side, "R32G32B32A32_SFLOAT")
			paint(t, e, tessellated(t, "quads ccw "+spacing, subgroup), patches(c), c, state.Args{Count: 4, Shader: compute.Args{Workers: workers, Push: quad}})
			for i := range side * side {
				b := c.bytes(0)[16*i:]
				for k, want := range []float64{(float64(i%side) + 0.5) / side, (float64(i/side) + 0.5) / side, 1, 1} {
					if got := number(b, k); math.Abs(got-want) > within {
						t.Fatalf("texel %d: component %d is %g; want %g", i, k, got, want)
					}
				}
			}
			return c.bytes(0)
		})
	}
}

// TestTessellationPatchOutputs gives each of the 128 components of a patch its number (maxTessellationControlPerPatchOutputComponents), and
// shows the sum of their squares.
func TestTessellationPatchOutputs(t *testing.T) {
	const components = 128
	var outs, stores, ins, sums strings.Builder
	want := 0
	for i := range components {
		fmt.Fprintf(&outs, "out location f32 %d patch\n", 8+i)
		fmt.Fprintf(&stores, "\toutat.f32 0:i32, %d.0:f32, #%d\n", i, 8+i)
		fmt.Fprintf(&ins, "in location f32 %d patch\n", 8+i)
		fmt.Fprintf(&sums, "\tv%d = in.f32 #%d\n\tv%d = fmul.f32 v%d, v%d\n\tv%d = fadd.f32 v%d, v%d\n", 100+3*i, 4+i, 101+3*i, 100+3*i, 100+3*i, 102+3*i, 99+3*i, 101+3*i)
		want += i * i
	}
	head, _, _ := strings.Cut(controlText, "\tv6 = in.i32 #3")
	control := strings.Replace(head, "out location f32 8 patch\n", outs.String(), 1) + stores.String() + "}"
	evaluation := strings.NewReplacer("MODES", "quads equal ccw", "in location f32 8 patch\n", ins.String(), "\tv13 = in.f32 #4\n\tv14 = fmul.f32 v13, 0.25:f32\n",
		"\tv99 = fmul.f32 v1, 0.0:f32\n"+sums.String(), "v14", "v"+strconv.Itoa(99+3*components)).Replace(evaluationText)
	for _, e := range engines() {
		c := blank(t, side, side, "R32G32B32A32_SFLOAT")
		paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), TessControl: parse(t, control, 0), TessEval: parse(t, evaluation, 0),
			Fragment: parse(t, strings.ReplaceAll(shownText, "in location f32 6", "in location f32 6 flat"), 0)}, patches(c), c, state.Args{Count: 4, Shader: compute.Args{Push: quad}})
		for i := range side * side {
			if got := number(c.bytes(0), 4*i+2); got != float64(want) {
				t.Fatalf("%s: texel %d has %g; want %d", e.Name(), i, got, want)
			}
		}
	}
}

// TestTessellationTurn culls what faces to the back: triangles turn as the programs
// say, in a domain where v points down (VK_TESSELLATION_DOMAIN_ORIGIN_UPPER_LEFT), which
// here is the framebuffer.
func TestTessellationTurn(t *testing.T) {
	for _, e := range engines() {
		for _, turn := range []string{"cw", "ccw"} {
			for _, clockwise := range []bool{false, true} {
				c := blank(t, side, side, "R32G32B32A32_SFLOAT")
				s := patches(c)
				s.Rasterization.Cull, s.Rasterization.Clockwise = enum.CullModeBack, clockwise
				paint(t, e, tessellated(t, "quads equal "+turn, 0), s, c, state.Args{Count: 4, Shader: compute.Args{Push: quad}})
				want := 0.0
				if clockwise == (turn == "cw") {
					want = 1
				}
				if got := number(c.bytes(0), 3); got != want {
					t.Errorf("%s, %s, front faces clockwise %t: %g; want %g", e.Name(), turn, clockwise, got, want)
				}
			}
		}
	}
}

// TestTessellationOrder: where neither program says how triangles turn, they do so
// counter-clockwise.
func TestTessellationOrder(t *testing.T) {
	for _, e := range engines() {
		c := blank(t, side, side, "R32G32B32A32_SFLOAT")
		s := patches(c)
		s.Rasterization.Cull = enum.CullModeBack
		paint(t, e, tessellated(t, "quads equal", 0), s, c, state.Args{Count: 4, Shader: compute.Args{Push: quad}})
		if got := number(c.bytes(0), 3); got != 1 {
			t.Errorf("%s: %g; want 1", e.Name(), got)
		}
	}
}

// TestTessellationOrigin: with the origin of the domain at the lower left triangles turn
// the other way, for v then points up (VkTessellationDomainOrigin).
func TestTessellationOrigin(t *testing.T) {
	for _, e := range engines() {
		for _, domain := range []string{"quads", "triangles"} {
			for _, order := range []string{"cw", "ccw"} {
				for _, lower := range []bool{false, true} {
					c := blank(t, side, side, "R32G32B32A32_SFLOAT")
					s := patches(c)
					s.Assembly.LowerLeft = lower
					s.Rasterization.Cull = enum.CullModeBack
					paint(t, e, tessellated(t, domain+" equal "+order, 0), s, c, state.Args{Count: 4, Shader: compute.Args{Push: quad}})
					drawn := 0.0
					for i := range side * side {
						drawn = max(drawn, number(c.bytes(0)[16*i:], 3))
					}
					want := 0.0
					if (order == "ccw") != lower {
						want = 1
					}
					if drawn != want {
						t.Errorf("%s, %s, %s, lower left %t: %v; want %v", e.Name(), domain, order, lower, drawn, want)
					}
				}
			}
		}
	}
}

// TestTessellationPoints counts the points of a square that is subdivided: 16 on its edges
// and 4 inside, each once (Vulkan §"Tessellation Point Mode").
func TestTessellationPoints(t *testing.T) {
	for _, e := range engines() {
		c := blank(t, side, side, "R32G32B32A32_SFLOAT")
		s := patches(c)
		s.Blend.Attachments = []state.BlendAttachment{{Enable: true, SrcColor: enum.BlendFactorOne, DstColor: enum.BlendFactorOne, SrcAlpha: enum.BlendFactorOne, DstAlpha: enum.BlendFactorOne, WriteMask: 15}}
		half := floats(-0.5, -0.5, 0, 1, 0.5, -0.5, 0, 1, -0.5, 0.5, 0, 1, 0.5, 0.5, 0, 1)
		stages := tessellated(t, "quads equal ccw pointmode", 0)
		stages.TessEval = parse(t, with(strings.Replace(evaluationText, "MODES", "quads equal ccw pointmode", 1), "out pointsize f32 0", "out.f32 1.0:f32, #7"), 0)
		paint(t, e, stages, s, c, state.Args{Count: 4, Shader: compute.Args{Push: half}})
		sum := 0.0
		for i := range side * side {
			sum += number(c.bytes(0)[16*i:], 3)
		}
		if sum != 20 {
			t.Errorf("%s: %g points; want 20", e.Name(), sum)
		}
	}
}

// TestWrongStages gives pipelines that are none.
func TestWrongStages(t *testing.T) {
	c := blank(t, side, side, "R32G32B32A32_SFLOAT")
	e := engines()[0]
	half := tessellated(t, "quads", 0)
	half.TessEval = nil
	if _, err := draw.New(half, full(c), e, exec.Options{}); err == nil {
		t.Error("a pipeline of one tessellation program")
	}
	for _, x := range []struct {
		stages draw.Stages
		state  state.State
	}{
		{tessellated(t, "quads", 0), full(c)},
		{draw.Stages{Vertex: parse(t, cornersText, 0)}, patches(c)},
	} {
		p, err := draw.New(x.stages, x.state, e, exec.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var wrong *state.StateError
		if err := p.Draw(context.Background(), &c.Target, &state.Args{Count: 4, Instances: 1, Shader: compute.Args{Push: quad}}); !errors.As(err, &wrong) {
			t.Errorf("%v; want a StateError", err)
		}
		p.Close()
	}
}
