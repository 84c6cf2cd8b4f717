package draw_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// TestIndirectParameters reads the parameters of draws in the order of VkDrawIndirectCommand and VkDrawIndexedIndirectCommand.
func TestIndirectParameters(t *testing.T) {
	x := state.Indirect{Buffer: words(99, 99, 1, 2, 3, 4, 99, 5, 6, 7, 8), Stride: 20, Count: 2}
	x.Buffer = x.Buffer[8:]
	if n, err := x.Draws(&state.Args{}); n != 2 || err != nil {
		t.Fatal(n, err)
	}
	var a state.Args
	if x.Set(&a, 1); a.Count != 5 || a.Instances != 6 || a.First != 7 || a.FirstInstance != 8 || a.DrawIndex != 1 || a.BaseVertex != 0 {
		t.Errorf("draw 1 is %+v", a)
	}
	x = state.Indirect{Buffer: words(1, 2, 3, math.MaxUint32, 5), Count: 1}
	if n, err := x.Draws(&state.Args{Index: []byte{}}); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	a = state.Args{Index: []byte{}}
	if x.Set(&a, 0); a.Count != 1 || a.Instances != 2 || a.First != 3 || a.BaseVertex != -1 || a.FirstInstance != 5 || a.DrawIndex != 0 {
		t.Errorf("the indexed draw is %+v", a)
	}
}

// TestIndirectInvalid: buffers that are too small, and structures that overlap, are errors.
func TestIndirectInvalid(t *testing.T) {
	const huge = math.MaxUint32
	c := blank(t, 8, 8, "R32_SFLOAT")
	p, err := draw.New(draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, whiteText, 0)}, full(c), engines()[0], exec.Options{})
	must(t, err)
	defer p.Close()
	for _, x := range []struct {
		state.Indirect
		draws int // −1: error
	}{
		{state.Indirect{}, 0},
		{state.Indirect{Count: 1}, -1},
		{state.Indirect{Buffer: make([]byte, 15), Count: 1}, -1},
		{state.Indirect{Buffer: make([]byte, 16), Count: 1, Stride: 3}, 1}, // one draw has no stride
		{state.Indirect{Buffer: make([]byte, 64), Count: 2, Stride: 12}, -1},
		{state.Indirect{Buffer: make([]byte, 64), Count: 2, Stride: 18}, -1},
		{state.Indirect{Buffer: make([]byte, 64), Count: 4, Stride: 16}, 4},
		{state.Indirect{Buffer: make([]byte, 64), Count: 5, Stride: 16}, -1},
		{state.Indirect{Buffer: make([]byte, 64), Count: huge, Stride: huge &^ 3}, -1},
		{state.Indirect{Buffer: make([]byte, 64), Count: huge, Stride: 16, CountBuffer: words(4)}, 4},
		{state.Indirect{Buffer: make([]byte, 64), Count: huge, Stride: 16, CountBuffer: words(huge)}, -1},
		{state.Indirect{Buffer: make([]byte, 64), Count: 3, Stride: 16, CountBuffer: words(huge)}, 3},
		{state.Indirect{Buffer: make([]byte, 64), Count: 3, Stride: 16, CountBuffer: words(0)}, 0},
		{state.Indirect{Count: 3, CountBuffer: []byte{1, 0, 0}}, -1},
	} {
		n, err := x.Draws(&state.Args{})
		if x.draws < 0 {
			if want := (*state.StateError)(nil); !errors.As(err, &want) {
				t.Errorf("%d draws %d apart in %d bytes: %d, %v; want an error", x.Count, x.Stride, len(x.Buffer), n, err)
			}
		} else if err != nil || n != uint32(x.draws) {
			t.Errorf("%d draws %d apart in %d bytes: %d, %v; want %d", x.Count, x.Stride, len(x.Buffer), n, err, x.draws)
		}
		var pass draw.Pass
		must(t, pass.Begin(&c.Target, nil, 1))
		if err := pass.DrawIndirect(context.Background(), p, &state.Args{Shader: compute.Args{Push: cover}}, &x.Indirect); (err != nil) != (x.draws < 0) {
			t.Errorf("%d draws %d apart in %d bytes: %v", x.Count, x.Stride, len(x.Buffer), err)
		}
		must(t, pass.End(context.Background()))
	}
}

// TestSteadyLocations: a frame of an indirect draw with locations and dithering, like one before it, allocates nothing.
func TestSteadyLocations(t *testing.T) {
	for _, e := range engines() {
		c := blank(t, 100, 100, "R8G8B8A8_UNORM", "R8G8B8A8_UNORM")
		s := full(c)
		s.Locations, s.Dither = []uint32{state.Unused, 0}, true
		p, err := draw.New(draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, shownText, 0)}, s, e, exec.Options{})
		must(t, err)
		defer p.Close()
		var pass draw.Pass
		a := state.Args{Shader: compute.Args{Push: cover, Workers: 1}}
		x := state.Indirect{Buffer: words(3, 1, 0, 0, 3, 1, 0, 0), Stride: 16, Count: 2}
		ctx := context.Background()
		frame := func() {
			must(t, pass.Begin(&c.Target, nil, 1))
			must(t, pass.DrawIndirect(ctx, p, &a, &x))
			must(t, pass.End(ctx))
		}
		if n := settled(frame); n > 0 {
			t.Errorf("%s: %g allocations a frame", e.Name(), n)
		}
	}
}
