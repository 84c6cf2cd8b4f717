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
	budgetLists = 1 << 20 // growth of values and operand lists, if a few operations have very long lists
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
// The decisions are made on the call graph, callees first, from the size that each
// function will have. Only then each remaining function is built, callers first, in
// one walk over the code of its inlined callees. So a chain of calls is copied once,
// not once for each link, and the pass is linear in the size of its result.
//
// If calls have a cycle, the pass does nothing; engines refuse such a program.
func inline(p *ir.Program) {
	order, calls := callOrder(p)
	if order == nil {
		return
	}
	n := inliner{p: p, order: order, verdicts: make([]verdict, len(p.Funcs))}
	for _, fn := range order {
		n.decide(fn, calls)
	}
	for i := len(order) - 1; i >= 0; i-- {
		if x := &n.verdicts[order[i]]; x.expands && !x.inlined {
			n.build(p.Funcs[order[i]], x)
		}
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
	p        *ir.Program
	order    []int     // the functions, callees first
	verdicts []verdict // by function
	added    extent    // growth of the program so far
	tries    int       // callees for which distinct was asked

	// The function that build works on:
	f       *ir.Func
	edit    editor
	code    []ir.V
	to      []ir.V // by result of an inlined call in f: its replacement
	scratch *arena
	open    []expansion // the calls that the walk is in, outermost first
}

// verdict is the decision about one function.
type verdict struct {
	inlined bool   // all calls of it are replaced
	expands bool   // it contains such calls
	size    extent // with the code of its inlined callees
}

// extent is an amount of code: operations, and the values and operand lists that
// store them.
type extent struct{ code, vals, extra int }

// expansion is the copy of one callee in progress.
type expansion struct {
	c    copier
	call ir.V // in the function around it
	at   int  // the next operation of the callee to copy
}

// decide determines the size of a function and whether it is inlined. A function
// with one call just moves. A function from which no lane returns is not inlined: the
// code after the call would be unreachable, which the verifier refuses. A texture
// function has no body yet.
func (n *inliner) decide(fn int, calls []int) {
	f, x := n.p.Funcs[fn], &n.verdicts[fn]
	x.size = extent{len(f.Code), len(f.Vals), len(f.Extra)}
	for _, v := range f.Code {
		if f.Val(v).Op != ir.Call {
			continue
		}
		if g := &n.verdicts[f.Callee(v)]; g.inlined {
			x.expands = true
			x.size.code += g.size.code - 1
			x.size.vals += g.size.vals
			x.size.extra += g.size.extra
		}
	}
	if calls[fn] == 0 || f.Texture != nil || !returns(f) { // no calls: the entry point
		return
	}
	copies := calls[fn] - 1
	added := n.added
	added.code += x.size.code * copies
	added.vals += x.size.vals * copies
	added.extra += x.size.extra * copies
	budget := budgetBig
	if x.size.code <= smallFunc {
		budget = budgetSmall
	}
	if added.code > budget && x.size.code <= bigFunc && added.vals+added.extra <= budgetLists { // distinct visits all values of each copy
		if many, ok := n.distinct(fn); ok {
			added.code = many
		}
	}
	x.inlined = copies == 0 || x.size.code <= bigFunc && added.code <= budget && added.vals+added.extra <= budgetLists
	if x.inlined {
		n.added = added
	}
}

// build replaces the inlined calls of a function by the code of the callees.
func (n *inliner) build(f *ir.Func, x *verdict) {
	n.scratch = newArena()
	defer n.scratch.release()
	n.f, n.edit, n.code = f, editor{f: f}, make([]ir.V, 0, x.size.code)
	n.to = n.scratch.values.Alloc(len(f.Vals))
	old := f.Code
	f.Vals = slices.Grow(f.Vals, x.size.vals-len(f.Vals))
	f.Extra = slices.Grow(f.Extra, x.size.extra-len(f.Extra))
	for _, v := range old {
		if !n.inlines(f, v) {
			n.code = append(n.code, v)
			continue
		}
		n.enter(v, slices.Clone(f.CallArgs(v))) // a copy: Extra may grow
		for len(n.open) > 0 {
			n.step()
		}
	}
	f.Code = n.code
	for _, v := range n.code {
		redirect(f, v, n.to)
	}
}

// inlines reports whether an operation is a call that is inlined.
func (n *inliner) inlines(f *ir.Func, v ir.V) bool {
	return f.Val(v).Op == ir.Call && n.verdicts[f.Callee(v)].inlined
}

// enter begins the expansion of a call in the innermost expansion, or in the
// function itself. args are the arguments in the function.
func (n *inliner) enter(call ir.V, args []ir.V) {
	from := n.f
	if i := len(n.open); i > 0 {
		from = n.open[i-1].c.from
	}
	g := n.p.Funcs[from.Callee(call)]
	c := copier{from: g, edit: &n.edit, to: n.scratch.values.Alloc(len(g.Vals))}
	for i, a := range g.Args {
		c.to[a] = args[i]
	}
	n.open = append(n.open, expansion{c: c, call: call})
}

// step copies one operation of the innermost expansion, enters a call that is
// inlined, or ends the expansion after the last operation.
func (n *inliner) step() {
	x := &n.open[len(n.open)-1]
	g := x.c.from
	if x.at == len(g.Code) {
		n.leave()
		return
	}
	v := g.Code[x.at]
	x.at++
	if !n.inlines(g, v) {
		n.code = append(n.code, x.c.copy(v))
		return
	}
	args := slices.Clone(g.CallArgs(v))
	for i, a := range args {
		args[i] = x.c.use(a)
	}
	n.enter(v, args)
}

// leave ends the innermost expansion: the results of the call become the parameters
// of the callee's outermost block.
func (n *inliner) leave() {
	x := n.open[len(n.open)-1]
	n.open = n.open[:len(n.open)-1]
	from, to := n.f, n.to
	if i := len(n.open); i > 0 {
		from, to = n.open[i-1].c.from, n.open[i-1].c.to
	}
	results := from.CallResults(x.call)
	for i, p := range x.c.from.Results() {
		to[results[i]] = x.c.to[p]
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
