package draw

import (
	"bytes"
	"math"

	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// ResolveMode is a resolve mode (VkResolveModeFlagBits, same values).
type ResolveMode uint8

// Resolve modes.
const (
	ResolveSampleZero ResolveMode = 1 << iota
	ResolveAverage
	ResolveMin
	ResolveMax
)

// Resolve resolves a rectangle of src at from into single-sample texels of dst at to. The coordinates
// also name aspect, level and layer. Pixels outside of the images are skipped. Averages of integers
// and stencil values are sample 0 (Vulkan §"Render Pass Multisample Resolve Operations").
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

// resolvesFloats reports whether an aspect has 32-bit float values.
func resolvesFloats(m *texture.Image, a format.Aspect) bool {
	if a == format.Stencil || a == 0 && m.FirstAspect() == format.Stencil {
		return false
	}
	i := format.InfoByName(m.Format)
	return i.Sampled == format.Float && !i.Wide
}

// resolved returns the resolved texel. Averages of up to 64 floats are computed in f64 in sample order
// and rounded once.
func resolved(src *texture.Image, at texture.Coord, mode ResolveMode, floats bool) [4]uint64 {
	at.Sample = 0
	row := src.TexelRow(at)
	if row == nil {
		return [4]uint64{}
	}
	codec, size, samples := src.Codec(at.Aspect), src.TexelBytes(at.Aspect), src.Samples
	out := codec.Load(row)
	if mode == ResolveSampleZero {
		return out
	}
	// Most pixels have equal samples: one of them has the average, except that it may be −0 for the sum +0.
	if bytes.Equal(row[:(samples-1)*size], row[size:samples*size]) {
		samples = 1
	}
	// f64 has 53 bits: a sum of 64 values of 24 bits is exact unless their exponents differ by more
	// than 23.
	var sum [4]float64
	for n := range samples {
		v := codec.Load(row[n*size:])
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
			out[i] = uint64(math.Float32bits(float32(sum[i] / float64(samples))))
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
