package driver

import (
	"testing"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vk"
)

// TestScaledImages asks for images of scaled integers: they are sampled and copied from, and have the uses of other formats of their class
// with VK_IMAGE_CREATE_EXTENDED_USAGE_BIT.
func TestScaledImages(t *testing.T) {
	p := newProgram(t)
	const formats = abi.FormatR8g8b8a8Uscaled
	f := formatProperties(physicalOf(p.physical), formats)
	if want := uint32(vk.FormatSampledImage | vk.FormatTransferSource); f.OptimalTilingFeatures != want || f.LinearTilingFeatures != want || f.BufferFeatures&uint32(vk.FormatVertexBuffer) == 0 {
		t.Errorf("the features are %+v; must be %#x of images, and those of vertices", f, want)
	}
	own := [1]uint32{formats}
	list := abi.ImageFormatListCreateInfo{SType: abi.StructureTypeImageFormatListCreateInfo, ViewFormatCount: 1, PViewFormats: &own[0]}
	const extended = abi.ImageCreateExtendedUsageBit | abi.ImageCreateMutableFormatBit
	for _, x := range []struct {
		usage, flags uint32
		want         abi.Result
	}{
		{abi.ImageUsageSampledBit, 0, abi.Success},
		{abi.ImageUsageSampledBit | abi.ImageUsageTransferSrcBit, 0, abi.Success},
		{abi.ImageUsageStorageBit, 0, abi.ErrorFormatNotSupported},
		{abi.ImageUsageTransferDstBit, 0, abi.ErrorFormatNotSupported},
		{abi.ImageUsageColorAttachmentBit, abi.ImageCreateMutableFormatBit, abi.ErrorFormatNotSupported},
		{abi.ImageUsageStorageBit, extended, abi.Success},
		{abi.ImageUsageColorAttachmentBit, extended, abi.Success},
		{abi.ImageUsageTransferDstBit, extended, abi.Success},
		{abi.ImageUsageDepthStencilAttachmentBit, extended, abi.ErrorFormatNotSupported},
	} {
		for _, chain := range []unsafe.Pointer{nil, unsafe.Pointer(&list)} {
			got := do(abi.CmdGetPhysicalDeviceImageFormatProperties2, &abi.GetPhysicalDeviceImageFormatProperties2Args{
				PhysicalDevice:   p.physical,
				PImageFormatInfo: &abi.PhysicalDeviceImageFormatInfo2{SType: abi.StructureTypePhysicalDeviceImageFormatInfo2, PNext: chain, Format: formats, Type: abi.ImageType2d, Usage: x.usage, Flags: x.flags},
				PImageFormatProperties: &abi.ImageFormatProperties2{
					SType: abi.StructureTypeImageFormatProperties2,
				},
			})
			if got != x.want {
				t.Errorf("usage %#x, flags %#x: %d; must be %d", x.usage, x.flags, got, x.want)
			}
		}
	}
}
