package link_test

// unjudgedPipelines are the rules on modules, layouts, pipelines, shader objects and
// commands that Link does not check. A * at the end matches all unchecked rules with that
// prefix.
var unjudgedPipelines = []reason{
	{"`check` checks it for each module, under this name", []string{
		"VkShaderModuleCreateInfo-pCode-08739", "VkShaderModuleCreateInfo-pCode-08740", "VkShaderModuleCreateInfo-pCode-08741", "VkShaderModuleCreateInfo-pCode-08742",
	}},
	{"`check` judges it of each module, by the name that shader modules have for it: VkShaderModuleCreateInfo-pCode", []string{
		"VkShaderCreateInfoEXT-pCode-08739", "VkShaderCreateInfoEXT-pCode-08740", "VkShaderCreateInfoEXT-pCode-08741", "VkShaderCreateInfoEXT-pCode-08742",
	}},
	{"it states in general what the individual rules of SPIR-V and of modules require, which `check` checks for each module: docs/rules.md, docs/vuids.md", []string{
		"VkShaderModuleCreateInfo-pCode-08736", "VkShaderModuleCreateInfo-pCode-08737", "VkShaderCreateInfoEXT-pCode-08736", "VkShaderCreateInfoEXT-pCode-08737",
	}},
	{"`check` judges it of each module: without Shader there is no memory model and no execution model that Vulkan has, SPV-Capability-Missing", []string{
		"VkShaderModuleCreateInfo-pCode-08738", "VkShaderCreateInfoEXT-pCode-08738",
	}},
	{"`check` judges it of each module: SPV-Stream-Size, SPV-Header-Size", []string{
		"VkShaderModuleCreateInfo-codeSize-08735", "VkShaderModuleCreateInfo-codeSize-01085", "VkShaderCreateInfoEXT-codeSize-08735",
	}},
	{"`check` checks the module after specialization, and reports for a pipeline of an archive the additional findings", []string{
		"VkPipelineShaderStageCreateInfo-pSpecializationInfo-06849", "VkShaderCreateInfoEXT-pCode-08460",
	}},
	{"modules are SPIR-V; other code is refused as it is read", []string{
		"VkShaderModuleCreateInfo-pCode-07912", "VkShaderModuleCreateInfo-pCode-01379", "vkCreateShadersEXT-pCreateInfos-08411", "VkShaderCreateInfoEXT-pCode-08492",
	}},
	{"it is on a chain, a pointer or an address in memory", []string{
		"vkCreateShaderModule-pCreateInfo-06904", "VkShaderCreateInfoEXT-pCode-08493", "vkGetShaderBinaryDataEXT-None-08499",
	}},
	{"it is on a pointer, and other rules check the content", []string{
		"VkShaderCreateInfoEXT-flags-11291", "VkShaderCreateInfoEXT-flags-11371", "VkGraphicsPipelineCreateInfo-pStages-06600", "VkGraphicsPipelineCreateInfo-flags-06640",
		"VkGraphicsPipelineCreateInfo-pTessellationState-09023",
	}},
	{"it is on a handle, which a description has in place", []string{
		"VkGraphicsPipelineCreateInfo-flags-06643", "VkShaderCreateInfoEXT-setLayoutCount-13360",
	}},
	{"a description names one stage for each module; others are refused as it is read", []string{
		"VkShaderCreateInfoEXT-stage-08418", "VkShaderCreateInfoEXT-stage-08425", "VkShaderCreateInfoEXT-stage-08426",
		"VkPipelineShaderStageCreateInfo-stage-00706", "VkPipelineShaderStageCreateInfo-clustercullingShader-07813", "VkDescriptorSetLayoutBinding-descriptorCount-09465",
		"vkCmdBindShadersEXT-pStages-08464", "vkCmdBindShadersEXT-pStages-08467", "vkCmdBindShadersEXT-pStages-08468", "vkCmdBindShadersEXT-pShaders-08469",
	}},
	{"no such shader object can be made: VkShaderCreateInfoEXT-stage-12445", []string{
		"vkCmdBindShadersEXT-pStages-08465",
	}},
	{"the registry that the names of flags are made from has no such flag", []string{
		"VkPipelineLayoutCreateInfo-flags-13352",
	}},
	{"it states in general what the individual rules of interfaces and layouts require", []string{
		"VkComputePipelineCreateInfo-stage-00702", "VkRayTracingPipelineCreateInfoNV-pStages-03426",
	}},
	{"it applies only without VK_EXT_shader_object or VK_EXT_vertex_input_dynamic_state; with both it is vkCmdSetVertexInputEXT-None-08546", []string{
		"vkCmdSetVertexInputEXT-None-08547", "vkCmdSetVertexInputEXT-None-04790",
	}},
	{"it needs the queue families of the device", []string{
		"vkCreateShadersEXT-stage-09670", "vkCreateShadersEXT-stage-09671", "vkCreateComputePipelines-device-09661", "vkCreateRayTracingPipelinesKHR-device-09677",
		"vkCreateRayTracingPipelinesNV-device-09677",
	}},
	{"it counts the samplers that the application has made on the device", []string{
		"vkCreateShadersEXT-pCreateInfos-11413", "vkCreateShadersEXT-pCreateInfos-11428", "vkCreateComputePipelines-pCreateInfos-11414", "vkCreateComputePipelines-pCreateInfos-11429",
		"vkCreateRayTracingPipelinesKHR-pCreateInfos-11414", "vkCreateRayTracingPipelinesKHR-pCreateInfos-11429", "vkCreateRayTracingPipelinesNV-pCreateInfos-11414",
		"vkCreateRayTracingPipelinesNV-pCreateInfos-11429",
	}},
	{"a description does not have the pipelines of one call and their order", []string{
		"vkCreateComputePipelines-flags-00695", "vkCreateRayTracingPipelinesKHR-flags-03415", "vkCreateRayTracingPipelinesNV-flags-03415",
	}},
	{"the cache of the call is a handle", []string{
		"vkCreateComputePipelines-pipelineCache-02873", "vkCreateComputePipelines-pNext-09616", "vkCreateComputePipelines-pNext-09617",
		"vkCreateRayTracingPipelinesKHR-pipelineCache-02903", "vkCreateRayTracingPipelinesKHR-pNext-09616", "vkCreateRayTracingPipelinesKHR-pNext-09617",
		"vkCreateRayTracingPipelinesNV-pipelineCache-02903", "vkCreateRayTracingPipelinesNV-pNext-09616", "vkCreateRayTracingPipelinesNV-pNext-09617",
	}},
	{"binaries and their feedback are of the call", []string{
		"vkCreateComputePipelines-binaryCount-*", "vkCreateRayTracingPipelinesKHR-binaryCount-*", "vkCreateRayTracingPipelinesNV-binaryCount-*",
	}},
	{"deferred operations are of the call", []string{
		"vkCreateRayTracingPipelinesKHR-deferredOperation-*",
	}},
	{"it needs the handles that earlier calls returned for replay", []string{
		"VkRayTracingShaderGroupCreateInfoKHR-rayTracingPipelineShaderGroupHandleCaptureReplayMixed-*",
	}},
	{"it is on a query of a pipeline or a shader that was made", []string{
		"vkGetRayTracingShaderGroupHandlesKHR-*", "vkGetRayTracingCaptureReplayShaderGroupHandlesKHR-*", "vkGetRayTracingShaderGroupStackSizeKHR-*",
		"vkGetShaderModuleIdentifierEXT-*", "vkGetShaderModuleCreateInfoIdentifierEXT-*", "vkGetShaderBinaryDataEXT-None-08461",
	}},
	{"it is on a query of the device", []string{
		"vkGetPhysicalDeviceCooperativeMatrixProperties2EXT-*", "VkPhysicalDeviceCooperativeMatrixInfo2EXT-*",
	}},
	{"it is on a call that destroys: the callbacks of the creation, and whether the object is in use", []string{
		"vkDestroyShaderModule-*", "vkDestroyPipelineLayout-*", "vkDestroyDescriptorSetLayout-*", "vkDestroyShaderEXT-*",
	}},
	{"it is on a recorded command: its position, offsets and sizes", []string{
		"vkCmdPushConstants-*", "vkCmdPushConstants2-*", "vkCmdPushDataEXT-*", "VkPushConstantsInfo-*", "VkPushDataInfoEXT-*",
		"VkPushConstantBankInfoNV-bank-12342", "VkPushConstantBankInfoNV-bank-12343", "VkPushConstantBankInfoNV-bank-12344", "VkPushConstantBankInfoNV-bank-12345",
		"vkCmdSetRayTracingPipelineStackSizeKHR-*",
		"vkCmdBindShadersEXT-None-08462", "vkCmdBindShadersEXT-pShaders-08476", "vkCmdBindShadersEXT-pShaders-08477", "vkCmdBindShadersEXT-pShaders-08478",
		"vkCmdBindShadersEXT-commandBuffer-recording", "vkCmdBindShadersEXT-commandBuffer-cmdpool", "vkCmdBindShadersEXT-videocoding",
		"vkCmdSetVertexInputEXT-commandBuffer-*", "vkCmdSetVertexInputEXT-videocoding", "vkCmdSetPatchControlPointsEXT-commandBuffer-*", "vkCmdSetPatchControlPointsEXT-videocoding",
		"vkCmdSetTessellationDomainOriginEXT-commandBuffer-*", "vkCmdSetTessellationDomainOriginEXT-videocoding",
		"vkCmdSetRenderingAttachmentLocations-commandBuffer-*", "vkCmdSetRenderingAttachmentLocations-renderpass", "vkCmdSetRenderingAttachmentLocations-videocoding",
		"vkCmdSetRenderingInputAttachmentIndices-commandBuffer-*", "vkCmdSetRenderingInputAttachmentIndices-renderpass", "vkCmdSetRenderingInputAttachmentIndices-videocoding",
	}},
	{"it is on a conversion of matrices in memory", []string{
		"vkConvertCooperativeVectorMatrixNV-*", "VkConvertCooperativeVectorMatrixInfoNV-*", "vkCmdConvertCooperativeVectorMatrixNV-*",
	}},
	{"it is on caches, modules of CUDA or instrumentation, which no pipeline is made of", []string{
		"VkCuda*", "vkCreateCuda*", "vkCmdCuda*", "VkValidationCache*", "vkCreateValidationCacheEXT-*", "vkDestroyValidationCacheEXT-*", "vkMergeValidationCachesEXT-*",
		"vkCmdBeginShaderInstrumentationARM-*", "vkCmdEndShaderInstrumentationARM-*", "vkCreateShaderInstrumentationARM-*", "vkDestroyShaderInstrumentationARM-*",
	}},
	{"it is on a command that dispatches, draws or traces: its counts, buffers, addresses and tables", []string{
		"vkCmdDispatch*", "VkDispatch*", "vkCmdDrawMeshTasks*", "VkDrawMeshTasks*", "vkCmdTraceRays*", "vkCmdDraw-*", "vkCmdDrawCluster*",
	}},
}
