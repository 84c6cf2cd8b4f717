package pass

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// editor changes a function. It makes each constant once.
type editor struct {
	f      *ir.Func
	consts ir.Consts
}

// float adds a value that stands nowhere, or not yet.
func (e *editor) float(x ir.Val) ir.V {
	if n := len(e.f.Vals); n == cap(e.f.Vals) {
		e.f.Vals = slices.Grow(e.f.Vals, max(n, 16)) // append would make less room
	}
	e.f.Vals = append(e.f.Vals, x)
	return ir.V(len(e.f.Vals) - 1)
}

// constant returns the constant of type t with the given bits.
func (e *editor) constant(t ir.Type, bits uint64) ir.V {
	bits &= t.Mask()
	v := e.consts.Find(t, bits)
	if v == 0 {
		v = e.float(ir.Val{Op: ir.Const, Type: t, Aux: bits})
		e.consts.Add(t, bits, v)
	}
	return v
}

// list stores an operand list and returns its place.
func (e *editor) list(parts ...[]ir.V) ir.V {
	at := len(e.f.Extra)
	for _, l := range parts {
		e.f.Extra = append(e.f.Extra, l...)
	}
	return ir.V(at)
}

// addParams gives a label further parameters and returns them; a loop needs
// their initial values.
func (e *editor) addParams(label ir.V, types []ir.Type, inits []ir.V) []ir.V {
	n := e.f.Val(label).Aux
	old := e.f.Params(label)
	params := make([]ir.V, len(types))
	for i, t := range types {
		params[i] = e.float(ir.Val{Op: ir.Param, Type: t, Args: [4]ir.V{label}, Aux: n + uint64(i)})
	}
	var first []ir.V
	if e.f.Val(label).Op == ir.Loop {
		first = e.f.Inits(label)
	}
	at := e.list(old, params, first, inits)
	x := e.f.Val(label)
	x.Args[3], x.Aux = at, n+uint64(len(types))
	return params
}

// addArgs gives a br further arguments.
func (e *editor) addArgs(br ir.V, args []ir.V) {
	at := e.list(e.f.BrArgs(br), args)
	x := e.f.Val(br)
	x.Args[3], x.Aux = at, x.Aux+uint64(len(args))
}

// br makes a branch that is still to be placed.
func (e *editor) br(label ir.V, origin int32, args []ir.V) ir.V {
	at := e.list(args)
	return e.float(ir.Val{Op: ir.Br, Args: [4]ir.V{label, 0, 0, at}, Aux: uint64(len(args)), Origin: origin})
}

// end makes the end of a region that is still to be placed.
func (e *editor) end(opener ir.V) ir.V {
	return e.float(ir.Val{Op: ir.End, Args: [4]ir.V{opener}, Origin: e.f.Val(opener).Origin})
}

// redirect replaces what v reads by what stands for it.
func redirect(f *ir.Func, v ir.V, to []ir.V) {
	x := f.Val(v)
	for i := range x.Op.Args() {
		x.Args[i] = follow(x.Args[i], to)
	}
	redirectList(f.Listed(v), to)
}

// redirectBack replaces what loops and the branches of their bodies were given before
// it was known what stands for it: those may name a value that was replaced later.
func redirectBack(f *ir.Func, to []ir.V) {
	if !loops(f) {
		return
	}
	for _, v := range f.Code {
		redirect(f, v, to)
	}
}

func redirectList(list []ir.V, to []ir.V) {
	for i := range list {
		list[i] = follow(list[i], to)
	}
}

// follow returns what stands for v. It shortens the way for those who follow.
func follow(v ir.V, to []ir.V) ir.V {
	end := v
	for int(end) < len(to) && to[end] != 0 {
		end = to[end]
	}
	for int(v) < len(to) && to[v] != 0 {
		v, to[v] = to[v], end
	}
	return end
}
