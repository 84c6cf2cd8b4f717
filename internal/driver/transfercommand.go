package driver

import (
	"unsafe"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vk"
)

var transferCommands = map[int]recorder{
	abi.CmdCmdCopyBuffer: rec(func(c *commandBuffer, a *abi.CmdCopyBufferArgs) {
		// VkBufferCopy and vk.BufferCopy have one layout.
		regions := array((*vk.BufferCopy)(unsafe.Pointer(a.PRegions)), a.RegionCount)
		c.vk.CopyBuffer(buffers.get(uint64(a.SrcBuffer)), buffers.get(uint64(a.DstBuffer)), regions)
	}),
	abi.CmdCmdCopyBuffer2: rec(func(c *commandBuffer, a *abi.CmdCopyBuffer2Args) {
		i := a.PCopyBufferInfo
		c.vk.CopyBuffer(buffers.get(uint64(i.SrcBuffer)), buffers.get(uint64(i.DstBuffer)), each(array(i.PRegions, i.RegionCount), func(r *abi.BufferCopy2) vk.BufferCopy {
			return vk.BufferCopy{Source: r.SrcOffset, Target: r.DstOffset, Size: r.Size}
		}))
	}),
	abi.CmdCmdFillBuffer: rec(func(c *commandBuffer, a *abi.CmdFillBufferArgs) {
		c.vk.FillBuffer(buffers.get(uint64(a.DstBuffer)), a.DstOffset, a.Size, a.Data)
	}),
	abi.CmdCmdUpdateBuffer: rec(func(c *commandBuffer, a *abi.CmdUpdateBufferArgs) {
		c.vk.UpdateBuffer(buffers.get(uint64(a.DstBuffer)), a.DstOffset, abi.Bytes(a.PData, a.DataSize))
	}),
	abi.CmdCmdCopyImage: rec(func(c *commandBuffer, a *abi.CmdCopyImageArgs) {
		c.vk.CopyImage(images.get(uint64(a.SrcImage)), images.get(uint64(a.DstImage)), each(array(a.PRegions, a.RegionCount), func(r *abi.ImageCopy) vk.ImageCopy {
			return imageCopy(r.SrcSubresource, r.DstSubresource, r.SrcOffset, r.DstOffset, r.Extent)
		}))
	}),
	abi.CmdCmdCopyImage2: rec(func(c *commandBuffer, a *abi.CmdCopyImage2Args) {
		i := a.PCopyImageInfo
		c.vk.CopyImage(images.get(uint64(i.SrcImage)), images.get(uint64(i.DstImage)), each(array(i.PRegions, i.RegionCount), func(r *abi.ImageCopy2) vk.ImageCopy {
			return imageCopy(r.SrcSubresource, r.DstSubresource, r.SrcOffset, r.DstOffset, r.Extent)
		}))
	}),
	abi.CmdCmdBlitImage: rec(func(c *commandBuffer, a *abi.CmdBlitImageArgs) {
		c.vk.BlitImage(images.get(uint64(a.SrcImage)), images.get(uint64(a.DstImage)), each(array(a.PRegions, a.RegionCount), func(r *abi.ImageBlit) vk.ImageBlit {
			return imageBlit(r.SrcSubresource, r.DstSubresource, r.SrcOffsets, r.DstOffsets)
		}), enum.Filter(a.Filter))
	}),
	abi.CmdCmdBlitImage2: rec(func(c *commandBuffer, a *abi.CmdBlitImage2Args) {
		i := a.PBlitImageInfo
		info := vk.BlitImageInfo{Source: images.get(uint64(i.SrcImage)), Target: images.get(uint64(i.DstImage)), Filter: enum.Filter(i.Filter)}
		info.Regions = each(array(i.PRegions, i.RegionCount), func(r *abi.ImageBlit2) vk.ImageBlit {
			b := imageBlit(r.SrcSubresource, r.DstSubresource, r.SrcOffsets, r.DstOffsets)
			b.Rotation = rotation(r.PNext)
			return b
		})
		if w := abi.Find[abi.BlitImageCubicWeightsInfoQCOM](i.PNext, abi.StructureTypeBlitImageCubicWeightsInfoQCOM); w != nil {
			info.Weights = enum.CubicWeights(w.CubicWeights)
		}
		c.vk.BlitImage2(info)
	}),
	abi.CmdCmdResolveImage: rec(func(c *commandBuffer, a *abi.CmdResolveImageArgs) {
		c.vk.ResolveImage(images.get(uint64(a.SrcImage)), images.get(uint64(a.DstImage)), each(array(a.PRegions, a.RegionCount), func(r *abi.ImageResolve) vk.ImageCopy {
			return imageCopy(r.SrcSubresource, r.DstSubresource, r.SrcOffset, r.DstOffset, r.Extent)
		}))
	}),
	abi.CmdCmdResolveImage2: rec(func(c *commandBuffer, a *abi.CmdResolveImage2Args) {
		i := a.PResolveImageInfo
		info := vk.ResolveImageInfo{Source: images.get(uint64(i.SrcImage)), Target: images.get(uint64(i.DstImage))}
		info.Regions = each(array(i.PRegions, i.RegionCount), func(r *abi.ImageResolve2) vk.ImageCopy {
			return imageCopy(r.SrcSubresource, r.DstSubresource, r.SrcOffset, r.DstOffset, r.Extent)
		})
		if m := abi.Find[abi.ResolveImageModeInfoKHR](i.PNext, abi.StructureTypeResolveImageModeInfoKHR); m != nil {
			info.Mode, info.StencilMode = resolveMode(m.ResolveMode), resolveMode(m.StencilResolveMode)
		}
		c.vk.ResolveImage2(info)
	}),
	abi.CmdCmdCopyBufferToImage: rec(func(c *commandBuffer, a *abi.CmdCopyBufferToImageArgs) {
		c.vk.CopyBufferToImage(buffers.get(uint64(a.SrcBuffer)), images.get(uint64(a.DstImage)), bufferImageCopies(array(a.PRegions, a.RegionCount)))
	}),
	abi.CmdCmdCopyBufferToImage2: rec(func(c *commandBuffer, a *abi.CmdCopyBufferToImage2Args) {
		i := a.PCopyBufferToImageInfo
		c.vk.CopyBufferToImage(buffers.get(uint64(i.SrcBuffer)), images.get(uint64(i.DstImage)), bufferImageCopies2(array(i.PRegions, i.RegionCount)))
	}),
	abi.CmdCmdCopyImageToBuffer: rec(func(c *commandBuffer, a *abi.CmdCopyImageToBufferArgs) {
		c.vk.CopyImageToBuffer(images.get(uint64(a.SrcImage)), buffers.get(uint64(a.DstBuffer)), bufferImageCopies(array(a.PRegions, a.RegionCount)))
	}),
	abi.CmdCmdCopyImageToBuffer2: rec(func(c *commandBuffer, a *abi.CmdCopyImageToBuffer2Args) {
		i := a.PCopyImageToBufferInfo
		c.vk.CopyImageToBuffer(images.get(uint64(i.SrcImage)), buffers.get(uint64(i.DstBuffer)), bufferImageCopies2(array(i.PRegions, i.RegionCount)))
	}),
	abi.CmdCmdClearColorImage: rec(func(c *commandBuffer, a *abi.CmdClearColorImageArgs) {
		c.vk.ClearColorImage(images.get(uint64(a.Image)), *a.PColor, each(array(a.PRanges, a.RangeCount), imageRange))
	}),
	abi.CmdCmdClearDepthStencilImage: rec(func(c *commandBuffer, a *abi.CmdClearDepthStencilImageArgs) {
		c.vk.ClearDepthStencilImage(images.get(uint64(a.Image)), a.PDepthStencil.Depth, a.PDepthStencil.Stencil, each(array(a.PRanges, a.RangeCount), imageRange))
	}),
}

// each converts an array of the application.
func each[A, V any](from []A, f func(*A) V) []V {
	out := make([]V, len(from))
	for i := range from {
		out[i] = f(&from[i])
	}
	return out
}

func layers(s abi.ImageSubresourceLayers) vk.Layers {
	l := vk.Layers{Aspect: vk.Aspect(s.AspectMask), Level: int(s.MipLevel), Base: int(s.BaseArrayLayer), Count: int(s.LayerCount)}
	if s.LayerCount == abi.RemainingArrayLayers {
		l.Count = vk.AllLayers
	}
	return l
}

func offset(o abi.Offset3D) [3]int { return [3]int{int(o.X), int(o.Y), int(o.Z)} }
func extent(e abi.Extent3D) [3]int { return [3]int{int(e.Width), int(e.Height), int(e.Depth)} }

// rotation reads the rotation of a region of a copy.
func rotation(chain unsafe.Pointer) vk.Rotation {
	if t := abi.Find[abi.CopyCommandTransformInfoQCOM](chain, abi.StructureTypeCopyCommandTransformInfoQCOM); t != nil {
		switch t.Transform {
		case abi.SurfaceTransformRotate90BitKHR:
			return vk.Rotate90
		case abi.SurfaceTransformRotate180BitKHR:
			return vk.Rotate180
		case abi.SurfaceTransformRotate270BitKHR:
			return vk.Rotate270
		}
	}
	return vk.RotateIdentity
}

func imageCopy(source, target abi.ImageSubresourceLayers, from, to abi.Offset3D, size abi.Extent3D) vk.ImageCopy {
	return vk.ImageCopy{Source: layers(source), Target: layers(target), SourceOffset: offset(from), TargetOffset: offset(to), Extent: extent(size)}
}

func imageBlit(source, target abi.ImageSubresourceLayers, from, to [2]abi.Offset3D) vk.ImageBlit {
	return vk.ImageBlit{Source: layers(source), Target: layers(target), SourceBox: [2][3]int{offset(from[0]), offset(from[1])}, TargetBox: [2][3]int{offset(to[0]), offset(to[1])}}
}

func bufferImageCopies(list []abi.BufferImageCopy) []vk.BufferImageCopy {
	return each(list, func(r *abi.BufferImageCopy) vk.BufferImageCopy {
		return vk.BufferImageCopy{BufferOffset: r.BufferOffset, RowLength: int(r.BufferRowLength), ImageHeight: int(r.BufferImageHeight), Image: layers(r.ImageSubresource), Offset: offset(r.ImageOffset), Extent: extent(r.ImageExtent)}
	})
}

func bufferImageCopies2(list []abi.BufferImageCopy2) []vk.BufferImageCopy {
	return each(list, func(r *abi.BufferImageCopy2) vk.BufferImageCopy {
		return vk.BufferImageCopy{Rotation: rotation(r.PNext), BufferOffset: r.BufferOffset, RowLength: int(r.BufferRowLength), ImageHeight: int(r.BufferImageHeight), Image: layers(r.ImageSubresource), Offset: offset(r.ImageOffset), Extent: extent(r.ImageExtent)}
	})
}

func imageRange(r *abi.ImageSubresourceRange) vk.ImageRange {
	return vk.ImageRange{Aspects: vk.Aspect(r.AspectMask), BaseLevel: int(r.BaseMipLevel), Levels: remaining(r.LevelCount), BaseLayer: int(r.BaseArrayLayer), Layers: remaining(r.LayerCount)}
}
