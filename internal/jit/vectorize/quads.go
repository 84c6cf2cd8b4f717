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
	equal    []bool             // by value: equal in the lanes of each quad, if these are consecutive
}

// Values of quads
//
// If a quad is four consecutive lanes, values that depend on the number of the quad alone are equal in its lanes: an index
// of the quad, and everything that is loaded at it. Such loads need one access for a quad:
//
//	vl = in.i32 #0                   lane of the workgroup
//	vq = lshr.i32 vl, 2:i32          equal in a quad
//	vo = mul.i32 vq, 100:i32
//	va = ld.f32 vh, vo, #12          one access for four lanes, and equal again

// noteQuadEqual records whether the active lanes of each quad have equal results of v. Outside of loops all lanes compute a
// value at the same time.
func (w *vectorizer) noteQuadEqual(v ir.V) {
	x := w.src.Val(v)
	if !x.Op.HasResult() || x.Op.Is(ir.Meets) || x.Op.Is(ir.Writes) || !laneInvariant(x.Op) || w.p.QuadLane(acrossY) != acrossY || w.inLoop() {
		return
	}
	if x.Op == ir.LShr {
		a, k := w.src.Val(x.Args[0]), w.src.Val(x.Args[1])
		if a.Op == ir.In && k.Op == ir.Const && k.Aux >= 2 && k.Aux < 32 {
			switch w.p.In[a.Aux].Semantic {
			case ir.LocalInvocationIndex, ir.SubgroupLocalInvocationId:
				w.setQuadEqual(v)
				return
			}
		}
	}
	args := x.Args[:x.Op.Args()]
	for _, a := range args {
		if !w.quadEqual(a) {
			return
		}
	}
	if len(args) > 0 && (x.Op != ir.Ld || x.Flags&(ir.Volatile|ir.Coherent) == 0) {
		w.setQuadEqual(v)
	}
}

// inLoop reports whether a loop is open.
func (w *vectorizer) inLoop() bool {
	return len(w.open) > 0 && w.open[len(w.open)-1].looped
}

// setQuadEqual notes that v is equal in the active lanes of each quad.
func (w *vectorizer) setQuadEqual(v ir.V) {
	if w.quads.equal == nil {
		w.quads.equal = w.arena.flags.Alloc(len(w.src.Vals))
	}
	w.quads.equal[v] = true
}

// quadEqual reports whether a value is known to be equal in the active lanes of each quad.
func (w *vectorizer) quadEqual(v ir.V) bool {
	return w.shapes.of[v].kind == uniform || w.quads.equal != nil && w.quads.equal[v]
}

// loadsByQuad reports whether a load needs one access for a quad.
func (w *vectorizer) loadsByQuad(x *ir.Val) bool {
	return x.Flags&(ir.Proven|ir.Volatile|ir.Coherent) == ir.Proven && w.quadEqual(x.Args[1]) && w.quadComplete()
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

// quadSwap emits a quadswap with partners in the same part, or one in whole quads with partners in the same lanes of other parts: those
// are copies. It returns false for others, which one instruction for all parts computes.
func (w *vectorizer) quadSwap(v ir.V, in vcode.Inst) bool {
	x := w.src.Val(v)
	n, lanes := int(w.p.QuadLane(x.Aux)), w.dst.Form.Lanes
	across := n / lanes // the partner of part p is in part p xor across
	if across > 0 && (n%lanes != 0 || w.parts%(2*across) != 0 || w.merging(v)) {
		return false
	}
	in.Op = vcode.Strip
	if !w.quadComplete() {
		delete(w.quads.swaps, v)
		if across > 0 {
			return false
		}
		w.perPart(v, in)
		return true
	}
	if w.quads.swaps == nil {
		w.quads.swaps = map[ir.V]bool{}
	}
	w.quads.swaps[v] = true
	if across > 0 {
		from, to := w.vec(x.Args[0]), w.vec(v)
		for p := range w.parts {
			w.emit(vcode.Inst{Op: vcode.Copy, Defs: to[p : p+1], Uses: from[p^across:][:1]})
		}
		return true
	}
	active := w.active
	if !w.merging(v) {
		w.active = w.allLanes
	}
	w.perPart(v, in)
	w.active = active
	return true
}

// Derivatives
//
// A derivative is the difference of the two sides of a quad: its first column or row is the nearer one, the other the farther one.
// Shaders select the sides by the position of the lane in the quad:
//
//	vs = quadswap.f32 va, #1         the partner in x
//	vn = select.f32 vc, va, vs       vc: the lane is in the first column
//	vf = select.f32 vc, vs, va
//	vd = fsub.f32 vf, vn
//
// If the quad is whole, a side is one permutation of a vector. If the sides are in different parts, it is the vector of a part, and the
// difference is the same in both.

// quadSide emits a select between a value and its quadswap that yields the value on one side of the quad, and reports whether v is one.
func (w *vectorizer) quadSide(v ir.V, in vcode.Inst) bool {
	x := w.src.Val(v)
	if x.Op != ir.Select || vcode.ClassOf(x.Type) != vcode.Vec || len(w.quads.swaps) == 0 || w.shapes.of[v].kind == uniform || w.merging(v) || !w.quadComplete() {
		return false
	}
	own, swap, far := x.Args[1], x.Args[2], false
	if s := w.src.Val(own); s.Op == ir.QuadSwap && s.Args[0] == swap {
		own, swap, far = swap, own, true
	}
	s := w.src.Val(swap)
	if s.Op != ir.QuadSwap || s.Args[0] != own || s.Aux != acrossX && s.Aux != acrossY || !w.quads.swaps[swap] || !w.isFirstOfQuad(x.Args[0], s.Aux) {
		return false
	}
	from, to := w.vec(own), w.vec(v)
	across := int(w.p.QuadLane(s.Aux)) / w.dst.Form.Lanes // as in quadSwap
	switch {
	case across > 0:
		for p := range w.parts {
			side := p &^ across
			if far {
				side = p | across
			}
			w.emit(vcode.Inst{Op: vcode.Copy, Defs: to[p : p+1], Uses: from[side : side+1]})
		}
	case w.dst.Form.QuadSides:
		in.Op, in.IR, in.Key.Aux = vcode.Strip, ir.QuadSwap, s.Aux|vcode.NearSide
		if far {
			in.Key.Aux = s.Aux | vcode.FarSide
		}
		for p := range w.parts {
			one := in
			one.Part, one.Defs, one.Uses, one.Masks = uint8(p), to[p:p+1], from[p:p+1], w.allLanes[p:p+1]
			w.emit(one)
		}
	default:
		return false
	}
	return true
}

// isFirstOfQuad reports whether a condition is that the lane is in the first column or row of its quad: that a bit of its number is 0.
func (w *vectorizer) isFirstOfQuad(c ir.V, axis uint64) bool {
	x := w.src.Val(c)
	if x.Op != ir.Eq {
		return false
	}
	side, zero := w.src.Val(x.Args[0]), w.src.Val(x.Args[1])
	if zero.Op != ir.Const || zero.Aux != 0 || side.Op != ir.And {
		return false
	}
	of, bit := w.src.Val(side.Args[0]), w.src.Val(side.Args[1])
	if bit.Op != ir.Const || bit.Aux == 0 || bit.Aux&(bit.Aux-1) != 0 {
		return false
	}
	n := bit.Aux
	if shift := w.src.Val(of.Args[1]); of.Op == ir.LShr && shift.Op == ir.Const {
		n, of = n<<(shift.Aux&31), w.src.Val(of.Args[0])
	}
	if of.Op != ir.In {
		return false
	}
	// Lanes of a subgroup have consecutive numbers in the workgroup, and rows of a power of two lanes have bits of their own.
	width, height := uint64(w.p.LocalSize[0]), uint64(w.p.LocalSize[1])
	switch w.p.In[of.Aux].Semantic {
	case ir.LocalInvocationIndex, ir.SubgroupLocalInvocationId:
	case ir.LocalInvocationIdX:
		if n >= width || width&(width-1) != 0 {
			return false
		}
	case ir.LocalInvocationIdY:
		if n >= height || width&(width-1) != 0 || height&(height-1) != 0 {
			return false
		}
		n *= width
	default:
		return false
	}
	return n == w.p.QuadLane(axis) && n < uint64(w.p.SubgroupSize)
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
	if w.quadEqual(v) {
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
