package vectorize

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Speculation
//
// Most kernels begin with a test that discards the invocations beyond the data, or clamp a coordinate to an
// image. In nearly all strips no lane is discarded or clamped. The entry point is therefore compiled in two
// versions. In the speculative version a few scalar guards (guard.go) prove the conditions for the whole
// strip, so that the code after them needs no mask and clamped coordinates stay strided. The general
// version assumes nothing. A guard that fails bails out: it tail-calls the general version, which begins
// again. So all guards come before the first side effect, and no lane can observe a bail-out.
//
//	vi = in.i32 #0                          vi = in.i32 #0
//	vc = ule.i32 vn, vi                     guard  vi in lane 0 + 15 < vn
//	if vc { br L1 }                    →
//	vm = smax.i32 (vi − 1), 0:i32           guard  0 <= vi − 1 in lane 0; vm is vi − 1
//	va = ld.f32 vA, vm                      contiguous load without a mask
//
// Compilers know this as loop versioning, and the tail call as a side exit or deoptimization (Hölzle,
// Chambers, Ungar 1992); no state has to be rebuilt here, because the general version begins again.

// Limits of speculation, since it doubles the compile time: operations of a function, and operations per
// access that gains by it.
const (
	maxSpeculated   = 1000
	maxOpsPerAccess = 13
	loopedGain      = 2 // additional accesses for which one in a loop counts
	quotientGain    = 3 // accesses for which a quotient or remainder counts
	maxSpeculations = 6 // rounds: the dimensions of a tensor, and two
)

// maxConditionValues bounds the values that the analysis of one condition visits.
const maxConditionValues = 32

// maxExitArm bounds the operations of an arm that is assumed to be executed by no lane.
const maxExitArm = 6

// speculator finds assumptions at the start of the entry point.
type speculator struct {
	assumptions
	f      *ir.Func
	shapes *divergence
	budget int // values of the current condition that may still be visited
	delay  delay
}

// speculate returns the assumptions that pay for f, or nil if there are none. s is the analysis without assumptions, and reanalyze repeats
// it under assumptions: once a quotient is uniform, the remainder is strided, and its quotients may be uniform too.
func speculate(f *ir.Func, s *divergence, reanalyze func(*assumptions) *divergence) *assumptions {
	g := speculator{f: f, shapes: s, assumptions: assumptions{arms: map[ir.V]bool{}, clamps: map[ir.V]ir.V{}, quotients: map[ir.V]bool{}, remainders: map[ir.V]bool{}}}
	if len(f.Code) > maxSpeculated {
		return nil
	}
	for range maxSpeculations {
		known := len(g.quotients) + len(g.remainders)
		g.delay = delay{late: map[ir.V]bool{}}
		for at := 0; at >= 0 && at < len(f.Code); {
			at = g.step(at)
		}
		g.order = g.delayedOrder()
		if len(g.quotients)+len(g.remainders) == known {
			break
		}
		g.shapes = reanalyze(&g.assumptions)
	}
	if len(g.arms)+len(g.clamps)+len(g.quotients)+len(g.remainders) == 0 || !g.profitable() {
		return nil
	}
	return &g.assumptions
}

// profitable reports whether enough of the function is accesses that lose their masks or become strided. Those in loops count
// more.
func (g *speculator) profitable() bool {
	gains := 2*len(g.clamps) + quotientGain*(len(g.quotients)+len(g.remainders))
	for _, v := range g.f.Code {
		if x := g.f.Val(v); (x.Op == ir.Ld || x.Op == ir.St) && g.shapes.of[x.Args[1]].kind != uniform {
			gains++
			if g.shapes.liveOuts.of[v].loop != 0 {
				gains += loopedGain
			}
		}
	}
	return gains*maxOpsPerAccess >= len(g.f.Code)
}

// step examines the operation at an index of the code and returns the index to continue at, or −1 at the
// first operation that ends the search: an unpredictable branch, or a side effect that cannot wait (delay.go).
func (g *speculator) step(at int) int {
	v := g.f.Code[at]
	x := g.f.Val(v)
	wait, ok := g.waits(v, at)
	switch {
	case !ok:
		return -1
	case wait:
		return at + 1
	}
	switch x.Op {
	case ir.Block:
		g.delay.open = append(g.delay.open, waitRegion{opener: v})
	case ir.End:
		g.delay.open = g.delay.open[:len(g.delay.open)-1]
	case ir.If:
		return g.chooseArm(v, at)
	case ir.Else:
		if first, ok := g.arms[x.Args[0]]; ok && first { // no lane runs the second arm
			_, end := g.armEnds(slices.Index(g.f.Code[:at], x.Args[0]))
			return g.skip(at, end)
		}
	case ir.Br:
		g.noteBranch(x.Args[0])
	default:
		if !sideEffectFree(x) {
			return -1
		}
		g.assume(v)
		g.delay.note(v, at, g.assumed(v))
	}
	return at + 1
}

// assume notes the likely properties of a result.
func (g *speculator) assume(v ir.V) {
	g.findClamp(v)
	switch {
	case g.shapes.likelyUniform(v):
		g.quotients[v] = true
	case g.shapes.likelyStrided(v):
		g.remainders[v] = true
	case g.isUnitProduct(v):
		g.clamps[v] = g.index(v)
	}
}

// assumed reports whether an operation has an assumption.
func (g *speculator) assumed(v ir.V) bool {
	return g.clamps[v] != 0 || g.quotients[v] || g.remainders[v]
}

// isUnitProduct reports whether v is the product of an index with a number of memory that is the distance of the elements in a tensor,
// and so likely to be 1: in programs that split indices, which have tensors.
func (g *speculator) isUnitProduct(v ir.V) bool {
	x := g.f.Val(v)
	if x.Op != ir.Mul || x.Type != ir.I32 || len(g.quotients)+len(g.remainders) == 0 {
		return false
	}
	index := g.index(v)
	by := x.Args[0]
	if by == index {
		by = x.Args[1]
	}
	return g.shapes.index(index) && g.shapes.of[index].step > 0 && g.shapes.of[by].kind == uniform && g.f.Val(by).Op == ir.Ld
}

// index returns the operand of a product that is not uniform.
func (g *speculator) index(v ir.V) ir.V {
	x := g.f.Val(v)
	if g.shapes.of[x.Args[0]].kind == uniform {
		return x.Args[1]
	}
	return x.Args[0]
}

// findClamp assumes that a min or max equals its strided operand if the other one is a uniform bound: 0 or
// less, or unknown.
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

// clampRelation maps min and max to the relation between the lesser and the greater operand.
var clampRelation = map[ir.Op]ir.Op{ir.SMin: ir.SLe, ir.SMax: ir.SLe, ir.UMin: ir.ULe, ir.UMax: ir.ULe}

// sideEffectFree reports whether an operation only computes a value.
func sideEffectFree(x *ir.Val) bool {
	return x.Op.HasResult() && !x.Op.Is(ir.Writes) && !x.Op.Is(ir.Meets) && x.Flags&ir.Volatile == 0 && x.Op != ir.Call
}

// chooseArm assumes that all lanes of an if go to one arm, if the other one only leaves. It returns the
// index to continue at. Of a uniform if, both arms are searched: their guards come before the first side effect, too.
func (g *speculator) chooseArm(v ir.V, at int) int {
	other, end := g.armEnds(at)
	c := g.f.Val(v).Args[0]
	if first, ok := g.arms[v]; ok { // of an earlier round
		return g.enter(v, at, other, end, first)
	}
	if g.shapes.of[c].kind == uniform {
		g.delay.open = append(g.delay.open, waitRegion{opener: v, parts: true})
		return at + 1
	}
	if g.exitsOnly(at+1, other) && g.exitsOnly(other+1, end) {
		return -1 // both arms leave: neither is more likely
	}
	g.budget = maxConditionValues
	if _, ok := g.relations(c, false, nil); ok && g.exitsOnly(at+1, other) {
		g.arms[v] = false
		return g.enter(v, at, other, end, false)
	}
	g.budget = maxConditionValues
	if _, ok := g.relations(c, true, nil); ok && end-other <= maxExitArm {
		g.arms[v] = true
		return g.enter(v, at, other, end, true)
	}
	return -1
}

// enter returns the index at which the assumed arm of an if begins.
func (g *speculator) enter(v ir.V, at, other, end int, first bool) int {
	g.delay.note(v, at, true)
	switch {
	case !first && other == end:
		return g.skip(at+1, end)
	case !first:
		g.delay.open = append(g.delay.open, waitRegion{opener: v})
		return g.skip(at+1, other)
	}
	g.delay.open = append(g.delay.open, waitRegion{opener: v})
	return at + 1
}

// armEnds returns the indices of the else and of the end of the if at an index. Without an else both are
// the end.
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

// exitsOnly reports whether an arm does little but leave for an outer label.
func (g *speculator) exitsOnly(from, to int) bool {
	return to > from && to-from <= maxExitArm && g.f.Val(g.f.Code[to-1]).Op == ir.Br
}

// relation is low < high or low <= high, of 32-bit numbers. Both are uniform, or one of them is strided.
type relation struct {
	op        ir.Op // ULt, ULe, SLt or SLe
	low, high ir.V
}

// relations appends to list the relations that must hold in all lanes for condition c to equal so in all of
// them. It returns false if no relations are known to imply that.
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
			not, _ := x.Op.NotLess()
			r = relation{not, x.Args[1], x.Args[0]}
		}
		low, high := g.shapes.of[r.low], g.shapes.of[r.high]
		ok := low.ascending() && high.kind == uniform || low.kind == uniform && (high.kind == uniform || high.ascending())
		return append(list, r), ok && g.f.Type(r.low) == ir.I32
	}
	return nil, false
}
