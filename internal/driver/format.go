package driver

import (
	"strings"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vk"
)

var formatCalls = map[int]call{
	abi.CmdGetPhysicalDeviceFormatProperties: run(func(a *abi.GetPhysicalDeviceFormatPropertiesArgs) {
		*a.PFormatProperties = formatProperties(physicalOf(a.PhysicalDevice), a.Format)
	}),
	abi.CmdGetPhysicalDeviceFormatProperties2: run(func(a *abi.GetPhysicalDeviceFormatProperties2Args) {
		p := physicalOf(a.PhysicalDevice)
		a.PFormatProperties.FormatProperties = formatProperties(p, a.Format)
		if x := abi.Find[abi.FormatProperties3](a.PFormatProperties.PNext, abi.StructureTypeFormatProperties3); x != nil && p != nil {
			f := p.features(a.Format)
			x.LinearTilingFeatures, x.OptimalTilingFeatures, x.BufferFeatures = uint64(f.Linear), uint64(f.Optimal), uint64(f.Buffer)
		}
		if x := abi.Find[abi.SubpassResolvePerformanceQueryEXT](a.PFormatProperties.PNext, abi.StructureTypeSubpassResolvePerformanceQueryEXT); x != nil {
			x.Optimal = abi.True // a resolve at the end of a rendering is not slower than the command
		}
	}),
	abi.CmdGetPhysicalDeviceImageFormatProperties:        on(getImageFormatProperties),
	abi.CmdGetPhysicalDeviceImageFormatProperties2:       on(getImageFormatProperties2),
	abi.CmdGetPhysicalDeviceSparseImageFormatProperties:  run(getSparseImageFormatProperties),
	abi.CmdGetPhysicalDeviceSparseImageFormatProperties2: run(getSparseImageFormatProperties2),
}

// features returns the uses of a format. Images of scaled integers are sampled and copied from: applications do not agree whether the clear
// value of such an image has floats, as the specification requires, or integers. Views of other formats have the other uses.
func (p *physicalDevice) features(n uint32) vk.FormatProperties {
	f := p.vk.FormatProperties(format(n))
	if scaled(n) {
		f.Linear &= vk.FormatSampledImage | vk.FormatTransferSource
		f.Optimal &= vk.FormatSampledImage | vk.FormatTransferSource
	}
	return f
}

// scaled reports whether a format has scaled integers.
func scaled(n uint32) bool { return strings.Contains(format(n).String(), "SCALED") }

// formatProperties returns the uses of a format: the first 32 of them.
func formatProperties(p *physicalDevice, n uint32) abi.FormatProperties {
	if p == nil {
		return abi.FormatProperties{}
	}
	f := p.features(n)
	const first = 1<<31 - 1 // later features are in VkFormatProperties3 only
	return abi.FormatProperties{LinearTilingFeatures: uint32(f.Linear & first), OptimalTilingFeatures: uint32(f.Optimal & first), BufferFeatures: uint32(f.Buffer & first)}
}

func getImageFormatProperties(a *abi.GetPhysicalDeviceImageFormatPropertiesArgs) abi.Result {
	info := vk.ImageInfo{Type: enum.ImageType(a.Type), Format: format(a.Format), Usage: vk.ImageUsage(a.Usage), Flags: vk.ImageFlags(a.Flags), Linear: linear(a.Tiling, a.Flags)}
	_, r := imageFormatProperties(physicalOf(a.PhysicalDevice), a.Tiling, info, a.PImageFormatProperties)
	return r
}

// imageFormatProperties writes the limits of images of a description.
func imageFormatProperties(p *physicalDevice, tiling uint32, info vk.ImageInfo, to *abi.ImageFormatProperties) (out vk.ImageFormatProperties, r abi.Result) {
	*to = abi.ImageFormatProperties{}
	const scaledUse = vk.ImageSampled | vk.ImageTransferSource | vk.ImageTransientAttachment
	beyond := scaled(uint32(info.Format)) && info.Usage&^scaledUse != 0 && info.Flags&vk.ImageExtendedUsage == 0
	if p == nil || tiling > abi.ImageTilingLinear || beyond {
		return out, abi.ErrorFormatNotSupported
	}
	out, err := p.vk.ImageFormatProperties(info)
	if err != nil {
		return out, abi.ErrorFormatNotSupported
	}
	*to = abi.ImageFormatProperties{
		MaxExtent:    abi.Extent3D{Width: uint32(out.MaxExtent[0]), Height: uint32(out.MaxExtent[1]), Depth: uint32(out.MaxExtent[2])},
		MaxMipLevels: uint32(out.MaxLevels), MaxArrayLayers: uint32(out.MaxLayers), SampleCounts: out.Samples, MaxResourceSize: out.MaxSize,
	}
	return out, abi.Success
}

func getImageFormatProperties2(a *abi.GetPhysicalDeviceImageFormatProperties2Args) abi.Result {
	i := a.PImageFormatInfo
	info := vk.ImageInfo{Type: enum.ImageType(i.Type), Format: format(i.Format), Usage: vk.ImageUsage(i.Usage), Flags: vk.ImageFlags(i.Flags), Linear: linear(i.Tiling, i.Flags)}
	external := uint32(0)
	abi.Chain(i.PNext, func(sType uint32, s unsafe.Pointer) {
		switch sType {
		case abi.StructureTypeImageStencilUsageCreateInfo:
			info.StencilUsage = vk.ImageUsage((*abi.ImageStencilUsageCreateInfo)(s).StencilUsage)
		case abi.StructureTypePhysicalDeviceExternalImageFormatInfo:
			external = (*abi.PhysicalDeviceExternalImageFormatInfo)(s).HandleType
		}
	})
	out, r := imageFormatProperties(physicalOf(a.PhysicalDevice), i.Tiling, info, &a.PImageFormatProperties.ImageFormatProperties)
	if external != 0 && externalMemory(external).ExternalMemoryFeatures == 0 {
		a.PImageFormatProperties.ImageFormatProperties, r = abi.ImageFormatProperties{}, abi.ErrorFormatNotSupported
	}
	abi.Chain(a.PImageFormatProperties.PNext, func(sType uint32, s unsafe.Pointer) {
		switch sType {
		case abi.StructureTypeSamplerYcbcrConversionImageFormatProperties:
			(*abi.SamplerYcbcrConversionImageFormatProperties)(s).CombinedImageSamplerDescriptorCount = uint32(out.SamplerDescriptors)
		case abi.StructureTypeTextureLodGatherFormatPropertiesAMD:
			(*abi.TextureLODGatherFormatPropertiesAMD)(s).SupportsTextureGatherLODBiasAMD = abi.True
		case abi.StructureTypeFilterCubicImageViewImageFormatPropertiesEXT:
			x := (*abi.FilterCubicImageViewImageFormatPropertiesEXT)(s)
			x.FilterCubic, x.FilterCubicMinmax = flag(out.FilterCubic), flag(out.FilterCubic)
		case abi.StructureTypeExternalImageFormatProperties:
			(*abi.ExternalImageFormatProperties)(s).ExternalMemoryProperties = externalMemory(external)
		case abi.StructureTypeHostImageCopyDevicePerformanceQuery:
			x := (*abi.HostImageCopyDevicePerformanceQuery)(s)
			x.OptimalDeviceAccess, x.IdenticalMemoryLayout = flag(out.HostOptimal), flag(out.HostIdenticalLayout)
		}
	})
	return r
}

// sparseFormats returns the blocks of sparse images of a description. There are none of several samples: the device has no feature
// sparseResidency2Samples ("If VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT is not supported for the given arguments, pPropertyCount will be set to zero").
func sparseFormats(p *physicalDevice, kind, f, samples, usage, tiling uint32) []vk.SparseRequirements {
	if p == nil || tiling != abi.ImageTilingOptimal || samples > 1 {
		return nil
	}
	return p.vk.SparseImageFormatProperties(vk.ImageInfo{Type: enum.ImageType(kind), Format: format(f), Samples: int(samples), Usage: vk.ImageUsage(usage), Flags: vk.ImageSparseBinding | vk.ImageSparseResidency})
}

func getSparseImageFormatProperties(a *abi.GetPhysicalDeviceSparseImageFormatPropertiesArgs) {
	list(a.PPropertyCount, a.PProperties, sparseFormats(physicalOf(a.PhysicalDevice), a.Type, a.Format, a.Samples, a.Usage, a.Tiling), func(to *abi.SparseImageFormatProperties, r vk.SparseRequirements) { *to = sparseProperties(r) })
}

func getSparseImageFormatProperties2(a *abi.GetPhysicalDeviceSparseImageFormatProperties2Args) {
	i := a.PFormatInfo
	list(a.PPropertyCount, a.PProperties, sparseFormats(physicalOf(a.PhysicalDevice), i.Type, i.Format, i.Samples, i.Usage, i.Tiling), func(to *abi.SparseImageFormatProperties2, r vk.SparseRequirements) {
		to.Properties = sparseProperties(r)
	})
}
