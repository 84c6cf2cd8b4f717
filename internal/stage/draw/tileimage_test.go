package draw_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// afterText makes of the number n that stands in the attachment 3n + the primitive's
// number + 1: no two of them may change places.
const afterText = `
program "after" fragment
subgroup 16
local 1 1 1
in tilecolor i32 0
in primitiveid i32 0
out location i32 0
func "main"() L1 {
	v1 = inat.i32 0:i32, #0
	v2 = mul.i32 v1, 3:i32
	v3 = in.i32 #1
	v4 = add.i32 v2, v3
	v5 = add.i32 v4, 1:i32
	out.i32 v5, #0
}`

// manyTriangles is n triangles that all cover the canvas, by indices.
func manyTriangles(n int) []byte {
	var b []byte
	for range n {
		b = append(b, 0, 1, 2)
	}
	return b
}

// TestTileColor reads the color attachment behind all primitives that were before
// (Vulkan §"Fragment Shader Tile Image Reads").
func TestTileColor(t *testing.T) {
	const n = 12
	want := uint32(0)
	for i := range uint32(n) {
		want = 3*want + i + 1
	}
	function := strings.Replace(afterText, "v1 = inat.i32 0:i32, #0", "v1 i32 = call 1()", 1) + `
func "read"() L1(v1 i32) {
	v2 = inat.i32 0:i32, #0
	br L1(v2)
}`
	for _, text := range []string{afterText, function} {
		testTileColor(t, text, n, want)
	}
}

func testTileColor(t *testing.T, text string, n uint32, want uint32) {
	everywhere(t, func(t *testing.T, e exec.Engine, subgroup uint32, workers int) []byte {
		c := blank(t, 80, 72, "R32_UINT")
		s := full(c)
		s.Rate.Width, s.Rate.Height = 2, 2 // says nothing here
		paint(t, e, draw.Stages{Vertex: parse(t, cornersText, subgroup), Fragment: parse(t, text, subgroup)}, s, c,
			state.Args{Count: 3 * n, Index: manyTriangles(int(n)), IndexBytes: 1, Shader: compute.Args{Push: cover, Workers: workers}})
		for i := range 80 * 72 {
			if got := c.images[0].Load(place(i%80, i/80))[0]; uint32(got) != want {
				t.Fatalf("pixel %d is %d; want %d", i, got, want)
			}
		}
		return c.bytes(0)
	})
}

// TestTileSamples reads each sample by itself, be it of a pixel's invocation or of its
// own, in the second layer of an attachment that is not the one written.
func TestTileSamples(t *testing.T) {
	text := `
program "samples" fragment
subgroup 16
local 1 1 1
in tilecolor f32 6
in sampleid i32 0
out location f32 0
func "main"() L1 {
	v1 = in.i32 #1
	v2 = inat.f32 v1, #0
	out.f32 v2, #0
}`
	fixed := strings.NewReplacer("v1 = in.i32 #1\n", "", "inat.f32 v1", "inat.f32 WHICH:i32", "in sampleid i32 0\n", "").Replace(text)
	for _, e := range engines() {
		for which := -1; which <= 4; which++ {
			c := &canvas{}
			for _, f := range []string{"R32_SFLOAT", "R32G32B32A32_SFLOAT"} {
				m, v := image(t, texture.Desc{Format: f, Width: side, Height: side, Layers: 2, Samples: 4}, texture.ViewDesc{Layers: 2})
				c.images, c.Colors = append(c.images, m), append(c.Colors, v)
			}
			for i := range side * side {
				for n := range 4 {
					c.images[1].Store(texture.Coord{X: i % side, Y: i / side, Layer: 1, Sample: n}, [4]uint64{0, 0, uint64(floatBits(float32(10*i + n + 1)))})
				}
			}
			s := full(c)
			s.Multisample.Samples = 4
			p := parse(t, strings.Replace(fixed, "WHICH", fmt.Sprint(which), 1), 0)
			if which < 0 {
				p = parse(t, text, 0)
				p.Modes |= ir.PerSample
			}
			vertex := with(cornersText, "out layer i32 0", "out.i32 1:i32, #7")
			paint(t, e, draw.Stages{Vertex: parse(t, vertex, 0), Fragment: p}, s, c, state.Args{Count: 3, Shader: compute.Args{Push: cover}})
			for i := range side * side {
				for n := range 4 {
					want := float64(10*i + which + 1)
					switch which {
					case -1:
						want = float64(10*i + n + 1)
					case 4: // there is no such sample
						want = 0
					}
					if got := number(c.images[0].Texel(texture.Coord{X: i % side, Y: i / side, Layer: 1, Sample: n}), 0); got != want {
						t.Fatalf("%s, sample %d: sample %d of pixel %d is %v; want %v", e.Name(), which, n, i, got, want)
					}
				}
			}
		}
	}
}

// TestTileReadKinds reads attachments by tile images of another basic type: the value has the bits of the number (docs/undefined.md).
func TestTileReadKinds(t *testing.T) {
	const integers = `
program "kinds" fragment
subgroup 16
local 1 1 1
in tilecolor i32 4
out location i32 0
func "main"() L1 {
	v1 = inat.i32 0:i32, #0
	out.i32 v1, #0
}`
	floating := strings.NewReplacer("tilecolor i32", "tilecolor f32", "v1 = inat.i32 0:i32, #0", "v2 = inat.f32 0:i32, #0\n\tv1 = bitcast.i32.f32 v2").Replace(integers)
	for _, x := range []struct {
		format, text string
		texel, want  uint32
	}{
		{"R32_SFLOAT", integers, floatBits(1.5), floatBits(1.5)}, {"R8G8B8A8_UNORM", integers, floatBits(1), floatBits(1)}, {"R16_SFLOAT", integers, floatBits(-2), floatBits(-2)},
		{"R32_UINT", floating, 7, 7}, {"R8_SINT", floating, 3, 3}, {"R8_UINT", integers, 200, 200}, {"R32_SFLOAT", floating, floatBits(0.25), floatBits(0.25)},
	} {
		for _, e := range engines() {
			c := &canvas{}
			for _, f := range []string{"R32_UINT", x.format} {
				m, v := image(t, texture.Desc{Format: f, Width: side, Height: side}, texture.ViewDesc{})
				c.images, c.Colors = append(c.images, m), append(c.Colors, v)
			}
			for i := range side * side {
				c.images[1].Store(place(i%side, i/side), [4]uint64{uint64(x.texel)})
			}
			paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, x.text, 0)}, full(c), c, state.Args{Count: 3, Shader: compute.Args{Push: cover}})
			for i := range side * side {
				if got := uint32(c.images[0].Load(place(i%side, i/side))[0]); got != x.want {
					t.Fatalf("%s, %s: pixel %d is %#x; must be %#x", e.Name(), x.format, i, got, x.want)
				}
			}
		}
	}
}

// TestTileDepth reads depth and stencil as they were before the fragment's own tests,
// also where those change them.
func TestTileDepth(t *testing.T) {
	const text = `
program "depths" fragment
subgroup 16
local 1 1 1
in tiledepth f32 0
in tilestencil i32 0
out location f32 0
out location f32 1
func "main"() L1 {
	v1 = inat.f32 0:i32, #0
	out.f32 v1, #0
	v2 = inat.i32 0:i32, #1
	v3 = utof.f32.i32 v2
	out.f32 v3, #1
}`
	for _, e := range engines() {
		for _, tests := range []bool{false, true} {
			for _, there := range []bool{false, true} {
				c := blank(t, side, side, "R32G32_SFLOAT")
				if there {
					c.tests(t, "D32_SFLOAT_S8_UINT")
				}
				s := full(c)
				if tests {
					face := state.StencilFace{Compare: enum.CompareOpAlways, Pass: enum.StencilOpIncrementAndClamp, CompareMask: 255, WriteMask: 255}
					s.DepthStencil = state.DepthStencil{Test: true, Write: true, Compare: enum.CompareOpAlways, Stencil: true, Front: face, Back: face}
				}
				push := floats(-1, -1, 0.25, 1, 3, -1, 0.25, 1, -1, 3, 0.25, 1)
				var was, now [2]float64
				for k := range 2 {
					paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, text, 0)}, s, c, state.Args{Count: 3, Shader: compute.Args{Push: push}})
					b := c.images[0].Texel(place(5, 6))
					now = [2]float64{number(b, 0), number(b, 1)}
					if k == 0 {
						was = now
					}
				}
				want := [2]float64{0, 0}
				if tests && there {
					want = [2]float64{0.25, 1}
				}
				if was != [2]float64{} || now != want {
					t.Errorf("%s, tests %t, attachment %t: %v and then %v; want 0 and %v", e.Name(), tests, there, was, now, want)
				}
			}
		}
	}
}

// TestTileHelpers reads beside the canvas by helper invocations: there is 0, whatever
// other tiles do.
func TestTileHelpers(t *testing.T) {
	text := strings.Replace(afterText, "v2 = mul", "v9 = quadswap.i32 v1, #1\n v2 = mul", 1)
	text = strings.Replace(text, "out.i32 v5", "v6 = mul.i32 v9, 1000:i32\n v7 = add.i32 v6, 1:i32\n out.i32 v7", 1)
	everywhere(t, func(t *testing.T, e exec.Engine, subgroup uint32, workers int) []byte {
		c := blank(t, 65, 9, "R32_UINT")
		paint(t, e, draw.Stages{Vertex: parse(t, cornersText, subgroup), Fragment: parse(t, text, subgroup)}, full(c), c,
			state.Args{Count: 6, Index: manyTriangles(2), IndexBytes: 1, Shader: compute.Args{Push: cover, Workers: workers}})
		for i := range 65 * 9 {
			want := uint64(1001)
			if i%65 == 64 {
				want = 1
			}
			if got := c.images[0].Load(place(i%65, i/65))[0]; got != want {
				t.Fatalf("pixel (%d, %d) is %d; want %d", i%65, i/65, got, want)
			}
		}
		return c.bytes(0)
	})
}

// TestFramebufferLayer has input attachments find the layer that is drawn to: that of
// the primitive, or the view.
func TestFramebufferLayer(t *testing.T) {
	for _, e := range engines() {
		for _, views := range []bool{false, true} {
			m, v := image(t, texture.Desc{Format: "R32G32_SFLOAT", Width: side, Height: side, Layers: 3}, texture.ViewDesc{Layers: 3})
			c := &canvas{images: []*texture.Image{m}}
			c.Colors = []*texture.View{v}
			s := full(c)
			vertex := with(cornersText, "out layer i32 0", "out.i32 2:i32, #7")
			if views {
				s.ViewMask, vertex = 4, cornersText
			}
			paint(t, e, draw.Stages{Vertex: parse(t, vertex, 0), Fragment: parse(t, giveText("framebufferlayer i32 0", "i32"), 0)}, s, c, state.Args{Count: 3, Shader: compute.Args{Push: cover}})
			if b := m.Texel(texture.Coord{X: 1, Y: 1, Layer: 2}); number(b, 0) != 2 || number(b, 1) != 1 {
				t.Errorf("%s, views %t: layer %v", e.Name(), views, number(b, 0))
			}
		}
	}
}

// TestLayerBeyondFramebuffer draws to a layer of the attachments that the framebuffer does not have (docs/undefined.md).
func TestLayerBeyondFramebuffer(t *testing.T) {
	for _, e := range engines() {
		for _, other := range []int{0, 2, 3} { // layers of a second attachment
			m, v := image(t, texture.Desc{Format: "R32G32_SFLOAT", Width: side, Height: side, Layers: 3}, texture.ViewDesc{Layers: 3})
			c := &canvas{images: []*texture.Image{m}}
			c.Colors, c.Layers = []*texture.View{v}, 1
			want := 2
			if other > 0 {
				_, second := image(t, texture.Desc{Format: "R32G32_SFLOAT", Width: side, Height: side, Layers: other}, texture.ViewDesc{Layers: other})
				c.Colors, want = append(c.Colors, second), other-1
			}
			s := full(c)
			vertex := with(cornersText, "out layer i32 0", "out.i32 2:i32, #7")
			paint(t, e, draw.Stages{Vertex: parse(t, vertex, 0), Fragment: parse(t, giveText("layer i32 0", "i32"), 0)}, s, c, state.Args{Count: 3, Shader: compute.Args{Push: cover}})
			for layer := range 3 {
				drawn := number(m.Texel(texture.Coord{X: 1, Y: 1, Layer: layer}), 1) == 1
				if drawn != (layer == want) {
					t.Errorf("%s, the second attachment has %d layers: layer %d is drawn: %t; must be layer %d", e.Name(), other, layer, drawn, want)
				}
			}
		}
	}
	if n := (&state.Target{Width: 8, Height: 8, Layers: 1}).Reached(); n != 1<<11 {
		t.Errorf("primitives reach %d layers without attachments; must be 2048", n)
	}
}

// TestTilePass reads the attachment behind the draws of a pass that were before.
func TestTilePass(t *testing.T) {
	const n, draws = 3, 4
	want := uint32(0)
	for range draws {
		for i := range uint32(n) {
			want = 3*want + i + 1
		}
	}
	everywhere(t, func(t *testing.T, e exec.Engine, subgroup uint32, workers int) []byte {
		c := blank(t, 80, 24, "R32_UINT")
		p, err := draw.New(draw.Stages{Vertex: parse(t, cornersText, subgroup), Fragment: parse(t, afterText, subgroup)}, full(c), e, exec.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		var pass draw.Pass
		if err := pass.Begin(&c.Target, nil, workers); err != nil {
			t.Fatal(err)
		}
		for range draws {
			a := state.Args{Count: 3 * n, Instances: 1, Index: manyTriangles(n), IndexBytes: 1, Shader: compute.Args{Push: cover, Workers: workers}}
			if err := pass.Draw(t.Context(), p, &a); err != nil {
				t.Fatal(err)
			}
		}
		if err := pass.End(t.Context()); err != nil {
			t.Fatal(err)
		}
		for i := range 80 * 24 {
			if got := c.images[0].Load(place(i%80, i/80))[0]; uint32(got) != want {
				t.Fatalf("pixel %d is %d; want %d", i, got, want)
			}
		}
		return c.bytes(0)
	})
}
