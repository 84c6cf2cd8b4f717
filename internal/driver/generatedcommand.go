package driver

import (
	"math/bits"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vk"
)

// Commands whose arguments are in memory (VK_EXT_device_generated_commands).

var (
	indirectLayouts table[vk.IndirectCommandsLayout]
	executionSets   table[vk.IndirectExecutionSet]
)

var generatedCalls = map[int]call{
	abi.CmdCreateIndirectCommandsLayoutEXT: on(func(a *abi.CreateIndirectCommandsLayoutEXTArgs) abi.Result {
		d := deviceOf(a.Device)
		if d == nil {
			return abi.ErrorDeviceLost
		}
		l, err := d.vk.NewIndirectCommandsLayout(indirectLayout(a.PCreateInfo))
		return created(d, &indirectLayouts, l, err, unsafe.Pointer(a.PIndirectCommandsLayout))
	}),
	abi.CmdDestroyIndirectCommandsLayoutEXT: run(func(a *abi.DestroyIndirectCommandsLayoutEXTArgs) {
		destroy(&indirectLayouts, uint64(a.IndirectCommandsLayout))
	}),
	abi.CmdCreateIndirectExecutionSetEXT: on(createExecutionSet),
	abi.CmdDestroyIndirectExecutionSetEXT: run(func(a *abi.DestroyIndirectExecutionSetEXTArgs) {
		destroy(&executionSets, uint64(a.IndirectExecutionSet))
	}),
	abi.CmdUpdateIndirectExecutionSetPipelineEXT: run(func(a *abi.UpdateIndirectExecutionSetPipelineEXTArgs) {
		for _, w := range array(a.PExecutionSetWrites, a.ExecutionSetWriteCount) {
			update(a.Device, a.IndirectExecutionSet, w.Index, pipelines.get(uint64(w.Pipeline)).vk())
		}
	}),
	abi.CmdUpdateIndirectExecutionSetShaderEXT: run(func(a *abi.UpdateIndirectExecutionSetShaderEXTArgs) {
		for _, w := range array(a.PExecutionSetWrites, a.ExecutionSetWriteCount) {
			if s := shaders.get(uint64(w.Shader)); s != nil {
				update(a.Device, a.IndirectExecutionSet, w.Index, s.vk)
			}
		}
	}),
	abi.CmdGetGeneratedCommandsMemoryRequirementsEXT: run(func(a *abi.GetGeneratedCommandsMemoryRequirementsEXTArgs) {
		if d := deviceOf(a.Device); d != nil {
			putRequirements2(a.PMemoryRequirements, d.vk.GeneratedRequirements())
		}
	}),
}

var generatedCommands = map[int]recorder{
	abi.CmdCmdPreprocessGeneratedCommandsEXT: rec(func(c *commandBuffer, a *abi.CmdPreprocessGeneratedCommandsEXTArgs) {
		c.vk.PreprocessGenerated(generatedInfo(a.PGeneratedCommandsInfo))
	}),
	abi.CmdCmdExecuteGeneratedCommandsEXT: rec(func(c *commandBuffer, a *abi.CmdExecuteGeneratedCommandsEXTArgs) {
		c.vk.ExecuteGenerated(generatedInfo(a.PGeneratedCommandsInfo))
	}),
}

// generatedInfo reads the arguments of generated commands.
func generatedInfo(i *abi.GeneratedCommandsInfoEXT) vk.GeneratedCommands {
	return vk.GeneratedCommands{
		Layout: indirectLayouts.get(uint64(i.IndirectCommandsLayout)), Set: executionSets.get(uint64(i.IndirectExecutionSet)),
		Address: i.IndirectAddress, Size: i.IndirectAddressSize, MaxSequences: i.MaxSequenceCount, CountAddress: i.SequenceCountAddress, MaxDraws: i.MaxDrawCount,
	}
}

// tokenKinds are the kinds of tokens that have a number of their own.
var tokenKinds = map[uint32]vk.TokenKind{
	abi.IndirectCommandsTokenTypeExecutionSetEXT: vk.TokenExecutionSet, abi.IndirectCommandsTokenTypePushConstantEXT: vk.TokenPushConstant,
	abi.IndirectCommandsTokenTypeSequenceIndexEXT: vk.TokenSequenceIndex, abi.IndirectCommandsTokenTypeIndexBufferEXT: vk.TokenIndexBuffer,
	abi.IndirectCommandsTokenTypeVertexBufferEXT: vk.TokenVertexBuffer, abi.IndirectCommandsTokenTypeDrawIndexedEXT: vk.TokenDrawIndexed,
	abi.IndirectCommandsTokenTypeDrawEXT: vk.TokenDraw, abi.IndirectCommandsTokenTypeDrawIndexedCountEXT: vk.TokenDrawIndexedCount,
	abi.IndirectCommandsTokenTypeDrawCountEXT: vk.TokenDrawCount, abi.IndirectCommandsTokenTypeDispatchEXT: vk.TokenDispatch,
	abi.IndirectCommandsTokenTypeDrawMeshTasksEXT: vk.TokenDrawMeshTasks, abi.IndirectCommandsTokenTypeDrawMeshTasksCountEXT: vk.TokenDrawMeshTasksCount,
	abi.IndirectCommandsTokenTypeDrawMeshTasksNVEXT: vk.TokenDrawTaskRange, abi.IndirectCommandsTokenTypeDrawMeshTasksCountNVEXT: vk.TokenDrawTaskRangeCount,
	abi.IndirectCommandsTokenTypeTraceRays2EXT: vk.TokenTraceRays,
	abi.IndirectCommandsTokenTypePushDataEXT:   vk.TokenPushData, abi.IndirectCommandsTokenTypePushDataSequenceIndexEXT: vk.TokenPushDataSequenceIndex,
}

// noToken is a kind that no token has: package vk refuses it.
const noToken vk.TokenKind = 0xff

// indirectLayout reads the creation of a layout of sequences.
func indirectLayout(i *abi.IndirectCommandsLayoutCreateInfoEXT) vk.IndirectCommandsLayoutInfo {
	info := vk.IndirectCommandsLayoutInfo{Stride: i.IndirectStride, Layout: pipelineLayouts.get(uint64(i.PipelineLayout))}
	if l := abi.Find[abi.PipelineLayoutCreateInfo](i.PNext, abi.StructureTypePipelineLayoutCreateInfo); l != nil && i.PipelineLayout == 0 {
		inline := pipelineLayoutInfo(l)
		info.Inline = &inline
	}
	info.Tokens = each(array(i.PTokens, i.TokenCount), indirectToken)
	return info
}

// indirectToken reads a token, whose data is a pointer to a struct that depends on the kind.
func indirectToken(t *abi.IndirectCommandsLayoutTokenEXT) vk.Token {
	kind, ok := tokenKinds[t.Type]
	if !ok {
		return vk.Token{Kind: noToken}
	}
	x, data := vk.Token{Kind: kind, Offset: t.Offset}, unsafe.Pointer(&t.Data)
	switch kind {
	case vk.TokenExecutionSet:
		if p := *(**abi.IndirectCommandsExecutionSetTokenEXT)(data); p != nil && p.Type == abi.IndirectExecutionSetInfoTypeShaderObjectsEXT {
			for stages := p.ShaderStages; stages != 0; stages &= stages - 1 {
				x.Shaders = append(x.Shaders, shaderStage(1<<bits.TrailingZeros32(stages)))
			}
		}
	case vk.TokenPushConstant, vk.TokenSequenceIndex, vk.TokenPushData, vk.TokenPushDataSequenceIndex:
		if p := *(**abi.IndirectCommandsPushConstantTokenEXT)(data); p != nil {
			x.Push = pushRange(&p.UpdateRange)
		}
	case vk.TokenIndexBuffer:
		if p := *(**abi.IndirectCommandsIndexBufferTokenEXT)(data); p != nil {
			x.DXGI = p.Mode == abi.IndirectCommandsInputModeDxgiIndexBufferEXT
		}
	case vk.TokenVertexBuffer:
		if p := *(**abi.IndirectCommandsVertexBufferTokenEXT)(data); p != nil {
			x.Binding = p.VertexBindingUnit
		}
	}
	return x
}

func createExecutionSet(a *abi.CreateIndirectExecutionSetEXTArgs) abi.Result {
	d, i := deviceOf(a.Device), a.PCreateInfo
	if d == nil {
		return abi.ErrorDeviceLost
	}
	var first []vk.Object
	n, info := 0, unsafe.Pointer(&i.Info)
	switch i.Type {
	case abi.IndirectExecutionSetInfoTypePipelinesEXT:
		if p := *(**abi.IndirectExecutionSetPipelineInfoEXT)(info); p != nil {
			n = int(p.MaxPipelineCount)
			if x := pipelines.get(uint64(p.InitialPipeline)).vk(); x != nil {
				first = append(first, x)
			}
		}
	case abi.IndirectExecutionSetInfoTypeShaderObjectsEXT:
		if p := *(**abi.IndirectExecutionSetShaderInfoEXT)(info); p != nil {
			n = int(p.MaxShaderCount)
			for _, h := range array(p.PInitialShaders, p.ShaderCount) {
				if s := shaders.get(uint64(h)); s != nil {
					first = append(first, s.vk)
				}
			}
		}
	}
	s, err := d.vk.NewIndirectExecutionSet(n, first...)
	return created(d, &executionSets, s, err, unsafe.Pointer(a.PIndirectExecutionSet))
}

// update replaces an element of a set. The command has no result: an error is a report.
func update(device *abi.Dispatch, set abi.IndirectExecutionSetEXT, index uint32, x vk.Object) {
	if d, s := deviceOf(device), executionSets.get(uint64(set)); d != nil && s != nil {
		d.result(s.Update(int(index), x))
	}
}
