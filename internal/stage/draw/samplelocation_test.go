package draw_test

import (
	"context"
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

// TestCustomLocations draws with custom sample locations in grids of one to 2×2 pixels. Sample i of pixel (x, y) is at
// location (x mod width + y mod height · width) · samples + i (Vulkan §"Custom Sample Locations"): there the shader's
// SamplePosition and FragCoord of an invocation per sample are, there depth is evaluated, and there coverage is decided.
func TestCustomLocations(t *testing.T) {
	for _, e := range engines() {
		for n, grid := range [][2]uint32{{1, 1}, {2, 1}, {1, 2}, {2, 2}} {
			for _, samples := range []int{1, 4} {
				located(t, e.Name(), n, grid, samples, func(s state.State, c *canvas, p *ir.Program, push []byte) {
					paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: p}, s, c, state.Args{Count: 3, Shader: compute.Args{Push: push}})
				})
			}
		}
	}
}

func located(t *testing.T, name string, axis int, grid [2]uint32, samples int, draws func(state.State, *canvas, *ir.Program, []byte)) {
	l := &state.SampleLocations{Width: grid[0], Height: grid[1]}
	for i := range int(grid[0]*grid[1]) * samples {
		l.Points = append(l.Points, [2]float32{float32((1+5*i)%16) / 16, float32((15+13*i)%16) / 16})
	}
	at := func(x, y, i int) [2]float32 {
		return l.Points[(x%int(grid[0])+y%int(grid[1])*int(grid[0]))*samples+i]
	}
	c := sampled(t, "R32G32_SFLOAT", samples)
	m, err := texture.NewImage(texture.Desc{Format: "D32_SFLOAT", Dim: ir.Dim2D, Width: side, Height: side, Samples: samples})
	if err != nil {
		t.Fatal(err)
	}
	if c.Depth, err = texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D}); err != nil {
		t.Fatal(err)
	}
	s := full(c)
	s.Multisample = state.Multisample{Samples: uint32(samples), Located: true, Locations: l}
	s.DepthStencil = state.DepthStencil{Test: true, Write: true, Compare: enum.CompareOpAlways}
	if axis == 3 {
		s.Rasterization.Conservative = 1 // the triangle covers all pixels all the same
	}
	position := strings.Replace(giveText("sampleposition f32 AXIS", "f32"), "AXIS", []string{"0", "1"}[axis%2], 1)
	p := parse(t, position, 16)
	p.Modes |= ir.PerSample
	// The depth grows from 0 at the left of the image to 1 at its right.
	draws(s, c, p, floats(-1, -1, 0, 1, 3, -1, 2, 1, -1, 3, 0, 1))
	for i := range side * side * samples {
		x, y, k := i/samples%side, i/samples/side, i%samples
		want := at(x, y, k)
		b := c.images[0].Texel(texture.Coord{X: x, Y: y, Sample: k})
		if number(b, 0) != float64(want[axis%2]) || number(b, 1) != 1 {
			t.Fatalf("%s, grid %v, sample %d of pixel %d, %d: position %v, %v; want %v, 1", name, grid, k, x, y, number(b, 0), number(b, 1), want[axis%2])
		}
		if z := number(m.Texel(texture.Coord{X: x, Y: y, Sample: k}), 0); z != (float64(x)+float64(want[0]))/side {
			t.Fatalf("%s, grid %v, sample %d of pixel %d, %d: depth %v; want %v", name, grid, k, x, y, z, (float64(x)+float64(want[0]))/side)
		}
	}
	c = sampled(t, "R32G32_SFLOAT", samples)
	s.DepthStencil = state.DepthStencil{}
	p = parse(t, strings.Replace(position, "sampleposition", "fragcoord", 1), 16)
	p.Modes |= ir.PerSample
	draws(s, c, p, floats(-1, -1, 0, 1, 3, -1, 0, 1, -1, 3, 0, 1))
	for i := range side * side * samples {
		x, y, k := i/samples%side, i/samples/side, i%samples
		want := float64([]int{x, y}[axis%2]) + float64(at(x, y, k)[axis%2])
		if got := number(c.images[0].Texel(texture.Coord{X: x, Y: y, Sample: k}), 0); got != want {
			t.Fatalf("%s, grid %v, sample %d of pixel %d, %d: the fragment is at %v; want %v", name, grid, k, x, y, got, want)
		}
	}
	// A triangle over the left 8½ pixels covers by the locations.
	c = sampled(t, "R8_UNORM", samples)
	s.Rasterization.Conservative = 0
	edge := float32(8.5/side*2 - 1)
	draws(s, c, parse(t, whiteText, 16), floats(edge, -50, 0, 1, edge, 50, 0, 1, -50, 0, 0, 1))
	for i := range side * side {
		want := uint64(0)
		for k := range samples {
			if x := i % side; float32(x)+at(x, i/side, k)[0] < 8.5 {
				want |= 1 << k
			}
		}
		if got := c.set(i%side, i/side); got != want {
			t.Fatalf("%s, grid %v: pixel %d, %d has samples %x; want %x", name, grid, i%side, i/side, got, want)
		}
	}
}

// TestLocationErrors draws with sample locations that do not suit the state.
func TestLocationErrors(t *testing.T) {
	c := sampled(t, "R8_UNORM", 4)
	for _, l := range []state.SampleLocations{{}, {Width: 1, Height: 1}, {Width: 1, Height: 1, Points: make([][2]float32, 3)}, {Width: 3, Height: 1, Points: make([][2]float32, 12)},
		{Width: 1 << 31, Height: 2, Points: make([][2]float32, 4)}, {Width: 2, Height: 1, Points: make([][2]float32, 4)}} {
		s := full(c)
		s.Multisample = state.Multisample{Samples: 4, Located: true, Locations: &l}
		draws := func() error {
			p, err := draw.New(draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, whiteText, 16)}, s, engines()[0], exec.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			return p.Draw(context.Background(), &c.Target, &state.Args{Count: 3, Instances: 1, Shader: compute.Args{Push: cover}})
		}
		if err := draws(); err == nil {
			t.Errorf("locations %dx%d, %d: no error", l.Width, l.Height, len(l.Points))
		}
		s.Multisample.Located = false
		if err := draws(); err != nil {
			t.Errorf("unused locations: %v", err)
		}
	}
}
