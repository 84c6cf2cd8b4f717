package driver

import (
	"math"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/vk"
)

// extendedStateCommands are the dynamic states of extensions.
var extendedStateCommands = map[int]recorder{
	abi.CmdCmdSetTessellationDomainOriginEXT: rec(func(c *commandBuffer, a *abi.CmdSetTessellationDomainOriginEXTArgs) {
		c.vk.SetDomainOrigin(enum.DomainOrigin(a.DomainOrigin))
	}),
	abi.CmdCmdSetDepthClampEnableEXT: rec(func(c *commandBuffer, a *abi.CmdSetDepthClampEnableEXTArgs) {
		c.vk.SetDepthClamp(a.DepthClampEnable != 0)
	}),
	abi.CmdCmdSetPolygonModeEXT: rec(func(c *commandBuffer, a *abi.CmdSetPolygonModeEXTArgs) {
		c.vk.SetPolygonMode(enum.PolygonMode(a.PolygonMode))
	}),
	abi.CmdCmdSetRasterizationSamplesEXT: rec(func(c *commandBuffer, a *abi.CmdSetRasterizationSamplesEXTArgs) {
		c.vk.SetSamples(a.RasterizationSamples)
	}),
	abi.CmdCmdSetSampleMaskEXT: rec(func(c *commandBuffer, a *abi.CmdSetSampleMaskEXTArgs) { c.setSampleMask(a) }),
	abi.CmdCmdSetAlphaToCoverageEnableEXT: rec(func(c *commandBuffer, a *abi.CmdSetAlphaToCoverageEnableEXTArgs) {
		c.vk.SetAlphaToCoverage(a.AlphaToCoverageEnable != 0)
	}),
	abi.CmdCmdSetAlphaToOneEnableEXT: rec(func(c *commandBuffer, a *abi.CmdSetAlphaToOneEnableEXTArgs) {
		c.vk.SetAlphaToOne(a.AlphaToOneEnable != 0)
	}),
	abi.CmdCmdSetLogicOpEnableEXT: rec(func(c *commandBuffer, a *abi.CmdSetLogicOpEnableEXTArgs) { c.vk.SetLogicOpEnable(a.LogicOpEnable != 0) }),
	abi.CmdCmdSetLogicOpEXT:       rec(func(c *commandBuffer, a *abi.CmdSetLogicOpEXTArgs) { c.vk.SetLogicOp(enum.LogicOp(a.LogicOp)) }),
	abi.CmdCmdSetPatchControlPointsEXT: rec(func(c *commandBuffer, a *abi.CmdSetPatchControlPointsEXTArgs) {
		c.vk.SetPatchControlPoints(a.PatchControlPoints)
	}),
	abi.CmdCmdSetColorBlendEnableEXT: rec(func(c *commandBuffer, a *abi.CmdSetColorBlendEnableEXTArgs) {
		c.vk.SetBlendEnable(int(a.FirstAttachment), each(array(a.PColorBlendEnables, a.AttachmentCount), isSet)...)
	}),
	abi.CmdCmdSetColorBlendEquationEXT: rec(func(c *commandBuffer, a *abi.CmdSetColorBlendEquationEXTArgs) {
		c.vk.SetBlendEquation(int(a.FirstAttachment), each(array(a.PColorBlendEquations, a.AttachmentCount), blendEquation)...)
	}),
	abi.CmdCmdSetColorWriteMaskEXT: rec(func(c *commandBuffer, a *abi.CmdSetColorWriteMaskEXTArgs) {
		c.vk.SetColorWriteMask(int(a.FirstAttachment), array(a.PColorWriteMasks, a.AttachmentCount)...)
	}),
	abi.CmdCmdSetColorWriteEnableEXT: rec(func(c *commandBuffer, a *abi.CmdSetColorWriteEnableEXTArgs) {
		c.vk.SetColorWriteEnable(each(array(a.PColorWriteEnables, a.AttachmentCount), isSet)...)
	}),
	abi.CmdCmdSetRasterizationStreamEXT: rec(func(c *commandBuffer, a *abi.CmdSetRasterizationStreamEXTArgs) {
		c.vk.SetRasterizationStream(a.RasterizationStream)
	}),
	abi.CmdCmdSetConservativeRasterizationModeEXT: rec(func(c *commandBuffer, a *abi.CmdSetConservativeRasterizationModeEXTArgs) {
		c.vk.SetConservativeMode(enum.ConservativeMode(a.ConservativeRasterizationMode))
	}),
	abi.CmdCmdSetExtraPrimitiveOverestimationSizeEXT: rec(func(c *commandBuffer, a *abi.CmdSetExtraPrimitiveOverestimationSizeEXTArgs) {
		c.vk.SetExtraOverestimation(a.ExtraPrimitiveOverestimationSize)
	}),
	abi.CmdCmdSetDepthClipEnableEXT: rec(func(c *commandBuffer, a *abi.CmdSetDepthClipEnableEXTArgs) { c.vk.SetDepthClip(a.DepthClipEnable != 0) }),
	abi.CmdCmdSetProvokingVertexModeEXT: rec(func(c *commandBuffer, a *abi.CmdSetProvokingVertexModeEXTArgs) {
		c.vk.SetProvokingVertex(enum.ProvokingVertex(a.ProvokingVertexMode))
	}),
	abi.CmdCmdSetLineRasterizationModeEXT: rec(func(c *commandBuffer, a *abi.CmdSetLineRasterizationModeEXTArgs) {
		c.vk.SetLineMode(enum.LineMode(a.LineRasterizationMode))
	}),
	abi.CmdCmdSetLineStippleEnableEXT: rec(func(c *commandBuffer, a *abi.CmdSetLineStippleEnableEXTArgs) {
		c.vk.SetLineStippleEnable(a.StippledLineEnable != 0)
	}),
	abi.CmdCmdSetLineStipple: rec(func(c *commandBuffer, a *abi.CmdSetLineStippleArgs) {
		c.vk.SetLineStipple(a.LineStippleFactor, a.LineStipplePattern)
	}),
	abi.CmdCmdSetDepthClipNegativeOneToOneEXT: rec(func(c *commandBuffer, a *abi.CmdSetDepthClipNegativeOneToOneEXTArgs) {
		c.vk.SetNegativeOneToOne(a.NegativeOneToOne != 0)
	}),
	abi.CmdCmdSetDiscardRectangleEXT: rec(func(c *commandBuffer, a *abi.CmdSetDiscardRectangleEXTArgs) {
		c.vk.SetDiscardRectangle(int(a.FirstDiscardRectangle), each(array(a.PDiscardRectangles, a.DiscardRectangleCount), rectAt))
	}),
	abi.CmdCmdSetDiscardRectangleEnableEXT: rec(func(c *commandBuffer, a *abi.CmdSetDiscardRectangleEnableEXTArgs) {
		c.vk.SetDiscardRectangleEnable(a.DiscardRectangleEnable != 0)
	}),
	abi.CmdCmdSetDiscardRectangleModeEXT: rec(func(c *commandBuffer, a *abi.CmdSetDiscardRectangleModeEXTArgs) {
		c.vk.SetDiscardRectangleMode(a.DiscardRectangleMode == abi.DiscardRectangleModeExclusiveEXT)
	}),
	abi.CmdCmdSetAttachmentFeedbackLoopEnableEXT: rec(func(c *commandBuffer, a *abi.CmdSetAttachmentFeedbackLoopEnableEXTArgs) {
		c.vk.SetAttachmentFeedbackLoop(vk.Aspect(a.AspectMask))
	}),
	abi.CmdCmdSetVertexInputEXT:         rec(func(c *commandBuffer, a *abi.CmdSetVertexInputEXTArgs) { c.vk.SetVertexInput(vertexInput2(a)) }),
	abi.CmdCmdSetFragmentShadingRateKHR: rec(func(c *commandBuffer, a *abi.CmdSetFragmentShadingRateKHRArgs) { c.setShadingRate(a) }),
}

// isSet returns a VkBool32 of an array.
func isSet(on *uint32) bool { return *on != 0 }

func blendEquation(e *abi.ColorBlendEquationEXT) link.Blend {
	return link.Blend{
		SrcColor: enum.BlendFactor(e.SrcColorBlendFactor), DstColor: enum.BlendFactor(e.DstColorBlendFactor), ColorOp: enum.BlendOp(e.ColorBlendOp),
		SrcAlpha: enum.BlendFactor(e.SrcAlphaBlendFactor), DstAlpha: enum.BlendFactor(e.DstAlphaBlendFactor), AlphaOp: enum.BlendOp(e.AlphaBlendOp),
	}
}

// setSampleMask sets the sample mask: a word for each 32 samples. A null mask has all samples (VK_KHR_maintenance10).
func (c *commandBuffer) setSampleMask(a *abi.CmdSetSampleMaskEXTArgs) {
	mask := [2]uint32{math.MaxUint32, math.MaxUint32}
	if a.PSampleMask != nil {
		mask = [2]uint32{}
		copy(mask[:], array(a.PSampleMask, (min(a.Samples, 64)+31)/32))
	}
	c.vk.SetSampleMask(mask)
}

// vertexInput2 reads the vertex input of a command.
func vertexInput2(a *abi.CmdSetVertexInputEXTArgs) link.VertexInput {
	return link.VertexInput{
		Bindings: each(array(a.PVertexBindingDescriptions, a.VertexBindingDescriptionCount), func(b *abi.VertexInputBindingDescription2EXT) link.VertexBinding {
			divisor := b.Divisor
			return link.VertexBinding{Binding: b.Binding, Stride: b.Stride, Rate: enum.InputRate(b.InputRate), Divisor: &divisor}
		}),
		Attributes: each(array(a.PVertexAttributeDescriptions, a.VertexAttributeDescriptionCount), func(x *abi.VertexInputAttributeDescription2EXT) link.Attribute {
			return link.Attribute{Location: x.Location, Binding: x.Binding, Format: format(x.Format), Offset: x.Offset}
		}),
	}
}

// setShadingRate sets the fragment shading rate.
func (c *commandBuffer) setShadingRate(a *abi.CmdSetFragmentShadingRateKHRArgs) {
	ops := array(a.CombinerOps, uint32(2))
	c.vk.SetFragmentShadingRate(a.PFragmentSize.Width, a.PFragmentSize.Height, [2]enum.RateCombiner{enum.RateCombiner(ops[0]), enum.RateCombiner(ops[1])})
}
