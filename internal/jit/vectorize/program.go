package vectorize

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Vectorization of a program, function by function

// Program vectorizes functions of a verified program for strips of a subgroup, on a machine with the given
// register form. order lists the functions, the entry point first, and every function that one of them
// calls.
//
// Each function gets the active lanes as its first arguments, a mask for each part, and returns the lanes
// that were not killed as its first results. If the entry point is speculative (speculate.go), its general
// version follows after all other functions.
func Program(p *ir.Program, form vcode.Form, order []int) []*vcode.Func {
	first, rest := Entry(p, form, order)
	return append([]*vcode.Func{first}, rest()...)
}

// Entry is Program in two steps: it vectorizes the entry point now, and the functions that follow when rest
// is called.
func Entry(p *ir.Program, form vcode.Form, order []int) (first *vcode.Func, rest func() []*vcode.Func) {
	index := make([]int, len(p.Funcs))
	for i, fn := range order {
		index[fn] = i
	}
	build := func(i int, a *assumptions) *vectorizer {
		w := newVectorizer(p, form, order[i], a)
		w.funcIndex, w.entry, w.bailout = index, i == 0, len(order)
		return w
	}
	finish := func(w *vectorizer) *vcode.Func {
		w.run()
		f := w.finish()
		w.arena.release()
		return f
	}
	others := func() (out []*vcode.Func) {
		for i := 1; i < len(order); i++ {
			out = append(out, finish(build(i, nil)))
		}
		return out
	}
	w := build(0, nil)
	w.keeps = true
	if !w.startsFull() {
		return finish(w), others
	}
	a := w.speculate()
	if a == nil {
		return finish(w), others
	}
	w.cold, w.keeps = true, false // the words are the fast version's
	fast := build(0, a)
	fast.general, fast.keeps = len(order), true
	return finish(fast), func() []*vcode.Func { return append(others(), finish(w)) }
}

// run emits the function.
func (w *vectorizer) run() {
	w.values, w.regions = w.arena.valuesByV.Alloc(len(w.src.Vals)), w.arena.regionsByV.Alloc(len(w.src.Vals))
	for _, v := range w.src.Code {
		op := w.src.Val(v).Op
		w.kills = w.kills || op == ir.Kill || op == ir.Call && w.p.Effects.Discards
	}
	w.sunk = findSunkArms(w.src, func(v ir.V) bool {
		x := w.src.Val(v)
		return w.shapes.of[v].kind != uniform && w.shapes.of[x.Args[0]].kind != uniform
	}, w.arena)
	w.accumulators = w.findAccumulators()
	w.exitCounters = w.findExitCounters()
	w.startBlock(w.newBlock())
	w.prologue()
	if w.stripLanes > 0 {
		w.loopIndex, w.chunkTop = w.dst.NewReg(vcode.Gen), w.newBlock()
		w.emit(vcode.Inst{Op: vcode.Copy, Defs: []vcode.Reg{w.loopIndex}, Uses: []vcode.Reg{w.zero}})
		w.startBlock(w.chunkTop)
	}
	for i, v := range w.src.Code {
		w.at = i
		w.step(v)
	}
}

// step emits one operation.
func (w *vectorizer) step(v ir.V) {
	w.dst.Form.Arena.Poll()
	x := w.src.Val(v)
	w.origin = x.Origin
	switch x.Op {
	case ir.Block, ir.Loop:
		w.beginLabel(v)
	case ir.If:
		w.beginIf(v)
	case ir.Else:
		w.beginElse()
	case ir.End:
		w.end()
	case ir.Br:
		w.br(v)
	case ir.Switch:
		w.switchOf(v)
	case ir.Kill:
		w.kill(v)
	case ir.Call:
		w.call(v)
	case ir.Barrier:
		w.emit(vcode.Inst{Op: vcode.Barrier})
	default:
		w.unlessSunk(v)
		w.shareBound(v)
	}
}

// prologue declares the calling convention and emits the arguments.
func (w *vectorizer) prologue() {
	w.constants()
	for range w.dst.Parts {
		w.dst.Args = append(w.dst.Args, vcode.Mask)
		w.dst.Results = append(w.dst.Results, vcode.Mask)
	}
	if w.entry && w.startsFull() {
		w.active = w.allLanes
	} else {
		w.active = w.regs(vcode.Mask)
		for p, a := range w.active {
			w.emit(vcode.Inst{Op: vcode.Arg, Defs: []vcode.Reg{a}, Key: ir.Key{Aux: uint64(p)}})
		}
	}
	for _, v := range w.src.Args {
		c := vcode.ClassOf(w.src.Type(v))
		for _, r := range w.vec(v) {
			w.emit(vcode.Inst{Op: vcode.Arg, Defs: []vcode.Reg{r}, Key: ir.Key{Aux: uint64(len(w.dst.Args))}})
			w.dst.Args = append(w.dst.Args, c)
		}
	}
	for _, v := range w.src.Results() {
		for range w.parts {
			w.dst.Results = append(w.dst.Results, vcode.ClassOf(w.src.Type(v)))
		}
	}
}

// call emits a call, with a safepoint.
func (w *vectorizer) call(v ir.V) {
	w.emit(vcode.Inst{Op: vcode.Step, Masks: w.active, Value: v})
	uses := append([]vcode.Reg(nil), w.active...)
	for _, a := range w.src.CallArgs(v) {
		uses = append(uses, w.vec(a)...)
	}
	var to []vcode.Reg
	from := w.regs(vcode.Mask) // the lanes that return
	merging := false
	for _, r := range w.src.CallResults(v) {
		merging = merging || w.liveOuts.of[r].merging
		to = append(to, w.vec(r)...)
		from = append(from, w.regs(vcode.ClassOf(w.src.Type(r)))...)
	}
	w.emit(vcode.Inst{Op: vcode.Call, Defs: from, Uses: uses, Target: w.funcIndex[w.src.Callee(v)]})
	if w.p.Effects.Discards {
		w.active = from[:w.parts]
	}
	for i := range to {
		w.copy(to[i], from[w.parts+i], i%w.parts, merging)
	}
	if w.p.Effects.Discards {
		w.skipIfNone()
	}
}
