package lower

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// With Options.Profile a program counts the executions of basic blocks and edges (Ball & Larus 1994, "Optimally Profiling
// and Tracing Programs"). The counters have 64 bits and are in a storage buffer. In compute shaders ir.Count and ir.CountEdge add to
// them, which permit merged subgroups and workgroups; switches and other stages have group operations and atomics. They count the module's
// blocks, before optimization. Helper invocations do not count.

// ProfileSet is the descriptor set of the counters of Options.Profile, after all sets of pipeline layouts. ProfileBinding
// is their binding in the first stage; each stage has one.
const (
	ProfileSet     = 32
	ProfileBinding = 64
)

// Counters is the layout of the buffer of Options.Profile, in words of 64 bits.
//
// A part of a block begins at its label, or at an instruction after which fewer invocations may count. It has two counters:
// its executions by invocations, and by subgroups. The entry block of a called function has none: its counts are the sums over
// the calls. A terminator with two successors has three: its divergent executions by subgroups, the invocations on one edge,
// and the executions in which all invocations take this edge. A terminator with more successors has a counter of its divergent
// executions by subgroups, and then a counter of invocations for each out-edge but the first.
//
// If all invocations return, many blocks have the counts of a dominator or of one of its edges (Knuth & Stevenson
// 1973, "Optimal measurement points for program frequency counts"). These blocks have no counters; see Origin.
type Counters struct {
	Words int
	first map[int]int
	from  map[*facts.Block]Origin

	returns bool // all invocations return from all functions
}

// Origin is the block, or the edge from it, that executes as often as another block, by invocations and by subgroups.
type Origin struct {
	Block *facts.Block // precedes the other block in the module
	Edge  int          // the number of the successor; −1 is the block
}

// NewCounters returns the counters of an entry point.
func NewCounters(m *facts.Module, entry *facts.EntryPoint) *Counters {
	tree := m.CallTree(entry)
	c := &Counters{first: map[int]int{}, from: map[*facts.Block]Origin{}}
	c.returns = !slices.ContainsFunc(tree, func(f *facts.Function) bool { return endsInside(m, f) })
	add := func(i, words int) {
		c.first[i] = c.Words
		c.Words += words
	}
	for n, f := range tree {
		if c.returns {
			c.origins(f)
		}
		for k := range f.Blocks {
			b := &f.Blocks[k]
			if _, ok := c.from[b]; !ok && (n == 0 || k > 0) {
				add(b.Index, 2)
			}
			if b.Term < 0 {
				continue
			}
			for i := b.Index + 1; i < b.Term && !c.returns; i++ {
				if splits(m.Code.Inst(i).Op()) {
					add(i, 2)
				}
			}
			if n := len(b.Succs); n > 1 {
				add(b.Term, max(n, 3))
			}
		}
	}
	return c
}

// origins finds the origins of a function's blocks.
func (c *Counters) origins(f *facts.Function) {
	for k := range f.Blocks {
		b := &f.Blocks[k]
		if !b.Reachable {
			continue
		}
		// Invocations leave a loop in several iterations; then the subgroup executes the block after the loop once.
		if o, ok := entered(b); ok && k > 0 && loopOf(o.Block) == loopOf(b) && !slices.ContainsFunc(b.Preds, func(p *facts.Block) bool { return facts.Dominates(b, p) }) {
			c.from[b] = o
		}
		if b.MergeBlock == nil || !b.MergeBlock.Reachable || b.MergeBlock.Number <= b.Number || !facts.Dominates(b, b.MergeBlock) ||
			!facts.StructurallyPostDominates(b.MergeBlock, b) {
			continue
		}
		// All invocations of the header go on at its merge block. A header of a loop is executed in each iteration, and so the
		// merge block as often as control enters the loop.
		o := Origin{b, -1}
		if b.IsLoopHeader() {
			var ok bool
			if o, ok = entered(b); !ok {
				continue
			}
		}
		if loopOf(o.Block) == loopOf(b.MergeBlock) {
			c.from[b.MergeBlock] = o
		}
	}
}

// entered returns the only edge to a block, but for back edges if the block is the header of a loop; false if there are several.
func entered(b *facts.Block) (Origin, bool) {
	var from *facts.Block
	for _, p := range b.Preds {
		if !p.Reachable || facts.Dominates(b, p) {
			continue
		}
		if from != nil {
			return Origin{}, false
		}
		from = p
	}
	switch {
	case from == nil || from.Number >= b.Number || len(from.Succs) > 2:
		return Origin{}, false
	case len(from.Succs) < 2:
		return Origin{from, -1}, true
	}
	return Origin{from, slices.Index(from.Succs, b)}, true
}

// loopOf returns the header of the innermost loop with a block; nil if there is none.
func loopOf(b *facts.Block) *facts.Block {
	for c := b.Construct; c != nil; c = c.Parent {
		if c.Kind == facts.Loop || c.Kind == facts.ContinuePart {
			return c.Header
		}
	}
	return nil
}

// At returns the first counter of an instruction; false if it has none.
func (c *Counters) At(i int) (int, bool) {
	n, ok := c.first[i]
	return n, ok
}

// Origin returns the origin of the counts of a block; false if there is none.
func (c *Counters) Origin(b *facts.Block) (Origin, bool) {
	o, ok := c.from[b]
	return o, ok
}

// Counted returns the successor of a block with two successors that its counters count. It is the edge that invocations
// probably take less often, because only executions that take it cost additions: the way out of a loop, else the second edge.
func Counted(b *facts.Block) int {
	if leaves(b, b.Succs[0]) && !leaves(b, b.Succs[1]) {
		return 0
	}
	return 1
}

// leaves reports whether an edge of a block leaves the innermost loop, at once or after one block more.
func leaves(b, to *facts.Block) bool {
	l := loopOf(b)
	return l != nil && (to == l.MergeBlock || len(to.Succs) == 0 || len(to.Succs) == 1 && to.Succs[0] == l.MergeBlock)
}

// Runs reports whether a stage runs the entry points of an execution model.
func Runs(model spirv.ExecutionModel, stage ir.Stage) bool {
	if s, ok := rayStages[model]; ok {
		return s == stage
	}
	s, ok := graphics[model]
	return ok && s == stage || !ok && model == spirv.ExecutionModelGLCompute && stage == ir.Compute
}

// splits reports whether fewer invocations may count after an instruction in a block than before it.
func splits(op spirv.Op) bool {
	return op == spirv.OpFunctionCall || op == spirv.OpDemoteToHelperInvocation
}

// counter returns the counters of the entry point's program.
func (u *unit) counter() *Counters {
	if u.counters == nil {
		u.counters = NewCounters(u.facts, u.entry)
	}
	return u.counters
}

// countPart counts an execution of the part of a block that begins at instruction i.
func (f *function) countPart(i int) {
	n, ok := f.counter().At(i)
	if !ok {
		return
	}
	f.counting(func() {
		if f.summed(n, f.b.Bool(true)) && f.summed(n+1, f.b.Op(ir.Elect, ir.B1)) {
			return
		}
		if f.prog.Stage == ir.Compute {
			f.b.OpAux(ir.Count, ir.None, uint64(8*n), f.counterHandle())
			return
		}
		lanes := f.lanesWith(f.b.Bool(true))
		f.b.If(f.b.Op(ir.Elect, ir.B1))
		f.count(n, lanes)
		f.count(n+1, f.b.Const(ir.I64, 1))
		f.b.End()
	})
}

// counting appends operations for the active invocations other than helpers.
func (f *function) counting(do func()) {
	fragment := f.prog.Stage == ir.Fragment
	if fragment {
		f.b.If(f.not(f.b.Op(ir.Helper, ir.B1)))
	}
	do()
	if fragment {
		f.b.End()
	}
}

// lanesWith returns the number of active lanes in which c is true. One lane adds it to a counter: an atomic of each lane
// would cost many times as much.
func (f *function) lanesWith(c ir.V) ir.V {
	sum := f.b.I32(0)
	for _, w := range f.ballotWords(c) {
		sum = f.b.Op(ir.Add, ir.I32, sum, f.b.Op(ir.BitCount, ir.I32, w))
	}
	return f.toInt(sum, ir.I64)
}

// counterHandle returns the buffer of the counters.
func (f *function) counterHandle() ir.V {
	r := f.bindResource(ir.Resource{Set: ProfileSet, Binding: ProfileBinding + uint32(f.prog.Stage), Kind: ir.StorageBuffer, Count: 1})
	return f.b.OpAux(ir.Res, ir.H, r, f.b.I32(0))
}

// count adds to counter n.
func (f *function) count(n int, by ir.V) {
	h := f.counterHandle()
	f.b.Emit(ir.Val{Op: ir.AtomAdd, Type: ir.I64, Flags: ir.Unused, Aux: uint64(8 * n), Args: [4]ir.V{h, f.b.I32(0), by}})
}

// countBranch counts the out-edges of a block with several successors. taken is the condition of an edge; if no condition is
// true, the invocation takes the first edge.
func (f *function) countBranch(b *facts.Block, taken func(to *facts.Block) ir.V) {
	n, ok := f.counter().At(b.Term)
	if !ok {
		return
	}
	if len(b.Succs) == 2 {
		c := taken(b.Succs[1])
		if Counted(b) == 0 {
			c = f.not(c)
		}
		f.counting(func() { f.countEdge(n, c) })
		return
	}
	f.counting(func() {
		edge := f.b.I32(0) // its number
		lanes := make([]ir.V, len(b.Succs))
		_, summed := f.sums.variable[n]
		for k, to := range b.Succs[1:] {
			c := taken(to)
			if !f.summed(n+1+k, c) {
				lanes[k+1] = f.lanesWith(c)
			}
			edge = f.b.Op(ir.Select, ir.I32, c, f.b.I32(uint32(k+1)), edge)
		}
		diverges := f.not(f.b.Op(ir.AllEq, ir.B1, edge))
		if summed {
			f.summed(n, f.b.Op(ir.And, ir.B1, diverges, f.b.Op(ir.Elect, ir.B1)))
			return
		}
		f.b.If(f.b.Op(ir.Elect, ir.B1))
		for k, x := range lanes[1:] {
			f.b.If(f.not(f.b.Cmp(ir.Eq, x, f.b.Const(ir.I64, 0))))
			f.count(n+1+k, x)
			f.b.End()
		}
		f.b.If(diverges)
		f.count(n, f.b.Const(ir.I64, 1))
		f.b.End()
		f.b.End()
	})
}

// countEdge counts the executions of the edge that the counters from n on count. c is its condition.
func (f *function) countEdge(n int, c ir.V) {
	if _, summed := f.sums.variable[n]; !summed && f.prog.Stage == ir.Compute {
		f.b.OpAux(ir.CountEdge, ir.None, uint64(8*n), f.counterHandle(), c)
		return
	}
	f.b.If(f.b.Op(ir.Any, ir.B1, c))
	all := f.b.Op(ir.All, ir.B1, c)
	if f.summed(n+1, c) {
		one := f.b.Op(ir.Elect, ir.B1)
		f.summed(n, f.b.Op(ir.And, ir.B1, one, f.not(all)))
		f.summed(n+2, f.b.Op(ir.And, ir.B1, one, all))
		f.b.End()
		return
	}
	lanes := f.lanesWith(c)
	f.b.If(f.b.Op(ir.Elect, ir.B1))
	f.count(n+1, lanes)
	f.b.If(all)
	f.count(n+2, f.b.Const(ir.I64, 1))
	f.b.Else()
	f.count(n, f.b.Const(ir.I64, 1))
	f.b.End()
	f.b.End()
	f.b.End()
}

// countSwitch counts the out-edges of a switch on x. Its first successor is the default.
func (f *function) countSwitch(b *facts.Block, x ir.V, cases []facts.Case) {
	taken := map[*facts.Block]ir.V{}
	seen := map[uint64]bool{}
	for _, c := range cases {
		if seen[c.Value] { // the first of equal literals wins
			continue
		}
		seen[c.Value] = true
		is := f.b.Cmp(ir.Eq, x, f.b.Const(f.b.Func.Type(x), c.Value))
		if old := taken[c.Target]; old != 0 {
			is = f.b.Op(ir.Or, ir.B1, old, is)
		}
		taken[c.Target] = is
		f.checkSize()
	}
	f.countBranch(b, func(to *facts.Block) ir.V {
		if c := taken[to]; c != 0 {
			return c
		}
		return f.b.Bool(false)
	})
}
