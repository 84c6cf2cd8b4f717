package vectorize

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Accesses that wait for guards
//
// All guards of the speculative version come before its first side effect. An unrolled loop has a store in each iteration, and the indices
// of the later iterations are computed after it. So stores wait until the last guard, and with them, in their order, loads of memory
// that they may write, and all operations on waiting values:
//
//	ve = st vD, vo, va, #0          guard  vq
//	vq = udiv.i32 vj, vn       →    ve = st vD, vo, va, #0
//	vb = ld.f32 vA, vp, #0          vb = ld.f32 vA, vp, #0
//
// Only the speculative version has this order. It relies on the assumptions: an access waits beyond the end of a block only if all lanes
// go there, because every branch of the block is in an arm that no lane runs.

// delay is the state of the search for the order, in one walk over the code.
type delay struct {
	first int           // index of the first waiting operation, or 0
	late  map[ir.V]bool // waiting operations
	flush int           // index at which they may be executed after the last guard, or 0
	guard int           // index of the last guard after the first of them, or 0
	open  []waitRegion  // open regions, innermost last
}

// waitRegion is an open block, or arm of an if.
type waitRegion struct {
	opener ir.V
	parts  bool // not all paths lead here: an arm of an if without an assumption, or the rest of a block after a branch to its end
}

// together reports whether every path leads here.
func (d *delay) together() bool {
	return !slices.ContainsFunc(d.open, func(r waitRegion) bool { return r.parts })
}

// note notes that the operation at an index does not wait, and whether it has a guard.
func (d *delay) note(v ir.V, at int, guarded bool) {
	if d.first > 0 && guarded {
		d.guard, d.flush = at, 0
	}
}

// waits reports whether the operation at an index waits. It returns false for ok if it neither can wait nor be executed before those that do.
func (g *speculator) waits(v ir.V, at int) (wait, ok bool) {
	d := &g.delay
	x := g.f.Val(v)
	if d.guard > 0 && d.flush == 0 && at > d.guard && d.together() {
		d.flush = at
	}
	wait = x.Op == ir.St
	if d.first > 0 {
		wait = wait || x.Op.Is(ir.Reads) && (x.Op != ir.Ld || g.f.Val(x.Args[0]).Op != ir.Push) || g.readsLate(v)
	}
	if !wait {
		return false, true
	}
	if x.Op != ir.St && !sideEffectFree(x) || x.Flags&ir.Volatile != 0 || x.Op.Is(ir.Control) || !d.together() {
		return true, false
	}
	if d.first == 0 {
		d.first = at
	}
	d.late[v] = true
	return true, true
}

// readsLate reports whether an operation has an operand that waits.
func (g *speculator) readsLate(v ir.V) bool {
	late := false
	g.f.Operands(v, func(a ir.V) { late = late || g.delay.late[a] })
	return late
}

// noteBranch notes a branch to the end of a block: other paths lead to the rest of it.
func (g *speculator) noteBranch(label ir.V) {
	for i := range g.delay.open {
		if g.delay.open[i].opener == label {
			g.delay.open[i].parts = true
		}
	}
}

// skip returns the index after an arm that no lane runs, which ends at another index. The rest of the code is not searched if a waiting value
// is in the arm: the operands of operations come before them even there.
func (g *speculator) skip(from, end int) int {
	for _, v := range g.f.Code[from:end] {
		if g.readsLate(v) {
			return -1
		}
	}
	if g.f.Val(g.f.Code[end]).Op == ir.End && len(g.delay.open) > 0 && g.delay.open[len(g.delay.open)-1].opener == g.f.Val(g.f.Code[end]).Args[0] {
		g.delay.open = g.delay.open[:len(g.delay.open)-1]
	}
	return end + 1
}

// delayedOrder returns the code with waiting operations after the last guard, or nil if no guard comes after one. Assumptions are dropped if their guards would
// come too late.
func (g *speculator) delayedOrder() []ir.V {
	d := &g.delay
	if d.guard == 0 {
		return nil
	}
	if d.flush == 0 { // the paths after the last guard do not meet
		for _, v := range g.f.Code[d.first:] {
			delete(g.arms, v)
			delete(g.clamps, v)
			delete(g.quotients, v)
			delete(g.remainders, v)
		}
		return nil
	}
	code := slices.Clone(g.f.Code[:d.first])
	var late []ir.V
	for _, v := range g.f.Code[d.first:d.flush] {
		if d.late[v] {
			late = append(late, v)
		} else {
			code = append(code, v)
		}
	}
	return append(append(code, late...), g.f.Code[d.flush:]...)
}
