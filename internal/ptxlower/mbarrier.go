package ptxlower

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// An mbarrier object of 64 bits has, from the lowest bit (PTX ISA, "Contents of the mbarrier object"):
//
//	pending count 20 | expected count 20 | tx-count 21 | 2 | parity of the phase 1
//
// The state that an arrival yields is the object before it.
const (
	countBits   = 20
	countMask   = 1<<countBits - 1
	txShift     = 2 * countBits
	txMask      = 1<<21 - 1
	parityShift = 63
)

// mbarrier emits the instructions on mbarrier objects.
func (e *emitter) mbarrier() {
	in, b := e.in, e.b
	need := func(least, most int) {
		if n := len(in.Operands); n < least || n > most {
			malformed(in.Pos, "%s has %d operands; must have %d to %d", in.Name(), n, least, most)
		}
	}
	switch {
	case in.Has(".init"):
		need(2, 2)
		o := e.operand(1)
		if o.Kind == ptx.Immediate && e.constant(o.Expr)-1 >= countMask {
			malformed(o.Pos, "the count is %d; must be 1 to %d", int64(e.constant(o.Expr)), countMask)
		}
		n := b.Op(ir.And, ir.I64, e.read(o, ir.I64), b.Const(ir.I64, countMask))
		e.storeObject(b.Op(ir.Or, ir.I64, n, b.Op(ir.Shl, ir.I64, n, b.Const(ir.I64, countBits))))
	case in.Has(".inval"):
		need(1, 1)
		e.storeObject(b.Const(ir.I64, 0))
	case in.Has(".pending_count"):
		need(2, 2)
		e.result(b.Op(ir.And, ir.I32, b.Op(ir.Trunc, ir.I32, e.read(e.operand(1), ir.I64)), b.I32(countMask)))
	case in.Has(".test_wait") || in.Has(".try_wait"):
		if len(in.Operands) > 0 && in.Operands[0].Kind == ptx.Pair {
			unsupported(in.Pos, "the report of %s", in.Name())
		}
		need(3, map[bool]int{true: 4, false: 3}[in.Has(".try_wait")])
		e.waitObject()
	case in.Has(".arrive") || in.Has(".arrive_drop"):
		need(2, 3)
		e.arriveObject()
	case in.Has(".expect_tx") != in.Has(".complete_tx"):
		need(2, 2)
		tx := e.count(e.operand(1))
		if in.Has(".complete_tx") {
			tx = b.Op(ir.Sub, ir.I64, b.Const(ir.I64, 0), tx)
		}
		zero := b.Const(ir.I64, 0)
		e.changeObject(e.operand(0), func(old ir.V) ir.V { return e.nextObject(old, zero, zero, tx) })
	default:
		unsupported(in.Pos, "%s", in.Name())
	}
}

// count returns an operand of 32 bits as 64 bits.
func (e *emitter) count(o *ptx.Operand) ir.V { return e.b.Op(ir.ZExt, ir.I64, e.read(o, ir.I32)) }

// storeObject stores an mbarrier object.
func (e *emitter) storeObject(v ir.V) {
	e.memory(e.operand(0), spaceOf(e.in), 8, func(p place) {
		if p.space == inShared {
			e.storePlace(p, 0, v, ir.Volatile|ir.Coherent)
		}
	})
}

// arriveObject emits mbarrier.arrive and mbarrier.arrive_drop.
func (e *emitter) arriveObject() {
	b, in := e.b, e.in
	n, tx := b.Const(ir.I64, 1), b.Const(ir.I64, 0)
	switch {
	case in.Has(".expect_tx"):
		if len(in.Operands) != 3 {
			malformed(in.Pos, "%s has %d operands; must have 3", in.Name(), len(in.Operands))
		}
		tx = e.count(e.operand(2))
	case len(in.Operands) > 2:
		n = e.count(e.operand(2))
	}
	drop := b.Const(ir.I64, 0)
	if in.Has(".arrive_drop") {
		drop = n
	}
	old := e.changeObject(e.operand(1), func(old ir.V) ir.V { return e.nextObject(old, n, drop, tx) })
	if e.operand(0).Kind != ptx.Sink {
		e.result(old)
	}
}

// changeObject changes an mbarrier object, and returns the object before it; 0 if the address is not in shared memory.
func (e *emitter) changeObject(at *ptx.Operand, next func(old ir.V) ir.V) ir.V {
	b, temp := e.b, e.temporary(ir.I64)
	b.OpAux(ir.PSt, ir.I64, temp, b.I32(0), b.Const(ir.I64, 0))
	e.checkSure(e.sure, "the operand")
	e.sure, e.copied = 0, 0 // st.async has stored a copy before
	if e.completes || !e.in.Has(".relaxed") {
		b.Emit(ir.Val{Op: ir.Fence})
	}
	e.memory(at, spaceOf(e.in), 8, func(p place) {
		if p.space == inShared {
			e.checkExchanged(p, "", ir.I64)
			b.OpAux(ir.PSt, ir.I64, temp, b.I32(0), e.compareLoop(p, ir.I64, next))
			e.followStore(p, 0, ir.I64)
		}
	})
	e.advance()
	return b.OpAux(ir.PLd, ir.I64, temp, b.I32(0))
}

// nextObject returns the object after n arrivals, of which drop do not count in later phases, and a change of the tx-count. The phase is
// complete if nothing is pending: the next one expects all arrivals again.
func (e *emitter) nextObject(old, n, drop, tx ir.V) ir.V {
	b := e.b
	op := func(o ir.Op, x, y ir.V) ir.V { return b.Op(o, ir.I64, x, y) }
	k := func(x uint64) ir.V { return b.Const(ir.I64, x) }
	field := func(shift, mask uint64) ir.V { return op(ir.And, op(ir.LShr, old, k(shift)), k(mask)) }
	pending := op(ir.And, op(ir.Sub, field(0, countMask), n), k(countMask))
	expected := op(ir.And, op(ir.Sub, field(countBits, countMask), drop), k(countMask))
	bytes := op(ir.And, op(ir.Add, field(txShift, txMask), tx), k(txMask))
	parity := op(ir.LShr, old, k(parityShift))
	over := b.Cmp(ir.Eq, op(ir.Or, pending, bytes), k(0))
	pending = b.Select(over, expected, pending)
	parity = b.Select(over, op(ir.Xor, parity, k(1)), parity)
	low := op(ir.Or, pending, op(ir.Shl, expected, k(countBits)))
	return op(ir.Or, op(ir.Or, low, op(ir.Shl, bytes, k(txShift))), op(ir.Shl, parity, k(parityShift)))
}

// waitObject emits mbarrier.test_wait and mbarrier.try_wait. The layout of objects is .layout::v0, which has one phase of both types. If the phase is not complete, the other warps of the block run before a
// second test, so that a thread may repeat the instruction until it succeeds.
func (e *emitter) waitObject() {
	b := e.b
	var parity ir.V // of the phase that must be complete
	if e.in.Has(".parity") {
		parity = b.Op(ir.And, ir.I64, e.count(e.operand(2)), b.Const(ir.I64, 1))
	} else {
		parity = b.Op(ir.LShr, ir.I64, e.read(e.operand(2), ir.I64), b.Const(ir.I64, parityShift))
	}
	e.checkSure(e.sure, "the operand")
	e.sure = 0
	zero, slot := b.I32(0), e.temporary(ir.I32)
	test := func() ir.V {
		b.OpAux(ir.PSt, ir.I32, slot, zero, b.I32(1)) // of memory that is not shared
		e.memory(e.operand(1), spaceOf(e.in), 8, func(p place) {
			if p.space == inShared {
				e.checkExchanged(p, "", ir.I64)
				w := b.Emit(ir.Val{Op: ir.Ld, Type: ir.I64, Flags: ir.Volatile | ir.Coherent, Args: [4]ir.V{p.handle, p.offset}})
				same := b.Cmp(ir.Eq, b.Op(ir.LShr, ir.I64, w, b.Const(ir.I64, parityShift)), parity)
				b.OpAux(ir.PSt, ir.I32, slot, zero, b.Select(same, zero, b.I32(1)))
			}
		})
		return b.Cmp(ir.Eq, b.OpAux(ir.PLd, ir.I32, slot, zero), b.I32(1))
	}
	b.If(b.Op(ir.Not, ir.B1, test()))
	e.rendezvous()
	test()
	b.End()
	done := b.Cmp(ir.Eq, b.OpAux(ir.PLd, ir.I32, slot, zero), b.I32(1))
	b.If(done)
	e.advance()
	b.End()
	b.Emit(ir.Val{Op: ir.Fence})
	e.result(done)
}

// arriveCopies emits cp.async.mbarrier.arrive: all copies are complete, so that the arrival is at once. Without .noinc it counts as one that
// was not expected, and changes nothing.
func (e *emitter) arriveCopies() {
	if len(e.in.Operands) != 1 {
		malformed(e.in.Pos, "%s has %d operands; must have 1", e.in.Name(), len(e.in.Operands))
	}
	n, zero := e.b.Const(ir.I64, 0), e.b.Const(ir.I64, 0)
	if e.in.Has(".noinc") {
		n = e.b.Const(ir.I64, 1)
	}
	e.changeObject(e.operand(0), func(old ir.V) ir.V { return e.nextObject(old, n, zero, zero) })
}

// describeObject sets the properties of an access of an mbarrier object: arrivals release and waits acquire, unless they are relaxed.
func (e *emitter) describeObject(x *ir.Event) {
	x.Write = !e.in.Has(".test_wait") && !e.in.Has(".try_wait")
	if e.in.Has(".init") || e.in.Has(".inval") {
		return
	}
	x.Read, x.Atomic, x.Scope = true, true, ir.EventGroup
	switch relaxed := e.in.Has(".relaxed"); {
	case e.completes:
		x.Release = allDomains
	case relaxed:
	case !x.Write:
		x.Acquire = allDomains
	case e.in.Op == "cp" || e.in.Has(".arrive") || e.in.Has(".arrive_drop"):
		x.Release = allDomains
	}
}
