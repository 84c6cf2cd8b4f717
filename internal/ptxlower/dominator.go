package ptxlower

import "github.com/chiaro-gpu/chiaro/internal/dominator"

// dominate finds the predecessors and the immediate dominators of the nodes in order.
func (a *flow) dominate(blocks []block) {
	n := len(a.idom)
	for i := range a.idom {
		a.idom[i] = -1
	}
	var edges [][2]int32
	for _, v := range a.order {
		for _, s := range blocks[v].succs {
			if k := len(a.preds[s]); k == 0 || a.preds[s][k-1] != v { // several edges of one branch
				a.preds[s] = append(a.preds[s], v)
				edges = append(edges, [2]int32{int32(v), int32(s)})
			}
		}
	}
	var d dominator.Solver
	d.Solve(n, edges, 0)
	for i, v := range d.Vertex {
		a.idom[v] = int(d.Vertex[d.Idom[i]])
	}
	a.dominated = newTour(n, a.order, func(v int) int {
		if v == 0 {
			return -1
		}
		return a.idom[v]
	})
}
