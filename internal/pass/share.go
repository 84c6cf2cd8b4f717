package pass

import "github.com/chiaro-gpu/chiaro/internal/ir"

// share computes once what is computed again of the same operands where the
// first value may be read: common subexpressions. Loads count as such where
// nothing in between, in the order of the code, may have written what they
// read. A store's value is no load's: another lane may have stored to the same
// place in the same operation. Only for variables, which are a lane's own, a
// load is forwarded what was stored.
func share(p *ir.Program, f *ir.Func) {
	r := enter()
	defer r.leave()
	s := &sharer{
		p: p, f: f, to: r.values.Alloc(len(f.Vals)), table: newShareTable(r, len(f.Code)),
		epochs: newEpochs(), loops: loopWrites(p, f), scope: newScope(f, r),
	}
	some := false
	for v := 1; v < len(f.Vals); v++ {
		if x := &f.Vals[v]; x.Op == ir.Const {
			if first := r.consts.Find(x.Type, x.Aux); first != 0 {
				s.to[v], some = first, true
			} else {
				r.consts.Add(x.Type, x.Aux, ir.V(v))
			}
		}
	}
	code := f.Code[:0]
	for _, v := range f.Code {
		if some {
			redirect(f, v, s.to)
		}
		if s.value(v) {
			some = true
			continue
		}
		code = append(code, v)
	}
	f.Code = code
}

// shareKey is what a value depends on.
type shareKey struct {
	op    ir.Op
	t     ir.Type
	flags ir.Flags
	args  [3]ir.V
	aux   uint64
	epoch uint64
}

type sharer struct {
	p     *ir.Program
	f     *ir.Func
	to    []ir.V
	table shareTable // values that may be read here
	scope
	*epochs
	loops map[ir.V]writes
}

// value looks at one operation. It reports whether it is dropped, because
// another value stands for it.
func (s *sharer) value(v ir.V) bool {
	x := s.f.Val(v)
	if x.Op.Is(ir.Control) {
		s.table.back(s.scope.step(s.f, v, len(s.table.log)))
		if x.Op == ir.Loop {
			s.epochs.loop(s.loops[v])
		}
		return false
	}
	if key, ok := s.key(x); ok {
		if same := s.table.find(&key); same != 0 {
			s.to[v] = same
			return true
		}
		s.table.enter(&key, v)
		return false
	}
	s.note(s.p, s.f, x)
	if x.Op == ir.PSt && x.Flags&ir.Volatile == 0 {
		slot := s.f.Val(x.Args[0])
		if slot.Op == ir.Const && slot.Aux+uint64(x.Type.Slots()) <= uint64(s.p.Vars[x.Aux].Slots) {
			key := s.loadOf(x)
			s.table.enter(&key, x.Args[1])
		}
	}
	return false
}

// key returns what the value of an operation depends on; not ok is one that
// may give another value each time, or has an effect.
func (s *sharer) key(x *ir.Val) (k shareKey, ok bool) {
	k = shareKey{op: x.Op, t: x.Type, flags: x.Flags &^ ir.Proven, aux: x.Aux}
	switch {
	case x.Flags&(ir.Volatile|ir.Coherent) != 0:
		return k, false
	case x.Op == ir.PLd:
		return s.loadOf(x), true
	case x.Op == ir.Ld:
		k.epoch = s.at(classOf(s.p, s.f, x.Args[0]))
	case !x.Op.Pure():
		return k, false
	}
	for i := range min(x.Op.Args(), 3) {
		k.args[i] = x.Args[i]
	}
	if x.Op.Is(ir.Commute) && k.args[0] > k.args[1] {
		k.args[0], k.args[1] = k.args[1], k.args[0]
	}
	return k, true
}

// loadOf is the key of a load of what an access to a variable names.
func (s *sharer) loadOf(x *ir.Val) shareKey {
	return shareKey{op: ir.PLd, t: x.Type, aux: x.Aux, args: [3]ir.V{x.Args[0]}, epoch: s.atVar(x.Aux)}
}
