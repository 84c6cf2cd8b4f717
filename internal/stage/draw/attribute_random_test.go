package draw_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// attributeCase is random attributes, inputs of a vertex shader, and their values.
type attributeCase struct {
	attributes []state.VertexAttribute
	inputs     []string // "TYPE INDEX", in units of 32 bits from location 0 on
	want       []byte   // of one vertex, each in 8 bytes
}

// randomAttributes makes attributes of random formats in one binding with data as its first element. A format of 64 bits with three or four
// components takes two locations, each other one (Vulkan, VkVertexInputAttributeDescription, "Location Assignment"). Some locations have no
// attribute: an input reads (0, 0, 0, 1) there.
func randomAttributes(r *rand.Rand, data []byte) (c attributeCase) {
	names := append(vertexFormats(), "R64_SFLOAT", "R64G64_SFLOAT", "R64G64B64_SFLOAT", "R64G64B64A64_SFLOAT")
	add := func(kind string, index uint32, value uint64) {
		c.inputs = append(c.inputs, fmt.Sprintf("%s %d", kind, index))
		c.want = binary.LittleEndian.AppendUint64(c.want, value)
	}
	for location := range uint32(12) {
		if len(c.attributes) > 0 {
			last := c.attributes[len(c.attributes)-1]
			if last.Location+1 == location && format.InfoByName(last.Format).Bytes > 16 {
				continue
			}
		}
		name := names[r.IntN(len(names))]
		if r.IntN(3) == 0 {
			name = names[len(names)-1-r.IntN(4)]
		}
		f := format.InfoByName(name)
		switch k := r.IntN(4); {
		case k == 0: // without an attribute
			for n := range uint32(4) {
				add("i32", 4*location+n, uint64(n/3))
			}
			continue
		case k == 1:
			continue // not read
		}
		a := state.VertexAttribute{Location: location, Format: name, Offset: 8 * uint32(r.IntN((len(data)-f.Bytes)/8))}
		c.attributes = append(c.attributes, a)
		texel := data[a.Offset:][:f.Bytes]
		if strings.HasPrefix(name, "R64") {
			for n := range f.Bytes / 8 {
				add("f64", 4*location+2*uint32(n), binary.LittleEndian.Uint64(texel[8*n:]))
			}
			continue
		}
		one, _ := format.ByName(name)
		code, _ := one.Codec(format.Color)
		kind := "f32"
		if code.Sampled != format.Float {
			kind = "i32"
		}
		value := code.Load(texel)
		for _, n := range r.Perm(4)[:1+r.IntN(4)] {
			add(kind, 4*location+uint32(n), uint64(uint32(value[n])))
		}
	}
	r.Shuffle(len(c.attributes), func(i, j int) { c.attributes[i], c.attributes[j] = c.attributes[j], c.attributes[i] })
	return c
}

// program returns a vertex shader: it stores the inputs, each to 8 bytes.
func (c *attributeCase) program() string {
	var b, code strings.Builder
	b.WriteString("program \"attributes\" vertex\nsubgroup 16\nlocal 1 1 1\n")
	for i, in := range c.inputs {
		kind, _, _ := strings.Cut(in, " ")
		fmt.Fprintf(&b, "in location %s\n", in)
		fmt.Fprintf(&code, "\tv%[1]d = in.%[2]s #%[3]d\n\tst.%[2]s v1, 0:i32, v%[1]d, #%[4]d\n", i+2, kind, i, 8*i)
	}
	return b.String() + "res storage 0 0 count 1\nfunc \"main\"() L1 {\n\tv1 = res 0:i32, #0\n" + code.String() + "}"
}

// TestRandomAttributes reads random attributes. CHIARO_LONG makes more.
func TestRandomAttributes(t *testing.T) {
	rounds := uint64(40)
	if os.Getenv("CHIARO_LONG") != "" {
		rounds = 4000
	}
	for seed := range rounds {
		r := rand.New(rand.NewPCG(seed, 5))
		data := make([]byte, 256)
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		x := randomAttributes(r, data)
		if len(x.inputs) == 0 {
			continue
		}
		for _, e := range engines() {
			out := make([]byte, len(x.want))
			c := blank(t, 1, 1, "R8_UNORM")
			s := full(c)
			s.Rasterization.Discard, s.Assembly.Topology = true, enum.TopologyPointList
			s.Vertex = state.VertexInput{Bindings: []state.VertexBinding{{Stride: uint32(len(data))}}, Attributes: x.attributes}
			paint(t, e, draw.Stages{Vertex: parse(t, x.program(), 0)}, s, c, state.Args{Count: 1, VertexBuffers: []exec.Buffer{{Bytes: data}},
				Shader: compute.Args{Bindings: map[compute.Binding][]exec.Buffer{{}: {{Bytes: out}}}}})
			for i, in := range x.inputs {
				got, want := binary.LittleEndian.Uint64(out[8*i:]), binary.LittleEndian.Uint64(x.want[8*i:])
				if got != want && !nans(in[:3], uint32(got), uint32(want)) {
					t.Errorf("seed %d, %s, %v: input %s is %x; want %x", seed, e.Name(), x.attributes, in, got, want)
				}
			}
		}
	}
}
