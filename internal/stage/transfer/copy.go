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
	Offset, Extent         [3]int // texels; layers are not part of it
}

// BufferToImage copies a region of a buffer to an image.
func BufferToImage(to *texture.Image, from []byte, r *BufferImage) error {
	return r.rows(to, len(from), func(s *surface, at, x, y, z, n int) error { return s.put(x, y, z, from[at:][:n]) })
}

// ImageToBuffer copies a region of an image to a buffer.
func ImageToBuffer(to []byte, from *texture.Image, r *BufferImage) error {
	return r.rows(from, len(to), func(s *surface, at, x, y, z, n int) error {
		copy(to[at:][:n], s.row(x, y, z))
		return nil
	})
}

// rows calls each for every row of the region: n bytes at offset at of the buffer, of limit bytes, and at an element of
// the surface.
func (r *BufferImage) rows(m *texture.Image, limit int, each func(s *surface, at, x, y, z, n int) error) error {
	s, err := surfaceOf(m, r.Image)
	if err != nil {
		return err
	}
	extent := r.Extent
	if m.Dim != ir.Dim3D {
		extent[2] = s.elements[2] // all layers
	}
	from, count, err := s.region(r.Offset, extent)
	if err != nil {
		return err
	}
	layout := s.block
	layout.Bytes = s.size
	c := format.BufferCopy{Offset: uint64(r.BufferOffset), RowLength: r.RowLength, ImageHeight: r.ImageHeight, Width: extent[0], Height: extent[1], Depth: extent[2]}
	if r.BufferOffset < 0 || r.RowLength < 0 || r.ImageHeight < 0 || r.RowLength > 0 && r.RowLength < extent[0] || r.ImageHeight > 0 && r.ImageHeight < extent[1] {
		return outside("rows of %d texels, slices of %d rows from byte %d on; must be 0 or at least the extent %v", r.RowLength, r.ImageHeight, r.BufferOffset, extent)
	}
	if r.RowLength > maxRow || r.ImageHeight > maxRow {
		return outside("rows of %d texels, slices of %d rows; must be at most %d", r.RowLength, r.ImageHeight, maxRow)
	}
	if end := c.End(layout); end > uint64(limit) {
		return outside("the region ends at byte %d of the buffer; it has %d", end, limit)
	}
	row, slice := c.Pitches(layout)
	for z := range count[2] {
		for y := range count[1] {
			at := uint64(r.BufferOffset) + uint64(z)*slice + uint64(y)*row
			if err := each(s, int(at), from[0], from[1]+y, from[2]+z, count[0]*s.size); err != nil {
				return err
			}
		}
	}
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

// Image copies a region between images whose texels, or blocks, have the same size. The memory is copied, without any
// conversion; between a compressed and another format, a block is a texel.
func Image(to, from *texture.Image, r *ImageCopy) error {
	a, err := surfaceOf(from, r.From)
	if err != nil {
		return err
	}
	b, err := surfaceOf(to, r.To)
	if err != nil {
		return err
	}
	if a.size != b.size || from.Samples != to.Samples {
		return outside("a copy of %s with %d samples to %s with %d; must have elements of the same size and as many samples", from.Format, from.Samples, to.Format, to.Samples)
	}
	extent := r.Extent
	if from.Dim != ir.Dim3D && to.Dim != ir.Dim3D {
		extent[2] = max(r.From.Layers, 1)
	}
	at, count, err := a.region(r.FromOffset, extent)
	if err != nil {
		return err
	}
	into, _, err := b.region(r.ToOffset, [3]int{1, 1, 1})
	if err != nil {
		return err
	}
	for i := range 3 {
		if count[i] > b.elements[i]-into[i] {
			return outside("%v elements are copied to %v; the target has %v", count, into, b.elements)
		}
	}
	for z := range count[2] {
		for y := range count[1] {
			row := a.row(at[0], at[1]+y, at[2]+z)[:count[0]*a.size]
			if err := b.put(into[0], into[1]+y, into[2]+z, row); err != nil {
				return err
			}
		}
	}
	return nil
}
