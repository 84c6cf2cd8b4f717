package driver

import (
	"os"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/internal/asmtest"
)

// words returns the code of a module.
func (p *program) words(source string) []uint32 {
	code := asmtest.Words(p, source, 0)
	return code
}

// addressed makes a buffer with a device address and mapped memory.
func (p *program) addressed(usage uint32, words uint64) (b abi.Buffer, address uint64, content []uint32) {
	must(p, abi.CmdCreateBuffer, &abi.CreateBufferArgs{Device: p.device, PCreateInfo: &abi.BufferCreateInfo{Size: words * 4, Usage: usage | abi.BufferUsageShaderDeviceAddressBit}, PBuffer: &b})
	var m abi.DeviceMemory
	flags := abi.MemoryAllocateFlagsInfo{SType: abi.StructureTypeMemoryAllocateFlagsInfo, Flags: abi.MemoryAllocateDeviceAddressBit}
	must(p, abi.CmdAllocateMemory, &abi.AllocateMemoryArgs{Device: p.device, PAllocateInfo: &abi.MemoryAllocateInfo{PNext: unsafe.Pointer(&flags), AllocationSize: words*4 + 64}, PMemory: &m})
	must(p, abi.CmdBindBufferMemory, &abi.BindBufferMemoryArgs{Device: p.device, Buffer: b, Memory: m})
	var data unsafe.Pointer
	must(p, abi.CmdMapMemory, &abi.MapMemoryArgs{Device: p.device, Memory: m, Size: words * 4, PpData: unsafe.Pointer(&data)})
	address = uint64(Call(abi.CmdGetBufferDeviceAddress, unsafe.Pointer(&abi.GetBufferDeviceAddressArgs{Device: p.device, PInfo: &abi.BufferDeviceAddressInfo{Buffer: b}})))
	return b, address, unsafe.Slice((*uint32)(data), words)
}

// submitted records commands and submits them. It returns their pool and their command buffer.
func (p *program) submitted(record func(abi.CommandBuffer)) (pool abi.CommandPool, c abi.CommandBuffer) {
	p.Helper()
	pool, c = p.commands()
	must(p, abi.CmdBeginCommandBuffer, &abi.BeginCommandBufferArgs{CommandBuffer: c, PBeginInfo: &abi.CommandBufferBeginInfo{}})
	record(c)
	must(p, abi.CmdEndCommandBuffer, &abi.EndCommandBufferArgs{CommandBuffer: c})
	must(p, abi.CmdQueueSubmit, &abi.QueueSubmitArgs{Queue: p.queue, SubmitCount: 1, PSubmits: &abi.SubmitInfo{CommandBufferCount: 1, PCommandBuffers: &c}})
	return pool, c
}

// launch submits one workgroup of a kernel with its push constant.
func (p *program) launch(pipe abi.Pipeline, layout abi.PipelineLayout, set abi.DescriptorSet, factor uint32) (c abi.CommandBuffer) {
	p.Helper()
	_, c = p.submitted(func(c abi.CommandBuffer) {
		bindKernel(c, pipe, layout, set)
		do(abi.CmdCmdPushConstants, &abi.CmdPushConstantsArgs{CommandBuffer: c, Layout: layout, StageFlags: abi.ShaderStageComputeBit, Size: 4, PValues: unsafe.Pointer(&factor)})
		do(abi.CmdCmdDispatch, &abi.CmdDispatchArgs{CommandBuffer: c, GroupCountX: 1, GroupCountY: 1, GroupCountZ: 1})
	})
	return c
}

// submit records commands and runs them.
func (p *program) submit(record func(abi.CommandBuffer)) {
	p.Helper()
	pool, _ := p.submitted(record)
	must(p, abi.CmdQueueWaitIdle, &abi.QueueWaitIdleArgs{Queue: p.queue})
	do(abi.CmdDestroyCommandPool, &abi.DestroyCommandPoolArgs{Device: p.device, CommandPool: pool})
}

// features reads the features of the physical device in a chain of structs.
func (p *program) features(chain unsafe.Pointer) {
	p.Helper()
	var physical abi.PhysicalDevice
	n := uint32(1)
	must(p, abi.CmdEnumeratePhysicalDevices, &abi.EnumeratePhysicalDevicesArgs{Instance: p.instance, PPhysicalDeviceCount: &n, PPhysicalDevices: &physical})
	do(abi.CmdGetPhysicalDeviceFeatures2, &abi.GetPhysicalDeviceFeatures2Args{PhysicalDevice: physical, PFeatures: &abi.PhysicalDeviceFeatures2{PNext: chain}})
}

// layouts makes the set layout of a kernel, and its pipeline layout.
func (p *program) layouts(flags uint32) (set abi.DescriptorSetLayout, layout abi.PipelineLayout) {
	must(p, abi.CmdCreateDescriptorSetLayout, &abi.CreateDescriptorSetLayoutArgs{Device: p.device, PSetLayout: &set, PCreateInfo: &abi.DescriptorSetLayoutCreateInfo{SType: abi.StructureTypeDescriptorSetLayoutCreateInfo, Flags: flags, BindingCount: 1, PBindings: &abi.DescriptorSetLayoutBinding{DescriptorType: abi.DescriptorTypeStorageBuffer, DescriptorCount: 1, StageFlags: abi.ShaderStageComputeBit}}})
	must(p, abi.CmdCreatePipelineLayout, &abi.CreatePipelineLayoutArgs{Device: p.device, PPipelineLayout: &layout, PCreateInfo: &abi.PipelineLayoutCreateInfo{SType: abi.StructureTypePipelineLayoutCreateInfo, SetLayoutCount: 1, PSetLayouts: &set, PushConstantRangeCount: 1, PPushConstantRanges: &pushOfKernel}})
	return set, layout
}

var (
	pushOfKernel = abi.PushConstantRange{StageFlags: abi.ShaderStageComputeBit, Size: 4}
	mainName     = []byte("main\x00")
)

// push sets the factor of a kernel, and dispatch runs 8 invocations.
func push(c abi.CommandBuffer, layout abi.PipelineLayout, factor uint32) {
	do(abi.CmdCmdPushConstants, &abi.CmdPushConstantsArgs{CommandBuffer: c, Layout: layout, StageFlags: abi.ShaderStageComputeBit, Size: 4, PValues: unsafe.Pointer(&factor)})
}

func dispatch(c abi.CommandBuffer) {
	do(abi.CmdCmdDispatch, &abi.CmdDispatchArgs{CommandBuffer: c, GroupCountX: 2, GroupCountY: 1, GroupCountZ: 1})
}

// multiples fails the test unless the words are 0, factor, 2 · factor, …
func (p *program) multiples(content []uint32, factor uint32) {
	p.Helper()
	for i, v := range content {
		if v != uint32(i)*factor {
			p.Fatalf("word %d is %d; must be %d", i, v, uint32(i)*factor)
		}
	}
}

// TestShaderObjectCalls runs a kernel as a shader object, made of SPIR-V and of its binary.
func TestShaderObjectCalls(t *testing.T) {
	p := newProgram(t)
	b, content := p.buffer(8)
	_, layout, set := p.kernel(numbers, b)
	setLayout, _ := p.layouts(0)
	code := p.words(numbers)
	info := abi.ShaderCreateInfoEXT{SType: abi.StructureTypeShaderCreateInfoEXT,
		Stage: abi.ShaderStageComputeBit, CodeType: abi.ShaderCodeTypeSpirvEXT, CodeSize: uint(4 * len(code)), PCode: unsafe.Pointer(&code[0]), PName: &mainName[0],
		SetLayoutCount: 1, PSetLayouts: &setLayout, PushConstantRangeCount: 1, PPushConstantRanges: &pushOfKernel,
	}
	var first, second abi.ShaderEXT
	must(p, abi.CmdCreateShadersEXT, &abi.CreateShadersEXTArgs{Device: p.device, CreateInfoCount: 1, PCreateInfos: &info, PShaders: &first})
	size := uint(0)
	must(p, abi.CmdGetShaderBinaryDataEXT, &abi.GetShaderBinaryDataEXTArgs{Device: p.device, Shader: first, PDataSize: &size})
	binary := make([]byte, size)
	must(p, abi.CmdGetShaderBinaryDataEXT, &abi.GetShaderBinaryDataEXTArgs{Device: p.device, Shader: first, PDataSize: &size, PData: unsafe.Pointer(&binary[0])})
	info.CodeType, info.CodeSize, info.PCode = abi.ShaderCodeTypeBinaryEXT, size, unsafe.Pointer(&binary[0])
	must(p, abi.CmdCreateShadersEXT, &abi.CreateShadersEXTArgs{Device: p.device, CreateInfoCount: 1, PCreateInfos: &info, PShaders: &second})
	stage := uint32(abi.ShaderStageComputeBit)
	for n, s := range []abi.ShaderEXT{first, second} {
		p.submit(func(c abi.CommandBuffer) {
			do(abi.CmdCmdBindShadersEXT, &abi.CmdBindShadersEXTArgs{CommandBuffer: c, StageCount: 1, PStages: &stage, PShaders: &s})
			do(abi.CmdCmdBindDescriptorSets, &abi.CmdBindDescriptorSetsArgs{CommandBuffer: c, PipelineBindPoint: abi.PipelineBindPointCompute, Layout: layout, DescriptorSetCount: 1, PDescriptorSets: &set})
			push(c, layout, uint32(n)+3)
			dispatch(c)
		})
		p.multiples(content, uint32(n)+3)
	}
	binary[0]++
	if r := do(abi.CmdCreateShadersEXT, &abi.CreateShadersEXTArgs{Device: p.device, CreateInfoCount: 1, PCreateInfos: &info, PShaders: &second}); r != abi.IncompatibleShaderBinaryEXT || second != 0 {
		t.Errorf("a damaged binary: %d, handle %#x", r, second)
	}
	do(abi.CmdDestroyShaderEXT, &abi.DestroyShaderEXTArgs{Device: p.device, Shader: first})
}

// TestPipelineBinaryCalls makes a pipeline of the binaries of another one, without its module.
func TestPipelineBinaryCalls(t *testing.T) {
	p := newProgram(t)
	b, content := p.buffer(8)
	_, layout, set := p.kernel(numbers, b)
	code := p.words(numbers)
	var module abi.ShaderModule
	must(p, abi.CmdCreateShaderModule, &abi.CreateShaderModuleArgs{Device: p.device, PCreateInfo: &abi.ShaderModuleCreateInfo{SType: abi.StructureTypeShaderModuleCreateInfo, CodeSize: uint(len(code) * 4), PCode: &code[0]}, PShaderModule: &module})
	flags := abi.PipelineCreateFlags2CreateInfo{SType: abi.StructureTypePipelineCreateFlags2CreateInfo, Flags: abi.PipelineCreate2CaptureDataBitKHR}
	info := abi.ComputePipelineCreateInfo{SType: abi.StructureTypeComputePipelineCreateInfo, PNext: unsafe.Pointer(&flags), Layout: layout, Stage: abi.PipelineShaderStageCreateInfo{SType: abi.StructureTypePipelineShaderStageCreateInfo, Stage: abi.ShaderStageComputeBit, Module: module, PName: &mainName[0]}}
	var pipe abi.Pipeline
	must(p, abi.CmdCreateComputePipelines, &abi.CreateComputePipelinesArgs{Device: p.device, CreateInfoCount: 1, PPipelines: &pipe, PCreateInfos: &info})
	handles := abi.PipelineBinaryHandlesInfoKHR{}
	create := abi.CreatePipelineBinariesKHRArgs{Device: p.device, PCreateInfo: &abi.PipelineBinaryCreateInfoKHR{Pipeline: pipe}, PBinaries: &handles}
	must(p, abi.CmdCreatePipelineBinariesKHR, &create)
	if handles.PipelineBinaryCount != 1 {
		t.Fatalf("%d binaries; must be 1", handles.PipelineBinaryCount)
	}
	var captured, loaded abi.PipelineBinaryKHR
	handles.PPipelineBinaries = &captured
	must(p, abi.CmdCreatePipelineBinariesKHR, &create)
	var key, whole, all abi.PipelineBinaryKeyKHR
	size := uint(0)
	get := abi.GetPipelineBinaryDataKHRArgs{Device: p.device, PInfo: &abi.PipelineBinaryDataInfoKHR{PipelineBinary: captured}, PPipelineBinaryKey: &key, PPipelineBinaryDataSize: &size}
	must(p, abi.CmdGetPipelineBinaryDataKHR, &get)
	data := make([]byte, size)
	size, get.PPipelineBinaryData = 1, unsafe.Pointer(&data[0])
	if r := do(abi.CmdGetPipelineBinaryDataKHR, &get); r != abi.ErrorNotEnoughSpaceKHR || size != uint(len(data)) {
		t.Errorf("data without space: %d, size %d", r, size)
	}
	must(p, abi.CmdGetPipelineBinaryDataKHR, &get)
	must(p, abi.CmdGetPipelineKeyKHR, &abi.GetPipelineKeyKHRArgs{Device: p.device, PPipelineKey: &all})
	must(p, abi.CmdGetPipelineKeyKHR, &abi.GetPipelineKeyKHRArgs{Device: p.device, PPipelineKey: &whole, PPipelineCreateInfo: &abi.PipelineCreateInfoKHR{PNext: unsafe.Pointer(&info)}})
	if key.KeySize == 0 || all.KeySize == 0 || whole.Key == all.Key {
		t.Error("the keys of the pipeline and of the device are empty, or equal")
	}
	must(p, abi.CmdCreatePipelineBinariesKHR, &abi.CreatePipelineBinariesKHRArgs{Device: p.device, PBinaries: &abi.PipelineBinaryHandlesInfoKHR{PipelineBinaryCount: 1, PPipelineBinaries: &loaded}, PCreateInfo: &abi.PipelineBinaryCreateInfoKHR{
		PKeysAndDataInfo: &abi.PipelineBinaryKeysAndDataKHR{BinaryCount: 1, PPipelineBinaryKeys: &key, PPipelineBinaryData: &abi.PipelineBinaryDataKHR{DataSize: size, PData: unsafe.Pointer(&data[0])}},
	}})
	must(p, abi.CmdReleaseCapturedPipelineDataKHR, &abi.ReleaseCapturedPipelineDataKHRArgs{Device: p.device, PInfo: &abi.ReleaseCapturedPipelineDataInfoKHR{Pipeline: pipe}})
	list := abi.PipelineBinaryInfoKHR{SType: abi.StructureTypePipelineBinaryInfoKHR, BinaryCount: 1, PPipelineBinaries: &loaded}
	must(p, abi.CmdCreateComputePipelines, &abi.CreateComputePipelinesArgs{Device: p.device, CreateInfoCount: 1, PPipelines: &pipe, PCreateInfos: &abi.ComputePipelineCreateInfo{SType: abi.StructureTypeComputePipelineCreateInfo, PNext: unsafe.Pointer(&list), Layout: layout, Stage: abi.PipelineShaderStageCreateInfo{SType: abi.StructureTypePipelineShaderStageCreateInfo, Stage: abi.ShaderStageComputeBit, PName: &mainName[0]}}})
	p.submit(func(c abi.CommandBuffer) {
		bindKernel(c, pipe, layout, set)
		push(c, layout, 5)
		dispatch(c)
	})
	p.multiples(content, 5)
	do(abi.CmdDestroyPipelineBinaryKHR, &abi.DestroyPipelineBinaryKHRArgs{Device: p.device, PipelineBinary: loaded})
}

// TestDescriptorBufferCalls runs a kernel with its descriptor in a descriptor buffer.
func TestDescriptorBufferCalls(t *testing.T) {
	p := newProgram(t)
	_, target, content := p.addressed(abi.BufferUsageStorageBufferBit, 8)
	_, heap, memory := p.addressed(abi.BufferUsageResourceDescriptorBufferBitEXT, 64)
	set, layout := p.layouts(abi.DescriptorSetLayoutCreateDescriptorBufferBitEXT)
	var size, offset uint64
	do(abi.CmdGetDescriptorSetLayoutSizeEXT, &abi.GetDescriptorSetLayoutSizeEXTArgs{Device: p.device, Layout: set, PLayoutSizeInBytes: &size})
	do(abi.CmdGetDescriptorSetLayoutBindingOffsetEXT, &abi.GetDescriptorSetLayoutBindingOffsetEXTArgs{Device: p.device, Layout: set, POffset: &offset})
	if size == 0 || offset >= size {
		t.Fatalf("the layout has %d bytes, its binding is at %d", size, offset)
	}
	place := abi.DescriptorAddressInfoEXT{Address: target, Range: 32}
	info := abi.DescriptorGetInfoEXT{Type: abi.DescriptorTypeStorageBuffer}
	*(*unsafe.Pointer)(unsafe.Pointer(&info.Data)) = unsafe.Pointer(&place)
	do(abi.CmdGetDescriptorEXT, &abi.GetDescriptorEXTArgs{Device: p.device, PDescriptorInfo: &info, DataSize: uint(size), PDescriptor: unsafe.Pointer(&memory[(16+offset)/4])})
	code := p.words(numbers)
	module := abi.ShaderModuleCreateInfo{SType: abi.StructureTypeShaderModuleCreateInfo, CodeSize: uint(len(code) * 4), PCode: &code[0]}
	var pipe abi.Pipeline
	must(p, abi.CmdCreateComputePipelines, &abi.CreateComputePipelinesArgs{Device: p.device, CreateInfoCount: 1, PPipelines: &pipe, PCreateInfos: &abi.ComputePipelineCreateInfo{SType: abi.StructureTypeComputePipelineCreateInfo, Flags: abi.PipelineCreateDescriptorBufferBitEXT, Layout: layout, Stage: abi.PipelineShaderStageCreateInfo{SType: abi.StructureTypePipelineShaderStageCreateInfo, PNext: unsafe.Pointer(&module), Stage: abi.ShaderStageComputeBit, PName: &mainName[0]}}})
	at, number := uint64(16), uint32(0)
	p.submit(func(c abi.CommandBuffer) {
		do(abi.CmdCmdBindPipeline, &abi.CmdBindPipelineArgs{CommandBuffer: c, PipelineBindPoint: abi.PipelineBindPointCompute, Pipeline: pipe})
		do(abi.CmdCmdBindDescriptorBuffersEXT, &abi.CmdBindDescriptorBuffersEXTArgs{CommandBuffer: c, BufferCount: 1, PBindingInfos: &abi.DescriptorBufferBindingInfoEXT{Address: heap, Usage: abi.BufferUsageResourceDescriptorBufferBitEXT}})
		do(abi.CmdCmdSetDescriptorBufferOffsetsEXT, &abi.CmdSetDescriptorBufferOffsetsEXTArgs{CommandBuffer: c, PipelineBindPoint: abi.PipelineBindPointCompute, Layout: layout, SetCount: 1, PBufferIndices: &number, POffsets: &at})
		push(c, layout, 6)
		dispatch(c)
	})
	p.multiples(content, 6)
}

// heapKernel makes the pipeline of a kernel with its descriptor in a heap and its push constants as push data, and binds both.
func (p *program) heapKernel() (pipe abi.Pipeline, heap abi.BindHeapInfoEXT, bind func(abi.CommandBuffer), content []uint32) {
	p.Helper()
	_, target, content := p.addressed(abi.BufferUsageStorageBufferBit, 8)
	_, at, memory := p.addressed(abi.BufferUsageDescriptorHeapBitEXT, 64)
	place := abi.DeviceAddressRangeKHR{Address: target, Size: 32}
	info := abi.ResourceDescriptorInfoEXT{Type: abi.DescriptorTypeStorageBuffer}
	*(*unsafe.Pointer)(unsafe.Pointer(&info.Data)) = unsafe.Pointer(&place)
	size := uint(Call(abi.CmdGetPhysicalDeviceDescriptorSizeEXT, unsafe.Pointer(&abi.GetPhysicalDeviceDescriptorSizeEXTArgs{DescriptorType: abi.DescriptorTypeStorageBuffer})))
	must(p, abi.CmdWriteResourceDescriptorsEXT, &abi.WriteResourceDescriptorsEXTArgs{Device: p.device, ResourceCount: 1, PResources: &info, PDescriptors: &abi.HostAddressRangeEXT{Address: unsafe.Pointer(&memory[8]), Size: size}})
	code := p.words(numbers)
	module := abi.ShaderModuleCreateInfo{SType: abi.StructureTypeShaderModuleCreateInfo, CodeSize: uint(len(code) * 4), PCode: &code[0]}
	mapped := abi.DescriptorSetAndBindingMappingEXT{SType: abi.StructureTypeDescriptorSetAndBindingMappingEXT, BindingCount: 1, ResourceMask: 0x7fffffff, Source: abi.DescriptorMappingSourceHeapWithConstantOffsetEXT}
	(*abi.DescriptorMappingSourceConstantOffsetEXT)(unsafe.Pointer(&mapped.SourceData)).HeapOffset = 32
	places := abi.ShaderDescriptorSetAndBindingMappingInfoEXT{SType: abi.StructureTypeShaderDescriptorSetAndBindingMappingInfoEXT, PNext: unsafe.Pointer(&module), MappingCount: 1, PMappings: &mapped}
	flags := abi.PipelineCreateFlags2CreateInfo{SType: abi.StructureTypePipelineCreateFlags2CreateInfo, Flags: abi.PipelineCreate2DescriptorHeapBitEXT | abi.PipelineCreate2IndirectBindableBitEXT}
	must(p, abi.CmdCreateComputePipelines, &abi.CreateComputePipelinesArgs{Device: p.device, CreateInfoCount: 1, PPipelines: &pipe, PCreateInfos: &abi.ComputePipelineCreateInfo{SType: abi.StructureTypeComputePipelineCreateInfo, PNext: unsafe.Pointer(&flags), Stage: abi.PipelineShaderStageCreateInfo{SType: abi.StructureTypePipelineShaderStageCreateInfo, PNext: unsafe.Pointer(&places), Stage: abi.ShaderStageComputeBit, PName: &mainName[0]}}})
	heap = abi.BindHeapInfoEXT{HeapRange: abi.DeviceAddressRangeKHR{Address: at, Size: 256}}
	return pipe, heap, func(c abi.CommandBuffer) {
		do(abi.CmdCmdBindPipeline, &abi.CmdBindPipelineArgs{CommandBuffer: c, PipelineBindPoint: abi.PipelineBindPointCompute, Pipeline: pipe})
		do(abi.CmdCmdBindResourceHeapEXT, &abi.CmdBindResourceHeapEXTArgs{CommandBuffer: c, PBindInfo: &heap})
	}, content
}

// TestHeapStructure writes a descriptor of an acceleration structure to a heap: it has the address, as that of a descriptor buffer, with
// any size of the range.
func TestHeapStructure(t *testing.T) {
	p := newProgram(t)
	var heap, buffer [64]byte
	place := abi.DeviceAddressRangeKHR{Address: 0x123400}
	info := abi.ResourceDescriptorInfoEXT{SType: abi.StructureTypeResourceDescriptorInfoEXT, Type: abi.DescriptorTypeAccelerationStructureKHR}
	*(*unsafe.Pointer)(unsafe.Pointer(&info.Data)) = unsafe.Pointer(&place)
	must(p, abi.CmdWriteResourceDescriptorsEXT, &abi.WriteResourceDescriptorsEXTArgs{Device: p.device, ResourceCount: 1, PResources: &info, PDescriptors: &abi.HostAddressRangeEXT{Address: unsafe.Pointer(&heap[0]), Size: 64}})
	get := abi.DescriptorGetInfoEXT{SType: abi.StructureTypeDescriptorGetInfoEXT, Type: abi.DescriptorTypeAccelerationStructureKHR}
	*(*uint64)(unsafe.Pointer(&get.Data)) = place.Address
	do(abi.CmdGetDescriptorEXT, &abi.GetDescriptorEXTArgs{Device: p.device, PDescriptorInfo: &get, DataSize: 64, PDescriptor: unsafe.Pointer(&buffer[0])})
	if heap == [64]byte{} || heap != buffer {
		t.Errorf("descriptor %x in a heap, %x in a buffer; must be the same and not null", heap, buffer)
	}
}

// TestDescriptorHeapCalls runs a kernel with its descriptor in a heap and its push constants as push data.
func TestDescriptorHeapCalls(t *testing.T) {
	p := newProgram(t)
	pipe, heap, bind, content := p.heapKernel()
	factor := uint32(7)
	p.submit(func(c abi.CommandBuffer) {
		bind(c)
		do(abi.CmdCmdPushDataEXT, &abi.CmdPushDataEXTArgs{CommandBuffer: c, PPushDataInfo: &abi.PushDataInfoEXT{SType: abi.StructureTypePushDataInfoEXT, Data: abi.HostAddressRangeConstEXT{Address: unsafe.Pointer(&factor), Size: 4}}})
		dispatch(c)
	})
	p.multiples(content, 7)
	p.inheritsHeap(heap, pipe)
	p.multiples(content, 9)
	samplers := make([]byte, 64)
	must(p, abi.CmdWriteSamplerDescriptorsEXT, &abi.WriteSamplerDescriptorsEXTArgs{Device: p.device, SamplerCount: 1, PSamplers: &abi.SamplerCreateInfo{SType: abi.StructureTypeSamplerCreateInfo}, PDescriptors: &abi.HostAddressRangeEXT{Address: unsafe.Pointer(&samplers[0]), Size: 32}})
	if !slices.ContainsFunc(samplers[:32], func(b byte) bool { return b != 0 }) {
		t.Error("the descriptor of a sampler is null")
	}
	first, second := uint32(0), uint32(0)
	must(p, abi.CmdRegisterCustomBorderColorEXT, &abi.RegisterCustomBorderColorEXTArgs{Device: p.device, PBorderColor: &abi.SamplerCustomBorderColorCreateInfoEXT{SType: abi.StructureTypeSamplerCustomBorderColorCreateInfoEXT}, PIndex: &first})
	must(p, abi.CmdRegisterCustomBorderColorEXT, &abi.RegisterCustomBorderColorEXTArgs{Device: p.device, PBorderColor: &abi.SamplerCustomBorderColorCreateInfoEXT{SType: abi.StructureTypeSamplerCustomBorderColorCreateInfoEXT}, PIndex: &second})
	if first == second {
		t.Errorf("two border colors have the index %d", first)
	}
	do(abi.CmdUnregisterCustomBorderColorEXT, &abi.UnregisterCustomBorderColorEXTArgs{Device: p.device, Index: first})
	must(p, abi.CmdRegisterCustomBorderColorEXT, &abi.RegisterCustomBorderColorEXTArgs{Device: p.device, PBorderColor: &abi.SamplerCustomBorderColorCreateInfoEXT{SType: abi.StructureTypeSamplerCustomBorderColorCreateInfoEXT}, RequestIndex: abi.True, PIndex: &first})
	if r := do(abi.CmdRegisterCustomBorderColorEXT, &abi.RegisterCustomBorderColorEXTArgs{Device: p.device, PBorderColor: &abi.SamplerCustomBorderColorCreateInfoEXT{SType: abi.StructureTypeSamplerCustomBorderColorCreateInfoEXT}, RequestIndex: abi.True, PIndex: &first}); r != abi.ErrorTooManyObjects {
		t.Errorf("an index in use is registered: %d", r)
	}
}

// inheritsHeap runs a kernel with the factor 9 in a secondary command buffer that inherits a heap of resources.
func (p *program) inheritsHeap(heap abi.BindHeapInfoEXT, pipe abi.Pipeline) {
	p.Helper()
	pool, _ := p.commands()
	var second abi.CommandBuffer
	must(p, abi.CmdAllocateCommandBuffers, &abi.AllocateCommandBuffersArgs{Device: p.device, PAllocateInfo: &abi.CommandBufferAllocateInfo{CommandPool: pool, Level: abi.CommandBufferLevelSecondary, CommandBufferCount: 1}, PCommandBuffers: &second})
	heaps := abi.CommandBufferInheritanceDescriptorHeapInfoEXT{SType: abi.StructureTypeCommandBufferInheritanceDescriptorHeapInfoEXT, PResourceHeapBindInfo: &heap}
	must(p, abi.CmdBeginCommandBuffer, &abi.BeginCommandBufferArgs{CommandBuffer: second, PBeginInfo: &abi.CommandBufferBeginInfo{PInheritanceInfo: &abi.CommandBufferInheritanceInfo{PNext: unsafe.Pointer(&heaps)}}})
	factor := uint32(9)
	do(abi.CmdCmdBindPipeline, &abi.CmdBindPipelineArgs{CommandBuffer: second, PipelineBindPoint: abi.PipelineBindPointCompute, Pipeline: pipe})
	do(abi.CmdCmdPushDataEXT, &abi.CmdPushDataEXTArgs{CommandBuffer: second, PPushDataInfo: &abi.PushDataInfoEXT{SType: abi.StructureTypePushDataInfoEXT, Data: abi.HostAddressRangeConstEXT{Address: unsafe.Pointer(&factor), Size: 4}}})
	dispatch(second)
	must(p, abi.CmdEndCommandBuffer, &abi.EndCommandBufferArgs{CommandBuffer: second})
	p.submit(func(c abi.CommandBuffer) {
		do(abi.CmdCmdBindResourceHeapEXT, &abi.CmdBindResourceHeapEXTArgs{CommandBuffer: c, PBindInfo: &heap})
		do(abi.CmdCmdExecuteCommands, &abi.CmdExecuteCommandsArgs{CommandBuffer: c, CommandBufferCount: 1, PCommandBuffers: &second})
	})
	do(abi.CmdDestroyCommandPool, &abi.DestroyCommandPoolArgs{Device: p.device, CommandPool: pool})
}

// TestAddressCopies copies between addresses that are in memory.
func TestAddressCopies(t *testing.T) {
	p := newProgram(t)
	_, from, source := p.addressed(abi.BufferUsageTransferSrcBit, 4)
	_, to, target := p.addressed(abi.BufferUsageTransferDstBit, 4)
	_, list, commands := p.addressed(abi.BufferUsageIndirectBufferBit, 6)
	copy(source, []uint32{1, 2, 3, 4})
	copy(commands, []uint32{uint32(from), uint32(from >> 32), uint32(to), uint32(to >> 32), 16, 0})
	p.submit(func(c abi.CommandBuffer) {
		do(abi.CmdCmdCopyMemoryIndirectKHR, &abi.CmdCopyMemoryIndirectKHRArgs{CommandBuffer: c, PCopyMemoryIndirectInfo: &abi.CopyMemoryIndirectInfoKHR{CopyCount: 1, CopyAddressRange: abi.StridedDeviceAddressRangeKHR{Address: list, Size: 24, Stride: 24}}})
	})
	if !slices.Equal(source, target) {
		t.Errorf("copied %d; must be %d", target, source)
	}
	clear(target)
	p.submit(func(c abi.CommandBuffer) {
		do(abi.CmdCmdCopyMemoryIndirectNV, &abi.CmdCopyMemoryIndirectNVArgs{CommandBuffer: c, CopyBufferAddress: list, CopyCount: 1, Stride: 24})
	})
	if !slices.Equal(source, target) {
		t.Errorf("copied %d; must be %d", target, source)
	}
}

// TestExternalMemory exports memory as a file and imports it: both allocations show the same bytes. On a system without files of
// memory both fail, and no property announces them.
func TestExternalMemory(t *testing.T) {
	p := newProgram(t)
	export := abi.ExportMemoryAllocateInfo{SType: abi.StructureTypeExportMemoryAllocateInfo, HandleTypes: abi.ExternalMemoryHandleTypeOpaqueFdBit}
	var first, second abi.DeviceMemory
	exported := abi.AllocateMemoryArgs{Device: p.device, PAllocateInfo: &abi.MemoryAllocateInfo{PNext: unsafe.Pointer(&export), AllocationSize: 4096}, PMemory: &first}
	if runtime.GOOS != "linux" {
		take := abi.ImportMemoryFdInfoKHR{SType: abi.StructureTypeImportMemoryFdInfoKHR, HandleType: abi.ExternalMemoryHandleTypeOpaqueFdBit}
		imported := abi.AllocateMemoryArgs{Device: p.device, PAllocateInfo: &abi.MemoryAllocateInfo{PNext: unsafe.Pointer(&take), AllocationSize: 4096}, PMemory: &second}
		if r := do(abi.CmdAllocateMemory, &exported); r != abi.ErrorUnknown || first != 0 {
			t.Errorf("an export returns %d", r)
		}
		if r := do(abi.CmdAllocateMemory, &imported); r != abi.ErrorInvalidExternalHandle || second != 0 {
			t.Errorf("an import returns %d", r)
		}
		if externalMemory(abi.ExternalMemoryHandleTypeOpaqueFdBit).ExternalMemoryFeatures != 0 || slices.ContainsFunc(announced(false), func(e *abi.Extension) bool { return slices.Contains(fileNames, e.Name) }) {
			t.Error("files of memory are announced")
		}
		return
	}
	must(p, abi.CmdAllocateMemory, &exported)
	file := int32(-1)
	must(p, abi.CmdGetMemoryFdKHR, &abi.GetMemoryFdKHRArgs{Device: p.device, PGetFdInfo: &abi.MemoryGetFdInfoKHR{Memory: first, HandleType: abi.ExternalMemoryHandleTypeOpaqueFdBit}, PFd: &file})
	take := abi.ImportMemoryFdInfoKHR{SType: abi.StructureTypeImportMemoryFdInfoKHR, HandleType: abi.ExternalMemoryHandleTypeOpaqueFdBit, Fd: file}
	allocate := abi.AllocateMemoryArgs{Device: p.device, PAllocateInfo: &abi.MemoryAllocateInfo{PNext: unsafe.Pointer(&take), AllocationSize: 8192}, PMemory: &second}
	if r := do(abi.CmdAllocateMemory, &allocate); r != abi.ErrorInvalidExternalHandle {
		t.Errorf("an import of another size returns %d", r)
	}
	allocate.PAllocateInfo.AllocationSize = 4096 // the failed import has not taken the file
	must(p, abi.CmdAllocateMemory, &allocate)
	var a, b *uint32
	must(p, abi.CmdMapMemory, &abi.MapMemoryArgs{Device: p.device, Memory: first, Size: 4096, PpData: unsafe.Pointer(&a)})
	must(p, abi.CmdMapMemory, &abi.MapMemoryArgs{Device: p.device, Memory: second, Size: 4096, PpData: unsafe.Pointer(&b)})
	if *a = 7; *b != 7 || a == b {
		t.Errorf("the imported memory has %d; must be 7", *b)
	}
}

// TestExternalSync exports a semaphore and a fence as a sync file that is signaled, and imports it.
func TestExternalSync(t *testing.T) {
	p := newProgram(t)
	var s abi.Semaphore
	must(p, abi.CmdCreateSemaphore, &abi.CreateSemaphoreArgs{Device: p.device, PCreateInfo: &abi.SemaphoreCreateInfo{}, PSemaphore: &s})
	var f abi.Fence
	must(p, abi.CmdCreateFence, &abi.CreateFenceArgs{Device: p.device, PCreateInfo: &abi.FenceCreateInfo{}, PFence: &f})
	must(p, abi.CmdQueueSubmit, &abi.QueueSubmitArgs{Queue: p.queue, SubmitCount: 1, PSubmits: &abi.SubmitInfo{SignalSemaphoreCount: 1, PSignalSemaphores: &s}, Fence: f})
	// Without a pending signal an export fails and does not wait, and so does an import of a file that is no sync file.
	file := int32(0)
	unsignaled := abi.Fence(0)
	must(p, abi.CmdCreateFence, &abi.CreateFenceArgs{Device: p.device, PCreateInfo: &abi.FenceCreateInfo{}, PFence: &unsignaled})
	if r := do(abi.CmdGetFenceFdKHR, &abi.GetFenceFdKHRArgs{Device: p.device, PGetFdInfo: &abi.FenceGetFdInfoKHR{Fence: unsignaled, HandleType: abi.ExternalFenceHandleTypeSyncFdBit}, PFd: &file}); r >= 0 {
		t.Errorf("an export of a fence without a pending signal returns %d", r)
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	defer writer.Close()
	if r := do(abi.CmdImportFenceFdKHR, &abi.ImportFenceFdKHRArgs{Device: p.device, PImportFenceFdInfo: &abi.ImportFenceFdInfoKHR{Fence: unsignaled, HandleType: abi.ExternalFenceHandleTypeSyncFdBit, Fd: int32(reader.Fd())}}); r != abi.ErrorInvalidExternalHandle {
		t.Errorf("an import of a pipe returns %d", r)
	}
	must(p, abi.CmdGetSemaphoreFdKHR, &abi.GetSemaphoreFdKHRArgs{Device: p.device, PGetFdInfo: &abi.SemaphoreGetFdInfoKHR{Semaphore: s, HandleType: abi.ExternalSemaphoreHandleTypeSyncFdBit}, PFd: &file})
	if file != -1 {
		t.Fatalf("the semaphore is the file %d; must be −1", file)
	}
	must(p, abi.CmdImportSemaphoreFdKHR, &abi.ImportSemaphoreFdKHRArgs{Device: p.device, PImportSemaphoreFdInfo: &abi.ImportSemaphoreFdInfoKHR{Semaphore: s, Flags: abi.SemaphoreImportTemporaryBit, HandleType: abi.ExternalSemaphoreHandleTypeSyncFdBit, Fd: file}})
	if r := do(abi.CmdImportFenceFdKHR, &abi.ImportFenceFdKHRArgs{Device: p.device, PImportFenceFdInfo: &abi.ImportFenceFdInfoKHR{Fence: f, HandleType: abi.ExternalFenceHandleTypeSyncFdBit, Fd: -2}}); r != abi.ErrorInvalidExternalHandle {
		t.Errorf("an import of the file −2 returns %d", r)
	}
	file = 0
	must(p, abi.CmdGetFenceFdKHR, &abi.GetFenceFdKHRArgs{Device: p.device, PGetFdInfo: &abi.FenceGetFdInfoKHR{Fence: f, HandleType: abi.ExternalFenceHandleTypeSyncFdBit}, PFd: &file})
	if r := do(abi.CmdGetFenceStatus, &abi.GetFenceStatusArgs{Device: p.device, Fence: f}); r != abi.NotReady || file != -1 {
		t.Errorf("the exported fence has the status %d, its file is %d", r, file)
	}
	must(p, abi.CmdImportFenceFdKHR, &abi.ImportFenceFdKHRArgs{Device: p.device, PImportFenceFdInfo: &abi.ImportFenceFdInfoKHR{Fence: f, Flags: abi.FenceImportTemporaryBit, HandleType: abi.ExternalFenceHandleTypeSyncFdBit, Fd: file}})
	must(p, abi.CmdWaitForFences, &abi.WaitForFencesArgs{Device: p.device, FenceCount: 1, PFences: &f, WaitAll: abi.True, Timeout: abi.WholeSize})
	must(p, abi.CmdQueueSubmit, &abi.QueueSubmitArgs{Queue: p.queue, SubmitCount: 1, PSubmits: &abi.SubmitInfo{WaitSemaphoreCount: 1, PWaitSemaphores: &s}})
	must(p, abi.CmdQueueWaitIdle, &abi.QueueWaitIdleArgs{Queue: p.queue})
}

// TestPresentWait presents images with numbers, fences and desired times, and waits for them.
func TestPresentWait(t *testing.T) {
	p := newProgram(t)
	var surface abi.SurfaceKHR
	must(p, abi.CmdCreateHeadlessSurfaceEXT, &abi.CreateHeadlessSurfaceEXTArgs{Instance: p.instance, PSurface: &surface})
	var chain abi.SwapchainKHR
	must(p, abi.CmdCreateSwapchainKHR, &abi.CreateSwapchainKHRArgs{Device: p.device, PSwapchain: &chain, PCreateInfo: &abi.SwapchainCreateInfoKHR{Surface: surface, MinImageCount: 3, ImageFormat: abi.FormatB8g8r8a8Unorm, ImageExtent: abi.Extent2D{Width: 5, Height: 4}, ImageArrayLayers: 1, ImageUsage: abi.ImageUsageTransferDstBit, PresentMode: abi.PresentModeFifoKHR}})
	var f abi.Fence
	must(p, abi.CmdCreateFence, &abi.CreateFenceArgs{Device: p.device, PCreateInfo: &abi.FenceCreateInfo{}, PFence: &f})
	for n, mode := range []uint32{abi.PresentModeImmediateKHR, abi.PresentModeFifoLatestReadyKHR, abi.PresentModeMailboxKHR} {
		var index uint32
		must(p, abi.CmdAcquireNextImageKHR, &abi.AcquireNextImageKHRArgs{Device: p.device, Swapchain: chain, Timeout: abi.WholeSize, Fence: f, PImageIndex: &index})
		must(p, abi.CmdWaitForFences, &abi.WaitForFencesArgs{Device: p.device, FenceCount: 1, PFences: &f, WaitAll: abi.True, Timeout: abi.WholeSize})
		must(p, abi.CmdResetFences, &abi.ResetFencesArgs{Device: p.device, FenceCount: 1, PFences: &f})
		number := uint64(n) + 10
		ids := abi.PresentIdKHR{SType: abi.StructureTypePresentIdKHR, SwapchainCount: 1, PPresentIds: &number}
		fence := abi.SwapchainPresentFenceInfoKHR{SType: abi.StructureTypeSwapchainPresentFenceInfoKHR, PNext: unsafe.Pointer(&ids), SwapchainCount: 1, PFences: &f}
		modes := abi.SwapchainPresentModeInfoKHR{SType: abi.StructureTypeSwapchainPresentModeInfoKHR, PNext: unsafe.Pointer(&fence), SwapchainCount: 1, PPresentModes: &mode}
		times := abi.PresentTimesInfoGOOGLE{SType: abi.StructureTypePresentTimesInfoGOOGLE, PNext: unsafe.Pointer(&modes), SwapchainCount: 1, PTimes: &abi.PresentTimeGOOGLE{PresentID: uint32(n) + 1, DesiredPresentTime: monotonic() + 1e6}}
		wait := abi.WaitForPresentKHRArgs{Device: p.device, Swapchain: chain, PresentId: number, Timeout: 1000}
		if r := do(abi.CmdWaitForPresentKHR, &wait); r != abi.Timeout {
			t.Errorf("a wait for a present that did not happen returns %d", r)
		}
		must(p, abi.CmdQueuePresentKHR, &abi.QueuePresentKHRArgs{Queue: p.queue, PPresentInfo: &abi.PresentInfoKHR{PNext: unsafe.Pointer(&times), SwapchainCount: 1, PSwapchains: &chain, PImageIndices: &index}})
		wait.Timeout = abi.WholeSize
		must(p, abi.CmdWaitForPresentKHR, &wait)
		must(p, abi.CmdWaitForFences, &abi.WaitForFencesArgs{Device: p.device, FenceCount: 1, PFences: &f, WaitAll: abi.True, Timeout: abi.WholeSize})
		must(p, abi.CmdResetFences, &abi.ResetFencesArgs{Device: p.device, FenceCount: 1, PFences: &f})
	}
	n := uint32(4)
	var past [4]abi.PastPresentationTimingGOOGLE
	must(p, abi.CmdGetPastPresentationTimingGOOGLE, &abi.GetPastPresentationTimingGOOGLEArgs{Device: p.device, Swapchain: chain, PPresentationTimingCount: &n, PPresentationTimings: &past[0]})
	if n != 3 {
		t.Errorf("%d presents have times; must be 3", n)
	}
	for i, x := range past[:n] {
		if x.PresentID != uint32(i)+1 || x.ActualPresentTime < x.DesiredPresentTime {
			t.Errorf("present %d has the number %d, desired at %d, shown at %d", i, x.PresentID, x.DesiredPresentTime, x.ActualPresentTime)
		}
	}
	var index uint32
	must(p, abi.CmdAcquireNextImageKHR, &abi.AcquireNextImageKHRArgs{Device: p.device, Swapchain: chain, Timeout: abi.WholeSize, Fence: f, PImageIndex: &index})
	must(p, abi.CmdReleaseSwapchainImagesKHR, &abi.ReleaseSwapchainImagesKHRArgs{Device: p.device, PReleaseInfo: &abi.ReleaseSwapchainImagesInfoKHR{Swapchain: chain, ImageIndexCount: 1, PImageIndices: &index}})
	do(abi.CmdDestroySwapchainKHR, &abi.DestroySwapchainKHRArgs{Device: p.device, Swapchain: chain})
}
