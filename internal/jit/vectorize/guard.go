package vectorize

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// guardArm leaves for the function of all other strips unless an if goes the way
// it was taken to go.
func (w *vectorizer) guardArm(v ir.V, so bool) {
	g := speculator{f: w.src, shapes: w.shapes, budget: maxConditionValues, assumptions: *w.assumed}
	list, _ := g.relations(w.src.Val(v).Args[0], so, nil)
	for _, r := range list {
		w.guardRelation(r)
	}
}

// clampOperand makes a value that is taken to be one of its operands, and leaves for
// the function of all other strips where it is not. It reports whether it is
// one.
func (w *vectorizer) guardClamp(v ir.V) bool {
	operand, ok := w.assumed.clampOperand(v)
	if !ok {
		return false
	}
	x := w.src.Val(v)
	bound := x.Args[0]
	if bound == operand {
		bound = x.Args[1]
	}
	r := relation{clampRelation[x.Op], bound, operand}
	if x.Op == ir.SMin || x.Op == ir.UMin {
		r.low, r.high = operand, bound
	}
	w.guardRelation(r)
	w.values[v] = w.value(operand)
	return true
}

// guardRelation leaves for the function of all other strips unless a relation holds in
// all lanes.
func (w *vectorizer) guardRelation(r relation) {
	low, high := w.shapes.of[r.low], w.shapes.of[r.high]
	if low.kind == strided {
		for p := range w.lane0Count(low) {
			w.guardLess(r.op, w.firstLane(r.low, p), w.gen(r.high), w.laneSpan(low))
		}
		return
	}
	last, op := uint64(1<<32-1), ir.ULe
	if r.op == ir.SLt || r.op == ir.SLe {
		last, op = 1<<31-1, ir.SLe
	}
	for p := range w.lane0Count(high) {
		first := w.firstLane(r.high, p)
		w.guardLess(r.op, w.gen(r.low), first, 0)
		w.guardLess(op, first, w.dst.NewConst(vcode.Gen, last), w.laneSpan(high)) // it does not wrap
	}
}

// guardLess leaves unless x + more is less than y, as op says.
func (w *vectorizer) guardLess(op ir.Op, x, y vcode.Reg, more uint32) {
	w.emit(vcode.Inst{
		Op: vcode.Guard, IR: op, Key: ir.Key{Type: ir.B1, From: ir.I32}, Uses: []vcode.Reg{x, y}, Step: more, Target: w.bailout,
	})
}

// laneSpan is how much more the last lane holds than the first one, for as many
// parts as have one register.
func (w *vectorizer) laneSpan(x shape) uint32 {
	return x.step*uint32(w.dst.Form.Lanes-1) + x.partStep*uint32(w.parts-1)
}
