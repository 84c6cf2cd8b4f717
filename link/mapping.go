package link

import (
	"fmt"
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// Mapping is VkDescriptorSetAndBindingMappingEXT: the location of the resources of some
// bindings without descriptor sets. Source determines which of the offsets are in use.
// Offsets and strides are in bytes.
type Mapping struct {
	Set       uint32              `yaml:"set"`
	First     uint32              `yaml:"first_binding"`
	Count     *uint32             `yaml:"binding_count"` // nil means 1
	Resources *enum.ResourceTypes `yaml:"resources"`     // nil means all
	Source    enum.MappingSource  `yaml:"source"`

	HeapOffset      uint64 `yaml:"heap_offset"`
	HeapArrayStride uint64 `yaml:"heap_array_stride"`
	PushOffset      uint64 `yaml:"push_offset"` // also of push data and of an address among it
	AddressOffset   uint64 `yaml:"address_offset"`
	RecordOffset    uint64 `yaml:"shader_record_offset"` // also of data and of an address in the record

	// The following fields are for the samplers of combined image samplers.
	CombinedIndex          bool   `yaml:"use_combined_image_sampler_index"`
	SamplerHeapOffset      uint64 `yaml:"sampler_heap_offset"`
	SamplerHeapArrayStride uint64 `yaml:"sampler_heap_array_stride"`
	SamplerPushOffset      uint64 `yaml:"sampler_push_offset"`
	SamplerAddressOffset   uint64 `yaml:"sampler_address_offset"`

	Sampler *EmbeddedSampler `yaml:"embedded_sampler"`
	Bank    *uint32          `yaml:"push_constant_bank"` // VkPushConstantBankInfoNV, nil if there is none
}

// EmbeddedSampler has the forbidden properties of an embedded sampler of a mapping.
type EmbeddedSampler struct {
	CustomBorder  bool `yaml:"custom_border_color"` // its border color is one of the application's own
	OpaqueCapture bool `yaml:"opaque_capture"`      // VkOpaqueCaptureDescriptorDataCreateInfoEXT is chained to it
}

// count is how many bindings are mapped.
func (m *Mapping) count() uint64 {
	if m.Count == nil {
		return 1
	}
	return uint64(*m.Count)
}

// types are the sorts of resources that are mapped.
func (m *Mapping) types() enum.ResourceTypes {
	if m.Resources == nil {
		return enum.ResourceTypesAll
	}
	return *m.Resources
}

// sortsOf returns the sorts that a resource may have. Whether it is written is a property
// of the variable or of its members; this function does not distinguish the two.
func sortsOf(r *iface.Resource) enum.ResourceTypes {
	switch r.Type {
	case iface.Sampler:
		return enum.ResourceTypesSampler
	case iface.CombinedImageSampler:
		return enum.ResourceTypesCombinedSampledImage
	case iface.SampledImage:
		return enum.ResourceTypesSampledImage
	case iface.UniformTexelBuffer:
		return enum.ResourceTypesSampledImage | enum.ResourceTypesCombinedSampledImage
	case iface.StorageImage, iface.StorageTexelBuffer, iface.InputAttachment:
		if r.NonWritable {
			return enum.ResourceTypesReadOnlyImage | enum.ResourceTypesReadWriteImage
		}
		return enum.ResourceTypesReadWriteImage
	case iface.UniformBuffer:
		return enum.ResourceTypesUniformBuffer
	case iface.StorageBuffer:
		if r.NonWritable {
			return enum.ResourceTypesReadOnlyStorageBuffer | enum.ResourceTypesReadWriteStorageBuffer
		}
		return enum.ResourceTypesReadWriteStorageBuffer
	case iface.AccelerationStructure:
		return enum.ResourceTypesAccelerationStructure
	case iface.StorageTensor:
		return enum.ResourceTypesTensor
	}
	return 0
}

// of reports whether a mapping is of a resource.
func (m *Mapping) of(r *iface.Resource) bool {
	return !r.MissingSet && !r.MissingBinding && r.Set == m.Set && r.Binding >= m.First && uint64(r.Binding) < uint64(m.First)+m.count() &&
		m.types()&sortsOf(r) != 0
}

// mappedKinds are the sorts of variables by the SPIR-V types that rules of
// mappings speak of.
var mappedKinds = [...]struct {
	name  string
	of    []iface.Descriptor
	limit string // that heap offsets are multiples of
	code  string
}{
	{"an image", []iface.Descriptor{iface.SampledImage, iface.StorageImage, iface.UniformTexelBuffer, iface.StorageTexelBuffer, iface.InputAttachment}, "imageDescriptorAlignment", vuid.VkDescriptorSetAndBindingMappingEXT_source_11251},
	{"a block", []iface.Descriptor{iface.UniformBuffer, iface.StorageBuffer}, "bufferDescriptorAlignment", vuid.VkDescriptorSetAndBindingMappingEXT_source_11252},
	{"a sampler", []iface.Descriptor{iface.Sampler}, "samplerDescriptorAlignment", vuid.VkDescriptorSetAndBindingMappingEXT_source_11253},
	{"a combined image sampler", []iface.Descriptor{iface.CombinedImageSampler}, "imageDescriptorAlignment", vuid.VkDescriptorSetAndBindingMappingEXT_source_12406},
	{"a tensor", []iface.Descriptor{iface.StorageTensor}, "tensorDescriptorAlignment", vuid.VkDescriptorSetAndBindingMappingEXT_source_11390},
}

// fromHeap are the sources that find a descriptor in a heap.
var fromHeap = []enum.MappingSource{
	enum.MappingSourceHeapWithConstantOffset, enum.MappingSourceHeapWithPushIndex, enum.MappingSourceHeapWithIndirectIndex,
	enum.MappingSourceHeapWithIndirectIndexArray, enum.MappingSourceHeapWithShaderRecordIndex,
}

// single are the sources that map one binding, and the rule of each.
var single = map[enum.MappingSource]string{
	enum.MappingSourcePushData: vuid.VkDescriptorSetAndBindingMappingEXT_source_11245, enum.MappingSourcePushAddress: vuid.VkDescriptorSetAndBindingMappingEXT_source_11245,
	enum.MappingSourceIndirectAddress: vuid.VkDescriptorSetAndBindingMappingEXT_source_11245, enum.MappingSourceResourceHeapData: vuid.VkDescriptorSetAndBindingMappingEXT_source_11245,
	enum.MappingSourceShaderRecordData: vuid.VkDescriptorSetAndBindingMappingEXT_source_11248, enum.MappingSourceShaderRecordAddress: vuid.VkDescriptorSetAndBindingMappingEXT_source_11248,
}

// addresses are the sorts of resources that an address can reach.
const addresses = enum.ResourceTypesUniformBuffer | enum.ResourceTypesReadOnlyStorageBuffer | enum.ResourceTypesReadWriteStorageBuffer | enum.ResourceTypesAccelerationStructure

// wanted are the sorts of which a mapping of a source must have one, and the rule.
var wanted = map[enum.MappingSource]struct {
	code  string
	types enum.ResourceTypes
}{
	enum.MappingSourceResourceHeapData:    {vuid.VkDescriptorSetAndBindingMappingEXT_source_11356, enum.ResourceTypesUniformBuffer},
	enum.MappingSourceShaderRecordData:    {vuid.VkDescriptorSetAndBindingMappingEXT_source_11356, enum.ResourceTypesUniformBuffer},
	enum.MappingSourcePushData:            {vuid.VkDescriptorSetAndBindingMappingEXT_source_11356, enum.ResourceTypesUniformBuffer},
	enum.MappingSourceShaderRecordAddress: {vuid.VkDescriptorSetAndBindingMappingEXT_source_11357, addresses},
	enum.MappingSourcePushAddress:         {vuid.VkDescriptorSetAndBindingMappingEXT_source_11357, addresses},
}

// offset is a rule on an offset of a mapping: the offset is a multiple of a number, and
// that number below a limit; a code is "" if there is no such rule.
type offset struct {
	source     enum.MappingSource
	what       string
	value      func(*Mapping) uint64
	multiple   uint64
	code       string
	limit      string
	below      string // the rule of the limit
	ofSamplers bool   // it counts for combined image samplers without an embedded sampler
}

func pushOffset(m *Mapping) uint64           { return m.PushOffset }
func addressOffset(m *Mapping) uint64        { return m.AddressOffset }
func recordOffset(m *Mapping) uint64         { return m.RecordOffset }
func samplerPushOffset(m *Mapping) uint64    { return m.SamplerPushOffset }
func samplerAddressOffset(m *Mapping) uint64 { return m.SamplerAddressOffset }

const (
	pushSize    = "maxPushDataSize"
	recordLimit = "maxShaderGroupStride"
)

var offsets = [...]offset{
	{enum.MappingSourcePushData, "push_offset", pushOffset, 4, vuid.VkDescriptorSetAndBindingMappingEXT_source_11246, pushSize, vuid.VkDescriptorSetAndBindingMappingEXT_source_12452, false},
	{enum.MappingSourcePushAddress, "push_offset", pushOffset, 8, vuid.VkDescriptorSetAndBindingMappingEXT_source_11247, pushSize, vuid.VkDescriptorSetAndBindingMappingEXT_source_12453, false},
	{enum.MappingSourceShaderRecordData, "shader_record_offset", recordOffset, 4, vuid.VkDescriptorSetAndBindingMappingEXT_source_11249, "", "", false},
	{enum.MappingSourceShaderRecordAddress, "shader_record_offset", recordOffset, 8, vuid.VkDescriptorSetAndBindingMappingEXT_source_11250, "", "", false},
	{enum.MappingSourceHeapWithPushIndex, "push_offset", pushOffset, 4, vuid.VkDescriptorMappingSourcePushIndexEXT_pushOffset_11258, pushSize, vuid.VkDescriptorMappingSourcePushIndexEXT_pushOffset_11259, false},
	{enum.MappingSourceHeapWithIndirectIndex, "push_offset", pushOffset, 8, vuid.VkDescriptorMappingSourceIndirectIndexEXT_pushOffset_11260, pushSize, vuid.VkDescriptorMappingSourceIndirectIndexEXT_pushOffset_11261, false},
	{enum.MappingSourceHeapWithIndirectIndex, "address_offset", addressOffset, 4, vuid.VkDescriptorMappingSourceIndirectIndexEXT_addressOffset_11262, "", "", false},
	{enum.MappingSourceHeapWithIndirectIndexArray, "push_offset", pushOffset, 8, vuid.VkDescriptorMappingSourceIndirectIndexArrayEXT_pushOffset_11359, pushSize, vuid.VkDescriptorMappingSourceIndirectIndexArrayEXT_pushOffset_11360, false},
	{enum.MappingSourceHeapWithIndirectIndexArray, "address_offset", addressOffset, 4, vuid.VkDescriptorMappingSourceIndirectIndexArrayEXT_addressOffset_11361, "", "", false},
	{enum.MappingSourceResourceHeapData, "push_offset", pushOffset, 4, vuid.VkDescriptorMappingSourceHeapDataEXT_pushOffset_11264, pushSize, vuid.VkDescriptorMappingSourceHeapDataEXT_pushOffset_11265, false},
	{enum.MappingSourceIndirectAddress, "push_offset", pushOffset, 8, vuid.VkDescriptorMappingSourceIndirectAddressEXT_pushOffset_11266, pushSize, vuid.VkDescriptorMappingSourceIndirectAddressEXT_pushOffset_11267, false},
	{enum.MappingSourceIndirectAddress, "address_offset", addressOffset, 8, vuid.VkDescriptorMappingSourceIndirectAddressEXT_addressOffset_11268, "", "", false},
	{enum.MappingSourceHeapWithShaderRecordIndex, "shader_record_offset", recordOffset, 4, vuid.VkDescriptorMappingSourceShaderRecordIndexEXT_shaderRecordOffset_11269, recordLimit, vuid.VkDescriptorMappingSourceShaderRecordIndexEXT_shaderRecordOffset_11270, false},
	{enum.MappingSourceHeapWithPushIndex, "sampler_push_offset", samplerPushOffset, 4, vuid.VkDescriptorSetAndBindingMappingEXT_source_12456, pushSize, vuid.VkDescriptorSetAndBindingMappingEXT_source_12457, true},
	{enum.MappingSourceHeapWithIndirectIndex, "sampler_push_offset", samplerPushOffset, 8, vuid.VkDescriptorSetAndBindingMappingEXT_source_12458, pushSize, vuid.VkDescriptorSetAndBindingMappingEXT_source_12459, true},
	{enum.MappingSourceHeapWithIndirectIndexArray, "sampler_push_offset", samplerPushOffset, 8, vuid.VkDescriptorSetAndBindingMappingEXT_source_12458, pushSize, vuid.VkDescriptorSetAndBindingMappingEXT_source_12459, true},
	{enum.MappingSourceHeapWithIndirectIndex, "sampler_address_offset", samplerAddressOffset, 4, vuid.VkDescriptorSetAndBindingMappingEXT_source_12460, "", "", true},
	{enum.MappingSourceHeapWithIndirectIndexArray, "sampler_address_offset", samplerAddressOffset, 4, vuid.VkDescriptorSetAndBindingMappingEXT_source_12460, "", "", true},
}

// embedded are the rules of the sampler of a mapping, by its source.
var embedded = map[enum.MappingSource]struct{ border, capture string }{
	enum.MappingSourceHeapWithConstantOffset:     {vuid.VkDescriptorMappingSourceConstantOffsetEXT_pEmbeddedSampler_11445, vuid.VkDescriptorMappingSourceConstantOffsetEXT_pEmbeddedSampler_12432},
	enum.MappingSourceHeapWithPushIndex:          {vuid.VkDescriptorMappingSourcePushIndexEXT_pEmbeddedSampler_11445, vuid.VkDescriptorMappingSourcePushIndexEXT_pEmbeddedSampler_12432},
	enum.MappingSourceHeapWithIndirectIndex:      {vuid.VkDescriptorMappingSourceIndirectIndexEXT_pEmbeddedSampler_11445, vuid.VkDescriptorMappingSourceIndirectIndexEXT_pEmbeddedSampler_12432},
	enum.MappingSourceHeapWithIndirectIndexArray: {vuid.VkDescriptorMappingSourceIndirectIndexArrayEXT_pEmbeddedSampler_11445, vuid.VkDescriptorMappingSourceIndirectIndexArrayEXT_pEmbeddedSampler_12432},
	enum.MappingSourceHeapWithShaderRecordIndex:  {vuid.VkDescriptorMappingSourceShaderRecordIndexEXT_pEmbeddedSampler_11445, vuid.VkDescriptorMappingSourceShaderRecordIndexEXT_pEmbeddedSampler_12432},
}

// mappingRules are the rules of mappings (Vulkan, Descriptor Heaps, Mapping
// Resources).
var mappingRules = func() []Rule {
	out := []Rule{
		{vuid.VkShaderDescriptorSetAndBindingMappingInfoEXT_pMappings_11244, "no two mappings are of the same binding and sort of resource"},
		{vuid.VkDescriptorSetAndBindingMappingEXT_resourceMask_requiredbitmask, "a mapping is of some sort of resource"},
		{vuid.VkDescriptorSetAndBindingMappingEXT_source_11245, "a mapping to push data, to an address or to data in a heap is of one binding"},
		{vuid.VkDescriptorSetAndBindingMappingEXT_source_11248, "a mapping to a shader record is of one binding"},
		{vuid.VkDescriptorSetAndBindingMappingEXT_source_11356, "a mapping to data is of uniform buffers"},
		{vuid.VkDescriptorSetAndBindingMappingEXT_source_11357, "a mapping to an address is of buffers or acceleration structures"},
		{vuid.VkDescriptorSetAndBindingMappingEXT_source_11358, "a mapping that uses the index of an image for its sampler is of images or samplers"},
		{vuid.VkDescriptorSetAndBindingMappingEXT_source_11389, "a mapping with a sampler of its own is of one binding"},
		{vuid.VkDescriptorSetAndBindingMappingEXT_source_11254, "the offset and stride of samplers are multiples of samplerDescriptorAlignment"},
		{vuid.VkDescriptorMappingSourceHeapDataEXT_heapOffset_11263, "the offset of data in a heap is a multiple of minUniformBufferOffsetAlignment"},
		{vuid.VkPipelineShaderStageCreateInfo_descriptorHeap_11314, "mappings need the feature descriptorHeap"},
		{vuid.VkPipelineShaderStageCreateInfo_pNext_11315, "a resource that is mapped to data is a uniform block"},
		{vuid.VkPipelineShaderStageCreateInfo_pNext_11316, "a block that is mapped to push data ends inside of it"},
		{vuid.VkPipelineShaderStageCreateInfo_pNext_12454, "a resource that is mapped to a shader record is in a ray tracing stage"},
		{vuid.VkPipelineShaderStageCreateInfo_pNext_11317, "a block that is mapped to a shader record ends below maxShaderGroupStride"},
		{vuid.VkPipelineShaderStageCreateInfo_pNext_11318, "a resource that is mapped to an address is a buffer or an acceleration structure"},
		{vuid.VkPipelineShaderStageCreateInfo_pNext_11378, "no instruction queries the length of an array that is mapped to an address"},
		{vuid.VkPipelineShaderStageCreateInfo_pNext_11399, "a resource that is mapped to a heap with an embedded sampler is no array"},
		{vuid.VkPushConstantBankInfoNV_bank_12346, "the bank of a mapping of a stage that draws is below maxGraphicsPushDataBanks"},
		{vuid.VkPushConstantBankInfoNV_bank_12347, "the bank of a mapping of a compute stage is below maxComputePushDataBanks"},
		{vuid.VkShaderCreateInfoEXT_flags_11292, "each resource of a shader object for descriptor heaps has a mapping"},
	}
	for _, k := range mappedKinds {
		out = append(out, Rule{k.code, fmt.Sprintf("the offset and stride of %s in a heap are multiples of %s", k.name, k.limit)})
	}
	seen := map[string]bool{}
	for _, k := range offsets {
		if seen[k.code] { // of two sources
			continue
		}
		seen[k.code] = true
		out = append(out, Rule{k.code, fmt.Sprintf("%s with the source %s is a multiple of %d", k.what, k.source, k.multiple)})
		if k.below != "" {
			out = append(out, Rule{k.below, fmt.Sprintf("%s with the source %s is at least %d below %s", k.what, k.source, k.multiple, k.limit)})
		}
	}
	for _, s := range fromHeap {
		out = append(out,
			Rule{embedded[s].border, fmt.Sprintf("with the source %s, the sampler of a mapping has no border color of the application's own", s)},
			Rule{embedded[s].capture, fmt.Sprintf("with the source %s, the sampler of a mapping has no opaque data of a capture", s)})
	}
	for _, k := range []Kind{Graphics, Compute, RayTracing, ExecutionGraph} {
		out = append(out, Rule{mappedAll[k], fmt.Sprintf("each resource of %s pipeline for descriptor heaps has a mapping", article(kindNames[k]))})
	}
	return out
}()

// mappedAll are the rules that all resources of a pipeline for descriptor heaps
// have a mapping, by the kind of the pipeline.
var mappedAll = map[Kind]string{
	Graphics: vuid.VkGraphicsPipelineCreateInfo_flags_11312, Compute: vuid.VkComputePipelineCreateInfo_flags_11312,
	RayTracing: vuid.VkRayTracingPipelineCreateInfoKHR_flags_11312, ExecutionGraph: vuid.VkExecutionGraphPipelineCreateInfoAMDX_flags_11312,
}

// isHeap reports whether the mapping finds descriptors in a heap.
func (m *Mapping) isHeap() bool { return slices.Contains(fromHeap, m.Source) }
