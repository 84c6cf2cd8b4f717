// Package dominator finds the immediate dominators of graphs, for the control flow of SPIR-V and of PTX. It knows nodes by number alone.
package dominator

// Solver computes the immediate dominators of a graph with the algorithm of
// Lengauer and Tarjan (1979) with path compression: O(m·log n) steps for any
// graph, a hostile one included. All arrays except the edges are indexed by
// depth-first number and hold depth-first numbers.
type Solver struct {
	succ, pred adjacency

	number []int32 // depth-first number of each node; −1 if it is unreachable
	Vertex []int32 // the node of each depth-first number; nodes without one are unreachable
	parent []int32 // in the depth-first tree

	Idom                  []int32 // the immediate dominator of each depth-first number, but for the root
	semi, ancestor, label []int32
	bucket, next          []int32 // linked lists of the nodes with a given semidominator
	path                  []int32

	// Scratch memory, reused from graph to graph.
	stack []frame
	arena []int32
	rest  []int32 // the free part of arena
}

// Solve finds the immediate dominators of the nodes of a graph that a path from
// the root leads to. The graph has n nodes; an edge leads from its first to its
// second node. Vertex and Idom are valid until the next call.
func (d *Solver) Solve(n int, edges [][2]int32, root int) {
	d.start(n, edges)
	d.search(int32(root))
	d.solve()
}

// Preorder returns, by depth-first number, the preorder numbers of the nodes in
// the dominator tree, from 1, and the sizes of their subtrees. Valid until the
// next call of Solve.
func (d *Solver) Preorder() (pre, size []int32) {
	count := len(d.Vertex)
	size, next, pre := d.semi, d.next, d.label // reuses the memory of arrays that solve is done with
	clear(size)
	for i := count - 1; i > 0; i-- {
		size[i]++
		size[d.Idom[i]] += size[i]
	}
	size[0]++
	pre[0], next[0] = 1, 2
	for i := 1; i < count; i++ {
		up := d.Idom[i]
		pre[i] = next[up]
		next[up] += size[i]
		next[i] = pre[i] + 1
	}
	return pre, size
}

// Reset empties the solver. It keeps lists of up to the given number of elements for the next graph.
func (d *Solver) Reset(retained int) {
	old := *d
	*d = Solver{}
	if cap(old.arena) <= retained {
		d.arena = old.arena[:0]
	}
	if cap(old.path) <= retained {
		d.path = old.path[:0]
	}
	if cap(old.stack) <= retained {
		d.stack = old.stack[:0]
	}
}

// frame is a node on the stack of the depth-first search, and its next neighbour.
type frame struct{ v, next int32 }

// take allocates n zeroed numbers from the arena.
func (d *Solver) take(n int) []int32 {
	out := d.rest[:n:n]
	d.rest = d.rest[n:]
	clear(out)
	return out
}

// adjacency is the neighbours of each node v: list[at[v]:at[v+1]].
type adjacency struct{ at, list []int32 }

func (d *Solver) adjacent(n int, edges [][2]int32, from int) adjacency {
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
func (d *Solver) start(n int, edges [][2]int32) {
	need := 11*n + 4 + 2*len(edges)
	if cap(d.arena) < need {
		d.arena = make([]int32, need+need/4)
	}
	d.rest = d.arena[:cap(d.arena)]
	d.succ, d.pred = d.adjacent(n, edges, 0), d.adjacent(n, edges, 1)
	d.number, d.Vertex, d.parent = d.take(n), d.take(n)[:0], d.take(n)[:0]
}

// search numbers the nodes in depth-first order.
func (d *Solver) search(root int32) {
	for i := range d.number {
		d.number[i] = -1
	}
	visit := func(v, parent int32) frame {
		d.number[v] = int32(len(d.Vertex))
		d.Vertex = append(d.Vertex, v)
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
func (d *Solver) solve() {
	n := len(d.Vertex)
	for _, p := range [...]*[]int32{&d.semi, &d.Idom, &d.ancestor, &d.label, &d.bucket, &d.next} {
		*p = d.take(n)
	}
	for i := range int32(n) {
		d.semi[i], d.label[i], d.ancestor[i], d.bucket[i] = i, i, -1, -1
	}
	for w := int32(n) - 1; w > 0; w-- {
		for _, p := range d.pred.of(d.Vertex[w]) {
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
				d.Idom[v] = u
			} else {
				d.Idom[v] = up
			}
		}
		d.bucket[up] = -1
	}
	for w := 1; w < n; w++ {
		if d.Idom[w] != d.semi[w] {
			d.Idom[w] = d.Idom[d.Idom[w]]
		}
	}
}

// best returns the node with the smallest semidominator on the path from v up
// the forest, its root excluded, and compresses the path (EVAL of the paper).
func (d *Solver) best(v int32) int32 {
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
