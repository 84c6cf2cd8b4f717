package pass

import "github.com/chiaro-gpu/chiaro/internal/ir"

// dce is dead-code elimination by mark and sweep (Cytron et al. 1991, 7.1). It
// removes
//
//   - operations without effects and without live users,
//   - parameters that only dead values use, cycles through loops included,
//   - stores to variables that are never loaded,
//
// and flags atomics with an unused result. Control stays, unlike in LLVM's ADCE:
// other passes remove it, and an empty loop may be infinite.
func dce(p *ir.Program) {
	u := usePrivate(p)
	for _, f := range p.Funcs {
		m := newArena()
		r := &deadCode{f: f, u: u, live: m.flags.Alloc(len(f.Vals)), work: m.values.Alloc(len(f.Vals))[:0], given: branchesOf(f, m)}
		r.mark()
		r.sweep()
		m.release()
	}
	dropUnusedVars(p)
}

// deadCode is the state for one function.
type deadCode struct {
	f     *ir.Func
	u     *private
	live  []bool   // by value
	work  []ir.V   // live values with operands to mark
	given branches // the arguments of parameters
}

// need marks a value as live.
func (r *deadCode) need(v ir.V) {
	if !r.live[v] {
		r.live[v] = true
		r.work = append(r.work, v)
	}
}

// mark marks the values that effects depend on. Arguments of branches are live only if their
// parameters are. A loop counter that only its own increment reads is dead although it has a user:
// the marks start at effects, and none reaches it.
func (r *deadCode) mark() {
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

// operands marks the operands of v.
func (r *deadCode) operands(v ir.V, x *ir.Val) {
	for i := range x.Op.Args() {
		r.need(x.Args[i])
	}
	for _, a := range r.f.Listed(v) {
		r.need(a)
	}
}

// param marks the arguments that flow to parameter i of a label.
func (r *deadCode) param(label ir.V, i uint64) {
	if r.f.Val(label).Op == ir.Loop {
		r.need(r.f.Inits(label)[i])
	}
	for _, br := range r.given.to(label) {
		r.need(r.f.BrArgs(br)[i])
	}
}

// sweep removes unmarked parameters and operations.
func (r *deadCode) sweep() {
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

// needed reports whether an operation stays even if its value is not used. Loads have no effect,
// even out of range, so that an unused one goes.
func (r *deadCode) needed(x *ir.Val) bool {
	switch x.Op {
	case ir.PSt, ir.PClr:
		return x.Flags&ir.Volatile != 0 || r.u.indirect || r.u.vars[x.Aux].loads
	}
	return x.Op.Row().Traits&(ir.Control|ir.Writes) != 0 || x.Flags&ir.Volatile != 0
}
