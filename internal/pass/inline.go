package pass

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Bounds on inlining, in operations.
const (
	smallFunc = 64      // a function that is small: there is more room for such
	bigFunc   = 1 << 10 // beyond this only one that is called once is inlined
	roomSmall = 1 << 14 // what small functions may add to the program
	roomBig   = 1 << 12 // and others
)

// inline puts the code of functions where they are called: a block whose
// parameters are the results, so that a return is a branch to its end. The
// lanes that meet there are those of one call, as before: a call stands where
// its code then stands, and the calls of one function are places of their own.
// Variables stay the same slots. Functions that nobody calls any more go.
//
// Where calls have a cycle nothing is done; engines refuse such a program.
func inline(p *ir.Program) {
	order, calls := callOrder(p)
	if order == nil {
		return
	}
	n := inliner{p: p, calls: calls, back: make([]bool, len(p.Funcs)), verdict: map[int]bool{}}
	for _, fn := range order { // callees first: each is inlined whole
		if n.begin(p.Funcs[fn]) {
			n.run()
		}
		n.back[fn] = returns(p.Funcs[fn])
	}
	dropFuncs(p)
}

// callOrder returns the functions that the entry point reaches, callees before
// callers, and how many calls of each there are. The order is nil where calls
// have a cycle.
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

type inliner struct {
	p       *ir.Program
	calls   []int        // by function
	back    []bool       // by function: lanes return from it
	verdict map[int]bool // by function: it is inlined
	added   int          // operations that inlining adds to the program

	f    *ir.Func // the one that is worked on
	edit editor
	code []ir.V
	to   []ir.V // what stands for the results of a call
}

// begin makes room for the code of all callees that fit in a function, and reports
// whether there are any.
func (n *inliner) begin(f *ir.Func) bool {
	code, vals, extra := 0, 0, 0
	for _, v := range f.Code {
		if f.Val(v).Op != ir.Call {
			continue
		}
		if g := n.p.Funcs[f.Callee(v)]; n.fits(f.Callee(v), len(g.Code)) {
			code, vals, extra = code+len(g.Code), vals+placed(g), extra+len(g.Extra)
		}
	}
	if code == 0 {
		return false
	}
	n.f, n.edit, n.code = f, editor{f: f}, make([]ir.V, 0, len(f.Code)+code)
	f.Vals, f.Extra = slices.Grow(f.Vals, vals), slices.Grow(f.Extra, extra)
	return true
}

func (n *inliner) run() {
	m := enter()
	defer m.leave()
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

// fits decides whether a callee is inlined: wherever it is called, or nowhere,
// so that its variables stay those of few functions. One that is called once
// only moves. Behind one from which no lane returns there is code that may not
// stand there, and what a texture function does is not known until it is bound.
func (n *inliner) fits(callee, size int) bool {
	if known, ok := n.verdict[callee]; ok {
		return known
	}
	room := roomBig
	if size <= smallFunc {
		room = roomSmall
	}
	added := n.added + size*(n.calls[callee]-1)
	yes := n.back[callee] && n.p.Funcs[callee].Texture == nil && (n.calls[callee] == 1 || size <= bigFunc && added <= room)
	if yes {
		n.added = added
	}
	n.verdict[callee] = yes
	return yes
}

// expand puts a copy of the callee's code in the place of a call.
func (n *inliner) expand(call ir.V, g *ir.Func) {
	f := n.f
	args, results := f.CallArgs(call), f.CallResults(call) // which stay, wherever the list grows
	m := enter()
	defer m.leave()
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

// dropFuncs drops the functions that nobody calls and numbers the rest anew.
// What they leave of their variables belongs to the entry point.
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
