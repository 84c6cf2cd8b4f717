package state

import "github.com/chiaro-gpu/chiaro/enum"

// Corners returns the vertices of a primitive of a topology, without adjacent ones.
func Corners(t enum.Topology) uint32 {
	switch t {
	case enum.TopologyPointList:
		return 1
	case enum.TopologyLineList, enum.TopologyLineStrip, enum.TopologyLineListWithAdjacency, enum.TopologyLineStripWithAdjacency:
		return 2
	}
	return 3
}

// Vertices returns the vertices of a primitive for a stage that reads primitives, adjacent ones
// included.
func (a *Assembly) Vertices() uint32 {
	switch a.Topology {
	case enum.TopologyPointList:
		return 1
	case enum.TopologyLineList, enum.TopologyLineStrip:
		return 2
	case enum.TopologyLineListWithAdjacency, enum.TopologyLineStripWithAdjacency:
		return 4
	case enum.TopologyTriangleListWithAdjacency, enum.TopologyTriangleStripWithAdjacency:
		return 6
	case enum.TopologyPatchList:
		return a.PatchPoints
	}
	return 3
}

// Primitives returns the number of primitives that n vertices form.
func Primitives(t enum.Topology, n uint32) uint32 {
	less := func(m uint32) uint32 { return max(n, m) - m }
	switch t {
	case enum.TopologyPointList:
		return n
	case enum.TopologyLineList:
		return n / 2
	case enum.TopologyLineStrip:
		return less(1)
	case enum.TopologyTriangleList:
		return n / 3
	case enum.TopologyTriangleStrip, enum.TopologyTriangleFan:
		return less(2)
	case enum.TopologyLineListWithAdjacency:
		return n / 4
	case enum.TopologyLineStripWithAdjacency:
		return less(3)
	case enum.TopologyTriangleListWithAdjacency:
		return n / 6
	case enum.TopologyTriangleStripWithAdjacency:
		return less(4) / 2
	}
	return 0
}

// PrimitiveVertices returns the vertices of primitive i, in winding order from the provoking vertex
// (first-vertex convention), their number, and the place of the provoking vertex in the last-vertex
// convention.
func PrimitiveVertices(t enum.Topology, i uint32) (v [3]uint32, n int, last int) {
	odd := i & 1
	switch t {
	case enum.TopologyPointList:
		return [3]uint32{i}, 1, 0
	case enum.TopologyLineList:
		return [3]uint32{2 * i, 2*i + 1}, 2, 1
	case enum.TopologyLineStrip:
		return [3]uint32{i, i + 1}, 2, 1
	case enum.TopologyLineListWithAdjacency:
		return [3]uint32{4*i + 1, 4*i + 2}, 2, 1
	case enum.TopologyLineStripWithAdjacency:
		return [3]uint32{i + 1, i + 2}, 2, 1
	case enum.TopologyTriangleList:
		return [3]uint32{3 * i, 3*i + 1, 3*i + 2}, 3, 2
	case enum.TopologyTriangleListWithAdjacency:
		return [3]uint32{6 * i, 6*i + 2, 6*i + 4}, 3, 2
	case enum.TopologyTriangleFan:
		return [3]uint32{i + 1, i + 2, 0}, 3, 1
	case enum.TopologyTriangleStripWithAdjacency:
		return [3]uint32{2 * i, 2 * (i + 1 + odd), 2 * (i + 2 - odd)}, 3, int(2 - odd)
	}
	return [3]uint32{i, i + 1 + odd, i + 2 - odd}, 3, int(2 - odd)
}
