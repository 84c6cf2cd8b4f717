package pass

import "github.com/chiaro-gpu/chiaro/internal/ir"

// replace rewrites a function with promoted arguments.
func (l *argPromoter) replace(fn int, f *ir.Func) {
	c := &argRewriter{f: f, edit: editor{f: f}}
	promoted := l.promoted[fn]
	var args []ir.V
	for i, a := range f.Args {
		t := promoted[i]
		if t == nil {
			args = append(args, a)
			continue
		}
		t.local = uint64(len(l.p.Vars))
		slots := uint64(0)
		for _, d := range t.cells {
			slots = max(slots, d.slot+uint64(d.t.Slots()))
			v := c.edit.float(ir.Val{Op: ir.Arg, Type: d.t})
			args = append(args, v)
			c.start = append(c.start, c.access(ir.PSt, t, d, v))
		}
		l.p.Vars = append(l.p.Vars, ir.Var{Slots: uint32(slots), Func: fn})
		l.u.vars = append(l.u.vars, varUse{fn: fn})
	}
	f.Args = args
	accesses := c.accesses(promoted) // before the arguments are renumbered
	for i, a := range args {
		f.Val(a).Aux = uint64(i)
	}
	c.body(promoted, accesses)
}

// argRewriter rewrites the code of one function.
type argRewriter struct {
	f     *ir.Func
	edit  editor
	start []ir.V // goes to the start of the function
	code  []ir.V
}

// access creates a load or store of a copy. The caller places it.
func (c *argRewriter) access(op ir.Op, t *promotedArg, d scalarAt, v ir.V) ir.V {
	slot := c.edit.constant(ir.I32, d.slot)
	return c.edit.float(ir.Val{Op: op, Type: d.t, Aux: t.local, Args: [4]ir.V{slot, v}})
}

// local is the slot of a copy.
type local struct {
	v, slot uint64
}

// accesses finds the accesses through promoted arguments and the slots that they
// access instead.
func (c *argRewriter) accesses(promoted []*promotedArg) map[ir.V]local {
	all := map[ir.V]local{}
	for _, v := range c.f.Code {
		x := c.f.Val(v)
		if x.Op != ir.PLdI && x.Op != ir.PStI {
			continue
		}
		if root, slot, ok := base(c.f, x.Args[0]); ok && c.f.Val(root).Op == ir.Arg {
			if t := promoted[c.f.Val(root).Aux]; t != nil {
				all[v] = local{t.local, slot}
			}
		}
	}
	return all
}

// body replaces accesses through arguments by accesses to the copies, and adds the
// written copies to the results at each return.
func (c *argRewriter) body(promoted []*promotedArg, at map[ir.V]local) {
	f := c.f
	var types []ir.Type
	for _, t := range promoted {
		if t != nil && t.written {
			for _, d := range t.cells {
				types = append(types, d.t)
			}
		}
	}
	body := f.Body()
	c.edit.addParams(body, types, nil)
	old := f.Code
	for i, v := range old {
		x := f.Val(v)
		switch {
		case x.Op == ir.Br && x.Args[0] == body && len(types) > 0:
			c.edit.addArgs(v, c.back(promoted))
		case i == len(old)-1 && len(types) > 0 && c.fallsOffEnd(old):
			origin := x.Origin
			c.code = append(c.code, c.edit.br(body, origin, c.back(promoted)))
		}
		if l, ok := at[v]; ok {
			slot := c.edit.constant(ir.I32, l.slot)
			x = f.Val(v)
			if x.Op == ir.PLdI {
				x.Op = ir.PLd
			} else {
				x.Op = ir.PSt
			}
			x.Aux, x.Args[0] = l.v, slot
		}
		c.code = append(c.code, v)
		if i == 0 {
			c.code = append(c.code, c.start...)
		}
	}
	f.Code = c.code
	c.dropDeadSums()
}

// fallsOffEnd reports whether lanes reach the end of the function without a branch.
func (c *argRewriter) fallsOffEnd(code []ir.V) bool {
	r := newArena()
	defer r.release()
	s := newScope(c.f, r)
	for _, v := range code[:len(code)-1] {
		s.step(c.f, v, 0)
	}
	return !s.dead
}

// back loads the copies that are returned.
func (c *argRewriter) back(promoted []*promotedArg) []ir.V {
	var list []ir.V
	for _, t := range promoted {
		if t == nil || !t.written {
			continue
		}
		for _, d := range t.cells {
			v := c.access(ir.PLd, t, d, 0)
			c.code = append(c.code, v)
			list = append(list, v)
		}
	}
	return list
}

// dropDeadSums drops address computations on arguments that no longer exist.
func (c *argRewriter) dropDeadSums() {
	mine := map[ir.V]bool{}
	for _, a := range c.f.Args {
		mine[a] = true
	}
	code := c.f.Code[:0]
	for _, v := range c.f.Code {
		if x := c.f.Val(v); x.Op == ir.At {
			if root, _, ok := base(c.f, v); ok && c.f.Val(root).Op == ir.Arg && !mine[root] {
				continue
			}
		}
		code = append(code, v)
	}
	c.f.Code = code
}

// calls rewrites the calls of functions with promoted arguments.
func (l *argPromoter) calls(fn int) {
	f := l.p.Funcs[fn]
	c := &argRewriter{f: f, edit: editor{f: f}}
	some := false
	for _, v := range f.Code {
		if f.Val(v).Op == ir.Call && l.promotes(f.Callee(v)) {
			c.call(v, l.promoted[f.Callee(v)])
			some = true
			continue
		}
		c.code = append(c.code, v)
	}
	if some {
		f.Code = c.code
	}
}

// promotes reports whether a function has promoted arguments.
func (l *argPromoter) promotes(callee int) bool {
	for _, t := range l.promoted[callee] {
		if t != nil {
			return true
		}
	}
	return false
}

// call loads the scalars of each promoted argument before the call, and stores the
// returned ones after it.
func (c *argRewriter) call(call ir.V, promoted []*promotedArg) {
	f := c.f
	origin := f.Val(call).Origin
	var args, back []ir.V
	results := append([]ir.V(nil), f.CallResults(call)...)
	for i, a := range append([]ir.V(nil), f.CallArgs(call)...) {
		t := promoted[i]
		if t == nil {
			args = append(args, a)
			continue
		}
		for _, d := range t.cells {
			slot := c.edit.float(ir.Val{Op: ir.At, Type: ir.I32, Aux: 1, Args: [4]ir.V{a, c.edit.constant(ir.I32, d.slot)}, Origin: origin})
			v := c.edit.float(ir.Val{Op: ir.PLdI, Type: d.t, Args: [4]ir.V{slot}, Origin: origin})
			c.code = append(c.code, slot, v)
			args = append(args, v)
			if t.written {
				r := c.edit.float(ir.Val{Op: ir.Result, Type: d.t, Args: [4]ir.V{call}, Aux: uint64(len(results))})
				results = append(results, r)
				back = append(back, c.edit.float(ir.Val{Op: ir.PStI, Type: d.t, Args: [4]ir.V{slot, r}, Origin: origin}))
			}
		}
	}
	list := c.edit.list(args, results)
	x := f.Val(call)
	x.Args = [4]ir.V{ir.V(len(args)), ir.V(len(results)), 0, list}
	c.code = append(append(c.code, call), back...)
}
