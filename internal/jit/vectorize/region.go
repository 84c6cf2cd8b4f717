package vectorize

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Regions of structured control flow
//
// Open blocks, loops and ifs form a stack. Each label has a set of lanes that have arrived (L.in of
// internal/ir, "Control"), and each divergent if the set of its second arm: those lanes wait while A runs.
// If A gets empty, the code jumps to the innermost point with lanes that may wait. It is the reconvergence
// stack of a SIMT processor, with all points of reconvergence known at compile time.

// region is an open block, loop or if. A set of lanes is a list of masks, one for each part; nil is the set
// that is known to be empty.
type region struct {
	label  ir.V
	op     ir.Op
	looped bool        // it is a loop or in one
	entry  []vcode.Reg // A at the start; for a loop, of an iteration
	top    int         // of a loop: first block of the body
	second int         // of an if: first block of the second arm
	end    int         // block after the region, in which A may have grown

	// Of labels.
	arrived    []vcode.Reg // L.in
	convergent bool        // all lanes go to the label together
	next       []value     // of a loop: its parameters in the next iteration
	resets     bool        // of a loop: each iteration resets the step budget
	discards   bool        // the end of a function in which lanes may end: they do not arrive

	// Of ifs.
	uniform   bool        // all lanes go to the same arm
	arm       []vcode.Reg // A at the start of the first arm
	otherArm  []vcode.Reg // A at the start of the second arm
	out       []vcode.Reg // A at the end of an arm, if that may differ from the start
	secondOut []vcode.Reg // of the second arm, if lanes go to both
	firstEnd  []vcode.Reg // A at the end of the first arm
	inSecond  bool
}

// mayWait reports whether lanes may wait at the end of a label for others.
func (w *vectorizer) mayWait(r *region) bool {
	return w.shapes.branches[r.label] > 0 && !r.convergent || r.discards
}

// resumeBlock returns the block to continue at after A got empty: the innermost point at which lanes may
// wait, or the end of label to if none can. The last lanes went to that label, or elsewhere if to is nil,
// by branch by, or by arriving if by is 0. No lane waits in a region that all its lanes left by this
// branch. Its end must not be executed: there a reconverging block makes all its lanes active.
func (w *vectorizer) resumeBlock(to *region, by ir.V) int {
	if to != nil && to.convergent {
		return to.end
	}
	outermost := w.shapes.branchRegion[by]
	all := outermost != 0
	for i := len(w.open) - 1; i > 0; i-- {
		r := w.open[i]
		left := all
		all = all && r.label != outermost
		switch {
		case r == to:
			return r.end
		case left:
		case r.op == ir.If && r.uniform:
		case r.op == ir.If && !r.inSecond:
			return r.second
		case r.op == ir.If:
			return r.end
		case w.mayWait(r):
			return r.end
		}
	}
	return w.open[0].end
}

// skipIfNone jumps to the next point at which A can grow, if A is empty.
func (w *vectorizer) skipIfNone() {
	if w.active == nil || w.isFull(w.active) {
		return
	}
	w.jumpIfNone(w.active, w.resumeBlock(nil, 0))
	w.startBlock(w.newBlock())
}

// push opens a region.
func (w *vectorizer) push(r *region) {
	r.looped = r.op == ir.Loop || w.inLoop()
	w.open = append(w.open, r)
	w.regions[r.label] = r
}

// backEdge jumps to the start of a loop, with a safepoint for the given lanes. It counts no step if the next iteration resets the budget.
func (w *vectorizer) backEdge(r *region, lanes []vcode.Reg) {
	w.origin = w.src.Val(r.label).Origin
	step := vcode.Inst{Op: vcode.Step, Masks: lanes, Value: r.label, Proven: r.resets}
	if w.wholeGroup && w.loopIndex != 0 {
		step.Uses, step.Key.Aux = []vcode.Reg{w.loopIndex}, uint64(w.dst.Parts)
	}
	w.emit(step)
	w.jump(r.top)
}
