package draw_test

import (
	"bytes"
	"encoding/binary"
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
)

// keepText is a vertex program that stores the four components of location 0, as T,
// with VertexIndex, InstanceIndex, BaseVertex and BaseInstance for each vertex, one
// behind the other in the order of VertexIndex less 3.
const keepText = `
program "keep" vertex
subgroup 16
local 1 1 1
in vertexindex i32 0
in instanceindex i32 0
in basevertex i32 0
in baseinstance i32 0
in location T 0
in location T 1
in location T 2
in location T 3
res storage 0 0 count 1
func "main"() L1 {
	v1 = in.i32 #0
	v2 = in.i32 #1
	v3 = in.i32 #2
	v4 = in.i32 #3
	v5 = in.T #4
	v6 = in.T #5
	v7 = in.T #6
	v8 = in.T #7
	v9 = res 0:i32, #0
	v10 = sub.i32 v1, 3:i32
	v11 = mul.i32 v10, 4:i32
	v12 = add.i32 v11, v2
	v13 = at 0:i32, v12, #32
	st.T v9, v13, v5, #0
	st.T v9, v13, v6, #4
	st.T v9, v13, v7, #8
	st.T v9, v13, v8, #12
	st.i32 v9, v13, v1, #16
	st.i32 v9, v13, v2, #20
	st.i32 v9, v13, v3, #24
	st.i32 v9, v13, v4, #28
}`

// vertexFormats are the names of the formats of one texel that vertices may have.
func vertexFormats() (list []string) {
	for id := range uint32(200) {
		f := format.ByID(id)
		if f == nil || f.Aspects != format.Color || f.Compressed || f.Planes > 0 || f.Wide || strings.Contains(f.Name, "422") || strings.Contains(f.Name, "SRGB") {
			continue
		}
		if x, ok := format.ByName(f.Name); ok && !x.Has(format.E) {
			list = append(list, f.Name)
		}
	}
	return list
}

// TestVertexFormats reads attributes of all formats and compares them with what
// format.Codec reads, and those behind the end of the buffer with zeros.
func TestVertexFormats(t *testing.T) {
	r := rand.New(rand.NewSource(12))
	list := vertexFormats()
	if len(list) < 100 {
		t.Fatalf("only %d formats", len(list))
	}
	for _, name := range list {
		f, _ := format.ByName(name)
		code, _ := f.Codec(format.Color)
		kind := "f32"
		if code.Sampled != format.Float {
			kind = "i32"
		}
		const vertices, offset = 5, 3
		stride := f.Bytes + 5
		data := make([]byte, (3+vertices)*stride)
		r.Read(data)
		for _, e := range engines() {
			out := make([]byte, 32*4*(vertices+2))
			p := parse(t, strings.ReplaceAll(keepText, "T", kind), 0)
			c := blank(t, 1, 1, "R8_UNORM")
			s := full(c)
			s.Rasterization.Discard, s.Assembly.Topology = true, enum.TopologyPointList
			s.Vertex = state.VertexInput{Bindings: []state.VertexBinding{{Binding: 4, Stride: uint32(stride)}},
				Attributes: []state.VertexAttribute{{Location: 0, Binding: 4, Format: name, Offset: offset}}}
			paint(t, e, draw.Stages{Vertex: p}, s, c, state.Args{First: 3, Count: vertices,
				VertexBuffers: []exec.Buffer{4: {Bytes: data[:(3+vertices)*stride-stride+offset]}},
				Shader:        compute.Args{Bindings: map[compute.Binding][]exec.Buffer{{}: {{Bytes: out}}}}})
			for i := range vertices {
				texel := make([]byte, f.Bytes)
				if i < vertices-1 {
					copy(texel, data[(3+i)*stride+offset:])
				}
				want := code.Load(texel)
				for k := range want {
					if got := binary.LittleEndian.Uint32(out[128*i+4*k:]); got != uint32(want[k]) && !nans(kind, got, uint32(want[k])) {
						t.Errorf("%s, %s: vertex %d, component %d is %x; want %x", e.Name(), name, i, k, got, want[k])
					}
				}
			}
		}
	}
}

func nans(kind string, x, y uint32) bool {
	return kind == "f32" && math.IsNaN(float64(math.Float32frombits(x))) && math.IsNaN(float64(math.Float32frombits(y)))
}

// TestPartialAttributes reads attributes that end with, or some bytes after, their buffer: those that are not
// wholly inside are 0, and (0, 0, 1) for the components that the format lacks (Vulkan §"Vertex Input
// Extraction", §"Robust Buffer Access 2").
func TestPartialAttributes(t *testing.T) {
	for _, name := range []string{"R8_UNORM", "R8G8B8_UNORM", "R16G16B16A16_SFLOAT", "R32G32_SFLOAT", "R32G32B32A32_SFLOAT", "A2B10G10R10_UNORM_PACK32"} {
		f, _ := format.ByName(name)
		code, _ := f.Codec(format.Color)
		const offset = 4
		data := bytes.Repeat([]byte{0x3c}, 5*offset+f.Bytes)
		for lack := range f.Bytes + 1 {
			texel := data[len(data)-f.Bytes:]
			if lack > 0 {
				texel = make([]byte, f.Bytes)
			}
			want := code.Load(texel)
			for _, e := range engines() {
				out := make([]byte, 32*4)
				s := full(blank(t, 1, 1, "R8_UNORM"))
				s.Rasterization.Discard, s.Assembly.Topology = true, enum.TopologyPointList
				s.Vertex = state.VertexInput{Bindings: []state.VertexBinding{{Stride: 4}}, Attributes: []state.VertexAttribute{{Format: name, Offset: 2 * offset}}}
				paint(t, e, draw.Stages{Vertex: parse(t, strings.ReplaceAll(keepText, "T", "f32"), 0)}, s, blank(t, 1, 1, "R8_UNORM"),
					state.Args{First: 3, Count: 1, VertexBuffers: []exec.Buffer{{Bytes: data[:len(data)-lack]}},
						Shader: compute.Args{Bindings: map[compute.Binding][]exec.Buffer{{}: {{Bytes: out}}}}})
				for k := range want {
					if got := binary.LittleEndian.Uint32(out[4*k:]); got != uint32(want[k]) {
						t.Errorf("%s, %s without %d bytes: component %d is %x; want %x", e.Name(), name, lack, k, got, want[k])
					}
				}
			}
		}
	}
}

// TestWideAttributes reads an attribute of four doubles, in two locations, and two of two doubles, in one each
// (Vulkan §"Vertex Input Description").
func TestWideAttributes(t *testing.T) {
	text := strings.NewReplacer("in location T 0", "in location f64 0", "in location T 1", "in location f64 2", "in location T 2", "in location f64 4", "in location T 3", "in location f64 6",
		"in.T", "in.f64", "st.T v9, v13, v5, #0", "st.f64 v9, v13, v5, #0", "st.T v9, v13, v6, #4", "st.f64 v9, v13, v6, #8",
		"st.T v9, v13, v7, #8", "st.f64 v9, v13, v7, #16", "st.T v9, v13, v8, #12", "st.f64 v9, v13, v8, #24").Replace(strip(keepText, "st.i32"))
	data := make([]byte, 4*32)
	rand.New(rand.NewSource(13)).Read(data)
	for _, attributes := range [][]state.VertexAttribute{
		{{Format: "R64G64B64A64_SFLOAT"}},
		{{Format: "R64G64_SFLOAT"}, {Location: 1, Format: "R64G64_SFLOAT", Offset: 16}},
		{{Location: 1, Format: "R64G64_SFLOAT", Offset: 16}, {Format: "R64G64_SFLOAT"}},
	} {
		for _, e := range engines() {
			out := make([]byte, 128)
			c := blank(t, 1, 1, "R8_UNORM")
			s := full(c)
			s.Rasterization.Discard, s.Assembly.Topology = true, enum.TopologyPointList
			s.Vertex = state.VertexInput{Bindings: []state.VertexBinding{{Stride: 32}}, Attributes: attributes}
			paint(t, e, draw.Stages{Vertex: parse(t, text, 0)}, s, c, state.Args{First: 3, Count: 1, VertexBuffers: []exec.Buffer{{Bytes: data}},
				Shader: compute.Args{Bindings: map[compute.Binding][]exec.Buffer{{}: {{Bytes: out}}}}})
			if !bytes.Equal(out[:32], data[96:]) {
				t.Errorf("%s, %v: %x; want %x", e.Name(), attributes, out[:32], data[96:])
			}
		}
	}
}

// TestInstances draws instances with indices of each size, a base and divisors: what
// vertices are told is what the specification says (Vulkan §"Vertex Input Address
// Calculation", VkVertexInputBindingDivisorDescription).
func TestInstances(t *testing.T) {
	indices := []uint32{4, 3, 5, 4, 6}
	for _, size := range []uint32{0, 1, 2, 4} {
		for _, divisor := range []uint32{0, 1, 2} {
			for _, e := range engines() {
				t.Run(fmt.Sprintf("%s/%d/%d", e.Name(), size, divisor), func(t *testing.T) { testInstances(t, e, indices, size, divisor) })
			}
		}
	}
}

func testInstances(t *testing.T, e exec.Engine, indices []uint32, size, divisor uint32) {
	const instances, firstInstance = 3, 1
	a := state.Args{First: 3, Count: 4, Instances: instances, FirstInstance: firstInstance}
	base := uint32(3)
	if size > 0 {
		a.First, a.Count, a.IndexBytes, a.BaseVertex = 1, uint32(len(indices))-1, size, -1
		base = uint32(1<<32 - 1)
		a.Index = []byte{}
		for _, n := range indices {
			a.Index = append(a.Index, binary.LittleEndian.AppendUint32(nil, n+1)[:size]...)
		}
	}
	data := floats(0, 1, 2, 3, 4, 5, 6, 7)
	a.VertexBuffers = []exec.Buffer{{Bytes: data}}
	out := make([]byte, 32*4*8)
	a.Shader.Bindings = map[compute.Binding][]exec.Buffer{{}: {{Bytes: out}}}
	c := blank(t, 1, 1, "R8_UNORM")
	s := full(c)
	s.Rasterization.Discard = true
	s.Assembly.Topology = enum.TopologyPointList
	s.Vertex = state.VertexInput{Bindings: []state.VertexBinding{{Stride: 4, Instance: true, Divisor: divisor}}, Attributes: []state.VertexAttribute{{Format: "R32_SFLOAT"}}}
	paint(t, e, draw.Stages{Vertex: parse(t, strings.ReplaceAll(keepText, "T", "f32"), 0)}, s, c, a)
	drawn := map[uint32]bool{3: true, 4: true, 5: true, 6: true}
	for v := uint32(3); v < 8; v++ {
		for i := uint32(0); i < instances; i++ {
			instance := firstInstance + i
			got := out[32*(4*(v-3)+instance):][:32]
			n := uint32(firstInstance)
			if divisor > 0 {
				n += i / divisor
			}
			want := append(floats(float32(n), 0, 0, 1), words(v, instance, base, firstInstance)...)
			if !drawn[v] {
				want = make([]byte, 32)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("vertex %d, instance %d: %x; want %x", v, instance, got, want)
			}
		}
	}
}

func words(list ...uint32) (b []byte) {
	for _, w := range list {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// TestVertexRobustness: the bytes after the range of a vertex buffer are (0, 0, 0, 1) unless robustness permits them
// (Vulkan §"Robust Buffer Access"). The vertex stage's own robustness replaces the other.
func TestVertexRobustness(t *testing.T) {
	levels := []exec.Robustness{exec.Strict, exec.Robust2, exec.Robust, exec.NotRobust}
	for _, level := range levels {
		for _, own := range append(levels, 99) {
			a := compute.Args{Robustness: compute.Robustness{Vertex: level}}
			applies := level
			if own != 99 {
				a.StageRobustness, applies = map[ir.Stage]*compute.Robustness{ir.Vertex: {Vertex: own}}, own
			}
			want := 8
			if applies >= exec.Robust {
				want = 24
			}
			if got := a.VertexInput(exec.Buffer{Bytes: make([]byte, 24), Beyond: 16}); len(got.Bytes) != want || cap(got.Bytes) != want && want == 8 {
				t.Errorf("level %s, own %d: %d bytes of a range of 8; want %d", level, own, len(got.Bytes), want)
			}
		}
	}
	a := compute.Args{}
	if got := a.VertexInput(exec.Buffer{Bytes: make([]byte, 4), Beyond: 8}); len(got.Bytes) != 4 {
		t.Errorf("a buffer with an invalid range has %d bytes", len(got.Bytes))
	}
}
