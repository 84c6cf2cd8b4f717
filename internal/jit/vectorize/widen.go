package vectorize

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Program widens functions of a verified program to strips of a subgroup, for a
// machine that holds values as form says: the functions that order names, the
// entry point first, which are all that they call.
// Every function gets the active lanes as its first arguments, a mask for each
// part, and gives those that were not killed as its first results. Where the
// entry point has guards (guard.go), another function follows in the end: what
// it is for strips in which they fail.
func Program(p *ir.Program, form vcode.Form, order []int) []*vcode.Func {
	first, rest := Entry(p, form, order)
	return append([]*vcode.Func{first}, rest()...)
}

// Entry is Program that makes the entry point now and all that follows it where it
// is wanted.
func Entry(p *ir.Program, form vcode.Form, order []int) (first *vcode.Func, rest func() []*vcode.Func) {
	place := make([]int, len(p.Funcs))
	for i, fn := range order {
		place[fn] = i
	}
	made := func(i int, a *assumed) *widener {
		w := newWidener(p, form, order[i], a)
		w.place, w.entry, w.otherwise = place, i == 0, len(order)
		return w
	}
	finish := func(w *widener) *vcode.Func {
		w.run()
		f := w.finish()
		w.in.leave()
		return f
	}
	others := func() (out []*vcode.Func) {
		for i := 1; i < len(order); i++ {
			out = append(out, finish(made(i, nil)))
		}
		return out
	}
	w := made(0, nil)
	if !w.startsFull() {
		return finish(w), others
	}
	a := guardsOf(w.src, w.shapes)
	if a == nil {
		return finish(w), others
	}
	return finish(made(0, a)), func() []*vcode.Func { return append(others(), finish(w)) }
}

// newWidener returns what widens a function of p, all of whose lanes do what is
// assumed.
func newWidener(p *ir.Program, form vcode.Form, fn int, a *assumed) *widener {
	f, parts, in := p.Funcs[fn], form.Parts(p.SubgroupSize), enter()
	w := &widener{stream: newStream(f.Name, form, parts, 2*min(parts, usualParts)*len(f.Code), in), p: p, src: f, parts: parts, assumed: a}
	w.halved = !form.VectorMasks && 2*p.LocalSize[0] == uint32(form.Lanes)
	homes := homesOf(f, apart, in)
	w.shapes, w.homes = shapesOf(p, f, homes, rowLanes(p, form), a, in), homes
	if homes.loops {
		w.homes = homesOf(f, func(loop ir.V) bool { return !w.shapes.diverges[loop] }, in)
	}
	return w
}

// startsFull reports whether all lanes of every strip are active in the
// beginning.
func (w *widener) startsFull() bool {
	return w.p.Invocations()%w.p.SubgroupSize == 0 && w.p.SubgroupSize%uint32(w.dst.Form.Lanes) == 0
}

// rowLanes is how many lanes of a part there are.
func rowLanes(p *ir.Program, form vcode.Form) uint32 { return min(p.SubgroupSize, uint32(form.Lanes)) }

// widener widens one function.
type widener struct {
	*stream
	p      *ir.Program
	src    *ir.Func
	parts  int
	group  *workgroup // of which it widens a subgroup, or nil
	index  vcode.Reg  // in a loop over subgroups, the index of the subgroup's first invocation; in turns the first lane's
	first  int        // the number of its first part, where others are widened beside it
	place  []int      // of each function of the program among those widened
	entry  bool       // it is the entry point
	homes  *homing
	shapes *shapes
	quads  quads
	kills  bool // lanes may end here for good

	deferred *deferring    // what stands with selects, or nil
	stays    map[ir.V]ir.V // of parameters that live where other values do, those
	counted  map[ir.V]bool // parameters of loops: they count few iterations; nil until somebody asks

	assumed   *assumed
	otherwise int // the function of strips in which that is not so

	factors map[[2]uint64]factors // that were found, by divisor and bits

	over uint32 // lanes of the strip, which it does in turns of those of its parts; 0 where they are all
	top  int    // first block of a turn

	none    vcode.Reg   // no lane
	full    []vcode.Reg // all lanes
	zero    vcode.Reg   // 0, as a Gen
	values  []*value    // nil where nobody wants it
	active  []vcode.Reg // A
	open    []*region
	regions []*region // by opener
}

func (w *widener) run() {
	w.values, w.regions = w.in.known.Alloc(len(w.src.Vals)), w.in.regions.Alloc(len(w.src.Vals))
	for _, v := range w.src.Code {
		op := w.src.Val(v).Op
		w.kills = w.kills || op == ir.Kill || op == ir.Call && w.p.Effects.Discards
	}
	w.deferred = deferralsOf(w.src, func(v ir.V) bool {
		x := w.src.Val(v)
		return w.shapes.of[v].kind != uniform && w.shapes.of[x.Args[0]].kind != uniform
	}, w.in)
	w.stays = w.staysOf()
	w.startBlock(w.newBlock())
	w.prologue()
	if w.over > 0 {
		w.index, w.top = w.dst.NewReg(vcode.Gen), w.newBlock()
		w.emit(vcode.Inst{Op: vcode.Copy, Defs: []vcode.Reg{w.index}, Uses: []vcode.Reg{w.zero}})
		w.startBlock(w.top)
	}
	for _, v := range w.src.Code {
		w.step(v)
	}
}

// step widens one operation.
func (w *widener) step(v ir.V) {
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
		w.kill(v)
	case ir.Call:
		w.call(v)
	case ir.Barrier:
		w.emit(vcode.Inst{Op: vcode.Barrier})
	default:
		w.plain(v)
	}
}

// plain widens an operation without control where it stands, unless a select
// does.
func (w *widener) plain(v ir.V) {
	if w.deferred == nil {
		w.operation(v)
		return
	}
	if w.deferred.skip[v] {
		return
	}
	if d, ok := w.deferred.late[v]; ok {
		w.selectLate(v, d)
		return
	}
	w.operation(v)
}

// constants makes the sets of no lane and of all, and 0.
func (w *widener) constants() {
	w.none = w.dst.NewConst(vcode.Mask, 0)
	w.zero = w.dst.NewConst(vcode.Gen, 0)
	w.full = w.all(w.dst.NewConst(vcode.Mask, 1))
}

// prologue declares the calling sequence and puts arguments into registers.
func (w *widener) prologue() {
	w.constants()
	for range w.dst.Parts {
		w.dst.Args = append(w.dst.Args, vcode.Mask)
		w.dst.Results = append(w.dst.Results, vcode.Mask)
	}
	if w.entry && w.startsFull() {
		w.active = w.full
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

func (w *widener) emit(in vcode.Inst) {
	in.Origin = w.origin
	in.Part += uint8(w.first)
	w.add(in)
}

// regs returns a new register of the class for each part.
func (w *widener) regs(c vcode.Class) []vcode.Reg {
	out := w.dst.Form.Arena.Regs(w.parts)
	for i := range out {
		out[i] = w.dst.NewReg(c)
	}
	return out
}

// call emits a call, which is a step of the budget.
func (w *widener) call(v ir.V) {
	w.emit(vcode.Inst{Op: vcode.Step, Masks: w.active, Value: v})
	uses := append([]vcode.Reg(nil), w.active...)
	for _, a := range w.src.CallArgs(v) {
		uses = append(uses, w.vec(a)...)
	}
	var to []vcode.Reg
	from := w.regs(vcode.Mask) // the lanes that come back
	keep := false
	for _, r := range w.src.CallResults(v) {
		keep = keep || w.homes.of[r].outlives
		to = append(to, w.vec(r)...)
		from = append(from, w.regs(vcode.ClassOf(w.src.Type(r)))...)
	}
	w.emit(vcode.Inst{Op: vcode.Call, Defs: from, Uses: uses, Target: w.place[w.src.Callee(v)]})
	if w.p.Effects.Discards {
		w.active = from[:w.parts]
	}
	for i := range to {
		w.copy(to[i], from[w.parts+i], i%w.parts, keep)
	}
	if w.p.Effects.Discards {
		w.skipIfNone()
	}
}

// copy emits to = from for the active lanes of a part; for all lanes unless the
// others are to keep what they have.
func (w *widener) copy(to, from vcode.Reg, part int, keep bool) {
	if to == from {
		return
	}
	in := vcode.Inst{Op: vcode.Copy, Defs: w.list(to), Uses: w.list(from), Merging: keep && !w.isFull(w.active)}
	if in.Merging {
		in.Masks = w.active[part : part+1]
	}
	w.emit(in)
}
