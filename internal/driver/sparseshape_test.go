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
	halved := map[uint32]abi.Extent3D{1: {Width: 1, Height: 1}, 2: {Width: 2, Height: 1}, 4: {Width: 2, Height: 2}, 8: {Width: 4, Height: 2}, 16: {Width: 4, Height: 4}}
	for f, want := range standard {
		for samples, by := range halved {
			var got [4]abi.SparseImageFormatProperties
			n := uint32(len(got))
			do(abi.CmdGetPhysicalDeviceSparseImageFormatProperties, &abi.GetPhysicalDeviceSparseImageFormatPropertiesArgs{
				PhysicalDevice: p.physical, Format: f, Type: abi.ImageType2d, Samples: samples, Usage: abi.ImageUsageSampledBit, PPropertyCount: &n, PProperties: &got[0],
			})
			if samples == 1 && n != 1 {
				t.Errorf("format %d has %d sparse aspects; must have 1", f, n)
			}
			for _, g := range got[:n] {
				if w := (abi.Extent3D{Width: want.Width / by.Width, Height: want.Height / by.Height, Depth: 1}); g.ImageGranularity != w {
					t.Errorf("format %d with %d samples has blocks of %v; must of %v", f, samples, g.ImageGranularity, w)
				}
			}
		}
	}
}
