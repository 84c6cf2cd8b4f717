package ray

import (
	"sync"
	"sync/atomic"
)

// child is a part of the binary tree: items from to to, with the children of node split; split is 0 in a leaf.
type child struct {
	bounds
	from, to, split int32
}

// size returns the number of items.
func (c *child) size() int { return int(c.to - c.from) }

// binaryNode is the children of a split.
type binaryNode struct{ left, right child }

const (
	// runNodes is the number of nodes that a goroutine takes at a time: no other one writes to their cache lines.
	runNodes = 1 << 6
	// binaryChunk is the number of nodes that exist together, about 300 KB.
	binaryChunk = 1 << 12
)

// binaryNodes is a list of nodes. Its chunks exist once they have a node: a tree of triangles has one node for about five of them.
type binaryNodes struct {
	few    []binaryNode // all nodes of a tree over fewer items than a chunk has nodes; nil for other trees
	chunks []atomic.Pointer[[binaryChunk]binaryNode]
	lock   sync.Mutex // of runs, and of new chunks
	runs   int32      // the number of runs that goroutines took; the nodes of run 0 do not exist, so that no node has the number 0
}

// nodeRun is the nodes that a goroutine may add next: part of a list from number first on. It fills a cache line.
type nodeRun struct {
	nodes []binaryNode
	first int32
	_     [9]int32
}

// init prepares the list for a tree over n items, by one list of new nodes for the caller and some for other functions, each of which may
// leave a run that it does not fill.
func (l *binaryNodes) init(n, lists int) {
	most := n + (lists+1)*runNodes // a node has an item on each side, so that there are fewer nodes than items
	if n < binaryChunk {
		l.few = scratchNodes.take(most)
		return
	}
	l.chunks = make([]atomic.Pointer[[binaryChunk]binaryNode], most/binaryChunk+1)
}

// release gives the memory of the list back.
func (l *binaryNodes) release() {
	scratchNodes.give(l.few)
	l.few, l.chunks = nil, nil
}

// take makes run the next nodes that no goroutine has.
func (l *binaryNodes) take(run *nodeRun) {
	l.lock.Lock()
	defer l.lock.Unlock()
	l.runs++
	run.first = l.runs * runNodes
	if l.few != nil {
		run.nodes = l.few[run.first-runNodes:][:runNodes] // the list has no memory of run 0
		return
	}
	at := &l.chunks[run.first/binaryChunk]
	if at.Load() == nil {
		at.Store(new([binaryChunk]binaryNode))
	}
	run.nodes = at.Load()[run.first%binaryChunk:][:runNodes]
}

// add adds a node to the run of the calling goroutine and returns its number.
func (l *binaryNodes) add(run *nodeRun, n *binaryNode) int32 {
	if len(run.nodes) == 0 {
		l.take(run)
	}
	i := run.first
	run.nodes[0] = *n
	run.nodes = run.nodes[1:]
	run.first++
	return i
}

// at returns a node.
func (l *binaryNodes) at(i int32) *binaryNode {
	if l.few != nil {
		return &l.few[i-runNodes]
	}
	return &l.chunks[i/binaryChunk].Load()[i%binaryChunk]
}
