package pass

import "github.com/chiaro-gpu/chiaro/internal/ir"

// copier copies code, from a function into the same or another one. What to
// knows already stays what it says; other values must be defined by the code
// that is copied, or belong to both functions.
type copier struct {
	from   *ir.Func
	edit   *editor
	to     []ir.V // by value of from: its copy
	shared bool   // from is the function that is edited: what is not copied is itself
}

// copy returns a copy of v, which is still to be placed. Definitions must be
// copied before their uses.
func (c *copier) copy(v ir.V) ir.V {
	x := *c.from.Val(v)
	n := c.edit.float(x)
	c.to[v] = n
	for i := range x.Op.Args() {
		x.Args[i] = c.use(x.Args[i])
	}
	switch x.Op {
	case ir.Block:
		x.Args[3] = c.edit.list(c.owned(c.from.Params(v), n))
	case ir.Loop:
		inits := c.uses(c.from.Inits(v))
		x.Args[3] = c.edit.list(c.owned(c.from.Params(v), n), inits)
	case ir.Br:
		x.Args[0] = c.use(x.Args[0])
		x.Args[3] = c.edit.list(c.uses(c.from.BrArgs(v)))
	case ir.Else, ir.End:
		x.Args[0] = c.use(x.Args[0])
	case ir.Switch:
		x.Args[1] = c.use(x.Args[1])
		x.Args[3] = c.edit.list(c.uses(c.from.Cases(v)))
	case ir.Call:
		args := c.uses(c.from.CallArgs(v))
		x.Args[3] = c.edit.list(args, c.owned(c.from.CallResults(v), n))
	case ir.Exit:
		x.Args[3] = c.edit.list(c.uses(c.from.ExitArgs(v)))
	}
	*c.edit.f.Val(n) = x
	return n
}

// use returns what stands for a value or label that the copied code names.
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

func (c *copier) uses(list []ir.V) []ir.V {
	out := make([]ir.V, len(list))
	for i, v := range list {
		out[i] = c.use(v)
	}
	return out
}

// owned copies the parameters or results of an operation.
func (c *copier) owned(list []ir.V, owner ir.V) []ir.V {
	out := make([]ir.V, len(list))
	for i, v := range list {
		x := *c.from.Val(v)
		x.Args[0] = owner
		out[i] = c.edit.float(x)
		c.to[v] = out[i]
	}
	return out
}
