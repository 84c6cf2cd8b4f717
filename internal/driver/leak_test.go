package driver

import (
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
)

// TestLeftovers destroys a device with a buffer, a set in a pool, a swapchain and a command buffer: each object but those of
// pools and swapchains has a message with its name, and its handle is stale afterwards.
func TestLeftovers(t *testing.T) {
	list := listen(t)
	messenger := abi.DebugUtilsMessengerCreateInfoEXT{SType: abi.StructureTypeDebugUtilsMessengerCreateInfoEXT, MessageSeverity: severeError, MessageType: ofValidation, PfnUserCallback: unsafe.Pointer(t)}
	i := newInstance(t, nil)
	var m abi.DebugUtilsMessengerEXT
	if r := do(abi.CmdCreateDebugUtilsMessengerEXT, &abi.CreateDebugUtilsMessengerEXTArgs{Instance: i, PCreateInfo: &messenger, PMessenger: &m}); r != abi.Success {
		t.Fatalf("the messenger: %d", r)
	}
	d, _ := newTestDevice(t, i)
	p := &program{T: t, instance: i, device: d}
	b, _ := p.buffer(4)
	name := cText(t, "scene")
	must(p, abi.CmdSetDebugUtilsObjectNameEXT, &abi.SetDebugUtilsObjectNameEXTArgs{Device: d, PNameInfo: &abi.DebugUtilsObjectNameInfoEXT{SType: abi.StructureTypeDebugUtilsObjectNameInfoEXT, ObjectType: abi.ObjectTypeBuffer, ObjectHandle: uint64(b), PObjectName: name}})
	var pool abi.CommandPool
	must(p, abi.CmdCreateCommandPool, &abi.CreateCommandPoolArgs{Device: d, PCreateInfo: &abi.CommandPoolCreateInfo{}, PCommandPool: &pool})
	var c abi.CommandBuffer
	must(p, abi.CmdAllocateCommandBuffers, &abi.AllocateCommandBuffersArgs{Device: d, PAllocateInfo: &abi.CommandBufferAllocateInfo{CommandPool: pool, CommandBufferCount: 1}, PCommandBuffers: &c})
	var layout abi.DescriptorSetLayout
	must(p, abi.CmdCreateDescriptorSetLayout, &abi.CreateDescriptorSetLayoutArgs{Device: d, PSetLayout: &layout, PCreateInfo: &abi.DescriptorSetLayoutCreateInfo{SType: abi.StructureTypeDescriptorSetLayoutCreateInfo}})
	var sets abi.DescriptorPool
	must(p, abi.CmdCreateDescriptorPool, &abi.CreateDescriptorPoolArgs{Device: d, PDescriptorPool: &sets, PCreateInfo: &abi.DescriptorPoolCreateInfo{MaxSets: 1}})
	var set abi.DescriptorSet
	must(p, abi.CmdAllocateDescriptorSets, &abi.AllocateDescriptorSetsArgs{Device: d, PDescriptorSets: &set, PAllocateInfo: &abi.DescriptorSetAllocateInfo{DescriptorPool: sets, DescriptorSetCount: 1, PSetLayouts: &layout}})
	do(abi.CmdDestroyDescriptorSetLayout, &abi.DestroyDescriptorSetLayoutArgs{Device: d, DescriptorSetLayout: layout})
	var surface abi.SurfaceKHR
	must(p, abi.CmdCreateHeadlessSurfaceEXT, &abi.CreateHeadlessSurfaceEXTArgs{Instance: i, PSurface: &surface})
	var chain abi.SwapchainKHR
	must(p, abi.CmdCreateSwapchainKHR, &abi.CreateSwapchainKHRArgs{Device: d, PSwapchain: &chain, PCreateInfo: &abi.SwapchainCreateInfoKHR{Surface: surface, MinImageCount: 2, ImageFormat: abi.FormatB8g8r8a8Unorm, ImageExtent: abi.Extent2D{Width: 5, Height: 4}, ImageArrayLayers: 1}})
	do(abi.CmdDestroyDevice, &abi.DestroyDeviceArgs{Device: d})
	kinds := []uint32{abi.ObjectTypeBuffer, abi.ObjectTypeDeviceMemory, abi.ObjectTypeCommandPool, abi.ObjectTypeDescriptorPool, abi.ObjectTypeSwapchainKHR}
	if len(*list) != len(kinds) {
		t.Errorf("%d messages; must be %d", len(*list), len(kinds))
	}
	for _, h := range *list {
		if h.id != "VUID-vkDestroyDevice-device-05137" || len(h.objects) != 2 || !slices.Contains(kinds, h.objects[0].kind) {
			t.Errorf("a message with the rule %s on %+v", h.id, h.objects)
			continue
		}
		if h.objects[0].kind == abi.ObjectTypeBuffer && (h.objects[0].name != "scene" || !strings.Contains(h.text, "scene")) {
			t.Errorf("%q does not name the buffer", h.text)
		}
	}
	if buffers.get(uint64(b)) != nil || commandBufferOf(c) != nil || descriptorSets.get(uint64(set)) != nil || swapchains.get(uint64(chain)) != nil {
		t.Error("an object of a destroyed device has a handle")
	}
}
