package driver

import (
	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vk"
)

var bindCommands = map[int]recorder{
	abi.CmdCmdBindPipeline: rec(func(c *commandBuffer, a *abi.CmdBindPipelineArgs) {
		switch p := pipelines.get(uint64(a.Pipeline)); {
		case p == nil:
		case p.compute != nil:
			c.vk.BindPipeline(p.compute)
		case p.graphics != nil:
			c.vk.BindGraphicsPipeline(p.graphics)
		case p.rays != nil:
			c.vk.BindRayTracingPipeline(p.rays)
		case p.graph != nil:
			c.graph = p.graph
			c.vk.BindGraph(p.graph)
		}
	}),
	abi.CmdCmdBindDescriptorSets: rec(func(c *commandBuffer, a *abi.CmdBindDescriptorSetsArgs) {
		c.bindSets(bindPoint(a.PipelineBindPoint), a.Layout, a.FirstSet, array(a.PDescriptorSets, a.DescriptorSetCount), array(a.PDynamicOffsets, a.DynamicOffsetCount))
	}),
	abi.CmdCmdPushConstants: rec(func(c *commandBuffer, a *abi.CmdPushConstantsArgs) {
		c.vk.PushConstants(pipelineLayouts.get(uint64(a.Layout)), int(a.Offset), abi.Bytes(a.PValues, uint64(a.Size)))
	}),
}

// bindPoint returns a VkPipelineBindPoint.
func bindPoint(n uint32) vk.BindPoint {
	switch n {
	case abi.PipelineBindPointCompute:
		return vk.Compute
	case abi.PipelineBindPointRayTracingKHR:
		return vk.RayTracing
	case abi.PipelineBindPointSubpassShadingHUAWEI:
		return vk.SubpassShading
	case abi.PipelineBindPointExecutionGraphAMDX:
		return vk.ExecutionGraph
	}
	return vk.Graphics
}

var dispatchCommands = map[int]recorder{
	abi.CmdCmdDispatch: rec(func(c *commandBuffer, a *abi.CmdDispatchArgs) {
		c.vk.Dispatch(a.GroupCountX, a.GroupCountY, a.GroupCountZ)
	}),
	abi.CmdCmdDispatchBase: rec(func(c *commandBuffer, a *abi.CmdDispatchBaseArgs) {
		c.vk.DispatchBase([3]uint32{a.BaseGroupX, a.BaseGroupY, a.BaseGroupZ}, [3]uint32{a.GroupCountX, a.GroupCountY, a.GroupCountZ})
	}),
	abi.CmdCmdDispatchIndirect: rec(func(c *commandBuffer, a *abi.CmdDispatchIndirectArgs) {
		c.vk.DispatchIndirect(buffers.get(uint64(a.Buffer)), a.Offset)
	}),
	abi.CmdCmdBeginPerTileExecutionQCOM: rec(func(c *commandBuffer, a *abi.CmdBeginPerTileExecutionQCOMArgs) { c.vk.BeginPerTile() }),
	abi.CmdCmdEndPerTileExecutionQCOM:   rec(func(c *commandBuffer, a *abi.CmdEndPerTileExecutionQCOMArgs) { c.vk.EndPerTile() }),
	abi.CmdCmdBindTileMemoryQCOM:        rec(bindTileMemory),
	abi.CmdCmdDispatchTileQCOM:          rec(func(c *commandBuffer, a *abi.CmdDispatchTileQCOMArgs) { c.vk.DispatchTile() }),
	abi.CmdCmdSubpassShadingHUAWEI:      rec(func(c *commandBuffer, a *abi.CmdSubpassShadingHUAWEIArgs) { c.vk.SubpassShading() }),
	abi.CmdCmdSetDeviceMask:             rec(func(c *commandBuffer, a *abi.CmdSetDeviceMaskArgs) { c.vk.SetDeviceMask(a.DeviceMask) }),
	abi.CmdCmdExecuteCommands: rec(func(c *commandBuffer, a *abi.CmdExecuteCommandsArgs) {
		var list []*vk.CommandBuffer
		for _, h := range array(a.PCommandBuffers, a.CommandBufferCount) {
			if s := commandBufferOf(h); s != nil {
				list = append(list, s.vk)
			}
		}
		c.vk.Execute(list...)
	}),
}
