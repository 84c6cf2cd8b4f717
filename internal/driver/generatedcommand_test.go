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
			bindKernel(c, pipe, layout, set)
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

// TestGeneratedPushData runs sequences that set push data and dispatch a kernel with its descriptors in a heap, by both extensions. No
// pipeline layout exists.
func TestGeneratedPushData(t *testing.T) {
	p := newProgram(t)
	_, _, bind, content := p.heapKernel()
	data := &abi.IndirectCommandsPushConstantTokenEXT{UpdateRange: abi.PushConstantRange{StageFlags: abi.ShaderStageAll, Size: 4}}
	number := &abi.IndirectCommandsPushConstantTokenEXT{UpdateRange: abi.PushConstantRange{StageFlags: abi.ShaderStageAll, Size: 4}}
	for _, x := range []struct {
		kind   uint32
		info   *abi.IndirectCommandsPushConstantTokenEXT
		factor uint32
	}{{abi.IndirectCommandsTokenTypePushDataEXT, data, 6}, {abi.IndirectCommandsTokenTypePushDataSequenceIndexEXT, number, 1}} {
		tokens := [2]abi.IndirectCommandsLayoutTokenEXT{{Type: x.kind}, {Type: abi.IndirectCommandsTokenTypeDispatchEXT, Offset: 4}}
		*(*unsafe.Pointer)(unsafe.Pointer(&tokens[0].Data)) = unsafe.Pointer(x.info)
		var sequences abi.IndirectCommandsLayoutEXT
		must(p, abi.CmdCreateIndirectCommandsLayoutEXT, &abi.CreateIndirectCommandsLayoutEXTArgs{Device: p.device, PIndirectCommandsLayout: &sequences, PCreateInfo: &abi.IndirectCommandsLayoutCreateInfoEXT{
			ShaderStages: abi.ShaderStageComputeBit, IndirectStride: 16, TokenCount: 2, PTokens: &tokens[0],
		}})
		_, address, words := p.addressed(abi.BufferUsageIndirectBufferBit, 8)
		copy(words, []uint32{5, 2, 1, 1, 6, 2, 1, 1})
		p.submit(func(c abi.CommandBuffer) {
			bind(c)
			do(abi.CmdCmdExecuteGeneratedCommandsEXT, &abi.CmdExecuteGeneratedCommandsEXTArgs{CommandBuffer: c, PGeneratedCommandsInfo: &abi.GeneratedCommandsInfoEXT{
				ShaderStages: abi.ShaderStageComputeBit, IndirectCommandsLayout: sequences, IndirectAddress: address, IndirectAddressSize: 32, MaxSequenceCount: 2,
			}})
		})
		p.multiples(content, x.factor)
	}
}

// TestGeneratedInlineLayout makes a layout of sequences whose pipeline layout is in the chain of its creation.
func TestGeneratedInlineLayout(t *testing.T) {
	p := newProgram(t)
	push := &abi.IndirectCommandsPushConstantTokenEXT{UpdateRange: abi.PushConstantRange{StageFlags: abi.ShaderStageComputeBit, Size: 4}}
	tokens := [2]abi.IndirectCommandsLayoutTokenEXT{{Type: abi.IndirectCommandsTokenTypePushConstantEXT}, {Type: abi.IndirectCommandsTokenTypeDispatchEXT, Offset: 4}}
	*(*unsafe.Pointer)(unsafe.Pointer(&tokens[0].Data)) = unsafe.Pointer(push)
	inline := &abi.PipelineLayoutCreateInfo{SType: abi.StructureTypePipelineLayoutCreateInfo, PushConstantRangeCount: 1, PPushConstantRanges: &push.UpdateRange}
	info := &abi.IndirectCommandsLayoutCreateInfoEXT{ShaderStages: abi.ShaderStageComputeBit, IndirectStride: 16, TokenCount: 2, PTokens: &tokens[0]}
	var sequences abi.IndirectCommandsLayoutEXT
	args := &abi.CreateIndirectCommandsLayoutEXTArgs{Device: p.device, PIndirectCommandsLayout: &sequences, PCreateInfo: info}
	if r := do(abi.CmdCreateIndirectCommandsLayoutEXT, args); r == abi.Success {
		t.Error("a layout that sets push constants, without a pipeline layout: no error")
	}
	info.PNext = unsafe.Pointer(inline)
	must(p, abi.CmdCreateIndirectCommandsLayoutEXT, args)
	do(abi.CmdDestroyIndirectCommandsLayoutEXT, &abi.DestroyIndirectCommandsLayoutEXTArgs{Device: p.device, IndirectCommandsLayout: sequences})
}

// TestGeneratedMeshes draws tasks of a mesh shader of both kinds by sequences, directly and with a number of draws; each draw multiplies by
// 0.5.
func TestGeneratedMeshes(t *testing.T) {
	for _, x := range []struct {
		shader        string
		direct, count uint32
		words         []uint32
	}{
		{covering, abi.IndirectCommandsTokenTypeDrawMeshTasksEXT, abi.IndirectCommandsTokenTypeDrawMeshTasksCountEXT, []uint32{1, 1, 1}},
		{coveringNV, abi.IndirectCommandsTokenTypeDrawMeshTasksNVEXT, abi.IndirectCommandsTokenTypeDrawMeshTasksCountNVEXT, []uint32{1, 1, 0}},
	} {
		testMeshCommands(t, x.shader, x.words, 0xff202020, func(p *program, c abi.CommandBuffer, _ abi.Buffer, address uint64) {
			p.generatedDraw(c, x.direct, address, 12)
			_, counted, words := p.addressed(abi.BufferUsageIndirectBufferBit, 4)
			copy(words, []uint32{uint32(address), uint32(address >> 32), 12, 1})
			p.generatedDraw(c, x.count, counted, 16)
		})
	}
}

// generatedDraw executes a sequence of one token, which draws.
func (p *program) generatedDraw(c abi.CommandBuffer, kind uint32, address uint64, size uint32) {
	p.Helper()
	var sequences abi.IndirectCommandsLayoutEXT
	must(p, abi.CmdCreateIndirectCommandsLayoutEXT, &abi.CreateIndirectCommandsLayoutEXTArgs{Device: p.device, PIndirectCommandsLayout: &sequences, PCreateInfo: &abi.IndirectCommandsLayoutCreateInfoEXT{
		ShaderStages: abi.ShaderStageMeshBitEXT, IndirectStride: size, TokenCount: 1, PTokens: &abi.IndirectCommandsLayoutTokenEXT{Type: kind},
	}})
	do(abi.CmdCmdExecuteGeneratedCommandsEXT, &abi.CmdExecuteGeneratedCommandsEXTArgs{CommandBuffer: c, PGeneratedCommandsInfo: &abi.GeneratedCommandsInfoEXT{
		ShaderStages: abi.ShaderStageMeshBitEXT, IndirectCommandsLayout: sequences, IndirectAddress: address, IndirectAddressSize: uint64(size), MaxSequenceCount: 1, MaxDrawCount: 1,
	}})
}
