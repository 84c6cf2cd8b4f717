package vectorize

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// mask emits d = a op b for each part.
func (w *widener) mask(op vcode.Op, d, a, b []vcode.Reg) {
	for p := range d {
		w.emit(vcode.Inst{Op: op, Defs: d[p : p+1], Uses: w.list(a[p], b[p])})
	}
}

// set emits d = a for each part, all lanes.
func (w *widener) set(d, a []vcode.Reg) {
	for p := range d {
		w.emit(vcode.Inst{Op: vcode.Copy, Defs: d[p : p+1], Uses: a[p : p+1]})
	}
}

// clear emits d = no lanes, for each part.
func (w *widener) clear(d []vcode.Reg) {
	for p := range d {
		w.emit(vcode.Inst{Op: vcode.Copy, Defs: d[p : p+1], Uses: w.list(w.none)})
	}
}

func (w *widener) jump(to int) { w.emit(vcode.Inst{Op: vcode.Jump, Target: to}) }

func (w *widener) jumpIfNone(set []vcode.Reg, to int) {
	w.emit(vcode.Inst{Op: vcode.JumpIfNone, Masks: set, Target: to})
}

// br sends the active lanes to a label.
func (w *widener) br(v ir.V) {
	label := w.src.Val(v).Args[0]
	w.assign(v, w.src.Params(label), w.src.BrArgs(v))
	w.goTo(w.regions[label], v)
}

// goTo sends the active lanes to a label, by a br or switch, and leaves for where
// lanes wait.
func (w *widener) goTo(r *region, by ir.V) {
	w.send(w.active, r)
	if r.op == ir.Loop && r.whole {
		w.back(r, r.entry)
	} else {
		w.jump(w.skip(r, by))
	}
	w.active = nil
}

// send emits L.in ∪= lanes.
func (w *widener) send(lanes []vcode.Reg, r *region) { w.mask(vcode.Or, r.in, r.in, lanes) }

// begin says that parameters hold nothing yet, where no lane keeps what they
// held before.
func (w *widener) begin(params []ir.V) {
	for _, p := range params {
		x := w.value(p)
		list := append([]vcode.Reg{x.gen}, x.rows...)
		if w.shapes.of[p].kind == uniform || !w.homes.of[p].outlives {
			list = append(list, x.vec...)
		}
		for i, r := range list {
			if r != 0 && (i == 0 || r != list[i-1]) {
				w.emit(vcode.Inst{Op: vcode.Undef, Defs: []vcode.Reg{r}})
			}
		}
	}
}

// spread puts parameters that general registers hold into vectors.
func (w *widener) spread(params []ir.V) {
	for _, p := range params {
		x := w.value(p)
		if x.gen != 0 {
			w.broadcast(p, x)
		}
		if x.rows != nil {
			w.words(p, x)
		}
	}
}

// assign emits what a br, or a loop as it begins, gives a label for the active lanes:
// params ← args. All arguments are read before any parameter is written. The params are
// all that the label has where lanes do not go there all at once.
func (w *widener) assign(by ir.V, params, args []ir.V) {
	label, init := by, true
	if x := w.src.Val(by); x.Op == ir.Br {
		label, init = x.Args[0], false
	}
	from := w.in.values.Alloc(len(args))
	for i, a := range args {
		from[i] = w.argument(params[i], a)
		if x := w.src.Val(a); x.Op == ir.Param && i > 0 && x.Args[0] == label {
			from[i] = w.beside(from[i])
		}
	}
	r := w.regions[label]
	for i, p := range params {
		to := w.value(p)
		if !init && r.op == ir.Loop && !r.whole {
			to = &r.late[i]
		}
		switch {
		case to.gen != 0:
			w.emit(vcode.Inst{Op: vcode.Copy, Defs: []vcode.Reg{to.gen}, Uses: []vcode.Reg{from[i].gen}})
			continue
		case w.shapes.of[p].kind == uniform:
			w.copy(to.vec[0], from[i].vec[0], 0, false)
			continue
		}
		w.set(to.rows[:min(len(to.rows), w.apart(w.shapes.of[p]))], from[i].rows)
		keep := w.homes.of[p].outlives || !w.homes.of[p].alone && w.homes.of[p].first != by
		switch {
		case init:
			keep = w.homes.of[p].keepsInit
		case r.whole: // the lanes that do not come are not in the label's set
			keep = w.homes.of[p].outlives
		}
		for part := range to.vec {
			w.copy(to.vec[part], from[i].vec[part], part, keep)
		}
	}
}

// lateOf makes what the parameters of a loop will be in the next iteration,
// apart from what lanes that are still in this one read: those that are the same
// in all lanes. Others are written for the lanes that are through alone.
func (w *widener) lateOf(params []ir.V) []value {
	list := make([]value, len(params))
	for i, p := range params {
		list[i] = *w.value(p)
		if w.shapes.of[p].kind == uniform {
			list[i].vec = w.all(w.dst.NewReg(w.dst.Classes[list[i].vec[0]]))
		}
		if list[i].gen != 0 {
			list[i].gen = w.dst.NewReg(vcode.Gen)
		}
		if list[i].rows != nil {
			list[i].rows = w.rowRegs(w.shapes.of[p])
		}
	}
	return list
}

// eachLate calls do for the registers of r.late that are not the parameters'.
func (w *widener) eachLate(r *region, do func(to, late vcode.Reg)) {
	for i, p := range w.src.Params(r.label) {
		to, late := w.value(p), &r.late[i]
		switch {
		case to.gen != 0:
			do(to.gen, late.gen)
		case w.shapes.of[p].kind == uniform:
			do(to.vec[0], late.vec[0])
		}
		for part := range min(len(to.rows), w.apart(w.shapes.of[p])) {
			do(to.rows[part], late.rows[part])
		}
	}
}

// argument is a in the registers in which parameter p wants it.
func (w *widener) argument(p, a ir.V) (x value) {
	to := w.value(p)
	if to.gen != 0 {
		x.gen = w.gen(a)
		return x
	}
	x.vec = w.vec(a)
	for part := range min(len(to.rows), w.apart(w.shapes.of[p])) {
		x.rows = append(x.rows, w.rowBase(a, part))
	}
	return x
}

// beside is a copy of x in registers of its own.
func (w *widener) beside(x value) value {
	again := func(list []vcode.Reg) []vcode.Reg {
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
	x.vec, x.rows = again(x.vec), again(x.rows)
	if x.gen != 0 {
		x.gen = again([]vcode.Reg{x.gen})[0]
	}
	return x
}

// switchOf sends each active lane to the label of its first case.
func (w *widener) switchOf(v ir.V) {
	x := w.src.Val(v)
	cases := w.src.Cases(v)
	together := w.shapes.of[x.Args[0]].kind == uniform
	for i := 0; i < len(cases); i += 2 {
		to := w.regions[cases[i+1]]
		if together {
			next, active := w.newBlock(), w.active
			w.jumpUnlessCase(v, cases[i], next)
			w.startBlock(w.newBlock())
			w.goTo(to, v)
			w.active = active
			w.startBlock(next)
			continue
		}
		hit, rest := w.hits(v, cases[i]), w.regs(vcode.Mask)
		w.mask(vcode.And, hit, hit, w.active)
		w.send(hit, to)
		w.mask(vcode.AndNot, rest, w.active, hit)
		w.active = rest
	}
	if r := w.regions[x.Args[1]]; together {
		w.goTo(r, v)
	} else {
		w.send(w.active, r)
		w.jump(w.skip(nil, 0))
		w.active = nil
	}
}

// jumpUnlessCase jumps where the selector, the same in all lanes, is not k.
func (w *widener) jumpUnlessCase(v, k ir.V, to int) {
	x := w.src.Val(v)
	g, ok := w.hasGen(x.Args[0])
	if !ok {
		w.jumpIfNone(w.hits(v, k)[:1], to)
		return
	}
	hit := w.dst.NewReg(vcode.Gen)
	key := ir.Key{Type: ir.B1, From: x.Type}
	w.emit(vcode.Inst{Op: vcode.Scalar, IR: ir.Eq, Key: key, Defs: []vcode.Reg{hit}, Uses: []vcode.Reg{g, w.gen(k)}})
	w.emit(vcode.Inst{Op: vcode.JumpIfZero, Uses: []vcode.Reg{hit}, Target: to})
}

// hits compares the selector with k.
func (w *widener) hits(v, k ir.V) []vcode.Reg {
	x := w.src.Val(v)
	selector, c, hit := w.vec(x.Args[0]), w.vec(k), w.regs(vcode.Mask)
	for p := range w.parts {
		masks := w.active[p : p+1]
		if w.shapes.of[x.Args[0]].kind == uniform {
			masks = w.full[:1]
		}
		w.emit(vcode.Inst{
			Op: vcode.Lane, IR: ir.Eq, Key: ir.Key{Type: ir.B1, From: x.Type}, Value: v, Part: uint8(p),
			Defs: hit[p : p+1], Uses: []vcode.Reg{selector[p], c[p]}, Masks: masks,
		})
	}
	return hit
}

// kill ends the active lanes for good: a lane is in one set at a time, so to
// leave A is all.
func (w *widener) kill(v ir.V) {
	w.jump(w.skip(&region{}, v)) // out of all that is open
	w.active = nil
}
