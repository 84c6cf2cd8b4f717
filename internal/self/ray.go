package self

import (
	"math"

	"github.com/chiaro-gpu/chiaro/valid"
	"github.com/chiaro-gpu/chiaro/vk"
)

// rays adds the features and the limits of acceleration structures and of ray tracing pipelines.
func rays(d *valid.Device) {
	for _, name := range []string{
		"accelerationStructure", "accelerationStructureCaptureReplay", "accelerationStructureIndirectBuild", "accelerationStructureHostCommands",
		"descriptorBindingAccelerationStructureUpdateAfterBind", "rayTracingPipeline", "rayTracingPipelineShaderGroupHandleCaptureReplay", "rayTracingPipelineTraceRaysIndirect", "rayTraversalPrimitiveCulling",
		"rayTracingMaintenance1", "pipelineLibraryGroupHandles", "rayTracingPipelineTraceRaysIndirect2", "rayTracingInvocationReorder",
		"micromap", "micromapCaptureReplay", "micromapHostCommands", "rayTracingMotionBlurPipelineTraceRaysIndirect",
	} {
		d.Features[name] = true
	}
	for name, n := range map[string]uint64{
		"shaderGroupHandleSize": vk.GroupHandleSize, "shaderGroupHandleAlignment": vk.GroupHandleAlignment,
		"shaderGroupBaseAlignment": vk.GroupBaseAlignment, "shaderGroupHandleCaptureReplaySize": vk.ReplayHandleSize,
		"maxShaderGroupStride": vk.MaxGroupStride, "maxRayRecursionDepth": vk.MaxRecursionDepth,
		"maxRayDispatchInvocationCount": vk.MaxTracedRays, "maxRayHitAttributeSize": vk.MaxHitAttributeBytes,
		"maxGeometryCount": vk.MaxGeometries, "maxInstanceCount": vk.MaxInstances, "maxPrimitiveCount": vk.MaxPrimitives,
		"maxPerStageDescriptorAccelerationStructures":                manyDescriptors,
		"maxPerStageDescriptorUpdateAfterBindAccelerationStructures": manyDescriptors,
		"maxDescriptorSetAccelerationStructures":                     manyDescriptors,
		"maxDescriptorSetUpdateAfterBindAccelerationStructures":      manyDescriptors,
		"minAccelerationStructureScratchOffsetAlignment":             vk.ScratchAlignment,
		"maxOpacity2StateSubdivisionLevel":                           vk.MaxMicromapLevel,
		"maxOpacity4StateSubdivisionLevel":                           vk.MaxMicromapLevel,
		"maxOpacityLossy4StateSubdivisionLevel":                      vk.MaxMicromapLevel,
		"maxMicromapTriangles":                                       vk.MaxMicromapTriangles,
		"accelerationStructureDescriptorSize":                        vk.BufferDescriptorSize,
		"rayTracingInvocationReorderReorderingHint":                  0, // VK_RAY_TRACING_INVOCATION_REORDER_MODE_NONE_EXT
		"maxShaderBindingTableRecordIndex":                           math.MaxUint32,
	} {
		d.Limits[name] = n
	}
}
