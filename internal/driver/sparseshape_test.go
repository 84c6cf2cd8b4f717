package driver

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/abi"
)

// TestSparseShapes checks that the properties promise the standard shapes of blocks for all sparse images, and that each format and count
// of samples that has sparse images has those (Vulkan, "Standard Sparse Image Block Shapes").
func TestSparseShapes(t *testing.T) {
	p := newProgram(t)
	var all abi.PhysicalDeviceProperties
	do(abi.CmdGetPhysicalDeviceProperties, &abi.GetPhysicalDevicePropertiesArgs{PhysicalDevice: p.physical, PProperties: &all})
	s := all.SparseProperties
	if s.ResidencyStandard2DBlockShape != abi.True || s.ResidencyStandard2DMultisampleBlockShape != abi.True || s.ResidencyStandard3DBlockShape != abi.True {
		t.Errorf("the properties are %+v; must promise standard shapes", s)
	}
	standard := map[uint32]abi.Extent3D{abi.FormatR8Unorm: {Width: 256, Height: 256, Depth: 1}, abi.FormatR8g8Unorm: {Width: 256, Height: 128, Depth: 1}, abi.FormatR8g8b8a8Unorm: {Width: 128, Height: 128, Depth: 1},
		abi.FormatR16g16b16a16Sfloat: {Width: 128, Height: 64, Depth: 1}, abi.FormatR32g32b32a32Sfloat: {Width: 64, Height: 64, Depth: 1}}
	var features abi.PhysicalDeviceFeatures
	do(abi.CmdGetPhysicalDeviceFeatures, &abi.GetPhysicalDeviceFeaturesArgs{PhysicalDevice: p.physical, PFeatures: &features})
	resident := map[uint32]uint32{1: features.SparseResidencyImage2D, 2: features.SparseResidency2Samples, 4: features.SparseResidency4Samples, 8: features.SparseResidency8Samples, 16: features.SparseResidency16Samples}
	halved := map[uint32]abi.Extent3D{1: {Width: 1, Height: 1}, 2: {Width: 2, Height: 1}, 4: {Width: 2, Height: 2}, 8: {Width: 4, Height: 2}, 16: {Width: 4, Height: 4}}
	for f, want := range standard {
		for samples, by := range halved {
			var got [4]abi.SparseImageFormatProperties
			n := uint32(len(got))
			do(abi.CmdGetPhysicalDeviceSparseImageFormatProperties, &abi.GetPhysicalDeviceSparseImageFormatPropertiesArgs{
				PhysicalDevice: p.physical, Format: f, Type: abi.ImageType2d, Samples: samples, Usage: abi.ImageUsageSampledBit, PPropertyCount: &n, PProperties: &got[0],
			})
			if n != resident[samples] {
				t.Errorf("format %d with %d samples has %d sparse aspects; must have %d, by the feature", f, samples, n, resident[samples])
			}
			for _, g := range got[:n] {
				if g.AspectMask != abi.ImageAspectColorBit || g.Flags&abi.SparseImageFormatNonstandardBlockSizeBit != 0 {
					t.Errorf("format %d with %d samples has aspect %#x, flags %#x; must be color, of the standard shape", f, samples, g.AspectMask, g.Flags)
				}
				if w := (abi.Extent3D{Width: want.Width / by.Width, Height: want.Height / by.Height, Depth: 1}); g.ImageGranularity != w {
					t.Errorf("format %d with %d samples has blocks of %v; must of %v", f, samples, g.ImageGranularity, w)
				}
			}
		}
	}
	volumes := map[uint32]abi.Extent3D{abi.FormatR8Unorm: {Width: 64, Height: 32, Depth: 32}, abi.FormatR8g8Unorm: {Width: 32, Height: 32, Depth: 32}, abi.FormatR8g8b8a8Unorm: {Width: 32, Height: 32, Depth: 16},
		abi.FormatR16g16b16a16Sfloat: {Width: 32, Height: 16, Depth: 16}, abi.FormatR32g32b32a32Sfloat: {Width: 16, Height: 16, Depth: 16}}
	for f, want := range volumes {
		var got [4]abi.SparseImageFormatProperties
		n := uint32(len(got))
		do(abi.CmdGetPhysicalDeviceSparseImageFormatProperties, &abi.GetPhysicalDeviceSparseImageFormatPropertiesArgs{
			PhysicalDevice: p.physical, Format: f, Type: abi.ImageType3d, Samples: 1, Usage: abi.ImageUsageSampledBit, PPropertyCount: &n, PProperties: &got[0],
		})
		if n != features.SparseResidencyImage3D || n == 1 && got[0].ImageGranularity != want {
			t.Errorf("volumes of format %d have %d sparse aspects, blocks of %v; must of %v", f, n, got[0].ImageGranularity, want)
		}
	}
}

// TestLinearSparse makes a linear image with sparse residency, which breaks VUID-VkImageCreateInfo-tiling-04121: a device without checks has
// it, with the blocks of the optimal layout. Blocks are listed for optimal tiling alone.
func TestLinearSparse(t *testing.T) {
	p := newProgram(t)
	const flags, usage = abi.ImageCreateSparseBindingBit | abi.ImageCreateSparseResidencyBit, abi.ImageUsageSampledBit | abi.ImageUsageTransferDstBit
	var limits abi.ImageFormatProperties
	if r := do(abi.CmdGetPhysicalDeviceImageFormatProperties, &abi.GetPhysicalDeviceImageFormatPropertiesArgs{
		PhysicalDevice: p.physical, Format: abi.FormatR8g8b8a8Unorm, Type: abi.ImageType2d, Tiling: abi.ImageTilingLinear, Usage: usage, Flags: flags, PImageFormatProperties: &limits,
	}); r != abi.Success {
		t.Errorf("the format has the result %d; must have success", r)
	}
	var m abi.Image
	must(p, abi.CmdCreateImage, &abi.CreateImageArgs{Device: p.device, PImage: &m, PCreateInfo: &abi.ImageCreateInfo{
		Flags: flags, ImageType: abi.ImageType2d, Format: abi.FormatR8g8b8a8Unorm, Extent: abi.Extent3D{Width: 256, Height: 256, Depth: 1}, MipLevels: 1, ArrayLayers: 1, Samples: 1,
		Tiling: abi.ImageTilingLinear, Usage: usage,
	}})
	var got [2]abi.SparseImageMemoryRequirements
	n := uint32(len(got))
	do(abi.CmdGetImageSparseMemoryRequirements, &abi.GetImageSparseMemoryRequirementsArgs{Device: p.device, Image: m, PSparseMemoryRequirementCount: &n, PSparseMemoryRequirements: &got[0]})
	if want := (abi.Extent3D{Width: 128, Height: 128, Depth: 1}); n != 1 || got[0].FormatProperties.ImageGranularity != want {
		t.Errorf("the image has %d aspects, blocks of %v; must have one, of %v", n, got[0].FormatProperties.ImageGranularity, want)
	}
	n = 0
	do(abi.CmdGetPhysicalDeviceSparseImageFormatProperties, &abi.GetPhysicalDeviceSparseImageFormatPropertiesArgs{
		PhysicalDevice: p.physical, Format: abi.FormatR8g8b8a8Unorm, Type: abi.ImageType2d, Samples: 1, Usage: usage, Tiling: abi.ImageTilingLinear, PPropertyCount: &n,
	})
	if n != 0 {
		t.Errorf("linear tiling has %d lists of blocks; must have none", n)
	}
}
