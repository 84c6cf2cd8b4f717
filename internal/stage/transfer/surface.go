package transfer

import (
	"fmt"

	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// RangeError reports a range outside of an image or a buffer.
type RangeError struct{ What string }

// Error returns the range and the bounds.
func (e *RangeError) Error() string { return e.What }

func outside(format string, args ...any) error { return &RangeError{fmt.Sprintf(format, args...)} }

// Subresource names layers of a level of an image (VkImageSubresourceLayers). An Aspect of 0 is the image's first.
type Subresource struct {
	Aspect            format.Aspect
	Level             int
	BaseLayer, Layers int // Layers 0 is 1
}

// surface is a level of one aspect of an image as rows of elements: a sample of texels, compressed
// blocks, or pairs of texels that share chroma (of formats such as G8B8G8R8_422_UNORM). Slices of a volume and layers count as its depth.
type surface struct {
	image    *texture.Image
	aspect   format.Aspect
	level    int
	block    format.Layout // texels per element
	packed   bool          // elements are compressed blocks
	elements [3]int        // width, height, depth
	size     int           // bytes of an element
	first    int           // the layer of depth 0
}

// surfaceOf returns the surface of layers.
func surfaceOf(m *texture.Image, s Subresource) (f surface, err error) {
	layers := max(s.Layers, 1)
	switch {
	case m == nil:
		return f, outside("no image; must be one")
	case s.Level < 0 || s.Level >= m.Levels:
		return f, outside("level %d; the image has %d", s.Level, m.Levels)
	case s.BaseLayer < 0 || layers < 0 || s.BaseLayer > m.Layers || layers > m.Layers-s.BaseLayer:
		return f, outside("%d layers from %d on; the image has %d", layers, s.BaseLayer, m.Layers)
	}
	f = surface{image: m, aspect: s.Aspect, level: s.Level, block: format.Layout{Width: 1, Height: 1, Depth: 1}, first: s.BaseLayer}
	w, h, d, ok := m.AspectExtent(s.Aspect, s.Level)
	if !ok {
		return f, outside("an aspect that %s does not have", m.Format)
	}
	if i := m.Info(); i.Compressed || i.Planes == 0 && chroma(i) {
		f.block, f.packed = i.Layout(), i.Compressed
		f.size = f.block.Bytes
		f.elements[0], f.elements[1], f.elements[2] = f.block.Blocks(w, h, d)
	} else {
		f.size = m.TexelBytes(s.Aspect)
		f.elements = [3]int{w, h, d}
	}
	if m.Dim != ir.Dim3D {
		f.elements[2] = layers
	}
	return f, nil
}

// row returns a sample of the elements of a row from x on. Of blocks it is for reading only: see put.
func (s *surface) row(x, y, z, sample int) []byte {
	if s.packed {
		all := s.image.Blocks(s.level, s.first+z)
		return all[(y*s.elements[0]+x)*s.size:][:(s.elements[0]-x)*s.size]
	}
	at := texture.Coord{X: x * s.block.Width, Y: y, Layer: s.first + z, Level: s.level, Sample: sample, Aspect: s.aspect}
	if s.image.Dim == ir.Dim3D {
		at.Z, at.Layer = z, 0
	}
	return s.image.TexelRow(at)
}

// put replaces a sample of elements of a row from x on.
func (s *surface) put(x, y, z, sample int, elements []byte) error {
	if s.packed {
		return s.image.WriteBlocks(s.level, s.first+z, x, y, len(elements)/s.size, elements)
	}
	copy(s.row(x, y, z, sample), elements)
	return nil
}

// region returns the elements of a rectangle of texels: offset and extent must be within the surface, the offset and,
// except at the edges, the extent a multiple of the block (Vulkan, Buffer and Image Addressing).
func (s *surface) region(offset, extent [3]int) (from, count [3]int, err error) {
	block := [3]int{s.block.Width, s.block.Height, s.block.Depth}
	for i := range 3 {
		if offset[i] < 0 || extent[i] < 1 || offset[i]%block[i] != 0 {
			return from, count, outside("offset %v and extent %v; the offset must be a multiple of the block %v, the extent at least 1", offset, extent, block)
		}
		from[i], count[i] = offset[i]/block[i], (extent[i]-1)/block[i]+1
		if from[i] > s.elements[i] || count[i] > s.elements[i]-from[i] {
			return from, count, outside("offset %v and extent %v in elements of %v texels; must be within %v elements", offset, extent, block, s.elements)
		}
	}
	return from, count, nil
}
