package vectorize

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// A workgroup as one instruction stream
//
// If all invocations of a workgroup execute the same path to every barrier (groupflow.go), its subgroups
// are emitted as one function. Each phase is executed by subgroup 0, then subgroup 1, and so on, which is
// the order of effects; a barrier emits nothing. There is no scheduler and no stack for each subgroup, and
// values live across barriers in registers, or in memory if the code is long.

// Workgroup vectorizes the entry point of a verified program to one stream for all subgroups of a
// workgroup, with no observable difference to running them one by one. The parts of the result are the
// parts of all subgroups. If the first function has guards, its general version is the second one. It returns the resources
// that are stored to, which must share no byte with any other binding, the rows of contexts (context.go), and no function if the program
// does not qualify.
func Workgroup(p *ir.Program, form vcode.Form) (funcs []*vcode.Func, written []int, rows uint32) {
	if p.SubgroupSize%uint32(form.Lanes) != 0 || form.Parts(p.Invocations()) > maxParts {
		return nil, nil, 0
	}
	src := p.Funcs[0]
	mem := acquireArena()
	defer mem.release()
	liveOuts := findLiveOuts(src, allDivergent, mem)
	shapes := analyzeDivergence(p, src, liveOuts, partLanes(p, form), nil, mem)
	s := findGroupFlow(p, shapes)
	if s == nil || s.hasCrossPhaseDependence() {
		return nil, nil, 0
	}
	for r, stored := range s.stored {
		if stored {
			written = append(written, r)
		}
	}
	for more := true; more; {
		g := newWorkgroup(p, form, s, liveOuts, mem)
		g.cold = len(funcs) > 0
		if !g.run() {
			return nil, nil, 0
		}
		if g.inRegisters {
			g.words, g.fixed = int(p.SharedBytes)/4, g.readsUnstored
		}
		g.keeps = !g.cold // the words are the fast version's
		funcs, rows, more = append(funcs, g.finish()), uint32(g.contexts.rows), len(g.guards) > 0
	}
	return funcs, written, rows
}

// maxParts bounds the parts of a stream: vcode.Inst.Part has 8 bits.
const maxParts = 256

// newWorkgroup prepares a vectorizer for each subgroup; all of them emit to one builder.
func newWorkgroup(p *ir.Program, form vcode.Form, s *groupFlow, liveOuts *liveOuts, mem *arena) *workgroup {
	parts := form.Parts(p.SubgroupSize)
	n := int(p.Subgroups())
	g := &workgroup{builder: newBuilder(s.f.Name, form, n*parts, min(n*parts, 2*usualParts)*len(s.f.Code), mem), groupFlow: s, partial: p.Invocations()%p.SubgroupSize != 0}
	first := vectorizer{builder: g.builder, p: p, src: s.f, parts: parts, liveOuts: liveOuts, shapes: s.shapes, wholeGroup: true}
	first.constants()
	first.findBounds()
	for i := range n {
		w := first
		w.firstPart = i * parts
		w.values, w.regions = mem.valuesByV.Alloc(len(s.f.Vals)), mem.regionsByV.Alloc(len(s.f.Vals))
		w.active = w.allLanes
		g.subs = append(g.subs, &w)
	}
	return g
}

// run emits the code. It returns false if a phase ends with other active lanes than it began with.
func (g *workgroup) run() bool {
	g.startBlock(g.newBlock())
	g.arguments()
	g.groupStarts(g.p)
	g.surveyPhases()
	switch g.inRegisters = !g.cold && g.fitsRegisters(); {
	case !g.inRegisters:
		g.guards, g.early = nil, nil
		g.joinPhases()
		g.planContexts()
	case len(g.guards) > 0:
		g.emitGuards()
	}
	code := g.f.Code
	for i := 0; i < len(code); i++ {
		v := code[i]
		x := g.f.Val(v)
		g.origin = x.Origin
		switch {
		case g.unreachable && x.Op != ir.Else && x.Op != ir.End:
			i = g.phaseEnd(i, true) - 1
		case g.joint[v]:
			g.enterConstruct(v)
		case x.Op == ir.Else:
			g.elseArm()
		case x.Op == ir.End:
			g.exitConstruct()
		case x.Op == ir.Br:
			g.jointBranch(v)
		case x.Op == ir.Barrier:
		default:
			end := g.phaseEnd(i, false)
			if !g.emitPhase(i, code[i:end]) {
				return false
			}
			i = end - 1
		}
	}
	g.emit(vcode.Inst{Op: vcode.Return})
	return true
}

// emit appends an instruction.
func (g *workgroup) emit(in vcode.Inst) { g.subs[0].emit(in) }

// arguments declares the active lanes of the last subgroup as an argument, if it is not full.
func (g *workgroup) arguments() {
	if !g.partial {
		return
	}
	for range g.dst.Parts {
		g.dst.Args = append(g.dst.Args, vcode.Mask)
	}
	w := g.subs[len(g.subs)-1]
	w.active = w.regs(vcode.Mask)
	for p, a := range w.active {
		w.emit(vcode.Inst{Op: vcode.Arg, Defs: []vcode.Reg{a}, Key: ir.Key{Aux: uint64(w.firstPart + p)}})
	}
}

// emitPhase emits the phase at an index of the code.
func (g *workgroup) emitPhase(at int, code []ir.V) bool {
	if g.loopable(at, code) {
		return g.loopOverSubgroups(code)
	}
	for s := range g.subs {
		if !g.replicate(s, code) {
			return false
		}
	}
	return true
}

// replicate emits a phase for subgroup s. The first subgroup computes the values that all share.
func (g *workgroup) replicate(s int, code []ir.V) bool {
	w := g.subs[s]
	before := w.active
	rows := append(g.contextReads(code), g.contextResults(code)...)
	g.contextAccess(w, g.contextReads(code), false)
	added := g.recomputeReads(w, code)
	if g.inRegisters {
		w.knownConditions = g.sameConditions(s, code)
	}
	w.open = []*region{{op: ir.Block}} // no branch of a phase leaves it
	for _, v := range code {
		if s > 0 && g.once[v] {
			w.values[v] = g.subs[0].values[v]
			continue
		}
		if s == 0 && g.early[v] {
			continue
		}
		w.step(v)
	}
	forget(w, added)
	if len(w.open) != 1 || !slices.Equal(w.active, before) {
		return false
	}
	g.contextAccess(w, g.contextResults(code), true)
	forget(w, rows)
	return true
}

// selectParams returns the parameters of a list that all subgroups share, or the parameters that each has
// for itself, with their arguments.
func (g *workgroup) selectParams(shared bool, params, args []ir.V) (p, a []ir.V) {
	for i, v := range params {
		if g.once[v] == shared {
			p = append(p, v)
			if args != nil {
				a = append(a, args[i])
			}
		}
	}
	return p, a
}

// eachSubgroup calls do for every subgroup with its own parameters, then for the first one with the shared
// parameters.
func (g *workgroup) eachSubgroup(params, args []ir.V, do func(w *vectorizer, params, args []ir.V)) {
	own, from := g.selectParams(false, params, args)
	if g.contexts.row != nil { // all of them have rows, or no use
		if args != nil {
			g.assignContexts(params, args)
		}
		own, from = nil, nil
	}
	for _, w := range g.subs {
		added := g.recompute(w, from)
		do(w, own, from)
		forget(w, added)
	}
	common, from := g.selectParams(true, params, args)
	do(g.subs[0], common, from)
}

// enterConstruct opens a joint construct.
func (g *workgroup) enterConstruct(v ir.V) {
	x := g.f.Val(v)
	st := openConstruct{v: v, op: x.Op, end: g.newBlock()}
	params := g.f.Params(v)
	for i, w := range g.subs {
		w.regions[v] = &region{label: v, op: x.Op, convergent: true}
		for _, p := range params {
			if x.Op != ir.If && i > 0 && g.once[p] {
				w.values[p] = g.subs[0].value(p)
			}
		}
	}
	switch x.Op {
	case ir.If:
		g.subs[0].jumpIfNot(x.Args[0], st.end)
		g.startBlock(g.newBlock())
	case ir.Loop:
		g.eachSubgroup(params, g.f.Inits(v), func(w *vectorizer, params, args []ir.V) { w.assignParams(v, params, args) })
		st.top = g.newBlock()
		g.startBlock(st.top)
		g.broadcastParams(params)
	default:
		g.eachSubgroup(params, nil, func(w *vectorizer, params, _ []ir.V) { w.undefParams(params) })
	}
	g.open = append(g.open, st)
}

// broadcastParams emits the other forms of parameters for all subgroups.
func (g *workgroup) broadcastParams(params []ir.V) {
	g.eachSubgroup(params, nil, func(w *vectorizer, params, _ []ir.V) { w.broadcastParams(params) })
	common, _ := g.selectParams(true, params, nil)
	for _, w := range g.subs[1:] {
		for _, p := range common {
			w.values[p] = g.subs[0].values[p]
		}
	}
}

// jointBranch emits a br of the whole workgroup.
func (g *workgroup) jointBranch(v ir.V) {
	label := g.f.Val(v).Args[0]
	g.eachSubgroup(g.f.Params(label), g.f.BrArgs(v), func(w *vectorizer, params, args []ir.V) { w.assignParams(v, params, args) })
	i := slices.IndexFunc(g.open, func(st openConstruct) bool { return st.v == label })
	if to := &g.open[i]; to.op == ir.Loop {
		g.origin = g.f.Val(label).Origin
		g.countSteps(label)
		g.subs[0].jump(to.top)
	} else {
		to.arrived = true
		g.subs[0].jump(to.end)
	}
	g.unreachable = true
}

// countSteps counts a step of each subgroup. If no subgroup has a loop of its own, all take the same steps, and the first is the one
// that exceeds its budget first.
func (g *workgroup) countSteps(label ir.V) {
	count := g.subs
	if !g.ownLoops() {
		count = count[:1]
	}
	for _, w := range count {
		w.origin = g.origin
		w.emit(vcode.Inst{Op: vcode.Step, Masks: w.active, Value: label})
	}
}

// ownLoops reports whether subgroups have loops of their own.
func (g *workgroup) ownLoops() bool {
	return slices.ContainsFunc(g.f.Code, func(v ir.V) bool { return g.f.Val(v).Op == ir.Loop && !g.joint[v] })
}

// elseArm ends the first arm of a joint if.
func (g *workgroup) elseArm() {
	st := &g.open[len(g.open)-1]
	st.arrived, st.second = !g.unreachable, true
	end := g.newBlock()
	if !g.unreachable {
		g.subs[0].jump(end)
	}
	g.startBlock(st.end)
	st.end, g.unreachable = end, false
}

// exitConstruct closes the innermost joint construct.
func (g *workgroup) exitConstruct() {
	st := g.open[len(g.open)-1]
	g.open = g.open[:len(g.open)-1]
	g.startBlock(st.end)
	switch {
	case st.op == ir.Loop:
		g.unreachable = true
	case st.op == ir.If && !st.second:
		g.unreachable = false
	default:
		g.unreachable = g.unreachable && !st.arrived
	}
	if st.op == ir.Block && !g.unreachable {
		g.broadcastParams(g.f.Params(st.v))
	}
}

// groupStarts emits the global invocation ID of the workgroup's first invocation.
func (g *workgroup) groupStarts(p *ir.Program) {
	start := make([]vcode.Reg, len(p.In))
	for i, in := range p.In {
		switch in.Semantic {
		case ir.GlobalInvocationIdX, ir.GlobalInvocationIdY, ir.GlobalInvocationIdZ:
			start[i] = g.dst.NewReg(vcode.Gen)
			g.emit(vcode.Inst{Op: vcode.InputBase, IR: ir.In, Key: ir.Key{Type: in.Type, Aux: uint64(i)}, Defs: start[i : i+1]})
		}
	}
	for _, w := range g.subs {
		w.groupStart = start
	}
}
