package vectorize

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Operations without control flow
//
// The shape of the result selects the form of an operation: one scalar instruction for all lanes if it is
// uniform, one for lane 0 of each part beside the vectors if it is strided, one vector instruction for each
// part otherwise. If lanes communicate, one instruction has all parts.

// operation emits an operation without control flow.
func (w *vectorizer) operation(v ir.V) {
	x := w.src.Val(v)
	w.noteQuadEqual(v)
	w.noteLaneTable(v)
	in := vcode.Inst{Op: vcode.Lane, IR: x.Op, Key: w.src.Key(v), Value: v}
	args := x.Args[:x.Op.Args()]
	if x.Op == ir.ResetBudget && len(w.open) > 0 && w.open[len(w.open)-1].op == ir.Loop {
		w.open[len(w.open)-1].resets = true
	}
	if x.Op == ir.QuadSwap && w.quadSwap(v, in) || w.quadSide(v, in) {
		return
	}
	if x.Op.Is(ir.Meets) && x.Op != ir.Fence && x.Op != ir.ResetBudget || x.Op.Family() == ir.Rays {
		in.Op, in.Masks = vcode.Strip, w.active
		if x.Op.HasResult() {
			in.Defs = w.vec(v)
			in.Merging = w.merging(v) && w.shapes.of[v].kind != uniform
		}
		for _, a := range args {
			in.Uses = append(in.Uses, w.vec(a)...)
		}
		w.emit(in)
		return
	}
	if w.every(v, in) || w.builtin(v) || w.guardClamp(v) || w.guardQuotient(v) || w.access(v, in) || w.quotient(v, in) {
		return
	}
	if x.Op.HasResult() {
		switch w.shapes.of[v].kind {
		case uniform:
			w.uniformOp(v, in)
			return
		case strided:
			remainder := w.assumed.remainder(v)
			if remainder && x.Op.Family() == ir.IntDivision {
				in.IR = ir.UMod // of numbers that are not negative
			}
			constant := w.stridedOp(v, in)
			if remainder {
				w.guardRemainder(v)
			}
			if constant {
				return
			}
		case address:
			w.addressOp(v)
		}
	}
	emit := func() {
		if !w.unsaturatedAt(v) {
			w.perPart(v, in)
		}
	}
	if !w.oncePerStrip(v, emit) {
		emit()
	}
}

// perPart emits a lane operation for each part.
func (w *vectorizer) perPart(v ir.V, in vcode.Inst) {
	x := w.src.Val(v)
	result := x.Op.HasResult()
	w.useRange(x, &in)
	for p := range w.parts {
		one := in
		one.Part, one.Masks = uint8(p), w.active[p:p+1]
		if x.Op == ir.In {
			one.Part = uint8(w.originPart(w.p.In[x.Aux].Semantic, p))
		}
		if result {
			one.Defs, one.Merging = w.vec(v)[p:p+1], w.merging(v)
		}
		offset, args := w.laneOffset(x), x.Args[:x.Op.Args()]
		one.Uses = w.dst.Form.Arena.Regs(len(offset) + len(args))
		n := copy(one.Uses, offset)
		for i, a := range args {
			one.Uses[n+i] = w.vec(a)[p]
		}
		w.emit(one)
	}
}

// uniformOp emits an operation on uniform values. If it is in vectors it is computed in all lanes, active
// or not, so that any lane may be read.
func (w *vectorizer) uniformOp(v ir.V, in vcode.Inst) {
	x := w.src.Val(v)
	to := w.value(v)
	if to.gen != 0 {
		in.Op, in.Defs, in.Uses = vcode.Scalar, []vcode.Reg{to.gen}, w.laneOffset(x)
		in.Proven = x.Op == ir.At && w.upperBound(v) < math.MaxUint32 || w.wordInWorkgroupMemory(x)
		for _, a := range x.Args[:x.Op.Args()] {
			in.Uses = append(in.Uses, w.firstLane(a, 0)) // of a strided operand, all lanes yield the result of lane 0
		}
		if r, ok := w.foldConstant(&in); ok && to.vec[0] != 0 {
			bits, _ := w.dst.Const(r)
			*to = value{gen: r, vec: w.splat(w.dst.NewConst(w.dst.Classes[to.vec[0]], bits))}
			return
		}
		w.emit(in)
		w.broadcast(v, to)
		return
	}
	region := x.Op == ir.Region || x.Op == ir.RegionOff
	if region && w.dst.Form.Addresses && x.Aux < 1<<31 {
		w.regionGen(v, in)
		return
	}
	w.useRange(x, &in)
	in.Masks, in.Defs = w.allLanes[:1], to.vec[:1]
	for _, a := range x.Args[:x.Op.Args()] {
		in.Uses = append(in.Uses, w.vec(a)[0])
	}
	w.emit(in)
	if region { // for all accesses
		to.gen = w.gen(v)
	}
}

// regionGen emits the region of a uniform address, or an offset in it, in a general register: accesses with a uniform handle need it there.
// The address is in a general register if it is one of the push constants, else in the first lane of a vector.
func (w *vectorizer) regionGen(v ir.V, in vcode.Inst) {
	x, to := w.src.Val(v), w.value(v)
	to.gen = w.dst.NewReg(vcode.Gen)
	address := x.Args[0]
	if in.Op, in.Defs = vcode.Scalar, []vcode.Reg{to.gen}; x.Op == ir.RegionOff {
		in.Uses, address = []vcode.Reg{w.gen(x.Args[0])}, x.Args[1]
	}
	if g, ok := w.hasGen(address); ok {
		in.Uses = append(in.Uses, g)
	} else {
		in.Uses = append(in.Uses, w.vec(address)[0])
	}
	w.emit(in)
	w.broadcast(v, to)
}

// every emits whether a condition is true in all lanes, and reports whether v is that. A relation of strided values is tested by
// scalars for all lanes, active or not: it may yield 0 for lanes that are inactive, as the operation allows.
//
//	vc = ult.i32 vi, vn            bound = max(vn, 15) - 15        one part, 16 lanes
//	ve = every vc                  ve = vi.lane0 < bound
//
// A varying condition needs a test of its masks.
func (w *vectorizer) every(v ir.V, in vcode.Inst) bool {
	x := w.src.Val(v)
	if x.Op != ir.Every {
		return false
	}
	c := x.Args[0]
	switch {
	// Lanes that leave a divergent loop keep the value of their last iteration, so it is no longer uniform. Each lane may have its own
	// condition then. The registers of the condition do not keep it: no lane reads them after the loop.
	case w.shapes.of[v].kind != uniform:
		w.copyCondition(v, c, in)
		return true
	case w.shapes.of[c].kind == uniform:
		w.values[v] = w.value(c)
		return true
	}
	to := w.value(v)
	// An index of consecutive lanes below a common bound, as in most loops and guards, needs no vector.
	if w.isLess(c) {
		y := w.src.Val(c)
		w.everyLess(to.gen, y.Args[0], y.Args[1])
	} else {
		in.Op, in.IR, in.Masks, in.Defs, in.Uses = vcode.Strip, ir.All, w.active, w.regs(vcode.Mask), w.vec(c)
		w.emit(in)
		w.emit(vcode.Inst{Op: vcode.Extract, Key: ir.Key{Type: ir.B1}, Defs: []vcode.Reg{to.gen}, Uses: in.Defs[:1]})
	}
	w.broadcast(v, to)
	return true
}

// isLess reports whether a condition is that an index of consecutive lanes is below a common bound.
func (w *vectorizer) isLess(c ir.V) bool {
	y := w.src.Val(c)
	return y.Op == ir.ULt && w.src.Type(y.Args[0]) == ir.I32 && w.shapes.of[y.Args[0]].ascending() && w.shapes.of[y.Args[1]].kind == uniform
}

// copyCondition emits v = c for a varying v, part by part. It is the conjunction of c with itself, because copies do not merge:
//
//	and v, c, c     under the mask of the loop; lanes that have left it keep their v
func (w *vectorizer) copyCondition(v, c ir.V, in vcode.Inst) {
	in.IR = ir.And
	for p, d := range w.vec(v) {
		one, k := in, w.vec(c)[p]
		one.Part, one.Masks, one.Defs, one.Merging, one.Uses = uint8(p), w.active[p:p+1], []vcode.Reg{d}, w.merging(v), []vcode.Reg{k, k}
		w.emit(one)
	}
}

// lessBound returns the register of a bound less the span of a part, of which the first lane must be less; it must not wrap.
func (w *vectorizer) lessBound(high ir.V, span uint32) vcode.Reg {
	x := w.value(high)
	if x.less != 0 && x.lessSpan == span {
		return x.less
	}
	most, bound, by := w.dst.NewReg(vcode.Gen), w.dst.NewReg(vcode.Gen), w.dst.NewConst(vcode.Gen, uint64(span))
	for _, in := range [...]vcode.Inst{{IR: ir.UMax, Defs: []vcode.Reg{most}, Uses: []vcode.Reg{w.gen(high), by}}, {IR: ir.Sub, Defs: []vcode.Reg{bound}, Uses: []vcode.Reg{most, by}}} {
		in.Op, in.Key = vcode.Scalar, ir.Key{Type: ir.I32, From: ir.I32}
		w.emit(in)
	}
	return bound
}

// shareBound emits the bound of the conditions of ir.Every that compare with a value of the workgroup, once for all of them.
func (w *vectorizer) shareBound(high ir.V) {
	if span, ok := w.bounds[high]; ok && w.has(high) {
		if x := w.value(high); x.gen != 0 {
			x.less, x.lessSpan = w.lessBound(high, span), span
		}
	}
}

// findBounds finds the spans for shareBound: the ones of the first condition with each bound.
func (w *vectorizer) findBounds() {
	w.bounds = map[ir.V]uint32{}
	for _, v := range w.src.Code {
		x := w.src.Val(v)
		if x.Op != ir.Every {
			continue
		}
		y := w.src.Val(x.Args[0])
		if y.Op != ir.ULt || w.src.Type(y.Args[0]) != ir.I32 || !w.shapes.of[y.Args[0]].ascending() || w.shapes.of[y.Args[1]].kind != uniform {
			continue
		}
		if _, ok := w.bounds[y.Args[1]]; !ok {
			w.bounds[y.Args[1]] = w.laneSpan(w.shapes.of[y.Args[0]])
		}
	}
}

// everyLess sets a general register to whether a strided value is less than a uniform one in all lanes.
func (w *vectorizer) everyLess(to vcode.Reg, low, high ir.V) {
	s := w.shapes.of[low]
	scalar := func(op ir.Op, t ir.Type, d, a, b vcode.Reg) {
		w.emit(vcode.Inst{Op: vcode.Scalar, IR: op, Key: ir.Key{Type: t, From: ir.I32}, Defs: []vcode.Reg{d}, Uses: []vcode.Reg{a, b}})
	}
	bound := w.lessBound(high, w.laneSpan(s))
	// Each group of lanes with a first lane of its own has a test.
	n := w.lane0Count(s)
	var before vcode.Reg
	for p := range n {
		d := to
		if n > 1 {
			d = w.dst.NewReg(vcode.Gen)
		}
		scalar(ir.ULt, ir.B1, d, w.firstLane(low, p), bound)
		if p > 0 {
			and := to
			if p < n-1 {
				and = w.dst.NewReg(vcode.Gen)
			}
			w.emit(vcode.Inst{Op: vcode.Scalar, IR: ir.And, Key: ir.Key{Type: ir.B1, From: ir.B1}, Defs: []vcode.Reg{and}, Uses: []vcode.Reg{before, d}})
			d = and
		}
		before = d
	}
}

// unlessSunk emits an operation without control flow at its place in the code, unless it is sunk: then its
// select emits it.
func (w *vectorizer) unlessSunk(v ir.V) {
	if w.sunk == nil {
		w.operation(v)
		return
	}
	if w.sunk.sunk[v] {
		return
	}
	if d, ok := w.sunk.selects[v]; ok {
		w.sunkSelect(v, d)
		return
	}
	w.operation(v)
}

// sunkSelect emits a select with a sunk arm (sink.go): the other arm for all active lanes, then the sunk
// one for the lanes that select it, if there are any.
func (w *vectorizer) sunkSelect(v ir.V, d sunkArm) {
	x := w.src.Val(v)
	rest, to, all := w.regs(vcode.Mask), w.vec(v), w.active
	split := vcode.And
	if d.arm == 2 {
		split = vcode.AndNot
	}
	w.mask(split, rest, w.active, w.vec(x.Args[0]))
	from := w.vec(x.Args[3-d.arm])
	for p := range to {
		w.copy(to[p], from[p], p, w.merging(v))
	}
	end := w.newBlock()
	w.jumpIfNone(rest, end)
	w.startBlock(w.newBlock())
	w.active = rest
	for _, c := range d.chain {
		w.operation(c)
	}
	from = w.vec(x.Args[d.arm])
	for p := range to {
		w.copy(to[p], from[p], p, true)
	}
	w.active = all
	w.startBlock(end)
}
