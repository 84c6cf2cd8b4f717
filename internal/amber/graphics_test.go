package amber

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"
)

// TestClear checks that a clear fills the attachments, in their formats.
func TestClear(t *testing.T) {
	r := runText(t, `#!amber
SHADER vertex v PASSTHROUGH
BUFFER color FORMAT B8G8R8A8_UNORM
BUFFER both FORMAT D32_SFLOAT_S8_UINT
PIPELINE graphics p
  ATTACH v
  FRAMEBUFFER_SIZE 3 2
  BIND BUFFER color AS color LOCATION 0
  BIND BUFFER both AS depth_stencil
END
CLEAR_COLOR p 255 0 51 102
CLEAR_DEPTH p 0.25
CLEAR_STENCIL p 7
CLEAR p
`)
	if r.Status != Pass {
		t.Fatal(r.Message)
	}
	color, both := r.Contents["color"], r.Contents["both"]
	for i := range 6 {
		if got := [4]byte(color[4*i:]); got != [4]byte{51, 0, 255, 102} {
			t.Errorf("texel %d is %v", i, got)
		}
		if d := math.Float32frombits(binary.LittleEndian.Uint32(both[4*i:])); d != 0.25 || both[4*6+i] != 7 {
			t.Errorf("texel %d is at %g, stencil %d", i, d, both[4*6+i])
		}
	}
}

// The corners of rectangles and grids, in normalised device coordinates.
func TestCorners(t *testing.T) {
	r := &runner{}
	p := &Pipeline{Graphics: Graphics{Width: 4, Height: 4}}
	corners := func(d *Draw) (list []float32) {
		d.Pipeline = p
		s, a := newDrawState(), &drawArgs{}
		if err := r.corners(d, s, a); err != nil {
			t.Fatal(err)
		}
		b := a.Corners
		for i := range int(a.Count) * 2 {
			list = append(list, math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
		}
		if len(s.Vertex.Attributes) != 1 || s.Vertex.Attributes[0].Location != 0 {
			t.Errorf("%+v", s.Vertex)
		}
		return list
	}
	equal := func(got []float32, want ...float32) {
		t.Helper()
		if len(got) != len(want) {
			t.Fatalf("%v; want %v", got, want)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("%v; want %v", got, want)
			}
		}
	}
	equal(corners(&Draw{Kind: DrawRect, X: 1, Y: 2, Width: 2, Height: 1}), -0.5, 0.5, -0.5, 0, 0.5, 0.5, 0.5, 0)
	equal(corners(&Draw{Kind: DrawRect, X: -1, Y: -1, Width: 2, Height: 2, Normalized: true}), -1, 1, -1, -1, 1, 1, 1, -1)
	equal(corners(&Draw{Kind: DrawGrid, Width: 4, Height: 4, CellsX: 1, CellsY: 1}), -1, -1, -1, 1, 1, 1, 1, 1, 1, -1, -1, -1)
}

// A patch has 1 to 32 control points (VkPipelineTessellationStateCreateInfo).
func TestPatchControlPoints(t *testing.T) {
	for points, ok := range map[int]bool{0: false, 1: true, 32: true, 33: false} {
		r := &runner{script: &Script{File: "test.amber"}}
		p := &Pipeline{Name: "p", Graphics: Graphics{Width: 4, Height: 4, PatchControlPoints: points}}
		_, err := r.fixedState(&Draw{Pipeline: p, Topology: "PATCH_LIST"})
		if got := err == nil; got != ok {
			t.Errorf("%d control points: %v", points, err)
		}
		if !ok && (err == nil || !strings.Contains(err.Error(), "patchControlPoints-01214")) {
			t.Errorf("%d control points: %v", points, err)
		}
	}
}

// TestSampledDepth checks that the buffer of a depth and stencil attachment of several samples has the first sample of each texel.
func TestSampledDepth(t *testing.T) {
	r := runText(t, `#!amber
SHADER vertex v PASSTHROUGH
IMAGE color FORMAT B8G8R8A8_UNORM DIM_2D WIDTH 4 HEIGHT 2 SAMPLES 4
IMAGE both FORMAT D32_SFLOAT_S8_UINT DIM_2D WIDTH 4 HEIGHT 2 SAMPLES 4
PIPELINE graphics p
  ATTACH v
  FRAMEBUFFER_SIZE 4 2
  BIND BUFFER color AS color LOCATION 0
  BIND BUFFER both AS depth_stencil
  DEPTH
    TEST on
    WRITE on
    COMPARE_OP always
    CLAMP off
    BOUNDS min 0.0 max 1.0
    BIAS constant 0.0 clamp 0.0 slope 0.0
  END
END
CLEAR_DEPTH p 0.25
CLEAR p
RUN p DRAW_RECT POS 1 0 SIZE 1 2
`)
	if r.Status != Pass {
		t.Fatal(r.Message)
	}
	both := r.Contents["both"]
	for i := range 8 {
		want := float32(0.25)
		if i%4 == 1 {
			want = 0
		}
		if d := math.Float32frombits(binary.LittleEndian.Uint32(both[4*i:])); d != want {
			t.Errorf("texel %d is at %g; must be at %g", i, d, want)
		}
	}
}
