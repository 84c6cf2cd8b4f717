package vectorize

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Counters in loops
//
// An addition to memory in each iteration would cost more than a small loop. So counters in loops are sums in private variables. mem2reg
// promotes them to registers, and the function adds them to the counters at its end. There are three kinds:
//
//	steady    all lanes of the outermost loop execute the operation together, and the condition of an edge is uniform: a scalar
//	          counts the executions. The end multiplies it by the number of its lanes, and of its subgroups
//	whole     all lanes of an iteration of the outermost loop execute ir.Count together, and each iteration has some lanes of the one before:
//	          each lane counts its own executions. A subgroup has executed the operation as often as its last lane
//	by lane   each lane counts its own executions; the lowest active lane adds the number of subgroups to its sum
//
// Some edges have counters in memory: those out of the outermost loop, which a lane takes once, and those with a varying condition that all
// lanes of the outermost loop execute together, as the sum over the lanes could have more than 32 bits.
//
// An outermost loop executes once for each call, by one set of lanes. So a steady sum is 0 in all other lanes.
//
// 32 bits suffice for a lane: the default budget is 2²⁴ steps. The sum over the lanes of a strip has 64 bits. A run may end in a loop, for example at the end of its budget. Then the sums of the strips in it are lost.

// maxLoopSums bounds the sums of one function; with more, its counters in loops are in memory.
const maxLoopSums = 256

// sumKind is a kind of sums. The zero value is by lane.
type sumKind uint8

const (
	sumByLane sumKind = iota
	sumWhole
	sumSteady
)

// words returns the number of sums of an operation.
func (k sumKind) words(edge bool) int {
	switch {
	case k == sumSteady, k == sumWhole:
		return 1
	case edge:
		return 3
	}
	return 2
}

// loopSum has the sums of one operation.
type loopSum struct {
	edge   bool // of ir.CountEdge
	kind   sumKind
	rare   bool   // a lane takes the edge once: counters in memory cost less than registers in the loop
	at     uint64 // the offset of the first counter
	group  uint32 // lanes of a subgroup
	handle ir.V
	vars   []uint64 // the private variables
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
	var vars []ir.Var
	for _, v := range order {
		x := sums[v]
		switch together := s.together[v]; {
		case together == steadyLanes && (!x.edge || s.of[f.Val(v).Args[1]].kind == uniform):
			x.kind = sumSteady
		case together == steadyLanes, x.rare:
			delete(sums, v)
			continue
		case together == iterationLanes && !x.edge:
			x.kind = sumWhole
		}
		for range x.kind.words(x.edge) {
			x.vars = append(x.vars, uint64(len(q.Vars)+len(vars)))
			vars = append(vars, ir.Var{Name: "count", Slots: 1, Func: n})
		}
	}
	if len(vars) > maxLoopSums {
		return nil
	}
	q.Vars = slices.Concat(q.Vars, vars)
	return sums
}

// countFinder finds the counters in the loops of a function.
type countFinder struct {
	f     *ir.Func
	sums  map[ir.V]*loopSum
	order []ir.V

	loops   int           // open ones
	outside map[ir.V]bool // labels outside of all loops
	edge    ir.V          // the latest ir.CountEdge, until the next region begins
	open    []ir.V        // by open region: if it is an if whose second arm is the edge of an ir.CountEdge, this; else 0
}

// countsInLoops finds the counters in loops, in the order of the code; none if one is not in a known buffer.
func countsInLoops(f *ir.Func) (sums map[ir.V]*loopSum, order []ir.V) {
	c := countFinder{f: f, sums: map[ir.V]*loopSum{}, outside: map[ir.V]bool{}}
	for i, v := range f.Code {
		switch x := f.Val(v); x.Op {
		case ir.Block, ir.Loop, ir.If:
			c.begin(i, v)
		case ir.Else:
			if n := len(c.open) - 1; c.open[n] != 0 {
				c.mark(c.open[n], i)
				c.open[n] = 0
			}
		case ir.End:
			c.end(v)
		case ir.Count, ir.CountEdge:
			if c.loops == 0 {
				continue
			}
			h := f.Val(x.Args[0])
			if h.Op != ir.Res || f.Val(h.Args[0]).Op != ir.Const {
				return nil, nil
			}
			c.sums[v] = &loopSum{edge: x.Op == ir.CountEdge, at: x.Aux & (1<<32 - 1), handle: x.Args[0]}
			c.order = append(c.order, v)
			if x.Op == ir.CountEdge {
				c.edge = v
			}
		}
	}
	return c.sums, c.order
}

// begin opens region v, at index i of the code.
func (c *countFinder) begin(i int, v ir.V) {
	x := c.f.Val(v)
	second := ir.V(0)
	switch {
	case x.Op == ir.Loop:
		c.loops++
	case x.Op == ir.Block && c.loops == 0:
		c.outside[v] = true
	case x.Op == ir.If && c.edge != 0:
		switch taken, condition := c.f.Val(c.edge).Args[1], x.Args[0]; {
		case taken == condition:
			c.mark(c.edge, i)
		case c.isNot(taken, condition), c.isNot(condition, taken):
			second = c.edge
		}
	}
	c.open, c.edge = append(c.open, second), 0
}

// end closes the innermost region.
func (c *countFinder) end(v ir.V) {
	c.open, c.edge = c.open[:len(c.open)-1], 0
	if c.f.Val(c.f.Val(v).Args[0]).Op == ir.Loop {
		c.loops--
	}
}

// isNot reports whether a is the negation of b.
func (c *countFinder) isNot(a, b ir.V) bool {
	return c.f.Val(a).Op == ir.Not && c.f.Val(a).Args[0] == b
}

// mark makes an edge rare if its arm, which begins after index i, leaves the outermost loop at once: a lane does that only once.
func (c *countFinder) mark(edge ir.V, i int) {
	for _, v := range c.f.Code[i+1:] {
		switch x := c.f.Val(v); {
		case x.Op == ir.Br:
			c.sums[edge].rare = c.outside[x.Args[0]]
			return
		case x.Op.Is(ir.Control):
			return
		}
	}
}

// summed expands an operation with sums. In most executions no lane takes a counted edge, so that only a test remains. A steady edge adds
// 0 or 1: a jump would cost more.
func (e *countExpander) summed(x *loopSum, c ir.V) {
	x.group = e.group
	all := e.b.Bool(true)
	switch {
	case x.kind == sumSteady && x.edge:
		e.sum(x, 0, e.oneIf(c))
	case x.kind == sumSteady, x.kind == sumWhole:
		e.sum(x, 0, e.b.I32(1))
	case x.edge:
		// The condition is evaluated for the active lanes alone, so that no subgroup without one counts.
		e.b.If(e.b.Op(ir.Any, ir.B1, c))
		_, mixed, whole := e.edgeGroups(c)
		first := e.b.Op(ir.Elect, ir.B1)
		e.sum(x, 0, e.b.Select(first, e.number(mixed), e.b.I32(0)))
		e.sum(x, 1, e.oneIf(c))
		e.sum(x, 2, e.b.Select(first, e.number(whole), e.b.I32(0)))
		e.b.End()
	default:
		groups := e.b.I32(1)
		if e.group < e.lanes {
			groups = e.number(e.groups(e.ballot(all)))
		}
		e.sum(x, 0, e.b.I32(1))
		e.sum(x, 1, e.b.Select(e.b.Op(ir.Elect, ir.B1), groups, e.b.I32(0)))
	}
}

// oneIf returns c as a number.
func (e *countExpander) oneIf(c ir.V) ir.V { return e.b.Select(c, e.b.I32(1), e.b.I32(0)) }

// sum adds to sum i of x.
func (e *countExpander) sum(x *loopSum, i int, by ir.V) {
	e.b.OpAux(ir.PSt, ir.I32, x.vars[i], e.b.I32(0), e.b.Op(ir.Add, ir.I32, e.read(x, i), by))
}

// read returns sum i of x.
func (e *countExpander) read(x *loopSum, i int) ir.V {
	return e.b.OpAux(ir.PLd, ir.I32, x.vars[i], e.b.I32(0))
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

// addition is a number that the end of a function adds to counter n of an operation.
type addition struct {
	x  *loopSum
	n  int
	by ir.V
}

// laneBits are the low bits of the sum of a lane. Their sum over all lanes of a strip has at most 32 bits.
const laneBits = 25

// closeSums closes the block of openSums and adds the sums to the counters.
func (e *countExpander) closeSums(inner ir.V, order []*loopSum) {
	f := e.b.Func
	e.b.End()
	// All sums are read, and combined over the strip, before one lane adds: at a group operation all lanes must be active.
	var list, high []addition
	rest := e.b.I32(0)
	for _, x := range order {
		e.group = x.group
		switch x.kind {
		case sumSteady:
			list = append(list, e.steadyTotals(x)...)
			continue
		case sumWhole:
			list = append(list, addition{x, 1, e.mostOfGroups(e.read(x, 0))})
		}
		for n := range x.vars {
			sum := e.read(x, n)
			low := e.b.Op(ir.And, ir.I32, sum, e.b.I32(1<<laneBits-1))
			list = append(list, addition{x, n, e.wide(e.total(low))})
			more := e.b.Op(ir.LShr, ir.I32, sum, e.b.I32(laneBits))
			high = append(high, addition{x, n, more})
			rest = e.b.Op(ir.Or, ir.I32, rest, more)
		}
	}
	if len(high) > 0 { // no run within the default budget has such sums
		e.b.If(e.b.Op(ir.Any, ir.B1, e.b.Op(ir.Not, ir.B1, e.b.Cmp(ir.Eq, rest, e.b.I32(0)))))
		for i, a := range high {
			high[i].by = e.b.Op(ir.Shl, ir.I64, e.wide(e.total(a.by)), e.b.Const(ir.I64, laneBits))
		}
		e.addAll(high)
		e.b.End()
	}
	e.addAll(list)
	if results := f.Params(inner); len(results) > 0 {
		e.b.Return(slices.Clone(results)...)
	}
}

// addAll adds to counters, in one lane.
func (e *countExpander) addAll(list []addition) {
	e.b.If(e.b.Op(ir.Elect, ir.B1))
	for _, a := range list {
		h := e.b.Func.Val(a.x.handle) // its definition may be in the loop
		e.handle, e.at = e.b.OpAux(ir.Res, ir.H, h.Aux, h.Args[0]), a.x.at
		e.addWide(a.n, a.by)
	}
	e.b.End()
}

// steadyTotals returns the additions of a steady sum.
func (e *countExpander) steadyTotals(x *loopSum) []addition {
	sum := e.read(x, 0)
	lanes := e.ballot(e.b.Op(ir.Not, ir.B1, e.b.Cmp(ir.Eq, sum, e.b.I32(0))))
	groups := e.b.I32(1)
	if e.group < e.lanes {
		groups = e.number(e.groups(lanes))
	}
	first := 0
	if x.edge {
		first = 1
	}
	// The sum is equal in these lanes. The maximum over the strip ignores the zeros of the others.
	times := e.wide(e.b.OpAux(ir.Reduce, ir.I32, uint64(ir.UMax), sum))
	return []addition{
		{x, first, e.b.Op(ir.Mul, ir.I64, times, e.wide(e.number(lanes)))},
		{x, first + 1, e.b.Op(ir.Mul, ir.I64, times, e.wide(groups))},
	}
}

// mostOfGroups returns the sum over all subgroups of the greatest x in each.
func (e *countExpander) mostOfGroups(x ir.V) ir.V {
	if e.group >= e.lanes {
		return e.wide(e.b.OpAux(ir.Reduce, ir.I32, uint64(ir.UMax), x))
	}
	// The lowest active lane of each subgroup has the greatest x; the others have 0.
	cluster := uint64(e.group) << 8
	most := e.b.OpAux(ir.Reduce, ir.I32, uint64(ir.UMax)|cluster, x)
	place := e.b.OpAux(ir.ScanI, ir.I32, uint64(ir.Add)|cluster, e.b.I32(1))
	first := e.b.Cmp(ir.Eq, place, e.b.I32(1))
	low := e.b.Op(ir.And, ir.I32, most, e.b.I32(1<<laneBits-1))
	high := e.b.Op(ir.LShr, ir.I32, most, e.b.I32(laneBits))
	sum := func(y ir.V) ir.V { return e.wide(e.total(e.b.Select(first, y, e.b.I32(0)))) }
	return e.b.Op(ir.Add, ir.I64, sum(low), e.b.Op(ir.Shl, ir.I64, sum(high), e.b.Const(ir.I64, laneBits)))
}

// total returns the sum of x over all lanes.
func (e *countExpander) total(x ir.V) ir.V { return e.b.OpAux(ir.Reduce, ir.I32, uint64(ir.Add), x) }

// wide extends a number to the 64 bits of a counter.
func (e *countExpander) wide(x ir.V) ir.V { return e.b.Op(ir.ZExt, ir.I64, x) }
