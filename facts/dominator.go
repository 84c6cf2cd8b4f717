package facts

import "github.com/chiaro-gpu/chiaro/internal/dominator"

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
		d.edges = make([][2]int32, 0, need)
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
	d.solver.Solve(n, edges, root)
	vertex, idom := d.solver.Vertex, d.solver.Idom
	pre, size := d.solver.Preorder()
	for i, v := range vertex {
		if int(v) >= len(f.Blocks) {
			continue
		}
		x := of(&f.Blocks[v])
		x.pre, x.post = pre[i], pre[i]+size[i]-1
		if up := vertex[idom[i]]; i > 0 && int(up) < len(f.Blocks) {
			x.idom = &f.Blocks[up]
		}
	}
}

// dominators computes the dominator trees of functions, in memory that it uses again.
type dominators struct {
	solver dominator.Solver
	edges  [][2]int32
}
