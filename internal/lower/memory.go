package lower

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

var memoryRules = rules{
	spirv.OpLoad:  load,
	spirv.OpStore: store,
}

func load(f *function, in spirv.Inst) {
	v := inst.Load(in)
	t := f.facts.Type(v.Type())
	p := f.typedPointer(v.Pointer(), t)
	m, _ := v.MemoryAccess()
	p.flags |= accessFlags(m)
	if isObject(innermost(t)) {
		f.flat(t) // ends lowering for a type that is too large
		f.define(in, f.loadObjects(nil, *p, t)...)
		f.setAccessFlags(in, p.flags)
		return
	}
	f.sameType(p, t)
	f.checkRange(p, "load", alignmentOf(m, v.MemoryAccessWords()))
	if f.copied(in, p) {
		f.checkDepth(t)
		f.put(in.Result(), value{typ: t, ptr: p, block: f.block})
		return
	}
	if f.loadCopy(in, p) {
		return
	}
	f.define(in, f.load(p)...)
}

func store(f *function, in spirv.Inst) {
	v := inst.Store(in)
	if f.clears(v) {
		return
	}
	x := f.value(v.Object())
	p := f.typedPointer(v.Pointer(), x.typ)
	if p.checked {
		return // of the constant that the table contains
	}
	m, _ := v.MemoryAccess()
	p.flags |= accessFlags(m)
	f.sameType(p, x.typ)
	f.checkRange(p, "store", alignmentOf(m, v.MemoryAccessWords()))
	if x.ptr != nil && !x.typ.IsPointer() && f.matches(p.typ, x.ptr.typ, 0) {
		f.copyValue(*p, *x.ptr)
		return
	}
	f.store(p, f.partsOf(x))
}

// clears lowers the store of a null constant to a whole private variable, which may
// have more scalars than a value may; false if the store is another one.
func (f *function) clears(v inst.Store) bool {
	c, at := f.facts.Const(v.Object()), f.get(v.Pointer()).ptr
	if c == nil || !c.Null && !c.Undef || at == nil || f.hasNonZeroNull(c.Type) || f.followsUndefined(c) {
		return false
	}
	p := f.pointer(v.Pointer())
	if p.memory != inSlots || p.offset != (offset{}) || p.typ != c.Type || f.extent(p.typ).slots != p.extent {
		return false
	}
	f.b.OpAux(ir.PClr, ir.None, p.number)
	f.markAll(p.number)
	p.noteStoreAll()
	return true
}

// accessFlags translates SPIR-V's memory operands.
func accessFlags(m spirv.MemoryAccess) ir.Flags {
	var flags ir.Flags
	if m&spirv.MemoryAccessVolatileMask != 0 {
		flags |= ir.Volatile
	}
	if m&(spirv.MemoryAccessMakePointerAvailableMask|spirv.MemoryAccessMakePointerVisibleMask) != 0 {
		flags |= ir.Coherent
	}
	return flags
}

// alignmentOf returns the alignment of the operand Aligned, the first of the memory operands; 0 if there is none.
func alignmentOf(m spirv.MemoryAccess, operands []uint32) uint32 {
	if m&spirv.MemoryAccessAlignedMask == 0 || len(operands) == 0 {
		return 0
	}
	return operands[0]
}

// sameType ends lowering unless the pointee has the scalars of type t.
func (f *function) sameType(p *pointer, t *facts.Type) {
	if p.typ == nil {
		f.malformed("a type is missing")
	}
	if p.memory == opaque || p.memory == descriptor || p.memory == object || p.memory == tileImage {
		f.unsupported("of %s", p.typ.Op)
	}
	if p.typ == t {
		return
	}
	a, b := f.flat(p.typ), f.flat(t)
	same := len(a) == len(b)
	for i := range a {
		same = same && a[i] == b[i]
	}
	if !same {
		f.malformed("the pointee has another type than the value")
	}
}

// load reads all scalars of the pointee.
func (f *function) load(p *pointer) []ir.V {
	parts := make([]ir.V, 0, len(f.flat(p.typ)))
	f.scalarsAt(*p, func(at *pointer, t ir.Type) {
		parts = append(parts, f.loadScalar(at, t))
	})
	return parts
}

// store writes all scalars of the pointee.
func (f *function) store(p *pointer, parts []ir.V) {
	f.checkType(p.typ, parts)
	f.scalarsAt(*p, func(at *pointer, t ir.Type) {
		f.storeScalar(at, t, parts[0])
		parts = parts[1:]
	})
}

// scalarsAt calls yield with a pointer to each scalar of the pointee and its type, in
// order. Types are not nested deeper than maxDepth, which flat checks.
func (f *function) scalarsAt(p pointer, yield func(*pointer, ir.Type)) {
	t := p.typ
	switch {
	case t.IsScalar():
		yield(&p, f.scalar(t))
	case t.IsPointer():
		types := f.pointerScalars(t)
		if types[0] != ir.I64 && p.memory != inSlots && p.memory != inPrivate {
			f.unsupported("of a pointer to %s", t.Storage)
		}
		inMemory := p.memory != inSlots && p.memory != inPrivate
		for i, s := range types {
			part := p
			if inMemory && i > 0 { // an address has no layout tag
				part.memory = unsaid
			}
			yield(&part, s)
			p.offset = p.offset.plus(uint64(s.Bits()+31) / 32)
		}
	case len(f.flat(t)) == 0:
	case t.IsStruct():
		for i := range t.Members {
			part := p
			f.toMember(&part, i)
			f.scalarsAt(part, yield)
		}
	case isTile(t):
		for i := range f.tile(t).components {
			part := p
			f.stepCoopMatrix(&part, operand{bits: i})
			f.scalarsAt(part, yield)
		}
	case isObject(t):
		f.unsupported("%s in %s", t.Op, p.class)
	case isTensor(t), isRay(t):
		if p.memory != inSlots && p.memory != inPrivate {
			f.unsupported("%s in %s", t.Op, p.class)
		}
		for range f.flat(t) {
			part := p
			yield(&part, ir.I32)
			p.offset = p.offset.plus(1)
		}
	default:
		for i := range t.Count {
			part := p
			f.stepElement(&part, operand{bits: i})
			f.scalarsAt(part, yield)
		}
	}
}

func (f *function) loadScalar(p *pointer, t ir.Type) ir.V {
	if p.memory == physical {
		p = f.regionPointer(p, bufferType(t).Size())
	}
	switch p.memory {
	case inBuffer:
		dyn, imm := f.splitOffset(p.offset)
		v := f.emit(ir.Val{Op: ir.Ld, Type: bufferType(t), Flags: p.flags, Aux: imm, Args: [4]ir.V{p.handle, dyn}})
		if t == ir.B1 {
			return f.b.Op(ir.Not, ir.B1, f.b.Cmp(ir.Eq, v, f.b.I32(0)))
		}
		return v
	case inSlots:
		return f.emit(ir.Val{Op: ir.PLd, Type: t, Flags: p.flags, Aux: p.number, Args: [4]ir.V{f.offsetValue(p.offset)}})
	case inPrivate:
		return f.emit(ir.Val{Op: ir.PLdI, Type: t, Flags: p.flags, Args: [4]ir.V{f.offsetValue(p.offset)}})
	case inInput, inOutput:
		if p.io != nil {
			return f.loadIO(p, t)
		}
		return f.loadInput(p)
	case unsaid:
		return f.b.Const(t, 0)
	}
	f.unsupported("of %s", p.typ.Op)
	return 0
}

func (f *function) storeScalar(p *pointer, t ir.Type, v ir.V) {
	if p.memory == physical {
		p = f.regionPointer(p, bufferType(t).Size())
	}
	switch p.memory {
	case inBuffer:
		if t == ir.B1 {
			v = f.b.Op(ir.ZExt, ir.I32, v)
		}
		dyn, imm := f.splitOffset(p.offset)
		f.emit(ir.Val{Op: ir.St, Type: bufferType(t), Flags: p.flags, Aux: imm, Args: [4]ir.V{p.handle, dyn, v}})
	case inOutput:
		f.storeIO(p, t, v)
	case inSlots:
		p.noteStore()
		f.markSlot(p, t)
		f.emit(ir.Val{Op: ir.PSt, Type: t, Flags: p.flags, Aux: p.number, Args: [4]ir.V{f.offsetValue(p.offset), v}})
	case inPrivate:
		f.emit(ir.Val{Op: ir.PStI, Type: t, Flags: p.flags, Args: [4]ir.V{f.offsetValue(p.offset), v}})
	case unsaid:
	default:
		f.malformed("a store to %s", p.class)
	}
}

// bufferType returns the type of a scalar in a buffer: a boolean is 0 or 1 in 32 bits.
func bufferType(t ir.Type) ir.Type {
	if t == ir.B1 {
		return ir.I32
	}
	return t
}
