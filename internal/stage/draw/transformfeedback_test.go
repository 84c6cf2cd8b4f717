package draw_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// numberedText is a vertex program that captures the number of the vertex: to buffer 0
// at byte 4 of 12, and to buffer 2 with the number of the instance behind it.
const numberedText = `
program "numbered" vertex
subgroup 16
local 1 1 1
modes xfb
in vertexindex i32 0
in instanceindex i32 0
capture 0 stride 12
capture 2 stride 8
out position f32 0
out location i32 0 capture 1 offset 4
out location i32 4 capture 2 offset 0
out location i32 5 capture 2 offset 4
func "main"() L1 {
	v1 = in.i32 #0
	v2 = in.i32 #1
	out.f32 0.0:f32, #0
	out.i32 v1, #1
	out.i32 v1, #2
	out.i32 v2, #3
}`

// record draws with transform feedback, and nothing is rasterised.
func record(t testing.TB, e exec.Engine, stages draw.Stages, a state.Assembly, last bool, args state.Args) {
	t.Helper()
	c := blank(t, side, side, "R8G8B8A8_UNORM")
	s := full(c)
	s.Assembly = a
	s.Rasterization.Discard, s.Rasterization.LastVertex = true, last
	paint(t, e, stages, s, c, args)
}

// unwritten is the initial content of the buffers.
const unwritten = 0xee

// space is a buffer for vertices.
func space(n int) []byte { return []byte(strings.Repeat(string([]byte{unwritten}), n)) }

// wordsOf returns the words at a byte of each vertex of a buffer.
func wordsOf(b []byte, stride, at int) (list []uint32) {
	for ; len(b) >= stride; b = b[stride:] {
		list = append(list, binary.LittleEndian.Uint32(b[at:]))
	}
	return list
}

// TestFeedbackTopologies compares the vertices that are captured with the primitives
// that Vulkan §"Primitive Topologies" makes of each topology: in order, wound as they
// are, with the provoking vertex first, or last where the last one is it.
func TestFeedbackTopologies(t *testing.T) {
	for _, x := range []struct {
		name        string
		topology    enum.Topology
		count       uint32
		first, last []uint32
	}{
		{"points", enum.TopologyPointList, 3, []uint32{0, 1, 2}, []uint32{0, 1, 2}},
		{"lines", enum.TopologyLineList, 5, []uint32{0, 1, 2, 3}, []uint32{0, 1, 2, 3}},
		{"line strip", enum.TopologyLineStrip, 4, []uint32{0, 1, 1, 2, 2, 3}, []uint32{0, 1, 1, 2, 2, 3}},
		{"triangles", enum.TopologyTriangleList, 8, []uint32{0, 1, 2, 3, 4, 5}, []uint32{0, 1, 2, 3, 4, 5}},
		{"triangle strip", enum.TopologyTriangleStrip, 5, []uint32{0, 1, 2, 1, 3, 2, 2, 3, 4}, []uint32{0, 1, 2, 2, 1, 3, 2, 3, 4}},
		{"triangle fan", enum.TopologyTriangleFan, 5, []uint32{1, 2, 0, 2, 3, 0, 3, 4, 0}, []uint32{0, 1, 2, 0, 2, 3, 0, 3, 4}},
		{"lines with adjacency", enum.TopologyLineListWithAdjacency, 9, []uint32{1, 2, 5, 6}, []uint32{1, 2, 5, 6}},
		{"line strip with adjacency", enum.TopologyLineStripWithAdjacency, 5, []uint32{1, 2, 2, 3}, []uint32{1, 2, 2, 3}},
		{"triangles with adjacency", enum.TopologyTriangleListWithAdjacency, 13, []uint32{0, 2, 4, 6, 8, 10}, []uint32{0, 2, 4, 6, 8, 10}},
		{"triangle strip with adjacency", enum.TopologyTriangleStripWithAdjacency, 11, []uint32{0, 2, 4, 2, 6, 4, 4, 6, 8}, []uint32{0, 2, 4, 4, 2, 6, 4, 6, 8}},
	} {
		for _, e := range engines() {
			for _, last := range []bool{false, true} {
				want := x.first
				if last {
					want = x.last
				}
				n := len(want)
				f := state.Feedback{}
				f.Buffers[0].Bytes, f.Buffers[2].Bytes = space(12*(n+3)), space(8*(n+3))
				record(t, e, draw.Stages{Vertex: parse(t, numberedText, 0)}, state.Assembly{Topology: x.topology}, last, state.Args{Count: x.count, FirstInstance: 7, Feedback: &f})
				a, b := f.Buffers[0].Bytes, f.Buffers[2].Bytes
				if got := wordsOf(a[:12*n], 12, 4); !slices.Equal(got, want) {
					t.Errorf("%s, %s, last vertex %t: %d; want %d", e.Name(), x.name, last, got, want)
				}
				if got := wordsOf(b[:8*n], 8, 0); !slices.Equal(got, want) {
					t.Errorf("%s, %s, last vertex %t: %d in the other buffer; want %d", e.Name(), x.name, last, got, want)
				}
				if got := wordsOf(b[:8*n], 8, 4); slices.Max(got) != 7 || slices.Min(got) != 7 {
					t.Errorf("%s, %s: instances %d; want 7", e.Name(), x.name, got)
				}
				kept := append(append(wordsOf(a, 12, 0), wordsOf(a, 12, 8)...), append(wordsOf(a[12*n:], 4, 0), wordsOf(b[8*n:], 4, 0)...)...)
				if slices.ContainsFunc(kept, func(w uint32) bool { return w != unwritten*0x01010101 }) {
					t.Errorf("%s, %s: what no output takes is written to", e.Name(), x.name)
				}
				if f.Buffers[0].Next != uint64(12*n) || f.Buffers[2].Next != uint64(8*n) {
					t.Errorf("%s, %s: the next vertices go to %d and %d; want %d and %d", e.Name(), x.name, f.Buffers[0].Next, f.Buffers[2].Next, 12*n, 8*n)
				}
			}
		}
	}
}

// TestFeedbackMany captures strips with restarts, of more vertices than a job takes, and
// of several instances.
func TestFeedbackMany(t *testing.T) {
	const strips, length, instances = 7, 2500, 2
	var index []byte
	var want []uint32
	for s := range uint32(strips) {
		for i := range uint32(length) {
			index = binary.LittleEndian.AppendUint32(index, s*length+i)
			if i+2 < length {
				want = append(want, s*length+i, s*length+i+1+i%2, s*length+i+2-i%2)
			}
		}
		index = binary.LittleEndian.AppendUint32(index, 1<<32-1)
	}
	want = append(want, want...)
	everywhere(t, func(t *testing.T, e exec.Engine, subgroup uint32, workers int) []byte {
		f := state.Feedback{}
		f.Buffers[2].Bytes = space(8 * len(want))
		record(t, e, draw.Stages{Vertex: parse(t, numberedText, subgroup)}, state.Assembly{Topology: enum.TopologyTriangleStrip, Restart: true}, false,
			state.Args{Count: uint32(len(index) / 4), Index: index, IndexBytes: 4, Instances: instances, Feedback: &f, Shader: compute.Args{Workers: workers}})
		if got := wordsOf(f.Buffers[2].Bytes, 8, 0); !slices.Equal(got, want) {
			t.Fatal("other vertices than those of the strips")
		}
		for i, n := range wordsOf(f.Buffers[2].Bytes, 8, 4) {
			if n != uint32(i/(len(want)/instances)) {
				t.Fatalf("vertex %d is of instance %d", i, n)
			}
		}
		if got, n := f.Streams[0], uint64(len(want)/3); got.Written != n || got.Needed != n {
			t.Errorf("%+v; want %d", got, n)
		}
		return f.Buffers[2].Bytes
	})
}

// TestFeedbackFull: a primitive that one of its buffers has no room for is in none, and
// is not counted as written (Vulkan §"Transform Feedback"). What has room behind it is
// written.
func TestFeedbackFull(t *testing.T) {
	for _, e := range engines() {
		f := state.Feedback{}
		f.Buffers[0].Bytes, f.Buffers[2].Bytes = space(12*9), space(8*5+7)
		stages := draw.Stages{Vertex: parse(t, numberedText, 0)}
		record(t, e, stages, state.Assembly{Topology: enum.TopologyTriangleList}, false, state.Args{Count: 9, Feedback: &f})
		if got := f.Streams[0]; got != (state.FeedbackCount{Written: 1, Needed: 3}) {
			t.Errorf("%s: %+v; want 1 of 3", e.Name(), got)
		}
		if a, b := f.Buffers[0], f.Buffers[2]; a.Next != 36 || b.Next != 24 || string(a.Bytes[36:]) != string(space(72)) || string(b.Bytes[24:]) != string(space(23)) {
			t.Errorf("%s: buffers end at %d and %d, or are written to behind; want 36 and 24", e.Name(), a.Next, b.Next)
		}
		record(t, e, stages, state.Assembly{Topology: enum.TopologyPointList}, false, state.Args{First: 20, Count: 9, Feedback: &f})
		if got := f.Streams[0]; got != (state.FeedbackCount{Written: 3, Needed: 12}) {
			t.Errorf("%s: %+v; want 3 of 12", e.Name(), got)
		}
		if got := wordsOf(f.Buffers[2].Bytes, 8, 0); !slices.Equal(got, []uint32{0, 1, 2, 20, 21}) {
			t.Errorf("%s: %d; want two points behind a triangle", e.Name(), got)
		}
	}
}

// TestFeedbackResume begins where a counter says, and goes on there in the next draw. A
// counter behind the buffer leaves no room.
func TestFeedbackResume(t *testing.T) {
	for _, e := range engines() {
		f := state.Feedback{}
		f.Buffers[0] = state.FeedbackBuffer{Bytes: space(12 * 8), Next: 24}
		stages := draw.Stages{Vertex: parse(t, numberedText, 0)}
		for _, first := range []uint32{10, 20} {
			record(t, e, stages, state.Assembly{Topology: enum.TopologyLineList}, false, state.Args{First: first, Count: 2, Feedback: &f})
		}
		none := uint32(unwritten * 0x01010101)
		if got := wordsOf(f.Buffers[0].Bytes, 12, 4); !slices.Equal(got, []uint32{none, none, 10, 11, 20, 21, none, none}) {
			t.Errorf("%s: %d", e.Name(), got)
		}
		f.Buffers[0].Next = 1 << 40
		record(t, e, stages, state.Assembly{Topology: enum.TopologyLineList}, false, state.Args{Count: 2, Feedback: &f})
		if got := f.Streams[0]; got != (state.FeedbackCount{Written: 2, Needed: 3}) || f.Buffers[0].Next != 1<<40 {
			t.Errorf("%s: %+v, next %d; want 2 of 3, and the counter as it was", e.Name(), got, f.Buffers[0].Next)
		}
	}
}

// TestFeedbackUnbound: what goes to a buffer that is not bound is ignored.
func TestFeedbackUnbound(t *testing.T) {
	for _, e := range engines() {
		f := state.Feedback{}
		record(t, e, draw.Stages{Vertex: parse(t, numberedText, 0)}, state.Assembly{}, false, state.Args{Count: 4, Feedback: &f})
		if f.Streams[0] != (state.FeedbackCount{}) || f.Buffers[0].Next != 0 {
			t.Errorf("%s: %+v", e.Name(), f)
		}
	}
}

// TestFeedbackUnwritten: of outputs that no instruction stores to a buffer keeps what it
// has; one that an invocation does not store to is 0.
func TestFeedbackUnwritten(t *testing.T) {
	text := strings.Replace(numberedText, "\tout.i32 v1, #1\n", "v9 = eq.i32 v1, 1:i32\nif v9 {\nout.i32 7:i32, #1\n}\n", 1)
	text = strings.Replace(text, "capture 0 stride 12", "capture 0 stride 12\ncapture 1 stride 16", 1)
	text = strings.Replace(text, "capture 2 offset", "capture 3 offset", 2)
	for _, e := range engines() {
		f := state.Feedback{}
		f.Buffers[0].Bytes, f.Buffers[1].Bytes = space(24), space(40)
		record(t, e, draw.Stages{Vertex: parse(t, text, 0)}, state.Assembly{}, false, state.Args{Count: 2, Feedback: &f})
		if got := wordsOf(f.Buffers[0].Bytes, 12, 4); !slices.Equal(got, []uint32{0, 7}) {
			t.Errorf("%s: %d; want 0 and 7", e.Name(), got)
		}
		if b := f.Buffers[1]; string(b.Bytes) != string(space(40)) || b.Next != 32 {
			t.Errorf("%s: a buffer without outputs is %x, next %d", e.Name(), b.Bytes, b.Next)
		}
	}
}

// TestFeedbackWidths captures components of 16 and 64 bits side by side with words.
func TestFeedbackWidths(t *testing.T) {
	const text = `
program "widths" vertex
subgroup 16
local 1 1 1
modes xfb
in vertexindex i32 0
capture 3 stride 32
out position f32 0
out location i64 0 capture 1 offset 8
out location i16 4 capture 1 offset 2
out location f64 8 capture 1 offset 16
out location i32 12 capture 1 offset 28
func "main"() L1 {
	v1 = in.i32 #0
	v2 = zext.i64.i32 v1
	v3 = mul.i64 v2, 4294967297:i64
	out.i64 v3, #1
	v4 = trunc.i16.i32 v1
	out.i16 v4, #2
	v5 = utof.f64.i32 v1
	out.f64 v5, #3
	out.i32 v1, #4
}`
	for _, e := range engines() {
		f := state.Feedback{}
		f.Buffers[3].Bytes = space(64)
		record(t, e, draw.Stages{Vertex: parse(t, text, 0)}, state.Assembly{}, false, state.Args{First: 2, Count: 2, Feedback: &f})
		want := "eeee0200eeeeeeee0200000002000000000000000000004" + "0eeeeeeee02000000" + "eeee0300eeeeeeee0300000003000000000000000000084" + "0eeeeeeee03000000"
		if got := fmt.Sprintf("%x", f.Buffers[3].Bytes); got != want {
			t.Errorf("%s: %s; want %s", e.Name(), got, want)
		}
	}
}

// TestFeedbackErrors asks for transform feedback where there can be none
// (VUID-vkCmdBeginTransformFeedbackEXT-None-04128, -02373).
func TestFeedbackErrors(t *testing.T) {
	for _, x := range []struct {
		vertex string
		views  uint32
	}{{cornersText, 0}, {numberedText, 3}} {
		c := blank(t, side, side, "R8G8B8A8_UNORM")
		s := full(c)
		s.ViewMask = x.views
		p, err := draw.New(draw.Stages{Vertex: parse(t, x.vertex, 0)}, s, engines()[0], exec.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var wrong *state.StateError
		if err := p.Draw(context.Background(), &c.Target, &state.Args{Count: 3, Instances: 1, Feedback: &state.Feedback{}, Shader: compute.Args{Push: cover}}); !errors.As(err, &wrong) {
			t.Errorf("%v; want a StateError", err)
		}
		p.Close()
	}
}
