package frontend

import (
	"encoding/binary"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// Assembler is the input assembly: it forms the primitives of a draw from its vertices, chunk by
// chunk (Vulkan §"Drawing Commands", primitive topologies). A cache finds shared vertices of a chunk. Only one goroutine assembles at a time
// (the pass holds a lock): restart indices and primitive numbers depend on everything before.
// Vertices of different chunks are not shared, so a vertex at a chunk boundary is shaded twice;
// Vulkan permits any number of invocations.
type Assembler struct {
	args          *state.Args
	drawn         state.Range   // the current one of the draw
	more          []state.Range // after it
	topology      enum.Topology
	restart       bool
	patch         uint32 // vertices of a patch
	last          bool   // the provoking vertex is the last one
	tupleVertices uint32 // vertices in a tuple of a chunk; 0 if no stage reads primitives

	place // the current place

	before  triangleRun // prefix of the chunk that is refilled
	repeats instanceChunks

	InputVertices uint64 // of all primitive strips begun so far, in complete primitives

	cache vertexCache
}

// Start begins a draw of the vertices and instances of the arguments, and then of more. whole selects tuples for stages that read
// primitives.
func (m *Assembler) Start(a *state.Args, more []state.Range, s *state.State, whole bool) {
	m.drawn, m.more = a.Range(), more
	m.args, m.topology, m.restart = a, s.Assembly.Topology, s.Assembly.Restart && a.Index != nil
	m.last, m.patch, m.tupleVertices = s.Rasterization.LastVertex, max(s.Assembly.PatchPoints, 1), 0
	if whole {
		m.tupleVertices = s.Assembly.Vertices()
	}
	// Multiview starts the same draw again for each view, so everything begins at 0.
	m.place, m.InputVertices = place{}, 0
	m.repeats = instanceChunks{limit: chunkPrimitives}
	if a.Instances > 1 && m.tupleVertices == 0 && len(more) == 0 {
		n, vertices := m.primitives(a.Count), uint32(0)
		if a.Index == nil { // few vertices are shared, and they can fill a chunk first
			vertices = m.verticesIn(n)
		}
		m.repeats.start(a.Instances, n, vertices)
	}
}

// fillChunk refills the chunk and reports whether it has primitives.
func (m *Assembler) fillChunk(c *chunk) bool {
	if m.repeats.has(c, m.place) {
		m.InputVertices += c.content.vertices
		m.place = c.repeat(m.instance)
		return true
	}
	c.list, c.primitives, c.tuples, c.tupleVertices = c.list[:0], c.primitives[:0], c.tuples[:0], m.tupleVertices
	c.limit, c.content = m.repeats.limit, content{}
	m.before, c.prefix = c.prefix, triangleRun{}
	from, input := m.place, m.InputVertices
	whole, vertices := from.begins(), uint32(0) // of the current instance, as far as the chunk has it
	for m.instance < m.drawn.Instances || m.nextRange() {
		full := m.addPrimitiveStrip(c)
		if !full && m.begin >= m.drawn.Count {
			// All instances have the same vertices. A hostile draw of 2³² empty instances ends after
			// the first one.
			n := m.id
			m.place = place{instance: m.instance + 1}
			if n == 0 { // no instance has any primitives
				m.instance = m.drawn.Instances
			}
			full = m.repeats.endsWith(c, n, vertices, whole)
			whole, vertices = true, c.vertices()
		}
		if full {
			m.repeats.note(c, content{from: from, to: m.place, vertices: m.InputVertices - input})
			return true
		}
	}
	if len(c.primitives) == 0 { // the end of a draw: the memory is as before
		c.prefix = m.before
	}
	return len(c.primitives) > 0
}

// nextRange begins the next range with instances, if there is one. Its primitives are numbered from 0, as in a draw of its own.
func (m *Assembler) nextRange() bool {
	for len(m.more) > 0 {
		m.drawn, m.more, m.place = m.more[0], m.more[1:], place{}
		if m.drawn.Instances > 0 {
			return true
		}
	}
	return false
}

// addPrimitiveStrip adds primitives of the current primitive strip and reports whether the chunk is full. A list
// is one strip unless primitive restart splits it.
func (m *Assembler) addPrimitiveStrip(c *chunk) bool {
	if m.end == m.begin {
		m.end = m.primitiveStripEnd()
		m.next = 0
		m.InputVertices += uint64(m.verticesIn(m.primitives(m.end - m.begin)))
	}
	n := m.primitives(m.end - m.begin)
	switch {
	case m.tupleVertices > 0:
	case m.topology == enum.TopologyTriangleList && m.args.Index == nil:
		m.triangles(c, n)
	case m.topology == enum.TopologyTriangleList:
		m.indexedTriangles(c, n)
	case m.args.Index == nil && (m.topology == enum.TopologyPointList || m.topology == enum.TopologyLineList):
		m.pointsOrLines(c, n)
	case m.topology == enum.TopologyTriangleStrip || m.topology == enum.TopologyTriangleFan:
		m.connectedTriangles(c, n)
	}
	for ; m.next < n; m.next++ {
		if c.full() {
			return true
		}
		c.primitives = append(c.primitives, m.primitive(c, m.next))
		m.id++
	}
	if m.begin = m.end; m.begin < m.drawn.Count {
		m.begin++ // skip the restart index
	}
	m.end = m.begin
	return false
}

// triangles is a fast path: it adds triangles of a list without indices, up to number n or to a full
// chunk. They share no vertices, so the cache is not needed. It writes about 50 bytes per triangle
// in one loop, without a lookup for each vertex. Draws often repeat the vertices of the draw before, with other push constants:
// then the memory of the chunk already has the run.
func (m *Assembler) triangles(c *chunk, n uint32) {
	last, vertex := uint32(0), c.vertices()
	if m.last {
		last = 2
	}
	// Each triangle adds three vertices, of two words each.
	count := min((ChunkVertices-maxPatch-min(vertex, ChunkVertices-maxPatch))/3, c.limit-uint32(len(c.primitives)))
	instance := m.drawn.FirstInstance + m.instance
	count = min(count, n-m.next)
	c.list = extend(c.list, int(6*count))
	c.primitives = extend(c.primitives, int(count))
	if vertex == 0 && len(c.primitives) == int(count) {
		c.prefix = triangleRun{m.drawn.First + m.begin + 3*m.next, instance, m.id, last, count}
		if c.prefix == m.before {
			m.next, m.id = m.next+count, m.id+count
			return
		}
	}
	list, primitives := c.list[len(c.list)-int(6*count):], c.primitives[len(c.primitives)-int(count):]
	for i := range primitives {
		index := m.drawn.First + m.begin + 3*m.next
		v, p := (*[6]uint32)(list[6*i:]), &primitives[i]
		v[0], v[2], v[4] = index, index+1, index+2
		v[1], v[3], v[5] = instance, instance, instance
		p.v[0], p.v[1], p.v[2] = vertex, vertex+1, vertex+2
		p.provoking, p.id, p.begins = vertex+last, m.id, false
		vertex += 3
		m.next++
		m.id++
	}
}

// pointsOrLines is a fast path for points and lines of a list without indices, as triangles is.
func (m *Assembler) pointsOrLines(c *chunk, n uint32) {
	corners, vertex, instance := state.Corners(m.topology), c.vertices(), m.drawn.FirstInstance+m.instance
	count := min((ChunkVertices-maxPatch-min(vertex, ChunkVertices-maxPatch))/corners, c.limit-uint32(len(c.primitives)), n-m.next)
	index := m.drawn.First + m.begin + corners*m.next
	first := len(c.list)
	c.list = extend(c.list, int(listBytes/4*corners*count))
	for list := c.list[first:]; len(list) >= 2; list = list[2:] {
		list[0], list[1] = index, instance
		index++
	}
	first = len(c.primitives)
	c.primitives = extend(c.primitives, int(count))
	added := c.primitives[first:]
	for i := range added {
		p := primitive{v: [3]uint32{vertex}, provoking: vertex, id: m.id, begins: m.next == 0}
		if corners == 2 {
			p.v[1] = vertex + 1
			if m.last {
				p.provoking++
			}
		}
		added[i] = p
		vertex += corners
		m.next++
		m.id++
	}
}

// indicesAtOnce is the number of indices that indexedTriangles decodes at once: whole triangles.
const indicesAtOnce = 3 * 128

// indexedTriangles is a fast path: it adds triangles of a list with indices, up to number n, to a full chunk, or to the end of the index
// buffer.
func (m *Assembler) indexedTriangles(c *chunk, n uint32) {
	var indices [indicesAtOnce]uint32
	last, instance := uint32(0), m.drawn.FirstInstance+m.instance
	if m.last {
		last = 2
	}
	for m.next < n && !c.full() {
		// A triangle adds three vertices at most.
		space := min((ChunkVertices-maxPatch-c.vertices())/3+1, c.limit-uint32(len(c.primitives)))
		list := m.indices(indices[:3*min(n-m.next, space, indicesAtOnce/3)])
		if len(list) < 3 {
			return // the others are outside of the index buffer
		}
		first := len(c.primitives)
		c.primitives = extend(c.primitives, len(list)/3)
		added := c.primitives[first:]
		for i := range added {
			v := (*[3]uint32)(list[3*i:])
			p := &added[i]
			for k := range p.v {
				p.v[k] = m.cache.vertex(c, v[k], instance)
			}
			p.provoking, p.id, p.begins = p.v[last], m.id, m.next == 0
			m.next++
			m.id++
		}
	}
}

// indices decodes the indices of the triangles from m.next on, and adds the vertex offset. It returns those that the index buffer has.
func (m *Assembler) indices(to []uint32) []uint32 {
	size := uint64(m.args.IndexBytes)
	at := (uint64(m.drawn.First) + uint64(m.begin) + 3*uint64(m.next)) * size
	if at >= uint64(len(m.args.Index)) {
		return nil
	}
	from, base := m.args.Index[at:], uint32(m.drawn.BaseVertex)
	to = to[:min(uint64(len(to)), uint64(len(from))/size)]
	switch size {
	case 1:
		for i := range to {
			to[i] = uint32(from[i]) + base
		}
	case 2:
		for i := range to {
			to[i] = uint32(binary.LittleEndian.Uint16(from[2*i:])) + base
		}
	default:
		for i := range to {
			to[i] = binary.LittleEndian.Uint32(from[4*i:]) + base
		}
	}
	return to
}

// connectedTriangles is a fast path: it adds triangles of a strip or a fan, up to number n or to a full chunk. A triangle shares two
// vertices with the one before, so that it needs one lookup. The orders are those of [state.PrimitiveVertices].
func (m *Assembler) connectedTriangles(c *chunk, n uint32) {
	if m.next >= n || c.full() {
		return
	}
	fan, from := m.topology == enum.TopologyTriangleFan, m.next
	if fan {
		from = 0
	}
	v, w := m.vertex(c, m.begin+from), m.vertex(c, m.begin+m.next+1)
	for ; m.next < n && !c.full(); m.next++ {
		x := m.vertex(c, m.begin+m.next+2)
		p := primitive{v: [3]uint32{v, w, x}, id: m.id, begins: m.next == 0}
		switch odd := m.next&1 == 1; {
		case fan && !m.last:
			p.v = [3]uint32{w, x, v}
		case !fan && odd && m.last:
			p.v = [3]uint32{w, v, x}
		case !fan && odd:
			p.v = [3]uint32{v, x, w}
		}
		if p.provoking = p.v[0]; m.last {
			p.provoking = p.v[2]
		}
		c.primitives = append(c.primitives, p)
		if !fan {
			v = w
		}
		w = x
		m.id++
	}
}

// primitiveStripEnd returns the end of the primitive strip that starts at begin. The restart index has all
// bits set in the size of the indices: 0xff, 0xffff or 0xffffffff (Vulkan §"Primitive Restart"). The
// vertex offset is added afterwards, so that it does not change the comparison.
func (m *Assembler) primitiveStripEnd() uint32 {
	if !m.restart {
		return m.drawn.Count
	}
	ones := uint32(1<<(8*m.args.IndexBytes) - 1)
	for i := m.begin; i < m.drawn.Count; i++ {
		n, ok := m.args.IndexAt(m.drawn.First, i)
		if !ok { // out of the index buffer, as are all later ones
			break
		}
		if n == ones {
			return i
		}
	}
	return m.drawn.Count
}

// primitive returns primitive i of the primitive strip.
func (m *Assembler) primitive(c *chunk, i uint32) primitive {
	v, n := state.PrimitiveVertices(m.topology, i, m.last)
	p := primitive{id: m.id, begins: i == 0}
	if m.tupleVertices > 0 {
		m.addTuple(c, i)
	}
	for k := range n {
		p.v[k] = m.vertex(c, m.begin+v[k])
	}
	if p.provoking = p.v[0]; m.last {
		p.provoking = p.v[n-1]
	}
	return p
}

// vertex returns the chunk's index of a vertex of the draw, and adds the vertex if it is new.
func (m *Assembler) vertex(c *chunk, n uint32) uint32 {
	index := m.drawn.First + n
	if m.args.Index != nil {
		n, _ := m.args.IndexAt(m.drawn.First, n)
		// Modulo 2³², as VertexIndex has 32 bits. An index outside of the index buffer is 0.
		index = n + uint32(m.drawn.BaseVertex)
	}
	return m.cache.vertex(c, index, m.drawn.FirstInstance+m.instance)
}

// verticesIn returns the number of distinct vertices of n consecutive primitives, for statistics. An
// incomplete primitive at the end does not count
// (VK_QUERY_PIPELINE_STATISTIC_INPUT_ASSEMBLY_VERTICES_BIT permits both).
func (m *Assembler) verticesIn(n uint32) uint32 {
	if n == 0 {
		return 0
	}
	switch m.topology {
	case enum.TopologyLineStrip:
		return n + 1
	case enum.TopologyTriangleStrip, enum.TopologyTriangleFan:
		return n + 2
	case enum.TopologyLineStripWithAdjacency:
		return n + 3
	case enum.TopologyTriangleStripWithAdjacency:
		return 2*n + 4
	case enum.TopologyPatchList:
		return n * m.patch
	case enum.TopologyLineListWithAdjacency:
		return n * 4
	case enum.TopologyTriangleListWithAdjacency:
		return n * 6
	}
	return n * state.Corners(m.topology)
}

// primitives returns the number of primitives that n vertices form.
func (m *Assembler) primitives(n uint32) uint32 {
	if m.topology == enum.TopologyPatchList {
		return n / m.patch
	}
	return state.Primitives(m.topology, n)
}

// Fill refills a list with up to most chunks. An empty list ends the draw.
func (m *Assembler) Fill(list []*chunk, most int) []*chunk {
	list = list[:0]
	for len(list) < most {
		n := len(list)
		if list = m.repeats.choose(list, m.place); !m.fillChunk(list[n]) {
			return list[:n]
		}
	}
	return list
}

// addTuple adds the tuple of primitive i: its number and all its vertices.
func (m *Assembler) addTuple(c *chunk, i uint32) {
	c.tuples = append(c.tuples, m.id)
	add := func(n uint32) { c.tuples = append(c.tuples, m.vertex(c, m.begin+n)) }
	switch m.topology {
	case enum.TopologyPatchList, enum.TopologyLineListWithAdjacency, enum.TopologyTriangleListWithAdjacency:
		for k := range m.tupleVertices {
			add(m.tupleVertices*i + k)
		}
	case enum.TopologyLineStripWithAdjacency:
		for k := range m.tupleVertices {
			add(i + k)
		}
	case enum.TopologyTriangleStripWithAdjacency:
		for _, v := range adjacent(i, m.primitives(m.end-m.begin), m.last) {
			add(v)
		}
	default:
		v, n := state.PrimitiveVertices(m.topology, i, m.last)
		for _, v := range v[:n] {
			add(v)
		}
	}
}

// adjacent returns the vertices of triangle i of n in a triangle strip with adjacency: each corner,
// then the vertex adjacent to the edge that follows it (Vulkan §"Triangle Strips With Adjacency").
// Even numbers are the vertices of the strip itself, odd numbers the adjacent ones. Odd triangles
// swap two corners to preserve the winding. The corners have the order of [state.PrimitiveVertices].
func adjacent(i, n uint32, last bool) [6]uint32 {
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
	if last {
		return [6]uint32{2*i + 2, before, 2 * i, 2*i + 3, 2*i + 4, ahead}
	}
	return [6]uint32{2 * i, 2*i + 3, 2*i + 4, ahead, 2*i + 2, before}
}
