package draw_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// overriding is a fragment program whose mask of samples, of so many words, is the
// coverage (SPV_NV_sample_mask_override_coverage).
func overriding(t *testing.T, modes ir.Modes, words ...uint32) *ir.Program {
	text := whiteText
	for i, w := range words {
		text = with(text, fmt.Sprintf("out samplemask i32 %d", i), fmt.Sprintf("out.i32 %d:i32, #%d", w, 1+i))
	}
	p := parse(t, text, 0)
	p.Modes |= ir.OverrideCoverage | modes
	return p
}

// leftAt425 is a triangle that covers all at the right of 4.25 pixels.
func leftAt425() []byte {
	x := float32(4.25/8 - 1)
	return floats(x, -1, 0, 1, x+4, -1, 0, 1, x, 3, 0, 1)
}

// TestOverrideCoverage has fragments of which some samples are covered write those that
// the program's mask has, and no others. Where each sample is shaded, bits of others mean
// nothing; the state's mask decides which fragments there are.
func TestOverrideCoverage(t *testing.T) {
	for _, e := range engines() {
		for _, x := range []struct {
			samples int
			shading bool
			state   *[2]uint32
			words   []uint32
			mask    uint64 // what is in the end, of the samples of a fragment that is shaded
			keeps   uint64 // samples that stay as they are covered
		}{
			{1, false, nil, []uint32{3}, 1, 0},
			{1, false, nil, []uint32{2}, 0, 0},
			{4, false, nil, []uint32{5}, 5, 0},
			{4, false, nil, []uint32{0xfffffff6}, 6, 0},
			{4, false, nil, []uint32{0}, 0, 0},
			{4, false, &[2]uint32{1, 0}, []uint32{14}, 14, 0},
			{4, true, nil, []uint32{5}, 5, 0},
			{8, false, nil, []uint32{0x5a}, 0x5a, 0},
			{64, false, nil, []uint32{7, 0x80000001}, 0x80000001_00000007, 0},
			{64, false, nil, []uint32{7}, 7, 0xffffffff_00000000},
		} {
			c := sampled(t, "R8_UNORM", x.samples)
			s := full(c)
			s.Multisample = state.Multisample{Samples: uint32(x.samples), Mask: x.state}
			var modes ir.Modes
			if x.shading {
				modes = ir.PerSample
			}
			paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: overriding(t, modes, x.words...)}, s, c, state.Args{Count: 3, Shader: compute.Args{Push: leftAt425()}})
			for i := range side * side {
				covered := uint64(0)
				for n, at := range raster.SamplePositions(x.samples) {
					if float32(i%side)+at[0] >= 4.25 {
						covered |= 1 << n
					}
				}
				if x.state != nil {
					covered &= uint64(x.state[0])
				}
				want := uint64(0)
				switch {
				case x.shading || x.samples == 1:
					want = covered & x.mask
				case covered != 0:
					want = covered&x.keeps | x.mask
				}
				if got := c.set(i%side, i/side); got != want {
					t.Fatalf("%s, %+v: pixel %d has samples %x; want %x", e.Name(), x, i, got, want)
				}
			}
		}
	}
}

// TestOverrideCoverageEarly has samples 0 and 2 fail the depth test. Before the shader
// that keeps the mask from nothing; behind it the samples of the mask are tested.
func TestOverrideCoverageEarly(t *testing.T) {
	for _, e := range engines() {
		for _, x := range []struct {
			modes      ir.Modes
			mask       uint32
			want       uint64
			passed     uint64
			othersFail bool
		}{
			{ir.EarlyTests, 5, 5, 2, false},
			{ir.EarlyTests, 8, 8, 2, false},
			{ir.EarlyTests, 15, 0, 0, true},
			{0, 5, 0, 0, false},
			{0, 14, 10, 2, false},
			{ir.EarlyAndLateTests, 7, 2, 1, false},
			{ir.EarlyAndLateTests | ir.DepthReplacing | ir.DepthUnchanged, 7, 2, 1, false},
		} {
			c := sampled(t, "R8_UNORM", 4)
			m, v := image(t, texture.Desc{Format: "D32_SFLOAT", Width: side, Height: side, Samples: 4}, texture.ViewDesc{})
			for i := range side * side * 2 {
				if !x.othersFail {
					m.Store(texture.Coord{X: i / 2 % side, Y: i / 2 / side, Sample: 1 + i%2*2}, [4]uint64{0x3f800000})
				}
			}
			c.Depth = v
			s := full(c)
			s.Multisample.Samples = 4
			s.DepthStencil = state.DepthStencil{Test: true, Compare: enum.CompareOpLess}
			passed := uint64(0)
			paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: overriding(t, x.modes, x.mask)}, s, c, state.Args{Count: 3, Passed: &passed, Shader: compute.Args{Push: cover}})
			for i := range side * side {
				if got := c.set(i%side, i/side); got != x.want {
					t.Fatalf("%s,%s, mask %x: pixel %d has samples %x; want %x", e.Name(), x.modes, x.mask, i, got, x.want)
				}
			}
			if passed != x.passed*side*side {
				t.Errorf("%s,%s, mask %x: %d passed; want %d", e.Name(), x.modes, x.mask, passed, x.passed*side*side)
			}
		}
	}
}

// TestOverrideCoverageHopeful has a program whose covered samples all fail add one that
// passes, where tests stand on both sides of it.
func TestOverrideCoverageHopeful(t *testing.T) {
	for _, e := range engines() {
		c := sampled(t, "R8_UNORM", 4)
		m, v := image(t, texture.Desc{Format: "D32_SFLOAT", Width: side, Height: side, Samples: 4}, texture.ViewDesc{})
		for i := range side * side {
			m.Store(texture.Coord{X: i % side, Y: i / side, Sample: 2}, [4]uint64{0x3f800000})
		}
		c.Depth = v
		s := full(c)
		s.Multisample = state.Multisample{Samples: 4, Mask: &[2]uint32{1, 0}}
		s.DepthStencil = state.DepthStencil{Test: true, Compare: enum.CompareOpLess}
		paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: overriding(t, ir.EarlyAndLateTests, 4)}, s, c, state.Args{Count: 3, Shader: compute.Args{Push: cover}})
		if got := c.set(5, 5); got != 4 {
			t.Errorf("%s: samples %x; want 4", e.Name(), got)
		}
	}
}

// TestOverrideCoverageCoarse has fragments of such a program be of one pixel, whatever
// the rate: what is not in the target's area stays.
func TestOverrideCoverageCoarse(t *testing.T) {
	for _, e := range engines() {
		var pictures [2][]byte
		for i := range pictures {
			c := sampled(t, "R8_UNORM", 4)
			s := full(c)
			s.Multisample.Samples = 4
			s.Scissors = []state.Rect{{X: 1, Y: 1, Width: 6, Height: 4}}
			if i == 1 {
				s.Rate.Width, s.Rate.Height = 4, 4
			}
			paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: overriding(t, 0, 6)}, s, c, state.Args{Count: 3, Shader: compute.Args{Push: leftAt425()}})
			for k := range side * side {
				pictures[i] = append(pictures[i], byte(c.set(k%side, k/side)))
			}
		}
		if !bytes.Equal(pictures[0], pictures[1]) {
			t.Errorf("%s: another picture with a shading rate", e.Name())
		}
	}
}
