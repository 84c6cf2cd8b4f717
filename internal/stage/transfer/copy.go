package transfer

import (
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// BufferImage is a region of a copy between a buffer and an image (VkBufferImageCopy). The buffer has rows of texels, or of
// blocks; one layer after another.
type BufferImage struct {
	BufferOffset           int // bytes
	RowLength, ImageHeight int // texels of the buffer's rows, and rows of its slices; 0 is the extent
	Image                  Subresource
	Offset, Extent         [3]int   // texels; layers are not part of it
	Rotation               Rotation // of the region of the image, around the offset
}

// Region returns the offset and the extent of the region of the image.
func (r *BufferImage) Region() (offset, extent [3]int) { return r.Rotation.box(r.Offset, r.Extent) }

// Check returns the error of a copy of the region between an image and a buffer of n bytes, without copying.
func (r *BufferImage) Check(m *texture.Image, n int) error {
	_, err := r.region(m, n)
	return err
}

// BufferToImage copies a region of a buffer to an image.
func BufferToImage(to *texture.Image, from []byte, r *BufferImage) error {
	x, err := r.region(to, len(from))
	if err == nil {
		err = x.run(from, true)
	}
	return err
}

// ImageToBuffer copies a region of an image to a buffer.
func ImageToBuffer(to []byte, from *texture.Image, r *BufferImage) error {
	x, err := r.region(from, len(to))
	if err == nil {
		err = x.run(to, false)
	}
	return err
}

// bufferRegion is a checked BufferImage.
type bufferRegion struct {
	*BufferImage
	surface     surface
	from, count [3]int // elements
	extent      [3]int // texels
	row, slice  int    // bytes
}

// region checks a copy of the region between an image and a buffer of limit bytes.
func (r *BufferImage) region(m *texture.Image, limit int) (x bufferRegion, err error) {
	s, err := surfaceOf(m, r.Image)
	if err != nil {
		return x, err
	}
	if m.Samples > 1 {
		return x, outside("a copy between a buffer and an image of %d samples; must have 1", m.Samples)
	}
	extent := r.Extent
	if m.Dim != ir.Dim3D {
		extent[2] = s.elements[2] // all layers
	}
	if err := r.Rotation.check(m); err != nil {
		return x, err
	}
	from, count, err := s.region(r.Rotation.box(r.Offset, extent))
	if err != nil {
		return x, err
	}
	layout := s.block
	layout.Bytes = s.size
	c := format.BufferCopy{Offset: uint64(r.BufferOffset), RowLength: r.RowLength, ImageHeight: r.ImageHeight, Width: extent[0], Height: extent[1], Depth: extent[2]}
	if r.BufferOffset < 0 || r.RowLength < 0 || r.ImageHeight < 0 || r.RowLength > 0 && r.RowLength < extent[0] || r.ImageHeight > 0 && r.ImageHeight < extent[1] {
		return x, outside("rows of %d texels, slices of %d rows from byte %d on; must be 0 or at least the extent %v", r.RowLength, r.ImageHeight, r.BufferOffset, extent)
	}
	if r.RowLength > maxRow || r.ImageHeight > maxRow {
		return x, outside("rows of %d texels, slices of %d rows; must be at most %d", r.RowLength, r.ImageHeight, maxRow)
	}
	if end := c.End(layout); end > uint64(limit) {
		return x, outside("the region ends at byte %d of the buffer; it has %d", end, limit)
	}
	row, slice := c.Pitches(layout)
	return bufferRegion{r, s, from, count, extent, int(row), int(slice)}, nil
}

// run copies the region between the buffer and the image.
func (x *bufferRegion) run(buffer []byte, toImage bool) error {
	if x.Rotation != 0 {
		return x.texels(buffer, toImage)
	}
	for z := range x.count[2] {
		for y := range x.count[1] {
			at := x.BufferOffset + z*x.slice + y*x.row
			if err := x.move(buffer[at:][:x.count[0]*x.surface.size], toImage, x.from[0], x.from[1]+y, x.from[2]+z); err != nil {
				return err
			}
		}
	}
	return nil
}

// texels copies every texel of a rotated region.
func (x *bufferRegion) texels(buffer []byte, toImage bool) error {
	for z := range x.extent[2] {
		for y := range x.extent[1] {
			for k := range x.extent[0] {
				u, v := x.Rotation.at(x.Offset, k, y)
				at := x.BufferOffset + z*x.slice + y*x.row + k*x.surface.size
				if err := x.move(buffer[at:][:x.surface.size], toImage, u, v, z); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// move copies elements between the buffer and a row of the surface.
func (x *bufferRegion) move(elements []byte, toImage bool, u, v, z int) error {
	if toImage {
		return x.surface.put(u, v, z, 0, elements)
	}
	copy(elements, x.surface.row(u, v, z, 0))
	return nil
}

// maxRow bounds the row lengths of buffers, so that no offset overflows.
const maxRow = 1 << 24

// ImageCopy is a region of a copy between images (VkImageCopy). The extent is in texels of the source. The slices of a
// volume may be copied to layers, and layers to slices.
type ImageCopy struct {
	From, To             Subresource
	FromOffset, ToOffset [3]int
	Extent               [3]int
}

// imageRegion is a checked ImageCopy.
type imageRegion struct {
	from, to        surface
	at, into, count [3]int // elements
}

// region checks a copy.
func (r *ImageCopy) region(to, from *texture.Image) (x imageRegion, err error) {
	if x.from, err = surfaceOf(from, r.From); err != nil {
		return x, err
	}
	if x.to, err = surfaceOf(to, r.To); err != nil {
		return x, err
	}
	if x.from.size != x.to.size || from.Samples != to.Samples {
		return x, outside("a copy of %s with %d samples to %s with %d; must have elements of the same size and as many samples", from.Format, from.Samples, to.Format, to.Samples)
	}
	extent := r.Extent
	if from.Dim != ir.Dim3D && to.Dim != ir.Dim3D {
		extent[2] = max(r.From.Layers, 1)
	}
	if x.at, x.count, err = x.from.region(r.FromOffset, extent); err != nil {
		return x, err
	}
	if x.into, _, err = x.to.region(r.ToOffset, [3]int{1, 1, 1}); err != nil {
		return x, err
	}
	for i := range 3 {
		if x.count[i] > x.to.elements[i]-x.into[i] {
			return x, outside("%v elements are copied to %v; the target has %v", x.count, x.into, x.to.elements)
		}
	}
	return x, nil
}

// Check returns the error of Image, without copying.
func (r *ImageCopy) Check(to, from *texture.Image) error {
	_, err := r.region(to, from)
	return err
}

// Image copies a region between images with texels, or blocks, of the same size. The memory is copied, without any
// conversion; between a compressed and another format, a block is a texel.
func Image(to, from *texture.Image, r *ImageCopy) error {
	x, err := r.region(to, from)
	if err != nil {
		return err
	}
	for z := range x.count[2] {
		for y := range x.count[1] {
			for sample := range from.Samples {
				row := x.from.row(x.at[0], x.at[1]+y, x.at[2]+z, sample)[:x.count[0]*x.from.size]
				if err := x.to.put(x.into[0], x.into[1]+y, x.into[2]+z, sample, row); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
