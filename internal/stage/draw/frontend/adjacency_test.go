package frontend

import (
	"fmt"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// TestParts compares the vertices that a geometry or tessellation control program is
// given of each primitive with the lists of Vulkan §"Drawing Commands": adjacent
// vertices stand behind the corners whose edges they are at.
func TestParts(t *testing.T) {
	for _, x := range []struct {
		top   enum.Topology
		count uint32
		want  string
	}{
		{enum.TopologyPointList, 2, "[[0 0] [1 1]]"},
		{enum.TopologyLineStrip, 3, "[[0 0 1] [1 1 2]]"},
		{enum.TopologyTriangleStrip, 5, "[[0 0 1 2] [1 1 3 2] [2 2 3 4]]"},
		{enum.TopologyTriangleFan, 4, "[[0 1 2 0] [1 2 3 0]]"},
		{enum.TopologyLineListWithAdjacency, 9, "[[0 0 1 2 3] [1 4 5 6 7]]"},
		{enum.TopologyLineStripWithAdjacency, 5, "[[0 0 1 2 3] [1 1 2 3 4]]"},
		{enum.TopologyTriangleListWithAdjacency, 12, "[[0 0 1 2 3 4 5] [1 6 7 8 9 10 11]]"},
		{enum.TopologyTriangleStripWithAdjacency, 5, "[]"},
		{enum.TopologyTriangleStripWithAdjacency, 7, "[[0 0 1 2 5 4 3]]"},
		{enum.TopologyTriangleStripWithAdjacency, 8, "[[0 0 1 2 6 4 3] [1 2 5 6 7 4 0]]"},
		{enum.TopologyTriangleStripWithAdjacency, 10, "[[0 0 1 2 6 4 3] [1 2 5 6 8 4 0] [2 4 2 6 9 8 7]]"},
		{enum.TopologyPatchList, 12, "[[0 0 1 2 3 4] [1 5 6 7 8 9]]"},
	} {
		s := &state.State{Assembly: state.Assembly{Topology: x.top, PatchPoints: 5}}
		var m Assembler
		var c chunk
		m.Start(&state.Args{Count: x.count, Instances: 1}, s, true)
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
		if got := fmt.Sprint(list); got != x.want {
			t.Errorf("topology %d, %d vertices: %s; want %s", x.top, x.count, got, x.want)
		}
	}
}
