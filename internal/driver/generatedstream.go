package driver

import (
	"unsafe"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/vk"
)

// Commands with arguments in several buffers (VK_NV_device_generated_commands, VK_NV_device_generated_commands_compute).

var streamLayouts table[vk.StreamLayout]

var streamCalls = map[int]call{
	abi.CmdCreateIndirectCommandsLayoutNV: on(func(a *abi.CreateIndirectCommandsLayoutNVArgs) abi.Result {
		d := deviceOf(a.Device)
		if d == nil {
			return abi.ErrorDeviceLost
		}
		l, err := d.vk.NewStreamLayout(streamLayout(a.PCreateInfo))
		return created(d, &streamLayouts, l, err, unsafe.Pointer(a.PIndirectCommandsLayout))
	}),
	abi.CmdDestroyIndirectCommandsLayoutNV: run(func(a *abi.DestroyIndirectCommandsLayoutNVArgs) {
		destroy(&streamLayouts, uint64(a.IndirectCommandsLayout))
	}),
	abi.CmdGetGeneratedCommandsMemoryRequirementsNV: run(func(a *abi.GetGeneratedCommandsMemoryRequirementsNVArgs) {
		if d := deviceOf(a.Device); d != nil { // the commands have a valid preprocess buffer: its size is not 0
			r := d.vk.GeneratedRequirements()
			r.Size = r.Alignment
			putRequirements2(a.PMemoryRequirements, r)
		}
	}),
	abi.CmdGetPipelineIndirectMemoryRequirementsNV: run(func(a *abi.GetPipelineIndirectMemoryRequirementsNVArgs) {
		if d := deviceOf(a.Device); d != nil {
			r := d.vk.GeneratedRequirements()
			r.Size, r.Alignment = vk.IndirectInfoBytes, vk.IndirectInfoBytes
			putRequirements2(a.PMemoryRequirements, r)
		}
	}),
	abi.CmdGetPipelineIndirectDeviceAddressNV: value(func(a *abi.GetPipelineIndirectDeviceAddressNVArgs) uint64 {
		if p := pipelines.get(uint64(a.PInfo.Pipeline)); p != nil {
			return p.compute.IndirectAddress()
		}
		return 0
	}),
}

var streamCommands = map[int]recorder{
	abi.CmdCmdPreprocessGeneratedCommandsNV: rec(func(c *commandBuffer, a *abi.CmdPreprocessGeneratedCommandsNVArgs) {
		c.vk.PreprocessStreams(streamInfo(a.PGeneratedCommandsInfo))
	}),
	abi.CmdCmdExecuteGeneratedCommandsNV: rec(func(c *commandBuffer, a *abi.CmdExecuteGeneratedCommandsNVArgs) {
		c.vk.ExecuteStreams(streamInfo(a.PGeneratedCommandsInfo))
	}),
	abi.CmdCmdBindPipelineShaderGroupNV: rec(func(c *commandBuffer, a *abi.CmdBindPipelineShaderGroupNVArgs) {
		if p := pipelines.get(uint64(a.Pipeline)); p != nil {
			c.vk.BindShaderGroup(p.graphics, a.GroupIndex)
		}
	}),
	abi.CmdCmdUpdatePipelineIndirectBufferNV: rec(func(c *commandBuffer, a *abi.CmdUpdatePipelineIndirectBufferNVArgs) {
		if p := pipelines.get(uint64(a.Pipeline)); p != nil {
			c.vk.UpdateIndirect(p.compute)
		}
	}),
}

// streamInfo reads the arguments of generated commands.
func streamInfo(i *abi.GeneratedCommandsInfoNV) vk.StreamCommands {
	place := func(b abi.Buffer, offset uint64) vk.BufferPlace {
		p := vk.BufferPlace{Offset: offset}
		if b != 0 {
			p.Buffer = namedBuffer(b)
		}
		return p
	}
	info := vk.StreamCommands{
		Pipeline: pipelines.get(uint64(i.Pipeline)).vk(), Layout: streamLayouts.get(uint64(i.IndirectCommandsLayout)), Sequences: i.SequencesCount,
		Count: place(i.SequencesCountBuffer, i.SequencesCountOffset), Indices: place(i.SequencesIndexBuffer, i.SequencesIndexOffset),
	}
	for _, s := range array(i.PStreams, i.StreamCount) {
		info.Streams = append(info.Streams, place(s.Buffer, s.Offset))
	}
	return info
}

// streamKinds are the kinds of tokens in streams.
var streamKinds = map[uint32]vk.TokenKind{
	abi.IndirectCommandsTokenTypeShaderGroupNV: vk.TokenShaderGroup, abi.IndirectCommandsTokenTypeStateFlagsNV: vk.TokenStateFlags,
	abi.IndirectCommandsTokenTypeIndexBufferNV: vk.TokenIndexBuffer, abi.IndirectCommandsTokenTypeVertexBufferNV: vk.TokenVertexBuffer,
	abi.IndirectCommandsTokenTypePushConstantNV: vk.TokenPushConstant, abi.IndirectCommandsTokenTypeDrawIndexedNV: vk.TokenDrawIndexed,
	abi.IndirectCommandsTokenTypeDrawNV: vk.TokenDraw, abi.IndirectCommandsTokenTypeDrawTasksNV: vk.TokenDrawTaskRange,
	abi.IndirectCommandsTokenTypeDrawMeshTasksNV: vk.TokenDrawMeshTasks, abi.IndirectCommandsTokenTypePipelineNV: vk.TokenPipeline,
	abi.IndirectCommandsTokenTypeDispatchNV: vk.TokenDispatch, abi.IndirectCommandsTokenTypePushDataNV: vk.TokenPushData,
}

// noBindPoint is a bind point that no layout of streams has.
const noBindPoint = vk.RayTracing

// streamLayout reads the creation of a layout of streams.
func streamLayout(i *abi.IndirectCommandsLayoutCreateInfoNV) vk.StreamLayoutInfo {
	info := vk.StreamLayoutInfo{Bind: noBindPoint, Strides: array(i.PStreamStrides, i.StreamCount), Indexed: i.Flags&abi.IndirectCommandsLayoutUsageIndexedSequencesBitNV != 0}
	switch i.PipelineBindPoint {
	case abi.PipelineBindPointGraphics:
		info.Bind = vk.Graphics
	case abi.PipelineBindPointCompute:
		info.Bind = vk.Compute
	}
	info.Tokens = each(array(i.PTokens, i.TokenCount), streamToken)
	return info
}

// streamToken reads a token.
func streamToken(t *abi.IndirectCommandsLayoutTokenNV) vk.StreamToken {
	kind, ok := streamKinds[t.TokenType]
	if !ok {
		kind = noToken
	}
	x := vk.StreamToken{Token: vk.Token{Kind: kind, Offset: t.Offset}, Stream: t.Stream}
	switch kind {
	case vk.TokenStateFlags:
		x.FrontFaceBit = t.IndirectStateFlags&abi.IndirectStateFlagFrontfaceBitNV != 0
	case vk.TokenVertexBuffer:
		x.Binding, x.FixedStride = t.VertexBindingUnit, t.VertexDynamicStride == 0
	case vk.TokenPushConstant:
		x.Push = link.Range{Offset: t.PushconstantOffset, Size: t.PushconstantSize, Stages: link.StagesOf(t.PushconstantShaderStageFlags)}
		x.Layout = pipelineLayouts.get(uint64(t.PushconstantPipelineLayout))
	case vk.TokenPushData:
		if p := abi.Find[abi.IndirectCommandsLayoutPushDataTokenNV](t.PNext, abi.StructureTypeIndirectCommandsLayoutPushDataTokenNV); p != nil {
			x.Push = link.Range{Offset: p.PushDataOffset, Size: p.PushDataSize}
		}
	case vk.TokenIndexBuffer:
		x.IndexTypes, x.IndexValues = array(t.PIndexTypes, t.IndexTypeCount), array(t.PIndexTypeValues, t.IndexTypeCount)
	}
	return x
}

// shaderGroups reads the shader groups of a pipeline.
func (r *graphicsReader) shaderGroups() {
	g := abi.Find[abi.GraphicsPipelineShaderGroupsCreateInfoNV](r.PNext, abi.StructureTypeGraphicsPipelineShaderGroupsCreateInfoNV)
	if g == nil {
		return
	}
	list := array(g.PGroups, g.GroupCount)
	for n := range list {
		x := graphicsReader{GraphicsPipelineCreateInfo: r.GraphicsPipelineCreateInfo, group: &list[n], parts: r.parts, dynamic: r.dynamic}
		x.shaders()
		if r.parts&enum.PartsVertexInputInterface != 0 {
			x.vertexInput(&x.out.State)
		}
		x.tessellation(&x.out.State)
		p := &x.out
		r.out.Groups = append(r.out.Groups, vk.ShaderGroup{
			Vertex: p.Vertex, TessControl: p.TessControl, TessEvaluation: p.TessEvaluation, Geometry: p.Geometry, Fragment: p.Fragment,
			ClusterCulling: p.ClusterCulling, Task: p.Task, Mesh: p.Mesh,
			Input: p.State.Vertex, Tessellation: p.State.Tessellation,
		})
	}
	for _, h := range array(g.PPipelines, g.PipelineCount) {
		var graphics *vk.GraphicsPipeline // nil, an error, for a handle of none: the others keep their numbers
		if p := pipelines.get(uint64(h)); p != nil {
			graphics = p.graphics
		}
		r.out.GroupPipelines = append(r.out.GroupPipelines, graphics)
	}
}
