package draw_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// grayText writes a gray to all components.
const grayText = `
program "gray" fragment
subgroup 16
local 1 1 1
out location f32 0
out location f32 1
out location f32 2
out location f32 3
func "main"() L1 {
	out.f32 GRAY:f32, #0
	out.f32 GRAY:f32, #1
	out.f32 GRAY:f32, #2
	out.f32 GRAY:f32, #3
}`

// ditherSide is the side of the test's target, which is no multiple of a block.
const ditherSide = 20

// gray draws a gray on a target and returns the raw components of all samples.
func gray(t *testing.T, name string, samples int, level float64, change func(s *state.State)) (all [][4]uint64) {
	t.Helper()
	var first []byte
	for _, e := range engines() {
		c := &canvas{}
		m, v := image(t, texture.Desc{Format: name, Width: ditherSide, Height: ditherSide, Samples: samples, Packed: true}, texture.ViewDesc{})
		c.images, c.Colors = []*texture.Image{m}, []*texture.View{v}
		s := full(c)
		s.Multisample.Samples = uint32(samples)
		change(&s)
		text := strings.ReplaceAll(grayText, "GRAY", fmt.Sprintf("%.9f", level))
		paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, text, 0)}, s, c, state.Args{Count: 3, Shader: compute.Args{Push: cover}})
		if first == nil {
			first = c.bytes(0)
		} else if string(first) != string(c.bytes(0)) {
			t.Fatalf("%s: the engines differ", name)
		}
	}
	f, _ := format.ByName(name)
	for i := 0; i < len(first); i += f.Bytes {
		var texel [4]uint64
		for _, k := range f.Components() {
			texel[k.Channel] = k.Raw(first[i:])
		}
		all = append(all, texel)
	}
	return all
}

// sampleOf returns the texel of a sample of pixel i in an image of four samples.
func sampleOf(i, sample int) int { return (i/ditherSide*4+sample)*ditherSide + i%ditherSide }

// TestDithering: legacy dithering changes a value by at most one step of the format, depending only on the value and
// the coordinates of the pixel (Vulkan §"Legacy Dithering").
func TestDithering(t *testing.T) {
	on := func(s *state.State) { s.Dither = true }
	off := func(s *state.State) {}
	for _, name := range []string{"R8G8B8A8_UNORM", "R5G6B5_UNORM_PACK16", "A2B10G10R10_UNORM_PACK32", "R8G8B8A8_SRGB", "R8G8B8A8_SNORM", "R16_UNORM", "R32_SFLOAT"} {
		f, _ := format.ByName(name)
		for _, level := range []float64{0, 1, 1.5, -0.25, 0.2, 0.3, 0.7137, 100.0 / 255, 254.6 / 255, 30.5 / 31} {
			plain, got := gray(t, name, 1, level, off), gray(t, name, 1, level, on)
			coarse := gray(t, name, 1, level, func(s *state.State) { s.Dither, s.Rate.Width, s.Rate.Height = true, 2, 4 })
			four := gray(t, name, 4, level, on)
			for _, k := range f.Components() {
				most := float64(uint64(1)<<k.Bits - 1)
				exact := min(max(level, 0), 1) * most
				sum := 0.0
				for i := range got {
					x := float64(got[i][k.Channel])
					if sum += x; x != float64(coarse[i][k.Channel]) || x != float64(four[sampleOf(i, 0)][k.Channel]) || x != float64(four[sampleOf(i, 3)][k.Channel]) {
						t.Fatalf("%s, %g: pixel %d differs in fragments of several pixels or samples", name, level, i)
					}
					switch dithers := k.Numeric == format.UNorm && k.Bits <= 8; {
					case !dithers && got[i][k.Channel] != plain[i][k.Channel]:
						t.Fatalf("%s, %g: pixel %d is %v; want %v", name, level, i, got[i], plain[i])
					case dithers && math.Abs(x-exact) >= 1, dithers && math.Abs(exact-math.Round(exact)) < 1e-3 && x != math.Round(exact):
						t.Fatalf("%s, %g: pixel %d is %g; want %g rounded down or up", name, level, i, x, exact)
					}
				}
				if mean := sum / float64(len(got)); k.Numeric == format.UNorm && k.Bits <= 8 && math.Abs(mean-exact) > 1.0/16 {
					t.Errorf("%s, %g: the mean of %d bits is %g; want %g", name, level, k.Bits, mean, exact)
				}
			}
		}
	}
	logic := func(s *state.State) { s.Dither, s.Blend.Logic, s.Blend.LogicOp = true, true, enum.LogicOpCopy }
	if got := gray(t, "R8_UNORM", 1, 0.3, logic); got[0] != got[1] || got[0] != got[ditherSide] {
		t.Error("a logical operation is dithered")
	}
}
