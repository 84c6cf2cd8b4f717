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
	threads  int
	// free counts goroutines that may start.
	free   atomic.Int32
	binary binaryNodes

	// fast: the tree divides a Morton curve (buildMorton). keys are the sorted codes, with the numbers of the triangles, which have no
	// items; starts holds the number of the first triangle of each geometry, and the number of all triangles.
	fast   bool
	keys   []mortonKey
	starts []int
	// points has the memory of keys, or spare.
	points []point
	spare  []mortonKey
	// boxes are those of the blocks of triangles.
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

// child is a part of the binary tree: items from to to, with the children of node split; split is 0 in a leaf.
type child struct {
	bounds
	from, to, split int32
}

// binaryNode is the children of a split.
type binaryNode struct{ left, right child }

// binaryNodes is a list of nodes, numbered from 1 on. Its chunks exist once they have a node: a tree of triangles has one node for
// about five of them.
type binaryNodes struct {
	last   atomic.Int32
	few    []binaryNode // all nodes of a tree over fewer items than a chunk has nodes; nil for other trees
	lock   sync.Mutex
	chunks []atomic.Pointer[binaryChunk]
}

// binaryChunk is the nodes that exist together, about 300 KB.
type binaryChunk [1 << 12]binaryNode

// init prepares the list for a tree over n items.
func (l *binaryNodes) init(n int) {
	if n < len(binaryChunk{}) {
		l.few = make([]binaryNode, n+1) // a node has an item on each side, so that there are fewer nodes than items
		return
	}
	l.chunks = make([]atomic.Pointer[binaryChunk], n/len(binaryChunk{})+1)
}

// add adds a node and returns its number. Goroutines may add at the same time.
func (l *binaryNodes) add(n binaryNode) int32 {
	i := l.last.Add(1)
	if l.few != nil {
		l.few[i] = n
		return i
	}
	at := &l.chunks[int(i)/len(binaryChunk{})]
	chunk := at.Load()
	if chunk == nil {
		l.lock.Lock()
		if chunk = at.Load(); chunk == nil {
			chunk = new(binaryChunk)
			at.Store(chunk)
		}
		l.lock.Unlock()
	}
	chunk[int(i)%len(chunk)] = n
	return i
}

// at returns a node.
func (l *binaryNodes) at(i int32) *binaryNode {
	if l.few != nil {
		return &l.few[i]
	}
	chunk := l.chunks[int(i)/len(binaryChunk{})].Load()
	return &chunk[int(i)%len(chunk)]
}

// blockRange is the items of a block.
type blockRange struct{ from, to int32 }

// newBuilder returns a builder without items.
func newBuilder(in *Input) *builder {
	b := &builder{threads: max(in.Threads, 1), stop: in.Stop}
	b.fast = in.Flags&BuildPreferFastBuild != 0 && in.Flags&BuildPreferFastTrace == 0
	b.free.Store(int32(b.threads - 1))
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
	b.binary.init(n)
	if n <= 4*maxLeafBlocks { // no other root is compared with a leaf
		for i := range b.items {
			root.add(&b.items[i].lo, &b.items[i].hi)
		}
	}
	b.divide(&root, 0)
	if b.shouldStop() {
		return b.err
	}
	b.grow(&root)
	b.binary.chunks = nil
	return nil
}

// release gives the memory of the build back.
func (b *builder) release() {
	scratchItems.give(b.items)
	scratchPoints.give(b.points)
	scratchKeys.give(b.spare)
	b.branch.release()
	b.items, b.points, b.keys, b.spare = nil, nil, nil, nil
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
	minFork = 1024
	// stopItems is the least number of items of a split that asks whether the build must end.
	stopItems = 1 << 16
	// nodeCost and blockCost are the costs of a step from a binary node and of a block of triangles.
	nodeCost, blockCost = 1.0, 1.0
	// lowItems is the number of triangles up to which BuildLowMemory makes a leaf.
	lowItems = 32
)

// divide splits c and its children until they are leaves.
func (b *builder) divide(c *child, depth int) {
	var wait sync.WaitGroup
	defer wait.Wait()
	for {
		m := b.split(c, depth)
		if m == 0 {
			return
		}
		c.split = m
		n := b.binary.at(m)
		depth++
		if c.to-c.from >= 2*minFork && b.free.Add(-1) >= 0 {
			left, leftDepth := &n.left, depth
			wait.Go(func() {
				b.divide(left, leftDepth)
				b.free.Add(1)
			})
		} else {
			if c.to-c.from >= 2*minFork {
				b.free.Add(1)
			}
			b.divide(&n.left, depth)
		}
		c = &n.right
	}
}

// split divides c and returns the number of its node, or 0 if c is a leaf.
func (b *builder) split(c *child, depth int) int32 {
	n := int(c.to - c.from)
	if n == 1 || !b.single && (n <= 4 || n <= lowItems && b.low) || b.stopped.Load() || n >= stopItems && b.shouldStop() {
		return 0
	}
	items := b.items[c.from:c.to]
	if depth >= maxSAHDepth || n == 2 {
		return b.cut(c, n/2)
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
		return b.cut(c, n/2)
	}
	return b.partition(c, &bin, s)
}

// binChunk is the number of items that a goroutine adds to bins at a time.
const binChunk = 1 << 13

// bin distributes items over bins. Goroutines that are free take a part of many items.
func (b *builder) bin(bin *binning, items []item) {
	n := len(items)
	if n < 2*binChunk {
		centers := middles(items)
		bin.init(&centers, n)
		bin.add(items)
		return
	}
	helpers := int32(0)
	for b.free.Add(-1) >= 0 {
		helpers++
	}
	b.free.Add(1)
	defer b.free.Add(helpers)
	chunks := (n + binChunk - 1) / binChunk
	part := func(c int) []item { return items[c*binChunk : min((c+1)*binChunk, n)] }
	boxes := make([]wideBounds, chunks)
	parallel(1+int(helpers), chunks, func(c int) { boxes[c] = middles(part(c)) })
	centers := nowhere
	for c := range boxes {
		centers.grow(&boxes[c])
	}
	bin.init(&centers, n)
	parts := make([]binning, chunks)
	parallel(1+int(helpers), chunks, func(c int) {
		parts[c].init(&centers, n)
		parts[c].add(part(c))
	})
	for c := range parts {
		bin.join(&parts[c])
	}
}

// cut divides c after n items, in their order.
func (b *builder) cut(c *child, n int) int32 {
	left, right := nothing(), nothing()
	m := int(c.from) + n
	for i := int(c.from); i < m; i++ {
		left.add(&b.items[i].lo, &b.items[i].hi)
	}
	for i := m; i < int(c.to); i++ {
		right.add(&b.items[i].lo, &b.items[i].hi)
	}
	return b.binary.add(binaryNode{child{left, c.from, int32(m), 0}, child{right, int32(m), c.to, 0}})
}

// partition divides c by s.
func (b *builder) partition(c *child, bin *binning, s split) int32 {
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
	return b.binary.add(binaryNode{child{left, c.from, int32(i), 0}, child{right, int32(i), c.to, 0}})
}
