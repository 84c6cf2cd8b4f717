package amber

import (
	"fmt"
	"image"

	"github.com/chiaro-gpu/chiaro/internal/format"
)

// Buffer returns the buffer or image with a name, or nil if there is none.
func (s *Script) Buffer(name string) *Buffer {
	for _, b := range s.Buffers {
		if b.Name == name {
			return b
		}
	}
	return nil
}

// Picture returns contents of b as a picture: its texels, row by row, with numbers clamped
// to 0 to 1 and rounded to 8 bits; sRGB texels keep their stored values. Depth and other
// single channels become red. Layers of a three-dimensional image are below each other.
func (b *Buffer) Picture(contents []byte) (image.Image, error) {
	switch {
	case b.Texel == nil:
		return nil, fmt.Errorf("buffer %s has elements of type %s, which are no texels", b.Name, b.Type)
	case b.Image == nil || b.Image.Width == 0 || b.Shape.Stride == 0:
		return nil, fmt.Errorf("buffer %s has no width and height", b.Name)
	case b.Image.Samples > 1:
		return nil, fmt.Errorf("image %s has %d samples a texel; a picture has one", b.Name, b.Image.Samples)
	}
	w := b.Image.Width
	m := image.NewNRGBA(image.Rect(0, 0, w, len(contents)/b.Shape.Stride/w))
	decode := pixel
	if inBytes(b.Texel) {
		decode = bytePixel
	}
	for i := range len(contents) / b.Shape.Stride {
		c := decode(b.Texel, contents[i*b.Shape.Stride:])
		copy(m.Pix[4*i:], c[:])
	}
	return m, nil
}

// inBytes reports whether the channels of a format have the 8 bits of a picture's.
func inBytes(f *format.Format) bool {
	for _, k := range f.Components() {
		if k.Bits != 8 || k.Numeric != format.UNorm && k.Numeric != format.SRGB || k.Channel > format.A {
			return false
		}
	}
	return true
}

// bytePixel is pixel for a format with inBytes.
func bytePixel(f *format.Format, texel []byte) [4]uint8 {
	c := [4]uint8{3: 255} // of channels that the format lacks
	for _, k := range f.Components() {
		c[k.Channel] = uint8(k.Raw(texel))
	}
	return c
}

// pixel returns a texel's channels in 8 bits.
func pixel(f *format.Format, texel []byte) [4]uint8 {
	var c [4]uint8
	unorm := format.Component{Numeric: format.UNorm, Bits: 8}
	for i, v := range f.Texel(texel) {
		c[i] = uint8(unorm.Convert(v))
	}
	for _, k := range f.Components() {
		if k.Bits == 8 && k.Numeric == format.SRGB && k.Channel <= format.A {
			c[k.Channel] = uint8(k.Raw(texel))
		}
	}
	return c
}
