package vectorize

import (
	"math"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/jit/vcode"
)

// Joined phases
//
// A value of each invocation that lives across a barrier keeps the phases on both sides from being work-item
// loops. The barrier needs no effect if the subgroups, last one first, can execute both phases one after the
// other (loop fusion of parallel regions). This is the prefix sum of Hillis and Steele 1986:
//
//	v = s[l]                                   for the subgroups from the last to the first:
//	if d <= l { v = v + s[l - d] }                v = s[l]
//	barrier                              →        if d <= l { v = v + s[l - d] }
//	s[l] = v                                      s[l] = v
//
// l is the index of the invocation. The order is legal if each invocation writes only to a cell of its own,
// and reads only this cell and, in a phase before that of the writes, those of invocations before it: their
// subgroups have not written yet.
//
// The condition d <= l is true in all lanes of the first subgroups of this order, so the loop splits in two
// (index set splitting): one without masks while the first lane fulfils it, and one for the rest. If the phases only
// store what they loaded where it is false, the second loop ends at the first subgroup without an active lane:
//
//	subgroup of 4 lanes       l = 12–15   8–11     4–7           0–3
//	d = 6                     no masks    no masks  masks         not executed
//
// In the first loop l - d cannot wrap, so that accesses to s[l-d] are proven to be in range.

// cell is an access to workgroup memory: size bytes at start + l·stride, of the invocation with index l or, if
// below, of one that is not after it.
type cell struct {
	start, stride, size uint64
	write, below        bool
	phase               int // barriers before it
}

// armFact is a condition that the active lanes fulfil, or do not.
type armFact struct {
	condition ir.V
	is        bool
}

// joinPhases finds the barriers between phases that are joined.
func (g *workgroup) joinPhases() {
	g.dissolved = map[ir.V]bool{}
	if g.partial || len(g.subs) == 1 {
		return
	}
	code := g.f.Code
	for i := 1; i < len(code)-1; i++ {
		// A phase ends right before the barrier, and another one begins right after it. Without a value between
		// them both are loops already.
		if g.f.Val(code[i]).Op != ir.Barrier {
			continue
		}
		at := g.phases.phase[code[i-1]]
		if at == noPart || g.phases.phase[code[i+1]] != int32(i+1) || !g.carries(code[at:i]) {
			continue
		}
		both := code[at:g.phaseEnd(i+1, false)]
		if !g.canRunBackwards(both) {
			continue
		}
		// As one phase, they may still have a value that lives longer.
		g.dissolved[code[i]] = true
		if g.surveyPhases(); !g.loopable(int(at), both) {
			delete(g.dissolved, code[i])
			g.surveyPhases()
		}
	}
}

// carries reports whether a later phase reads a value of a phase that it cannot compute again.
func (g *workgroup) carries(code []ir.V) bool {
	crosses := func(v ir.V) bool { return g.phases.crossPhase[v] && !g.available(v) }
	return slices.ContainsFunc(code, func(v ir.V) bool {
		return crosses(v) || g.f.Val(v).Op == ir.Block && slices.ContainsFunc(g.f.Params(v), crosses)
	})
}

// isJoined reports whether a phase is several ones without their barriers.
func (g *workgroup) isJoined(code []ir.V) bool {
	return len(g.dissolved) > 0 && slices.ContainsFunc(code, func(v ir.V) bool { return g.dissolved[v] })
}

// canRunBackwards reports whether the subgroups, from the last to the first, can execute phases with barriers
// between them as one phase, with no observable difference.
func (g *workgroup) canRunBackwards(code []ir.V) bool {
	// Operations that lanes execute together, atomics and stores to other memory have effects in an order that other
	// subgroups may see.
	var cells []cell
	phase := 0
	ok := g.eachInArm(code, func(v ir.V, facts []armFact) bool {
		x := g.f.Val(v)
		switch {
		case x.Op == ir.Barrier:
			phase++
			return true
		case x.Op == ir.Ld && x.Flags&(ir.Volatile|ir.Coherent) == 0:
			if g.f.Val(x.Args[0]).Op != ir.Wg {
				return true // the phases store to workgroup memory only, which no address reaches
			}
		case x.Op == ir.St && x.Flags&(ir.Volatile|ir.Coherent) == 0:
			if g.f.Val(x.Args[0]).Op != ir.Wg {
				return false
			}
		default:
			return !x.Op.Is(ir.Writes) && !x.Op.Is(ir.Meets) && x.Op != ir.Loop && x.Op != ir.Switch && x.Flags&ir.Volatile == 0
		}
		c, ok := g.cellOf(x, facts)
		c.phase = phase
		cells = append(cells, c)
		return ok
	})
	if !ok {
		return false
	}
	for _, w := range cells {
		if w.write && (w.below || slices.ContainsFunc(cells, func(c cell) bool { return g.meets(w, c) })) {
			return false
		}
	}
	return true
}

// eachInArm calls do for each operation of a phase with the conditions of the ifs around it, and reports
// whether do always returned true.
func (g *workgroup) eachInArm(code []ir.V, do func(v ir.V, facts []armFact) bool) bool {
	type region struct {
		opener ir.V
		facts  int // of the regions around it
		second bool
	}
	var open []region
	var facts []armFact
	for i, v := range code {
		x := g.f.Val(v)
		if !do(v, facts) {
			return false
		}
		switch x.Op {
		case ir.Block, ir.If:
			open = append(open, region{opener: v, facts: len(facts)})
			if x.Op == ir.If {
				facts = append(facts, armFact{x.Args[0], true})
			}
		case ir.Else:
			r := &open[len(open)-1]
			r.second = true
			facts = append(facts[:r.facts], armFact{g.f.Val(r.opener).Args[0], false})
		case ir.End:
			r := open[len(open)-1]
			open, facts = open[:len(open)-1], facts[:r.facts]
			// Code after an if in the same block has a fact if its only arm leaves the block.
			if y := g.f.Val(r.opener); y.Op == ir.If && !r.second && g.f.Val(code[i-1]).Op.Is(ir.Ends) {
				facts = append(facts, armFact{y.Args[0], false})
			}
		}
	}
	return true
}

// cellOf returns the cell that a load or store of workgroup memory accesses, and whether it is known.
func (g *workgroup) cellOf(x *ir.Val, facts []armFact) (c cell, ok bool) {
	index, stride, start, ok := g.scaledIndex(x.Args[1])
	if !ok {
		return c, false
	}
	c = cell{start: start + x.Aux, stride: stride, size: uint64(x.Type.Bits()+7) / 8, write: x.Op == ir.St}
	if c.start+c.stride*uint64(g.p.Invocations())+c.size > math.MaxInt32 {
		return c, false // its offset may saturate
	}
	if g.isInvocationIndex(index) {
		return c, true
	}
	c.below = slices.ContainsFunc(facts, func(f armFact) bool {
		_, _, is, ok := g.leastIndex(f.condition)
		return ok && is == f.is && g.isGuarded(index, f.condition)
	})
	return c, c.below
}

// scaledIndex returns the parts of an offset start + index·stride.
func (g *workgroup) scaledIndex(v ir.V) (index ir.V, stride, start uint64, ok bool) {
	x := g.f.Val(v)
	a, b := g.f.Val(x.Args[0]), g.f.Val(x.Args[1])
	switch {
	case x.Op == ir.At && a.Op == ir.Const:
		return x.Args[1], x.Aux, a.Aux, true
	case x.Op == ir.Shl && x.Type == ir.I32 && b.Op == ir.Const && b.Aux <= maxCellShift:
		return x.Args[0], 1 << b.Aux, 0, true
	}
	return 0, 0, 0, false
}

// maxCellShift is the binary logarithm of the largest distance of cells, in bytes, in an offset that is a shift.
const maxCellShift = 8

// isGuarded reports whether a value is l - d, and the invocations that fulfil a condition, or if leastIndex says so its
// negation, have l >= d.
func (g *workgroup) isGuarded(v ir.V, condition ir.V) bool {
	x := g.f.Val(v)
	if x.Op != ir.Sub && x.Op != ir.Add || x.Type != ir.I32 || !g.isInvocationIndex(x.Args[0]) {
		return false
	}
	least, strict, _, _ := g.leastIndex(condition)
	if x.Op == ir.Sub && x.Args[1] == least {
		return true
	}
	d, from := g.f.Val(x.Args[1]), g.f.Val(least)
	if d.Op != ir.Const || from.Op != ir.Const {
		return false
	}
	// The least index is a constant too: unrolled prefix sums.
	distance, first := d.Aux, from.Aux
	if x.Op == ir.Add {
		distance = uint64(uint32(-d.Aux)) // l + (2³² - distance)
	}
	if strict {
		first++
	}
	return distance <= first && first <= math.MaxInt32
}

// leastIndex returns the least invocation index that fulfils a condition, least or least + 1 if strict; is is
// false if it is the condition's negation that these invocations fulfil. ok reports whether it is such a
// condition.
func (g *workgroup) leastIndex(condition ir.V) (least ir.V, strict, is, ok bool) {
	x := g.f.Val(condition)
	if x.Op == ir.Not {
		least, strict, is, ok = g.leastIndex(x.Args[0])
		return least, strict, !is, ok
	}
	a, b := x.Args[0], x.Args[1]
	switch {
	case x.Op == ir.Eq && g.isInvocationIndex(a) && g.f.Val(b).Op == ir.Const && g.f.Val(b).Aux == 0:
		return b, true, false, true // as l <= 0
	case x.Op != ir.ULt && x.Op != ir.ULe || g.f.Type(a) != ir.I32:
		return 0, false, false, false
	case g.isInvocationIndex(b):
		return a, x.Op == ir.ULt, true, true
	case g.isInvocationIndex(a):
		return b, x.Op == ir.ULe, false, true
	}
	return 0, false, false, false
}

// meets reports whether a cell that an invocation writes may share a byte with a cell of another invocation.
func (g *workgroup) meets(w, c cell) bool {
	// Cells of invocations that are not after another one are in the same array.
	last := uint64(g.p.Invocations()-1) * max(w.stride, c.stride)
	if w.start+last+w.size <= c.start || c.start+last+c.size <= w.start {
		return false // of different arrays
	}
	// With one stride each invocation has a window of that length, and all its cells are in it.
	return c.below && w.phase <= c.phase || w.stride != c.stride || max(w.start+w.size, c.start+c.size)-min(w.start, c.start) > w.stride
}

// splitCondition returns a condition of an if of a phase that an invocation fulfils from a common least index
// on.
func (g *workgroup) splitCondition(code []ir.V) (condition ir.V, ok bool) {
	for _, v := range code {
		x := g.f.Val(v)
		if x.Op != ir.If {
			continue
		}
		if least, _, _, ok := g.leastIndex(x.Args[0]); ok && g.available(least) && (g.once[least] || g.f.Val(least).Op == ir.Const) {
			return x.Args[0], true
		}
	}
	return 0, false
}

// loopDown emits joined phases as work-item loops from the last subgroup to the first. It returns false if the
// phases end with other active lanes than they began with.
func (g *workgroup) loopDown(code []ir.V) bool {
	first, size := g.subs[0], uint64(g.p.SubgroupSize)
	index := first.dst.NewReg(vcode.Gen)
	scalar := func(op ir.Op, t ir.Type, a, b vcode.Reg) vcode.Reg {
		r := first.dst.NewReg(vcode.Gen)
		first.emit(vcode.Inst{Op: vcode.Scalar, IR: op, Key: ir.Key{Type: t, From: ir.I32}, Defs: []vcode.Reg{r}, Uses: []vcode.Reg{a, b}})
		return r
	}
	down := uint64(uint32(-size)) // minus the size, modulo 2³²
	first.emit(vcode.Inst{Op: vcode.Copy, Defs: []vcode.Reg{index}, Uses: []vcode.Reg{first.dst.NewConst(vcode.Gen, uint64(g.p.Invocations())-size)}})
	end := first.newBlock()
	if condition, ok := g.splitCondition(code); ok {
		least, strict, is, _ := g.leastIndex(condition)
		// The bound leaves the last subgroup to the second loop, so that the index does not wrap here.
		// Both comparisons jump if they are false: the index is low or more, or more than it if strict.
		op, bound := ir.ULt, size
		if strict {
			op, bound = ir.ULe, size-1
		}
		low := scalar(ir.UMax, ir.I32, first.gen(least), first.dst.NewConst(vcode.Gen, bound))
		top, rest := first.newBlock(), first.newBlock()
		some := scalar(op, ir.B1, index, low)
		first.emit(vcode.Inst{Op: vcode.JumpIfZero, Uses: []vcode.Reg{some}, Target: top})
		first.startBlock(first.newBlock())
		first.jump(rest)
		first.startBlock(top)
		w := g.itemVectorizer(code, index)
		w.knownConditions = map[ir.V]bool{condition: is}
		w.atMostMinuend = g.guardedDifferences(code, condition)
		if !g.stepItem(w, code) {
			return false
		}
		first.emit(vcode.Inst{Op: vcode.Scalar, IR: ir.Add, Key: ir.Key{Type: ir.I32, From: ir.I32}, Defs: []vcode.Reg{index}, Uses: []vcode.Reg{index, first.dst.NewConst(vcode.Gen, down)}})
		some = scalar(op, ir.B1, index, low)
		first.emit(vcode.Inst{Op: vcode.JumpIfZero, Uses: []vcode.Reg{some}, Target: top})
		first.startBlock(rest)
	}
	// The loop for the rest begins at the index that the first one left.
	top := first.newBlock()
	first.startBlock(top)
	if condition, ok := g.splitCondition(code); ok && g.idleUnless(code, condition) {
		least, strict, _, _ := g.leastIndex(condition)
		op := ir.ULe
		if strict {
			op = ir.ULt
		}
		last := scalar(ir.Add, ir.I32, index, first.dst.NewConst(vcode.Gen, size-1))
		first.emit(vcode.Inst{Op: vcode.JumpIfZero, Uses: []vcode.Reg{scalar(op, ir.B1, first.gen(least), last)}, Target: end})
		first.startBlock(first.newBlock())
	}
	w := g.itemVectorizer(code, index)
	if !g.stepItem(w, code) {
		return false
	}
	w.loopBack(top, down, down)
	w.startBlock(end)
	return true
}

// idleUnless reports whether phases change no memory if no lane is at or after the least index of a condition:
// they store what they loaded.
func (g *workgroup) idleUnless(code []ir.V, condition ir.V) bool {
	// The walk executes the phases with the condition of no lane, as the interpreter would, without values. A store
	// that it reaches must write a value that was loaded from the same place; earlier stores changed nothing.
	_, _, is, _ := g.leastIndex(condition)
	same := map[ir.V]ir.V{} // by parameter: the value that it gets
	var skipTo, inside ir.V // the label to leave, or the if whose arm is not taken
	var open []ir.V
	for _, v := range code {
		x := g.f.Val(v)
		switch x.Op {
		case ir.Block, ir.If:
			open = append(open, v)
			switch {
			case skipTo != 0 || inside != 0 || x.Op == ir.Block:
			case x.Args[0] != condition:
				return false
			case is:
				inside = v
			}
		case ir.Else:
			switch v := open[len(open)-1]; {
			case skipTo != 0:
			case inside == v:
				inside = 0
			case inside == 0:
				inside = v
			}
		case ir.End:
			v := open[len(open)-1]
			open = open[:len(open)-1]
			if skipTo == v {
				skipTo = 0
			}
			if inside == v {
				inside = 0
			}
		case ir.Br:
			if skipTo != 0 || inside != 0 {
				break
			}
			skipTo = x.Args[0]
			for i, p := range g.f.Params(skipTo) {
				same[p] = g.f.BrArgs(v)[i]
			}
		case ir.St:
			if skipTo != 0 || inside != 0 {
				break
			}
			from := x.Args[2]
			for same[from] != 0 {
				from = same[from]
			}
			if y := g.f.Val(from); y.Op != ir.Ld || g.f.Val(y.Args[0]).Op != ir.Wg || y.Args[1] != x.Args[1] || y.Aux != x.Aux || y.Type != x.Type || !slices.Contains(code, from) {
				return false
			}
		}
	}
	return true
}

// guardedDifferences returns the differences l - d of a phase that do not wrap if all lanes fulfil d <= l.
func (g *workgroup) guardedDifferences(code []ir.V, condition ir.V) map[ir.V]bool {
	list := map[ir.V]bool{}
	for _, v := range code {
		if g.isGuarded(v, condition) {
			list[v] = true
		}
	}
	return list
}
