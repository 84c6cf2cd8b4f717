package frontend

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// TestInstanceChunks compares the primitives of draws with instances with those of a draw of one instance, again for each instance
// (Vulkan §"Programmable Primitive Shading": instances are drawn in order, and only InstanceIndex differs). Two workers
// take chunks in turn, and the lists stay from draw to draw.
func TestInstanceChunks(t *testing.T) {
	type corner struct{ index, instance uint32 }
	type shape struct {
		v         [3]corner
		provoking corner
		id        uint32
		begins    bool
	}
	indices := func(n, different uint32) (b []byte) {
		for i := range n {
			b = binary.LittleEndian.AppendUint16(b, uint16(i*7%different))
		}
		return b
	}
	strips := indices(9000, 5000)
	for i := 40; i < len(strips); i += 400 {
		strips[i], strips[i+1] = 255, 255
	}
	var lists [2][]*chunk
	var m, one Assembler
	for _, x := range []struct {
		name string
		a    state.Args
		s    state.Assembly
	}{
		{"one triangle", state.Args{Count: 3}, state.Assembly{Topology: enum.TopologyTriangleList}},
		{"small", state.Args{Count: 6 * 30, Index: indices(6*30, 31), IndexBytes: 2}, state.Assembly{Topology: enum.TopologyTriangleList}},
		{"chunks of 1.5 instances", state.Args{Count: 3 * 2700, Index: indices(3*2700, 3000), IndexBytes: 2, BaseVertex: 5}, state.Assembly{Topology: enum.TopologyTriangleList}},
		{"a little over a chunk", state.Args{Count: 3 * 4097, Index: indices(3*4097, 1200), IndexBytes: 2}, state.Assembly{Topology: enum.TopologyTriangleList}},
		{"several chunks", state.Args{Count: 3*10000 + 2, First: 9}, state.Assembly{Topology: enum.TopologyTriangleList}},
		{"many vertices", state.Args{Count: 3 * 4000, Index: indices(3*4000, 12000), IndexBytes: 2}, state.Assembly{Topology: enum.TopologyTriangleList}},
		{"indices end early", state.Args{Count: 3 * 500, Index: indices(700, 100), IndexBytes: 2}, state.Assembly{Topology: enum.TopologyTriangleList}},
		{"strips", state.Args{Count: 9000, Index: strips, IndexBytes: 2}, state.Assembly{Topology: enum.TopologyTriangleStrip, Restart: true}},
		{"lines", state.Args{Count: 9001}, state.Assembly{Topology: enum.TopologyLineList}},
		{"a fan", state.Args{Count: 300}, state.Assembly{Topology: enum.TopologyTriangleFan}},
		{"more chunks than are kept", state.Args{Count: 3 * 2720 * 20}, state.Assembly{Topology: enum.TopologyTriangleList}},
		{"nothing", state.Args{Count: 2}, state.Assembly{Topology: enum.TopologyTriangleList}},
	} {
		for _, instances := range []uint32{2, 3, 7, 30} {
			if instances*x.a.Count > 1e6 {
				continue
			}
			for most := 1; most <= 8; most += 7 {
				x.a.Instances, x.a.FirstInstance = instances, 11
				s := &state.State{Assembly: x.s}
				shapes := func(to []shape, c *chunk) []shape {
					at := func(n uint32) corner { return corner{c.list[2*n], c.list[2*n+1]} }
					for _, p := range c.primitives {
						x := shape{provoking: at(p.provoking), id: p.id, begins: p.begins}
						for k := range state.Corners(s.Assembly.Topology) {
							x.v[k] = at(p.v[k])
						}
						to = append(to, x)
					}
					return to
				}
				var got, want []shape
				m.Start(&x.a, s, false)
				for i := 0; ; i++ {
					list := m.Fill(lists[i%2], most)
					if len(list) == 0 {
						break
					}
					for _, c := range list {
						got = shapes(got, c)
					}
					lists[i%2] = list
				}
				vertices := uint64(0)
				for n := range instances {
					a := x.a
					a.Instances, a.FirstInstance = 1, 11+n
					one.Start(&a, s, false)
					for {
						list := one.Fill(nil, 1)
						if len(list) == 0 {
							break
						}
						want = shapes(want, list[0])
					}
					vertices += one.InputVertices
				}
				name := fmt.Sprintf("%s, %d instances, %d chunks at once", x.name, instances, most)
				if len(got) != len(want) || m.InputVertices != vertices && len(want) > 0 {
					t.Fatalf("%s: %d primitives of %d vertices; want %d of %d", name, len(got), m.InputVertices, len(want), vertices)
				}
				for i := range want {
					if got[i] != want[i] {
						t.Fatalf("%s: primitive %d is %v; want %v", name, i, got[i], want[i])
					}
				}
			}
		}
	}
}

// TestInstanceChunksRepeat demands that chunks of later instances keep their primitives.
func TestInstanceChunksRepeat(t *testing.T) {
	const mark = 1 << 30
	var m Assembler
	var list []*chunk
	a := state.Args{Count: 3 * 10000, Instances: 20}
	m.Start(&a, &state.State{Assembly: state.Assembly{Topology: enum.TopologyTriangleList}}, false)
	n := 0
	for {
		if list = m.Fill(list, 3); len(list) == 0 {
			break
		}
		for _, c := range list {
			if c.content.draw != m.draw || len(c.primitives) == 0 {
				t.Fatalf("chunk %d: its content is unknown", n)
			}
			// From here on a chunk that is assembled again has other numbers.
			if n < 16 { // the chunks of four instances; one that is assembled again would lose the mark
				c.primitives[0].id |= mark
			} else if c.primitives[0].id&mark == 0 {
				t.Fatalf("chunk %d is assembled again", n)
			}
			n++
		}
	}
	if n != 80 {
		t.Errorf("%d chunks; want 80", n)
	}
}
