package pass

import "github.com/chiaro-gpu/chiaro/internal/ir"

// licm is loop-invariant code motion (Muchnick 1997, 13.2): it moves an operation
// whose operands are defined outside a loop to the code before the loop.
//
//	loop L2(v3 i32 = 0:i32) {        v4 = mul.i32 v1, v1
//		v4 = mul.i32 v1, v1          loop L2(v3 i32 = 0:i32) {
//		…                                …
//
// LLVM must prove that the operation runs in every execution or does not trap. Here
// every operation is total, loads included, so it may run for lanes that never reach
// its old position. Only cost decides: an expensive operation stays inside an if,
// unless the if is the loop's own exit test. A load moves only out of loops without
// a write that may alias it (see writes).
func licm(p *ir.Program, f *ir.Func) {
	if !loops(f) {
		return
	}
	r := newArena()
	defer r.release()
	h := &loopMotion{p: p, f: f, code: r.values.Alloc(len(f.Code))[:0], definedIn: r.numbers.Alloc(len(f.Vals)), writes: loopWrites(p, f)}
	h.loops = []motionLoop{{}}
	for _, v := range f.Code {
		h.value(v)
	}
	n := 0
	for _, l := range h.loops {
		n += len(l.before)
	}
	if n == 0 {
		return
	}
	code := make([]ir.V, 0, len(h.code)+n)
	next := 1
	// The second walk inserts the moved operations before their loops: the first one finds them
	// after it has emitted the opener.
	for _, v := range h.code {
		if f.Val(v).Op == ir.Loop {
			code = append(code, h.loops[next].before...)
			next++
		}
		code = append(code, v)
	}
	f.Code = code
}

// motionLoop is a loop. Loop 0 is the function itself.
type motionLoop struct {
	opener ir.V
	parent int32
	depth  int32
	ifs    int    // open ifs in it, but not in an inner loop
	before []ir.V // operations that move before the loop
}

type loopMotion struct {
	p         *ir.Program
	f         *ir.Func
	code      []ir.V
	loops     []motionLoop // in order of their openers
	current   int32        // the innermost open loop
	definedIn []int32      // by value: the innermost loop that defines it
	writes    map[ir.V]writes
}

// value decides where to place v, and updates the open loops and ifs.
func (h *loopMotion) value(v ir.V) {
	f := h.f
	x := f.Val(v)
	switch x.Op {
	case ir.Loop:
		h.code = append(h.code, v)
		h.loops = append(h.loops, motionLoop{opener: v, parent: h.current, depth: h.loops[h.current].depth + 1})
		h.current = int32(len(h.loops) - 1)
		h.define(f.Params(v))
		return
	case ir.Block:
		h.define(f.Params(v))
	case ir.Call:
		h.define(f.CallResults(v))
	case ir.If:
		h.loops[h.current].ifs++
	case ir.End:
		switch f.Val(x.Args[0]).Op {
		case ir.If:
			h.loops[h.current].ifs--
		case ir.Loop:
			h.current = h.loops[h.current].parent
		}
	}
	to := int32(-1)
	if cost := h.cost(x); cost >= 0 && h.current > 0 {
		to = h.target(x, cost)
	}
	h.definedIn[v] = h.current
	if to < 0 {
		h.code = append(h.code, v)
		return
	}
	h.definedIn[v] = h.loops[to].parent
	h.loops[to].before = append(h.loops[to].before, v)
}

// define records that the current loop defines the values of a list.
func (h *loopMotion) define(list []ir.V) {
	for _, v := range list {
		h.definedIn[v] = h.current
	}
}

// cost returns the cost of an operation that may move, or −1.
func (h *loopMotion) cost(x *ir.Val) int {
	switch x.Op {
	case ir.Ld:
		if x.Flags&(ir.Volatile|ir.Coherent) != 0 {
			return -1
		}
		return expensive
	}
	return cost(x.Op)
}

// Costs of operations, in cheap operations. The table of operations has the trait
// Expensive for all others.
const (
	cheap = 1
	// A division by a variable or a square root is about 8 simple operations. Only the order of
	// magnitude matters: cheap operations move out of ifs, expensive ones do not.
	expensive = 8
)

// cost returns the cost of an operation that may run speculatively, or −1.
func cost(op ir.Op) int {
	switch {
	case !op.Pure():
		return -1
	case op.Is(ir.Expensive):
		return expensive
	}
	return cheap
}

// target returns the outermost loop that an operation can move out of, or −1. Candidates are the
// open loops deeper than all operands.
//
//	loop L1 {             depth 1
//	  v5 = …
//	  loop L2 {           depth 2
//	    v6 = add v5, 1    deepest operand at depth 1: moves out of L2 only
func (h *loopMotion) target(x *ir.Val, cost int) int32 {
	least := int32(0) // the depth of the deepest operand
	for i := range x.Op.Args() {
		least = max(least, h.depth(x.Args[i]))
	}
	to := int32(-1)
	for l := h.current; h.loops[l].depth > least; l = h.loops[l].parent {
		// Outside the if lanes would run the operation that skip it now.
		if cost >= expensive && h.loops[l].ifs > 1 { // one if is usually the loop's own exit test
			break
		}
		if w := h.writes[h.loops[l].opener]; x.Op == ir.Ld && w.reach(classOf(h.p, h.f, x.Args[0])) {
			break
		}
		to = l
	}
	return to
}

// depth returns the depth of the innermost open loop that defines a value.
func (h *loopMotion) depth(v ir.V) int32 {
	if h.f.Val(v).Op == ir.Const {
		return 0
	}
	l := h.definedIn[v]
	for at := h.current; l != 0; l = h.loops[l].parent { // a value of a closed loop counts as one of the loop around it
		for h.loops[at].depth > h.loops[l].depth {
			at = h.loops[at].parent
		}
		if at == l {
			break
		}
	}
	return h.loops[l].depth
}
