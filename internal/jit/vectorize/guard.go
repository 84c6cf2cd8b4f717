package vectorize

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Speculation guards: emission of the conditions of speculate.go
//
// A guard compares scalars on behalf of all lanes. A strided value ascends, so its extremes are its first
// and last lane: i < n in all lanes if lane 0 of i + the span of the lanes < n, without wrapping
// (vcode.Guard adds Step without wrapping).
//
//	vc = ule.i32 vn, vi              guard  vi.lane0 + 15 < vn       one part, 16 lanes
//	vc = ule.i32 vi, vn              guard  vn < vi.lane0            and that vi does not wrap:
//	                                 guard  vi.lane0 + 15 <= 2³²−1

// guardArm bails out unless all lanes go to the assumed arm of an if: the first one if so.
func (w *vectorizer) guardArm(v ir.V, so bool) {
	g := speculator{f: w.src, shapes: w.shapes, budget: maxConditionValues, assumptions: *w.assumed}
	list, _ := g.relations(w.src.Val(v).Args[0], so, nil)
	for _, r := range list {
		w.guardRelation(r)
	}
}

// guardClamp emits a min or max that is assumed to equal an operand: a guard and no operation. It reports
// whether v is one.
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

// guardRelation bails out unless a relation holds in all lanes.
func (w *vectorizer) guardRelation(r relation) {
	low, high := w.shapes.of[r.low], w.shapes.of[r.high]
	if low.kind == strided {
		for p := range w.lane0Count(low) {
			w.guardLess(r.op, w.firstLane(r.low, p), w.gen(r.high), w.laneSpan(low))
		}
		return
	}
	if high.kind == uniform {
		w.guardLess(r.op, w.gen(r.low), w.gen(r.high), 0)
		return
	}
	last, op := uint64(1<<32-1), ir.ULe
	if r.op == ir.SLt || r.op == ir.SLe {
		last, op = 1<<31-1, ir.SLe
	}
	for p := range w.lane0Count(high) {
		first := w.firstLane(r.high, p)
		w.guardLess(r.op, w.gen(r.low), first, 0)
		w.guardLess(op, first, w.dst.NewConst(vcode.Gen, last), w.laneSpan(high)) // the sequence does not wrap
	}
}

// guardLess bails out unless x + more is less than y, or equal, by comparison op.
func (w *vectorizer) guardLess(op ir.Op, x, y vcode.Reg, more uint32) {
	w.emit(vcode.Inst{
		Op: vcode.Guard, IR: op, Key: ir.Key{Type: ir.B1, From: ir.I32}, Uses: []vcode.Reg{x, y}, Step: more, Target: w.bailout,
	})
}

// laneSpan returns how much more the last lane holds than the first one, over the parts that share a lane0
// register.
func (w *vectorizer) laneSpan(x shape) uint32 {
	return x.step*uint32(w.dst.Form.Lanes-1) + x.partStep*uint32(w.parts-1)
}
