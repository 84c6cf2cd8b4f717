package vectorize

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Quad-complete masks
//
// Fragments are shaded in quads: if one pixel of a 2×2 quad is covered, all four lanes run, the rest as
// helpers (draw). So a mask often has all or none of the lanes of each quad. In such code a quadswap, the
// difference in x or y of a derivative, needs no test of whether the partner is active. The mask of all
// lanes is complete, and so is the part of a complete mask that a condition selects if it is equal in the
// lanes of each quad:
//
//	vs = quadswap.i32 va, #1         the partner in x
//	vm = umin.i32 va, vs             equal in both lanes, since umin commutes
//	vc = ult.i32 vm, vn              vn uniform: the mask stays complete
//	if vc { … quadswap … }           no test of the partner in here

// quads is the quad-complete masks of a function.
type quads struct {
	complete map[vcode.Reg]bool // by the register of the first part: the mask is quad-complete
	swaps    map[ir.V]bool      // the quadswaps in code with such masks
}

// quadComplete reports whether the active lanes are known to be whole quads.
func (w *vectorizer) quadComplete() bool {
	return w.active != nil && (w.isFull(w.active) || w.quads.complete[w.active[0]])
}

// noteQuadComplete records that a set is the active lanes for which c is 1. Nothing writes the set again.
func (w *vectorizer) noteQuadComplete(set []vcode.Reg, c ir.V) {
	budget := maxConditionValues
	if len(w.quads.swaps) == 0 || !w.quadComplete() || w.uniformInQuad(c, &budget) != acrossX|acrossY {
		return
	}
	if w.quads.complete == nil {
		w.quads.complete = map[vcode.Reg]bool{}
	}
	w.quads.complete[set[0]] = true
}

// quadSwap emits a quadswap within each part.
func (w *vectorizer) quadSwap(v ir.V, in vcode.Inst) {
	in.Op = vcode.Strip
	if !w.quadComplete() {
		delete(w.quads.swaps, v)
		w.perPart(v, in)
		return
	}
	if w.quads.swaps == nil {
		w.quads.swaps = map[ir.V]bool{}
	}
	w.quads.swaps[v] = true
	active := w.active
	if !w.merging(v) {
		w.active = w.allLanes
	}
	w.perPart(v, in)
	w.active = active
}

// The axes of a quad, by number of the quadswap.
const (
	acrossX = 1
	acrossY = 2
)

// uniformInQuad returns along which axes of a quad a value is equal in the active lanes: a uniform value,
// and a commutative operation on a value and on the same value of the partner. budget bounds the values
// visited.
func (w *vectorizer) uniformInQuad(v ir.V, budget *int) int {
	if w.shapes.of[v].kind == uniform {
		return acrossX | acrossY
	}
	x := w.src.Val(v)
	switch x.Op {
	case ir.ZExt, ir.Not, ir.And, ir.Or, ir.Eq, ir.UMin, ir.UMax:
	default:
		return 0
	}
	if *budget--; *budget <= 0 {
		return 0
	}
	args := x.Args[:x.Op.Args()]
	if len(args) == 2 {
		for i, a := range args {
			s := w.src.Val(a)
			if s.Op == ir.QuadSwap && s.Aux <= acrossY && s.Args[0] == args[1-i] && w.quads.swaps[a] {
				return int(s.Aux) | w.uniformInQuad(args[1-i], budget)
			}
		}
	}
	same := acrossX | acrossY
	for _, a := range args {
		if same == 0 {
			break
		}
		same &= w.uniformInQuad(a, budget)
	}
	return same
}
