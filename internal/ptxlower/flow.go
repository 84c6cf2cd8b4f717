package ptxlower

import "slices"

// flow has the facts about a graph that structure needs.
type flow struct {
	order  []int // the reachable nodes in reverse postorder; exits of loops come late
	rank   []int // of a node in order; -1 if it is not reachable
	idom   []int
	preds  [][]int
	header []int // the header of the innermost loop of a node; -1 for none. A header belongs to its own loop.
	around []int // of a header: the header of the loop around its own; -1 for none
	loop   []bool

	dominated, nested tour // of the trees of dominators and of loops
}

// tour has the numbers of the nodes of a forest in a depth-first search: a node has the descendants with numbers from first to last.
type tour struct{ first, last []int }

// newTour numbers the nodes of list, each after its parent in it; -1 is no parent.
func newTour(n int, list []int, parent func(v int) int) tour {
	t := tour{first: make([]int, n), last: make([]int, n)}
	size := make([]int, n)
	for _, v := range slices.Backward(list) {
		size[v]++
		if p := parent(v); p >= 0 {
			size[p] += size[v]
		}
	}
	next := make([]int, n) // the first free number under a node
	free := 1
	for _, v := range list {
		if p := parent(v); p >= 0 {
			t.first[v] = next[p]
			next[p] += size[v]
		} else {
			t.first[v] = free
			free += size[v]
		}
		next[v], t.last[v] = t.first[v]+1, t.first[v]+size[v]-1
	}
	return t
}

// has reports whether y is x or a descendant of it. Nodes without numbers are under none.
func (t *tour) has(x, y int) bool {
	return t.first[x] <= t.first[y] && t.first[y] <= t.last[x] && t.first[y] > 0
}

// newFlow analyses the graph of the blocks, which must be reducible. The loop of the header whole, unless it is -1, has all blocks that it
// dominates, also those from which no path leads back.
func newFlow(blocks []block, whole int) *flow {
	n := len(blocks)
	a := &flow{rank: make([]int, n), idom: make([]int, n), preds: make([][]int, n), header: make([]int, n), around: make([]int, n), loop: make([]bool, n)}
	a.search(blocks, nil)
	a.dominate(blocks)
	a.findLoops(whole)
	depth := make([]int, n)
	for _, v := range a.order { // a header comes before its loop, an outer one first
		h := a.header[v]
		if h == v {
			depth[v] = 1
			if o := a.outer(v); o >= 0 {
				depth[v] += depth[o]
			}
		} else if h >= 0 {
			depth[v] = depth[h]
		}
	}
	a.search(blocks, depth) // the same nodes, ordered by the loops
	return a
}

// search orders the nodes by a depth-first search that visits successors outside of loops first, so that they come last.
func (a *flow) search(blocks []block, depth []int) {
	type frame struct {
		node  int
		succs []int
	}
	for i := range a.rank {
		a.rank[i] = -1
	}
	succs := func(v int) []int {
		list := slices.Clone(blocks[v].succs)
		slices.Reverse(list)
		if depth != nil {
			slices.SortStableFunc(list, func(x, y int) int { return depth[x] - depth[y] })
		}
		return list
	}
	a.order = a.order[:0]
	a.rank[0] = 0
	stack := []frame{{0, succs(0)}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if len(top.succs) == 0 {
			a.order = append(a.order, top.node)
			stack = stack[:len(stack)-1]
			continue
		}
		s := top.succs[0]
		top.succs = top.succs[1:]
		if a.rank[s] < 0 {
			a.rank[s] = 0
			stack = append(stack, frame{s, succs(s)})
		}
	}
	slices.Reverse(a.order)
	for i, v := range a.order {
		a.rank[v] = i
	}
}

// dominates reports whether x dominates y.
func (a *flow) dominates(x, y int) bool { return x == y || a.dominated.has(x, y) }

// findLoops finds the natural loops, inner ones first. A loop that is found is one node for the loops around it (Tarjan 1974, with
// union-find).
func (a *flow) findLoops(whole int) {
	n := len(a.header)
	within := make([]int, n) // the loop of a node, so far; itself for none
	for i := range a.header {
		a.header[i], a.around[i], within[i] = -1, -1, i
	}
	outermost := func(v int) int {
		for within[v] != v {
			within[v] = within[within[v]]
			v = within[v]
		}
		return v
	}
	for _, h := range slices.Backward(a.order) {
		var body []int
		a.loop[h] = h == whole // threads that stay at a gate go back to it
		for _, p := range a.preds[h] {
			if a.dominates(h, p) {
				a.loop[h] = true
				body = append(body, p)
			}
		}
		if !a.loop[h] {
			continue
		}
		if h == whole {
			body = slices.DeleteFunc(slices.Clone(a.order), func(v int) bool { return !a.dominates(h, v) })
		}
		a.header[h] = h
		for len(body) > 0 {
			v := outermost(body[len(body)-1])
			body = body[:len(body)-1]
			if v == h {
				continue
			}
			if within[v] = h; a.loop[v] {
				a.around[v] = h
			} else {
				a.header[v] = h
			}
			body = append(body, a.preds[v]...)
		}
	}
	headers := slices.DeleteFunc(slices.Clone(a.order), func(v int) bool { return !a.loop[v] })
	a.nested = newTour(n, headers, a.outer)
}

// outer returns the header of the loop around the one of h; -1 for none.
func (a *flow) outer(h int) int { return a.around[h] }

// contains reports whether the loop of a header has a node.
func (a *flow) contains(h, v int) bool { return a.header[v] >= 0 && a.nested.has(h, a.header[v]) }
