package vectorize

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Fragments run quad by quad: whoever makes them has a lane run where any lane of its
// quad is covered. Sets of lanes that have of each quad all lanes or none are followed,
// for in them nobody need ask whether a partner is active: the set of all lanes, and
// what an if makes of such a set where its condition is the same in the lanes of a quad.

// quads is what is known of quads while a function is widened.
type quads struct {
	complete map[vcode.Reg]bool // sets, by the mask of the first part, that have whole quads
	swaps    map[ir.V]bool      // quadswaps in such sets
}

// quadComplete reports whether the active lanes are whole quads.
func (w *vectorizer) quadComplete() bool {
	return w.active != nil && (w.isFull(w.active) || w.quads.complete[w.active[0]])
}

// noteQuadComplete notes that a set, which nobody changes, is what a condition leaves of the
// active lanes.
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

// The axes of a quad, as quadswap numbers them.
const (
	acrossX = 1
	acrossY = 2
)

// uniformInQuad returns along which axes of a quad a value is the same in active lanes. A
// commutative operation of what a lane has and what its neighbour has is, where both ran.
// left bounds how many values are looked at.
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
