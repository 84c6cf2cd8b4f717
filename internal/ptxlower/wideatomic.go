package ptxlower

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/ptx"
)

// Accesses of 128 bits that are indivisible: atom.exch.b128 and atom.cas.b128 (PTX ISA, "atom"), and ld and st of a scalar .b128 with
// another semantics than .weak. Atomics of the IR have 64 bits at most, so that a spin lock guards both halves. The address selects one of
// several locks, in lines of the cache of their own, at Options.Locks. All modules of a device have the same locks, because their kernels
// may access the same memory at the same time.
//
// A thread that has a lock gives it back in the same iteration of the loop, without a call or a loop in between. Then threads of one warp
// cannot wait for each other, and no run ends with a taken lock: runs end at loops and calls only.
const (
	wideBytes  = 16
	wideLocks  = 16
	lockStride = 64
)

// LockBytes is the size of the locks for accesses of 128 bits, which are 0 at first.
const LockBytes = wideLocks * lockStride

// isStrongWide reports whether an instruction has an indivisible access of 128 bits.
func isStrongWide(in *ptx.Instr) bool {
	if !in.Has(wideType) {
		return false
	}
	switch in.Op {
	case "atom":
		return true
	case "ld", "st":
		return !in.Has(".v2") && (in.Has(".relaxed") || in.Has(".acquire") || in.Has(".release") || in.Has(".volatile") || in.Has(".mmio"))
	}
	return false
}

// UsesLocks reports whether an instruction of the module needs locks: Options.Locks.
func (m *Image) UsesLocks() bool { return m.locks }

// findLocked finds out whether an instruction of the module needs a lock.
func (m *Image) findLocked(module *ptx.Module) {
	for _, x := range module.Items {
		if f, ok := x.(*ptx.Function); ok {
			forInstrs(f.Body, func(in *ptx.Instr) {
				if isStrongWide(in) {
					m.locks = true
				}
			})
		}
	}
}

// wideAtom emits atom.exch.b128 and atom.cas.b128. At an address out of range or without alignment they change nothing and yield 0, as
// the narrower ones.
func (e *emitter) wideAtom() {
	op := e.operation()
	if op != ".exch" && op != ".cas" {
		unsupported(e.in.Pos, "%s", e.in.Name())
	}
	args := e.in.Operands[2:]
	if (op == ".cas") != (len(args) == 2) {
		malformed(e.in.Pos, "%s has %d operands; must not have", e.in.Name(), len(e.in.Operands))
	}
	var x []ir.V
	for _, o := range args {
		for _, half := range e.wideHalves(o) {
			x = append(x, e.read(half, ir.I64))
		}
	}
	e.checkSure(e.sure, "the operand")
	e.sure = 0
	old := [2]uint64{e.temporary(ir.I64), e.temporary(ir.I64)}
	for _, t := range old {
		e.b.OpAux(ir.PSt, ir.I64, t, e.b.I32(0), e.b.Const(ir.I64, 0))
	}
	e.ordered(func() {
		e.memory(e.operand(1), spaceOf(e.in), wideBytes, func(p place) {
			if p.space == inGlobal || p.space == inShared { // other memory has no atomics
				e.wideAtomAt(p, op, x, old)
			}
		})
	})
	if d := e.operand(0); d.Kind != ptx.Sink {
		for i, half := range e.wideHalves(d) {
			e.set(e.resultRegister(half), e.b.OpAux(ir.PLd, ir.I64, old[i], e.b.I32(0)))
		}
	}
}

// wideHalves returns the halves of an operand, which must be a register of 128 bits.
func (e *emitter) wideHalves(o *ptx.Operand) []*ptx.Operand {
	whole := o.Kind == ptx.Symbol && o.Part == "" && o.Expr == nil && !o.Neg && !o.Not
	if !whole || e.register(e.scope, o.Name+".x") == nil {
		malformed(o.Pos, "this operand of %s is no register of type .b128; must be one", e.in.Name())
	}
	return vectorOfHalves(&ptx.Operand{Pos: o.Pos, Kind: ptx.Vector, Elems: []*ptx.Operand{o}}).Elems
}

// wideAtomAt emits the atomic in a place. The variables old get the halves that were there. x are the halves of the operands: of the
// comparand first, if there is one.
func (e *emitter) wideAtomAt(p place, op string, x []ir.V, old [2]uint64) {
	b := e.b
	for plus := uint64(0); plus < wideBytes; plus += 8 {
		half := p
		half.offset = b.Op(ir.Add, ir.I32, p.offset, b.I32(uint32(plus)))
		e.checkExchanged(half, op, ir.I64)
	}
	length := b.Op(ir.Len, ir.I32, p.handle)
	aligned := b.Cmp(ir.Eq, b.Op(ir.And, ir.I32, e.as(p.address, ir.I32), b.I32(wideBytes-1)), b.I32(0))
	fits := b.Op(ir.And, ir.B1, b.Cmp(ir.ULe, b.I32(wideBytes), length), b.Cmp(ir.ULe, p.offset, b.Op(ir.Sub, ir.I32, length, b.I32(wideBytes))))
	b.If(b.Op(ir.And, ir.B1, aligned, fits))
	e.locked(p, func() {
		equal := b.Bool(true)
		for i, t := range old {
			v := b.Emit(ir.Val{Op: ir.Ld, Type: ir.I64, Aux: uint64(8 * i), Flags: ir.Volatile | ir.Coherent, Args: [4]ir.V{p.handle, p.offset}})
			b.OpAux(ir.PSt, ir.I64, t, b.I32(0), v)
			if op == ".cas" {
				equal = b.Op(ir.And, ir.B1, equal, b.Cmp(ir.Eq, v, x[i]))
			}
		}
		b.If(equal)
		for i, v := range x[len(x)-2:] {
			b.Emit(ir.Val{Op: ir.St, Type: ir.I64, Aux: uint64(8 * i), Flags: ir.Volatile | ir.Coherent, Args: [4]ir.V{p.handle, p.offset, v}})
		}
		b.End()
		e.traceCompared(p, wideBytes, equal)
	})
	e.followStore(p, 0, ir.I64)
	e.followStore(p, 8, ir.I64)
	b.End()
}

// indivisible calls access, which emits the accesses of ld or st, with the lock of the place if the instruction needs one.
func (e *emitter) indivisible(p place, access func()) {
	if !e.item.wide || p.address == 0 || p.space != inGlobal && p.space != inShared {
		access()
		return
	}
	e.locked(p, access)
}

// locked calls do, which emits the accesses to a place, with the lock of the place. Values of do do not live on.
func (e *emitter) locked(p place, do func()) {
	b := e.b
	table := b.Const(ir.I64, e.o.Locks)
	h := b.OpAux(ir.Region, ir.H, LockBytes, table)
	line := b.Op(ir.And, ir.I32, b.Op(ir.LShr, ir.I32, e.as(p.address, ir.I32), b.I32(4)), b.I32(wideLocks-1))
	at := b.Op(ir.Add, ir.I32, b.Op(ir.RegionOff, ir.I32, h, table), b.Op(ir.Mul, ir.I32, line, b.I32(lockStride)))
	done := b.Block()
	loop := b.Loop()
	// Without the table the exchange yields 0, so that the loop ends.
	was := b.Emit(ir.Val{Op: ir.AtomCmpXchg, Type: ir.I32, Flags: ir.Coherent, Args: [4]ir.V{h, at, b.I32(1), b.I32(0)}})
	b.If(b.Cmp(ir.Eq, was, b.I32(0)))
	do()
	b.Emit(ir.Val{Op: ir.AtomXchg, Type: ir.I32, Flags: ir.Coherent, Args: [4]ir.V{h, at, b.I32(0)}})
	b.Br(done)
	b.Else()
	b.Br(loop)
	b.End()
	b.End()
	b.End()
}
