package draw

import (
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/texture"
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
	if read.Sampled == format.Float && !read.Wide && write.Sampled == format.Float && !write.Wide {
		resolveFloats(dst, to, write, src, from, read, width, height, mode)
		return
	}
	if mode == ResolveAverage {
		mode = ResolveSampleZero
	}
	for y := range height {
		for x := range width {
			at, into := from, to
			at.X, at.Y, into.X, into.Y = from.X+x, from.Y+y, to.X+x, to.Y+y
			if b := dst.Texel(into); b != nil {
				write.Store(b, resolved(src, at, read, mode))
			}
		}
	}
}

// resolveFloats is ResolveAs for components of 32-bit floats.
func resolveFloats(dst *texture.Image, to texture.Coord, write *format.Codec, src *texture.Image, from texture.Coord, read *format.Codec, width, height int, mode ResolveMode) {
	r := rowResolver{read: read, write: write, mode: mode, kept: *read == *write && read.KeepsCodes()}
	r.samples = r.space[:src.Samples]
	if mode == ResolveSampleZero {
		r.samples = r.space[:1]
	}
	at, into := from, to
	for y := range height {
		at.Y, into.Y = from.Y+y, to.Y+y
		out := dst.TexelRow(into)
		n := min(width, len(out)/write.Bytes)
		for at.Sample = range r.samples {
			row := src.TexelRow(at)
			r.samples[at.Sample], n = row, min(n, len(row)/read.Bytes)
		}
		r.row(out, n)
	}
}

// Replicate copies a rectangle of texels of src, which has one sample, to all samples of texels of dst with the same size. The coordinates
// are those of Resolve.
func Replicate(dst *texture.Image, to texture.Coord, src *texture.Image, from texture.Coord, width, height int) {
	size := src.TexelBytes(from.Aspect)
	if size != dst.TexelBytes(to.Aspect) {
		return
	}
	at, into := from, to
	for y := range height {
		at.Y, into.Y = from.Y+y, to.Y+y
		texels := src.TexelRow(at)
		for into.Sample = range dst.Samples {
			copy(dst.TexelRow(into), texels[:min(width*size, len(texels))])
		}
	}
}

// resolved returns the resolved texel of integers, or of floats of 64 bits.
func resolved(src *texture.Image, at texture.Coord, read *format.Codec, mode ResolveMode) [4]uint64 {
	at.Sample = 0
	out := loadWith(src, at, read)
	if mode == ResolveSampleZero {
		return out
	}
	for at.Sample = 1; at.Sample < src.Samples; at.Sample++ {
		for i, v := range loadWith(src, at, read) {
			if mode == ResolveMin && v < out[i] || mode == ResolveMax && out[i] < v {
				out[i] = v
			}
		}
	}
	return out
}

// loadWith returns the value of a texel in the format of a codec; zeros if there is no such texel.
func loadWith(m *texture.Image, at texture.Coord, c *format.Codec) [4]uint64 {
	b := m.Texel(at)
	if b == nil {
		return [4]uint64{}
	}
	return c.Load(b)
}
