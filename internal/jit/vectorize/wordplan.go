package vectorize

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// The choice of words in registers
//
// The words of workgroup memory are in registers (wordforward.go) if the code of all subgroups is short and straight: the joint control
// flow has no loop or if, and the conditions of the others compare the index of the invocation with constants, so that masks are
// known, or have guards (wordguard.go). Then no phase is a loop.
//
// Subgroups of which all invocations fulfil a condition, or none, have no masks for it (sameConditions):
//
//	if 16 <= l { … }        subgroup 0: nothing    subgroups 1, 2, …: the arm
//	if 4 <= l { … }         subgroup 0: masks      subgroups 1, 2, …: the arm

// Limits of code with words in registers: operations of all subgroups together, and words of memory.
const (
	maxStraightOps = 1 << 12
	maxForwarded   = 1 << 12
)

// minExchanges is the number of words of other invocations that each one loads, on average, from which registers pay. The steps of a reduction
// by a tree load one altogether, as each has half of the invocations of the step before; its loops have less code. It is a variable for tests.
var minExchanges = 4

// ForwardFrom puts the words of workgroup memory in registers from a number of exchanges per invocation on, until undo is called. It is for
// tests.
func ForwardFrom(exchanges int) (undo func()) {
	before := minExchanges
	minExchanges = exchanges
	return func() { minExchanges = before }
}

// maxConditionDepth bounds the operations of a condition that are walked.
const maxConditionDepth = 8

// fitsRegisters reports whether the words of workgroup memory are to be in registers.
func (g *workgroup) fitsRegisters() bool {
	if g.partial || len(g.subs) == 1 || len(g.f.Code)*len(g.subs) > maxStraightOps || g.p.SharedBytes == 0 || g.p.SharedBytes > 4*maxForwarded || g.p.PrivateSlots() > 0 {
		return false
	}
	exchanges := 0
	compares := func(f armFact) bool { return g.comparesIndex(f.condition, maxConditionDepth) }
	ok := g.eachInArm(g.f.Code, func(v ir.V, facts []armFact) bool {
		x := g.f.Val(v)
		switch {
		case x.Op == ir.If:
			if compares(armFact{condition: x.Args[0]}) {
				return true
			}
			return g.guard(x.Args[0])
		case x.Op == ir.Loop, x.Op == ir.Switch, x.Op == ir.ResetBudget:
			return false
		case (x.Op == ir.Ld || x.Op == ir.St) && g.f.Val(x.Args[0]).Op == ir.Wg:
			distance, ok := g.wordDistance(x)
			for _, f := range facts {
				ok = ok && compares(f)
			}
			if ok && distance != 0 && x.Op == ir.Ld {
				exchanges += g.executions(facts)
			}
			return ok
		}
		// There is no other access to the memory.
		return !slices.ContainsFunc(x.Args[:x.Op.Args()], func(a ir.V) bool { return g.f.Val(a).Op == ir.Wg })
	})
	return ok && exchanges >= minExchanges*int(g.p.Invocations())
}

// executions returns the number of invocations that fulfil conditions with known lanes.
func (g *workgroup) executions(facts []armFact) (n int) {
	for i := range uint64(g.p.Invocations()) {
		if !slices.ContainsFunc(facts, func(f armFact) bool { return g.conditionAt(f.condition, i) != 0 != f.is }) {
			n++
		}
	}
	return n
}

// comparesIndex reports whether a condition has known lanes: it compares the index of the invocation with constants.
func (g *workgroup) comparesIndex(c ir.V, depth int) bool {
	x := g.f.Val(c)
	switch {
	case depth == 0:
		return false
	case x.Op == ir.Not, x.Op == ir.And, x.Op == ir.Or:
		return x.Type == ir.B1 && !slices.ContainsFunc(x.Args[:x.Op.Args()], func(a ir.V) bool { return !g.comparesIndex(a, depth-1) })
	case x.Op.Family() != ir.Comparisons || x.Op.Args() != 2:
		return false
	}
	a, b := x.Args[0], x.Args[1]
	return g.isInvocationIndex(a) && g.f.Val(b).Op == ir.Const || g.isInvocationIndex(b) && g.f.Val(a).Op == ir.Const
}

// sameConditions returns the conditions of the ifs of a phase that are the same in all lanes of subgroup s.
func (g *workgroup) sameConditions(s int, code []ir.V) map[ir.V]bool {
	known := map[ir.V]bool{}
	first := uint64(s) * uint64(g.p.SubgroupSize)
	for _, v := range code {
		x := g.f.Val(v)
		if x.Op != ir.If {
			continue
		}
		if _, ok := g.guards[x.Args[0]]; ok {
			known[x.Args[0]] = true
			continue
		}
		trues := uint64(0)
		for i := range uint64(g.p.SubgroupSize) {
			trues += g.conditionAt(x.Args[0], first+i)
		}
		if trues == 0 || trues == uint64(g.p.SubgroupSize) {
			known[x.Args[0]] = trues != 0
		}
	}
	return known
}

// conditionAt returns a condition with known lanes, or an operand of one, for the invocation with an index.
func (g *workgroup) conditionAt(v ir.V, index uint64) uint64 {
	x := g.f.Val(v)
	switch {
	case x.Op == ir.Const:
		return x.Aux
	case g.isInvocationIndex(v):
		return index
	}
	var args [2]uint64
	for i := range x.Op.Args() {
		args[i] = g.conditionAt(x.Args[i], index)
	}
	return x.Op.Row().Eval(g.f.Key(v), args[0], args[1], 0) & 1
}

// wordDistance returns the constant that an access to a word of workgroup memory adds to the index of the invocation, and whether its
// offset has that form.
func (g *workgroup) wordDistance(x *ir.Val) (distance uint32, ok bool) {
	if g.f.Val(x.Args[1]).Op == ir.Const && x.Op == ir.Ld {
		return 0, x.Type.Size() == 4 && x.Flags&(ir.Volatile|ir.Coherent) == 0
	}
	index, stride, start, ok := g.scaledIndex(x.Args[1])
	if !ok || stride != 4 || (start+x.Aux)%4 != 0 || x.Type != ir.I32 && x.Type != ir.F32 || x.Flags&(ir.Volatile|ir.Coherent) != 0 {
		return 0, false
	}
	if g.isInvocationIndex(index) {
		return 0, true
	}
	y := g.f.Val(index)
	a, b := y.Args[0], y.Args[1]
	if y.Op == ir.Add && g.f.Val(a).Op == ir.Const {
		a, b = b, a
	}
	if y.Op != ir.Add && y.Op != ir.Sub || y.Type != ir.I32 || !g.isInvocationIndex(a) || g.f.Val(b).Op != ir.Const {
		return 0, false
	}
	return uint32(g.f.Val(b).Aux), true
}

// readsUnstored reports whether a load yields the same at any time of the workgroup: no code stores to its memory.
func (g *workgroup) readsUnstored(in *vcode.Inst) bool {
	x := g.f.Val(in.Value)
	if x.Op != ir.Ld || x.Flags&(ir.Volatile|ir.Coherent) != 0 {
		return false
	}
	h := g.f.Val(x.Args[0])
	return h.Op == ir.Push || h.Op == ir.Table || h.Op == ir.Res && !g.stored[h.Aux]
}
