package draw_test

import (
	"math"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// TestMissingOutputs draws with programs that do not write outputs that the next stage reads.
func TestMissingOutputs(t *testing.T) {
	text := "program \"some\" fragment\nsubgroup 16\nlocal 1 1 1\nin location f32 20\nout location f32 1\nout location f32 2\nfunc \"main\"() L1 {\n v1 = in.f32 #0\n out.f32 v1, #0\n out.f32 0.5:f32, #1\n}"
	for _, e := range engines() {
		c := blank(t, side, side, "R32G32B32A32_SFLOAT", "R8_UNORM")
		for i := range c.bytes(0) {
			c.bytes(0)[i] = 7
		}
		for i := range c.bytes(1) {
			c.bytes(1)[i] = 7
		}
		paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, text, 0)}, full(c), c, state.Args{Count: 3, Shader: compute.Args{Push: cover}})
		for i := range side * side {
			b := c.bytes(0)[16*i:]
			if got := [4]float64{number(b, 0), number(b, 1), number(b, 2), number(b, 3)}; got != [4]float64{0, 0, 0.5, 0} || c.bytes(1)[i] != 7 {
				t.Fatalf("%s: texel %d is %v, and %d", e.Name(), i, got, c.bytes(1)[i])
			}
		}
		out := make([]byte, 128)
		s := full(c)
		s.Assembly.Topology, s.Rasterization.Discard = enum.TopologyPointList, true
		paint(t, e, draw.Stages{Vertex: parse(t, strings.ReplaceAll(keepText, "T", "f32"), 0)}, s, c, state.Args{First: 3, Count: 1,
			Shader: compute.Args{Bindings: map[compute.Binding][]exec.Buffer{{}: {{Bytes: out}}}}})
		if got := [4]float64{number(out, 0), number(out, 1), number(out, 2), number(out, 3)}; got != [4]float64{3: 1} {
			t.Errorf("%s: a vertex input without an attribute is %v", e.Name(), got)
		}
	}
}

// TestBlendInfinity blends a color that is finite over one that is not, whose factor
// is 0.
func TestBlendInfinity(t *testing.T) {
	for _, e := range engines() {
		c := blank(t, side, side, "R32_SFLOAT")
		for i := range side * side {
			copy(c.bytes(0)[4*i:], floats([]float32{float32(math.Inf(1)), float32(math.NaN())}[i%2]))
		}
		s := full(c)
		s.Blend.Attachments = []state.BlendAttachment{{Enable: true, SrcColor: enum.BlendFactorOne, DstColor: enum.BlendFactorZero, WriteMask: 15}}
		paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, whiteText, 0)}, s, c, state.Args{Count: 3, Shader: compute.Args{Push: cover}})
		for i := range side * side {
			if got := number(c.bytes(0)[4*i:], 0); got != 1 {
				t.Fatalf("%s: texel %d is %v", e.Name(), i, got)
			}
		}
	}
}

// TestCentroid interpolates at the centroid: with a color that is x in pixels, that is
// the middle of pixels that are wholly covered, and else where the first covered sample
// lies.
func TestCentroid(t *testing.T) {
	text := strings.Replace(giveText("location f32 5", "f32"), "location f32 5", "location f32 5 centroid", 1)
	for _, e := range engines() {
		c := sampled(t, "R32G32_SFLOAT", 4)
		s := full(c)
		s.Multisample.Samples = 4
		// its left edge is at 4.25 pixels
		x := float32(4.25/8 - 1)
		paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, text, 0)}, s, c, state.Args{Count: 3,
			Shader: compute.Args{Push: floats(x, -1, 0, 1, x+4, -1, 0, 1, x, 3, 0, 1)}})
		for i := range side * side {
			px := i % side
			for n, sx := range []float64{6, 14, 2, 10} {
				at := float64(px) + 0.5
				if px == 4 {
					at = 4 + 6.0/16
				}
				want, there := (at-4.25)/32, 1.0
				if float64(px)+sx/16 < 4.25 {
					want, there = 0, 0
				}
				b := c.images[0].Texel(texture.Coord{X: px, Y: i / side, Sample: n})
				if math.Abs(number(b, 0)-want) > 1e-6 || number(b, 1) != there {
					t.Fatalf("%s: sample %d of pixel %d: %v, %v; want %v, %v", e.Name(), n, i, number(b, 0), number(b, 1), want, there)
				}
			}
		}
	}
}

// TestHelpers counts invocations that add to a buffer: with quads there are helpers
// beside a triangle that covers a part of them, without there are none; either way
// only what is covered counts.
func TestHelpers(t *testing.T) {
	count := with(whiteText, "res storage 0 0 count 1", "v1 = res 0:i32, #0\nv2 = atomadd.i32 v1, 0:i32, 1:i32, #0 !unused\nv3 = reduce.i32 1:i32, add, #0\nv4 = atomumax.i32 v1, 4:i32, v3, #0")
	for _, quads := range []bool{false, true} {
		text := count
		if quads {
			text = strings.Replace(text, "v1 =", "v9 = quadswap.i32 1:i32, #1\nst.i32 v10, 8:i32, v9, #0\nv1 =", 1)
			text = strings.Replace(text, "out.f32", "v10 = res 0:i32, #0\nout.f32", 1)
		}
		for _, e := range engines() {
			out := make([]byte, 16)
			c := blank(t, side, side, "R8_UNORM")
			paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, text, 64)}, full(c), c, state.Args{Count: 3, // one pixel
				Shader: compute.Args{Push: floats(-1, -1, 0, 1, -0.875, -1, 0, 1, -1, -0.8, 0, 1), Bindings: map[compute.Binding][]exec.Buffer{{}: {{Bytes: out}}}}})
			most := byte(1)
			if quads {
				most = 4
			}
			if out[0] != 1 || out[4] != most {
				t.Errorf("%s, quads %t: %d invocations counted, %d ran; want 1 and %d", e.Name(), quads, out[0], out[4], most)
			}
		}
	}
}
