package link

// objectLists are the rules that package vk judges: when a call is made, when a command is recorded, or with full checking when it
// runs. A test of that package demands that its sources and its tests name each of them.
var objectLists = []reason{
	{ByObjects, "a dispatch of an execution graph with mesh nodes is inside of a rendering, which each of their draws must fit", []string{
		"vkCmdDispatchGraphAMDX-None-10195",
	}},
	{ByObjects, "a dispatch of an execution graph is in a primary command buffer, and has initialized scratch memory of the size of the graph", []string{
		"vkCmdDispatchGraphAMDX-commandBuffer-09182", "vkCmdDispatchGraphAMDX-scratch-10192", "vkCmdDispatchGraphAMDX-scratchSize-10193",
		"vkCmdDispatchGraphAMDX-scratch-10194",
	}},
	{ByObjects, "full checking compares the border color of a sampler with the registered color of its index", []string{
		"vkCmdDraw-index-11450",
	}},
	{ByObjects, "a draw, a dispatch or a trace without a bound pipeline is refused", []string{
		"vkCmdDraw-None-08606",
	}},
	{ByObjects, "full checking compares the attachments of the rendering with the pipeline and with the state of the draw", []string{
		"vkCmdDraw-multisampledRenderToSingleSampled-07285", "vkCmdDraw-multisampledRenderToSingleSampled-07286",
		"vkCmdDraw-multisampledRenderToSingleSampled-07287", "vkCmdDraw-pNext-07935", "vkCmdDraw-None-09211", "vkCmdDraw-None-08644", "vkCmdDraw-pColorAttachments-08963",
		"vkCmdDraw-maxMultiviewInstanceIndex-02688", "vkCmdDraw-None-09642", "vkCmdDraw-None-09643", "vkCmdDraw-None-09548", "vkCmdDraw-None-09549",
		"vkCmdDraw-None-10927", "vkCmdDraw-None-10928", "vkCmdDraw-pDepthInputAttachmentIndex-09595", "vkCmdDraw-blendEnable-04727", "vkCmdDraw-None-09116",
	}},
	{ByObjects, "full checking judges the dynamic states that commands have set at each draw", []string{
		"vkCmdDraw-primitiveFragmentShadingRateWithMultipleViewports-04552", "vkCmdDraw-alphaToCoverageEnable-08919", "vkCmdDraw-alphaToCoverageEnable-08920",
		"vkCmdDraw-pDynamicStates-08715", "vkCmdDraw-pDynamicStates-08716", "vkCmdDraw-None-08608", "vkCmdDraw-dynamicPrimitiveTopologyUnrestricted-07500",
		"vkCmdDraw-viewportCount-03419", "vkCmdDraw-attachmentCount-07750", "vkCmdDraw-conservativePointAndLineRasterization-07499", "vkCmdDraw-None-10608",
		"vkCmdDraw-firstAttachment-07476", "vkCmdDraw-firstAttachment-07478",
	}},
	{ByObjects, "full checking compares the vertex buffers that commands have bound with the inputs of the vertex stage", []string{
		"vkCmdDraw-None-04007", "vkCmdDraw-None-04008", "vkCmdDraw-pStrides-04913",
	}},
	{ByObjects, "full checking judges the shader objects that a draw uses together, and their layouts", []string{
		"vkCmdDraw-None-08698", "vkCmdDraw-None-08699", "vkCmdDraw-nextStage-10745", "vkCmdDraw-None-08876", "vkCmdDraw-None-10772", "vkCmdDraw-None-08878",
		"vkCmdDraw-None-08879", "vkCmdDraw-flags-13361", "vkCmdDraw-flags-13362", "vkCmdDraw-flags-12491", "vkCmdDraw-flags-13363", "vkCmdDraw-flags-13364",
		"vkCmdDraw-pDepthInputAttachmentIndex-09596", "vkCmdDraw-InputAttachmentIndex-09597",
	}},
	{ByObjects, "full checking compares the stages of the bound shader objects, the kind of the draw and the active queries of mesh primitives", []string{
		"vkCmdDraw-None-08693", "vkCmdDraw-None-08696", "vkCmdDraw-None-08885", "vkCmdDraw-stage-07073", "vkCmdDraw-flags-13365",
		"vkCmdDrawMeshTasksEXT-None-08694", "vkCmdDrawMeshTasksEXT-None-08695", "vkCmdDrawMeshTasksEXT-pStages-10680",
	}},
	{ByObjects, "a dispatch without a pipeline or a shader object is refused; full checking demands that it is outside of a rendering", []string{
		"vkCmdDispatch-None-10743", "vkCmdDispatch-None-10672",
	}},
	{ByObjects, "full checking compares the shaders of draws and dispatches with the tile shading of the rendering, and tile attachments with its attachments", []string{
		"RuntimeSpirv-OpTypeImage-10707", "RuntimeSpirv-OpTypeImage-10708", "RuntimeSpirv-OpTypeImage-10709", "RuntimeSpirv-OpTypeImage-10710",
		"RuntimeSpirv-OpTypeSampledImage-10711", "RuntimeSpirv-TileShadingQCOM-10700", "RuntimeSpirv-TileShadingQCOM-10701",
		"vkCmdDispatch-None-10674", "vkCmdDispatch-None-10675", "vkCmdDispatch-None-10676", "vkCmdDispatch-aspectMask-10673",
		"vkCmdDraw-None-10677", "vkCmdDraw-None-10678",
	}},
	{ByObjects, "full checking follows the layouts of images, and compares them with those of the descriptors that shaders access in any case", []string{
		"vkCmdDraw-imageLayout-00344", "vkCmdDraw-None-09600", "vkCmdDraw-None-10679",
	}},
	{ByObjects, "a dispatch of tiles compares the rate of the shader with the layers of the tile", []string{
		"RuntimeSpirv-tileSize-10705", "RuntimeSpirv-z-10704",
	}},
	{ByObjects, "a conversion of matrices checks its description, its memory and its addresses", []string{
		"VkConvertCooperativeVectorMatrixInfoNV-dstComponentType-10080", "VkConvertCooperativeVectorMatrixInfoNV-dstComponentType-10082",
		"VkConvertCooperativeVectorMatrixInfoNV-dstLayout-10078", "VkConvertCooperativeVectorMatrixInfoNV-dstLayout-parameter",
		"VkConvertCooperativeVectorMatrixInfoNV-srcComponentType-10079", "VkConvertCooperativeVectorMatrixInfoNV-srcComponentType-10081",
		"VkConvertCooperativeVectorMatrixInfoNV-srcLayout-10077", "VkConvertCooperativeVectorMatrixInfoNV-srcLayout-parameter",
		"vkCmdConvertCooperativeVectorMatrixNV-None-10088", "vkCmdConvertCooperativeVectorMatrixNV-infoCount-arraylength",
		"vkCmdConvertCooperativeVectorMatrixNV-pInfo-10083", "vkCmdConvertCooperativeVectorMatrixNV-pInfo-10084",
		"vkCmdConvertCooperativeVectorMatrixNV-pInfo-10085", "vkCmdConvertCooperativeVectorMatrixNV-pInfo-10086",
		"vkCmdConvertCooperativeVectorMatrixNV-pInfo-10087", "vkCmdConvertCooperativeVectorMatrixNV-pInfo-10895",
		"vkConvertCooperativeVectorMatrixNV-pInfo-10073", "vkConvertCooperativeVectorMatrixNV-pInfo-10074", "vkConvertCooperativeVectorMatrixNV-pInfo-10075",
		"vkConvertCooperativeVectorMatrixNV-pInfo-10076",
	}},
	{ByObjects, "the recording of commands checks which shader instrumentation is active", []string{
		"vkCmdBeginShaderInstrumentationARM-commandBuffer-12375", "vkCmdEndShaderInstrumentationARM-commandBuffer-12377",
	}},
	{ByObjects, "Close of an object in use returns an error", []string{
		"vkDestroyShaderInstrumentationARM-instrumentation-12374", "vkDestroyShaderEXT-shader-08482",
	}},
	{ByObjects, "the creation of a CUDA module and the recording of a launch check them", []string{
		"VkCudaModuleCreateInfoNV-dataSize-arraylength", "VkCudaModuleCreateInfoNV-dataSize-09413", "VkCudaLaunchInfoNV-paramCount-09409", "VkCudaLaunchInfoNV-pParams-09410",
		"VkCudaLaunchInfoNV-gridDimX-09406", "VkCudaLaunchInfoNV-gridDimY-09407",
		"VkCudaLaunchInfoNV-gridDimZ-09408", "VkCudaLaunchInfoNV-extraCount-09411", "VkCudaLaunchInfoNV-pExtras-09412",
		"vkCmdCudaLaunchKernelNV-commandBuffer-recording", "vkCmdCudaLaunchKernelNV-commandBuffer-cmdpool", "vkCmdCudaLaunchKernelNV-suspended",
	}},
	{ByObjects, "a query for products of cooperative matrices checks its scope and its sizes", []string{
		"VkPhysicalDeviceCooperativeMatrixInfo2EXT-scope-13372", "VkPhysicalDeviceCooperativeMatrixInfo2EXT-cooperativeMatrixWorkgroupScope-13373",
		"VkPhysicalDeviceCooperativeMatrixInfo2EXT-subgroupSize-13374", "VkPhysicalDeviceCooperativeMatrixInfo2EXT-scope-13375",
		"VkPhysicalDeviceCooperativeMatrixInfo2EXT-scope-13376", "VkPhysicalDeviceCooperativeMatrixInfo2EXT-scope-13377",
		"VkPhysicalDeviceCooperativeMatrixInfo2EXT-invocations-13378", "VkPhysicalDeviceCooperativeMatrixInfo2EXT-subgroupSize-13379",
		"VkPhysicalDeviceCooperativeMatrixInfo2EXT-scope-13380", "VkPhysicalDeviceCooperativeMatrixInfo2EXT-invocations-13381",
		"vkGetPhysicalDeviceCooperativeMatrixProperties2EXT-cooperativeMatrixProperties2-13371",
	}},
	{ByObjects, "a merge of caches checks them", []string{
		"vkMergeValidationCachesEXT-dstCache-01536",
	}},
	{ByObjects, "full checking judges the descriptor sets, the descriptor buffers and the heaps that stages use statically", []string{
		"vkCmdDraw-None-08114", "vkCmdDraw-None-08115", "vkCmdDraw-None-08117", "vkCmdDraw-None-11308",
	}},
	{ByObjects, "full checking compares the bound views and samplers with the accesses of the shaders, but for elements of arrays", []string{
		"vkCmdDraw-magFilter-04553", "vkCmdDraw-magFilter-09598", "vkCmdDraw-mipmapMode-04770", "vkCmdDraw-mipmapMode-09599",
		"vkCmdDraw-unnormalizedCoordinates-09635", "vkCmdDraw-None-08609", "vkCmdDraw-None-06479", "vkCmdDraw-flags-02696", "vkCmdDraw-None-02691",
		"vkCmdDraw-None-07888", "vkCmdDraw-None-02692", "vkCmdDraw-None-02693", "vkCmdDraw-filterCubic-02694", "vkCmdDraw-filterCubicMinmax-02695",
		"vkCmdDraw-cubicRangeClamp-09212", "vkCmdDraw-selectableCubicWeights-09214", "vkCmdDraw-OpTypeImage-07027", "vkCmdDraw-OpTypeImage-07028",
		"vkCmdDraw-OpImageWrite-08795", "vkCmdDraw-OpImageWrite-08796", "vkCmdDraw-OpImageWrite-04469", "vkCmdDraw-SampledType-04470",
		"vkCmdDraw-SampledType-04471", "vkCmdDraw-SampledType-04472", "vkCmdDraw-SampledType-04473", "vkCmdDraw-sparseImageInt64Atomics-04474",
		"vkCmdDraw-sparseImageInt64Atomics-04475", "RuntimeSpirv-None-06287", "RuntimeSpirv-samples-08725", "RuntimeSpirv-samples-08726",
		"vkCmdDraw-OpImageSampleWeightedQCOM-06971", "vkCmdDraw-OpImageSampleWeightedQCOM-06972", "vkCmdDraw-OpImageBoxFilterQCOM-06973",
		"vkCmdDraw-OpImageBlockMatchSSDQCOM-06974", "vkCmdDraw-OpImageBlockMatchSADQCOM-12420", "vkCmdDraw-OpImageBlockMatchWindow-09215",
		"vkCmdDraw-OpImageBlockMatchWindow-09216", "vkCmdDraw-OpImageBlockMatchWindow-12421", "vkCmdDraw-addressModeU-12422",
		"RuntimeSpirv-OpImageBlockMatchSSDQCOM-06985", "RuntimeSpirv-OpImageBlockMatchSSDQCOM-06986", "RuntimeSpirv-OpImageBlockMatchWindow-09222",
		"RuntimeSpirv-OpImageBlockMatchWindow-09223", "RuntimeSpirv-pNext-09226", "RuntimeSpirv-OpTypeSampledImage-12208",
		"RuntimeSpirv-OpCooperativeMatrix-12379",
	}},
	{ByObjects, "full checking compares the acceleration structures in sets with the instructions that trace rays in them", []string{
		"RuntimeSpirv-OpRayQueryInitializeKHR-06352", "RuntimeSpirv-OpTraceRayKHR-06359", "RuntimeSpirv-flags-08761",
		"HitTriangleVertexPositionsKHR-None-08751", "RuntimeSpirv-OpTraceRayKHR-06360", "RuntimeSpirv-OpTraceRayMotionNV-06365",
		"RuntimeSpirv-OpHitObjectTraceRayMotionNV-07709", "RuntimeSpirv-flags-11876", "RuntimeSpirv-OpRayQueryGenerateIntersectionKHR-06354",
	}},
	{ByOther, "the instruction requires the flag of the pipeline: OpHitObjectTraceRayMotionNV-07711, OpHitObjectTraceRayMotionEXT-11877", []string{
		"RuntimeSpirv-OpHitObjectTraceRayMotionNV-07704", "RuntimeSpirv-flags-11875",
	}},
	{ByObjects, "full checking reads the descriptors at constant offsets in heaps, with the types that their writes have recorded", []string{
		"RuntimeSpirv-Result-11340", "RuntimeSpirv-Result-11341", "RuntimeSpirv-Result-11342", "RuntimeSpirv-Result-11343", "RuntimeSpirv-Result-11345",
		"RuntimeSpirv-Image-11379", "RuntimeSpirv-Image-11380", "RuntimeSpirv-Image-11382",
	}},
	{ByObjects, "full checking tracks which attachments the draws of a rendering have written", []string{
		"vkCmdDraw-None-10795", "vkCmdDraw-None-10796", "vkCmdDraw-None-10797",
	}},
	{ByObjects, "full checking compares the formats of a custom resolve with the draw", []string{
		"vkCmdDraw-pColorAttachments-11539",
	}},
	{ByObjects, "full checking demands that the tables of a trace are in memory, that the ray generation record has the handle of a group, and that a dynamic size of the stack is set", []string{
		"vkCmdTraceRaysKHR-pRayGenShaderBindingTable-03681", "vkCmdTraceRaysKHR-pMissShaderBindingTable-03684",
		"vkCmdTraceRaysKHR-pHitShaderBindingTable-03688", "vkCmdTraceRaysKHR-pCallableShaderBindingTable-03692",
		"vkCmdTraceRaysKHR-None-03429", "vkCmdTraceRaysKHR-None-09458",
	}},
	{ByObjects, "a trace whose shaders exceed the recursion depth of the pipeline fails", []string{
		"vkCmdTraceRaysKHR-maxPipelineRayRecursionDepth-03679",
	}},
	{ByObjects, "queries of the groups of a ray tracing pipeline check their numbers", []string{
		"vkGetRayTracingShaderGroupHandlesKHR-firstGroup-04050", "vkGetRayTracingShaderGroupHandlesKHR-firstGroup-02419",
		"vkGetRayTracingShaderGroupHandlesKHR-pipeline-07828", "vkGetRayTracingShaderGroupStackSizeKHR-group-03608",
		"vkGetRayTracingShaderGroupStackSizeKHR-groupShader-03609", "vkGetRayTracingCaptureReplayShaderGroupHandlesKHR-firstGroup-03483",
		"vkGetRayTracingCaptureReplayShaderGroupHandlesKHR-firstGroup-04051", "vkGetRayTracingCaptureReplayShaderGroupHandlesKHR-pipeline-03607",
		"vkGetRayTracingCaptureReplayShaderGroupHandlesKHR-pipeline-07829",
		"vkGetRayTracingCaptureReplayShaderGroupHandlesKHR-rayTracingPipelineShaderGroupHandleCaptureReplay-03606",
	}},
	{ByObjects, "a command is recorded only in the recording state, and the end of a recording checks that the queues run it", []string{
		"vkCmdSetRayTracingPipelineStackSizeKHR-commandBuffer-recording", "vkCmdSetRayTracingPipelineStackSizeKHR-commandBuffer-cmdpool",
		"vkCmdBindShadersEXT-commandBuffer-recording", "vkCmdBindShadersEXT-commandBuffer-cmdpool", "vkCmdPushConstants-commandBuffer-recording",
		"vkCmdPushConstants-commandBuffer-cmdpool", "vkCmdPushDataEXT-commandBuffer-recording", "vkCmdPushDataEXT-commandBuffer-cmdpool",
		"vkCmdSetPatchControlPointsEXT-commandBuffer-recording", "vkCmdSetPatchControlPointsEXT-commandBuffer-cmdpool",
		"vkCmdSetTessellationDomainOriginEXT-commandBuffer-recording", "vkCmdSetTessellationDomainOriginEXT-commandBuffer-cmdpool",
		"vkCmdSetVertexInputEXT-commandBuffer-recording", "vkCmdSetVertexInputEXT-commandBuffer-cmdpool",
		"vkCmdSetRenderingAttachmentLocations-commandBuffer-recording", "vkCmdSetRenderingAttachmentLocations-commandBuffer-cmdpool",
		"vkCmdSetRenderingInputAttachmentIndices-commandBuffer-recording", "vkCmdSetRenderingInputAttachmentIndices-commandBuffer-cmdpool",
		"vkCmdBeginShaderInstrumentationARM-commandBuffer-recording", "vkCmdBeginShaderInstrumentationARM-commandBuffer-cmdpool",
		"vkCmdEndShaderInstrumentationARM-commandBuffer-recording", "vkCmdEndShaderInstrumentationARM-commandBuffer-cmdpool",
		"vkCmdConvertCooperativeVectorMatrixNV-commandBuffer-recording", "vkCmdConvertCooperativeVectorMatrixNV-commandBuffer-cmdpool",
		"vkCmdBindShadersEXT-pShaders-08476", "vkCmdBindShadersEXT-pShaders-08477", "vkCmdBindShadersEXT-pShaders-08478",
	}},
	{ByObjects, "a command that ends the use of descriptor heaps is not recorded if the command buffer inherits them", []string{
		"vkCmdPushConstants-commandBuffer-11295", "vkCmdPushConstants-commandBuffer-11296",
	}},
	{ByObjects, "the recording checks the place of the command among the renderings", []string{
		"vkCmdSetRenderingAttachmentLocations-renderpass", "vkCmdSetRenderingInputAttachmentIndices-renderpass",
		"vkCmdConvertCooperativeVectorMatrixNV-renderpass", "vkCmdSetRayTracingPipelineStackSizeKHR-renderpass", "vkCmdSetRenderingAttachmentLocations-commandBuffer-09511",
		"vkCmdSetRenderingInputAttachmentIndices-commandBuffer-09518", "vkCmdBeginShaderInstrumentationARM-suspended",
		"vkCmdEndShaderInstrumentationARM-suspended", "vkCmdConvertCooperativeVectorMatrixNV-suspended",
	}},
	{ByObjects, "shader objects need their feature, push constants a layout", []string{
		"vkCmdBindShadersEXT-None-08462", "vkGetShaderBinaryDataEXT-None-08461", "VkPushConstantsInfo-None-09495",
	}},
	{ByObjects, "full checking refuses data that is not of a validation cache, or damaged", []string{
		"VkValidationCacheCreateInfoEXT-initialDataSize-01534", "VkValidationCacheCreateInfoEXT-initialDataSize-01535",
	}},
	{ByObjects, "full checking judges the sample locations and the advanced blend operations that commands set", []string{
		"vkCmdDraw-sampleLocationsEnable-07484", "vkCmdDraw-sampleLocationsEnable-07485", "vkCmdDraw-sampleLocationsEnable-07486",
		"vkCmdDraw-sampleLocationsEnable-07487", "vkCmdDraw-advancedBlendMaxColorAttachments-07480",
	}},
	{ByObjects, "full checking demands that instructions of image processing use the samplers that are for them, and no others do", []string{
		"vkCmdDraw-OpImageSampleWeightedQCOM-06977", "vkCmdDraw-OpImageSampleWeightedQCOM-06978",
	}},
	{ByObjects, "full checking computes the addresses of the vertex attributes that a draw reads", []string{
		"vkCmdDraw-format-10389", "vkCmdDraw-format-10390",
	}},
	{ByObjects, "the creation of a pipeline fails while another call uses its cache, if the application synchronizes it", []string{
		"vkCreateComputePipelines-pipelineCache-02873", "vkCreateRayTracingPipelinesKHR-pipelineCache-02903",
		"vkCreateExecutionGraphPipelinesAMDX-pipelineCache-09127",
	}},
	{ByObjects, "the device keeps which ray tracing pipelines were made, and are being made, with handles for a replay", []string{
		"VkRayTracingShaderGroupCreateInfoKHR-rayTracingPipelineShaderGroupHandleCaptureReplayMixed-03603",
		"VkRayTracingShaderGroupCreateInfoKHR-rayTracingPipelineShaderGroupHandleCaptureReplayMixed-03604",
	}},
	{ByObjects, "a query for the identifier of a module needs the feature shaderModuleIdentifier", []string{
		"vkGetShaderModuleCreateInfoIdentifierEXT-shaderModuleIdentifier-06885",
		"vkGetShaderModuleIdentifierEXT-shaderModuleIdentifier-06884",
	}},
	{ByObjects, "a launch with full checking fails at a record that a ray needs and that is zero against a flag of the pipeline, or of a group for another type of geometry", []string{
		"vkCmdTraceRaysKHR-flags-03511", "vkCmdTraceRaysKHR-flags-03512", "vkCmdTraceRaysKHR-flags-03513", "vkCmdTraceRaysKHR-flags-03514",
		"vkCmdTraceRaysKHR-pHitShaderBindingTable-04735", "vkCmdTraceRaysKHR-pHitShaderBindingTable-04736",
	}},
	{ByObjects, "full checking computes the places of mapped resources that stages use: indices and addresses in push data and in memory. A sanitizer reports an access to the address 0", []string{
		"vkCmdDraw-None-11297", "vkCmdDraw-None-11298", "vkCmdDraw-None-11299", "vkCmdDraw-None-11300", "vkCmdDraw-None-11301",
		"vkCmdDraw-None-11302", "vkCmdDraw-None-11304", "vkCmdDraw-None-11305", "vkCmdDraw-None-11306", "vkCmdDraw-None-11437",
		"vkCmdDraw-None-11438", "vkCmdDraw-None-11441", "vkCmdDraw-None-11439", "vkCmdDraw-None-11442", "vkCmdDraw-None-11485",
	}},
	{ByObjects, "full checking demands that a pipeline that traces rays in a structure whose instances all have opacity micromaps has the flag for them", []string{
		"vkCmdTraceRaysKHR-micromap-11640",
	}},
	{ByObjects, "full checking demands that a pipeline, or a shader object, that excludes mixed micromap indices traces rays in no structure whose instances all have them", []string{
		"vkCmdDraw-micromap-11638", "vkCmdDraw-micromap-11639",
	}},
	{ByOther, "a serialized structure has the content of its micromaps: none of them is deserialized apart", []string{
		"vkCmdDraw-micromap-11637",
	}},
	{ByObjects, "full checking on a device that is known to be without VK_EXT_opacity_micromap demands the mode of a shader whose ray queries go through a structure whose instances all have micromaps of the KHR form", []string{
		"vkCmdDraw-micromap-11636",
	}},
	{ByObjects, "full checking keeps whether vkCmdBindVertexBuffers3KHR has set strides that the pipeline does not take", []string{
		"vkCmdDraw-None-13118",
	}},
	{ByObjects, "full checking demands that the scratch memory of an execution graph is in a buffer with the usage for it", []string{
		"vkCmdDispatchGraphAMDX-scratch-09184",
	}},
}
