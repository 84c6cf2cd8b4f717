package link

// refusedLists are the rules on extensions and features that the device refuses, with a message that names them: no valid program
// can break one. A test of the driver demands that it refuses each of them.
var refusedLists = []reason{
	{ByRefusal, "the device refuses VK_KHR_video_queue, and has no command that begins video coding", []string{
		"vkCmdBeginShaderInstrumentationARM-videocoding", "vkCmdBindShadersEXT-videocoding", "vkCmdConvertCooperativeVectorMatrixNV-videocoding",
		"vkCmdCudaLaunchKernelNV-videocoding", "vkCmdEndShaderInstrumentationARM-videocoding", "vkCmdPushConstants-videocoding",
		"vkCmdPushConstants2-videocoding", "vkCmdPushDataEXT-videocoding", "vkCmdSetPatchControlPointsEXT-videocoding",
		"vkCmdSetRayTracingPipelineStackSizeKHR-videocoding", "vkCmdSetRenderingAttachmentLocations-videocoding",
		"vkCmdSetRenderingInputAttachmentIndices-videocoding", "vkCmdSetTessellationDomainOriginEXT-videocoding",
		"vkCmdSetVertexInputEXT-videocoding",
	}},
	{ByRefusal, "the device refuses protectedMemory, without which no memory and no command buffer is protected", []string{
		"RuntimeSpirv-protectedNoFault-09645", "vkCmdBeginShaderInstrumentationARM-commandBuffer-12376",
		"vkCmdDispatchGraphAMDX-commandBuffer-09181", "vkCmdDispatchIndirect2KHR-commandBuffer-13049", "vkCmdDraw-commandBuffer-02707",
		"vkCmdDraw-commandBuffer-02712", "vkCmdDraw-commandBuffer-02713", "vkCmdDraw-commandBuffer-04617", "vkCmdDraw-protectedNoFault-11455",
		"vkCmdDraw-protectedNoFault-11456", "vkCmdEndShaderInstrumentationARM-commandBuffer-12378", "vkCmdTraceRaysKHR-commandBuffer-03635",
		"vkCmdTraceRaysNV-commandBuffer-04624",
	}},
	{ByRefusal, "the device refuses VK_ARM_tensors", []string{
		"vkCmdDraw-None-11397",
		"vkCmdDraw-OpTensorReadARM-12462", "vkCmdDraw-OpTypeTensorARM-09906", "vkCmdDraw-dimensionCount-09905", "vkCmdDraw-pDescription-09900",
		"vkCmdDraw-pNext-12463",
	}},
	{ByRefusal, "the device refuses VK_NV_cluster_acceleration_structure", []string{
		"vkCmdTraceRaysKHR-allowClusterAccelerationStructure-10578", "vkCmdTraceRaysNV-allowClusterAccelerationStructure-10577",
	}},
	{ByRefusal, "the device refuses VK_NV_ray_tracing", []string{
		"vkCmdTraceRaysNV-callableShaderBindingTableBuffer-04045", "vkCmdTraceRaysNV-hitShaderBindingTableBuffer-04044",
		"vkCmdTraceRaysNV-maxRecursionDepth-03625", "vkCmdTraceRaysNV-missShaderBindingTableBuffer-04043",
		"vkCmdTraceRaysNV-raygenShaderBindingTableBuffer-04042", "vkCreateRayTracingPipelinesNV-pipelineCache-02903",
	}},
	{ByRefusal, "the device refuses VK_ANDROID_external_format_resolve", []string{
		"vkCmdDraw-None-09363", "vkCmdDraw-None-09364", "vkCmdDraw-None-09365", "vkCmdDraw-None-09368", "vkCmdDraw-None-09369",
		"vkCmdDraw-colorAttachmentCount-09362", "vkCmdDraw-colorAttachmentCount-09372",
	}},
	{ByRefusal, "the device refuses VK_EXT_fragment_density_map", []string{
		"vkCmdDraw-customResolve-11529", "vkCmdDraw-customResolve-11530",
	}},
	{ByRefusal, "the device refuses VK_NV_clip_space_w_scaling", []string{
		"vkCmdDraw-None-08636",
	}},
	{ByRefusal, "the device refuses VK_NV_shading_rate_image", []string{
		"vkCmdDraw-None-08637",
	}},
	{ByRefusal, "the device refuses VK_NV_viewport_swizzle", []string{
		"vkCmdDraw-viewportCount-09421",
	}},
	{ByRefusal, "the device refuses VK_NV_fragment_coverage_to_color", []string{
		"vkCmdDraw-coverageToColorEnable-07490", "vkCmdDraw-rasterizerDiscardEnable-09420",
	}},
	{ByRefusal, "the device refuses VK_NV_framebuffer_mixed_samples and VK_NV_coverage_reduction_mode", []string{
		"vkCmdDraw-coverageModulationTableEnable-07488", "vkCmdDraw-coverageReductionMode-07491",
	}},
	{ByRefusal, "the device refuses VK_NV_per_stage_descriptor_set: without it a null layout breaks VkPushConstantsInfo-None-09495", []string{
		"VkPushConstantsInfo-layout-09496",
	}},
}
