package state

// Corners returns the vertices of a primitive, without adjacent ones.
func (t Topology) Corners() uint32 {
	switch t {
	case PointList:
		return 1
	case LineList, LineStrip, LineListAdjacency, LineStripAdjacency:
		return 2
	}
	return 3
}

// Vertices returns the vertices of a primitive for a stage that reads primitives, adjacent ones
// included.
func (a *Assembly) Vertices() uint32 {
	switch a.Topology {
	case PointList:
		return 1
	case LineList, LineStrip:
		return 2
	case LineListAdjacency, LineStripAdjacency:
		return 4
	case TriangleListAdjacency, TriangleStripAdjacency:
		return 6
	case PatchList:
		return a.PatchPoints
	}
	return 3
}

// Primitives returns the number of primitives that n vertices form.
func Primitives(t Topology, n uint32) uint32 {
	less := func(m uint32) uint32 { return max(n, m) - m }
	switch t {
	case PointList:
		return n
	case LineList:
		return n / 2
	case LineStrip:
		return less(1)
	case TriangleList:
		return n / 3
	case TriangleStrip, TriangleFan:
		return less(2)
	case LineListAdjacency:
		return n / 4
	case LineStripAdjacency:
		return less(3)
	case TriangleListAdjacency:
		return n / 6
	case TriangleStripAdjacency:
		return less(4) / 2
	}
	return 0
}

// PrimitiveVertices returns the vertices of primitive i, in winding order from the provoking vertex
// (first-vertex convention), their number, and the place of the provoking vertex in the last-vertex
// convention.
func PrimitiveVertices(t Topology, i uint32) (v [3]uint32, n int, last int) {
	odd := i & 1
	switch t {
	case PointList:
		return [3]uint32{i}, 1, 0
	case LineList:
		return [3]uint32{2 * i, 2*i + 1}, 2, 1
	case LineStrip:
		return [3]uint32{i, i + 1}, 2, 1
	case LineListAdjacency:
		return [3]uint32{4*i + 1, 4*i + 2}, 2, 1
	case LineStripAdjacency:
		return [3]uint32{i + 1, i + 2}, 2, 1
	case TriangleList:
		return [3]uint32{3 * i, 3*i + 1, 3*i + 2}, 3, 2
	case TriangleListAdjacency:
		return [3]uint32{6 * i, 6*i + 2, 6*i + 4}, 3, 2
	case TriangleFan:
		return [3]uint32{i + 1, i + 2, 0}, 3, 1
	case TriangleStripAdjacency:
		return [3]uint32{2 * i, 2 * (i + 1 + odd), 2 * (i + 2 - odd)}, 3, int(2 - odd)
	}
	return [3]uint32{i, i + 1 + odd, i + 2 - odd}, 3, int(2 - odd)
}
