package vectorize

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Workgroup widens the entry point of a verified program to one stream for all
// subgroups of a workgroup, one behind the other in each phase (spine.go), so
// that no result can tell that they were not run one by one: what stands between
// two barriers is done by the first subgroup, then by the second, and so on. A
// barrier is then nothing but the end of a phase. Parts are those of the whole
// workgroup. It returns false where that cannot be, and the resources that are
// stored to: nothing else that is bound may share their bytes.
func Workgroup(p *ir.Program, form vcode.Form) (f *vcode.Func, written []int, ok bool) {
	if p.SubgroupSize%uint32(form.Lanes) != 0 || form.Parts(p.Invocations()) > maxParts {
		return nil, nil, false
	}
	src := p.Funcs[0]
	in := enter()
	defer in.leave()
	homes := homesOf(src, apart, in)
	shapes := shapesOf(p, src, homes, rowLanes(p, form), nil, in)
	s := spineOf(p, shapes)
	if s == nil {
		return nil, nil, false
	}
	for r, stored := range s.stored {
		if stored {
			written = append(written, r)
		}
	}
	g := newWorkgroup(p, form, s, homes, in)
	if !g.run() {
		return nil, nil, false
	}
	return g.finish(), written, true
}

// maxParts bounds the parts of a workgroup that is one stream: their numbers are
// 8 bits.
const maxParts = 256

// workgroup widens all subgroups of a workgroup.
type workgroup struct {
	*stream
	*spine
	subs    []*widener
	open    []stage
	dead    bool // no lane comes here
	partial bool // the last subgroup lacks lanes
	turns   turns
	start   []vcode.Reg // of each input that differs between workgroups: that of the first invocation
}

// stage is an open construct of the spine.
type stage struct {
	v       ir.V
	op      ir.Op
	top     int  // first block of a loop's body
	end     int  // block behind it, or that of the second arm
	second  bool // of an if: in the second arm
	arrived bool // some lanes come to its end
}

func newWorkgroup(p *ir.Program, form vcode.Form, s *spine, homes *homing, in *room) *workgroup {
	parts := form.Parts(p.SubgroupSize)
	n := int(p.Subgroups())
	g := &workgroup{stream: newStream(s.f.Name, form, n*parts, min(n*parts, 2*usualParts)*len(s.f.Code), in), spine: s, partial: p.Invocations()%p.SubgroupSize != 0}
	first := widener{stream: g.stream, p: p, src: s.f, parts: parts, homes: homes, shapes: s.shapes, group: g}
	first.constants()
	for i := range n {
		w := first
		w.first = i * parts
		w.values, w.regions = in.known.Alloc(len(s.f.Vals)), in.regions.Alloc(len(s.f.Vals))
		w.active = w.full
		g.subs = append(g.subs, &w)
	}
	return g
}

// run widens the code, and returns false where lanes got lost.
func (g *workgroup) run() bool {
	g.startBlock(g.newBlock())
	g.arguments()
	g.starts(g.p)
	g.survey()
	code := g.f.Code
	for i := 0; i < len(code); i++ {
		v := code[i]
		x := g.f.Val(v)
		g.origin = x.Origin
		switch {
		case g.dead && x.Op != ir.Else && x.Op != ir.End:
			i = g.phaseEnd(i, true) - 1
		case g.on[v]:
			g.enter(v)
		case x.Op == ir.Else:
			g.other()
		case x.Op == ir.End:
			g.leave()
		case x.Op == ir.Br:
			g.branch(v)
		case x.Op == ir.Barrier:
		default:
			end := g.phaseEnd(i, false)
			if !g.do(i, code[i:end]) {
				return false
			}
			i = end - 1
		}
	}
	g.emit(vcode.Inst{Op: vcode.Return})
	return true
}

func (g *workgroup) emit(in vcode.Inst) { g.subs[0].emit(in) }

// arguments makes the active lanes of the last subgroup an argument, where it is
// not whole.
func (g *workgroup) arguments() {
	if !g.partial {
		return
	}
	for range g.dst.Parts {
		g.dst.Args = append(g.dst.Args, vcode.Mask)
	}
	w := g.subs[len(g.subs)-1]
	w.active = w.regs(vcode.Mask)
	for p, a := range w.active {
		w.emit(vcode.Inst{Op: vcode.Arg, Defs: []vcode.Reg{a}, Key: ir.Key{Aux: uint64(w.first + p)}})
	}
}

// phaseEnd returns the place of the first operation of the spine from i on, or
// where nobody gets there, of the end of the arm or construct.
func (g *workgroup) phaseEnd(i int, dead bool) int {
	depth := 0
	for ; ; i++ {
		v := g.f.Code[i]
		x := g.f.Val(v)
		switch x.Op {
		case ir.Block, ir.Loop, ir.If:
			if depth == 0 && !dead && g.on[v] {
				return i
			}
			depth++
		case ir.Else, ir.End:
			if depth == 0 {
				return i
			}
			if x.Op == ir.End {
				depth--
			}
		case ir.Br, ir.Barrier:
			if depth == 0 && !dead {
				return i
			}
		}
	}
}

// do widens the phase that begins at a place.
func (g *workgroup) do(at int, code []ir.V) bool {
	if g.inTurns(at, code) {
		return g.turn(code)
	}
	for s := range g.subs {
		if !g.phase(s, code) {
			return false
		}
	}
	return true
}

// phase widens a run of operations for a subgroup. What all share is made by the
// first of them.
func (g *workgroup) phase(s int, code []ir.V) bool {
	w := g.subs[s]
	before := w.active
	made := g.reads(w, code)
	w.open = []*region{{op: ir.Block}} // nobody leaves for it
	for _, v := range code {
		if s > 0 && g.shared[v] {
			w.values[v] = g.subs[0].values[v]
			continue
		}
		w.step(v)
	}
	forget(w, made)
	return len(w.open) == 1 && slices.Equal(w.active, before)
}

// of returns the parameters of a list that a subgroup has for itself, or those
// that it shares with the others.
func (g *workgroup) of(shared bool, params, args []ir.V) (p, a []ir.V) {
	for i, v := range params {
		if g.shared[v] == shared {
			p = append(p, v)
			if args != nil {
				a = append(a, args[i])
			}
		}
	}
	return p, a
}

// each calls do for every subgroup with the parameters that it has for itself,
// then for the first one with those that all share.
func (g *workgroup) each(params, args []ir.V, do func(w *widener, params, args []ir.V)) {
	own, from := g.of(false, params, args)
	for _, w := range g.subs {
		made := g.want(w, from)
		do(w, own, from)
		forget(w, made)
	}
	common, from := g.of(true, params, args)
	do(g.subs[0], common, from)
}

func (g *workgroup) enter(v ir.V) {
	x := g.f.Val(v)
	st := stage{v: v, op: x.Op, end: g.newBlock()}
	params := g.f.Params(v)
	for i, w := range g.subs {
		w.regions[v] = &region{label: v, op: x.Op, whole: true}
		for _, p := range params {
			if x.Op != ir.If && i > 0 && g.shared[p] {
				w.values[p] = g.subs[0].value(p)
			}
		}
	}
	switch x.Op {
	case ir.If:
		g.subs[0].jumpIfNot(x.Args[0], st.end)
		g.startBlock(g.newBlock())
	case ir.Loop:
		g.each(params, g.f.Inits(v), func(w *widener, params, args []ir.V) { w.assign(v, params, args) })
		st.top = g.newBlock()
		g.startBlock(st.top)
		g.spread(params)
	default:
		g.each(params, nil, func(w *widener, params, _ []ir.V) { w.begin(params) })
	}
	g.open = append(g.open, st)
}

// spread makes all forms of parameters.
func (g *workgroup) spread(params []ir.V) {
	g.each(params, nil, func(w *widener, params, _ []ir.V) { w.spread(params) })
	common, _ := g.of(true, params, nil)
	for _, w := range g.subs[1:] {
		for _, p := range common {
			w.values[p] = g.subs[0].values[p]
		}
	}
}

func (g *workgroup) branch(v ir.V) {
	label := g.f.Val(v).Args[0]
	g.each(g.f.Params(label), g.f.BrArgs(v), func(w *widener, params, args []ir.V) { w.assign(v, params, args) })
	i := slices.IndexFunc(g.open, func(st stage) bool { return st.v == label })
	if to := &g.open[i]; to.op == ir.Loop {
		g.origin = g.f.Val(label).Origin
		g.emit(vcode.Inst{Op: vcode.Step, Masks: g.subs[0].active, Value: label})
		g.subs[0].jump(to.top)
	} else {
		to.arrived = true
		g.subs[0].jump(to.end)
	}
	g.dead = true
}

func (g *workgroup) other() {
	st := &g.open[len(g.open)-1]
	st.arrived, st.second = !g.dead, true
	end := g.newBlock()
	if !g.dead {
		g.subs[0].jump(end)
	}
	g.startBlock(st.end)
	st.end, g.dead = end, false
}

func (g *workgroup) leave() {
	st := g.open[len(g.open)-1]
	g.open = g.open[:len(g.open)-1]
	g.startBlock(st.end)
	switch {
	case st.op == ir.Loop:
		g.dead = true
	case st.op == ir.If && !st.second:
		g.dead = false
	default:
		g.dead = g.dead && !st.arrived
	}
	if st.op == ir.Block && !g.dead {
		g.spread(g.f.Params(st.v))
	}
}
