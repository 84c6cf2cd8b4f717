package vectorize

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// The choice of values for contexts, and their assignment by branches
//
// Either all values of each invocation that live across barriers are in memory, or none: a phase that reads one in registers would be
// replicated anyway, and then loads and stores for each subgroup add to its code. So there are no contexts in programs
//
//   - with a value that is no vector of words, such as an index of an invocation, which has forms in general registers too,
//   - with private memory, which the rows would share,
//   - with joined phases (phasejoin.go): their order of subgroups depends on the values in registers.

// minContextOps is the number of operations, of all subgroups together, of a replicated phase from which contexts pay: its code does not
// fit in a first-level cache of 32 KiB. Many short phases run faster in registers. It is a variable for tests.
var minContextOps = 1 << 11

// loopWeight is how many times the operations of a phase with a loop count: each copy of the phase has versions of the loop with and without
// bounds checks, and the processor fetches all copies again for each workgroup.
const loopWeight = 4

// searchOps is the number of operations that count for a search of the region of an address that differs between lanes: it has code for each
// lane.
const searchOps = 6

// searches counts such operations of a phase.
func (g *workgroup) searches(code []ir.V) (n int) {
	for _, v := range code {
		if x := g.f.Val(v); x.Op == ir.Region && g.shapes.of[x.Args[0]].kind != uniform {
			n++
		}
	}
	return n
}

// LoopFrom makes all phases loops that can be, from a number of operations of all subgroups on, with contexts where that is necessary and
// one part after the other where that is possible, until undo is called. It is for tests.
func LoopFrom(operations int) (undo func()) {
	looped, context, registers := minLoopedOps, minContextOps, partRegisters
	minLoopedOps, minContextOps, partRegisters = operations, 1, 1
	return func() { minLoopedOps, minContextOps, partRegisters = looped, context, registers }
}

// phaseCode is a phase: the index of its first operation, and its operations.
type phaseCode struct {
	at   int
	code []ir.V
}

// end returns the index after the last operation.
func (p *phaseCode) end() int { return p.at + len(p.code) }

// listPhases returns all phases.
func (g *workgroup) listPhases() (list []phaseCode) {
	code := g.f.Code
	for i := 0; i < len(code); i++ {
		v := code[i]
		switch x := g.f.Val(v); {
		case g.joint[v], x.Op == ir.Else, x.Op == ir.End, x.Op == ir.Br, x.Op == ir.Barrier && !g.dissolved[v]:
		default:
			end := g.phaseEnd(i, false)
			list = append(list, phaseCode{i, code[i:end]})
			i = end - 1
		}
	}
	return list
}

// planContexts gives rows to all values that live across barriers, if that makes loops of enough code.
func (g *workgroup) planContexts() {
	if g.partial || len(g.subs) == 1 || len(g.dissolved) > 0 || g.p.PrivateSlots() > 0 {
		return
	}
	phases := g.listPhases()
	// Phases that are loops anyhow gain nothing.
	before := make([]bool, len(phases))
	for i := range phases {
		before[i] = g.loopable(phases[i].at, phases[i].code)
	}
	if !g.giveRows(phases) {
		g.contexts = contexts{}
		return
	}
	// Searches count if phases are in loops. Without loops the replicated code has the lanes' numbers as constants, which decide most of its
	// branches (maskprop.go).
	loops := slices.ContainsFunc(g.f.Code, func(v ir.V) bool { return g.joint[v] && g.f.Val(v).Op == ir.Loop })
	gain := 0
	for i, p := range phases {
		n := len(p.code) * len(g.subs)
		if g.hasLoop(p.code) {
			n *= loopWeight
		}
		switch looped := g.loopable(p.at, p.code); {
		case looped && !before[i]:
			if loops {
				n += searchOps * g.searches(p.code) * len(g.subs)
			}
			gain = max(gain, n)
		case !looped && n >= minLoopedOps && g.touchesContext(p.code):
			g.contexts = contexts{} // the phase would load and store each time
			return
		}
	}
	if gain < minContextOps {
		g.contexts = contexts{}
		return
	}
	g.shareRows(phases)
}

// hasLoop reports whether there is a loop in a phase.
func (g *workgroup) hasLoop(code []ir.V) bool {
	return slices.ContainsFunc(code, func(v ir.V) bool { return g.f.Val(v).Op == ir.Loop })
}

// giveRows gives a row to each value that lives across barriers. It returns false if one of them cannot have a row: its lanes are not words
// of their own, or it is not computed by all invocations of its phase.
func (g *workgroup) giveRows(phases []phaseCode) bool {
	g.contexts = contexts{row: slices.Repeat([]int32{noPart}, len(g.f.Vals))}
	whole := g.wholePhaseValues(phases)
	for v := range g.f.Vals {
		x := g.f.Val(ir.V(v))
		if !g.phases.crossPhase[v] || x.Op != ir.Param && !x.Op.HasResult() || g.available(ir.V(v)) {
			continue
		}
		if g.shapes.of[v].kind != varying || x.Type != ir.I32 && x.Type != ir.F32 || !whole[v] {
			return false
		}
		g.contexts.row[v] = int32(g.contexts.rows)
		g.contexts.rows++
	}
	return true
}

// wholePhaseValues returns, by value, whether all invocations have it at the end of its phase: it is in no construct of the phase but for
// the parameters of a block, or is a parameter of a joint label.
func (g *workgroup) wholePhaseValues(phases []phaseCode) []bool {
	whole := make([]bool, len(g.f.Vals))
	for _, v := range g.f.Code {
		if g.joint[v] {
			for _, p := range g.f.Params(v) {
				whole[p] = true
			}
		}
	}
	for _, p := range phases {
		depth := 0
		for _, v := range p.code {
			x := g.f.Val(v)
			whole[v] = depth == 0
			switch x.Op {
			case ir.Block, ir.Loop, ir.If:
				if x.Op == ir.Block && depth == 0 {
					for _, p := range g.f.Params(v) {
						whole[p] = true
					}
				}
				depth++
			case ir.End:
				depth--
			}
		}
	}
	return whole
}

// assignContexts assigns parameters of a joint label that have rows, in a loop over the subgroups. Those that share the row of their
// argument need no code.
func (g *workgroup) assignContexts(params, args []ir.V) {
	// A branch of the whole workgroup: each subgroup has all its lanes here, as at the end of a phase.
	var to, from []ir.V
	for i, p := range params {
		if g.inContext(p) && !(g.inContext(args[i]) && g.contexts.row[args[i]] == g.contexts.row[p]) {
			to, from = append(to, p), append(from, args[i])
		}
	}
	if len(to) == 0 {
		return
	}
	w := g.itemVectorizer(nil, g.dst.NewReg(vcode.Gen))
	w.emit(vcode.Inst{Op: vcode.Copy, Defs: []vcode.Reg{w.loopIndex}, Uses: []vcode.Reg{w.zero}})
	top, end := w.newBlock(), w.newBlock()
	w.startBlock(top)
	// All loads come before the stores, since a branch may exchange parameters.
	var rows []ir.V
	for _, a := range from {
		if g.inContext(a) && !slices.Contains(rows, a) {
			rows = append(rows, a)
		}
	}
	g.contextAccess(w, rows, false)
	g.recompute(w, from)
	next := make([]*value, len(to)) // a parameter may be an argument too
	for i, a := range from {
		next[i] = &value{vec: w.vec(a)}
	}
	for i, p := range to {
		w.values[p] = next[i]
	}
	g.contextAccess(w, to, true)
	w.loopBack(top, uint64(w.p.SubgroupSize), uint64(w.p.Invocations()))
	w.startBlock(end)
}
