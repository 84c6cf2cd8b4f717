package device

import (
	"maps"
	"math"
	"strings"

	"github.com/chiaro-gpu/chiaro/valid"
)

// roadmapName is the name of a roadmap profile without its year.
const roadmapName = "VP_KHR_roadmap_"

// milestone is what a roadmap profile requires beyond its version of Vulkan, its limits
// ([roadmapLimits]) and the profile before it (Vulkan, Profiles, Roadmap 2022 and later).
// Names are separated by spaces.
type milestone struct {
	year       string
	version    valid.Version
	features   string
	extensions string // without VK_KHR_
}

var milestones = []milestone{
	{"2022", valid.Vulkan13, `fullDrawIndexUint32 imageCubeArray independentBlend sampleRateShading drawIndirectFirstInstance
		depthClamp depthBiasClamp samplerAnisotropy occlusionQueryPrecise fragmentStoresAndAtomics shaderStorageImageExtendedFormats
		shaderUniformBufferArrayDynamicIndexing shaderSampledImageArrayDynamicIndexing shaderStorageBufferArrayDynamicIndexing
		shaderStorageImageArrayDynamicIndexing samplerYcbcrConversion samplerMirrorClampToEdge descriptorIndexing
		shaderUniformTexelBufferArrayDynamicIndexing shaderStorageTexelBufferArrayDynamicIndexing
		shaderUniformBufferArrayNonUniformIndexing shaderSampledImageArrayNonUniformIndexing shaderStorageBufferArrayNonUniformIndexing
		shaderStorageImageArrayNonUniformIndexing shaderUniformTexelBufferArrayNonUniformIndexing
		shaderStorageTexelBufferArrayNonUniformIndexing descriptorBindingSampledImageUpdateAfterBind
		descriptorBindingStorageImageUpdateAfterBind descriptorBindingStorageBufferUpdateAfterBind
		descriptorBindingUniformTexelBufferUpdateAfterBind descriptorBindingStorageTexelBufferUpdateAfterBind
		descriptorBindingUpdateUnusedWhilePending descriptorBindingPartiallyBound descriptorBindingVariableDescriptorCount
		runtimeDescriptorArray scalarBlockLayout descriptorBindingInlineUniformBlockUpdateAfterBind globalPriorityQuery`,
		`global_priority`},
	{"2024", valid.Vulkan13, `multiDrawIndirect shaderInt16 shaderImageGatherExtended shaderDrawParameters storageBuffer16BitAccess
		shaderInt8 shaderFloat16 storageBuffer8BitAccess shaderSubgroupRotate shaderFloatControls2 shaderExpectAssume
		vertexAttributeInstanceRateDivisor indexTypeUint8 dynamicRenderingLocalRead maintenance5 shaderQuadControl
		shaderMaximalReconvergence shaderSubgroupUniformControlFlow`,
		`dynamic_rendering shader_subgroup_rotate shader_float_controls2 shader_expect_assume line_rasterization
		vertex_attribute_divisor index_type_uint8 maintenance5 dynamic_rendering_local_read push_descriptor load_store_op_none
		shader_quad_control shader_maximal_reconvergence shader_subgroup_uniform_control_flow map_memory2`},
	{"2026", valid.Vulkan14, `hostImageCopy robustBufferAccess2 robustImageAccess2 nullDescriptor pipelineBinaries
		pipelineFragmentShadingRate shaderSubgroupClock workgroupMemoryExplicitLayout computeDerivativeGroupLinear maintenance7
		maintenance8 maintenance9 depthClampZeroOne indirectMemoryCopy shaderUntypedPointers presentModeFifoLatestReady presentId2
		presentWait2 swapchainMaintenance1 cooperativeMatrix`,
		`robustness2 pipeline_binary fragment_shading_rate shader_clock workgroup_memory_explicit_layout compute_shader_derivatives
		maintenance7 maintenance8 maintenance9 depth_clamp_zero_one copy_memory_indirect shader_untyped_pointers surface swapchain
		get_surface_capabilities2 present_mode_fifo_latest_ready present_id2 present_wait2 surface_maintenance1
		swapchain_maintenance1 cooperative_matrix`},
}

// milestoneProfile returns the roadmap profile of a year: all milestones up to it. A milestone
// that allows one of several line rasterization modes promises none of them.
func milestoneProfile(year string) (Profile, bool) {
	n := -1
	for i, m := range milestones {
		if m.year == year {
			n = i
		}
	}
	if n < 0 {
		return Profile{}, false
	}
	p := Profile{Name: roadmapName + year, Label: "Khronos Vulkan Roadmap " + year, Version: milestones[n].version}
	p.Device, _ = valid.BuiltinDevice("min", p.Version)
	p.Device.Name, p.Device.Extensions = p.Name, map[string]bool{}
	b := &block{features: p.Device.Features, limits: p.Device.Limits, extensions: p.Device.Extensions}
	for _, m := range milestones[:n+1] {
		add := newBlock()
		for _, f := range strings.Fields(m.features) {
			add.features[f] = true
		}
		for _, e := range strings.Fields(m.extensions) {
			add.extensions["VK_KHR_"+e] = true
		}
		add.limits = maps.Clone(roadmapLimits[m.year])
		if m.year == "2022" { // as Vulkan 1.4
			add.limits["maxSamplerLodBias"] = math.Float64bits(14)
			add.limits["pointSizeGranularity"], add.limits["lineWidthGranularity"] = math.Float64bits(0.125), math.Float64bits(0.5)
		}
		b.add(add)
	}
	// compute and fragment; basic, vote, arithmetic, ballot, shuffle, relative shuffle, quad
	b.limits["subgroupSupportedStages"] |= 0x30
	b.limits["subgroupSupportedOperations"] |= 0x1 | 0x2 | 0x4 | 0x8 | 0x10 | 0x20 | 0x80
	if b.features["shaderSubgroupRotate"] {
		b.limits["subgroupSupportedOperations"] |= 0x200
	}
	return p, true
}
