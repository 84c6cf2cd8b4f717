package pass

import "github.com/chiaro-gpu/chiaro/internal/ir"

// hoist computes before a loop what is the same in all of its iterations.
// Operations are total, loads too, so they may be done for lanes that would
// not have come to them; what is dear stays where it stands in an if other than
// the loop's own test.
func hoist(p *ir.Program, f *ir.Func) {
	if !loops(f) {
		return
	}
	r := enter()
	defer r.leave()
	h := &hoister{p: p, f: f, code: r.values.Alloc(len(f.Code))[:0], home: r.numbers.Alloc(len(f.Vals)), writes: loopWrites(p, f)}
	h.loops = []hoistLoop{{}}
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
	for _, v := range h.code {
		if f.Val(v).Op == ir.Loop {
			code = append(code, h.loops[next].before...)
			next++
		}
		code = append(code, v)
	}
	f.Code = code
}

// hoistLoop is a loop; the first is none, but the function.
type hoistLoop struct {
	opener ir.V
	parent int32
	depth  int32
	ifs    int    // ifs that are open within it, and not within an inner one
	before []ir.V // operations to stand before it
}

type hoister struct {
	p      *ir.Program
	f      *ir.Func
	code   []ir.V
	loops  []hoistLoop // in order of their openers
	at     int32       // the innermost open loop
	home   []int32     // by value: the innermost loop that it is defined in
	writes map[ir.V]writes
}

func (h *hoister) value(v ir.V) {
	f := h.f
	x := f.Val(v)
	switch x.Op {
	case ir.Loop:
		h.code = append(h.code, v)
		h.loops = append(h.loops, hoistLoop{opener: v, parent: h.at, depth: h.loops[h.at].depth + 1})
		h.at = int32(len(h.loops) - 1)
		h.define(f.Params(v))
		return
	case ir.Block:
		h.define(f.Params(v))
	case ir.Call:
		h.define(f.CallResults(v))
	case ir.If:
		h.loops[h.at].ifs++
	case ir.End:
		switch f.Val(x.Args[0]).Op {
		case ir.If:
			h.loops[h.at].ifs--
		case ir.Loop:
			h.at = h.loops[h.at].parent
		}
	}
	to := int32(-1)
	if weight := h.weight(x); weight >= 0 && h.at > 0 {
		to = h.highest(x, weight)
	}
	h.home[v] = h.at
	if to < 0 {
		h.code = append(h.code, v)
		return
	}
	h.home[v] = h.loops[to].parent
	h.loops[to].before = append(h.loops[to].before, v)
}

func (h *hoister) define(list []ir.V) {
	for _, v := range list {
		h.home[v] = h.at
	}
}

// weight returns about how dear an operation is, −1 for one that stays.
func (h *hoister) weight(x *ir.Val) int {
	switch x.Op {
	case ir.Ld:
		if x.Flags&(ir.Volatile|ir.Coherent) != 0 {
			return -1
		}
		return expensive
	}
	return weight(x.Op)
}

// Weights of operations, in steps.
const (
	cheap     = 1
	expensive = 8
)

// weight returns the weight of an operation that may run speculatively, or −1.
func weight(op ir.Op) int {
	switch {
	case !op.Pure():
		return -1
	case op.Is(ir.Expensive):
		return expensive
	}
	return cheap
}

// highest returns the outermost loop before which an operation may stand, or
// the innermost open one where it stays.
func (h *hoister) highest(x *ir.Val, weight int) int32 {
	least := int32(0) // the depth that operands demand
	for i := range x.Op.Args() {
		least = max(least, h.depth(x.Args[i]))
	}
	to := int32(-1)
	for l := h.at; h.loops[l].depth > least; l = h.loops[l].parent {
		if weight >= expensive && h.loops[l].ifs > 1 { // one is the loop's own test
			break
		}
		if w := h.writes[h.loops[l].opener]; x.Op == ir.Ld && w.reach(classOf(h.p, h.f, x.Args[0])) {
			break
		}
		to = l
	}
	return to
}

// depth returns how many open loops a value is defined in.
func (h *hoister) depth(v ir.V) int32 {
	if h.f.Val(v).Op == ir.Const {
		return 0
	}
	l := h.home[v]
	for at := h.at; l != 0; l = h.loops[l].parent { // a loop that has ended counts as the one around it
		for h.loops[at].depth > h.loops[l].depth {
			at = h.loops[at].parent
		}
		if at == l {
			break
		}
	}
	return h.loops[l].depth
}
