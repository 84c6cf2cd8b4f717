package draw_test

import (
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// sums is an attachment that adds up what is drawn.
var sums = []state.BlendAttachment{{Enable: true, SrcColor: enum.BlendFactorOne, DstColor: enum.BlendFactorOne, SrcAlpha: enum.BlendFactorOne, DstAlpha: enum.BlendFactorOne, WriteMask: 15}}

// TestManyPrimitives counts what geometry and tessellation programs give where that
// is more than one job takes: nothing is lost, and nothing there twice.
func TestManyPrimitives(t *testing.T) {
	const instances = 3000
	point := with(strings.Replace(evaluationText, "MODES", "quads equal ccw pointmode", 1), "out pointsize f32 0", "out.f32 1.0:f32, #7")
	for _, e := range engines() {
		c := blank(t, 1, 1, "R32G32B32A32_SFLOAT")
		s := full(c)
		s.Blend.Attachments = sums
		fragment := parse(t, shownText, 0)
		paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Geometry: parse(t, doubledText, 0), Fragment: fragment}, s, c,
			state.Args{Count: 3, Instances: instances, Shader: compute.Args{Push: cover}})
		if red, alpha := number(c.bytes(0), 0), number(c.bytes(0), 3); red != instances || alpha != 2*instances {
			t.Errorf("%s: %g triangles of %g are second ones; want %d of %d", e.Name(), red, alpha, instances, 2*instances)
		}

		c = blank(t, 1, 1, "R32G32B32A32_SFLOAT")
		stages := tessellated(t, "", 0)
		stages.TessEval = parse(t, point, 0)
		s.Assembly = state.Assembly{Topology: enum.TopologyPatchList, PatchPoints: 4}
		paint(t, e, stages, s, c, state.Args{Count: 4, Instances: instances, Shader: compute.Args{Push: floats(-0.5, -0.5, 0, 1, 0.5, -0.5, 0, 1, -0.5, 0.5, 0, 1, 0.5, 0.5, 0, 1)}})
		if got := number(c.bytes(0), 3); got != 20*instances {
			t.Errorf("%s: %g points; want %d", e.Name(), got, 20*instances)
		}
	}
}
