package lower

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
)

var pointerValueRules = rules{
	spirv.OpPtrEqual:    ptrEqual,
	spirv.OpPtrNotEqual: ptrEqual,
	spirv.OpPtrDiff:     ptrDiff,
}

// pointerScalars returns the types of the scalars of a materialized pointer, which is
// the operand of a phi, a select, a store or a call: the address, and the layout tag if
// there are several layouts.
func (u *unit) pointerScalars(t *facts.Type) []ir.Type {
	types := u.addressScalars(t)
	if u.severalLayouts(t) {
		types = append(types, ir.I32)
	}
	return types
}

// addressScalars returns the types of the scalars that are the address of a materialized
// pointer. A buffer address is the resource's number, the descriptor's index and an
// offset.
func (u *unit) addressScalars(t *facts.Type) []ir.Type {
	switch t.Storage {
	case spirv.StorageClassStorageBuffer, spirv.StorageClassUniform:
		if u.anywhere {
			return []ir.Type{ir.I64}
		}
		return []ir.Type{ir.I32, ir.I32, ir.I32}
	case spirv.StorageClassPushConstant:
		if u.banked { // the bank's resource, and an offset
			return []ir.Type{ir.I32, ir.I32}
		}
		return []ir.Type{ir.I32}
	case spirv.StorageClassWorkgroup, spirv.StorageClassTaskPayloadWorkgroupEXT, spirv.StorageClassNodePayloadAMDX, spirv.StorageClassFunction, spirv.StorageClassPrivate, spirv.StorageClassInput, spirv.StorageClassOutput,
		spirv.StorageClassRayPayloadKHR, spirv.StorageClassIncomingRayPayloadKHR, spirv.StorageClassHitAttributeKHR,
		spirv.StorageClassCallableDataKHR, spirv.StorageClassIncomingCallableDataKHR:
		return []ir.Type{ir.I32}
	case spirv.StorageClassPhysicalStorageBuffer, spirv.StorageClassShaderRecordBufferKHR:
		return []ir.Type{ir.I64}
	case spirv.StorageClassTileImageEXT: // the variable's location, and the array index
		return []ir.Type{ir.I32, ir.I32}
	case spirv.StorageClassUniformConstant, spirv.StorageClassTileAttachmentQCOM:
		switch {
		case u.inHeap(t) && u.objects: // the resource, and an offset in the heap or the descriptor's index
			return []ir.Type{ir.I32, ir.I32}
		case u.inHeap(t):
			return []ir.Type{ir.I32}
		}
		if u.passesSampler(t.Elem) { // the same of the sampler
			return []ir.Type{ir.I32, ir.I32, ir.I32, ir.I32}
		}
		if isObject(innermost(t.Elem)) {
			return []ir.Type{ir.I32, ir.I32}
		}
	}
	u.unsupported("a pointer to %s as a value", t.Storage)
	return nil
}

// inHeap reports whether pointers of a type point into the descriptor heap. Untyped ones may be to objects of bindings, too.
func (u *unit) inHeap(t *facts.Type) bool {
	return u.heaped > 0 && t.Storage == spirv.StorageClassUniformConstant && !isObject(innermost(t.Elem))
}

// pointerExtent is the extent of a pointer: the size of its scalars. Only a physical
// pointer may be stored to memory that other invocations access.
func (u *unit) pointerExtent(t *facts.Type) extent {
	e := extent{1, 8, 8, 0}
	switch t.Storage {
	case spirv.StorageClassStorageBuffer, spirv.StorageClassUniform:
		if e.slots = 3; u.anywhere {
			e.slots = 2
		}
	case spirv.StorageClassPhysicalStorageBuffer, spirv.StorageClassShaderRecordBufferKHR, spirv.StorageClassUniformConstant, spirv.StorageClassPushConstant, spirv.StorageClassTileImageEXT,
		spirv.StorageClassTileAttachmentQCOM:
		e.slots = 2
	}
	if t.Storage == spirv.StorageClassUniformConstant && u.passesSampler(t.Elem) {
		e.slots = 4
	}
	if u.severalLayouts(t) {
		e.slots++
	}
	return e
}

// materialize returns the scalars of a pointer as a value of type t.
func (f *function) materialize(t *facts.Type, p *pointer) []ir.V {
	return append(f.addressParts(p), f.layoutTagOf(t, p)...)
}

// addressParts returns the address scalars of a pointer: two pointers are equal if these
// are.
func (f *function) addressParts(p *pointer) []ir.V {
	switch p.memory {
	case inBuffer:
		switch {
		case p.ofTask:
			f.unsupported("a pointer to task memory as a value")
		case p.class == spirv.StorageClassPhysicalStorageBuffer, f.anywhere && isBlockClass(p.class):
			return []ir.V{f.boundAddressOf(p)}
		case p.heap && p.record != nil:
			f.unsupported("a pointer to a resource that the shader record has mapped as a value")
		case p.heap && f.objects:
			return f.eitherParts(p)
		case p.heap:
		case p.class == spirv.StorageClassPushConstant && f.banked:
			return []ir.V{p.resource, f.offsetValue(p.offset)}
		case p.resource != 0:
			return []ir.V{p.resource, p.element, f.offsetValue(p.offset)}
		}
		return []ir.V{f.offsetValue(p.offset)}
	case inSlots:
		p.noteStoreAll()
		return []ir.V{f.privateAddress(p)}
	case inInput:
		if p.io != nil {
			return []ir.V{f.privateAddress(f.inCopy(p))}
		}
	case inPrivate:
		return []ir.V{f.offsetValue(p.offset)}
	case physical:
		return []ir.V{f.addressOf(p)}
	case object, tileImage:
		return append(f.objectParts(p), f.passedSampler(p)...)
	case descriptor:
		if p.class == spirv.StorageClassUniformConstant || p.class == spirv.StorageClassTileAttachmentQCOM {
			return f.objectParts(p)
		}
	}
	f.unsupported("a pointer to %s as a value", p.class)
	return nil
}

// eitherParts returns the address scalars of a pointer into the descriptor heap, in a module that has objects of bindings.
func (f *function) eitherParts(p *pointer) []ir.V {
	if p.either == 0 {
		return []ir.V{f.b.I32(uint32(f.heaped - 1)), f.offsetValue(p.offset)}
	}
	return []ir.V{p.resource, f.b.Select(p.either, f.offsetValue(p.offset), p.element)}
}

// privateAddress returns the slot of a pointer to a private variable in the lane's
// private memory; out of range if it is outside of the variable.
func (f *function) privateAddress(p *pointer) ir.V {
	f.markAll(p.number)
	base := f.b.OpAux(ir.PAddr, ir.I32, p.number)
	if p.offset == (offset{}) {
		return base
	}
	slot := f.offsetValue(p.offset)
	in := f.b.Cmp(ir.ULt, slot, f.b.I32(uint32(p.extent)))
	return f.b.Select(in, f.b.OpAux(ir.At, ir.I32, 1, base, slot), f.b.I32(farAway))
}

// pointerFrom is the inverse of materialize.
func (f *function) pointerFrom(t *facts.Type, parts []ir.V) *pointer {
	p := &pointer{typ: t.Elem, class: t.Storage}
	at := parts[len(f.addressScalars(t))-1]
	f.setLayout(p, t, parts[len(parts)-1])
	switch t.Storage {
	case spirv.StorageClassTileImageEXT:
		p.memory, p.resource, p.element = tileImage, parts[0], parts[1]
		return p
	case spirv.StorageClassUniformConstant, spirv.StorageClassTileAttachmentQCOM:
		if f.inHeap(t) {
			p.heap, p.number = true, f.heaped-1
			heap := f.b.I32(uint32(p.number))
			p.resource, p.element = heap, f.b.I32(0)
			p.handle = f.b.OpAux(ir.Res, ir.H, p.number, p.element)
			if f.objects {
				p.resource, p.element = parts[0], at
				p.either = f.b.Cmp(ir.Eq, p.resource, heap)
			}
			break
		}
		if p.memory, p.resource, p.element = object, parts[0], parts[1]; f.passesSampler(t.Elem) {
			p.samplers, p.sampler = parts[2], parts[3]
		}
		if t.Elem.IsArray() {
			p.memory = descriptor
		}
		return p
	case spirv.StorageClassPhysicalStorageBuffer, spirv.StorageClassShaderRecordBufferKHR:
		p.memory, p.address = physical, at
		return p
	case spirv.StorageClassStorageBuffer, spirv.StorageClassUniform:
		if f.anywhere {
			p.memory, p.address = physical, at
			return p
		}
		p.resource, p.element = parts[0], parts[1]
		p.handle = f.bufferHandle(p)
	case spirv.StorageClassWorkgroup:
		p.handle, p.natural = f.b.Op(ir.Wg, ir.H), !f.explicit
	case spirv.StorageClassTaskPayloadWorkgroupEXT:
		p.handle, p.natural = f.payloadHandle(), true
	case spirv.StorageClassNodePayloadAMDX:
		p.handle = f.nodeMemory()
	case spirv.StorageClassPushConstant:
		p.handle = f.b.Op(ir.Push, ir.H)
		if f.banked {
			p.resource = parts[0]
			p.handle = f.bankHandle(p.resource)
		}
	default:
		p.memory = inPrivate
	}
	p.offset.dyn = at
	if bits, ok := f.constBits(at); ok {
		p.offset = offset{imm: bits}
	}
	return p
}

// bankHandle returns the handle of a materialized push constant pointer: a select among
// all banks.
func (f *function) bankHandle(resource ir.V) ir.V {
	h := f.b.Op(ir.Push, ir.H)
	for n := range f.prog.Res {
		if f.prog.Res[n].Kind == ir.PushBank {
			r := f.b.OpAux(ir.Res, ir.H, uint64(n), f.b.I32(0))
			h = f.b.Select(f.b.Cmp(ir.Eq, resource, f.b.I32(uint32(n))), r, h)
		}
	}
	return h
}

// bufferHandle returns the handle of a materialized buffer pointer: a select among all
// buffers, or the empty handle if it is none of them.
func (f *function) bufferHandle(p *pointer) ir.V {
	if n, ok := f.constBits(p.resource); ok && n < uint64(len(f.prog.Res)) {
		return f.b.OpAux(ir.Res, ir.H, n, p.element)
	}
	h := f.emptyHandle()
	for n := range f.prog.Res {
		switch f.prog.Res[n].Kind {
		case ir.StorageTensor, ir.TensorShape, ir.PushBank, ir.HeapBytes, ir.Texels, ir.ImageShape, ir.SamplerState:
			continue // not accessible through materialized buffer pointers
		}
		r := f.b.OpAux(ir.Res, ir.H, uint64(n), p.element)
		h = f.b.Select(f.b.Cmp(ir.Eq, p.resource, f.b.I32(uint32(n))), r, h)
	}
	return h
}

// emptyHandle returns a handle of length 0.
func (f *function) emptyHandle() ir.V {
	if f.null == 0 {
		f.prog.Tables = append(f.prog.Tables, nil)
		f.null = uint64(len(f.prog.Tables))
	}
	return f.b.OpAux(ir.Table, ir.H, f.null-1)
}

// ptrEqual lowers OpPtrEqual and OpPtrNotEqual.
func ptrEqual(f *function, in spirv.Inst) {
	x, y := f.addressParts(f.pointer(spirv.ID(in[3]))), f.addressParts(f.pointer(spirv.ID(in[4])))
	if len(x) != len(y) {
		f.malformed("the pointers are of different kinds")
	}
	var equal []ir.V
	for i := range x {
		f.checkSameType(x[i], y[i])
		equal = append(equal, f.b.Cmp(ir.Eq, x[i], y[i]))
	}
	v := f.combine(ir.And, equal)
	if in.Op() == spirv.OpPtrNotEqual {
		v = f.b.Op(ir.Not, ir.B1, v)
	}
	f.define(in, v)
}

// ptrDiff lowers OpPtrDiff: the distance in elements.
func ptrDiff(f *function, in spirv.Inst) {
	x, y := f.pointer(spirv.ID(in[3])), f.pointer(spirv.ID(in[4]))
	apart := f.anywhere && isBlockClass(x.class) && isBlockClass(y.class)
	if !apart && (x.memory != inBuffer || y.memory != inBuffer) {
		f.unsupported("of %s", x.class)
	}
	stride := f.diffStride(x, spirv.ID(in[3]))
	types := f.flat(f.facts.Type(in.Type()))
	if len(types) != 1 || !types[0].IsInt() {
		f.malformed("the difference is not an integer; must be one")
	}
	var d ir.V
	if apart {
		d = f.b.Op(ir.Trunc, ir.I32, f.b.Op(ir.Sub, ir.I64, f.addressParts(x)[0], f.addressParts(y)[0]))
	} else {
		d = f.b.Op(ir.Sub, ir.I32, f.offsetValue(x.offset), f.offsetValue(y.offset))
	}
	d = f.b.Op(ir.SDiv, ir.I32, d, f.b.I32(uint32(stride)))
	if types[0].Bits() > 32 {
		d = f.b.Op(ir.SExt, types[0], d)
	} else {
		d = f.toInt(d, types[0])
	}
	f.define(in, d)
}

// diffStride is the size in bytes of an element for OpPtrDiff. Untyped pointers are to an array of 8-bit integers.
func (f *function) diffStride(p *pointer, id spirv.ID) uint64 {
	if f.untyped(id) {
		return 1
	}
	stride := f.elementStride(p, f.typeOf(id))
	if stride == 0 { // no rule requires an ArrayStride: the elements are contiguous
		e := f.extent(p.typ)
		stride = roundUp(e.size, e.align)
	}
	if stride == 0 {
		f.malformed("the pointers are to a type without a size")
	}
	return stride
}
