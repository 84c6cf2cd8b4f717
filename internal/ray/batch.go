package ray

import (
	"math"
	"unsafe"
)

// batchSize is the number of triangles that are read at once: first the indices of all, then the vertices of all, so that
// the processor waits for many cache misses at a time.
const batchSize = 64

// batch is triangles that are read at once. The machine code reads and writes it.
type batch struct {
	count               int
	geometry, primitive [batchSize]uint32
	// triangles holds the positions, lo and hi the boxes; ok is false for a triangle that is not active.
	triangles [batchSize]triangle
	lo, hi    [batchSize][4]float32
	ok        [batchSize]bool
	// addresses holds the addresses of the vertices; slow is the triangles without addresses, which readers read.
	addresses [batchSize][3]uintptr
	slow      [batchSize]bool
}

// meshSource is a reader for the machine code: indices of 4 bytes or none, vertices of three 32-bit floats.
type meshSource struct {
	indices, vertices unsafe.Pointer
	// primitives is the number of triangles with indices inside the memory, limit the number of vertices with 16 bytes
	// inside the memory.
	primitives, limit uint64
	stride, first     uint64
	_                 [2]uint64
}

// sourceOf returns the source of a reader. It has no primitives if the machine code cannot read them.
func (r *reader) sourceOf() (s meshSource) {
	g := r.g
	n := uint64(len(g.Vertices))
	if g.Kind != Triangles || r.codec != nil || g.Transform != nil || n < 16 || g.IndexSize != 4 && g.IndexSize != 0 {
		return s
	}
	s.vertices, s.stride, s.first = unsafe.Pointer(&g.Vertices[0]), g.VertexStride, uint64(g.FirstVertex)
	s.limit = r.vertices
	if s.stride > 0 {
		s.limit = min(s.limit, (n-16)/s.stride+1)
	}
	s.primitives = math.MaxUint64
	if g.IndexSize == 4 {
		if s.primitives = uint64(len(g.Indices)) / 12; s.primitives > 0 {
			s.indices = unsafe.Pointer(&g.Indices[0])
		}
	}
	return s
}

// add adds a triangle.
func (b *batch) add(geometry, primitive uint32) {
	b.geometry[b.count], b.primitive[b.count] = geometry, primitive
	b.count++
}

// read reads the triangles.
func (b *batch) read(readers []reader) {
	if b.count == 0 {
		return
	}
	if hasKernel {
		readAVX2(b, &readers[0])
	}
	for i := range b.count {
		if hasKernel && !b.slow[i] {
			continue
		}
		t := &b.triangles[i]
		*t, b.ok[i] = readers[b.geometry[i]].triangle(b.primitive[i])
		lo, hi := t.bounds()
		copy(b.lo[i][:], lo[:])
		copy(b.hi[i][:], hi[:])
	}
}

// chunkBlocks is the number of blocks that a goroutine reads at a time.
const chunkBlocks = 1 << 8

// readBlocks fills blocks with the positions that the readers have, and sets their boxes. add adds the triangles of block j to x, at most
// four; a block without triangles is not written. The positions of an inactive triangle become NaNs, so that no ray hits it; an
// application may make one inactive during a build.
func readBlocks(blocks []block, boxes []wideBounds, readers []reader, team *team, add func(x *batch, j int)) {
	team.each((len(blocks)+chunkBlocks-1)/chunkBlocks, func(c int) {
		var x batch
		for i := c * chunkBlocks; i < min((c+1)*chunkBlocks, len(blocks)); i += batchSize / 4 {
			x.count = 0
			var ends [batchSize / 4]int // numbers of triangles up to the end of each block
			part := blocks[i:min(i+batchSize/4, len(blocks), (c+1)*chunkBlocks)]
			for j := range part {
				add(&x, i+j)
				ends[j] = x.count
			}
			x.read(readers)
			for k := range x.count {
				if !x.ok[k] {
					nan := float32(math.NaN())
					x.triangles[k] = triangle{{nan, nan, nan}, {nan, nan, nan}, {nan, nan, nan}}
					x.lo[k], x.hi[k] = nowhere.lo, nowhere.hi
				}
			}
			at := 0
			for j := range part {
				if boxes[i+j] = nowhere; ends[j] > at {
					part[j].take(&x, at, ends[j]-at, &boxes[i+j])
				}
				at = ends[j]
			}
		}
	})
}

// fill returns the blocks of triangles, and adds their boxes to the boxes of the builder.
func (b *builder) fill(readers []reader) []block {
	add := b.addRange
	if b.fast {
		add = b.addMorton
	}
	blocks, boxes := large[block](len(b.ranges)), scratchBoxes.take(len(b.ranges))
	readBlocks(blocks, boxes, readers, b.team, add)
	b.boxes = joined(b.boxes, boxes)
	return blocks
}

// joined returns the boxes of blocks over both times, in the memory of boxes, and gives the memory of moved back. A list that is nil adds nothing.
func joined(boxes, moved []wideBounds) []wideBounds {
	if boxes == nil {
		return moved
	}
	for i := range moved {
		boxes[i].grow(&moved[i])
	}
	scratchBoxes.give(moved)
	return boxes
}

// addRange adds the triangles of block j to x.
func (b *builder) addRange(x *batch, j int) {
	r := b.ranges[j]
	for i := range b.items[r.from:r.to] {
		it := &b.items[int(r.from)+i]
		x.add(it.geometry, it.primitive)
	}
}

// take makes the block one of count triangles of the batch, from 1 to 4, and sets its box.
func (b *block) take(x *batch, at, count int, box *wideBounds) {
	if !hasKernel {
		b.takePortable(x, at, count, box)
		return
	}
	takeAVX2(b, x, at, count-1, box)
}

// takePortable is take without machine code.
func (b *block) takePortable(x *batch, at, count int, box *wideBounds) {
	*box = nowhere
	for i := range 4 {
		t := &x.triangles[at+min(i, count-1)]
		for v := range 3 {
			b.vertices[v][0][i], b.vertices[v][1][i], b.vertices[v][2][i] = t[v][0], t[v][1], t[v][2]
		}
		b.geometry[i], b.primitive[i] = 0, math.MaxUint32
		if i < count {
			b.geometry[i], b.primitive[i] = x.geometry[at+i], x.primitive[at+i]
			box.grow(&wideBounds{x.lo[at+i], x.hi[at+i]})
		}
	}
}

// refreshBlocks fills blocks with the triangles of old at the positions of the readers, and returns their boxes, in memory of
// scratchBoxes. blocks may be old.
func refreshBlocks(blocks, old []block, readers []reader, team *team) []wideBounds {
	boxes := scratchBoxes.take(len(blocks))
	readBlocks(blocks, boxes, readers, team, func(x *batch, j int) {
		if !old[j].used(0) { // only a serialized structure has such a block
			blocks[j] = old[j]
		}
		for lane := 0; lane < 4 && old[j].used(lane); lane++ {
			x.add(old[j].geometry[lane], old[j].primitive[lane])
		}
	})
	return boxes
}

// items sets list to the boxes of the active triangles, and returns how many there are.
func (b *batch) items(list []item) (n int) {
	for i := range b.count {
		if b.ok[i] {
			it := &list[n]
			it.lo, it.hi = vec(b.lo[i][:3]), vec(b.hi[i][:3])
			it.geometry, it.primitive = b.geometry[i], b.primitive[i]
			n++
		}
	}
	return n
}
