package pass

import "github.com/chiaro-gpu/chiaro/internal/ir"

// compact numbers the values of a function anew, in the order of the code, so
// that engines keep no room for what other passes left behind. Equal constants
// become one.
func compact(_ *ir.Program, f *ir.Func) {
	c := &compacter{old: f, to: make([]ir.V, len(f.Vals))}
	c.edit.f = &ir.Func{Name: f.Name, Vals: make([]ir.Val, 1, len(f.Vals)), Code: make([]ir.V, 0, len(f.Code))}
	c.edit.f.Extra = make([]ir.V, 0, len(f.Extra))
	for _, a := range f.Args {
		c.edit.f.Args = append(c.edit.f.Args, c.define(a))
	}
	for _, v := range f.Code {
		c.value(v)
	}
	*f = *c.edit.f
}

type compacter struct {
	old  *ir.Func
	edit editor
	to   []ir.V // by old number
}

// define gives a value its new number.
func (c *compacter) define(v ir.V) ir.V {
	c.to[v] = c.edit.float(*c.old.Val(v))
	return c.to[v]
}

// use returns the new number of a value that is read; values stand in the code
// before those that read them.
func (c *compacter) use(v ir.V) ir.V {
	if x := c.old.Val(v); c.to[v] == 0 && x.Op == ir.Const {
		c.to[v] = c.edit.constant(x.Type, x.Aux)
	}
	return c.to[v]
}

func (c *compacter) uses(list []ir.V) []ir.V {
	out := make([]ir.V, len(list))
	for i, v := range list {
		out[i] = c.use(v)
	}
	return out
}

// owned defines the parameters or results of a new value.
func (c *compacter) owned(list []ir.V, owner ir.V) []ir.V {
	out := make([]ir.V, len(list))
	for i, v := range list {
		out[i] = c.define(v)
		c.edit.f.Val(out[i]).Args[0] = owner
	}
	return out
}

func (c *compacter) value(v ir.V) {
	f := c.edit.f
	n := c.define(v)
	f.Code = append(f.Code, n)
	x := *c.old.Val(v)
	for i := range x.Op.Args() {
		x.Args[i] = c.use(x.Args[i])
	}
	switch x.Op {
	case ir.Block:
		x.Args[3] = c.edit.list(c.owned(c.old.Params(v), n))
	case ir.Loop:
		inits := c.uses(c.old.Inits(v))
		x.Args[3] = c.edit.list(c.owned(c.old.Params(v), n), inits)
	case ir.Br:
		x.Args[0] = c.to[x.Args[0]]
		x.Args[3] = c.edit.list(c.uses(c.old.BrArgs(v)))
	case ir.Else, ir.End:
		x.Args[0] = c.to[x.Args[0]]
	case ir.Switch:
		x.Args[1] = c.to[x.Args[1]]
		x.Args[3] = c.edit.list(c.uses(c.old.Cases(v)))
	case ir.Call:
		args := c.uses(c.old.CallArgs(v))
		x.Args[3] = c.edit.list(args, c.owned(c.old.CallResults(v), n))
	case ir.Exit:
		x.Args[3] = c.edit.list(c.uses(c.old.ExitArgs(v)))
	}
	*f.Val(n) = x
}
