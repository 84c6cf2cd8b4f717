package ray

import (
	"errors"
	"fmt"
	"math"
	"sync"
)

// Input describes a build: geometries of one kind, or instances.
type Input struct {
	Flags BuildFlags
	// Top makes a top level of Instances; otherwise the build makes a bottom level of Geometries.
	Top        bool
	Geometries []Geometry
	Instances  []Instance
	// Decoder is the source of a top level without Instances, of Count ones: it returns a function that sets instance i, which is zero before.
	// Several goroutines call Decoder at the same time, and each its own function.
	Decoder func() func(i int, x *Instance)
	Count   int
	// Threads is the number of goroutines that a build may use; 0 is 1.
	Threads int
	// Reuse lets an update of a bottom level write into the memory of its source, which is of no more use. Goroutines that still trace
	// the source see positions of either one, and the same tree.
	Reuse bool
	// Stop is called now and then, by one goroutine at a time. An error of it ends the build. It may be nil.
	Stop func() error
}

// decoder returns a function that sets an instance, which is zero before.
func (in *Input) decoder() func(i int, x *Instance) {
	if in.Decoder != nil {
		return in.Decoder()
	}
	return func(i int, x *Instance) { *x = in.Instances[i] }
}

// count returns the number of instances.
func (in *Input) count() int {
	if in.Decoder != nil {
		return in.Count
	}
	return len(in.Instances)
}

// ErrTooLarge is returned for builds with more primitives than a structure can hold.
var ErrTooLarge = errors.New("too many primitives for an acceleration structure")

// maxPrimitives is the largest number of active primitives of a structure: each has a block in the worst case.
const maxPrimitives = maxBlocks - 2

// Build builds a structure. Its result depends on the input only, not on the number of threads.
func Build(in *Input) (*Structure, error) {
	if in.Top {
		return buildTop(in)
	}
	return buildBottom(in)
}

// kindOf returns the kind of the geometries.
func kindOf(in *Input) (Kind, error) {
	kind := None
	for i := range in.Geometries {
		k := in.Geometries[i].Kind
		if k == None || k > SweptSpheres {
			return None, fmt.Errorf("geometry %d has no kind", i)
		}
		if kind != None && k != kind {
			return None, fmt.Errorf("geometry %d is of another kind than the ones before", i)
		}
		kind = k
	}
	return kind, nil
}

// newBottom returns a bottom level without a tree.
func newBottom(in *Input) (*Structure, error) {
	kind, err := kindOf(in)
	if err != nil {
		return nil, err
	}
	s := &Structure{kind: kind, flags: in.Flags, root: emptyRef, spread: 1}
	var count uint64
	for i := range in.Geometries {
		g := &in.Geometries[i]
		s.geometries = append(s.geometries, geometryInfo{g.Flags, g.Primitives, g.Moves && kind == Triangles})
		count += uint64(g.Primitives)
	}
	if count > maxPrimitives {
		return nil, ErrTooLarge
	}
	s.setOpacity(in.Geometries)
	return s, nil
}

// buildBottom builds a bottom level.
func buildBottom(in *Input) (*Structure, error) {
	s, err := newBottom(in)
	if err != nil {
		return nil, err
	}
	readers := newReaders(in.Geometries)
	moved := movedReaders(in.Geometries, readers)
	starts := startsOf(readers)
	b := newBuilder(in, starts[len(readers)])
	defer b.release()
	b.single, b.low = s.kind != Triangles, in.Flags&BuildLowMemory != 0
	b.starts = starts
	if b.single || !b.fast {
		b.items = readItems(readers, b.starts, b.team)
	}
	if b.fast {
		err = b.buildFast(readers)
	} else {
		err = b.build()
	}
	if err != nil {
		return nil, err
	}
	switch {
	case s.kind == Boxes:
		s.boxes = boxesOf(b.items)
	case s.kind.isRound():
		s.rounds = roundsOf(b.items, readers)
	default:
		s.blocks = b.fill(readers)
		if moved != nil {
			s.moved = b.fill(moved)
		}
	}
	b.finish(s)
	return s, nil
}

// newReaders returns a reader for each geometry.
func newReaders(geometries []Geometry) []reader {
	readers := make([]reader, len(geometries))
	for i := range readers {
		readers[i] = newReader(&geometries[i])
		readers[i].source = readers[i].sourceOf()
	}
	return readers
}

// startsOf returns the number of the first primitive of each geometry, counted over all geometries, and the number of all primitives.
func startsOf(readers []reader) []int {
	starts := make([]int, len(readers)+1)
	for i := range readers {
		starts[i+1] = starts[i] + int(readers[i].g.Primitives)
	}
	return starts
}

// readChunkSize is the number of primitives that a goroutine reads at a time.
const readChunkSize = 1 << 10

// readItems returns the boxes of the active primitives, in the order of geometries and primitives.
func readItems(readers []reader, starts []int, team *team) []item {
	list := scratchItems.take(starts[len(readers)])
	return readAll(readers, starts, team, list, func(_ int, list []item) func(x *batch, it *item) int {
		return func(x *batch, it *item) int {
			n := 1
			if it != nil {
				list[0] = *it
			} else {
				n = x.items(list)
			}
			list = list[n:]
			return n
		}
	})
}

// readAll fills list, which has an element for each primitive, with the active ones, in the order of geometries and primitives, and
// returns its used part. For each chunk of primitives, with its number and its part of list, writer returns a function that adds the
// active triangles of a batch, or the item if it is not nil, and returns how many they are.
func readAll[T any](readers []reader, starts []int, team *team, list []T, writer func(c int, list []T) func(x *batch, it *item) int) []T {
	chunks := (len(list) + readChunkSize - 1) / readChunkSize
	active := make([]int, chunks)
	team.each(chunks, func(c int) {
		from, to := c*readChunkSize, min((c+1)*readChunkSize, len(list))
		active[c] = readChunk(readers, starts, from, to, writer(c, list[from:to]))
	})
	n := 0
	for c, k := range active {
		if n != c*readChunkSize {
			copy(list[n:n+k], list[c*readChunkSize:][:k])
		}
		n += k
	}
	return list[:n]
}

// readChunk writes the active primitives with the numbers from from to to, and returns how many there are.
func readChunk(readers []reader, starts []int, from, to int, write func(x *batch, it *item) int) (n int) {
	var x batch
	g := 0
	for i := from; i < to; i++ {
		for starts[g+1] <= i {
			g++
		}
		primitive := uint32(i - starts[g])
		if r := &readers[g]; r.g.Kind != Triangles || r.moved != nil {
			n += x.flush(readers, write)
			if it, ok := readItem(&readers[g], uint32(g), primitive); ok {
				n += write(nil, &it)
			}
			continue
		}
		if x.add(uint32(g), primitive); x.count == batchSize {
			n += x.flush(readers, write)
		}
	}
	return n + x.flush(readers, write)
}

// flush reads the triangles, writes them and removes them. It returns how many are active.
func (b *batch) flush(readers []reader, write func(x *batch, it *item) int) (n int) {
	if b.count > 0 {
		b.read(readers)
		n = write(b, nil)
		b.count = 0
	}
	return n
}

// readItem returns the box of a primitive.
func readItem(r *reader, geometry, primitive uint32) (it item, ok bool) {
	it.geometry, it.primitive = geometry, primitive
	if r.g.Kind == Boxes {
		it.lo, it.hi, ok = r.box(primitive)
		return it, ok
	}
	if r.g.Kind.isRound() {
		x, ok := r.round(primitive)
		it.lo, it.hi = x.bounds()
		return it, ok
	}
	t, ok := r.triangle(primitive)
	if !ok {
		return it, false
	}
	it.lo, it.hi = t.bounds()
	if r.moved == nil {
		return it, true
	}
	if t, ok = r.moved.triangle(primitive); ok {
		lo, hi := t.bounds()
		box := bounds{it.lo, it.hi}
		box.add(&lo, &hi)
		it.lo, it.hi = box.lo, box.hi
	}
	return it, ok
}

// boxesOf returns the boxes of items.
func boxesOf(items []item) []box {
	boxes := make([]box, len(items))
	for i := range items {
		it := &items[i]
		boxes[i] = box{it.lo, it.hi, it.geometry, it.primitive}
	}
	return boxes
}

const (
	// maxSpread is the largest spread of an instance whose box is in the tree, and how many times as large as the
	// coordinates of its box the offset of its padding may be. The box of an instance beyond it is everything: the
	// padding for its rounding errors would slow down the rays of all other instances.
	maxSpread = 64
	// topSlack is by how much more boxes grow in a top level than in the bottom levels: their rays have rounded
	// origins and directions.
	topSlack = 4
)

// buildTop builds a top level.
func buildTop(in *Input) (*Structure, error) {
	if in.count() > maxPrimitives {
		return nil, ErrTooLarge
	}
	s := &Structure{top: true, flags: in.Flags, root: emptyRef, spread: 1}
	b := newBuilder(in, in.count())
	defer b.release()
	b.items = s.placeAll(in, b.team)
	b.single, b.numbered = true, true
	build := b.build
	if b.fast {
		build = func() error { return b.buildFast(nil) }
	}
	if err := build(); err != nil {
		return nil, err
	}
	b.finish(s)
	return s, nil
}

// placeChunk is the number of instances that a goroutine places at a time.
const placeChunk = 1 << 9

// placeAll sets the instances, the reach and the spread, and returns the boxes of the active instances.
func (s *Structure) placeAll(in *Input, team *team) []item {
	n := in.count()
	s.instances = fresh[placed](n)
	s.bottoms = make([]*Structure, n)
	var motions sync.Once
	items := scratchItems.take(n)
	chunks := make([]Structure, (n+placeChunk-1)/placeChunk) // the instances of a chunk, with their reach and spread
	counts := make([]int, len(chunks))
	team.each(len(chunks), func(c int) {
		from, to := c*placeChunk, min((c+1)*placeChunk, n)
		part := &chunks[c]
		part.instances = s.instances[from:to]
		part.bottoms = s.bottoms[from:to]
		counts[c] = part.placePart(items[from:to], uint32(from), in.decoder(), func(i int, m *InstanceMotion) {
			motions.Do(func() { s.motions = make([]*InstanceMotion, n) })
			s.motions[i] = m
		})
	})
	s.reach, s.spread = 0, 1
	active := 0
	for c, k := range counts {
		s.reach, s.spread = max(s.reach, chunks[c].reach), max(s.spread, chunks[c].spread)
		if active != c*placeChunk {
			copy(items[active:active+k], items[c*placeChunk:][:k])
		}
		active += k
	}
	return items[:active]
}

// placePart is placeAll for the instances from number first on, which s has. It calls move for those that move, and returns the number
// of active ones.
func (s *Structure) placePart(items []item, first uint32, decode func(i int, x *Instance), move func(i int, m *InstanceMotion)) (n int) {
	var in Instance
	for i := range s.instances {
		var x placement
		in = Instance{}
		decode(int(first)+i, &in)
		s.bottoms[i] = in.Bottom
		if in.Motion != nil {
			move(int(first)+i, in.Motion)
		}
		p := &s.instances[i]
		if p.put(&in, &x); !p.active {
			continue
		}
		it := &items[n] // in place: a copy would wait for the parts that are written
		it.geometry, it.primitive = 0, first+uint32(i)
		if s.include(&x) {
			it.lo, it.hi = vec(x.lo[:3]), vec(x.hi[:3])
		} else {
			const most = math.MaxFloat32
			it.lo, it.hi = vec{-most, -most, -most}, vec{most, most, most}
		}
		n++
	}
	return n
}

// include grows the reach and the spread of s by an instance. It reports whether the instance can have a box.
func (s *Structure) include(x *placement) bool {
	if !x.bounded {
		return false
	}
	scale := max(topSlack*x.scale, 1)
	if scale > float64(s.spread) {
		s.spread = up32(scale)
	}
	if far := topSlack * x.offset; far > float64(s.reach)*scale {
		s.reach = up32(far / scale)
	}
	s.reach = max32(x.reach, s.reach)
	return true
}

// reachOf returns the largest absolute coordinate of a box. The bits of floats without a sign compare as the floats do.
func reachOf(lo, hi vec) float32 {
	const sign = 1 << 31
	var r uint32
	for k := range lo {
		r = max(r, math.Float32bits(lo[k])&^sign, math.Float32bits(hi[k])&^sign)
	}
	return math.Float32frombits(r)
}
