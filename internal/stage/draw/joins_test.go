package draw_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// placeText is a fragment program that shows the place of the first corner, of the push constants.
const placeText = `
program "place" fragment
subgroup 16
local 1 1 1
push 48
out location f32 0
out location f32 1
out location f32 2
out location f32 3
func "main"() L1 {
	v1 = push
	v2 = ld.f32 v1, 0:i32, #0
	out.f32 v2, #0
	v3 = ld.f32 v1, 0:i32, #4
	out.f32 v3, #1
	out.f32 1.0:f32, #2
	out.f32 1.0:f32, #3
}`

// TestJoins: draws that repeat the one before and lie over each other, with clears between them, give the picture of draws without the
// promise: with programs that read the push constants in the vertex stage alone, and in both.
func TestJoins(t *testing.T) {
	e := engines()[len(engines())-1]
	picture := func(fragment string, promise bool, workers int) []byte {
		c := blank(t, 70, 40, "R8G8B8A8_UNORM")
		p, err := draw.New(draw.Stages{Vertex: parse(t, cornersText, 16), Fragment: parse(t, fragment, 16)}, full(c), e, exec.Options{})
		must(t, err)
		defer p.Close()
		random := rand.New(rand.NewPCG(3, 4))
		var pass draw.Pass
		must(t, pass.Begin(&c.Target, nil, workers))
		for i := range 300 {
			if i%23 == 11 {
				area := state.Rect{X: random.Int32N(40), Y: random.Int32N(20), Width: 20, Height: 20}
				color := uint64(math.Float32bits(random.Float32()))
				must(t, pass.Clear(context.Background(), &draw.Clears{Area: area, Colors: []draw.Clear{{Do: true, Value: [4]uint64{color, color, color, color}}}}))
			}
			x, y := 2*random.Float32()-1, 2*random.Float32()-1
			a := state.Args{Count: 3, Instances: 1, Shader: compute.Args{Workers: workers, Push: floats(x, y, 0, 1, x+0.5, y, 0, 1, x, y+0.6, 0, 1)}}
			if promise && i > 0 {
				a.Repeats, a.Rebound = true, []uint64{0, 1<<64 - 1}[i/5%2]
			}
			must(t, pass.Draw(t.Context(), p, &a))
			clear(a.Shader.Push)
		}
		must(t, pass.End(t.Context()))
		return c.bytes(0)
	}
	for name, fragment := range map[string]string{"corners": shownText, "place": placeText} {
		want := picture(fragment, false, 1)
		if bytes.Equal(want, blank(t, 70, 40, "R8G8B8A8_UNORM").bytes(0)) {
			t.Errorf("%s: nothing is drawn", name)
		}
		for _, workers := range []int{1, 2, 5} {
			if !bytes.Equal(picture(fragment, true, workers), want) {
				t.Errorf("%s, %d workers: another picture", name, workers)
			}
		}
	}
}

// scatteredText is a vertex program that places each vertex by a hash of its numbers, and shows it as color. EXTRA is one more number.
const scatteredText = `
program "scattered" vertex
subgroup 16
local 1 1 1
in vertexindex i32 0
in instanceindex i32 0
INPUT
out position f32 0
out position f32 1
out position f32 2
out position f32 3
out location f32 4
out location f32 5
out location f32 6
func "main"() L1 {
	v1 = in.i32 #0
	v2 = in.i32 #1
	v3 = mul.i32 v1, 2654435761:i32
	v4 = mul.i32 v2, 2246822519:i32
	v5 = add.i32 v3, v4
	EXTRA
	v7 = mul.i32 v6, 3266489917:i32
	v8 = lshr.i32 v5, 24:i32
	v9 = add.i32 v5, v7
	v10 = lshr.i32 v9, 25:i32
	v11 = add.i32 v9, v8
	v12 = and.i32 v11, 127:i32
	v13 = utof.f32.i32 v10
	v14 = utof.f32.i32 v12
	v15 = fmul.f32 v13, 0.015625:f32
	v16 = fmul.f32 v14, 0.015625:f32
	v17 = fsub.f32 v15, 1.0:f32
	v18 = fsub.f32 v16, 1.0:f32
	out.f32 v17, #0
	out.f32 v18, #1
	out.f32 0.5:f32, #2
	out.f32 1.0:f32, #3
	out.f32 v15, #4
	out.f32 v16, #5
	out.f32 0.25:f32, #6
}`

// TestAddedRanges: draws that differ in their vertices and instances alone, and repeat the one before, give the picture and the numbers of
// samples of draws without the promise: also if programs read numbers of the draw (Vulkan §"Built-In Variables": BaseVertex, BaseInstance,
// DrawIndex), the active invocations of a subgroup, or attributes with divisors.
func TestAddedRanges(t *testing.T) {
	extras := []struct {
		name, input, code string
		divisor           uint32
		attribute         bool
	}{
		{name: "vertices", code: "v6 = add.i32 0:i32, 0:i32"},
		{name: "base vertex", input: "in basevertex i32 0", code: "v6 = in.i32 #2"},
		{name: "base instance", input: "in baseinstance i32 0", code: "v6 = in.i32 #2"},
		{name: "draw index", input: "in drawindex i32 0", code: "v6 = in.i32 #2"},
		{name: "subgroup", code: "v40 = ballot.i32 1:b1, #0\n\tv6 = bitcount.i32 v40"},
		{name: "divisor 1", input: "in location i32 0", code: "v6 = in.i32 #2", divisor: 1, attribute: true},
		{name: "divisor 2", input: "in location i32 0", code: "v6 = in.i32 #2", divisor: 2, attribute: true},
		{name: "divisor 0", input: "in location i32 0", code: "v6 = in.i32 #2", attribute: true},
	}
	random := rand.New(rand.NewPCG(5, 6))
	instances := make([]byte, 4000)
	for i := range instances {
		instances[i] = byte(random.Uint32())
	}
	indices := make([]byte, 2000)
	for i := range indices {
		if indices[i] = byte(random.Uint32N(60)); random.Uint32N(20) == 0 {
			indices[i] = 255
		}
	}
	e := engines()[len(engines())-1]
	topologies := []enum.Topology{enum.TopologyTriangleList, enum.TopologyTriangleStrip, enum.TopologyTriangleFan, enum.TopologyLineList, enum.TopologyLineStrip, enum.TopologyPointList}
	for _, x := range extras {
		vertex := strings.NewReplacer("INPUT\n", x.input+"\n", "EXTRA", x.code).Replace(scatteredText)
		for n, topology := range topologies {
			if x.input != "" && n%4 != 0 {
				continue // the topology does not matter to numbers of the draw
			}
			picture := func(promise bool, workers int) ([]byte, uint64) {
				random := rand.New(rand.NewPCG(7, uint64(n)))
				c, passed := blank(t, 70, 40, "R8G8B8A8_UNORM"), uint64(0)
				s := full(c)
				s.Assembly.Topology, s.Assembly.Restart = topology, true
				if x.attribute {
					s.Vertex = state.VertexInput{Bindings: []state.VertexBinding{{Stride: 4, Instance: true, Divisor: x.divisor}}, Attributes: []state.VertexAttribute{{Format: "R32_UINT"}}}
				}
				p, err := draw.New(draw.Stages{Vertex: parse(t, vertex, 16), Fragment: parse(t, shownText, 16)}, s, e, exec.Options{})
				must(t, err)
				defer p.Close()
				var pass draw.Pass
				must(t, pass.Begin(&c.Target, nil, workers))
				a := state.Args{Shader: compute.Args{Workers: workers}, VertexBuffers: []exec.Buffer{{Bytes: instances}}, Passed: &passed}
				for i := range uint32(280) {
					a.Repeats = promise && i%70 > 0
					if i%70 == 0 {
						if a.Index, a.IndexBytes = nil, 0; i%140 == 70 {
							a.Index, a.IndexBytes = indices, 1
						}
					}
					a.First, a.Count, a.BaseVertex, a.DrawIndex = random.Uint32N(100), random.Uint32N(12), random.Int32N(20), i%7
					if a.FirstInstance, a.Instances = random.Uint32N(50), random.Uint32N(4); i%50 == 20 {
						a.Count = 700
					}
					must(t, pass.Draw(t.Context(), p, &a))
				}
				must(t, pass.End(t.Context()))
				return c.bytes(0), passed
			}
			want, count := picture(false, 1)
			if count == 0 {
				t.Errorf("%s, topology %d: nothing is drawn", x.name, topology)
			}
			for _, workers := range []int{1, 3} {
				if got, n := picture(true, workers); n != count || !bytes.Equal(got, want) {
					t.Errorf("%s, topology %d, %d workers: another picture, %d samples; want %d", x.name, topology, workers, n, count)
				}
			}
		}
	}
}

// TestIndirectAdded: the draws of an indirect draw give the picture of draws one by one.
func TestIndirectAdded(t *testing.T) {
	e, vertex := engines()[len(engines())-1], strings.NewReplacer("INPUT\n", "in drawindex i32 0\n", "EXTRA", "v6 = in.i32 #2").Replace(scatteredText)
	for _, vertex := range []string{vertex, strings.NewReplacer("INPUT\n", "", "EXTRA", "v6 = add.i32 0:i32, 0:i32").Replace(scatteredText)} {
		const draws = 300
		var buffer []byte
		random := rand.New(rand.NewPCG(9, 10))
		for range draws {
			for _, n := range []uint32{7, 3, 100, 50} {
				buffer = binary.LittleEndian.AppendUint32(buffer, random.Uint32N(n))
			}
		}
		var pictures [2][]byte
		for k := range pictures {
			c := blank(t, 70, 40, "R8G8B8A8_UNORM")
			p, err := draw.New(draw.Stages{Vertex: parse(t, vertex, 16), Fragment: parse(t, shownText, 16)}, full(c), e, exec.Options{})
			must(t, err)
			var pass draw.Pass
			must(t, pass.Begin(&c.Target, nil, 2))
			a, all := state.Args{Shader: compute.Args{Workers: 2}}, &state.Indirect{Buffer: buffer, Stride: 16, Count: draws}
			if k == 0 {
				must(t, pass.DrawIndirect(t.Context(), p, &a, all))
			}
			for i := range uint32(k * draws) {
				all.Set(&a, i)
				must(t, pass.Draw(t.Context(), p, &a))
			}
			must(t, pass.End(t.Context()))
			must(t, p.Close())
			pictures[k] = bytes.Clone(c.bytes(0))
		}
		if !bytes.Equal(pictures[0], pictures[1]) || bytes.Equal(pictures[0], blank(t, 70, 40, "R8G8B8A8_UNORM").bytes(0)) {
			t.Error("another picture, or nothing is drawn")
		}
	}
}

// TestRepeatsSets: draws with other descriptors than the draw before, and the promise to repeat its states and the descriptors of sets that
// are not bound again, give the picture of draws without the promise: with programs that read push constants, and with programs that read
// a buffer of set 0 or set 1.
func TestRepeatsSets(t *testing.T) {
	e, bound := engines()[len(engines())-1], strings.NewReplacer("push 48\n", "res storage 0 0 count 1 nonwritable\n", "= push", "= res 0:i32, #0")
	second := strings.NewReplacer("push 48\n", "res storage 1 0 count 1 nonwritable\n", "= push", "= res 0:i32, #0")
	for n, stages := range [][2]string{{cornersText, shownText}, {bound.Replace(cornersText), shownText}, {cornersText, bound.Replace(placeText)},
		{bound.Replace(cornersText), bound.Replace(placeText)}, {bound.Replace(cornersText), second.Replace(placeText)}} {
		picture := func(promise bool, workers int) []byte {
			c := blank(t, 70, 40, "R8G8B8A8_UNORM")
			p, err := draw.New(draw.Stages{Vertex: parse(t, stages[0], 16), Fragment: parse(t, stages[1], 16)}, full(c), e, exec.Options{})
			must(t, err)
			defer p.Close()
			random := rand.New(rand.NewPCG(3, uint64(n)))
			var pass draw.Pass
			must(t, pass.Begin(&c.Target, nil, workers))
			var places [2][]byte // of the sets
			for i := range 200 {
				rebound := random.Uint64N(4)
				x, y := 2*random.Float32()-1, 2*random.Float32()-1
				push := floats(x, y, 0, 1, x+0.5, y, 0, 1, x, y+0.6, 0, 1)
				for set := range places {
					if i == 0 || rebound>>set&1 != 0 {
						x, y := 2*random.Float32()-1, 2*random.Float32()-1
						places[set] = floats(x, y, 0, 1, x+0.5, y, 0, 1, x, y+0.6, 0, 1)
					}
				}
				a := state.Args{Count: 3, Instances: 1, Shader: compute.Args{Workers: workers, Push: push, Bindings: map[compute.Binding][]exec.Buffer{{}: {{Bytes: places[0]}}, {Set: 1}: {{Bytes: places[1]}}}}}
				if promise && i > 0 {
					a.Repeats, a.Rebound = true, rebound
				}
				must(t, pass.Draw(t.Context(), p, &a))
			}
			must(t, pass.End(t.Context()))
			return c.bytes(0)
		}
		want := picture(false, 1)
		if bytes.Equal(want, blank(t, 70, 40, "R8G8B8A8_UNORM").bytes(0)) {
			t.Errorf("programs %d: nothing is drawn", n)
		}
		for _, workers := range []int{1, 3} {
			if !bytes.Equal(picture(true, workers), want) {
				t.Errorf("programs %d, %d workers: another picture", n, workers)
			}
		}
	}
}
