package vectorize

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// region is an open block, loop or if. A set of lanes is a list of masks, one
// for each part; nil is the set of which it is known that it is empty.
type region struct {
	label  ir.V
	op     ir.Op
	entry  []vcode.Reg // A when it began; for a loop, of an iteration
	top    int         // first block of a loop's body
	second int         // block of the second arm
	end    int         // block behind which A may have grown

	// Of labels.
	arrived    []vcode.Reg // L.in
	convergent bool        // the lanes go there all at once
	next       []value     // of a loop: its parameters in the next iteration
	discards   bool        // the end of the function, where those are missing that were killed

	// Of ifs.
	uniform   bool        // the lanes go the same way
	arm       []vcode.Reg // A at the start of the first arm
	otherArm  []vcode.Reg // A at the start of the second
	out       []vcode.Reg // what came out of an arm, where it is not what went in
	secondOut []vcode.Reg // of the second arm, where lanes go both ways
	firstEnd  []vcode.Reg // A at the end of the first arm
	inSecond  bool
}

// mayWait reports whether lanes may wait at the end of a label for others.
func (w *vectorizer) mayWait(r *region) bool {
	return w.shapes.branches[r.label] > 0 && !r.convergent || r.discards
}

// sunk is the block to go to when A has become empty since its lanes went to a
// label, or nowhere: where lanes may wait, or the end of the label where none
// can. by is the operation that they went by, or 0. In a region all of whose lanes
// went nobody waits, and its end must not be reached: a block that they leave
// together or not at all takes it for granted there that they came.
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

// skipIfNone leaves for the place where A can grow, if A is empty.
func (w *vectorizer) skipIfNone() {
	if w.active == nil || w.isFull(w.active) {
		return
	}
	w.jumpIfNone(w.active, w.resumeBlock(nil, 0))
	w.startBlock(w.newBlock())
}

func (w *vectorizer) push(r *region) {
	w.open = append(w.open, r)
	w.regions[r.label] = r
}

// backEdge goes to the start of a loop.
func (w *vectorizer) backEdge(r *region, lanes []vcode.Reg) {
	w.origin = w.src.Val(r.label).Origin
	w.emit(vcode.Inst{Op: vcode.Step, Masks: lanes, Value: r.label})
	w.jump(r.top)
}
