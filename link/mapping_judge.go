package link

import (
	"fmt"
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/inst"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// maxMappings bounds how many mappings of a stage are held against each other.
const maxMappings = 1024

// mappings checks how the resources of a stage are mapped to descriptor heaps.
func (l *linker) mappings(s *Shader) {
	var list []Mapping
	if s.Mappings != nil {
		list = *s.Mappings
	}
	if len(list) > 0 {
		l.off(vuid.VkPipelineShaderStageCreateInfo_descriptorHeap_11314, "descriptorHeap", []Side{entrySide(s)}, "resources are mapped")
	}
	for i := range list {
		m := &list[i]
		side := mappingSide(s, m, i)
		for k := range min(i, maxMappings) {
			if overlap(m, &list[k]) {
				l.fail(vuid.VkShaderDescriptorSetAndBindingMappingInfoEXT_pMappings_11244, []Side{side, mappingSide(s, &list[k], k)}, "two mappings are of the same binding and sort of resource; must be of different ones")
			}
		}
		l.mapping(s, m, side)
		l.mappedOffsets(s, m, side)
		for k := range s.Entry.Resources {
			if r := &s.Entry.Resources[k]; m.of(r) {
				l.mapped(s, m, r, []Side{side, resourceSide(s, r)})
			}
		}
	}
	l.mappedAccess(s, list)
	l.unmapped(s, list)
}

// mappingSide describes a mapping.
func mappingSide(s *Shader, m *Mapping, i int) Side {
	side := entrySide(s)
	side.Name, side.Type, side.path = fmt.Sprintf("mapping %d", i), m.Source.String(), fmt.Sprintf("mappings[%d]", i)
	side.Slot = fmt.Sprintf("set %d binding %d", m.Set, m.First)
	if n := m.count(); n != 1 {
		side.Slot += fmt.Sprintf(" and %d more", n-1)
	}
	if m.Resources != nil {
		side.Decorations = m.Resources.String()
	}
	return side
}

// overlap reports whether two mappings are of a binding and sort alike.
func overlap(x, y *Mapping) bool {
	return x.Set == y.Set && x.types()&y.types() != 0 &&
		uint64(x.First) < uint64(y.First)+y.count() && uint64(y.First) < uint64(x.First)+x.count()
}

// mapping checks the properties of a mapping that do not depend on its resources.
func (l *linker) mapping(s *Shader, m *Mapping, side Side) {
	sides := []Side{side}
	if m.types() == 0 {
		l.fail(vuid.VkDescriptorSetAndBindingMappingEXT_resourceMask_requiredbitmask, sides, "a mapping is of no sort of resource; must be of some")
	} else if w, ok := wanted[m.Source]; ok && m.types()&w.types == 0 {
		l.fail(w.code, sides, "a mapping with the source %s is of %s; must be of %s", m.Source, m.types(), w.types)
	}
	const sampled = enum.ResourceTypesCombinedSampledImage | enum.ResourceTypesSampledImage | enum.ResourceTypesSampler
	if m.isHeap() && m.Source != enum.MappingSourceHeapWithConstantOffset && m.CombinedIndex && m.types() != 0 && m.types()&sampled == 0 {
		l.fail(vuid.VkDescriptorSetAndBindingMappingEXT_source_11358, sides, "a mapping uses the index of an image for its sampler and is of %s; must be of %s", m.types(), sampled)
	}
	if code := single[m.Source]; code != "" && m.count() != 1 {
		l.fail(code, sides, "a mapping with the source %s is of %d bindings; must be of 1", m.Source, m.count())
	}
	if m.Sampler != nil && m.isHeap() {
		if m.count() != 1 {
			l.fail(vuid.VkDescriptorSetAndBindingMappingEXT_source_11389, sides, "a mapping with a sampler of its own is of %d bindings; must be of 1", m.count())
		}
		if m.Sampler.CustomBorder {
			l.fail(embedded[m.Source].border, sides, "the sampler of a mapping has a border color of the application's own; must have a fixed one")
		}
		if m.Sampler.OpaqueCapture {
			l.fail(embedded[m.Source].capture, sides, "the sampler of a mapping has opaque data of a capture; must have none")
		}
	}
	if m.Bank != nil {
		switch k := StageOf(s.Entry.Model); {
		case k <= fragment:
			l.bank(vuid.VkPushConstantBankInfoNV_bank_12346, "maxGraphicsPushDataBanks", *m.Bank, sides)
		case k == compute:
			l.bank(vuid.VkPushConstantBankInfoNV_bank_12347, "maxComputePushDataBanks", *m.Bank, sides)
		}
	}
}

func (l *linker) bank(code, limit string, bank uint32, sides []Side) {
	if most, known := l.d.limit(limit); known && uint64(bank) >= most {
		l.fail(code, sides, "the bank of a mapping is %d; must be below %s, %d", bank, limit, most)
	}
}

// combined reports whether a mapping is for a combined image sampler of the stage with its
// sampler in the heap.
func (m *Mapping) combined(s *Shader) bool {
	return m.Sampler == nil && slices.ContainsFunc(s.Entry.Resources, func(r iface.Resource) bool { return r.Type == iface.CombinedImageSampler && m.of(&r) })
}

// mappedOffsets checks the offsets of a mapping.
func (l *linker) mappedOffsets(s *Shader, m *Mapping, side Side) {
	sides := []Side{side}
	for i := range offsets {
		o := &offsets[i]
		if o.source != m.Source || o.ofSamplers && !m.combined(s) {
			continue
		}
		n := o.value(m)
		if n%o.multiple != 0 {
			l.fail(o.code, sides, "%s is %d; must be a multiple of %d", o.what, n, o.multiple)
		}
		if o.below == "" {
			continue
		}
		if most, known := l.d.limit(o.limit); known && (n > most || o.multiple > most-n) {
			l.fail(o.below, sides, "%s is %d; must be %d below %s, %d", o.what, n, o.multiple, o.limit, most)
		}
	}
	if m.Source == enum.MappingSourceResourceHeapData {
		l.aligned(vuid.VkDescriptorMappingSourceHeapDataEXT_heapOffset_11263, "minUniformBufferOffsetAlignment", "heap_offset", m.HeapOffset, sides)
	}
}

// aligned checks that a number is a multiple of a limit that is known.
func (l *linker) aligned(code, limit, what string, n uint64, sides []Side) {
	if k, known := l.d.limit(limit); known && k > 0 && n%k != 0 {
		l.fail(code, sides, "%s is %d; must be a multiple of %s, %d", what, n, limit, k)
	}
}

// mapped checks a resource and its mapping.
func (l *linker) mapped(s *Shader, m *Mapping, r *iface.Resource, sides []Side) {
	if m.isHeap() {
		l.heapDescriptor(s, m, r, sides)
	}
	data := m.Source == enum.MappingSourcePushData || m.Source == enum.MappingSourceShaderRecordData || m.Source == enum.MappingSourceResourceHeapData
	if data && r.Type != iface.UniformBuffer {
		l.fail(vuid.VkPipelineShaderStageCreateInfo_pNext_11315, sides, "%s is a %s that is mapped to data; must be a uniform block", r.Name, r.Type)
		return
	}
	if r.Block != nil {
		for _, k := range [...]struct {
			source      enum.MappingSource
			code, limit string
			from        uint64
		}{
			{enum.MappingSourcePushData, vuid.VkPipelineShaderStageCreateInfo_pNext_11316, pushSize, m.PushOffset},
			{enum.MappingSourceShaderRecordData, vuid.VkPipelineShaderStageCreateInfo_pNext_11317, recordLimit, m.RecordOffset},
		} {
			if most, known := l.d.limit(k.limit); k.source == m.Source && known && (k.from > most || r.Block.Size > most-k.from) {
				l.fail(k.code, sides, "%s has %d bytes from byte %d on; must end at %s, %d", r.Name, r.Block.Size, k.from, k.limit, most)
			}
		}
	}
	record := m.Source == enum.MappingSourceHeapWithShaderRecordIndex || m.Source == enum.MappingSourceShaderRecordData || m.Source == enum.MappingSourceShaderRecordAddress
	if record && StageOf(s.Entry.Model) < raygen {
		l.fail(vuid.VkPipelineShaderStageCreateInfo_pNext_12454, sides, "%s of the %s stage is mapped to a shader record; must be of a ray tracing stage", r.Name, entrySide(s).Stage)
	}
	if m.Source != enum.MappingSourceShaderRecordAddress && m.Source != enum.MappingSourcePushAddress && m.Source != enum.MappingSourceIndirectAddress {
		return
	}
	if r.Type != iface.UniformBuffer && r.Type != iface.StorageBuffer && r.Type != iface.AccelerationStructure {
		l.fail(vuid.VkPipelineShaderStageCreateInfo_pNext_11318, sides, "%s is a %s that is mapped to an address; must be a buffer or an acceleration structure", r.Name, r.Type)
	} else if at := asksLength(s, r.ID); at >= 0 {
		l.fail(vuid.VkPipelineShaderStageCreateInfo_pNext_11378, []Side{s.at(at), sides[1], sides[0]}, "the stage queries the length of %s, which is mapped to an address; must not query it", r.Name)
	}
}

// heapDescriptor checks a resource with a descriptor in a heap.
func (l *linker) heapDescriptor(s *Shader, m *Mapping, r *iface.Resource, sides []Side) {
	kind := r.Type
	if kind == iface.UniformTexelBuffer && withSampler(s, r.ID) {
		kind = iface.CombinedImageSampler
	}
	for i := range mappedKinds {
		if k := &mappedKinds[i]; slices.Contains(k.of, kind) {
			l.aligned(k.code, k.limit, "heap_offset", m.HeapOffset, sides)
			l.aligned(k.code, k.limit, "heap_array_stride", m.HeapArrayStride, sides)
		}
	}
	if r.Type == iface.CombinedImageSampler && m.Sampler == nil {
		const code, limit = vuid.VkDescriptorSetAndBindingMappingEXT_source_11254, "samplerDescriptorAlignment"
		l.aligned(code, limit, "sampler_heap_offset", m.SamplerHeapOffset, sides)
		l.aligned(code, limit, "sampler_heap_array_stride", m.SamplerHeapArrayStride, sides)
	}
	if m.Sampler != nil && len(r.Arrays) > 0 {
		l.fail(vuid.VkPipelineShaderStageCreateInfo_pNext_11399, sides, "%s is an array and its mapping has a sampler of its own; must be no array", r.Name)
	}
}

// withSampler reports whether a variable is of OpTypeSampledImage. A uniform texel buffer may
// be of it or of OpTypeImage.
func withSampler(s *Shader, id spirv.ID) bool {
	m := s.facts()
	if m == nil {
		return false
	}
	v := m.Variable(id)
	if v == nil {
		return false
	}
	t := v.Type
	for t != nil && (t.Op == spirv.OpTypeArray || t.Op == spirv.OpTypeRuntimeArray) {
		t = t.Elem
	}
	return t != nil && t.Op == spirv.OpTypeSampledImage
}

// unmapped checks that all resources of a stage for descriptor heaps are mapped.
func (l *linker) unmapped(s *Shader, list []Mapping) {
	code := mappedAll[l.kind()]
	on := l.d.Flags&enum.PipelineFlagsDescriptorHeap != 0
	if l.d.Kind == ShaderObjects {
		code, on = vuid.VkShaderCreateInfoEXT_flags_11292, s.Object&enum.ObjectFlagsDescriptorHeap != 0
	}
	if !on || code == "" {
		return
	}
	for i := range s.Entry.Resources {
		r := &s.Entry.Resources[i]
		if r.Used && !r.MissingSet && !r.MissingBinding && !slices.ContainsFunc(list, func(m Mapping) bool { return m.of(r) }) {
			l.fail(code, []Side{resourceSide(s, r)}, "%s has no mapping in a pipeline for descriptor heaps; must have one", r.Name)
		}
	}
}

// asksLength returns the instruction of an entry point that queries the length of the array
// in a block, or -1 if there is none.
func asksLength(s *Shader, id spirv.ID) int {
	t := s.trace()
	if t == nil {
		return -1
	}
	for i, in := range t.instructions() {
		var p spirv.ID
		switch in.Op() {
		case spirv.OpArrayLength:
			p = inst.ArrayLength(in).Structure()
		case spirv.OpUntypedArrayLengthKHR:
			p = inst.UntypedArrayLengthKHR(in).Pointer()
		default:
			continue
		}
		if slices.ContainsFunc(t.pointers(p), func(r root) bool { return r.id == id }) {
			return i
		}
	}
	return -1
}
