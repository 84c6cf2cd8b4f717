package link

import (
	"iter"
	"slices"
)

// reason is the answer for some rules that this package does not check. A * at the end of
// a code matches all unchecked rules with that prefix.
type reason struct {
	by    Judge
	why   string
	codes []string // without VUID-
}

// reasons yields all lists of rules that this package does not check.
func reasons() iter.Seq[reason] { return slices.Values(slices.Concat(unjudged, objectLists)) }

// unjudged are the rules on pipelines, layouts, objects and commands that this package does
// not check, by their answers.
var unjudged = []reason{
	{ByReader, "the reader of descriptions refuses a wrong name, with its position", []string{
		"VkShaderCreateInfoEXT-flags-parameter", "VkShaderCreateInfoEXT-nextStage-parameter", "VkPipelineShaderStageCreateInfo-flags-parameter",
		"VkPipelineRobustnessCreateInfo-storageBuffers-parameter", "VkPipelineRobustnessCreateInfo-uniformBuffers-parameter", "VkPipelineRobustnessCreateInfo-vertexInputs-parameter",
		"VkPipelineRobustnessCreateInfo-images-parameter", "VkPipelineLayoutCreateInfo-flags-parameter", "VkPushConstantRange-stageFlags-parameter",
		"vkCmdPushConstants-stageFlags-parameter", "VkPushConstantsInfo-stageFlags-parameter", "VkDescriptorSetLayoutCreateInfo-flags-parameter",
		"VkDescriptorSetLayoutBinding-descriptorType-parameter", "VkDescriptorSetLayoutBindingFlagsCreateInfo-pBindingFlags-parameter", "VkMutableDescriptorTypeListEXT-pDescriptorTypes-parameter",
		"VkDescriptorSetAndBindingMappingEXT-resourceMask-parameter", "VkDescriptorSetAndBindingMappingEXT-source-parameter", "VkRayTracingShaderGroupCreateInfoKHR-type-parameter",
		"VkRayTracingShaderGroupCreateInfoNV-type-parameter", "VkVertexInputBindingDescription-inputRate-parameter", "VkVertexInputBindingDescription2EXT-inputRate-parameter",
		"VkVertexInputAttributeDescription-format-parameter", "VkVertexInputAttributeDescription2EXT-format-parameter", "VkPipelineTessellationDomainOriginStateCreateInfo-domainOrigin-parameter",
		"vkCmdSetTessellationDomainOriginEXT-domainOrigin-parameter",
	}},
	{NeedsCall, "a description has no names for debugging", []string{
		"VkDescriptorMappingSourceConstantOffsetEXT-pEmbeddedSampler-11415", "VkDescriptorMappingSourcePushIndexEXT-pEmbeddedSampler-11415",
		"VkDescriptorMappingSourceIndirectIndexEXT-pEmbeddedSampler-11415", "VkDescriptorMappingSourceIndirectIndexArrayEXT-pEmbeddedSampler-11415",
		"VkDescriptorMappingSourceShaderRecordIndexEXT-pEmbeddedSampler-11415",
	}},
	{NeedsCall, "the cache of the call is a handle", []string{
		"vkCreateExecutionGraphPipelinesAMDX-pipelineCache-09127",
	}},
	{ByOther, "it states in general what the individual rules of interfaces and layouts require", []string{
		"VkExecutionGraphPipelineCreateInfoAMDX-pStages-09129", "VkExecutionGraphPipelineCreateInfoAMDX-layout-09130",
	}},
	{ByOther, "the same is judged of the pipeline: VkGraphicsPipelineCreateInfo-renderPass-06038", []string{
		"vkCmdDraw-OpTypeImage-07468",
	}},
	{NeedsDraw, "it needs the views that are attached or bound at the draw, and their images: formats, format features, layouts and sizes", []string{

		"vkCmdDraw-imageLayout-00344",
		"vkCmdDraw-None-09600",
	}},
	{NeedsDraw, "it needs a sampler together with the view that it samples at the draw", []string{

		"vkCmdDraw-OpImageBlockMatchSADQCOM-06976", "vkCmdDraw-OpImageSampleWeightedQCOM-06977",
		"vkCmdDraw-OpImageSampleWeightedQCOM-06978", "vkCmdDraw-OpImageBlockMatchWindow-09217",
	}},
	{NeedsCommands, "it needs the objects that commands bind before the draw: pipelines, sets, buffers, heaps, push data", []string{
		"vkCmdDraw-None-08116",
		"vkCmdDraw-None-08119", "vkCmdDraw-None-08605", "vkCmdDraw-None-12472",
		"vkCmdDraw-None-11309", "vkCmdDraw-pBindInfo-11375", "vkCmdDraw-index-11450",
		"vkCmdDraw-None-13118", "vkCmdDraw-None-08885",
	}},
	{NeedsRun, "it needs addresses and indices that shaders compute or read at the draw", []string{
		"vkCmdDraw-uniformBuffers-06935", "vkCmdDraw-None-08612", "vkCmdDraw-storageBuffers-06936", "vkCmdDraw-None-08613", "vkCmdDraw-None-11297",
		"vkCmdDraw-None-11298", "vkCmdDraw-None-11299", "vkCmdDraw-None-11397", "vkCmdDraw-None-11300", "vkCmdDraw-None-11301", "vkCmdDraw-None-11302",
		"vkCmdDraw-None-11304", "vkCmdDraw-None-11305", "vkCmdDraw-None-11306", "vkCmdDraw-None-11372", "vkCmdDraw-None-11373", "vkCmdDraw-None-11374",
		"vkCmdDraw-None-11398", "vkCmdDraw-None-11437", "vkCmdDraw-None-11438", "vkCmdDraw-None-11441", "vkCmdDraw-None-11439", "vkCmdDraw-None-11442",
		"vkCmdDraw-None-11485", "vkCmdDraw-protectedNoFault-11455", "vkCmdDraw-protectedNoFault-11456", "vkCmdDraw-None-02721", "vkCmdDraw-format-10389",
		"vkCmdDraw-format-10390",
	}},
	{NeedsDraw, "protected memory is of resources and command buffers", []string{
		"vkCmdDraw-commandBuffer-02707", "vkCmdDraw-commandBuffer-02712", "vkCmdDraw-commandBuffer-02713",
	}},
	{NeedsCommands, "it needs the earlier writes in the render pass instance", []string{
		"vkCmdDraw-None-09003",
	}},
	{NeedsCommands, "it needs the instance of the render pass in which the draw is recorded: how it was begun, its views, attachments and queries", []string{
		"vkCmdDraw-pNext-07935",
		"vkCmdDraw-stage-07073", "vkCmdDraw-colorAttachmentCount-09372", "vkCmdDraw-None-10677",
		"vkCmdDraw-None-10678", "vkCmdDraw-None-10679",
	}},
	{NeedsCommands, "it needs values that commands set as dynamic state", []string{
		"vkCmdDraw-coverageToColorEnable-07490",
	}},
	{NeedsRun, "whether an invocation ends is decided when it runs", []string{
		"vkCmdDraw-None-07288",
	}},
	{NeedsDraw, "it needs the acceleration structures and micromaps that are bound", []string{
		"vkCmdDraw-micromap-11636", "vkCmdDraw-micromap-11637", "vkCmdDraw-micromap-11638", "vkCmdDraw-micromap-11639",
	}},
	{NeedsDraw, "it needs the tensors that are bound", []string{
		"vkCmdDraw-pDescription-09900", "vkCmdDraw-dimensionCount-09905", "vkCmdDraw-OpTypeTensorARM-09906", "vkCmdDraw-OpTensorReadARM-12462",
		"vkCmdDraw-pNext-12463",
	}},
	{ByOther, "package vk makes no buffer view of a format that shaders cannot read and write without a format", []string{
		"vkCmdDraw-OpTypeImage-07029", "vkCmdDraw-OpTypeImage-07030",
	}},
	{ByOther, "package vk makes no sampler that clamps the range of another filter than a cubic one", []string{
		"vkCmdDraw-reductionMode-09213",
	}},
	{NeedsText, "it applies only without the feature flags of Vulkan 1.3; with them it is vkCmdDraw-None-06479", []string{
		"vkCmdDraw-aspectMask-06478",
	}},
	{ByOther, "`check` checks it for each module, under this name", []string{
		"VkShaderModuleCreateInfo-pCode-08739", "VkShaderModuleCreateInfo-pCode-08740", "VkShaderModuleCreateInfo-pCode-08741", "VkShaderModuleCreateInfo-pCode-08742",
	}},
	{ByOther, "`check` judges it of each module, by the name that shader modules have for it: VkShaderModuleCreateInfo-pCode", []string{
		"VkShaderCreateInfoEXT-pCode-08739", "VkShaderCreateInfoEXT-pCode-08740", "VkShaderCreateInfoEXT-pCode-08741", "VkShaderCreateInfoEXT-pCode-08742",
	}},
	{ByOther, "it states in general what the individual rules of SPIR-V and of modules require, which `check` checks for each module: docs/rules.md, docs/vuids.md", []string{
		"VkShaderModuleCreateInfo-pCode-08736", "VkShaderModuleCreateInfo-pCode-08737", "VkShaderCreateInfoEXT-pCode-08736", "VkShaderCreateInfoEXT-pCode-08737",
	}},
	{ByOther, "`check` judges it of each module: without Shader there is no memory model and no execution model that Vulkan has, SPV-Capability-Missing", []string{
		"VkShaderModuleCreateInfo-pCode-08738", "VkShaderCreateInfoEXT-pCode-08738",
	}},
	{ByOther, "`check` judges it of each module: SPV-Stream-Size, SPV-Header-Size", []string{
		"VkShaderModuleCreateInfo-codeSize-08735", "VkShaderModuleCreateInfo-codeSize-01085", "VkShaderCreateInfoEXT-codeSize-08735",
	}},
	{ByOther, "`check` checks the module after specialization, and reports for a pipeline of an archive the additional findings", []string{
		"VkPipelineShaderStageCreateInfo-pSpecializationInfo-06849", "VkShaderCreateInfoEXT-pCode-08460",
	}},
	{ByReader, "modules are SPIR-V; other code is refused as it is read", []string{
		"VkShaderModuleCreateInfo-pCode-07912", "VkShaderModuleCreateInfo-pCode-01379", "vkCreateShadersEXT-pCreateInfos-08411", "VkShaderCreateInfoEXT-pCode-08492",
	}},
	{NeedsForm, "it is on a chain, a pointer or an address in memory", []string{
		"vkCreateShaderModule-pCreateInfo-06904", "VkShaderCreateInfoEXT-pCode-08493", "vkGetShaderBinaryDataEXT-None-08499",
	}},
	{ByOther, "it is on a pointer, and other rules check the content", []string{
		"VkShaderCreateInfoEXT-flags-11291", "VkShaderCreateInfoEXT-flags-11371", "VkGraphicsPipelineCreateInfo-pStages-06600", "VkGraphicsPipelineCreateInfo-flags-06640",
		"VkGraphicsPipelineCreateInfo-pTessellationState-09023",
	}},
	{NeedsForm, "it is on a handle, which a description has in place", []string{
		"VkGraphicsPipelineCreateInfo-flags-06643", "VkShaderCreateInfoEXT-setLayoutCount-13360",
	}},
	{ByReader, "a description names one stage for each module; others are refused as it is read", []string{
		"VkShaderCreateInfoEXT-stage-08418", "VkShaderCreateInfoEXT-stage-08425", "VkShaderCreateInfoEXT-stage-08426",
		"VkPipelineShaderStageCreateInfo-stage-00706", "VkPipelineShaderStageCreateInfo-clustercullingShader-07813", "VkDescriptorSetLayoutBinding-descriptorCount-09465",
		"vkCmdBindShadersEXT-pStages-08464", "vkCmdBindShadersEXT-pStages-08467", "vkCmdBindShadersEXT-pStages-08468", "vkCmdBindShadersEXT-pShaders-08469",
	}},
	{ByOther, "no such shader object can be made: VkShaderCreateInfoEXT-stage-12445", []string{
		"vkCmdBindShadersEXT-pStages-08465",
	}},
	{ByOther, "it states in general what the individual rules of interfaces and layouts require", []string{
		"VkComputePipelineCreateInfo-stage-00702", "VkRayTracingPipelineCreateInfoNV-pStages-03426",
	}},
	{NeedsText, "it applies only without VK_EXT_shader_object or VK_EXT_vertex_input_dynamic_state; with both it is vkCmdSetVertexInputEXT-None-08546", []string{
		"vkCmdSetVertexInputEXT-None-08547", "vkCmdSetVertexInputEXT-None-04790",
	}},
	{NeedsCall, "the cache of the call is a handle", []string{
		"vkCreateComputePipelines-pipelineCache-02873",
		"vkCreateRayTracingPipelinesKHR-pipelineCache-02903",
		"vkCreateRayTracingPipelinesNV-pipelineCache-02903",
	}},
	{NeedsCall, "deferred operations are of the call", []string{
		"vkCreateRayTracingPipelinesKHR-deferredOperation-*",
	}},
	{NeedsCall, "it needs the handles that earlier calls returned for replay", []string{
		"VkRayTracingShaderGroupCreateInfoKHR-rayTracingPipelineShaderGroupHandleCaptureReplayMixed-*",
	}},
	{NeedsCall, "it is on a query of a pipeline or a shader that was made", []string{
		"vkGetRayTracingShaderGroupHandlesKHR-*", "vkGetRayTracingCaptureReplayShaderGroupHandlesKHR-*", "vkGetRayTracingShaderGroupStackSizeKHR-*",
		"vkGetShaderModuleIdentifierEXT-*", "vkGetShaderModuleCreateInfoIdentifierEXT-*", "vkGetShaderBinaryDataEXT-None-08461",
	}},
	{NeedsCall, "it is on a query of the device", []string{
		"vkGetPhysicalDeviceCooperativeMatrixProperties2EXT-*", "VkPhysicalDeviceCooperativeMatrixInfo2EXT-*",
	}},
	{NeedsCall, "it is on a call that destroys: the callbacks of the creation, and whether the object is in use", []string{
		"vkDestroyShaderModule-*", "vkDestroyPipelineLayout-*", "vkDestroyDescriptorSetLayout-*", "vkDestroyShaderEXT-*",
	}},
	{NeedsCommands, "the state of the command buffer: its level, its pool, its render pass and the heaps that it inherits", []string{
		"vkCmdPushConstants-*", "vkCmdPushConstants2-*", "vkCmdPushDataEXT-*", "VkPushConstantsInfo-*", "VkPushDataInfoEXT-*",
		"vkCmdSetRayTracingPipelineStackSizeKHR-*",
		"vkCmdBindShadersEXT-None-08462", "vkCmdBindShadersEXT-pShaders-08476", "vkCmdBindShadersEXT-pShaders-08477", "vkCmdBindShadersEXT-pShaders-08478",
		"vkCmdBindShadersEXT-commandBuffer-recording", "vkCmdBindShadersEXT-commandBuffer-cmdpool", "vkCmdBindShadersEXT-videocoding",
		"vkCmdSetVertexInputEXT-commandBuffer-*", "vkCmdSetVertexInputEXT-videocoding", "vkCmdSetPatchControlPointsEXT-commandBuffer-*", "vkCmdSetPatchControlPointsEXT-videocoding",
		"vkCmdSetTessellationDomainOriginEXT-commandBuffer-*", "vkCmdSetTessellationDomainOriginEXT-videocoding",
		"vkCmdSetRenderingAttachmentLocations-commandBuffer-*", "vkCmdSetRenderingAttachmentLocations-renderpass", "vkCmdSetRenderingAttachmentLocations-videocoding",
		"vkCmdSetRenderingInputAttachmentIndices-commandBuffer-*", "vkCmdSetRenderingInputAttachmentIndices-renderpass", "vkCmdSetRenderingInputAttachmentIndices-videocoding",
	}},
	{NeedsCall, "it is on a conversion of matrices in memory", []string{
		"vkConvertCooperativeVectorMatrixNV-*", "VkConvertCooperativeVectorMatrixInfoNV-*", "vkCmdConvertCooperativeVectorMatrixNV-*",
	}},
	{NeedsCall, "it is on caches, modules of CUDA or instrumentation, which no pipeline is made of", []string{
		"VkCuda*", "vkCreateCuda*", "vkCmdCuda*", "VkValidationCache*", "vkCreateValidationCacheEXT-*", "vkDestroyValidationCacheEXT-*", "vkMergeValidationCachesEXT-*",
		"vkCmdBeginShaderInstrumentationARM-*", "vkCmdEndShaderInstrumentationARM-*", "vkCreateShaderInstrumentationARM-*", "vkDestroyShaderInstrumentationARM-*",
	}},
	{NeedsCommands, "the shader objects that are bound together, the layouts of their sets, and the states that commands have set", []string{
		"vkCmdDraw-None-08636", "vkCmdDraw-None-08637",
		"vkCmdDraw-colorAttachmentCount-09362",
		"vkCmdDraw-None-09363", "vkCmdDraw-None-09364", "vkCmdDraw-None-09365",
		"vkCmdDraw-None-09368", "vkCmdDraw-None-09369",
		"vkCmdDraw-None-09211",
		"vkCmdDraw-advancedBlendMaxColorAttachments-07480", "vkCmdDraw-sampleLocationsEnable-07484", "vkCmdDraw-sampleLocationsEnable-07485",
		"vkCmdDraw-sampleLocationsEnable-07486", "vkCmdDraw-sampleLocationsEnable-07487", "vkCmdDraw-coverageModulationTableEnable-07488",
		"vkCmdDraw-rasterizerDiscardEnable-09420", "vkCmdDraw-coverageReductionMode-07491", "vkCmdDraw-viewportCount-09421",
		"vkCmdDraw-None-08693", "vkCmdDraw-None-08696",
		"vkCmdDraw-customResolve-11529", "vkCmdDraw-customResolve-11530",
		"vkCmdDraw-flags-13365",
	}},
	{NeedsDraw, "the shader group handles in the tables, the buffers of their addresses, and the geometries that rays hit", []string{
		"vkCmdTraceRaysKHR-*", "vkCmdTraceRaysNV-*",
	}},
	{NeedsRun, "the payloads that shaders initialize, and the scratch memory of the graph", []string{
		"vkCmdDispatchGraphAMDX-*",
	}},
	{NeedsCommands, "the render pass in which the dispatch is, its tile attachments, and the bound shader object", []string{
		"vkCmdDispatch-*", "vkCmdDispatchIndirect2KHR-*",
	}},
	{NeedsCommands, "the shader objects that commands have bound for each stage", []string{
		"vkCmdDrawMeshTasksEXT-*",
	}},
	{NeedsCommands, "the command buffer, its level and its protection", []string{
		"vkCmdDraw-*",
	}},
	{ByRun, "a run stops if the dimensionality of a view or its kind of number does not match the image in the shader", []string{
		"vkCmdDraw-viewType-07752", "vkCmdDraw-format-07753",
	}},
}
