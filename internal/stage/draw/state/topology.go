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

// PrimitiveVertices returns the vertices of primitive i and their number, in winding order. The provoking vertex is the first
// one, with last the last one (Vulkan §"Barycentric Interpolation", tables of the vertex order).
func PrimitiveVertices(t enum.Topology, i uint32, last bool) (v [3]uint32, n int) {
	odd := i & 1
	switch t {
	case enum.TopologyPointList:
		return [3]uint32{i}, 1
	case enum.TopologyLineList:
		return [3]uint32{2 * i, 2*i + 1}, 2
	case enum.TopologyLineStrip:
		return [3]uint32{i, i + 1}, 2
	case enum.TopologyLineListWithAdjacency:
		return [3]uint32{4*i + 1, 4*i + 2}, 2
	case enum.TopologyLineStripWithAdjacency:
		return [3]uint32{i + 1, i + 2}, 2
	case enum.TopologyTriangleList:
		return [3]uint32{3 * i, 3*i + 1, 3*i + 2}, 3
	case enum.TopologyTriangleListWithAdjacency:
		return [3]uint32{6 * i, 6*i + 2, 6*i + 4}, 3
	case enum.TopologyTriangleFan:
		if last {
			return [3]uint32{0, i + 1, i + 2}, 3
		}
		return [3]uint32{i + 1, i + 2, 0}, 3
	}
	if v = [3]uint32{i, i + 1 + odd, i + 2 - odd}; last && odd == 1 { // of a strip
		v = [3]uint32{i + 1, i, i + 2}
	}
	if t == enum.TopologyTriangleStripWithAdjacency { // every second vertex is adjacent
		v = [3]uint32{2 * v[0], 2 * v[1], 2 * v[2]}
	}
	return v, 3
}
