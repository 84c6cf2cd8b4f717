package ptxlower

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// atomics are the operations on integers by modifier, and for signed ones.
var atomics = map[string][2]ir.Op{
	".exch": {ir.AtomXchg, ir.AtomXchg}, ".cas": {ir.AtomCmpXchg, ir.AtomCmpXchg}, ".add": {ir.AtomAdd, ir.AtomAdd},
	".min": {ir.AtomUMin, ir.AtomSMin}, ".max": {ir.AtomUMax, ir.AtomSMax},
	".and": {ir.AtomAnd, ir.AtomAnd}, ".or": {ir.AtomOr, ir.AtomOr}, ".xor": {ir.AtomXor, ir.AtomXor},
}

// operation returns the modifier that names the operation.
func (e *emitter) operation() string {
	for _, m := range e.in.Mods {
		if _, ok := atomics[m]; ok || m == ".inc" || m == ".dec" {
			return m
		}
	}
	malformed(e.in.Pos, "%s has no operation; must have one", e.in.Name())
	return ""
}

// vectorAtomic emits an atomic on a vector of .f32, one for each element. results are nil without results.
func (e *emitter) vectorAtomic(at, results, values *ptx.Operand) {
	list := e.elements(values)
	if e.typ(0) != ".f32" || e.operation() != ".add" || spaceOf(e.in) != inGlobal {
		unsupported(e.in.Pos, "%s", e.in.Name())
	}
	x, temps := make([]ir.V, len(list)), make([]uint64, len(list))
	for i, o := range list {
		x[i], temps[i] = e.read(o, ir.F32), e.temporary(ir.F32)
	}
	e.checkSure(e.sure, "the operand")
	e.sure = 0
	e.ordered(func() {
		e.memory(at, inGlobal, uint64(4*len(list)), func(p place) {
			first := p.offset
			for i := range list {
				p.offset = e.b.Op(ir.Add, ir.I32, first, e.b.I32(uint32(4*i)))
				e.b.OpAux(ir.PSt, ir.F32, temps[i], e.b.I32(0), e.atomicAt(p, ".add", ".f32", x[i:i+1]))
				e.tracePart(p, uint64(4*i), 4)
			}
		})
	})
	if results == nil {
		return
	}
	for i, o := range e.elements(results) {
		if o.Kind != ptx.Sink {
			e.set(e.resultRegister(o), e.b.OpAux(ir.PLd, ir.F32, temps[i], e.b.I32(0)))
		}
	}
}

// isVector reports whether an atomic is one on a vector.
func (e *emitter) isVector() bool { return e.in.Has(".v2") || e.in.Has(".v4") }

func (e *emitter) red() {
	if e.isVector() {
		e.vectorAtomic(e.operand(0), nil, e.operand(1))
		return
	}
	e.ordered(func() { e.atomic(e.operand(0), e.in.Operands[1:], func(ir.V) {}) })
}

func (e *emitter) atom() {
	if e.isVector() {
		e.vectorAtomic(e.operand(1), e.operand(0), e.operand(2))
		return
	}
	if e.typ(0) == wideType {
		e.wideAtom()
		return
	}
	t := irType(e.typ(0))
	temp := e.temporary(t)
	e.ordered(func() {
		e.atomic(e.operand(1), e.in.Operands[2:], func(v ir.V) { e.b.OpAux(ir.PSt, t, temp, e.b.I32(0), v) })
	})
	if e.operand(0).Kind != ptx.Sink {
		e.result(e.b.OpAux(ir.PLd, t, temp, e.b.I32(0)))
	}
}

// ordered emits an atomic between the fences that its semantics demand.
func (e *emitter) ordered(do func()) {
	fence := func(mods ...string) {
		for _, m := range mods {
			if e.in.Has(m) {
				e.b.Emit(ir.Val{Op: ir.Fence, Flags: ir.Coherent})
				return
			}
		}
	}
	fence(".release", ".acq_rel")
	do()
	fence(".acquire", ".acq_rel")
}

// atomic emits an atomic on an address. done gets the old value, on each path.
func (e *emitter) atomic(at *ptx.Operand, args []*ptx.Operand, done func(ir.V)) {
	typ, op := e.typ(0), e.operation()
	t := irType(typ)
	if len(args) > 1 && op != ".cas" || len(args) < 2 && op == ".cas" {
		malformed(e.in.Pos, "%s has %d operands; must not have", e.in.Name(), len(e.in.Operands))
	}
	if ptx.TypeSize(typ) > 8 || halfKind(typ) != noHalf && (op != ".add" || !e.in.Has(".noftz")) {
		unsupported(e.in.Pos, "%s", e.in.Name())
	}
	x := make([]ir.V, len(args))
	for i, o := range args {
		x[i] = e.read(o, t)
	}
	e.checkSure(e.sure, "the operand")
	e.sure = 0
	in := spaceOf(e.in)
	e.memory(at, in, uint64(ptx.TypeSize(typ)), func(p place) {
		if p.space == inLocal || p.space == inFrame || p.space == inParam {
			done(e.b.Const(t, 0)) // such memory has no atomics
			return
		}
		e.checkExchanged(p, op, t)
		old := e.atomicAt(p, op, typ, x)
		if op == ".cas" {
			e.traceCompared(p, uint64(ptx.TypeSize(typ)), e.b.Cmp(ir.Eq, old, x[0]))
		}
		done(old)
		e.followStore(p, 0, t)
	})
}

// checkExchanged reports an atomic that computes with shared memory which nothing wrote.
func (e *emitter) checkExchanged(p place, op string, t ir.Type) {
	if op != ".exch" {
		e.checkSure(e.separately(func() { e.followLoad(p, 0, t) }), "the atomic")
	}
}

// atomicAt emits an atomic in a place, and returns the old value.
func (e *emitter) atomicAt(p place, op, typ string, x []ir.V) ir.V {
	t := irType(typ)
	emit := func(o ir.Op, args ...ir.V) ir.V {
		v := ir.Val{Op: o, Type: t, Args: [4]ir.V{p.handle, p.offset}}
		copy(v.Args[2:], args)
		return e.b.Emit(v)
	}
	switch {
	case halfKind(typ) != noHalf: // of a pair, both at once
		return e.compareLoop(p, t, func(old ir.V) ir.V {
			return e.halves(typ, []ir.V{old, x[0]}, func(t ir.Type, x []ir.V) ir.V { return e.b.Op(ir.FAdd, t, x...) })
		})
	case op == ".inc":
		return e.compareLoop(p, t, func(old ir.V) ir.V {
			next := e.b.Op(ir.Add, t, old, e.b.Const(t, 1))
			return e.b.Select(e.b.Cmp(ir.ULe, x[0], old), e.b.Const(t, 0), next)
		})
	case op == ".dec":
		return e.compareLoop(p, t, func(old ir.V) ir.V {
			wrap := e.b.Op(ir.Or, ir.B1, e.b.Cmp(ir.Eq, old, e.b.Const(t, 0)), e.b.Cmp(ir.ULt, x[0], old))
			return e.b.Select(wrap, x[0], e.b.Op(ir.Sub, t, old, e.b.Const(t, 1)))
		})
	case t.IsFloat():
		o, ok := map[string]ir.Op{".add": ir.AtomFAdd, ".exch": ir.AtomXchg, ".min": ir.AtomFMin, ".max": ir.AtomFMax}[op]
		if !ok {
			unsupported(e.in.Pos, "%s", e.in.Name())
		}
		v := ir.Val{Op: o, Type: t, Flags: e.flushesAdd(p, op, typ), Args: [4]ir.V{p.handle, p.offset, x[0]}}
		return e.b.Emit(v)
	case op == ".cas":
		return emit(ir.AtomCmpXchg, x[1], x[0])
	}
	o := atomics[op][0]
	if isSigned(typ) {
		o = atomics[op][1]
	}
	return emit(o, x...)
}

// flushesAdd returns the flag of a sum of .f32 in global memory: the ISA flushes its subnormal operands and results to the zero of
// their sign, in shared memory it does not (PTX ISA, "atom", "red", "cp.reduce.async.bulk").
func (e *emitter) flushesAdd(p place, op, typ string) ir.Flags {
	if op == ".add" && typ == ".f32" && p.space == inGlobal && !e.in.Has(".noftz") {
		return ir.FTZ
	}
	return 0
}

// compareLoop emits an atomic that the IR does not have: it compares and exchanges until no other thread was in between.
func (e *emitter) compareLoop(p place, t ir.Type, next func(old ir.V) ir.V) ir.V {
	done := e.b.Block(t)
	first := e.b.Emit(ir.Val{Op: ir.Ld, Type: t, Flags: ir.Volatile | ir.Coherent, Args: [4]ir.V{p.handle, p.offset}})
	loop := e.b.Loop(first)
	old := e.b.Param(loop, 0)
	was := e.b.Emit(ir.Val{Op: ir.AtomCmpXchg, Type: t, Args: [4]ir.V{p.handle, p.offset, next(old), old}})
	// Out of range and at an address without alignment the atomic yields 0, so that the loop ends in the second round.
	e.b.If(e.b.Cmp(ir.Eq, was, old))
	e.b.Br(done, old)
	e.b.Else()
	e.b.Br(loop, was)
	e.b.End()
	e.b.End()
	e.b.End()
	return e.b.Param(done, 0)
}
