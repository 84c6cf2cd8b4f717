package pass

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// copier copies code from a function into the same or another one. The caller may
// preset the replacement of a value in to. An operand must have been copied before,
// be preset or, if shared is set, belong to the code around the copy.
type copier struct {
	from   *ir.Func
	edit   *editor
	to     []ir.V // by value of from: its copy
	shared bool   // from and the target are one function: other operands stay as they are
}

// copy returns a copy of v. The caller places it. Definitions must be copied before
// their uses.
func (c *copier) copy(v ir.V) ir.V {
	x := *c.from.Val(v)
	n := c.edit.float(x)
	c.to[v] = n
	for i := range x.Op.Args() {
		x.Args[i] = c.use(x.Args[i])
	}
	switch x.Op {
	case ir.Block:
		x.Args[3] = c.list(int(x.Aux))
		c.owned(x.Args[3], c.from.Params(v), n)
	case ir.Loop:
		x.Args[3] = c.list(2 * int(x.Aux))
		c.uses(x.Args[3]+ir.V(x.Aux), c.from.Inits(v))
		c.owned(x.Args[3], c.from.Params(v), n)
	case ir.Br:
		x.Args[0] = c.use(x.Args[0])
		x.Args[3] = c.copyOf(c.from.BrArgs(v))
	case ir.Else, ir.End:
		x.Args[0] = c.use(x.Args[0])
	case ir.Switch:
		x.Args[1] = c.use(x.Args[1])
		x.Args[3] = c.copyOf(c.from.Cases(v))
	case ir.Call:
		args, results := c.from.CallArgs(v), c.from.CallResults(v)
		x.Args[3] = c.list(len(args) + len(results))
		c.uses(x.Args[3], args)
		c.owned(x.Args[3]+ir.V(len(args)), results, n)
	}
	*c.edit.f.Val(n) = x
	return n
}

// use returns the copy of a value or label.
func (c *copier) use(v ir.V) ir.V {
	if c.to[v] != 0 {
		return c.to[v]
	}
	if c.shared {
		return v
	}
	if x := c.from.Val(v); x.Op == ir.Const {
		c.to[v] = c.edit.constant(x.Type, x.Aux)
	}
	return c.to[v]
}

// list allocates an operand list of length n and returns its position in Extra.
func (c *copier) list(n int) ir.V {
	f := c.edit.f
	at := len(f.Extra)
	f.Extra = slices.Grow(f.Extra, n)[:at+n]
	return ir.V(at)
}

// uses writes the copies of operands to a list.
func (c *copier) uses(at ir.V, list []ir.V) {
	for i, v := range list {
		v = c.use(v)
		c.edit.f.Extra[int(at)+i] = v
	}
}

// copyOf copies an operand list and returns its position in Extra.
func (c *copier) copyOf(list []ir.V) ir.V {
	at := c.list(len(list))
	c.uses(at, list)
	return at
}

// owned copies the parameters or results of an operation to a list.
func (c *copier) owned(at ir.V, list []ir.V, owner ir.V) {
	for i, v := range list {
		x := *c.from.Val(v)
		x.Args[0] = owner
		c.to[v] = c.edit.float(x)
		c.edit.f.Extra[int(at)+i] = c.to[v]
	}
}
