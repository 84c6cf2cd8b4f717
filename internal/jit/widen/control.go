package widen

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// mask emits d = a op b for each part.
func (w *widener) mask(op vcode.Op, d, a, b []vcode.Reg) {
	for p := range d {
		w.emit(vcode.Inst{Op: op, Defs: d[p : p+1], Uses: []vcode.Reg{a[p], b[p]}})
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
		w.emit(vcode.Inst{Op: vcode.Copy, Defs: d[p : p+1], Uses: []vcode.Reg{w.none}})
	}
}

func (w *widener) jump(to int) { w.emit(vcode.Inst{Op: vcode.Jump, Target: to}) }

func (w *widener) jumpIfNone(to int) {
	w.emit(vcode.Inst{Op: vcode.JumpIfNone, Masks: w.active, Target: to})
}

func (w *widener) inner() *region { return w.open[len(w.open)-1] }

func (w *widener) push(v ir.V, r *region) {
	r.label = v
	w.open = append(w.open, r)
	w.regions[v] = r
}

// leak notes that A may from now on be empty in the middle of all that is open.
func (w *widener) leak() {
	for _, r := range w.open {
		r.leaks = true
	}
}

// skipIfNone leaves for the place where A can grow, if A is empty.
func (w *widener) skipIfNone() {
	if len(w.open) > 0 {
		w.jumpIfNone(w.inner().skip())
		w.startBlock(w.newBlock())
	}
}

// join emits A ∪= lanes.
func (w *widener) join(lanes []vcode.Reg) { w.mask(vcode.Or, w.active, w.active, lanes) }

// label opens a block or a loop.
func (w *widener) label(v ir.V) {
	r := &region{op: w.src.Val(v).Op, in: w.regs(vcode.Mask), end: w.newBlock()}
	if r.op == ir.Loop {
		w.assign(v, w.src.Inits(v), true)
		r.top = w.newBlock()
		w.startBlock(r.top)
	}
	if r.op == ir.Block {
		w.begin(w.src.Params(v))
	}
	w.clear(r.in)
	w.push(v, r)
}

// ifBegin splits A: the first arm gets the lanes where the condition is 1.
func (w *widener) ifBegin(v ir.V) {
	cond := w.value(w.src.Val(v).Args[0])
	r := &region{op: ir.If, rest: w.regs(vcode.Mask), first: w.regs(vcode.Mask), other: w.newBlock()}
	r.end = r.other // until an else is seen
	w.mask(vcode.AndNot, r.rest, w.active, cond)
	w.mask(vcode.And, w.active, w.active, cond)
	w.push(v, r)
	w.skipIfNone()
}

func (w *widener) ifElse() {
	r := w.inner()
	w.startBlock(r.other)
	w.set(r.first, w.active)
	w.set(w.active, r.rest)
	r.inSecond, r.end = true, w.newBlock()
	w.skipIfNone()
}

// end closes the innermost region.
func (w *widener) end() {
	r := w.inner()
	w.startBlock(r.end)
	switch {
	case r.op == ir.Loop:
		w.loopEnd(r)
	case r.op == ir.Block:
		w.join(r.in)
	case r.inSecond:
		w.join(r.first)
	default:
		w.join(r.rest)
	}
	w.open = w.open[:len(w.open)-1]
	switch {
	case len(w.open) == 0:
		w.leave()
	case r.op == ir.Loop: // A is empty: all lanes left for a label further out
		w.jump(w.inner().skip())
		w.startBlock(w.newBlock())
	case r.leaks:
		w.skipIfNone()
	}
}

// loopEnd runs the body again for the lanes that branched back.
func (w *widener) loopEnd(r *region) {
	w.set(w.active, r.in)
	after := w.newBlock()
	w.jumpIfNone(after)
	w.startBlock(w.newBlock())
	w.origin = w.src.Val(r.label).Origin
	w.emit(vcode.Inst{Op: vcode.Step, Masks: w.active, Value: r.label})
	w.jump(r.top)
	w.startBlock(after)
}

// leave ends the function.
func (w *widener) leave() {
	list := append([]vcode.Reg(nil), w.active...)
	for _, v := range w.src.Results() {
		list = append(list, w.value(v)...)
	}
	for i := range list {
		w.emit(vcode.Inst{Op: vcode.SetResult, Uses: list[i : i+1], Key: ir.Key{Aux: uint64(i)}})
	}
	w.emit(vcode.Inst{Op: vcode.Return})
}

// br sends the active lanes to a label.
func (w *widener) br(v ir.V) {
	label := w.src.Val(v).Args[0]
	w.assign(label, w.src.BrArgs(v), false)
	w.send(w.active, label)
	w.clear(w.active)
	w.leak()
}

// send emits L.in ∪= lanes.
func (w *widener) send(lanes []vcode.Reg, label ir.V) {
	in := w.regions[label].in
	w.mask(vcode.Or, in, in, lanes)
}

// begin says that parameters hold nothing yet, where no lane keeps what they
// held before.
func (w *widener) begin(params []ir.V) {
	for _, p := range params {
		for _, r := range w.value(p) {
			if !w.homes[p].outlives {
				w.emit(vcode.Inst{Op: vcode.Undef, Defs: []vcode.Reg{r}})
			}
		}
	}
}

// assign emits the label's params ← args for the active lanes. All arguments
// are read before any parameter is written. init says that a loop begins.
func (w *widener) assign(label ir.V, args []ir.V, init bool) {
	params := w.src.Params(label)
	from := make([][]vcode.Reg, len(args))
	for i, a := range args {
		from[i] = w.value(a)
		if x := w.src.Val(a); x.Op == ir.Param && i > 0 && x.Args[0] == w.src.Val(params[0]).Args[0] {
			t := w.regs(vcode.ClassOf(x.Type))
			w.set(t, from[i])
			from[i] = t
		}
	}
	for i, p := range params {
		to := w.value(p)
		for part := range to {
			keep := w.homes[p].outlives || !w.homes[p].alone
			if init {
				keep = w.homes[p].keepsInit
			}
			w.copy(to[part], from[i][part], part, keep)
		}
	}
}

// switchOf sends each active lane to the label of its first case.
func (w *widener) switchOf(v ir.V) {
	x := w.src.Val(v)
	selector, cases := w.value(x.Args[0]), w.src.Cases(v)
	for i := 0; i < len(cases); i += 2 {
		k := w.value(cases[i])
		hit := w.regs(vcode.Mask)
		for p := range w.parts {
			w.emit(vcode.Inst{
				Op: vcode.Lane, IR: ir.Eq, Key: ir.Key{Type: ir.B1, From: x.Type}, Value: v, Part: uint8(p),
				Defs: hit[p : p+1], Uses: []vcode.Reg{selector[p], k[p]}, Masks: w.active[p : p+1],
			})
		}
		w.mask(vcode.And, hit, hit, w.active)
		w.send(hit, cases[i+1])
		w.mask(vcode.AndNot, w.active, w.active, hit)
	}
	w.send(w.active, x.Args[1])
	w.clear(w.active)
	w.leak()
}

// kill ends the active lanes for good: a lane is in one set at a time, so to
// leave A is all.
func (w *widener) kill() {
	w.clear(w.active)
	w.leak()
}
