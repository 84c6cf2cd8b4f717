package widen

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Program widens functions of a verified program to strips of a subgroup:
// those that order names, which are all that they call. Every function gets
// the active lanes as its first arguments, a mask for each part, and gives
// those that were not killed as its first results.
func Program(p *ir.Program, order []int) []*vcode.Func {
	parts := Parts(p)
	place := make([]int, len(p.Funcs))
	for i, fn := range order {
		place[fn] = i
	}
	out := make([]*vcode.Func, len(order))
	for i, fn := range order {
		f := p.Funcs[fn]
		w := &widener{src: f, dst: &vcode.Func{Name: f.Name, Parts: parts}, parts: parts, place: place}
		w.run()
		out[i] = w.dst
	}
	return out
}

// Parts returns how many registers hold one value of a subgroup.
func Parts(p *ir.Program) int {
	return int((p.SubgroupSize + vcode.PartLanes - 1) / vcode.PartLanes)
}

// widener widens one function.
type widener struct {
	src   *ir.Func
	dst   *vcode.Func
	parts int
	place []int // of each function of the program among those widened

	none    vcode.Reg     // no lane
	values  [][]vcode.Reg // of each value: a register for each part
	active  []vcode.Reg   // A
	open    []*region
	regions map[ir.V]*region // by opener
	homes   []home           // of each value
	order   []int            // numbers of the blocks begun, in the order of their code
	next    []vcode.Inst     // of the last of them
	origin  int32
}

// region is an open block, loop or if.
type region struct {
	label    ir.V
	op       ir.Op
	in       []vcode.Reg // L.in
	rest     []vcode.Reg // lanes of the second arm of an if
	first    []vcode.Reg // lanes that came out of the first arm
	top      int         // first block of a loop's body
	other    int         // block of the second arm
	end      int         // block behind which A may have grown
	inSecond bool
	leaks    bool // lanes may have left it for a label further out, or for good
}

// skip is the block to go to when A is empty inside the region.
func (r *region) skip() int {
	if r.op == ir.If && !r.inSecond {
		return r.other
	}
	return r.end
}

func (w *widener) run() {
	w.values = make([][]vcode.Reg, len(w.src.Vals))
	w.regions = map[ir.V]*region{}
	w.homes = homes(w.src)
	w.startBlock(w.newBlock())
	w.prologue()
	for _, v := range w.src.Code {
		x := w.src.Val(v)
		w.origin = x.Origin
		switch x.Op {
		case ir.Block, ir.Loop:
			w.label(v)
		case ir.If:
			w.ifBegin(v)
		case ir.Else:
			w.ifElse()
		case ir.End:
			w.end()
		case ir.Br:
			w.br(v)
		case ir.Switch:
			w.switchOf(v)
		case ir.Kill:
			w.kill()
		case ir.Call:
			w.call(v)
		case ir.Barrier:
			w.emit(vcode.Inst{Op: vcode.Barrier})
		default:
			w.operation(v)
		}
	}
	w.finish()
}

// prologue declares the calling sequence and puts arguments and constants into
// registers.
func (w *widener) prologue() {
	for range w.parts {
		w.dst.Args = append(w.dst.Args, vcode.Mask)
		w.dst.Results = append(w.dst.Results, vcode.Mask)
	}
	w.none = w.dst.NewConst(vcode.Mask, 0)
	w.active = w.regs(vcode.Mask)
	for p, a := range w.active {
		w.emit(vcode.Inst{Op: vcode.Arg, Defs: []vcode.Reg{a}, Key: ir.Key{Aux: uint64(p)}})
	}
	for _, v := range w.src.Args {
		c := vcode.ClassOf(w.src.Type(v))
		for _, r := range w.value(v) {
			w.emit(vcode.Inst{Op: vcode.Arg, Defs: []vcode.Reg{r}, Key: ir.Key{Aux: uint64(len(w.dst.Args))}})
			w.dst.Args = append(w.dst.Args, c)
		}
	}
	for _, v := range w.src.Results() {
		for range w.parts {
			w.dst.Results = append(w.dst.Results, vcode.ClassOf(w.src.Type(v)))
		}
	}
	for v := 1; v < len(w.src.Vals); v++ {
		x := &w.src.Vals[v]
		if x.Op != ir.Const {
			continue
		}
		r := w.dst.NewConst(vcode.ClassOf(x.Type), x.Aux) // one register serves all parts
		for range w.parts {
			w.values[v] = append(w.values[v], r)
		}
	}
}

func (w *widener) emit(in vcode.Inst) {
	in.Origin = w.origin
	w.next = append(w.next, in)
}

// newBlock reserves the number of a block.
func (w *widener) newBlock() int {
	w.dst.Blocks = append(w.dst.Blocks, vcode.Block{})
	return len(w.dst.Blocks) - 1
}

// startBlock ends the block being made and begins block n.
func (w *widener) startBlock(n int) {
	w.flush()
	w.order = append(w.order, n)
}

func (w *widener) flush() {
	if len(w.order) > 0 {
		w.dst.Blocks[w.order[len(w.order)-1]].Insts = w.next
		w.next = nil
	}
}

// finish puts the blocks in the order of their code, which their numbers,
// reserved when a construct opened, are not.
func (w *widener) finish() {
	w.flush()
	place := make([]int, len(w.dst.Blocks))
	sorted := make([]vcode.Block, len(w.order))
	for i, n := range w.order {
		place[n] = i
		sorted[i] = w.dst.Blocks[n]
	}
	for i := range sorted {
		for j := range sorted[i].Insts {
			if in := &sorted[i].Insts[j]; in.Op == vcode.Jump || in.Op == vcode.JumpIfNone {
				in.Target = place[in.Target]
			}
		}
	}
	w.dst.Blocks = sorted
}

// regs returns a new register of the class for each part.
func (w *widener) regs(c vcode.Class) []vcode.Reg {
	out := make([]vcode.Reg, w.parts)
	for i := range out {
		out[i] = w.dst.NewReg(c)
	}
	return out
}

// value returns the registers of v, making them where it is new.
func (w *widener) value(v ir.V) []vcode.Reg {
	if w.values[v] == nil {
		w.values[v] = w.regs(vcode.ClassOf(w.src.Type(v)))
	}
	return w.values[v]
}

// operation emits an operation without control: for each part, or for the
// whole strip where lanes see each other.
func (w *widener) operation(v ir.V) {
	x := w.src.Val(v)
	var defs []vcode.Reg
	if x.Op.HasResult() {
		defs = w.value(v)
	}
	in := vcode.Inst{Op: vcode.Lane, IR: x.Op, Key: w.src.Key(v), Value: v}
	args := x.Args[:x.Op.Args()]
	if x.Op.Is(ir.Meets) && x.Op != ir.Fence {
		in.Op, in.Defs, in.Masks, in.Keep = vcode.Strip, defs, w.active, defs != nil && w.homes[v].outlives
		for _, a := range args {
			in.Uses = append(in.Uses, w.value(a)...)
		}
		w.emit(in)
		return
	}
	for p := range w.parts {
		one := in
		one.Part, one.Masks, one.Keep = uint8(p), w.active[p:p+1], defs != nil && w.homes[v].outlives
		if defs != nil {
			one.Defs = defs[p : p+1]
		}
		for _, a := range args {
			one.Uses = append(one.Uses, w.value(a)[p])
		}
		w.emit(one)
	}
}

// call emits a call, which is a step of the budget.
func (w *widener) call(v ir.V) {
	w.emit(vcode.Inst{Op: vcode.Step, Masks: w.active, Value: v})
	uses := append([]vcode.Reg(nil), w.active...)
	for _, a := range w.src.CallArgs(v) {
		uses = append(uses, w.value(a)...)
	}
	var to []vcode.Reg
	from := w.regs(vcode.Mask) // the lanes that come back
	keep := false
	for _, r := range w.src.CallResults(v) {
		keep = keep || w.homes[r].outlives
		to = append(to, w.value(r)...)
		from = append(from, w.regs(vcode.ClassOf(w.src.Type(r)))...)
	}
	w.emit(vcode.Inst{Op: vcode.Call, Defs: from, Uses: uses, Target: w.place[w.src.Callee(v)]})
	w.set(w.active, from[:w.parts])
	for i := range to {
		w.copy(to[i], from[w.parts+i], i%w.parts, keep)
	}
	w.leak()
	w.skipIfNone()
}

// copy emits to = from for the active lanes of a part; for all lanes unless the
// others are to keep what they have.
func (w *widener) copy(to, from vcode.Reg, part int, keep bool) {
	in := vcode.Inst{Op: vcode.Copy, Defs: []vcode.Reg{to}, Uses: []vcode.Reg{from}, Keep: keep}
	if keep {
		in.Masks = w.active[part : part+1]
	}
	w.emit(in)
}
