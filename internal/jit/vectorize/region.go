package vectorize

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// region is an open block, loop or if. A set of lanes is a list of masks, one
// for each part; nil is the set of which it is known that it is empty.
type region struct {
	label ir.V
	op    ir.Op
	entry []vcode.Reg // A when it began; for a loop, of an iteration
	top   int         // first block of a loop's body
	other int         // block of the second arm
	end   int         // block behind which A may have grown

	// Of labels.
	in    []vcode.Reg // L.in
	whole bool        // the lanes go there all at once
	late  []value     // of a loop: its parameters in the next iteration
	keeps bool        // the end of the function, where those are missing that were killed

	// Of ifs.
	uniform  bool        // the lanes go the same way
	arm      []vcode.Reg // A at the start of the first arm
	rest     []vcode.Reg // A at the start of the second
	out      []vcode.Reg // what came out of an arm, where it is not what went in
	out2     []vcode.Reg // of the second arm, where lanes go both ways
	first    []vcode.Reg // A at the end of the first arm
	inSecond bool
}

// waits reports whether lanes may wait at the end of a label for others.
func (w *widener) waits(r *region) bool { return w.shapes.brs[r.label] > 0 && !r.whole || r.keeps }

// skip is the block to go to when A has become empty since its lanes went to a
// label, or nowhere: where lanes may wait, or the end of the label where none
// can. by is the operation that they went by, or 0. In a region all of whose lanes
// went nobody waits, and its end must not be reached: a block that they leave
// together or not at all takes it for granted there that they came.
func (w *widener) skip(to *region, by ir.V) int {
	if to != nil && to.whole {
		return to.end
	}
	outermost := w.shapes.all[by]
	all := outermost != 0
	for i := len(w.open) - 1; i > 0; i-- {
		r := w.open[i]
		gone := all
		all = all && r.label != outermost
		switch {
		case r == to:
			return r.end
		case gone:
		case r.op == ir.If && r.uniform:
		case r.op == ir.If && !r.inSecond:
			return r.other
		case r.op == ir.If:
			return r.end
		case w.waits(r):
			return r.end
		}
	}
	return w.open[0].end
}

// skipIfNone leaves for the place where A can grow, if A is empty.
func (w *widener) skipIfNone() {
	if w.active == nil || w.isFull(w.active) {
		return
	}
	w.jumpIfNone(w.active, w.skip(nil, 0))
	w.startBlock(w.newBlock())
}

// isFull reports whether a set is that of all lanes.
func (w *widener) isFull(set []vcode.Reg) bool { return slices.Equal(set, w.full) }

// label opens a block or a loop.
func (w *widener) label(v ir.V) {
	r := &region{label: v, op: w.src.Val(v).Op, in: w.regs(vcode.Mask), entry: w.active, whole: w.shapes.whole[v]}
	if r.op == ir.Loop {
		w.loopBegin(v, r)
		return
	}
	r.end = w.newBlock()
	r.keeps = len(w.open) == 0 && w.kills
	w.begin(w.src.Params(v))
	w.clear(r.in)
	w.push(r)
}

func (w *widener) loopBegin(v ir.V, r *region) {
	w.regions[v] = r
	w.assign(v, w.src.Params(v), w.src.Inits(v))
	r.top, r.end = w.newBlock(), w.newBlock()
	if !r.whole {
		r.entry = w.regs(vcode.Mask)
		w.set(r.in, w.active)
		w.active = r.entry
		r.late = w.lateOf(w.src.Params(v))
	}
	w.startBlock(r.top)
	if !r.whole {
		w.set(r.entry, r.in) // who comes back is gathered anew
		w.eachLate(r, func(_, late vcode.Reg) { w.emit(vcode.Inst{Op: vcode.Undef, Defs: []vcode.Reg{late}}) })
	}
	w.spread(w.src.Params(v))
	w.clear(r.in)
	w.push(r)
}

func (w *widener) push(r *region) {
	w.open = append(w.open, r)
	w.regions[r.label] = r
}

// ifBegin splits A: the first arm gets the lanes where the condition is 1.
func (w *widener) ifBegin(v ir.V) {
	c := w.src.Val(v).Args[0]
	r := &region{label: v, op: ir.If, entry: w.active, arm: w.active, rest: w.active, other: w.newBlock(), out: w.regs(vcode.Mask)}
	r.end = r.other // until an else is seen
	so, taken := w.assumed.way(v)
	r.uniform = taken || w.shapes.of[c].kind == uniform
	if taken {
		w.set(r.out, w.active)
		w.guard(v, so)
		if !so {
			w.jump(r.other)
		}
	} else if r.uniform {
		w.set(r.out, w.active)
		w.jumpIfNot(c, r.other)
	} else {
		here, there := vcode.And, vcode.AndNot
		if x := w.src.Val(c); x.Op == ir.Not {
			c, here, there = x.Args[0], there, here
		}
		cond := w.vec(c)
		r.arm, r.rest = w.regs(vcode.Mask), w.regs(vcode.Mask)
		w.mask(there, r.rest, w.active, cond)
		w.mask(here, r.arm, w.active, cond)
		if here == vcode.And {
			w.keepQuads(r.arm, c)
		}
		w.clear(r.out)
		w.jumpIfNone(r.arm, r.other)
	}
	w.startBlock(w.newBlock())
	w.active = r.arm
	w.push(r)
}

// jumpIfNot jumps where a uniform condition is 0.
func (w *widener) jumpIfNot(c ir.V, to int) {
	if g, ok := w.hasGen(c); ok {
		w.emit(vcode.Inst{Op: vcode.JumpIfZero, Uses: []vcode.Reg{g}, Target: to})
		return
	}
	w.jumpIfNone(w.vec(c)[:1], to)
}

// armEnd keeps what comes out of an arm where it may not be what went in: not
// even where the code says so, if all lanes may have left another way.
func (w *widener) armEnd(r *region, in, out []vcode.Reg) {
	if w.active == nil {
		return
	}
	if r.uniform && r.inSecond || !r.uniform && w.shapes.leaks[r.label] || !slices.Equal(w.active, in) {
		w.set(out, w.active)
	}
}

func (w *widener) ifElse() {
	r := w.open[len(w.open)-1]
	w.armEnd(r, r.arm, r.out)
	r.first, r.inSecond, r.end = w.active, true, w.newBlock()
	if r.uniform {
		if w.active != nil {
			w.jump(r.end)
		}
		w.startBlock(r.other)
	} else {
		w.startBlock(r.other)
		r.out2 = w.regs(vcode.Mask)
		w.clear(r.out2)
		w.jumpIfNone(r.rest, r.end)
		w.startBlock(w.newBlock())
	}
	w.active = r.rest
}

func (w *widener) ifEnd(r *region) {
	if r.uniform {
		w.uniformEnd(r)
		return
	}
	second := r.rest
	if r.inSecond {
		w.armEnd(r, r.rest, r.out2)
		if second = nil; w.active != nil {
			second = r.out2
		}
	} else {
		w.armEnd(r, r.arm, r.out)
		r.first = w.active
	}
	first := r.first
	if first != nil {
		first = r.out
	}
	w.startBlock(r.end)
	switch {
	case !w.shapes.leaks[r.label]:
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
		w.jump(w.skip(nil, 0))
		return
	}
	w.skipIfNone()
}

// uniformEnd ends an if whose lanes went the same way, or were sent on.
func (w *widener) uniformEnd(r *region) {
	w.armEnd(r, r.entry, r.out)
	first, second := r.first, w.active
	if !r.inSecond {
		first, second = w.active, r.entry
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

// end closes the innermost region.
func (w *widener) end() {
	r := w.open[len(w.open)-1]
	switch r.op {
	case ir.If:
		w.open = w.open[:len(w.open)-1]
		w.ifEnd(r)
	case ir.Loop:
		w.startBlock(r.end)
		w.open = w.open[:len(w.open)-1]
		w.loopEnd(r)
	default:
		w.blockEnd(r)
	}
}

func (w *widener) blockEnd(r *region) {
	fall := w.active
	arrived := w.shapes.brs[r.label] > 0
	together := !r.keeps && (w.shapes.closed[r.label] || r.whole && (fall == nil || slices.Equal(fall, r.entry)))
	if fall != nil && (arrived || r.keeps) && !together {
		w.send(fall, r)
	}
	w.startBlock(r.end)
	last := len(w.open) == 1
	w.open = w.open[:len(w.open)-1]
	switch {
	case !arrived && !r.keeps:
		w.active = fall
	case together:
		w.active = r.entry
	default:
		w.active = r.in
		if !last {
			w.skipIfNone()
		}
	}
	w.spread(w.src.Params(r.label))
	if last {
		w.leave()
	}
}

// loopEnd runs the body again for the lanes that branched back. Behind it A is
// empty: all lanes left for a label further out.
func (w *widener) loopEnd(r *region) {
	w.active = nil
	if w.shapes.brs[r.label] == 0 || r.whole {
		return
	}
	w.jumpIfNone(r.in, w.skip(nil, 0))
	w.startBlock(w.newBlock())
	w.eachLate(r, func(to, late vcode.Reg) {
		w.emit(vcode.Inst{Op: vcode.Copy, Defs: []vcode.Reg{to}, Uses: []vcode.Reg{late}})
	})
	w.back(r, r.in)
}

// back goes to the start of a loop.
func (w *widener) back(r *region, lanes []vcode.Reg) {
	w.origin = w.src.Val(r.label).Origin
	w.emit(vcode.Inst{Op: vcode.Step, Masks: lanes, Value: r.label})
	w.jump(r.top)
}

// leave ends the function. Nobody asks the entry point who came back.
func (w *widener) leave() {
	if w.entry {
		if w.over > 0 {
			w.again(w.top, uint64(w.parts*w.dst.Form.Lanes), uint64(w.over))
		}
		w.emit(vcode.Inst{Op: vcode.Return})
		return
	}
	list := append([]vcode.Reg(nil), w.active...)
	for range w.parts - len(w.active) {
		list = append(list, w.none) // A is empty
	}
	for _, v := range w.src.Results() {
		list = append(list, w.vec(v)...)
	}
	for i := range list {
		w.emit(vcode.Inst{Op: vcode.SetResult, Uses: list[i : i+1], Key: ir.Key{Aux: uint64(i)}})
	}
	w.emit(vcode.Inst{Op: vcode.Return})
}
