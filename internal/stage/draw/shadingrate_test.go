package draw_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
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

// ratesText gives FragCoord and ShadingRate, and both words of SampleMask.
const ratesText = `
program "rates" fragment
subgroup 16
local 1 1 1
in fragcoord f32 0
in fragcoord f32 1
in shadingrate i32 0
in samplemask i32 0
in samplemask i32 1
in fragsize i32 0
in fragsize i32 1
out location f32 0
out location f32 1
out location f32 2
out location f32 3
out location i32 4
out location i32 5
func "main"() L1 {
	v1 = in.f32 #0
	out.f32 v1, #0
	v2 = in.f32 #1
	out.f32 v2, #1
	v3 = in.i32 #2
	v4 = utof.f32.i32 v3
	out.f32 v4, #2
	v5 = in.i32 #3
	out.i32 v5, #4
	v6 = in.i32 #4
	out.i32 v6, #5
	v7 = in.i32 #5
	v8 = in.i32 #6
	v9 = mul.i32 v7, 16:i32
	v10 = add.i32 v9, v8
	v11 = utof.f32.i32 v10
	out.f32 v11, #3
}`

// ratedText gives a vertex the place and the shading rate that stand in push constants.
const ratedText = `
program "rated" vertex
subgroup 16
local 1 1 1
push 128
in vertexindex i32 0
out position f32 0
out position f32 1
out position f32 2
out position f32 3
out primitiveshadingrate i32 0
func "main"() L1 {
	v1 = in.i32 #0
	v2 = at 0:i32, v1, #20
	v3 = push
	v4 = ld.f32 v3, v2, #0
	out.f32 v4, #0
	v5 = ld.f32 v3, v2, #4
	out.f32 v5, #1
	v6 = ld.f32 v3, v2, #8
	out.f32 v6, #2
	v7 = ld.f32 v3, v2, #12
	out.f32 v7, #3
	v8 = ld.i32 v3, v2, #16
	out.i32 v8, #4
}`

// extent is the size of a fragment.
type extent struct{ w, h int }

// supported are the sizes that there are with a number of samples.
func supported(samples int) (list []extent) {
	for _, w := range []int{1, 2, 4} {
		for _, h := range []int{1, 2, 4} {
			if w*h == 1 || w*h*samples <= state.MaxFragmentSamples {
				list = append(list, extent{w, h})
			}
		}
	}
	return list
}

// clampedTo clamps a size as Vulkan §"Combining the Fragment Shading Rates" says, step
// by step; of a wide and a tall one the wide one is chosen.
func clampedTo(r extent, samples int) extent {
	keep := func(list []extent, score func(extent) int) (best []extent) {
		for _, x := range list {
			switch {
			case len(best) == 0 || score(x) > score(best[0]):
				best = []extent{x}
			case score(x) == score(best[0]):
				best = append(best, x)
			}
		}
		return best
	}
	var list []extent
	for _, x := range supported(samples) {
		if x.w <= r.w && x.h <= r.h {
			list = append(list, x)
		}
	}
	list = keep(list, func(x extent) int { return x.w * x.h })
	list = keep(list, func(x extent) int { return -x.w - x.h })
	return keep(list, func(x extent) int { return x.w })[0]
}

// combinedOf is one combiner (VkFragmentShadingRateCombinerOpKHR).
func combinedOf(op enum.RateCombiner, a, b extent) extent {
	of := func(a, b int) int { return [5]int{a, b, min(a, b), max(a, b), a * b}[op] }
	return extent{of(a.w, b.w), of(a.h, b.h)}
}

// encoded is the size that flags stand for.
func encoded(flags int) extent { return extent{1 << (flags >> 2 & 3), 1 << (flags & 3)} }

// flagsOf are the flags of a size.
func flagsOf(x extent) int {
	log := map[int]int{1: 0, 2: 1, 4: 2}
	return log[x.w]<<2 | log[x.h]
}

// rateCanvas is what ratesText draws to.
func rateCanvas(t *testing.T, samples int) *canvas {
	c := &canvas{}
	for _, f := range []string{"R32G32B32A32_SFLOAT", "R32G32_UINT"} {
		m, v := image(t, texture.Desc{Format: f, Width: rateSide, Height: rateSide, Samples: samples}, texture.ViewDesc{})
		c.images, c.Colors = append(c.images, m), append(c.Colors, v)
	}
	return c
}

const rateSide = 32

// slanted is a triangle with edges that cut through fragments.
var slanted = floats(-0.97, -0.9, 0, 1, 0.93, -0.71, 0, 1, -0.4, 0.99, 0, 1)

// coverage returns which samples of each pixel something covers without coarse
// fragments: those have the same samples (Vulkan §"Multisampling").
func coverage(t *testing.T, e exec.Engine, samples int, push []byte) func(x, y int) uint64 {
	c := sampled(t, "R8_UNORM", samples)
	m, v := image(t, texture.Desc{Format: "R8_UNORM", Width: rateSide, Height: rateSide, Samples: samples}, texture.ViewDesc{})
	c.images[0], c.Colors[0] = m, v
	s := full(c)
	s.Multisample.Samples = uint32(samples)
	paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, whiteText, 0)}, s, c, state.Args{Count: 3, Shader: compute.Args{Push: push}})
	return c.set
}

// checkRates compares a picture of ratesText with what the specification has in a
// pixel's fragment, where covered says what is covered.
func checkRates(t *testing.T, c *canvas, samples int, size func(x, y int) extent, covered func(x, y int) uint64) {
	t.Helper()
	for i := range rateSide * rateSide {
		x, y := i%rateSide, i/rateSide
		f := size(x, y)
		x0, y0 := x-x%f.w, y-y%f.h
		mask := uint64(0)
		for p := range f.w * f.h {
			mask |= covered(x0+p%f.w, y0+p/f.w) << (samples * (f.w*f.h - 1 - p))
		}
		want := [4]float64{float64(x0) + float64(f.w)/2, float64(y0) + float64(f.h)/2, float64(flagsOf(f)), float64(16*f.w + f.h)}
		for n := range samples {
			at := texture.Coord{X: x, Y: y, Sample: n}
			a, b := c.images[0].Texel(at), c.images[1].Texel(at)
			got := [4]float64{number(a, 0), number(a, 1), number(a, 2), number(a, 3)}
			w, m := want, mask
			if covered(x, y)>>n&1 == 0 {
				w, m = [4]float64{}, 0
			}
			if g := binary.LittleEndian.Uint64(b); got != w || g != m {
				t.Fatalf("pixel (%d, %d), sample %d of %d: %v, samples %x; want %v, %x", x, y, n, samples, got, g, w, m)
			}
		}
	}
}

// TestShadingRate draws with each pipeline rate and number of samples: all pixels of a
// fragment have what one invocation gave, at the middle of the fragment, and its mask
// has their samples by coverage index (Vulkan §"Multisampling").
func TestShadingRate(t *testing.T) {
	for _, e := range engines() {
		for _, samples := range []int{1, 2, 4, 8, 16} {
			covered := coverage(t, e, samples, slanted)
			for _, f := range supported(1) {
				t.Run(fmt.Sprintf("%s/%d/%dx%d", e.Name(), samples, f.w, f.h), func(t *testing.T) {
					c := rateCanvas(t, samples)
					s := full(c)
					s.Multisample.Samples = uint32(samples)
					s.Rate.Width, s.Rate.Height = uint32(f.w), uint32(f.h)
					paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, ratesText, 0)}, s, c, state.Args{Count: 3, Shader: compute.Args{Push: slanted}})
					checkRates(t, c, samples, func(int, int) extent { return clampedTo(f, samples) }, covered)
				})
			}
		}
	}
}

// TestShadingRateThreads has a picture of coarse fragments be the same whatever the
// size of subgroups and the number of workers.
func TestShadingRateThreads(t *testing.T) {
	everywhere(t, func(t *testing.T, e exec.Engine, subgroup uint32, workers int) []byte {
		c := rateCanvas(t, 4)
		s := full(c)
		s.Multisample.Samples = 4
		s.Rate.Width, s.Rate.Height = 2, 2
		paint(t, e, draw.Stages{Vertex: parse(t, cornersText, subgroup), Fragment: parse(t, ratesText, subgroup)}, s, c, state.Args{Count: 3, Shader: compute.Args{Push: slanted, Workers: workers}})
		return append(append([]byte{}, c.bytes(0)...), c.bytes(1)...)
	})
}

// vertexRates are two triangles that share a square, with a rate for each vertex.
func vertexRates(rates [6]int) []byte {
	var b []byte
	for i, p := range [6][2]float32{{-1, -1}, {1, -1}, {-1, 1}, {1, 1}, {-1, 1}, {1, -1}} {
		b = append(b, floats(p[0], p[1], 0, 1)...)
		b = binary.LittleEndian.AppendUint32(b, uint32(rates[i]))
	}
	return b
}

// TestShadingRateCombiners draws with random rates of pipeline, primitives and an
// attachment, and all combiners.
func TestShadingRateCombiners(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 11))
	for _, e := range engines() {
		stages := draw.Stages{Vertex: parse(t, ratedText, 0), Fragment: parse(t, ratesText, 0)}
		for op := range 25 {
			samples := 1 << r.IntN(4)
			ops := [2]enum.RateCombiner{enum.RateCombiner(op % 5), enum.RateCombiner(op / 5)}
			pipeline := supported(1)[r.IntN(9)]
			var rates [6]int
			for i := range rates {
				rates[i] = flagsOf(supported(1)[r.IntN(9)])
			}
			c := rateCanvas(t, samples)
			m, v := image(t, texture.Desc{Format: "R8_UINT", Width: 4, Height: 2}, texture.ViewDesc{})
			c.Rates, c.RateTexel = v, [2]uint32{8, 16}
			for i := range 8 {
				m.Store(texture.Coord{X: i % 4, Y: i / 4}, [4]uint64{uint64(flagsOf(supported(1)[r.IntN(9)]))})
			}
			s := full(c)
			s.Multisample.Samples = uint32(samples)
			s.Rasterization.LastVertex = op%2 == 1
			s.Rate = state.ShadingRate{Width: uint32(pipeline.w), Height: uint32(pipeline.h), Combiners: ops}
			paint(t, e, stages, s, c, state.Args{Count: 6, Shader: compute.Args{Push: vertexRates(rates)}})
			// The triangles' common edge goes through pixels where x + y is 31: those are
			// compared by their own draw.
			size := func(triangle int) func(x, y int) extent {
				return func(x, y int) extent {
					provoking := 3 * triangle
					if s.Rasterization.LastVertex {
						provoking += 2
					}
					in := func(x extent) extent { return clampedTo(x, samples) }
					f := in(combinedOf(ops[0], in(pipeline), in(encoded(rates[provoking]))))
					texel := m.Load(texture.Coord{X: x / 8, Y: y / 16})[0]
					return in(combinedOf(ops[1], f, in(encoded(int(texel)))))
				}
			}
			for i := range rateSide * rateSide {
				x, y := i%rateSide, i/rateSide
				if x+y == rateSide-1 {
					continue
				}
				triangle := 0
				if x+y >= rateSide {
					triangle = 1
				}
				f := size(triangle)(x, y)
				if got := number(c.images[0].Texel(place(x, y)), 2); got != float64(flagsOf(f)) {
					t.Fatalf("%s, combiners %v, %d samples, pipeline %v, primitives %v: pixel (%d, %d) has rate %v; want %v", e.Name(), ops, samples, pipeline, rates, x, y, got, flagsOf(f))
				}
			}
		}
	}
}

// TestShadingRateLayers reads the attachment's layer of the layer that is drawn to, of
// the view, or the first one where it has no other.
func TestShadingRateLayers(t *testing.T) {
	for _, e := range engines() {
		for _, views := range []bool{false, true} {
			for layers := 1; layers <= 2; layers++ {
				c := &canvas{}
				for _, f := range []string{"R32G32B32A32_SFLOAT", "R32G32_UINT"} {
					m, v := image(t, texture.Desc{Format: f, Width: 16, Height: 16, Layers: 2}, texture.ViewDesc{Layers: 2})
					c.images, c.Colors = append(c.images, m), append(c.Colors, v)
				}
				m, v := image(t, texture.Desc{Format: "R8_UINT", Width: 1, Height: 1, Layers: layers}, texture.ViewDesc{Layers: layers})
				for n := range layers {
					m.Store(texture.Coord{Layer: n}, [4]uint64{uint64([2]int{4, 1}[n])})
				}
				c.Rates, c.RateTexel = v, [2]uint32{16, 16}
				s := full(c)
				s.Rate.Combiners[1] = enum.RateCombinerReplace
				vertex := with(cornersText, "out layer i32 0", "out.i32 1:i32, #7")
				if views {
					s.ViewMask, vertex = 2, cornersText
				}
				paint(t, e, draw.Stages{Vertex: parse(t, vertex, 0), Fragment: parse(t, ratesText, 0)}, s, c, state.Args{Count: 3, Shader: compute.Args{Push: cover}})
				want := [2]float64{4, 1}[layers-1]
				if got := number(c.images[0].Texel(texture.Coord{X: 3, Y: 3, Layer: 1}), 2); got != want {
					t.Errorf("%s, views %t, %d layers: rate %v; want %v", e.Name(), views, layers, got, want)
				}
			}
		}
	}
}

// TestShadingRateDepth draws an inclined triangle with coarse fragments over depths:
// each sample of each pixel is tested and written by itself.
func TestShadingRateDepth(t *testing.T) {
	push := floats(-0.97, -0.9, 0.1, 1, 0.93, -0.71, 0.9, 1, -0.4, 0.99, 0.4, 1)
	for _, e := range engines() {
		for _, samples := range []int{1, 4} {
			for _, late := range []bool{false, true} {
				var depths [2][]byte
				var passed [2]uint64
				for k := range 2 {
					c := rateCanvas(t, samples)
					m, v := image(t, texture.Desc{Format: "D32_SFLOAT", Width: rateSide, Height: rateSide, Samples: samples}, texture.ViewDesc{})
					for i := range rateSide * rateSide * samples {
						m.Store(texture.Coord{X: i / samples % rateSide, Y: i / samples / rateSide, Sample: i % samples}, [4]uint64{0x3f000000})
					}
					c.Depth = v
					s := full(c)
					s.Multisample.Samples = uint32(samples)
					s.DepthStencil = state.DepthStencil{Test: true, Write: true, Compare: enum.CompareOpLess}
					if k == 1 {
						s.Rate.Width, s.Rate.Height = 4, 2
					}
					f := ratesText
					if late { // nothing is discarded, but it might be
						f = strings.Replace(f, "out.f32 v11, #3", "out.f32 v11, #3\n v12 = flt.f32 v1, 0.0:f32\n if v12 {\n demote\n }", 1)
					}
					paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, f, 0)}, s, c, state.Args{Count: 3, Passed: &passed[k], Shader: compute.Args{Push: push}})
					depths[k] = m.LayerBytes(0, 0, 0)
				}
				if string(depths[0]) != string(depths[1]) || passed[0] != passed[1] || passed[0] == 0 {
					t.Errorf("%s, %d samples, late %t: other depths than with fragments of one pixel, or %d samples and not %d", e.Name(), samples, late, passed[1], passed[0])
				}
			}
		}
	}
}

// TestShadingRateMask writes a mask: of fragments of 2×1 pixels with 4 samples it takes
// all samples of the right pixel but one, and all but another of the left one.
func TestShadingRateMask(t *testing.T) {
	for _, e := range engines() {
		c := sampled(t, "R8_UNORM", 4)
		s := full(c)
		s.Multisample.Samples = 4
		s.Rate.Width = 2
		f := with(whiteText, "out samplemask i32 0", "out.i32 0x42:i32, #1")
		paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, f, 0)}, s, c, state.Args{Count: 3, Shader: compute.Args{Push: cover}})
		for i := range side * side {
			want := uint64(4) // bit 6: sample 2 of pixel 0
			if i%2 == 1 {
				want = 2 // bit 1: sample 1 of pixel 1
			}
			if got := c.set(i%side, i/side); got != want {
				t.Fatalf("%s: pixel %d has samples %x; want %x", e.Name(), i, got, want)
			}
		}
	}
}

// TestShadingRateAlpha has alpha stand for coverage of each pixel.
func TestShadingRateAlpha(t *testing.T) {
	text := strings.NewReplacer("out location f32 0", "out location f32 0\nout location f32 3", "out.f32 1.0:f32, #0", "out.f32 1.0:f32, #0\nout.f32 0.5:f32, #1").Replace(whiteText)
	for _, e := range engines() {
		c := sampled(t, "R8G8B8A8_UNORM", 4)
		s := full(c)
		s.Multisample = state.Multisample{Samples: 4, AlphaToCoverage: true}
		s.Rate.Width, s.Rate.Height = 4, 4
		paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, text, 0)}, s, c, state.Args{Count: 3, Shader: compute.Args{Push: cover}})
		for i := range side * side {
			if got := c.set(i%side, i/side); got != 3 {
				t.Fatalf("%s: pixel %d has samples %x; want 3", e.Name(), i, got)
			}
		}
	}
}

// TestShadingRateSampleShading has sample shading allow fragments of one pixel only.
func TestShadingRateSampleShading(t *testing.T) {
	for _, e := range engines() {
		for _, mode := range []bool{false, true} {
			c := rateCanvas(t, 1)
			s := full(c)
			s.Rate.Width, s.Rate.Height = 2, 2
			f := parse(t, ratesText, 0)
			if mode {
				f.Modes |= ir.PerSample
			} else {
				s.Multisample.SampleShading = true
			}
			paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: f}, s, c, state.Args{Count: 3, Shader: compute.Args{Push: cover}})
			checkRates(t, c, 1, func(int, int) extent { return extent{1, 1} }, func(int, int) uint64 { return 1 })
		}
	}
}

// TestShadingRateDerivatives has neighbours of a quad be fragments: their FragCoord is
// so far apart as fragments are wide and high (Vulkan §"Derivative Operations").
func TestShadingRateDerivatives(t *testing.T) {
	text := strings.Replace(ratesText, "out.f32 v1, #0", "v20 = quadswap.f32 v1, #1\n v21 = fsub.f32 v20, v1\n v22 = fabs.f32 v21\n out.f32 v22, #0", 1)
	text = strings.Replace(text, "out.f32 v2, #1", "v23 = quadswap.f32 v2, #2\n v24 = fsub.f32 v23, v2\n v25 = fabs.f32 v24\n out.f32 v25, #1", 1)
	for _, e := range engines() {
		for _, size := range []uint32{4, 16, 64} {
			for _, f := range supported(1) {
				c := rateCanvas(t, 1)
				s := full(c)
				s.Rate.Width, s.Rate.Height = uint32(f.w), uint32(f.h)
				paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, text, size)}, s, c, state.Args{Count: 3, Shader: compute.Args{Push: slanted}})
				n := 0
				for i := range rateSide * rateSide {
					b := c.images[0].Texel(place(i%rateSide, i/rateSide))
					if number(b, 3) == 0 {
						continue
					}
					n++
					if number(b, 0) != float64(f.w) || number(b, 1) != float64(f.h) {
						t.Fatalf("%s, %v: pixel %d: differences of %v and %v", e.Name(), f, i, number(b, 0), number(b, 1))
					}
				}
				if n < 200 {
					t.Errorf("only %d pixels", n)
				}
			}
		}
	}
}

// TestShadingRateCentroid interpolates at the centroid: at the middle of fragments that
// are wholly covered, and else at the covered sample of the least coverage index.
func TestShadingRateCentroid(t *testing.T) {
	text := strings.Replace(giveText("location f32 5", "f32"), "location f32 5", "location f32 5 centroid", 1)
	for _, e := range engines() {
		c := blank(t, side, side, "R32G32_SFLOAT")
		s := full(c)
		s.Rate.Width = 4
		x := float32(6.25/8 - 1) // its left edge is at 6.25 pixels
		paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, text, 0)}, s, c, state.Args{Count: 3,
			Shader: compute.Args{Push: floats(x, -1, 0, 1, x+4, -1, 0, 1, x, 3, 0, 1)}})
		for i := range side * side {
			px := i % side
			at, there := float64(px&^3)+2, 1.0
			switch {
			case px < 6:
				at, there = 6.25, 0
			case px < 8: // the last pixel's sample has index 0
				at = 7.5
			}
			if b := c.bytes(0)[8*i:]; number(b, 0) < (at-6.25)/32-1e-6 || number(b, 0) > (at-6.25)/32+1e-6 || number(b, 1) != there {
				t.Fatalf("%s, pixel %d: %v, %v; want %v, %v", e.Name(), i, number(b, 0), number(b, 1), (at-6.25)/32, there)
			}
		}
	}
}

// TestShadingRateErrors gives rates and attachments that are none.
func TestShadingRateErrors(t *testing.T) {
	for want, change := range map[string]func(*state.State, *canvas){
		"fragments of 3×1 pixels": func(s *state.State, _ *canvas) { s.Rate.Width, s.Rate.Height = 3, 1 },
		"fragments of 1×8 pixels": func(s *state.State, _ *canvas) { s.Rate.Width, s.Rate.Height = 1, 8 },
		"combiners of shading rates 5 and 0": func(s *state.State, _ *canvas) {
			s.Rate.Combiners[0] = 5
		},
		"attachment of format R8_UNORM": func(_ *state.State, c *canvas) { c.Rates, c.RateTexel = c.Colors[0], [2]uint32{8, 8} },
		"for 4 pixels": func(_ *state.State, c *canvas) {
			_, c.Rates = image(t, texture.Desc{Format: "R8_UINT", Width: 1, Height: 1}, texture.ViewDesc{})
			c.RateTexel = [2]uint32{4, 8}
		},
	} {
		c := blank(t, side, side, "R8_UNORM")
		s := full(c)
		change(&s, c)
		p, err := draw.New(draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, whiteText, 0)}, s, engines()[0], exec.Options{})
		if err != nil {
			t.Fatal(err)
		}
		err = p.Draw(t.Context(), &c.Target, &state.Args{Count: 3, Instances: 1, Shader: compute.Args{Push: cover}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v; want %q", err, want)
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestShadingRateFlags reads flags that Vulkan does not allow, and pixels behind the
// attachment's last texel.
func TestShadingRateFlags(t *testing.T) {
	for _, e := range engines() {
		for texel, want := range map[uint64]float64{0x0f: 10, 0x0c: 8, 0xf3: 2, 0xf5: 5} {
			c := rateCanvas(t, 1)
			m, v := image(t, texture.Desc{Format: "R8_UINT", Width: 2, Height: 1}, texture.ViewDesc{})
			m.Clear(texture.Coord{}, [4]uint64{texel})
			c.Rates, c.RateTexel = v, [2]uint32{8, 16}
			s := full(c)
			s.Rate = state.ShadingRate{Width: 2, Combiners: [2]enum.RateCombiner{enum.RateCombinerKeep, enum.RateCombinerReplace}}
			paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, ratesText, 0)}, s, c, state.Args{Count: 3, Shader: compute.Args{Push: cover}})
			for i := range rateSide * rateSide {
				x, y := i%rateSide, i/rateSide
				w := want
				if x >= 16 || y >= 16 {
					w = 0
				}
				if got := number(c.images[0].Texel(place(x, y)), 2); got != w {
					t.Fatalf("%s, texel %x, pixel (%d, %d): rate %v; want %v", e.Name(), texel, x, y, got, w)
				}
			}
			flags := int(texel)
			paint(t, e, draw.Stages{Vertex: parse(t, ratedText, 0), Fragment: parse(t, ratesText, 0)},
				state.State{Viewports: s.Viewports, Scissors: s.Scissors, Assembly: s.Assembly, Rate: state.ShadingRate{Combiners: [2]enum.RateCombiner{enum.RateCombinerReplace, enum.RateCombinerKeep}}},
				c, state.Args{Count: 6, Shader: compute.Args{Push: vertexRates([6]int{flags, flags, flags, flags, flags, flags})}})
			if got := number(c.images[0].Texel(place(20, 20)), 2); got != want {
				t.Errorf("%s, flags %x of a vertex: rate %v; want %v", e.Name(), texel, got, want)
			}
		}
	}
}

// TestSampleMaskWords writes the first word of a mask that has two: samples of the
// second one stay.
func TestSampleMaskWords(t *testing.T) {
	for _, e := range engines() {
		c := sampled(t, "R8_UNORM", 64)
		s := full(c)
		s.Multisample.Samples = 64
		f := with(whiteText, "out samplemask i32 0", "out.i32 5:i32, #1")
		paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, f, 0)}, s, c, state.Args{Count: 3, Shader: compute.Args{Push: cover}})
		if got := c.set(3, 3); got != 0xffffffff00000005 {
			t.Errorf("%s: samples %x", e.Name(), got)
		}
	}
}

// TestShadingRateGeometry has a geometry program give the rate of its primitives: the
// provoking vertex's, which is the first one that it emits.
func TestShadingRateGeometry(t *testing.T) {
	text := with(doubledText, "out primitiveshadingrate i32 0", "")
	text = strings.Replace(text, "out.i32 v21, #7", "out.i32 v21, #7\n v30 = eq.i32 v6, 0:i32\n v31 = select.i32 v30, 5:i32, 0:i32\n out.i32 v31, #8", 1)
	for _, e := range engines() {
		c := rateCanvas(t, 1)
		s := full(c)
		s.Rate.Combiners[0] = enum.RateCombinerReplace
		paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Geometry: parse(t, text, 0), Fragment: parse(t, ratesText, 0)}, s, c,
			state.Args{Count: 3, Shader: compute.Args{Push: cover}})
		if got := number(c.images[0].Texel(place(9, 9)), 2); got != 5 {
			t.Errorf("%s: rate %v; want 5", e.Name(), got)
		}
	}
}
