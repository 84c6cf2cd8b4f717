package vectorize

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Bounds of work-item loops
//
// A loop over the subgroups ends early if only the first invocations of the workgroup have an effect. The phase is one if for them, or a
// block that the others leave with the values that their rows already have (context.go):
//
//	if l < d {                   block L(y) {
//		s[l] = …                     if d <= l { br L(x) }       x and y share a row
//	}                                s[l] = …
//	                                 br L(…)
//	                             }

// The condition compares the index of an invocation, which ascends over the subgroups, with a bound of the whole workgroup. So once no
// lane of a subgroup has an effect, none of a later one has. The test compares the first lane alone:
//
//	top: jumpifzero ult end loopIndex, d
//	     …                                    the phase, with its masks
//	     loopIndex += subgroup size; jump top unless all
//	end:

// idleFor is the condition of the invocations of a phase that have no effect, or have one.
type idleFor struct {
	condition ir.V
	effect    bool // the invocations that fulfil it have the effects
}

// boundLoop leaves the loop early, for block end, if no invocation of this and the later subgroups has an effect in the phase.
func (g *workgroup) boundLoop(w *vectorizer, code []ir.V, end int) {
	only, ok := g.onlyIf(code)
	if !ok {
		only, ok = g.onlyInBlock(code)
	}
	if !ok {
		return
	}
	op, bound, ok := g.indexBound(only)
	if !ok {
		return
	}
	some := w.dst.NewReg(vcode.Gen)
	w.emit(vcode.Inst{Op: vcode.Scalar, IR: op, Key: ir.Key{Type: ir.B1, From: ir.I32}, Defs: []vcode.Reg{some}, Uses: []vcode.Reg{w.loopIndex, g.subs[0].gen(bound)}})
	w.emit(vcode.Inst{Op: vcode.JumpIfZero, Uses: []vcode.Reg{some}, Target: end})
	w.startBlock(w.newBlock())
}

// indexBound returns the comparison of the index of an invocation with a bound that those with an effect fulfil: index < n or index <= n.
func (g *workgroup) indexBound(only idleFor) (op ir.Op, bound ir.V, ok bool) {
	c := g.f.Val(only.condition)
	for c.Op == ir.Not {
		c, only.effect = g.f.Val(c.Args[0]), !only.effect
	}
	a, b := c.Args[0], c.Args[1]
	switch {
	case c.Op == ir.Eq && only.effect && g.f.Type(a) == ir.I32:
		if op = ir.ULe; g.isInvocationIndex(b) {
			a, b = b, a
		}
	case c.Op != ir.ULt && c.Op != ir.ULe || g.f.Type(a) != ir.I32:
		return op, 0, false
	case only.effect:
		op = c.Op
	default: // not n < index is index <= n
		a, b = b, a
		if op = ir.ULe; c.Op == ir.ULe {
			op = ir.ULt
		}
	}
	return op, b, g.isInvocationIndex(a) && (g.once[b] || g.f.Val(b).Op == ir.Const)
}

// acts reports whether an operation outside of constructs has an effect.
func acts(x *ir.Val) bool { return !x.Op.HasResult() || x.Op.Is(ir.Writes) || x.Op.Is(ir.Meets) }

// onlyIf returns the condition of a phase that is one if without else.
func (g *workgroup) onlyIf(code []ir.V) (only idleFor, ok bool) {
	depth := 0
	for _, v := range code {
		x := g.f.Val(v)
		switch {
		case x.Op == ir.If && depth == 0 && only.condition == 0:
			only = idleFor{x.Args[0], true}
			depth++
		case x.Op == ir.If, x.Op == ir.Block, x.Op == ir.Loop:
			if depth == 0 {
				return only, false
			}
			depth++
		case x.Op == ir.End:
			depth--
		case depth == 1 && x.Op == ir.Else, depth == 0 && acts(x):
			return only, false
		}
	}
	return only, only.condition != 0 && len(g.contextResults(code)) == 0
}

// onlyInBlock returns the condition of a phase that is one block, if an if in it separates the invocations without an effect: it leaves
// the block for them, or they leave it right after the if.
func (g *workgroup) onlyInBlock(code []ir.V) (only idleFor, ok bool) {
	// Operations around the block may compute values, as long as nothing but the block needs them.
	first := slices.IndexFunc(code, func(v ir.V) bool { return g.f.Val(v).Op == ir.Block || acts(g.f.Val(v)) })
	if first < 0 || g.f.Val(code[first]).Op != ir.Block {
		return only, false
	}
	block := code[first]
	last := first + g.constructLength(code[first:]) - 1
	if slices.ContainsFunc(code[last+1:], func(v ir.V) bool { return acts(g.f.Val(v)) }) {
		return only, false
	}
	inside := code[first+1 : last]
	at := slices.IndexFunc(inside, func(v ir.V) bool { return acts(g.f.Val(v)) })
	if at < 0 || g.f.Val(inside[at]).Op != ir.If {
		return only, false
	}
	n := g.constructLength(inside[at:])
	arm, rest := inside[at+1:at+n-1], inside[at+n:]
	condition := g.f.Val(inside[at]).Args[0]
	// Nothing but the rows of the block's parameters may follow from the phase, and they stay as they are.
	switch {
	case len(arm) > 0 && g.leavesIdle(arm[0], block):
		only = idleFor{condition, false}
	case g.hasElse(arm):
		return only, false
	case len(rest) > 0 && g.leavesIdle(rest[0], block):
		only = idleFor{condition, true}
	default:
		return only, false
	}
	for _, v := range g.contextResults(code) {
		if x := g.f.Val(v); x.Op != ir.Param || x.Args[0] != block {
			return only, false
		}
	}
	return only, true
}

// constructLength returns the number of operations of the construct that code begins with.
func (g *workgroup) constructLength(code []ir.V) int {
	depth := 0
	for i, v := range code {
		switch g.f.Val(v).Op {
		case ir.Block, ir.Loop, ir.If:
			depth++
		case ir.End:
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(code)
}

// hasElse reports whether the operations of an if have its else.
func (g *workgroup) hasElse(arm []ir.V) bool {
	depth := 0
	for _, v := range arm {
		switch g.f.Val(v).Op {
		case ir.Block, ir.Loop, ir.If:
			depth++
		case ir.End:
			depth--
		case ir.Else:
			if depth == 0 {
				return true
			}
		}
	}
	return false
}

// leavesIdle reports whether an operation is a branch to a label that leaves the rows of its parameters as they are.
func (g *workgroup) leavesIdle(v, label ir.V) bool {
	x := g.f.Val(v)
	if x.Op != ir.Br || x.Args[0] != label {
		return false
	}
	args := g.f.BrArgs(v)
	for i, p := range g.f.Params(label) {
		if g.inContext(p) && !(g.inContext(args[i]) && g.contexts.row[args[i]] == g.contexts.row[p] && g.phases.phase[args[i]] != g.phases.phase[p]) {
			return false
		}
	}
	return true
}
