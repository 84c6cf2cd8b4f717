package ptxlower

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// tree nests the blocks of a function as regions along the dominator tree (Ramsey, "Beyond Relooper", ICFP 2022). A block with several
// forward predecessors follows a labelled region of its immediate dominator, and a branch to it is a br to the label. A block that
// leaves a loop follows the loop:
//
//	header   block exit {        a label for each labelled child;
//	           loop header {     the child that is last in the order
//	             header's code   has the outermost one
//	             block merge {   no barrier of the header's code is in it
//	               …
//	             }
//	             merge's code    br header, br exit
//	           }
//	         }
//	         exit's code
//
// So the threads that diverge at a branch reconverge no later than at its immediate post-dominator if no thread leaves a loop between
// the two, and otherwise after the loop: PTX's rule for targets before sm_70, which later targets permit too.
type tree struct {
	*function
	flow         *flow
	inner, outer [][]int // labelled children of each block in their order; outer: around its loop
	labelled     []bool
	labels       []ir.V // of labelled blocks, and of loops by their header
	loops        []ir.V
}

// structure emits the code of all blocks.
func (f *function) structure() {
	f.reduce()
	n, whole := len(f.blocks), -1
	if f.apart {
		whole = f.all
	}
	t := &tree{function: f, flow: newFlow(f.blocks, whole), inner: make([][]int, n), outer: make([][]int, n), labelled: make([]bool, n), labels: make([]ir.V, n), loops: make([]ir.V, n)}
	for _, v := range t.flow.order[1:] {
		t.place(v)
	}
	for i := range f.blocks {
		slices.SortFunc(t.inner[i], func(x, y int) int { return t.flow.rank[x] - t.flow.rank[y] })
		slices.SortFunc(t.outer[i], func(x, y int) int { return t.flow.rank[x] - t.flow.rank[y] })
	}
	f.countCalls()
	t.emit(0)
}

// place decides where a block is.
func (t *tree) place(v int) {
	parent := t.flow.idom[v]
	forward := 0
	table := false
	for _, p := range t.flow.preds[v] {
		if end := t.blocks[p].end; end == selects || end == guides {
			table = true
		} else if !t.flow.dominates(v, p) {
			for _, s := range t.blocks[p].succs { // both edges of a branch may go to one block
				if s == v {
					forward++
				}
			}
		}
	}
	around := -1 // the header of the outermost loop that v leaves
	for h := t.flow.header[parent]; h >= 0 && !t.flow.contains(h, v); h = t.flow.outer(h) {
		around = h
	}
	switch {
	case around >= 0:
		t.outer[around] = append(t.outer[around], v)
	case forward > 1 || table:
		t.inner[parent] = append(t.inner[parent], v)
	default:
		return
	}
	t.labelled[v] = true
}

// emit emits a block and all that it dominates. The recursion is as deep as the regions are nested.
func (t *tree) emit(v int) {
	if t.depth++; t.depth > maxNesting {
		unsupported(t.f.Pos, "control flow that is nested deeper than %d levels", maxNesting)
	}
	defer func() { t.depth-- }()
	for v >= 0 {
		v = t.region(v)
	}
}

// region emits a block and all that it dominates, but for what follows all its regions: it returns the first block of that, -1 for none.
func (t *tree) region(v int) int {
	inner, outer, loop := t.inner[v], t.outer[v], t.flow.loop[v]
	t.open(outer)
	if loop {
		t.placeLoop(v)
		t.loops[v] = t.b.Loop()
	}
	t.instructions(v)
	t.open(inner)
	if s := t.end(v, !loop && len(inner)+len(outer) == 0); s >= 0 {
		return s
	}
	if !loop && len(outer) == 0 {
		return t.follow(inner)
	}
	if last := t.follow(inner); last >= 0 {
		t.emit(last)
	}
	if loop {
		t.b.End()
	}
	return t.follow(outer)
}

// placeLoop gives the loop of a block the line of its first instruction, as that of a loop which exhausts the budget. A block without
// instructions, which guides threads to others, has the line of the first of them; for independent threads, the line of their spin loop.
func (t *tree) placeLoop(v int) {
	b := &t.blocks[v]
	if b.from == b.to && b.last == nil && len(b.succs) > 0 {
		b = &t.blocks[b.succs[0]]
	}
	if t.apart && v == t.all {
		b = &t.blocks[t.around]
	}
	first := b.last
	if b.from < b.to {
		first = &t.items[b.from]
	}
	if first != nil && !t.ofHeap(t.f) {
		t.b.Origin = int32(first.in.Pos.Line)
	}
}

// open opens the labels of children, the last one first.
func (t *tree) open(children []int) {
	for _, c := range slices.Backward(children) {
		t.labels[c] = t.b.Block()
	}
}

// follow closes the label of each child and emits its code, but for that of the last child, which it returns; -1 for none.
func (t *tree) follow(children []int) int {
	last := -1
	for _, c := range children {
		if last >= 0 {
			t.emit(last)
		}
		t.b.End()
		last = c
	}
	return last
}

// instructions emits the instructions of a block.
func (t *tree) instructions(v int) {
	b := &t.blocks[v]
	t.beginBlock()
	t.beginIndependent(v, t.loops)
	t.countBlock(b)
	for i := range t.items[b.from:b.to] {
		it := &t.items[b.from+i]
		t.countInstruction(it)
		if t.instruction(it); it.in.Op == "call" && t.counts() != nil {
			t.countPart()
		}
	}
	t.countInstruction(b.last)
	if b.last != nil {
		t.b.Origin = int32(b.last.in.Pos.Line)
	}
}

// end emits the branch at the end of a block. If the code of a successor is all that follows in the region, which free tells, it returns
// that successor; -1 otherwise.
func (t *tree) end(v int, free bool) int {
	b := &t.blocks[v]
	switch b.end {
	case jumps:
		return t.lastBranch(v, 0, free)
	case branches:
		taken := t.guard(b.last)
		t.countEdge(taken)
		// No lane reaches the end of an arm. The branch back to a loop is the last one of its body, as passes expect it. Threads that end count
		// before the others go on, to a barrier in the arm. Such an edge is none of those back.
		first, last := 0, 1
		if t.flow.dominates(b.succs[0], v) && !t.flow.dominates(b.succs[1], v) || b.ends[1] && !b.ends[0] {
			first, last, taken = 1, 0, t.b.Op(ir.Not, ir.B1, taken)
		}
		t.b.If(taken)
		t.branch(v, first)
		t.b.End()
		return t.lastBranch(v, last, free)
	case selects:
		e := &emitter{function: t.function, in: b.last.in, item: b.last, scope: b.last.at}
		var x ir.V
		sure := t.separately(func() { x = e.read(b.last.in.Operands[0], ir.I32) })
		e.checkSure(sure, "the index")
		e.checkTable(x, len(b.succs))
		t.table(v, x)
	case guides:
		t.table(v, t.b.OpAux(ir.PLd, ir.I32, b.guide, t.b.I32(0)))
	case leaves:
		return t.exit(v, free)
	}
	return -1
}

// lastBranch is branch for the last edge of a block. It returns the successor if that has to be emitted next; -1 otherwise.
func (t *tree) lastBranch(v, k int, free bool) int {
	if s := t.blocks[v].succs[k]; free && !t.labelled[s] && !t.flow.dominates(s, v) {
		t.takeEdge(&t.blocks[v], k)
		return s
	}
	t.branch(v, k)
	return -1
}

// exit emits a ret or an exit, with a guard or without. It returns the results of end.
func (t *tree) exit(v int, free bool) int {
	b := &t.blocks[v]
	if len(b.succs) > 0 {
		taken := t.guard(b.last)
		t.countEdge(taken)
		t.b.If(taken)
	}
	t.function.leave()
	if t.number == 0 || b.last != nil && b.last.in.Op == "exit" {
		t.traceEnd(b.last)
		if !b.past { // otherwise it has counted as ended
			t.endThread()
		}
	}
	if b.last != nil && b.last.in.Op == "exit" && t.number > 0 {
		t.b.Emit(ir.Val{Op: ir.Kill})
	} else {
		t.b.Return()
	}
	if len(b.succs) == 0 {
		return -1
	}
	t.b.End()
	return t.lastBranch(v, 0, free)
}

// table emits a branch to the successor with number x. A number without one takes the last.
func (t *tree) table(v int, x ir.V) {
	succs := t.blocks[v].succs
	if len(succs) == 0 {
		malformed(t.blocks[v].last.in.Pos, "the table of the branch is empty")
	}
	if b := &t.blocks[v]; b.sets != nil || b.ends != nil || b.spins != nil || slices.ContainsFunc(succs, func(s int) bool { return t.flow.dominates(s, v) }) {
		t.chain(v, x)
		return
	}
	cases := make([]ir.Case, len(succs))
	for i, s := range succs {
		cases[i] = ir.Case{Value: uint64(i), Label: t.labels[s]}
	}
	t.b.Switch(x, cases[len(cases)-1].Label, cases[:len(cases)-1])
}

// chain is table with comparisons: a switch has no edge to a loop, and sets nothing.
func (t *tree) chain(v int, x ir.V) {
	n := len(t.blocks[v].succs)
	for i := range n - 1 {
		t.b.If(t.b.Cmp(ir.Eq, x, t.b.I32(uint32(i))))
		t.branch(v, i)
		t.b.Else()
	}
	t.branch(v, n-1)
	for range n - 1 {
		t.b.End()
	}
}

// branch emits edge k of a block: a br to a label or a loop, or the successor's code in its place.
func (t *tree) branch(v, k int) {
	s := t.blocks[v].succs[k]
	t.takeEdge(&t.blocks[v], k)
	switch {
	case t.flow.dominates(s, v):
		if t.loops[s] == 0 {
			unsupported(t.f.Pos, "this control flow")
		}
		t.b.Br(t.loops[s])
	case t.labelled[s]:
		t.b.Br(t.labels[s])
	default:
		t.emit(s)
	}
}
