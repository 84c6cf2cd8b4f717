package driver

import (
	"runtime"
	"slices"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/abi"
)

// clientExtensions are the extensions that clients ask for first, in groups of names of which a client takes any.
var clientExtensions = [][]string{
	{"VK_KHR_swapchain"}, {"VK_KHR_push_descriptor"}, {"VK_KHR_synchronization2"}, {"VK_KHR_timeline_semaphore"}, {"VK_KHR_external_memory"},
	{"VK_EXT_external_memory_host"}, {"VK_EXT_robustness2"}, {"VK_KHR_robustness2"}, {"VK_EXT_descriptor_indexing"}, {"VK_KHR_descriptor_update_template"},
	{"VK_KHR_dynamic_rendering"}, {"VK_EXT_extended_dynamic_state"}, {"VK_EXT_extended_dynamic_state2"}, {"VK_EXT_extended_dynamic_state3"},
	{"VK_EXT_vertex_input_dynamic_state"}, {"VK_EXT_vertex_attribute_divisor"}, {"VK_KHR_vertex_attribute_divisor"}, {"VK_EXT_transform_feedback"},
	{"VK_EXT_conditional_rendering"}, {"VK_EXT_depth_clip_enable"}, {"VK_EXT_depth_clip_control"}, {"VK_KHR_draw_indirect_count"},
	{"VK_EXT_custom_border_color"}, {"VK_EXT_line_rasterization"}, {"VK_KHR_line_rasterization"}, {"VK_EXT_provoking_vertex"},
	{"VK_KHR_imageless_framebuffer"}, {"VK_KHR_8bit_storage"}, {"VK_KHR_16bit_storage"}, {"VK_KHR_shader_float16_int8"},
	{"VK_KHR_vulkan_memory_model"}, {"VK_EXT_scalar_block_layout"}, {"VK_EXT_subgroup_size_control"}, {"VK_EXT_graphics_pipeline_library"},
	{"VK_EXT_multi_draw"}, {"VK_KHR_shader_clock"}, {"VK_EXT_debug_utils"}, {"VK_EXT_debug_report"}, {"VK_EXT_calibrated_timestamps", "VK_KHR_calibrated_timestamps"},
}

// clientFeatures are the features without which clients refuse a device: dynamic indices of all arrays of resources, and features
// of Vulkan 1.0 and of robustness.
var clientFeatures = []string{
	"shaderUniformBufferArrayDynamicIndexing", "shaderSampledImageArrayDynamicIndexing", "shaderStorageBufferArrayDynamicIndexing",
	"shaderStorageImageArrayDynamicIndexing", "shaderInputAttachmentArrayDynamicIndexing", "shaderUniformTexelBufferArrayDynamicIndexing",
	"shaderStorageTexelBufferArrayDynamicIndexing",
	"shaderUniformBufferArrayNonUniformIndexing", "shaderSampledImageArrayNonUniformIndexing", "shaderStorageBufferArrayNonUniformIndexing",
	"shaderStorageImageArrayNonUniformIndexing", "shaderInputAttachmentArrayNonUniformIndexing", "shaderUniformTexelBufferArrayNonUniformIndexing",
	"shaderStorageTexelBufferArrayNonUniformIndexing",
	"descriptorBindingUniformBufferUpdateAfterBind", "descriptorBindingSampledImageUpdateAfterBind", "descriptorBindingStorageImageUpdateAfterBind",
	"descriptorBindingStorageBufferUpdateAfterBind", "descriptorBindingUniformTexelBufferUpdateAfterBind", "descriptorBindingStorageTexelBufferUpdateAfterBind",
	"descriptorBindingPartiallyBound", "descriptorBindingVariableDescriptorCount", "runtimeDescriptorArray",
	"imageCubeArray", "independentBlend", "sampleRateShading", "fragmentStoresAndAtomics", "vertexPipelineStoresAndAtomics", "samplerAnisotropy",
	"geometryShader", "tessellationShader", "dualSrcBlend", "logicOp", "wideLines", "shaderFloat64", "robustBufferAccess", "robustBufferAccess2",
	"robustImageAccess2", "nullDescriptor", "multiDrawIndirect", "drawIndirectFirstInstance", "depthClamp", "depthBiasClamp", "fillModeNonSolid",
	"largePoints", "multiViewport", "occlusionQueryPrecise", "pipelineStatisticsQuery", "shaderClipDistance", "shaderCullDistance", "shaderInt64",
	"fullDrawIndexUint32", "shaderImageGatherExtended", "shaderStorageImageWriteWithoutFormat",
}

// TestClients checks that the driver announces what clients ask for first.
func TestClients(t *testing.T) {
	all := slices.Concat(announced(true), announced(false))
	want := clientExtensions
	if runtime.GOOS == "linux" {
		want = append(want, []string{"VK_KHR_external_memory_fd"})
	}
	for _, group := range want {
		if !slices.ContainsFunc(all, func(e *abi.Extension) bool { return slices.Contains(group, e.Name) }) {
			t.Errorf("%v is not announced", group)
		}
	}
	p := &physicalDevice{profile: selfProfile()}
	for _, name := range clientFeatures {
		if !p.feature(name) {
			t.Errorf("%s is off", name)
		}
	}
}
