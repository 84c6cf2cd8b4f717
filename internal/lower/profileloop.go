package lower

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// Counters of blocks in loops are sums in private variables, which mem2reg promotes to registers: an atomic in each iteration
// would cost many times as much as the loop. The function adds the sums to the counters before it returns. In compute shaders engines
// make such sums of ir.Count and ir.CountEdge, and only branches with more than two successors have them here.

// maxSummed bounds the sums of a function.
const maxSummed = 256

// sums are the private variables of the counters of one function. 32 bits suffice for a lane: the default budget of a subgroup is 2²⁴ steps.
type sums struct {
	variable map[int]uint64 // by counter
	order    []int          // the counters
}

// ends reports whether an instruction may end an invocation, or make it a helper, before its functions return.
func ends(op spirv.Op) bool {
	switch op {
	case spirv.OpKill, spirv.OpTerminateInvocation, spirv.OpDemoteToHelperInvocation, spirv.OpAbortKHR, spirv.OpEmitMeshTasksEXT,
		spirv.OpIgnoreIntersectionKHR, spirv.OpTerminateRayKHR, spirv.OpIgnoreIntersectionNV, spirv.OpTerminateRayNV:
		return true
	}
	return false
}

// endsInside reports whether an invocation may end in a function.
func endsInside(m *facts.Module, f *facts.Function) bool {
	for i := f.Index; i < f.End; i++ {
		if ends(m.Code.Inst(i).Op()) {
			return true
		}
	}
	return false
}

// openSums makes the sums of the function's blocks in loops, with the value 0.
func (f *function) openSums() {
	f.sums = sums{variable: map[int]uint64{}}
	if !f.counter().returns {
		return
	}
	looped := f.loopedBlocks()
	var order []int
	for k := range f.fn.Blocks {
		b := &f.fn.Blocks[k]
		if !looped[b] || b.Term < 0 {
			continue
		}
		for i := b.Index; i <= b.Term; i++ {
			n, ok := f.counter().At(i)
			if !ok {
				continue
			}
			words := 2
			if i == b.Term {
				words = max(len(b.Succs), 3)
			}
			if f.prog.Stage == ir.Compute && (i < b.Term || len(b.Succs) == 2) { // engines sum ir.Count and ir.CountEdge
				continue
			}
			for w := range words {
				order = append(order, n+w)
			}
		}
	}
	if len(order) > maxSummed {
		return
	}
	for _, n := range order {
		f.sums.variable[n] = uint64(len(f.prog.Vars))
		f.prog.Vars = append(f.prog.Vars, ir.Var{Name: "count", Slots: 1, Func: f.number})
		f.private++
		f.setSum(n, f.b.I32(0))
	}
	f.sums.order = order
}

// loopedBlocks returns the blocks of the natural loops of the function (Aho, Lam, Sethi, Ullman 2006, 9.6.6). It ends early if
// they have too many counters for sums: each block has two or more. So its time is linear in the blocks.
func (f *function) loopedBlocks() map[*facts.Block]bool {
	in := map[*facts.Block]bool{}
	for k := range f.fn.Blocks {
		header := &f.fn.Blocks[k]
		var todo []*facts.Block
		for _, p := range header.Preds {
			if p.Reachable && facts.Dominates(header, p) {
				in[header] = true
				todo = append(todo, p)
			}
		}
		own := map[*facts.Block]bool{header: true}
		for len(todo) > 0 {
			b := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if own[b] || !b.Reachable {
				continue
			}
			own[b], in[b] = true, true
			if 2*len(in) > maxSummed {
				return in
			}
			todo = append(todo, b.Preds...)
		}
	}
	return in
}

func (f *function) sum(n int) ir.V {
	return f.b.OpAux(ir.PLd, ir.I32, f.sums.variable[n], f.b.I32(0))
}

func (f *function) setSum(n int, to ir.V) {
	f.b.OpAux(ir.PSt, ir.I32, f.sums.variable[n], f.b.I32(0), to)
}

// summed reports whether counter n is a sum, and adds 1 to it in the lanes in which c is true.
func (f *function) summed(n int, c ir.V) bool {
	if _, ok := f.sums.variable[n]; !ok {
		return false
	}
	f.setSum(n, f.b.Op(ir.Add, ir.I32, f.sum(n), f.b.Op(ir.Select, ir.I32, c, f.b.I32(1), f.b.I32(0))))
	return true
}

// laneBits are the low bits of the sum of a lane. Their sum over the at most 128 lanes of a subgroup has at most 32 bits.
const laneBits = 25

// closeSums adds the sums to the counters, before the function returns. The sum over all lanes has 64 bits. Engines are fast with group
// operations on 32 bits, and no run within the default budget has a sum of more than 25 bits.
func (f *function) closeSums() {
	if len(f.sums.order) == 0 {
		return
	}
	f.counting(func() {
		var low, high []ir.V
		rest := f.b.I32(0)
		for _, n := range f.sums.order {
			sum := f.sum(n)
			low = append(low, f.b.Op(ir.And, ir.I32, sum, f.b.I32(1<<laneBits-1)))
			high = append(high, f.b.Op(ir.LShr, ir.I32, sum, f.b.I32(laneBits)))
			rest = f.b.Op(ir.Or, ir.I32, rest, high[len(high)-1])
		}
		f.addSums(low, 0)
		f.b.If(f.b.Op(ir.Any, ir.B1, f.not(f.b.Cmp(ir.Eq, rest, f.b.I32(0)))))
		f.addSums(high, laneBits)
		f.b.End()
	})
}

// addSums adds the sums of x over all lanes to the counters, times a power of two. x has a number for each sum of the function.
func (f *function) addSums(x []ir.V, power uint64) {
	totals := make([]ir.V, len(x)) // before one lane adds: at a group operation all lanes must be active
	for k := range x {
		total := f.toInt(f.b.OpAux(ir.Reduce, ir.I32, uint64(ir.Add), x[k]), ir.I64)
		totals[k] = f.b.Op(ir.Shl, ir.I64, total, f.b.Const(ir.I64, power))
	}
	f.b.If(f.b.Op(ir.Elect, ir.B1))
	for k, n := range f.sums.order {
		f.count(n, totals[k])
	}
	f.b.End()
}
