package draw_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/jit/amd64"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
)

// drawn measures a draw on one worker.
func drawn(b *testing.B, width, height int, fragment string, change func(*draw.State), a draw.Args) {
	if len(amd64.Levels()) == 0 {
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
	drawn(b, 1024, 1024, shownText, nil, draw.Args{Count: 3, Shader: compute.Args{Push: cover}})
}

// BenchmarkFillBlended blends over a megapixel.
func BenchmarkFillBlended(b *testing.B) {
	drawn(b, 1024, 1024, shownText, func(s *draw.State) {
		s.Blend.Attachments = []draw.BlendAttachment{{Enable: true, SrcColor: draw.SrcAlpha, DstColor: draw.OneMinusSrcAlpha, SrcAlpha: draw.FactorOne, DstAlpha: draw.FactorZero, WriteMask: 15}}
	}, draw.Args{Count: 3, Shader: compute.Args{Push: cover}})
}

// BenchmarkSmall draws a triangle of a few pixels.
func BenchmarkSmall(b *testing.B) {
	drawn(b, 64, 64, shownText, nil, draw.Args{Count: 3, Shader: compute.Args{Push: floats(-1, -1, 0, 1, -0.9, -1, 0, 1, -1, -0.9, 0, 1)}})
}

// BenchmarkTriangles draws 100000 of them.
func BenchmarkTriangles(b *testing.B) {
	drawn(b, 64, 64, shownText, nil, draw.Args{Count: 3, Instances: 100000, Shader: compute.Args{Push: floats(-1, -1, 0, 1, -0.9, -1, 0, 1, -1, -0.9, 0, 1)}})
}

// BenchmarkShadingRate covers a megapixel with long fragments of one pixel or several.
func BenchmarkShadingRate(b *testing.B) {
	text := shownText
	long := "v20 = fadd.f32 v1, 1.0:f32\n"
	for i := range 200 {
		long += fmt.Sprintf("v%d = ffma.f32 v%d, v%d, v1\n", 21+i, 20+i, 20+i)
	}
	text = strings.Replace(text, "out.f32 v1, #0", long+"v300 = fadd.f32 v220, v1\nout.f32 v300, #0", 1)
	for _, n := range []uint32{1, 2, 4} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			drawn(b, 1024, 1024, text, func(s *draw.State) { s.Rate.Width, s.Rate.Height = n, n }, draw.Args{Count: 3, Shader: compute.Args{Push: cover}})
		})
	}
}
