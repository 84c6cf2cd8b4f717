package draw_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand"
	"slices"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// deepTarget is a color and a depth attachment of several tiles.
func deepTarget(t testing.TB, width, height int, name string, samples int) (*canvas, *texture.Image) {
	c := &canvas{}
	view := func(f string, a format.Aspect) (*texture.View, *texture.Image) {
		m, err := texture.NewImage(texture.Desc{Format: f, Dim: ir.Dim2D, Width: width, Height: height, Samples: samples})
		if err != nil {
			t.Fatal(err)
		}
		v, err := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D, Aspect: a})
		if err != nil {
			t.Fatal(err)
		}
		return v, m
	}
	color, m := view("R8G8B8A8_UNORM", 0)
	c.Colors, c.images = []*texture.View{color}, []*texture.Image{m}
	c.Depth, m = view(name, format.Depth)
	return c, m
}

// TestHiddenPicture draws large triangles, many of which hide each other, with tests of
// all kinds, in one pass and one after the other: the picture is the same, and so is the
// number of samples that pass (Vulkan §"Depth Test").
func TestHiddenPicture(t *testing.T) {
	for _, name := range []string{"D16_UNORM", "X8_D24_UNORM_PACK32", "D32_SFLOAT"} {
		for _, samples := range []int{1, 4} {
			for seed := range int64(12) {
				t.Run(fmt.Sprintf("%s/%d/%d", name, samples, seed), func(t *testing.T) {
					e := machine()
					one, deepOne := deepTarget(t, 150, 100, name, samples)
					all, deepAll := deepTarget(t, 150, 100, name, samples)
					first := layered(t, e, one, samples, seed)
					second := slices.Clone(first)
					for i := range second {
						second[i].args.Passed = new(uint64)
					}
					var pass draw.Pass
					if err := pass.Begin(&all.Target, nil, 1+int(seed/4%2)); err != nil {
						t.Fatal(err)
					}
					for i := range first {
						if first[i].clear != nil {
							begin := draw.Pass{}
							must(t, begin.Begin(&one.Target, first[i].clear, 1))
							must(t, begin.End(context.Background()))
							must(t, pass.Clear(context.Background(), second[i].clear))
							continue
						}
						must(t, first[i].pipeline.Draw(context.Background(), &one.Target, &first[i].args))
						must(t, pass.Draw(context.Background(), second[i].pipeline, &second[i].args))
					}
					must(t, pass.End(context.Background()))
					if !bytes.Equal(one.bytes(0), all.bytes(0)) || !bytes.Equal(deepOne.LayerBytes(format.Depth, 0, 0), deepAll.LayerBytes(format.Depth, 0, 0)) {
						t.Error("another picture")
					}
					for i := range first {
						if first[i].clear == nil && *first[i].args.Passed != *second[i].args.Passed {
							t.Errorf("step %d: %d samples pass; want %d", i, *second[i].args.Passed, *first[i].args.Passed)
						}
					}
				})
			}
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// layer is a draw, or a clear.
type layer struct {
	drawStep
	clear *draw.Clears
}

// layered are random steps.
func layered(t *testing.T, e exec.Engine, c *canvas, samples int, seed int64) (list []layer) {
	r := rand.New(rand.NewSource(seed))
	var pipelines []*draw.Pipeline
	usual := []enum.CompareOp{enum.CompareOpLess, enum.CompareOpLessOrEqual, enum.CompareOpGreater, enum.CompareOpGreaterOrEqual}[seed%4]
	for i := range 8 {
		s := full(c)
		s.Viewports[0].Width, s.Viewports[0].Height, s.Scissors[0] = 150, 100, state.Rect{Width: 150, Height: 100}
		s.Multisample.Samples = uint32(samples)
		s.DepthStencil = state.DepthStencil{Test: true, Write: i != 1, Compare: usual}
		fragment := whiteText
		switch i {
		case 3:
			s.DepthStencil.Compare = enum.CompareOp(r.Intn(8))
		case 4:
			fragment = strip(deepText, "stencil", "out.i32")
		case 5:
			s.Rasterization.DepthClamp, s.Viewports[0].MinDepth, s.Viewports[0].MaxDepth = true, 0.25, 0.75
		case 6: // depths beyond what fixed point has
			s.Rasterization.DepthClamp, s.Viewports[0].MinDepth, s.Viewports[0].MaxDepth = true, -3, 3
		case 7:
			s.Rasterization.DepthUnrestricted, s.Viewports[0].MinDepth, s.Viewports[0].MaxDepth = true, -2, 2
		}
		p, err := draw.New(draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, fragment, 0)}, s, e, exec.Options{})
		must(t, err)
		t.Cleanup(func() { p.Close() })
		pipelines = append(pipelines, p)
	}
	var exported []float32
	for range 150 * 100 * 8 {
		exported = append(exported, r.Float32())
	}
	bindings := map[compute.Binding][]exec.Buffer{{}: {{Bytes: floats(exported...)}}}
	for n := range 60 {
		if n == 0 || r.Intn(20) == 0 {
			x := &draw.Clears{Depth: draw.Clear{Do: true, Value: [4]uint64{uint64(math.Float32bits(float32(r.Intn(3)) / 2))}}}
			if r.Intn(3) == 0 {
				x.Area = state.Rect{X: int32(r.Intn(64)), Width: 90, Height: 80}
			}
			list = append(list, layer{clear: x})
			continue
		}
		z := float32(r.Intn(9)) / 8
		slope := func() float32 { return float32(r.Intn(3)) / 3 * (r.Float32() - 0.5) }
		size := []float32{3, 3, 1.2}[r.Intn(3)]
		which := []int{0, 0, 0, 1, 1, 2, 5, 3, 4, 6, 6, 7, 7}[r.Intn(13)]
		if which == 4 && r.Intn(3) > 0 {
			which = 0
		}
		list = append(list, layer{drawStep: drawStep{pipelines[which], state.Args{Count: 3, Instances: 1, Passed: new(uint64),
			Shader: compute.Args{Push: floats(-1, -1, z, 1, size, -1, z+slope(), 1, -1, size, z+slope(), 1), Bindings: bindings}}}})
	}
	return list
}
