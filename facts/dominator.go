package facts

// node is the position of a block in one dominator tree.
type node struct {
	idom      *Block
	pre, post int32 // preorder numbers of the block and of its last descendant; 0 outside the tree
}

// above reports whether n is an ancestor of m or m itself: one interval test.
func (n *node) above(m *node) bool { return n.pre != 0 && n.pre <= m.pre && m.post <= n.post }

// Dominates reports whether every path from the entry block to b goes through a
// (SPIR-V §2.11). A block dominates itself. An unreachable block dominates
// nothing but itself. Constant time.
func Dominates(a, b *Block) bool { return holds(a, b, &a.dom, &b.dom) }

// StructurallyDominates is Dominates on the structural control-flow graph, in
// which a header has edges to its merge block and its continue target as well.
func StructurallyDominates(a, b *Block) bool { return holds(a, b, &a.structural, &b.structural) }

// StructurallyPostDominates reports whether every path of the structural
// control-flow graph from b to the end of the function goes through a. A block
// post-dominates itself. Constant time.
func StructurallyPostDominates(a, b *Block) bool { return holds(a, b, &a.post, &b.post) }

func holds(a, b *Block, x, y *node) bool { return a == b || a.Func == b.Func && x.above(y) }

// Ends reports whether a path of the structural control-flow graph leads from b to the end of
// the function. Every block post-dominates a block without one, but
// StructurallyPostDominates reports false for it.
func (b *Block) Ends() bool { return b.post.pre != 0 }

// Idom returns the immediate dominator of b; nil for the entry block and for
// unreachable blocks.
func (b *Block) Idom() *Block { return b.dom.idom }

// StructuralIdom is Idom on the structural control-flow graph.
func (b *Block) StructuralIdom() *Block { return b.structural.idom }

// dominate computes the three dominator trees of a function: of the control-flow
// graph, of the structural one, and of the structural one reversed.
func (d *dominators) dominate(f *Function) {
	n := len(f.Blocks)
	if n == 1 && len(f.Blocks[0].Succs) == 0 && f.Blocks[0].MergeBlock == nil && f.Blocks[0].Continue == nil {
		b := &f.Blocks[0] // a function of one block, the most frequent kind
		b.Reachable = true
		b.dom, b.structural, b.post = node{pre: 1, post: 1}, node{pre: 1, post: 1}, node{pre: 2, post: 2}
		return
	}
	need := 0 // edges of the largest of the three graphs
	for i := range f.Blocks {
		need += len(f.Blocks[i].Succs) + 1
		if f.Blocks[i].MergeBlock != nil {
			need++
		}
	}
	if cap(d.edges) < need {
		d.edges, d.stack = make([][2]int32, 0, need), make([]frame, 0, n+1)
	}
	edges := d.edges[:0]
	for i := range f.Blocks {
		for _, t := range f.Blocks[i].Succs {
			edges = append(edges, [2]int32{int32(i), int32(t.Number)})
		}
	}
	d.tree(f, n, edges, 0, func(b *Block) *node { return &b.dom })
	for i := range f.Blocks {
		b := &f.Blocks[i]
		b.Reachable = b.dom.pre != 0
		for _, t := range [2]*Block{b.MergeBlock, b.Continue} {
			if t != nil {
				edges = append(edges, [2]int32{int32(i), int32(t.Number)})
			}
		}
	}
	d.tree(f, n, edges, 0, func(b *Block) *node { return &b.structural })
	for i, e := range edges {
		edges[i] = [2]int32{e[1], e[0]}
	}
	for i := range f.Blocks { // node n is the end of the function
		if b := &f.Blocks[i]; len(b.Succs) == 0 && b.MergeBlock == nil && b.Continue == nil {
			edges = append(edges, [2]int32{int32(n), int32(i)})
		}
	}
	d.tree(f, n+1, edges, n, func(b *Block) *node { return &b.post })
	d.edges = edges
}

// tree computes one dominator tree and stores it in the nodes returned by of.
// The first len(f.Blocks) nodes of the graph are the blocks of f.
func (d *dominators) tree(f *Function, n int, edges [][2]int32, root int, of func(*Block) *node) {
	d.start(n, edges)
	d.search(int32(root))
	d.solve()
	count := len(d.vertex)
	size, next, pre := d.semi, d.next, d.label // reuses the memory of arrays that solve is done with
	clear(size)
	for i := count - 1; i > 0; i-- {
		size[i]++
		size[d.idom[i]] += size[i]
	}
	size[0]++
	pre[0], next[0] = 1, 2
	for i := 1; i < count; i++ {
		up := d.idom[i]
		pre[i] = next[up]
		next[up] += size[i]
		next[i] = pre[i] + 1
	}
	for i, v := range d.vertex {
		if int(v) >= len(f.Blocks) {
			continue
		}
		x := of(&f.Blocks[v])
		x.pre, x.post = pre[i], pre[i]+size[i]-1
		if up := d.vertex[d.idom[i]]; i > 0 && int(up) < len(f.Blocks) {
			x.idom = &f.Blocks[up]
		}
	}
}

// dominators computes the immediate dominators of a graph with the algorithm of
// Lengauer and Tarjan (1979) with path compression: O(m·log n) steps for any
// graph, a hostile one included. All arrays except the edges are indexed by
// depth-first number and hold depth-first numbers.
type dominators struct {
	succ, pred adjacency

	number []int32 // depth-first number of each node; −1 if it is unreachable
	vertex []int32 // the node of each depth-first number
	parent []int32 // in the depth-first tree

	semi, idom, ancestor, label []int32
	bucket, next                []int32 // linked lists of the nodes with a given semidominator
	path                        []int32

	// Scratch memory, reused from graph to graph.
	edges [][2]int32
	stack []frame
	arena []int32
	rest  []int32 // the free part of arena
}

// frame is a node on the stack of the depth-first search, and its next neighbour.
type frame struct{ v, next int32 }

// take allocates n zeroed numbers from the arena.
func (d *dominators) take(n int) []int32 {
	out := d.rest[:n:n]
	d.rest = d.rest[n:]
	clear(out)
	return out
}

// adjacency is the neighbours of each node v: list[at[v]:at[v+1]].
type adjacency struct{ at, list []int32 }

func (d *dominators) adjacent(n int, edges [][2]int32, from int) adjacency {
	a := adjacency{d.take(n + 2), d.take(len(edges))}
	for _, e := range edges {
		a.at[e[from]+2]++
	}
	for i := 2; i < len(a.at); i++ {
		a.at[i] += a.at[i-1]
	}
	for _, e := range edges {
		p := &a.at[e[from]+1]
		a.list[*p] = e[1-from]
		*p++
	}
	return a
}

func (a adjacency) of(v int32) []int32 { return a.list[a.at[v]:a.at[v+1]] }

// start begins a graph of n nodes.
func (d *dominators) start(n int, edges [][2]int32) {
	need := 11*n + 4 + 2*len(edges)
	if cap(d.arena) < need {
		d.arena = make([]int32, need+need/4)
	}
	d.rest = d.arena[:cap(d.arena)]
	d.succ, d.pred = d.adjacent(n, edges, 0), d.adjacent(n, edges, 1)
	d.number, d.vertex, d.parent = d.take(n), d.take(n)[:0], d.take(n)[:0]
}

// search numbers the nodes in depth-first order.
func (d *dominators) search(root int32) {
	for i := range d.number {
		d.number[i] = -1
	}
	visit := func(v, parent int32) frame {
		d.number[v] = int32(len(d.vertex))
		d.vertex = append(d.vertex, v)
		d.parent = append(d.parent, parent)
		return frame{v, 0}
	}
	stack := append(d.stack[:0], visit(root, 0))
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		list := d.succ.of(top.v)
		if int(top.next) == len(list) {
			stack = stack[:len(stack)-1]
			continue
		}
		w := list[top.next]
		top.next++
		if d.number[w] < 0 {
			stack = append(stack, visit(w, d.number[top.v]))
		}
	}
	d.stack = stack
}

// solve computes idom: semidominators in reverse depth-first order, then explicit
// dominators in depth-first order.
func (d *dominators) solve() {
	n := len(d.vertex)
	for _, p := range [...]*[]int32{&d.semi, &d.idom, &d.ancestor, &d.label, &d.bucket, &d.next} {
		*p = d.take(n)
	}
	for i := range int32(n) {
		d.semi[i], d.label[i], d.ancestor[i], d.bucket[i] = i, i, -1, -1
	}
	for w := int32(n) - 1; w > 0; w-- {
		for _, p := range d.pred.of(d.vertex[w]) {
			switch v := d.number[p]; {
			case v > w:
				d.semi[w] = min(d.semi[w], d.semi[d.best(v)])
			case v >= 0: // not in the forest yet
				d.semi[w] = min(d.semi[w], v)
			}
		}
		s, up := d.semi[w], d.parent[w]
		d.next[w], d.bucket[s] = d.bucket[s], w
		d.ancestor[w] = up
		for v := d.bucket[up]; v >= 0; v = d.next[v] {
			if u := d.best(v); d.semi[u] < d.semi[v] {
				d.idom[v] = u
			} else {
				d.idom[v] = up
			}
		}
		d.bucket[up] = -1
	}
	for w := 1; w < n; w++ {
		if d.idom[w] != d.semi[w] {
			d.idom[w] = d.idom[d.idom[w]]
		}
	}
}

// best returns the node with the smallest semidominator on the path from v up
// the forest, its root excluded, and compresses the path (EVAL of the paper).
func (d *dominators) best(v int32) int32 {
	if d.ancestor[v] < 0 {
		return d.label[v]
	}
	d.path = d.path[:0]
	for x := v; d.ancestor[d.ancestor[x]] >= 0; x = d.ancestor[x] {
		d.path = append(d.path, x)
	}
	for i := len(d.path) - 1; i >= 0; i-- {
		x := d.path[i]
		a := d.ancestor[x]
		if d.semi[d.label[a]] < d.semi[d.label[x]] {
			d.label[x] = d.label[a]
		}
		d.ancestor[x] = d.ancestor[a]
	}
	return d.label[v]
}
