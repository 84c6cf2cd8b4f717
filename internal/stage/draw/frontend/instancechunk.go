package frontend

import "sync/atomic"

// Instances of a draw have the same primitives, and their vertices differ in InstanceIndex alone. So a chunk that begins and ends at
// the same places of another instance needs other instance numbers only, and keeps its primitives. Example with instances of 10,000
// triangles, in chunks of 3,334:
//
//	instance 0   A 0…3333   B 3334…6667   C 6668…9999
//	instance 1   A 0…3333   B 3334…6667   C 6668…9999    three chunks again, with InstanceIndex 1
//
// A chunk ends with an instance if it has no space for all of the next one, so that the chunks of all instances begin at the same
// places. Chunks of small instances have several whole ones.

// maxKeptChunks bounds the chunks of a worker that are kept for other instances. A chunk has about 160 KiB at most.
const maxKeptChunks = 16

// draws numbers the draws of all assemblers.
var draws atomic.Uint64

// instanceChunks finds the chunks of a draw that its instances repeat.
type instanceChunks struct {
	draw      uint64 // number of the draw; 0 if no chunk repeats
	instances uint32 // of the draw
	limit     uint32 // primitives of a chunk
}

// start begins a draw with instances of n primitives and some vertices, 0 if their number is not known. It divides large instances into
// equal chunks, so that no small one is left over.
func (m *instanceChunks) start(instances, n, vertices uint32) {
	parts := max(chunksOf(n, chunkPrimitives), chunksOf(vertices, ChunkVertices-maxPatch))
	if parts > maxKeptChunks {
		return
	}
	m.draw, m.instances = draws.Add(1), instances
	if parts > 1 {
		m.limit = chunksOf(n, parts)
	}
}

// chunksOf returns n/size, rounded up.
func chunksOf(n, size uint32) uint32 { return uint32((uint64(n) + uint64(size) - 1) / uint64(size)) }

// has reports whether the chunk has the primitives from a place on, but for the instance. Their last instance must exist.
func (m *instanceChunks) has(c *chunk, at place) bool {
	x := &c.content
	if m.draw == 0 || x.draw != m.draw {
		return false
	}
	end := uint64(at.instance) + uint64(x.to.instance-x.from.instance) // instance after the chunk
	at.instance = x.from.instance
	return at == x.from && (end < uint64(m.instances) || end == uint64(m.instances) && x.to.begins())
}

// repeat makes the chunk begin in another instance, at the same place. It returns the place after the chunk.
func (c *chunk) repeat(instance uint32) place {
	x := &c.content
	more := instance - x.from.instance
	list := c.list
	for ; len(list) >= 8; list = list[8:] {
		v := (*[8]uint32)(list)
		v[1], v[3], v[5], v[7] = v[1]+more, v[3]+more, v[5]+more, v[7]+more
	}
	for ; len(list) >= 2; list = list[2:] {
		list[1] += more
	}
	c.prefix.instance += more // no run has vertices of two instances
	x.from.instance += more
	x.to.instance += more
	return x.to
}

// note notes the content of a chunk that is full, or ends with an instance.
func (m *instanceChunks) note(c *chunk, x content) {
	if m.draw != 0 {
		x.draw = m.draw
		c.content = x
	}
}

// endsWith reports whether the chunk ends with an instance of n primitives, because the next one does not fit. whole reports that the
// chunk has all of the instance, from vertex number first of the chunk on.
func (m *instanceChunks) endsWith(c *chunk, n, first uint32, whole bool) bool {
	return m.draw != 0 && len(c.primitives) > 0 && (!whole || uint32(len(c.primitives))+n > m.limit || 2*c.vertices()-first > ChunkVertices-maxPatch)
}

// choose moves the chunk to fill next, from a place on, to the end of the list, and returns the list with it. A chunk with the same primitives is best;
// else one that has no memory yet, if others may be needed again.
func (m *instanceChunks) choose(list []*chunk, at place) []*chunk {
	n := len(list)
	if n == cap(list) {
		list = append(list, &chunk{})[:n]
	}
	all := list[:cap(list)]
	if m.draw != 0 {
		if len(all) < maxKeptChunks {
			all = append(all, make([]*chunk, maxKeptChunks-len(all))...)
			all = all[:cap(all)]
		}
		best := n
		for i := n; i < len(all); i++ {
			if all[i] == nil {
				if i < maxKeptChunks && all[best] != nil {
					best = i
				}
			} else if m.has(all[i], at) {
				best = i
				break
			}
		}
		all[n], all[best] = all[best], all[n]
	}
	if all[n] == nil {
		all[n] = &chunk{}
	}
	return all[:n+1]
}
