package vectorize

import (
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
	maxSpeculations = 5 // rounds: the dimensions of a tensor, and one
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
}

// speculate returns the assumptions that pay for f, or nil if there are none. s is the analysis without assumptions, and reanalyze repeats
// it under assumptions: once a quotient is uniform, the remainder is strided, and its quotients may be uniform too.
func speculate(f *ir.Func, s *divergence, reanalyze func(*assumptions) *divergence) *assumptions {
	g := speculator{f: f, shapes: s, assumptions: assumptions{map[ir.V]bool{}, map[ir.V]ir.V{}, map[ir.V]bool{}, map[ir.V]bool{}}}
	if len(f.Code) > maxSpeculated {
		return nil
	}
	for range maxSpeculations {
		known := len(g.quotients) + len(g.remainders)
		for at := 0; at >= 0 && at < len(f.Code); {
			at = g.step(at)
		}
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
// first operation with a side effect or unpredictable branch.
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
		switch {
		case g.shapes.likelyUniform(v):
			g.quotients[v] = true
		case g.shapes.likelyStrided(v):
			g.remainders[v] = true
		}
		return at + 1
	}
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
// index to continue at.
func (g *speculator) chooseArm(v ir.V, at int) int {
	other, end := g.armEnds(at)
	c := g.f.Val(v).Args[0]
	if first, ok := g.arms[v]; ok { // of an earlier round
		if first {
			return at + 1
		}
		if other < end {
			return other + 1
		}
		return end + 1
	}
	if g.shapes.of[c].kind == uniform {
		return -1
	}
	if g.exitsOnly(at+1, other) && g.exitsOnly(other+1, end) {
		return -1 // both arms leave: neither is more likely
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
