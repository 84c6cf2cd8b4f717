package vectorize

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Work-item loops over the subgroups of a workgroup
//
// In one stream a phase, the parallel region between two barriers, is executed by one subgroup after the
// other. It is either replicated, once for each subgroup, so that values which live across barriers stay in
// registers; or, if no value of a subgroup lives across its boundaries, it is a loop: pocl's work-item loop
// (Jääskeläinen et al. 2015), with a subgroup in place of the work-item.
//
//	replicated                          work-item loop
//	phase for subgroup 0                loopIndex = 0
//	phase for subgroup 1                top: phase for the subgroup at loopIndex
//	…                                        loopIndex += subgroup size; jump top unless all
//
// Values that live across barriers are computed again by each phase if they are cheap, such as invocation IDs and offsets. A phase
// with any other is replicated if that is short, else the value is in a context array (context.go).

// phaseInfo is the flow of values between phases.
type phaseInfo struct {
	phase        []int32 // by value: index in the code of the first operation of its phase, or noPart
	position     []int32 // by value: index in the code
	recomputable []bool  // by value: every phase can compute it again
	crossPhase   []bool  // by value: used in another phase or by joint control flow
	resets       bool    // the step budget of a subgroup is reset, in one counter
}

// minLoopedOps is the number of operations, of all subgroups together, from which a loop pays. It is a variable for
// tests.
var minLoopedOps = 96

// surveyPhases finds the values that flow between phases.
func (g *workgroup) surveyPhases() {
	n := len(g.f.Vals)
	t := &g.phases
	t.phase, t.position = slices.Repeat([]int32{noPart}, n), make([]int32, n)
	t.recomputable, t.crossPhase = make([]bool, n), make([]bool, n)
	inside := 0
	current := int32(noPart)
	var open []bool
	for i, v := range g.f.Code {
		x := g.f.Val(v)
		boundary := inside == 0
		switch x.Op {
		case ir.Block, ir.Loop, ir.If:
			open = append(open, g.joint[v])
			boundary = g.joint[v]
			if !boundary {
				inside++
			}
		case ir.End:
			boundary = open[len(open)-1]
			if !boundary {
				inside--
			}
			open = open[:len(open)-1]
		case ir.Else:
			boundary = open[len(open)-1]
		case ir.Barrier:
			boundary = !g.dissolved[v]
		case ir.Br:
		case ir.ResetBudget:
			boundary, t.resets = false, true
		default:
			boundary = false
		}
		if boundary {
			current = noPart
		} else if current == noPart {
			current = int32(i)
		}
		t.position[v] = int32(i)
		t.phase[v] = current
		if x.Op == ir.Block || x.Op == ir.Loop {
			for _, p := range g.f.Params(v) {
				t.phase[p] = current
			}
		}
		t.recomputable[v] = inside == 0 && current != noPart && g.isRecomputable(x)
		g.f.Operands(v, func(a ir.V) { t.crossPhase[a] = t.crossPhase[a] || current == noPart || t.phase[a] != current })
	}
}

// isRecomputable reports whether an operation can be executed again, in any phase, with the same result.
func (g *workgroup) isRecomputable(x *ir.Val) bool {
	if !x.Op.HasResult() || x.Op.Is(ir.Meets) || x.Op.Is(ir.Writes) || x.Op.Is(ir.Reads) || x.Op == ir.PAddr || !laneInvariant(x.Op) {
		return false
	}
	for i := range x.Op.Args() {
		if !g.available(x.Args[i]) {
			return false
		}
	}
	return true
}

// available reports whether every phase can have a value.
func (g *workgroup) available(v ir.V) bool {
	return g.once[v] || g.phases.recomputable[v] || g.f.Val(v).Op == ir.Const
}

// loopable reports whether a phase, at an index of the code, is to be a loop.
func (g *workgroup) loopable(at int, code []ir.V) bool {
	if g.inRegisters || g.partial || len(g.subs) == 1 || len(code)*len(g.subs) < minLoopedOps {
		return false
	}
	for _, v := range code {
		x := g.f.Val(v)
		if x.Op == ir.ResetBudget || x.Op.Family() == ir.PrivateMemory || x.Op.Family() == ir.Rays {
			return false
		}
		if g.phases.crossPhase[v] && !g.available(v) && !g.inContext(v) {
			return false
		}
		if (x.Op == ir.Block || x.Op == ir.Loop) && slices.ContainsFunc(g.f.Params(v), func(p ir.V) bool { return g.phases.crossPhase[p] && !g.inContext(p) }) {
			return false
		}
		ok := true
		g.f.Operands(v, func(a ir.V) {
			ok = ok && (g.phases.phase[a] == int32(at) && !g.once[v] || g.available(a) || g.inContext(a))
		})
		if !ok {
			return false
		}
	}
	return true
}

// recomputeReads emits, for one subgroup, the values of other phases that code reads, as far as they are
// recomputable. It returns those that it emitted.
func (g *workgroup) recomputeReads(w *vectorizer, code []ir.V) []ir.V {
	var list []ir.V
	for _, v := range code {
		g.f.Operands(v, func(a ir.V) {
			if !w.has(a) && (g.phases.phase[a] == noPart || g.phases.phase[a] != g.phases.phase[code[0]]) {
				list = append(list, a)
			}
		})
	}
	return g.recompute(w, list)
}

// recompute emits values of a list that w has no registers for, with their operands, as far as they are
// recomputable. It returns those that it emitted.
func (g *workgroup) recompute(w *vectorizer, list []ir.V) (added []ir.V) {
	seen := map[ir.V]bool{}
	read := func(a ir.V) {
		if !seen[a] && !w.has(a) && (g.once[a] || g.phases.recomputable[a]) {
			seen[a] = true
			added = append(added, a)
		}
	}
	for _, v := range list {
		read(v)
	}
	for i := 0; i < len(added); i++ {
		v := added[i]
		if !g.once[v] {
			g.f.Operands(v, read)
		}
	}
	slices.SortFunc(added, func(a, b ir.V) int { return int(g.phases.position[a] - g.phases.position[b]) })
	for _, v := range added {
		if g.once[v] {
			w.values[v] = w.share(g.subs[0].values[v])
		} else {
			w.step(v)
		}
	}
	return added
}

// has reports whether v has registers.
func (w *vectorizer) has(v ir.V) bool { return w.values[v] != nil && w.values[v].vec != nil }

// forget drops the registers of values: the code that computed them may not be on the path to their next
// use.
func forget(w *vectorizer, list []ir.V) {
	for _, v := range list {
		w.values[v] = nil
	}
}

// loopOverSubgroups emits a phase as a work-item loop. It returns false if the phase ends with other active
// lanes than it began with.
func (g *workgroup) loopOverSubgroups(code []ir.V) bool {
	for _, v := range code {
		if g.once[v] {
			g.subs[0].step(v)
		}
	}
	acts := func(v ir.V) bool { // a loop counts steps, and may be endless
		x := g.f.Val(v)
		return x.Op.Is(ir.Writes) || x.Flags&ir.Volatile != 0 || x.Op == ir.Loop
	}
	if !slices.ContainsFunc(code, acts) && len(g.contextResults(code)) == 0 {
		return true // later phases recompute its values
	}
	if g.isJoined(code) {
		return g.loopDown(code)
	}
	w := g.itemVectorizer(code, g.dst.NewReg(vcode.Gen))
	w.emit(vcode.Inst{Op: vcode.Copy, Defs: []vcode.Reg{w.loopIndex}, Uses: []vcode.Reg{w.zero}})
	top, end := w.newBlock(), w.newBlock()
	w.startBlock(top)
	g.boundLoop(w, code, end)
	same := true
	for _, part := range g.itemParts(w, code) {
		same = same && g.stepItem(part, code)
	}
	w.loopBack(top, uint64(w.p.SubgroupSize), uint64(w.p.Invocations()))
	w.startBlock(end)
	return same
}

// itemVectorizer returns the vectorizer of the body of a work-item loop with a counter.
func (g *workgroup) itemVectorizer(code []ir.V, index vcode.Reg) *vectorizer {
	w := *g.subs[0]
	w.values, w.regions = g.arena.valuesByV.Alloc(len(g.f.Vals)), g.arena.regionsByV.Alloc(len(g.f.Vals))
	for _, v := range code {
		if !g.once[v] {
			continue
		}
		w.values[v] = g.subs[0].values[v]
		for _, other := range g.subs[1:] {
			other.values[v] = w.values[v]
		}
	}
	w.loopIndex = index
	return &w
}

// stepItem emits the body of a work-item loop, and reports whether it ends with the active lanes that it began
// with.
func (g *workgroup) stepItem(w *vectorizer, code []ir.V) bool {
	before := w.active
	g.contextAccess(w, g.contextReads(code), false)
	g.recomputeReads(w, code)
	w.open = []*region{{op: ir.Block}}
	for _, v := range code {
		if !g.once[v] && !g.dissolved[v] {
			w.step(v)
		}
	}
	if len(w.open) != 1 || !slices.Equal(w.active, before) {
		return false
	}
	g.contextAccess(w, g.contextResults(code), true)
	return true
}

// isInvocationIndex reports whether a value is the index of the invocation in its workgroup.
func (g *workgroup) isInvocationIndex(v ir.V) bool {
	x := g.f.Val(v)
	if x.Op != ir.In || x.Type != ir.I32 {
		return false
	}
	sem := g.p.In[x.Aux].Semantic
	return sem == ir.LocalInvocationIndex || sem == ir.LocalInvocationIdX && g.p.LocalSize[1] == 1 && g.p.LocalSize[2] == 1
}
