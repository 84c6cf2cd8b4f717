package ptxlower

// dominators is the state of the search for immediate dominators (Lengauer & Tarjan 1979, with path compression alone): n log n of edges.
type dominators struct {
	*flow
	number []int // of a node in a depth-first search
	nodes  []int // by number
	parent []int // in the tree of the search
	semi   []int // the number of the semidominator so far
	above  []int // in the forest of the nodes that are done; -1 for a root
	best   []int // the node with the least semi on the way to the root
	bucket []int // the first of the nodes that a node semidominates; -1 for none
	next   []int // the one after a node in its bucket
	path   []int // of compress
}

// dominate finds the predecessors and the immediate dominators of the nodes in order.
func (a *flow) dominate(blocks []block) {
	n := len(a.idom)
	for i := range a.idom {
		a.idom[i] = -1
	}
	for _, v := range a.order {
		for _, s := range blocks[v].succs {
			if k := len(a.preds[s]); k == 0 || a.preds[s][k-1] != v { // several edges of one branch
				a.preds[s] = append(a.preds[s], v)
			}
		}
	}
	d := &dominators{flow: a, number: make([]int, n), parent: make([]int, n), semi: make([]int, n), above: make([]int, n), best: make([]int, n), bucket: make([]int, n), next: make([]int, n)}
	for v := range n {
		d.number[v], d.above[v], d.best[v], d.bucket[v] = -1, -1, v, -1
	}
	d.search(blocks)
	d.find()
	a.dominated = newTour(n, a.order, func(v int) int {
		if v == 0 {
			return -1
		}
		return a.idom[v]
	})
}

// search numbers the nodes before those that it finds from them.
func (d *dominators) search(blocks []block) {
	type edge struct{ from, to int }
	stack := []edge{{0, 0}}
	for len(stack) > 0 {
		x := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if d.number[x.to] >= 0 {
			continue
		}
		d.number[x.to], d.parent[x.to] = len(d.nodes), x.from
		d.semi[x.to] = len(d.nodes)
		d.nodes = append(d.nodes, x.to)
		for _, s := range blocks[x.to].succs {
			if d.number[s] < 0 {
				stack = append(stack, edge{x.to, s})
			}
		}
	}
}

// find finds the immediate dominators from the last node to the first: at first relative to semidominators, then in the order of numbers.
func (d *dominators) find() {
	for i := len(d.nodes) - 1; i > 0; i-- {
		w := d.nodes[i]
		for _, v := range d.preds[w] {
			d.semi[w] = min(d.semi[w], d.semi[d.least(v)])
		}
		s := d.nodes[d.semi[w]]
		d.bucket[s], d.next[w] = w, d.bucket[s]
		p := d.parent[w]
		d.above[w] = p
		for v := d.bucket[p]; v >= 0; v = d.next[v] {
			if u := d.least(v); d.semi[u] < d.semi[v] {
				d.idom[v] = u
			} else {
				d.idom[v] = p
			}
		}
		d.bucket[p] = -1
	}
	d.idom[0] = 0
	for _, w := range d.nodes[1:] {
		if d.idom[w] != d.nodes[d.semi[w]] {
			d.idom[w] = d.idom[d.idom[w]]
		}
	}
}

// least returns the node with the least semidominator from a node up to the root of its tree, without the root, and shortens the way.
func (d *dominators) least(v int) int {
	if d.above[v] < 0 {
		return v
	}
	d.path = d.path[:0]
	for u := v; d.above[d.above[u]] >= 0; u = d.above[u] {
		d.path = append(d.path, u)
	}
	for i := len(d.path) - 1; i >= 0; i-- {
		u := d.path[i]
		a := d.above[u]
		if d.semi[d.best[a]] < d.semi[d.best[u]] {
			d.best[u] = d.best[a]
		}
		d.above[u] = d.above[a]
	}
	return d.best[v]
}
