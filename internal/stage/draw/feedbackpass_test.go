package draw_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// TestFeedbackPass captures in the draws of a pass: the second one goes on where the
// first one ended, and the third one has what both captured as its vertices.
func TestFeedbackPass(t *testing.T) {
	const each = 5000
	ctx := context.Background()
	everywhere(t, func(t *testing.T, e exec.Engine, subgroup uint32, workers int) []byte {
		c := blank(t, side, side, "R8G8B8A8_UNORM")
		s := full(c)
		s.Assembly.Topology = enum.TopologyPointList
		made := func(text string) *draw.Pipeline {
			p, err := draw.New(draw.Stages{Vertex: parse(t, text, subgroup)}, s, e, exec.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { p.Close() })
			return p
		}
		numbered := made(numberedText)
		s.Vertex = state.VertexInput{Bindings: []state.VertexBinding{{Stride: 8}}, Attributes: []state.VertexAttribute{{Format: "R32_UINT"}}}
		again := made(strings.Replace(numberedText, "in vertexindex i32 0", "in location i32 0", 1))

		var stats state.Statistics
		first, second := state.Feedback{}, state.Feedback{}
		first.Buffers[2].Bytes, second.Buffers[2].Bytes = space(16*each), space(16*each)
		var pass draw.Pass
		if err := pass.Begin(&c.Target, nil, workers); err != nil {
			t.Fatal(err)
		}
		for i, p := range []*draw.Pipeline{numbered, numbered, again} {
			a := state.Args{First: uint32(i * each), Count: each, Instances: 1, Feedback: &first, Statistics: &stats, Shader: compute.Args{Workers: workers}}
			if i == 2 {
				a.First, a.Count, a.Feedback, a.VertexBuffers = 0, 2*each, &second, []exec.Buffer{{Bytes: first.Buffers[2].Bytes}}
			}
			if err := pass.Draw(ctx, p, &a); err != nil {
				t.Fatal(err)
			}
		}
		if err := pass.End(ctx); err != nil {
			t.Fatal(err)
		}
		want := make([]uint32, 2*each)
		for i := range want {
			want[i] = uint32(i)
		}
		for _, f := range []*state.Feedback{&first, &second} {
			if got := wordsOf(f.Buffers[2].Bytes, 8, 0); !slices.Equal(got, want) || f.Streams[0].Written != 2*each {
				t.Fatalf("%+v, and vertices from %d on; want %d from 0 on", f.Streams[0], got[0], 2*each)
			}
		}
		if n := uint64(4 * each); stats.InputVertices != n || stats.InputPrimitives != n || stats.VertexInvocations != n || stats.Generated[0] != n {
			t.Errorf("%+v; want %d", stats, n)
		}
		return second.Buffers[2].Bytes
	})
}

// TestFeedbackInstances captures the vertices of instances in order, in more chunks than one, and counts them. Instances repeat chunks.
func TestFeedbackInstances(t *testing.T) {
	const count, instances = 3 * 1500, 9
	everywhere(t, func(t *testing.T, e exec.Engine, subgroup uint32, workers int) []byte {
		c := blank(t, 8, 8, "R8G8B8A8_UNORM")
		s := full(c)
		s.Assembly.Topology = enum.TopologyTriangleList
		p, err := draw.New(draw.Stages{Vertex: parse(t, numberedText, subgroup)}, s, e, exec.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { p.Close() })
		var stats state.Statistics
		f := state.Feedback{}
		f.Buffers[2].Bytes = space(8 * count * instances)
		a := state.Args{First: 7, Count: count, Instances: instances, FirstInstance: 5, Feedback: &f, Statistics: &stats, Shader: compute.Args{Workers: workers}}
		if err := p.Draw(context.Background(), &c.Target, &a); err != nil {
			t.Fatal(err)
		}
		indices, numbers := wordsOf(f.Buffers[2].Bytes, 8, 0), wordsOf(f.Buffers[2].Bytes, 8, 4)
		for i := range uint32(count * instances) {
			if index, number := 7+i%count, 5+i/count; indices[i] != index || numbers[i] != number {
				t.Fatalf("vertex %d is %d of instance %d; want %d of %d", i, indices[i], numbers[i], index, number)
			}
		}
		if n := uint64(count * instances); stats.InputVertices != n || stats.InputPrimitives != n/3 || stats.VertexInvocations != n || stats.Generated[0] != n/3 {
			t.Errorf("%+v; want %d vertices", stats, n)
		}
		return f.Buffers[2].Bytes
	})
}
