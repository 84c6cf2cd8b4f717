package ray

import (
	"sync"
	"sync/atomic"
)

// builder builds a binary tree over items by splits, and then joins its nodes to wide ones.
//
// The numbers of binary nodes depend on the schedule of the goroutines that make them, but the wide tree does not: it has the nodes
// in the order of a traversal.
type builder struct {
	items []item
	// single: a leaf has one item; otherwise it has blocks of four. low: parts of up to lowItems are not divided (BuildLowMemory).
	single, low bool
	// numbered: a leaf refers to the number of its primitive, not to the index of its item.
	numbered bool
	team     *team
	// idle has a list of new nodes for each function that may start: no access waits.
	idle   chan *nodeRun
	binary binaryNodes

	// fast: the tree divides a Morton curve (buildMorton). keys are the sorted codes, with the numbers of the triangles, which have no
	// items; starts holds the number of the first triangle of each geometry, and the number of all triangles; readers read them.
	fast    bool
	keys    []mortonKey
	starts  []int
	readers []reader
	// points has the memory of keys, or spare.
	points []point
	spare  []mortonKey
	// boxes are the boxes of the blocks of triangles.
	boxes []wideBounds
	// stop is Input.Stop; lock guards its calls, and stopped is set after an error, which is in err.
	stop    func() error
	lock    sync.Mutex
	stopped atomic.Bool
	err     error

	// branch is the wide tree. While grain is not 0, parts of at most so many items become tasks.
	branch
	grain int32
	tasks []task
}

// blockRange is the items of a block.
type blockRange struct{ from, to int32 }

// newBuilder returns a builder without items, of which there will be at most so many.
func newBuilder(in *Input, most int) *builder {
	b := &builder{stop: in.Stop}
	if b.fast = in.Flags&BuildPreferFastBuild != 0 && in.Flags&BuildPreferFastTrace == 0; b.fast {
		most /= fastShare
	}
	b.team = newTeam(in.Threads, most)
	return b
}

// buildFast sorts the items, or without items the triangles of the readers, and builds the wide tree.
func (b *builder) buildFast(readers []reader) error {
	if b.shouldStop() {
		return b.err
	}
	if b.single {
		b.sortItems()
	} else {
		b.readers = readers
		b.sortMorton(readers)
	}
	if n := len(b.keys); n > 0 {
		b.grow(&child{to: int32(n)})
		b.shouldStop()
	}
	return b.err
}

// build builds the binary and the wide tree.
func (b *builder) build() error {
	n := len(b.items)
	if n == 0 || b.shouldStop() {
		return b.err
	}
	root := child{nothing(), 0, int32(n), 0}
	lists := mostRunning * b.team.threads()
	b.binary.init(n, lists)
	defer b.binary.release()
	b.idle = make(chan *nodeRun, lists)
	for range lists {
		b.idle <- new(nodeRun)
	}
	if n <= 4*maxLeafBlocks { // no other root is compared with a leaf
		for i := range b.items {
			root.add(&b.items[i].lo, &b.items[i].hi)
		}
	}
	b.divide(&root, 0, new(nodeRun))
	if b.shouldStop() {
		return b.err
	}
	b.grow(&root)
	return nil
}

// release ends the goroutines and gives the memory of the build back.
func (b *builder) release() {
	b.team.close()
	scratchItems.give(b.items)
	scratchBoxes.give(b.boxes)
	scratchPoints.give(b.points)
	scratchKeys.give(b.spare)
	b.branch.release()
	b.items, b.boxes, b.points, b.keys, b.spare = nil, nil, nil, nil, nil
}

// shouldStop reports whether the build must end.
func (b *builder) shouldStop() bool {
	if b.stop == nil {
		return false
	}
	b.lock.Lock()
	defer b.lock.Unlock()
	if b.err == nil {
		b.err = b.stop()
		b.stopped.Store(b.err != nil)
	}
	return b.err != nil
}

const (
	// maxSAHDepth is the depth beyond which splits halve the number of items: the tree is then at most maxDepth deep.
	maxSAHDepth = 40
	// minFork is the least number of items for which a goroutine starts.
	minFork = 128
	// stopItems is the least number of items of a split that asks whether the build must end.
	stopItems = 1 << 16
	// nodeCost and blockCost are the costs of a step from a binary node and of a block of triangles.
	nodeCost, blockCost = 1.0, 1.0
	// lowItems is the number of triangles up to which BuildLowMemory makes a leaf.
	lowItems = 32
)

// divide splits c and its children until they are leaves, on all free goroutines. The new nodes come from run.
func (b *builder) divide(c *child, depth int, run *nodeRun) {
	if b.team == nil || c.to-c.from < 2*minFork {
		b.divideAlone(c, depth, run)
		return
	}
	started := group{team: b.team}
	defer started.wait()
	for {
		m := b.split(c, depth, run)
		if m == 0 {
			return
		}
		c.split = m
		n := b.binary.at(m)
		depth++
		left, leftDepth := &n.left, depth
		if !started.start(func() {
			other := <-b.idle
			b.divide(left, leftDepth, other)
			b.idle <- other
		}) {
			b.divide(left, depth, run)
		}
		if c = &n.right; c.to-c.from < 2*minFork {
			b.divideAlone(c, depth, run)
			return
		}
	}
}

// divideAlone is divide on the caller alone.
func (b *builder) divideAlone(c *child, depth int, run *nodeRun) {
	for m := b.split(c, depth, run); m != 0; m = b.split(c, depth, run) {
		c.split = m
		n := b.binary.at(m)
		depth++
		b.divideAlone(&n.left, depth, run)
		c = &n.right
	}
}

// split divides c and returns the number of its node, from run, or 0 if c is a leaf.
func (b *builder) split(c *child, depth int, run *nodeRun) int32 {
	n := int(c.to - c.from)
	if n == 1 || !b.single && (n <= 4 || n <= lowItems && b.low) || b.stopped.Load() || n >= stopItems && b.shouldStop() {
		return 0
	}
	items := b.items[c.from:c.to]
	if depth >= maxSAHDepth || n == 2 {
		return b.cut(c, n/2, run)
	}
	var bin binning
	b.bin(&bin, items)
	s, ok := bin.best(b.single)
	if !b.single && n <= 4*maxLeafBlocks {
		blocks := float64((n + 3) / 4)
		if !ok || nodeCost*c.area()+blockCost*s.cost >= blockCost*blocks*c.area() {
			return 0
		}
	}
	if !ok {
		return b.cut(c, n/2, run)
	}
	return b.partition(c, &bin, s, run)
}

// binChunk is the largest number of items that a goroutine adds to bins at a time, and minBinChunk the least one.
const binChunk, minBinChunk = 1 << 12, 1 << 11

// bin distributes items over bins. Goroutines that are free take a part of many items.
func (b *builder) bin(bin *binning, items []item) {
	n := len(items)
	if n < 2*minBinChunk || b.team == nil {
		centers := middles(items)
		bin.init(&centers, n)
		bin.add(items)
		return
	}
	size := min(max(n/8, minBinChunk), binChunk)
	chunks := (n + size - 1) / size
	part := func(c int) []item { return items[c*size : min((c+1)*size, n)] }
	boxes := make([]wideBounds, chunks)
	b.team.each(chunks, func(c int) { boxes[c] = middles(part(c)) })
	centers := nowhere
	for c := range boxes {
		centers.grow(&boxes[c])
	}
	bin.init(&centers, n)
	parts := make([]binning, chunks)
	b.team.each(chunks, func(c int) {
		parts[c].init(&centers, n)
		parts[c].add(part(c))
	})
	for c := range parts {
		bin.join(&parts[c])
	}
}

// cut divides c after n items, in their order.
func (b *builder) cut(c *child, n int, run *nodeRun) int32 {
	left, right := nothing(), nothing()
	m := int(c.from) + n
	for i := int(c.from); i < m; i++ {
		left.add(&b.items[i].lo, &b.items[i].hi)
	}
	for i := m; i < int(c.to); i++ {
		right.add(&b.items[i].lo, &b.items[i].hi)
	}
	return b.binary.add(run, &binaryNode{child{left, c.from, int32(m), 0}, child{right, int32(m), c.to, 0}})
}

// partition divides c by s.
func (b *builder) partition(c *child, bin *binning, s split, run *nodeRun) int32 {
	i := int(c.from) + bin.partition(b.items[c.from:c.to], s)
	left, right := nothing(), nothing()
	for k := range bin.last[0] + 1 {
		side := &left
		if k >= s.cut {
			side = &right
		}
		if bin.count[s.axis][k] > 0 {
			side.addWide(&bin.box[s.axis][k])
		}
	}
	return b.binary.add(run, &binaryNode{child{left, c.from, int32(i), 0}, child{right, int32(i), c.to, 0}})
}
