package draw_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// perViewText is a vertex program with a position of its own for views 1 and 2, in which
// all is by half or a quarter of the picture further right.
func perViewText() string {
	declared, lines := "", "v40 = fmul.f32 v9, 1.0:f32\nv41 = fadd.f32 v4, v40\nv42 = fmul.f32 v9, 0.5:f32\nv43 = fadd.f32 v4, v42\n"
	for i := range 8 {
		declared += fmt.Sprintf("out positionperview f32 %d\n", 4+i)
		lines += fmt.Sprintf("out.f32 %s, #%d\n", [...]string{"v41", "v5", "v8", "v9", "v43", "v5", "v8", "v9"}[i], 7+i)
	}
	return with(cornersText, strings.TrimSpace(declared), lines)
}

// ofLayers is a canvas of several layers.
func ofLayers(t *testing.T, layers int) *canvas {
	m, v := image(t, texture.Desc{Format: "R32G32_SFLOAT", Width: side, Height: side, Layers: layers, Packed: true}, texture.ViewDesc{})
	c := &canvas{images: []*texture.Image{m}}
	c.Colors = []*texture.View{v}
	return c
}

// leftOf returns the first pixel of a row that is covered, by layer, side for none.
func (c *canvas) leftOf(layer, y int) int {
	for x := range side {
		if number(c.images[0].Texel(texture.Coord{X: x, Y: y, Layer: layer}), 1) == 1 {
			return x
		}
	}
	return side
}

// TestPositionPerView draws for views whose vertices have positions of their own (Vulkan
// §"Built-In Variables", PositionPerViewNV); a view without one has that of all.
func TestPositionPerView(t *testing.T) {
	for _, e := range engines() {
		for _, views := range []uint32{0, 2, 7, 14} {
			for _, instances := range []uint32{1, 600} { // of few triangles, and of many
				c := ofLayers(t, 4)
				s := full(c)
				s.ViewMask = views
				paint(t, e, draw.Stages{Vertex: parse(t, perViewText(), 0), Fragment: parse(t, giveText("viewindex i32 0", "i32"), 0)}, s, c, state.Args{Count: 3, Instances: instances, Shader: compute.Args{Push: cover}})
				for view, want := range []int{0, side / 2, side / 4, 0} {
					if max(views, 1)>>view&1 == 0 {
						want = side
					}
					if got := c.leftOf(view, 3); got != want {
						t.Errorf("%s, views %x, view %d: begins at %d; want %d", e.Name(), views, view, got, want)
					}
				}
			}
		}
	}
}

// TestPositionPerViewStages has a geometry program read the positions of a view, and
// leave those of two: what an earlier stage leaves is not what is rasterised.
func TestPositionPerViewStages(t *testing.T) {
	shape := strings.NewReplacer(
		"in position f32 0\nin position f32 1\n", "in positionperview f32 4\nin position f32 1\n",
		"instances 2", "instances 1",
		"out primitiveid i32 0", "out primitiveid i32 0\nout positionperview f32 12\nout positionperview f32 13\nout positionperview f32 14\nout positionperview f32 15",
		"emit #0", "v50 = fadd.f32 v8, -0.5:f32\n\t\tout.f32 v50, #8\n\t\tout.f32 v10, #9\n\t\tout.f32 0.0:f32, #10\n\t\tout.f32 1.0:f32, #11\n\t\temit #0",
	).Replace(doubledText)
	for _, e := range engines() {
		c := ofLayers(t, 4)
		s := full(c)
		s.ViewMask = 15
		paint(t, e, draw.Stages{Vertex: parse(t, perViewText(), 0), Geometry: parse(t, shape, 0), Fragment: parse(t, giveText("viewindex i32 0", "i32"), 0)}, s, c, state.Args{Count: 3, Shader: compute.Args{Push: cover}})
		for view, want := range []int{side / 2, side / 2, side / 2, side / 4} {
			if got := c.leftOf(view, 3); got != want {
				t.Errorf("%s, view %d: begins at %d; want %d", e.Name(), view, got, want)
			}
		}
	}
}

// TestViewportMaskPerView draws into the viewports of each view's mask
// (ViewportMaskPerViewNV). A view without one has none; without views it is that of view 0.
func TestViewportMaskPerView(t *testing.T) {
	vertex := with(cornersText, "out viewportmaskperview i32 0\nout viewportmaskperview i32 2", "out.i32 9:i32, #7\nout.i32 6:i32, #8")
	draws := func(t *testing.T, e exec.Engine, views uint32, masks []int) {
		c := ofLayers(t, 3)
		s := full(c)
		fourViewports(&s)
		s.ViewMask = views
		paint(t, e, draw.Stages{Vertex: parse(t, vertex, 0), Fragment: parse(t, giveText("viewportindex i32 0", "i32"), 0)}, s, c, state.Args{Count: 3, Shader: compute.Args{Push: cover}})
		for view, mask := range masks {
			for n := range 4 {
				want := [2]float64{}
				if mask>>n&1 != 0 {
					want = [2]float64{float64(n), 1}
				}
				b := c.images[0].Texel(texture.Coord{X: 3 + side/2*(n%2), Y: 3 + side/2*(n/2), Layer: view})
				if number(b, 0) != want[0] || number(b, 1) != want[1] {
					t.Errorf("%s, views %x, view %d, viewport %d: %v, %v; want %v", e.Name(), views, view, n, number(b, 0), number(b, 1), want)
				}
			}
		}
	}
	for _, e := range engines() {
		draws(t, e, 7, []int{9, 0, 6})
		draws(t, e, 0, []int{9, 0, 0})
	}
}
