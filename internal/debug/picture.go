package debug

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"math"

	texels "github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// maxPicture bounds the texels of a picture.
const maxPicture = 1 << 24

// bufferWidth is the width of the picture of a texel buffer with more texels.
const bufferWidth = 256

// HasPicture reports whether the variable is an image, or a part of one with several texels.
func (v *Variable) HasPicture() bool { return v.image != nil && !v.image.isTexel() }

// Picture returns the picture of an image at the stop: of the level, the layer and the sample of the variable, else of the first ones.
// Fixed-point numbers and floats from 0 to 1 are black to full, and so are depths; integers from 0 to 255. A format without alpha is opaque. The
// bytes of a format with the transfer function of sRGB are those of the picture. The others are linear, and are shown as if they were not.
func (s *Session) Picture(v *Variable) (*image.NRGBA, error) {
	s.state.RLock()
	defer s.state.RUnlock()
	if s.hook == nil || v.of == nil || s.hook.step != v.of.at {
		return nil, errors.New("the shader has gone on")
	}
	if !v.HasPicture() {
		return nil, fmt.Errorf("%s is not an image", v.Name)
	}
	from := v.image.coord()
	from.X, from.Y = 0, 0
	width, height, _ := v.image.shown.Extent(from.Level)
	if width*height > maxPicture {
		return nil, fmt.Errorf("a picture of %d×%d texels; must have at most %d", width, height, maxPicture)
	}
	columns, rows := width, height
	if v.image.shown.Dim() == ir.DimBuffer && width > bufferWidth {
		columns, rows = bufferWidth, (width+bufferWidth-1)/bufferWidth
	}
	out := image.NewNRGBA(image.Rect(0, 0, columns, rows))
	for i := range width * height {
		at := from
		at.X, at.Y = i%width, i/width
		out.SetNRGBA(i%columns, i/columns, colorOf(v.image.shown, at))
	}
	return out, nil
}

// colorOf returns the color of a texel.
func colorOf(s *texture.Shown, at texture.Coord) color.NRGBA {
	n, ok := s.Load(at)
	if !ok {
		return color.NRGBA{}
	}
	var b [4]uint8
	sampled, wide := s.Sampled()
	for i := range b {
		switch {
		case sampled == texels.Uint:
			b[i] = uint8(min(n[i], 255))
		case sampled == texels.Int && wide:
			b[i] = uint8(max(0, min(int64(n[i]), 255)))
		case sampled == texels.Int:
			b[i] = uint8(max(0, min(int32(n[i]), 255)))
		case wide:
			b[i] = shade(math.Float64frombits(n[i]))
		case i < 3 && s.IsSRGB():
			b[i] = encodeSRGB(float64(math.Float32frombits(uint32(n[i]))))
		default:
			b[i] = shade(float64(math.Float32frombits(uint32(n[i]))))
		}
	}
	if s.Info().Aspects != texels.Color { // depth and stencil are gray
		b[1], b[2] = b[0], b[0]
	}
	if !s.HasAlpha() {
		b[3] = 255
	}
	return color.NRGBA{R: b[0], G: b[1], B: b[2], A: b[3]}
}

// shade returns the byte of a number from 0 to 1; 0 for NaN.
func shade(x float64) uint8 {
	if !(x > 0) {
		return 0
	}
	return uint8(math.Floor(float64(min(x, 1)*255) + 0.5))
}

// encodeSRGB is shade after the transfer function of sRGB.
func encodeSRGB(x float64) uint8 {
	if x <= 0.0031308 {
		return shade(x * 12.92)
	}
	return shade(float64(1.055*math.Pow(x, 1/2.4)) - 0.055)
}
