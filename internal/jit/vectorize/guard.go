package vectorize

import (
	"math"

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

// guardClamp emits a min, max or product that is assumed to equal an operand: a guard and no operation. It
// reports whether v is one.
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
	if x.Op == ir.Mul {
		w.guardLess(ir.Eq, w.gen(bound), w.dst.NewConst(vcode.Gen, 1), 0)
		w.values[v] = w.value(operand)
		return true
	}
	r := relation{clampRelation[x.Op], bound, operand}
	if x.Op == ir.SMin || x.Op == ir.UMin {
		r.low, r.high = operand, bound
	}
	w.guardRelation(r)
	w.values[v] = w.value(operand)
	return true
}

// guardQuotient emits a quotient that is assumed to be uniform: its first and its last lane, which must be equal (monotone.go). It reports
// whether v is one.
func (w *vectorizer) guardQuotient(v ir.V) bool {
	if !w.assumed.quotient(v) {
		return false
	}
	signed := w.src.Val(v).Op == ir.SDiv
	if signed {
		w.guardLess(ir.ULe, w.gen(w.src.Val(v).Args[1]), w.dst.NewConst(vcode.Gen, math.MaxInt32), 0)
	}
	first, last := w.monotone(v, signed)
	w.guardLess(ir.Eq, first, last, 0)
	to := w.value(v)
	to.gen = first
	w.broadcast(v, to)
	return true
}

// guardRemainder bails out if a remainder wraps to 0 between the first and the last lane, or a shifted index does. The remainder of the
// first lane is in a register.
func (w *vectorizer) guardRemainder(v ir.V) {
	x := w.src.Val(v)
	index, by := w.shapes.maskedIndex(x)
	span := w.laneSpan(w.shapes.of[index])
	switch x.Op {
	case ir.LShr:
		w.ends(index, false)
		return
	case ir.And: // of 2ᵏ−1, with which the bits of an index may wrap around elsewhere
		mask := w.gen(by)
		next := w.scalarOf(ir.Add, mask, w.dst.NewConst(vcode.Gen, 1))
		w.guardLess(ir.Eq, w.scalarOf(ir.And, mask, next), w.zero, 0)
		w.guardLess(ir.ULe, w.firstLane(v, 0), mask, span)
		return
	}
	divisor, signed := w.gen(by), x.Op != ir.UMod
	if signed { // numbers that are not negative have the same remainders
		w.guardLess(ir.ULe, divisor, w.dst.NewConst(vcode.Gen, math.MaxInt32), 0)
	}
	w.ends(index, signed)
	w.guardLess(ir.ULt, w.firstLane(v, 0), divisor, span)
}

// monotone emits a monotone value of the first and of the last lane.
func (w *vectorizer) monotone(v ir.V, signed bool) (first, last vcode.Reg) {
	switch {
	case w.assumed.quotient(v) && !w.has(v): // the value in hand
	case w.shapes.of[v].kind == uniform:
		first = w.gen(v)
		return first, first
	case w.shapes.index(v): // other strided values, such as one number for each part, are operations on an index
		return w.ends(v, signed)
	}
	x := w.src.Val(v)
	op := x.Op
	if signed {
		op = ir.UDiv
	}
	a, lastA := w.monotone(x.Args[0], signed)
	b, lastB := w.monotone(x.Args[1], signed)
	return w.scalarOf(op, a, b), w.scalarOf(op, lastA, lastB)
}

// end is an index of which the last lane is in a register.
type end struct {
	index  ir.V
	signed bool // it is not negative either
}

// ends returns the first and the last lane of an index. It bails out if the index wraps around, or has negative numbers if signed. Each
// index has one guard in straight-line code.
func (w *vectorizer) ends(index ir.V, signed bool) (first, last vcode.Reg) {
	first = w.firstLane(index, 0)
	if last = w.lastLanes[end{index, signed}]; last != 0 {
		return first, last
	}
	most := uint64(math.MaxUint32)
	if signed {
		most = math.MaxInt32
	}
	span := w.laneSpan(w.shapes.of[index])
	w.guardLess(ir.ULe, first, w.dst.NewConst(vcode.Gen, most), span)
	last = w.scalarOf(ir.Add, first, w.dst.NewConst(vcode.Gen, uint64(span)))
	if w.lastLanes == nil {
		w.lastLanes = map[end]vcode.Reg{}
	}
	w.lastLanes[end{index, signed}] = last
	return first, last
}

// scalarOf emits an operation on two 32-bit numbers in general registers.
func (w *vectorizer) scalarOf(op ir.Op, x, y vcode.Reg) vcode.Reg {
	in := vcode.Inst{Op: vcode.Scalar, IR: op, Key: ir.Key{Type: ir.I32, From: ir.I32}, Uses: []vcode.Reg{x, y}}
	if r, ok := w.foldConstant(&in); ok {
		return r
	}
	in.Defs = []vcode.Reg{w.dst.NewReg(vcode.Gen)}
	w.emit(in)
	return in.Defs[0]
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
