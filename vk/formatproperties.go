package vk

import (
	"slices"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
	"github.com/chiaro-gpu/chiaro/link"
)

// FormatFeatures is a set of uses of a format (VkFormatFeatureFlagBits2).
type FormatFeatures uint64

// The features.
const (
	FormatSampledImage           FormatFeatures = 1 << 0
	FormatStorageImage           FormatFeatures = 1 << 1
	FormatStorageImageAtomic     FormatFeatures = 1 << 2
	FormatUniformTexelBuffer     FormatFeatures = 1 << 3
	FormatStorageTexelBuffer     FormatFeatures = 1 << 4
	FormatStorageTexelAtomic     FormatFeatures = 1 << 5
	FormatVertexBuffer           FormatFeatures = 1 << 6
	FormatColorAttachment        FormatFeatures = 1 << 7
	FormatColorAttachmentBlend   FormatFeatures = 1 << 8
	FormatDepthStencilAttachment FormatFeatures = 1 << 9
	FormatBlitSource             FormatFeatures = 1 << 10
	FormatBlitTarget             FormatFeatures = 1 << 11
	FormatFilterLinear           FormatFeatures = 1 << 12
	FormatFilterCubic            FormatFeatures = 1 << 13
	FormatTransferSource         FormatFeatures = 1 << 14
	FormatTransferTarget         FormatFeatures = 1 << 15
	FormatFilterMinmax           FormatFeatures = 1 << 16
	FormatMidpointChroma         FormatFeatures = 1 << 17
	FormatYcbcrLinear            FormatFeatures = 1 << 18
	FormatYcbcrSeparate          FormatFeatures = 1 << 19
	FormatYcbcrExplicit          FormatFeatures = 1 << 20
	FormatYcbcrForceable         FormatFeatures = 1 << 21 // explicit reconstruction on request
	FormatDisjoint               FormatFeatures = 1 << 22
	FormatCositedChroma          FormatFeatures = 1 << 23
	FormatStructureVertex        FormatFeatures = 1 << 29 // of acceleration structures
	FormatShadingRate            FormatFeatures = 1 << 30
	FormatStorageRead            FormatFeatures = 1 << 31 // without a format in the shader
	FormatStorageWrite           FormatFeatures = 1 << 32 // without a format in the shader
	FormatDepthComparison        FormatFeatures = 1 << 33
	FormatWeightImage            FormatFeatures = 1 << 34 // VK_QCOM_image_processing
	FormatWeightSampled          FormatFeatures = 1 << 35
	FormatBlockMatching          FormatFeatures = 1 << 36
	FormatBoxFilter              FormatFeatures = 1 << 37
	FormatHostTransfer           FormatFeatures = 1 << 46
	FormatStructureRadius        FormatFeatures = 1 << 51 // of spheres of acceleration structures
	FormatDepthCopyCompute       FormatFeatures = 1 << 52 // of queues with compute commands and without graphics (maintenance10)
	FormatDepthCopyTransfer      FormatFeatures = 1 << 53 // of queues with transfer commands alone
	FormatStencilCopyCompute     FormatFeatures = 1 << 54
	FormatStencilCopyTransfer    FormatFeatures = 1 << 55
	FormatIndirectTarget         FormatFeatures = 1 << 59 // of CommandBuffer.CopyMemoryToImageIndirect
)

// Copies of the aspects of depth and stencil by queues without graphics: the queues of all families copy alike.
const (
	depthCopies   = FormatDepthCopyCompute | FormatDepthCopyTransfer
	stencilCopies = FormatStencilCopyCompute | FormatStencilCopyTransfer
)

// FormatProperties are the features of a format, by tiling, and for buffers (VkFormatProperties3).
type FormatProperties struct {
	Linear, Optimal, Buffer FormatFeatures
}

// FormatProperties returns the uses of a format; none if Chiaro does not have it. They follow from the codecs of the engines.
func (p *PhysicalDevice) FormatProperties(f link.Format) (out FormatProperties) {
	i := format.ByID(uint32(f))
	if p == nil || i == nil {
		return out
	}
	out.Optimal = imageFeatures(i)
	out.Linear = out.Optimal
	if i.Aspects != format.Color && i.Planes == 0 { // no use needs depth or stencil in rows
		out.Linear &= FormatSampledImage | FormatDepthComparison | FormatTransferSource | FormatTransferTarget | FormatHostTransfer | FormatIndirectTarget | depthCopies | stencilCopies
	}
	out.Buffer = bufferFeatures(i)
	return out
}

// probe returns a view of a small image of a format; nil if there is none.
func probe(i *format.Info) *texture.View {
	d := texture.Desc{Format: i.Name, Dim: ir.Dim2D, Width: 8, Height: 8}
	if b, ok := i.Blocks(); ok && b.Depth > 1 {
		d.Dim, d.Depth = ir.Dim3D, 8
	}
	m, err := texture.NewImage(d)
	if err != nil {
		return nil
	}
	v := texture.ViewDesc{Dim: d.Dim}
	if _, chroma := i.ChannelSources(); chroma {
		v.Conversion = &texture.Conversion{Linear: true}
	}
	w, err := texture.NewView(m, v)
	if err != nil {
		return nil
	}
	return w
}

// encodable reports whether texels of a color format can be written.
func encodable(i *format.Info) bool {
	f, ok := format.ByName(i.Name)
	if !ok || i.Compressed || i.Aspects != format.Color || i.Planes > 0 || i.Numeric == "BOOL" {
		return false
	}
	_, ok = f.Codec(format.Color)
	return ok
}

// requiresConversion reports whether views of a color format need a sampler Y′CbCr conversion (Vulkan, "Formats Requiring Sampler Y′CbCr
// Conversion"). That of R10X6G10X6B10X6A10X6 is exempt by formatRgba10x6WithoutYCbCrSampler.
func requiresConversion(i *format.Info) bool {
	_, chroma := i.ChannelSources()
	return chroma || i.Name == "R12X4G12X4B12X4A12X4_UNORM_4PACK16"
}

func imageFeatures(i *format.Info) FormatFeatures {
	if probe(i) == nil {
		return 0
	}
	out := FormatSampledImage | FormatTransferSource | FormatTransferTarget | FormatHostTransfer | FormatIndirectTarget
	_, chroma := i.ChannelSources()
	color, float := i.Aspects == format.Color || chroma, i.Sampled == format.Float && !i.Wide
	if i.Planes > 0 {
		out |= FormatDisjoint
	}
	if color && i.Numeric == "UNORM" && !i.Compressed {
		out |= FormatMidpointChroma | FormatCositedChroma | FormatYcbcrLinear | FormatYcbcrSeparate | FormatYcbcrForceable
	}
	if float && i.Aspects&format.Stencil == 0 || float && i.Aspects&format.Depth != 0 {
		out |= FormatFilterLinear
	}
	if requiresConversion(i) {
		return out
	}
	out |= FormatBlitSource
	if float && color {
		out |= FormatFilterCubic | FormatFilterMinmax | FormatWeightImage | FormatWeightSampled | FormatBlockMatching | FormatBoxFilter
	}
	if i.Aspects&format.Depth != 0 {
		out |= FormatDepthComparison | FormatFilterMinmax | depthCopies
	}
	if i.Aspects&format.Stencil != 0 {
		out |= stencilCopies
	}
	switch {
	case i.Aspects&(format.Depth|format.Stencil) != 0:
		out |= FormatDepthStencilAttachment | FormatBlitTarget
	case encodable(i):
		out |= FormatStorageImage | FormatStorageRead | FormatStorageWrite | FormatColorAttachment | FormatBlitTarget
		if float {
			out |= FormatColorAttachmentBlend
		}
		if atomicFormat(i) {
			out |= FormatStorageImageAtomic
		}
	}
	if i.Name == "R8_UINT" {
		out |= FormatShadingRate
	}
	return out
}

// atomicFormat reports whether shaders have atomics on texels of a format.
func atomicFormat(i *format.Info) bool {
	return slices.Contains([]string{"R32_UINT", "R32_SINT", "R32_SFLOAT", "R64_UINT", "R64_SINT", "R16G16_SFLOAT", "R16G16B16A16_SFLOAT"}, i.Name)
}

func bufferFeatures(i *format.Info) (out FormatFeatures) {
	if !encodable(i) || requiresConversion(i) {
		return 0
	}
	if _, err := texture.NewBufferView(make([]byte, i.Bytes), i.Name); err == nil {
		out |= FormatUniformTexelBuffer | FormatStorageTexelBuffer | FormatStorageRead | FormatStorageWrite
		if atomicFormat(i) {
			out |= FormatStorageTexelAtomic
		}
	}
	if _, ok := vertexFormat(i); ok {
		out |= FormatStructureVertex
	}
	if radiusFormat(i) {
		out |= FormatStructureRadius
	}
	return out | FormatVertexBuffer
}

// ImageFormatProperties is the limits of images of a description (VkImageFormatProperties2).
type ImageFormatProperties struct {
	MaxExtent           [3]int
	MaxLevels           int
	MaxLayers           int
	Samples             uint32 // bit n: 2ⁿ samples (VkSampleCountFlags)
	MaxSize             uint64 // bytes of the memory of an image
	SamplerDescriptors  int    // that a combined image sampler with a conversion counts (VkSamplerYcbcrConversionImageFormatProperties)
	FilterCubic         bool   // VkFilterCubicImageViewImageFormatPropertiesEXT
	HostOptimal         bool   // host copies cost no speed (VkHostImageCopyDevicePerformanceQuery)
	HostIdenticalLayout bool
}

// neededFeatures are the features that the uses of an image need.
var neededFeatures = []struct {
	usage ImageUsage
	needs FormatFeatures
}{
	{ImageTransferSource, FormatTransferSource}, {ImageTransferTarget, FormatTransferTarget}, {ImageSampled, FormatSampledImage}, {ImageStorage, FormatStorageImage},
	{ImageColorAttachment, FormatColorAttachment}, {ImageDepthStencilAttachment, FormatDepthStencilAttachment}, {ImageHostTransfer, FormatHostTransfer},
	{ImageInputAttachment, FormatColorAttachment | FormatDepthStencilAttachment},
	{0x100, FormatShadingRate}, {0x100000, FormatWeightImage}, {0x200000, FormatBlockMatching}, // VkImageUsageFlagBits without a name here
}

// ImageFormatProperties returns the limits of images with the format, type, tiling, usage and flags of a description; its
// extent and counts have no meaning. An *UnsupportedError reports a combination that Chiaro does not have.
func (p *PhysicalDevice) ImageFormatProperties(info ImageInfo) (out ImageFormatProperties, err error) {
	if p == nil {
		return out, usage("", "the physical device is nil; must be one")
	}
	i := format.ByID(uint32(info.Format))
	if i == nil || info.Type > enum.ImageType3d {
		return out, &UnsupportedError{Feature: "images of the format " + info.Format.String()}
	}
	properties := p.FormatProperties(info.Format)
	features := properties.Optimal
	if info.Linear {
		features = properties.Linear
	}
	switch {
	case i.Planes > 0 && info.Flags&ImageMutableFormat != 0: // views of single planes are stored to; none is an attachment
		for _, plane := range i.PlaneList() {
			features |= p.FormatProperties(link.Format(format.InfoByName(plane.Format).ID)).Optimal & FormatStorageImage
		}
	case info.Flags&ImageExtendedUsage != 0: // of the formats of views
		for _, f := range p.viewFormats(&info, i) {
			features |= p.FormatProperties(f).Optimal
		}
	}
	for _, n := range neededFeatures {
		if (info.Usage|info.StencilUsage)&n.usage != 0 && features&n.needs == 0 {
			return out, &UnsupportedError{Feature: "images of " + i.Name + " with the usage"}
		}
	}
	tile := info.Usage&ImageTileMemory != 0
	if tile && !info.fitsTile(false) {
		return out, &UnsupportedError{Feature: "images of " + i.Name + " with the usage in tile memory"}
	}
	disjoint, err := info.disjoint()
	if err != nil {
		return out, &UnsupportedError{Feature: "disjoint images of " + i.Name}
	}
	d := texture.Desc{Format: i.Name, Dim: ir.Dim1D + ir.Dim(info.Type), Packed: info.Linear, Corner: info.Corner, Disjoint: disjoint, Width: 8}
	if info.Type > enum.ImageType1d {
		d.Height = 8
	}
	if info.Type == enum.ImageType3d {
		d.Depth = 8
	}
	l, err := texture.NewLayout(d)
	if err == nil && info.Flags&ImageSparseResidency != 0 {
		_, err = l.SparseAspects()
	}
	if err != nil {
		return out, imageError(err)
	}
	_, chroma := i.ChannelSources()
	out = ImageFormatProperties{MaxExtent: [3]int{texture.MaxExtent, 1, 1}, MaxLevels: format.Levels(texture.MaxExtent, 1, 1), MaxLayers: texture.MaxLayers, Samples: 1,
		MaxSize: texture.MaxBytes, SamplerDescriptors: 1, FilterCubic: features&FormatFilterCubic != 0, HostOptimal: true, HostIdenticalLayout: true}
	for n := range int(info.Type) {
		out.MaxExtent[n+1] = texture.MaxExtent
	}
	switch {
	case chroma:
		out.MaxLevels = 1
	case info.Type == enum.ImageType3d:
		out.MaxLayers = 1
	}
	if tile {
		out.MaxLevels, out.MaxLayers, out.MaxSize = 1, 1, TileHeapSize
	}
	single := tile || info.Linear || chroma || i.Compressed || info.Flags&(ImageCubeCompatible|ImageSparseResidency) != 0 || info.Type != enum.ImageType2d
	if many := features & (FormatColorAttachment | FormatDepthStencilAttachment); !single && many != 0 {
		out.Samples = 2*texture.MaxSamples - 1
	}
	return out, nil
}

// viewFormats returns the formats of views of an image.
func (p *PhysicalDevice) viewFormats(info *ImageInfo, i *format.Info) (list []link.Format) {
	if len(info.ViewFormats) > 0 || info.Flags&ImageMutableFormat == 0 {
		return info.ViewFormats
	}
	for id := range uint32(1 << 8) {
		if f := format.ByID(id); f != nil && (f.Class == i.Class || info.Flags&ImageBlockTexelView != 0 && f.Bytes == i.Bytes && !f.Compressed) {
			list = append(list, link.Format(id))
		}
	}
	return list
}
