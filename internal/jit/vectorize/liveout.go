package vectorize

import "github.com/chiaro-gpu/chiaro/internal/ir"

// Liveness across divergent loops
//
// If lanes leave a loop in different iterations, a lane that has left must observe the values of its own
// last iteration (temporal divergence). All lanes share one register per value and part, so every write of
// such a value must be merging: it preserves the inactive lanes. A write of any other value may overwrite
// all lanes, which saves the mask and the dependence on the old register.
//
//	block L2(r f32) {
//		loop L3(i i32 = 0:i32) {
//			t = fmul.f32 x, y        merging: lanes that have left read it after the loop
//			c = flt.f32 t, z         not merging: only lanes in the loop read it
//			if c { br L2(t) }
//			j = add.i32 i, 1:i32     not merging
//			br L3(j)
//		}
//	}
//
// LLVM sees such uses as the phis of loop-closed SSA. The IR has none: a use after the loop reads the
// lane's last value (internal/ir, "Values"), so the merging values are found here.
//
// The vectorizer runs this analysis twice: before the divergence analysis, which needs the loop nest, with
// every loop taken for divergent; and after it with the divergent loops alone.

// liveOut describes the loops around one value.
type liveOut struct {
	loop    ir.V // the innermost loop that defines the value, or 0
	merging bool // lanes that left a divergent loop read it: writes preserve inactive lanes

	// singleBr: of a parameter: one br alone writes it, not from an inner divergent loop, and no lane reads the
	// old value after that. So the inactive lanes of this copy have no use.
	singleBr bool
	// firstBr: of a parameter of a block: the br that writes it before all others, unless that is in an inner
	// divergent loop; or 0. No lane holds a value yet, so this copy needs no mask.
	firstBr ir.V
	// mergingInit: of a parameter of a loop: lanes outside of a divergent loop around this loop read it, so the
	// copy of the initial value preserves inactive lanes.
	mergingInit bool
}

// findLiveOuts describes every value of f. convergent reports of a loop that its lanes leave it all at
// once; all other loops count as divergent.
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

// liveOuts is the result of the analysis.
type liveOuts struct {
	f        *ir.Func
	of       []liveOut // by value
	parent   []ir.V    // by loop: the loop around it, or 0
	branches []int32   // by label: how many br lead to it
	hasLoops bool      // f has loops

	convergent func(loop ir.V) bool // of loops
}

// operands records that v, in loop l, uses its operands.
func (h *liveOuts) operands(v ir.V, x *ir.Val, l ir.V) {
	for i := range x.Op.Args() {
		h.use(x.Args[i], l)
	}
	for _, a := range h.f.Listed(v) {
		h.use(a, l)
	}
}

// use records a use of a in loop l. Each divergent loop that contains the definition but not the use makes
// a merging.
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

// allDivergent is the convergent of findLiveOuts before divergence is known: every loop counts as
// divergent.
func allDivergent(ir.V) bool { return false }

// inside reports whether loop l is outer, or is nested in it. 0 is the body of the function.
func (h *liveOuts) inside(l, outer ir.V) bool {
	for ; l != outer; l = h.parent[l] {
		if l == 0 {
			return false
		}
	}
	return true
}

// branch records br v, in loop l, at index i of the code.
func (h *liveOuts) branch(v, l ir.V, i int) {
	label := h.f.Val(v).Args[0]
	h.branches[label]++
	block := h.f.Val(label).Op == ir.Block
	once := h.branches[label] == 1 && (block || h.lastInLoop(label, i))
	for outer := h.of[label].loop; block && l != outer && h.convergent(l); {
		l = h.parent[l] // its lanes leave it all at once, so they execute the br once
	}
	for _, p := range h.f.Params(label) {
		info := &h.of[p]
		info.singleBr = info.singleBr && once && l == info.loop
		if block && once && l == info.loop {
			info.firstBr = v
		}
	}
}

// lastInLoop reports whether no operation but ends follows index i in the loop.
func (h *liveOuts) lastInLoop(loop ir.V, i int) bool {
	for _, v := range h.f.Code[i+1:] {
		x := h.f.Val(v)
		if x.Op != ir.End || x.Args[0] == loop {
			return x.Op == ir.End
		}
	}
	return false
}
