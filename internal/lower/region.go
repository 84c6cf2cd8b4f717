package lower

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

// region is an open IR block or loop, and the module's block that a br to it reaches.
// An if has neither.
type region struct {
	label  ir.V
	target *facts.Block
	loop   bool
}

// task is a pending step of the traversal. The tasks are an explicit stack, so that a
// deeply nested module cannot exhaust the goroutine's stack.
type task struct {
	kind  taskKind
	block *facts.Block // the block to lower, or the source of an edge
	to    *facts.Block // the target of an edge
}

type taskKind uint8

const (
	enter     taskKind = iota // lower block at the current position
	edge                      // lower the edge from block to to
	otherwise                 // begin the else arm of the innermost if, and lower an edge
	leave                     // close the innermost region
)

// blocks lowers the blocks of the function.
func (f *function) blocks() {
	f.todo = append(f.todo[:0], task{kind: enter, block: f.fn.Entry()})
	for len(f.todo) > 0 {
		t := f.todo[len(f.todo)-1]
		f.todo = f.todo[:len(f.todo)-1]
		switch t.kind {
		case enter:
			f.enter(t.block)
		case edge:
			f.followEdge(t.block, t.to)
		case otherwise:
			f.elseArm(t.block, t.to)
		case leave:
			f.b.End()
			f.open = f.open[:len(f.open)-1]
		}
	}
}

// do pushes a task: it precedes the tasks already on the stack.
func (f *function) do(kind taskKind, block, to *facts.Block) {
	f.todo = append(f.todo, task{kind, block, to})
}

// enter lowers a block. The phis of a block without a label are defined already;
// otherwise they are the parameters of its label. It opens the labels of the block's
// children, and pushes the tasks that close them and lower the children.
func (f *function) enter(b *facts.Block) {
	f.block = b
	if params, ok := f.phi[b]; ok {
		f.definePhis(b, params)
	}
	f.at, f.b.Origin = b.Index, int32(b.Index+1)
	f.openAll(f.tree.outer[b.Number])
	if b.IsLoopHeader() {
		f.openLoop(b)
	}
	f.openAll(f.tree.inner[b.Number])
	f.instructions(b)
	f.terminator(b)
}

// openAll opens the labels of a block's children, and schedules each child after the
// end of its label.
func (f *function) openAll(children []*facts.Block) {
	for i := len(children) - 1; i >= 0; i-- {
		c := children[i]
		f.do(enter, c, nil)
		f.openBlock(c, f.phiTypes(c)...)
		f.phi[c] = f.b.Func.Params(f.open[len(f.open)-1].label)
	}
}

// openBlock opens a label for a block of the module.
func (f *function) openBlock(target *facts.Block, types ...ir.Type) {
	f.push(region{label: f.b.Block(types...), target: target})
}

func (f *function) push(r region) {
	if len(f.open) >= maxNesting {
		f.tooLarge("control flow nested more than %d deep", maxNesting)
	}
	f.open = append(f.open, r)
	f.do(leave, nil, nil)
}

// openLoop opens the loop of a header; the phis have their initial values.
func (f *function) openLoop(b *facts.Block) {
	if !f.isLoop(b) {
		return
	}
	var inits []ir.V
	f.phis(b, func(in spirv.Inst) {
		first := f.partsOf(f.get(in.Result()))
		f.checkType(f.facts.Type(in.Type()), first) // the phis of an entry block have none
		inits = append(inits, first...)
	})
	f.enterLoop(b)
	label := f.b.Loop(inits...)
	f.push(region{label: label, target: b, loop: true})
	f.definePhis(b, f.b.Func.Params(label))
	f.countIteration()
}

// isLoop reports whether a reachable block branches back to b.
func (f *function) isLoop(b *facts.Block) bool {
	for _, p := range b.Preds {
		if p.Reachable && facts.Dominates(b, p) {
			return true
		}
	}
	return false
}

// phis yields the phis of a block.
func (f *function) phis(b *facts.Block, yield func(spirv.Inst)) {
	for i := b.Index + 1; i < b.End; i++ {
		switch in := f.facts.Code.Inst(i); in.Op() {
		case spirv.OpPhi:
			f.at, f.b.Origin = i, int32(i+1)
			yield(in)
		case spirv.OpLine, spirv.OpNoLine:
		case spirv.OpExtInst: // debug information between phis
		default:
			return
		}
	}
}

// phiTypes returns the types of the scalars of a block's phis.
func (f *function) phiTypes(b *facts.Block) []ir.Type {
	var types []ir.Type
	f.phis(b, func(in spirv.Inst) {
		types = append(types, f.flat(f.facts.Type(in.Type()))...)
	})
	return types
}

// definePhis defines the phis of a block by their scalars.
func (f *function) definePhis(b *facts.Block, parts []ir.V) {
	f.phis(b, func(in spirv.Inst) {
		t := f.facts.Type(in.Type())
		n := len(f.flat(t))
		v := value{typ: t, parts: parts[:n:n], block: b}
		if t.IsPointer() {
			v.ptr = f.pointerFrom(t, v.parts)
		}
		f.put(in.Result(), v)
		parts = parts[n:]
	})
}

// incoming returns the scalars of the phis of block to on the edge from block from.
func (f *function) incoming(from, to *facts.Block) []ir.V {
	var parts []ir.V
	f.phis(to, func(in spirv.Inst) {
		for _, pair := range inst.Phi(in).Variables() {
			if pair[1] == from.ID {
				x := f.scalars(pair[0])
				f.checkType(f.facts.Type(in.Type()), x)
				parts = append(parts, x...)
				return
			}
		}
		f.malformed("the phi has no value for the block %%%d", from.ID)
	})
	return parts
}

// followEdge lowers an edge of the control-flow graph.
func (f *function) followEdge(from, to *facts.Block) {
	f.block = from
	f.branch(from, to, f.incoming(from, to))
}

// branch lowers a branch with the scalars of the target's phis: a br if the target has a
// label, else the target itself.
func (f *function) branch(from, to *facts.Block, parts []ir.V) {
	f.at, f.b.Origin = from.Term, int32(from.Term+1)
	back := facts.Dominates(to, from)
	if !back && !f.tree.labelled[to.Number] {
		f.definePhis(to, parts)
		f.do(enter, to, nil)
		return
	}
	for i := len(f.open) - 1; i >= 0; i-- {
		r := &f.open[i]
		if r.target == to && r.loop == back {
			f.br(i, parts)
			return
		}
	}
	f.malformed("the control flow is not structured: a branch to %%%d", to.ID)
}

// br branches to an open region. A branch without arguments to the end of the
// innermost block falls through.
func (f *function) br(i int, parts []ir.V) {
	r := f.open[i]
	for k := len(f.open) - 1; k > i; k-- {
		if f.open[k].label != 0 {
			f.b.Br(r.label, parts...)
			return
		}
	}
	if r.loop || len(parts) > 0 {
		f.b.Br(r.label, parts...)
	}
}

// terminator lowers the end of a block.
func (f *function) terminator(b *facts.Block) {
	in := f.facts.Code.Inst(b.Term)
	switch in.Op() {
	case spirv.OpReturn, spirv.OpReturnValue, spirv.OpUnreachable:
		f.closeSums()
	}
	switch in.Op() {
	case spirv.OpBranch:
		f.do(edge, b, f.target(inst.Branch(in).TargetLabel()))
	case spirv.OpBranchConditional:
		f.conditional(b, inst.BranchConditional(in))
	case spirv.OpSwitch:
		f.switchOn(b, inst.Switch(in))
	case spirv.OpReturn:
		f.checkType(f.fn.Return, nil)
		f.lowerReturn(nil)
	case spirv.OpReturnValue:
		id := inst.ReturnValue(in).Value()
		if f.inMemory(f.fn.Return) {
			if f.typeOf(id) != f.fn.Return {
				f.malformed("the value has another type than the function returns; must have the same")
			}
			f.assign(f.passedIn(f.number, -1, f.fn.Return), id)
			f.lowerReturn(nil)
			return
		}
		parts := f.scalars(id)
		f.checkType(f.fn.Return, parts)
		f.lowerReturn(parts)
	case spirv.OpKill:
		f.kill(b)
	case spirv.OpTerminateInvocation, spirv.OpUnreachable:
		if in.Op() == spirv.OpUnreachable {
			f.report(unreachable, f.b.Bool(true), "an invocation is here")
		}
		f.b.Emit(ir.Val{Op: ir.Kill})
	case spirv.OpEmitMeshTasksEXT:
		f.emitMeshTasks(in)
	case spirv.OpAbortKHR:
		f.abort(in)
	case spirv.OpIgnoreIntersectionKHR:
		f.decide(ir.IgnoreHit)
	case spirv.OpTerminateRayKHR:
		f.decide(ir.AcceptAndEndRay)
	default:
		f.unsupported("")
	}
}

// lowerReturn leaves the function. At the function's end it falls through.
func (f *function) lowerReturn(parts []ir.V) {
	for _, r := range f.open {
		if r.label != 0 {
			f.returned = true
			if f.exit != 0 {
				f.b.Br(f.exit)
				return
			}
			f.b.Return(parts...)
			return
		}
	}
	f.returned = true
	if len(parts) > 0 {
		f.b.Return(parts...)
	}
}

// target returns the block of a label in this function.
func (f *function) target(id spirv.ID) *facts.Block {
	b := f.facts.Block(id)
	if b == nil || b.Func != f.fn {
		f.malformed("a branch to %%%d, which is not a block of the function", id)
	}
	return b
}

func (f *function) conditional(b *facts.Block, v inst.BranchConditional) {
	yes, no := f.target(v.TrueLabel()), f.target(v.FalseLabel())
	c := f.typed(v.Condition(), ir.B1)
	if yes == no {
		f.do(edge, b, yes)
		return
	}
	if f.options.Profile {
		f.countBranch(b, func(*facts.Block) ir.V { return f.not(c) }) // the second successor
	}
	f.b.If(c)
	f.push(region{})
	f.do(otherwise, b, no)
	f.do(edge, b, yes)
}

// elseArm begins the else arm of an if unless the arm is empty.
func (f *function) elseArm(from, to *facts.Block) {
	if f.fallsThrough(to) {
		return
	}
	f.b.Else()
	f.followEdge(from, to)
}

// fallsThrough reports whether a branch to a block is the end of the innermost block.
func (f *function) fallsThrough(to *facts.Block) bool {
	for i := len(f.open) - 1; i >= 0; i-- {
		if r := &f.open[i]; r.label != 0 {
			return r.target == to && !r.loop && len(f.b.Func.Params(r.label)) == 0
		}
	}
	return false
}

// switchOn lowers a switch. A target without an open label, or with phis, gets a block
// of its own around the switch; its edge is lowered after the end of that block.
func (f *function) switchOn(b *facts.Block, v inst.Switch) {
	x := f.one(v.Selector())
	deflt, cases, _ := f.facts.Switch(b)
	if !f.b.Func.Type(x).IsInt() || deflt == nil {
		f.malformed("the switch has no integer selector or no default")
	}
	if f.options.Profile {
		f.countSwitch(b, x, cases)
	}
	labels := map[*facts.Block]ir.V{}
	for _, to := range b.Succs {
		if label := f.openLabel(b, to); label != 0 {
			labels[to] = label
		}
	}
	for i := len(b.Succs) - 1; i >= 0; i-- {
		to := b.Succs[i]
		if labels[to] == 0 {
			f.do(edge, b, to)
			labels[to] = f.b.Block()
			f.push(region{label: labels[to]})
		}
	}
	// The first of two cases with equal literals wins. The second remains if no
	// other case branches to its label, because a region needs a predecessor.
	seen, led := map[uint64]bool{}, map[ir.V]bool{labels[deflt]: true}
	var list []ir.Case
	for _, c := range cases {
		if labels[c.Target] == 0 {
			f.malformed("the case has no target")
		}
		if label := labels[c.Target]; !seen[c.Value] || !led[label] {
			seen[c.Value], led[label] = true, true
			list = append(list, ir.Case{Value: c.Value, Label: label})
		}
	}
	f.b.Switch(x, labels[deflt], list)
}

// openLabel returns the open label of a forward branch target without phis, 0 if
// there is none.
func (f *function) openLabel(from, to *facts.Block) ir.V {
	if !f.tree.labelled[to.Number] || facts.Dominates(to, from) {
		return 0
	}
	for i := len(f.open) - 1; i >= 0; i-- {
		if r := &f.open[i]; r.target == to && !r.loop && len(f.b.Func.Params(r.label)) == 0 {
			return r.label
		}
	}
	return 0
}
