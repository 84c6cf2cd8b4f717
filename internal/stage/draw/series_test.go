package draw_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// TestSeriesBound: three workers bin many small draws in series. The capacity of all bin lists of the pass stays below four times the
// bound of binned bytes.
func TestSeriesBound(t *testing.T) {
	const n, draws, workers, most = 40, 90, 3, 1 << 16
	places, colors := littered(n * draws)
	defer draw.Packs(true)()
	defer draw.SetLeast(1, 1)()
	defer draw.SmallBins()()
	c := blank(t, 90, 70, "R8G8B8A8_UNORM")
	s := full(c)
	s.Vertex = state.VertexInput{Bindings: []state.VertexBinding{{Stride: 16}, {Binding: 1, Stride: 4}},
		Attributes: []state.VertexAttribute{{Format: "R32G32B32A32_SFLOAT"}, {Location: 1, Binding: 1, Format: "R8G8B8A8_UNORM"}}}
	vertex := strings.NewReplacer("DECLARED", "", "MORE", "").Replace(givenText)
	p, err := draw.New(draw.Stages{Vertex: parse(t, vertex, 16), Fragment: parse(t, shownText, 16)}, s, machine(), exec.Options{})
	must(t, err)
	defer p.Close()
	var pass draw.Pass
	must(t, pass.Begin(&c.Target, nil, workers))
	for i := range draws {
		a := state.Args{VertexBuffers: []exec.Buffer{{Bytes: places[48*n*i:][:48*n]}, {Bytes: colors[12*n*i:][:12*n]}}, Count: 3 * n, Instances: 1}
		must(t, pass.Draw(t.Context(), p, &a))
	}
	must(t, pass.End(t.Context()))
	if got := draw.Kept(&pass); got == 0 || got > most {
		t.Errorf("%d bytes of bin lists; must be at most %d", got, most)
	}
}

// TestSeries makes random small draws, with clears, large draws and draws with counts between them, in passes of several workers:
// picture, depths, stencils and counts are those of one worker without draws in place (Vulkan, "Rasterization Order"). CHIARO_LONG
// makes more.
func TestSeries(t *testing.T) {
	rounds := 3
	if os.Getenv("CHIARO_LONG") != "" {
		rounds = 300
	}
	pipelines := seriesPipelines(t)
	for seed := range uint64(rounds) {
		want, counts := drawSeries(t, pipelines, seed, seriesForm{workers: 1})
		for i := range 32 {
			form := seriesForm{workers: 1 + i/8, packs: i&1 != 0, repeats: i&2 != 0}
			back := func() {}
			if i&4 != 0 {
				back = draw.SmallBins()
			}
			got, counted := drawSeries(t, pipelines, seed, form)
			if back(); !bytes.Equal(got, want) || counted != counts {
				t.Errorf("seed %d, %+v, small bins %v: another picture, or the counts %v; want %v", seed, form, i&4 != 0, counted, counts)
			}
		}
	}
}

// seriesPipelines returns pipelines with blending alone, with a depth test, with a stencil test too, and with flat colors.
func seriesPipelines(t *testing.T) (list []*draw.Pipeline) {
	over := state.BlendAttachment{Enable: true, SrcColor: enum.BlendFactorSrcAlpha, DstColor: enum.BlendFactorOneMinusSrcAlpha, SrcAlpha: enum.BlendFactorOne, DstAlpha: enum.BlendFactorZero, WriteMask: 15}
	for i := range 4 {
		s := state.State{
			Assembly: state.Assembly{Topology: enum.TopologyTriangleList}, Viewports: []state.Viewport{{Width: 150, Height: 100, MaxDepth: 1}},
			Scissors: []state.Rect{{Width: 150, Height: 100}}, Multisample: state.Multisample{Samples: 1},
			Vertex: state.VertexInput{Bindings: []state.VertexBinding{{Stride: 16}, {Binding: 1, Stride: 4}},
				Attributes: []state.VertexAttribute{{Format: "R32G32B32A32_SFLOAT"}, {Location: 1, Binding: 1, Format: "R8G8B8A8_UNORM"}}},
			DepthStencil: state.DepthStencil{
				Test: i > 0, Write: i > 0, Compare: []enum.CompareOp{0, enum.CompareOpLess, enum.CompareOpGreaterOrEqual, enum.CompareOpLessOrEqual}[i], Stencil: i == 2,
				Front: state.StencilFace{Compare: enum.CompareOpAlways, Pass: enum.StencilOpIncrementAndClamp, CompareMask: 255, WriteMask: 255},
				Back:  state.StencilFace{Compare: enum.CompareOpLess, Pass: enum.StencilOpInvert, Fail: enum.StencilOpDecrementAndWrap, CompareMask: 255, WriteMask: 127, Reference: 3},
			},
			Blend: state.Blend{Attachments: []state.BlendAttachment{over, {}, {}}},
		}
		if i == 1 {
			s.Blend.Attachments[0] = state.BlendAttachment{WriteMask: 15}
		}
		fragment := shownText
		if i == 3 {
			fragment = strings.NewReplacer("in location f32 5", "in location f32 5 flat").Replace(fragment)
		}
		vertex := strings.NewReplacer("DECLARED", "", "MORE", "").Replace(givenText)
		p, err := draw.New(draw.Stages{Vertex: parse(t, vertex, 16), Fragment: parse(t, fragment, 16)}, s, machine(), exec.Options{})
		must(t, err)
		t.Cleanup(func() { p.Close() })
		list = append(list, p)
	}
	return list
}

// seriesCounts are what the draws of a test count.
type seriesCounts struct {
	passed     uint64
	statistics state.Statistics
}

// seriesForm is how the draws of a test are made: by some workers, in place as far as they can be, with the promise of draws that repeat the one before.
type seriesForm struct {
	workers        int
	packs, repeats bool
}

// drawSeries makes the random draws of a seed and returns what the images have.
func drawSeries(t *testing.T, pipelines []*draw.Pipeline, seed uint64, form seriesForm) (_ []byte, counts seriesCounts) {
	const n = 1300
	defer draw.Packs(form.packs)()
	defer draw.SetLeast(1, 1)()
	places, colors := littered(n)
	r := rand.New(rand.NewPCG(seed, 1))
	c := newAlbum(t, 1, 1)
	var pass draw.Pass
	must(t, pass.Begin(&c.Target, nil, form.workers))
	p := pipelines[0]
	var before *draw.Pipeline
	var last state.Args
	rare := 3 + 20*r.IntN(2) // of other states
	for range 20 + r.IntN(150) {
		if r.IntN(rare) == 0 {
			p = pipelines[r.IntN(len(pipelines))]
		}
		if r.IntN(25) == 0 {
			must(t, pass.Clear(t.Context(), &draw.Clears{
				Area:   state.Rect{X: int32(r.IntN(100)), Y: int32(r.IntN(70)), Width: uint32(r.IntN(90) + 1), Height: uint32(r.IntN(50) + 1)},
				Colors: []draw.Clear{{Do: true}, {}, {}}, Depth: draw.Clear{Do: r.IntN(2) == 0, Value: [4]uint64{0x3f000000}},
			}))
			continue
		}
		count := uint32(1 + r.IntN(60))
		if r.IntN(20) == 0 {
			count = n // more than a draw in place may have
		}
		first := uint32(r.IntN(n - int(count) + 1))
		a := state.Args{VertexBuffers: []exec.Buffer{{Bytes: places}, {Bytes: colors}}, First: 3 * first, Count: 3 * count, Instances: 1}
		if r.IntN(5) == 0 {
			a.Instances = uint32(r.IntN(3))
		}
		if r.IntN(2*rare) == 0 {
			a.Passed = &counts.passed
		}
		if r.IntN(3*rare) == 0 {
			a.Statistics = &counts.statistics
		}
		if r.IntN(3*rare) == 0 {
			a.Area = state.Rect{X: int32(r.IntN(100)), Y: int32(r.IntN(70)), Width: uint32(r.IntN(90) + 1), Height: uint32(r.IntN(50) + 1)}
		}
		a.Repeats = form.repeats && p == before && a.Area == last.Area && a.Passed == last.Passed && a.Statistics == last.Statistics
		before, last = p, a
		must(t, pass.Draw(t.Context(), p, &a))
	}
	must(t, pass.End(t.Context()))
	return c.bytes(), counts
}
