package pass

import "github.com/chiaro-gpu/chiaro/internal/ir"

// replace changes a function whose arguments are lifted.
func (l *lifter) replace(fn int, f *ir.Func) {
	c := &lifting{f: f, edit: editor{f: f}}
	taken := l.taken[fn]
	var args []ir.V
	for i, a := range f.Args {
		t := taken[i]
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
	places := c.places(taken) // before the arguments get other numbers
	for i, a := range args {
		f.Val(a).Aux = uint64(i)
	}
	c.body(taken, places)
}

// lifting changes the code of one function.
type lifting struct {
	f     *ir.Func
	edit  editor
	start []ir.V // to stand at the beginning
	code  []ir.V
}

// access makes a load or store of a copy, still to be placed.
func (c *lifting) access(op ir.Op, t *lifted, d cellAt, v ir.V) ir.V {
	slot := c.edit.constant(ir.I32, d.slot)
	return c.edit.float(ir.Val{Op: op, Type: d.t, Aux: t.local, Args: [4]ir.V{slot, v}})
}

// local is the slot of a copy, by the access that named it through a place.
type local struct {
	v, slot uint64
}

// places finds the accesses through arguments that are lifted.
func (c *lifting) places(taken []*lifted) map[ir.V]local {
	all := map[ir.V]local{}
	for _, v := range c.f.Code {
		x := c.f.Val(v)
		if x.Op != ir.PLdI && x.Op != ir.PStI {
			continue
		}
		if root, slot, ok := base(c.f, x.Args[0]); ok && c.f.Val(root).Op == ir.Arg {
			if t := taken[c.f.Val(root).Aux]; t != nil {
				all[v] = local{t.local, slot}
			}
		}
	}
	return all
}

// body makes accesses to copies of accesses through places, and hands the
// copies back where lanes return. Sums that nobody reads any more go.
func (c *lifting) body(taken []*lifted, at map[ir.V]local) {
	f := c.f
	var types []ir.Type
	for _, t := range taken {
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
			c.edit.addArgs(v, c.back(taken))
		case i == len(old)-1 && len(types) > 0 && c.falls(old):
			origin := x.Origin
			c.code = append(c.code, c.edit.br(body, origin, c.back(taken)))
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
	c.drop()
}

// falls reports whether lanes come to the end of the function by falling off.
func (c *lifting) falls(code []ir.V) bool {
	r := enter()
	defer r.leave()
	s := newScope(c.f, r)
	for _, v := range code[:len(code)-1] {
		s.step(c.f, v, 0)
	}
	return !s.dead
}

// back loads the copies that are handed back.
func (c *lifting) back(taken []*lifted) []ir.V {
	var list []ir.V
	for _, t := range taken {
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

// drop drops sums of arguments that are gone.
func (c *lifting) drop() {
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

// calls passes the scalars in the calls of functions that take them.
func (l *lifter) calls(fn int) {
	f := l.p.Funcs[fn]
	c := &lifting{f: f, edit: editor{f: f}}
	some := false
	for _, v := range f.Code {
		if f.Val(v).Op == ir.Call && l.takes(f.Callee(v)) {
			c.call(v, l.taken[f.Callee(v)])
			some = true
			continue
		}
		c.code = append(c.code, v)
	}
	if some {
		f.Code = c.code
	}
}

func (l *lifter) takes(callee int) bool {
	for _, t := range l.taken[callee] {
		if t != nil {
			return true
		}
	}
	return false
}

// call loads what an argument's place holds, calls, and stores what comes back.
func (c *lifting) call(call ir.V, taken []*lifted) {
	f := c.f
	origin := f.Val(call).Origin
	var args, back []ir.V
	results := append([]ir.V(nil), f.CallResults(call)...)
	for i, a := range append([]ir.V(nil), f.CallArgs(call)...) {
		t := taken[i]
		if t == nil {
			args = append(args, a)
			continue
		}
		for _, d := range t.cells {
			place := c.edit.float(ir.Val{Op: ir.At, Type: ir.I32, Aux: 1, Args: [4]ir.V{a, c.edit.constant(ir.I32, d.slot)}, Origin: origin})
			v := c.edit.float(ir.Val{Op: ir.PLdI, Type: d.t, Args: [4]ir.V{place}, Origin: origin})
			c.code = append(c.code, place, v)
			args = append(args, v)
			if t.written {
				r := c.edit.float(ir.Val{Op: ir.Result, Type: d.t, Args: [4]ir.V{call}, Aux: uint64(len(results))})
				results = append(results, r)
				back = append(back, c.edit.float(ir.Val{Op: ir.PStI, Type: d.t, Args: [4]ir.V{place, r}, Origin: origin}))
			}
		}
	}
	list := c.edit.list(args, results)
	x := f.Val(call)
	x.Args = [4]ir.V{ir.V(len(args)), ir.V(len(results)), 0, list}
	c.code = append(append(c.code, call), back...)
}
