package ptxlower

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// reduce makes the graph of the blocks reducible: for each cycle with several entries it adds a guide, which all edges to the entries
// enter and which branches to the one that a variable names. Compare LLVM's FixIrreducible.
//
//	a ──► x ◄──► y ◄── b        a ──► g ◄── b      k ← 0 on the edges to x, 1 on those to y
//	                                ↙   ↘
//	                               x     y         their edges to each other enter g too
func (f *function) reduce() {
	if reducible(f.blocks) {
		return
	}
	x := f.newReducer()
	all := make([]int, len(f.blocks))
	for i := range all {
		all[i] = i
	}
	type level struct {
		nodes []int
		depth int
	}
	work := []level{{all, 1}}
	for len(work) > 0 {
		outer := work[len(work)-1]
		work = work[:len(work)-1]
		if outer.depth > maxCycles {
			unsupported(f.f.Pos, "irreducible control flow with cycles that are nested deeper than %d levels", maxCycles)
		}
		for _, cycle := range x.cycles(outer.nodes) {
			entries := x.entries(cycle)
			header := entries[0]
			if len(entries) > 1 {
				header = x.addGuide(entries)
			}
			var inner []int
			for _, v := range cycle {
				if v != header {
					inner = append(inner, v)
				}
			}
			work = append(work, level{inner, outer.depth + 1})
		}
	}
}

// maxCycles bounds the nesting of cycles in an irreducible graph: each level is a search of all that is in it.
const maxCycles = 1 << 10

// reducer is the state of reduce. The slices are indexed by the number of a block.
type reducer struct {
	*function
	preds    [][]int
	member   []int // the number of the last cycle of entries with the block
	cycle    int
	in       []int // the number of the last search with the block
	index    []int // in the search, from 1
	low      []int
	on       []bool // the stack
	searches int
	count    int
	stack    []int
	found    [][]int
}

// newReducer returns the state for the blocks.
func (f *function) newReducer() *reducer {
	x := &reducer{function: f}
	for range f.blocks {
		x.grow()
	}
	for i := range f.blocks {
		for _, s := range f.blocks[i].succs {
			x.preds[s] = append(x.preds[s], i)
		}
	}
	return x
}

// grow adds a block to the slices.
func (x *reducer) grow() {
	x.preds, x.member, x.in = append(x.preds, nil), append(x.member, 0), append(x.in, 0)
	x.index, x.low, x.on = append(x.index, 0), append(x.low, 0), append(x.on, false)
}

// reducible reports whether each back edge of a depth-first search enters a block that dominates the one it leaves. Otherwise some cycle
// has several entries.
func reducible(blocks []block) bool {
	n := len(blocks)
	a := &flow{rank: make([]int, n), idom: make([]int, n), preds: make([][]int, n)}
	a.search(blocks, nil)
	a.dominate(blocks)
	for _, v := range a.order {
		for _, s := range blocks[v].succs {
			if a.rank[s] <= a.rank[v] && !a.dominates(s, v) {
				return false
			}
		}
	}
	return true // no block that the first one does not reach has code
}

// entries returns the nodes of a cycle that edges from outside enter, and the first block.
func (x *reducer) entries(cycle []int) (list []int) {
	x.cycle++
	for _, v := range cycle {
		x.member[v] = x.cycle
	}
	for _, v := range cycle {
		if v == 0 || slices.ContainsFunc(x.preds[v], func(p int) bool { return x.member[p] != x.cycle }) {
			list = append(list, v)
		}
	}
	if list == nil { // no block reaches it
		list = cycle[:1]
	}
	slices.Sort(list)
	return list
}

// addGuide adds a guide to the entries, and lets all edges to them enter it.
func (x *reducer) addGuide(entries []int) int {
	g := len(x.blocks)
	guide := block{end: guides, succs: slices.Clone(entries), guide: x.variable("guide", 1)}
	x.prog.Vars[guide.guide].Func = x.number
	x.grow()
	numbers, seen := map[int]int{}, map[int]bool{} // of the entries; the predecessors, each of which may have edges to many entries
	for n, v := range entries {
		numbers[v] = n
	}
	for _, v := range entries {
		for _, p := range x.preds[v] {
			if seen[p] {
				continue
			}
			seen[p] = true
			b := &x.blocks[p]
			for k, s := range b.succs {
				n, ok := numbers[s]
				if !ok {
					continue
				}
				if b.sets == nil {
					b.sets = map[int]setting{}
				}
				b.succs[k], b.sets[k] = g, setting{guide.guide, uint32(n)}
				x.preds[g] = append(x.preds[g], p)
			}
		}
		x.preds[v] = []int{g}
	}
	x.blocks = append(x.blocks, guide)
	return g
}

// takeEdge sets the variable of the guide that edge k of a block enters, notes the ways through spin loops, and counts threads as ended.
func (f *function) takeEdge(b *block, k int) {
	f.goAround(b, k)
	if b.ends[k] {
		f.endThread()
	}
	if x, ok := b.sets[k]; ok {
		f.store(x.guide, f.b.I32(x.value))
	}
}

// goAround notes that a thread goes round a spin loop, or leaves it. On a target without independent threads the other warps of the
// block run.
func (f *function) goAround(b *block, k int) {
	again, ok := b.spins[k]
	switch {
	case !ok:
	case !f.apart:
		if again {
			f.letRun()
		}
	case again:
		f.store(f.spinning, f.b.I32(goesAround))
	default:
		f.store(f.spinning, f.b.I32(notSpinning))
	}
}

// letRun lets the other warps of the block run. A thread that spins may wait for another block, so that it counts as progress: the
// budget of steps ends a loop without an end.
func (f *function) letRun() {
	f.advance()
	f.runOthers()
}

// store stores a word in a variable of the thread.
func (f *function) store(variable uint64, v ir.V) { f.b.OpAux(ir.PSt, ir.I32, variable, f.b.I32(0), v) }

// cycles returns the strongly connected components of some nodes that are cycles (Tarjan 1972).
func (x *reducer) cycles(nodes []int) (list [][]int) {
	x.searches++
	x.count, x.found = 0, nil
	for _, v := range nodes {
		x.in[v], x.index[v] = x.searches, 0
	}
	for _, v := range nodes {
		if x.index[v] == 0 {
			x.visit(v)
		}
	}
	return x.found
}

// visit searches from a node, without recursion: a function may have any number of blocks.
func (t *reducer) visit(root int) {
	type frame struct{ v, next int }
	enter := func(v int) frame {
		t.count++
		t.index[v], t.low[v] = t.count, t.count
		t.stack, t.on[v] = append(t.stack, v), true
		return frame{v, 0}
	}
	path := []frame{enter(root)}
	for len(path) > 0 {
		top := &path[len(path)-1]
		if succs := t.blocks[top.v].succs; top.next < len(succs) {
			s := succs[top.next]
			top.next++
			switch {
			case t.in[s] != t.searches:
			case t.index[s] == 0:
				path = append(path, enter(s))
			case t.on[s]:
				t.low[top.v] = min(t.low[top.v], t.index[s])
			}
			continue
		}
		v := top.v
		path = path[:len(path)-1]
		if len(path) > 0 {
			p := path[len(path)-1].v
			t.low[p] = min(t.low[p], t.low[v])
		}
		if t.low[v] == t.index[v] {
			t.take(v)
		}
	}
}

// take removes the component of v from the stack.
func (t *reducer) take(v int) {
	at := len(t.stack) - 1
	for t.stack[at] != v {
		at--
	}
	group := slices.Clone(t.stack[at:])
	t.stack = t.stack[:at]
	for _, x := range group {
		t.on[x] = false
	}
	if len(group) > 1 || slices.Contains(t.blocks[v].succs, v) {
		slices.Sort(group)
		t.found = append(t.found, group)
	}
}
