package self

import (
	"github.com/chiaro-gpu/chiaro/valid"
	"github.com/chiaro-gpu/chiaro/vk"
)

// rays adds the features and the limits of acceleration structures.
func rays(d *valid.Device) {
	for _, name := range []string{
		"accelerationStructure", "accelerationStructureCaptureReplay", "accelerationStructureIndirectBuild", "accelerationStructureHostCommands",
		"descriptorBindingAccelerationStructureUpdateAfterBind",
	} {
		d.Features[name] = true
	}
	for name, n := range map[string]uint64{
		"maxGeometryCount": vk.MaxGeometries, "maxInstanceCount": vk.MaxInstances, "maxPrimitiveCount": vk.MaxPrimitives,
		"maxPerStageDescriptorAccelerationStructures":                manyDescriptors,
		"maxPerStageDescriptorUpdateAfterBindAccelerationStructures": manyDescriptors,
		"maxDescriptorSetAccelerationStructures":                     manyDescriptors,
		"maxDescriptorSetUpdateAfterBindAccelerationStructures":      manyDescriptors,
		"minAccelerationStructureScratchOffsetAlignment":             vk.ScratchAlignment,
		"accelerationStructureDescriptorSize":                        vk.BufferDescriptorSize,
	} {
		d.Limits[name] = n
	}
}
