package lower

import "github.com/chiaro-gpu/chiaro/internal/ir"

// Canonicalize makes observable arithmetic NaNs canonical: it inserts an fcanon before
// each operation that exposes the bits of a float that may have been computed. A float
// that was only loaded, selected or copied retains its bits; so do the components of a
// texel, because the body of a texture function canonicalizes the components that it
// converts or filters. It also marks atomics without a use of their result.
//
// The analysis is a forward data-flow fixed point over all functions: a value is
// "computed" if a computed NaN may reach it. Cranelift's NaN canonicalization inserts
// its sequence after every float operation instead.
func Canonicalize(p *ir.Program) {
	c := canon{p: p, vars: make([]bool, len(p.Vars)), exposed: make([]bool, len(p.Vars)), funcs: make([]computed, len(p.Funcs))}
	for i, f := range p.Funcs {
		c.funcs[i] = computed{make([]bool, len(f.Vals)), make([]bool, len(f.Args))}
		for _, v := range f.Code {
			if x := f.Val(v); x.Op == ir.PAddr {
				c.exposed[x.Aux] = true
			}
		}
	}
	c.storesIndirect = p.Stage.OfRays() // other shaders of the pipeline store to payloads, callable data and hit attributes
	for c.changed = true; c.changed; {
		c.changed = false
		for i, f := range p.Funcs {
			c.propagate(f, &c.funcs[i])
		}
	}
	for i, f := range p.Funcs {
		insert(p, f, c.funcs[i].vals)
		markUnused(f)
	}
}

// canon is the state of the analysis: the computed values, variables, arguments and
// results.
type canon struct {
	p              *ir.Program
	funcs          []computed
	vars           []bool // by variable: a direct store of a computed float
	exposed        []bool // by variable: its address is taken
	storesIndirect bool   // a computed float may be stored through an address
	changed        bool
}

// computed has the values and the arguments of a function that may be computed floats.
type computed struct{ vals, args []bool }

func (c *canon) mark(at *bool, yes bool) {
	if yes && !*at {
		*at, c.changed = true, true
	}
}

// propagate traverses a function once.
func (c *canon) propagate(f *ir.Func, s *computed) {
	for i, a := range f.Args {
		c.mark(&s.vals[a], s.args[i])
	}
	for _, v := range f.Code {
		x := f.Val(v)
		switch x.Op {
		case ir.Br:
			for i, a := range f.BrArgs(v) {
				c.mark(&s.vals[f.Params(x.Args[0])[i]], s.vals[a])
			}
		case ir.Loop:
			for i, a := range f.Inits(v) {
				c.mark(&s.vals[f.Params(v)[i]], s.vals[a])
			}
		case ir.Call:
			c.call(f, v, s)
		case ir.PSt:
			c.mark(&c.vars[x.Aux], s.vals[x.Args[1]])
		case ir.PStI:
			c.mark(&c.storesIndirect, s.vals[x.Args[1]])
		default:
			if x.Type.IsFloat() && x.Op.HasResult() {
				c.mark(&s.vals[v], c.computes(f, x, s))
			}
		}
	}
}

func (c *canon) call(f *ir.Func, v ir.V, s *computed) {
	n := f.Callee(v)
	g, t := c.p.Funcs[n], &c.funcs[n]
	if g.Texture != nil {
		for _, r := range f.CallResults(v) {
			c.mark(&s.vals[r], g.Texture.Op == ir.TextureQueryLod)
		}
		return
	}
	if len(f.CallArgs(v)) != len(g.Args) || len(f.CallResults(v)) != len(g.Results()) {
		return // Verify reports it
	}
	for i, a := range f.CallArgs(v) {
		c.mark(&t.args[i], s.vals[a])
	}
	for i, r := range f.CallResults(v) {
		c.mark(&s.vals[r], t.vals[g.Results()[i]])
	}
}

// computes reports whether the result of an operation may be a NaN with unspecified
// bits.
func (c *canon) computes(f *ir.Func, x *ir.Val, s *computed) bool {
	switch x.Op {
	case ir.In, ir.InAt:
		in := &c.p.In[x.Aux] // interpolation computes
		return c.p.Stage == ir.Fragment && x.Op == ir.In && in.Semantic >= ir.Location && in.Interpolation <= ir.Linear
	case ir.QuadSwap:
		return x.Flags&ir.AnyNaN != 0 && s.vals[x.Args[0]]
	case ir.PLd:
		return c.vars[x.Aux] || c.storesIndirect && c.exposed[x.Aux]
	case ir.PLdI:
		if c.storesIndirect {
			return true
		}
		for i, v := range c.vars {
			if v && c.exposed[i] {
				return true
			}
		}
		return false
	}
	if !x.Op.Is(ir.Selects) {
		return !x.Op.Is(ir.DeterminateNaN)
	}
	for i := range x.Op.Args() { // the condition of a select is no float, hence never marked
		if s.vals[x.Args[i]] {
			return true
		}
	}
	return false
}

// insert inserts an fcanon before the operations that expose a computed float.
func insert(p *ir.Program, f *ir.Func, vals []bool) {
	code := make([]ir.V, 0, len(f.Code))
	canonical := func(a ir.V, origin int32) ir.V {
		if int(a) >= len(vals) || !vals[a] || !f.Type(a).IsFloat() {
			return a
		}
		n := ir.V(len(f.Vals))
		f.Vals = append(f.Vals, ir.Val{Op: ir.FCanon, Type: f.Type(a), Args: [4]ir.V{a}, Origin: origin})
		code = append(code, n)
		return n
	}
	for _, v := range f.Code {
		x := f.Vals[v]
		if k := x.Op.Observed(); k >= 0 && x.Flags&ir.AnyNaN == 0 {
			a := canonical(x.Args[k], x.Origin)
			f.Vals[v].Args[k] = a
		}
		if x.Op == ir.Call {
			if t := p.Funcs[f.Callee(v)].Texture; t != nil && t.Op == ir.TextureWrite {
				args := f.CallArgs(v)
				for i := len(args) - 4; i < len(args); i++ {
					args[i] = canonical(args[i], x.Origin)
				}
			}
		}
		code = append(code, v)
	}
	f.Code = code
}

// markUnused flags the atomics without a use of their result.
func markUnused(f *ir.Func) {
	used := make([]bool, len(f.Vals))
	for _, v := range f.Code {
		f.Operands(v, func(a ir.V) { used[a] = true })
	}
	for _, v := range f.Code {
		if x := f.Val(v); x.Op.Family() == ir.Atomics && !used[v] {
			x.Flags |= ir.Unused
		}
	}
}
