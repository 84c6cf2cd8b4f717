package vectorize

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Counters at the exits of divergent loops
//
// A loop that ends in another iteration for each lane often has the number of this iteration as its result. A copy of the counter for the
// lanes that leave needs their mask and the counter in a vector, in each iteration. Here each lane counts for itself:
//
//	block L2(n i32) {                          n ← 0         {A}
//		loop L3(i i32 = 0:i32, …) {
//			…
//			if c { br L2(i) }                  no copy: n is i in all active lanes
//			j = add.i32 i, 1:i32
//			br L3(j, …)                        n ← n + 1     {A}
//		}
//	}
//
// AVX2 subtracts the mask. The arms of the exits have only the branch: longer ones are skipped in most iterations, and a copy there
// costs nothing.

// maxCounted is the largest number of operations of a loop that is examined. In a longer one, a copy for each exit is a small part.
const maxCounted = 1 << 10

// exitCounter is a parameter n of a block that each lane counts, and the counter of the loop.
type exitCounter struct{ n, init, next ir.V }

// exitCounters are the counters of a function.
type exitCounters struct {
	of   map[ir.V][]exitCounter // by loop
	left map[ir.V]map[ir.V]bool // by br: the parameters of its label that are counted
}

// findExitCounters finds the parameters of blocks that all branches from a divergent loop in them give the same counter of the loop.
func (w *vectorizer) findExitCounters() (found exitCounters) {
	code := w.src.Code
	for at, v := range code {
		x := w.src.Val(v)
		if x.Op != ir.Loop || !w.shapes.divergent[v] || w.shapes.convergent[v] {
			continue
		}
		if counters := w.countersOf(v); len(counters) > 0 {
			w.exitsOf(v, at, counters, &found)
		}
	}
	return found
}

// countersOf returns the next values of the uniform parameters of a loop that are 1 more in each iteration, by parameter.
func (w *vectorizer) countersOf(loop ir.V) map[ir.V]exitCounter {
	counters := map[ir.V]exitCounter{}
	for k, p := range w.src.Params(loop) {
		if w.src.Val(p).Type == ir.I32 && w.shapes.of[p].kind == uniform {
			counters[p] = exitCounter{init: w.src.Inits(loop)[k]}
		}
	}
	return counters
}

// exitsOf adds the counted parameters of a loop at a place of the code to found.
func (w *vectorizer) exitsOf(loop ir.V, at int, counters map[ir.V]exitCounter, found *exitCounters) {
	code := w.src.Code
	given := map[ir.V]ir.V{} // by parameter: the argument of all branches, or 0
	var order, branches []ir.V
	for i := at + 1; i <= at+maxCounted; i++ {
		v := code[i]
		x := w.src.Val(v)
		switch {
		case x.Op == ir.End && x.Args[0] == loop:
			w.addExits(loop, counters, order, given, branches, found)
			return
		case x.Op == ir.Switch: // it may leave the loop in a number of ways
			return
		case x.Op != ir.Br:
			continue
		}
		args := w.src.BrArgs(v)
		if x.Args[0] == loop {
			for k, p := range w.src.Params(loop) {
				c, ok := counters[p]
				if ok && (c.next != 0 && c.next != args[k] || !w.isNext(args[k], p)) {
					delete(counters, p)
				} else if ok {
					c.next = args[k]
					counters[p] = c
				}
			}
			continue
		}
		before := w.src.Val(code[i-1]).Op
		branches = append(branches, v)
		for k, q := range w.src.Params(x.Args[0]) {
			a := args[k]
			if was, ok := given[q]; !ok {
				order = append(order, q)
			} else if was != a {
				a = 0
			}
			if before != ir.If && before != ir.Else {
				a = 0
			}
			given[q] = a
		}
	}
}

// isNext reports whether a value is a parameter and 1.
func (w *vectorizer) isNext(a, p ir.V) bool {
	x := w.src.Val(a)
	if x.Op != ir.Add || x.Type != ir.I32 {
		return false
	}
	one := x.Args[0]
	if one == p {
		one = x.Args[1]
	} else if x.Args[1] != p {
		return false
	}
	y := w.src.Val(one)
	return y.Op == ir.Const && y.Aux == 1
}

// addExits adds the parameters that have one of the counters from all branches.
func (w *vectorizer) addExits(loop ir.V, counters map[ir.V]exitCounter, order []ir.V, given map[ir.V]ir.V, branches []ir.V, found *exitCounters) {
	counted := map[ir.V]bool{}
	for _, q := range order {
		label := w.src.Val(w.src.Val(q).Args[0])
		c, ok := counters[given[q]]
		if given[q] == 0 || !ok || c.next == 0 || label.Op != ir.Block || w.shapes.of[q].kind != varying {
			continue
		}
		if found.of == nil {
			found.of, found.left = map[ir.V][]exitCounter{}, map[ir.V]map[ir.V]bool{}
		}
		c.n = q
		found.of[loop], counted[q] = append(found.of[loop], c), true
	}
	if len(counted) > 0 {
		for _, v := range branches {
			if found.left[v] == nil {
				found.left[v] = map[ir.V]bool{}
			}
			for q := range counted {
				found.left[v][q] = true
			}
		}
	}
}

// beginExitCounters sets the counters of the active lanes at the start of a loop.
func (w *vectorizer) beginExitCounters(loop ir.V) {
	for _, c := range w.exitCounters.of[loop] {
		to, from := w.vec(c.n), w.vec(c.init)
		for part := range to {
			w.copy(to[part], from[part], part, true)
		}
	}
}

// countExits adds 1 to the counters of the active lanes, which branch back to the loop.
func (w *vectorizer) countExits(loop ir.V) {
	for _, c := range w.exitCounters.of[loop] {
		for part, r := range w.vec(c.n) {
			w.emit(vcode.Inst{
				Op: vcode.Lane, IR: ir.Add, Key: ir.Key{Type: ir.I32, From: ir.I32}, Value: c.next, Part: uint8(part),
				Defs: []vcode.Reg{r}, Uses: []vcode.Reg{r, w.dst.NewConst(vcode.Vec, 1)}, Masks: w.active[part : part+1], Merging: !w.isFull(w.active),
			})
		}
	}
}
