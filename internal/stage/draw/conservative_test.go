package draw_test

import (
	"math/rand/v2"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// TestFullyCovered draws a triangle whose corners stand at (2.25, 2.25), (13.75, 2.25)
// and (2.25, 13.75): a fragment is wholly covered where no part of any of its pixels is
// outside or touches an edge. Overestimation draws the pixels that touch one. Without conservative rasterization none is (FullyCoveredEXT).
func TestFullyCovered(t *testing.T) {
	text := giveText("fullycovered i32 0", "i32")
	clip := func(x float32) float32 { return x/8 - 1 }
	push := floats(clip(2.25), clip(2.25), 0, 1, clip(13.75), clip(2.25), 0, 1, clip(2.25), clip(13.75), 0, 1)
	within := func(x, y int) bool { return x >= 3 && y >= 3 && x+y+2 < 16 }
	touched := func(x, y int) bool { return x >= 2 && y >= 2 && x+y <= 16 && max(x, y) < 14 }
	everywhere(t, func(t *testing.T, e exec.Engine, subgroup uint32, workers int) []byte {
		var out []byte
		for _, mode := range []int8{-1, 0, 1} {
			for _, f := range []extent{{1, 1}, {2, 1}, {4, 4}} {
				c := blank(t, side, side, "R32G32_SFLOAT")
				s := full(c)
				s.Rasterization.Conservative = mode
				s.Rate.Width, s.Rate.Height = uint32(f.w), uint32(f.h)
				paint(t, e, draw.Stages{Vertex: parse(t, cornersText, subgroup), Fragment: parse(t, text, subgroup)}, s, c, state.Args{Count: 3, Shader: compute.Args{Push: push, Workers: workers}})
				for i := range side * side {
					x, y := i%side, i/side
					all := true
					for p := range f.w * f.h {
						all = all && within(x-x%f.w+p%f.w, y-y%f.h+p/f.w)
					}
					b := c.bytes(0)[8*i:]
					there := number(b, 1) == 1
					switch {
					case mode != 0 && there != [3]bool{within(x, y), false, touched(x, y)}[mode+1]:
						t.Fatalf("mode %d, %v: pixel (%d, %d) is drawn: %t", mode, f, x, y, there)
					case there && (number(b, 0) == 1) != (all && mode != 0):
						t.Fatalf("mode %d, %v: pixel (%d, %d) is wholly covered: %v", mode, f, x, y, number(b, 0))
					}
				}
				out = append(out, c.bytes(0)...)
			}
		}
		return out
	})
}

// TestFullyCoveredMasked takes samples away from a triangle that covers all: what it
// covers wholly stays so (Vulkan §"Sample Mask Test", FullyCoveredEXT).
func TestFullyCoveredMasked(t *testing.T) {
	beyond := floats(-2, -2, 0, 1, 8, -2, 0, 1, -2, 8, 0, 1)
	for _, e := range engines() {
		for _, samples := range []int{1, 4, 64} {
			c := sampled(t, "R32G32_SFLOAT", samples)
			s := full(c)
			s.Rasterization.Conservative = 1
			s.Multisample = state.Multisample{Samples: uint32(samples), Mask: &[2]uint32{1, 1}}
			paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, giveText("fullycovered i32 0", "i32"), 0)}, s, c,
				state.Args{Count: 3, Shader: compute.Args{Push: beyond}})
			for i := range side * side * samples {
				n := i % samples
				want := 0.0
				if n%32 == 0 {
					want = 1
				}
				b := c.images[0].Texel(texture.Coord{X: i / samples % side, Y: i / samples / side, Sample: n})
				if number(b, 0) != want || number(b, 1) != want {
					t.Fatalf("%s, %d samples: sample %d of pixel %d is %v, %v; want %v", e.Name(), samples, n, i/samples, number(b, 0), number(b, 1), want)
				}
			}
		}
	}
}

// TestShadingRateSmall draws many triangles of few pixels, each with coarse fragments:
// they cover what they cover with others.
func TestShadingRateSmall(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 6))
	for range 60 {
		var p [6]float32
		x, y := r.Float32()*28, r.Float32()*28
		for i := range p {
			p[i] = ([2]float32{x, y}[i%2]+r.Float32()*5)/16 - 1
		}
		push := floats(p[0], p[1], 0, 1, p[2], p[3], 0, 1, p[4], p[5], 0, 1)
		for _, e := range engines() {
			covered := coverage(t, e, 1, push)
			c := rateCanvas(t, 1)
			s := full(c)
			s.Rate.Width, s.Rate.Height = 2, 2
			paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, ratesText, 0)}, s, c, state.Args{Count: 3, Shader: compute.Args{Push: push}})
			checkRates(t, c, 1, func(int, int) extent { return extent{2, 2} }, covered)
		}
	}
}
