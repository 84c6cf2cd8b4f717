package frontend

// vertexCache finds vertices of a chunk that several primitives share ("post-transform cache"). It is direct-mapped: an entry is the
// slot of a vertex in the chunk's list, at the low bits of its VertexIndex. The list says whether an entry is valid, as in the sparse
// sets of Briggs and Torczon (1993): a new chunk writes no entry. An entry that is overwritten costs one more vertex invocation, never
// a wrong vertex.
type vertexCache [1 << 12]uint16

// Slots fit the entries.
var _ = [1<<16 - ChunkVertices]struct{}{}

// vertex returns the slot of a vertex, and adds the vertex if the cache does not have it.
func (m *vertexCache) vertex(c *chunk, index, instance uint32) uint32 {
	k := &m[index%uint32(len(m))]
	if at := listBytes / 4 * int(*k); at+1 < len(c.list) && c.list[at] == index && c.list[at+1] == instance {
		return uint32(*k)
	}
	*k = uint16(c.vertices())
	c.list = append(c.list, index, instance)
	return uint32(*k)
}
