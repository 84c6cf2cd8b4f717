package lower

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

var atomicRules = rules{
	spirv.OpAtomicLoad:                atomicLoad,
	spirv.OpAtomicStore:               atomicStore,
	spirv.OpAtomicExchange:            atomicBinary,
	spirv.OpAtomicCompareExchange:     atomicCompareExchange,
	spirv.OpAtomicCompareExchangeWeak: atomicCompareExchange,
	spirv.OpAtomicIIncrement:          atomicCount,
	spirv.OpAtomicIDecrement:          atomicCount,
	spirv.OpAtomicIAdd:                atomicBinary,
	spirv.OpAtomicISub:                atomicBinary,
	spirv.OpAtomicSMin:                atomicBinary,
	spirv.OpAtomicSMax:                atomicBinary,
	spirv.OpAtomicUMin:                atomicBinary,
	spirv.OpAtomicUMax:                atomicBinary,
	spirv.OpAtomicAnd:                 atomicBinary,
	spirv.OpAtomicOr:                  atomicBinary,
	spirv.OpAtomicXor:                 atomicBinary,
	spirv.OpAtomicFAddEXT:             atomicBinary,
	spirv.OpAtomicFMinEXT:             atomicBinary,
	spirv.OpAtomicFMaxEXT:             atomicBinary,
}

// atomics maps the instructions that combine memory with an operand to
// IR operations.
var atomics = map[spirv.Op]ir.Op{
	spirv.OpAtomicExchange:   ir.AtomXchg,
	spirv.OpAtomicIAdd:       ir.AtomAdd,
	spirv.OpAtomicISub:       ir.AtomAdd,
	spirv.OpAtomicIIncrement: ir.AtomAdd,
	spirv.OpAtomicIDecrement: ir.AtomAdd,
	spirv.OpAtomicSMin:       ir.AtomSMin,
	spirv.OpAtomicSMax:       ir.AtomSMax,
	spirv.OpAtomicUMin:       ir.AtomUMin,
	spirv.OpAtomicUMax:       ir.AtomUMax,
	spirv.OpAtomicAnd:        ir.AtomAnd,
	spirv.OpAtomicOr:         ir.AtomOr,
	spirv.OpAtomicXor:        ir.AtomXor,
	spirv.OpAtomicFAddEXT:    ir.AtomFAdd,
	spirv.OpAtomicFMinEXT:    ir.AtomFMin,
	spirv.OpAtomicFMaxEXT:    ir.AtomFMax,
}

// atom returns the pointer and the IR type of an atomic instruction on a value
// of type t.
func (f *function) atom(id spirv.ID, typ *facts.Type) (*pointer, ir.Type) {
	p := f.typedPointer(id, typ)
	if !p.typ.IsInt() && !p.typ.IsFloat() {
		f.malformed("the value of the atomic is not a number; must be one")
	}
	if p.typ.Encoded {
		f.unsupported("on a float encoded as %s", p.typ.Encoding)
	}
	t := f.scalar(p.typ)
	f.checkRange(p, "atomic access", t.Size())
	if p.memory == physical {
		p = f.regionPointer(p, t.Size())
	}
	if p.memory != inBuffer {
		f.unsupported("on %s", p.class)
	}
	return p, t
}

// atomic appends an atomic operation.
func (f *function) atomic(op ir.Op, p *pointer, t ir.Type, args ...ir.V) ir.V {
	dyn, imm := f.splitOffset(p.offset)
	v := ir.Val{Op: op, Type: t, Flags: p.flags, Aux: imm, Args: [4]ir.V{p.handle, dyn}}
	copy(v.Args[2:], args)
	return f.emit(v)
}

func atomicBinary(f *function, in spirv.Inst) {
	v := inst.AtomicIAdd(in) // all have the same operands
	if f.facts.Type(v.Type()).IsVector() {
		atomicVector(f, in)
		return
	}
	p, t := f.atom(v.Pointer(), f.facts.Type(v.Type()))
	p.flags |= f.order(v.Memory(), v.Semantics())
	x := f.typed(v.Value(), t)
	if in.Op() == spirv.OpAtomicISub {
		x = f.b.Op(ir.Sub, t, f.b.Const(t, 0), x)
	}
	f.define(in, f.atomic(atomics[in.Op()], p, t, x))
}

// atomicVector lowers an atomic on two or four floats of 16 bits: each component
// by itself (SPV_NV_shader_atomic_fp16_vector).
func atomicVector(f *function, in spirv.Inst) {
	v := inst.AtomicFAddEXT(in)
	t := f.facts.Type(v.Type())
	switch s := t.Scalar(); {
	case !s.IsFloat() || s.Encoded || s.Width != 16 || t.Count != 2 && t.Count != 4:
		f.malformed("the atomic is on a vector; must be of two or four 16-bit floats")
	case in.Op() == spirv.OpAtomicISub || !atomics[in.Op()].Row().On.Has(ir.F16):
		f.malformed("an atomic of integers on floats")
	}
	p := f.typedPointer(v.Pointer(), t)
	f.sameType(p, t)
	f.checkRange(p, "atomic access", 0)
	if p.memory == physical {
		p = f.regionPointer(p, uint32(t.Count)*2)
	}
	if p.memory != inBuffer {
		f.unsupported("on %s", p.class)
	}
	p.flags |= f.order(v.Memory(), v.Semantics())
	x := f.scalars(v.Value())
	f.checkType(t, x)
	parts := make([]ir.V, len(x))
	for i := range x {
		q := *p
		f.stepElement(&q, operand{bits: uint64(i)})
		parts[i] = f.atomic(atomics[in.Op()], &q, ir.F16, x[i])
	}
	f.define(in, parts...)
}

func atomicCount(f *function, in spirv.Inst) {
	v := inst.AtomicIIncrement(in)
	p, t := f.atom(v.Pointer(), f.facts.Type(v.Type()))
	p.flags |= f.order(v.Memory(), v.Semantics())
	x := f.b.Const(t, 1)
	if in.Op() == spirv.OpAtomicIDecrement {
		x = f.b.Const(t, t.Mask())
	}
	f.define(in, f.atomic(ir.AtomAdd, p, t, x))
}

func atomicCompareExchange(f *function, in spirv.Inst) {
	v := inst.AtomicCompareExchange(in)
	p, t := f.atom(v.Pointer(), f.facts.Type(v.Type()))
	p.flags |= f.order(v.Memory(), v.Equal()) | f.order(v.Memory(), v.Unequal())
	f.define(in, f.atomic(ir.AtomCmpXchg, p, t, f.typed(v.Value(), t), f.typed(v.Comparator(), t)))
}

func atomicLoad(f *function, in spirv.Inst) {
	p, t := f.atom(inst.AtomicLoad(in).Pointer(), f.facts.Type(in.Type()))
	q := *p
	q.flags |= ir.Coherent | ir.Volatile
	f.define(in, f.loadScalar(&q, t))
}

func atomicStore(f *function, in spirv.Inst) {
	v := inst.AtomicStore(in)
	p, t := f.atom(v.Pointer(), f.typeOf(v.Value()))
	q := *p
	q.flags |= ir.Coherent | ir.Volatile
	f.storeScalar(&q, t, f.typed(v.Value(), t))
}
