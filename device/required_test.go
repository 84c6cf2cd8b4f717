package device

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/valid"
)

// clause is a sentence of the specification that requires features, extensions or limits of a profile. A limit is
// NAME=VALUE, without a value a Boolean. Names are separated by spaces.
type clause struct {
	profile string // and all later profiles of its series
	section string
	names   string
}

// featureClauses are the features that are required without a condition, and the features that a feature or an
// extension of a roadmap profile requires.
var featureClauses = []clause{
	{"min1.0", "Feature Requirements", `robustBufferAccess`},
	{"min1.1", "Feature Requirements", `multiview`},
	{"min1.2", "Feature Requirements", `subgroupBroadcastDynamicId imagelessFramebuffer uniformBufferStandardLayout
		shaderSubgroupExtendedTypes separateDepthStencilLayouts hostQueryReset timelineSemaphore`},
	{"min1.3", "Feature Requirements", `shaderTerminateInvocation shaderDemoteToHelperInvocation privateData
		pipelineCreationCacheControl synchronization2 shaderZeroInitializeWorkgroupMemory robustImageAccess subgroupSizeControl
		computeFullSubgroups dynamicRendering shaderIntegerDotProduct maintenance4 vulkanMemoryModel vulkanMemoryModelDeviceScope
		inlineUniformBlock bufferDeviceAddress`},
	{"min1.4", "Feature Requirements", `fullDrawIndexUint32 imageCubeArray independentBlend sampleRateShading
		drawIndirectFirstInstance depthClamp depthBiasClamp samplerAnisotropy fragmentStoresAndAtomics
		shaderStorageImageExtendedFormats shaderUniformBufferArrayDynamicIndexing shaderSampledImageArrayDynamicIndexing
		shaderStorageBufferArrayDynamicIndexing shaderStorageImageArrayDynamicIndexing shaderImageGatherExtended shaderInt16
		largePoints samplerYcbcrConversion storageBuffer16BitAccess variablePointers variablePointersStorageBuffer
		samplerMirrorClampToEdge scalarBlockLayout shaderUniformTexelBufferArrayDynamicIndexing
		shaderStorageTexelBufferArrayDynamicIndexing shaderInt8 storageBuffer8BitAccess globalPriorityQuery shaderSubgroupRotate
		shaderSubgroupRotateClustered shaderFloatControls2 shaderExpectAssume bresenhamLines vertexAttributeInstanceRateDivisor
		indexTypeUint8 maintenance5 pushDescriptor dynamicRenderingLocalRead maintenance6 pipelineRobustness`},

	{"roadmap2022", "Roadmap 2022, Required Features", `fullDrawIndexUint32 imageCubeArray independentBlend sampleRateShading
		drawIndirectFirstInstance depthClamp depthBiasClamp samplerAnisotropy occlusionQueryPrecise fragmentStoresAndAtomics
		shaderStorageImageExtendedFormats shaderUniformBufferArrayDynamicIndexing shaderSampledImageArrayDynamicIndexing
		shaderStorageBufferArrayDynamicIndexing shaderStorageImageArrayDynamicIndexing samplerYcbcrConversion
		samplerMirrorClampToEdge descriptorIndexing shaderUniformTexelBufferArrayDynamicIndexing
		shaderStorageTexelBufferArrayDynamicIndexing shaderUniformBufferArrayNonUniformIndexing
		shaderSampledImageArrayNonUniformIndexing shaderStorageBufferArrayNonUniformIndexing
		shaderStorageImageArrayNonUniformIndexing shaderUniformTexelBufferArrayNonUniformIndexing
		shaderStorageTexelBufferArrayNonUniformIndexing descriptorBindingSampledImageUpdateAfterBind
		descriptorBindingStorageImageUpdateAfterBind descriptorBindingStorageBufferUpdateAfterBind
		descriptorBindingUniformTexelBufferUpdateAfterBind descriptorBindingStorageTexelBufferUpdateAfterBind
		descriptorBindingUpdateUnusedWhilePending descriptorBindingPartiallyBound descriptorBindingVariableDescriptorCount
		runtimeDescriptorArray scalarBlockLayout`},
	{"roadmap2022", "Feature Requirements, if descriptorIndexing and Vulkan 1.3", `descriptorBindingInlineUniformBlockUpdateAfterBind`},
	{"roadmap2022", "Feature Requirements, if VK_KHR_global_priority", `globalPriorityQuery`},
	{"roadmap2024", "Roadmap 2024, Required Features", `multiDrawIndirect shaderImageGatherExtended shaderInt16 shaderDrawParameters
		storageBuffer16BitAccess shaderInt8 shaderFloat16 storageBuffer8BitAccess`},
	{"roadmap2024", "Feature Requirements, by the required extensions", `dynamicRenderingLocalRead shaderQuadControl
		shaderMaximalReconvergence shaderSubgroupUniformControlFlow shaderSubgroupRotate shaderFloatControls2 shaderExpectAssume
		vertexAttributeInstanceRateDivisor indexTypeUint8 maintenance5`},
	{"roadmap2026", "Roadmap 2026, Required Features", `hostImageCopy robustBufferAccess2 robustImageAccess2 nullDescriptor`},
	{"roadmap2026", "Feature Requirements, by the required extensions", `pipelineBinaries pipelineFragmentShadingRate shaderSubgroupClock
		workgroupMemoryExplicitLayout computeDerivativeGroupLinear maintenance7 maintenance8 maintenance9 depthClampZeroOne
		indirectMemoryCopy shaderUntypedPointers presentModeFifoLatestReady presentId2 presentWait2 swapchainMaintenance1
		cooperativeMatrix`},
}

// extensionClauses are the required extensions without VK_KHR_, and those that they depend on.
var extensionClauses = []clause{
	{"roadmap2022", "Roadmap 2022, Required Extensions", `global_priority`},
	{"roadmap2024", "Roadmap 2024, Required Extensions", `dynamic_rendering_local_read load_store_op_none shader_quad_control
		shader_maximal_reconvergence shader_subgroup_uniform_control_flow shader_subgroup_rotate shader_float_controls2
		shader_expect_assume line_rasterization vertex_attribute_divisor index_type_uint8 map_memory2 maintenance5 push_descriptor`},
	{"roadmap2024", "dependence of VK_KHR_dynamic_rendering_local_read", `dynamic_rendering`},
	{"roadmap2026", "Roadmap 2026, Required Extensions", `robustness2 pipeline_binary fragment_shading_rate shader_clock
		workgroup_memory_explicit_layout compute_shader_derivatives maintenance7 maintenance8 maintenance9 depth_clamp_zero_one
		copy_memory_indirect shader_untyped_pointers surface swapchain present_mode_fifo_latest_ready present_id2 present_wait2
		surface_maintenance1 swapchain_maintenance1 cooperative_matrix`},
	{"roadmap2026", "dependence of VK_KHR_surface_maintenance1", `get_surface_capabilities2`},
}

// limitClauses are limits that the tables of required limits beside the repository leave to other limits, and the
// limits of the roadmap profiles.
var limitClauses = []clause{
	{"min1.0", "Limit Requirements: the sum of 8 uniform and 4 storage buffers", `maxDescriptorSetTotalBuffersDynamic=12
		maxDescriptorSetUpdateAfterBindTotalBuffersDynamic=12 maxDescriptorSetTotalUniformBuffersDynamic=8
		maxDescriptorSetTotalStorageBuffersDynamic=4`},
	{"min1.1", "Limit Requirements", `subgroupSize=1 subgroupSupportedStages=0x20 subgroupSupportedOperations=0x1
		maxMultiviewViewCount=6 maxMultiviewInstanceIndex=0x7ffffff maxPerSetDescriptors=1024 maxMemoryAllocationSize=0x40000000`},
	{"min1.2", "Limit Requirements", `maxTimelineSemaphoreValueDifference=0x7fffffff`},
	{"min1.3", "Limit Requirements", `maxInlineUniformBlockSize=256 maxPerStageDescriptorInlineUniformBlocks=4
		maxPerStageDescriptorUpdateAfterBindInlineUniformBlocks=4 maxDescriptorSetInlineUniformBlocks=4
		maxDescriptorSetUpdateAfterBindInlineUniformBlocks=4 maxInlineUniformTotalSize=256 maxBufferSize=0x40000000`},
	{"min1.4", "Limit Requirements", `maxPushConstantsSize=256 maxBoundDescriptorSets=7 maxColorAttachments=8
		maxUniformBufferRange=65536 maxComputeWorkGroupInvocations=256 maxPushDescriptors=32
		shaderSignedZeroInfNanPreserveFloat16 shaderSignedZeroInfNanPreserveFloat32 subgroupSupportedOperations=0x641`},

	{"roadmap2022", "Limits, Roadmap 2022", `maxImageDimension1D=8192 maxImageDimension2D=8192 maxImageDimensionCube=8192
		maxImageArrayLayers=2048 maxUniformBufferRange=65536 bufferImageGranularity=4096 maxPerStageDescriptorSamplers=64
		maxPerStageDescriptorUniformBuffers=15 maxPerStageDescriptorStorageBuffers=30 maxPerStageDescriptorSampledImages=200
		maxPerStageDescriptorStorageImages=16 maxPerStageResources=200 maxDescriptorSetSamplers=576
		maxDescriptorSetUniformBuffers=90 maxDescriptorSetStorageBuffers=96 maxDescriptorSetSampledImages=1800
		maxDescriptorSetStorageImages=144 maxFragmentCombinedOutputResources=16 maxComputeWorkGroupInvocations=256
		maxComputeWorkGroupSize[0]=256 maxComputeWorkGroupSize[1]=256 maxComputeWorkGroupSize[2]=64 subTexelPrecisionBits=8
		mipmapPrecisionBits=6 maxSamplerLodBias=14 pointSizeGranularity=0.125 lineWidthGranularity=0.5 standardSampleLocations
		maxColorAttachments=7 subgroupSize=4 subgroupSupportedStages=0x30 subgroupSupportedOperations=0xbf
		shaderSignedZeroInfNanPreserveFloat16 shaderSignedZeroInfNanPreserveFloat32 maxSubgroupSize=4
		maxPerStageDescriptorUpdateAfterBindInputAttachments=7`},
	{"roadmap2024", "Limits, Roadmap 2024", `shaderRoundingModeRTEFloat16 shaderRoundingModeRTEFloat32 timestampComputeAndGraphics
		maxColorAttachments=8 maxBoundDescriptorSets=7`},
	{"roadmap2024", "subgroupSupportedOperations, if shaderSubgroupRotate", `subgroupSupportedOperations=0x2bf`},
	{"roadmap2026", "Limits, Roadmap 2026", `maxPerStageDescriptorUniformBuffers=200 maxPerStageDescriptorStorageBuffers=200
		maxPerStageDescriptorInputAttachments=8 maxDescriptorSetUniformBuffers=1800 maxDescriptorSetStorageBuffers=1800
		maxDescriptorSetInputAttachments=8 maxVertexOutputComponents=124 maxTessellationControlPerVertexInputComponents=128
		maxTessellationControlPerVertexOutputComponents=128 maxTessellationControlTotalOutputComponents=4096
		maxTessellationEvaluationInputComponents=128 maxTessellationEvaluationOutputComponents=128
		maxGeometryOutputComponents=128 maxFragmentInputComponents=112 maxFragmentOutputAttachments=8
		maxComputeSharedMemorySize=32768 subPixelPrecisionBits=8 maxViewportDimensions[0]=8192 maxViewportDimensions[1]=8192
		maxFramebufferWidth=8192 maxFramebufferHeight=8192`},
}

// series returns the profiles of a list of clauses that a built-in profile contains.
func series(profile string) []string {
	versions := []string{"min1.0", "min1.1", "min1.2", "min1.3", "min1.4"}
	years := []string{"roadmap2022", "roadmap2024", "roadmap2026"}
	if n := slices.Index(versions, profile); n >= 0 {
		return versions[:n+1]
	}
	n := slices.Index(years, "roadmap"+strings.TrimPrefix(profile, roadmapName))
	base := versions[:4]
	if years[n] == "roadmap2026" {
		base = versions
	}
	return slices.Concat(base, years[:n+1])
}

// TestClausesOfFeatures compares the features and extensions of every built-in profile of requirements with the
// clauses: all of them, and no other.
func TestClausesOfFeatures(t *testing.T) {
	for _, profile := range BuiltinNames() {
		if profile == "min" || profile == "max" || profile == "self" {
			continue
		}
		p, _ := Builtin(profile, valid.Vulkan10)
		contains := series(profile)
		compare := func(what, prefix string, clauses []clause, have map[string]bool) {
			want := map[string]string{}
			for _, c := range clauses {
				if slices.Contains(contains, c.profile) {
					for name := range strings.FieldsSeq(c.names) {
						want[prefix+name] = c.section
					}
				}
			}
			for name, section := range want {
				if !have[name] {
					t.Errorf("%s lacks the %s %s (%s)", profile, what, name, section)
				}
			}
			for name, on := range have {
				if _, required := want[name]; on && !required {
					t.Errorf("%s has the %s %s, which no clause requires", profile, what, name)
				}
			}
		}
		compare("feature", "", featureClauses, p.Device.Features)
		compare("extension", "VK_KHR_", extensionClauses, p.Device.Extensions)
	}
}

// TestClausesOfLimits checks that no limit of a built-in profile is weaker than a clause requires.
func TestClausesOfLimits(t *testing.T) {
	for _, profile := range BuiltinNames() {
		if profile == "min" || profile == "max" || profile == "self" {
			continue
		}
		p, _ := Builtin(profile, valid.Vulkan10)
		contains := series(profile)
		for _, c := range limitClauses {
			if !slices.Contains(contains, c.profile) {
				continue
			}
			for limit := range strings.FieldsSeq(c.names) {
				name, text, valued := strings.Cut(limit, "=")
				if !valued {
					text = "1"
				}
				want, err := strconv.ParseFloat(text, 64)
				if n, e := strconv.ParseUint(text, 0, 64); e == nil {
					want, err = float64(n), nil
				}
				if err != nil {
					t.Fatal(err)
				}
				base, _, _ := strings.Cut(name, "[")
				got, known := p.Device.Limits[name]
				if !known || weaker(base, got, want, Floating(base)) {
					t.Errorf("%s: %s is %g, %t; must be %s (%s)", profile, name, amount(base, got, Floating(base)), known, text, c.section)
				}
			}
		}
	}
}
