package driver

import (
	"testing"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
)

// TestGeneratedStreams runs sequences that select a pipeline by its address, set its factor and dispatch it.
func TestGeneratedStreams(t *testing.T) {
	p := newProgram(t)
	b, content := p.buffer(8)
	_, place, _ := p.addressed(abi.BufferUsageIndirectBufferBit|abi.BufferUsageTransferDstBit, 4)
	info := &abi.ComputePipelineIndirectBufferInfoNV{SType: abi.StructureTypeComputePipelineIndirectBufferInfoNV, DeviceAddress: place, Size: 16}
	pipe, layout, set := p.kernelWith(numbers, b, abi.PipelineCreateIndirectBindableBitNV, unsafe.Pointer(info))
	var needs abi.MemoryRequirements2
	do(abi.CmdGetPipelineIndirectMemoryRequirementsNV, &abi.GetPipelineIndirectMemoryRequirementsNVArgs{Device: p.device, PCreateInfo: &abi.ComputePipelineCreateInfo{}, PMemoryRequirements: &needs})
	if r := needs.MemoryRequirements; r.Size == 0 || r.Size > 16 {
		t.Errorf("the data of a pipeline has %d bytes; must have 1 to 16", r.Size)
	}
	address := uint64(Call(abi.CmdGetPipelineIndirectDeviceAddressNV, unsafe.Pointer(&abi.GetPipelineIndirectDeviceAddressNVArgs{
		Device: p.device, PInfo: &abi.PipelineIndirectDeviceAddressInfoNV{PipelineBindPoint: abi.PipelineBindPointCompute, Pipeline: pipe},
	})))

	tokens := [3]abi.IndirectCommandsLayoutTokenNV{
		{TokenType: abi.IndirectCommandsTokenTypePipelineNV},
		{TokenType: abi.IndirectCommandsTokenTypePushConstantNV, Stream: 1, PushconstantPipelineLayout: layout, PushconstantShaderStageFlags: abi.ShaderStageComputeBit, PushconstantSize: 4},
		{TokenType: abi.IndirectCommandsTokenTypeDispatchNV, Stream: 1, Offset: 4},
	}
	strides := [2]uint32{8, 16}
	var sequences abi.IndirectCommandsLayoutNV
	must(p, abi.CmdCreateIndirectCommandsLayoutNV, &abi.CreateIndirectCommandsLayoutNVArgs{Device: p.device, PIndirectCommandsLayout: &sequences, PCreateInfo: &abi.IndirectCommandsLayoutCreateInfoNV{
		PipelineBindPoint: abi.PipelineBindPointCompute, TokenCount: 3, PTokens: &tokens[0], StreamCount: 2, PStreamStrides: &strides[0],
	}})
	first, _, words := p.addressed(abi.BufferUsageIndirectBufferBit, 4)
	copy(words, []uint32{uint32(address), uint32(address >> 32), uint32(address), uint32(address >> 32)})
	second, _, words := p.addressed(abi.BufferUsageIndirectBufferBit, 9)
	copy(words, []uint32{2, 2, 1, 1, 5, 2, 1, 1, 1})
	streams := [2]abi.IndirectCommandsStreamNV{{Buffer: first}, {Buffer: second}}
	for _, x := range []struct {
		most   uint32
		count  abi.Buffer
		factor uint32
	}{{1, 0, 2}, {2, 0, 5}, {2, second, 2}} {
		clear(content)
		run := &abi.GeneratedCommandsInfoNV{
			PipelineBindPoint: abi.PipelineBindPointCompute, IndirectCommandsLayout: sequences, StreamCount: 2, PStreams: &streams[0], SequencesCount: x.most,
			SequencesCountBuffer: x.count, SequencesCountOffset: 32,
		}
		p.submit(func(c abi.CommandBuffer) {
			do(abi.CmdCmdUpdatePipelineIndirectBufferNV, &abi.CmdUpdatePipelineIndirectBufferNVArgs{CommandBuffer: c, PipelineBindPoint: abi.PipelineBindPointCompute, Pipeline: pipe})
			do(abi.CmdCmdBindDescriptorSets, &abi.CmdBindDescriptorSetsArgs{CommandBuffer: c, PipelineBindPoint: abi.PipelineBindPointCompute, Layout: layout, DescriptorSetCount: 1, PDescriptorSets: &set})
			do(abi.CmdCmdPreprocessGeneratedCommandsNV, &abi.CmdPreprocessGeneratedCommandsNVArgs{CommandBuffer: c, PGeneratedCommandsInfo: run})
			do(abi.CmdCmdExecuteGeneratedCommandsNV, &abi.CmdExecuteGeneratedCommandsNVArgs{CommandBuffer: c, IsPreprocessed: 1, PGeneratedCommandsInfo: run})
		})
		for i, v := range content {
			if v != uint32(i)*x.factor {
				t.Fatalf("at most %d sequences: word %d is %d; must be %d", x.most, i, v, uint32(i)*x.factor)
			}
		}
	}
	do(abi.CmdDestroyIndirectCommandsLayoutNV, &abi.DestroyIndirectCommandsLayoutNVArgs{Device: p.device, IndirectCommandsLayout: sequences})
}

// TestShaderGroups reads a pipeline with shader groups: each group has its stages and its vertex input.
func TestShaderGroups(t *testing.T) {
	name := []byte("main\x00")
	stages := [3]abi.PipelineShaderStageCreateInfo{
		{Stage: abi.ShaderStageFragmentBit, PName: &name[0]}, {Stage: abi.ShaderStageVertexBit, PName: &name[0]}, {Stage: abi.ShaderStageClusterCullingBitHUAWEI, PName: &name[0]},
	}
	input := &abi.PipelineVertexInputStateCreateInfo{VertexBindingDescriptionCount: 1, PVertexBindingDescriptions: &abi.VertexInputBindingDescription{Binding: 3, Stride: 20}}
	groups := [2]abi.GraphicsShaderGroupCreateInfoNV{{StageCount: 2, PStages: &stages[0]}, {StageCount: 2, PStages: &stages[1], PVertexInputState: input}}
	stale := abi.Pipeline(1 << 40)
	info := graphicsInfo(&abi.GraphicsPipelineCreateInfo{
		PNext: unsafe.Pointer(&abi.GraphicsPipelineShaderGroupsCreateInfoNV{
			SType: abi.StructureTypeGraphicsPipelineShaderGroupsCreateInfoNV, GroupCount: 2, PGroups: &groups[0], PipelineCount: 1, PPipelines: &stale,
		}),
		StageCount: 2, PStages: &stages[0],
	}, 0)
	if len(info.GroupPipelines) != 1 || info.GroupPipelines[0] != nil {
		t.Errorf("the groups of %v follow; must be nil for a stale handle", info.GroupPipelines)
	}
	if len(info.Groups) != 2 {
		t.Fatalf("the pipeline has %d groups; must have 2", len(info.Groups))
	}
	if g := &info.Groups[0]; g.Vertex == nil || g.Fragment == nil || g.ClusterCulling != nil || g.Input != nil {
		t.Errorf("group 0 is %+v; must have two stages and no vertex input", g)
	}
	if g := &info.Groups[1]; g.Vertex == nil || g.Fragment != nil || g.ClusterCulling == nil || g.Input == nil || g.Input.Bindings[0].Stride != 20 {
		t.Errorf("group 1 is %+v; must have a cluster culling stage, a vertex stage and a vertex input", g)
	}
}
