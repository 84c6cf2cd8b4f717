package draw

import (
	"math"

	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// ResolveMode is how the samples of a pixel become one texel (VkResolveModeFlagBits,
// with its numbers).
type ResolveMode uint8

// The modes.
const (
	ResolveSampleZero ResolveMode = 1 << iota
	ResolveAverage
	ResolveMin
	ResolveMax
)

// Resolve makes texels of one sample of those of src, in a rectangle that begins at
// from in src and at to in dst: of the aspect, level and layer that the places name.
// What lies outside of the images is left out. Of integers, and of stencil, an average
// is sample 0 (Vulkan §"Render Pass Multisample Resolve Operations").
func Resolve(dst *texture.Image, to texture.Coord, src *texture.Image, from texture.Coord, width, height int, mode ResolveMode) {
	to.Sample = 0
	floats := resolvesFloats(src, from.Aspect)
	if mode == ResolveAverage && !floats {
		mode = ResolveSampleZero
	}
	for y := range height {
		for x := range width {
			at, into := from, to
			at.X, at.Y, into.X, into.Y = from.X+x, from.Y+y, to.X+x, to.Y+y
			dst.Store(into, resolved(src, at, mode, floats))
		}
	}
}

// resolvesFloats reports whether the numbers of an aspect are floats of 32 bits.
func resolvesFloats(m *texture.Image, a format.Aspect) bool {
	if a == format.Stencil || a == 0 && m.Aspects()[0] == format.Stencil {
		return false
	}
	i := format.InfoByName(m.Format)
	return i.Sampled == format.Float && !i.Wide
}

// resolved is the texel that samples make: averages of up to 64 floats are exact but
// for one rounding, in their order.
func resolved(src *texture.Image, at texture.Coord, mode ResolveMode, floats bool) [4]uint64 {
	at.Sample = 0
	out := src.Load(at)
	if mode == ResolveSampleZero {
		return out
	}
	var sum [4]float64
	for n := range src.Samples {
		at.Sample = n
		v := src.Load(at)
		for i := range v {
			switch {
			case mode == ResolveAverage:
				sum[i] += float64(math.Float32frombits(uint32(v[i])))
			case mode == ResolveMin && less(v[i], out[i], floats), mode == ResolveMax && less(out[i], v[i], floats):
				out[i] = v[i]
			}
		}
	}
	if mode == ResolveAverage {
		for i := range out {
			out[i] = uint64(math.Float32bits(float32(sum[i] / float64(src.Samples))))
		}
	}
	return out
}

// less reports whether x is less than y.
func less(x, y uint64, floats bool) bool {
	if floats {
		return math.Float32frombits(uint32(x)) < math.Float32frombits(uint32(y))
	}
	return x < y
}
