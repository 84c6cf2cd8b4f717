package texture_test

import (
	"encoding/binary"
	"errors"
	"math"
	"math/rand"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// chromaCase is an image with luma and chroma and how they are converted.
type chromaCase struct {
	m *texture.Image
	c texture.Conversion
}

// number reads a part of the texel at a place of the part, out of the image's
// bytes.
func (c chromaCase) number(p format.ChannelSource, x, y, layer int) float32 {
	f, _ := format.ByName(p.Format)
	code, _ := f.Codec(format.Color)
	aspect := format.Color
	if format.InfoByName(c.m.Format).Planes > 0 {
		aspect = format.Plane0 << p.Plane
	}
	rows := c.m.LayerBytes(aspect, 0, layer)
	height := c.m.Height / p.DivY
	at := y*(len(rows)/height) + x*f.Bytes
	return math.Float32frombits(uint32(code.Load(rows[at:][:f.Bytes])[p.Component]))
}

// texel returns the numbers of the texel at a place, chroma reconstructed.
func (c chromaCase) texel(x, y, layer int) (v [4]float32) {
	parts, ok := format.InfoByName(c.m.Format).ChannelSources()
	if !ok {
		for i, n := range c.m.Load(texture.Coord{X: x, Y: y, Layer: layer}) {
			v[i] = math.Float32frombits(uint32(n))
		}
		return v
	}
	v[format.A] = 1
	for ch, p := range parts {
		w, h := c.m.Width/p.DivX, c.m.Height/p.DivY
		i, px := format.ChromaTap(x, p.DivX, c.c.X, c.c.Linear)
		j, py := format.ChromaTap(y, p.DivY, c.c.Y, c.c.Linear)
		at := func(i, j int) float32 { return c.number(p, min(max(i, 0), w-1), min(max(j, 0), h-1), layer) }
		v[ch] = format.MixChroma([2][2]float32{{at(i, j), at(i+1, j)}, {at(i, j+1), at(i+1, j+1)}}, px, py)
	}
	return v
}

// color converts numbers, swizzled before.
func (c chromaCase) color(v [4]float32) [4]float32 {
	var in [4]float32
	for i, s := range c.c.Swizzle {
		switch s {
		case enum.SwizzleIdentity:
			in[i] = v[i]
		case enum.SwizzleZero:
		case enum.SwizzleOne:
			in[i] = 1
		default:
			in[i] = v[s-enum.SwizzleR]
		}
	}
	conv := format.NewConversion(c.c.Model, c.c.Range, format.InfoByName(c.m.Format).ComponentBits())
	return conv.Convert(in)
}

// chromaFormats are formats of every sort that has chroma, and one that has none.
var chromaFormats = []string{"G8_B8_R8_3PLANE_420_UNORM", "G8_B8R8_2PLANE_420_UNORM", "G8_B8_R8_3PLANE_422_UNORM", "G16_B16R16_2PLANE_422_UNORM",
	"G12X4_B12X4_R12X4_3PLANE_444_UNORM_3PACK16", "G10X6_B10X6R10X6_2PLANE_444_UNORM_3PACK16", "G10X6_B10X6_R10X6_3PLANE_420_UNORM_3PACK16",
	"G14X2_B14X2R14X2_2PLANE_420_UNORM_3PACK16_ARM", "G8B8G8R8_422_UNORM", "B8G8R8G8_422_UNORM", "G10X6B10X6G10X6R10X6_422_UNORM_4PACK16", "B16G16R16G16_422_UNORM",
	"B8G8R8A8_UNORM", "R10X6G10X6_UNORM_2PACK16", "A2R10G10B10_UNORM_PACK32"}

// TestChroma samples every texel of images of formats with chroma in every engine, with random conversions that reconstruct
// explicitly: without a filter the bits equal the formulas in package format.
func TestChroma(t *testing.T) {
	r := rand.New(rand.NewSource(31))
	s, _ := texture.NewSampler(texture.SamplerDesc{Address: [3]enum.AddressMode{enum.AddressModeClampToEdge, enum.AddressModeClampToEdge}})
	for n := range 4 * len(chromaFormats) {
		c := drawChroma(t, r, chromaFormats[n%len(chromaFormats)])
		c.c.Explicit = true
		v, err := texture.NewView(c.m, texture.ViewDesc{Dim: ir.Dim2D, Arrayed: true, Conversion: &c.c})
		if err != nil {
			t.Fatal(err)
		}
		x := ir.Texture{Op: ir.TextureSample, Dim: ir.Dim2D, Arrayed: true, Type: ir.F32, Operands: ir.TextureLod}
		var args [][]uint64
		bits := func(f float64) uint64 { return uint64(math.Float32bits(float32(f))) }
		count := c.m.Width * c.m.Height * c.m.Layers
		for i := range count {
			px, py, layer := i%c.m.Width, i/c.m.Width%c.m.Height, i/(c.m.Width*c.m.Height)
			args = append(args, []uint64{0, 0, bits((float64(px) + 0.5) / float64(c.m.Width)), bits((float64(py) + 0.5) / float64(c.m.Height)), bits(float64(layer)), 0})
		}
		for i, got := range call(t, x, v, s, args) {
			px, py, layer := i%c.m.Width, i/c.m.Width%c.m.Height, i/(c.m.Width*c.m.Height)
			for ch, want := range c.color(c.texel(px, py, layer)) {
				if uint32(got[ch]) != math.Float32bits(want) {
					t.Fatalf("%s %+v: texel %d, %d of layer %d is %x; number %d must be %v", c.m.Format, c.c, px, py, layer, got, ch, want)
				}
			}
		}
	}
}

// drawChroma makes an image with random bytes and a conversion.
func drawChroma(t *testing.T, r *rand.Rand, name string) (c chromaCase) {
	var err error
	c.m, err = texture.NewImage(texture.Desc{Format: name, Dim: ir.Dim2D, Width: 2 + 2*r.Intn(4), Height: 2 + 2*r.Intn(3), Layers: 1 + r.Intn(2)})
	if err != nil {
		t.Fatal(err)
	}
	fill(c.m, r)
	c.c = texture.Conversion{Model: enum.YcbcrModel(r.Intn(5)), Range: enum.YcbcrRange(r.Intn(2)), X: enum.ChromaLocation(r.Intn(2)), Y: enum.ChromaLocation(r.Intn(2)), Linear: r.Intn(3) > 0, Explicit: r.Intn(2) == 0}
	if r.Intn(2) == 0 {
		c.c.Swizzle = [4]enum.Swizzle{enum.SwizzleB, enum.SwizzleIdentity, enum.SwizzleR, []enum.Swizzle{enum.SwizzleZero, enum.SwizzleOne, enum.SwizzleIdentity}[r.Intn(3)]}
	}
	return c
}

// filtered is the value at u, in texels, of a channel's samples, filtered linearly or nearest by the specification's formulas
// with 8 fraction bits. size is the number of samples along each axis, at reads one of them.
func filtered(u [2]float64, size [2]int, linear bool, at func(x, y int) float64) (sum float64) {
	var lo [2]int
	var part [2]float64
	for k := range u {
		lo[k] = int(math.Floor(u[k]))
		if linear {
			v := math.RoundToEven((min(max(u[k], 0), float64(size[k]))-0.5)*256) / 256
			lo[k], part[k] = int(math.Floor(v)), v-math.Floor(v)
		}
	}
	for corner := range 4 {
		dx, dy := corner&1, corner>>1
		if weight := math.Abs(1-float64(dx)-part[0]) * math.Abs(1-float64(dy)-part[1]); weight != 0 {
			sum += weight * at(min(max(lo[0]+dx, 0), size[0]-1), min(max(lo[1]+dy, 0), size[1]-1))
		}
	}
	return sum
}

// implicit is the color at u, in texels of luma: luma and chroma are filtered separately (Vulkan §"Implicit Reconstruction").
func (c chromaCase) implicit(u [2]float64, linear bool) [4]float32 {
	parts, _ := format.InfoByName(c.m.Format).ChannelSources()
	v := [4]float32{format.A: 1}
	for ch, p := range parts {
		w, filter := u, linear
		if format.Channel(ch) != format.G {
			filter = c.c.Linear
			for k, div := range []int{p.DivX, p.DivY} {
				at := enum.ChromaLocationMidpoint
				if filter {
					at = []enum.ChromaLocation{c.c.X, c.c.Y}[k]
				}
				w[k] = float64(format.ChromaCoordinate(float32(u[k]), div, at))
			}
		}
		v[ch] = float32(filtered(w, [2]int{c.m.Width / p.DivX, c.m.Height / p.DivY}, filter, func(x, y int) float64 { return float64(c.number(p, x, y, 0)) }))
	}
	return c.color(v)
}

// explicit is the color at u: texels with reconstructed chroma are filtered (Vulkan §"Explicit Reconstruction").
func (c chromaCase) explicit(u [2]float64, linear bool) (out [4]float32) {
	for ch := range out {
		out[ch] = float32(filtered(u, [2]int{c.m.Width, c.m.Height}, linear, func(x, y int) float64 { return float64(c.color(c.texel(x, y, 0))[ch]) }))
	}
	return out
}

// TestChromaFiltered samples images with chroma between their texels, with both filters, and compares with the model in float64.
func TestChromaFiltered(t *testing.T) {
	r := rand.New(rand.NewSource(32))
	for n := range 4 * len(chromaFormats) {
		c := drawChroma(t, r, chromaFormats[n%len(chromaFormats)])
		v, err := texture.NewView(c.m, texture.ViewDesc{Dim: ir.Dim2D, Layers: 1, Conversion: &c.c})
		if err != nil {
			t.Fatal(err)
		}
		filter := enum.Filter(n / len(chromaFormats) % 2)
		s, _ := texture.NewSampler(texture.SamplerDesc{Mag: filter, Min: filter, Address: [3]enum.AddressMode{enum.AddressModeClampToEdge, enum.AddressModeClampToEdge}})
		x := ir.Texture{Op: ir.TextureSample, Dim: ir.Dim2D, Type: ir.F32, Operands: ir.TextureLod}
		var args [][]uint64
		var at [][2]float64
		for range 40 {
			// not near halfway between two 256ths of a texel, nor of a sample of chroma, nor at an edge of a texel
			var u [2]float64
			for k, size := range []int{c.m.Width, c.m.Height} {
				u[k] = (float64(2*(r.Intn(256*size)-64*size)) + 0.1 + 0.2*r.Float64()) / 256
			}
			at = append(at, u)
			args = append(args, []uint64{0, 0, uint64(math.Float32bits(float32(u[0] / float64(c.m.Width)))), uint64(math.Float32bits(float32(u[1] / float64(c.m.Height)))), 0})
		}
		subsampled, _ := format.InfoByName(c.m.Format).Subsampled()
		for i, got := range call(t, x, v, s, args) {
			want := c.explicit(at[i], filter == enum.FilterLinear)
			if subsampled > 1 && !c.c.Explicit {
				want = c.implicit(at[i], filter == enum.FilterLinear)
			}
			for ch := range want {
				if d := math.Abs(float64(math.Float32frombits(uint32(got[ch]))) - float64(want[ch])); !(d < 2e-6) {
					t.Fatalf("%s %+v, filter %d: at %v is %v; number %d must be %v", c.m.Format, c.c, filter, at[i], math.Float32frombits(uint32(got[ch])), ch, want[ch])
				}
			}
		}
	}
}

// TestChromaWords checks that conversions with different results have different words.
func TestChromaWords(t *testing.T) {
	m, err := texture.NewImage(texture.Desc{Format: "G8_B8_R8_3PLANE_420_UNORM", Dim: ir.Dim2D, Width: 4, Height: 4})
	if err != nil {
		t.Fatal(err)
	}
	words := map[uint64]texture.Conversion{}
	for n := range 5 * 2 * 2 * 5 {
		at := n / 20 % 5 // the last has no interpolation
		c := texture.Conversion{Model: enum.YcbcrModel(n % 5), Range: enum.YcbcrRange(n / 5 % 2), Explicit: n/10%2 == 1, Linear: at < 4, X: enum.ChromaLocation(at & 1), Y: enum.ChromaLocation(at >> 1 & 1)}
		v, err := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D, Layers: 1, Conversion: &c})
		if err != nil {
			t.Fatal(err)
		}
		w := binary.LittleEndian.Uint64(v.Shape().Bytes[4*ir.ShapeKey:])
		if other, ok := words[w]; ok {
			t.Errorf("%+v and %+v have the word %#x", c, other, w)
		}
		words[w] = c
	}
}

// TestChromaImages has images, views and functions that there are not, and views
// of one plane, which need no conversion.
func TestChromaImages(t *testing.T) {
	const name = "G8_B8R8_2PLANE_420_UNORM"
	for _, d := range []texture.Desc{
		{Format: name, Dim: ir.Dim2D, Width: 5, Height: 4},
		{Format: name, Dim: ir.Dim2D, Width: 4, Height: 3},
		{Format: name, Dim: ir.Dim2D, Width: 4, Height: 4, Levels: 2},
		{Format: name, Dim: ir.Dim2D, Width: 4, Height: 4, Samples: 4},
		{Format: name, Dim: ir.Dim3D, Width: 4, Height: 4, Depth: 2},
		{Format: "G8B8G8R8_422_UNORM", Dim: ir.Dim2D, Width: 3, Height: 4},
	} {
		if _, err := texture.NewImage(d); err == nil || !strings.Contains(err.Error(), "chroma") {
			t.Errorf("%+v: %v", d, err)
		}
	}
	m, err := texture.NewImage(texture.Desc{Format: name, Dim: ir.Dim2D, Width: 4, Height: 4, Layers: 2})
	if err != nil {
		t.Fatal(err)
	}
	rgb, _ := texture.NewImage(texture.Desc{Format: "R8G8B8A8_SRGB", Dim: ir.Dim2D, Width: 4, Height: 4})
	for _, c := range []struct {
		m *texture.Image
		d texture.ViewDesc
	}{
		{m, texture.ViewDesc{Dim: ir.Dim2D, Layers: 1}},
		{m, texture.ViewDesc{Dim: ir.Dim2D, Layers: 1, Format: "R8_UNORM", Conversion: &texture.Conversion{}}},
		{m, texture.ViewDesc{Dim: ir.Dim2D, Layers: 1, Conversion: &texture.Conversion{Model: 5}}},
		{m, texture.ViewDesc{Dim: ir.Dim2D, Layers: 1, Conversion: &texture.Conversion{Swizzle: [4]enum.Swizzle{99}}}},
		{m, texture.ViewDesc{Dim: ir.Dim2D, Layers: 1, Conversion: &texture.Conversion{}, Swizzle: [4]enum.Swizzle{enum.SwizzleB}}},
		{m, texture.ViewDesc{Dim: ir.Dim2D, Layers: 1, Aspect: format.Plane1, Conversion: &texture.Conversion{}}},
		{m, texture.ViewDesc{Dim: ir.Dim2D, Layers: 1, Aspect: format.Plane2}},
		{rgb, texture.ViewDesc{Dim: ir.Dim2D, Conversion: &texture.Conversion{}}},
	} {
		if _, err := texture.NewView(c.m, c.d); err == nil {
			t.Errorf("a view %+v of %s", c.d, c.m.Format)
		}
	}
	r := rand.New(rand.NewSource(33))
	fill(m, r)
	v, err := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D, BaseLayer: 1, Aspect: format.Plane1})
	if err != nil {
		t.Fatal(err)
	}
	x := ir.Texture{Op: ir.TextureFetch, Dim: ir.Dim2D, Type: ir.F32, Sampler: -1}
	args := [][]uint64{{0, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 1, 1}, {0, 2, 0}}
	for i, got := range call(t, x, v, nil, args) {
		want := m.Load(texture.Coord{X: int(args[i][1]), Y: int(args[i][2]), Layer: 1, Aspect: format.Plane1})
		if i == 4 { // outside
			want = [4]uint64{3: got[3]}
		}
		if [4]uint64(got) != want {
			t.Errorf("chroma at %v is %x; must be %x", args[i][1:], got, want)
		}
	}
	whole, err := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D, Layers: 1, Conversion: &texture.Conversion{}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = texture.Bind(program(x, 1), []texture.Bound{{}, {}, {Views: []*texture.View{whole}}})
	if e := (*texture.UnsupportedError)(nil); !errors.As(err, &e) {
		t.Errorf("a fetch with a conversion: %v", err)
	}
}
