package draw_test

import (
	"encoding/binary"
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

// with adds a declaration to a program, and lines before its end.
func with(text, declared, lines string) string {
	text = strings.Replace(text, "func \"main\"", declared+"\nfunc \"main\"", 1)
	return text[:strings.LastIndexByte(text, '}')] + lines + "\n}"
}

// number is a component of a texel of floats.
func number(b []byte, i int) float64 {
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
}

// giveText is a fragment program that gives one input as a number: IN is its
// declaration, and TO what makes a float of it.
func giveText(in, kind string) string {
	convert := "v2 = utof.f32.i32 v1"
	if kind == "f32" {
		convert = "v2 = fadd.f32 v1, 0.0:f32"
	}
	return "program \"give\" fragment\nsubgroup 16\nlocal 1 1 1\nin " + in + "\nout location f32 0\nout location f32 1\nfunc \"main\"() L1 {\n v1 = in." + kind + " #0\n " + convert +
		"\n out.f32 v2, #0\n out.f32 1.0:f32, #1\n}"
}

// TestPoint draws a point of four pixels and compares PointCoord with Vulkan §"Basic
// Point Rasterization".
func TestPoint(t *testing.T) {
	for _, e := range engines() {
		for axis, in := range []string{"pointcoord f32 0", "pointcoord f32 1"} {
			c := blank(t, side, side, "R32G32_SFLOAT")
			s := full(c)
			s.Assembly.Topology = enum.TopologyPointList
			v := parse(t, with(cornersText, "out pointsize f32 0", "out.f32 4.0:f32, #7"), 0)
			paint(t, e, draw.Stages{Vertex: v, Fragment: parse(t, giveText(in, "f32"), 0)}, s, c, state.Args{Count: 1, Shader: compute.Args{Push: append(floats(0.125, -0.25, 0, 1), make([]byte, 32)...)}})
			for i := range side * side {
				at := [2]int{i % side, i / side}
				inside := at[0] >= 7 && at[0] < 11 && at[1] >= 4 && at[1] < 8
				want, there := (float64(at[axis])+0.5-float64([]int{7, 4}[axis]))/4, 1.0
				if !inside {
					want, there = 0, 0
				}
				if b := c.bytes(0)[8*i:]; number(b, 0) != want || number(b, 1) != there {
					t.Fatalf("%s, %s, texel %v: %v, %v; want %v, %v", e.Name(), in, at, number(b, 0), number(b, 1), want, there)
				}
			}
		}
	}
}

// TestLine draws a horizontal line with a color from 0 to 1 along it.
func TestLine(t *testing.T) {
	for _, e := range engines() {
		for _, restart := range []bool{false, true} {
			c := blank(t, side, side, "R32G32_SFLOAT")
			s := full(c)
			s.Assembly = state.Assembly{Topology: enum.TopologyLineStrip, Restart: restart}
			paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, giveText("location f32 5", "f32"), 0)}, s, c, state.Args{Count: 2,
				Shader: compute.Args{Push: append(floats(-1, 0.0625, 0, 1, 1, 0.0625, 0, 1), make([]byte, 16)...)}})
			for i := range side * side {
				x, y := i%side, i/side
				want, there := (float64(x)+0.5)/side, 1.0
				if y != 8 {
					want, there = 0, 0
				}
				if b := c.bytes(0)[8*i:]; math.Abs(number(b, 0)-want) > 1e-6 || number(b, 1) != there {
					t.Fatalf("%s, texel (%d, %d): %v, %v; want %v, %v", e.Name(), x, y, number(b, 0), number(b, 1), want, there)
				}
			}
		}
	}
}

// TestLayers draws instances, or views, to layers of their own.
func TestLayers(t *testing.T) {
	vertex := with(cornersText, "in instanceindex i32 0\nout layer i32 0", "v30 = in.i32 #1\nout.i32 v30, #7")
	viewing := with(cornersText, "in viewindex i32 0\nout location f32 16", "v30 = in.i32 #1\nv31 = utof.f32.i32 v30\nout.f32 v31, #7")
	for _, e := range engines() {
		for _, x := range []struct {
			vertex, in, kind string
			views            uint32
			want             [4]float64
		}{
			{vertex, "layer i32 0", "i32", 0, [4]float64{-1, 1, 2, -1}},
			{cornersText, "viewindex i32 0", "i32", 13, [4]float64{0, -1, 2, 3}},
			{viewing, "location f32 16", "f32", 6, [4]float64{-1, 1, 2, -1}},
		} {
			m, v := image(t, texture.Desc{Format: "R32G32_SFLOAT", Width: side, Height: side, Layers: 4, Packed: true}, texture.ViewDesc{})
			c := &canvas{images: []*texture.Image{m}}
			c.Colors = []*texture.View{v}
			s := full(c)
			s.ViewMask = x.views
			a := state.Args{Count: 3, Shader: compute.Args{Push: cover}}
			if x.views == 0 {
				a.FirstInstance, a.Instances = 1, 2
			}
			paint(t, e, draw.Stages{Vertex: parse(t, x.vertex, 0), Fragment: parse(t, giveText(x.in, x.kind), 0)}, s, c, a)
			for layer, want := range x.want {
				there := 1.0
				if want < 0 {
					want, there = 0, 0
				}
				for i := range side * side {
					if b := m.LayerBytes(0, 0, layer)[8*i:]; number(b, 0) != want || number(b, 1) != there {
						t.Fatalf("%s, %s: texel %d of layer %d: %v, %v; want %v, %v", e.Name(), x.in, i, layer, number(b, 0), number(b, 1), want, there)
					}
				}
			}
		}
	}
}

// TestViewports chooses a viewport and its scissor by instance.
func TestViewports(t *testing.T) {
	vertex := parse(t, with(cornersText, "in instanceindex i32 0\nout viewportindex i32 0", "v30 = in.i32 #1\nout.i32 v30, #7"), 0)
	for _, e := range engines() {
		c := blank(t, side, side, "R32G32_SFLOAT")
		s := full(c)
		s.Viewports = []state.Viewport{{Width: 8, Height: 8, MaxDepth: 1}, {X: 8, Y: 16, Width: 8, Height: -8, MaxDepth: 1}}
		s.Scissors = []state.Rect{{Width: side, Height: side}, {X: 10, Width: side, Height: 12}}
		paint(t, e, draw.Stages{Vertex: vertex, Fragment: parse(t, giveText("viewportindex i32 0", "i32"), 0)}, s, c, state.Args{Count: 3, Instances: 3, Shader: compute.Args{Push: cover}})
		for i := range side * side {
			x, y := i%side, i/side
			first, second := x < 8 && y < 8, x >= 10 && y >= 8 && y < 12
			want := [2]float64{}
			if second {
				want = [2]float64{1, 1}
			} else if first {
				want = [2]float64{0, 1}
			}
			if b := c.bytes(0)[8*i:]; number(b, 0) != want[0] || number(b, 1) != want[1] {
				t.Fatalf("%s: texel (%d, %d): %v, %v; want %v", e.Name(), x, y, number(b, 0), number(b, 1), want)
			}
		}
	}
}

// TestDistances clips by a distance that is x, and reads it in the fragment program;
// and culls by one that is negative (Vulkan §"Primitive Clipping").
func TestDistances(t *testing.T) {
	for _, e := range engines() {
		for _, culled := range []string{"1.0", "-1.0"} {
			c := blank(t, side, side, "R32G32_SFLOAT")
			v := with(cornersText, "out clipdistance f32 0\nout culldistance f32 0", "out.f32 v4, #7\nout.f32 "+culled+":f32, #8")
			paint(t, e, draw.Stages{Vertex: parse(t, v, 0), Fragment: parse(t, giveText("clipdistance f32 0", "f32"), 0)}, full(c), c, state.Args{Count: 3, Shader: compute.Args{Push: cover}})
			for i := range side * side {
				want, there := float64(2*(i%side)+1)/side-1, 1.0
				if want < 0 || culled == "-1.0" {
					want, there = 0, 0
				}
				if b := c.bytes(0)[8*i:]; math.Abs(number(b, 0)-want) > 1e-6 || number(b, 1) != there {
					t.Fatalf("%s: texel %d: %v, %v; want %v, %v", e.Name(), i, number(b, 0), number(b, 1), want, there)
				}
			}
		}
	}
}

// TestPolygonPoints draws polygons in the mode point: each vertex is a square of the PointSize that the last stage before
// the rasterizer writes, or of one pixel if it writes none (polygonModePointSize; Vulkan §"Polygon Mode", §"Points"). Stages
// before the last one write another size.
func TestPolygonPoints(t *testing.T) {
	const width = 64
	type point struct{ x, y, size float64 }
	sized := func(size string) string { return with(cornersText, "out pointsize f32 0", size) }
	other := sized("out.f32 12.0:f32, #7")
	doubled := strings.Replace(strings.Replace(doubledText, "func \"main\"", "out pointsize f32 0\nfunc \"main\"", 1), "emit #0", "out.f32 4.0:f32, #8\n\t\temit #0", 1)
	evaluation := with(strings.Replace(evaluationText, "MODES", "quads equal ccw", 1), "out pointsize f32 0", "out.f32 4.0:f32, #7")
	half := floats(-0.5, -0.5, 0, 1, 0.5, -0.5, 0, 1, -0.5, 0.5, 0, 1, 0.5, 0.5, 0, 1)
	corners := floats(-0.5, -0.5, 0, 1, 0.25, -0.5, 0, 1, -0.5, 0.25, 0, 1)
	// Of the tessellated square 16 vertices are on its edges, and four inside.
	var square []point
	for i := range 5 {
		a := 16 + 8*float64(i)
		square = append(square, point{a, 16, 4}, point{a, 48, 4}, point{16, a, 4}, point{48, a, 4})
	}
	for i := range 4 {
		square = append(square, point{16 + 32*float64(1+i%2)/3, 16 + 32*float64(1+i/2)/3, 4})
	}
	for _, x := range []struct {
		name                         string
		vertex, evaluation, geometry string
		push                         []byte
		want                         []point
	}{
		{"no size", cornersText, "", "", corners, []point{{16, 16, 1}, {40, 16, 1}, {16, 40, 1}}},
		{"vertex", sized("v40 = fmul.f32 v11, 2.0:f32\nv41 = fadd.f32 v40, 4.0:f32\nout.f32 v41, #7"), "", "", corners, []point{{16, 16, 6}, {40, 16, 4}, {16, 40, 4}}},
		{"geometry", other, "", doubled, corners, []point{{16, 16, 4}, {40, 16, 4}, {16, 40, 4}, {48, 48, 4}, {24, 48, 4}, {48, 24, 4}}},
		{"tessellation", other, evaluation, "", half, square},
	} {
		everywhere(t, func(t *testing.T, e exec.Engine, subgroup uint32, workers int) []byte {
			c := blank(t, width, width, "R32G32B32A32_SFLOAT")
			s := full(c)
			stages := draw.Stages{Vertex: parse(t, x.vertex, subgroup), Fragment: parse(t, shownText, subgroup)}
			args := state.Args{Count: 3, Shader: compute.Args{Workers: workers, Push: x.push}}
			if x.geometry != "" {
				stages.Geometry = parse(t, x.geometry, subgroup)
			}
			if x.evaluation != "" {
				stages.TessControl, stages.TessEval = parse(t, controlText, subgroup), parse(t, x.evaluation, subgroup)
				s, args.Count = patches(c), 4
			}
			s.Rasterization.PolygonMode = enum.PolygonModePoint
			paint(t, e, stages, s, c, args)
			for i := range width * width {
				px, py, want := float64(i%width)+0.5, float64(i/width)+0.5, 0.0
				for _, p := range x.want {
					if px >= p.x-p.size/2 && px < p.x+p.size/2 && py >= p.y-p.size/2 && py < p.y+p.size/2 {
						want = 1
					}
				}
				if got := number(c.bytes(0)[16*i:], 3); got != want {
					t.Fatalf("%s: texel (%d, %d) is %g; want %g", x.name, i%width, i/width, got, want)
				}
			}
			return c.bytes(0)
		})
	}
}
