package oracle

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/format"
)

// srgbError is the error of a decoded sRGB value, for which Vulkan has no bound.
const srgbError = 0x1p-12

// Level returns the texels of an attachment as those of a level of a texture: what a shader may read from it after its draws.
func (t *Target) Level() Level {
	l := Level{Width: t.Width, Height: t.Height, Texels: make([][4]Number, t.Width*t.Height)}
	n := len(t.components)
	for i := range l.Texels {
		texel := [4]Number{3: {Low: 1, High: 1, Bits: 1}}
		for k, c := range t.components {
			switch {
			case c.Channel <= format.A:
				texel[c.Channel] = sampled(c, t.Cells[i*n+k])
			case c.Channel == format.D: // a depth is the first component
				texel[0] = sampled(c, t.Cells[i*n+k])
			}
		}
		l.Texels[i] = texel
	}
	return l
}

// OpenLevel returns a level with any texels.
func OpenLevel(width, height int) Level {
	l := Level{Width: width, Height: height, Texels: make([][4]Number, width*height)}
	for i := range l.Texels {
		for c := range l.Texels[i] {
			l.Texels[i][c].Any = true
		}
	}
	return l
}

// sampled returns the numbers that a shader reads for the permitted values of a component.
func sampled(c format.Component, n Number) Number {
	if n.Any {
		return Number{Any: true}
	}
	if isInteger(c) {
		if c.Numeric == format.SInt {
			return Number{Bits: uint64(uint32(int64(n.Bits<<(64-c.Bits)) >> (64 - c.Bits))), Any: c.Bits > 32}
		}
		return Number{Bits: n.Bits, Any: c.Bits > 32}
	}
	most, ok := fixed(c)
	if !ok {
		return Number{Low: n.Low, High: n.High}
	}
	low, high := math.Floor(n.Low), math.Ceil(n.High)
	if c.Numeric == format.SRGB {
		return Number{Low: c.Value(uint64(low)) - srgbError, High: c.Value(uint64(high)) + srgbError}
	}
	return Number{Low: fraction(low, most, -1), High: fraction(high, most, 1)}
}

// fraction returns a normalized integer over the greatest one, with the error of the conversion in a direction. 0, 1 and −1 have none.
func fraction(n, most, direction float64) float64 {
	if n == 0 || math.Abs(n) == most {
		return n / most
	}
	return n/most + float64(direction*math.Abs(n/most)*operationError)
}
