package lower

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

var copyRules = rules{
	spirv.OpCopyMemory:      copyMemory,
	spirv.OpCopyMemorySized: copyMemorySized,
}

// maxCopied is the largest constant size in bytes of an OpCopyMemorySized that becomes
// unrolled loads and stores; larger sizes become a loop.
const maxCopied = 1024

// copyMemory lowers OpCopyMemory. An untyped pointer has the pointee of the other.
func copyMemory(f *function, in spirv.Inst) {
	v := inst.CopyMemory(in)
	m, ok := v.MemoryAccess()
	m2, two := v.MemoryAccess2()
	to, from := f.ends(v.Target(), v.Source(), m, ok, m2, two)
	switch a, b := f.untyped(v.Target()), f.untyped(v.Source()); {
	case a && b:
		f.malformed("the copy between untyped pointers has no size")
	case a:
		f.retype(&to, from.typ)
	case b:
		f.retype(&from, to.typ)
	}
	f.sameType(&to, from.typ)
	align := alignmentOf(m, v.MemoryAccessWords())
	f.checkRange(&to, "store", align)
	if two {
		align = alignmentOf(m2, v.MemoryAccess2Words())
	}
	f.checkRange(&from, "load", align)
	if f.elementwise(&to, &from, v.Target(), v.Source()) {
		f.copyValue(to, from)
		return
	}
	f.store(&to, f.load(&from))
}

// untyped reports whether a pointer has no pointee type.
func (f *function) untyped(id spirv.ID) bool {
	return f.typeOf(id).Op == spirv.OpTypeUntypedPointerKHR
}

// ends returns the target and the source of a copy with the flags of the memory
// operands: the first of two operands applies to the target alone (SPIR-V §3.3.8,
// OpCopyMemory).
func (f *function) ends(target, source spirv.ID, m spirv.MemoryAccess, ok bool, m2 spirv.MemoryAccess, two bool) (to, from pointer) {
	to, from = *f.pointer(target), *f.pointer(source)
	to.flags |= accessFlags(m)
	if two {
		from.flags |= accessFlags(m2)
	} else if ok {
		from.flags |= accessFlags(m)
	}
	return to, from
}

// copyMemorySized lowers OpCopyMemorySized. A byte outside of its buffer reads as 0 and
// is not written.
func copyMemorySized(f *function, in spirv.Inst) {
	v := inst.CopyMemorySized(in)
	m, ok := v.MemoryAccess()
	m2, two := v.MemoryAccess2()
	to, from := f.ends(v.Target(), v.Source(), m, ok, m2, two)
	for _, p := range []*pointer{&to, &from} {
		if p.memory != inBuffer && p.memory != physical {
			f.unsupported("of %s", p.class)
		}
	}
	size := f.one(v.Size())
	t := f.b.Func.Type(size)
	if !t.IsInt() {
		f.malformed("a size of type %s", t)
	}
	n, known := f.constBits(size)
	all := operand{v: size}
	if known {
		all = operand{bits: n}
	}
	align := alignmentOf(m, v.MemoryAccessWords())
	f.checkBytes(&to, "store", all, align)
	if two {
		align = alignmentOf(m2, v.MemoryAccess2Words())
	}
	f.checkBytes(&from, "load", all, align)
	if !two {
		m2 = m
	}
	if known && n <= maxCopied {
		f.traceBytes(&from, uint32(n), m2, ir.Event{Read: true})
		f.traceBytes(&to, uint32(n), m, ir.Event{Write: true})
		f.copyBytes(&to, &from, n)
		return
	}
	f.copyLoop(&to, &from, size, func(to, from *pointer) {
		f.traceBytes(from, 1, m2, ir.Event{Read: true})
		f.traceBytes(to, 1, m, ir.Event{Write: true})
	})
}

// copyBytes loads all n bytes before it stores them, so that the ranges may overlap.
func (f *function) copyBytes(to, from *pointer, n uint64) {
	parts := make([]ir.V, n)
	for i := range parts {
		parts[i] = f.loadScalar(f.byteOf(from, operand{bits: uint64(i)}), ir.I8)
	}
	for i, x := range parts {
		f.storeScalar(f.byteOf(to, operand{bits: uint64(i)}), ir.I8, x)
	}
}

// copyLoop copies size bytes one by one, but no more than the target's buffer has. trace precedes the copy of a byte.
func (f *function) copyLoop(to, from *pointer, size ir.V, trace func(to, from *pointer)) {
	if f.b.Func.Type(size) == ir.I64 { // no buffer has more than 2³² bytes
		size = f.b.Op(ir.UMin, ir.I64, size, f.b.Const(ir.I64, farAway))
	}
	size = f.toInt(size, ir.I32)
	h := to.handle
	if to.memory == physical {
		h = f.regionPointer(to, 1).handle
	}
	size = f.b.Op(ir.UMin, ir.I32, size, f.b.Op(ir.Len, ir.I32, h)) // stores after the end are discarded
	done := f.b.Block()
	loop := f.b.Loop(f.b.I32(0))
	i := f.b.Param(loop, 0)
	f.b.If(f.b.Cmp(ir.ULt, i, size))
	target, source := f.byteOf(to, operand{v: i}), f.byteOf(from, operand{v: i})
	trace(target, source)
	f.storeScalar(target, ir.I8, f.loadScalar(source, ir.I8))
	f.b.Br(loop, f.b.Op(ir.Add, ir.I32, i, f.b.I32(1)))
	f.b.End()
	f.b.Br(done)
	f.b.End()
	f.b.End()
}

// byteOf returns a pointer to byte i after the pointee's address.
func (f *function) byteOf(p *pointer, i operand) *pointer {
	q := *p
	if q.memory == physical && i.v != 0 {
		q.address = f.b.Op(ir.Add, ir.I64, q.address, f.b.Op(ir.ZExt, ir.I64, i.v))
		return &q
	}
	if q.memory == physical {
		q.offset.imm = add(q.offset.imm, i.bits)
		return &q
	}
	q.offset = f.addIndex(q.offset, i, 1)
	return &q
}
