package vectorize

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Rows that values share
//
// A parameter of a joint label shares the row of an argument if they are not live at once, so that the branch copies nothing (Chaitin et
// al. 1981, coalescing). Live ranges are intervals of positions in the code, in a topological order (rowOrder) but for the edges back to
// loops. A phase reads all its rows before its first operation and writes them after its last one.

// For the loop of context.go, with the positions of its operations, x is in use from the loop on to the first operation of the phase that
// reads it, and y from the end of this phase to the branch: they share a row. If a later phase of the loop read x as well, they would not.

// rowRange is the interval in which a row has a value.
type rowRange struct {
	from, to int
	phase    bool  // the end of a phase writes it
	writes   []int // further positions: the branches back to a loop, for its parameters
}

// shareRows unites the rows of parameters and arguments, and numbers the rows that remain.
func (g *workgroup) shareRows(phases []phaseCode) {
	ranges := g.rowRanges(phases)
	classes := make([][]ir.V, g.contexts.rows) // by row: its values
	for v, r := range g.contexts.row {
		if r != noPart {
			classes[r] = append(classes[r], ir.V(v))
		}
	}
	unite := func(params, args []ir.V) {
		for i, p := range params {
			if !g.inContext(p) || !g.inContext(args[i]) {
				continue
			}
			to, from := g.contexts.row[p], g.contexts.row[args[i]]
			if to == from || clash(ranges, classes[to], classes[from]) {
				continue
			}
			for _, v := range classes[from] {
				g.contexts.row[v] = to
			}
			classes[to], classes[from] = append(classes[to], classes[from]...), nil
		}
	}
	g.eachAssignment(func(_ ir.V, params, args []ir.V) { unite(params, args) })
	number := make([]int32, len(classes))
	g.contexts.rows = 0
	for r, list := range classes {
		if number[r] = int32(g.contexts.rows); len(list) > 0 {
			g.contexts.rows++
		}
	}
	for v, r := range g.contexts.row {
		if r != noPart {
			g.contexts.row[v] = number[r]
		}
	}
}

// eachAssignment calls do for each loop and branch that assigns parameters of a joint label.
func (g *workgroup) eachAssignment(do func(v ir.V, params, args []ir.V)) {
	for _, v := range g.f.Code {
		switch x := g.f.Val(v); {
		case x.Op == ir.Loop && g.joint[v]:
			do(v, g.f.Params(v), g.f.Inits(v))
		case x.Op == ir.Br && g.joint[x.Args[0]]:
			do(v, g.f.Params(x.Args[0]), g.f.BrArgs(v))
		}
	}
}

// clash reports whether a value of one list is live at the same time as one of the other.
func clash(ranges map[ir.V]*rowRange, a, b []ir.V) bool {
	for _, v := range a {
		for _, w := range b {
			x, y := ranges[v], ranges[w]
			if x.from < y.to && y.from < x.to || x.phase && y.phase && x.from == y.from || x.overwrites(y) || y.overwrites(x) {
				return true
			}
		}
	}
	return false
}

// overwrites reports whether a further write of x falls within y.
func (x *rowRange) overwrites(y *rowRange) bool {
	for _, at := range x.writes {
		if y.from <= at && at < y.to {
			return true
		}
	}
	return false
}

// rowRanges returns the intervals of all values with rows.
func (g *workgroup) rowRanges(phases []phaseCode) map[ir.V]*rowRange {
	order := g.rowOrder()
	ends := map[int32]int{} // the last operation, in front of a branch or a loop that follows
	for i := range phases {
		ends[int32(phases[i].at)] = order[phases[i].end()-1]
	}
	ranges := map[ir.V]*rowRange{}
	for v := range g.contexts.row {
		if at := g.phases.phase[v]; g.inContext(ir.V(v)) {
			ranges[ir.V(v)] = &rowRange{from: math.MaxInt, to: -1}
			if at != noPart {
				ranges[ir.V(v)] = &rowRange{from: ends[at], to: ends[at], phase: true}
			}
		}
	}
	g.eachAssignment(func(v ir.V, params, _ []ir.V) {
		at := order[g.phases.position[v]]
		for _, p := range params {
			if r := ranges[p]; r != nil {
				if r.from != math.MaxInt && g.f.Val(g.f.Val(p).Args[0]).Op == ir.Loop {
					r.writes = append(r.writes, at)
				}
				r.from = min(r.from, at)
				r.to = max(r.to, r.from)
			}
		}
	})
	g.extendToUses(ranges, order)
	return ranges
}

// rowOrder returns a position for each index of the code. The second arm of a joint if comes before the first one. Such an arm often leaves
// a loop with values that the first one, the body of the loop, replaces:
//
//	loop L(x = …) {                    x and y share a row: the second arm reads x
//		if more {                      before the first one writes y
//			y = …
//		} else { br out(x) }
//		br L(y)
//	}
func (g *workgroup) rowOrder() []int {
	code := g.f.Code
	order := make([]int, len(code))
	for i := range order {
		order[i] = i
	}
	type arms struct{ opener, middle int }
	var open []arms
	for i, v := range code {
		switch g.f.Val(v).Op {
		case ir.Block, ir.Loop, ir.If:
			open = append(open, arms{i, 0})
		case ir.Else:
			open[len(open)-1].middle = i
		case ir.End:
			a := open[len(open)-1]
			open = open[:len(open)-1]
			if a.middle == 0 || !g.joint[code[a.opener]] {
				continue
			}
			// The arms are runs of positions, which change places.
			first, second := a.middle-a.opener-1, i-a.middle
			for j := a.opener + 1; j < a.middle; j++ {
				order[j] += second
			}
			for j := a.middle; j < i; j++ {
				order[j] -= first
			}
		}
	}
	return order
}

// extendToUses extends intervals to the last uses, and to the end of each joint loop that begins after the value with a use in it.
func (g *workgroup) extendToUses(ranges map[ir.V]*rowRange, order []int) {
	type span struct{ from, to int }
	var loops []span
	var open []int
	for i, v := range g.f.Code {
		switch g.f.Val(v).Op {
		case ir.Block, ir.Loop, ir.If:
			open = append(open, i)
		case ir.End:
			if from := open[len(open)-1]; g.f.Val(g.f.Code[from]).Op == ir.Loop && g.joint[g.f.Code[from]] {
				loops = append(loops, span{order[from], order[i]})
			}
			open = open[:len(open)-1]
		}
	}
	for i, v := range g.f.Code {
		g.f.Operands(v, func(a ir.V) {
			r := ranges[a]
			if r == nil {
				return
			}
			at := order[i]
			if own := g.phases.phase[v]; own != noPart {
				if own == g.phases.phase[a] {
					return
				}
				at = order[own]
			}
			r.to = max(r.to, at)
			for _, l := range loops {
				if r.from < l.from && l.from < at && at < l.to { // a loop reads its first values once
					r.to = max(r.to, l.to)
				}
			}
		})
	}
}
