package facts

// node is the place of a block in one tree of dominators.
type node struct {
	idom      *Block
	pre, post int32 // the interval of the tree below; 0 where the tree does not have the block
}

func (n *node) above(m *node) bool { return n.pre != 0 && n.pre <= m.pre && m.post <= n.post }

// Dominates reports whether every way from the entry block to b goes through a
// (SPIR-V §2.11). A block dominates itself. Blocks that cannot be reached
// dominate nothing but themselves. It takes constant time.
func Dominates(a, b *Block) bool { return holds(a, b, &a.dom, &b.dom) }

// StructurallyDominates is Dominates on the structural control-flow graph, in
// which a header leads to its merge block and its continue target as well.
func StructurallyDominates(a, b *Block) bool { return holds(a, b, &a.structural, &b.structural) }

// StructurallyPostDominates reports whether every way of the structural
// control-flow graph from b to the end of the function goes through a. A block
// post-dominates itself. It takes constant time.
func StructurallyPostDominates(a, b *Block) bool { return holds(a, b, &a.post, &b.post) }

func holds(a, b *Block, x, y *node) bool { return a == b || a.Func == b.Func && x.above(y) }

// Idom returns the closest block that dominates b and is not b; nil of the
// entry block and of blocks that cannot be reached.
func (b *Block) Idom() *Block { return b.dom.idom }

// StructuralIdom is Idom on the structural control-flow graph.
func (b *Block) StructuralIdom() *Block { return b.structural.idom }

// dominate states the three trees of dominators of a function.
func dominate(f *Function) {
	n := len(f.Blocks)
	var edges [][2]int32
	for i := range f.Blocks {
		for _, t := range f.Blocks[i].Succs {
			edges = append(edges, [2]int32{int32(i), int32(t.Number)})
		}
	}
	tree(f, n, edges, 0, func(b *Block) *node { return &b.dom })
	for i := range f.Blocks {
		b := &f.Blocks[i]
		b.Reachable = b.dom.pre != 0
		for _, t := range [2]*Block{b.MergeBlock, b.Continue} {
			if t != nil {
				edges = append(edges, [2]int32{int32(i), int32(t.Number)})
			}
		}
	}
	tree(f, n, edges, 0, func(b *Block) *node { return &b.structural })
	for i, e := range edges {
		edges[i] = [2]int32{e[1], e[0]}
	}
	for i := range f.Blocks { // the end of the function is node n
		if b := &f.Blocks[i]; len(b.Succs) == 0 && b.MergeBlock == nil && b.Continue == nil {
			edges = append(edges, [2]int32{int32(n), int32(i)})
		}
	}
	tree(f, n+1, edges, n, func(b *Block) *node { return &b.post })
}

// tree states one tree of dominators: that of a graph whose first nodes are the
// blocks of f.
func tree(f *Function, n int, edges [][2]int32, root int, of func(*Block) *node) {
	d := newDominators(n, edges)
	d.search(int32(root))
	d.solve()
	count := len(d.vertex)
	size, next, pre := make([]int32, count), make([]int32, count), make([]int32, count)
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

// dominators computes the closest dominators of a graph by the algorithm of
// Lengauer and Tarjan with path compression: in m·log n steps, whatever the
// graph. All but the edges speak of nodes by their number in a depth-first
// search.
type dominators struct {
	succ, pred adjacency

	number []int32 // of each node, −1 where the search did not find it
	vertex []int32 // the node of each number
	parent []int32 // in the tree of the search

	semi, idom, ancestor, label []int32
	bucket, next                []int32 // lists of the nodes with a given semidominator
	path                        []int32
}

// adjacency is the neighbours of each node: list[at[v]:at[v+1]].
type adjacency struct{ at, list []int32 }

func adjacent(n int, edges [][2]int32, from int) adjacency {
	a := adjacency{make([]int32, n+2), make([]int32, len(edges))}
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

func newDominators(n int, edges [][2]int32) *dominators {
	return &dominators{succ: adjacent(n, edges, 0), pred: adjacent(n, edges, 1), number: make([]int32, n)}
}

// search numbers the nodes depth first.
func (d *dominators) search(root int32) {
	type frame struct{ v, next int32 }
	for i := range d.number {
		d.number[i] = -1
	}
	visit := func(v, parent int32) frame {
		d.number[v] = int32(len(d.vertex))
		d.vertex = append(d.vertex, v)
		d.parent = append(d.parent, parent)
		return frame{v, 0}
	}
	stack := []frame{visit(root, 0)}
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
}

// solve computes idom.
func (d *dominators) solve() {
	n := len(d.vertex)
	room := make([]int32, 6*n)
	for i, p := range []*[]int32{&d.semi, &d.idom, &d.ancestor, &d.label, &d.bucket, &d.next} {
		*p = room[i*n : (i+1)*n]
	}
	for i := range int32(n) {
		d.semi[i], d.label[i], d.ancestor[i], d.bucket[i] = i, i, -1, -1
	}
	for w := int32(n) - 1; w > 0; w-- {
		for _, p := range d.pred.of(d.vertex[w]) {
			if v := d.number[p]; v >= 0 {
				d.semi[w] = min(d.semi[w], d.semi[d.best(v)])
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

// best returns the node with the smallest semidominator on the way from v up
// the forest, its root excluded, and shortens the way.
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
