package driver

import (
	"math"
	"strings"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/vk"
)

var images table[vk.Image]

var imageCalls = map[int]call{
	abi.CmdCreateImage:  on(createImage),
	abi.CmdDestroyImage: run(func(a *abi.DestroyImageArgs) { destroy(&images, uint64(a.Image)) }),
	abi.CmdBindImageMemory: on(func(a *abi.BindImageMemoryArgs) abi.Result {
		return deviceOf(a.Device).result(images.get(uint64(a.Image)).Bind(memories.get(uint64(a.Memory)), a.MemoryOffset))
	}),
	abi.CmdBindImageMemory2: on(bindImageMemory2),
	abi.CmdGetImageMemoryRequirements: run(func(a *abi.GetImageMemoryRequirementsArgs) {
		putRequirements(a.PMemoryRequirements, images.get(uint64(a.Image)).MemoryRequirements(0))
	}),
	abi.CmdGetImageMemoryRequirements2: run(func(a *abi.GetImageMemoryRequirements2Args) {
		plane := vk.Aspect(0)
		if p := abi.Find[abi.ImagePlaneMemoryRequirementsInfo](a.PInfo.PNext, abi.StructureTypeImagePlaneMemoryRequirementsInfo); p != nil {
			plane = vk.Aspect(p.PlaneAspect)
		}
		putRequirements2(a.PMemoryRequirements, images.get(uint64(a.PInfo.Image)).MemoryRequirements(plane))
	}),
	abi.CmdGetDeviceImageMemoryRequirements: run(func(a *abi.GetDeviceImageMemoryRequirementsArgs) {
		if d := deviceOf(a.Device); d != nil {
			r, _ := d.vk.ImageRequirements(imageInfo(a.PInfo.PCreateInfo), vk.Aspect(a.PInfo.PlaneAspect)) // the call has no result
			putRequirements2(a.PMemoryRequirements, r)
		}
	}),
	abi.CmdGetImageSparseMemoryRequirements: run(func(a *abi.GetImageSparseMemoryRequirementsArgs) {
		list(a.PSparseMemoryRequirementCount, a.PSparseMemoryRequirements, images.get(uint64(a.Image)).SparseRequirements(), putSparse)
	}),
	abi.CmdGetImageSparseMemoryRequirements2: run(func(a *abi.GetImageSparseMemoryRequirements2Args) {
		list(a.PSparseMemoryRequirementCount, a.PSparseMemoryRequirements, images.get(uint64(a.PInfo.Image)).SparseRequirements(), func(to *abi.SparseImageMemoryRequirements2, r vk.SparseRequirements) {
			putSparse(&to.MemoryRequirements, r)
		})
	}),
	abi.CmdGetDeviceImageSparseMemoryRequirements: run(func(a *abi.GetDeviceImageSparseMemoryRequirementsArgs) {
		var values []vk.SparseRequirements
		if d := deviceOf(a.Device); d != nil {
			values, _ = d.vk.SparseImageRequirements(imageInfo(a.PInfo.PCreateInfo)) // the call has no result
		}
		list(a.PSparseMemoryRequirementCount, a.PSparseMemoryRequirements, values, func(to *abi.SparseImageMemoryRequirements2, r vk.SparseRequirements) {
			putSparse(&to.MemoryRequirements, r)
		})
	}),
	abi.CmdGetImageSubresourceLayout: run(func(a *abi.GetImageSubresourceLayoutArgs) {
		s := a.PSubresource
		l, _ := images.get(uint64(a.Image)).Subresource(vk.Aspect(s.AspectMask), int(s.MipLevel), int(s.ArrayLayer)) // zeros if there is none
		*a.PLayout = subresourceLayout(l)
	}),
	abi.CmdCreateImageView:               on(createImageView),
	abi.CmdDestroyImageView:              run(func(a *abi.DestroyImageViewArgs) { destroy(&imageViews, uint64(a.ImageView)) }),
	abi.CmdCreateSampler:                 on(createSampler),
	abi.CmdDestroySampler:                run(func(a *abi.DestroySamplerArgs) { destroy(&samplers, uint64(a.Sampler)) }),
	abi.CmdCreateSamplerYcbcrConversion:  on(createConversion),
	abi.CmdDestroySamplerYcbcrConversion: run(func(a *abi.DestroySamplerYcbcrConversionArgs) { destroy(&conversions, uint64(a.YcbcrConversion)) }),
}

// format returns a format by its number.
func format(n uint32) link.Format { return link.Format(n) }

// linear reports whether an image has the linear layout. One with sparse residency, which a program must not make with linear tiling
// (VUID-VkImageCreateInfo-tiling-04121), has the optimal layout.
func linear(tiling, flags uint32) bool {
	return tiling == abi.ImageTilingLinear && flags&abi.ImageCreateSparseResidencyBit == 0
}

// imageInfo reads the creation of an image.
func imageInfo(i *abi.ImageCreateInfo) vk.ImageInfo {
	info := vk.ImageInfo{
		Type: enum.ImageType(i.ImageType), Format: format(i.Format), Extent: [3]int{int(i.Extent.Width), int(i.Extent.Height), int(i.Extent.Depth)},
		Levels: int(i.MipLevels), Layers: int(i.ArrayLayers), Samples: int(i.Samples), Usage: vk.ImageUsage(i.Usage), Flags: vk.ImageFlags(i.Flags),
		Linear: linear(i.Tiling, i.Flags),
	}
	abi.Chain(i.PNext, func(sType uint32, s unsafe.Pointer) {
		switch sType {
		case abi.StructureTypeImageStencilUsageCreateInfo:
			info.StencilUsage = vk.ImageUsage((*abi.ImageStencilUsageCreateInfo)(s).StencilUsage)
		case abi.StructureTypeImageFormatListCreateInfo:
			l := (*abi.ImageFormatListCreateInfo)(s)
			for _, f := range array(l.PViewFormats, l.ViewFormatCount) {
				info.ViewFormats = append(info.ViewFormats, format(f))
			}
		}
	})
	return info
}

func createImage(a *abi.CreateImageArgs) abi.Result {
	d := deviceOf(a.Device)
	if d == nil {
		return abi.ErrorDeviceLost
	}
	info := imageInfo(a.PCreateInfo)
	if x := abi.Find[abi.ImageSwapchainCreateInfoKHR](a.PCreateInfo.PNext, abi.StructureTypeImageSwapchainCreateInfoKHR); x != nil && x.Swapchain != 0 {
		info.Linear = true // the layout of the images of a swapchain
	}
	m, err := d.vk.NewImage(info)
	if err == nil && ownLayouts(a.PCreateInfo) {
		err = m.SetLayout(vk.ImageRange{}, vk.ImageLayout(a.PCreateInfo.InitialLayout))
	}
	return created(d, &images, m, err, unsafe.Pointer(a.PImage))
}

// ownLayouts reports whether only commands of the device change the layouts of an image: no presentation and no other API.
func ownLayouts(i *abi.ImageCreateInfo) bool {
	own := true
	abi.Chain(i.PNext, func(sType uint32, _ unsafe.Pointer) {
		switch sType {
		case abi.StructureTypeImageSwapchainCreateInfoKHR, abi.StructureTypeExternalMemoryImageCreateInfo, abi.StructureTypeImageDrmFormatModifierListCreateInfoEXT, abi.StructureTypeImageDrmFormatModifierExplicitCreateInfoEXT:
			own = false
		}
	})
	return own
}

// bindRules are the rules of VkBindImageMemoryInfo by the same rules of vkBindImageMemory. Others have the same name in both, and so have
// all of VkBindBufferMemoryInfo and vkBindBufferMemory.
var bindRules = map[string]string{
	"VUID-vkBindImageMemory-memory-01047": "VUID-VkBindImageMemoryInfo-pNext-01615",
	"VUID-vkBindImageMemory-None-10735":   "VUID-VkBindImageMemoryInfo-pNext-01616",
	"VUID-vkBindImageMemory-None-10737":   "VUID-VkBindImageMemoryInfo-pNext-01617",
	"VUID-vkBindImageMemory-memory-10736": "VUID-VkBindImageMemoryInfo-pNext-12329",
	"VUID-vkBindImageMemory-memory-10738": "VUID-VkBindImageMemoryInfo-pNext-12330",
}

// bindRule returns the error of a bind of a resource, "Image" or "Buffer", with the rule of the structure in place of the rule of the command.
func bindRule(resource string, err error) error {
	u, ok := err.(*vk.UsageError)
	if !ok {
		return err
	}
	rule := bindRules[u.Rule]
	if rest, is := strings.CutPrefix(u.Rule, "VUID-vkBind"+resource+"Memory-"); is && rule == "" {
		rule = "VUID-VkBind" + resource + "MemoryInfo-" + rest
	}
	if rule == "" {
		return err
	}
	return &vk.UsageError{Rule: rule, Message: u.Message}
}

func bindImageMemory2(a *abi.BindImageMemory2Args) abi.Result {
	result := abi.Result(abi.Success)
	for _, i := range array(a.PBindInfos, a.BindInfoCount) {
		m, memory := images.get(uint64(i.Image)), memories.get(uint64(i.Memory))
		if x := abi.Find[abi.BindImageMemorySwapchainInfoKHR](i.PNext, abi.StructureTypeBindImageMemorySwapchainInfoKHR); x != nil {
			memory = swapchains.get(uint64(x.Swapchain)).memory(x.ImageIndex)
		}
		var err error
		if p := abi.Find[abi.BindImagePlaneMemoryInfo](i.PNext, abi.StructureTypeBindImagePlaneMemoryInfo); p != nil {
			err = m.BindPlane(vk.Aspect(p.PlaneAspect), memory, i.MemoryOffset)
		} else {
			err = bindRule("Image", m.Bind(memory, i.MemoryOffset))
		}
		r := deviceOf(a.Device).result(err)
		if r != abi.Success {
			result = r
		}
		putStatus(i.PNext, r)
	}
	return result
}

func subresourceLayout(l vk.SubresourceLayout) abi.SubresourceLayout {
	return abi.SubresourceLayout{Offset: l.Offset, Size: l.Size, RowPitch: l.RowPitch, ArrayPitch: l.ArrayPitch, DepthPitch: l.DepthPitch}
}

// putSparse writes the blocks of a sparse image.
func putSparse(to *abi.SparseImageMemoryRequirements, r vk.SparseRequirements) {
	*to = abi.SparseImageMemoryRequirements{FormatProperties: sparseProperties(r), ImageMipTailFirstLod: uint32(r.TailLevel), ImageMipTailOffset: r.TailOffset, ImageMipTailSize: r.TailSize}
}

func sparseProperties(r vk.SparseRequirements) abi.SparseImageFormatProperties {
	flags := uint32(abi.SparseImageFormatSingleMiptailBit)
	if r.NonStandard {
		flags |= abi.SparseImageFormatNonstandardBlockSizeBit
	}
	return abi.SparseImageFormatProperties{
		AspectMask: uint32(r.Aspect), Flags: flags,
		ImageGranularity: abi.Extent3D{Width: uint32(r.Granularity[0]), Height: uint32(r.Granularity[1]), Depth: uint32(r.Granularity[2])},
	}
}

// remaining returns a count of levels or layers; 0, the rest, for VK_REMAINING_MIP_LEVELS and VK_REMAINING_ARRAY_LAYERS.
func remaining(n uint32) int {
	if n == math.MaxUint32 {
		return 0
	}
	return int(n)
}

func swizzles(m abi.ComponentMapping) [4]enum.Swizzle {
	return [4]enum.Swizzle{enum.Swizzle(m.R), enum.Swizzle(m.G), enum.Swizzle(m.B), enum.Swizzle(m.A)}
}

func createImageView(a *abi.CreateImageViewArgs) abi.Result {
	d := deviceOf(a.Device)
	if d == nil {
		return abi.ErrorDeviceLost
	}
	v, err := d.vk.NewImageView(viewInfo(a.PCreateInfo))
	return created(d, &imageViews, v, err, unsafe.Pointer(a.PView))
}

// viewInfo reads the creation of a view.
func viewInfo(i *abi.ImageViewCreateInfo) vk.ImageViewInfo {
	r := i.SubresourceRange
	info := vk.ImageViewInfo{
		Image: images.get(uint64(i.Image)), Type: enum.ViewType(i.ViewType), Format: format(i.Format), Aspect: vk.Aspect(r.AspectMask), Swizzle: swizzles(i.Components),
		BaseLevel: int(r.BaseMipLevel), Levels: remaining(r.LevelCount), BaseLayer: int(r.BaseArrayLayer), Layers: remaining(r.LayerCount),
	}
	abi.Chain(i.PNext, func(sType uint32, s unsafe.Pointer) {
		switch sType {
		case abi.StructureTypeImageViewUsageCreateInfo:
			info.Usage = vk.ImageUsage((*abi.ImageViewUsageCreateInfo)(s).Usage)
		case abi.StructureTypeImageViewMinLodCreateInfoEXT:
			info.MinLod = (*abi.ImageViewMinLodCreateInfoEXT)(s).MinLod
		case abi.StructureTypeSamplerYcbcrConversionInfo:
			info.Conversion = conversions.get(uint64((*abi.SamplerYcbcrConversionInfo)(s).Conversion))
		case abi.StructureTypeImageViewSlicedCreateInfoEXT:
			x := (*abi.ImageViewSlicedCreateInfoEXT)(s)
			info.BaseSlice, info.Slices = int(x.SliceOffset), remaining(x.SliceCount)
		case abi.StructureTypeImageViewSampleWeightCreateInfoQCOM:
			x := (*abi.ImageViewSampleWeightCreateInfoQCOM)(s)
			info.Weights = &vk.WeightImage{Center: [2]int{int(x.FilterCenter.X), int(x.FilterCenter.Y)}, Size: [2]int{int(x.FilterSize.Width), int(x.FilterSize.Height)}, Phases: int(x.NumPhases)}
		}
	})
	return info
}

// borders are the colors of VkBorderColor up to the custom ones.
var borders = [...][4]uint32{
	abi.BorderColorFloatOpaqueBlack: {3: oneF}, abi.BorderColorIntOpaqueBlack: {3: 1},
	abi.BorderColorFloatOpaqueWhite: {oneF, oneF, oneF, oneF}, abi.BorderColorIntOpaqueWhite: {1, 1, 1, 1},
}

const oneF = 0x3f800000 // 1 as a float

func createSampler(a *abi.CreateSamplerArgs) abi.Result {
	d, i := deviceOf(a.Device), a.PCreateInfo
	if d == nil {
		return abi.ErrorDeviceLost
	}
	s, err := d.vk.NewSampler(samplerInfo(i))
	return created(d, &samplers, s, err, unsafe.Pointer(a.PSampler))
}

// samplerInfo reads the creation of a sampler.
func samplerInfo(i *abi.SamplerCreateInfo) vk.SamplerInfo {
	info := vk.SamplerInfo{
		Mag: enum.Filter(i.MagFilter), Min: enum.Filter(i.MinFilter), MipLinear: i.MipmapMode == abi.SamplerMipmapModeLinear,
		Address: [3]enum.AddressMode{enum.AddressMode(i.AddressModeU), enum.AddressMode(i.AddressModeV), enum.AddressMode(i.AddressModeW)},
		LodBias: i.MipLodBias, MinLod: i.MinLod, MaxLod: i.MaxLod, Compare: i.CompareEnable != 0, CompareOp: enum.CompareOp(i.CompareOp),
		Unnormalized: i.UnnormalizedCoordinates != 0, NonSeamless: i.Flags&abi.SamplerCreateNonSeamlessCubeMapBitEXT != 0,
		Processing: i.Flags&abi.SamplerCreateImageProcessingBitQCOM != 0,
	}
	if i.AnisotropyEnable != 0 {
		info.Anisotropy = i.MaxAnisotropy
	}
	if int(i.BorderColor) < len(borders) {
		info.Border = borders[i.BorderColor]
	}
	abi.Chain(i.PNext, func(sType uint32, s unsafe.Pointer) {
		switch sType {
		case abi.StructureTypeSamplerReductionModeCreateInfo:
			info.Reduction = enum.Reduction((*abi.SamplerReductionModeCreateInfo)(s).ReductionMode)
		case abi.StructureTypeSamplerYcbcrConversionInfo:
			info.Conversion = conversions.get(uint64((*abi.SamplerYcbcrConversionInfo)(s).Conversion))
		case abi.StructureTypeSamplerCubicWeightsCreateInfoQCOM:
			info.Weights = enum.CubicWeights((*abi.SamplerCubicWeightsCreateInfoQCOM)(s).CubicWeights)
		case abi.StructureTypeSamplerBlockMatchWindowCreateInfoQCOM:
			x := (*abi.SamplerBlockMatchWindowCreateInfoQCOM)(s)
			info.BlockWindow, info.BlockMost = [2]uint32{x.WindowExtent.Width, x.WindowExtent.Height}, x.WindowCompareMode == abi.BlockMatchWindowCompareModeMaxQCOM
		case abi.StructureTypeSamplerCustomBorderColorCreateInfoEXT:
			if i.BorderColor == abi.BorderColorFloatCustomEXT || i.BorderColor == abi.BorderColorIntCustomEXT {
				c := (*abi.SamplerCustomBorderColorCreateInfoEXT)(s)
				info.Border, info.BorderFormat = c.CustomBorderColor, format(c.Format)
			}
		case abi.StructureTypeSamplerCustomBorderColorIndexCreateInfoEXT:
			info.BorderIndex = vk.BorderIndex((*abi.SamplerCustomBorderColorIndexCreateInfoEXT)(s).Index + 1)
		}
	})
	return info
}

func createConversion(a *abi.CreateSamplerYcbcrConversionArgs) abi.Result {
	d, i := deviceOf(a.Device), a.PCreateInfo
	if d == nil {
		return abi.ErrorDeviceLost
	}
	c, err := d.vk.NewYcbcrConversion(vk.YcbcrConversionInfo{
		Format: format(i.Format), Model: enum.YcbcrModel(i.YcbcrModel), Range: enum.YcbcrRange(i.YcbcrRange), Components: swizzles(i.Components),
		XOffset: enum.ChromaLocation(i.XChromaOffset), YOffset: enum.ChromaLocation(i.YChromaOffset), ChromaFilter: enum.Filter(i.ChromaFilter),
		ForceExplicit: i.ForceExplicitReconstruction != 0,
	})
	return created(d, &conversions, c, err, unsafe.Pointer(a.PYcbcrConversion))
}
