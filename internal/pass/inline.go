package pass

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Limits on inlining, in operations.
const (
	smallFunc   = 64      // a callee up to this size counts as small
	bigFunc     = 1 << 10 // a larger callee is inlined only if it is called once
	budgetSmall = 1 << 14 // small callees are inlined while the program's growth is at most this
	budgetBig   = 1 << 12 // other callees likewise
)

// inline replaces calls by the code of the callee (procedure integration, Muchnick
// 1997, 15.2). The copy is in a block with the results as parameters, so that a
// return is a branch to the block's end:
//
//	v3 i32 = call 1(v2)        block L2(v3 i32) {
//	                               … copy of function 1 …
//	                               br L2(v4)
//	                           }
//
// Convergence does not change: lanes that meet in the callee belong to one call in
// both forms, and copies at different calls are different code. Variables of the
// callee keep their slots. LLVM decides for each call; here all calls of a function
// are inlined or none, so that its variables stay private to few functions.
//
// If calls have a cycle, the pass does nothing; engines refuse such a program.
func inline(p *ir.Program) {
	order, calls := callOrder(p)
	if order == nil {
		return
	}
	n := inliner{p: p, calls: calls, back: make([]bool, len(p.Funcs)), verdict: map[int]bool{}}
	for _, fn := range order { // callees first: a copy then includes their own inlined calls
		if n.begin(p.Funcs[fn]) {
			n.run()
		}
		n.back[fn] = returns(p.Funcs[fn])
	}
	dropFuncs(p)
}

// callOrder returns the functions reachable from the entry point, callees before
// callers (depth-first postorder), and the number of calls of each. order is nil if
// calls have a cycle.
func callOrder(p *ir.Program) (order, calls []int) {
	type frame struct{ fn, at int }
	state := make([]uint8, len(p.Funcs)) // 1: on the stack, 2: in the order
	calls = make([]int, len(p.Funcs))
	stack := []frame{{0, 0}}
	state[0] = 1
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		f := p.Funcs[top.fn]
		for top.at < len(f.Code) && f.Val(f.Code[top.at]).Op != ir.Call {
			top.at++
		}
		if top.at == len(f.Code) {
			state[top.fn] = 2
			order = append(order, top.fn)
			stack = stack[:len(stack)-1]
			continue
		}
		callee := f.Callee(f.Code[top.at])
		top.at++
		calls[callee]++
		switch state[callee] {
		case 0:
			state[callee] = 1
			stack = append(stack, frame{callee, 0})
		case 1:
			return nil, nil
		}
	}
	return order, calls
}

// inliner is the state of the pass.
type inliner struct {
	p       *ir.Program
	calls   []int        // by function: the calls of it
	back    []bool       // by function: lanes return from it
	verdict map[int]bool // by function: whether it is inlined, once known
	added   int          // growth of the program so far, in operations

	f    *ir.Func // the current caller
	edit editor
	code []ir.V
	to   []ir.V // by result of an inlined call: its replacement
}

// begin grows the caller's slices for the code of its callees, and reports whether
// any call is inlined.
func (n *inliner) begin(f *ir.Func) bool {
	code, vals, extra := 0, 0, 0
	for _, v := range f.Code {
		if f.Val(v).Op != ir.Call {
			continue
		}
		if g := n.p.Funcs[f.Callee(v)]; n.fits(f.Callee(v), len(g.Code)) {
			code, vals, extra = code+len(g.Code), vals+sizeHint(g), extra+len(g.Extra)
		}
	}
	if code == 0 {
		return false
	}
	n.f, n.edit, n.code = f, editor{f: f}, make([]ir.V, 0, len(f.Code)+code)
	f.Vals, f.Extra = slices.Grow(f.Vals, vals), slices.Grow(f.Extra, extra)
	return true
}

// run inlines the calls of the current caller.
func (n *inliner) run() {
	m := newArena()
	defer m.release()
	n.to = m.values.Alloc(len(n.f.Vals))
	old := n.f.Code
	for _, v := range old {
		if n.f.Val(v).Op == ir.Call {
			g := n.p.Funcs[n.f.Callee(v)]
			if n.fits(n.f.Callee(v), len(g.Code)) {
				n.expand(v, g)
				continue
			}
		}
		n.code = append(n.code, v)
	}
	n.f.Code = n.code
	for _, v := range n.code {
		redirect(n.f, v, n.to)
	}
}

// fits decides whether a callee is inlined. A callee with one call just moves. A
// callee from which no lane returns is not inlined: the code after the call would be
// unreachable, which the verifier refuses. A texture function has no body yet.
func (n *inliner) fits(callee, size int) bool {
	if known, ok := n.verdict[callee]; ok {
		return known
	}
	budget := budgetBig
	if size <= smallFunc {
		budget = budgetSmall
	}
	added := n.added + size*(n.calls[callee]-1)
	yes := n.back[callee] && n.p.Funcs[callee].Texture == nil && (n.calls[callee] == 1 || size <= bigFunc && added <= budget)
	if yes {
		n.added = added
	}
	n.verdict[callee] = yes
	return yes
}

// expand appends a copy of the callee's code instead of the call.
func (n *inliner) expand(call ir.V, g *ir.Func) {
	f := n.f
	args, results := f.CallArgs(call), f.CallResults(call) // copies: Extra may grow
	m := newArena()
	defer m.release()
	c := &copier{from: g, edit: &n.edit, to: m.values.Alloc(len(g.Vals))}
	for i, a := range g.Args {
		c.to[a] = args[i]
	}
	for _, v := range g.Code {
		n.code = append(n.code, c.copy(v))
	}
	for i, p := range g.Results() {
		n.to[results[i]] = c.to[p]
	}
}

// dropFuncs drops unreachable functions and renumbers the others. The variables of
// dropped functions belong to the entry point then.
func dropFuncs(p *ir.Program) {
	order, _ := callOrder(p)
	number := make([]int, len(p.Funcs))
	for _, fn := range order {
		number[fn] = 1
	}
	var left []*ir.Func
	for fn, f := range p.Funcs {
		if number[fn] > 0 {
			number[fn] = len(left)
			left = append(left, f)
		}
	}
	for _, f := range left {
		for _, v := range f.Code {
			if x := f.Val(v); x.Op == ir.Call {
				x.Aux = uint64(number[f.Callee(v)])
			}
		}
	}
	for i := range p.Vars {
		if fn := p.Vars[i].Func; fn >= 0 && fn < len(number) {
			p.Vars[i].Func = number[fn]
		}
	}
	p.Funcs = left
}
