package driver

import (
	"testing"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
)

// TestGeneratedCommands runs sequences that select a pipeline, set its factor and dispatch it.
func TestGeneratedCommands(t *testing.T) {
	p := newProgram(t)
	b, content := p.buffer(8)
	pipe, layout, set := p.kernel(numbers, b)

	var executionSet abi.IndirectExecutionSetEXT
	pipelineInfo := &abi.IndirectExecutionSetPipelineInfoEXT{InitialPipeline: pipe, MaxPipelineCount: 2}
	setInfo := &abi.IndirectExecutionSetCreateInfoEXT{Type: abi.IndirectExecutionSetInfoTypePipelinesEXT}
	*(*unsafe.Pointer)(unsafe.Pointer(&setInfo.Info)) = unsafe.Pointer(pipelineInfo)
	must(p, abi.CmdCreateIndirectExecutionSetEXT, &abi.CreateIndirectExecutionSetEXTArgs{Device: p.device, PCreateInfo: setInfo, PIndirectExecutionSet: &executionSet})
	do(abi.CmdUpdateIndirectExecutionSetPipelineEXT, &abi.UpdateIndirectExecutionSetPipelineEXTArgs{
		Device: p.device, IndirectExecutionSet: executionSet, ExecutionSetWriteCount: 1, PExecutionSetWrites: &abi.WriteIndirectExecutionSetPipelineEXT{Index: 1, Pipeline: pipe},
	})

	push := &abi.IndirectCommandsPushConstantTokenEXT{UpdateRange: abi.PushConstantRange{StageFlags: abi.ShaderStageComputeBit, Size: 4}}
	selected := &abi.IndirectCommandsExecutionSetTokenEXT{Type: abi.IndirectExecutionSetInfoTypePipelinesEXT, ShaderStages: abi.ShaderStageComputeBit}
	tokens := [3]abi.IndirectCommandsLayoutTokenEXT{
		{Type: abi.IndirectCommandsTokenTypeExecutionSetEXT},
		{Type: abi.IndirectCommandsTokenTypePushConstantEXT, Offset: 4},
		{Type: abi.IndirectCommandsTokenTypeDispatchEXT, Offset: 8},
	}
	*(*unsafe.Pointer)(unsafe.Pointer(&tokens[0].Data)) = unsafe.Pointer(selected)
	*(*unsafe.Pointer)(unsafe.Pointer(&tokens[1].Data)) = unsafe.Pointer(push)
	var sequences abi.IndirectCommandsLayoutEXT
	must(p, abi.CmdCreateIndirectCommandsLayoutEXT, &abi.CreateIndirectCommandsLayoutEXTArgs{Device: p.device, PIndirectCommandsLayout: &sequences, PCreateInfo: &abi.IndirectCommandsLayoutCreateInfoEXT{
		ShaderStages: abi.ShaderStageComputeBit, IndirectStride: 20, PipelineLayout: layout, TokenCount: 3, PTokens: &tokens[0],
	}})
	var needs abi.MemoryRequirements2
	do(abi.CmdGetGeneratedCommandsMemoryRequirementsEXT, &abi.GetGeneratedCommandsMemoryRequirementsEXTArgs{
		Device: p.device, PMemoryRequirements: &needs, PInfo: &abi.GeneratedCommandsMemoryRequirementsInfoEXT{IndirectExecutionSet: executionSet, IndirectCommandsLayout: sequences, MaxSequenceCount: 2},
	})
	if needs.MemoryRequirements.Size != 0 {
		t.Errorf("the execution needs %d bytes; must need none", needs.MemoryRequirements.Size)
	}

	_, address, words := p.addressed(abi.BufferUsageIndirectBufferBit, 11)
	copy(words, []uint32{0, 2, 2, 1, 1, 1, 5, 2, 1, 1, 1})
	for _, x := range []struct {
		most   uint32
		count  uint64
		factor uint32
	}{{1, 0, 2}, {2, 0, 5}, {2, address + 40, 2}} {
		clear(content)
		info := &abi.GeneratedCommandsInfoEXT{
			ShaderStages: abi.ShaderStageComputeBit, IndirectExecutionSet: executionSet, IndirectCommandsLayout: sequences,
			IndirectAddress: address, IndirectAddressSize: 40, MaxSequenceCount: x.most, SequenceCountAddress: x.count,
		}
		p.submit(func(c abi.CommandBuffer) {
			do(abi.CmdCmdBindPipeline, &abi.CmdBindPipelineArgs{CommandBuffer: c, PipelineBindPoint: abi.PipelineBindPointCompute, Pipeline: pipe})
			do(abi.CmdCmdBindDescriptorSets, &abi.CmdBindDescriptorSetsArgs{CommandBuffer: c, PipelineBindPoint: abi.PipelineBindPointCompute, Layout: layout, DescriptorSetCount: 1, PDescriptorSets: &set})
			do(abi.CmdCmdPreprocessGeneratedCommandsEXT, &abi.CmdPreprocessGeneratedCommandsEXTArgs{CommandBuffer: c, PGeneratedCommandsInfo: info, StateCommandBuffer: c})
			do(abi.CmdCmdExecuteGeneratedCommandsEXT, &abi.CmdExecuteGeneratedCommandsEXTArgs{CommandBuffer: c, PGeneratedCommandsInfo: info})
		})
		for i, v := range content {
			if v != uint32(i)*x.factor {
				t.Fatalf("at most %d sequences: word %d is %d; must be %d", x.most, i, v, uint32(i)*x.factor)
			}
		}
	}
	do(abi.CmdDestroyIndirectCommandsLayoutEXT, &abi.DestroyIndirectCommandsLayoutEXTArgs{Device: p.device, IndirectCommandsLayout: sequences})
	do(abi.CmdDestroyIndirectExecutionSetEXT, &abi.DestroyIndirectExecutionSetEXTArgs{Device: p.device, IndirectExecutionSet: executionSet})
}
