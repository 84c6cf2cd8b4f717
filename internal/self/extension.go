package self

import (
	"math"

	"github.com/chiaro-gpu/chiaro/device"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/internal/raster"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/internal/texture"
	"github.com/chiaro-gpu/chiaro/valid"
	"github.com/chiaro-gpu/chiaro/vk"
)

// extensionFeatures are features of extensions that no capability of a shader needs, or that allow more than the capability.
var extensionFeatures = []string{
	// of shaders
	"shaderSubgroupClock", "shaderDeviceClock", "shaderMaximalReconvergence", "shaderSubgroupUniformControlFlow",
	"shaderRelaxedExtendedInstruction", "shaderEarlyAndLateFragmentTests", "shaderBufferFloat16Atomics", "shaderSharedFloat16Atomics",
	"shaderBufferFloat32Atomics", "shaderBufferFloat64Atomics", "shaderSharedFloat32Atomics", "shaderSharedFloat64Atomics",
	"shaderImageFloat32Atomics", "sparseImageFloat32Atomics", "sparseImageFloat32AtomicAdd", "sparseImageFloat32AtomicMinMax",
	"sparseImageInt64Atomics", "vulkanMemoryModelAvailabilityVisibilityChains", "workgroupMemoryExplicitLayoutScalarBlockLayout",
	"cooperativeMatrixRobustBufferAccess", "cooperativeMatrixProperties2",
	// of pipelines and shader objects
	"shaderObject", "pipelineBinaries", "pipelineExecutableInfo", "pipelineProtectedAccess", "shaderModuleIdentifier", "deviceFault", "deviceMemoryReport", "shaderInstrumentation",
	"cudaKernelLaunchFeatures",
	// of descriptors
	"descriptorBuffer", "descriptorBufferImageLayoutIgnored", "descriptorBufferPushDescriptors",
	// of draws
	"advancedBlendCoherentOperations", "dynamicRenderingUnusedAttachments", "customResolve", "depthClampControl", "depthBiasControl", "depthBiasExact",
	"leastRepresentableValueForceUnormRepresentation", "floatRepresentation", "extendedDynamicState3SampleLocationsEnable",
	"extendedDynamicState3ColorBlendAdvanced", "attachmentFeedbackLoopLayout", "attachmentFeedbackLoopDynamicState",
	"rasterizationOrderColorAttachmentAccess", "rasterizationOrderDepthAttachmentAccess", "rasterizationOrderStencilAttachmentAccess",
	"legacyDithering", "maintenance7", "maintenance8", "maintenance9", "maintenance10", "vertexAttributeRobustness", "depthClampZeroOne",
	"legacyVertexAttributes", "multisampledRenderToSingleSampled", "smoothLines", "stippledSmoothLines", "nestedCommandBuffer", "nestedCommandBufferRendering", "nestedCommandBufferSimultaneousUse",
	"tileProperties", "tileShadingFragmentStage", "tileShadingColorAttachments", "tileShadingDepthAttachments", "tileShadingStencilAttachments",
	"tileShadingInputAttachments", "tileShadingSampledAttachments", "tileShadingPerTileDraw", "tileShadingPerTileDispatch", "tileShadingDispatchTile",
	"tileShadingApron", "tileShadingAnisotropicApron", "tileShadingAtomicOps", "tileShadingImageProcessing", "tileMemoryHeap",
	"subpassShading", "taskShader", "meshShader", "multiviewMeshShader", "shaderMeshEnqueue", "multiviewClusterCullingShader", "clusterShadingRate", "primitiveFragmentShadingRateMeshShader", "meshShaderQueries",
	"multiviewGeometryShader", "multiviewTessellationShader", "primitiveTopologyPatchListRestart",
	// of images and of memory
	"imageSlicedViewOf3D", "image2DViewOf3D", "sampler2DViewOf3D", "memoryMapPlaced", "memoryMapRangePlaced", "memoryUnmapReserve", "unifiedImageLayouts", "zeroInitializeDeviceMemory",
	"pageableDeviceLocalMemory", "borderColorSwizzle", "borderColorSwizzleFromImage", "cornerSampledImage", "textureCompressionASTC_HDR",
	"textureCompressionASTC_3D", "bufferDeviceAddressCaptureReplay", "cubicRangeClamp", "selectableCubicWeights", "ycbcrImageArrays", "formatRgba10x6WithoutYCbCrSampler", "imageAlignmentControl",
	// of queues
	"internallySynchronizedQueues", "commandBufferInheritance", "frameBoundary", "presentId", "presentWait", "presentId2", "presentWait2", "swapchainMaintenance1",
	"presentModeFifoLatestReady", "deviceGeneratedCommands", "deviceGeneratedCompute", "deviceGeneratedComputePipelines", "dynamicGeneratedPipelineLayout", "indirectMemoryCopy", "indirectMemoryToImageCopy", "indirectCopy", "deviceAddressCommands",
}

// allStages are the stages that run: VkShaderStageFlags of compute, of graphics, and of task and mesh.
const allStages = 0xff

// rayStages are the stages of ray tracing pipelines.
const rayStages = 0x3f00

// meshLimits are the properties of VK_EXT_mesh_shader. A task has its payload in workgroup memory.
var meshLimits = map[string]uint64{
	"maxTaskWorkGroupTotalCount": vk.MaxMeshWorkgroupsTotal, "maxTaskWorkGroupCount[0]": vk.MaxMeshWorkgroups,
	"maxTaskWorkGroupCount[1]": vk.MaxMeshWorkgroups, "maxTaskWorkGroupCount[2]": vk.MaxMeshWorkgroups,
	"maxTaskWorkGroupInvocations": 1024, "maxTaskWorkGroupSize[0]": 1024, "maxTaskWorkGroupSize[1]": 1024, "maxTaskWorkGroupSize[2]": 1024,
	"maxTaskPayloadSize": 16 << 10, "maxTaskSharedMemorySize": 32 << 10, "maxTaskPayloadAndSharedMemorySize": 32 << 10,
	"maxMeshWorkGroupTotalCount": vk.MaxMeshWorkgroupsTotal, "maxMeshWorkGroupCount[0]": vk.MaxMeshWorkgroups,
	"maxMeshWorkGroupCount[1]": vk.MaxMeshWorkgroups, "maxMeshWorkGroupCount[2]": vk.MaxMeshWorkgroups,
	"maxMeshWorkGroupInvocations": 1024, "maxMeshWorkGroupSize[0]": 1024, "maxMeshWorkGroupSize[1]": 1024, "maxMeshWorkGroupSize[2]": 1024,
	"maxMeshSharedMemorySize": 32 << 10, "maxMeshPayloadAndSharedMemorySize": 48 << 10, "maxMeshOutputMemorySize": 128 << 10,
	"maxMeshPayloadAndOutputMemorySize": 144 << 10, "maxMeshOutputComponents": interfaceComponents, "maxMeshOutputVertices": 256,
	"maxMeshOutputPrimitives": 256, "maxMeshOutputLayers": 2048, "maxMeshMultiviewViewCount": 32, "meshOutputPerVertexGranularity": 32,
	"meshOutputPerPrimitiveGranularity": 32, "maxPreferredTaskWorkGroupInvocations": 128, "maxPreferredMeshWorkGroupInvocations": 128,
	"prefersLocalInvocationVertexOutput": 0, "prefersLocalInvocationPrimitiveOutput": 0, "prefersCompactVertexOutput": 1,
	"prefersCompactPrimitiveOutput": 1,
}

// taskLimits are the properties of VK_NV_mesh_shader. Task memory is workgroup memory in a task, and a mesh shader's total is of
// its outputs too.
var taskLimits = map[string]uint64{
	"maxDrawMeshTasksCount": vk.MaxMeshWorkgroups, "maxTaskWorkGroupInvocations": 1024, "maxTaskWorkGroupSize[0]": 1024,
	"maxTaskWorkGroupSize[1]": 1024, "maxTaskWorkGroupSize[2]": 1024, "maxTaskTotalMemorySize": 32 << 10, "maxTaskOutputCount": vk.MaxMeshWorkgroups,
	"maxMeshWorkGroupInvocations": 1024, "maxMeshWorkGroupSize[0]": 1024, "maxMeshWorkGroupSize[1]": 1024, "maxMeshWorkGroupSize[2]": 1024,
	"maxMeshTotalMemorySize": 128 << 10, "maxMeshOutputVertices": 256, "maxMeshOutputPrimitives": 256, "maxMeshMultiviewViewCount": 32,
	"meshOutputPerVertexGranularity": 32, "meshOutputPerPrimitiveGranularity": 32,
}

// extensionLimits are the properties of extensions.
var extensionLimits = map[string]uint64{
	"maxShaderAbortMessageSize": exec.MaxAbortMessage,
	// VK_QCOM_tile_shading
	"maxApronSize": vk.MaxTileApron, "preferNonCoherent": 0, "tileGranularity[0]": vk.TileGranularity, "tileGranularity[1]": vk.TileGranularity,
	"maxTileShadingRate[0]": vk.MaxTileShadingRate, "maxTileShadingRate[1]": vk.MaxTileShadingRate,
	"queueSubmitBoundary": 0, "tileBufferTransfers": 1, // VK_QCOM_tile_memory_heap
	"maxSubpassShadingWorkgroupSizeAspectRatio": vk.MaxSubpassWorkgroupRatio,
	// VK_HUAWEI_cluster_culling_shader
	"maxWorkGroupCount[0]": vk.MaxClusterGroups, "maxWorkGroupCount[1]": 1, "maxWorkGroupCount[2]": 1,
	"maxWorkGroupSize[0]": vk.MaxClusterGroupSize, "maxWorkGroupSize[1]": vk.MaxClusterGroupSize, "maxWorkGroupSize[2]": vk.MaxClusterGroupSize,
	"maxOutputClusterCount": vk.MaxClusters, "indirectBufferOffsetAlignment": vk.ClusterBufferAlignment,
	// VK_NV_cuda_kernel_launch: from compute capability 7.0 on the threads of a warp make progress independently
	"computeCapabilityMajor": 8, "computeCapabilityMinor": 9,
	// VK_AMDX_shader_enqueue
	"maxExecutionGraphDepth": vk.MaxGraphDepth, "maxExecutionGraphShaderOutputNodes": vk.MaxGraphOutputs,
	"maxExecutionGraphShaderPayloadSize": vk.MaxGraphPayloadSize, "maxExecutionGraphShaderPayloadCount": vk.MaxGraphPayloads,
	"executionGraphDispatchAddressAlignment": vk.GraphAlignment, "maxExecutionGraphWorkgroupCount[0]": vk.MaxGraphGroupCount,
	"maxExecutionGraphWorkgroupCount[1]": vk.MaxGraphGroupCount, "maxExecutionGraphWorkgroupCount[2]": vk.MaxGraphGroupCount,
	"maxExecutionGraphWorkgroups": vk.MaxGraphGroups,
	// VK_EXT_device_generated_commands: both kinds of indices, all stages
	"maxIndirectPipelineCount": vk.MaxIndirectPipelines, "maxIndirectShaderObjectCount": vk.MaxIndirectShaders, "maxIndirectSequenceCount": vk.MaxSequences,
	"maxIndirectCommandsTokenCount": vk.MaxIndirectTokens, "maxIndirectCommandsTokenOffset": vk.MaxTokenOffset,
	"maxIndirectCommandsIndirectStride": vk.MaxSequenceStride, "supportedIndirectCommandsInputModes": 3,
	"supportedIndirectCommandsShaderStages": allStages | rayStages, "supportedIndirectCommandsShaderStagesPipelineBinding": allStages | rayStages,
	"maxGraphicsShaderGroupCount": vk.MaxShaderGroups, "maxIndirectCommandsStreamCount": vk.MaxStreams, "maxIndirectCommandsStreamStride": vk.MaxStreamStride,
	"minSequencesCountBufferOffsetAlignment": vk.StreamAlignment, "minSequencesIndexBufferOffsetAlignment": vk.StreamAlignment,
	"minIndirectCommandsBufferOffsetAlignment":           vk.StreamAlignment,
	"supportedImageAlignmentMask":                        vk.ImageAlignment,
	"supportedIndirectCommandsShaderStagesShaderBinding": allStages, "deviceGeneratedCommandsTransformFeedback": 1,
	"deviceGeneratedCommandsMultiDrawIndirectCount": 1,
	// VK_KHR_fragment_shading_rate
	"minFragmentShadingRateAttachmentTexelSize[0]": 8, "minFragmentShadingRateAttachmentTexelSize[1]": 8,
	"maxFragmentShadingRateAttachmentTexelSize[0]": 64, "maxFragmentShadingRateAttachmentTexelSize[1]": 64,
	"maxFragmentShadingRateAttachmentTexelSizeAspectRatio": 8, "primitiveFragmentShadingRateWithMultipleViewports": 1,
	"layeredShadingRateAttachments": 1, "fragmentShadingRateNonTrivialCombinerOps": 1, "maxFragmentSize[0]": 4, "maxFragmentSize[1]": 4,
	"maxFragmentSizeAspectRatio": 4, "maxFragmentShadingRateCoverageSamples": state.MaxFragmentSamples,
	"maxFragmentShadingRateRasterizationSamples": 16, "fragmentShadingRateWithShaderDepthStencilWrites": 1,
	"fragmentShadingRateWithSampleMask": 1, "fragmentShadingRateWithShaderSampleMask": 1,
	"fragmentShadingRateWithConservativeRasterization": 1, "fragmentShadingRateWithFragmentShaderInterlock": 1,
	"fragmentShadingRateWithCustomSampleLocations": 1, "fragmentShadingRateStrictMultiplyCombiner": 1,
	// VK_EXT_sample_locations
	"sampleLocationSampleCounts": samples, "maxSampleLocationGridSize[0]": raster.MaxLocationGrid,
	"maxSampleLocationGridSize[1]": raster.MaxLocationGrid, "sampleLocationCoordinateRange[0]": math.Float64bits(0),
	"sampleLocationCoordinateRange[1]": math.Float64bits(raster.MaxLocation),
	"sampleLocationSubPixelBits":       raster.LocationBits, "variableSampleLocations": 1,
	// VK_EXT_blend_operation_advanced
	"advancedBlendMaxColorAttachments": state.MaxColors, "advancedBlendIndependentBlend": 1, "advancedBlendNonPremultipliedSrcColor": 1,
	"advancedBlendNonPremultipliedDstColor": 1, "advancedBlendCorrelatedOverlap": 1, "advancedBlendAllOperations": 1,
	// cooperative matrices and vectors
	"cooperativeMatrixSupportedStages": allStages, "cooperativeMatrixFlexibleDimensionsMaxDimension": vk.MaxMatrixDimension,
	"cooperativeMatrixWorkgroupScopeMaxWorkgroupSize":     1024,
	"cooperativeMatrixWorkgroupScopeReservedSharedMemory": lower.ReservedMatrixBytes,
	"cooperativeVectorSupportedStages":                    allStages, "cooperativeVectorTrainingFloat16Accumulation": 1,
	"cooperativeVectorTrainingFloat32Accumulation": 1,
	// VK_EXT_descriptor_buffer
	"combinedImageSamplerDescriptorSingleArray": 1, "bufferlessPushDescriptors": 1, "allowSamplerImageViewPostSubmitCreation": 0,
	"descriptorBufferOffsetAlignment": vk.DescriptorAlignment, "maxDescriptorBufferBindings": vk.MaxDescriptorBuffers,
	"maxResourceDescriptorBufferBindings": vk.MaxDescriptorBuffers, "maxSamplerDescriptorBufferBindings": vk.MaxDescriptorBuffers,
	"maxEmbeddedImmutableSamplerBindings": 32, "maxEmbeddedImmutableSamplers": 1 << 16,
	"combinedImageSamplerDescriptorSize": vk.ImageDescriptorSize + vk.SamplerDescriptorSize, "sampledImageDescriptorSize": vk.ImageDescriptorSize,
	"storageImageDescriptorSize": vk.ImageDescriptorSize, "uniformTexelBufferDescriptorSize": vk.ImageDescriptorSize,
	"robustUniformTexelBufferDescriptorSize": vk.ImageDescriptorSize, "storageTexelBufferDescriptorSize": vk.ImageDescriptorSize,
	"robustStorageTexelBufferDescriptorSize": vk.ImageDescriptorSize, "uniformBufferDescriptorSize": vk.BufferDescriptorSize,
	"robustUniformBufferDescriptorSize": vk.BufferDescriptorSize, "storageBufferDescriptorSize": vk.BufferDescriptorSize,
	"robustStorageBufferDescriptorSize": vk.BufferDescriptorSize, "inputAttachmentDescriptorSize": vk.ImageDescriptorSize,
	"maxSamplerDescriptorBufferRange": compute.MaxHeapBytes, "maxResourceDescriptorBufferRange": compute.MaxHeapBytes,
	"samplerDescriptorBufferAddressSpaceSize": 1 << 40, "resourceDescriptorBufferAddressSpaceSize": 1 << 40,
	"descriptorBufferAddressSpaceSize": 1 << 40,
	// VK_EXT_descriptor_heap
	"samplerHeapAlignment": vk.DescriptorAlignment, "resourceHeapAlignment": vk.DescriptorAlignment, "minSamplerHeapReservedRange": 0,
	"minSamplerHeapReservedRangeWithEmbedded": 0, "minResourceHeapReservedRange": 0, "maxDescriptorHeapEmbeddedSamplers": 1 << 16,
	"samplerYcbcrConversionCount": 3, "sparseDescriptorHeaps": 1,
	// VK_KHR_maintenance7
	"robustFragmentShadingRateAttachmentAccess": 1, "separateDepthStencilAttachmentAccess": 1,
	"maxDescriptorSetTotalUniformBuffersDynamic": 256, "maxDescriptorSetTotalStorageBuffersDynamic": 256,
	"maxDescriptorSetTotalBuffersDynamic": 512, "maxDescriptorSetUpdateAfterBindTotalUniformBuffersDynamic": 256,
	"maxDescriptorSetUpdateAfterBindTotalStorageBuffersDynamic": 256, "maxDescriptorSetUpdateAfterBindTotalBuffersDynamic": 512,
	// VK_EXT_conservative_rasterization
	"primitiveOverestimationSize": math.Float64bits(0), "maxExtraPrimitiveOverestimationSize": math.Float64bits(raster.MaxExtraSize),
	"extraPrimitiveOverestimationSizeGranularity": math.Float64bits(1.0 / (1 << raster.SubPixelBits)), "primitiveUnderestimation": 1, "conservativeRasterizationPostDepthCoverage": 0,
	"conservativePointAndLineRasterization": 0, "degenerateTrianglesRasterized": 0, "degenerateLinesRasterized": 0,
	"fullyCoveredFragmentShaderInputVariable": 1,
	// VK_KHR_maintenance9 and VK_KHR_maintenance10
	"image2DViewOf3DSparse": 1, "defaultVertexAttributeValue": 1, "resolveSrgbFormatAppliesTransferFunction": 1,
	"lineWidthRange[1]": math.Float64bits(raster.MaxLineWidth), "pointSizeRange[1]": math.Float64bits(raster.MaxPointSize),
	"minInterpolationOffset": math.Float64bits(lower.MinInterpolationOffset), "maxInterpolationOffset": math.Float64bits(lower.MaxInterpolationOffset),
	"subPixelInterpolationOffsetBits": lower.InterpolationOffsetBits,
	"maxSamplerLodBias":               math.Float64bits(texture.MaxLodBias),
	"meshAndTaskShaderDerivatives":    1, // VK_KHR_compute_shader_derivatives
	// VK_KHR_maintenance6
	"blockTexelViewCompatibleMultipleLayers": 1,
	// others
	"maxCommandBufferNestingLevel": vk.MaxNesting, "pipelineBinaryInternalCache": 1, "numMetrics": 2, "perBasicBlockGranularity": 1, "maxDeviceFaultCount": 1, "supportedQueues": 7,
}

// leastLimits are limits for which Chiaro promises no more than Vulkan 1.4 requires.
var leastLimits = []string{
	"lineWidthGranularity", "lineWidthRange[0]", "pointSizeGranularity", "pointSizeRange[0]",
	"maxCombinedClipAndCullDistances", "maxDrawIndexedIndexValue", "maxGeometryShaderInvocations",
	"maxSampleMaskWords", "maxSamplerAnisotropy", "maxTessellationGenerationLevel", "maxTessellationPatchSize",
	"viewportSubPixelBits",
}

// extensions adds the features and the limits of extensions.
func extensions(d *valid.Device) {
	for _, name := range extensionFeatures {
		d.Features[name] = true
	}
	for name, n := range extensionLimits {
		d.Limits[name] = n
	}
	for name, n := range meshLimits {
		d.Limits["VkPhysicalDeviceMeshShaderPropertiesEXT::"+name] = n
	}
	for name, n := range taskLimits {
		d.Limits["VkPhysicalDeviceMeshShaderPropertiesNV::"+name] = n
	}
	d.Matrices = map[valid.MatrixList][]valid.MatrixShape{}
	for _, list := range []valid.MatrixList{valid.MatricesKHR, valid.MatricesNV, valid.MatricesFlexible, valid.MatricesEXT} {
		d.Matrices[list] = vk.Chiaro().CooperativeMatrixProperties(list)
	}
	d.Vectors = vk.Chiaro().CooperativeVectorProperties()
	least, _ := device.Builtin("min1.4", valid.Vulkan14)
	for _, name := range leastLimits {
		d.Limits[name] = least.Device.Limits[name]
	}
}
