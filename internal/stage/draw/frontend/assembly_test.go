package frontend

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// TestAssembly compares the primitives of each topology with the lists of Vulkan
// §"Drawing Commands": vertices in order, the one that provokes first and, where the
// last one does, its number.
func TestAssembly(t *testing.T) {
	const restart = 255
	for _, x := range []struct {
		name  string
		top   enum.Topology
		index []byte
		want  string // vertices and the provoking one where the first does, and the last
	}{
		{"points", enum.TopologyPointList, []byte{5, 6}, "[5]5/5 [6]6/6"},
		{"lines", enum.TopologyLineList, []byte{0, 1, 2, 3, 4}, "[0 1]0/1 [2 3]2/3"},
		{"line strip", enum.TopologyLineStrip, []byte{0, 1, 2, restart, 3, 4}, "[0 1]0/1 [1 2]1/2 [3 4]3/4"},
		{"triangles", enum.TopologyTriangleList, []byte{0, 1, 2, 3, 4, 5, 6}, "[0 1 2]0/2 [3 4 5]3/5"},
		{"triangles restarted", enum.TopologyTriangleList, []byte{0, 1, restart, 3, 4, 5, 6}, "[3 4 5]3/5"},
		{"triangle strip", enum.TopologyTriangleStrip, []byte{0, 1, 2, 3, 4}, "[0 1 2]0/2 [1 3 2]1/3 [2 3 4]2/4"},
		{"triangle strip restarted", enum.TopologyTriangleStrip, []byte{0, 1, 2, 3, restart, restart, 4, 5, 6, restart}, "[0 1 2]0/2 [1 3 2]1/3 [4 5 6]4/6"},
		{"triangle fan", enum.TopologyTriangleFan, []byte{0, 1, 2, 3}, "[1 2 0]1/2 [2 3 0]2/3"},
		{"triangle fan restarted", enum.TopologyTriangleFan, []byte{0, 1, 2, restart, 7, 8, 9}, "[1 2 0]1/2 [8 9 7]8/9"},
		{"lines with adjacency", enum.TopologyLineListWithAdjacency, []byte{0, 1, 2, 3, 4, 5, 6, 7}, "[1 2]1/2 [5 6]5/6"},
		{"line strip with adjacency", enum.TopologyLineStripWithAdjacency, []byte{0, 1, 2, 3, 4}, "[1 2]1/2 [2 3]2/3"},
		{"triangles with adjacency", enum.TopologyTriangleListWithAdjacency, []byte{0, 1, 2, 3, 4, 5}, "[0 2 4]0/4"},
		{"triangle strip with adjacency", enum.TopologyTriangleStripWithAdjacency, []byte{0, 1, 2, 3, 4, 5, 6, 7}, "[0 2 4]0/4 [2 6 4]2/6"},
		{"nothing", enum.TopologyTriangleStrip, nil, ""},
	} {
		var got []string
		first, last := assembled(x.top, x.index, false), assembled(x.top, x.index, true)
		for i := range first {
			got = append(got, first[i]+"/"+last[i][len(last[i])-1:])
		}
		if s := fmt.Sprint(got); s != "["+x.want+"]" {
			t.Errorf("%s: %s; want [%s]", x.name, s, x.want)
		}
	}
}

// TestVertexOrder checks the order of vertices in which a fragment shader numbers them, by both conventions (Vulkan
// §"Barycentric Interpolation", tables of the vertex order).
func TestVertexOrder(t *testing.T) {
	for _, x := range []struct {
		top         enum.Topology
		first, last string
	}{
		{enum.TopologyLineStrip, "[0 1]0 [1 2]1 [2 3]2", "[0 1]1 [1 2]2 [2 3]3"},
		{enum.TopologyTriangleList, "[0 1 2]0", "[0 1 2]2"},
		{enum.TopologyTriangleStrip, "[0 1 2]0 [1 3 2]1", "[0 1 2]2 [2 1 3]3"},
		{enum.TopologyTriangleFan, "[1 2 0]1 [2 3 0]2", "[0 1 2]2 [0 2 3]3"},
		{enum.TopologyTriangleStripWithAdjacency, "[0 2 4]0 [2 6 4]2", "[0 2 4]4 [4 2 6]6"},
	} {
		index := []byte{0, 1, 2, 3, 4, 5, 6, 7}
		if x.top != enum.TopologyTriangleStripWithAdjacency {
			index = index[:4]
		}
		for last, want := range map[bool]string{false: x.first, true: x.last} {
			if got := fmt.Sprint(assembled(x.top, index, last)); got != "["+want+"]" {
				t.Errorf("topology %d, last %t: %s; want %s", x.top, last, got, want)
			}
		}
	}
}

func assembled(top enum.Topology, index []byte, last bool) (list []string) {
	if index == nil {
		index = []byte{}
	}
	a := &state.Args{Index: index, IndexBytes: 1, Count: uint32(len(index)), Instances: 1}
	var m Assembler
	var c chunk
	s := &state.State{Assembly: state.Assembly{Topology: top, Restart: true}}
	s.Rasterization.LastVertex = last
	m.Start(a, nil, s, false)
	for m.fillChunk(&c) {
		for _, p := range c.primitives {
			_, n := state.PrimitiveVertices(top, 0, last)
			var v []uint32
			for _, k := range p.v[:n] {
				v = append(v, c.list[2*k])
			}
			list = append(list, fmt.Sprint(v, c.list[2*p.provoking]))
		}
	}
	for i, s := range list {
		list[i] = s[:len(s)-2] + s[len(s)-1:]
	}
	return list
}

// TestChunks checks that no primitive is lost or changed where a draw has more than a chunk takes, and that each
// vertex is in a chunk once.
func TestChunks(t *testing.T) {
	for _, topology := range []enum.Topology{enum.TopologyPointList, enum.TopologyLineList, enum.TopologyTriangleList, enum.TopologyTriangleStrip, enum.TopologyTriangleFan} {
		for _, last := range []bool{false, true} {
			checkChunks(t, topology, last)
		}
	}
}

func checkChunks(t *testing.T, topology enum.Topology, last bool) {
	a := &state.Args{First: 7, Count: 30001, Instances: 2, FirstInstance: 5}
	var m Assembler
	var c chunk
	s := &state.State{Assembly: state.Assembly{Topology: topology}}
	s.Rasterization.LastVertex = last
	m.Start(a, nil, s, false)
	n, chunks, each := uint32(0), 0, state.Primitives(topology, a.Count)
	for m.fillChunk(&c) {
		chunks++
		seen := map[[2]uint32]bool{}
		for i := 0; i < len(c.list); i += 2 {
			if v := [2]uint32(c.list[i:]); seen[v] {
				t.Fatalf("topology %d: vertex %v is twice in a chunk", topology, v)
			} else {
				seen[v] = true
			}
		}
		for _, p := range c.primitives {
			i, instance := n%each, n/each
			v, corners := state.PrimitiveVertices(topology, i, last)
			for k := range corners {
				if at := c.list[2*p.v[k]:]; at[0] != 7+v[k] || at[1] != 5+instance {
					t.Fatalf("topology %d: primitive %d has vertex %d of instance %d; want %d of %d", topology, n, at[0], at[1], 7+v[k], 5+instance)
				}
			}
			if p.id != i || p.begins != (i == 0) && topology != enum.TopologyTriangleList || last && p.provoking != p.v[corners-1] || !last && p.provoking != p.v[0] {
				t.Fatalf("topology %d: primitive %d is %+v", topology, n, p)
			}
			n++
		}
	}
	if n != 2*each || chunks < 2 {
		t.Errorf("topology %d: %d primitives in %d chunks", topology, n, chunks)
	}
}

// TestIndexedTriangles checks triangles of a list with indices of each size: each vertex has its index plus the vertex offset, and an
// index outside of the index buffer is 0 (Vulkan §"Robust Buffer Access"). The triangles need several chunks.
func TestIndexedTriangles(t *testing.T) {
	const count, base, first = 3*9000 + 2, 11, 3
	r := rand.New(rand.NewPCG(5, 0))
	for _, size := range []uint32{1, 2, 4} {
		index, want := make([]byte, 4*(first+count)+8), make([]uint32, first+count)
		for i := range want {
			v := uint64(r.Uint32N(uint32(min(5000, uint64(1)<<(8*size)-1))))
			binary.LittleEndian.PutUint64(index[i*int(size):], v)
			want[i] = uint32(v)
		}
		for _, missing := range []int{0, 1, 301} {
			checkIndexed(t, &state.Args{Index: index[:(first+count-missing)*int(size)], IndexBytes: size, First: first, Count: count, BaseVertex: base, Instances: 2}, want, missing)
		}
	}
}

func checkIndexed(t *testing.T, a *state.Args, want []uint32, missing int) {
	var m Assembler
	var c chunk
	s := &state.State{Assembly: state.Assembly{Topology: enum.TopologyTriangleList}}
	m.Start(a, nil, s, false)
	n, chunks, each := uint32(0), 0, a.Count/3
	for m.fillChunk(&c) {
		chunks++
		for _, p := range c.primitives {
			i, instance := n%each, n/each
			for k, slot := range p.v {
				v, at := a.First+3*i+uint32(k), c.list[2*slot:]
				index := want[v] + uint32(a.BaseVertex)
				if int(v) >= len(want)-missing {
					index = uint32(a.BaseVertex)
				}
				if at[0] != index || at[1] != instance {
					t.Fatalf("%d bytes: vertex %d of triangle %d is %d of instance %d; must be %d of %d", a.IndexBytes, k, n, at[0], at[1], index, instance)
				}
			}
			if p.id != i || p.begins != (i == 0) || p.provoking != p.v[0] {
				t.Fatalf("%d bytes: triangle %d is %+v", a.IndexBytes, n, p)
			}
			n++
		}
	}
	if n != 2*each || chunks < 2 {
		t.Errorf("%d bytes: %d triangles in %d chunks; must be %d", a.IndexBytes, n, chunks, 2*each)
	}
}
