package vectorize

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Programs mostly begin by sending those lanes home that lie beyond the data:
// "if (i >= n) return". In nearly all strips there are none. The entry point is
// therefore widened twice: once for strips of which a few comparisons of numbers
// show that all lanes stay, without a mask from there on, and once for all
// others, which begin anew. That is possible as long as nothing has had an
// effect.

// maxSpeculated bounds the operations of a function that is widened twice, and
// maxOpsPerAccess how many there are for each access that gains by it: compiling
// takes twice as long.
const (
	maxSpeculated   = 1000
	maxOpsPerAccess = 13
)

// maxConditionValues bounds the values of which one condition may be made.
const maxConditionValues = 32

// maxExitArm bounds the operations of an arm that is taken to be empty of lanes.
const maxExitArm = 6

// What is clamped to the data, such as max(i - 1, 0), mostly need not have been:
// it is taken to be the operand, whose lanes are a row, in the same way.

// speculator finds what may be assumed at the start of the entry point.
type speculator struct {
	assumptions
	f      *ir.Func
	shapes *divergence
	budget int // values of the condition that may still be looked at
}

// speculate returns nil where there is nothing.
func speculate(f *ir.Func, s *divergence) *assumptions {
	g := speculator{f: f, shapes: s, assumptions: assumptions{map[ir.V]bool{}, map[ir.V]ir.V{}}}
	if len(f.Code) > maxSpeculated {
		return nil
	}
	for at := 0; at >= 0 && at < len(f.Code); {
		at = g.step(at)
	}
	if len(g.arms)+len(g.clamps) == 0 || !g.profitable() {
		return nil
	}
	return &g.assumptions
}

// profitable reports whether much of the function is accesses whose masks go and
// whose offsets become rows.
func (g *speculator) profitable() bool {
	gains := 2 * len(g.clamps)
	for _, v := range g.f.Code {
		if x := g.f.Val(v); (x.Op == ir.Ld || x.Op == ir.St) && g.shapes.of[x.Args[1]].kind != uniform {
			gains++
		}
	}
	return gains*maxOpsPerAccess >= len(g.f.Code)
}

// step looks at the operation at a place of the code and returns the place to
// go on from, or −1.
func (g *speculator) step(at int) int {
	v := g.f.Code[at]
	switch x := g.f.Val(v); x.Op {
	case ir.Block, ir.End:
		return at + 1
	case ir.If:
		return g.chooseArm(v, at)
	default:
		if !sideEffectFree(x) {
			return -1
		}
		g.findClamp(v)
		return at + 1
	}
}

// findClamp looks for the greater or the smaller one of a row and a bound that
// is the same in all lanes: 0 or less, or nothing that is known.
func (g *speculator) findClamp(v ir.V) {
	x := g.f.Val(v)
	if x.Type != ir.I32 || clampRelation[x.Op] == 0 {
		return
	}
	for i := range 2 {
		operand, bound := x.Args[i], x.Args[1-i]
		from := operand
		for from = operand; ; {
			next, ok := g.clamps[from]
			if !ok {
				break
			}
			from = next
		}
		b := g.f.Val(bound)
		likely := b.Op != ir.Const || x.Op == ir.SMax && int32(b.Aux) <= 0
		if g.shapes.of[from].ascending() && g.shapes.of[from].regular && g.shapes.of[bound].kind == uniform && likely {
			g.clamps[v] = operand
			return
		}
	}
}

// clampRelation are the operations that yield the lesser of two operands, or the
// greater one, and the relation that then holds.
var clampRelation = map[ir.Op]ir.Op{ir.SMin: ir.SLe, ir.SMax: ir.SLe, ir.UMin: ir.ULe, ir.UMax: ir.ULe}

// isNop reports whether an operation has no effect, nor any control.
func sideEffectFree(x *ir.Val) bool {
	return x.Op.HasResult() && !x.Op.Is(ir.Writes) && !x.Op.Is(ir.Meets) && x.Flags&ir.Volatile == 0 && x.Op != ir.Call && x.Op != ir.Exit
}

// chooseArm takes an if to go the way of the arm that is more than a few
// operations and a branch.
func (g *speculator) chooseArm(v ir.V, at int) int {
	other, end := g.armEnds(at)
	c := g.f.Val(v).Args[0]
	if g.shapes.of[c].kind == uniform {
		return -1
	}
	if g.exitsOnly(at+1, other) && g.exitsOnly(other+1, end) {
		return -1 // either is as likely
	}
	g.budget = maxConditionValues
	if _, ok := g.relations(c, false, nil); ok && g.exitsOnly(at+1, other) {
		g.arms[v] = false
		if other < end {
			return other + 1
		}
		return end + 1
	}
	g.budget = maxConditionValues
	if _, ok := g.relations(c, true, nil); ok && end-other <= maxExitArm {
		g.arms[v] = true
		return at + 1
	}
	return -1
}

// armEnds returns the places of the else, or of the end where there is none, and of
// the end of an if.
func (g *speculator) armEnds(at int) (other, end int) {
	depth := 0
	for i := at; i < len(g.f.Code); i++ {
		switch g.f.Val(g.f.Code[i]).Op {
		case ir.Block, ir.Loop, ir.If:
			depth++
		case ir.Else:
			if depth == 1 {
				other = i
			}
		case ir.End:
			if depth--; depth == 0 {
				if other == 0 {
					other = i
				}
				return other, i
			}
		}
	}
	return at, at
}

// exitsOnly reports whether an arm does nothing but to go away.
func (g *speculator) exitsOnly(from, to int) bool {
	return to > from && to-from <= maxExitArm && g.f.Val(g.f.Code[to-1]).Op == ir.Br
}

// relation is low < high, or low <= high, of numbers of 32 bits, one of which
// is a row and the other the same in all lanes.
type relation struct {
	op        ir.Op // ULt, ULe, SLt or SLe
	low, high ir.V
}

// relations appends what must hold in all lanes for c to be so in all of them,
// and reports whether that is all.
func (g *speculator) relations(c ir.V, so bool, list []relation) ([]relation, bool) {
	if g.budget--; g.budget < 0 {
		return nil, false
	}
	x := g.f.Val(c)
	switch x.Op {
	case ir.Not:
		return g.relations(x.Args[0], !so, list)
	case ir.And, ir.Or:
		if so != (x.Op == ir.And) {
			return nil, false
		}
		list, ok := g.relations(x.Args[0], so, list)
		if !ok {
			return nil, false
		}
		return g.relations(x.Args[1], so, list)
	case ir.Select:
		if first, ok := g.relations(x.Args[0], true, list); ok {
			if first, ok = g.relations(x.Args[1], so, first); ok {
				return first, true
			}
		}
		list, ok := g.relations(x.Args[0], false, list)
		if !ok {
			return nil, false
		}
		return g.relations(x.Args[2], so, list)
	case ir.ULt, ir.ULe, ir.SLt, ir.SLe:
		r := relation{x.Op, x.Args[0], x.Args[1]}
		if !so {
			inverse := map[ir.Op]ir.Op{ir.ULt: ir.ULe, ir.ULe: ir.ULt, ir.SLt: ir.SLe, ir.SLe: ir.SLt}
			r = relation{inverse[x.Op], x.Args[1], x.Args[0]}
		}
		low, high := g.shapes.of[r.low], g.shapes.of[r.high]
		ok := low.ascending() && high.kind == uniform || high.ascending() && low.kind == uniform
		return append(list, r), ok && g.f.Type(r.low) == ir.I32
	}
	return nil, false
}
