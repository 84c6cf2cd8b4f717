package transfer

import (
	"math"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// BenchmarkBlit scales a level to half its size, as programs make mip levels, or to less, and converts one to another order of components.
// The time is of a texel of the target.
func BenchmarkBlit(b *testing.B) {
	for _, c := range []struct {
		name     string
		from, to string
		size     int
		filter   enum.Filter
	}{
		{"half", "R8G8B8A8_UNORM", "R8G8B8A8_UNORM", 512, enum.FilterLinear},
		{"half-srgb", "R8G8B8A8_SRGB", "R8G8B8A8_SRGB", 512, enum.FilterLinear},
		{"half-f16", "R16G16B16A16_SFLOAT", "R16G16B16A16_SFLOAT", 512, enum.FilterLinear},
		{"half-f32", "R32G32B32A32_SFLOAT", "R32G32B32A32_SFLOAT", 512, enum.FilterLinear},
		{"eighth-f16", "R16G16B16A16_SFLOAT", "R16G16B16A16_SFLOAT", 2048, enum.FilterLinear},
		{"swizzle", "R8G8B8A8_UNORM", "B8G8R8A8_UNORM", 256, enum.FilterNearest},
	} {
		b.Run(c.name, func(b *testing.B) {
			from, err := texture.NewImage(texture.Desc{Format: c.from, Dim: ir.Dim2D, Width: c.size, Height: c.size})
			if err != nil {
				b.Fatal(err)
			}
			to, err := texture.NewImage(texture.Desc{Format: c.to, Dim: ir.Dim2D, Width: 256, Height: 256})
			if err != nil {
				b.Fatal(err)
			}
			codec := from.Codec(format.Color)
			for y := range c.size {
				row := from.TexelRow(texture.Coord{Y: y, Aspect: format.Color})
				for x := range c.size {
					v := uint64(math.Float32bits(float32(x*y%251) / 251))
					codec.Store(row[x*codec.Bytes:], [4]uint64{v, v, v, v})
				}
			}
			s := Subresource{Aspect: format.Color, Layers: 1}
			r := Blit{From: s, To: s, FromBox: [2][3]int{{}, {c.size, c.size, 1}}, ToBox: [2][3]int{{}, {256, 256, 1}}}
			var x Blitter
			for b.Loop() {
				if err := x.Blit(to, from, &r, Filter{Kind: c.filter}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(256*256), "ns/texel")
		})
	}
}
