package driver

import (
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vk"
)

var renderPassCalls = map[int]call{
	abi.CmdCreateRenderPass:  on(createRenderPass),
	abi.CmdCreateRenderPass2: on(createRenderPass2),
	abi.CmdGetDeviceSubpassShadingMaxWorkgroupSizeHUAWEI: on(func(a *abi.GetDeviceSubpassShadingMaxWorkgroupSizeHUAWEIArgs) abi.Result {
		size := renderPasses.get(uint64(a.Renderpass)).SubpassWorkgroupSize()
		*a.PMaxWorkgroupSize = abi.Extent2D{Width: size[0], Height: size[1]}
		return abi.Success
	}),
	abi.CmdGetFramebufferTilePropertiesQCOM:      on(framebufferTiles),
	abi.CmdGetDynamicRenderingTilePropertiesQCOM: on(renderingTiles),
	abi.CmdDestroyRenderPass:                     run(func(a *abi.DestroyRenderPassArgs) { destroy(&renderPasses, uint64(a.RenderPass)) }),
	abi.CmdCreateFramebuffer:                     on(createFramebuffer),
	abi.CmdDestroyFramebuffer:                    run(func(a *abi.DestroyFramebufferArgs) { destroy(&framebuffers, uint64(a.Framebuffer)) }),
	abi.CmdGetRenderingAreaGranularity:           run(func(a *abi.GetRenderingAreaGranularityArgs) { *a.PGranularity = abi.Extent2D{Width: 1, Height: 1} }),
	abi.CmdGetRenderAreaGranularity: run(func(a *abi.GetRenderAreaGranularityArgs) {
		a.PGranularity.Width, a.PGranularity.Height = renderPasses.get(uint64(a.RenderPass)).RenderAreaGranularity()
	}),
}

// loadOp returns a VkAttachmentLoadOp. An attachment that is not loaded has any content.
func loadOp(n uint32) vk.LoadOp {
	switch n {
	case abi.AttachmentLoadOpLoad:
		return vk.Load
	case abi.AttachmentLoadOpNone:
		return vk.LoadNone
	case abi.AttachmentLoadOpClear:
		return vk.ClearOnLoad
	}
	return vk.DontCare
}

// storeOp returns a VkAttachmentStoreOp.
func storeOp(n uint32) vk.StoreOp {
	switch n {
	case abi.AttachmentStoreOpStore:
		return vk.Store
	case abi.AttachmentStoreOpNone:
		return vk.StoreNone
	}
	return vk.StoreDontCare
}

// attachmentNumber returns a pointer to the number of an attachment; nil for none.
func attachmentNumber[R any](r *R, number func(*R) uint32) *uint32 {
	if r == nil || number(r) == abi.AttachmentUnused {
		return nil
	}
	n := number(r)
	return &n
}

func createRenderPass(a *abi.CreateRenderPassArgs) abi.Result {
	d, i := deviceOf(a.Device), a.PCreateInfo
	if d == nil {
		return abi.ErrorDeviceLost
	}
	info := vk.RenderPassInfo{
		Attachments: each(array(i.PAttachments, i.AttachmentCount), func(x *abi.AttachmentDescription) vk.AttachmentDescription {
			return vk.AttachmentDescription{Format: format(x.Format), Samples: int(x.Samples), Load: loadOp(x.LoadOp), StencilLoad: loadOp(x.StencilLoadOp), Store: storeOp(x.StoreOp), StencilStore: storeOp(x.StencilStoreOp), Final: vk.ImageLayout(x.FinalLayout)}
		}),
		Subpasses: each(array(i.PSubpasses, i.SubpassCount), subpass),
		Dependencies: each(array(i.PDependencies, i.DependencyCount), func(x *abi.SubpassDependency) vk.Dependency {
			return vk.Dependency{
				Source: x.SrcSubpass, Target: x.DstSubpass, SourceStages: uint64(x.SrcStageMask), TargetStages: uint64(x.DstStageMask),
				SourceAccess: uint64(x.SrcAccessMask), TargetAccess: uint64(x.DstAccessMask),
				ByRegion: x.DependencyFlags&abi.DependencyByRegionBit != 0, ViewLocal: x.DependencyFlags&abi.DependencyViewLocalBit != 0,
			}
		}),
	}
	views := false
	abi.Chain(i.PNext, func(sType uint32, s unsafe.Pointer) {
		switch sType {
		case abi.StructureTypeRenderPassTileShadingCreateInfoQCOM:
			info.Tiles = tileShading((*abi.RenderPassTileShadingCreateInfoQCOM)(s))
		case abi.StructureTypeTileMemorySizeInfoQCOM:
			info.TileMemory = (*abi.TileMemorySizeInfoQCOM)(s).Size
		case abi.StructureTypeRenderPassMultiviewCreateInfo:
			views = true
			multiview(&info, (*abi.RenderPassMultiviewCreateInfo)(s))
		case abi.StructureTypeRenderPassInputAttachmentAspectCreateInfo:
			x := (*abi.RenderPassInputAttachmentAspectCreateInfo)(s)
			for _, r := range array(x.PAspectReferences, x.AspectReferenceCount) {
				if int(r.Subpass) < len(info.Subpasses) && int(r.InputAttachmentIndex) < len(info.Subpasses[r.Subpass].Inputs) {
					info.Subpasses[r.Subpass].Inputs[r.InputAttachmentIndex].Aspects = vk.Aspect(r.AspectMask)
				}
			}
		}
	})
	// Version 2 alone has the rule that dependencies for each view need views; here it is for the structure of multiview.
	if !views {
		for n := range info.Dependencies {
			info.Dependencies[n].ViewLocal = false
		}
	}
	p, err := d.vk.NewRenderPass(info)
	return created(d, &renderPasses, p, err, unsafe.Pointer(a.PRenderPass))
}

// multiview adds the views of subpasses.
func multiview(info *vk.RenderPassInfo, x *abi.RenderPassMultiviewCreateInfo) {
	for n, mask := range array(x.PViewMasks, x.SubpassCount) {
		if n < len(info.Subpasses) {
			info.Subpasses[n].ViewMask = mask
		}
	}
	for n, offset := range array(x.PViewOffsets, x.DependencyCount) {
		if n < len(info.Dependencies) {
			info.Dependencies[n].ViewOffset = offset
		}
	}
	info.CorrelatedViews = append([]uint32(nil), array(x.PCorrelationMasks, x.CorrelationMaskCount)...)
}

// subpass reads a subpass.
func subpass(s *abi.SubpassDescription) vk.Subpass {
	number := func(r *abi.AttachmentReference) uint32 { return r.Attachment }
	return vk.Subpass{
		Point:    bindPoint(s.PipelineBindPoint),
		Flags:    vk.SubpassFlags(s.Flags),
		Inputs:   each(array(s.PInputAttachments, s.InputAttachmentCount), func(r *abi.AttachmentReference) vk.InputReference { return vk.InputReference{Attachment: r.Attachment} }),
		Colors:   each(array(s.PColorAttachments, s.ColorAttachmentCount), number),
		Resolves: each(array(s.PResolveAttachments, s.ColorAttachmentCount), number),
		Preserve: append([]uint32(nil), array(s.PPreserveAttachments, s.PreserveAttachmentCount)...),
		Depth:    attachmentNumber(s.PDepthStencilAttachment, number),
	}
}

func createRenderPass2(a *abi.CreateRenderPass2Args) abi.Result {
	d, i := deviceOf(a.Device), a.PCreateInfo
	if d == nil {
		return abi.ErrorDeviceLost
	}
	p, err := d.vk.NewRenderPass(vk.RenderPassInfo{
		Attachments: each(array(i.PAttachments, i.AttachmentCount), func(x *abi.AttachmentDescription2) vk.AttachmentDescription {
			out := vk.AttachmentDescription{Format: format(x.Format), Samples: int(x.Samples), Load: loadOp(x.LoadOp), StencilLoad: loadOp(x.StencilLoadOp), Store: storeOp(x.StoreOp), StencilStore: storeOp(x.StencilStoreOp), Final: vk.ImageLayout(x.FinalLayout)}
			if l := abi.Find[abi.AttachmentDescriptionStencilLayout](x.PNext, abi.StructureTypeAttachmentDescriptionStencilLayout); l != nil {
				out.StencilFinal = vk.ImageLayout(l.StencilFinalLayout)
			}
			return out
		}),
		Subpasses: each(array(i.PSubpasses, i.SubpassCount), subpass2),
		Dependencies: each(array(i.PDependencies, i.DependencyCount), func(x *abi.SubpassDependency2) vk.Dependency {
			y := vk.Dependency{
				Source: x.SrcSubpass, Target: x.DstSubpass, SourceStages: uint64(x.SrcStageMask), TargetStages: uint64(x.DstStageMask),
				SourceAccess: uint64(x.SrcAccessMask), TargetAccess: uint64(x.DstAccessMask), ViewOffset: x.ViewOffset,
				ByRegion: x.DependencyFlags&abi.DependencyByRegionBit != 0, ViewLocal: x.DependencyFlags&abi.DependencyViewLocalBit != 0,
			}
			if b := abi.Find[abi.MemoryBarrier2](x.PNext, abi.StructureTypeMemoryBarrier2); b != nil {
				y.SourceStages, y.TargetStages, y.SourceAccess, y.TargetAccess = b.SrcStageMask, b.DstStageMask, b.SrcAccessMask, b.DstAccessMask
			}
			return y
		}),
		CorrelatedViews: append([]uint32(nil), array(i.PCorrelatedViewMasks, i.CorrelatedViewMaskCount)...),
		Tiles:           tileShading(abi.Find[abi.RenderPassTileShadingCreateInfoQCOM](i.PNext, abi.StructureTypeRenderPassTileShadingCreateInfoQCOM)),
		TileMemory:      tileSize(abi.Find[abi.TileMemorySizeInfoQCOM](i.PNext, abi.StructureTypeTileMemorySizeInfoQCOM)),
	})
	return created(d, &renderPasses, p, err, unsafe.Pointer(a.PRenderPass))
}

// subpass2 reads a subpass in its second form.
func subpass2(s *abi.SubpassDescription2) vk.Subpass {
	number := func(r *abi.AttachmentReference2) uint32 { return r.Attachment }
	out := vk.Subpass{
		Point: bindPoint(s.PipelineBindPoint), Flags: vk.SubpassFlags(s.Flags), ViewMask: s.ViewMask,
		Inputs: each(array(s.PInputAttachments, s.InputAttachmentCount), func(r *abi.AttachmentReference2) vk.InputReference {
			return vk.InputReference{Attachment: r.Attachment, Aspects: vk.Aspect(r.AspectMask)}
		}),
		Colors:   each(array(s.PColorAttachments, s.ColorAttachmentCount), number),
		Resolves: each(array(s.PResolveAttachments, s.ColorAttachmentCount), number),
		Preserve: append([]uint32(nil), array(s.PPreserveAttachments, s.PreserveAttachmentCount)...),
		Depth:    attachmentNumber(s.PDepthStencilAttachment, number),
	}
	abi.Chain(s.PNext, func(sType uint32, p unsafe.Pointer) {
		switch sType {
		case abi.StructureTypeSubpassDescriptionDepthStencilResolve:
			x := (*abi.SubpassDescriptionDepthStencilResolve)(p)
			out.DepthResolve = attachmentNumber(x.PDepthStencilResolveAttachment, number)
			out.DepthResolveMode, out.StencilResolve = resolveMode(x.DepthResolveMode), resolveMode(x.StencilResolveMode)
		case abi.StructureTypeFragmentShadingRateAttachmentInfoKHR:
			x := (*abi.FragmentShadingRateAttachmentInfoKHR)(p)
			out.ShadingRate = attachmentNumber(x.PFragmentShadingRateAttachment, number)
			out.ShadingTexel = [2]uint32{x.ShadingRateAttachmentTexelSize.Width, x.ShadingRateAttachmentTexelSize.Height}
		case abi.StructureTypeMultisampledRenderToSingleSampledInfoEXT:
			out.Samples = singleSampled((*abi.MultisampledRenderToSingleSampledInfoEXT)(p))
		}
	})
	return out
}

// singleSampled returns the samples of draws to attachments of one sample; 0 if there are no such draws.
func singleSampled(x *abi.MultisampledRenderToSingleSampledInfoEXT) int {
	if x.MultisampledRenderToSingleSampledEnable == abi.False {
		return 0
	}
	return int(x.RasterizationSamples)
}

// resolveMode returns a VkResolveModeFlagBits.
func resolveMode(n uint32) vk.ResolveMode {
	switch n {
	case abi.ResolveModeSampleZeroBit:
		return vk.ResolveSampleZero
	case abi.ResolveModeAverageBit:
		return vk.ResolveAverage
	case abi.ResolveModeMinBit:
		return vk.ResolveMin
	case abi.ResolveModeMaxBit:
		return vk.ResolveMax
	case abi.ResolveModeCustomBitEXT:
		return vk.ResolveCustom
	}
	return vk.ResolveNone
}

func createFramebuffer(a *abi.CreateFramebufferArgs) abi.Result {
	d, i := deviceOf(a.Device), a.PCreateInfo
	if d == nil {
		return abi.ErrorDeviceLost
	}
	info := vk.FramebufferInfo{RenderPass: renderPasses.get(uint64(i.RenderPass)), Width: i.Width, Height: i.Height, Layers: i.Layers}
	if info.Imageless = i.Flags&abi.FramebufferCreateImagelessBit != 0; !info.Imageless {
		info.Attachments = each(array(i.PAttachments, i.AttachmentCount), func(h *abi.ImageView) *vk.ImageView { return imageViews.get(uint64(*h)) })
	}
	f, err := d.vk.NewFramebuffer(info)
	return created(d, &framebuffers, f, err, unsafe.Pointer(a.PFramebuffer))
}
