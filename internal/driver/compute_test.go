package driver

import (
	"testing"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/internal/asmtest"
)

// numbers stores ids · factor: a workgroup has 4 invocations.
const numbers = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 4 1 1
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %words ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %pushes Block
OpMemberDecorate %pushes 0 Offset 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%uvec3 = OpTypeVector %uint 3
%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %words
%pushes = OpTypeStruct %uint
%pin = OpTypePointer Input %uvec3
%pblock = OpTypePointer StorageBuffer %block
%pword = OpTypePointer StorageBuffer %uint
%ppushes = OpTypePointer PushConstant %pushes
%pfactor = OpTypePointer PushConstant %uint
%zero = OpConstant %uint 0
%id = OpVariable %pin Input
%out = OpVariable %pblock StorageBuffer
%push = OpVariable %ppushes PushConstant
%main = OpFunction %void None %fn
%l = OpLabel
%ids = OpLoad %uvec3 %id
%i = OpCompositeExtract %uint %ids 0
%f = OpAccessChain %pfactor %push %zero
%factor = OpLoad %uint %f
%x = OpIMul %uint %i %factor
%p = OpAccessChain %pword %out %zero %i
OpStore %p %x
OpReturn
OpFunctionEnd
`

// program is an application: it calls commands as C does.
type program struct {
	*testing.T
	instance abi.Instance
	physical abi.PhysicalDevice
	device   abi.Device
	queue    abi.Queue
}

// must fails the test if a command fails.
func must[A any](p *program, number int, args *A) {
	p.Helper()
	if r := do(number, args); r != abi.Success {
		p.Fatalf("command %d returns %d", number, r)
	}
}

// newProgram makes an instance and a device with one queue.
func newProgram(t *testing.T) *program {
	p := &program{T: t}
	must(p, abi.CmdCreateInstance, &abi.CreateInstanceArgs{PCreateInfo: &abi.InstanceCreateInfo{PApplicationInfo: &abi.ApplicationInfo{ApiVersion: makeVersion(1, 1, 0)}}, PInstance: &p.instance})
	n := uint32(1)
	must(p, abi.CmdEnumeratePhysicalDevices, &abi.EnumeratePhysicalDevicesArgs{Instance: p.instance, PPhysicalDeviceCount: &n, PPhysicalDevices: &p.physical})
	priority := float32(1)
	must(p, abi.CmdCreateDevice, &abi.CreateDeviceArgs{PhysicalDevice: p.physical, PCreateInfo: &abi.DeviceCreateInfo{QueueCreateInfoCount: 1, PQueueCreateInfos: &abi.DeviceQueueCreateInfo{QueueCount: 1, PQueuePriorities: &priority}}, PDevice: &p.device})
	do(abi.CmdGetDeviceQueue, &abi.GetDeviceQueueArgs{Device: p.device, PQueue: &p.queue})
	if p.queue == nil {
		t.Fatal("no queue")
	}
	t.Cleanup(func() {
		do(abi.CmdDestroyDevice, &abi.DestroyDeviceArgs{Device: p.device})
		do(abi.CmdDestroyInstance, &abi.DestroyInstanceArgs{Instance: p.instance})
	})
	return p
}

// buffer makes a buffer with mapped memory.
func (p *program) buffer(words uint64) (b abi.Buffer, content []uint32) {
	must(p, abi.CmdCreateBuffer, &abi.CreateBufferArgs{Device: p.device, PCreateInfo: &abi.BufferCreateInfo{Size: words * 4, Usage: abi.BufferUsageStorageBufferBit}, PBuffer: &b})
	var r abi.MemoryRequirements
	do(abi.CmdGetBufferMemoryRequirements, &abi.GetBufferMemoryRequirementsArgs{Device: p.device, Buffer: b, PMemoryRequirements: &r})
	var m abi.DeviceMemory
	must(p, abi.CmdAllocateMemory, &abi.AllocateMemoryArgs{Device: p.device, PAllocateInfo: &abi.MemoryAllocateInfo{AllocationSize: r.Size}, PMemory: &m})
	must(p, abi.CmdBindBufferMemory, &abi.BindBufferMemoryArgs{Device: p.device, Buffer: b, Memory: m})
	var data unsafe.Pointer
	must(p, abi.CmdMapMemory, &abi.MapMemoryArgs{Device: p.device, Memory: m, Size: r.Size, PpData: unsafe.Pointer(&data)})
	return b, unsafe.Slice((*uint32)(data), words)
}

// commands makes a command pool with one command buffer.
func (p *program) commands() (pool abi.CommandPool, c abi.CommandBuffer) {
	must(p, abi.CmdCreateCommandPool, &abi.CreateCommandPoolArgs{Device: p.device, PCreateInfo: &abi.CommandPoolCreateInfo{}, PCommandPool: &pool})
	must(p, abi.CmdAllocateCommandBuffers, &abi.AllocateCommandBuffersArgs{Device: p.device, PAllocateInfo: &abi.CommandBufferAllocateInfo{CommandPool: pool, CommandBufferCount: 1}, PCommandBuffers: &c})
	return pool, c
}

// kernel makes the pipeline of a kernel with its layout and a set for a buffer.
func (p *program) kernel(source string, b abi.Buffer) (pipe abi.Pipeline, layout abi.PipelineLayout, set abi.DescriptorSet) {
	return p.kernelWith(source, b, 0, nil)
}

// kernelWith is kernel with flags and a chain of structs for the pipeline.
func (p *program) kernelWith(source string, b abi.Buffer, flags uint32, next unsafe.Pointer) (pipe abi.Pipeline, layout abi.PipelineLayout, set abi.DescriptorSet) {
	words := asmtest.Words(p, source, 0)
	var module abi.ShaderModule
	must(p, abi.CmdCreateShaderModule, &abi.CreateShaderModuleArgs{Device: p.device, PCreateInfo: &abi.ShaderModuleCreateInfo{SType: abi.StructureTypeShaderModuleCreateInfo, CodeSize: uint(len(words) * 4), PCode: &words[0]}, PShaderModule: &module})
	var setLayout abi.DescriptorSetLayout
	must(p, abi.CmdCreateDescriptorSetLayout, &abi.CreateDescriptorSetLayoutArgs{Device: p.device, PSetLayout: &setLayout, PCreateInfo: &abi.DescriptorSetLayoutCreateInfo{SType: abi.StructureTypeDescriptorSetLayoutCreateInfo, BindingCount: 1, PBindings: &abi.DescriptorSetLayoutBinding{DescriptorType: abi.DescriptorTypeStorageBuffer, DescriptorCount: 1, StageFlags: abi.ShaderStageComputeBit}}})
	must(p, abi.CmdCreatePipelineLayout, &abi.CreatePipelineLayoutArgs{Device: p.device, PPipelineLayout: &layout, PCreateInfo: &abi.PipelineLayoutCreateInfo{SType: abi.StructureTypePipelineLayoutCreateInfo, SetLayoutCount: 1, PSetLayouts: &setLayout, PushConstantRangeCount: 1, PPushConstantRanges: &abi.PushConstantRange{StageFlags: abi.ShaderStageComputeBit, Size: 4}}})
	name := []byte("main\x00")
	must(p, abi.CmdCreateComputePipelines, &abi.CreateComputePipelinesArgs{Device: p.device, CreateInfoCount: 1, PPipelines: &pipe, PCreateInfos: &abi.ComputePipelineCreateInfo{SType: abi.StructureTypeComputePipelineCreateInfo, PNext: next, Flags: flags, Layout: layout, Stage: abi.PipelineShaderStageCreateInfo{SType: abi.StructureTypePipelineShaderStageCreateInfo, Stage: abi.ShaderStageComputeBit, Module: module, PName: &name[0]}}})
	var pool abi.DescriptorPool
	must(p, abi.CmdCreateDescriptorPool, &abi.CreateDescriptorPoolArgs{Device: p.device, PDescriptorPool: &pool, PCreateInfo: &abi.DescriptorPoolCreateInfo{MaxSets: 1, PoolSizeCount: 1, PPoolSizes: &abi.DescriptorPoolSize{Type: abi.DescriptorTypeStorageBuffer, DescriptorCount: 1}}})
	must(p, abi.CmdAllocateDescriptorSets, &abi.AllocateDescriptorSetsArgs{Device: p.device, PDescriptorSets: &set, PAllocateInfo: &abi.DescriptorSetAllocateInfo{DescriptorPool: pool, DescriptorSetCount: 1, PSetLayouts: &setLayout}})
	do(abi.CmdUpdateDescriptorSets, &abi.UpdateDescriptorSetsArgs{Device: p.device, DescriptorWriteCount: 1, PDescriptorWrites: &abi.WriteDescriptorSet{DstSet: set, DescriptorCount: 1, DescriptorType: abi.DescriptorTypeStorageBuffer, PBufferInfo: &abi.DescriptorBufferInfo{Buffer: b, Range: abi.WholeSize}}})
	return pipe, layout, set
}

// bindKernel binds a compute pipeline and its set.
func bindKernel(c abi.CommandBuffer, pipe abi.Pipeline, layout abi.PipelineLayout, set abi.DescriptorSet) {
	do(abi.CmdCmdBindPipeline, &abi.CmdBindPipelineArgs{CommandBuffer: c, PipelineBindPoint: abi.PipelineBindPointCompute, Pipeline: pipe})
	do(abi.CmdCmdBindDescriptorSets, &abi.CmdBindDescriptorSetsArgs{CommandBuffer: c, PipelineBindPoint: abi.PipelineBindPointCompute, Layout: layout, DescriptorSetCount: 1, PDescriptorSets: &set})
}

// recordInC appends a command to the memory of a command buffer as cmd/icd does: the head, the arguments and n words of data,
// which the result points to.
func recordInC[A any](t *testing.T, d *abi.Dispatch, number int, args A, data ...uint32) (*A, *uint32) {
	type record struct {
		head abi.Record
		args A
		data [4]uint32
	}
	size := unsafe.Sizeof(record{})
	if uintptr(d.Next)+size > uintptr(d.End) {
		t.Fatal("the chunk is full")
	}
	r := (*record)(d.Next)
	r.head, r.args = abi.Record{Number: uint32(number), Size: uint32(size)}, args
	copy(r.data[:], data)
	d.Next = unsafe.Add(d.Next, size)
	return &r.args, &r.data[0]
}

// TestCompute runs a kernel with commands that arrive one by one and with commands that C recorded, and reads the results.
func TestCompute(t *testing.T) {
	p := newProgram(t)
	b, content := p.buffer(8)
	pipe, layout, set := p.kernel(numbers, b)
	_, c := p.commands()
	var fence abi.Fence
	must(p, abi.CmdCreateFence, &abi.CreateFenceArgs{Device: p.device, PCreateInfo: &abi.FenceCreateInfo{}, PFence: &fence})
	chunk := new(struct {
		abi.Chunk
		data [1 << 12]uint64
	})
	chunk.Size = unsafe.Sizeof(chunk.data) - 8 // space for the record that ends it
	for factor := uint32(1); factor <= 4; factor++ {
		must(p, abi.CmdBeginCommandBuffer, &abi.BeginCommandBufferArgs{CommandBuffer: c, PBeginInfo: &abi.CommandBufferBeginInfo{}})
		bindKernel(c, pipe, layout, set)
		push := abi.CmdPushConstantsArgs{CommandBuffer: c, Layout: layout, StageFlags: abi.ShaderStageComputeBit, Size: 4}
		dispatch := abi.CmdDispatchArgs{CommandBuffer: c, GroupCountX: 2, GroupCountY: 1, GroupCountZ: 1}
		if factor%2 == 0 {
			c.First = &chunk.Chunk
			c.Rewind()
			args, data := recordInC(t, c, abi.CmdCmdPushConstants, push, factor)
			args.PValues = unsafe.Pointer(data)
			recordInC(t, c, abi.CmdCmdDispatch, dispatch)
		} else {
			push.PValues = unsafe.Pointer(&factor)
			do(abi.CmdCmdPushConstants, &push)
			do(abi.CmdCmdDispatch, &dispatch)
		}
		must(p, abi.CmdEndCommandBuffer, &abi.EndCommandBufferArgs{CommandBuffer: c})
		must(p, abi.CmdQueueSubmit, &abi.QueueSubmitArgs{Queue: p.queue, SubmitCount: 1, PSubmits: &abi.SubmitInfo{CommandBufferCount: 1, PCommandBuffers: &c}, Fence: fence})
		must(p, abi.CmdWaitForFences, &abi.WaitForFencesArgs{Device: p.device, FenceCount: 1, PFences: &fence, WaitAll: abi.True, Timeout: abi.WholeSize})
		must(p, abi.CmdResetFences, &abi.ResetFencesArgs{Device: p.device, FenceCount: 1, PFences: &fence})
		for i, v := range content {
			if v != uint32(i)*factor {
				t.Fatalf("factor %d: word %d is %d; must be %d", factor, i, v, uint32(i)*factor)
			}
		}
	}
	do(abi.CmdDestroyPipeline, &abi.DestroyPipelineArgs{Device: p.device, Pipeline: pipe})
}

// TestMemoryTypes checks Vulkan's order of the memory types (no type after a strict superset of its flags), and maps memory of each.
func TestMemoryTypes(t *testing.T) {
	p := newProgram(t)
	var m abi.PhysicalDeviceMemoryProperties
	do(abi.CmdGetPhysicalDeviceMemoryProperties, &abi.GetPhysicalDeviceMemoryPropertiesArgs{PhysicalDevice: p.physical, PMemoryProperties: &m})
	types := m.MemoryTypes[:m.MemoryTypeCount]
	if len(types) == 0 {
		t.Fatal("no memory types")
	}
	for i, x := range types {
		for _, y := range types[i+1:] {
			if x.PropertyFlags != y.PropertyFlags && x.PropertyFlags|y.PropertyFlags == x.PropertyFlags {
				t.Errorf("type %d has the flags %#x, a later one %#x", i, x.PropertyFlags, y.PropertyFlags)
			}
		}
		if x.PropertyFlags&abi.MemoryPropertyHostVisibleBit == 0 {
			continue
		}
		var memory abi.DeviceMemory
		must(p, abi.CmdAllocateMemory, &abi.AllocateMemoryArgs{Device: p.device, PAllocateInfo: &abi.MemoryAllocateInfo{AllocationSize: 64, MemoryTypeIndex: uint32(i)}, PMemory: &memory})
		var data *uint32
		must(p, abi.CmdMapMemory, &abi.MapMemoryArgs{Device: p.device, Memory: memory, Size: 64, PpData: unsafe.Pointer(&data)})
		*data = 1
		do(abi.CmdFreeMemory, &abi.FreeMemoryArgs{Device: p.device, Memory: memory})
	}
}

// TestNullArguments calls every command with zero arguments, twice: no call ends the process.
func TestNullArguments(t *testing.T) {
	t.Setenv("CHIARO_REPORT", "") // null pointers that Vulkan forbids end in a recovered panic
	space := make([]uint64, 64)   // larger than any argument struct
	for range 2 {
		for n := range abi.CommandCount {
			if n == abi.CmdCreateInstance {
				continue
			}
			Call(uint32(n), unsafe.Pointer(&space[0]))
			clear(space)
		}
	}
	Call(abi.CommandCount, unsafe.Pointer(&space[0]))
}

// TestStaleHandles calls commands with handles of destroyed objects: errors, and no effect.
func TestStaleHandles(t *testing.T) {
	p := newProgram(t)
	b, _ := p.buffer(4)
	do(abi.CmdDestroyBuffer, &abi.DestroyBufferArgs{Device: p.device, Buffer: b})
	do(abi.CmdDestroyBuffer, &abi.DestroyBufferArgs{Device: p.device, Buffer: b})
	if r := do(abi.CmdBindBufferMemory, &abi.BindBufferMemoryArgs{Device: p.device, Buffer: b, Memory: 0xdead}); r >= 0 {
		t.Errorf("a destroyed buffer is bound: %d", r)
	}
	var v abi.BufferView
	if r := do(abi.CmdCreateBufferView, &abi.CreateBufferViewArgs{Device: p.device, PCreateInfo: &abi.BufferViewCreateInfo{Buffer: b, Format: abi.FormatR32Uint, Range: abi.WholeSize}, PView: &v}); r >= 0 || v != 0 {
		t.Errorf("a destroyed buffer has a view: %d", r)
	}
	stale := *p.device
	stale.ID += 1 << 32
	if r := do(abi.CmdDeviceWaitIdle, &abi.DeviceWaitIdleArgs{Device: &stale}); r != abi.ErrorDeviceLost {
		t.Errorf("a stale device waits: %d", r)
	}
}

// TestHugeCounts calls commands with one element and the largest count: none reads or allocates an array of that length.
func TestHugeCounts(t *testing.T) {
	p := newProgram(t)
	b, _ := p.buffer(4)
	_, _, set := p.kernel(numbers, b)
	_, c := p.commands()
	must(p, abi.CmdBeginCommandBuffer, &abi.BeginCommandBufferArgs{CommandBuffer: c, PBeginInfo: &abi.CommandBufferBeginInfo{}})
	const n = 1<<32 - 1
	do(abi.CmdCmdDrawMultiEXT, &abi.CmdDrawMultiEXTArgs{CommandBuffer: c, DrawCount: n, PVertexInfo: &abi.MultiDrawInfoEXT{}, Stride: 8})
	do(abi.CmdCmdDrawMultiIndexedEXT, &abi.CmdDrawMultiIndexedEXTArgs{CommandBuffer: c, DrawCount: n, PIndexInfo: &abi.MultiDrawIndexedInfoEXT{}, Stride: 12})
	do(abi.CmdCmdCopyBuffer, &abi.CmdCopyBufferArgs{CommandBuffer: c, SrcBuffer: b, DstBuffer: b, RegionCount: n, PRegions: &abi.BufferCopy{}})
	do(abi.CmdCmdSetViewport, &abi.CmdSetViewportArgs{CommandBuffer: c, ViewportCount: n, PViewports: &abi.Viewport{}})
	do(abi.CmdUpdateDescriptorSets, &abi.UpdateDescriptorSetsArgs{Device: p.device, DescriptorWriteCount: 1, PDescriptorWrites: &abi.WriteDescriptorSet{DstSet: set, DescriptorCount: n, DescriptorType: abi.DescriptorTypeStorageBuffer, PBufferInfo: &abi.DescriptorBufferInfo{Buffer: b}}})
	var pipe abi.Pipeline
	if r := do(abi.CmdCreateComputePipelines, &abi.CreateComputePipelinesArgs{Device: p.device, CreateInfoCount: n, PPipelines: &pipe, PCreateInfos: &abi.ComputePipelineCreateInfo{SType: abi.StructureTypeComputePipelineCreateInfo}}); r != abi.ErrorOutOfHostMemory {
		t.Errorf("the creation of %d pipelines returns %d", uint32(n), r)
	}
}

// TestPermittedResults makes calls with errors that Vulkan does not list for the command, and with one that it lists.
func TestPermittedResults(t *testing.T) {
	p := newProgram(t)
	var q abi.QueryPool
	if r := do(abi.CmdCreateQueryPool, &abi.CreateQueryPoolArgs{Device: p.device, PCreateInfo: &abi.QueryPoolCreateInfo{QueryType: 1 << 20, QueryCount: 1}, PQueryPool: &q}); r != abi.ErrorUnknown {
		t.Errorf("a pool of an unknown type: %d; must be VK_ERROR_UNKNOWN", r)
	}
	n := uint32(1)
	if r := do(abi.CmdGetSwapchainImagesKHR, &abi.GetSwapchainImagesKHRArgs{Device: p.device, PSwapchainImageCount: &n}); r != abi.ErrorUnknown {
		t.Errorf("the images of no swapchain: %d; must be VK_ERROR_UNKNOWN", r)
	}
	if r := do(abi.CmdAcquireNextImageKHR, &abi.AcquireNextImageKHRArgs{Device: p.device, PImageIndex: &n}); r != abi.ErrorSurfaceLostKHR {
		t.Errorf("an acquire of no swapchain: %d; must be VK_ERROR_SURFACE_LOST_KHR", r)
	}
	if r := do(abi.CmdGetBufferDeviceAddress, &abi.GetBufferDeviceAddressArgs{Device: p.device, PInfo: &abi.BufferDeviceAddressInfo{}}); r != 0 {
		t.Errorf("the address of no buffer: %d; must be 0", r)
	}
}

// TestPoolBeyondSizes allocates two sets of a descriptor from a pool for one descriptor and two sets. The specification lets it
// succeed; it fails under full checking, and with a third set.
func TestPoolBeyondSizes(t *testing.T) {
	for level, want := range map[string][]abi.Result{"none": {abi.Success, abi.Success, abi.ErrorOutOfPoolMemory}, "all": {abi.Success, abi.ErrorOutOfPoolMemory}} {
		t.Setenv("CHIARO_CHECK", level)
		p := newProgram(t)
		layout, _ := p.layouts(0)
		var pool abi.DescriptorPool
		must(p, abi.CmdCreateDescriptorPool, &abi.CreateDescriptorPoolArgs{Device: p.device, PDescriptorPool: &pool, PCreateInfo: &abi.DescriptorPoolCreateInfo{MaxSets: 2, PoolSizeCount: 1, PPoolSizes: &abi.DescriptorPoolSize{Type: abi.DescriptorTypeStorageBuffer, DescriptorCount: 1}}})
		for n, want := range want {
			var set abi.DescriptorSet
			if r := do(abi.CmdAllocateDescriptorSets, &abi.AllocateDescriptorSetsArgs{Device: p.device, PDescriptorSets: &set, PAllocateInfo: &abi.DescriptorSetAllocateInfo{DescriptorPool: pool, DescriptorSetCount: 1, PSetLayouts: &layout}}); r != want {
				t.Errorf("checks %s, set %d: the result is %d; must be %d", level, n, r, want)
			}
		}
	}
}
