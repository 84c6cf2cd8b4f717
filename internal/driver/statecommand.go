package driver

import (
	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vk"
)

var stateCommands = map[int]recorder{
	abi.CmdCmdSetViewport: rec(func(c *commandBuffer, a *abi.CmdSetViewportArgs) {
		c.vk.SetViewport(int(a.FirstViewport), each(array(a.PViewports, a.ViewportCount), viewport))
	}),
	abi.CmdCmdSetScissor: rec(func(c *commandBuffer, a *abi.CmdSetScissorArgs) {
		c.vk.SetScissor(int(a.FirstScissor), each(array(a.PScissors, a.ScissorCount), rectAt))
	}),
	abi.CmdCmdSetViewportWithCount: rec(func(c *commandBuffer, a *abi.CmdSetViewportWithCountArgs) {
		c.vk.SetViewports(each(array(a.PViewports, a.ViewportCount), viewport))
	}),
	abi.CmdCmdSetScissorWithCount: rec(func(c *commandBuffer, a *abi.CmdSetScissorWithCountArgs) {
		c.vk.SetScissors(each(array(a.PScissors, a.ScissorCount), rectAt))
	}),
	abi.CmdCmdSetLineWidth: rec(func(c *commandBuffer, a *abi.CmdSetLineWidthArgs) { c.vk.SetLineWidth(a.LineWidth) }),
	abi.CmdCmdSetDepthBias: rec(func(c *commandBuffer, a *abi.CmdSetDepthBiasArgs) {
		c.vk.SetDepthBias(a.DepthBiasConstantFactor, a.DepthBiasClamp, a.DepthBiasSlopeFactor)
	}),
	abi.CmdCmdSetBlendConstants: rec(func(c *commandBuffer, a *abi.CmdSetBlendConstantsArgs) {
		c.vk.SetBlendConstants([4]float32(array(a.BlendConstants, uint32(4))))
	}),
	abi.CmdCmdSetDepthBounds: rec(func(c *commandBuffer, a *abi.CmdSetDepthBoundsArgs) {
		c.vk.SetDepthBounds(a.MinDepthBounds, a.MaxDepthBounds)
	}),
	abi.CmdCmdSetStencilCompareMask: rec(func(c *commandBuffer, a *abi.CmdSetStencilCompareMaskArgs) {
		c.vk.SetStencilCompareMask(vk.Faces(a.FaceMask), a.CompareMask)
	}),
	abi.CmdCmdSetStencilWriteMask: rec(func(c *commandBuffer, a *abi.CmdSetStencilWriteMaskArgs) {
		c.vk.SetStencilWriteMask(vk.Faces(a.FaceMask), a.WriteMask)
	}),
	abi.CmdCmdSetStencilReference: rec(func(c *commandBuffer, a *abi.CmdSetStencilReferenceArgs) {
		c.vk.SetStencilReference(vk.Faces(a.FaceMask), a.Reference)
	}),
	abi.CmdCmdSetCullMode:  rec(func(c *commandBuffer, a *abi.CmdSetCullModeArgs) { c.vk.SetCullMode(enum.CullMode(a.CullMode)) }),
	abi.CmdCmdSetFrontFace: rec(func(c *commandBuffer, a *abi.CmdSetFrontFaceArgs) { c.vk.SetFrontFace(enum.FrontFace(a.FrontFace)) }),
	abi.CmdCmdSetPrimitiveTopology: rec(func(c *commandBuffer, a *abi.CmdSetPrimitiveTopologyArgs) {
		c.vk.SetTopology(enum.Topology(a.PrimitiveTopology))
	}),
	abi.CmdCmdSetDepthTestEnable:  rec(func(c *commandBuffer, a *abi.CmdSetDepthTestEnableArgs) { c.vk.SetDepthTest(a.DepthTestEnable != 0) }),
	abi.CmdCmdSetDepthWriteEnable: rec(func(c *commandBuffer, a *abi.CmdSetDepthWriteEnableArgs) { c.vk.SetDepthWrite(a.DepthWriteEnable != 0) }),
	abi.CmdCmdSetDepthCompareOp: rec(func(c *commandBuffer, a *abi.CmdSetDepthCompareOpArgs) {
		c.vk.SetDepthCompareOp(enum.CompareOp(a.DepthCompareOp))
	}),
	abi.CmdCmdSetDepthBoundsTestEnable: rec(func(c *commandBuffer, a *abi.CmdSetDepthBoundsTestEnableArgs) {
		c.vk.SetDepthBoundsTest(a.DepthBoundsTestEnable != 0)
	}),
	abi.CmdCmdSetStencilTestEnable: rec(func(c *commandBuffer, a *abi.CmdSetStencilTestEnableArgs) {
		c.vk.SetStencilTest(a.StencilTestEnable != 0)
	}),
	abi.CmdCmdSetStencilOp: rec(func(c *commandBuffer, a *abi.CmdSetStencilOpArgs) {
		c.vk.SetStencilOp(vk.Faces(a.FaceMask), enum.StencilOp(a.FailOp), enum.StencilOp(a.PassOp), enum.StencilOp(a.DepthFailOp), enum.CompareOp(a.CompareOp))
	}),
	abi.CmdCmdSetRasterizerDiscardEnable: rec(func(c *commandBuffer, a *abi.CmdSetRasterizerDiscardEnableArgs) {
		c.vk.SetRasterizerDiscard(a.RasterizerDiscardEnable != 0)
	}),
	abi.CmdCmdSetDepthBiasEnable: rec(func(c *commandBuffer, a *abi.CmdSetDepthBiasEnableArgs) {
		c.vk.SetDepthBiasEnable(a.DepthBiasEnable != 0)
	}),
	abi.CmdCmdSetPrimitiveRestartEnable: rec(func(c *commandBuffer, a *abi.CmdSetPrimitiveRestartEnableArgs) {
		c.vk.SetPrimitiveRestart(a.PrimitiveRestartEnable != 0)
	}),
}

func viewport(v *abi.Viewport) vk.Viewport {
	return vk.Viewport{X: v.X, Y: v.Y, Width: v.Width, Height: v.Height, MinDepth: v.MinDepth, MaxDepth: v.MaxDepth}
}

func rectAt(r *abi.Rect2D) vk.Rect { return rect(*r) }
