package pass

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// editor adds values to a function. Equal constants get one value.
type editor struct {
	f      *ir.Func
	consts ir.Consts
}

// float adds a value that has no position in the code (yet).
func (e *editor) float(x ir.Val) ir.V {
	if n := len(e.f.Vals); n == cap(e.f.Vals) {
		e.f.Vals = slices.Grow(e.f.Vals, max(n, 16)) // doubles; append would grow large slices by a quarter only
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

// list stores an operand list and returns its position in Extra.
func (e *editor) list(parts ...[]ir.V) ir.V {
	at := len(e.f.Extra)
	for _, l := range parts {
		e.f.Extra = append(e.f.Extra, l...)
	}
	return ir.V(at)
}

// addParams adds parameters to a label and returns them. A loop also needs their
// initial values. The old list in Extra stays as garbage until compact.
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

// addArgs adds arguments to a br.
func (e *editor) addArgs(br ir.V, args []ir.V) {
	at := e.list(e.f.BrArgs(br), args)
	x := e.f.Val(br)
	x.Args[3], x.Aux = at, x.Aux+uint64(len(args))
}

// br creates a branch. The caller places it.
func (e *editor) br(label ir.V, origin int32, args []ir.V) ir.V {
	at := e.list(args)
	return e.float(ir.Val{Op: ir.Br, Args: [4]ir.V{label, 0, 0, at}, Aux: uint64(len(args)), Origin: origin})
}

// end creates the end of a region. The caller places it.
func (e *editor) end(opener ir.V) ir.V {
	return e.float(ir.Val{Op: ir.End, Args: [4]ir.V{opener}, Origin: e.f.Val(opener).Origin})
}

// redirect replaces the operands of v by their replacements.
func redirect(f *ir.Func, v ir.V, to []ir.V) {
	x := f.Val(v)
	for i := range x.Op.Args() {
		x.Args[i] = follow(x.Args[i], to)
	}
	redirectList(f.Listed(v), to)
}

// redirectBack redirects back edges, for passes that walk the code once: when the
// walk passed a loop's initial values and branches, the replacement of a later value
// was not yet known.
func redirectBack(f *ir.Func, to []ir.V) {
	if !loops(f) {
		return
	}
	for _, v := range f.Code {
		redirect(f, v, to)
	}
}

// redirectList replaces the values of a list by their replacements.
func redirectList(list []ir.V, to []ir.V) {
	for i := range list {
		list[i] = follow(list[i], to)
	}
}

// follow returns the replacement of v at the end of a chain, and shortens the chain
// (path compression, Tarjan 1975).
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
