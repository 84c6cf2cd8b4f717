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
	in := vcode.Inst{Op: vcode.Lane, IR: x.Op, Key: w.src.Key(v), Value: v}
	args := x.Args[:x.Op.Args()]
	if x.Op == ir.QuadSwap && w.quadSwap(v, in) {
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
	if w.builtin(v) || w.guardClamp(v) || w.access(v, in) || w.quotient(v, in) {
		return
	}
	if x.Op.HasResult() {
		switch w.shapes.of[v].kind {
		case uniform:
			w.uniformOp(v, in)
			return
		case strided:
			if w.stridedOp(v, in) {
				return
			}
		case address:
			w.addressOp(v)
		}
	}
	if w.unsaturatedAt(v) {
		return
	}
	w.perPart(v, in)
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
		in.Proven = x.Op == ir.At && w.upperBound(v) < math.MaxUint32
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
	w.useRange(x, &in)
	in.Masks, in.Defs = w.allLanes[:1], to.vec[:1]
	for _, a := range x.Args[:x.Op.Args()] {
		in.Uses = append(in.Uses, w.vec(a)[0])
	}
	w.emit(in)
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
