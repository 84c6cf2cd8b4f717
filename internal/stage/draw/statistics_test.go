package draw_test

import (
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// TestStatistics counts vertices and primitives (Vulkan §"Pipeline Statistics Queries").
// Vertices of primitives that are incomplete may be counted or not; they are not.
func TestStatistics(t *testing.T) {
	for _, x := range []struct {
		name     string
		assembly state.Assembly
		args     state.Args
		discard  bool
		want     state.Statistics
	}{
		{"three triangles and two vertices more", state.Assembly{Topology: enum.TopologyTriangleList}, state.Args{Count: 11, Instances: 2}, false, state.Statistics{
			InputVertices: 18, InputPrimitives: 6, VertexInvocations: 18, ClippingInvocations: 6, ClippingPrimitives: 6, Generated: [4]uint64{6},
		}},
		{"a strip", state.Assembly{Topology: enum.TopologyTriangleStrip}, state.Args{Count: 10}, false, state.Statistics{
			InputVertices: 10, InputPrimitives: 8, VertexInvocations: 10, ClippingInvocations: 8, ClippingPrimitives: 8, Generated: [4]uint64{8},
		}},
		{"strips, one of them too short", state.Assembly{Topology: enum.TopologyLineStrip, Restart: true}, state.Args{Count: 8, Index: []byte{0, 1, 2, 255, 9, 255, 1, 0}, IndexBytes: 1}, false, state.Statistics{
			InputVertices: 5, InputPrimitives: 3, VertexInvocations: 3, ClippingInvocations: 3, ClippingPrimitives: 3, Generated: [4]uint64{3},
		}},
		{"lines with adjacency", state.Assembly{Topology: enum.TopologyLineListWithAdjacency}, state.Args{Count: 8}, false, state.Statistics{
			InputVertices: 8, InputPrimitives: 2, VertexInvocations: 4, ClippingInvocations: 2, ClippingPrimitives: 2, Generated: [4]uint64{2},
		}},
		{"a strip with adjacency and a vertex more", state.Assembly{Topology: enum.TopologyTriangleStripWithAdjacency}, state.Args{Count: 11}, true, state.Statistics{
			InputVertices: 10, InputPrimitives: 3, VertexInvocations: 5, Generated: [4]uint64{3},
		}},
		{"a fan", state.Assembly{Topology: enum.TopologyTriangleFan}, state.Args{Count: 6}, true, state.Statistics{
			InputVertices: 6, InputPrimitives: 4, VertexInvocations: 6, Generated: [4]uint64{4},
		}},
		{"nothing is rasterised", state.Assembly{Topology: enum.TopologyPointList}, state.Args{Count: 5}, true, state.Statistics{
			InputVertices: 5, InputPrimitives: 5, VertexInvocations: 5, Generated: [4]uint64{5},
		}},
		{"nothing is drawn", state.Assembly{}, state.Args{}, false, state.Statistics{}},
	} {
		for _, e := range engines() {
			for _, workers := range []int{1, 4} {
				c := blank(t, side, side, "R8G8B8A8_UNORM")
				s := full(c)
				s.Assembly, s.Rasterization.Discard = x.assembly, x.discard
				var got state.Statistics
				x.args.Statistics, x.args.Shader = &got, compute.Args{Workers: workers, Push: cover}
				paint(t, e, draw.Stages{Vertex: parse(t, flatText, 0)}, s, c, x.args)
				if got != x.want {
					t.Errorf("%s, %s: %+v; want %+v", e.Name(), x.name, got, x.want)
				}
				paint(t, e, draw.Stages{Vertex: parse(t, flatText, 0)}, s, c, x.args)
				if got.InputVertices != 2*x.want.InputVertices || got.Generated[0] != 2*x.want.Generated[0] {
					t.Errorf("%s, %s: %+v behind a second draw", e.Name(), x.name, got)
				}
			}
		}
	}
}

// flatText is a vertex program that puts all vertices at the origin.
const flatText = `
program "flat" vertex
subgroup 16
local 1 1 1
out position f32 3
func "main"() L1 {
	out.f32 1.0:f32, #0
}`

// TestStatisticsClipping counts primitives behind clipping: what is wholly outside of one
// plane, or culled by a distance, is not behind it, and what is partly inside is.
func TestStatisticsClipping(t *testing.T) {
	for _, x := range []struct {
		name   string
		places []byte
		want   uint64
	}{
		{"inside", floats(-1, -1, 0, 1, 1, -1, 0, 1, -1, 1, 0, 1), 1},
		{"one vertex inside", floats(0, 0, 0, 1, 9, 0, 0, 1, 0, 9, 0, 1), 1},
		{"to the left", floats(-2, 0, 0, 1, -3, 1, 0, 1, -2, 1, 0, 1), 0},
		{"beyond the far plane", floats(0, 0, 2, 1, 1, 0, 2, 1, 0, 1, 2, 1), 0},
		{"through the near plane", floats(0, 0, -1, 1, 1, 0, 1, 1, 0, 1, 1, 1), 1},
		{"facing away", floats(-1, -1, 0, 1, -1, 1, 0, 1, 1, -1, 0, 1), 1},
	} {
		for _, distance := range []string{"1.0", "-1.0"} {
			for _, e := range engines() {
				c := blank(t, side, side, "R8G8B8A8_UNORM")
				s := full(c)
				s.Rasterization.DepthClip, s.Rasterization.Cull = true, enum.CullModeBack
				var got state.Statistics
				vertex := with(cornersText, "out culldistance f32 0", "out.f32 "+distance+":f32, #7")
				paint(t, e, draw.Stages{Vertex: parse(t, vertex, 0)}, s, c, state.Args{Count: 3, Statistics: &got, Shader: compute.Args{Push: x.places}})
				want := x.want
				if distance == "-1.0" {
					want = 0
				}
				if got.ClippingInvocations != 1 || got.ClippingPrimitives != want {
					t.Errorf("%s, %s, cull distance %s: %d of %d; want %d of 1", e.Name(), x.name, distance, got.ClippingPrimitives, got.ClippingInvocations, want)
				}
			}
		}
	}
}

// TestStatisticsFragments counts fragments: those that a triangle covers, for each
// sample where the program is one of samples, and those alone that pass the tests
// before it.
func TestStatisticsFragments(t *testing.T) {
	const covered = side * side
	const half = side * (side - 1) / 2 // pixels (x, y) with x + y < side − 1
	for _, x := range []struct {
		name     string
		fragment string
		samples  uint32
		compare  enum.CompareOp
		want     uint64
	}{
		{"all pixels", shownText, 1, enum.CompareOpAlways, covered},
		{"behind the depth test", shownText, 1, enum.CompareOpNever, 0},
		{"a test behind the program", strings.Replace(with(shownText, "out fragdepth f32 0", "out.f32 0.5:f32, #4"), "subgroup", "modes depthreplacing\nsubgroup", 1), 1, enum.CompareOpNever, covered},
		{"early tests", strings.Replace(with(shownText, "out fragdepth f32 0", "out.f32 0.5:f32, #4"), "subgroup", "modes earlytests\nsubgroup", 1), 1, enum.CompareOpNever, 0},
		{"pixels of four samples", shownText, 4, enum.CompareOpAlways, covered},
		{"samples", strings.Replace(shownText, "subgroup", "modes persample\nsubgroup", 1), 4, enum.CompareOpAlways, 4 * covered},
		{"half of the pixels, less those on the edge", shownText, 1, enum.CompareOpAlways, half},
		{"the same, with quads", strings.Replace(slopeText, "DEMOTE", "", 1), 1, enum.CompareOpAlways, half},
		{"none", "", 1, enum.CompareOpAlways, 0},
	} {
		everywhere(t, func(t *testing.T, e exec.Engine, subgroup uint32, workers int) []byte {
			c := sampled(t, "R8G8B8A8_UNORM", int(x.samples))
			_, c.Depth = image(t, texture.Desc{Format: "D32_SFLOAT", Width: side, Height: side, Samples: int(x.samples)}, texture.ViewDesc{})
			s := full(c)
			s.Multisample.Samples = x.samples
			s.DepthStencil = state.DepthStencil{Test: true, Compare: x.compare}
			stages := draw.Stages{Vertex: parse(t, cornersText, subgroup)}
			if x.fragment != "" {
				stages.Fragment = parse(t, x.fragment, subgroup)
			}
			push, pixels := cover, uint64(covered)
			if x.want == half {
				push, pixels = floats(-1, -1, 0, 1, 1, -1, 0, 1, -1, 1, 0, 1), half
			}
			var got state.Statistics
			var passed uint64
			paint(t, e, stages, s, c, state.Args{Count: 3, Statistics: &got, Passed: &passed, Shader: compute.Args{Workers: workers, Push: push}})
			if got.FragmentInvocations != x.want {
				t.Errorf("%s: %d; want %d", x.name, got.FragmentInvocations, x.want)
			}
			want := uint64(0)
			if x.compare == enum.CompareOpAlways {
				want = pixels * uint64(x.samples)
			}
			if passed != want {
				t.Errorf("%s: %d samples passed; want %d", x.name, passed, want)
			}
			return nil
		})
	}
}
