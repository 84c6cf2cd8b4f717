package vectorize

import (
	"math/bits"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// turns says which phases are loops over the subgroups: those that get nothing
// from another phase, and leave nothing to one, that a subgroup would have to
// keep. Others are written out for each subgroup, so that what they keep can
// stay in registers.
type turns struct {
	phase   []int32 // of each value: the place of its phase's first operation, or none
	place   []int32 // of each value in the code
	cheap   []bool  // values that any phase can make for itself
	crosses []bool  // values that are read in another phase, or on the spine
}

const none = -1

// minTurns is how many operations of all subgroups together are worth a loop.
const minTurns = 96

// survey finds what phases get from each other.
func (g *workgroup) survey() {
	n := len(g.f.Vals)
	t := &g.turns
	t.phase, t.place = slices.Repeat([]int32{none}, n), make([]int32, n)
	t.cheap, t.crosses = make([]bool, n), make([]bool, n)
	inside := 0
	current := int32(none)
	var open []bool
	for i, v := range g.f.Code {
		x := g.f.Val(v)
		spine := inside == 0
		switch x.Op {
		case ir.Block, ir.Loop, ir.If:
			open = append(open, g.on[v])
			spine = g.on[v]
			if !spine {
				inside++
			}
		case ir.End:
			spine = open[len(open)-1]
			if !spine {
				inside--
			}
			open = open[:len(open)-1]
		case ir.Else:
			spine = open[len(open)-1]
		case ir.Br, ir.Barrier:
		default:
			spine = false
		}
		if spine {
			current = none
		} else if current == none {
			current = int32(i)
		}
		t.place[v] = int32(i)
		t.phase[v] = current
		if x.Op == ir.Block || x.Op == ir.Loop {
			for _, p := range g.f.Params(v) {
				t.phase[p] = current
			}
		}
		t.cheap[v] = inside == 0 && current != none && g.cheapOf(x)
		g.f.Operands(v, func(a ir.V) { t.crosses[a] = t.crosses[a] || current == none || t.phase[a] != current })
	}
}

// cheapOf reports whether an operation can be done again.
func (g *workgroup) cheapOf(x *ir.Val) bool {
	if !x.Op.HasResult() || x.Op.Is(ir.Meets) || x.Op.Is(ir.Writes) || x.Op.Is(ir.Reads) || x.Op == ir.PAddr || !pure(x.Op) {
		return false
	}
	for i := range x.Op.Args() {
		if !g.ready(x.Args[i]) {
			return false
		}
	}
	return true
}

// ready reports whether every phase can have a value.
func (g *workgroup) ready(v ir.V) bool {
	return g.shared[v] || g.turns.cheap[v] || g.f.Val(v).Op == ir.Const
}

// inTurns reports whether a phase, which begins at a place, is to be a loop.
func (g *workgroup) inTurns(at int, code []ir.V) bool {
	if g.partial || len(g.subs) == 1 || len(code)*len(g.subs) < minTurns {
		return false
	}
	for _, v := range code {
		x := g.f.Val(v)
		if x.Op == ir.Loop || x.Op.Family() == ir.PrivateMemory {
			return false
		}
		if g.turns.crosses[v] && !g.ready(v) {
			return false
		}
		if x.Op == ir.Block && slices.ContainsFunc(g.f.Params(v), func(p ir.V) bool { return g.turns.crosses[p] }) {
			return false
		}
		ok := true
		g.f.Operands(v, func(a ir.V) {
			ok = ok && (g.turns.phase[a] == int32(at) && !g.shared[v] || g.ready(a))
		})
		if !ok {
			return false
		}
	}
	return true
}

// reads makes a subgroup's widener have the values that code reads and that it
// can make for itself, but for those of the code. It returns those that it made.
func (g *workgroup) reads(w *widener, code []ir.V) []ir.V {
	var list []ir.V
	for _, v := range code {
		g.f.Operands(v, func(a ir.V) {
			if !w.has(a) && (g.turns.phase[a] == none || g.turns.phase[a] != g.turns.phase[code[0]]) {
				list = append(list, a)
			}
		})
	}
	return g.want(w, list)
}

// want makes a subgroup's widener have values, as far as it can make them for
// itself. It returns those that it made.
func (g *workgroup) want(w *widener, list []ir.V) (made []ir.V) {
	seen := map[ir.V]bool{}
	read := func(a ir.V) {
		if !seen[a] && !w.has(a) && (g.shared[a] || g.turns.cheap[a]) {
			seen[a] = true
			made = append(made, a)
		}
	}
	for _, v := range list {
		read(v)
	}
	for i := 0; i < len(made); i++ {
		v := made[i]
		if !g.shared[v] {
			g.f.Operands(v, read)
		}
	}
	slices.SortFunc(made, func(a, b ir.V) int { return int(g.turns.place[a] - g.turns.place[b]) })
	for _, v := range made {
		if g.shared[v] {
			w.values[v] = g.subs[0].values[v]
		} else {
			w.step(v)
		}
	}
	return made
}

// has reports whether a value lives anywhere.
func (w *widener) has(v ir.V) bool { return w.values[v] != nil && w.values[v].vec != nil }

// forget makes a widener not have values: where it made them may not be on the
// way to where they are read next.
func forget(w *widener, list []ir.V) {
	for _, v := range list {
		w.values[v] = nil
	}
}

// turn widens a phase as a loop over the subgroups, and returns false where lanes
// got lost.
func (g *workgroup) turn(code []ir.V) bool {
	for _, v := range code {
		if g.shared[v] {
			g.subs[0].step(v)
		}
	}
	if !slices.ContainsFunc(code, func(v ir.V) bool { return g.f.Val(v).Op.Is(ir.Writes) || g.f.Val(v).Flags&ir.Volatile != 0 }) {
		return true // what it makes is made again where it is read
	}
	w := *g.subs[0]
	w.values, w.regions = make([]*value, len(g.f.Vals)), make([]*region, len(g.f.Vals))
	for _, v := range code {
		if !g.shared[v] {
			continue
		}
		w.values[v] = g.subs[0].values[v]
		for _, other := range g.subs[1:] {
			other.values[v] = w.values[v]
		}
	}
	w.index = w.dst.NewReg(vcode.Gen)
	w.emit(vcode.Inst{Op: vcode.Copy, Defs: []vcode.Reg{w.index}, Uses: []vcode.Reg{w.zero}})
	top, end := w.newBlock(), w.newBlock()
	w.startBlock(top)
	g.guard(&w, code, end)
	g.reads(&w, code)
	w.open = []*region{{op: ir.Block}}
	for _, v := range code {
		if !g.shared[v] {
			w.step(v)
		}
	}
	w.again(top, uint64(w.p.SubgroupSize), uint64(w.p.Invocations()))
	w.startBlock(end)
	return len(w.open) == 1 && slices.Equal(w.active, g.subs[0].active)
}

// again adds a step to the index and goes to a block unless that is all.
func (w *widener) again(top int, step, all uint64) {
	key := func(t ir.Type) ir.Key { return ir.Key{Type: t, From: ir.I32} }
	through := w.dst.NewReg(vcode.Gen)
	w.emit(vcode.Inst{Op: vcode.Scalar, IR: ir.Add, Key: key(ir.I32), Defs: []vcode.Reg{w.index}, Uses: []vcode.Reg{w.index, w.dst.NewConst(vcode.Gen, step)}})
	w.emit(vcode.Inst{Op: vcode.Scalar, IR: ir.Eq, Key: key(ir.B1), Defs: []vcode.Reg{through}, Uses: []vcode.Reg{w.index, w.dst.NewConst(vcode.Gen, all)}})
	w.emit(vcode.Inst{Op: vcode.JumpIfZero, Uses: []vcode.Reg{through}, Target: top})
	w.startBlock(w.newBlock())
}

// furtherOn is what a built-in that differs between the lanes of the strip reads in
// turns: how many lanes further the turn begins.
func (w *widener) furtherOn(x *ir.Val) []vcode.Reg {
	if x.Op != ir.In || w.over == 0 || w.p.In[x.Aux].Semantic.Rate() <= ir.PerGroup {
		return nil
	}
	return []vcode.Reg{w.index}
}

// guard leaves a loop over the subgroups for end where neither this one nor those
// behind it do anything: where all that a phase does is in an if for invocations
// up to one.
func (g *workgroup) guard(w *widener, code []ir.V, end int) {
	only := ir.V(0)
	depth := 0
	for _, v := range code {
		x := g.f.Val(v)
		switch {
		case x.Op == ir.If && depth == 0 && only == 0:
			only = v
			depth++
		case x.Op == ir.If, x.Op == ir.Block:
			if depth == 0 {
				return
			}
			depth++
		case x.Op == ir.End:
			depth--
		case depth == 1 && x.Op == ir.Else:
			return
		case depth == 0 && (!x.Op.HasResult() || x.Op.Is(ir.Writes) || x.Op.Is(ir.Meets)):
			return
		}
	}
	if only == 0 {
		return
	}
	c := g.f.Val(g.f.Val(only).Args[0])
	a, b := c.Args[0], c.Args[1]
	op := c.Op
	switch {
	case c.Op == ir.Eq && g.f.Type(a) == ir.I32:
		if op = ir.ULe; g.isIndex(b) {
			a, b = b, a
		}
	case c.Op != ir.ULt && c.Op != ir.ULe || g.f.Type(a) != ir.I32:
		return
	}
	if !g.isIndex(a) || !g.shared[b] && g.f.Val(b).Op != ir.Const {
		return
	}
	some := w.dst.NewReg(vcode.Gen)
	w.emit(vcode.Inst{Op: vcode.Scalar, IR: op, Key: ir.Key{Type: ir.B1, From: ir.I32}, Defs: []vcode.Reg{some}, Uses: []vcode.Reg{w.index, g.subs[0].gen(b)}})
	w.emit(vcode.Inst{Op: vcode.JumpIfZero, Uses: []vcode.Reg{some}, Target: end})
	w.startBlock(w.newBlock())
}

// isIndex reports whether a value is an invocation's index in its workgroup.
func (g *workgroup) isIndex(v ir.V) bool {
	x := g.f.Val(v)
	if x.Op != ir.In || x.Type != ir.I32 {
		return false
	}
	sem := g.p.In[x.Aux].Semantic
	return sem == ir.LocalInvocationIndex || sem == ir.LocalInvocationIdX && g.p.LocalSize[1] == 1 && g.p.LocalSize[2] == 1
}

// identityInTurn is identity in a loop over the subgroups: index is that of the
// subgroup's first invocation.
func (w *widener) identityInTurn(v ir.V, s shape, sem ir.Semantic) {
	x, in := w.value(v), w.src.Val(v)
	scalar := func(op ir.Op, u, k vcode.Reg) vcode.Reg {
		r := w.dst.NewReg(vcode.Gen)
		w.emit(vcode.Inst{Op: vcode.Scalar, IR: op, Key: ir.Key{Type: ir.I32, From: ir.I32}, Defs: []vcode.Reg{r}, Uses: []vcode.Reg{u, k}})
		return r
	}
	first := func(part int) vcode.Reg {
		at := w.index
		if part > 0 && sem != ir.SubgroupId {
			at = scalar(ir.Add, at, w.dst.NewConst(vcode.Gen, uint64(part*w.dst.Form.Lanes)))
		}
		switch sem {
		case ir.SubgroupId:
			return scalar(ir.LShr, at, w.dst.NewConst(vcode.Gen, uint64(bits.TrailingZeros32(w.p.SubgroupSize))))
		case ir.LocalInvocationIndex:
			return at
		case ir.LocalInvocationIdX, ir.LocalInvocationIdY:
			if r, ok := w.coordinate(at, int(sem-ir.LocalInvocationIdX), scalar); ok {
				return r
			}
		case ir.GlobalInvocationIdX, ir.GlobalInvocationIdY:
			if r, ok := w.coordinate(at, int(sem-ir.GlobalInvocationIdX), scalar); ok {
				if k, constant := w.dst.Const(r); constant && k == 0 {
					return w.group.start[in.Aux]
				}
				return scalar(ir.Add, w.group.start[in.Aux], r)
			}
		}
		r := w.dst.NewReg(vcode.Gen)
		w.emit(vcode.Inst{Op: vcode.InputBase, IR: in.Op, Key: w.src.Key(v), Part: uint8(part), Defs: []vcode.Reg{r}, Uses: []vcode.Reg{w.index}})
		return r
	}
	if s.kind == uniform {
		x.gen = first(0)
		w.broadcast(v, x)
		return
	}
	if s.kind == row {
		for p := range w.apart(s) {
			x.rows[p] = first(p)
		}
		if s.regular {
			x.rows = w.all(x.rows[0])
		}
		w.words(v, x)
	}
	for p := range w.parts {
		w.emit(vcode.Inst{
			Op: vcode.Lane, IR: in.Op, Key: w.src.Key(v), Value: v, Part: uint8(p), Masks: w.active[p : p+1],
			Defs: x.vec[p : p+1], Merging: w.keeps(v), Uses: []vcode.Reg{w.index},
		})
	}
}

// coordinate makes x (0) or y (1) of the invocation with an index, the first of a
// part, and reports whether that takes no division.
func (w *widener) coordinate(at vcode.Reg, axis int, scalar func(op ir.Op, u, k vcode.Reg) vcode.Reg) (vcode.Reg, bool) {
	width, lanes := w.p.LocalSize[0], uint32(w.dst.Form.Lanes)
	line, plane := w.p.LocalSize[1] == 1 && w.p.LocalSize[2] == 1, w.p.LocalSize[2] == 1
	switch {
	case axis == 0 && line:
		return at, true
	case axis == 0 && lanes%width == 0: // where lines begin
		return w.dst.NewConst(vcode.Gen, 0), true
	case axis == 1 && line:
		return w.dst.NewConst(vcode.Gen, 0), true
	case bits.OnesCount32(width) != 1:
	case axis == 0:
		return scalar(ir.And, at, w.dst.NewConst(vcode.Gen, uint64(width-1))), true
	case plane:
		return scalar(ir.LShr, at, w.dst.NewConst(vcode.Gen, uint64(bits.TrailingZeros32(width)))), true
	}
	return 0, false
}
