package ptxlower

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// A part of a warp may come to a barrier without .aligned, for targets from sm_70 on, and wait there for other threads of the warp, which come to
// it by another instruction. In a kernel with such a barrier its threads are independent (independent.go), and a barrier that waits has two
// items: the thread arrives at the first one, and stays in front of the second one while the rest of the warp goes on.

// partWaitMod is the modifier of the second item. No module can have it: it is no identifier.
const partWaitMod = ".wait'"

// splits reports whether a barrier has two items.
func (u *unit) splits(in *ptx.Instr) bool {
	return u.split && isSingle(in) && !in.Has(".arrive") && !isPartWait(in)
}

// partWait returns the second item of a barrier.
func partWait(in *ptx.Instr) *ptx.Instr {
	x := *in
	x.Mods = append(slices.Clone(in.Mods), partWaitMod)
	return &x
}

// isPartWait reports whether an instruction is the second item of a barrier.
func isPartWait(in *ptx.Instr) bool { return in.Op == "barrier" && in.Has(partWaitMod) }

// hasSingle reports whether a function has a barrier without .aligned.
func (f *function) hasSingle() bool {
	return slices.ContainsFunc(f.items, func(it item) bool { return isSingle(it.in) })
}

// hasBlockBarrier reports whether the threads of the block wait for each other in a function by itself.
func (f *function) hasBlockBarrier() bool {
	return slices.ContainsFunc(f.items, func(it item) bool { return isBlockBarrier(it.in) })
}

// waitsInParts reports whether a part of a warp may wait at a barrier of a function.
func (f *function) waitsInParts() bool {
	return f.split && f.hasSingle() || f.early && f.hasBlockBarrier()
}

// numbered returns the barrier that the second item of a barrier waits at.
func (e *emitter) numbered() *namedBarrier {
	number := e.b.I32(clusterNumber)
	if o := numberOperand(e.in); o != nil {
		number = e.barrier(o)
	}
	n := e.named(number, threadsOf(e.in))
	n.phase = e.function.load(e.phase)
	return n
}

// waitsOn returns whether a thread in front of the second item of a barrier must wait longer.
func (e *emitter) waitsOn() ir.V {
	b, slot := e.b, e.temporary(ir.I32)
	b.OpAux(ir.PSt, ir.I32, slot, b.I32(0), b.I32(0))
	test := func() {
		var n *namedBarrier
		e.separately(func() { n = e.numbered() }) // the first item has checked the operands
		waits := b.Op(ir.Not, ir.B1, e.complete(n))
		b.OpAux(ir.PSt, ir.I32, slot, b.I32(0), b.Op(ir.ZExt, ir.I32, waits))
	}
	if e.in.Guard == "" {
		test()
	} else {
		b.If(e.guard(e.item))
		test()
		b.End()
	}
	return b.Cmp(ir.Eq, b.OpAux(ir.PLd, ir.I32, slot, b.I32(0)), b.I32(1))
}

// endPartWait emits the result of a reduction, after the wait at a barrier.
func (e *emitter) endPartWait() {
	reduces := e.in.Has(".red")
	if n := e.afterWait(e.numbered(), true, reduces); reduces {
		e.reduced(n)
	}
}
