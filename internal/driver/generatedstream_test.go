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
	do(abi.CmdGetGeneratedCommandsMemoryRequirementsNV, &abi.GetGeneratedCommandsMemoryRequirementsNVArgs{Device: p.device, PMemoryRequirements: &needs, PInfo: &abi.GeneratedCommandsMemoryRequirementsInfoNV{
		PipelineBindPoint: abi.PipelineBindPointCompute, Pipeline: pipe, IndirectCommandsLayout: sequences, MaxSequencesCount: 2,
	}})
	if needs.MemoryRequirements.Size == 0 { // no buffer has it: VUID-VkBufferCreateInfo-size-00912
		t.Error("the preprocess buffer has no bytes; must have some")
	}
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

// computeStream makes a layout of sequences in a stream: a token and a dispatch.
func (p *program) computeStream(first abi.IndirectCommandsLayoutTokenNV) (sequences abi.IndirectCommandsLayoutNV) {
	p.Helper()
	tokens, stride := [2]abi.IndirectCommandsLayoutTokenNV{first, {TokenType: abi.IndirectCommandsTokenTypeDispatchNV, Offset: 4}}, uint32(16)
	must(p, abi.CmdCreateIndirectCommandsLayoutNV, &abi.CreateIndirectCommandsLayoutNVArgs{Device: p.device, PIndirectCommandsLayout: &sequences, PCreateInfo: &abi.IndirectCommandsLayoutCreateInfoNV{
		PipelineBindPoint: abi.PipelineBindPointCompute, TokenCount: 2, PTokens: &tokens[0], StreamCount: 1, PStreamStrides: &stride,
	}})
	return sequences
}

// pushDataStream executes a sequence, which sets push data and dispatches a kernel with its descriptor in a heap. count is the handle of
// the buffer of the number of sequences, 0 for none. It returns the buffer of the stream, and the words that the kernel writes.
func (p *program) pushDataStream(count abi.Buffer) (stream abi.Buffer, words, content []uint32) {
	p.Helper()
	pipe, _, bind, content := p.heapKernel()
	sequences := p.computeStream(abi.IndirectCommandsLayoutTokenNV{
		TokenType: abi.IndirectCommandsTokenTypePushDataNV,
		PNext:     unsafe.Pointer(&abi.IndirectCommandsLayoutPushDataTokenNV{SType: abi.StructureTypeIndirectCommandsLayoutPushDataTokenNV, PushDataSize: 4}),
	})
	stream, _, words = p.addressed(abi.BufferUsageIndirectBufferBit, 4)
	copy(words, []uint32{5, 2, 1, 1})
	p.submit(func(c abi.CommandBuffer) {
		bind(c)
		do(abi.CmdCmdExecuteGeneratedCommandsNV, &abi.CmdExecuteGeneratedCommandsNVArgs{CommandBuffer: c, PGeneratedCommandsInfo: &abi.GeneratedCommandsInfoNV{
			PipelineBindPoint: abi.PipelineBindPointCompute, Pipeline: pipe, IndirectCommandsLayout: sequences, StreamCount: 1, PStreams: &abi.IndirectCommandsStreamNV{Buffer: stream}, SequencesCount: 1,
			SequencesCountBuffer: count,
		}})
	})
	return stream, words, content
}

// TestStreamPushData runs a sequence that sets push data and dispatches a kernel with its descriptor in a heap.
func TestStreamPushData(t *testing.T) {
	p := newProgram(t)
	_, _, content := p.pushDataStream(0)
	p.multiples(content, 5)
}

// TestStaleCountBuffer executes sequences and draws with a stale handle of the buffer of their number: the command is an error and does
// nothing. It does not run as it would without a buffer.
func TestStaleCountBuffer(t *testing.T) {
	const stale = abi.Buffer(1 << 40)
	p := newProgram(t)
	b, words, content := p.pushDataStream(stale)
	p.multiples(content, 0)
	shaders := p.graphicsShaders()
	copy(words, []uint32{3, 1, 0, 0})
	pixels := p.drawn(func(c abi.CommandBuffer) {
		shaders(c)
		furtherStates(c)
		do(abi.CmdCmdDrawIndirectCount, &abi.CmdDrawIndirectCountArgs{CommandBuffer: c, Buffer: b, CountBuffer: stale, MaxDrawCount: 1, Stride: 16})
	})
	for i, v := range pixels {
		if v != 0xff808080 {
			t.Fatalf("pixel %d is %#x; must be 0xff808080, as without the draw", i, v)
		}
	}
}

// TestStreamMeshes draws tasks of a mesh shader of both kinds by sequences in streams: the draw multiplies by 0.5.
func TestStreamMeshes(t *testing.T) {
	p := newProgram(t)
	for _, x := range []struct {
		shader string
		kind   uint32
		words  []uint32
	}{
		{covering, abi.IndirectCommandsTokenTypeDrawMeshTasksNV, []uint32{1, 1, 1}},
		{coveringNV, abi.IndirectCommandsTokenTypeDrawTasksNV, []uint32{1, 1}},
	} {
		pipe := p.multiplier(stageText{abi.ShaderStageMeshBitEXT, x.shader})
		stride := uint32(12)
		var sequences abi.IndirectCommandsLayoutNV
		must(p, abi.CmdCreateIndirectCommandsLayoutNV, &abi.CreateIndirectCommandsLayoutNVArgs{Device: p.device, PIndirectCommandsLayout: &sequences, PCreateInfo: &abi.IndirectCommandsLayoutCreateInfoNV{
			PipelineBindPoint: abi.PipelineBindPointGraphics, TokenCount: 1, PTokens: &abi.IndirectCommandsLayoutTokenNV{TokenType: x.kind}, StreamCount: 1, PStreamStrides: &stride,
		}})
		b, _, words := p.addressed(abi.BufferUsageIndirectBufferBit, 3)
		copy(words, x.words)
		pixels := p.drawn(func(c abi.CommandBuffer) {
			do(abi.CmdCmdExecuteGeneratedCommandsNV, &abi.CmdExecuteGeneratedCommandsNVArgs{CommandBuffer: c, PGeneratedCommandsInfo: &abi.GeneratedCommandsInfoNV{
				PipelineBindPoint: abi.PipelineBindPointGraphics, Pipeline: pipe, IndirectCommandsLayout: sequences, StreamCount: 1, PStreams: &abi.IndirectCommandsStreamNV{Buffer: b}, SequencesCount: 1,
			}})
		})
		for i, v := range pixels {
			if v != 0xff404040 {
				t.Fatalf("token %d: pixel %d is %#x; must be 0xff404040", x.kind, i, v)
			}
		}
	}
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
