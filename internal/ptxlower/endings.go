package ptxlower

import (
	"maps"
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// No barrier waits for threads that have ended (PTX ISA, "barrier" and "exit"). Threads of a warp that leave a branch early reconverge with the
// others at the end of the kernel: if the threads of the warp are not independent, they reach its last instruction after the others, which
// wait for them at a barrier. So a thread counts as ended when it takes an edge with no barrier ahead. A function that returns may have one ahead.
// Each thread takes one such edge at most in a function.

// ahead returns the blocks with an item of a kind, or on a way to one or to the caller of the function.
func (f *function) ahead(kind func(*item) bool) []bool {
	n := len(f.blocks)
	preds, ahead := make([][]int, n), make([]bool, n)
	var work []int
	for v := range f.blocks {
		b := &f.blocks[v]
		for _, s := range b.succs {
			preds[s] = append(preds[s], v)
		}
		ahead[v] = f.returns(v)
		for i := b.from; i < b.to && !ahead[v]; i++ {
			ahead[v] = kind(&f.items[i])
		}
		if ahead[v] = ahead[v] || b.last != nil && kind(b.last); ahead[v] {
			work = append(work, v)
		}
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		for _, p := range preds[v] {
			if !ahead[p] {
				ahead[p] = true
				work = append(work, p)
			}
		}
	}
	return ahead
}

// returns reports whether a block may return to the caller of a function.
func (f *function) returns(v int) bool {
	b := &f.blocks[v]
	return b.end == leaves && f.number > 0 && (b.last == nil || b.last.in.Op == "ret")
}

// isCounted reports whether a barrier counts the threads at an instruction.
func isCounted(in *ptx.Instr) bool { return (in.Op == "bar" || in.Op == "barrier") && !in.Has(".warp") }

// markEndings marks the edges with no barrier ahead, and the ends of blocks before which a thread has taken such an edge.
func (u *unit) markEndings() {
	if !u.yields {
		return
	}
	if slices.ContainsFunc(u.list[1:], func(f *function) bool { return endsThreads(f.f.Body) }) {
		u.gone = 1 + u.variable("counted as ended", 1)
	}
	meet := u.meetingFunctions(isCounted)
	for i, f := range u.list {
		if !f.apart && (i == 0 || endsThreads(f.f.Body)) {
			f.markEndings(meet)
		}
	}
}

// markEndings marks the edges of one function. meet has the functions with a barrier.
func (f *function) markEndings(meet map[string]bool) {
	ahead := f.ahead(func(it *item) bool {
		if it.in.Op != "call" {
			return isCounted(it.in)
		}
		callee, _, _ := callParts(it.in)
		return meet[callee.Name] || f.image.functions[callee.Name] == nil && slices.ContainsFunc(f.image.taken, func(f *ptx.Function) bool { return meet[f.Name] })
	})
	if !ahead[0] && f.number > 0 { // no edge enters a function that never returns: its threads count at their end
		return
	}
	for v := range f.blocks {
		b := &f.blocks[v]
		if b.past = !ahead[v]; b.past {
			continue
		}
		for k, s := range b.succs {
			if !ahead[s] {
				if b.ends == nil {
					b.ends = map[int]bool{}
				}
				b.ends[k] = true
			}
		}
	}
}

// endsThreads reports whether a function may end threads.
func endsThreads(body *ptx.Block) (ends bool) {
	forInstrs(body, func(in *ptx.Instr) { ends = ends || in.Op == "exit" })
	return ends
}

// endThread counts a thread that ends: barriers of all threads do not wait for it.
func (f *function) endThread() {
	if !f.yields {
		return
	}
	b := f.b
	if f.gone > 0 {
		b.If(b.Cmp(ir.Eq, f.load(f.gone-1), b.I32(0)))
		defer b.End()
		f.store(f.gone-1, b.I32(1))
	}
	for _, number := range f.arriving {
		f.takeBack(number)
	}
	f.addShared(b.I32(f.waits+waitEnded), b.I32(1))
	f.advance()
}

// A thread may end after bar.arrive at a barrier of all threads: a barrier that waits counts it once. So its arrival is taken back if the phase
// goes on. The variable has a slot for each barrier with the number of the phase of the last bar.arrive, plus 1.

// findArriving lists the numbers of the barriers of bar.arrive.
func (u *unit) findArriving() {
	if !u.arrives {
		return
	}
	numbers := map[uint32]bool{}
	for _, f := range u.reached {
		forInstrs(f.Body, func(in *ptx.Instr) {
			if !isCounted(in) || !in.Has(".arrive") || in.Has(".cluster") || len(in.Operands) == 0 {
				return
			}
			n, ok := uint64(0), false
			if in.Operands[0].Kind == ptx.Immediate {
				n, ok = in.Operands[0].Expr.Int()
			}
			for i := range uint32(clusterNumber) {
				if !ok || n == uint64(i) {
					numbers[i] = true
				}
			}
		})
	}
	u.arriving = slices.Sorted(maps.Keys(numbers))
	u.arrivals = u.variable("phases of arrivals", clusterNumber)
}

// noteArrival notes an arrival of the thread without a wait at a barrier of all threads.
func (e *emitter) noteArrival(number ir.V, n *namedBarrier) {
	b := e.b
	b.If(n.all)
	b.OpAux(ir.PSt, ir.I32, e.arrivals, number, b.Op(ir.Add, ir.I32, n.phase, b.I32(1)))
	b.End()
}

// takeBack takes an arrival of the thread that ends back, if its phase goes on.
func (f *function) takeBack(number uint32) {
	b := f.b
	at := b.I32(f.waits + waitBarriers + waitBarrierBytes*number)
	phase := b.Op(ir.Add, ir.I32, b.Op(ir.LShr, ir.I32, f.loadShared(at), b.I32(16)), b.I32(1))
	b.If(b.Cmp(ir.Eq, phase, b.OpAux(ir.PLd, ir.I32, f.arrivals, b.I32(number))))
	f.addShared(at, b.I32(1<<32-1))
	b.End()
}
