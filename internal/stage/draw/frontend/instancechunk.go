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

// maxKeptChunks bounds the chunks of a worker that are kept for other instances. A chunk has at most 160 KiB.
const maxKeptChunks = 16

// place is a place in the primitives of an instance: the fields of Assembler with the same names.
type place struct{ next, begin, end, id uint32 }

// content tells how the assembler has filled a chunk. The zero content is unknown.
type content struct {
	draw      uint64 // number of the draw
	from, to  place
	instance  uint32 // at from
	instances uint32 // from that one to the instance at to
	vertices  uint64 // added to InputVertices
}

// draws numbers the draws of all assemblers.
var draws atomic.Uint64

// startInstances begins a draw. It divides large instances into equal chunks, so that no small one is left over.
func (m *Assembler) startInstances() {
	m.draw, m.limit, m.repeats = 0, chunkPrimitives, false
	if m.args.Instances < 2 || m.tupleVertices > 0 {
		return
	}
	n := m.primitives(m.args.Count)
	parts := max((n+chunkPrimitives-1)/chunkPrimitives, 1)
	if m.args.Index == nil { // few vertices are shared, and they fill a chunk first
		const most = ChunkVertices - maxPatch
		parts = max(parts, uint32((uint64(m.verticesIn(n))+most-1)/most))
	}
	if parts > maxKeptChunks {
		return
	}
	m.draw, m.repeats = draws.Add(1), true
	if parts > 1 {
		m.limit = (n + parts - 1) / parts
	}
}

// place returns the current place.
func (m *Assembler) place() place { return place{m.next, m.begin, m.end, m.id} }

// has reports whether the chunk has the primitives from the current place on, but for the instance. Their last instance must exist.
func (m *Assembler) has(c *chunk) bool {
	x := &c.content
	last := uint64(m.instance) + uint64(x.instances)
	return m.repeats && x.draw == m.draw && x.from == m.place() && (last < uint64(m.args.Instances) || last == uint64(m.args.Instances) && x.to == place{})
}

// repeat makes a chunk that has the primitives from the current place on the chunk of the current instance.
func (m *Assembler) repeat(c *chunk) {
	x := &c.content
	more := m.instance - x.instance
	list := c.list
	for ; len(list) >= 8; list = list[8:] {
		v := (*[8]uint32)(list)
		v[1], v[3], v[5], v[7] = v[1]+more, v[3]+more, v[5]+more, v[7]+more
	}
	for ; len(list) >= 2; list = list[2:] {
		list[1] += more
	}
	c.prefix.instance += more // no run has vertices of two instances
	x.instance = m.instance
	m.instance += x.instances
	m.next, m.begin, m.end, m.id = x.to.next, x.to.begin, x.to.end, x.to.id
	m.InputVertices += x.vertices
}

// note notes the content of a chunk that is full, or ends with an instance.
func (m *Assembler) note(c *chunk, from place, instance uint32, vertices uint64) {
	if m.repeats {
		c.content = content{m.draw, from, m.place(), instance, m.instance - instance, m.InputVertices - vertices}
	}
}

// endsWith reports whether the chunk ends with an instance of n primitives, because the next one does not fit. whole reports that the
// chunk has all of the instance, whose first vertex is number first of the chunk.
func (m *Assembler) endsWith(c *chunk, n, first uint32, whole bool) bool {
	return m.repeats && len(c.primitives) > 0 && (!whole || uint32(len(c.primitives))+n > m.limit || 2*c.vertices()-first > ChunkVertices-maxPatch)
}

// choose moves the chunk to fill next to the end of the list, and returns the list with it. A chunk with the same primitives is best;
// else one that has no memory yet, if others may be needed again.
func (m *Assembler) choose(list []*chunk) []*chunk {
	n := len(list)
	if n == cap(list) {
		list = append(list, &chunk{})[:n]
	}
	all := list[:cap(list)]
	if m.repeats {
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
			} else if m.has(all[i]) {
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
