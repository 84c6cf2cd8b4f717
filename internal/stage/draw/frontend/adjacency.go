package frontend

import (
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// addRow adds all vertices of primitive i of the strip to the chunk's parts.
func (m *Assembler) addRow(c *chunk, i uint32) {
	c.rows = append(c.rows, m.id)
	add := func(n uint32) { c.rows = append(c.rows, m.vertex(c, m.begin+n)) }
	switch m.topology {
	case state.PatchList, state.LineListAdjacency, state.TriangleListAdjacency:
		for k := range m.rowVertices {
			add(m.rowVertices*i + k)
		}
	case state.LineStripAdjacency:
		for k := range m.rowVertices {
			add(i + k)
		}
	case state.TriangleStripAdjacency:
		for _, n := range adjacent(i, m.primitives(m.end-m.begin)) {
			add(n)
		}
	default:
		v, n, _ := state.PrimitiveVertices(m.topology, i)
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
