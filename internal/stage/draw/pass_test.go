package draw_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand"
	"strings"
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

// album is a target of several tiles whose attachments are layers and a level of larger
// images.
type album struct {
	state.Target
	images []*texture.Image
	places []texture.Coord // of the first texel of each view
}

// attach adds an attachment and returns its view. Level 1 and layers from 1 on are shown
// where the image has them.
func (c *album) attach(t *testing.T, name string, samples, layers int, aspect format.Aspect) *texture.View {
	t.Helper()
	d := texture.Desc{Format: name, Dim: ir.Dim2D, Width: 150, Height: 100, Samples: samples, Layers: layers + 1, Packed: true}
	v := texture.ViewDesc{Dim: ir.Dim2D, Aspect: aspect, BaseLayer: 1, Layers: layers, Arrayed: layers > 1, Levels: 1}
	if samples == 1 {
		d.Width, d.Height, d.Levels, v.BaseLevel = 2*d.Width, 2*d.Height, 2, 1
	}
	m, err := texture.NewImage(d)
	if err != nil {
		t.Fatal(err)
	}
	w, err := texture.NewView(m, v)
	if err != nil {
		t.Fatal(err)
	}
	c.images = append(c.images, m)
	c.places = append(c.places, texture.Coord{Aspect: aspect, Level: v.BaseLevel, Layer: v.BaseLayer})
	return w
}

func newAlbum(t *testing.T, samples, layers int) *album {
	c := &album{}
	c.Colors = []*texture.View{c.attach(t, "R8G8B8A8_UNORM", samples, layers, 0), nil, c.attach(t, "R16G16B16A16_SFLOAT", samples, layers, 0)}
	c.Depth = c.attach(t, "D32_SFLOAT_S8_UINT", samples, layers, format.Depth)
	c.Stencil = c.attach(t, "S8_UINT", samples, layers, format.Stencil)
	return c
}

// bytes returns all that the images have.
func (c *album) bytes() (b []byte) {
	for i, m := range c.images {
		for level := range m.Levels {
			for layer := range m.Layers {
				b = append(b, m.LayerBytes(c.places[i].Aspect, level, layer)...)
			}
		}
	}
	return b
}

// clear clears texel by texel.
func (c *album) clear(x *draw.Clears) {
	area := x.Area
	if area.Width == 0 {
		area = state.Rect{Width: 150, Height: 100}
	}
	for i, a := range []draw.Clear{x.Colors[0], x.Colors[2], x.Depth, x.Stencil} {
		m, at := c.images[i], c.places[i]
		for layer := range uint32(m.Layers - 1) {
			in := layer >= x.BaseLayer && (x.Layers == 0 || layer < x.BaseLayer+x.Layers)
			if x.ViewMask != 0 {
				in = x.ViewMask>>layer&1 != 0
			}
			if !a.Do || !in {
				continue
			}
			for y := max(area.Y, 0); y < min(area.Y+int32(area.Height), 100); y++ {
				for u := max(area.X, 0); u < min(area.X+int32(area.Width), 150); u++ {
					for s := range m.Samples {
						to := at
						to.X, to.Y, to.Layer, to.Sample = int(u), int(y), at.Layer+int(layer), s
						m.Store(to, a.Value)
					}
				}
			}
		}
	}
}

// layeredText is a vertex program like cornersText's that chooses the layer: the number
// of the instance.
var layeredText = strings.NewReplacer("in vertexindex i32 0\n", "in vertexindex i32 0\nin instanceindex i32 0\n",
	"out location f32 6\n", "out location f32 6\nout layer i32 0\n",
	"out.f32 v15, #6\n", "out.f32 v15, #6\n\tv16 = in.i32 #1\n\tout.i32 v16, #7\n").Replace(cornersText)

// TestPass makes random draws and clears as a pass and one after the other: the picture
// is the same, with each engine and any number of workers (Vulkan §"Rasterization
// Order", §"Render Pass Load Operations", §"Clearing Images Inside a Render Pass
// Instance").
func TestPass(t *testing.T) {
	for _, e := range engines() {
		for _, x := range []struct{ samples, layers int }{{1, 1}, {4, 1}, {1, 3}} {
			for seed := range int64(2) {
				t.Run(fmt.Sprintf("%s/%d samples/%d layers/%d", e.Name(), x.samples, x.layers, seed), func(t *testing.T) {
					want := newAlbum(t, x.samples, x.layers)
					steps := newSequence(t, e, want, seed)
					steps.immediate(t)
					var pass draw.Pass
					for _, workers := range []int{1, 2, 4} {
						got := newAlbum(t, x.samples, x.layers)
						steps.on(got).pass(t, &pass, workers)
						if !bytes.Equal(got.bytes(), want.bytes()) {
							t.Errorf("%d workers: another picture", workers)
						}
					}
				})
			}
		}
	}
}

// sequence is random draws and clears.
type sequence struct {
	*album
	pipelines []*draw.Pipeline
	steps     []any // draw.Args and the pipeline that they are for, or draw.Clears
}

type drawStep struct {
	pipeline *draw.Pipeline
	args     state.Args
}

func newSequence(t *testing.T, e exec.Engine, c *album, seed int64) *sequence {
	r := rand.New(rand.NewSource(seed))
	q := &sequence{album: c}
	vertex := cornersText
	_, _, layers := c.Colors[0].Extent()
	if layers > 1 {
		vertex = layeredText
	}
	for i := range 3 {
		s := state.State{
			Assembly:    state.Assembly{Topology: enum.TopologyTriangleList},
			Viewports:   []state.Viewport{{Width: 150, Height: 100, MaxDepth: 1}},
			Scissors:    []state.Rect{{Width: 150, Height: 100}},
			Multisample: state.Multisample{Samples: uint32(c.Colors[0].Samples())},
			DepthStencil: state.DepthStencil{
				Test: i > 0, Write: i > 0, Compare: enum.CompareOpLessOrEqual, Stencil: i == 1,
				Front: state.StencilFace{Compare: enum.CompareOpAlways, Pass: enum.StencilOpIncrementAndClamp, CompareMask: 255, WriteMask: 255},
				Back:  state.StencilFace{Compare: enum.CompareOpLess, Pass: enum.StencilOpInvert, Fail: enum.StencilOpDecrementAndWrap, CompareMask: 255, WriteMask: 127, Reference: 3},
			},
		}
		blend := state.BlendAttachment{Enable: i != 1, SrcColor: enum.BlendFactorConstantAlpha, DstColor: enum.BlendFactorOneMinusConstantAlpha, SrcAlpha: enum.BlendFactorOne, DstAlpha: enum.BlendFactorDstAlpha, WriteMask: 15}
		s.Blend = state.Blend{Attachments: []state.BlendAttachment{blend, {}, blend}, Constants: [4]float32{0, 0, 0, 0.4}}
		fragment := shownText
		if i == 2 {
			fragment = strings.NewReplacer("out location f32 3\n", "out location f32 3\nout location f32 8\nout location f32 9\nout location f32 10\nout location f32 11\n",
				"out.f32 1.0:f32, #3\n", "out.f32 1.0:f32, #3\n\tout.f32 v1, #4\n\tout.f32 v2, #5\n\tout.f32 v3, #6\n\tout.f32 v2, #7\n").Replace(fragment)
		}
		p, err := draw.New(draw.Stages{Vertex: parse(t, vertex, 0), Fragment: parse(t, fragment, 0)}, s, e, exec.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { p.Close() })
		q.pipelines = append(q.pipelines, p)
	}
	q.steps = append(q.steps, q.clears(r, layers))
	for range 30 {
		if r.Intn(6) == 0 {
			q.steps = append(q.steps, q.clears(r, layers))
			continue
		}
		var corners []float32
		for range 3 {
			corners = append(corners, r.Float32()*3-1.5, r.Float32()*3-1.5, r.Float32(), 1)
		}
		a := state.Args{Count: 3, Instances: uint32(layers), Shader: compute.Args{Push: floats(corners...)}}
		if r.Intn(3) == 0 {
			a.Area = state.Rect{X: int32(r.Intn(100)), Y: int32(r.Intn(70)), Width: uint32(r.Intn(90) + 1), Height: uint32(r.Intn(50) + 1)}
		}
		q.steps = append(q.steps, drawStep{q.pipelines[r.Intn(3)], a})
	}
	return q
}

// on returns the same draws and clears of other images, with the same pipelines.
func (q *sequence) on(c *album) *sequence {
	to := &sequence{album: c, pipelines: q.pipelines}
	for _, s := range q.steps {
		if d, ok := s.(drawStep); ok {
			d.args.Shader.Push = bytes.Clone(d.args.Shader.Push)
			s = d
		}
		to.steps = append(to.steps, s)
	}
	return to
}

// clears is a random clear.
func (q *sequence) clears(r *rand.Rand, layers int) draw.Clears {
	color := func() draw.Clear {
		c := draw.Clear{Do: r.Intn(3) > 0}
		for i := range c.Value {
			c.Value[i] = uint64(math.Float32bits(r.Float32()))
		}
		return c
	}
	x := draw.Clears{Colors: []draw.Clear{color(), color(), color()}, Depth: color(), Stencil: draw.Clear{Do: r.Intn(2) > 0, Value: [4]uint64{uint64(r.Intn(256))}}}
	if r.Intn(2) == 0 {
		x.Area = state.Rect{X: int32(r.Intn(180) - 20), Y: int32(r.Intn(120) - 10), Width: uint32(r.Intn(200) + 1), Height: uint32(r.Intn(90) + 1)}
	}
	switch r.Intn(3) {
	case 0:
		x.BaseLayer, x.Layers = uint32(r.Intn(layers)), uint32(r.Intn(layers+1))
	case 1:
		x.ViewMask = uint32(r.Intn(1 << layers))
	}
	return x
}

// immediate makes the steps one after the other.
func (q *sequence) immediate(t *testing.T) {
	for _, s := range q.steps {
		switch s := s.(type) {
		case draw.Clears:
			q.clear(&s)
		case drawStep:
			s.args.Shader.Workers = 1
			if err := s.pipeline.Draw(context.Background(), &q.Target, &s.args); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// pass makes them as a pass that the first, a clear, begins.
func (q *sequence) pass(t *testing.T, p *draw.Pass, workers int) {
	first := q.steps[0].(draw.Clears)
	if err := p.Begin(&q.Target, &first, workers); err != nil {
		t.Fatal(err)
	}
	for _, s := range q.steps[1:] {
		var err error
		switch s := s.(type) {
		case draw.Clears:
			err = p.Clear(context.Background(), &s)
		case drawStep:
			push := s.args.Shader.Push
			err = p.Draw(context.Background(), s.pipeline, &s.args)
			clear(push) // it was copied
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := p.End(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// TestRepeats: draws that promise to repeat the one before, apart from push constants and numbers, draw the same as draws
// without the promise, also after a flush of the pass. A sample mask with the sample changes nothing, and one without it leaves
// the picture empty.
func TestRepeats(t *testing.T) {
	e := engines()[len(engines())-1]
	picture := func(promise bool, workers int, mask *[2]uint32) []byte {
		c := blank(t, 40, 30, "R8G8B8A8_UNORM")
		s := full(c)
		s.Multisample.Mask = mask
		p, err := draw.New(draw.Stages{Vertex: parse(t, cornersText, 16), Fragment: parse(t, shownText, 16)}, s, e, exec.Options{})
		must(t, err)
		defer p.Close()
		var pass draw.Pass
		must(t, pass.Begin(&c.Target, nil, workers))
		for i := range 100 {
			x, y := float32(i%10)/5-1, float32(i/10)/5-1
			a := state.Args{Count: 3, Instances: 1, Repeats: promise && i > 0, Rebound: []uint64{0, 1<<64 - 1}[i/7%2], Shader: compute.Args{Workers: workers, Push: floats(x, y, 0, 1, x+0.3, y, 0, 1, x, y+0.2, 0, 1)}}
			if i%17 > 12 {
				a.Count = 3 * uint32(i%3)
			}
			must(t, pass.Draw(t.Context(), p, &a))
			clear(a.Shader.Push)
		}
		must(t, pass.End(t.Context()))
		return c.bytes(0)
	}
	want := picture(false, 1, nil)
	empty := blank(t, 40, 30, "R8G8B8A8_UNORM").bytes(0)
	for _, workers := range []int{1, 2} {
		for _, mask := range []*[2]uint32{nil, {1}, {0xffffffff, 0xffffffff}} {
			if !bytes.Equal(picture(true, workers, mask), want) {
				t.Errorf("%d workers, mask %v: another picture", workers, mask)
			}
		}
		if !bytes.Equal(picture(true, workers, &[2]uint32{0xfffffffe}), empty) {
			t.Errorf("%d workers: the mask without the sample draws", workers)
		}
	}
}

// TestRepeatsCounts: a draw that outlives a flush as the model of the next one counts its samples and vertices once. Small triangles and
// those of the set-up program count alike.
func TestRepeatsCounts(t *testing.T) {
	e := engines()[len(engines())-1]
	counts := func(promise bool, workers int, triangles uint32) (passed uint64, stats state.Statistics) {
		c := blank(t, 40, 30, "R8G8B8A8_UNORM")
		p, err := draw.New(draw.Stages{Vertex: parse(t, cornersText, 16), Fragment: parse(t, shownText, 16)}, full(c), e, exec.Options{})
		must(t, err)
		defer p.Close()
		var pass draw.Pass
		must(t, pass.Begin(&c.Target, nil, workers))
		for i := range 150 {
			x, y := float32(i%10)/5-1, float32(i/10)/8-1
			must(t, pass.Draw(t.Context(), p, &state.Args{Count: 3, Instances: triangles, Repeats: promise && i > 0, Passed: &passed, Statistics: &stats,
				Shader: compute.Args{Workers: workers, Push: floats(x, y, 0, 1, x+0.3, y, 0, 1, x, y+0.2, 0, 1)}}))
		}
		must(t, pass.End(t.Context()))
		return passed, stats
	}
	for _, triangles := range []uint32{1, 200} {
		passed, stats := counts(false, 1, triangles)
		if passed == 0 {
			t.Error("no sample passed")
		}
		for _, workers := range []int{1, 2} {
			if n, s := counts(true, workers, triangles); n != passed || s != stats {
				t.Errorf("%d triangles, %d workers: %d samples, %+v; want %d, %+v", triangles, workers, n, s, passed, stats)
			}
		}
	}
}
