package draw_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/asmtest"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/valid"
)

// streamsText is a geometry program of two invocations for each point. Each emits a
// strip of four vertices to stream 0, of which it ends one behind the third, and a
// vertex to stream 2 behind each of them; the last vertex of stream 2 ends a strip too.
// A vertex has the number of the point times 100, plus that of the invocation times
// 10, plus its own.
const streamsText = `
program "streams" geometry
subgroup 16
local 1 1 1
modes inputpoints OUTPUT xfb
outputvertices 8
instances 2
in location i32 0
in invocationid i32 0
capture 0 stride 4
capture 1 stride 8 stream 2
capture 3 stride 4 stream 2
out position f32 0
out location i32 0 capture 1 offset 0
out position f32 0 stream 2
out location i32 0 stream 2 capture 2 offset 4
out location i32 1 stream 2 capture 3 offset 0
func "main"() L1 {
	v1 = inat.i32 0:i32, #0
	v2 = mul.i32 v1, 100:i32
	v3 = in.i32 #1
	v4 = mul.i32 v3, 10:i32
	v5 = add.i32 v2, v4
	loop L2(v6 i32 = 0:i32) {
		v7 = add.i32 v5, v6
		out.f32 0.0:f32, #0
		out.i32 v7, #1
		emit #0
		out.f32 0.0:f32, #2
		out.i32 v7, #3
		v8 = add.i32 v7, 1000:i32
		out.i32 v8, #4
		emit #2
		v9 = eq.i32 v6, 2:i32
		if v9 {
			endprim #0
		}
		v10 = add.i32 v6, 1:i32
		v11 = ult.i32 v10, 4:i32
		if v11 {
			br L2(v10)
		}
		endprim #2
		br L1()
	}
}`

// plainText is numberedText without transform feedback.
var plainText = strings.NewReplacer("modes xfb\n", "", "capture 0 stride 12\n", "", "capture 2 stride 8\n", "",
	" capture 1 offset 4", "", " capture 2 offset 0", "", " capture 2 offset 4", "").Replace(numberedText)

// TestStreamOfDraw draws with other rasterized streams than the pipeline was made for: the primitives of the stream of the
// draw are clipped. Two points have four invocations, which emit four points to stream 0 and to stream 2 each.
func TestStreamOfDraw(t *testing.T) {
	stages := draw.Stages{Vertex: parse(t, plainText, 4), Geometry: parse(t, strings.Replace(streamsText, "OUTPUT", "outputpoints", 1), 4)}
	for _, e := range engines() {
		c := blank(t, side, side, "R8G8B8A8_UNORM")
		s := full(c)
		s.Assembly.Topology = enum.TopologyPointList
		p, err := draw.New(stages, s, e, exec.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range []struct {
			stream uint32
			want   uint64
		}{{2, 16}, {3, 0}, {0, 16}, {2, 16}, {1, 0}} {
			s.Rasterization.Stream = x.stream
			var n state.Statistics
			if err := p.Draw(context.Background(), &c.Target, &state.Args{State: &s, Count: 2, Instances: 1, Statistics: &n}); err != nil {
				t.Fatal(err)
			}
			if n.ClippingInvocations != x.want || n.Generated != [4]uint64{16, 0, 16, 0} {
				t.Errorf("%s: stream %d: %d primitives are clipped of %d; want %d", e.Name(), x.stream, n.ClippingInvocations, n.Generated, x.want)
			}
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestStreamWithoutGeometry draws without a geometry program: the primitives are in stream 0, so that those of stream 1 are
// none. They count as generated ones of stream 0 all the same.
func TestStreamWithoutGeometry(t *testing.T) {
	for _, e := range engines() {
		c := blank(t, side, side, "R8G8B8A8_UNORM")
		s := full(c)
		s.Assembly.Topology = enum.TopologyPointList
		p, err := draw.New(draw.Stages{Vertex: parse(t, plainText, 4)}, s, e, exec.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range []struct {
			stream uint32
			want   uint64
		}{{0, 2}, {1, 0}, {3, 0}, {0, 2}} {
			s.Rasterization.Stream = x.stream
			var n state.Statistics
			if err := p.Draw(context.Background(), &c.Target, &state.Args{State: &s, Count: 2, Instances: 1, Statistics: &n}); err != nil {
				t.Fatal(err)
			}
			if n.ClippingInvocations != x.want || n.Generated != [4]uint64{2} {
				t.Errorf("%s: stream %d: %d primitives are clipped of %d; want %d", e.Name(), x.stream, n.ClippingInvocations, n.Generated, x.want)
			}
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestFeedbackGeometry captures two streams of a geometry program: each has the
// primitives of its own strips, whichever one is rasterised.
func TestFeedbackGeometry(t *testing.T) {
	const points = 700
	for _, x := range []struct {
		output    string
		vertices  int
		of0, of2  []uint32 // numbers of the vertices of an invocation's primitives
		rasterise uint32
	}{
		{"outputpoints", 1, []uint32{0, 1, 2, 3}, []uint32{0, 1, 2, 3}, 0},
		{"outputlinestrip", 2, []uint32{0, 1, 1, 2}, []uint32{0, 1, 1, 2, 2, 3}, 2},
		{"outputtrianglestrip", 3, []uint32{0, 1, 2}, []uint32{0, 1, 2, 1, 3, 2}, 3},
	} {
		var want0, want2 []uint32
		for i := range uint32(2 * points) {
			base := i/2*100 + i%2*10
			for _, v := range x.of0 {
				want0 = append(want0, base+v)
			}
			for _, v := range x.of2 {
				want2 = append(want2, base+v)
			}
		}
		everywhere(t, func(t *testing.T, e exec.Engine, subgroup uint32, workers int) []byte {
			f := state.Feedback{}
			for i, n := range []int{4 * len(want0), 8 * len(want2), 0, 4 * len(want2)} {
				f.Buffers[i].Bytes = space(n)
			}
			c := blank(t, side, side, "R8G8B8A8_UNORM")
			s := full(c)
			s.Assembly.Topology = enum.TopologyPointList
			s.Rasterization.Stream = x.rasterise
			var stats state.Statistics
			paint(t, e, draw.Stages{Vertex: parse(t, plainText, subgroup), Geometry: parse(t, strings.Replace(streamsText, "OUTPUT", x.output, 1), subgroup)}, s, c,
				state.Args{Count: points, Feedback: &f, Statistics: &stats, Shader: compute.Args{Workers: workers}})
			if got := wordsOf(f.Buffers[0].Bytes, 4, 0); !slices.Equal(got, want0) {
				t.Fatalf("%s: stream 0 has %d …; want %d …", x.output, got[:8], want0[:8])
			}
			if got := wordsOf(f.Buffers[1].Bytes, 8, 4); !slices.Equal(got, want2) {
				t.Fatalf("%s: stream 2 has %d …; want %d …", x.output, got[:8], want2[:8])
			}
			for i, n := range wordsOf(f.Buffers[3].Bytes, 4, 0) {
				if n != want2[i]+1000 {
					t.Fatalf("%s: vertex %d of the other buffer of stream 2 is %d; want %d", x.output, i, n, want2[i]+1000)
				}
			}
			n0, n2 := uint64(len(want0)/x.vertices), uint64(len(want2)/x.vertices)
			if want := [4]state.FeedbackCount{{Written: n0, Needed: n0}, {}, {Written: n2, Needed: n2}}; f.Streams != want {
				t.Errorf("%s: %+v; want %+v", x.output, f.Streams, want)
			}
			if want := [4]uint64{n0, 0, n2}; stats.Generated != want || stats.GeometryPrimitives != n0+n2 || stats.GeometryInvocations != 2*points {
				t.Errorf("%s: %+v; want %d primitives of %d invocations", x.output, stats, want, 2*points)
			}
			if want := [4]uint64{n0, 0, n2, 0}[x.rasterise]; stats.ClippingInvocations != want {
				t.Errorf("%s: %d primitives are clipped; want the %d of stream %d", x.output, stats.ClippingInvocations, want, x.rasterise)
			}
			return slices.Concat(f.Buffers[0].Bytes, f.Buffers[1].Bytes, f.Buffers[3].Bytes)
		})
	}
}

// TestFeedbackGeometryProvoking captures the strips of a geometry program in either mode of the provoking vertex: of triangle i
// of a strip it is vertex i, which is written first, or vertex i + 2, which is written last, and all triangles turn as Vulkan
// §"Triangle Strips" says (transformFeedbackPreservesProvokingVertex).
func TestFeedbackGeometryProvoking(t *testing.T) {
	geometry := strings.Replace(streamsText, "OUTPUT", "outputtrianglestrip", 1)
	for _, e := range engines() {
		for _, x := range []struct {
			last bool
			want []uint32
		}{{false, []uint32{0, 1, 2, 1, 3, 2}}, {true, []uint32{0, 1, 2, 2, 1, 3}}} {
			f := state.Feedback{}
			f.Buffers[1].Bytes = space(8 * 12)
			record(t, e, draw.Stages{Vertex: parse(t, plainText, 0), Geometry: parse(t, geometry, 0)}, state.Assembly{Topology: enum.TopologyPointList}, x.last,
				state.Args{Count: 1, Feedback: &f})
			want := slices.Clone(x.want)
			for _, v := range x.want {
				want = append(want, 10+v) // of the second invocation
			}
			if got := wordsOf(f.Buffers[1].Bytes, 8, 4); !slices.Equal(got, want) {
				t.Errorf("%s, last vertex %t: %d; want %d", e.Name(), x.last, got, want)
			}
		}
	}
}

// TestFeedbackStreamFull: a stream without room does not keep another from its own.
func TestFeedbackStreamFull(t *testing.T) {
	for _, e := range engines() {
		f := state.Feedback{}
		f.Buffers[0].Bytes, f.Buffers[1].Bytes, f.Buffers[3].Bytes = space(400), space(400), space(11)
		record(t, e, draw.Stages{Vertex: parse(t, plainText, 0), Geometry: parse(t, strings.Replace(streamsText, "OUTPUT", "outputpoints", 1), 0)},
			state.Assembly{Topology: enum.TopologyPointList}, false, state.Args{Count: 2, Feedback: &f})
		if want := [4]state.FeedbackCount{{Written: 16, Needed: 16}, {}, {Written: 2, Needed: 16}}; f.Streams != want {
			t.Errorf("%s: %+v; want %+v", e.Name(), f.Streams, want)
		}
		if a, b := f.Buffers[1], f.Buffers[3]; a.Next != 16 || b.Next != 8 || string(a.Bytes[16:]) != string(space(384)) {
			t.Errorf("%s: buffers of stream 2 end at %d and %d; want 16 and 8", e.Name(), a.Next, b.Next)
		}
	}
}

// TestFeedbackTessellation captures the triangles of squares that are subdivided: they
// fill the domain once, and all turn as the program says (Vulkan §"Quad
// Tessellation").
func TestFeedbackTessellation(t *testing.T) {
	const squares = 400
	for _, turn := range []string{"cw", "ccw"} {
		everywhere(t, func(t *testing.T, e exec.Engine, subgroup uint32, workers int) []byte {
			text := strings.Replace(evaluationText, "MODES", "quads equal "+turn+" xfb\ncapture 0 stride 8", 1)
			text = strings.Replace(text, "out location f32 4", "out location f32 4 capture 1 offset 0", 1)
			text = strings.Replace(text, "out location f32 5", "out location f32 5 capture 1 offset 4", 1)
			f := state.Feedback{}
			f.Buffers[0].Bytes = space(squares * 8 * 3 * 64)
			stages := tessellated(t, "quads", subgroup)
			stages.TessEval = parse(t, text, subgroup)
			var stats state.Statistics
			record(t, e, stages, state.Assembly{Topology: enum.TopologyPatchList, PatchPoints: 4}, false,
				state.Args{Count: 4, Instances: squares, Feedback: &f, Statistics: &stats, Shader: compute.Args{Workers: workers, Push: quad}})
			n := f.Streams[0].Written
			if n == 0 || n%squares != 0 || f.Streams[0].Needed != n || stats.Generated[0] != n || stats.ControlPatches != squares || stats.EvaluationInvocations != 20*squares {
				t.Fatalf("%+v, %+v", f.Streams[0], stats)
			}
			if stats.ClippingInvocations != 0 {
				t.Errorf("%d primitives are clipped and discarded", stats.ClippingInvocations)
			}
			area := 0.0
			for i := range n {
				at := func(v, axis uint64) float64 { return number(f.Buffers[0].Bytes, int(2*(3*i+v)+axis)) }
				// twice the area as seen with v down
				a := (at(1, 0)-at(0, 0))*(at(2, 1)-at(0, 1)) - (at(2, 0)-at(0, 0))*(at(1, 1)-at(0, 1))
				if a == 0 || a > 0 != (turn == "cw") {
					t.Fatalf("triangle %d has twice the area %g", i, a)
				}
				area += math.Abs(a) / 2
			}
			if math.Abs(area-squares) > 1e-3 {
				t.Errorf("an area of %g; want %d", area, squares)
			}
			return f.Buffers[0].Bytes[:24*n]
		})
	}
}

// TestFeedbackRandom captures outputs of random types at random places, each of which
// is a number that follows from the vertex's and its own, and compares with what must
// be there.
func TestFeedbackRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		type out struct{ bytes, buffer, offset, location int }
		var outs []out
		strides := [4]int{}
		for location := range 1 + r.IntN(12) {
			size := []int{2, 4, 4, 8}[r.IntN(4)]
			b := r.IntN(4)
			at := (strides[b] + 8*r.IntN(2)*r.IntN(2) + size - 1) / size * size
			outs, strides[b] = append(outs, out{size, b, at, 4 * location}), at+size
		}
		text := "program \"random\" vertex\nsubgroup 16\nlocal 1 1 1\nmodes xfb\nin vertexindex i32 0\n"
		captures, n := [4]int{}, 0
		for b, stride := range strides {
			if stride > 0 {
				strides[b] = (stride+7)/8*8 + 8*r.IntN(2)
				n++
				captures[b] = n
				text += fmt.Sprintf("capture %d stride %d\n", b, strides[b])
			}
		}
		code := "func \"main\"() L1 {\nv1 = in.i32 #0\nv2 = mul.i32 v1, 2654435761:i32\n"
		for k, o := range outs {
			kind := map[int]string{2: "i16", 4: "i32", 8: "i64"}[o.bytes]
			text += fmt.Sprintf("out location %s %d capture %d offset %d\n", kind, o.location, captures[o.buffer], o.offset)
			convert := map[int]string{2: "trunc.i16.i32", 8: "zext.i64.i32"}[o.bytes]
			if code += fmt.Sprintf("v1%02d = add.i32 v2, %d:i32\n", k, 1000*k); convert == "" {
				code += fmt.Sprintf("out.i32 v1%02d, #%d\n", k, k)
			} else {
				code += fmt.Sprintf("v2%02d = %s v1%02d\nout.%s v2%02d, #%d\n", k, convert, k, kind, k, k)
			}
		}
		text += code + "}"
		each := 1 + r.IntN(3)
		topology := []enum.Topology{enum.TopologyPointList, enum.TopologyLineList, enum.TopologyTriangleList}[each-1]
		room, count := r.IntN(20), r.IntN(20)
		want, f := [4][]byte{}, [2]state.Feedback{}
		fit := count / each
		for b, stride := range strides {
			if stride > 0 {
				left := room + r.IntN(3)
				want[b] = space(stride * left)
				fit = min(fit, left/each)
				f[0].Buffers[b].Bytes, f[1].Buffers[b].Bytes = slices.Clone(want[b]), slices.Clone(want[b])
			}
		}
		for v := range fit * each {
			for k, o := range outs {
				x := uint64(uint32(v)*2654435761 + uint32(1000*k))
				for i := range o.bytes {
					want[o.buffer][v*strides[o.buffer]+o.offset+i] = byte(x >> (8 * i))
				}
			}
		}
		for i, e := range engines() {
			record(t, e, draw.Stages{Vertex: parse(t, text, []uint32{4, 16, 64}[r.IntN(3)])}, state.Assembly{Topology: topology}, r.IntN(2) == 0,
				state.Args{Count: uint32(count), Feedback: &f[i]})
			for b := range want {
				if string(f[i].Buffers[b].Bytes) != string(want[b]) {
					t.Fatalf("%s: buffer %d is %x; want %x\n%s", e.Name(), b, f[i].Buffers[b].Bytes, want[b], text)
				}
			}
			if got := f[i].Streams[0]; got.Written != uint64(fit) || got.Needed != uint64(count/each) {
				t.Fatalf("%s: %+v; want %d of %d", e.Name(), got, fit, count/each)
			}
		}
	}
}

// TestWrongCaptures verifies programs whose captures do not fit.
func TestWrongCaptures(t *testing.T) {
	for _, change := range [][2]string{
		{"capture 2 stride 8", "capture 4 stride 8"}, {"capture 2 stride 8", "capture 0 stride 8"}, {"capture 2 stride 8", "capture 2 stride 4096"},
		{"capture 2 stride 8", "capture 2 stride 8 stream 1"}, {"capture 1 offset 4", "capture 3 offset 4"}, {"capture 1 offset 4", "capture 1 offset 10"}, {"capture 2 offset 4", "capture 2 offset 8"},
	} {
		p, err := ir.Parse(strings.Replace(numberedText, change[0], change[1], 1))
		if err == nil {
			err = p.Verify()
		}
		if err == nil {
			t.Errorf("%s is in order", change[1])
		}
	}
}

// lowered returns the program of a case of lower's.
func lowered(t *testing.T, name string) *ir.Program {
	t.Helper()
	data, err := os.ReadFile("../../lower/testdata/stage/" + name + ".txtar")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(data), "-- in.spvasm --\n")
	text, _, _ = strings.Cut(text, "-- ir --\n")
	m := asmtest.Module(t, text, spirv.Version10)
	g := facts.Gather(m, nil)
	p, err := lower.Stage(valid.Assume(g), &g.EntryPoints[0], lower.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestFeedbackShaders draws with the modules of the cases feedback and feedback_streams
// of lower: the second shader of a pipeline captures, or the first where it is alone.
func TestFeedbackShaders(t *testing.T) {
	vertex, geometry := lowered(t, "feedback"), lowered(t, "feedback_streams")
	none := math.Float32frombits(unwritten * 0x01010101)
	for _, e := range engines() {
		f := state.Feedback{}
		f.Buffers[0].Bytes, f.Buffers[1].Bytes = space(64), space(48)
		record(t, e, draw.Stages{Vertex: vertex}, state.Assembly{}, false, state.Args{First: 5, Count: 2, Feedback: &f})
		if got, want := f.Buffers[0].Bytes, floats(5, 5, 5, 5, 1, 1, 2, none, 6, 6, 6, 6, 1, 1, 2, none); string(got) != string(want) {
			t.Errorf("%s: buffer 0 is %x; want %x", e.Name(), got, want)
		}
		if got, want := f.Buffers[1].Bytes, floats(none, none, 1, 2, 3, 4, none, none, 1, 2, 3, 4); string(got) != string(want) {
			t.Errorf("%s: buffer 1 is %x; want %x", e.Name(), got, want)
		}

		f = state.Feedback{}
		f.Buffers[0].Bytes, f.Buffers[2].Bytes = space(32), space(96)
		record(t, e, draw.Stages{Vertex: vertex, Geometry: geometry}, state.Assembly{}, false, state.Args{Count: 2, Feedback: &f})
		if got := wordsOf(f.Buffers[0].Bytes, 8, 0); !slices.Equal(got, []uint32{0, 1, 10, 11}) {
			t.Errorf("%s: stream 1 has %d; want 0, 1, 10 and 11", e.Name(), got)
		}
		var want []byte
		for range 2 {
			for _, n := range []float32{1, 2, 11, 12} {
				want = append(want, floats(none, n, 2*n)...)
			}
		}
		if got := f.Buffers[2].Bytes; string(got) != string(want) {
			t.Errorf("%s: stream 0 has %x; want %x", e.Name(), got, want)
		}
	}
}

// capturing has the last stage of a pipeline capture its outputs, in turn to three
// buffers.
func capturing(s *draw.Stages) {
	p := s.Vertex
	for _, x := range []*ir.Program{s.TessEval, s.Geometry} {
		if x != nil {
			p = x
		}
	}
	p.Modes |= ir.Xfb
	p.Captures = []ir.Capture{{Buffer: 3, Stride: 40}, {Buffer: 0, Stride: 24}, {Buffer: 1, Stride: 64}}
	for k := range p.Out {
		p.Out[k].Capture, p.Out[k].Offset = uint32(k%3+1), uint32(k/3*8)
	}
}

// TestFeedbackTwoStages captures what a geometry program makes of tessellated triangles:
// two of each.
func TestFeedbackTwoStages(t *testing.T) {
	const squares = 300
	everywhere(t, func(t *testing.T, e exec.Engine, subgroup uint32, workers int) []byte {
		s := tessellated(t, "quads equal cw", subgroup)
		s.Geometry = parse(t, doubledText, subgroup)
		capturing(&s)
		f := state.Feedback{}
		f.Buffers[3].Bytes = space(1 << 22)
		var stats state.Statistics
		record(t, e, s, state.Assembly{Topology: enum.TopologyPatchList, PatchPoints: 4}, false,
			state.Args{Count: 4, Instances: squares, Feedback: &f, Statistics: &stats, Shader: compute.Args{Workers: workers, Push: quad}})
		n := stats.GeometryPrimitives
		want := state.Statistics{
			InputVertices: 4 * squares, InputPrimitives: squares, VertexInvocations: 4 * squares, ControlPatches: squares, EvaluationInvocations: 20 * squares,
			GeometryInvocations: n, GeometryPrimitives: n, Generated: [4]uint64{n},
		}
		if stats != want || n%(2*squares) != 0 || n == 0 || f.Streams[0] != (state.FeedbackCount{Written: n, Needed: n}) {
			t.Fatalf("%+v, %+v; want %+v", f.Streams[0], stats, want)
		}
		// x stands first, and the second of two triangles is the first one turned
		of := func(primitive, vertex int) float64 { return number(f.Buffers[3].Bytes, (3*primitive+vertex)*10) }
		for i := 0; i < int(n); i += 2 {
			for v := range 3 {
				if of(i, v) != -of(i+1, v) {
					t.Fatalf("vertex %d of triangles %d and %d has x %g and %g; want opposite ones", v, i, i+1, of(i, v), of(i+1, v))
				}
			}
		}
		return f.Buffers[3].Bytes[:f.Buffers[3].Next]
	})
}
