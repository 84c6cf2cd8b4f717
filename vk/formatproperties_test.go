package vk

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/link"
)

// TestRequiredFormats tests formats that every device has for some uses (Vulkan, Required Format Support).
func TestRequiredFormats(t *testing.T) {
	p := Chiaro()
	const sampled, storage, atomic = FormatSampledImage | FormatBlitSource, FormatStorageImage, FormatStorageImageAtomic
	const linear, color = FormatFilterLinear, FormatColorAttachment | FormatBlitTarget
	const blend, depth, vertex = FormatColorAttachmentBlend, FormatDepthStencilAttachment, FormatVertexBuffer
	for _, test := range []struct {
		names    []string
		features FormatFeatures
		buffer   FormatFeatures
	}{
		{[]string{"R8G8B8A8_UNORM", "R16G16B16A16_SFLOAT"}, sampled | storage | linear | color | blend, vertex | FormatUniformTexelBuffer | FormatStorageTexelBuffer},
		{[]string{"R8G8B8A8_SRGB", "B8G8R8A8_SRGB", "R5G6B5_UNORM_PACK16", "A1R5G5B5_UNORM_PACK16", "A8B8G8R8_SRGB_PACK32"}, sampled | linear | color | blend, 0},
		{[]string{"R8_UNORM", "R8G8_UNORM", "B8G8R8A8_UNORM", "A2B10G10R10_UNORM_PACK32", "R16_SFLOAT", "R16G16_SFLOAT"}, sampled | linear | color | blend, vertex | FormatUniformTexelBuffer},
		{[]string{"R8_SNORM", "R8G8_SNORM", "R8G8B8A8_SNORM", "B10G11R11_UFLOAT_PACK32", "E5B9G9R9_UFLOAT_PACK32"}, sampled | linear, 0},
		{[]string{"R32_UINT", "R32_SINT"}, sampled | storage | atomic | color, vertex | FormatUniformTexelBuffer | FormatStorageTexelBuffer | FormatStorageTexelAtomic},
		{[]string{"R32_SFLOAT", "R32G32_SFLOAT", "R32G32B32A32_SFLOAT", "R32G32B32A32_UINT", "R8G8B8A8_UINT", "R16G16B16A16_SINT"}, sampled | storage | color, vertex | FormatUniformTexelBuffer | FormatStorageTexelBuffer},
		{[]string{"D16_UNORM", "D32_SFLOAT"}, sampled | depth | FormatDepthComparison, 0},
		{[]string{"D24_UNORM_S8_UINT", "D32_SFLOAT_S8_UINT", "S8_UINT"}, depth, 0},
		{[]string{"BC1_RGBA_UNORM_BLOCK", "BC7_SRGB_BLOCK", "ETC2_R8G8B8_UNORM_BLOCK", "ASTC_4x4_UNORM_BLOCK", "EAC_R11_SNORM_BLOCK"}, sampled | linear, 0},
		{[]string{"G8_B8R8_2PLANE_420_UNORM", "G8_B8_R8_3PLANE_420_UNORM"}, FormatSampledImage | FormatTransferSource | FormatTransferTarget | FormatCositedChroma | FormatMidpointChroma, 0},
	} {
		for _, name := range test.names {
			got := p.FormatProperties(formatOf(t, name))
			if missing := test.features &^ got.Optimal; missing != 0 {
				t.Errorf("%s lacks %#x", name, missing)
			}
			if missing := test.buffer &^ got.Buffer; missing != 0 {
				t.Errorf("buffers of %s lack %#x", name, missing)
			}
		}
	}
}

// TestDependentFeatures: "a depth/stencil format with a depth component supporting VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT must support
// VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_DEPTH_COMPARISON_BIT"; and views of formats with a sampler Y′CbCr conversion are no attachments,
// are not stored to and not blitted, and buffers do not have these formats.
func TestDependentFeatures(t *testing.T) {
	p := Chiaro()
	for id := range uint32(1 << 8) {
		i := format.ByID(id)
		if i == nil {
			continue
		}
		got := p.FormatProperties(link.Format(id))
		for _, of := range []FormatFeatures{got.Optimal, got.Linear} {
			if i.Aspects&format.Depth != 0 && of&(FormatSampledImage|FormatDepthComparison) == FormatSampledImage {
				t.Errorf("%s has %#x, without comparison", i.Name, of)
			}
		}
	}
	for _, name := range []string{"R12X4G12X4B12X4A12X4_UNORM_4PACK16", "G8B8G8R8_422_UNORM", "B12X4G12X4R12X4G12X4_422_UNORM_4PACK16", "G8_B8R8_2PLANE_420_UNORM"} {
		got := p.FormatProperties(formatOf(t, name))
		const beyond = FormatBlitSource | FormatBlitTarget | FormatStorageImage | FormatColorAttachment | FormatColorAttachmentBlend
		if (got.Optimal|got.Linear)&beyond != 0 || got.Buffer != 0 || got.Optimal&FormatSampledImage == 0 {
			t.Errorf("%s has %#x, buffers %#x", name, got.Optimal, got.Buffer)
		}
	}
}

// TestFormatProperties makes an image with each use that the properties of each format promise. The commands that copy to an image check
// its format alike, so that all of them have the formats of one.
func TestFormatProperties(t *testing.T) {
	d := must(Chiaro().NewDevice(DeviceInfo{}))(t)
	defer d.Close()
	n := 0
	for id := range uint32(1 << 8) {
		i := format.ByID(id)
		if i == nil {
			continue
		}
		f := link.Format(id)
		got := d.Physical().FormatProperties(f)
		if got.Optimal != 0 {
			n++
		}
		for _, of := range []FormatFeatures{got.Optimal, got.Linear} {
			if of&FormatTransferTarget != 0 != (of&FormatIndirectTarget != 0) {
				t.Errorf("%s has %#x, with copies from buffers or copies from addresses alone", i.Name, of)
			}
		}
		for _, kind := range []enum.ImageType{enum.ImageType1d, enum.ImageType2d, enum.ImageType3d} {
			info := ImageInfo{Type: kind, Format: f, Extent: [3]int{4, 1, 1}}
			for k := range int(kind) {
				info.Extent[k+1] = 4
			}
			for _, use := range neededFeatures {
				if info.Usage = use.usage; got.Optimal&use.needs == 0 {
					if _, err := d.Physical().ImageFormatProperties(info); err == nil {
						t.Errorf("%s has no feature for the usage %#x, and images", i.Name, use.usage)
					}
					continue
				}
				limits, err := d.Physical().ImageFormatProperties(info)
				if err != nil {
					continue // of this type
				}
				m, err := d.NewImage(info)
				if err != nil {
					t.Errorf("%s, type %d, usage %#x: %v", i.Name, kind, use.usage, err)
					continue
				}
				m.Close()
				if limits.Samples > 1 {
					many := info
					many.Samples = 64
					m, err := d.NewImage(many)
					if err != nil {
						t.Errorf("%s with 64 samples: %v", i.Name, err)
						continue
					}
					m.Close()
				}
			}
		}
	}
	if n < 180 {
		t.Errorf("%d formats have images", n)
	}
	info := ImageInfo{Type: enum.ImageType2d, Format: link.Format(format.InfoByName("G8_B8_R8_3PLANE_420_UNORM").ID), Usage: ImageSampled}
	if _, err := Chiaro().ImageFormatProperties(info); err != nil {
		t.Error(err)
	}
	if info.Flags = ImageSparseBinding | ImageSparseResidency; Chiaro().SparseImageFormatProperties(info) != nil {
		t.Error("an image of three planes has sparse blocks")
	}
	if _, err := Chiaro().ImageFormatProperties(info); err == nil {
		t.Error("images of three planes can be bound in part, and have no sparse blocks")
	}
	if _, err := (*PhysicalDevice)(nil).ImageFormatProperties(ImageInfo{}); err == nil {
		t.Error("nil has properties")
	}
	if got := Chiaro().FormatProperties(1 << 30); got != (FormatProperties{}) {
		t.Errorf("an unknown format has %+v", got)
	}
}
