package draw

// vertices returns how many vertices a primitive has for a stage that reads
// primitives: adjacent ones are among them.
func (a *Assembly) vertices() uint32 {
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

// primitives returns how many primitives n vertices make.
func (m *assembler) primitives(n uint32) uint32 {
	if m.topology == PatchList {
		return n / m.patch
	}
	return primitivesOf(m.topology, n)
}

// whole adds all vertices of primitive i of the strip to the chunk's parts.
func (m *assembler) whole(c *chunk, i uint32) {
	c.parts = append(c.parts, m.id)
	add := func(n uint32) { c.parts = append(c.parts, m.vertex(c, m.begin+n)) }
	switch m.topology {
	case PatchList, LineListAdjacency, TriangleListAdjacency:
		for k := range m.each {
			add(m.each*i + k)
		}
	case LineStripAdjacency:
		for k := range m.each {
			add(i + k)
		}
	case TriangleStripAdjacency:
		for _, n := range adjacent(i, m.primitives(m.end-m.begin)) {
			add(n)
		}
	default:
		v, n, _ := corners(m.topology, i)
		for _, k := range v[:n] {
			add(k)
		}
	}
}

// adjacent returns the vertices of triangle i of n in a strip with adjacency: each
// corner and then what is adjacent to the edge behind it (Vulkan §"Triangle Strips With
// Adjacency").
func adjacent(i, n uint32) [6]uint32 {
	before, ahead := 2*i-2, 2*i+6
	if i == 0 {
		before = 1
	}
	if i == n-1 {
		ahead = 2*i + 5
	}
	if i%2 == 0 {
		return [6]uint32{2 * i, before, 2*i + 2, ahead, 2*i + 4, 2*i + 3}
	}
	return [6]uint32{2 * i, 2*i + 3, 2*i + 4, ahead, 2*i + 2, before}
}
