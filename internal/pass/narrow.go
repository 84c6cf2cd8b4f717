package pass

import "github.com/chiaro-gpu/chiaro/internal/ir"

// narrowLoops is demanded-bits narrowing (LLVM's DemandedBits and TruncInstCombine) of the numbers of 64 bits that loops and merges carry:
// if no use depends on the high half, the number has 32 bits. A vector of 64-bit lanes takes two registers, and the divergence analysis knows the shapes of numbers of 32 bits.
//
//	loop L2(v3 i64 = 0:i64) {      loop L2(v3 i32 = 0:i32) {
//		v4 = trunc.i32.i64 v3          … v3 …
//		… v4 …
//		v5 = add.i64 v3, 8:i64         v5 = add.i32 v3, 8:i32
//		br L2(v5)                      br L2(v5)
//
// The candidates are a greatest fixed point: all such numbers at first, without those that a use rejects, until none is rejected. A
// carried number is only as narrow as every number that it gets and every number that gets it.
//
// The low half of a sum, a difference, a product, a bitwise operation or a left shift by less than 32 depends on the low halves of the
// operands alone.
func narrowLoops(_ *ir.Program, f *ir.Func) {
	r := newArena()
	defer r.release()
	n := &narrower{f: f, edit: editor{f: f}, wide: r.values.Alloc(len(f.Vals))}
	if !n.collect() {
		return
	}
	for n.reject() {
	}
	n.rewrite(r)
}

// narrower narrows the numbers of a function.
type narrower struct {
	f    *ir.Func
	edit editor
	wide []ir.V // by value: 1 for a number of 64 bits that may become one of 32, else 0
	all  []ir.V // these numbers
}

// collect finds the candidates. The results of the function are none: its callers have their types. It reports whether a loop or a merge carries one.
func (n *narrower) collect() (carried bool) {
	add := func(v ir.V) {
		n.wide[v] = 1
		n.all = append(n.all, v)
	}
	for _, v := range n.f.Code {
		x := n.f.Val(v)
		switch x.Op {
		case ir.Block, ir.Loop:
			if v == n.f.Body() {
				continue
			}
			for _, p := range n.f.Params(v) {
				if n.f.Type(p) == ir.I64 {
					add(p)
					carried = true
				}
			}
		case ir.Add, ir.Sub, ir.Mul, ir.And, ir.Or, ir.Xor:
			if x.Type == ir.I64 {
				add(v)
			}
		case ir.Shl:
			if y := n.f.Val(x.Args[1]); x.Type == ir.I64 && y.Op == ir.Const && y.Aux < 32 {
				add(v)
			}
		}
	}
	return carried
}

// reject removes the candidates with a use that depends on the high half. It reports whether there was one.
func (n *narrower) reject() (some bool) {
	drop := func(v ir.V) {
		if int(v) < len(n.wide) && n.wide[v] != 0 {
			n.wide[v], some = 0, true
		}
	}
	for _, v := range n.f.Code {
		x := n.f.Val(v)
		switch {
		case x.Op == ir.Trunc || n.wide[v] != 0:
		case x.Op == ir.Br && x.Args[0] != n.f.Body():
			n.feeds(n.f.Params(x.Args[0]), n.f.BrArgs(v), drop)
		case x.Op == ir.Loop:
			n.feeds(n.f.Params(v), n.f.Inits(v), drop)
		default:
			n.f.Operands(v, drop)
		}
	}
	return some
}

// feeds drops the values that a parameter of 64 bits gets.
func (n *narrower) feeds(params, args []ir.V, drop func(ir.V)) {
	for i, p := range params {
		if n.wide[p] == 0 {
			drop(args[i])
		}
	}
}

// rewrite gives the numbers 32 bits, in place, so that no use has to change. A truncation of one is the number. An operand that keeps its
// 64 bits is truncated before the use, which also gives branches and loops the types of their labels' parameters.
func (n *narrower) rewrite(r *arena) {
	to := r.values.Alloc(len(n.f.Vals))
	code := make([]ir.V, 0, len(n.f.Code))
	for _, v := range n.all {
		if n.wide[v] != 0 {
			n.f.Val(v).Type = ir.I32
		}
	}
	low := func(v ir.V, origin int32) ir.V { // of an operand
		switch x := n.f.Val(v); {
		case x.Type == ir.I32:
			return v
		case x.Op == ir.Const:
			return n.edit.constant(ir.I32, x.Aux)
		}
		t := n.edit.float(ir.Val{Op: ir.Trunc, Type: ir.I32, Args: [4]ir.V{v}, Origin: origin})
		code = append(code, t)
		return t
	}
	for _, v := range n.f.Code {
		x := *n.f.Val(v)
		var params, args []ir.V
		switch {
		case x.Op == ir.Trunc && x.Type == ir.I32 && n.f.Type(x.Args[0]) == ir.I32:
			to[v] = x.Args[0]
			continue
		case int(v) < len(n.wide) && n.wide[v] != 0:
			for i := range x.Op.Args() {
				a := low(x.Args[i], x.Origin)
				n.f.Val(v).Args[i] = a
			}
		case x.Op == ir.Loop:
			params, args = n.f.Params(v), n.f.Inits(v)
		case x.Op == ir.Br && x.Args[0] != n.f.Body():
			params, args = n.f.Params(x.Args[0]), n.f.BrArgs(v)
		}
		for i, p := range params {
			if n.wide[p] != 0 {
				args[i] = low(args[i], x.Origin)
			}
		}
		code = append(code, v)
	}
	n.f.Code = append(n.f.Code[:0], code...)
	for _, v := range n.f.Code {
		redirect(n.f, v, to)
	}
}
