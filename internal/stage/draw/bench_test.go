package draw_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// drawn measures a draw on one worker.
func drawn(b *testing.B, width, height int, fragment string, change func(*state.State), a state.Args) {
	if len(jit.Levels()) == 0 {
		b.Skip("no machine code on this machine")
	}
	c := blank(b, width, height, "R8G8B8A8_UNORM")
	s := full(c)
	if change != nil {
		change(&s)
	}
	p, err := draw.New(draw.Stages{Vertex: parse(b, cornersText, 0), Fragment: parse(b, fragment, 0)}, s, jit.Engine{}, exec.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	a.Shader.Workers, a.Instances = 1, max(a.Instances, 1)
	b.ReportAllocs()
	for b.Loop() {
		if err := p.Draw(context.Background(), &c.Target, &a); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFill covers a megapixel with interpolated colors.
func BenchmarkFill(b *testing.B) {
	drawn(b, 1024, 1024, shownText, nil, state.Args{Count: 3, Shader: compute.Args{Push: cover}})
}

// BenchmarkFillBlended blends over a megapixel.
func BenchmarkFillBlended(b *testing.B) {
	drawn(b, 1024, 1024, shownText, func(s *state.State) {
		s.Blend.Attachments = []state.BlendAttachment{{Enable: true, SrcColor: enum.BlendFactorSrcAlpha, DstColor: enum.BlendFactorOneMinusSrcAlpha, SrcAlpha: enum.BlendFactorOne, DstAlpha: enum.BlendFactorZero, WriteMask: 15}}
	}, state.Args{Count: 3, Shader: compute.Args{Push: cover}})
}

// BenchmarkSmall draws a triangle of a few pixels.
func BenchmarkSmall(b *testing.B) {
	drawn(b, 64, 64, shownText, nil, state.Args{Count: 3, Shader: compute.Args{Push: floats(-1, -1, 0, 1, -0.9, -1, 0, 1, -1, -0.9, 0, 1)}})
}

// BenchmarkTriangles draws 100000 of them.
func BenchmarkTriangles(b *testing.B) {
	drawn(b, 64, 64, shownText, nil, state.Args{Count: 3, Instances: 100000, Shader: compute.Args{Push: floats(-1, -1, 0, 1, -0.9, -1, 0, 1, -1, -0.9, 0, 1)}})
}

// BenchmarkHidden covers a megapixel eight times with long fragments, from front to back
// and the other way.
func BenchmarkHidden(b *testing.B) {
	if len(jit.Levels()) == 0 {
		b.Skip("no machine code on this machine")
	}
	for _, samples := range []int{1, 4} {
		b.Run(fmt.Sprintf("%d samples/front to back", samples), func(b *testing.B) { hidden(b, samples, 0, "0.125") })
		b.Run(fmt.Sprintf("%d samples/back to front", samples), func(b *testing.B) { hidden(b, samples, 0.875, "-0.125") })
	}
}

// hidden draws layers from a depth on, one step behind the other.
func hidden(b *testing.B, samples int, z float32, step string) {
	vertex := strings.NewReplacer("in vertexindex i32 0\n", "in vertexindex i32 0\nin instanceindex i32 0\n",
		"out.f32 v8, #2\n", "v16 = in.i32 #1\n\tv17 = utof.f32.i32 v16\n\tv18 = ffma.f32 v17, "+step+":f32, v8\n\tout.f32 v18, #2\n").Replace(cornersText)
	c, _ := deepTarget(b, 1024, 1024, "D32_SFLOAT", samples)
	s := full(c)
	s.Multisample.Samples = uint32(samples)
	s.DepthStencil = state.DepthStencil{Test: true, Write: true, Compare: enum.CompareOpLess}
	p, err := draw.New(draw.Stages{Vertex: parse(b, vertex, 0), Fragment: parse(b, longText(), 0)}, s, jit.Engine{}, exec.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	a := state.Args{Count: 3, Instances: 8, Shader: compute.Args{Push: floats(-1, -1, z, 1, 3, -1, z, 1, -1, 3, z, 1), Workers: 1}}
	var pass draw.Pass
	for b.Loop() {
		if err := pass.Begin(&c.Target, &draw.Clears{Depth: draw.Clear{Do: true, Value: [4]uint64{0x3f800000}}}, 1); err != nil {
			b.Fatal(err)
		}
		if err := pass.Draw(context.Background(), p, &a); err != nil {
			b.Fatal(err)
		}
		if err := pass.End(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}

// longText is a fragment program of some hundred operations.
func longText() string {
	long := "v20 = fadd.f32 v1, 1.0:f32\n"
	for i := range 200 {
		long += fmt.Sprintf("v%d = ffma.f32 v%d, v%d, v1\n", 21+i, 20+i, 20+i)
	}
	return strings.Replace(shownText, "out.f32 v1, #0", long+"v300 = fadd.f32 v220, v1\nout.f32 v300, #0", 1)
}

// BenchmarkShadingRate covers a megapixel with long fragments of one pixel or several.
func BenchmarkShadingRate(b *testing.B) {
	text := longText()
	for _, n := range []uint32{1, 2, 4} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			drawn(b, 1024, 1024, text, func(s *state.State) { s.Rate.Width, s.Rate.Height = n, n }, state.Args{Count: 3, Shader: compute.Args{Push: cover}})
		})
	}
}
