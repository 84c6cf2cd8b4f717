package frontend

import "slices"

// Bounds of a chunk. They keep the records of its vertices in the caches.
const (
	chunkPrimitives = 4096
	ChunkVertices   = 8192
)

// primitive is a point, line or triangle. Its vertices are indices into the chunk's vertex list. The
// set-up program reads this struct as memory, 24 bytes each, so that v must be its first field.
type primitive struct {
	v         [3]uint32 // a line has two, a point one
	provoking uint32
	id        uint32
	begins    bool // first primitive of a primitive strip
}

// chunk is a run of primitives with their vertices. Each vertex is in the list once. A tuple is the
// primitive's number followed by all its vertices. Two lines with adjacency, vertices 0 to 4 of a
// line strip:
//
//	tuples   7  0 1 2 3   8  1 2 3 4        tupleVertices 4, numbers 7 and 8
type chunk struct {
	list          []uint32 // VertexIndex and InstanceIndex of each vertex
	primitives    []primitive
	tuples        []uint32 // for stages that read primitives: of each primitive its number and vertices, adjacent ones included
	tupleVertices uint32   // vertices in a tuple

	prefix  triangleRun // at the start of the memory of list and primitives
	content content
	limit   uint32 // primitives
}

// place is a place in the primitives of a draw.
type place struct {
	next     uint32 // next primitive of the primitive strip
	begin    uint32 // first vertex of the primitive strip
	end      uint32 // vertex after the primitive strip; begin if it is not known yet
	id       uint32 // number of the next primitive of the instance
	instance uint32 // from 0
}

// begins reports whether the place is the start of an instance.
func (p place) begins() bool { return p == place{instance: p.instance} }

// content tells how the assembler has filled a chunk. The zero content is unknown.
type content struct {
	draw     uint64 // number of the draw
	from, to place
	vertices uint64 // added to Assembler.InputVertices
}

// triangleRun identifies a run of consecutive triangles of a list without indices, at the start of a chunk: equal runs have equal
// vertex lists and primitives. The zero triangleRun is no run.
type triangleRun struct {
	index, instance uint32 // of the first vertex
	id              uint32 // of the first triangle
	last            uint32 // number of the provoking vertex in each triangle
	count           uint32 // triangles
}

// run returns the run of which the chunk consists, or no run.
func (c *chunk) run() triangleRun {
	if r := c.prefix; len(c.primitives) == int(r.count) {
		return r
	}
	return triangleRun{}
}

// vertices returns the number of vertices in the chunk.
func (c *chunk) vertices() uint32 { return uint32(len(c.list) / (listBytes / 4)) }

// full reports whether the chunk has space for no other primitive. A primitive adds at most maxPatch vertices, so the chunk never
// exceeds its bound.
func (c *chunk) full() bool {
	return uint32(len(c.primitives)) >= c.limit || c.vertices() > ChunkVertices-maxPatch
}

// extend returns the list with n more elements of any value.
func extend[T any](list []T, n int) []T { return slices.Grow(list, n)[:len(list)+n] }
