package driver

import (
	"testing"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
)

// TestCommandBufferInheritance binds and sets all that a dispatch needs in one command buffer, and dispatches in the next one and in a
// secondary one, on a device with VK_NV_command_buffer_inheritance.
func TestCommandBufferInheritance(t *testing.T) {
	p := newProgram(t)
	features := abi.PhysicalDeviceCommandBufferInheritanceFeaturesNV{SType: abi.StructureTypePhysicalDeviceCommandBufferInheritanceFeaturesNV}
	if p.features(unsafe.Pointer(&features)); features.CommandBufferInheritance != abi.True {
		t.Fatal("the feature is not announced")
	}
	do(abi.CmdDestroyDevice, &abi.DestroyDeviceArgs{Device: p.device})
	priority, name := float32(1), cText(t, "VK_NV_command_buffer_inheritance")
	must(p, abi.CmdCreateDevice, &abi.CreateDeviceArgs{PhysicalDevice: p.physical, PDevice: &p.device, PCreateInfo: &abi.DeviceCreateInfo{
		PNext: unsafe.Pointer(&features), QueueCreateInfoCount: 1, PQueueCreateInfos: &abi.DeviceQueueCreateInfo{QueueCount: 1, PQueuePriorities: &priority},
		EnabledExtensionCount: 1, PpEnabledExtensionNames: unsafe.Pointer(&name),
	}})
	do(abi.CmdGetDeviceQueue, &abi.GetDeviceQueueArgs{Device: p.device, PQueue: &p.queue})
	b, content := p.buffer(8)
	pipe, layout, set := p.kernel(numbers, b)
	pool, first := p.commands()
	_, second := p.commands()
	var nested abi.CommandBuffer
	must(p, abi.CmdAllocateCommandBuffers, &abi.AllocateCommandBuffersArgs{Device: p.device, PCommandBuffers: &nested,
		PAllocateInfo: &abi.CommandBufferAllocateInfo{CommandPool: pool, Level: abi.CommandBufferLevelSecondary, CommandBufferCount: 1}})
	record := func(c abi.CommandBuffer, commands func()) {
		must(p, abi.CmdBeginCommandBuffer, &abi.BeginCommandBufferArgs{CommandBuffer: c, PBeginInfo: &abi.CommandBufferBeginInfo{PInheritanceInfo: &abi.CommandBufferInheritanceInfo{}}})
		commands()
		must(p, abi.CmdEndCommandBuffer, &abi.EndCommandBufferArgs{CommandBuffer: c})
	}
	submit := func(c abi.CommandBuffer) {
		must(p, abi.CmdQueueSubmit, &abi.QueueSubmitArgs{Queue: p.queue, SubmitCount: 1, PSubmits: &abi.SubmitInfo{CommandBufferCount: 1, PCommandBuffers: &c}})
		must(p, abi.CmdQueueWaitIdle, &abi.QueueWaitIdleArgs{Queue: p.queue})
	}
	record(first, func() {
		bindKernel(first, pipe, layout, set)
		push(first, layout, 3)
	})
	record(second, func() { dispatch(second) })
	submit(first)
	submit(second)
	p.multiples(content, 3)

	record(nested, func() { dispatch(nested) })
	record(second, func() {
		push(second, layout, 5)
		do(abi.CmdCmdExecuteCommands, &abi.CmdExecuteCommandsArgs{CommandBuffer: second, CommandBufferCount: 1, PCommandBuffers: &nested})
	})
	submit(second)
	p.multiples(content, 5)

	record(nested, func() { push(nested, layout, 7) })
	record(second, func() {
		do(abi.CmdCmdExecuteCommands, &abi.CmdExecuteCommandsArgs{CommandBuffer: second, CommandBufferCount: 1, PCommandBuffers: &nested})
		dispatch(second)
	})
	submit(second)
	p.multiples(content, 7)

	do(abi.CmdDestroyPipeline, &abi.DestroyPipelineArgs{Device: p.device, Pipeline: pipe}) // which ends the state
	clear(content)
	record(second, func() { dispatch(second) })
	do(abi.CmdQueueSubmit, &abi.QueueSubmitArgs{Queue: p.queue, SubmitCount: 1, PSubmits: &abi.SubmitInfo{CommandBufferCount: 1, PCommandBuffers: &second}})
	do(abi.CmdQueueWaitIdle, &abi.QueueWaitIdleArgs{Queue: p.queue})
	p.multiples(content, 0)
}
