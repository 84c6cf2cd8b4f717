package pass

import "github.com/chiaro-gpu/chiaro/internal/ir"

// cse is common-subexpression elimination by dominator-based value numbering
// (Briggs, Cooper and Simpson 1997): an operation is replaced by an earlier equal one
// that dominates it. The expression table is scoped: step returns which entries
// still dominate.
//
// A load equals an earlier one if no operation in between may have written its
// memory; epochs count the writes, as the generations of LLVM's EarlyCSE do. A load
// is not replaced by a stored value: in the same store another lane may have
// written the same address. Only private variables, which belong to one lane,
// forward stored values to loads.
func cse(p *ir.Program, f *ir.Func) {
	r := newArena()
	defer r.release()
	s := &valueNumbering{
		p: p, f: f, to: r.values.Alloc(len(f.Vals)), table: newExprTable(r, len(f.Code)),
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

// exprKey identifies an expression: two operations with equal keys have equal values if the first
// dominates the second. Example: the load ld.i32 v1, v2 in epoch 3 differs from the same load in
// epoch 4, after a store that may alias it.
type exprKey struct {
	op    ir.Op
	t     ir.Type
	flags ir.Flags
	args  [3]ir.V
	aux   uint64
	epoch uint64
}

type valueNumbering struct {
	p     *ir.Program
	f     *ir.Func
	to    []ir.V
	table exprTable // expressions that are available here
	scope
	*epochs
	loops map[ir.V]writes
}

// value processes one operation. It reports whether the operation is removed because an available
// value replaces it. A store to a private slot enters the key of a load with the stored value, so
// that a later load is replaced by it.
func (s *valueNumbering) value(v ir.V) bool {
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

// key returns the key of an operation. ok is false if the operation has an effect or
// may return another value each time.
func (s *valueNumbering) key(x *ir.Val) (k exprKey, ok bool) {
	// Proven is knowledge about the operands, not part of the operation.
	k = exprKey{op: x.Op, t: x.Type, flags: x.Flags &^ ir.Proven, aux: x.Aux}
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
	// Operands of commutative operations are in the order of their numbers: add(v2, v1) and add(v1,
	// v2) have one key.
	if x.Op.Is(ir.Commute) && k.args[0] > k.args[1] {
		k.args[0], k.args[1] = k.args[1], k.args[0]
	}
	return k, true
}

// loadOf returns the key of a load from the slot that a private access names.
func (s *valueNumbering) loadOf(x *ir.Val) exprKey {
	return exprKey{op: ir.PLd, t: x.Type, aux: x.Aux, args: [3]ir.V{x.Args[0]}, epoch: s.atVar(x.Aux)}
}
