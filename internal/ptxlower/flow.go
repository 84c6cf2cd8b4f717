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
	for _, v := range a.order {
		for h := a.header[v]; h >= 0; h = a.outer(h) {
			depth[v]++
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

// dominate finds the immediate dominators (Cooper, Harvey & Kennedy 2001).
func (a *flow) dominate(blocks []block) {
	for i := range a.idom {
		a.idom[i] = -1
	}
	for _, v := range a.order {
		for _, s := range blocks[v].succs {
			if !slices.Contains(a.preds[s], v) {
				a.preds[s] = append(a.preds[s], v)
			}
		}
	}
	a.idom[0] = 0
	for changed := true; changed; {
		changed = false
		for _, v := range a.order[1:] {
			d := -1
			for _, p := range a.preds[v] {
				switch {
				case a.idom[p] < 0:
				case d < 0:
					d = p
				default:
					d = a.meet(d, p)
				}
			}
			if d != a.idom[v] {
				a.idom[v], changed = d, true
			}
		}
	}
}

// meet returns the nearest common dominator of two nodes.
func (a *flow) meet(x, y int) int {
	for x != y {
		for a.rank[x] > a.rank[y] {
			x = a.idom[x]
		}
		for a.rank[y] > a.rank[x] {
			y = a.idom[y]
		}
	}
	return x
}

// dominates reports whether x dominates y.
func (a *flow) dominates(x, y int) bool {
	for a.rank[y] > a.rank[x] {
		y = a.idom[y]
	}
	return x == y
}

// findLoops finds the natural loops, inner ones last, so that header has the innermost one.
func (a *flow) findLoops(whole int) {
	for i := range a.header {
		a.header[i] = -1
	}
	for _, h := range a.order {
		var body []int
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
		in := map[int]bool{h: true}
		for len(body) > 0 {
			v := body[len(body)-1]
			body = body[:len(body)-1]
			if !in[v] {
				in[v] = true
				body = append(body, a.preds[v]...)
			}
		}
		a.around[h] = a.header[h] // an outer loop's header comes first in the order
		for v := range in {
			a.header[v] = h
		}
	}
}

// outer returns the header of the loop around the one of h; -1 for none.
func (a *flow) outer(h int) int { return a.around[h] }

// contains reports whether the loop of a header has a node.
func (a *flow) contains(h, v int) bool {
	for x := a.header[v]; x >= 0; x = a.outer(x) {
		if x == h {
			return true
		}
	}
	return false
}
