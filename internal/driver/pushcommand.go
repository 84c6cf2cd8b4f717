package driver

import (
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vk"
)

var pushCommands = map[int]recorder{
	abi.CmdCmdPushConstants2: rec(func(c *commandBuffer, a *abi.CmdPushConstants2Args) {
		i := a.PPushConstantsInfo
		c.vk.PushConstants(pipelineLayouts.get(uint64(i.Layout)), int(i.Offset), abi.Bytes(i.PValues, uint64(i.Size)))
	}),
	abi.CmdCmdBindDescriptorSets2: rec(func(c *commandBuffer, a *abi.CmdBindDescriptorSets2Args) {
		i := a.PBindDescriptorSetsInfo
		for _, p := range points(i.StageFlags) {
			c.bindSets(p, i.Layout, i.FirstSet, array(i.PDescriptorSets, i.DescriptorSetCount), array(i.PDynamicOffsets, i.DynamicOffsetCount))
		}
	}),
	abi.CmdCmdPushDescriptorSet: rec(func(c *commandBuffer, a *abi.CmdPushDescriptorSetArgs) {
		c.vk.PushDescriptors(bindPoint(a.PipelineBindPoint), pipelineLayouts.get(uint64(a.Layout)), int(a.Set), writes(array(a.PDescriptorWrites, a.DescriptorWriteCount))...)
	}),
	abi.CmdCmdPushDescriptorSet2: rec(func(c *commandBuffer, a *abi.CmdPushDescriptorSet2Args) {
		i := a.PPushDescriptorSetInfo
		for _, p := range points(i.StageFlags) {
			c.vk.PushDescriptors(p, pipelineLayouts.get(uint64(i.Layout)), int(i.Set), writes(array(i.PDescriptorWrites, i.DescriptorWriteCount))...)
		}
	}),
	abi.CmdCmdPushDescriptorSetWithTemplate: rec(func(c *commandBuffer, a *abi.CmdPushDescriptorSetWithTemplateArgs) {
		c.pushTemplate(a.DescriptorUpdateTemplate, a.Layout, a.Set, a.PData)
	}),
	abi.CmdCmdPushDescriptorSetWithTemplate2: rec(func(c *commandBuffer, a *abi.CmdPushDescriptorSetWithTemplate2Args) {
		i := a.PPushDescriptorSetWithTemplateInfo
		c.pushTemplate(i.DescriptorUpdateTemplate, i.Layout, i.Set, i.PData)
	}),
}

// points returns the bind points that have a stage of VkShaderStageFlags. Vulkan lists cluster culling shaders at the bind point of
// subpass shading; their pipelines are graphics pipelines.
func points(stages uint32) (out []vk.BindPoint) {
	if stages&abi.ShaderStageClusterCullingBitHUAWEI != 0 {
		stages |= abi.ShaderStageVertexBit
	}
	for p := vk.Graphics; p <= vk.ExecutionGraph; p++ {
		if stages&p.Stages() != 0 {
			out = append(out, p)
		}
	}
	return out
}

// freedSet replaces stale handles. To bind it is an error; to bind VK_NULL_HANDLE is not.
var freedSet vk.Set

// bindSets binds descriptor sets.
func (c *commandBuffer) bindSets(p vk.BindPoint, l abi.PipelineLayout, first uint32, list []abi.DescriptorSet, dynamic []uint32) {
	c.sets = c.sets[:0]
	for _, h := range list {
		s := descriptorSetOf(h)
		if s == nil && h != 0 {
			s = &freedSet
		}
		c.sets = append(c.sets, s)
	}
	c.vk.BindSets(p, pipelineLayouts.get(uint64(l)), int(first), c.sets, dynamic)
}

// pushTemplate pushes the descriptors of a template.
func (c *commandBuffer) pushTemplate(t abi.DescriptorUpdateTemplate, l abi.PipelineLayout, set uint32, data unsafe.Pointer) {
	if x := templates.get(uint64(t)); x != nil {
		c.vk.PushDescriptors(x.point, pipelineLayouts.get(uint64(l)), int(set), x.writes(data)...)
	}
}
