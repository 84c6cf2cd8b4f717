package driver

import (
	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vk"
)

// meshCommands are the draws of task and mesh shaders, and those of cluster culling shaders.
var meshCommands = map[int]recorder{
	abi.CmdCmdDrawClusterHUAWEI: rec(func(c *commandBuffer, a *abi.CmdDrawClusterHUAWEIArgs) {
		c.vk.DrawCluster(a.GroupCountX, a.GroupCountY, a.GroupCountZ)
	}),
	abi.CmdCmdDrawClusterIndirectHUAWEI: rec(func(c *commandBuffer, a *abi.CmdDrawClusterIndirectHUAWEIArgs) {
		c.vk.DrawClusterIndirect(buffers.get(uint64(a.Buffer)), a.Offset)
	}),
	abi.CmdCmdDrawMeshTasksEXT: rec(func(c *commandBuffer, a *abi.CmdDrawMeshTasksEXTArgs) {
		c.vk.DrawMeshTasks(a.GroupCountX, a.GroupCountY, a.GroupCountZ)
	}),
	abi.CmdCmdDrawMeshTasksIndirectEXT: rec(func(c *commandBuffer, a *abi.CmdDrawMeshTasksIndirectEXTArgs) {
		c.vk.DrawMeshTasksIndirect(vk.IndirectInfo{Buffer: buffers.get(uint64(a.Buffer)), Offset: a.Offset, Draws: a.DrawCount, Stride: a.Stride})
	}),
	abi.CmdCmdDrawMeshTasksNV: rec(func(c *commandBuffer, a *abi.CmdDrawMeshTasksNVArgs) { c.vk.DrawTaskRange(a.TaskCount, a.FirstTask) }),
	abi.CmdCmdDrawMeshTasksIndirectNV: rec(func(c *commandBuffer, a *abi.CmdDrawMeshTasksIndirectNVArgs) {
		c.vk.DrawTaskRangeIndirect(vk.IndirectInfo{Buffer: buffers.get(uint64(a.Buffer)), Offset: a.Offset, Draws: a.DrawCount, Stride: a.Stride})
	}),
	abi.CmdCmdDrawMeshTasksIndirectCountNV: rec(func(c *commandBuffer, a *abi.CmdDrawMeshTasksIndirectCountNVArgs) {
		c.vk.DrawTaskRangeIndirect(vk.IndirectInfo{Buffer: buffers.get(uint64(a.Buffer)), Offset: a.Offset, Draws: a.MaxDrawCount, Stride: a.Stride, Count: namedBuffer(a.CountBuffer), CountOffset: a.CountBufferOffset})
	}),
	abi.CmdCmdDrawMeshTasksIndirectCountEXT: rec(func(c *commandBuffer, a *abi.CmdDrawMeshTasksIndirectCountEXTArgs) {
		c.vk.DrawMeshTasksIndirect(vk.IndirectInfo{Buffer: buffers.get(uint64(a.Buffer)), Offset: a.Offset, Draws: a.MaxDrawCount, Stride: a.Stride, Count: namedBuffer(a.CountBuffer), CountOffset: a.CountBufferOffset})
	}),
}
