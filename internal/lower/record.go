package lower

import (
	"math"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// A mapping may find resources by the data of the shader record (VkDescriptorSetAndBindingMappingEXT), which each invocation of a ray
// tracing stage has of its own. The program reads the record: a descriptor becomes one of the heap, a block the memory at an address.

// RecordMapping is the part of a mapping that lowering needs. Mappings with other sources are needed, too: they take variables from
// mappings with records.
type RecordMapping struct {
	Set, First, Count uint32
	Types             enum.ResourceTypes
	Source            RecordSource

	Offset          uint32 // in the data of the record: of the index, of the block, or of the address
	Resource        RecordHeap
	SamplerOffset   uint32 // of the index of the sampler of a combined image sampler
	Sampler         RecordHeap
	Combined        bool // one index has the sampler's index in the upper 12 bits
	EmbeddedSampler bool
}

// RecordHeap is a place in a heap, in bytes: the descriptor of element i is at Offset + index · IndexStride + i · ArrayStride.
type RecordHeap struct{ Offset, IndexStride, ArrayStride uint32 }

// RecordSource tells how a record leads to a resource.
type RecordSource uint8

// The sources.
const (
	NoRecord      RecordSource = iota
	RecordIndex                // by an index into a heap
	RecordData                 // it has the bytes
	RecordAddress              // by an address
)

// MappedTypes returns the types of mappings that a resource has, and those that it has only if no mapping is of the former
// (VkSpirvResourceTypeFlagsEXT).
func MappedTypes(kind ir.ResourceKind, sort uint32, structure bool) (types, also enum.ResourceTypes) {
	switch kind {
	case ir.UniformBuffer:
		if structure {
			return enum.ResourceTypesAccelerationStructure, 0
		}
		return enum.ResourceTypesUniformBuffer, 0
	case ir.StorageBuffer:
		if sort == ir.SortReadOnly {
			return enum.ResourceTypesReadOnlyStorageBuffer, enum.ResourceTypesReadWriteStorageBuffer
		}
		return enum.ResourceTypesReadWriteStorageBuffer, 0
	case ir.Texels:
		switch sort {
		case ir.SortCombined:
			return enum.ResourceTypesCombinedSampledImage, 0
		case ir.SortReadOnly:
			return enum.ResourceTypesReadOnlyImage, enum.ResourceTypesReadWriteImage
		case ir.SortWritten:
			return enum.ResourceTypesReadWriteImage, 0
		}
		return enum.ResourceTypesSampledImage, enum.ResourceTypesCombinedSampledImage
	case ir.SamplerState:
		if sort == ir.SortCombined {
			return enum.ResourceTypesCombinedSampledImage, 0
		}
		return enum.ResourceTypesSampler, 0
	}
	return 0, 0
}

// has reports whether a mapping is of a binding and some of the types.
func (m *RecordMapping) has(set, binding uint32, types enum.ResourceTypes) bool {
	return m.Set == set && binding >= m.First && uint64(binding) < uint64(m.First)+uint64(m.Count) && m.Types&types != 0
}

// recordMapping returns the mapping of a variable if it is by the record; nil if it is not.
func (u *unit) recordMapping(v *facts.Variable) *RecordMapping {
	if u.options.Descriptors != InHeaps || len(u.options.Records) == 0 {
		return nil
	}
	set, _ := u.facts.Decoration(v.ID, spirv.DecorationDescriptorSet)
	binding, _ := u.facts.Decoration(v.ID, spirv.DecorationBinding)
	kind, sort := ir.Texels, Sort(u.facts, v)
	switch t := innermost(v.Type); {
	case t.IsStruct() && sort == ir.SortPlain, sort == ir.SortStructure:
		kind = ir.UniformBuffer
	case t.IsStruct():
		kind = ir.StorageBuffer
	case sort == ir.SortSampler:
		kind = ir.SamplerState
	}
	types, also := MappedTypes(kind, sort, sort == ir.SortStructure)
	for _, types := range [...]enum.ResourceTypes{types, also} {
		for i := range u.options.Records {
			m := &u.options.Records[i]
			if !m.has(set.Literal(), binding.Literal(), types) {
				continue
			}
			if m.Source == NoRecord {
				return nil
			}
			if !u.prog.Stage.OfRays() {
				u.unsupported("mapped by a shader record in a stage without one")
			}
			return m
		}
	}
	return nil
}

// recordVariable binds the heap that the descriptors of a variable are in; false if the variable is not mapped by the record.
func (u *unit) recordVariable(p *pointer, v *facts.Variable) bool {
	m := u.recordMapping(v)
	if m == nil {
		return false
	}
	t := innermost(v.Type)
	p.record = &mappedRecord{RecordMapping: m, block: t}
	if binding, ok := u.facts.Decoration(v.ID, spirv.DecorationBinding); ok {
		p.record.first = binding.Literal() - m.First
	}
	if m.Source != RecordIndex {
		if v.Type.IsArray() {
			u.unsupported("an array that a shader record has")
		}
		if p.memory = physical; isObject(t) {
			p.memory = object
		}
		return true
	}
	switch {
	case v.Type.IsArray():
		p.memory = descriptor
	case isObject(t):
		p.memory = object
	}
	switch t.Op {
	case spirv.OpTypeAccelerationStructureKHR:
		p.number = u.bindResource(ir.Resource{Kind: ir.HeapBytes, Count: 1, NonWritable: true})
	case spirv.OpTypeSampler:
		p.number, p.record.sampler = u.recordSampler(p.record, v), true
	case spirv.OpTypeSampledImage:
		p.record.samplers, p.record.combined = u.recordSampler(p.record, v), true
		p.number = u.bindPair(imageHeap, ir.Texels, ir.ImageShape)
		u.shown(p.number, t.Elem)
	case spirv.OpTypeImage:
		p.number = u.bindPair(imageHeap, ir.Texels, ir.ImageShape)
		u.shown(p.number, t)
	case spirv.OpTypeStruct:
		r := ir.Resource{Kind: ir.HeapBuffer}
		if Sort(u.facts, v) == ir.SortPlain {
			r.Kind, r.NonWritable = ir.HeapUniform, true
		}
		p.number = u.bindResource(r)
	default:
		u.unsupported("%s mapped by a shader record", t.Op)
	}
	return true
}

// recordSampler binds the samplers of a variable: samplers of the heap, or the one of the mapping itself.
func (u *unit) recordSampler(m *mappedRecord, v *facts.Variable) uint64 {
	if !m.EmbeddedSampler {
		return u.bindResource(samplerHeap)
	}
	set, _ := u.facts.Decoration(v.ID, spirv.DecorationDescriptorSet)
	binding, _ := u.facts.Decoration(v.ID, spirv.DecorationBinding)
	r := ir.Resource{Kind: ir.SamplerState, Set: set.Literal(), Binding: binding.Literal(), Count: 1, NonWritable: true}
	u.sortBinding(&r, v)
	return u.bindResource(r)
}

// mappedRecord is the mapping of a variable by the record.
type mappedRecord struct {
	*RecordMapping
	block    *facts.Type // of the variable, without arrays
	first    uint32      // the index of the first element
	sampler  bool        // the variable is a sampler
	combined bool        // the variable is a combined image sampler; its samplers are in the resource samplers
	samplers uint64
}

// recordPointer returns the pointer to a variable that is mapped by the record.
func (f *function) recordPointer(p pointer) *pointer {
	switch {
	case p.record.Source == RecordIndex && p.memory != descriptor:
		f.selectRecord(&p)
	case p.memory == physical && p.record.Source == RecordData:
		p.address = f.recordAt(p.record.Offset)
	case p.memory == physical:
		p.address = f.recordWord(p.record.Offset, ir.I64)
		f.checkRecordAddress(&p)
	}
	return &p
}

// recordAt returns the address of the data of the record at an offset.
func (f *function) recordAt(offset uint32) ir.V {
	at := f.b.OpAux(ir.In, ir.I64, f.inputNumber(ir.Input{Semantic: ir.ShaderRecord, Type: ir.I64}))
	return f.b.Op(ir.Add, ir.I64, at, f.b.Const(ir.I64, uint64(offset)))
}

// recordWord loads an index or an address from the record.
func (f *function) recordWord(offset uint32, t ir.Type) ir.V {
	return f.loadScalar(&pointer{memory: physical, address: f.recordAt(offset)}, t)
}

// selectRecord sets the descriptor of a pointer to one object or block; its element is the index in the array of the variable.
func (f *function) selectRecord(p *pointer) {
	m, index := p.record, p.element
	if index == 0 {
		index = f.b.I32(0)
	}
	place := f.recordOffset(m, index, m.Offset, m.Resource, false)
	p.places = [2]ir.V{f.heapOffset(place)}
	switch {
	case isStructure(p.typ):
		p.heap, p.memory = true, inBuffer
		p.resource, p.element = f.b.I32(uint32(p.number)), f.b.I32(0)
		p.handle, p.offset = f.b.OpAux(ir.Res, ir.H, p.number, p.element), offset{dyn: p.places[0]}
		return
	case m.sampler && m.EmbeddedSampler:
		p.element, p.places[0] = f.b.I32(0), 0
	default:
		p.element = f.descriptorAt(place)
	}
	if m.combined {
		p.sampler = f.b.I32(0)
		if !m.EmbeddedSampler {
			at := m.SamplerOffset
			if m.Combined {
				at = m.Offset
			}
			place := f.recordOffset(m, index, at, m.Sampler, true)
			p.sampler, p.places[1] = f.descriptorAt(place), f.heapOffset(place)
		}
	}
	p.resource = f.b.I32(uint32(p.number))
	if !isObject(p.typ) {
		p.memory = inBuffer
		p.handle = f.b.OpAux(ir.Res, ir.H, p.number, p.element)
	}
}

// recordOffset returns the offset in the heap, in 64 bits, of the descriptor of an element of a variable.
func (f *function) recordOffset(m *mappedRecord, index ir.V, at uint32, heap RecordHeap, upper bool) ir.V {
	b := f.b
	n := f.recordWord(at, ir.I32)
	if m.Combined && m.combined {
		if n = b.Op(ir.And, ir.I32, n, b.I32(1<<20-1)); upper {
			n = b.Op(ir.LShr, ir.I32, f.recordWord(at, ir.I32), b.I32(20))
		}
	}
	scaled := func(v ir.V, stride uint32) ir.V {
		return b.Op(ir.Mul, ir.I64, b.Op(ir.ZExt, ir.I64, v), b.Const(ir.I64, uint64(stride)))
	}
	sum := b.Op(ir.Add, ir.I64, scaled(n, heap.IndexStride), scaled(index, heap.ArrayStride))
	return b.Op(ir.Add, ir.I64, sum, b.Const(ir.I64, uint64(heap.Offset)+uint64(m.first)*uint64(heap.ArrayStride)))
}

// descriptorAt returns the index of the descriptor at an offset of 64 bits in its heap; out of range if the offset is not aligned.
func (f *function) descriptorAt(at ir.V) ir.V {
	return f.b.Select(f.isHeapOffset(at), f.b.Op(ir.Trunc, ir.I32, f.b.Op(ir.UDiv, ir.I64, at, f.b.Const(ir.I64, ir.HeapDescriptor))), f.b.I32(farAway))
}

// heapOffset returns an offset of 64 bits as one of 32; out of range if it is not aligned.
func (f *function) heapOffset(at ir.V) ir.V {
	return f.b.Select(f.isHeapOffset(at), f.b.Op(ir.Trunc, ir.I32, at), f.b.I32(farAway))
}

// isHeapOffset reports whether an offset of 64 bits is aligned for a descriptor and below 4 GiB.
func (f *function) isHeapOffset(at ir.V) ir.V {
	const rest = ^uint64(math.MaxUint32) | (ir.HeapDescriptor - 1)
	return f.b.Cmp(ir.Eq, f.b.Op(ir.And, ir.I64, at, f.b.Const(ir.I64, rest)), f.b.Const(ir.I64, 0))
}

// passesSampler reports whether a pointer to type t, which is nil for untyped ones, has its sampler with it when it is a value: shader records may have other places for
// the samplers of combined image samplers than for their images.
func (u *unit) passesSampler(t *facts.Type) bool {
	return u.options.Descriptors == InHeaps && len(u.options.Records) > 0 && t != nil && t.Op == spirv.OpTypeSampledImage
}

// passedSampler returns the resource and the descriptor of the sampler of a pointer to a combined image sampler; nothing for other pointers.
func (f *function) passedSampler(p *pointer) []ir.V {
	switch {
	case !f.passesSampler(p.typ):
		return nil
	case p.record != nil:
		return []ir.V{f.b.I32(uint32(p.record.samplers)), p.sampler}
	case p.samplers != 0:
		return []ir.V{p.samplers, p.sampler}
	}
	parts := f.objectParts(p)
	return []ir.V{f.combinedSampler(parts[0]), parts[1]}
}
