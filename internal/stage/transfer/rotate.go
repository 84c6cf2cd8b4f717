package transfer

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// Rotation is a number of clockwise quarter turns, 0 to 3 (VkCopyCommandTransformInfoQCOM).
type Rotation uint8

// check returns an error unless the image can be rotated.
func (q Rotation) check(m *texture.Image) error {
	if q == 0 {
		return nil
	}
	i := m.Info()
	if q > 3 || m.Dim != ir.Dim2D || i.Planes > 0 || i.Compressed || chroma(i) {
		return outside("%d quarter turns of a %s image of %s; must be up to 3, of a 2d image with texels of their own and one plane", q, m.Dim, m.Format)
	}
	return nil
}

// axis returns the axis of the target on which axis i of the source of a blit depends, and the range of the source in the
// order of that axis (Vulkan, Image Blits With Scaling and Rotation: RotateNormUV).
func (q Rotation) axis(i int, source [2]int) (int, [2]int) {
	if i == 2 {
		return i, source
	}
	if q == 2 || q == 1 && i == 1 || q == 3 && i == 0 {
		source[0], source[1] = source[1], source[0]
	}
	if q%2 == 1 {
		i = 1 - i
	}
	return i, source
}

// box returns the offset and the extent of the region of an image that a rotation around an offset makes of an extent
// (Vulkan, Image Rotation Addressing).
func (q Rotation) box(offset, extent [3]int) (from, size [3]int) {
	from, size = offset, extent
	if q%2 == 1 {
		size[0], size[1] = extent[1], extent[0]
	}
	if q == 1 || q == 2 {
		from[0] -= size[0]
	}
	if q == 2 || q == 3 {
		from[1] -= size[1]
	}
	return from, size
}

// at returns the place of texel (x, y) before the rotation.
func (q Rotation) at(offset [3]int, x, y int) (int, int) {
	switch q {
	case 1:
		return offset[0] - 1 - y, offset[1] + x
	case 2:
		return offset[0] - 1 - x, offset[1] - 1 - y
	case 3:
		return offset[0] + y, offset[1] - 1 - x
	}
	return offset[0] + x, offset[1] + y
}
