package frontend

import (
	"fmt"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// TestParts compares the vertices that a geometry or tessellation control program is
// given of each primitive with the lists of Vulkan §"Drawing Commands": an adjacent
// vertex follows the corner that begins its edge. If the provoking vertex is the last
// one, a triangle is rotated so that it ends with its provoking corner, as in OpenGL.
func TestParts(t *testing.T) {
	for _, x := range []struct {
		top   enum.Topology
		count uint32
		want  string
		last  string // with the last-vertex convention, if it differs
	}{
		{enum.TopologyPointList, 2, "[[0 0] [1 1]]", ""},
		{enum.TopologyLineStrip, 3, "[[0 0 1] [1 1 2]]", ""},
		{enum.TopologyTriangleList, 6, "[[0 0 1 2] [1 3 4 5]]", ""},
		{enum.TopologyTriangleStrip, 5, "[[0 0 1 2] [1 1 3 2] [2 2 3 4]]", "[[0 0 1 2] [1 2 1 3] [2 2 3 4]]"},
		{enum.TopologyTriangleFan, 4, "[[0 1 2 0] [1 2 3 0]]", "[[0 0 1 2] [1 0 2 3]]"},
		{enum.TopologyLineListWithAdjacency, 9, "[[0 0 1 2 3] [1 4 5 6 7]]", ""},
		{enum.TopologyLineStripWithAdjacency, 5, "[[0 0 1 2 3] [1 1 2 3 4]]", ""},
		{enum.TopologyTriangleListWithAdjacency, 12, "[[0 0 1 2 3 4 5] [1 6 7 8 9 10 11]]", ""},
		{enum.TopologyTriangleStripWithAdjacency, 5, "[]", ""},
		{enum.TopologyTriangleStripWithAdjacency, 7, "[[0 0 1 2 5 4 3]]", ""},
		{enum.TopologyTriangleStripWithAdjacency, 8, "[[0 0 1 2 6 4 3] [1 2 5 6 7 4 0]]", "[[0 0 1 2 6 4 3] [1 4 0 2 5 6 7]]"},
		{enum.TopologyTriangleStripWithAdjacency, 10, "[[0 0 1 2 6 4 3] [1 2 5 6 8 4 0] [2 4 2 6 9 8 7]]", "[[0 0 1 2 6 4 3] [1 4 0 2 5 6 8] [2 4 2 6 9 8 7]]"},
		{enum.TopologyPatchList, 12, "[[0 0 1 2 3 4] [1 5 6 7 8 9]]", ""},
	} {
		if x.last == "" {
			x.last = x.want
		}
		for last, want := range map[bool]string{false: x.want, true: x.last} {
			s := &state.State{Assembly: state.Assembly{Topology: x.top, PatchPoints: 5}, Rasterization: state.Rasterization{LastVertex: last}}
			if got := fmt.Sprint(tuples(s, x.count)); got != want {
				t.Errorf("topology %d, %d vertices, last %t: %s; want %s", x.top, x.count, last, got, want)
			}
		}
	}
}

// tuples assembles a draw of n vertices and returns the number and the vertices of each primitive.
func tuples(s *state.State, n uint32) [][]uint32 {
	var m Assembler
	var c chunk
	m.Start(&state.Args{Count: n, Instances: 1}, nil, s, true)
	list := [][]uint32{}
	for m.fillChunk(&c) {
		for n := int(m.tupleVertices) + 1; len(c.tuples) > 0; c.tuples = c.tuples[n:] {
			one := []uint32{c.tuples[0]}
			for _, v := range c.tuples[1:n] {
				one = append(one, c.list[2*v])
			}
			list = append(list, one)
		}
	}
	return list
}
