package driver

import (
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vk"
)

var renderingCommands = map[int]recorder{
	abi.CmdCmdBeginRenderPass: rec(func(c *commandBuffer, a *abi.CmdBeginRenderPassArgs) {
		c.beginRenderPass(a.PRenderPassBegin, a.Contents)
	}),
	abi.CmdCmdBeginRenderPass2: rec(func(c *commandBuffer, a *abi.CmdBeginRenderPass2Args) {
		c.beginRenderPass(a.PRenderPassBegin, a.PSubpassBeginInfo.Contents)
	}),
	abi.CmdCmdNextSubpass: rec(func(c *commandBuffer, a *abi.CmdNextSubpassArgs) { c.vk.NextSubpass(contents(a.Contents)) }),
	abi.CmdCmdNextSubpass2: rec(func(c *commandBuffer, a *abi.CmdNextSubpass2Args) {
		c.vk.NextSubpass(contents(a.PSubpassBeginInfo.Contents))
	}),
	abi.CmdCmdEndRenderPass:    rec(func(c *commandBuffer, a *abi.CmdEndRenderPassArgs) { c.vk.EndRenderPass() }),
	abi.CmdCmdEndRenderPass2:   rec(func(c *commandBuffer, a *abi.CmdEndRenderPass2Args) { c.vk.EndRenderPass() }),
	abi.CmdCmdBeginRendering:   rec(beginRendering),
	abi.CmdCmdEndRendering:     rec(func(c *commandBuffer, a *abi.CmdEndRenderingArgs) { c.vk.EndRendering() }),
	abi.CmdCmdEndRendering2KHR: rec(func(c *commandBuffer, a *abi.CmdEndRendering2KHRArgs) { c.vk.EndRendering() }),
	abi.CmdCmdSetRenderingAttachmentLocations: rec(func(c *commandBuffer, a *abi.CmdSetRenderingAttachmentLocationsArgs) {
		i := a.PLocationInfo
		c.vk.SetRenderingAttachmentLocations(array(i.PColorAttachmentLocations, i.ColorAttachmentCount))
	}),
	abi.CmdCmdSetRenderingInputAttachmentIndices: rec(func(c *commandBuffer, a *abi.CmdSetRenderingInputAttachmentIndicesArgs) {
		i := a.PInputAttachmentIndexInfo
		c.vk.SetRenderingInputAttachmentIndices(vk.InputIndices{Colors: array(i.PColorAttachmentInputIndices, i.ColorAttachmentCount), Depth: i.PDepthInputAttachmentIndex, Stencil: i.PStencilInputAttachmentIndex})
	}),
}

// contents returns a VkSubpassContents.
func contents(n uint32) vk.SubpassContents {
	switch n {
	case abi.SubpassContentsSecondaryCommandBuffers:
		return vk.Secondary
	case abi.SubpassContentsInlineAndSecondaryCommandBuffersKHR:
		return vk.InlineAndSecondary
	}
	return vk.Inline
}

// beginRenderPass begins a render pass. A clear value is a color, or depth and stencil: vk reads the one that the format needs.
func (c *commandBuffer) beginRenderPass(i *abi.RenderPassBeginInfo, n uint32) {
	begin := vk.RenderPassBegin{
		RenderPass: renderPasses.get(uint64(i.RenderPass)), Framebuffer: framebuffers.get(uint64(i.Framebuffer)), Area: rect(i.RenderArea),
		Clears: each(array(i.PClearValues, i.ClearValueCount), func(v *abi.ClearValue) vk.ClearValue {
			return vk.ClearValue{Color: *v, Depth: v[0], Stencil: v[1]}
		}),
	}
	if x := abi.Find[abi.RenderPassAttachmentBeginInfo](i.PNext, abi.StructureTypeRenderPassAttachmentBeginInfo); x != nil {
		begin.Attachments = each(array(x.PAttachments, x.AttachmentCount), func(h *abi.ImageView) *vk.ImageView { return imageViews.get(uint64(*h)) })
	}
	if x := abi.Find[abi.DeviceGroupRenderPassBeginInfo](i.PNext, abi.StructureTypeDeviceGroupRenderPassBeginInfo); x != nil && x.DeviceRenderAreaCount == 1 {
		begin.Area = rect(*x.PDeviceRenderAreas)
	}
	c.vk.BeginRenderPass(begin, contents(n))
}

// attachment reads an attachment of a rendering. component is the word of the clear value that the attachment has first.
func attachment(i *abi.RenderingAttachmentInfo, component int) vk.AttachmentInfo {
	out := vk.AttachmentInfo{View: imageViews.get(uint64(i.ImageView)), Resolve: imageViews.get(uint64(i.ResolveImageView)), ResolveMode: resolveMode(i.ResolveMode), Load: loadOp(i.LoadOp), Store: storeOp(i.StoreOp), Clear: i.ClearValue}
	if component > 0 {
		out.Clear[0] = i.ClearValue[component]
	}
	return out
}

// renderingInfo reads a rendering.
func renderingInfo(i *abi.RenderingInfo) vk.RenderingInfo {
	info := vk.RenderingInfo{Flags: renderingFlags(i.Flags), Area: rect(i.RenderArea), Layers: i.LayerCount, ViewMask: i.ViewMask}
	info.Colors = each(array(i.PColorAttachments, i.ColorAttachmentCount), func(x *abi.RenderingAttachmentInfo) vk.AttachmentInfo { return attachment(x, 0) })
	if x := i.PDepthAttachment; x != nil && x.ImageView != 0 {
		d := attachment(x, 0)
		info.Depth = &d
	}
	if x := i.PStencilAttachment; x != nil && x.ImageView != 0 {
		s := attachment(x, 1)
		info.Stencil = &s
	}
	abi.Chain(i.PNext, func(sType uint32, p unsafe.Pointer) {
		switch sType {
		case abi.StructureTypeRenderPassTileShadingCreateInfoQCOM:
			info.Tiles = tileShading((*abi.RenderPassTileShadingCreateInfoQCOM)(p))
		case abi.StructureTypeTileMemorySizeInfoQCOM:
			info.TileMemory = (*abi.TileMemorySizeInfoQCOM)(p).Size
		case abi.StructureTypeMultisampledRenderToSingleSampledInfoEXT:
			info.Samples = singleSampled((*abi.MultisampledRenderToSingleSampledInfoEXT)(p))
		case abi.StructureTypeRenderingFragmentShadingRateAttachmentInfoKHR:
			x := (*abi.RenderingFragmentShadingRateAttachmentInfoKHR)(p)
			if v := imageViews.get(uint64(x.ImageView)); v != nil {
				info.ShadingRate = &vk.ShadingRateAttachment{View: v, Texel: [2]uint32{x.ShadingRateAttachmentTexelSize.Width, x.ShadingRateAttachmentTexelSize.Height}}
			}
		}
	})
	return info
}

func beginRendering(c *commandBuffer, a *abi.CmdBeginRenderingArgs) {
	c.vk.BeginRendering(renderingInfo(a.PRenderingInfo))
}

// renderingFlags returns VkRenderingFlags.
func renderingFlags(flags uint32) (out vk.RenderingFlags) {
	for _, f := range [...]struct {
		bit uint32
		vk  vk.RenderingFlags
	}{
		{abi.RenderingContentsSecondaryCommandBuffersBit, vk.SecondaryContents}, {abi.RenderingSuspendingBit, vk.Suspending},
		{abi.RenderingResumingBit, vk.Resuming}, {abi.RenderingEnableLegacyDitheringBitEXT, vk.LegacyDithering}, {abi.RenderingContentsInlineBitKHR, vk.InlineContents},
		{abi.RenderingFragmentRegionBitEXT, vk.FragmentRegion}, {abi.RenderingCustomResolveBitEXT, vk.CustomResolving},
	} {
		if flags&f.bit != 0 {
			out |= f.vk
		}
	}
	return out
}
