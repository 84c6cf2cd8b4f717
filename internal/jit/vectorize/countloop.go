package vectorize

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Counters in loops
//
// An addition to memory in each iteration would cost more than a small loop. So counters in loops are sums in private variables. mem2reg
// promotes them to registers, and the function adds them to the counters at its end. There are two kinds:
//
//	steady    all lanes of the outermost loop execute the operation together, and the condition of an edge is uniform: a scalar
//	          counts the executions. The end multiplies it by the number of its lanes, and of its subgroups
//	by lane   each lane counts its own executions; the lowest active lane adds the number of subgroups to its sum
//
// An outermost loop executes once for each call, by one set of lanes. So a steady sum is 0 in all other lanes.
//
// 32 bits suffice for a lane: the default budget is 2²⁴ steps. The sum over the lanes of a strip has 64 bits. A run may end in a loop, for
// example at the end of its budget. Then the sums of the strips in it are lost.

// maxLoopSums bounds the sums of one function; with more, its counters in loops are in memory.
const maxLoopSums = 256

// loopSum has the sums of one operation.
type loopSum struct {
	edge   bool // of ir.CountEdge
	steady bool
	at     uint64 // the offset of the first counter
	group  uint32 // lanes of a subgroup
	handle ir.V
	vars   []uint64 // the private variables: one if steady, else one for each counter
}

// loopSums returns the sums of the counters in the loops of function number n of q; nil if they must be in memory. A lane must not
// end inside of the function: it would lose its sums. The variables of the sums are added to q.
func loopSums(q *ir.Program, n int) map[ir.V]*loopSum {
	f := q.Funcs[n]
	sums, order := countsInLoops(f)
	if len(order) == 0 || q.Observed || q.Effects.Discards {
		return nil
	}
	mem := acquireArena()
	defer mem.release()
	s := analyzeDivergence(q, f, findLiveOuts(f, allDivergent, mem), q.SubgroupSize, nil, mem)
	vars := len(q.Vars)
	for _, v := range order {
		x := sums[v]
		x.steady = s.steady[v] && (!x.edge || s.of[f.Val(v).Args[1]].kind == uniform)
		words := 1
		switch {
		case x.steady:
		case x.edge:
			words = 3
		default:
			words = 2
		}
		for range words {
			x.vars = append(x.vars, uint64(vars))
			vars++
		}
	}
	if vars-len(q.Vars) > maxLoopSums {
		return nil
	}
	q.Vars = slices.Clip(q.Vars)
	for len(q.Vars) < vars {
		q.Vars = append(q.Vars, ir.Var{Name: "count", Slots: 1, Func: n})
	}
	return sums
}

// countsInLoops finds the counters in loops, in the order of the code; none if one is not in a known buffer.
func countsInLoops(f *ir.Func) (sums map[ir.V]*loopSum, order []ir.V) {
	sums = map[ir.V]*loopSum{}
	loops := 0
	for _, v := range f.Code {
		switch x := f.Val(v); {
		case x.Op == ir.Loop, x.Op == ir.End && f.Val(x.Args[0]).Op == ir.Loop:
			loops++
			if x.Op == ir.End {
				loops -= 2
			}
		case loops > 0 && (x.Op == ir.Count || x.Op == ir.CountEdge):
			h := f.Val(x.Args[0])
			if h.Op != ir.Res || f.Val(h.Args[0]).Op != ir.Const {
				return nil, nil
			}
			sums[v] = &loopSum{edge: x.Op == ir.CountEdge, at: x.Aux & (1<<32 - 1), handle: x.Args[0]}
			order = append(order, v)
		}
	}
	return sums, order
}

// summed expands an operation with sums. In most executions no lane takes a counted edge, so that only a test remains of a
// by-lane edge. A steady edge adds 0 or 1: a jump would cost more.
func (e *countExpander) summed(x *loopSum, c ir.V) {
	x.group = e.group
	all := e.b.Bool(true)
	switch {
	case x.steady && x.edge:
		e.sum(x.vars[0], e.oneIf(c))
	case x.steady:
		e.sum(x.vars[0], e.b.I32(1))
	case x.edge:
		// The condition is evaluated for the active lanes alone, so that no subgroup without one counts.
		e.b.If(e.b.Op(ir.Any, ir.B1, c))
		_, mixed, whole := e.edgeGroups(c)
		first := e.b.Op(ir.Elect, ir.B1)
		e.sum(x.vars[0], e.b.Select(first, e.number(mixed), e.b.I32(0)))
		e.sum(x.vars[1], e.oneIf(c))
		e.sum(x.vars[2], e.b.Select(first, e.number(whole), e.b.I32(0)))
		e.b.End()
	default:
		groups := e.b.I32(1)
		if e.group < e.lanes {
			groups = e.number(e.groups(e.ballot(all)))
		}
		e.sum(x.vars[0], e.b.I32(1))
		e.sum(x.vars[1], e.b.Select(e.b.Op(ir.Elect, ir.B1), groups, e.b.I32(0)))
	}
}

// oneIf returns c as a number.
func (e *countExpander) oneIf(c ir.V) ir.V { return e.b.Select(c, e.b.I32(1), e.b.I32(0)) }

// sum adds to a private variable.
func (e *countExpander) sum(variable uint64, by ir.V) {
	old := e.b.OpAux(ir.PLd, ir.I32, variable, e.b.I32(0))
	e.b.OpAux(ir.PSt, ir.I32, variable, e.b.I32(0), e.b.Op(ir.Add, ir.I32, old, by))
}

// openSums sets the sums to 0 and opens a block in place of the function's body, with its results. Branches to the body lead there.
func (e *countExpander) openSums(code []ir.V, order []*loopSum) ir.V {
	f := e.b.Func
	for _, x := range order {
		for _, v := range x.vars {
			e.b.OpAux(ir.PSt, ir.I32, v, e.b.I32(0), e.b.I32(0))
		}
	}
	body := code[0]
	var types []ir.Type
	for _, r := range f.Params(body) {
		types = append(types, f.Type(r))
	}
	inner := e.b.Block(types...)
	for _, v := range code {
		switch x := f.Val(v); x.Op {
		case ir.Br:
			if x.Args[0] == body {
				x.Args[0] = inner
			}
		case ir.Switch:
			if x.Args[1] == body {
				x.Args[1] = inner
			}
			list := f.Cases(v)
			for i := 1; i < len(list); i += 2 {
				if list[i] == body {
					list[i] = inner
				}
			}
		}
	}
	return inner
}

// closeSums closes the block of openSums and adds the sums to the counters.
func (e *countExpander) closeSums(inner ir.V, order []*loopSum) {
	f := e.b.Func
	e.b.End()
	// All sums are read, and combined over the strip, before one lane adds: at a group operation all lanes must be active.
	type addition struct {
		x  *loopSum
		n  int
		by ir.V
	}
	var list []addition
	for _, x := range order {
		if !x.steady {
			for n, v := range x.vars {
				sum := e.wide(e.b.OpAux(ir.PLd, ir.I32, v, e.b.I32(0)))
				list = append(list, addition{x, n, e.b.OpAux(ir.Reduce, ir.I64, uint64(ir.Add), sum)})
			}
			continue
		}
		sum := e.b.OpAux(ir.PLd, ir.I32, x.vars[0], e.b.I32(0))
		lanes := e.ballot(e.b.Op(ir.Not, ir.B1, e.b.Cmp(ir.Eq, sum, e.b.I32(0))))
		// The sum is equal in these lanes. The maximum over the strip ignores the zeros of the others.
		times := e.wide(e.b.OpAux(ir.Reduce, ir.I32, uint64(ir.UMax), sum))
		groups := e.b.I32(1)
		if e.group = x.group; e.group < e.lanes {
			groups = e.number(e.groups(lanes))
		}
		first := 0
		if x.edge {
			first = 1
		}
		for n, k := range []ir.V{e.number(lanes), groups} {
			list = append(list, addition{x, first + n, e.b.Op(ir.Mul, ir.I64, times, e.wide(k))})
		}
	}
	e.b.If(e.b.Op(ir.Elect, ir.B1))
	for _, a := range list {
		h := f.Val(a.x.handle) // its definition may be in the loop
		e.handle, e.at = e.b.OpAux(ir.Res, ir.H, h.Aux, h.Args[0]), a.x.at
		e.addWide(a.n, a.by)
	}
	e.b.End()
	if results := f.Params(inner); len(results) > 0 {
		e.b.Return(slices.Clone(results)...)
	}
}

// wide extends a number to the 64 bits of a counter.
func (e *countExpander) wide(x ir.V) ir.V { return e.b.Op(ir.ZExt, ir.I64, x) }
