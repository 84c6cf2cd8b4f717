package driver

import (
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
)

// TestFurtherNames checks that every extension of the lists is announced: it exists and its features are on. Those of files are
// announced on Linux.
func TestFurtherNames(t *testing.T) {
	names := slices.Concat(announcedNames, furtherNames)
	if runtime.GOOS == "linux" {
		names = append(names, fileNames...)
	}
	for _, name := range names {
		if !slices.ContainsFunc(slices.Concat(announced(true), announced(false)), func(e *abi.Extension) bool { return e.Name == name }) {
			t.Errorf("%s is not announced", name)
		}
	}
}

// TestUniqueNames checks that no extension is announced twice. The loader removes the second name from its count but not
// from the list, so that every application's query is incomplete.
func TestUniqueNames(t *testing.T) {
	for _, ofInstance := range []bool{true, false} {
		names := map[string]bool{}
		for _, e := range announced(ofInstance) {
			if names[e.Name] {
				t.Errorf("%s is announced twice", e.Name)
			}
			names[e.Name] = true
		}
	}
}

// TestExtensionCommands checks that the driver has all commands of each extension that it announces. A command of several
// blocks may need two extensions: the driver has it if it announces both.
func TestExtensionCommands(t *testing.T) {
	names := map[string]bool{}
	for _, e := range slices.Concat(announced(true), announced(false)) {
		names[e.Name] = true
	}
	for _, n := range abi.Names {
		for b := range strings.SplitSeq(n.Blocks, " ") {
			if names[b] && !has(n.Number) && !others[n.Name] {
				t.Errorf("%s of %s is missing", n.Name, b)
			}
		}
	}
}

// others are commands that the registry lists with an extension if a further extension is there, which the driver lacks.
var others = map[string]bool{
	"vkCmdSetCoverageModulationModeNV": true, "vkCmdSetCoverageModulationTableEnableNV": true, "vkCmdSetCoverageModulationTableNV": true,
	"vkCmdSetCoverageReductionModeNV": true, "vkCmdSetCoverageToColorEnableNV": true, "vkCmdSetCoverageToColorLocationNV": true,
	"vkCmdSetRepresentativeFragmentTestEnableNV": true, "vkCmdSetShadingRateImageEnableNV": true, "vkCmdSetViewportSwizzleNV": true,
	"vkCmdSetViewportWScalingEnableNV": true, "vkGetAccelerationStructureOpaqueCaptureDescriptorDataEXT": true, "vkGetTensorOpaqueCaptureDataARM": true,
	"vkCmdWriteMarkerToMemoryAMD": true,
}

// TestDependencies checks that the driver announces the extensions that an announced one depends on.
func TestDependencies(t *testing.T) {
	names := map[string]bool{}
	for _, e := range slices.Concat(announced(true), announced(false)) {
		names[e.Name] = true
	}
	holds := func(term string) bool {
		if v, core := coreVersion(term); core {
			return v <= apiVersion()
		}
		return names[term]
	}
	for name := range names {
		i := slices.IndexFunc(abi.Extensions, func(e abi.Extension) bool { return e.Name == name })
		if d := abi.Extensions[i].Depends; d != "" && !dependency(d, holds) {
			t.Errorf("%s depends on %s", name, d)
		}
	}
}

// dependency evaluates an expression of the registry: + is and, a comma is or, with parentheses. + and commas have one
// precedence, from left to right.
func dependency(text string, holds func(string) bool) bool {
	var expression func() bool
	term := func() bool {
		if rest, ok := strings.CutPrefix(text, "("); ok {
			text = rest
			v := expression()
			text = strings.TrimPrefix(text, ")")
			return v
		}
		n := strings.IndexAny(text+")", "+,)")
		name := text[:n]
		text = text[n:]
		return holds(name)
	}
	expression = func() bool {
		v := term()
		for text != "" && text[0] != ')' {
			op := text[0]
			text = text[1:]
			w := term()
			if op == '+' {
				v = v && w
			} else {
				v = v || w
			}
		}
		return v
	}
	return expression()
}

// TestUnannouncedFeatures checks that features of extensions that the driver does not announce are off, and cannot be enabled; and that
// replays are off in the struct of VK_EXT_buffer_device_address.
func TestUnannouncedFeatures(t *testing.T) {
	p := newProgram(t)
	var physical abi.PhysicalDevice
	n := uint32(1)
	must(p, abi.CmdEnumeratePhysicalDevices, &abi.EnumeratePhysicalDevicesArgs{Instance: p.instance, PPhysicalDeviceCount: &n, PPhysicalDevices: &physical})
	tensors := abi.PhysicalDeviceTensorFeaturesARM{SType: abi.StructureTypePhysicalDeviceTensorFeaturesARM, Tensors: 7}
	addresses := abi.PhysicalDeviceBufferDeviceAddressFeaturesEXT{SType: abi.StructureTypePhysicalDeviceBufferDeviceAddressFeaturesEXT, PNext: unsafe.Pointer(&tensors)}
	objects := abi.PhysicalDeviceShaderObjectFeaturesEXT{SType: abi.StructureTypePhysicalDeviceShaderObjectFeaturesEXT, PNext: unsafe.Pointer(&addresses)}
	do(abi.CmdGetPhysicalDeviceFeatures2, &abi.GetPhysicalDeviceFeatures2Args{PhysicalDevice: physical, PFeatures: &abi.PhysicalDeviceFeatures2{PNext: unsafe.Pointer(&objects)}})
	if tensors.Tensors != abi.False || objects.ShaderObject != abi.True {
		t.Errorf("tensors %d, shader objects %d; must be 0 and 1", tensors.Tensors, objects.ShaderObject)
	}
	if addresses.BufferDeviceAddress != abi.True || addresses.BufferDeviceAddressCaptureReplay != abi.False {
		t.Errorf("addresses %d, their replays without addresses of memory %d; must be 1 and 0", addresses.BufferDeviceAddress, addresses.BufferDeviceAddressCaptureReplay)
	}
	tensors.Tensors = abi.True
	var d abi.Device
	priority := float32(1)
	if r := do(abi.CmdCreateDevice, &abi.CreateDeviceArgs{PhysicalDevice: physical, PDevice: &d, PCreateInfo: &abi.DeviceCreateInfo{PNext: unsafe.Pointer(&tensors), QueueCreateInfoCount: 1, PQueueCreateInfos: &abi.DeviceQueueCreateInfo{QueueCount: 1, PQueuePriorities: &priority}}}); r != abi.ErrorFeatureNotPresent {
		t.Errorf("a device with tensors: %d", r)
	}
}

// TestHints creates objects with structs that let the driver choose: an image has at most the requested alignment, a pipeline with
// flags for the compiler runs, and a frame boundary does not change a submission.
func TestHints(t *testing.T) {
	p := newProgram(t)
	limits := abi.PhysicalDeviceImageAlignmentControlPropertiesMESA{SType: abi.StructureTypePhysicalDeviceImageAlignmentControlPropertiesMESA}
	do(abi.CmdGetPhysicalDeviceProperties2, &abi.GetPhysicalDeviceProperties2Args{PhysicalDevice: p.physical, PProperties: &abi.PhysicalDeviceProperties2{PNext: unsafe.Pointer(&limits)}})
	if limits.SupportedImageAlignmentMask == 0 {
		t.Error("no alignment of images can be requested; must be one")
	}
	for bit := uint32(1); bit != 0; bit <<= 1 {
		if limits.SupportedImageAlignmentMask&bit == 0 {
			continue
		}
		control := abi.ImageAlignmentControlCreateInfoMESA{SType: abi.StructureTypeImageAlignmentControlCreateInfoMESA, MaximumRequestedAlignment: bit}
		var m abi.Image
		must(p, abi.CmdCreateImage, &abi.CreateImageArgs{Device: p.device, PImage: &m, PCreateInfo: &abi.ImageCreateInfo{
			PNext: unsafe.Pointer(&control), ImageType: abi.ImageType2d, Format: abi.FormatR8g8b8a8Unorm, Extent: abi.Extent3D{Width: 64, Height: 64, Depth: 1},
			MipLevels: 1, ArrayLayers: 1, Samples: 1, Usage: abi.ImageUsageSampledBit,
		}})
		var needs abi.MemoryRequirements
		do(abi.CmdGetImageMemoryRequirements, &abi.GetImageMemoryRequirementsArgs{Device: p.device, Image: m, PMemoryRequirements: &needs})
		if needs.Alignment > uint64(bit) {
			t.Errorf("an image has the alignment %d; must have at most %d", needs.Alignment, bit)
		}
		do(abi.CmdDestroyImage, &abi.DestroyImageArgs{Device: p.device, Image: m})
	}
	b, content := p.buffer(8)
	compiler := abi.PipelineCompilerControlCreateInfoAMD{SType: abi.StructureTypePipelineCompilerControlCreateInfoAMD}
	pipe, layout, set := p.kernelWith(numbers, b, 0, unsafe.Pointer(&compiler))
	pool, c := p.commands()
	must(p, abi.CmdBeginCommandBuffer, &abi.BeginCommandBufferArgs{CommandBuffer: c, PBeginInfo: &abi.CommandBufferBeginInfo{}})
	bindKernel(c, pipe, layout, set)
	push(c, layout, 3)
	dispatch(c)
	must(p, abi.CmdEndCommandBuffer, &abi.EndCommandBufferArgs{CommandBuffer: c})
	frame := abi.FrameBoundaryEXT{SType: abi.StructureTypeFrameBoundaryEXT, Flags: abi.FrameBoundaryFrameEndBitEXT, FrameID: 1, BufferCount: 1, PBuffers: &b}
	must(p, abi.CmdQueueSubmit, &abi.QueueSubmitArgs{Queue: p.queue, SubmitCount: 1, PSubmits: &abi.SubmitInfo{SType: abi.StructureTypeSubmitInfo, PNext: unsafe.Pointer(&frame), CommandBufferCount: 1, PCommandBuffers: &c}})
	must(p, abi.CmdQueueWaitIdle, &abi.QueueWaitIdleArgs{Queue: p.queue})
	p.multiples(content, 3)
	do(abi.CmdDestroyCommandPool, &abi.DestroyCommandPoolArgs{Device: p.device, CommandPool: pool})
}
