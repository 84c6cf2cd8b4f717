package vectorize

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Structured control flow: blocks, loops and ifs
//
// The rules of internal/ir, "Control", with masks. L.in is region.arrived.
//
//	block L     L.in = ∅; at the end A |= L.in
//	loop L      in each iteration A = L.in, L.in = ∅; at the end the body runs again unless L.in = ∅
//	if c        arm = A & c, rest = A &^ c; at the end A = the union of the sets at the ends of the arms
//
// The divergence analysis saves most of the masks: a uniform if is a jump, a convergent loop has no set,
// and a block or if that no lane leaves early ends with the set that it began with.

// beginLabel opens a block or a loop.
func (w *vectorizer) beginLabel(v ir.V) {
	r := &region{label: v, op: w.src.Val(v).Op, arrived: w.regs(vcode.Mask), entry: w.active, convergent: w.shapes.convergent[v]}
	if r.op == ir.Loop {
		w.beginLoop(v, r)
		return
	}
	r.end = w.newBlock()
	r.discards = len(w.open) == 0 && w.kills
	w.undefParams(w.src.Params(v))
	w.clear(r.arrived)
	w.push(r)
}

// beginLoop copies the initial values and opens a loop.
func (w *vectorizer) beginLoop(v ir.V, r *region) {
	w.regions[v] = r
	w.assignParams(v, w.src.Params(v), w.src.Inits(v))
	w.beginExitCounters(v)
	r.top, r.end = w.newBlock(), w.newBlock()
	if !r.convergent {
		r.entry = w.regs(vcode.Mask)
		w.set(r.arrived, w.active)
		w.active = r.entry
		r.next = w.nextParams(w.src.Params(v))
	}
	w.startBlock(r.top)
	if !r.convergent {
		w.set(r.entry, r.arrived) // the lanes that branch back arrive anew
		w.eachNextParam(r, func(_, next vcode.Reg) { w.emit(vcode.Inst{Op: vcode.Undef, Defs: []vcode.Reg{next}}) })
	}
	w.broadcastParams(w.src.Params(v))
	w.clear(r.arrived)
	w.push(r)
}

// beginIf splits A: the lanes with condition 1 go to the first arm.
func (w *vectorizer) beginIf(v ir.V) {
	c := w.src.Val(v).Args[0]
	r := &region{label: v, op: ir.If, entry: w.active, arm: w.active, otherArm: w.active, second: w.newBlock(), out: w.regs(vcode.Mask)}
	r.end = r.second // unless an else follows
	so, taken := w.assumed.arm(v)
	known, isKnown := w.knownConditions[c]
	r.uniform = taken || isKnown || w.shapes.of[c].kind == uniform
	if taken || isKnown {
		w.set(r.out, w.active)
		if isKnown {
			so = known
		} else {
			w.guardArm(v, so)
		}
		if !so {
			w.jump(r.second)
		}
	} else if r.uniform {
		w.set(r.out, w.active)
		w.jumpIfNot(c, r.second)
	} else {
		here, there := vcode.And, vcode.AndNot
		if x := w.src.Val(c); x.Op == ir.Not {
			c, here, there = x.Args[0], there, here
		}
		cond := w.vec(c)
		r.arm, r.otherArm = w.regs(vcode.Mask), w.regs(vcode.Mask)
		w.mask(there, r.otherArm, w.active, cond)
		w.mask(here, r.arm, w.active, cond)
		if here == vcode.And {
			w.noteQuadComplete(r.arm, c)
		}
		w.clear(r.out)
		w.jumpIfNone(r.arm, r.second)
	}
	if w.far == nil && w.reports[v] {
		w.far = r
	}
	w.startBlock(w.newBlock())
	w.active = r.arm
	w.push(r)
}

// jumpIfNot jumps if a uniform condition is 0. The negation of an Every needs no general register: a jump can test for lanes.
func (w *vectorizer) jumpIfNot(c ir.V, to int) {
	if one := w.unlessEvery(c); one != 0 {
		rest := w.regs(vcode.Mask)
		w.mask(vcode.AndNot, rest, w.active, w.vec(one))
		w.jumpIfNone(rest, to)
		return
	}
	if one := w.ifEvery(c); one != 0 {
		rest, all, some := w.regs(vcode.Mask), w.newBlock(), w.newBlock()
		w.mask(vcode.AndNot, rest, w.active, w.vec(one))
		w.jumpIfNone(rest, all)
		w.startBlock(some)
		w.jump(to)
		w.startBlock(all)
		return
	}
	if g, ok := w.hasGen(c); ok {
		w.emit(vcode.Inst{Op: vcode.JumpIfZero, Uses: []vcode.Reg{g}, Target: to})
		return
	}
	w.jumpIfNone(w.vec(c)[:1], to)
}

// unlessEvery returns the varying condition of an Every, if c is its negation and both come just before the if: then the active lanes are
// the same. Otherwise it returns 0 (no value).
func (w *vectorizer) unlessEvery(c ir.V) ir.V {
	x := w.src.Val(c)
	if x.Op != ir.Not || w.at < 2 || w.src.Code[w.at-1] != c || w.src.Code[w.at-2] != x.Args[0] {
		return 0
	}
	return w.varyingEvery(x.Args[0])
}

// ifEvery is unlessEvery for a c that is the Every, just before the if.
func (w *vectorizer) ifEvery(c ir.V) ir.V {
	if w.at < 1 || w.src.Code[w.at-1] != c {
		return 0
	}
	return w.varyingEvery(c)
}

// varyingEvery returns the varying condition of an Every that needs a test of masks, or 0.
func (w *vectorizer) varyingEvery(v ir.V) ir.V {
	every := w.src.Val(v)
	if every.Op != ir.Every || w.shapes.of[v].kind != uniform || w.shapes.of[every.Args[0]].kind == uniform || w.isLess(every.Args[0]) {
		return 0
	}
	return every.Args[0]
}

// endArm copies A at the end of an arm to out, if it may differ from A at its start. It does even with A
// unchanged in the code if all lanes may have left on another path.
func (w *vectorizer) endArm(r *region, in, out []vcode.Reg) {
	if w.active == nil {
		return
	}
	if r.uniform && r.inSecond || !r.uniform && w.shapes.partialExit[r.label] || !slices.Equal(w.active, in) {
		w.set(out, w.active)
	}
}

// beginElse ends the first arm of an if and opens the second one.
func (w *vectorizer) beginElse() {
	w.lastLanes = nil // of the first arm
	r := w.open[len(w.open)-1]
	w.endArm(r, r.arm, r.out)
	r.firstEnd, r.inSecond, r.end = w.active, true, w.newBlock()
	if r.uniform {
		if w.active != nil {
			w.jump(r.end)
		}
		w.startBlock(r.second)
	} else {
		w.startBlock(r.second)
		r.secondOut = w.regs(vcode.Mask)
		w.clear(r.secondOut)
		w.jumpIfNone(r.otherArm, r.end)
		w.startBlock(w.newBlock())
	}
	w.active = r.otherArm
}

// endIf unites the lanes of both arms.
func (w *vectorizer) endIf(r *region) {
	if r.uniform {
		w.endUniformIf(r)
		return
	}
	second := r.otherArm
	if r.inSecond {
		w.endArm(r, r.otherArm, r.secondOut)
		if second = nil; w.active != nil {
			second = r.secondOut
		}
	} else {
		w.endArm(r, r.arm, r.out)
		r.firstEnd = w.active
	}
	first := r.firstEnd
	if first != nil {
		first = r.out
	}
	w.startBlock(r.end)
	switch {
	case !w.shapes.partialExit[r.label]:
		w.active = r.entry
		return
	case first == nil:
		w.active = second
	case second == nil:
		w.active = first
	default:
		w.active = w.regs(vcode.Mask)
		w.mask(vcode.Or, w.active, first, second)
	}
	if w.active == nil {
		w.jump(w.resumeBlock(nil, 0))
		return
	}
	w.skipIfNone()
}

// endUniformIf ends an if of which all lanes went to the same arm.
func (w *vectorizer) endUniformIf(r *region) {
	w.endArm(r, r.entry, r.out)
	first, second := r.firstEnd, w.active
	if !r.inSecond {
		first, second = w.active, r.entry
		w.expectLeft(r)
	}
	w.startBlock(r.end)
	switch {
	case first == nil:
		w.active = second
	case second == nil, slices.Equal(first, second):
		w.active = first
	default:
		w.active = r.out
	}
}

// expectLeft notes, at the end of an if that all lanes have left, that the rest of the block around it rarely runs, if the condition is on
// every lane: "if (all lanes may) { the fast version; leave the block }; the general version". If the condition is known, the rest has no code.
func (w *vectorizer) expectLeft(r *region) {
	v := w.src.Val(r.label).Args[0]
	c := w.src.Val(v)
	if w.knownConditions[v] {
		return
	}
	if outer := w.open[len(w.open)-1]; w.active == nil && w.far == nil && c.Op == ir.Every && outer.op == ir.Block && outer.label != 0 {
		w.far = outer
	}
}

// end closes the innermost region.
func (w *vectorizer) end() {
	w.lastLanes = nil // of one path
	r := w.open[len(w.open)-1]
	switch r.op {
	case ir.If:
		w.open = w.open[:len(w.open)-1]
		if w.far == r {
			w.far = nil
		}
		w.endIf(r)
	case ir.Loop:
		w.startBlock(r.end)
		w.open = w.open[:len(w.open)-1]
		w.endLoop(r)
	default:
		w.endBlock(r)
	}
}

// endBlock adds the lanes that arrived at the end of a block to A.
func (w *vectorizer) endBlock(r *region) {
	fall := w.active
	arrived := w.shapes.branches[r.label] > 0
	together := !r.discards && (w.shapes.reconverges[r.label] || r.convergent && (fall == nil || slices.Equal(fall, r.entry)))
	if fall != nil && (arrived || r.discards) && !together {
		w.arrive(fall, r)
	}
	if w.far == r {
		w.far = nil
	}
	w.startBlock(r.end)
	last := len(w.open) == 1
	w.open = w.open[:len(w.open)-1]
	switch {
	case !arrived && !r.discards:
		w.active = fall
	case together:
		w.active = r.entry
	default:
		w.active = r.arrived
		if !last {
			w.skipIfNone()
		}
	}
	w.broadcastParams(w.src.Params(r.label))
	if last {
		w.epilogue()
	}
}

// endLoop repeats the body for the lanes that branched back. After the loop A is empty: all lanes left for
// an outer label.
func (w *vectorizer) endLoop(r *region) {
	w.active = nil
	if w.shapes.branches[r.label] == 0 || r.convergent {
		return
	}
	w.jumpIfNone(r.arrived, w.resumeBlock(nil, 0))
	w.startBlock(w.newBlock())
	w.eachNextParam(r, func(to, next vcode.Reg) {
		w.emit(vcode.Inst{Op: vcode.Copy, Defs: []vcode.Reg{to}, Uses: []vcode.Reg{next}})
	})
	w.backEdge(r, r.arrived)
}

// epilogue ends the function. The entry point returns no masks: its caller does not need them.
func (w *vectorizer) epilogue() {
	if w.entry {
		if w.stripLanes > 0 {
			w.loopBack(w.chunkTop, uint64(w.parts*w.dst.Form.Lanes), uint64(w.stripLanes))
		}
		w.emit(vcode.Inst{Op: vcode.Return})
		return
	}
	list := append([]vcode.Reg(nil), w.active...)
	for range w.parts - len(w.active) {
		list = append(list, w.noLane) // A is known to be empty
	}
	for _, v := range w.src.Results() {
		list = append(list, w.vec(v)...)
	}
	for i := range list {
		w.emit(vcode.Inst{Op: vcode.SetResult, Uses: list[i : i+1], Key: ir.Key{Aux: uint64(i)}})
	}
	w.emit(vcode.Inst{Op: vcode.Return})
}
