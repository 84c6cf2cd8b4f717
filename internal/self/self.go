// Package self describes Chiaro as a device: the features of the capabilities that its shaders support, the features of its fixed
// functions, and its limits. A feature that is in no list is unknown, and so is a limit that only memory bounds. The commands
// have it as the profile "self"; the driver announces it.
//
// The package does not know what announces it, nor versions of Vulkan.
//
// # Files
//
//	self.go     the profile, and what capabilities need
//	fixed.go    features and limits of fixed functions; extension.go those of extensions, ray.go those of
//	            acceleration structures
package self

import (
	"strconv"

	"github.com/chiaro-gpu/chiaro/device"
	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/ledger"
	"github.com/chiaro-gpu/chiaro/internal/lower"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/valid"
)

// Profile returns the profile "self".
func Profile() device.Profile {
	d := &valid.Device{Name: "self", Features: map[string]bool{}, Limits: map[string]uint64{}, Extensions: map[string]bool{}}
	take := func(ways []valid.Way, works bool) {
		for _, w := range ways {
			if w.Extension != "" {
				d.Extensions[w.Extension] = d.Extensions[w.Extension] || works
			}
			if w.Feature != "" {
				d.Features[w.Feature] = d.Features[w.Feature] || works
			}
			if w.Property != "" {
				has := w.Bits
				if !works {
					has = 0
				}
				d.Limits[w.Property] |= has
			}
		}
	}
	for k, works := range ledger.Capabilities() {
		take(valid.CapabilityWays(k), works)
	}
	for name, works := range ledger.Extensions() {
		take(valid.ExtensionWays(name), works)
	}
	for name, n := range map[string]uint64{
		"maxPushConstantsSize": compute.MaxPushBytes, "maxInlineUniformBlockSize": compute.MaxInlineBytes,
		"minSubgroupSize": lower.MinSubgroup, "maxSubgroupSize": lower.MaxSubgroup, "subgroupSize": lower.DefaultSubgroup,
		"requiredSubgroupSizeStages": allStages, "subgroupSupportedStages": allStages | rayStages, "subgroupQuadOperationsInAllStages": 1,
		"maxTransformFeedbackStreams": ir.MaxStreams, "maxTransformFeedbackBuffers": ir.MaxCaptures, "transformFeedbackStreamsLinesTriangles": 1,
		"maxTransformFeedbackBufferDataStride": ir.MaxCaptureStride, "maxTransformFeedbackBufferDataSize": ir.MaxCaptureStride, "maxTransformFeedbackStreamDataSize": state.MaxCapturedBytes,
	} {
		d.Limits[name] = n
	}
	descriptors(d)
	fixed(d)
	extensions(d)
	rays(d)
	for i, n := range compute.MaxGroups() {
		d.Limits["maxComputeWorkGroupCount["+strconv.Itoa(i)+"]"] = uint64(n)
	}
	return device.Profile{Name: "self", Label: "Chiaro itself", Device: d}
}

// descriptors adds what no capability needs: the kinds of descriptors and heaps, and the robustness of accesses.
func descriptors(d *valid.Device) {
	for _, name := range []string{"inlineUniformBlock", "mutableDescriptorType", "nullDescriptor", "pipelineRobustness",
		"robustBufferAccess", "robustBufferAccess2", "robustImageAccess", "robustImageAccess2"} {
		d.Features[name] = true
	}
	for _, name := range []string{"VK_EXT_image_robustness", "VK_EXT_inline_uniform_block", "VK_EXT_mutable_descriptor_type",
		"VK_EXT_pipeline_robustness", "VK_EXT_robustness2", "VK_KHR_robustness2"} {
		d.Extensions[name] = true
	}
	const robust2 = uint64(enum.BufferRobustnessRobustBufferAccess2) // the same number for images
	for name, n := range map[string]uint64{
		"robustStorageBufferAccessSizeAlignment": exec.StorageAlignment, "robustUniformBufferAccessSizeAlignment": exec.UniformAlignment,
		"defaultRobustnessStorageBuffers": robust2, "defaultRobustnessUniformBuffers": robust2,
		"defaultRobustnessVertexInputs": robust2, "defaultRobustnessImages": robust2,
		"bufferDescriptorSize": ir.HeapDescriptor, "bufferDescriptorAlignment": ir.HeapDescriptor,
		"imageDescriptorSize": 2 * ir.HeapDescriptor, "imageDescriptorAlignment": 2 * ir.HeapDescriptor,
		"samplerDescriptorSize": 2 * ir.HeapDescriptor, "samplerDescriptorAlignment": 2 * ir.HeapDescriptor,
		"maxResourceHeapSize": compute.MaxHeapBytes, "maxSamplerHeapSize": compute.MaxHeapBytes, "maxPushDataSize": compute.MaxPushBytes,
	} {
		d.Limits[name] = n
	}
}
