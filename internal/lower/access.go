package lower

import (
	"math"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

var accessRules = rules{
	spirv.OpAccessChain:            accessChain,
	spirv.OpInBoundsAccessChain:    accessChain,
	spirv.OpPtrAccessChain:         ptrAccessChain,
	spirv.OpInBoundsPtrAccessChain: ptrAccessChain,
	spirv.OpArrayLength:            arrayLength,
}

func accessChain(f *function, in spirv.Inst) {
	v := inst.AccessChain(in)
	f.definePointer(in, f.walk(in, *f.pointer(v.Base()), v.Indexes()))
}

func ptrAccessChain(f *function, in spirv.Inst) {
	v := inst.PtrAccessChain(in)
	p := *f.pointer(v.Base())
	f.advanceElements(&p, v.Element(), f.elementStride(&p, f.typeOf(v.Base())))
	f.definePointer(in, f.walk(in, p, v.Indexes()))
}

// advanceElements moves a pointer by element array elements. Vulkan allows that for
// buffers, workgroup memory and physical pointers
// (VUID-StandaloneSpirv-Base-07650).
func (f *function) advanceElements(p *pointer, element spirv.ID, stride uint64) {
	switch p.memory {
	case inBuffer:
		p.offset = f.elementOffset(p, stride, element)
		if p.either != 0 { // into the heap, as only buffers have elements to advance by
			p.element = f.b.I32(farAway)
		}
	case physical:
		f.addElements(p, element, stride)
	default:
		f.unsupported("of %s", p.class)
	}
}

// elementStride returns the array stride of a pointer of type t, in bytes.
func (f *function) elementStride(p *pointer, t *facts.Type) uint64 {
	stride := f.arrayStride(t)
	if p.natural {
		e := f.extent(p.typ)
		stride = roundUp(e.size, e.align)
	}
	if stride > farAway {
		f.unsupported("a stride of %d bytes", stride)
	}
	return stride
}

// elementOffset moves an offset by the value of id, which may be negative, in elements.
func (f *function) elementOffset(p *pointer, stride uint64, id spirv.ID) offset {
	v := f.one(id)
	t := f.b.Func.Type(v)
	if !t.IsInt() {
		f.malformed("the index is %s; must be an integer", t)
	}
	if bits, known := f.constBits(v); known && int64(bits<<(64-t.Bits())) >= 0 {
		return f.addIndex(p.offset, operand{bits: min(bits, farAway)}, stride)
	}
	switch {
	case t.Bits() < 32:
		v = f.b.Op(ir.SExt, ir.I32, v)
	case t.Bits() > 32: // clamp: either bound is outside of every buffer
		most := uint64(math.MaxInt32)
		v = f.b.Op(ir.SMax, ir.I64, f.b.Op(ir.SMin, ir.I64, v, f.b.Const(ir.I64, most)), f.b.Const(ir.I64, -most))
		v = f.b.Op(ir.Trunc, ir.I32, v)
	}
	from := f.offsetValue(p.offset)
	zero := f.b.I32(0)
	far := f.b.OpAux(ir.At, ir.I32, stride, zero, f.b.Op(ir.Sub, ir.I32, zero, v))
	short := f.b.Cmp(ir.ULt, from, far)
	back := f.b.Select(short, f.b.I32(farAway), f.b.Op(ir.Sub, ir.I32, from, far))
	on := f.b.OpAux(ir.At, ir.I32, stride, from, v)
	return offset{dyn: f.b.Select(f.b.Cmp(ir.SLt, v, zero), back, on)}
}

// walk applies the indexes of an access chain.
func (f *function) walk(in spirv.Inst, p pointer, indexes []spirv.ID) *pointer {
	if f.sanitizes(ir.SanitizeBounds) {
		f.noteIndexes(&p, indexes)
	}
	for _, id := range indexes {
		i := f.indexOperand(id)
		if f.sanitizes(ir.SanitizeUniform) {
			switch {
			case p.memory == descriptor:
				f.checkUniform(in.Result(), id, i)
			case p.class == spirv.StorageClassPushConstant && p.typ != nil && p.typ.IsArray():
				f.checkPush(i)
			}
		}
		f.step(&p, i)
	}
	return &p
}

// step goes from a composite to one of its parts.
func (f *function) step(p *pointer, i operand) {
	t := p.typ
	if p.either != 0 && t.IsArray() {
		f.stepEither(p, i)
	}
	switch {
	case p.memory == descriptor:
		f.stepDescriptor(p, i)
	case p.memory == tileImage:
		f.stepTileImage(p, i)
	case isPayloadArray(t):
		f.stepPayload(p, i)
	case p.memory == opaque, p.memory == object:
		f.unsupported("of %s", t.Op)
	case isTile(t):
		f.stepCoopMatrix(p, i)
	case t.IsStruct():
		f.stepMember(p, i)
	case t.IsComposite() && t.Elem != nil:
		f.stepElement(p, i)
	default:
		f.malformed("the indexed type is not a composite; must be one")
	}
	if p.typ == nil {
		f.malformed("a type is missing")
	}
}

// stepDescriptor selects a buffer or object of a descriptor array, or an inner array of
// an array of arrays. A materialized pointer has a resource and an element already.
func (f *function) stepDescriptor(p *pointer, i operand) {
	n := p.typ.Count
	p.typ = p.typ.Elem
	if all := uint64(f.prog.Res[p.number].Count); p.element == 0 && n > 0 && mul(n, descriptorCount(p.typ)) != all {
		i = f.bounded(i, n) // another variable of the binding has more descriptors
	}
	if inner := descriptorCount(p.typ); p.element != 0 || inner != 1 {
		if p.element != 0 && n > 0 {
			i = f.bounded(i, n)
		}
		if p.element == 0 {
			p.element = f.b.I32(0)
		}
		i.v = f.b.OpAux(ir.At, ir.I32, inner, p.element, f.operandValue(i))
	}
	p.element = f.operandValue(i)
	if p.typ.IsArray() {
		return
	}
	if p.record != nil {
		p.memory = object
		f.selectRecord(p)
		return
	}
	if isObject(p.typ) {
		p.memory = object
		return
	}
	p.memory, p.resource = inBuffer, f.b.I32(uint32(p.number))
	p.handle = f.b.OpAux(ir.Res, ir.H, p.number, p.element)
}

// stepEither selects the same descriptor of a binding's array as the index does in the heap.
func (f *function) stepEither(p *pointer, i operand) {
	if n := p.typ.Count; n > 0 {
		i = f.bounded(i, n)
	}
	p.element = f.b.OpAux(ir.At, ir.I32, descriptorCount(p.typ.Elem), p.element, f.operandValue(i))
}

// descriptorCount returns the number of descriptors of a variable of type t; arrays of
// arrays are numbered in row-major order. It is 0 if the length is unknown, and
// saturates.
func descriptorCount(t *facts.Type) uint64 {
	n := uint64(1)
	for ; t.IsArray() && t.Elem != nil; t = t.Elem {
		n = min(mul(n, t.Count), farAway)
	}
	return n
}

// bounded returns index i, or an index out of range unless i < n.
func (f *function) bounded(i operand, n uint64) operand {
	if i.v == 0 {
		if i.bits >= n {
			return operand{bits: farAway}
		}
		return i
	}
	return operand{v: f.b.Select(f.b.Cmp(ir.ULt, i.v, f.b.I32(uint32(min(n, farAway)))), i.v, f.b.I32(farAway))}
}

// operandValue returns an index as a value.
func (f *function) operandValue(i operand) ir.V {
	if i.v == 0 {
		return f.b.I32(uint32(i.bits))
	}
	return i.v
}

func (f *function) stepMember(p *pointer, i operand) {
	if i.v != 0 || i.bits >= uint64(len(p.typ.Members)) {
		f.malformed("the member does not exist, or its number is unknown")
	}
	f.toMember(p, int(i.bits))
}

// toMember goes from a struct to an existing member.
func (f *function) toMember(p *pointer, i int) {
	if p.memory == inInput && p.io == nil {
		f.stepBlockMember(p, i)
		return
	}
	m := &p.typ.Members[i]
	slots, bytes := uint64(0), uint64(0)
	decorated := p.memory == physical || p.memory == inBuffer && !p.natural
	if !decorated {
		slots, bytes = f.naturalOffset(p.typ, i)
	}
	switch {
	case decorated:
		p.offset = p.offset.plus(f.memberOffset(p.typ, i))
		p.clearLayout()
		if m.HasMatrixStride {
			p.matrix = matrixLayout{stride: m.MatrixStride, rowMajor: m.RowMajor}
		}
		if f.facts.HasMember(p.typ.ID, i, spirv.DecorationVolatile) {
			p.flags |= ir.Volatile
		}
		if f.facts.HasMember(p.typ.ID, i, spirv.DecorationCoherent) {
			p.flags |= ir.Coherent
		}
	case p.memory == inBuffer:
		p.offset = p.offset.plus(bytes)
	case p.memory == inInput, p.memory == inOutput:
		p.offset = p.offset.plus(m.Leaf)
	default:
		p.offset = p.offset.plus(slots)
	}
	p.typ = m.Type
}

// stepCoopMatrix goes to a component of a cooperative matrix that the lane holds.
func (f *function) stepCoopMatrix(p *pointer, i operand) {
	if p.memory != inSlots && p.memory != inPrivate {
		f.unsupported("a cooperative matrix in %s", p.class)
	}
	x := f.tile(p.typ)
	p.offset = f.addIndex(p.offset, f.bounded(i, x.components), f.extent(x.elem).slots)
	p.typ = x.elem
}

// stepElement goes to an element, a column or a component.
func (f *function) stepElement(p *pointer, i operand) {
	t := p.typ
	switch p.memory {
	case inBuffer, physical:
		if p.checked {
			i = f.within(p, i, f.extent(t).size)
		}
		f.stepStrided(p, i)
	case inSlots, inPrivate:
		e := f.extent(t.Elem)
		p.offset = f.addIndex(p.offset, f.within(p, i, f.extent(t).slots), e.slots)
	case inInput, inOutput:
		switch {
		case p.arrayed:
			p.arrayed, p.vertex = false, i
		case p.io != nil:
			p.offset = f.addIndex(p.offset, f.bounded(i, t.Count), t.Elem.Leaves)
		default:
			p.offset = f.addIndex(p.offset, i, t.Elem.Leaves)
		}
	}
	p.typ = t.Elem
}

// within returns index i of p's array in private memory or a table, or an index out
// of range of all memory if i is out of range of the array of size slots or bytes. No
// check is needed if the array ends with its variable.
func (f *function) within(p *pointer, i operand, size uint64) operand {
	n := p.typ.Count
	if n == 0 && !hollow(p.typ) || p.typ.IsRuntimeArray() {
		f.malformed("the array in private memory has no length")
	}
	if i.v != 0 && p.memory != inPrivate && p.offset.dyn == 0 && add(p.offset.imm, size) >= p.extent {
		return i
	}
	return f.bounded(i, n)
}

// partStride returns the distance in bytes between the parts of an array, matrix or
// vector in layout m in a buffer.
func (f *function) partStride(p *pointer, m matrixLayout) uint64 {
	t := p.typ
	switch {
	case p.natural:
	case t.IsArray():
		return f.arrayStride(t)
	case t.IsMatrix() && m.rowMajor:
		return f.extent(t.Elem.Elem).size
	case t.IsMatrix(), m.column:
		return uint64(m.stride)
	}
	return f.extent(t.Elem).size
}

func arrayLength(f *function, in spirv.Inst) {
	v := inst.ArrayLength(in)
	f.lengthOf(in, f.pointer(v.Structure()), v.ArrayMember())
}

// lengthOf defines the number of elements of the runtime array at the end of a struct
// in a buffer: the bytes from the member's offset on, in whole elements; 0 if the
// buffer ends before the array.
func (f *function) lengthOf(in spirv.Inst, p *pointer, member uint32) {
	if p.record != nil && p.memory == physical { // a record gives no length
		f.unsupported("the length of an array in a block that a shader record maps to memory")
	}
	if f.anywhere && p.memory == physical {
		p = f.regionPointer(p, 1)
	}
	if p.memory != inBuffer || !p.typ.IsStruct() || uint64(member) >= uint64(len(p.typ.Members)) {
		f.malformed("the operand of the length is not a runtime array in a buffer; must be one")
	}
	m := &p.typ.Members[member]
	if !m.Type.IsRuntimeArray() || f.arrayStride(m.Type) == 0 {
		f.malformed("the operand of the length is not a runtime array in a buffer; must be one")
	}
	size := f.b.Op(ir.Len, ir.I32, p.handle)
	at := f.offsetValue(p.offset.plus(f.memberOffset(p.typ, int(member))))
	rest := f.b.Op(ir.Sub, ir.I32, f.b.Op(ir.UMax, ir.I32, size, at), at)
	n := f.b.Op(ir.UDiv, ir.I32, rest, f.b.I32(uint32(min(f.arrayStride(m.Type), farAway))))
	f.define(in, f.toInt(n, f.scalar(f.facts.Type(in.Type())))) // of 64 bits with Shader64BitIndexingEXT
}
