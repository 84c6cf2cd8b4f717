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
	all := make([]int, len(f.blocks))
	for i := range all {
		all[i] = i
	}
	work := [][]int{all}
	for len(work) > 0 {
		nodes := work[len(work)-1]
		work = work[:len(work)-1]
		for _, cycle := range f.cycles(nodes) {
			entries := f.entries(cycle)
			header := entries[0]
			if len(entries) > 1 {
				header = f.addGuide(entries)
			}
			var inner []int
			for _, v := range cycle {
				if v != header {
					inner = append(inner, v)
				}
			}
			work = append(work, inner)
		}
	}
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
func (f *function) entries(cycle []int) (list []int) {
	in := make([]bool, len(f.blocks))
	for _, v := range cycle {
		in[v] = true
	}
	found := make([]bool, len(f.blocks))
	for i := range f.blocks {
		if in[i] {
			continue
		}
		for _, s := range f.blocks[i].succs {
			if in[s] && !found[s] {
				found[s] = true
				list = append(list, s)
			}
		}
	}
	if in[0] && !found[0] {
		list = append(list, 0)
	}
	if list == nil { // no block reaches it
		list = cycle[:1]
	}
	slices.Sort(list)
	return list
}

// addGuide adds a guide to the entries, and lets all edges to them enter it.
func (f *function) addGuide(entries []int) int {
	g := len(f.blocks)
	guide := block{end: guides, succs: slices.Clone(entries), guide: f.variable("guide", 1)}
	f.prog.Vars[guide.guide].Func = f.number
	numbers := make(map[int]int, len(entries))
	for n, v := range entries {
		numbers[v] = n
	}
	for i := range f.blocks {
		b := &f.blocks[i]
		for k, s := range b.succs {
			n, ok := numbers[s]
			if !ok {
				continue
			}
			if b.sets == nil {
				b.sets = map[int]setting{}
			}
			b.succs[k], b.sets[k] = g, setting{guide.guide, uint32(n)}
		}
	}
	f.blocks = append(f.blocks, guide)
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
func (f *function) cycles(nodes []int) (list [][]int) {
	n := len(f.blocks)
	t := tarjan{blocks: f.blocks, in: make([]bool, n), index: make([]int, n), low: make([]int, n), on: make([]bool, n)}
	for _, v := range nodes {
		t.in[v] = true
	}
	for _, v := range nodes {
		if t.index[v] == 0 {
			t.visit(v)
		}
	}
	return t.found
}

// tarjan is the state of the search.
type tarjan struct {
	blocks     []block
	in, on     []bool
	index, low []int // from 1
	count      int
	stack      []int
	found      [][]int
}

// visit searches from a node, without recursion: a function may have any number of blocks.
func (t *tarjan) visit(root int) {
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
			case !t.in[s]:
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
func (t *tarjan) take(v int) {
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
