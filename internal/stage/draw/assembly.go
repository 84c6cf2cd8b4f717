package draw

import (
	"encoding/binary"
	"slices"
)

// Bounds of a chunk, so that its records stay in the caches.
const (
	chunkPrimitives = 4096
	chunkVertices   = 8192
)

// primitive is the vertices of one primitive, as places in the list of a chunk.
type primitive struct {
	v         [3]uint32 // a line has two, a point one
	provoking uint32
	id        uint32
	begins    bool // it is the first of a strip
}

// chunk is a run of primitives with the vertices that they have.
type chunk struct {
	list       []uint32 // VertexIndex and InstanceIndex of each vertex
	primitives []primitive
	parts      []uint32 // of each primitive its number and its vertices, adjacent ones too, where that is wanted
	each       uint32   // vertices of a primitive in parts
}

// vertices returns how many vertices the chunk has.
func (c *chunk) vertices() uint32 { return uint32(len(c.list) / (listBytes / 4)) }

// assembler makes primitives of a draw's vertices, chunk by chunk (Vulkan §"Drawing
// Commands", primitive topologies).
type assembler struct {
	args     *Args
	topology Topology
	restart  bool
	patch    uint32 // vertices of a patch
	last     bool   // the provoking vertex is the last one
	each     uint32 // vertices of a primitive in parts; 0 where none are wanted

	instance uint32 // from 0
	at       uint32 // vertices of the instance that are behind
	begin    uint32 // where the strip begins
	end      uint32 // where it ends; begin where it is not known yet
	id       uint32 // of the next primitive

	vertices uint64 // of strips that have begun, in whole primitives

	seen  [1 << 12]known // vertices of the chunk, by the low bits of their index
	epoch uint32
}

// known is a vertex of the chunk.
type known struct{ epoch, index, instance, place uint32 }

// start begins a draw.
func (m *assembler) start(a *Args, s *State, whole bool) {
	m.args, m.topology, m.restart = a, s.Assembly.Topology, s.Assembly.Restart && a.Index != nil
	m.last, m.patch, m.each = s.Rasterization.LastVertex, max(s.Assembly.PatchPoints, 1), 0
	if whole {
		m.each = s.Assembly.vertices()
	}
	m.instance, m.at, m.begin, m.end, m.id, m.vertices = 0, 0, 0, 0, 0, 0
}

// next fills the chunk anew, and returns false where no primitives are left.
func (m *assembler) next(c *chunk) bool {
	c.list, c.primitives, c.parts, c.each = c.list[:0], c.primitives[:0], c.parts[:0], m.each
	if m.epoch++; m.epoch == 0 {
		m.seen, m.epoch = [len(m.seen)]known{}, 1
	}
	for m.instance < m.args.Instances {
		if m.strip(c) {
			return true
		}
		if m.begin >= m.args.Count {
			if m.instance++; m.id == 0 { // no instance has any primitives
				m.instance = m.args.Instances
			}
			m.at, m.begin, m.end, m.id = 0, 0, 0, 0
		}
	}
	return len(c.primitives) > 0
}

// strip adds primitives of the strip that is under way, or of the list, which is one
// strip unless primitives are restarted. It returns true where the chunk is full.
func (m *assembler) strip(c *chunk) bool {
	if m.end == m.begin {
		m.end = m.stripEnd()
		m.at = 0
		m.vertices += uint64(m.verticesIn(m.primitives(m.end - m.begin)))
	}
	n := m.primitives(m.end - m.begin)
	if m.topology == TriangleList && m.args.Index == nil && m.each == 0 {
		m.triangles(c, n)
	}
	for ; m.at < n; m.at++ {
		if len(c.primitives) >= chunkPrimitives || c.vertices() > chunkVertices-maxPatch {
			return true
		}
		c.primitives = append(c.primitives, m.primitive(c, m.at))
		m.id++
	}
	if m.begin = m.end; m.begin < m.args.Count {
		m.begin++ // what restarts is no vertex
	}
	m.end = m.begin
	return false
}

// triangles adds, of a list without indices, triangles up to number n while there is
// room: none of them share a vertex.
func (m *assembler) triangles(c *chunk, n uint32) {
	last, place := uint32(0), c.vertices()
	if m.last {
		last = 2
	}
	room := min((chunkVertices-maxPatch-min(place, chunkVertices-maxPatch))/3, chunkPrimitives-uint32(len(c.primitives)))
	instance := m.args.FirstInstance + m.instance
	room = min(room, n-m.at)
	c.list = longer(c.list, int(6*room))
	c.primitives = longer(c.primitives, int(room))
	list, primitives := c.list[len(c.list)-int(6*room):], c.primitives[len(c.primitives)-int(room):]
	for i := range primitives {
		index := m.args.First + m.begin + 3*m.at
		v, p := (*[6]uint32)(list[6*i:]), &primitives[i]
		v[0], v[2], v[4] = index, index+1, index+2
		v[1], v[3], v[5] = instance, instance, instance
		p.v[0], p.v[1], p.v[2] = place, place+1, place+2
		p.provoking, p.id, p.begins = place+last, m.id, false
		place += 3
		m.at++
		m.id++
	}
}

// longer returns a list with n more elements, whatever they are.
func longer[T any](list []T, n int) []T { return slices.Grow(list, n)[:len(list)+n] }

// stripEnd returns where the strip ends that begins at begin.
func (m *assembler) stripEnd() uint32 {
	if !m.restart {
		return m.args.Count
	}
	ones := uint32(1<<(8*m.args.IndexBytes) - 1)
	for i := m.begin; i < m.args.Count; i++ {
		n, ok := m.args.index(i)
		if !ok { // nor are there any behind
			break
		}
		if n == ones {
			return i
		}
	}
	return m.args.Count
}

// primitivesOf returns how many primitives n vertices make.
func primitivesOf(t Topology, n uint32) uint32 {
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

// corners returns the vertices of primitive i of a strip, in order from the one that
// provokes where the first one does, and the place of that which provokes where the
// last one does.
func corners(t Topology, i uint32) (v [3]uint32, n int, last int) {
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

// primitive is primitive i of the strip.
func (m *assembler) primitive(c *chunk, i uint32) primitive {
	v, n, last := corners(m.topology, i)
	p := primitive{id: m.id, begins: i == 0}
	if m.each > 0 {
		m.whole(c, i)
	}
	for k := range n {
		p.v[k] = m.vertex(c, m.begin+v[k])
	}
	if p.provoking = p.v[0]; m.last {
		p.provoking = p.v[last]
	}
	return p
}

// vertex returns the place in the list of a vertex of the draw.
func (m *assembler) vertex(c *chunk, n uint32) uint32 {
	index := m.args.First + n
	if m.args.Index != nil {
		n, _ := m.args.index(n)
		index = n + uint32(m.args.BaseVertex)
	}
	k := &m.seen[index&uint32(len(m.seen)-1)]
	if k.epoch == m.epoch && k.index == index && k.instance == m.instance {
		return k.place
	}
	*k = known{m.epoch, index, m.instance, c.vertices()}
	c.list = append(c.list, index, m.args.FirstInstance+m.instance)
	return k.place
}

// index returns the n-th index of the draw: 0, and false, where the buffer has none.
func (a *Args) index(n uint32) (uint32, bool) {
	at := (uint64(a.First) + uint64(n)) * uint64(a.IndexBytes)
	if at+uint64(a.IndexBytes) > uint64(len(a.Index)) {
		return 0, false
	}
	b := a.Index[at:]
	switch a.IndexBytes {
	case 1:
		return uint32(b[0]), true
	case 2:
		return uint32(binary.LittleEndian.Uint16(b)), true
	}
	return binary.LittleEndian.Uint32(b), true
}
