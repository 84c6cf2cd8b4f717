package driver

import (
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
)

// extentMember is a member of a struct of properties that is a VkExtent2D. Its two limits have the name with [0] and [1].
type extentMember struct {
	offset uintptr
	name   string
}

// extents are the members that are a VkExtent2D, by sType.
var extents = map[uint32][]extentMember{
	abi.StructureTypePhysicalDeviceFragmentShadingRatePropertiesKHR: {
		{unsafe.Offsetof(abi.PhysicalDeviceFragmentShadingRatePropertiesKHR{}.MinFragmentShadingRateAttachmentTexelSize), "minFragmentShadingRateAttachmentTexelSize"},
		{unsafe.Offsetof(abi.PhysicalDeviceFragmentShadingRatePropertiesKHR{}.MaxFragmentShadingRateAttachmentTexelSize), "maxFragmentShadingRateAttachmentTexelSize"},
		{unsafe.Offsetof(abi.PhysicalDeviceFragmentShadingRatePropertiesKHR{}.MaxFragmentSize), "maxFragmentSize"},
	},
	abi.StructureTypePhysicalDeviceSampleLocationsPropertiesEXT: {
		{unsafe.Offsetof(abi.PhysicalDeviceSampleLocationsPropertiesEXT{}.MaxSampleLocationGridSize), "maxSampleLocationGridSize"},
	},
	abi.StructureTypePhysicalDeviceImageProcessingPropertiesQCOM: {
		{unsafe.Offsetof(abi.PhysicalDeviceImageProcessingPropertiesQCOM{}.MaxWeightFilterDimension), "maxWeightFilterDimension"},
		{unsafe.Offsetof(abi.PhysicalDeviceImageProcessingPropertiesQCOM{}.MaxBlockMatchRegion), "maxBlockMatchRegion"},
		{unsafe.Offsetof(abi.PhysicalDeviceImageProcessingPropertiesQCOM{}.MaxBoxFilterBlockSize), "maxBoxFilterBlockSize"},
	},
	abi.StructureTypePhysicalDeviceImageProcessing2PropertiesQCOM: {
		{unsafe.Offsetof(abi.PhysicalDeviceImageProcessing2PropertiesQCOM{}.MaxBlockMatchWindow), "maxBlockMatchWindow"},
	},
}

// putExtents writes the members of a struct of properties that are extents.
func (p *physicalDevice) putExtents(sType uint32, s unsafe.Pointer) {
	for _, m := range extents[sType] {
		e := at[abi.Extent2D](s, m.offset)
		e.Width, e.Height = uint32(p.limit("", m.name+"[0]")), uint32(p.limit("", m.name+"[1]"))
	}
}
