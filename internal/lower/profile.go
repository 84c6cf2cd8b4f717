package lower

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// With Options.Profile a program counts the executions of basic blocks and edges (Ball & Larus 1994, "Optimally Profiling
// and Tracing Programs"). The counters have 64 bits and are in a storage buffer; atomic additions are ordinary operations, so
// that both engines run them. They count the module's blocks, before optimization. Helper invocations do not count.

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
// the calls. A terminator with several successors has a counter of its divergent executions by subgroups, and then a counter
// of invocations for each out-edge but the first.
type Counters struct {
	Words int
	first map[int]int

	returns bool // all invocations return from all functions
}

// NewCounters returns the counters of an entry point.
func NewCounters(m *facts.Module, entry *facts.EntryPoint) *Counters {
	tree := m.CallTree(entry)
	c := &Counters{first: map[int]int{}, returns: !slices.ContainsFunc(tree, func(f *facts.Function) bool { return endsInside(m, f) })}
	add := func(i, words int) {
		c.first[i] = c.Words
		c.Words += words
	}
	for n, f := range tree {
		for k := range f.Blocks {
			b := &f.Blocks[k]
			if n == 0 || k > 0 {
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
				add(b.Term, n)
			}
		}
	}
	return c
}

// At returns the first counter of an instruction; false if it has none.
func (c *Counters) At(i int) (int, bool) {
	n, ok := c.first[i]
	return n, ok
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

// count adds to counter n.
func (f *function) count(n int, by ir.V) {
	r := f.bindResource(ir.Resource{Set: ProfileSet, Binding: ProfileBinding + uint32(f.prog.Stage), Kind: ir.StorageBuffer, Count: 1})
	h := f.b.OpAux(ir.Res, ir.H, r, f.b.I32(0))
	f.b.Emit(ir.Val{Op: ir.AtomAdd, Type: ir.I64, Flags: ir.Unused, Aux: uint64(8 * n), Args: [4]ir.V{h, f.b.I32(0), by}})
}

// countBranch counts the out-edges of a block with several successors. taken is the condition of an edge; if no condition is
// true, the invocation takes the first edge.
func (f *function) countBranch(b *facts.Block, taken func(to *facts.Block) ir.V) {
	n, ok := f.counter().At(b.Term)
	if !ok {
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
