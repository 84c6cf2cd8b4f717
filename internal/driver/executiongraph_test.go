package driver

import (
	"encoding/binary"
	"testing"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/internal/asmtest"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// twoNodes has a root, which sends its word plus 1 to the leaf, and the leaf, which adds 1 to the word of the buffer with that number.
const twoNodes = `OpCapability ShaderEnqueueAMDX
OpExtension "SPV_AMDX_shader_enqueue"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %root "root" %in
OpEntryPoint GLCompute %leaf "leaf" %in %out
OpExecutionMode %root LocalSize 1 1 1
OpExecutionModeId %root StaticNumWorkgroupsAMDX %u1 %u1 %u1
OpExecutionMode %leaf LocalSize 1 1 1
OpExecutionModeId %leaf StaticNumWorkgroupsAMDX %u1 %u1 %u1
OpDecorate %words ArrayStride 4
OpMemberDecorate %block 0 Offset 0
OpDecorate %block Block
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
OpMemberDecorate %word 0 Offset 0
OpDecorateId %payloads PayloadNodeNameAMDX %name
OpDecorateId %payloads NodeMaxPayloadsAMDX %u1
OpDecorateId %payloads PayloadNodeArraySizeAMDX %u1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u2 = OpConstant %uint 2
%name = OpConstantStringAMDX "leaf"
%word = OpTypeStruct %uint
%payloads = OpTypeNodePayloadArrayAMDX %word
%ppayloads = OpTypePointer NodePayloadAMDX %payloads
%pword = OpTypePointer NodePayloadAMDX %uint
%in = OpVariable %ppayloads NodePayloadAMDX
%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %words
%pblock = OpTypePointer StorageBuffer %block
%poutw = OpTypePointer StorageBuffer %uint
%out = OpVariable %pblock StorageBuffer
%root = OpFunction %void None %fn
%l = OpLabel
%pi = OpAccessChain %pword %in %u0 %u0
%i = OpLoad %uint %pi
%a = OpAllocateNodePayloadsAMDX %ppayloads %u2 %u1 %u0
%po = OpAccessChain %pword %a %u0 %u0
%next = OpIAdd %uint %i %u1
OpStore %po %next
OpEnqueueNodePayloadsAMDX %a
OpReturn
OpFunctionEnd
%leaf = OpFunction %void None %fn
%ll = OpLabel
%lp = OpAccessChain %pword %in %u0 %u0
%lv = OpLoad %uint %lp
%lo = OpAccessChain %poutw %out %u0 %lv
%old = OpAtomicIAdd %uint %lo %u1 %u0 %u1
OpReturn
OpFunctionEnd
`

// graphPipelines makes a library of the leaf of twoNodes, a graph or a compute pipeline, and the graph of the root and the library.
func (p *program) graphPipelines(layout abi.PipelineLayout, compute bool) (library, graph abi.Pipeline) {
	words := asmtest.Words(p, twoNodes, spirv.Version16)
	var module abi.ShaderModule
	must(p, abi.CmdCreateShaderModule, &abi.CreateShaderModuleArgs{Device: p.device, PCreateInfo: &abi.ShaderModuleCreateInfo{SType: abi.StructureTypeShaderModuleCreateInfo, CodeSize: uint(len(words) * 4), PCode: &words[0]}, PShaderModule: &module})
	root, leaf := []byte("root\x00"), []byte("leaf\x00")
	named := &abi.PipelineShaderStageNodeCreateInfoAMDX{SType: abi.StructureTypePipelineShaderStageNodeCreateInfoAMDX, PName: &leaf[0], Index: abi.ShaderIndexUnusedAMDX}
	stage := abi.PipelineShaderStageCreateInfo{SType: abi.StructureTypePipelineShaderStageCreateInfo, PNext: unsafe.Pointer(named), Stage: abi.ShaderStageComputeBit, Module: module, PName: &leaf[0]}
	if compute {
		must(p, abi.CmdCreateComputePipelines, &abi.CreateComputePipelinesArgs{Device: p.device, CreateInfoCount: 1, PPipelines: &library, PCreateInfos: &abi.ComputePipelineCreateInfo{
			SType: abi.StructureTypeComputePipelineCreateInfo, Flags: abi.PipelineCreateLibraryBitKHR, Stage: stage, Layout: layout,
		}})
	} else {
		must(p, abi.CmdCreateExecutionGraphPipelinesAMDX, &abi.CreateExecutionGraphPipelinesAMDXArgs{Device: p.device, CreateInfoCount: 1, PPipelines: &library, PCreateInfos: &abi.ExecutionGraphPipelineCreateInfoAMDX{
			Flags: abi.PipelineCreateLibraryBitKHR, StageCount: 1, PStages: &stage, Layout: layout,
		}})
	}
	stage.PNext, stage.PName = nil, &root[0]
	must(p, abi.CmdCreateExecutionGraphPipelinesAMDX, &abi.CreateExecutionGraphPipelinesAMDXArgs{Device: p.device, CreateInfoCount: 1, PPipelines: &graph, PCreateInfos: &abi.ExecutionGraphPipelineCreateInfoAMDX{
		StageCount: 1, PStages: &stage, Layout: layout, PLibraryInfo: &abi.PipelineLibraryCreateInfoKHR{LibraryCount: 1, PLibraries: &library},
	}})
	return library, graph
}

// TestExecutionGraph dispatches two payloads of a root in three ways: from memory of the host, with payloads on the device, and with
// all arguments on the device.
func TestExecutionGraph(t *testing.T) {
	for name, compute := range map[string]bool{"library": false, "compute library": true} {
		t.Run(name, func(t *testing.T) { testExecutionGraph(t, compute) })
	}
}

func testExecutionGraph(t *testing.T, compute bool) {
	p := newProgram(t)
	b, content := p.buffer(8)
	_, layout, set := p.kernel(numbers, b)
	library, graph := p.graphPipelines(layout, compute)
	name := []byte("root\x00")
	info := &abi.PipelineShaderStageNodeCreateInfoAMDX{SType: abi.StructureTypePipelineShaderStageNodeCreateInfoAMDX, PName: &name[0]}
	root := ^uint32(0)
	must(p, abi.CmdGetExecutionGraphPipelineNodeIndexAMDX, &abi.GetExecutionGraphPipelineNodeIndexAMDXArgs{Device: p.device, ExecutionGraph: graph, PNodeInfo: info, PNodeIndex: &root})
	var size abi.ExecutionGraphPipelineScratchSizeAMDX
	must(p, abi.CmdGetExecutionGraphPipelineScratchSizeAMDX, &abi.GetExecutionGraphPipelineScratchSizeAMDXArgs{Device: p.device, ExecutionGraph: graph, PSizeInfo: &size})
	if size.MinSize == 0 || size.MaxSize < size.MinSize || size.SizeGranularity == 0 {
		t.Fatalf("scratch sizes %+v", size)
	}
	_, scratch, _ := p.addressed(abi.BufferUsageExecutionGraphScratchBitAMDX, size.MinSize/4+16)
	scratch = (scratch + 63) &^ 63
	_, address, words := p.addressed(abi.BufferUsageIndirectBufferBit, 32)
	at := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 128)
	put := binary.LittleEndian.PutUint64
	words[0] = 1 // VkDispatchGraphCountInfoAMDX
	put(at[8:], address+32)
	put(at[16:], 24)
	words[8], words[9] = root, 2 // VkDispatchGraphInfoAMDX
	put(at[40:], address+64)
	put(at[48:], 4)
	words[16], words[17] = 1, 4

	payloads := []uint32{1, 4}
	host := &abi.DispatchGraphInfoAMDX{NodeIndex: root, PayloadCount: 2, PayloadStride: 4}
	*(*unsafe.Pointer)(unsafe.Pointer(&host.Payloads)) = unsafe.Pointer(&payloads[0])
	inHost := &abi.DispatchGraphCountInfoAMDX{Count: 1, Stride: 24}
	*(*unsafe.Pointer)(unsafe.Pointer(&inHost.Infos)) = unsafe.Pointer(host)
	inDevice := &abi.DispatchGraphCountInfoAMDX{Count: 1, Infos: [1]uint64{address + 32}, Stride: 24}
	for form, dispatch := range []func(c abi.CommandBuffer){
		func(c abi.CommandBuffer) {
			do(abi.CmdCmdDispatchGraphAMDX, &abi.CmdDispatchGraphAMDXArgs{CommandBuffer: c, Scratch: scratch, ScratchSize: size.MinSize, PCountInfo: inHost})
		},
		func(c abi.CommandBuffer) {
			do(abi.CmdCmdDispatchGraphIndirectAMDX, &abi.CmdDispatchGraphIndirectAMDXArgs{CommandBuffer: c, Scratch: scratch, ScratchSize: size.MinSize, PCountInfo: inDevice})
		},
		func(c abi.CommandBuffer) {
			do(abi.CmdCmdDispatchGraphIndirectCountAMDX, &abi.CmdDispatchGraphIndirectCountAMDXArgs{CommandBuffer: c, Scratch: scratch, ScratchSize: size.MinSize, CountInfo: address})
		},
	} {
		clear(content)
		p.submit(func(c abi.CommandBuffer) {
			do(abi.CmdCmdBindPipeline, &abi.CmdBindPipelineArgs{CommandBuffer: c, PipelineBindPoint: abi.PipelineBindPointExecutionGraphAMDX, Pipeline: graph})
			do(abi.CmdCmdBindDescriptorSets, &abi.CmdBindDescriptorSetsArgs{CommandBuffer: c, PipelineBindPoint: abi.PipelineBindPointExecutionGraphAMDX, Layout: layout, DescriptorSetCount: 1, PDescriptorSets: &set})
			do(abi.CmdCmdInitializeGraphScratchMemoryAMDX, &abi.CmdInitializeGraphScratchMemoryAMDXArgs{CommandBuffer: c, ExecutionGraph: graph, Scratch: scratch, ScratchSize: size.MinSize})
			dispatch(c)
		})
		for i, v := range content {
			if want := uint32(map[int]int{2: 1, 5: 1}[i]); v != want {
				t.Errorf("form %d: word %d is %d; must be %d", form, i, v, want)
			}
		}
	}
	info.Index = 1
	if r := Call(abi.CmdGetExecutionGraphPipelineNodeIndexAMDX, unsafe.Pointer(&abi.GetExecutionGraphPipelineNodeIndexAMDXArgs{Device: p.device, ExecutionGraph: graph, PNodeInfo: info, PNodeIndex: &root})); r == 0 {
		t.Error("the graph has a root with the index 1")
	}
	for _, h := range []abi.Pipeline{library, graph} {
		do(abi.CmdDestroyPipeline, &abi.DestroyPipelineArgs{Device: p.device, Pipeline: h})
	}
}
