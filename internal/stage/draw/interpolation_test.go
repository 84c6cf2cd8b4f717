package draw_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand"
	"strconv"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// corner is a vertex in the framebuffer, in 256ths of a pixel, with its w.
type corner struct {
	x, y int
	w    float64
}

// clip returns the clip coordinates of corners in a picture of side by side pixels.
func clip(list []corner) []byte {
	var out []float32
	for _, c := range list {
		ndc := func(n int) float32 { return float32((float64(n)/(128*side) - 1) * c.w) }
		out = append(out, ndc(c.x), ndc(c.y), float32(0.5*c.w), float32(c.w))
	}
	return floats(out...)
}

// weighing are the weights of a triangle's corners at a place in 256ths of a pixel:
// linear and in perspective. inside says whether a sample there is covered (top-left
// rule).
func weighing(c []corner, x, y int) (linear, perspective [3]float64, inside bool) {
	area := func(ax, ay, bx, by, cx, cy int) int { return (bx-ax)*(cy-ay) - (cx-ax)*(by-ay) }
	all := area(c[0].x, c[0].y, c[1].x, c[1].y, c[2].x, c[2].y)
	inside = all != 0
	sum := 0.0
	for i := range 3 {
		p, q := c[(i+1)%3], c[(i+2)%3]
		if all < 0 {
			p, q = q, p
		}
		part := area(p.x, p.y, q.x, q.y, x, y)
		dx, dy := q.x-p.x, q.y-p.y
		inside = inside && (part > 0 || part == 0 && (dy < 0 || dy == 0 && dx > 0))
		linear[i] = float64(part) / math.Abs(float64(all))
		perspective[i] = linear[i] / c[i].w
		sum += perspective[i]
	}
	for i := range perspective {
		perspective[i] /= sum
	}
	return linear, perspective, inside
}

// randomCorners is a triangle that is not thin.
func randomCorners(r *rand.Rand) []corner {
	for {
		w := []float64{1, 2, 4, 0.5, 1.5, 3}
		c := make([]corner, 3)
		for i := range c {
			c[i] = corner{r.Intn(256 * side), r.Intn(256 * side), w[r.Intn(len(w))]}
		}
		if a := (c[1].x-c[0].x)*(c[2].y-c[0].y) - (c[2].x-c[0].x)*(c[1].y-c[0].y); a > 1<<20 || a < -1<<20 {
			return c
		}
	}
}

// TestInterpolation compares the weights of corners, as colors that are 1 at one of
// them, with those of Vulkan §"Basic Polygon Rasterization", in perspective and
// without, and the flat color with that of the vertex that provokes.
func TestInterpolation(t *testing.T) {
	r := rand.New(rand.NewSource(14))
	for _, how := range []string{"", " linear", " flat"} {
		text := strings.NewReplacer("in location f32 4", "in location f32 4"+how, "in location f32 5", "in location f32 5"+how, "in location f32 6", "in location f32 6"+how).Replace(shownText)
		for range 40 {
			c := randomCorners(r)
			var first []byte
			for _, e := range engines() {
				v := blank(t, side, side, "R32G32B32A32_SFLOAT")
				s := full(v)
				s.Rasterization.LastVertex = c[0].x&1 == 0
				paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, text, 0)}, s, v, state.Args{Count: 3, Shader: compute.Args{Push: clip(c)}})
				if first == nil {
					first = bytes.Clone(v.bytes(0))
				}
				if !bytes.Equal(first, v.bytes(0)) {
					t.Fatalf("%v%s: engines differ", c, how)
				}
			}
			flat := [3]float64{1}
			if c[0].x&1 == 0 {
				flat = [3]float64{2: 1}
			}
			for i := range side * side {
				linear, perspective, inside := weighing(c, 256*(i%side)+128, 256*(i/side)+128)
				want := map[string][3]float64{"": perspective, " linear": linear, " flat": flat}[how]
				if !inside {
					want = [3]float64{}
				}
				for k := range want {
					got := float64(math.Float32frombits(binary.LittleEndian.Uint32(first[16*i+4*k:])))
					if math.Abs(got-want[k]) > 2e-6 {
						t.Fatalf("%v%s, texel %d, component %d is %v; want %v", c, how, i, k, got, want[k])
					}
				}
			}
		}
	}
}

// TestInterpolationOffset compares the weights of corners at offsets up to the limits of InterpolateAtOffset, outside of the triangle too,
// with those of Vulkan §"Basic Polygon Rasterization".
func TestInterpolationOffset(t *testing.T) {
	r := rand.New(rand.NewSource(16))
	for _, how := range []string{"", " linear"} {
		text := strings.NewReplacer("in location f32 4", "in location f32 4"+how, "in location f32 5", "in location f32 5"+how, "in location f32 6", "in location f32 6"+how,
			"in.f32 #0", "interp.f32 DX:f32, DY:f32, #0", "in.f32 #1", "interp.f32 DX:f32, DY:f32, #1", "in.f32 #2", "interp.f32 DX:f32, DY:f32, #2").Replace(shownText)
		for _, at := range [][2]int{{-512, -512}, {512, 512}, {-512, 511}, {1, -1}, {-128, 112}} {
			number := func(n int) string { return strconv.FormatFloat(float64(n)/256, 'f', 8, 32) }
			p := parse(t, strings.NewReplacer("DX", number(at[0]), "DY", number(at[1])).Replace(text), 0)
			c := randomCorners(r)
			var first []byte
			for _, e := range engines() {
				v := blank(t, side, side, "R32G32B32A32_SFLOAT")
				paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: p}, full(v), v, state.Args{Count: 3, Shader: compute.Args{Push: clip(c)}})
				if first == nil {
					first = bytes.Clone(v.bytes(0))
				}
				if !bytes.Equal(first, v.bytes(0)) {
					t.Fatalf("%v%s: engines differ", c, how)
				}
			}
			compareOffset(t, c, at, how == "", first)
		}
	}
}

// compareOffset compares the weights that a picture has with those at an offset in 256ths of a pixel.
func compareOffset(t *testing.T, c []corner, at [2]int, perspective bool, picture []byte) {
	t.Helper()
	for i := range side * side {
		x, y := 256*(i%side)+128, 256*(i/side)+128
		if _, _, inside := weighing(c, x, y); !inside {
			continue
		}
		want, weights := weighed(c, x+at[0], y+at[1]), 1.0
		if perspective {
			weights = 0
			for k := range want {
				want[k] /= c[k].w
				weights += want[k]
			}
		}
		if weights < 0.1 { // 1/w is 0 near there
			continue
		}
		for k := range want {
			got, want := float64(math.Float32frombits(binary.LittleEndian.Uint32(picture[16*i+4*k:]))), want[k]/weights
			if math.Abs(got-want) > 1e-5*(1+math.Abs(want)) {
				t.Fatalf("%v, offset %v, perspective %t, texel %d, component %d is %v; want %v", c, at, perspective, i, k, got, want)
			}
		}
	}
}

// weighed are the linear weights of a triangle's corners at a place in 256ths of a pixel, which may be outside.
func weighed(c []corner, x, y int) (w [3]float64) {
	area := func(a, b corner) float64 { return float64((b.x-a.x)*(y-a.y) - (x-a.x)*(b.y-a.y)) }
	for i := range w {
		w[i] = area(c[(i+1)%3], c[(i+2)%3])
	}
	all := w[0] + w[1] + w[2]
	for i := range w {
		w[i] /= all
	}
	return w
}

// TestMissingSample reads the position of a sample that the fragment does not have: the corner of the pixel, and with one sample its center.
func TestMissingSample(t *testing.T) {
	text := "program \"missing\" fragment\nsubgroup 16\nlocal 1 1 1\nin sampleposition f32 0\nin sampleposition f32 1\nout location f32 0\nout location f32 1\n" +
		"func \"main\"() L1 {\n v1 = inat.f32 NUMBER:i32, #0\n v2 = inat.f32 NUMBER:i32, #1\n out.f32 v1, #0\n out.f32 v2, #1\n}"
	for samples, want := range map[int]float64{1: 0.5, 4: 0} {
		for _, number := range []string{"4", "1000", "0xffffffff"} {
			for _, e := range engines() {
				c := sampled(t, "R32G32_SFLOAT", samples)
				s := full(c)
				s.Multisample.Samples = uint32(samples)
				fragment := parse(t, strings.ReplaceAll(text, "NUMBER", number), 0)
				paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: fragment}, s, c, state.Args{Count: 3, Shader: compute.Args{Push: cover}})
				b := c.images[0].Texel(texture.Coord{})
				if x, y := math.Float32frombits(binary.LittleEndian.Uint32(b)), math.Float32frombits(binary.LittleEndian.Uint32(b[4:])); float64(x) != want || float64(y) != want {
					t.Errorf("%s: sample %s of %d is at %v, %v; want %v", e.Name(), number, samples, x, y, want)
				}
			}
		}
	}
}

// TestSamples covers the samples of pixels with several and compares each with the
// standard positions, and what is interpolated at the sample with the weights there.
func TestSamples(t *testing.T) {
	r := rand.New(rand.NewSource(15))
	for _, samples := range []int{1, 2, 4, 8, 16, 64} {
		for _, shading := range []bool{false, true} {
			for range 4 {
				testSamples(t, randomCorners(r), samples, shading)
			}
		}
	}
}

func testSamples(t *testing.T, c []corner, samples int, shading bool) {
	for _, e := range engines() {
		m, v := image(t, texture.Desc{Format: "R32G32B32A32_SFLOAT", Width: side, Height: side, Samples: samples, Packed: true}, texture.ViewDesc{})
		p := &canvas{images: []*texture.Image{m}}
		p.Colors = []*texture.View{v}
		s := full(p)
		s.Multisample = state.Multisample{Samples: uint32(samples), SampleShading: shading, MinShading: 1}
		paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, shownText, 0)}, s, p, state.Args{Count: 3, Shader: compute.Args{Push: clip(c)}})
		at := raster.SamplePositions(samples)
		for i := range side * side * samples {
			x, y, n := i/samples%side, i/samples/side, i%samples
			sx, sy := 256*x+int(256*at[n][0]), 256*y+int(256*at[n][1])
			_, _, inside := weighing(c, sx, sy)
			if shading {
				sx, sy = sx-128, sy-128
			} else {
				sx, sy = 256*x, 256*y
			}
			_, want, _ := weighing(c, sx+128, sy+128)
			if !inside {
				want = [3]float64{}
			}
			b := m.Texel(texture.Coord{X: x, Y: y, Sample: n})
			for k := range want {
				got := float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*k:])))
				if math.Abs(got-want[k]) > 4e-6*(1+math.Abs(want[k])) {
					t.Fatalf("%s, %v, %d samples, shading %t, pixel (%d, %d), sample %d, component %d is %v; want %v", e.Name(), c, samples, shading, x, y, n, k, got, want[k])
				}
			}
		}
	}
}
