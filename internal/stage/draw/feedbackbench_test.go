package draw_test

import (
	"context"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// BenchmarkFeedback captures 100000 triangles and rasterises nothing.
func BenchmarkFeedback(b *testing.B) {
	const triangles = 100000
	c := blank(b, side, side, "R8G8B8A8_UNORM")
	s := full(c)
	s.Rasterization.Discard = true
	p, err := draw.New(draw.Stages{Vertex: parse(b, numberedText, 0)}, s, engines()[len(engines())-1], exec.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	f := state.Feedback{}
	f.Buffers[0].Bytes, f.Buffers[2].Bytes = space(12*3*triangles), space(8*3*triangles)
	b.ReportAllocs()
	for b.Loop() {
		f.Buffers[0].Next, f.Buffers[2].Next = 0, 0
		if err := p.Draw(context.Background(), &c.Target, &state.Args{Count: 3 * triangles, Instances: 1, Feedback: &f}); err != nil {
			b.Fatal(err)
		}
	}
}
