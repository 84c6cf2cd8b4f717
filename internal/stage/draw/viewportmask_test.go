package draw_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// fourViewports are the quarters of a picture, each with a scissor of its own.
func fourViewports(s *state.State) {
	s.Viewports, s.Scissors = nil, nil
	for i := range 4 {
		x, y := side/2*(i%2), side/2*(i/2)
		s.Viewports = append(s.Viewports, state.Viewport{X: float32(x), Y: float32(y), Width: side / 2, Height: side / 2, MaxDepth: 1})
		s.Scissors = append(s.Scissors, state.Rect{X: int32(x) + 1, Y: int32(y), Width: side/2 - 1, Height: side/2 - 1})
	}
}

// TestViewportMask draws a triangle into the viewports of a mask, with their scissors, and
// shows the number of each (Vulkan §"Built-In Variables", ViewportMaskNV). Bits of
// viewports that there are not do nothing.
func TestViewportMask(t *testing.T) {
	for _, e := range engines() {
		for _, mask := range []uint32{0, 1, 6, 9, 15, 0xfffffff5, 0x80000000} {
			vertex := parse(t, with(cornersText, "out viewportmask i32 0\nout viewportmask i32 1", fmt.Sprintf("out.i32 %d:i32, #7\nout.i32 1:i32, #8", mask)), 0)
			c := blank(t, side, side, "R32G32_SFLOAT")
			s := full(c)
			fourViewports(&s)
			statistics := state.Statistics{}
			paint(t, e, draw.Stages{Vertex: vertex, Fragment: parse(t, giveText("viewportindex i32 0", "i32"), 0)}, s, c, state.Args{Count: 3, Statistics: &statistics, Shader: compute.Args{Push: cover}})
			for i := range side * side {
				x, y := i%side, i/side
				n := x/(side/2) + y/(side/2)*2
				want := [2]float64{}
				if mask>>n&1 != 0 && x%(side/2) > 0 && y%(side/2) < side/2-1 {
					want = [2]float64{float64(n), 1}
				}
				if b := c.bytes(0)[8*i:]; number(b, 0) != want[0] || number(b, 1) != want[1] {
					t.Fatalf("%s, mask %x, texel (%d, %d): %v, %v; want %v", e.Name(), mask, x, y, number(b, 0), number(b, 1), want)
				}
			}
			if got := statistics.ClippingPrimitives; got != uint64(min(mask&15, 1)) {
				t.Errorf("%s, mask %x: %d primitives are behind clipping", e.Name(), mask, got)
			}
		}
	}
}

// TestViewportMaskOrder has viewports that lie on each other: a primitive is drawn into
// them from the lowest number on.
func TestViewportMaskOrder(t *testing.T) {
	vertex := with(cornersText, "out viewportmask i32 0", "out.i32 7:i32, #7")
	everywhere(t, func(t *testing.T, e exec.Engine, subgroup uint32, workers int) []byte {
		c := blank(t, side, side, "R32G32_SFLOAT")
		s := full(c)
		s.Viewports = append(s.Viewports, s.Viewports[0], state.Viewport{Width: side / 2, Height: side, MaxDepth: 1})
		s.Scissors = append(s.Scissors, s.Scissors[0], s.Scissors[0])
		paint(t, e, draw.Stages{Vertex: parse(t, vertex, subgroup), Fragment: parse(t, giveText("viewportindex i32 0", "i32"), subgroup)}, s, c, state.Args{Count: 3, Shader: compute.Args{Push: cover, Workers: workers}})
		for i := range side * side {
			want := 1.0
			if i%side < side/2 {
				want = 2
			}
			if got := number(c.bytes(0)[8*i:], 0); got != want {
				t.Fatalf("texel %d: %v; want %v", i, got, want)
			}
		}
		return c.bytes(0)
	})
}

// TestViewportMaskPrimitives compares the picture of a mask with that of draws into its
// viewports, one by one, of all that there are to rasterise.
func TestViewportMaskPrimitives(t *testing.T) {
	const mask = 13
	slanted := floats(-0.9, -0.7, 0.5, 1, 0.8, -0.4, 1, 2, -0.1, 1.4, 0.25, 1.5)
	for _, e := range engines() {
		for _, x := range []struct {
			name      string
			topology  enum.Topology
			instances uint32
			change    func(*state.State)
		}{
			{"points", enum.TopologyPointList, 1, func(s *state.State) {}},
			{"lines", enum.TopologyLineStrip, 1, func(s *state.State) { s.Rasterization.Stipple = state.LineStipple{Factor: 1, Pattern: 0x7337} }},
			{"pixels", enum.TopologyLineStrip, 1, func(s *state.State) {
				s.Rasterization.LineMode, s.Rasterization.Stipple = enum.LineModeBresenham, state.LineStipple{Factor: 1, Pattern: 0x35a1}
			}},
			{"triangle", enum.TopologyTriangleList, 1, func(s *state.State) { s.Rasterization.LastVertex = true }},
			{"outline", enum.TopologyTriangleList, 1, func(s *state.State) { s.Rasterization.PolygonMode = enum.PolygonModeLine }},
			{"many", enum.TopologyTriangleList, 700, func(s *state.State) {}},
		} {
			var pictures [2][]byte
			for i := range pictures {
				c := blank(t, side, side, "R32G32B32A32_SFLOAT")
				s := full(c)
				fourViewports(&s)
				s.Assembly.Topology = x.topology
				x.change(&s)
				draws := []string{fmt.Sprintf("out.f32 5.0:f32, #7\nout.i32 %d:i32, #8", mask)}
				text := with(cornersText, "out pointsize f32 0\nout viewportmask i32 0", "%")
				if i == 1 {
					draws = []string{"out.f32 5.0:f32, #7\nout.i32 0:i32, #8", "out.f32 5.0:f32, #7\nout.i32 2:i32, #8", "out.f32 5.0:f32, #7\nout.i32 3:i32, #8"}
					text = with(cornersText, "out pointsize f32 0\nout viewportindex i32 0", "%")
				}
				for _, lines := range draws {
					v := parse(t, string(bytes.Replace([]byte(text), []byte("%"), []byte(lines), 1)), 0)
					paint(t, e, draw.Stages{Vertex: v, Fragment: parse(t, shownText, 0)}, s, c, state.Args{Count: 3, Instances: x.instances, Shader: compute.Args{Push: slanted}})
				}
				pictures[i] = c.bytes(0)
			}
			if !bytes.Equal(pictures[0], pictures[1]) {
				t.Errorf("%s, %s: another picture than one by one", e.Name(), x.name)
			}
			if !slices.ContainsFunc(pictures[0], func(b byte) bool { return b != 0 }) {
				t.Errorf("%s, %s: nothing is drawn", e.Name(), x.name)
			}
		}
	}
}

// TestViewportRelative has layers count from the viewport's number, by a mask and by an
// index; a fragment reads the layer that it is in. Layers that the framebuffer does not have are the last one.
func TestViewportRelative(t *testing.T) {
	for _, e := range engines() {
		for _, x := range []struct {
			lines string
			out   string
			want  [4]float64 // 1 + the viewport that is drawn into the layer
		}{
			{"out viewportmask i32 0", "out.i32 1:i32, #7\nout.i32 13:i32, #8", [4]float64{0, 1, 0, 4}},
			{"out viewportmask i32 0", "out.i32 -2:i32, #7\nout.i32 15:i32, #8", [4]float64{3, 4, 0, 2}},
			{"out viewportindex i32 0", "out.i32 1:i32, #7\nout.i32 2:i32, #8", [4]float64{0, 0, 0, 3}},
			{"out viewportindex i32 0", "out.i32 2:i32, #7\nout.i32 2:i32, #8", [4]float64{0, 0, 0, 3}},
		} {
			m, v := image(t, texture.Desc{Format: "R32G32_SFLOAT", Width: side, Height: side, Layers: 4, Packed: true}, texture.ViewDesc{})
			c := &canvas{images: []*texture.Image{m}}
			c.Colors = []*texture.View{v}
			s := full(c)
			for range 3 {
				s.Viewports, s.Scissors = append(s.Viewports, s.Viewports[0]), append(s.Scissors, s.Scissors[0])
			}
			vertex := parse(t, with(cornersText, "out layer i32 0\n"+x.lines, x.out), 0)
			vertex.Modes |= ir.ViewportRelative
			text := giveText("viewportindex i32 0", "i32")
			text = with(text, "in layer i32 0", "v9 = in.i32 #1\nv10 = utof.f32.i32 v9\nout.f32 v10, #1")
			paint(t, e, draw.Stages{Vertex: vertex, Fragment: parse(t, text, 0)}, s, c, state.Args{Count: 3, Shader: compute.Args{Push: cover}})
			for layer, want := range x.want {
				viewport, there := want-1, float64(layer)
				if want == 0 {
					viewport, there = 0, 0
				}
				b := m.Texel(texture.Coord{X: 3, Y: 4, Layer: layer})
				if number(b, 0) != viewport || number(b, 1) != there {
					t.Errorf("%s, %q, layer %d: %v, %v; want %v, %v", e.Name(), x.out, layer, number(b, 0), number(b, 1), viewport, there)
				}
			}
		}
	}
}

// TestViewportMaskStages has the mask of the last stage count alone.
func TestViewportMaskStages(t *testing.T) {
	for _, e := range engines() {
		c := blank(t, side, side, "R32G32_SFLOAT")
		s := full(c)
		fourViewports(&s)
		vertex := parse(t, with(cornersText, "out viewportmask i32 0", "out.i32 2:i32, #7"), 0)
		shape := parse(t, string(bytes.Replace([]byte(with(doubledText, "out viewportmask i32 0", "")), []byte("emit #0"), []byte("out.i32 12:i32, #8\n\t\temit #0"), 1)), 0)
		paint(t, e, draw.Stages{Vertex: vertex, Geometry: shape, Fragment: parse(t, giveText("viewportindex i32 0", "i32"), 0)}, s, c, state.Args{Count: 3, Shader: compute.Args{Push: cover}})
		for i := range 4 {
			want := [2]float64{}
			if i >= 2 {
				want = [2]float64{float64(i), 1}
			}
			b := c.bytes(0)[8*(side*(3+side/2*(i/2))+3+side/2*(i%2)):]
			if number(b, 0) != want[0] || number(b, 1) != want[1] {
				t.Errorf("%s, viewport %d: %v, %v; want %v", e.Name(), i, number(b, 0), number(b, 1), want)
			}
		}
	}
}

// TestViewportMaskProvoking has vertices of a primitive with masks of their own.
func TestViewportMaskProvoking(t *testing.T) {
	vertex := with(cornersText, "out viewportmask i32 0", "v30 = select.i32 v10, 2:i32, 4:i32\nout.i32 v30, #7")
	for _, e := range engines() {
		for _, last := range []bool{false, true} {
			c := blank(t, side, side, "R32G32_SFLOAT")
			s := full(c)
			fourViewports(&s)
			s.Rasterization.LastVertex = last
			paint(t, e, draw.Stages{Vertex: parse(t, vertex, 0), Fragment: parse(t, giveText("viewportindex i32 0", "i32"), 0)}, s, c, state.Args{Count: 3, Shader: compute.Args{Push: cover}})
			first, second := number(c.bytes(0)[8*(3*side+11):], 0), number(c.bytes(0)[8*(11*side+3):], 0)
			if want := [2]float64{1, 0}; !last && [2]float64{first, second} != want {
				t.Errorf("%s: viewports %v, %v; want %v", e.Name(), first, second, want)
			}
			if want := [2]float64{0, 2}; last && [2]float64{first, second} != want {
				t.Errorf("%s: viewports %v, %v; want %v", e.Name(), first, second, want)
			}
		}
	}
}
