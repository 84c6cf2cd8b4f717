package vectorize

import "github.com/chiaro-gpu/chiaro/internal/ir"

// liveOut is what the loops around a value mean for its registers. An operation
// writes its value for the active lanes alone (internal/ir, "Values"), but that
// can be told only where another iteration may have written it before: where
// the value is read outside of the loop that makes it, and lanes leave that loop
// in different iterations. Elsewhere the lanes that are not active may become
// anything.
type liveOut struct {
	loop    ir.V // the innermost loop in which the value is made, or 0
	merging bool // it is read outside of it, or of one around it, by lanes that left at different times

	// Of parameters:
	singleBr    bool // one br alone writes it, not from within an inner loop that lanes leave in different iterations, nor do lanes read it behind that
	firstBr     ir.V // of a block: the br that writes it before all others, if not from within such a loop; lanes that are not there have nothing yet
	mergingInit bool // of a loop: the same for the loop around that loop
}

// findLiveOuts finds the home of every value of f, where lanes leave the loops of
// which together is not true in different iterations.
func findLiveOuts(f *ir.Func, convergent func(loop ir.V) bool, mem *arena) *liveOuts {
	n := len(f.Vals)
	h := &liveOuts{f: f, convergent: convergent, of: mem.liveOuts.Alloc(n), parent: mem.labels.Alloc(n), branches: mem.numbers.Alloc(n)}
	var open []ir.V
	current := ir.V(0) // the innermost open loop
	for i, v := range f.Code {
		x := f.Val(v)
		h.of[v].loop = current
		h.operands(v, x, current)
		switch x.Op {
		case ir.Block, ir.Loop:
			open = append(open, v)
			if x.Op == ir.Loop {
				h.parent[v], h.hasLoops = current, true
				current = v
			}
			for _, p := range f.Params(v) {
				h.of[p] = liveOut{loop: current, singleBr: true}
			}
		case ir.If:
			open = append(open, v)
		case ir.Br:
			h.branch(v, current, i)
		case ir.Call:
			for _, r := range f.CallResults(v) {
				h.of[r].loop = current
			}
		case ir.End:
			if open[len(open)-1] == current {
				current = h.parent[current]
			}
			open = open[:len(open)-1]
		}
	}
	for _, v := range f.Results() {
		h.use(v, 0)
	}
	return h
}

type liveOuts struct {
	f        *ir.Func
	of       []liveOut
	parent   []ir.V  // the loop around a loop
	branches []int32 // to a label
	hasLoops bool    // there are any

	convergent func(loop ir.V) bool
}

// operands notes all uses of an operation within loop l.
func (h *liveOuts) operands(v ir.V, x *ir.Val, l ir.V) {
	for i := range x.Op.Args() {
		h.use(x.Args[i], l)
	}
	for _, a := range h.f.Listed(v) {
		h.use(a, l)
	}
}

// use notes a use of a within loop l.
func (h *liveOuts) use(a, l ir.V) {
	info := &h.of[a]
	if h.f.Val(a).Op == ir.Const {
		return
	}
	for x := info.loop; x != 0 && !h.inside(l, x); x = h.parent[x] {
		if h.convergent(x) {
			continue
		}
		info.merging = true
		if p := h.f.Val(a); x != info.loop && p.Op == ir.Param && p.Args[0] == info.loop {
			info.mergingInit = true
		}
	}
}

// lane0Count says of every loop that lanes may leave it in different iterations.
func allDivergent(ir.V) bool { return false }

// inside reports whether loop l is the loop around, or stands in it.
func (h *liveOuts) inside(l, outer ir.V) bool {
	for ; l != outer; l = h.parent[l] {
		if l == 0 {
			return false
		}
	}
	return true
}

// jointBranch notes a br from within loop l, at the i-th place of the code.
func (h *liveOuts) branch(v, l ir.V, i int) {
	label := h.f.Val(v).Args[0]
	h.branches[label]++
	block := h.f.Val(label).Op == ir.Block
	once := h.branches[label] == 1 && (block || h.lastInLoop(label, i))
	for outer := h.of[label].loop; block && l != outer && h.convergent(l); {
		l = h.parent[l] // which lanes leave all at once, so that they come by here once
	}
	for _, p := range h.f.Params(label) {
		info := &h.of[p]
		info.singleBr = info.singleBr && once && l == info.loop
		if block && once && l == info.loop {
			info.firstBr = v
		}
	}
}

// lastLatch reports whether nothing but ends follows in the loop.
func (h *liveOuts) lastInLoop(loop ir.V, i int) bool {
	for _, v := range h.f.Code[i+1:] {
		x := h.f.Val(v)
		if x.Op != ir.End || x.Args[0] == loop {
			return x.Op == ir.End
		}
	}
	return false
}
