package driver

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// launches is a ray generation shader that executes the callable shader of record 1 on its number x, and stores the result as word x at the
// address in its record.
const launches = `OpCapability RayTracingKHR
OpCapability PhysicalStorageBufferAddresses
OpExtension "SPV_KHR_ray_tracing"
%1 = OpExtInstImport "GLSL.std.450"
OpMemoryModel PhysicalStorageBuffer64 GLSL450
OpEntryPoint RayGenerationNV %main "main" %d %gl_LaunchIDEXT %_
OpDecorate %gl_LaunchIDEXT BuiltIn LaunchIdNV
OpMemberDecorate %R 0 Offset 0
OpDecorate %R Block
OpDecorate %_runtimearr_uint ArrayStride 4
OpMemberDecorate %O 0 Offset 0
OpDecorate %O Block
%void = OpTypeVoid
%3 = OpTypeFunction %void
%uint = OpTypeInt 32 0
%_ptr_CallableDataNV_uint = OpTypePointer CallableDataNV %uint
%d = OpVariable %_ptr_CallableDataNV_uint CallableDataNV
%v3uint = OpTypeVector %uint 3
%_ptr_Input_v3uint = OpTypePointer Input %v3uint
%gl_LaunchIDEXT = OpVariable %_ptr_Input_v3uint Input
%uint_0 = OpConstant %uint 0
%_ptr_Input_uint = OpTypePointer Input %uint
%uint_1 = OpConstant %uint 1
%int = OpTypeInt 32 1
%int_0 = OpConstant %int 0
OpTypeForwardPointer %_ptr_PhysicalStorageBuffer_O PhysicalStorageBuffer
%R = OpTypeStruct %_ptr_PhysicalStorageBuffer_O
%_runtimearr_uint = OpTypeRuntimeArray %uint
%O = OpTypeStruct %_runtimearr_uint
%_ptr_PhysicalStorageBuffer_O = OpTypePointer PhysicalStorageBuffer %O
%_ptr_ShaderRecordBufferNV_R = OpTypePointer ShaderRecordBufferNV %R
%_ = OpVariable %_ptr_ShaderRecordBufferNV_R ShaderRecordBufferNV
%_ptr_ShaderRecordBufferNV__ptr_PhysicalStorageBuffer_O = OpTypePointer ShaderRecordBufferNV %_ptr_PhysicalStorageBuffer_O
%_ptr_PhysicalStorageBuffer_uint = OpTypePointer PhysicalStorageBuffer %uint
%main = OpFunction %void None %3
%5 = OpLabel
%14 = OpAccessChain %_ptr_Input_uint %gl_LaunchIDEXT %uint_0
%15 = OpLoad %uint %14
OpStore %d %15
OpExecuteCallableKHR %uint_1 %d
%26 = OpAccessChain %_ptr_ShaderRecordBufferNV__ptr_PhysicalStorageBuffer_O %_ %int_0
%27 = OpLoad %_ptr_PhysicalStorageBuffer_O %26
%28 = OpAccessChain %_ptr_Input_uint %gl_LaunchIDEXT %uint_0
%29 = OpLoad %uint %28
%30 = OpLoad %uint %d
%32 = OpAccessChain %_ptr_PhysicalStorageBuffer_uint %27 %int_0 %29
OpStore %32 %30 Aligned 4
OpReturn
OpFunctionEnd
`

// multiplies is a callable shader that multiplies its data by the word of its record.
const multiplies = `OpCapability RayTracingKHR
OpExtension "SPV_KHR_ray_tracing"
%1 = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint CallableNV %main "main" %p %_
OpMemberDecorate %R 0 Offset 0
OpDecorate %R Block
%void = OpTypeVoid
%3 = OpTypeFunction %void
%uint = OpTypeInt 32 0
%_ptr_IncomingCallableDataNV_uint = OpTypePointer IncomingCallableDataNV %uint
%p = OpVariable %_ptr_IncomingCallableDataNV_uint IncomingCallableDataNV
%R = OpTypeStruct %uint
%_ptr_ShaderRecordBufferNV_R = OpTypePointer ShaderRecordBufferNV %R
%_ = OpVariable %_ptr_ShaderRecordBufferNV_R ShaderRecordBufferNV
%int = OpTypeInt 32 1
%int_0 = OpConstant %int 0
%_ptr_ShaderRecordBufferNV_uint = OpTypePointer ShaderRecordBufferNV %uint
%main = OpFunction %void None %3
%5 = OpLabel
%15 = OpAccessChain %_ptr_ShaderRecordBufferNV_uint %_ %int_0
%16 = OpLoad %uint %15
%17 = OpLoad %uint %p
%18 = OpIMul %uint %17 %16
OpStore %p %18
OpReturn
OpFunctionEnd
`

// raysOf makes a ray tracing pipeline of one stage and one group.
func (p *program) raysOf(layout abi.PipelineLayout, source string, stage uint32, more func(*abi.RayTracingPipelineCreateInfoKHR)) (pipe abi.Pipeline) {
	words := p.words(source)
	var module abi.ShaderModule
	must(p, abi.CmdCreateShaderModule, &abi.CreateShaderModuleArgs{Device: p.device, PCreateInfo: &abi.ShaderModuleCreateInfo{SType: abi.StructureTypeShaderModuleCreateInfo, CodeSize: uint(len(words) * 4), PCode: &words[0]}, PShaderModule: &module})
	info := abi.RayTracingPipelineCreateInfoKHR{SType: abi.StructureTypeRayTracingPipelineCreateInfoKHR,
		StageCount: 1, PStages: &abi.PipelineShaderStageCreateInfo{SType: abi.StructureTypePipelineShaderStageCreateInfo, Stage: stage, Module: module, PName: &mainName[0]}, GroupCount: 1,
		PGroups:           &abi.RayTracingShaderGroupCreateInfoKHR{SType: abi.StructureTypeRayTracingShaderGroupCreateInfoKHR, ClosestHitShader: ^uint32(0), AnyHitShader: ^uint32(0), IntersectionShader: ^uint32(0)},
		PLibraryInterface: &abi.RayTracingPipelineInterfaceCreateInfoKHR{SType: abi.StructureTypeRayTracingPipelineInterfaceCreateInfoKHR, MaxPipelineRayPayloadSize: 4, MaxPipelineRayHitAttributeSize: 8},
		Layout:            layout, MaxPipelineRayRecursionDepth: 1,
	}
	more(&info)
	var operation abi.DeferredOperationKHR
	must(p, abi.CmdCreateDeferredOperationKHR, &abi.CreateDeferredOperationKHRArgs{Device: p.device, PDeferredOperation: &operation})
	args := abi.CreateRayTracingPipelinesKHRArgs{Device: p.device, DeferredOperation: operation, CreateInfoCount: 1, PCreateInfos: &info, PPipelines: &pipe}
	if r := do(abi.CmdCreateRayTracingPipelinesKHR, &args); r != abi.OperationNotDeferredKHR {
		p.Fatalf("the creation returns %d; must be %d", r, abi.OperationNotDeferredKHR)
	}
	do(abi.CmdDestroyDeferredOperationKHR, &abi.DestroyDeferredOperationKHRArgs{Device: p.device, Operation: operation})
	return pipe
}

// TestRayTracing traces by each command, with a pipeline of a library.
func TestRayTracing(t *testing.T) {
	p := newProgram(t)
	_, layout := p.layouts(0)
	library := p.raysOf(layout, multiplies, abi.ShaderStageCallableBitKHR, func(i *abi.RayTracingPipelineCreateInfoKHR) {
		i.Flags = abi.PipelineCreateLibraryBitKHR
	})
	state := uint32(abi.DynamicStateRayTracingPipelineStackSizeKHR)
	pipe := p.raysOf(layout, launches, abi.ShaderStageRaygenBitKHR, func(i *abi.RayTracingPipelineCreateInfoKHR) {
		i.PLibraryInfo = &abi.PipelineLibraryCreateInfoKHR{SType: abi.StructureTypePipelineLibraryCreateInfoKHR, LibraryCount: 1, PLibraries: &library}
		i.PDynamicState = &abi.PipelineDynamicStateCreateInfo{SType: abi.StructureTypePipelineDynamicStateCreateInfo, DynamicStateCount: 1, PDynamicStates: &state}
	})
	do(abi.CmdDestroyPipeline, &abi.DestroyPipelineArgs{Device: p.device, Pipeline: library})
	stack := Call(abi.CmdGetRayTracingShaderGroupStackSizeKHR, unsafe.Pointer(&abi.GetRayTracingShaderGroupStackSizeKHRArgs{Device: p.device, Pipeline: pipe}))
	if stack == 0 {
		t.Error("the ray generation shader needs no stack; must need some")
	}

	// The table has the ray generation record in the first 64 bytes, then two callable records, then the arguments of indirect traces.
	_, address, table := p.addressed(abi.BufferUsageShaderBindingTableBitKHR|abi.BufferUsageIndirectBufferBit, 128)
	_, to, content := p.addressed(abi.BufferUsageStorageBufferBit, 8)
	var handles [16]uint32
	must(p, abi.CmdGetRayTracingShaderGroupHandlesKHR, &abi.GetRayTracingShaderGroupHandlesKHRArgs{Device: p.device, Pipeline: pipe, GroupCount: 2, DataSize: 64, PData: unsafe.Pointer(&handles)})
	list := listen(t)
	callback := byte(0)
	messages := abi.DebugUtilsMessengerCreateInfoEXT{SType: abi.StructureTypeDebugUtilsMessengerCreateInfoEXT, MessageSeverity: severeError, MessageType: ofValidation, PfnUserCallback: unsafe.Pointer(&callback)}
	var messenger abi.DebugUtilsMessengerEXT
	must(p, abi.CmdCreateDebugUtilsMessengerEXT, &abi.CreateDebugUtilsMessengerEXTArgs{Instance: p.instance, PCreateInfo: &messages, PMessenger: &messenger})
	short := [16]uint32{0: 77, 8: 77}
	if r := do(abi.CmdGetRayTracingShaderGroupHandlesKHR, &abi.GetRayTracingShaderGroupHandlesKHRArgs{Device: p.device, Pipeline: pipe, GroupCount: 2, DataSize: 63, PData: unsafe.Pointer(&short)}); r >= 0 || short != [16]uint32{0: 77, 8: 77} {
		t.Errorf("63 bytes for two handles: the result is %d and the memory has %v; must be an error and have no handle", r, short)
	}
	if len(*list) != 1 || (*list)[0].id != vuid.VkGetRayTracingShaderGroupHandlesKHR_dataSize_02420 {
		t.Errorf("63 bytes for two handles: the messages are %+v", *list)
	}
	do(abi.CmdDestroyDebugUtilsMessengerEXT, &abi.DestroyDebugUtilsMessengerEXTArgs{Instance: p.instance, Messenger: messenger})
	copy(table, handles[:8])
	copy(table[32:], handles[8:])
	*(*uint64)(unsafe.Pointer(&table[8])) = to
	table[40] = 3
	raygen := abi.StridedDeviceAddressRegionKHR{DeviceAddress: address, Stride: 64, Size: 64}
	callable := abi.StridedDeviceAddressRegionKHR{DeviceAddress: address + 64, Stride: 64, Size: 128}
	copy(table[48:], table[32:48])
	var none abi.StridedDeviceAddressRegionKHR
	second := (*[13]uint64)(unsafe.Pointer(&table[64]))
	*second = [13]uint64{address, 64, 8: address + 64, 9: 128, 10: 64, 11: 8 | 1<<32, 12: 1}
	direct := &abi.CmdTraceRaysKHRArgs{PRaygenShaderBindingTable: &raygen, PMissShaderBindingTable: &none, PHitShaderBindingTable: &none, PCallableShaderBindingTable: &callable, Width: 8, Height: 1, Depth: 1}
	indirect := &abi.CmdTraceRaysIndirectKHRArgs{PRaygenShaderBindingTable: &raygen, PMissShaderBindingTable: &none, PHitShaderBindingTable: &none, PCallableShaderBindingTable: &callable, IndirectDeviceAddress: address + 256 + 88}
	for what, trace := range map[string]func(abi.CommandBuffer){
		"direct":   func(c abi.CommandBuffer) { direct.CommandBuffer = c; do(abi.CmdCmdTraceRaysKHR, direct) },
		"indirect": func(c abi.CommandBuffer) { indirect.CommandBuffer = c; do(abi.CmdCmdTraceRaysIndirectKHR, indirect) },
		"second indirect": func(c abi.CommandBuffer) {
			do(abi.CmdCmdTraceRaysIndirect2KHR, &abi.CmdTraceRaysIndirect2KHRArgs{CommandBuffer: c, IndirectDeviceAddress: address + 256})
		},
	} {
		p.submit(func(c abi.CommandBuffer) {
			do(abi.CmdCmdBindPipeline, &abi.CmdBindPipelineArgs{CommandBuffer: c, PipelineBindPoint: abi.PipelineBindPointRayTracingKHR, Pipeline: pipe})
			do(abi.CmdCmdSetRayTracingPipelineStackSizeKHR, &abi.CmdSetRayTracingPipelineStackSizeKHRArgs{CommandBuffer: c, PipelineStackSize: 256})
			trace(c)
		})
		t.Log(what)
		p.multiples(content, 3)
		clear(content)
	}
	do(abi.CmdDestroyPipeline, &abi.DestroyPipelineArgs{Device: p.device, Pipeline: pipe})
}

// TestLeftoverRayPipeline names a ray tracing pipeline and destroys its device: its handle is stale afterwards.
func TestLeftoverRayPipeline(t *testing.T) {
	listen(t)
	i := newInstance(t, nil)
	d, _ := newTestDevice(t, i)
	p := &program{T: t, instance: i, device: d}
	_, layout := p.layouts(0)
	pipe := p.raysOf(layout, multiplies, abi.ShaderStageCallableBitKHR, func(i *abi.RayTracingPipelineCreateInfoKHR) {})
	must(p, abi.CmdSetDebugUtilsObjectNameEXT, &abi.SetDebugUtilsObjectNameEXTArgs{Device: d, PNameInfo: &abi.DebugUtilsObjectNameInfoEXT{ObjectType: abi.ObjectTypePipeline, ObjectHandle: uint64(pipe), PObjectName: cText(t, "shadows")}})
	if name := pipelines.get(uint64(pipe)).rays.String(); !strings.Contains(name, "shadows") {
		t.Errorf("the pipeline with a name is %s", name)
	}
	do(abi.CmdDestroyDevice, &abi.DestroyDeviceArgs{Device: d})
	if pipelines.get(uint64(pipe)) != nil {
		t.Error("a ray tracing pipeline of a destroyed device has a handle")
	}
}

// TestInvocationReorder checks the features and properties of both extensions that reorder invocations: no hint has an effect, and
// records have at least 2²⁸ numbers.
func TestInvocationReorder(t *testing.T) {
	p := newProgram(t)
	var physical abi.PhysicalDevice
	n := uint32(1)
	must(p, abi.CmdEnumeratePhysicalDevices, &abi.EnumeratePhysicalDevicesArgs{Instance: p.instance, PPhysicalDeviceCount: &n, PPhysicalDevices: &physical})
	nv := abi.PhysicalDeviceRayTracingInvocationReorderFeaturesNV{SType: abi.StructureTypePhysicalDeviceRayTracingInvocationReorderFeaturesNV}
	ext := abi.PhysicalDeviceRayTracingInvocationReorderFeaturesEXT{SType: abi.StructureTypePhysicalDeviceRayTracingInvocationReorderFeaturesEXT, PNext: unsafe.Pointer(&nv)}
	do(abi.CmdGetPhysicalDeviceFeatures2, &abi.GetPhysicalDeviceFeatures2Args{PhysicalDevice: physical, PFeatures: &abi.PhysicalDeviceFeatures2{PNext: unsafe.Pointer(&ext)}})
	if nv.RayTracingInvocationReorder != abi.True || ext.RayTracingInvocationReorder != abi.True {
		t.Errorf("features %d and %d; must be 1", nv.RayTracingInvocationReorder, ext.RayTracingInvocationReorder)
	}
	hint := abi.PhysicalDeviceRayTracingInvocationReorderPropertiesNV{
		SType: abi.StructureTypePhysicalDeviceRayTracingInvocationReorderPropertiesNV, RayTracingInvocationReorderReorderingHint: 7,
	}
	records := abi.PhysicalDeviceRayTracingInvocationReorderPropertiesEXT{
		SType: abi.StructureTypePhysicalDeviceRayTracingInvocationReorderPropertiesEXT, PNext: unsafe.Pointer(&hint), RayTracingInvocationReorderReorderingHint: 7,
	}
	do(abi.CmdGetPhysicalDeviceProperties2, &abi.GetPhysicalDeviceProperties2Args{PhysicalDevice: physical, PProperties: &abi.PhysicalDeviceProperties2{PNext: unsafe.Pointer(&records)}})
	if hint.RayTracingInvocationReorderReorderingHint != 0 || records.RayTracingInvocationReorderReorderingHint != 0 {
		t.Errorf("hints %d and %d; must be 0", hint.RayTracingInvocationReorderReorderingHint, records.RayTracingInvocationReorderReorderingHint)
	}
	if records.MaxShaderBindingTableRecordIndex < 1<<28-1 {
		t.Errorf("%d records; must be at least 2²⁸ − 1", records.MaxShaderBindingTableRecordIndex)
	}
}
