package draw_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// weightsText is a fragment program that gives the weights of the three vertices, as
// READ has them, and the sum of their products with a color that vertex n has in its
// component n.
func weightsText(semantic, place, read string) string {
	var w strings.Builder
	w.WriteString("program \"weights\" fragment\nsubgroup 16\nlocal 1 1 1\n")
	for i := range 3 {
		fmt.Fprintf(&w, "in %s f32 %d %s\n", semantic, i, place)
	}
	for i := range 3 {
		fmt.Fprintf(&w, "in location f32 %d pervertex\n", 4+i)
	}
	for i := range 4 {
		fmt.Fprintf(&w, "out location f32 %d\n", i)
	}
	w.WriteString("func \"main\"() L1 {\n")
	sum := "0.0:f32"
	for i := range 3 {
		fmt.Fprintf(&w, "v%d = %s #%d\nout.f32 v%d, #%d\nv%d = inat.f32 %d:i32, #%d\nv%d = ffma.f32 v%d, v%d, %s\n", 1+i, read, i, 1+i, i, 4+i, i, 3+i, 7+i, 1+i, 4+i, sum)
		sum = fmt.Sprintf("v%d", 7+i)
	}
	w.WriteString("out.f32 " + sum + ", #3\n}")
	return w.String()
}

// TestBarycentrics compares the weights of vertices with a model: at the center of the
// fragment, which is the sample where each is shaded, at its centroid, and at the middle
// of the pixel or beside it, whatever is shaded and wherever the input else is. Vertex n is the one of which a program reads input n
// (Vulkan §"Built-In Variables", BaryCoordKHR; SPV_AMD_shader_explicit_vertex_parameter).
func TestBarycentrics(t *testing.T) {
	r := rand.New(rand.NewSource(41))
	const in, middle, aside = "in.f32", "interp.f32 0.0:f32, 0.0:f32,", "interp.f32 0.25:f32, -0.125:f32,"
	for _, samples := range []int{1, 4} {
		for _, semantic := range []string{"barycoord", "barycoordnopersp"} {
			for _, x := range []struct{ place, read string }{{"", in}, {"", middle}, {"", aside}, {"centroid", in}, {"centroid", middle}, {"centroid", aside}, {"sample", in}, {"sample", middle}} {
				for _, shading := range []bool{false, true} {
					if x.place == "sample" && !shading {
						continue // lower has it so
					}
					for range 2 {
						testBarycentrics(t, randomCorners(r), samples, semantic, x.place, x.read, shading)
					}
				}
			}
		}
	}
}

func testBarycentrics(t *testing.T, c []corner, samples int, semantic, place, read string, shading bool) {
	text := weightsText(semantic, place, read)
	var first []byte
	for _, e := range engines() {
		m, v := image(t, texture.Desc{Format: "R32G32B32A32_SFLOAT", Width: side, Height: side, Samples: samples, Packed: true}, texture.ViewDesc{})
		p := &canvas{images: []*texture.Image{m}}
		p.Colors = []*texture.View{v}
		s := full(p)
		s.Multisample.Samples = uint32(samples)
		f := parse(t, text, 0)
		if shading {
			f.Modes |= ir.PerSample
		}
		paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: f}, s, p, state.Args{Count: 3, Shader: compute.Args{Push: clip(c)}})
		at := raster.SamplePositions(samples)
		var all []byte
		for i := range side * side {
			x, y := i%side, i/side
			var there []bool
			for n := range samples {
				_, _, inside := weighing(c, 256*x+int(256*at[n][0]), 256*y+int(256*at[n][1]))
				there = append(there, inside)
			}
			for n := range samples {
				b := m.Texel(texture.Coord{X: x, Y: y, Sample: n})
				all = append(all, b[:16]...)
				sx, sy := 256*x+128, 256*y+128
				switch from := slices.Index(there, true); {
				case strings.Contains(read, "0.25"):
					sx, sy = sx+64, sy-32
				case strings.HasPrefix(read, "interp"):
				case shading:
					sx, sy = 256*x+int(256*at[n][0]), 256*y+int(256*at[n][1])
				case place == "centroid" && slices.Contains(there, false) && from >= 0:
					sx, sy = 256*x+int(256*at[from][0]), 256*y+int(256*at[from][1])
				}
				want, perspective, _ := weighing(c, sx, sy)
				if semantic == "barycoord" {
					want = perspective
				}
				for k, w := range append(want[:], 1) {
					if !there[n] {
						w = 0
					}
					if got := number(b, k); math.Abs(got-w) > 4e-6*(1+math.Abs(w)) && k < 3 || k == 3 && math.Abs(got-w) > 4e-5*(1+math.Abs(want[0])+math.Abs(want[1])) {
						t.Fatalf("%s, %s %s by %s, %d samples, shading %t, %v: pixel (%d, %d), sample %d: component %d is %v; want %v", e.Name(), semantic, place, read, samples, shading, c, x, y, n, k, got, w)
					}
				}
			}
		}
		if first == nil {
			first = all
		}
		if !bytes.Equal(first, all) {
			t.Fatalf("%s %s by %s: engines differ", semantic, place, read)
		}
	}
}

// TestMiddleOfW reads the reciprocal of w at the middle of pixels of which each sample is
// shaded (BaryCoordPullModelAMD).
func TestMiddleOfW(t *testing.T) {
	c := []corner{{0, 0, 1}, {512 * side, 0, 4}, {0, 512 * side, 2}}
	text := strings.Replace(giveText("fragcoord f32 3", "f32"), "in.f32 #0", "interp.f32 0.0:f32, 0.0:f32, #0", 1)
	for _, e := range engines() {
		p := sampled(t, "R32G32_SFLOAT", 4)
		s := full(p)
		s.Multisample.Samples = 4
		f := parse(t, text, 0)
		f.Modes |= ir.PerSample
		paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: f}, s, p, state.Args{Count: 3, Shader: compute.Args{Push: clip(c)}})
		for i := range side * side * 4 {
			x, y, n := i/4%side, i/4/side, i%4
			linear, _, _ := weighing(c, 256*x+128, 256*y+128)
			want := 0.0
			for k, l := range linear {
				want += l / c[k].w
			}
			if got := number(p.images[0].Texel(sampleAt(x, y, n)), 0); math.Abs(got-want) > 1e-6 {
				t.Fatalf("%s: pixel (%d, %d), sample %d is %v; want %v", e.Name(), x, y, n, got, want)
			}
		}
	}
}

// TestVerticesOfLines checks that vertices 1 and 2 of a line are its second one, by PerVertexKHR (Vulkan §"Barycentric
// Interpolation").
func TestVerticesOfLines(t *testing.T) {
	text := "program \"ends\" fragment\nsubgroup 16\nlocal 1 1 1\n"
	for i := range 2 {
		text += fmt.Sprintf("in location f32 %d pervertex\n", 4+i)
	}
	for i := range 3 {
		text += fmt.Sprintf("out location f32 %d\n", i)
	}
	text += "func \"main\"() L1 {\n"
	for i := range 3 {
		text += fmt.Sprintf("v%d = inat.f32 %d:i32, #1\nout.f32 v%d, #%d\n", 1+i, i, 1+i, i)
	}
	text += "}"
	for _, e := range engines() {
		c := blank(t, side, side, "R32G32B32A32_SFLOAT")
		s := full(c)
		s.Assembly.Topology = enum.TopologyLineList
		paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, text, 0)}, s, c,
			state.Args{Count: 2, Shader: compute.Args{Push: clip([]corner{{0, 640, 1}, {256 * side, 640, 2}, {}})}})
		b := c.bytes(0)[16*(2*side+4):]
		if got := []float64{number(b, 0), number(b, 1), number(b, 2)}; !slices.Equal(got, []float64{0, 1, 1}) {
			t.Errorf("%s: component 1 of the vertices is %v; want 0, 1, 1", e.Name(), got)
		}
	}
}
