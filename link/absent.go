package link

// absentLists are the rules on objects, states and parameters that package vk does not have, and the rules on parts of calls that Go
// does not have.
var absentLists = []reason{
	{NeedsObject, "images of package vk have no layouts", []string{
		"vkCmdDraw-imageLayout-00344", "vkCmdDraw-None-09600",
	}},
	{NeedsObject, "package vk has no tensors", []string{
		"vkCmdDraw-OpTypeTensorARM-09906", "vkCmdDraw-OpTensorReadARM-12462", "vkCmdDraw-dimensionCount-09905", "vkCmdDraw-pDescription-09900",
		"vkCmdDraw-pNext-12463",
	}},
	{NeedsObject, "package vk has the micromaps of VK_EXT_opacity_micromap alone, not those of VK_KHR_opacity_micromap", []string{
		"vkCmdDraw-micromap-11636", "vkCmdDraw-micromap-11637", "vkCmdDraw-micromap-11638", "vkCmdDraw-micromap-11639",
	}},
	{NeedsRun, "which bottom levels a trace accesses is known to a run alone", []string{
		"vkCmdTraceRaysKHR-micromap-11640",
	}},
	{NeedsObject, "package vk has no mappings of resources to shader records", []string{
		"vkCmdTraceRaysKHR-None-11319",
	}},
	{NeedsObject, "package vk has no clusters of acceleration structures", []string{
		"vkCmdTraceRaysKHR-allowClusterAccelerationStructure-10578", "vkCmdTraceRaysNV-allowClusterAccelerationStructure-10577",
	}},
	{NeedsObject, "package vk has no ray tracing pipelines of VK_NV_ray_tracing", []string{
		"vkCmdTraceRaysNV-callableShaderBindingTableBuffer-04045", "vkCmdTraceRaysNV-commandBuffer-04624",
		"vkCmdTraceRaysNV-hitShaderBindingTableBuffer-04044", "vkCmdTraceRaysNV-maxRecursionDepth-03625",
		"vkCmdTraceRaysNV-missShaderBindingTableBuffer-04043", "vkCmdTraceRaysNV-raygenShaderBindingTableBuffer-04042",
		"vkCreateRayTracingPipelinesNV-pipelineCache-02903",
	}},
	{NeedsCall, "it is on the order of all calls that create ray tracing pipelines with handles for a replay", []string{
		"VkRayTracingShaderGroupCreateInfoKHR-rayTracingPipelineShaderGroupHandleCaptureReplayMixed-03603",
		"VkRayTracingShaderGroupCreateInfoKHR-rayTracingPipelineShaderGroupHandleCaptureReplayMixed-03604",
	}},
	{NeedsRun, "which records of the tables a trace accesses is known to a run alone", []string{
		"vkCmdTraceRaysKHR-flags-03511", "vkCmdTraceRaysKHR-flags-03512", "vkCmdTraceRaysKHR-flags-03513", "vkCmdTraceRaysKHR-flags-03514",
		"vkCmdTraceRaysKHR-pHitShaderBindingTable-04735", "vkCmdTraceRaysKHR-pHitShaderBindingTable-04736",
	}},
	{ByOther, "calls of package vk have no stack: any size is large enough", []string{
		"vkCmdSetRayTracingPipelineStackSizeKHR-pipelineStackSize-03610",
	}},
	{ByOther, "methods of package vk have a receiver of the type", []string{
		"vkGetRayTracingShaderGroupHandlesKHR-pipeline-04619", "vkGetRayTracingCaptureReplayShaderGroupHandlesKHR-pipeline-04620",
		"vkGetRayTracingShaderGroupStackSizeKHR-pipeline-04622",
	}},
	{NeedsCall, "it is on the call that creates ray tracing pipelines: deferred operations and the synchronization of the cache", []string{
		"vkCreateRayTracingPipelinesKHR-deferredOperation-03678", "vkCreateRayTracingPipelinesKHR-pipelineCache-02903",
	}},
	{NeedsObject, "package vk has no tile shading", []string{
		"vkCmdDispatch-None-10674", "vkCmdDispatch-None-10675", "vkCmdDispatch-None-10676", "vkCmdDispatch-aspectMask-10673", "vkCmdDraw-None-10677",
		"vkCmdDraw-None-10678", "vkCmdDraw-None-10679",
	}},
	{NeedsObject, "package vk has no attachments of external formats", []string{
		"vkCmdDraw-colorAttachmentCount-09362", "vkCmdDraw-None-09363", "vkCmdDraw-None-09364", "vkCmdDraw-None-09365", "vkCmdDraw-None-09368",
		"vkCmdDraw-None-09369", "vkCmdDraw-colorAttachmentCount-09372",
	}},
	{NeedsObject, "package vk has no states of W scaling, shading rate images, viewport swizzles, coverage modulation, coverage reduction and coverage to color", []string{
		"vkCmdDraw-None-08636", "vkCmdDraw-None-08637", "vkCmdDraw-viewportCount-09421", "vkCmdDraw-coverageToColorEnable-07490",
		"vkCmdDraw-rasterizerDiscardEnable-09420", "vkCmdDraw-coverageReductionMode-07491", "vkCmdDraw-coverageModulationTableEnable-07488",
	}},
	{NeedsObject, "package vk has no rendering of several samples to single-sampled attachments and no fragment density maps", []string{
		"vkCmdDraw-pNext-07935", "vkCmdDraw-None-09211", "vkCmdDraw-customResolve-11529", "vkCmdDraw-customResolve-11530",
	}},
	{NeedsObject, "package vk has no protected memory and no protected command buffers", []string{
		"vkCmdTraceRaysKHR-commandBuffer-03635", "vkCmdDraw-commandBuffer-02707", "vkCmdDraw-commandBuffer-02712", "vkCmdDraw-commandBuffer-02713", "vkCmdDraw-commandBuffer-04617",
		"vkCmdDispatchIndirect2KHR-commandBuffer-13049", "vkCmdBeginShaderInstrumentationARM-commandBuffer-12376",
		"vkCmdEndShaderInstrumentationARM-commandBuffer-12378",
	}},
	{NeedsObject, "package vk has no video coding", []string{
		"vkCmdBeginShaderInstrumentationARM-videocoding", "vkCmdSetRayTracingPipelineStackSizeKHR-videocoding", "vkCmdBindShadersEXT-videocoding", "vkCmdConvertCooperativeVectorMatrixNV-videocoding",
		"vkCmdCudaLaunchKernelNV-videocoding", "vkCmdEndShaderInstrumentationARM-videocoding", "vkCmdPushConstants-videocoding",
		"vkCmdPushConstants2-videocoding", "vkCmdPushDataEXT-videocoding", "vkCmdSetPatchControlPointsEXT-videocoding",
		"vkCmdSetRenderingAttachmentLocations-videocoding", "vkCmdSetRenderingInputAttachmentIndices-videocoding",
		"vkCmdSetTessellationDomainOriginEXT-videocoding", "vkCmdSetVertexInputEXT-videocoding",
	}},
	{NeedsObject, "package vk binds vertex buffers by objects, not by addresses", []string{
		"vkCmdDraw-None-13118",
	}},
	{NeedsObject, "package vk does not read PTX, which has the arguments of a kernel", []string{
		"VkCudaLaunchInfoNV-pParams-09410",
	}},
	{NeedsForm, "the size of data in memory; a list has its own length", []string{
		"VkCudaLaunchInfoNV-paramCount-09409", "VkCudaModuleCreateInfoNV-dataSize-09413",
	}},
	{NeedsObject, "heaps of package vk have no reserved range, and its samplers no indices of border colors", []string{
		"vkCmdDraw-pBindInfo-11375", "vkCmdDraw-index-11450",
	}},
	{NeedsObject, "all samplers of package vk may process images", []string{
		"vkCmdDraw-OpImageSampleWeightedQCOM-06977", "vkCmdDraw-OpImageSampleWeightedQCOM-06978",
	}},
	{NeedsObject, "package vk has no layouts for each stage", []string{
		"VkPushConstantsInfo-layout-09496",
	}},
	{NeedsObject, "a module identifier of package vk is a function of the code", []string{
		"vkGetShaderModuleCreateInfoIdentifierEXT-shaderModuleIdentifier-06885", "vkGetShaderModuleIdentifierEXT-shaderModuleIdentifier-06884",
	}},
	{NeedsObject, "caches of package vk are synchronized, whatever their flags", []string{
		"vkCreateExecutionGraphPipelinesAMDX-pipelineCache-09127",
	}},
	{NeedsObject, "caches of package vk have no flag for external synchronization", []string{
		"vkCreateComputePipelines-pipelineCache-02873",
	}},
	{NeedsRun, "it needs the descriptors in memory that shaders use dynamically", []string{
		"vkCmdDraw-None-08116", "vkCmdDraw-None-08119", "vkCmdDraw-None-08605", "vkCmdDraw-None-11309", "vkCmdDraw-None-12472",
	}},
	{NeedsRun, "it needs the coordinates that shaders compute", []string{
		"vkCmdDraw-OpImageBlockMatchSADQCOM-06976", "vkCmdDraw-OpImageBlockMatchWindow-09217",
	}},
	{ByOther, "shaders access attachments only as attachments, storage images and sampled images", []string{
		"vkCmdDraw-None-09003",
	}},
	{ByOther, "no shader object can be made without the feature: vkCreateShadersEXT-None-08400", []string{
		"vkDestroyShaderEXT-None-08481",
	}},
	{ByOther, "package vk has one command for both: vkCmdPushConstants", []string{
		"vkCmdPushConstants2-commandBuffer-11295", "vkCmdPushConstants2-commandBuffer-11296", "vkCmdPushConstants2-commandBuffer-cmdpool",
		"vkCmdPushConstants2-commandBuffer-recording",
	}},
}
