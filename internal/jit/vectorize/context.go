package vectorize

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Contexts
//
// A value of each invocation that lives across a barrier can be in a context array, as in pocl (Jääskeläinen et al. 2015): a row of
// private memory with a word for each invocation of the workgroup. A phase loads the values that it reads, and stores the ones that
// later phases read, so that it can be a work-item loop:
//
//	sum = …                                for each subgroup:
//	barrier                                    sum = …
//	loop(x = sum) {                            context[0] = sum
//		y = x + s[l + d]          →        loop {
//		barrier                                for each subgroup:
//		br loop(y)                                 x = context[0]
//	}                                                  context[0] = x + s[l + d]
//	                                       }
//
// A parameter and its argument share a row if they are not live at once (copy coalescing), as sum, x and y above. Registers are faster
// as long as the replicated code is short, and then subgroups also share the loads of a tile.

// contexts are the rows of the values that live across barriers in memory.
type contexts struct {
	row  []int32 // by value: its row, or noPart; nil if there are no contexts
	rows int
}

// The rows are an additional private variable of the strip, the last one. They need no initial value: a phase stores a row before others
// load it, because the value's definition dominates its uses.

// inContext reports whether a value is in a row.
func (g *workgroup) inContext(v ir.V) bool {
	return g.contexts.row != nil && g.contexts.row[v] != noPart
}

// touchesContext reports whether code reads or computes a value with a row.
func (g *workgroup) touchesContext(code []ir.V) bool {
	return len(g.contextReads(code)) > 0 || len(g.contextResults(code)) > 0
}

// contextReads returns the values of other phases that code reads from their rows.
func (g *workgroup) contextReads(code []ir.V) (list []ir.V) {
	if g.contexts.row == nil {
		return nil
	}
	own := g.phases.phase[code[0]]
	for _, v := range code {
		g.f.Operands(v, func(a ir.V) {
			if g.inContext(a) && g.phases.phase[a] != own && !slices.Contains(list, a) {
				list = append(list, a)
			}
		})
	}
	return list
}

// contextResults returns the values of a phase that go to their rows at its end.
func (g *workgroup) contextResults(code []ir.V) (list []ir.V) {
	if g.contexts.row == nil {
		return nil
	}
	for _, v := range code {
		if g.inContext(v) {
			list = append(list, v)
		}
		if g.f.Val(v).Op == ir.Block {
			for _, p := range g.f.Params(v) {
				if g.inContext(p) {
					list = append(list, p)
				}
			}
		}
	}
	return list
}

// contextAccess emits the loads of values from their rows, or the stores to them, for the subgroup of w.
func (g *workgroup) contextAccess(w *vectorizer, list []ir.V, store bool) {
	for _, v := range list {
		first := uint64(g.contexts.row[v])
		for p, r := range w.vec(v) {
			in := vcode.Inst{Op: vcode.SlotLoad, Key: ir.Key{Type: w.src.Type(v), From: ir.I32, Aux: uint64(len(g.p.Vars))}, Part: uint8(p), Masks: w.active[p : p+1]}
			in.Uses = []vcode.Reg{w.dst.NewConst(vcode.Gen, first)}
			if in.IR = ir.PLd; store {
				in.Op, in.IR = vcode.SlotStore, ir.PSt
				in.Uses = append(in.Uses, r)
			} else {
				in.Defs = []vcode.Reg{r}
			}
			// In a loop the row begins at the subgroup's first lane; otherwise its parts have numbers of their own, which emit adds.
			if w.loopIndex != 0 {
				in.Uses = append(in.Uses, w.loopIndex)
			}
			w.emit(in)
		}
	}
}
