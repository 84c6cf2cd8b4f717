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
	ResolveAs(dst, to, dst.Codec(to.Aspect), src, from, src.Codec(from.Aspect), width, height, mode)
}

// ResolveAs is Resolve between views with formats of their own: the codecs read src and write dst. A nil codec resolves nothing.
func ResolveAs(dst *texture.Image, to texture.Coord, write *format.Codec, src *texture.Image, from texture.Coord, read *format.Codec, width, height int, mode ResolveMode) {
	if write == nil || read == nil {
		return
	}
	to.Sample = 0
	floats := read.Sampled == format.Float && !read.Wide
	if mode == ResolveAverage && !floats {
		mode = ResolveSampleZero
	}
	for y := range height {
		for x := range width {
			at, into := from, to
			at.X, at.Y, into.X, into.Y = from.X+x, from.Y+y, to.X+x, to.Y+y
			if b := dst.Texel(into); b != nil {
				write.Store(b, resolved(src, at, read, mode, floats))
			}
		}
	}
}

// Replicate copies a rectangle of texels of src, which has one sample, to all samples of texels of dst with the same size. The coordinates
// are those of Resolve.
func Replicate(dst *texture.Image, to texture.Coord, src *texture.Image, from texture.Coord, width, height int) {
	size := src.TexelBytes(from.Aspect)
	if size != dst.TexelBytes(to.Aspect) {
		return
	}
	for y := range height {
		at, into := from, to
		at.Y, into.Y = from.Y+y, to.Y+y
		texels, samples := src.TexelRow(at), dst.TexelRow(into)
		for n := range min(width*dst.Samples, len(samples)/size, len(texels)/size*dst.Samples) {
			copy(samples[n*size:][:size], texels[n/dst.Samples*size:])
		}
	}
}

// resolved returns the resolved texel. Averages of up to 64 floats are computed in f64 in sample order
// and rounded once.
func resolved(src *texture.Image, at texture.Coord, read *format.Codec, mode ResolveMode, floats bool) [4]uint64 {
	at.Sample = 0
	row := src.TexelRow(at)
	if row == nil {
		return [4]uint64{}
	}
	size, samples := src.TexelBytes(at.Aspect), src.Samples
	out := read.Load(row)
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
		v := read.Load(row[n*size:])
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
