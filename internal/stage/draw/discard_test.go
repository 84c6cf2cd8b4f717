package draw_test

import (
	"math/rand/v2"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// TestDiscardRectangles draws with rectangles in which samples are taken away, or
// beside all of which they are; without any none are (Vulkan §"Discard Rectangles Test").
func TestDiscardRectangles(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for n := range 24 {
		var list []state.Rect
		for range n % 4 {
			list = append(list, state.Rect{X: int32(r.IntN(20)), Y: int32(r.IntN(20)), Width: uint32(r.IntN(14)), Height: r.Uint32() >> (1 + r.IntN(31))})
		}
		in := func(x, y int) bool {
			for _, q := range list {
				if x >= int(q.X) && x < int(q.X)+int(q.Width) && y >= int(q.Y) && y < int(q.Y)+int(q.Height) {
					return true
				}
			}
			return false
		}
		for _, e := range engines() {
			for _, exclusive := range []bool{false, true} {
				c := sampled(t, "R8_UNORM", 1+3*(n%2))
				s := full(c)
				s.Multisample.Samples = uint32(1 + 3*(n%2))
				s.Discard = state.DiscardRectangles{Exclusive: exclusive, Rectangles: list}
				if n%3 == 0 {
					s.Rate.Width, s.Rate.Height = 2, 4
				}
				paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, whiteText, 0)}, s, c, state.Args{Count: 3, Shader: compute.Args{Push: cover}})
				for i := range side * side {
					x, y := i%side, i/side
					want := len(list) == 0 || in(x, y) != exclusive
					if got := c.set(x, y); (got != 0) != want || want && got != 1<<s.Multisample.Samples-1 {
						t.Fatalf("%s, exclusive %t, %v: pixel (%d, %d) has samples %x", e.Name(), exclusive, list, x, y, got)
					}
				}
			}
		}
	}
}

// TestDiscardRectanglesMost gives more rectangles than there may be.
func TestDiscardRectanglesMost(t *testing.T) {
	c := blank(t, side, side, "R8_UNORM")
	s := full(c)
	s.Discard.Rectangles = make([]state.Rect, state.MaxDiscardRectangles+1)
	p, err := draw.New(draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, whiteText, 0)}, s, engines()[0], exec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := p.Draw(t.Context(), &c.Target, &state.Args{Count: 3, Instances: 1, Shader: compute.Args{Push: cover}}); err == nil {
		t.Error("no error")
	}
}

// TestFullyCoveredMask has the state's mask take samples away, and not what is wholly
// covered.
func TestFullyCoveredMask(t *testing.T) {
	for _, e := range engines() {
		for _, samples := range []int{4, 64} {
			c := sampled(t, "R32G32_SFLOAT", samples)
			s := full(c)
			s.Rasterization.Conservative = 1
			s.Multisample = state.Multisample{Samples: uint32(samples), Mask: &[2]uint32{6, 0}}
			paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, giveText("fullycovered i32 0", "i32"), 0)}, s, c, state.Args{Count: 3, Shader: compute.Args{Push: cover}})
			if b := c.images[0].Texel(sampleAt(5, 6, 2)); number(b, 0) != 1 || number(b, 1) != 1 {
				t.Errorf("%s, %d samples: %v, %v; want 1, 1", e.Name(), samples, number(b, 0), number(b, 1))
			}
			if b := c.images[0].Texel(sampleAt(5, 6, 3)); number(b, 1) != 0 {
				t.Errorf("%s, %d samples: a sample that the mask has not", e.Name(), samples)
			}
		}
	}
}
