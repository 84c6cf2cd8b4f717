package ptxlower

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/ptx"
)

const allLanes = 1<<WarpSize - 1

// input32 returns an input of the invocation.
func (e *emitter) input32(s ir.Semantic) ir.V { return e.b.OpAux(ir.In, ir.I32, e.input(s)) }

func (e *emitter) laneID() ir.V { return e.input32(ir.SubgroupLocalInvocationId) }

func (e *emitter) ballot(p ir.V) ir.V { return e.b.Op(ir.Ballot, ir.I32, p) }

// members returns the mask of threads of an instruction with .sync, at operand i; all of a warp without .sync.
func (e *emitter) members(i int) ir.V {
	if !e.in.Has(".sync") {
		return e.b.I32(allLanes)
	}
	if i >= len(e.in.Operands) {
		malformed(e.in.Pos, "%s has no mask of threads; must have one", e.in.Name())
	}
	return e.read(e.operand(i), ir.I32)
}

// writePair makes v the result, and writes p to the predicate after it, if there is one.
func (e *emitter) writePair(v, p ir.V) {
	d := e.operand(0)
	if d.Kind != ptx.Pair {
		e.write(d, v)
		return
	}
	e.write(d.Elems[0], v)
	e.write(d.Elems[1], p)
}

// shfl emits the exchange between the threads of a warp (PTX ISA, shfl.sync).
func (e *emitter) shfl() {
	b := e.b
	op := func(o ir.Op, x, y ir.V) ir.V { return b.Op(o, ir.I32, x, y) }
	lane := e.laneID()
	bval := op(ir.And, e.read(e.operand(2), ir.I32), b.I32(31))
	c := e.read(e.operand(3), ir.I32)
	cval := op(ir.And, c, b.I32(31))
	mask := op(ir.And, op(ir.LShr, c, b.I32(8)), b.I32(31))
	rest := op(ir.Xor, mask, b.I32(31))
	least := op(ir.And, lane, mask)
	most := op(ir.Or, least, op(ir.And, cval, rest))
	var j, p ir.V
	switch {
	case e.in.Has(".up"):
		j = op(ir.Sub, lane, bval)
		p = b.Cmp(ir.SLe, most, j)
	case e.in.Has(".down"):
		j = op(ir.Add, lane, bval)
		p = b.Cmp(ir.SLe, j, most)
	case e.in.Has(".bfly"):
		j = op(ir.Xor, lane, bval)
		p = b.Cmp(ir.SLe, j, most)
	case e.in.Has(".idx"):
		j = op(ir.Or, least, op(ir.And, bval, rest))
		p = b.Cmp(ir.SLe, j, most)
	default:
		malformed(e.in.Pos, "%s has no mode; must have one", e.in.Name())
	}
	e.members(4)
	e.checkMember(4)
	e.checkLane(p, j)
	e.sure = 0
	v := e.read(e.operand(1), e.accessType(".b32", e.operand(1)))
	if e.sure != 0 { // the shadow of the thread that is read
		sure := b.Op(ir.Shuf, ir.I32, b.Op(ir.ZExt, ir.I32, e.sure), b.Select(p, j, lane))
		e.sure = b.Cmp(ir.Eq, sure, b.I32(1))
	}
	e.writePair(b.Op(ir.Shuf, b.Func.Type(v), v, b.Select(p, j, lane)), p)
}

// vote emits all, any, uni and ballot among the threads of the mask.
func (e *emitter) vote() {
	p := e.read(e.operand(1), ir.B1)
	m := e.members(2)
	e.checkMember(2)
	zero := e.b.I32(0)
	yes := e.b.Op(ir.And, ir.I32, e.ballot(p), m)
	no := func() ir.V { return e.b.Op(ir.And, ir.I32, e.ballot(e.b.Op(ir.Not, ir.B1, p)), m) }
	switch {
	case e.in.Has(".ballot"):
		e.result(yes)
	case e.in.Has(".any"):
		e.result(e.b.Op(ir.Not, ir.B1, e.b.Cmp(ir.Eq, yes, zero)))
	case e.in.Has(".all"):
		e.result(e.b.Cmp(ir.Eq, no(), zero))
	default:
		e.result(e.b.Op(ir.Or, ir.B1, e.b.Cmp(ir.Eq, yes, zero), e.b.Cmp(ir.Eq, no(), zero)))
	}
}

// match emits the mask of the threads with an equal value; with .all the whole mask if all are equal.
func (e *emitter) match() {
	t := bitsType(ptx.TypeSize(e.typ(0)))
	x, m := e.read(e.operand(1), t), e.members(2)
	e.checkMember(2)
	active := e.b.Op(ir.And, ir.I32, e.ballot(e.b.Bool(true)), m)
	equal := e.b.I32(0)
	for i := range uint32(WarpSize) {
		same := e.b.Cmp(ir.Eq, e.b.Op(ir.Shuf, t, x, e.b.I32(i)), x)
		equal = e.b.Op(ir.Or, ir.I32, equal, e.b.Select(same, e.b.I32(1<<i), e.b.I32(0)))
	}
	equal = e.b.Op(ir.And, ir.I32, equal, active)
	if !e.in.Has(".all") {
		e.set(e.resultRegister(e.operand(0)), equal)
		return
	}
	all := e.b.Cmp(ir.Eq, equal, active)
	d := e.operand(0)
	v := e.b.Select(all, m, e.b.I32(0))
	if d.Kind != ptx.Pair {
		e.set(e.resultRegister(d), v)
		return
	}
	if d.Elems[0].Kind != ptx.Sink {
		e.set(e.resultRegister(d.Elems[0]), v)
	}
	e.write(d.Elems[1], all)
}

// redux emits the reduction of a word over the threads of the mask; those of a constant mask are all that execute it.
func (e *emitter) redux() {
	signed := isSigned(e.typ(0))
	pick := func(s, u ir.Op) ir.Op {
		if signed {
			return s
		}
		return u
	}
	var op ir.Op
	for _, m := range e.in.Mods {
		switch m {
		case ".add":
			op = ir.Add
		case ".min":
			op = pick(ir.SMin, ir.UMin)
		case ".max":
			op = pick(ir.SMax, ir.UMax)
		case ".and":
			op = ir.And
		case ".or":
			op = ir.Or
		case ".xor":
			op = ir.Xor
		}
	}
	if e.typ(0) == ".f32" {
		e.reduxFloat(op)
		return
	}
	if op == ir.Bad || isFloat(e.typ(0)) || e.in.Has(".abs") || e.in.Has(".NaN") {
		unsupported(e.in.Pos, "%s", e.in.Name())
	}
	members := e.members(2)
	e.checkMember(2)
	x := e.read(e.operand(1), ir.I32)
	if e.operand(2).Kind == ptx.Immediate {
		e.result(e.b.OpAux(ir.Reduce, ir.I32, uint64(op), x))
		return
	}
	e.result(e.reduceMembers(op, x, members))
}

// reduxFloat emits the least or the greatest number of the threads of the mask, or of their magnitudes; NaN if all are, with .NaN if any is.
func (e *emitter) reduxFloat(op ir.Op) {
	o := map[ir.Op]ir.Op{ir.UMin: ir.NMin, ir.UMax: ir.NMax}[op]
	if o == ir.Bad {
		unsupported(e.in.Pos, "%s", e.in.Name())
	}
	b := e.b
	x := e.read(e.operand(1), ir.F32)
	if e.in.Has(".abs") {
		x = b.Op(ir.FAbs, ir.F32, x)
	}
	const nan = 0x7fc00000
	members := b.Op(ir.And, ir.I32, e.members(2), e.ballot(b.Bool(true)))
	e.checkMember(2)
	total, any := b.Const(ir.F32, nan), b.Bool(false)
	for i := range uint32(WarpSize) {
		in := b.Cmp(ir.Eq, b.Op(ir.And, ir.I32, members, b.I32(1<<i)), b.I32(1<<i))
		v := b.Op(ir.Shuf, ir.F32, x, b.I32(i))
		total = b.Select(in, b.Op(o, ir.F32, total, v), total)
		any = b.Op(ir.Or, ir.B1, any, b.Op(ir.And, ir.B1, in, b.Op(ir.Not, ir.B1, b.Cmp(ir.FEq, v, v))))
	}
	if e.in.Has(".NaN") {
		total = b.Select(any, b.Const(ir.F32, nan), total)
	}
	e.result(total)
}

// reduceMembers reduces x over the threads of each thread's own mask: the groups of a divided warp execute one redux with several masks.
func (e *emitter) reduceMembers(op ir.Op, x, members ir.V) ir.V {
	b := e.b
	members = b.Op(ir.And, ir.I32, members, e.ballot(b.Bool(true)))
	total := b.I32(map[ir.Op]uint32{ir.And: 1<<32 - 1, ir.UMin: 1<<32 - 1, ir.SMin: 1<<31 - 1, ir.SMax: 1 << 31}[op])
	for i := range uint32(WarpSize) {
		in := b.Cmp(ir.Eq, b.Op(ir.And, ir.I32, members, b.I32(1<<i)), b.I32(1<<i))
		with := b.Op(op, ir.I32, total, b.Op(ir.Shuf, ir.I32, x, b.I32(i)))
		total = b.Select(in, with, total)
	}
	return total
}

func (e *emitter) activemask() { e.result(e.ballot(e.b.Bool(true))) }

// elect emits the number of the lowest thread of the mask, and whether the thread is the one.
func (e *emitter) elect() {
	active := e.b.Op(ir.And, ir.I32, e.ballot(e.b.Bool(true)), e.members(1))
	leader := e.b.Op(ir.FindLsb, ir.I32, active)
	e.writePair(leader, e.b.Cmp(ir.Eq, leader, e.laneID()))
}

// fence emits membar and fence.
func (e *emitter) fence() {
	flags := ir.Coherent
	if e.in.Has(".cta") {
		flags = 0
	}
	e.traceFence()
	e.b.Emit(ir.Val{Op: ir.Fence, Flags: flags})
}

// threads returns the number of threads of a block.
func (u *unit) threads() uint32 { return u.prog.Invocations() }

// bar emits barriers of the block and of a warp. All threads meet at each barrier of the IR, whichever its number is; a kernel with a
// barrier of some threads has none but those of namedbarrier.go.
func (e *emitter) bar() {
	if e.in.Has(".warp") {
		e.members(0)
		e.checkMember(0)
		e.traceBarrier(ir.EventSubgroup)
		e.b.Emit(ir.Val{Op: ir.Fence})
		return
	}
	if isPartWait(e.in) {
		e.endPartWait()
		return
	}
	if e.in.Has(".cluster") {
		e.clusterBarrier()
		return
	}
	if len(e.in.Operands) == 0 || e.in.Has(".wait") {
		malformed(e.in.Pos, "%s has no barrier; must have one", e.in.Name())
	}
	args := e.in.Operands
	if e.in.Has(".red") {
		if len(args) < 3 {
			malformed(e.in.Pos, "%s has %d operands; must have 3 or 4", e.in.Name(), len(args))
		}
		e.checkBarrier(args[1])
		e.checkThreads(threadsOf(e.in))
		e.barrierReduction(args)
		return
	}
	if least := map[bool]int{true: 2, false: 1}[e.in.Has(".arrive")]; len(args) > 2 || len(args) < least {
		malformed(e.in.Pos, "%s has %d operands; must have %d or 2", e.in.Name(), len(args), least)
	}
	e.checkBarrier(args[0])
	e.checkThreads(threadsOf(e.in))
	if e.yields {
		e.yieldingBarrier(e.barrier(args[0]), threadsOf(e.in), 0)
		return
	}
	e.traceBarrier(ir.EventGroup)
	e.b.Emit(ir.Val{Op: ir.Barrier})
}

// barrier returns the number of a barrier.
func (e *emitter) barrier(o *ptx.Operand) ir.V {
	return e.b.Op(ir.And, ir.I32, e.read(o, ir.I32), e.b.I32(15))
}

// checkBarrier checks the number of a barrier; one in a register is not known.
func (e *emitter) checkBarrier(o *ptx.Operand) {
	const barriers = 16 // of a block
	if o.Kind == ptx.Immediate && e.constant(o.Expr) >= barriers {
		malformed(o.Pos, "the barrier is %d; must be 0 to %d", int64(e.constant(o.Expr)), barriers-1)
	}
}

// checkThreads checks the number of threads of a barrier; one in a register is not known.
func (e *emitter) checkThreads(o *ptx.Operand) {
	if o == nil || o.Kind != ptx.Immediate {
		return
	}
	all := (e.threads() + WarpSize - 1) / WarpSize * WarpSize
	if n := e.constant(o.Expr); n == 0 || n%WarpSize != 0 || n > uint64(all) {
		malformed(o.Pos, "the barrier has %d threads; must have a multiple of %d, at most the %d of the block", int64(n), WarpSize, all)
	}
}

// barrierReduction emits bar.red: it counts the threads with a true predicate, in a word of shared memory.
func (e *emitter) barrierReduction(args []*ptx.Operand) {
	p := e.read(args[len(args)-1], ir.B1)
	if e.yields {
		e.yieldingReduction(args, p)
		return
	}
	h, at := e.b.Op(ir.Wg, ir.H), e.b.I32(e.reduction)
	barrier := func() { e.b.Emit(ir.Val{Op: ir.Barrier}) }
	e.traceBarrier(ir.EventGroup)
	barrier()
	e.b.Emit(ir.Val{Op: ir.St, Type: ir.I32, Args: [4]ir.V{h, at, e.b.I32(0)}})
	barrier()
	e.b.Emit(ir.Val{Op: ir.AtomAdd, Type: ir.I32, Args: [4]ir.V{h, at, e.b.Op(ir.ZExt, ir.I32, p)}})
	barrier()
	n := e.b.Op(ir.Ld, ir.I32, h, at)
	switch {
	case e.in.Has(".popc"):
		e.result(n)
	case e.in.Has(".and"):
		e.result(e.b.Cmp(ir.Eq, n, e.b.I32(e.threads())))
	default:
		e.result(e.b.Op(ir.Not, ir.B1, e.b.Cmp(ir.Eq, n, e.b.I32(0))))
	}
}

// yieldingReduction is barrierReduction in a kernel that waits for some threads.
func (e *emitter) yieldingReduction(args []*ptx.Operand, p ir.V) {
	counted := p
	if e.in.Has(".and") { // no thread has a false predicate
		counted = e.b.Op(ir.Not, ir.B1, p)
	}
	n := e.yieldingBarrier(e.barrier(args[1]), threadsOf(e.in), counted)
	if n == 0 { // the wait follows
		return
	}
	e.reduced(n)
}

// reduced emits the result of a reduction from the count of its barrier.
func (e *emitter) reduced(n ir.V) {
	none := e.b.Cmp(ir.Eq, n, e.b.I32(0))
	switch {
	case e.in.Has(".popc"):
		e.result(n)
	case e.in.Has(".and"):
		e.result(none)
	default:
		e.result(e.b.Op(ir.Not, ir.B1, none))
	}
}
