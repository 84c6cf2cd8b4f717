package pass

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// emitter makes the code of one melded group.
type emitter struct {
	*melder
	g      *group
	from   int32
	label  ir.V
	news   []ir.V   // by reference: the new value
	params []ir.V   // of the new block
	args   [][]ir.V // by parameter, by arm: its argument; 0 if any will do
	body   []ir.V
	extra  int  // selects
	failed bool // the group cannot be melded, or it does not pay
}

// emit makes the code of a group with a new block that contains code[from:to]. It returns nil
// if the group cannot be melded, or if so many operands differ that it does not pay. The
// values that it has made then stay without a position until compact drops them.
func (m *melder) emit(g *group, from, to int32) *melded {
	e := &emitter{melder: m, g: g, from: from, news: make([]ir.V, g.refs)}
	e.label = e.float(ir.Val{Op: ir.Block, Origin: m.f.Val(m.code[from]).Origin})
	for _, segment := range g.segments {
		for _, id := range segment {
			if e.slot(&g.slots[id]); e.failed {
				return nil
			}
		}
	}
	if len(e.params) > maxMeldParams || e.extra > len(g.slots)/8 {
		return nil
	}
	x := m.f.Val(e.label)
	x.Aux = uint64(len(e.params))
	at := m.edit.list(e.params)
	m.f.Val(e.label).Args[3] = at
	d := &melded{from: from, to: to, label: e.label, arms: g.arms, body: e.body}
	for k, a := range g.arms {
		args := make([]ir.V, len(e.params))
		for i, v := range e.params {
			if args[i] = e.args[i][k]; args[i] == 0 {
				args[i] = m.edit.constant(m.f.Type(v), 0)
			}
		}
		d.brs = append(d.brs, m.edit.br(e.label, m.f.Val(m.code[a.br]).Origin, args))
	}
	return d
}

// float adds a value without a position, which is likely to differ between lanes.
func (e *emitter) float(x ir.Val) ir.V {
	v := e.edit.float(x)
	for len(e.uni) <= int(v) {
		e.uni = append(e.uni, false)
	}
	return v
}

// slot appends the operation of a slot to the body. Its new value is known before its
// operands are, because the parameters of a loop belong to it.
func (e *emitter) slot(s *slot) {
	f := e.f
	old, first := s.one()
	b := &e.g.arms[first]
	x := *f.Val(old)
	n := e.float(x)
	e.news[s.ref] = n
	careful := decides(x.Op) || x.Op == ir.Call && !e.pure[f.Callee(old)].arithmetic
	use := func(at func(v ir.V) ir.V) ir.V { return e.operand(s, careful, at) }
	for k := range x.Op.Args() {
		x.Args[k] = use(func(v ir.V) ir.V { return f.Val(v).Args[k] })
	}
	list := make([]ir.V, len(f.Listed(old)))
	if x.Op == ir.Br {
		label := x.Args[0]
		if r := e.ref(e.g, b, label); r != 0 {
			x.Args[0] = e.news[r]
		}
		careful = f.Val(label).Op == ir.Loop
	}
	for k := range list {
		list[k] = use(func(v ir.V) ir.V { return f.Listed(v)[k] })
	}
	switch x.Op {
	case ir.Else, ir.End:
		x.Args[0] = e.news[e.ref(e.g, b, x.Args[0])]
	case ir.Br:
		x.Args[3] = e.edit.list(list)
	case ir.Block, ir.Loop:
		x.Args[3] = e.edit.list(e.owns(s, old, n), list)
	case ir.Call:
		x.Args[3] = e.edit.list(list, e.owns(s, old, n))
	}
	*f.Val(n) = x
	e.uni[n] = !x.Op.Is(ir.Control) && e.uniform(&x)
	e.body = append(e.body, n)
}

// owns makes the parameters or results of the new operation n of a slot.
func (e *emitter) owns(s *slot, old, n ir.V) []ir.V {
	var list []ir.V
	for i, p := range slices.Clone(e.owned(old)) {
		x := *e.f.Val(p)
		x.Args[0] = n
		v := e.float(x)
		e.uni[v] = e.uni[p]
		e.news[s.ref+1+int32(i)] = v
		list = append(list, v)
	}
	return list
}

// operand returns the value that the operation of a slot uses for the operands of the
// arms, which at returns. A careful one may not become different between lanes. There are
// three cases: all arms use one value; they use values from outside, which become a
// parameter; or some use results of other slots, which selects choose.
func (e *emitter) operand(s *slot, careful bool, at func(ir.V) ir.V) ir.V {
	outside := make([]ir.V, len(e.g.arms)) // by arm: its operand, if it is from outside
	var refs []int32                       // the operands that are operations of the group
	some, same := ir.V(0), true            // an operand from outside, and whether all of those are one
	uniform := false
	for k, v := range s.vals {
		if v == 0 {
			continue
		}
		o := at(v)
		uniform = uniform || e.same(o)
		if r := e.ref(e.g, &e.g.arms[k], o); r != 0 {
			if !slices.Contains(refs, r) {
				refs = append(refs, r)
			}
			continue
		}
		o = e.canonical(o)
		same = same && (some == 0 || some == o)
		some, outside[k] = o, o
	}
	v := some
	if some != 0 && !(same && (e.f.Val(some).Op == ir.Const || e.pos[some] < e.from)) {
		v = e.param(e.f.Type(some), outside)
	}
	for _, r := range refs {
		v = e.choose(s, at, r, v)
	}
	if e.failed || careful && uniform && !e.same(v) {
		e.failed = true
	}
	return v
}

// choose returns a select of the new value with reference r for the arms that use it,
// and of v for the others. If v is 0, all use it. The condition is a parameter, too:
// true or false, by the arm.
func (e *emitter) choose(s *slot, at func(ir.V) ir.V, r int32, v ir.V) ir.V {
	n := e.news[r]
	if v == 0 || v == n {
		return n
	}
	mask := make([]ir.V, len(e.g.arms))
	for k, u := range s.vals {
		if u != 0 {
			mask[k] = e.edit.constant(ir.B1, 0)
			if e.ref(e.g, &e.g.arms[k], at(u)) == r {
				mask[k] = e.edit.constant(ir.B1, 1)
			}
		}
	}
	t := e.f.Type(n)
	if t == ir.H {
		e.failed = true
		return n
	}
	c := e.param(ir.B1, mask)
	first, _ := s.one()
	e.extra++
	v = e.float(ir.Val{Op: ir.Select, Type: t, Args: [4]ir.V{c, n, v}, Origin: e.f.Val(first).Origin})
	e.body = append(e.body, v)
	return v
}

// param returns a parameter of the new block that has the given arguments, by arm. An
// argument 0 may be any. Handles get none: engines want to know each access's resource.
func (e *emitter) param(t ir.Type, args []ir.V) ir.V {
	if e.failed = e.failed || t == ir.H; e.failed {
		return args[0]
	}
	for i, p := range e.params {
		if e.f.Type(p) == t && agreeArgs(e.args[i], args) {
			for k, v := range args {
				e.args[i][k] = max(e.args[i][k], v)
			}
			return p
		}
	}
	p := e.float(ir.Val{Op: ir.Param, Type: t, Args: [4]ir.V{e.label}, Aux: uint64(len(e.params))})
	e.params, e.args = append(e.params, p), append(e.args, args)
	e.failed = len(e.params) > maxMeldParams
	return p
}

// agreeArgs reports whether one parameter can have both lists of arguments.
func agreeArgs(a, b []ir.V) bool {
	for k := range a {
		if a[k] != b[k] && a[k] != 0 && b[k] != 0 {
			return false
		}
	}
	return true
}

// canonical returns one value for all equal constants.
func (e *emitter) canonical(v ir.V) ir.V {
	if x := e.f.Val(v); x.Op == ir.Const {
		return e.constant(x.Type, x.Aux)
	}
	return v
}

func (e *emitter) constant(t ir.Type, bits uint64) ir.V {
	v := e.edit.constant(t, bits)
	for len(e.uni) <= int(v) {
		e.uni = append(e.uni, false)
	}
	return v
}
