package draw

import (
	"fmt"
	"testing"
)

// TestParts compares the vertices that a geometry or tessellation control program is
// given of each primitive with the lists of Vulkan §"Drawing Commands": adjacent
// vertices stand behind the corners whose edges they are at.
func TestParts(t *testing.T) {
	for _, x := range []struct {
		top   Topology
		count uint32
		want  string
	}{
		{PointList, 2, "[[0 0] [1 1]]"},
		{LineStrip, 3, "[[0 0 1] [1 1 2]]"},
		{TriangleStrip, 5, "[[0 0 1 2] [1 1 3 2] [2 2 3 4]]"},
		{TriangleFan, 4, "[[0 1 2 0] [1 2 3 0]]"},
		{LineListAdjacency, 9, "[[0 0 1 2 3] [1 4 5 6 7]]"},
		{LineStripAdjacency, 5, "[[0 0 1 2 3] [1 1 2 3 4]]"},
		{TriangleListAdjacency, 12, "[[0 0 1 2 3 4 5] [1 6 7 8 9 10 11]]"},
		{TriangleStripAdjacency, 5, "[]"},
		{TriangleStripAdjacency, 7, "[[0 0 1 2 5 4 3]]"},
		{TriangleStripAdjacency, 8, "[[0 0 1 2 6 4 3] [1 2 5 6 7 4 0]]"},
		{TriangleStripAdjacency, 10, "[[0 0 1 2 6 4 3] [1 2 5 6 8 4 0] [2 4 2 6 9 8 7]]"},
		{PatchList, 12, "[[0 0 1 2 3 4] [1 5 6 7 8 9]]"},
	} {
		s := &State{Assembly: Assembly{Topology: x.top, PatchPoints: 5}}
		var m assembler
		var c chunk
		m.start(&Args{Count: x.count, Instances: 1}, s, true)
		list := [][]uint32{}
		for m.next(&c) {
			for n := int(m.each) + 1; len(c.parts) > 0; c.parts = c.parts[n:] {
				one := []uint32{c.parts[0]}
				for _, v := range c.parts[1:n] {
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
