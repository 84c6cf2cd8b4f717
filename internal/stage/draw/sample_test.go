package draw_test

import (
	"math/bits"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// sampled is a canvas whose pixels have several samples.
func sampled(t *testing.T, format string, samples int) *canvas {
	m, v := image(t, texture.Desc{Format: format, Width: side, Height: side, Samples: samples, Packed: true}, texture.ViewDesc{})
	c := &canvas{images: []*texture.Image{m}}
	c.Colors = []*texture.View{v}
	return c
}

// set returns which samples of a pixel have a first byte that is not 0.
func (c *canvas) set(x, y int) (set uint64) {
	m := c.images[0]
	for n := range m.Samples {
		if m.Texel(texture.Coord{X: x, Y: y, Sample: n})[0] != 0 {
			set |= 1 << n
		}
	}
	return set
}

// TestSampleMask covers samples by the state's mask, by the program's, and reads them
// (Vulkan §"Sample Mask Test", SampleMask).
func TestSampleMask(t *testing.T) {
	writing := with(whiteText, "in samplemask i32 0\nout samplemask i32 0", "v1 = in.i32 #0\nv2 = and.i32 v1, 13:i32\nout.i32 v2, #1")
	reading := strings.Replace(whiteText, "out.f32 1.0:f32, #0", "v1 = in.i32 #0\nv2 = eq.i32 v1, WANT:i32\nv3 = select.f32 v2, 1.0:f32, 0.5:f32\nout.f32 v3, #0", 1)
	reading = strings.Replace(reading, "func \"main\"", "in samplemask i32 0\nfunc \"main\"", 1)
	for _, e := range engines() {
		for _, x := range []struct {
			samples int
			text    string
			want    uint64
		}{
			{1, whiteText, 1}, {4, whiteText, 7}, {8, whiteText, 0x87}, {4, writing, 5}, {8, writing, 5}, {1, writing, 1},
			{4, strings.Replace(reading, "WANT", "7", 1), 7}, {8, strings.Replace(reading, "WANT", "135", 1), 0x87}, {64, whiteText, 0x5500000087},
		} {
			c := sampled(t, "R8_UNORM", x.samples)
			s := full(c)
			s.Multisample = state.Multisample{Samples: uint32(x.samples), Mask: &[2]uint32{0x87, 0x55}}
			if x.samples == 4 || x.samples == 1 {
				s.Multisample.Mask[0] = 7
			}
			passed := uint64(0)
			paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, x.text, 0)}, s, c, state.Args{Count: 3, Passed: &passed, Shader: compute.Args{Push: cover}})
			for i := range side * side {
				if got := c.set(i%side, i/side); got != x.want {
					t.Fatalf("%s, %d samples: pixel %d has samples %x; want %x", e.Name(), x.samples, i, got, x.want)
				}
			}
			if strings.Contains(x.text, "select") && c.images[0].Texel(place(0, 0))[0] != 255 {
				t.Errorf("%s, %d samples: another mask was read", e.Name(), x.samples)
			}
			if want := uint64(bits.OnesCount64(x.want)) * side * side; passed != want {
				t.Errorf("%s, %d samples: %d passed; want %d", e.Name(), x.samples, passed, want)
			}
		}
	}
}

// TestAlphaToCoverage checks that alpha covers as many samples as are nearest, and that
// alpha is then 1 where it shall be.
func TestAlphaToCoverage(t *testing.T) {
	for _, e := range engines() {
		for _, samples := range []int{1, 4, 16} {
			for n := range 9 {
				text := strings.NewReplacer("out location f32 0", "out location f32 0\nout location f32 3", "out.f32 1.0:f32, #0",
					"out.f32 1.0:f32, #0\nout.f32 "+[]string{"0.0", "0.125", "0.25", "0.375", "0.5", "0.625", "0.75", "0.875", "1.0"}[n]+":f32, #1").Replace(whiteText)
				c := sampled(t, "R8G8B8A8_UNORM", samples)
				s := full(c)
				s.Multisample = state.Multisample{Samples: uint32(samples), AlphaToCoverage: true, AlphaToOne: true}
				paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, text, 0)}, s, c, state.Args{Count: 3, Shader: compute.Args{Push: cover}})
				want := uint64(1)<<((n*samples+4)/8) - 1
				if got := c.set(3, 3); got != want {
					t.Errorf("%s, %d samples, alpha %d/8: samples %x; want %x", e.Name(), samples, n, got, want)
				}
				if want != 0 && c.images[0].Texel(place(0, 0))[3] != 255 {
					t.Errorf("%s: alpha is %d", e.Name(), c.images[0].Texel(place(0, 0))[3])
				}
			}
		}
	}
}

// TestSampleShading has an invocation for each sample, and tells which it is.
func TestSampleShading(t *testing.T) {
	for _, e := range engines() {
		for _, size := range []uint32{4, 16, 64} {
			c := sampled(t, "R32G32_SFLOAT", 4)
			s := full(c)
			s.Multisample.Samples = 4
			p := parse(t, giveText("sampleid i32 0", "i32"), size)
			p.Modes |= ir.PerSample
			paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: p}, s, c, state.Args{Count: 3, Shader: compute.Args{Push: cover}})
			for n := range 4 {
				if b := c.images[0].Texel(texture.Coord{X: 5, Y: 7, Sample: n}); number(b, 0) != float64(n) || number(b, 1) != 1 {
					t.Errorf("%s: sample %d is %v, %v", e.Name(), n, number(b, 0), number(b, 1))
				}
			}
		}
	}
}

// TestSampledDepth draws two triangles through each other: of each sample the nearer
// one stays.
func TestSampledDepth(t *testing.T) {
	for _, e := range engines() {
		c := sampled(t, "R8_UNORM", 4)
		m, err := texture.NewImage(texture.Desc{Format: "D32_SFLOAT", Dim: ir.Dim2D, Width: side, Height: side, Samples: 4})
		if err != nil {
			t.Fatal(err)
		}
		if c.Depth, err = texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D}); err != nil {
			t.Fatal(err)
		}
		for i := range side * side * 4 {
			m.Store(texture.Coord{X: i / 4 % side, Y: i / 4 / side, Sample: i % 4}, [4]uint64{0x3f000000})
		}
		s := full(c)
		s.Multisample.Samples = 4
		s.DepthStencil = state.DepthStencil{Test: true, Write: true, Compare: enum.CompareOpLess}
		// the depth is 0 at the left, 1 at the right: half is at 8 pixels
		paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, whiteText, 0)}, s, c, state.Args{Count: 3,
			Shader: compute.Args{Push: floats(-1, -1, 0.0625/2, 1, 3, -1, 2+0.0625/2, 1, -1, 3, 0.0625/2, 1)}})
		for i := range side * side {
			x := i % side
			want := uint64(15)
			switch { // samples lie at 6, 14, 2 and 10 sixteenths; half is half a pixel further left
			case x == 7:
				want = 1<<0 | 1<<2
			case x > 7:
				want = 0
			}
			if got := c.set(x, i/side); got != want {
				t.Fatalf("%s: pixel %d has samples %x; want %x", e.Name(), i, got, want)
			}
		}
	}
}

// TestResolve makes one sample of several.
func TestResolve(t *testing.T) {
	c := sampled(t, "R8G8_UNORM", 4)
	src := c.images[0]
	for n, v := range []byte{0, 10, 20, 255} {
		copy(src.Texel(texture.Coord{X: 2, Y: 3, Sample: n}), []byte{v, 255 - v})
	}
	for _, x := range []struct {
		mode draw.ResolveMode
		want [2]byte
	}{{draw.ResolveSampleZero, [2]byte{0, 255}}, {draw.ResolveAverage, [2]byte{71, 184}}, {draw.ResolveMin, [2]byte{0, 0}}, {draw.ResolveMax, [2]byte{255, 255}}} {
		dst, _ := image(t, texture.Desc{Format: "R8G8_UNORM", Width: 4, Height: 4}, texture.ViewDesc{})
		draw.Resolve(dst, texture.Coord{X: 1, Y: 1}, src, texture.Coord{X: 2, Y: 3}, 8, 8, x.mode)
		if got := [2]byte(dst.Texel(place(1, 1))); got != x.want {
			t.Errorf("mode %d: %v; want %v", x.mode, got, x.want)
		}
	}
	// Through views of one integer for both components, the average is sample 0.
	dst, _ := image(t, texture.Desc{Format: "R8G8_UNORM", Width: 4, Height: 4}, texture.ViewDesc{})
	f, _ := format.ByName("R16_UINT")
	code, _ := f.Codec(format.Color)
	draw.ResolveAs(dst, texture.Coord{X: 1, Y: 1}, &code, src, texture.Coord{X: 2, Y: 3}, &code, 1, 1, draw.ResolveAverage)
	if got := [2]byte(dst.Texel(place(1, 1))); got != [2]byte{0, 255} {
		t.Errorf("views of R16_UINT: %v; want the bytes of sample 0", got)
	}
}

// TestPostDepthCoverage reads the mask of samples behind tests: those that the
// primitive covers, or with the mode those that passed (SampleMask, PostDepthCoverage).
func TestPostDepthCoverage(t *testing.T) {
	for _, e := range engines() {
		for _, modes := range []ir.Modes{0, ir.EarlyTests, ir.EarlyTests | ir.PostDepthCoverage} {
			c := sampled(t, "R32G32_SFLOAT", 4)
			m, v := image(t, texture.Desc{Format: "D32_SFLOAT", Width: side, Height: side, Samples: 4}, texture.ViewDesc{})
			for i := range side * side * 2 {
				m.Store(texture.Coord{X: i / 2 % side, Y: i / 2 / side, Sample: 1 + i%2*2}, [4]uint64{0x3f800000})
			}
			c.Depth = v
			s := full(c)
			s.Multisample.Samples = 4
			s.DepthStencil = state.DepthStencil{Test: true, Compare: enum.CompareOpLess}
			p := parse(t, giveText("samplemask i32 0", "i32"), 0)
			p.Modes |= modes
			paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: p}, s, c, state.Args{Count: 3, Shader: compute.Args{Push: cover}})
			want := 15.0
			if modes.Has(ir.PostDepthCoverage) {
				want = 10
			}
			for n := range 4 {
				w, there := want, 1.0
				if n%2 == 0 {
					w, there = 0, 0
				}
				if b := c.images[0].Texel(texture.Coord{X: 3, Y: 4, Sample: n}); number(b, 0) != w || number(b, 1) != there {
					t.Errorf("%s,%s: sample %d: mask %v, %v; want %v, %v", e.Name(), modes, n, number(b, 0), number(b, 1), w, there)
				}
			}
		}
	}
}
