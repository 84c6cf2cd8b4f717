package texture_test

import (
	"fmt"
	"math"
	"math/rand"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// sampleCase is an image, a view and a sampler drawn at random.
type sampleCase struct {
	image   texture.Desc
	view    texture.ViewDesc
	sampler texture.SamplerDesc
	x       ir.Texture
}

func (c sampleCase) String() string {
	return fmt.Sprintf("%+v %+v %+v %s", c.image, c.view, c.sampler, &c.x)
}

func drawCase(r *rand.Rand) (c sampleCase) {
	dims := []ir.Dim{ir.Dim1D, ir.Dim2D, ir.Dim2D, ir.Dim3D}
	names := []string{"R8G8B8A8_UNORM", "R8_SNORM", "R32G32_SFLOAT", "R16G16B16A16_UNORM", "B10G11R11_UFLOAT_PACK32", "R8G8B8A8_SRGB", "D32_SFLOAT", "R5G6B5_UNORM_PACK16"}
	c.image = texture.Desc{Format: names[r.Intn(len(names))], Dim: dims[r.Intn(len(dims))], Width: 1 + r.Intn(20), Height: 1, Depth: 1, Layers: 1, Samples: 1}
	if c.image.Dim != ir.Dim1D {
		c.image.Height = 1 + r.Intn(20)
	}
	if c.image.Dim == ir.Dim3D {
		c.image.Depth = 1 + r.Intn(5)
	} else if r.Intn(2) == 0 {
		c.image.Layers = 1 + r.Intn(4)
	}
	c.image.Levels = 1
	for n := max(c.image.Width, c.image.Height, c.image.Depth); n > 1 && r.Intn(3) > 0; n /= 2 {
		c.image.Levels++
	}
	c.view = texture.ViewDesc{Dim: c.image.Dim, Arrayed: c.image.Layers > 1, Levels: c.image.Levels, Layers: c.image.Layers}
	if c.view.Arrayed {
		c.view.BaseLayer = r.Intn(c.image.Layers)
		c.view.Layers -= c.view.BaseLayer
	}
	c.view.BaseLevel = r.Intn(c.image.Levels)
	c.view.Levels -= c.view.BaseLevel
	s := &c.sampler
	s.Mag, s.Min, s.MipLinear = enum.Filter(r.Intn(2)), enum.Filter(r.Intn(2)), r.Intn(2) == 0
	for i := range s.Address {
		s.Address[i] = enum.AddressMode(r.Intn(5))
	}
	s.MinLod, s.MaxLod = 0, 100
	if r.Intn(3) == 0 {
		s.MinLod, s.MaxLod, s.LodBias = float32(r.Intn(3))/2, 1.5+float32(r.Intn(3))/2, float32(r.Intn(9)-4)/4
	}
	for i := range s.Border {
		s.Border[i] = math.Float32bits(float32(i+1) / 4)
	}
	c.x = ir.Texture{Op: ir.TextureSample, Dim: c.view.Dim, Arrayed: c.view.Arrayed, Type: ir.F32, Operands: ir.TextureLod}
	switch {
	case c.image.Format == "D32_SFLOAT" && r.Intn(2) == 0:
		s.Compare, s.CompareOp = true, enum.CompareOp(r.Intn(8))
		c.x.Operands |= ir.TextureDref
	case r.Intn(5) == 0:
		s.Reduction = enum.Reduction(1 + r.Intn(2))
	}
	if r.Intn(3) == 0 {
		c.x.Operands |= ir.TextureOffset
	}
	return c
}

// fillNumbers fills an image with finite texels, in floating-point formats with values between 0 and 1.
func fillNumbers(m *texture.Image, r *rand.Rand) {
	fill(m, r)
	if !strings.Contains(m.Format, "FLOAT") {
		return
	}
	for l := range m.Levels {
		w, h, d := m.LevelExtent(l)
		for n := range w * h * d * m.Layers {
			var v [4]uint64
			for k := range v {
				v[k] = uint64(math.Float32bits(float32(r.Intn(64)) / 64))
			}
			layer, z := n/(w*h*d), n/(w*h)%d
			m.Store(texture.Coord{X: n % w, Y: n / w % h, Z: z, Layer: layer, Level: l}, v)
		}
	}
}

// TestSample samples random images through random samplers and compares with the
// model. Weights have 8 bits in both; a coordinate that falls within a rounding
// error of two roundings may go either way, so such lanes are left out.
func TestSample(t *testing.T) {
	rounds := 300
	if testing.Short() {
		rounds = 50
	}
	for seed := range rounds {
		r := rand.New(rand.NewSource(int64(seed)))
		if sampleOnce(t, seed, r, drawCase(r)); t.Failed() {
			return
		}
	}
}

// TestCorner is TestSample for corner-sampled images: the first texel is at coordinate 0, the last at 1, and
// levels have at least 2 texels (VK_NV_corner_sampled_image). Any addressing mode acts as ClampToEdge.
func TestCorner(t *testing.T) {
	for seed := range 150 {
		r := rand.New(rand.NewSource(int64(seed)))
		c := drawCase(r)
		if c.image.Dim == ir.Dim1D || c.x.Has(ir.TextureDref) || c.image.Format == "D32_SFLOAT" {
			continue
		}
		c.image.Corner = true
		for _, n := range []*int{&c.image.Width, &c.image.Height, &c.image.Depth} {
			if *n++; c.image.Dim == ir.Dim2D {
				c.image.Depth = 1
			}
		}
		most := 1
		for n := max(c.image.Width, c.image.Height, c.image.Depth); n > 2; n = (n + 1) / 2 {
			most++
		}
		c.image.Levels = min(c.image.Levels, most)
		c.view.BaseLevel = min(c.view.BaseLevel, c.image.Levels-1)
		c.view.Levels = c.image.Levels - c.view.BaseLevel
		if sampleOnce(t, seed, r, c); t.Failed() {
			return
		}
	}
}

// TestCornerLevels compares the extents of levels with the specification, and creates invalid corner-sampled
// images.
func TestCornerLevels(t *testing.T) {
	m, err := texture.NewImage(texture.Desc{Format: "R8_UNORM", Dim: ir.Dim3D, Width: 17, Height: 6, Depth: 2, Levels: 5, Corner: true})
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range [][3]int{{17, 6, 2}, {9, 3, 2}, {5, 2, 2}, {3, 2, 2}, {2, 2, 2}} {
		if x, y, z := m.LevelExtent(n); [3]int{x, y, z} != want {
			t.Errorf("level %d has %d×%d×%d texels; must be %v", n, x, y, z, want)
		}
	}
	for _, d := range []texture.Desc{
		{Format: "R8_UNORM", Dim: ir.Dim1D, Width: 17},
		{Format: "D16_UNORM", Dim: ir.Dim2D, Width: 17, Height: 17},
		{Format: "R8_UNORM", Dim: ir.Dim2D, Width: 17, Height: 1},
		{Format: "R8_UNORM", Dim: ir.Dim3D, Width: 17, Height: 17},
		{Format: "R8_UNORM", Dim: ir.Dim2D, Width: 17, Height: 17, Levels: 6},
		{Format: "G8_B8R8_2PLANE_420_UNORM", Dim: ir.Dim2D, Width: 16, Height: 16},
	} {
		d.Corner = true
		if _, err := texture.NewImage(d); err == nil {
			t.Errorf("an image of %+v", d)
		}
	}
	flat, _ := texture.NewImage(texture.Desc{Format: "R8_UNORM", Dim: ir.Dim2D, Width: 17, Height: 17, Layers: 6, Levels: 3, Corner: true})
	v, _ := texture.NewView(flat, texture.ViewDesc{Dim: ir.Dim2D, Layers: 1})
	s, _ := texture.NewSampler(texture.SamplerDesc{MaxLod: 9})
	x := ir.Texture{Op: ir.TextureQueryLod, Dim: ir.Dim2D, Type: ir.F32, Operands: ir.TextureGrad}
	for i, got := range call(t, x, v, s, [][]uint64{{0, 0, 0, 0, f32(1.0 / 16), 0, 0, 0}, {0, 0, 0, 0, f32(1.0 / 8), 0, 0, 0}, {0, 0, 0, 0, 0, 0, 0, f32(1.0 / 4)}}) {
		if want := uint64(f32(float64(i))); got[0] != want || got[1] != want {
			t.Errorf("a derivative of %d texels: the level is %x; must be %x", 1<<i, got, want)
		}
	}
	if _, err := texture.NewView(flat, texture.ViewDesc{Dim: ir.DimCube}); err == nil {
		t.Error("a cube that is sampled at its corners")
	}
}

// sampleOnce compares samples of one case with the model.
func sampleOnce(t *testing.T, seed int, r *rand.Rand, c sampleCase) {
	t.Helper()
	m, err := texture.NewImage(c.image)
	if err != nil {
		t.Fatal(err, c)
	}
	fillNumbers(m, r)
	v, err := texture.NewView(m, c.view)
	if err != nil {
		t.Fatal(err, c)
	}
	s, err := texture.NewSampler(c.sampler)
	if err != nil {
		t.Fatal(err, c)
	}
	o := &model{m: m, d: c.view, s: c.sampler, border: border(m)}
	axes := c.x.Dim.Axes()
	var args [][]uint64
	var want [][4]float64
	for range 48 {
		at := make([]float64, axes)
		list := []uint64{0, 0}
		f := func(x float64) float64 {
			list = append(list, uint64(math.Float32bits(float32(x))))
			return float64(float32(x))
		}
		for i := range at {
			// multiples of 1/1024 of a texel, never in the middle of a rounding
			n := float64([]int{m.Width, m.Height, m.Depth}[i])
			if m.Corner {
				n--
			}
			at[i] = f((float64(r.Intn(int(n)*3*256)) - n*256 + 0.25) / 256 / n)
		}
		layer := 0.0
		if c.x.Arrayed {
			layer = f(float64(r.Intn(13)-3) / 3)
		}
		dref := 0.0
		if c.x.Has(ir.TextureDref) {
			dref = f(float64(r.Intn(64)) / 64)
		}
		lambda := f(float64(r.Intn(40)-8)/8 + 1.0/512)
		var offset []int
		if c.x.Has(ir.TextureOffset) {
			for range at {
				offset = append(offset, r.Intn(64)-32)
				list = append(list, uint64(uint32(int32(offset[len(offset)-1]))))
			}
		}
		args = append(args, list)
		want = append(want, o.sample(at, offset, layer, lambda, dref))
	}
	for i, got := range call(t, c.x, v, s, args) {
		for k, bits := range got {
			g := float64(math.Float32frombits(uint32(bits)))
			if math.Abs(g-want[i][k]) > 2e-6*max(1, math.Abs(want[i][k])) {
				t.Errorf("seed %d, call %d, component %d: %v; must be %v\n%s", seed, i, k, g, want[i][k], c)
				break
			}
		}
		if t.Failed() {
			return
		}
	}
}

// border returns the tests' border color in an image's format.
func border(m *texture.Image) [4]float64 {
	b := [4]float64{0.25, 0.5, 0.75, 1}
	switch m.Format {
	case "R8_SNORM", "D32_SFLOAT":
		b[1], b[2] = 0, 0
	case "R32G32_SFLOAT":
		b[2] = 0
	}
	return b
}
