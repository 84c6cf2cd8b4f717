package lower

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
)

var heapRules = rules{
	spirv.OpBufferPointerEXT: bufferPointer,
}

// A descriptor heap (SPV_EXT_descriptor_heap) is a sequence of bytes, addressed by a
// pointer in UniformConstant like a buffer. OpBufferPointerEXT converts a heap address
// to the buffer of the descriptor at that address. The descriptors are read when the
// program starts: they are a resource with one entry for each aligned heap address, so
// that an address becomes an index.

// size returns the value of an integer constant that is an offset or a stride in a heap.
func (u *unit) size(id spirv.ID) uint64 {
	c := u.facts.Const(id)
	if c == nil || !c.Known || !c.Type.IsInt() {
		u.malformed("the layout operand %%%d is not an integer constant of known value; must be one", id)
	}
	return c.Bits
}

// arrayStride returns the array stride of an array or pointer type, 0 if it has none.
func (u *unit) arrayStride(t *facts.Type) uint64 {
	if t.ArrayStride == 0 {
		if d, ok := u.facts.Decoration(t.ID, spirv.DecorationArrayStrideIdEXT); ok {
			return u.size(spirv.ID(d.Literal()))
		}
	}
	return uint64(t.ArrayStride)
}

// memberOffset returns the decorated offset of a struct member.
func (u *unit) memberOffset(t *facts.Type, i int) uint64 {
	m := &t.Members[i]
	if !m.HasOffset {
		if d, ok := u.facts.MemberDecoration(t.ID, i, spirv.DecorationOffsetIdEXT); ok {
			return u.size(spirv.ID(d.Literal()))
		}
	}
	return uint64(m.Offset)
}

// heapVariable allocates the variable of a heap; false if v is no heap. Programs do not
// write to a heap.
func (u *unit) heapVariable(p *pointer, v *facts.Variable) bool {
	switch k, _ := u.facts.BuiltIn(v.ID); {
	case v.Storage != spirv.StorageClassUniformConstant:
		return false
	case k == spirv.BuiltInSamplerHeapEXT:
		p.heap, p.number = true, u.bindResource(ir.Resource{Kind: ir.HeapBytes, Binding: ir.SamplerHeap, Count: 1, NonWritable: true})
		if u.heaped == 0 {
			u.heaped = p.number + 1
		}
		u.bindResource(samplerHeap)
		return true
	case k != spirv.BuiltInResourceHeapEXT:
		return false
	}
	p.heap = true
	for i := range u.facts.Types { // before the first dispatch among images, which may be of any type
		if t := &u.facts.Types[i]; t.Op == spirv.OpTypeImage {
			u.shown(u.bindPair(imageHeap, ir.Texels, ir.ImageShape), t)
		}
	}
	u.bindResource(ir.Resource{Kind: ir.HeapBuffer}) // before the first materialized pointer, which may point into any buffer
	u.bindResource(ir.Resource{Kind: ir.HeapUniform, NonWritable: true})
	p.number = u.bindResource(ir.Resource{Kind: ir.HeapBytes, Count: 1, NonWritable: true})
	u.heaped = p.number + 1
	return true
}

// imageHeap and samplerHeap are the resources for the descriptors of a heap.
var (
	imageHeap   = ir.Resource{Heap: true}
	samplerHeap = ir.Resource{Kind: ir.SamplerState, Heap: true, NonWritable: true}
)

// heapObject returns the scalars of the image or sampler with the descriptor at a heap
// address; its type selects the resource.
func (f *function) heapObject(p *pointer, t *facts.Type) []ir.V {
	var resource uint64
	switch t.Op {
	case spirv.OpTypeImage:
		resource = f.bindPair(imageHeap, ir.Texels, ir.ImageShape)
		f.shown(resource, t)
	case spirv.OpTypeSampler:
		resource = f.bindResource(samplerHeap)
	default:
		f.unsupported("%s in a descriptor heap", t.Op)
	}
	parts := []ir.V{f.b.I32(uint32(resource)), f.heapIndex(p)}
	f.checkHeapObject(p, t, parts)
	return parts
}

// eitherObject returns the scalars of the object at a pointer into the heap, which may be to an object of a binding instead.
func (f *function) eitherObject(p *pointer, t *facts.Type) []ir.V {
	bound := []ir.V{p.resource, p.element}
	switch {
	case p.either == 0:
		return f.heapObject(p, t)
	case t.Op != spirv.OpTypeImage && t.Op != spirv.OpTypeSampler: // only a binding has others
		return bound
	}
	parts := f.heapObject(p, t)
	for i := range parts {
		parts[i] = f.b.Select(p.either, parts[i], bound[i])
	}
	return parts
}

// heapIndex returns the index of the descriptor at a heap address, out of range if the
// address is not aligned.
func (f *function) heapIndex(p *pointer) ir.V {
	at := f.offsetValue(p.offset)
	aligned := f.b.Cmp(ir.Eq, f.b.Op(ir.And, ir.I32, at, f.b.I32(ir.HeapDescriptor-1)), f.b.I32(0))
	return f.b.Select(aligned, f.b.Op(ir.UDiv, ir.I32, at, f.b.I32(ir.HeapDescriptor)), f.b.I32(farAway))
}

// bufferPointer lowers OpBufferPointerEXT: the buffer with the descriptor at a heap
// address; the null descriptor if the address is not aligned.
func bufferPointer(f *function, in spirv.Inst) {
	v := inst.BufferPointerEXT(in)
	p, t := f.pointer(v.Buffer()), f.facts.Type(v.Type())
	if !p.heap || p.memory != inBuffer {
		f.malformed("the buffer is not in a descriptor heap; must be in one")
	}
	r := ir.Resource{Kind: ir.HeapBuffer}
	switch {
	case !t.IsPointer():
		f.malformed("the result is not a pointer; must be one")
	case t.Storage == spirv.StorageClassUniform && !(t.Elem.IsStruct() && f.facts.Has(t.Elem.ID, spirv.DecorationBufferBlock)):
		r.Kind, r.NonWritable = ir.HeapUniform, true
	case t.Storage != spirv.StorageClassStorageBuffer && t.Storage != spirv.StorageClassUniform:
		f.unsupported("of a pointer to %s", t.Storage)
	}
	n := f.bindResource(r)
	i := f.heapIndex(p)
	if p.either != 0 {
		i = f.b.Select(p.either, i, f.b.I32(farAway))
	}
	q := &pointer{memory: inBuffer, typ: t.Elem, class: t.Storage, number: n, resource: f.b.I32(uint32(n)), element: i}
	q.handle = f.b.OpAux(ir.Res, ir.H, n, i)
	f.checkHeapDescriptor(p, q.handle, "buffer")
	f.definePointer(in, q)
}
