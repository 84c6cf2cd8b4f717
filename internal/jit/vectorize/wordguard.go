package vectorize

import (
	"math"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// Guards of words in registers
//
// An access at a device address has two versions, for an index in the region of its base and for any address (baseRegion of package
// pass). Words in registers need straight code, so the stream assumes the first version for the whole workgroup. One guard compares the
// index of the last invocation, before the first effect. If it fails, the workgroup begins again in the general version, whose words
// are in memory, as after a guard of speculation (speculate.go):
//
//	block L {
//		if every (i < n) { … = ld r, i; br L }        guard i of invocation 0 + span < n
//		… = ld (region a)                             … = ld r, i
//	}

// generalGroup is the index of the general version of a workgroup with guards.
const generalGroup = 1

// indexGuard is index < bound in all invocations. The index of an invocation is step more than that of the one before it.
type indexGuard struct {
	index, bound ir.V
	step         uint32
}

// guard notes the guard of a condition, and reports whether it has one.
func (g *workgroup) guard(condition ir.V) bool {
	r, ok := g.guardOf(condition)
	if ok {
		if g.guards == nil {
			g.guards = map[ir.V]indexGuard{}
		}
		g.guards[condition] = r
	}
	return ok
}

// guardOf returns the guard that proves a condition, and whether it has one.
func (g *workgroup) guardOf(condition ir.V) (r indexGuard, ok bool) {
	x := g.f.Val(condition)
	if x.Op != ir.Every {
		return r, false
	}
	y := g.f.Val(x.Args[0])
	if y.Op != ir.ULt || g.f.Type(y.Args[0]) != ir.I32 {
		return r, false
	}
	// The guard adds the span in 64 bits, so that no index wraps.
	r = indexGuard{index: y.Args[0], bound: y.Args[1]}
	r.step, ok = g.affineStep(r.index, maxConditionDepth)
	span := uint64(r.step) * uint64(g.p.Invocations()-1)
	return r, ok && span <= math.MaxInt32 && (g.once[r.bound] || g.f.Val(r.bound).Op == ir.Const) && g.startsWith(r.index, r.bound)
}

// affineStep returns the difference of a value between an invocation and the one before it, modulo 2³², and whether it is the same for all.
func (g *workgroup) affineStep(v ir.V, depth int) (step uint32, ok bool) {
	x := g.f.Val(v)
	switch {
	case depth == 0 || g.f.Type(v) != ir.I32:
		return 0, false
	case g.once[v], x.Op == ir.Const:
		return 0, true
	case g.isInvocationIndex(v):
		return 1, true
	case x.Op == ir.In:
		return 1, g.p.In[x.Aux].Semantic == ir.GlobalInvocationIdX && g.p.LocalSize[1] == 1 && g.p.LocalSize[2] == 1
	}
	switch x.Op {
	case ir.Add, ir.Sub, ir.Mul, ir.Shl:
	default:
		return 0, false
	}
	a, okA := g.affineStep(x.Args[0], depth-1)
	by := g.f.Val(x.Args[1])
	switch {
	case x.Op == ir.Shl:
		return a << (by.Aux & 31), okA && by.Op == ir.Const
	case x.Op == ir.Mul:
		return a * uint32(by.Aux), okA && by.Op == ir.Const
	}
	b, okB := g.affineStep(x.Args[1], depth-1)
	if x.Op == ir.Sub {
		b = -b
	}
	return a + b, okA && okB
}

// maxGuardValues bounds the values that guards need at the start.
const maxGuardValues = 64

// startsWith reports whether the stream can begin with some values and all that they need, and notes them for emission. All of them are
// numbers of invocations or the same for the workgroup at any time.
func (g *workgroup) startsWith(list ...ir.V) bool {
	need := slices.Clone(list)
	for i := 0; i < len(need); i++ {
		if x := g.f.Val(need[i]); x.Op == ir.Param || !sideEffectFree(x) || len(need) > maxGuardValues {
			return false
		}
		g.f.Operands(need[i], func(a ir.V) {
			if !slices.Contains(need, a) {
				need = append(need, a)
			}
		})
	}
	if g.early == nil {
		g.early = map[ir.V]bool{}
	}
	for _, v := range need {
		g.early[v] = true
	}
	return true
}

// emitGuards begins the stream with the guards and their values. The first subgroup has the values from then on.
func (g *workgroup) emitGuards() {
	w := g.subs[0]
	w.open, w.bailout = []*region{{op: ir.Block}}, generalGroup
	for _, v := range g.f.Code {
		if g.early[v] {
			w.step(v)
		}
	}
	var done []indexGuard
	for _, v := range g.f.Code {
		x := g.f.Val(v)
		r, ok := g.guards[x.Args[0]]
		if x.Op != ir.If || !ok || slices.Contains(done, r) {
			continue
		}
		done = append(done, r)
		w.origin = x.Origin
		w.guardLess(ir.ULt, w.firstLane(r.index, 0), w.gen(r.bound), r.step*(g.p.Invocations()-1))
	}
}
