package draw_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// TestResolveRows compares resolves of random texels, of which most have equal samples, with the modes of Vulkan §"Render Pass
// Multisample Resolve Operations": the sum in f64 by the number of samples, the least, the greatest, and sample 0.
func TestResolveRows(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	for _, name := range []string{"R8G8B8A8_UNORM", "B8G8R8A8_SRGB", "R8_UNORM", "R16G16_SNORM", "A2B10G10R10_UNORM_PACK32", "R16G16B16A16_SFLOAT", "R32G32B32A32_SFLOAT", "B10G11R11_UFLOAT_PACK32", "E5B9G9R9_UFLOAT_PACK32", "D16_UNORM", "D32_SFLOAT", "R5G6B5_UNORM_PACK16"} {
		for _, samples := range []int{1, 2, 4, 16} {
			for _, mode := range []draw.ResolveMode{draw.ResolveSampleZero, draw.ResolveAverage, draw.ResolveMin, draw.ResolveMax} {
				checkResolve(t, r, name, samples, mode)
			}
		}
	}
}

func checkResolve(t *testing.T, r *rand.Rand, name string, samples int, mode draw.ResolveMode) {
	const width, height = 150, 3
	src, dst := newImage(t, name, width, height, samples), newImage(t, name, width, height, 1)
	for y := range height {
		for x := range width {
			v := [4]uint64{}
			for s := range samples {
				if s == 0 || r.IntN(8) == 0 {
					for i := range v {
						v[i] = uint64(math.Float32bits(float32(r.NormFloat64())))
						if r.IntN(9) == 0 {
							v[i] = 1 << 31 // −0
						}
					}
				}
				src.Store(texture.Coord{X: x, Y: y, Sample: s}, v)
			}
		}
	}
	draw.Resolve(dst, texture.Coord{X: 1}, src, texture.Coord{X: 2, Y: 1}, width, height, mode)
	code := dst.Codec(0)
	want := make([]byte, code.Bytes)
	for y := range height - 1 {
		for x := range width - 2 {
			code.Store(want, resolvedTexel(src, x+2, y+1, mode))
			if got := dst.Texel(texture.Coord{X: x + 1, Y: y}); !bytes.Equal(got, want) {
				t.Fatalf("%s, %d samples, mode %d: texel %d of row %d is %x; must be %x", name, samples, mode, x, y, got, want)
			}
		}
	}
}

func resolvedTexel(src *texture.Image, x, y int, mode draw.ResolveMode) (out [4]uint64) {
	for i := range out {
		sum, least, most := 0.0, math.Inf(1), math.Inf(-1)
		for s := range src.Samples {
			v := float64(math.Float32frombits(uint32(src.Load(texture.Coord{X: x, Y: y, Sample: s})[i])))
			sum += v
			if v < least {
				least = v
			}
			if v > most {
				most = v
			}
		}
		switch mode {
		case draw.ResolveAverage:
			out[i] = uint64(math.Float32bits(float32(sum / float64(src.Samples))))
		case draw.ResolveMin:
			out[i] = uint64(math.Float32bits(float32(least)))
		case draw.ResolveMax:
			out[i] = uint64(math.Float32bits(float32(most)))
		default:
			out[i] = src.Load(texture.Coord{X: x, Y: y})[i]
		}
	}
	return out
}

func newImage(t *testing.T, name string, width, height, samples int) *texture.Image {
	f, _ := format.ByName(name)
	if len(f.Components()) == 0 {
		t.Fatalf("no format %s", name)
	}
	m, err := texture.NewImage(texture.Desc{Dim: ir.Dim2D, Format: name, Width: width, Height: height, Samples: samples})
	if err != nil {
		t.Fatal(err)
	}
	return m
}
