package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// kind is an enumeration that is written.
type kind struct {
	name   string // of the type in Go
	vulkan string // of the enumeration in the registry
	prefix string // of its names, which is cut off
	bits   bool   // it is a set of flags
	what   string
}

var kinds = []kind{
	{"Topology", "VkPrimitiveTopology", "VK_PRIMITIVE_TOPOLOGY_", false, "the assembly of vertices into primitives"},
	{"PolygonMode", "VkPolygonMode", "VK_POLYGON_MODE_", false, "the drawn part of a polygon"},
	{"CullMode", "VkCullModeFlagBits", "VK_CULL_MODE_", true, "the faces of polygons that are not drawn"},
	{"FrontFace", "VkFrontFace", "VK_FRONT_FACE_", false, "the order of vertices that faces the viewer"},
	{"CompareOp", "VkCompareOp", "VK_COMPARE_OP_", false, "a comparison"},
	{"StencilOp", "VkStencilOp", "VK_STENCIL_OP_", false, "an operation on a stencil value"},
	{"BlendFactor", "VkBlendFactor", "VK_BLEND_FACTOR_", false, "a blend factor"},
	{"BlendOp", "VkBlendOp", "VK_BLEND_OP_", false, "a blend operation"},
	{"LogicOp", "VkLogicOp", "VK_LOGIC_OP_", false, "a bitwise operation on two colours"},
	{"DynamicState", "VkDynamicState", "VK_DYNAMIC_STATE_", false, "a state that commands set"},
	{"InputRate", "VkVertexInputRate", "VK_VERTEX_INPUT_RATE_", false, "the step rate of a vertex buffer"},
	{"PipelineFlags", "VkPipelineCreateFlagBits", "VK_PIPELINE_CREATE_", true, "a set of options for the creation of a pipeline"},
	{"ObjectFlags", "VkShaderCreateFlagBitsEXT", "VK_SHADER_CREATE_", true, "a set of options for the creation of a shader object"},
	{"StageFlags", "VkPipelineShaderStageCreateFlagBits", "VK_PIPELINE_SHADER_STAGE_CREATE_", true, "a set of options for the creation of a stage"},
	{"SetFlags", "VkDescriptorSetLayoutCreateFlagBits", "VK_DESCRIPTOR_SET_LAYOUT_CREATE_", true, "a set of options for the creation of a descriptor set layout"},
	{"BindingFlags", "VkDescriptorBindingFlagBits", "VK_DESCRIPTOR_BINDING_", true, "a set of options of a binding"},
	{"LayoutFlags", "VkPipelineLayoutCreateFlagBits", "VK_PIPELINE_LAYOUT_CREATE_", true, "a set of options for the creation of a pipeline layout"},
	{"GroupType", "VkRayTracingShaderGroupTypeKHR", "VK_RAY_TRACING_SHADER_GROUP_TYPE_", false, "the kind of a ray tracing group"},
	{"BufferRobustness", "VkPipelineRobustnessBufferBehaviorEXT", "VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_", false, "the result of accesses outside a buffer"},
	{"ImageRobustness", "VkPipelineRobustnessImageBehaviorEXT", "VK_PIPELINE_ROBUSTNESS_IMAGE_BEHAVIOR_", false, "the result of accesses outside an image"},
	{"RateCombiner", "VkFragmentShadingRateCombinerOpKHR", "VK_FRAGMENT_SHADING_RATE_COMBINER_OP_", false, "an operation that combines two shading rates"},
	{"DomainOrigin", "VkTessellationDomainOrigin", "VK_TESSELLATION_DOMAIN_ORIGIN_", false, "the corner of the tessellation domain at the origin"},
	{"ProvokingVertex", "VkProvokingVertexModeEXT", "VK_PROVOKING_VERTEX_MODE_", false, "the vertex that provides flat values"},
	{"LineMode", "VkLineRasterizationModeEXT", "VK_LINE_RASTERIZATION_MODE_", false, "a method of line rasterization"},
	{"ConservativeMode", "VkConservativeRasterizationModeEXT", "VK_CONSERVATIVE_RASTERIZATION_MODE_", false, "a mode of conservative rasterization"},
	{"MappingSource", "VkDescriptorMappingSourceEXT", "VK_DESCRIPTOR_MAPPING_SOURCE_", false, "the source of the address of a mapped resource"},
	{"ResourceTypes", "VkSpirvResourceTypeFlagBitsEXT", "VK_SPIRV_RESOURCE_TYPE_", true, "a set of sorts of resources"},
	{"Filter", "VkFilter", "VK_FILTER_", false, "a texel filter"},
	{"AddressMode", "VkSamplerAddressMode", "VK_SAMPLER_ADDRESS_MODE_", false, "the texel of coordinates outside an image"},
	{"Reduction", "VkSamplerReductionMode", "VK_SAMPLER_REDUCTION_MODE_", false, "the combination of the texels of a filter"},
	{"CubicWeights", "VkCubicFilterWeightsQCOM", "VK_CUBIC_FILTER_WEIGHTS_", false, "the kernel of a cubic filter"},
	{"Swizzle", "VkComponentSwizzle", "VK_COMPONENT_SWIZZLE_", false, "the source of a component"},
	{"YcbcrModel", "VkSamplerYcbcrModelConversion", "VK_SAMPLER_YCBCR_MODEL_CONVERSION_", false, "the color model of texels in memory"},
	{"YcbcrRange", "VkSamplerYcbcrRange", "VK_SAMPLER_YCBCR_RANGE_", false, "the range of codes of luma and chroma"},
	{"ChromaLocation", "VkChromaLocation", "VK_CHROMA_LOCATION_", false, "the position of chroma samples"},
	{"ImageType", "VkImageType", "VK_IMAGE_TYPE_", false, "the number of dimensions of an image"},
	{"ViewType", "VkImageViewType", "VK_IMAGE_VIEW_TYPE_", false, "the shape of an image view"},
	{"Parts", "VkGraphicsPipelineLibraryFlagBitsEXT", "VK_GRAPHICS_PIPELINE_LIBRARY_", true, "a set of parts of the pipeline state"},
}

// beyond has entries that are newer than registries still in use.
var beyond = map[string][]entry{
	"VkDynamicState": {
		{"VK_DYNAMIC_STATE_DISCARD_RECTANGLE_ENABLE_EXT", 1000099001},
		{"VK_DYNAMIC_STATE_DISCARD_RECTANGLE_MODE_EXT", 1000099002},
		{"VK_DYNAMIC_STATE_EXCLUSIVE_SCISSOR_ENABLE_NV", 1000205000},
		{"VK_DYNAMIC_STATE_ATTACHMENT_FEEDBACK_LOOP_ENABLE_EXT", 1000524000},
		{"VK_DYNAMIC_STATE_DEPTH_CLAMP_RANGE_EXT", 1000582000},
	},
	"VkPipelineLayoutCreateFlagBits": {
		{"VK_PIPELINE_LAYOUT_CREATE_INDEPENDENT_SETS_BIT_EXT", 2},
		{"VK_PIPELINE_LAYOUT_CREATE_NO_TASK_SHADER_BIT_KHR", 4},
	},
	"VkPipelineCreateFlagBits": {
		{"VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT", 1 << 29},
		{"VK_PIPELINE_CREATE_RAY_TRACING_DISPLACEMENT_MICROMAP_BIT_NV", 1 << 28},
		{"VK_PIPELINE_CREATE_EXECUTION_GRAPH_BIT_AMDX", 1 << 32},
		{"VK_PIPELINE_CREATE_RAY_TRACING_ALLOW_SPHERES_AND_LINEAR_SWEPT_SPHERES_BIT_NV", 1 << 33},
		{"VK_PIPELINE_CREATE_ENABLE_LEGACY_DITHERING_BIT_EXT", 1 << 34},
		{"VK_PIPELINE_CREATE_CAPTURE_DATA_BIT_KHR", 1 << 31},
		{"VK_PIPELINE_CREATE_INDIRECT_BINDABLE_BIT_EXT", 1 << 38},
		{"VK_PIPELINE_CREATE_DESCRIPTOR_HEAP_BIT_EXT", 1 << 36},
		{"VK_PIPELINE_CREATE_DISALLOW_OPACITY_MICROMAP_BIT_ARM", 1 << 37},
		{"VK_PIPELINE_CREATE_64_BIT_INDEXING_BIT_EXT", 1 << 43},
	},
	"VkShaderCreateFlagBitsEXT": {
		{"VK_SHADER_CREATE_LINK_STAGE_BIT_EXT", 1 << 0},
		{"VK_SHADER_CREATE_ALLOW_VARYING_SUBGROUP_SIZE_BIT_EXT", 1 << 1},
		{"VK_SHADER_CREATE_REQUIRE_FULL_SUBGROUPS_BIT_EXT", 1 << 2},
		{"VK_SHADER_CREATE_NO_TASK_SHADER_BIT_EXT", 1 << 3},
		{"VK_SHADER_CREATE_DISPATCH_BASE_BIT_EXT", 1 << 4},
		{"VK_SHADER_CREATE_FRAGMENT_SHADING_RATE_ATTACHMENT_BIT_EXT", 1 << 5},
		{"VK_SHADER_CREATE_FRAGMENT_DENSITY_MAP_ATTACHMENT_BIT_EXT", 1 << 6},
		{"VK_SHADER_CREATE_INDIRECT_BINDABLE_BIT_EXT", 1 << 7},
		{"VK_SHADER_CREATE_DESCRIPTOR_HEAP_BIT_EXT", 1 << 10},
		{"VK_SHADER_CREATE_OPACITY_MICROMAP_DISALLOW_MIXED_SPECIAL_INDEX_BIT_EXT", 1 << 12},
		{"VK_SHADER_CREATE_64_BIT_INDEXING_BIT_EXT", 1 << 15},
		{"VK_SHADER_CREATE_INDEPENDENT_SETS_BIT_KHR", 1 << 18},
	},
	"VkDescriptorMappingSourceEXT": {
		{"VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_CONSTANT_OFFSET_EXT", 0},
		{"VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_PUSH_INDEX_EXT", 1},
		{"VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_INDIRECT_INDEX_EXT", 2},
		{"VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_INDIRECT_INDEX_ARRAY_EXT", 3},
		{"VK_DESCRIPTOR_MAPPING_SOURCE_RESOURCE_HEAP_DATA_EXT", 4},
		{"VK_DESCRIPTOR_MAPPING_SOURCE_PUSH_DATA_EXT", 5},
		{"VK_DESCRIPTOR_MAPPING_SOURCE_PUSH_ADDRESS_EXT", 6},
		{"VK_DESCRIPTOR_MAPPING_SOURCE_INDIRECT_ADDRESS_EXT", 7},
		{"VK_DESCRIPTOR_MAPPING_SOURCE_HEAP_WITH_SHADER_RECORD_INDEX_EXT", 8},
		{"VK_DESCRIPTOR_MAPPING_SOURCE_SHADER_RECORD_DATA_EXT", 9},
		{"VK_DESCRIPTOR_MAPPING_SOURCE_SHADER_RECORD_ADDRESS_EXT", 10},
	},
	"VkSpirvResourceTypeFlagBitsEXT": {
		{"VK_SPIRV_RESOURCE_TYPE_SAMPLER_BIT_EXT", 1 << 0},
		{"VK_SPIRV_RESOURCE_TYPE_SAMPLED_IMAGE_BIT_EXT", 1 << 1},
		{"VK_SPIRV_RESOURCE_TYPE_READ_ONLY_IMAGE_BIT_EXT", 1 << 2},
		{"VK_SPIRV_RESOURCE_TYPE_READ_WRITE_IMAGE_BIT_EXT", 1 << 3},
		{"VK_SPIRV_RESOURCE_TYPE_COMBINED_SAMPLED_IMAGE_BIT_EXT", 1 << 4},
		{"VK_SPIRV_RESOURCE_TYPE_UNIFORM_BUFFER_BIT_EXT", 1 << 5},
		{"VK_SPIRV_RESOURCE_TYPE_READ_ONLY_STORAGE_BUFFER_BIT_EXT", 1 << 6},
		{"VK_SPIRV_RESOURCE_TYPE_READ_WRITE_STORAGE_BUFFER_BIT_EXT", 1 << 7},
		{"VK_SPIRV_RESOURCE_TYPE_ACCELERATION_STRUCTURE_BIT_EXT", 1 << 8},
		{"VK_SPIRV_RESOURCE_TYPE_TENSOR_BIT_ARM", 1 << 9},
		{"VK_SPIRV_RESOURCE_TYPE_ALL_EXT", 0x7fffffff},
	},
	"VkSamplerReductionMode": {
		{"VK_SAMPLER_REDUCTION_MODE_WEIGHTED_AVERAGE_RANGECLAMP_QCOM", 1000521000},
	},
	"VkCubicFilterWeightsQCOM": {
		{"VK_CUBIC_FILTER_WEIGHTS_CATMULL_ROM_QCOM", 0},
		{"VK_CUBIC_FILTER_WEIGHTS_ZERO_TANGENT_CARDINAL_QCOM", 1},
		{"VK_CUBIC_FILTER_WEIGHTS_B_SPLINE_QCOM", 2},
		{"VK_CUBIC_FILTER_WEIGHTS_MITCHELL_NETRAVALI_QCOM", 3},
	},
	"VkDescriptorSetLayoutCreateFlagBits": {
		{"VK_DESCRIPTOR_SET_LAYOUT_CREATE_INDIRECT_BINDABLE_BIT_NV", 1 << 7},
		{"VK_DESCRIPTOR_SET_LAYOUT_CREATE_PER_STAGE_BIT_NV", 1 << 6},
	},
}

// vendors are the vendor suffixes of names.
var vendors = []string{"_KHR", "_EXT", "_NV", "_AMDX", "_AMD", "_ARM", "_QCOM", "_HUAWEI", "_INTEL", "_VALVE", "_OVG"}

// structures returns the names of structs by their types.
func (r *registry) structures() string {
	list := slices.Clone(r.enums["VkStructureType"])
	slices.SortFunc(list, func(x, y entry) int { return cmp.Compare(x.value, y.value) })
	var b strings.Builder
	b.WriteString("package fossil\n\n// structureNames are the names of structs, without VK_STRUCTURE_TYPE_.\nvar structureNames = map[structureType]string{\n")
	for _, e := range list {
		fmt.Fprintf(&b, "\t%d: %q,\n", e.value, strings.TrimPrefix(e.name, "VK_STRUCTURE_TYPE_"))
	}
	b.WriteString("}\n")
	return b.String()
}

// enumerations returns the enumerations as types of package enum.
func (r *registry) enumerations() string {
	var b strings.Builder
	b.WriteString("package enum\n")
	for _, k := range kinds {
		list := r.enums[k.vulkan]
		for _, e := range beyond[k.vulkan] {
			if !slices.ContainsFunc(list, func(o entry) bool { return o.value == e.value }) {
				list = append(list, e)
			}
		}
		slices.SortStableFunc(list, func(x, y entry) int { return cmp.Compare(x.value, y.value) })
		k.write(&b, list)
	}
	return b.String()
}

func (k kind) write(b *strings.Builder, list []entry) {
	width := "uint32"
	if k.bits {
		width = "uint64"
	}
	short := k.unique(list)
	fmt.Fprintf(b, "\n// %s is %s: %s.\ntype %s %s\n\nconst (\n", k.name, k.what, k.vulkan, k.name, width)
	for i, e := range list {
		fmt.Fprintf(b, "\t%s%s %s = %d\n", k.name, camel(short[i]), k.name, e.value)
	}
	fmt.Fprintf(b, ")\n\nvar names%s = Names{\n", k.name)
	for i, e := range list {
		if k.bits && (e.value == 0 || e.value&(e.value-1) != 0) {
			continue // not one flag
		}
		fmt.Fprintf(b, "\t{%d, %q},\n", e.value, strings.ToLower(short[i]))
	}
	names := "names" + k.name
	fmt.Fprintf(b, "}\n\n// Names returns the names that a description may have.\nfunc (%s) Names() []string { return %s.List() }\n", k.name, names)
	if k.bits {
		fmt.Fprintf(b, "\n// String returns the names of the flags.\nfunc (v %s) String() string { return %s.Flags(uint64(v)) }\n", k.name, names)
		fmt.Fprintf(b, "\n// UnmarshalYAML reads a list of names, or one.\nfunc (v *%s) UnmarshalYAML(read func(any) error) error { return %s.ReadFlags(read, (*uint64)(v)) }\n", k.name, names)
		return
	}
	fmt.Fprintf(b, "\n// String returns the name of the value, or its number if it has none.\nfunc (v %s) String() string { return %s.String(uint64(v)) }\n", k.name, names)
	fmt.Fprintf(b, "\n// UnmarshalText reads a name.\nfunc (v *%s) UnmarshalText(text []byte) error { return %s.read(text, (*uint32)(v)) }\n", k.name, names)
	fmt.Fprintf(b, "\n// UnmarshalYAML reads a name.\nfunc (v *%s) UnmarshalYAML(read func(any) error) error { return ReadName(read, v) }\n", k.name)
}

// unique returns the short names of an enumeration. A name that would occur twice keeps its
// vendor suffix.
func (k kind) unique(list []entry) []string {
	var out []string
	for _, e := range list {
		n := k.short(e.name)
		if slices.Contains(out, n) {
			n = strings.TrimPrefix(e.name, k.prefix)
		}
		out = append(out, n)
	}
	return out
}

// short is a name without the common prefix of its enumeration and without its vendor
// suffix.
func (k kind) short(name string) string {
	name = strings.TrimPrefix(name, k.prefix)
	name = strings.TrimPrefix(name, "2_")
	for _, v := range vendors {
		name = strings.TrimSuffix(name, v)
	}
	return strings.TrimSuffix(name, "_BIT")
}

// camel turns LINE_LIST into LineList.
func camel(name string) string {
	var b strings.Builder
	for w := range strings.SplitSeq(name, "_") {
		b.WriteString(w[:1] + strings.ToLower(w[1:]))
	}
	return b.String()
}
