package pass

import "github.com/chiaro-gpu/chiaro/internal/ir"

// remove drops operations whose value nobody reads and that have no effect,
// parameters that nobody reads but those who hand them on, and stores to
// variables that the program nowhere loads; and it marks atomics whose old
// value nobody reads.
func remove(p *ir.Program) {
	u := usePrivate(p)
	for _, f := range p.Funcs {
		m := enter()
		r := &remover{f: f, u: u, live: m.flags.Alloc(len(f.Vals)), work: m.values.Alloc(len(f.Vals))[:0], given: branchesOf(f, m)}
		r.mark()
		r.sweep()
		m.leave()
	}
	release(p)
}

type remover struct {
	f     *ir.Func
	u     *private
	live  []bool
	work  []ir.V
	given branches
}

func (r *remover) need(v ir.V) {
	if !r.live[v] {
		r.live[v] = true
		r.work = append(r.work, v)
	}
}

// mark finds what is read, from the effects back.
func (r *remover) mark() {
	f := r.f
	for _, p := range f.Results() {
		r.need(p)
	}
	for _, v := range f.Code {
		x := f.Val(v)
		switch {
		case x.Op == ir.Loop, x.Op == ir.Br:
		case r.needed(x):
			r.operands(v, x)
		}
	}
	for len(r.work) > 0 {
		v := r.work[len(r.work)-1]
		r.work = r.work[:len(r.work)-1]
		switch x := f.Val(v); {
		case x.Op == ir.Param:
			r.param(x.Args[0], x.Aux)
		case !x.Op.Is(ir.Implicit):
			r.operands(v, x)
		}
	}
}

// operands needs all that v reads.
func (r *remover) operands(v ir.V, x *ir.Val) {
	for i := range x.Op.Args() {
		r.need(x.Args[i])
	}
	for _, a := range r.f.Listed(v) {
		r.need(a)
	}
}

// param needs what a parameter is given.
func (r *remover) param(label ir.V, i uint64) {
	if r.f.Val(label).Op == ir.Loop {
		r.need(r.f.Inits(label)[i])
	}
	for _, br := range r.given.to(label) {
		r.need(r.f.BrArgs(br)[i])
	}
}

func (r *remover) sweep() {
	f := r.f
	dropParams(f, func(p ir.V) bool { return !r.live[p] })
	code := f.Code[:0]
	for _, v := range f.Code {
		x := f.Val(v)
		if x.Op.Family() == ir.Atomics && !r.live[v] {
			x.Flags |= ir.Unused
		}
		if r.needed(x) || r.live[v] {
			code = append(code, v)
		}
	}
	f.Code = code
}

// needed reports whether an operation stays even where nobody reads its value.
func (r *remover) needed(x *ir.Val) bool {
	switch x.Op {
	case ir.PSt, ir.PClr:
		return x.Flags&ir.Volatile != 0 || r.u.places || r.u.vars[x.Aux].loads
	}
	return x.Op.Row().Traits&(ir.Control|ir.Writes) != 0 || x.Flags&ir.Volatile != 0
}
