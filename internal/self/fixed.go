package self

import (
	"math"
	"os"

	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/valid"
	"github.com/chiaro-gpu/chiaro/vk"
)

// VendorID identifies the vendor of the device: a number that neither PCI nor Khronos has assigned.
const VendorID = 0xC41A80

// fixedFeatures are features that no capability of a shader needs.
var fixedFeatures = []string{
	"fullDrawIndexUint32", "independentBlend", "dualSrcBlend", "logicOp", "multiDrawIndirect", "drawIndirectFirstInstance",
	"depthClamp", "depthBiasClamp", "fillModeNonSolid", "depthBounds", "wideLines", "largePoints", "alphaToOne", "multiViewport",
	"samplerAnisotropy", "textureCompressionETC2", "textureCompressionASTC_LDR", "textureCompressionBC", "occlusionQueryPrecise",
	"pipelineStatisticsQuery", "vertexPipelineStoresAndAtomics", "fragmentStoresAndAtomics", "shaderStorageImageExtendedFormats",
	"sparseBinding", "sparseResidencyBuffer", "sparseResidencyImage2D", "sparseResidencyImage3D", "sparseResidencyAliased",
	"variableMultisampleRate", "inheritedQueries",
	// 1.1
	"samplerYcbcrConversion", "storagePushConstant8",
	// 1.2
	"samplerMirrorClampToEdge", "drawIndirectCount", "descriptorIndexing", "descriptorBindingUniformBufferUpdateAfterBind",
	"descriptorBindingSampledImageUpdateAfterBind", "descriptorBindingStorageImageUpdateAfterBind",
	"descriptorBindingStorageBufferUpdateAfterBind", "descriptorBindingUniformTexelBufferUpdateAfterBind",
	"descriptorBindingStorageTexelBufferUpdateAfterBind", "descriptorBindingUpdateUnusedWhilePending",
	"descriptorBindingPartiallyBound", "descriptorBindingVariableDescriptorCount", "samplerFilterMinmax", "scalarBlockLayout",
	"imagelessFramebuffer", "uniformBufferStandardLayout", "shaderSubgroupExtendedTypes", "separateDepthStencilLayouts",
	"hostQueryReset", "timelineSemaphore", "subgroupBroadcastDynamicId",
	// 1.3
	"descriptorBindingInlineUniformBlockUpdateAfterBind", "pipelineCreationCacheControl", "privateData", "subgroupSizeControl",
	"computeFullSubgroups", "synchronization2", "shaderZeroInitializeWorkgroupMemory", "dynamicRendering", "maintenance4",
	// 1.4
	"rectangularLines", "bresenhamLines", "stippledRectangularLines", "stippledBresenhamLines", "vertexAttributeInstanceRateDivisor",
	"vertexAttributeInstanceRateZeroDivisor", "indexTypeUint8", "dynamicRenderingLocalRead", "maintenance5", "maintenance6",
	"hostImageCopy", "pushDescriptor", "globalPriorityQuery", "shaderTerminateInvocation", "shaderSubgroupRotateClustered",
	// of extensions
	"extendedDynamicState", "extendedDynamicState2", "extendedDynamicState2LogicOp", "extendedDynamicState2PatchControlPoints",
	"extendedDynamicState3TessellationDomainOrigin", "extendedDynamicState3DepthClampEnable", "extendedDynamicState3PolygonMode",
	"extendedDynamicState3RasterizationSamples", "extendedDynamicState3SampleMask", "extendedDynamicState3AlphaToCoverageEnable",
	"extendedDynamicState3AlphaToOneEnable", "extendedDynamicState3LogicOpEnable", "extendedDynamicState3ColorBlendEnable",
	"extendedDynamicState3ColorBlendEquation", "extendedDynamicState3ColorWriteMask", "extendedDynamicState3RasterizationStream",
	"extendedDynamicState3ConservativeRasterizationMode", "extendedDynamicState3ExtraPrimitiveOverestimationSize",
	"extendedDynamicState3DepthClipEnable", "extendedDynamicState3ProvokingVertexMode", "extendedDynamicState3LineRasterizationMode",
	"extendedDynamicState3LineStippleEnable", "extendedDynamicState3DepthClipNegativeOneToOne", "vertexInputDynamicState",
	"colorWriteEnable", "conditionalRendering", "inheritedConditionalRendering", "multiDraw", "customBorderColors",
	"customBorderColorWithoutFormat", "depthClipEnable", "depthClipControl", "provokingVertexLast", "primitiveTopologyListRestart",
	"nonSeamlessCubeMap", "minLod", "texelBufferAlignment", "formatA4R4G4B4", "formatA4B4G4R4", "ycbcr2plane444Formats",
	"graphicsPipelineLibrary", "memoryPriority", "primitivesGeneratedQuery", "primitivesGeneratedQueryWithRasterizerDiscard",
	"primitivesGeneratedQueryWithNonZeroStreams", "transformFeedback", "transformFeedbackPreservesProvokingVertex",
}

// fixed adds the features and the limits of fixed functions, of resources and of queues.
func fixed(d *valid.Device) {
	for _, name := range fixedFeatures {
		d.Features[name] = true
	}
	for name, n := range map[string]uint64{
		"maxImageDimension1D": 16384, "maxImageDimension2D": 16384, "maxImageDimension3D": 16384, "maxImageDimensionCube": 16384,
		"maxImageArrayLayers": 2048, "maxTexelBufferElements": 1 << 27, "maxUniformBufferRange": 1 << 16,
		"maxStorageBufferRange": math.MaxUint32 &^ 3, "maxMemoryAllocationCount": math.MaxUint32, "maxSamplerAllocationCount": 1 << 20,
		"bufferImageGranularity": 1, "sparseAddressSpaceSize": vk.MaxSparse, "maxBoundDescriptorSets": 32,
		"maxPerStageDescriptorSamplers": manyDescriptors, "maxPerStageDescriptorUniformBuffers": manyDescriptors,
		"maxPerStageDescriptorStorageBuffers": manyDescriptors, "maxPerStageDescriptorSampledImages": manyDescriptors,
		"maxPerStageDescriptorStorageImages": manyDescriptors, "maxPerStageDescriptorInputAttachments": manyDescriptors,
		"maxPerStageResources": manyDescriptors, "maxDescriptorSetSamplers": manyDescriptors,
		"maxDescriptorSetUniformBuffers": manyDescriptors, "maxDescriptorSetUniformBuffersDynamic": 256,
		"maxDescriptorSetStorageBuffers": manyDescriptors, "maxDescriptorSetStorageBuffersDynamic": 256,
		"maxDescriptorSetSampledImages": manyDescriptors, "maxDescriptorSetStorageImages": manyDescriptors,
		"maxDescriptorSetInputAttachments": manyDescriptors, "maxComputeSharedMemorySize": 32 << 10, "maxComputeWorkGroupInvocations": 1024,
		"maxComputeWorkGroupSize[0]": 1024, "maxComputeWorkGroupSize[1]": 1024, "maxComputeWorkGroupSize[2]": 1024,
		"maxViewports": 16, "maxViewportDimensions[0]": 16384, "maxViewportDimensions[1]": 16384,
		"maxFramebufferWidth": 16384, "maxFramebufferHeight": 16384, "maxFramebufferLayers": 2048, "maxColorAttachments": 8,
		"maxVertexOutputComponents": interfaceComponents, "maxTessellationControlPerVertexInputComponents": interfaceComponents,
		"maxTessellationControlPerVertexOutputComponents": interfaceComponents, "maxTessellationControlTotalOutputComponents": 4096,
		"maxTessellationEvaluationInputComponents": interfaceComponents, "maxTessellationEvaluationOutputComponents": interfaceComponents,
		"maxGeometryInputComponents": interfaceComponents, "maxGeometryOutputComponents": interfaceComponents,
		"maxGeometryOutputVertices": state.MaxEmitted, "maxGeometryTotalOutputComponents": 16384,
		"maxTessellationControlPerPatchOutputComponents": interfaceComponents,
		"maxFragmentInputComponents":                     interfaceComponents,
		"maxFragmentOutputAttachments":                   8, "maxFragmentDualSrcAttachments": 8, "maxFragmentCombinedOutputResources": manyDescriptors, "maxDrawIndirectCount": math.MaxUint32,
		"minStorageBufferOffsetAlignment": vk.BufferAlignment, "minUniformBufferOffsetAlignment": vk.BufferAlignment,
		"minTexelBufferOffsetAlignment": vk.BufferAlignment, "minMemoryMapAlignment": 4096, "nonCoherentAtomSize": 1,
		"optimalBufferCopyOffsetAlignment": 1, "optimalBufferCopyRowPitchAlignment": 1, "timestampComputeAndGraphics": 1,
		"subPixelPrecisionBits": 8, "subTexelPrecisionBits": 8, "mipmapPrecisionBits": 8, "discreteQueuePriorities": 2,
		"framebufferColorSampleCounts": samples, "framebufferDepthSampleCounts": samples, "framebufferStencilSampleCounts": samples,
		"framebufferNoAttachmentsSampleCounts": samples, "framebufferIntegerColorSampleCounts": samples,
		"sampledImageColorSampleCounts": samples, "sampledImageIntegerSampleCounts": samples, "sampledImageDepthSampleCounts": samples,
		"sampledImageStencilSampleCounts": samples, "storageImageSampleCounts": samples, "standardSampleLocations": 1, "strictLines": 1,
		"maxVertexInputAttributes": 32, "maxVertexInputBindings": 32, "maxVertexInputAttributeOffset": state.MaxOffset,
		"maxVertexInputBindingStride": state.MaxStride, "maxPerSetDescriptors": vk.MaxSetDescriptors,
		"maxMemoryAllocationSize": 1 << 40, "maxBufferSize": 1 << 40, "maxPushDescriptors": vk.MaxPushDescriptors,
		"minImportedHostPointerAlignment": vk.HostAlignment, "minPlacedMemoryMapAlignment": uint64(os.Getpagesize()), "maxTimelineSemaphoreValueDifference": math.MaxUint64,
		"maxMultiDrawCount": vk.MaxMultiDraws, "maxCustomBorderColorSamplers": vk.MaxBorderColors, "provokingVertexModePerPipeline": 1,
		"transformFeedbackPreservesTriangleFanProvokingVertex": 1, "polygonModePointSize": 1,
		"maxTransformFeedbackBufferSize": math.MaxUint32, "transformFeedbackQueries": 1, "transformFeedbackDraw": 1,
		"transformFeedbackRasterizationStreamSelect": 1, "maxDiscardRectangles": 8, "graphicsPipelineLibraryFastLinking": 1,
		"graphicsPipelineLibraryIndependentInterpolationDecoration": 1, "dynamicPrimitiveTopologyUnrestricted": 1,
		"supportsNonZeroFirstInstance": 1, "storageTexelBufferOffsetAlignmentBytes": vk.BufferAlignment,
		"uniformTexelBufferOffsetAlignmentBytes": vk.BufferAlignment, "lineSubPixelPrecisionBits": 8,
		"subgroupSupportedOperations": operations, "independentResolve": 1,
		"independentResolveNone": 1, "supportedDepthResolveModes": 0xf, "supportedStencilResolveModes": 0xd,
		"filterMinmaxSingleComponentFormats": 1, "filterMinmaxImageComponentMapping": 1, "maxMultiviewViewCount": 32, "maxMultiviewInstanceIndex": math.MaxUint32,
		"dynamicRenderingLocalReadDepthStencilAttachments": 1, "dynamicRenderingLocalReadMultisampledAttachments": 1,
		"identicalMemoryTypeRequirements": 0, "quadDivergentImplicitLod": 1, "robustBufferAccessUpdateAfterBind": 1,
		"maxUpdateAfterBindDescriptorsInAllPools": math.MaxUint32, "maxPerStageDescriptorUpdateAfterBindSamplers": manyDescriptors,
		"maxPerStageDescriptorUpdateAfterBindUniformBuffers": manyDescriptors, "maxPerStageDescriptorUpdateAfterBindStorageBuffers": manyDescriptors,
		"maxPerStageDescriptorUpdateAfterBindSampledImages": manyDescriptors, "maxPerStageDescriptorUpdateAfterBindStorageImages": manyDescriptors,
		"maxPerStageDescriptorUpdateAfterBindInputAttachments": manyDescriptors, "maxPerStageUpdateAfterBindResources": manyDescriptors,
		"maxDescriptorSetUpdateAfterBindSamplers": manyDescriptors, "maxDescriptorSetUpdateAfterBindUniformBuffers": manyDescriptors,
		"maxDescriptorSetUpdateAfterBindUniformBuffersDynamic": 256, "maxDescriptorSetUpdateAfterBindStorageBuffers": manyDescriptors,
		"maxDescriptorSetUpdateAfterBindStorageBuffersDynamic": 256, "maxDescriptorSetUpdateAfterBindSampledImages": manyDescriptors,
		"maxDescriptorSetUpdateAfterBindStorageImages": manyDescriptors, "maxDescriptorSetUpdateAfterBindInputAttachments": manyDescriptors,
		"maxComputeWorkgroupSubgroups": 1024, "maxVertexAttribDivisor": math.MaxUint32, "maxClipDistances": 8, "maxCullDistances": 8,
		"maxInlineUniformTotalSize": vk.MaxInlineTotal, "maxPerStageDescriptorInlineUniformBlocks": 256,
		"maxPerStageDescriptorUpdateAfterBindInlineUniformBlocks": 256, "maxDescriptorSetInlineUniformBlocks": 256,
		"maxDescriptorSetUpdateAfterBindInlineUniformBlocks": 256, "maxCombinedImageSamplerDescriptorCount": 3,
		"vendorID": VendorID, "deviceID": 0,
		"minTexelOffset": minOffset, "maxTexelOffset": maxOffset, "minTexelGatherOffset": minOffset, "maxTexelGatherOffset": maxOffset,
		"denormBehaviorIndependence": independent, "roundingModeIndependence": independent,
		"viewportBoundsRange[0]": math.Float64bits(-32768), "viewportBoundsRange[1]": math.Float64bits(32767),
		"timestampPeriod": math.Float64bits(1),
	} {
		d.Limits[name] = n
	}
}

const (
	manyDescriptors = vk.MaxSetDescriptors

	// interfaceComponents is 32 locations: the engine's records of vertices have space for them and for all built-ins.
	interfaceComponents = 128
	samples             = 0x1f // 1, 2, 4, 8 and 16
	independent         = 1    // VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL: internal/lower has the modes of each width

	// Wrapping a coordinate permits each offset; the limits are other drivers'.
	minOffset  = 1<<64 - 32 // -32 in two's complement
	maxOffset  = 31
	operations = 0x7ff // all operations of subgroups: VkSubgroupFeatureFlagBits
)
