package ptxlower

import (
	"strings"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// A kernel that waits for some threads of the block, at a barrier with a number of threads or at an mbarrier, has its barriers in words
// of shared memory that no variable has. A thread that waits tests the word, and if it must wait longer lets all other warps of the block
// run: the barrier of the IR is such a rendezvous, and nothing else in such a kernel.
//
//	progress  ended  barrier 0: state counts0 counts1 absent0 absent1  …  barrier 16, of the cluster
//
// The state has the number of threads that have arrived in its low half, and the number of the phase in its high one. counts of the
// parity of the phase is the sum of barrier.red; absent is the number of the threads among the arrived ones that do not wait: those
// of bar.arrive, and those of a warp that counts as a whole but that are not there. progress changes when a thread arrives, ends or has waited: warps that wait without a
// change wait for ever.
const (
	waitProgress = 4 * iota
	waitEnded
	waitBarriers

	waitBarrierBytes = 20
	clusterNumber    = 16 // the barrier of the cluster
	waitBytes        = waitBarriers + (clusterNumber+1)*waitBarrierBytes
)

// maxIdle is how many times a warp lets the others run without any progress of the block.
const maxIdle = 1 << 12

// findWaits finds out whether the kernel waits for some threads of the block.
func (u *unit) findWaits() {
	all := uint64((u.o.Block[0]*u.o.Block[1]*u.o.Block[2] + WarpSize - 1) / WarpSize * WarpSize)
	for _, f := range u.reached {
		forInstrs(f.Body, func(in *ptx.Instr) {
			switch {
			case in.Op == "mbarrier":
				u.yields = u.yields || in.Has(".test_wait") || in.Has(".try_wait")
			case in.Op == "bar" || in.Op == "barrier":
				o := threadsOf(in)
				u.arrives = u.arrives || in.Has(".arrive") && !in.Has(".cluster")
				u.someThreads = u.someThreads || o != nil && !isConstant(o, all)
				u.yields = u.yields || u.arrives || u.someThreads
			}
		})
	}
}

// isConstant reports whether an operand is a constant n.
func isConstant(o *ptx.Operand, n uint64) bool {
	if o.Kind != ptx.Immediate {
		return false
	}
	x, ok := o.Expr.Int()
	return ok && x == n
}

// threadsOf returns the operand of a barrier that has the number of threads; nil for all.
func threadsOf(in *ptx.Instr) *ptx.Operand {
	n := len(in.Operands)
	switch {
	case in.Has(".warp") || in.Has(".cluster"):
	case in.Has(".red") && n == 4:
		return in.Operands[2]
	case !in.Has(".red") && n == 2:
		return in.Operands[1]
	}
	return nil
}

// reserveWaits reserves the words of barriers in shared memory.
func (u *unit) reserveWaits() {
	if u.findWaits(); u.yields {
		u.placeWaits()
	}
}

// placeWaits reserves the words of barriers at the end of the shared memory.
func (u *unit) placeWaits() {
	u.yields = true
	u.waits = uint32(alignUp(uint64(u.systemEnd), 4))
	u.systemEnd = u.waits + waitBytes
	u.idle, u.seen = u.variable("waits without progress", 1), u.variable("progress", 1)
}

// addShared adds to a word of shared memory; the result is its old value.
func (f *function) addShared(at, n ir.V) ir.V {
	return f.b.Emit(ir.Val{Op: ir.AtomAdd, Type: ir.I32, Args: [4]ir.V{f.b.Op(ir.Wg, ir.H), at, n}})
}

// loadShared loads a word of shared memory that other threads change.
func (f *function) loadShared(at ir.V) ir.V {
	return f.b.Emit(ir.Val{Op: ir.Ld, Type: ir.I32, Flags: ir.Volatile | ir.Coherent, Args: [4]ir.V{f.b.Op(ir.Wg, ir.H), at}})
}

// advance tells the threads that wait that the block makes progress.
func (f *function) advance() {
	if f.yields {
		f.addShared(f.b.I32(f.waits+waitProgress), f.b.I32(1))
	}
}

// rendezvous lets the other warps of the block run. The launch fails if none of them makes progress for long.
func (e *emitter) rendezvous() {
	e.advanceOthers()
	e.runOthers()
	e.failIdle()
}

// runOthers lets all warps of the block come to a barrier of the IR, and counts how often nothing has made progress since.
func (f *function) runOthers() {
	b := f.b
	b.Emit(ir.Val{Op: ir.Barrier})
	now := f.loadShared(b.I32(f.waits + waitProgress))
	same := b.Cmp(ir.Eq, now, f.load(f.seen))
	f.store(f.idle, b.Select(same, b.Op(ir.Add, ir.I32, f.load(f.idle), b.I32(1)), b.I32(0)))
	f.store(f.seen, now)
}

// failIdle lets the launch fail if nothing in the block has made progress for long while the thread waits.
func (e *emitter) failIdle() {
	e.b.If(e.b.Cmp(ir.ULt, e.b.I32(maxIdle), e.function.load(e.idle)))
	e.abortHere(strings.TrimSuffix(e.in.Name(), partWaitMod) + " waits for threads that do not arrive")
	e.b.End()
}

// namedBarrier is a barrier of the block in words of shared memory.
type namedBarrier struct {
	state    ir.V // the offset of its words
	expected ir.V // threads
	all      ir.V // whether it is one of all threads
	counted  bool // the kernel has some of some threads
	phase    ir.V // in which the thread arrives
}

// named returns the barrier with a number for so many threads; nil for all.
func (e *emitter) named(number ir.V, threads *ptx.Operand) *namedBarrier {
	b := e.b
	at := b.Op(ir.Mul, ir.I32, number, b.I32(waitBarrierBytes))
	n := &namedBarrier{state: b.Op(ir.Add, ir.I32, at, b.I32(e.waits+waitBarriers)), expected: b.I32(e.threads()), all: b.Bool(true), counted: e.someThreads}
	if threads != nil {
		count := e.read(threads, ir.I32)
		n.all = b.Cmp(ir.Eq, count, b.I32((e.threads()+WarpSize-1)/WarpSize*WarpSize))
		n.expected = b.Select(n.all, n.expected, count)
	}
	return n
}

// arrive counts the threads that execute the instruction. At a barrier of some threads a warp counts as a whole (PTX ISA, "bar"), unless only
// a part of its threads is there: then each of them counts.
func (e *emitter) arrive(n *namedBarrier, counted ir.V) {
	b := e.b
	n.phase = b.Op(ir.LShr, ir.I32, e.loadShared(n.state), b.I32(16))
	if counted != 0 {
		e.addShared(e.barrierWord(n, waitCounts), b.Op(ir.ZExt, ir.I32, counted))
	}
	leader := b.Cmp(ir.Eq, b.Op(ir.FindLsb, ir.I32, e.ballot(b.Bool(true))), e.laneID())
	amount := b.Select(n.all, b.I32(1), b.Select(leader, b.I32(WarpSize), b.I32(0)))
	if e.apart && isSingle(e.in) && e.threads()%WarpSize == 0 {
		away := b.Op(ir.And, ir.I32, e.function.load(e.alive), b.Op(ir.Xor, ir.I32, e.ballot(b.Bool(true)), b.I32(allLanes)))
		amount = b.Select(b.Cmp(ir.Eq, away, b.I32(0)), amount, b.I32(1))
	}
	if n.counted {
		there := b.I32(1)
		if e.in.Has(".arrive") {
			there = b.I32(0)
		}
		e.addShared(e.barrierWord(n, waitAbsent), b.Op(ir.Sub, ir.I32, amount, there))
	}
	e.addShared(n.state, amount)
	e.advance()
}

// The words of a barrier for each parity, after its state.
const (
	waitCounts = 4
	waitAbsent = 12
)

// barrierWord returns the offset of a word of a barrier for the phase of the thread.
func (e *emitter) barrierWord(n *namedBarrier, word uint32) ir.V {
	parity := e.b.Op(ir.And, ir.I32, n.phase, e.b.I32(1))
	at := e.b.Op(ir.Add, ir.I32, n.state, e.b.I32(word))
	return e.b.Op(ir.Add, ir.I32, at, e.b.Op(ir.Shl, ir.I32, parity, e.b.I32(2)))
}

// complete begins the next phase of a barrier if all its threads have arrived; the result is whether the phase of the thread is over. A
// barrier of some threads that all others have come to or ended before is released (PTX ISA, "exit"), when nothing else makes progress.
func (e *emitter) complete(n *namedBarrier) ir.V {
	b := e.b
	op := func(o ir.Op, x, y ir.V) ir.V { return b.Op(o, ir.I32, x, y) }
	w := e.loadShared(n.state)
	ended, arrived := e.loadShared(b.I32(e.waits+waitEnded)), op(ir.And, w, b.I32(1<<16-1))
	there := arrived
	if n.counted {
		there = op(ir.Sub, arrived, e.loadShared(e.barrierWord(n, waitAbsent)))
	}
	gone := b.Cmp(ir.ULe, b.I32(e.threads()), op(ir.Add, ended, there))
	released := b.Op(ir.And, ir.B1, gone, b.Cmp(ir.ULt, b.I32(maxIdle/2), e.function.load(e.idle)))
	expected := b.Select(n.all, op(ir.Sub, n.expected, op(ir.UMin, ended, n.expected)), b.Select(released, b.I32(0), n.expected))
	here := b.Cmp(ir.Eq, op(ir.LShr, w, b.I32(16)), n.phase)
	b.If(b.Op(ir.And, ir.B1, here, b.Cmp(ir.ULe, expected, arrived)))
	other := *n
	other.phase = op(ir.Add, n.phase, b.I32(1))
	b.Emit(ir.Val{Op: ir.St, Type: ir.I32, Args: [4]ir.V{b.Op(ir.Wg, ir.H), e.barrierWord(&other, waitCounts), b.I32(0)}})
	if n.counted {
		b.Emit(ir.Val{Op: ir.St, Type: ir.I32, Args: [4]ir.V{b.Op(ir.Wg, ir.H), e.barrierWord(&other, waitAbsent), b.I32(0)}})
	}
	more := op(ir.Sub, op(ir.UMax, arrived, n.expected), n.expected) // count in the next phase
	next := op(ir.Add, op(ir.Sub, op(ir.Add, w, b.I32(1<<16)), arrived), more)
	b.Emit(ir.Val{Op: ir.AtomCmpXchg, Type: ir.I32, Args: [4]ir.V{b.Op(ir.Wg, ir.H), n.state, next, w}})
	b.End()
	now := op(ir.LShr, e.loadShared(n.state), b.I32(16))
	return b.Op(ir.Not, ir.B1, b.Cmp(ir.Eq, now, n.phase))
}

// wait waits until the phase of the thread is over.
func (e *emitter) wait(n *namedBarrier) {
	b := e.b
	done := b.Block()
	loop := b.Loop()
	b.If(e.complete(n))
	b.Br(done)
	b.End()
	e.rendezvous()
	b.Br(loop)
	b.End()
	b.End()
}

// yieldingBarrier emits a barrier of a kernel that waits for some threads. counted is the predicate of barrier.red, 0 for none; the result is the
// count, 0 for none.
func (e *emitter) yieldingBarrier(number ir.V, threads *ptx.Operand, counted ir.V) (count ir.V) {
	b := e.b
	n := e.named(number, threads)
	partial := threads != nil || e.arrives || e.apart && isSingle(e.in) // some threads may pass it by another instruction
	b.Emit(ir.Val{Op: ir.Fence})
	if partial {
		e.tracePartial(n.state, true)
	} else {
		e.traceBarrier(ir.EventGroup)
	}
	e.arrive(n, counted)
	switch {
	case e.in.Has(".arrive"):
		if e.complete(n); len(e.arriving) > 0 {
			e.noteArrival(number, n)
		}
		return 0
	case e.splits(e.in):
		e.function.store(e.phase, n.phase)
		return 0
	}
	e.wait(n)
	return e.afterWait(n, partial, counted != 0)
}

// afterWait ends the wait of a thread at a barrier. The result is the count of the phase, 0 without one.
func (e *emitter) afterWait(n *namedBarrier, partial, counted bool) (count ir.V) {
	e.advance()
	if e.b.Emit(ir.Val{Op: ir.Fence}); partial {
		e.tracePartial(n.state, false)
	}
	if counted {
		count = e.loadShared(e.barrierWord(n, waitCounts))
	}
	return count
}

// tracePartial logs the arrival at a barrier of some threads as a release, and the end of the wait as an acquire: it orders the accesses of
// the threads that arrive before those of the threads that wait.
func (e *emitter) tracePartial(state ir.V, arrives bool) {
	if e.o.Sanitize&ir.SanitizeRace == 0 {
		return
	}
	event := ir.Event{Kind: ir.AccessEvent, Size: 4, Domain: ir.EventWorkgroup, Memory: "shared memory", Read: true, Write: arrives, Atomic: true, Scope: ir.EventGroup}
	if arrives {
		event.Release = allDomains
	} else {
		event.Acquire = allDomains
	}
	e.trace(ir.SanitizeRace, ruleRace, event, e.b.Op(ir.ZExt, ir.I64, state), e.b.I32(0))
}
