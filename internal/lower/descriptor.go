package lower

import (
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// Tensors, images, samplers and acceleration structures are objects: a shader loads them
// from UniformConstant and passes them to instructions. The value of an object is the
// number of its resource and the index of its descriptor; a sampled image consists of an
// image and a sampler. The value of an acceleration structure is its number, of 64 bits.

// isObject reports whether values of a type are objects.
func isObject(t *facts.Type) bool { return objectWords(t) > 0 }

// objectWords returns the number of scalars of an object, 0 for another type.
func objectWords(t *facts.Type) uint64 {
	if t == nil {
		return 0
	}
	switch t.Op {
	case spirv.OpTypeAccelerationStructureKHR:
		return 1
	case spirv.OpTypeTensorARM, spirv.OpTypeImage, spirv.OpTypeSampler:
		return 2
	case spirv.OpTypeSampledImage:
		return 4
	}
	return 0
}

// innermost returns the element type of an array of arrays.
func innermost(t *facts.Type) *facts.Type {
	for t.IsArray() && t.Elem != nil {
		t = t.Elem
	}
	return t
}

// Sort returns the sort of a variable of descriptors, which tells it apart from others of its binding in programs with mapped resources.
func Sort(f *facts.Module, v *facts.Variable) uint32 {
	switch t := innermost(v.Type); {
	case t.IsStruct():
		switch {
		case v.Storage == spirv.StorageClassUniform && !f.Has(t.ID, spirv.DecorationBufferBlock):
			return ir.SortPlain
		case readOnly(f, v, t):
			return ir.SortReadOnly
		}
		return ir.SortWritten
	case t.Op == spirv.OpTypeAccelerationStructureKHR:
		return ir.SortStructure
	case t.Op == spirv.OpTypeSampler:
		return ir.SortSampler
	case t.Op == spirv.OpTypeSampledImage:
		return ir.SortCombined
	case t.Op != spirv.OpTypeImage || t.Image.Sampled != 2:
		return ir.SortPlain
	case f.Has(v.ID, spirv.DecorationNonWritable):
		return ir.SortReadOnly
	}
	return ir.SortWritten
}

// objectVariable allocates a variable in UniformConstant, or a tile attachment: an object
// or an array of objects. Other variables of the class hold no data.
func (u *unit) objectVariable(p *pointer, v *facts.Variable) {
	t := innermost(v.Type)
	if !isObject(t) {
		p.memory = opaque
		return
	}
	if u.recordVariable(p, v) {
		return
	}
	set, _ := u.facts.Decoration(v.ID, spirv.DecorationDescriptorSet)
	binding, _ := u.facts.Decoration(v.ID, spirv.DecorationBinding)
	r := ir.Resource{Set: set.Literal(), Binding: binding.Literal(), Count: uint32(descriptorCount(v.Type)), Tile: v.Storage == spirv.StorageClassTileAttachmentQCOM}
	u.sortBinding(&r, v)
	u.objects = true
	if p.memory = object; v.Type.IsArray() {
		p.memory = descriptor
	}
	sampler := r
	sampler.Kind, sampler.NonWritable, sampler.Tile = ir.SamplerState, true, false
	switch t.Op {
	case spirv.OpTypeAccelerationStructureKHR:
		r.Kind, r.NonWritable, r.Structure = ir.UniformBuffer, true, true
		p.number = u.bindResource(r)
		u.structures = append(u.structures, p.number)
	case spirv.OpTypeTensorARM:
		p.number = u.bindPair(r, ir.StorageTensor, ir.TensorShape)
	case spirv.OpTypeSampler:
		p.number = u.bindResource(sampler)
	case spirv.OpTypeSampledImage:
		p.number = u.bindPair(r, ir.Texels, ir.ImageShape)
		u.shown(p.number, t.Elem)
		u.bindResource(sampler)
	default:
		p.number = u.bindPair(r, ir.Texels, ir.ImageShape)
		u.shown(p.number, t)
	}
}

// bindPair binds an object that is two consecutive resources: its memory, and its shape
// (size and format).
func (u *unit) bindPair(r ir.Resource, memory, shape ir.ResourceKind) uint64 {
	r.Kind = memory
	n := u.bindResource(r)
	r.Kind, r.NonWritable = shape, true
	if u.bindResource(r) != n+1 {
		u.malformed("the memory and the shape of the object are not consecutive resources")
	}
	return n
}

// objectParts returns the scalars of a pointer to an object, or to an array of objects:
// the resource and the descriptor.
func (f *function) objectParts(p *pointer) []ir.V {
	if p.record != nil && (p.memory == descriptor || p.record.Source != RecordIndex) {
		f.unsupported("a pointer to a resource that the shader record has mapped as a value")
	}
	resource, element := p.resource, p.element
	if resource == 0 {
		resource = f.b.I32(uint32(p.number))
	}
	if element == 0 {
		element = f.b.I32(0)
	}
	return []ir.V{resource, element}
}

// loadObjects appends the scalars of an object, or of each object of an array.
func (f *function) loadObjects(parts []ir.V, p pointer, t *facts.Type) []ir.V {
	switch {
	case t.IsArray():
		for i := range t.Count {
			at := p
			f.step(&at, operand{bits: i})
			parts = f.loadObjects(parts, at, t.Elem)
		}
		return parts
	case isStructure(t) && (p.heap && p.memory == inBuffer || p.memory == object):
		return append(parts, f.structureDescriptor(&p))
	case p.heap && p.memory == inBuffer:
		parts = append(parts, f.eitherObject(&p, t)...)
	case p.memory != object && p.memory != tileImage:
		f.unsupported("%s in %s", t.Op, p.class)
	default:
		parts = append(parts, f.objectParts(&p)...)
	}
	switch n := len(parts); {
	case t.Op == spirv.OpTypeSampledImage && p.record != nil:
		parts = append(parts, f.b.I32(uint32(p.record.samplers)), p.sampler)
		f.checkRecordObject(&p, t, parts[n-2:])
	case p.record != nil:
		f.checkRecordObject(&p, t, parts[n-2:])
	case p.samplers != 0:
		parts = append(parts, p.samplers, p.sampler)
	case t.Op == spirv.OpTypeSampledImage:
		parts = append(parts, f.combinedSampler(parts[n-2]), parts[n-1])
	}
	return parts
}

// setAccessFlags sets the flags of the accesses through an object.
func (f *function) setAccessFlags(in spirv.Inst, flags ir.Flags) {
	f.defined[f.facts.Def(in.Result())].flags = flags
}

// combinedSampler returns the resource of the sampler at the binding of an image, for a
// combined image sampler.
func (f *function) combinedSampler(resource ir.V) ir.V {
	samplerOf := func(n int) (uint32, bool) {
		r := &f.prog.Res[n]
		for i := range f.prog.Res {
			if s := &f.prog.Res[i]; s.Kind == ir.SamplerState && s.Set == r.Set && s.Binding == r.Binding {
				return uint32(i), true
			}
		}
		return 0, false
	}
	if n, ok := f.constBits(resource); ok && n < uint64(len(f.prog.Res)) {
		s, _ := samplerOf(int(n))
		return f.b.I32(s)
	}
	v := f.b.I32(0)
	for n := range f.prog.Res {
		if f.prog.Res[n].Kind != ir.Texels {
			continue
		}
		if s, ok := samplerOf(n); ok {
			v = f.b.Select(f.b.Cmp(ir.Eq, resource, f.b.I32(uint32(n))), f.b.I32(s), v)
		}
	}
	return v
}
