package vectorize

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Branches, and the parameters of labels
//
// A br adds the active lanes to the set of the label, and copies the arguments to its parameters for these
// lanes:
//
//	br L2(va)                  merging copy  p ← va        {A}
//	                           L2.in |= A
//	                           jump to the next lanes that wait
//
// The parameters of a divergent loop need care. Vectors are written for the lanes that branch back alone,
// while other lanes are still in the old iteration. Scalars (uniform and lane0) exist once, so the next
// iteration's are in registers of their own (region.next) until the last lane is through. The arguments of
// a br are read before any parameter is written: a parallel copy.

// br sends the active lanes to a label, with arguments.
func (w *vectorizer) br(v ir.V) {
	label := w.src.Val(v).Args[0]
	w.countExits(label)
	w.assignParams(v, w.src.Params(label), w.src.BrArgs(v))
	w.branchTo(w.regions[label], v)
}

// branchTo sends the active lanes to a label, by branch by, and continues with lanes that wait.
func (w *vectorizer) branchTo(r *region, by ir.V) {
	w.arrive(w.active, r)
	if r.op == ir.Loop && r.convergent {
		w.backEdge(r, r.entry)
	} else {
		w.jump(w.resumeBlock(r, by))
	}
	w.active = nil
}

// arrive adds lanes to the set of a label.
func (w *vectorizer) arrive(lanes []vcode.Reg, r *region) {
	w.mask(vcode.Or, r.arrived, r.arrived, lanes)
}

// undefParams marks parameters as undefined at the start of a block, unless inactive lanes preserve them,
// so that their live ranges begin here.
func (w *vectorizer) undefParams(params []ir.V) {
	for _, p := range params {
		x := w.value(p)
		list := append([]vcode.Reg{x.gen}, x.lane0...)
		if w.shapes.of[p].kind == uniform || !w.liveOuts.of[p].merging {
			list = append(list, x.vec...)
		}
		for i, r := range list {
			if r != 0 && (i == 0 || r != list[i-1]) {
				w.emit(vcode.Inst{Op: vcode.Undef, Defs: []vcode.Reg{r}})
			}
		}
	}
}

// broadcastParams emits the other forms of parameters that general registers hold.
func (w *vectorizer) broadcastParams(params []ir.V) {
	for _, p := range params {
		x := w.value(p)
		if x.gen != 0 {
			w.broadcast(p, x)
		}
		if x.lane0 != nil {
			w.wordBases(p, x)
		}
	}
}

// assignParams emits the parallel copy params ← args for the active lanes, at a br to a label or the start
// of a loop. params are all parameters of the label unless it is convergent.
func (w *vectorizer) assignParams(by ir.V, params, args []ir.V) {
	label, init := by, true
	if x := w.src.Val(by); x.Op == ir.Br {
		label, init = x.Args[0], false
	}
	from := w.arena.values.Alloc(len(args))
	for i, a := range args {
		from[i] = w.argument(params[i], a)
		if x := w.src.Val(a); x.Op == ir.Param && i > 0 && x.Args[0] == label {
			from[i] = w.copyAside(from[i])
		}
	}
	r, counted := w.regions[label], w.exitCounters.left[by]
	for i, p := range params {
		if counted[p] {
			continue
		}
		to := w.value(p)
		if !init && r.op == ir.Loop && !r.convergent {
			to = &r.next[i]
		}
		switch {
		case to.gen != 0:
			w.emit(vcode.Inst{Op: vcode.Copy, Defs: []vcode.Reg{to.gen}, Uses: []vcode.Reg{from[i].gen}})
			continue
		case w.shapes.of[p].kind == uniform:
			w.copy(to.vec[0], from[i].vec[0], 0, false)
			continue
		}
		w.set(to.lane0[:min(len(to.lane0), w.lane0Count(w.shapes.of[p]))], from[i].lane0)
		merging := w.liveOuts.of[p].merging || !w.liveOuts.of[p].singleBr && w.liveOuts.of[p].firstBr != by
		switch {
		case init:
			merging = w.liveOuts.of[p].mergingInit
		case r.convergent: // no lane in the set of the label is inactive here
			merging = w.liveOuts.of[p].merging
		}
		for part := range to.vec {
			w.copy(to.vec[part], from[i].vec[part], part, merging)
		}
	}
}

// nextParams returns the registers of a loop's parameters in the next iteration. They are the parameters'
// own but for the scalar forms, which lanes still in this iteration read.
func (w *vectorizer) nextParams(params []ir.V) []value {
	next := make([]value, len(params))
	for i, p := range params {
		next[i] = *w.value(p)
		if w.shapes.of[p].kind == uniform {
			next[i].vec = w.splat(w.dst.NewReg(w.dst.Classes[next[i].vec[0]]))
		}
		if next[i].gen != 0 {
			next[i].gen = w.dst.NewReg(vcode.Gen)
		}
		if next[i].lane0 != nil {
			next[i].lane0 = w.lane0Regs(w.shapes.of[p])
		}
	}
	return next
}

// eachNextParam calls do for each register of r.next that differs from the parameter's.
func (w *vectorizer) eachNextParam(r *region, do func(to, next vcode.Reg)) {
	for i, p := range w.src.Params(r.label) {
		to, next := w.value(p), &r.next[i]
		switch {
		case to.gen != 0:
			do(to.gen, next.gen)
		case w.shapes.of[p].kind == uniform:
			do(to.vec[0], next.vec[0])
		}
		for part := range min(len(to.lane0), w.lane0Count(w.shapes.of[p])) {
			do(to.lane0[part], next.lane0[part])
		}
	}
}

// argument returns argument a in the forms that parameter p has.
func (w *vectorizer) argument(p, a ir.V) (x value) {
	to := w.value(p)
	if to.gen != 0 {
		x.gen = w.gen(a)
		return x
	}
	x.vec = w.vec(a)
	for part := range min(len(to.lane0), w.lane0Count(w.shapes.of[p])) {
		x.lane0 = append(x.lane0, w.firstLane(a, part))
	}
	return x
}

// copyAside copies x to new registers.
func (w *vectorizer) copyAside(x value) value {
	copyOf := func(list []vcode.Reg) []vcode.Reg {
		out := make([]vcode.Reg, len(list))
		for i, r := range list {
			if i > 0 && r == list[0] {
				out[i] = out[0]
				continue
			}
			out[i] = w.dst.NewReg(w.dst.Classes[r])
			w.emit(vcode.Inst{Op: vcode.Copy, Defs: out[i : i+1], Uses: list[i : i+1]})
		}
		return out
	}
	x.vec, x.lane0 = copyOf(x.vec), copyOf(x.lane0)
	if x.gen != 0 {
		x.gen = copyOf([]vcode.Reg{x.gen})[0]
	}
	return x
}

// switchOf sends each active lane to the label of its first case.
func (w *vectorizer) switchOf(v ir.V) {
	x := w.src.Val(v)
	cases := w.src.Cases(v)
	convergent := w.shapes.of[x.Args[0]].kind == uniform
	for i := 0; i < len(cases); i += 2 {
		to := w.regions[cases[i+1]]
		if convergent {
			next, active := w.newBlock(), w.active
			w.jumpUnlessCase(v, cases[i], next)
			w.startBlock(w.newBlock())
			w.branchTo(to, v)
			w.active = active
			w.startBlock(next)
			continue
		}
		hit, rest := w.caseMask(v, cases[i]), w.regs(vcode.Mask)
		w.mask(vcode.And, hit, hit, w.active)
		w.arrive(hit, to)
		w.mask(vcode.AndNot, rest, w.active, hit)
		w.active = rest
	}
	if r := w.regions[x.Args[1]]; convergent {
		w.branchTo(r, v)
	} else {
		w.arrive(w.active, r)
		w.jump(w.resumeBlock(nil, 0))
		w.active = nil
	}
}

// jumpUnlessCase jumps if the uniform selector of a switch is not k.
func (w *vectorizer) jumpUnlessCase(v, k ir.V, to int) {
	x := w.src.Val(v)
	g, ok := w.hasGen(x.Args[0])
	if !ok {
		w.jumpIfNone(w.caseMask(v, k)[:1], to)
		return
	}
	hit := w.dst.NewReg(vcode.Gen)
	key := ir.Key{Type: ir.B1, From: x.Type}
	w.emit(vcode.Inst{Op: vcode.Scalar, IR: ir.Eq, Key: key, Defs: []vcode.Reg{hit}, Uses: []vcode.Reg{g, w.gen(k)}})
	w.emit(vcode.Inst{Op: vcode.JumpIfZero, Uses: []vcode.Reg{hit}, Target: to})
}

// caseMask emits the comparison of the selector with k.
func (w *vectorizer) caseMask(v, k ir.V) []vcode.Reg {
	x := w.src.Val(v)
	selector, c, hit := w.vec(x.Args[0]), w.vec(k), w.regs(vcode.Mask)
	for p := range w.parts {
		masks := w.active[p : p+1]
		if w.shapes.of[x.Args[0]].kind == uniform {
			masks = w.allLanes[:1]
		}
		w.emit(vcode.Inst{
			Op: vcode.Lane, IR: ir.Eq, Key: ir.Key{Type: ir.B1, From: x.Type}, Value: v, Part: uint8(p),
			Defs: hit[p : p+1], Uses: []vcode.Reg{selector[p], c[p]}, Masks: masks,
		})
	}
	return hit
}

// kill ends the active lanes for good. A lane is in one set only, so clearing A is enough.
func (w *vectorizer) kill(v ir.V) {
	w.jump(w.resumeBlock(&region{}, v)) // an outer label of all open regions
	w.active = nil
}

// loopBack adds step to the loop index and jumps to a block unless the sum is all.
func (w *vectorizer) loopBack(top int, step, all uint64) {
	key := func(t ir.Type) ir.Key { return ir.Key{Type: t, From: ir.I32} }
	through := w.dst.NewReg(vcode.Gen)
	w.emit(vcode.Inst{Op: vcode.Scalar, IR: ir.Add, Key: key(ir.I32), Defs: []vcode.Reg{w.loopIndex}, Uses: []vcode.Reg{w.loopIndex, w.dst.NewConst(vcode.Gen, step)}})
	w.emit(vcode.Inst{Op: vcode.Scalar, IR: ir.Eq, Key: key(ir.B1), Defs: []vcode.Reg{through}, Uses: []vcode.Reg{w.loopIndex, w.dst.NewConst(vcode.Gen, all)}})
	w.emit(vcode.Inst{Op: vcode.JumpIfZero, Uses: []vcode.Reg{through}, Target: top})
	w.startBlock(w.newBlock())
}
