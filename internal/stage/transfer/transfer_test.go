package transfer

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

func image(t *testing.T, d texture.Desc) *texture.Image {
	t.Helper()
	m, err := texture.NewImage(d)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestBufferAddressing copies a region in and compares every texel with the address that the specification gives it
// (Vulkan, Buffer and Image Addressing): offset + ((z·imageHeight + y)·rowLength + x)·texel size. Then it copies the
// region out again: bytes between the rows do not change.
func TestBufferAddressing(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		d      texture.Desc
		aspect format.Aspect
	}{
		{texture.Desc{Format: "R8G8B8A8_UNORM", Dim: ir.Dim2D, Width: 13, Height: 9, Layers: 4, Levels: 2}, 0},
		{texture.Desc{Format: "R32G32B32_SFLOAT", Dim: ir.Dim1D, Width: 40, Layers: 4}, 0},
		{texture.Desc{Format: "R64_UINT", Dim: ir.Dim3D, Width: 12, Height: 9, Depth: 5}, 0},
		{texture.Desc{Format: "D32_SFLOAT_S8_UINT", Dim: ir.Dim2D, Width: 12, Height: 9, Layers: 4}, format.Depth},
		{texture.Desc{Format: "D32_SFLOAT_S8_UINT", Dim: ir.Dim2D, Width: 12, Height: 9, Layers: 4}, format.Stencil},
		{texture.Desc{Format: "G8_B8R8_2PLANE_420_UNORM", Dim: ir.Dim2D, Width: 26, Height: 18}, format.Plane1},
	} {
		m := image(t, c.d)
		r := BufferImage{BufferOffset: 24, RowLength: 11, ImageHeight: 8, Image: Subresource{Aspect: c.aspect}, Offset: [3]int{2, 1, 0}, Extent: [3]int{7, 6, 1}}
		switch {
		case c.d.Dim == ir.Dim3D:
			r.Offset[2], r.Extent[2] = 1, 3
		case c.d.Dim == ir.Dim1D:
			r.Offset[1], r.Extent[1] = 0, 1
		}
		if c.d.Layers > 1 {
			r.Image.BaseLayer, r.Image.Layers = 1, 3
		}
		depth := max(r.Image.Layers, r.Extent[2])
		size := m.TexelBytes(c.aspect)
		buffer := make([]byte, 24+(depth*8*11)*size)
		for i := range buffer {
			buffer[i] = byte(random.Uint32())
		}
		if err := BufferToImage(m, buffer, &r); err != nil {
			t.Fatalf("%s: %v", c.d.Format, err)
		}
		for z := range depth {
			for y := range r.Extent[1] {
				for x := range r.Extent[0] {
					at := 24 + ((z*8+y)*11+x)*size
					from := coord(m, r.Image, r.Offset[0]+x, r.Offset[1]+y, r.Offset[2]+z)
					if got := m.Texel(from); !bytes.Equal(got, buffer[at:][:size]) {
						t.Fatalf("%s: texel %d %d %d is %x, want %x", c.d.Format, x, y, z, got, buffer[at:][:size])
					}
				}
			}
		}
		back := bytes.Repeat([]byte{0xaa}, len(buffer))
		if err := ImageToBuffer(back, m, &r); err != nil {
			t.Fatal(err)
		}
		for i := range back {
			texel := (i - 24) / size
			inside := i >= 24 && texel%11 < r.Extent[0] && texel/11%8 < r.Extent[1]
			if want := buffer[i]; inside && back[i] != want || !inside && back[i] != 0xaa {
				t.Fatalf("%s: byte %d is %x", c.d.Format, i, back[i])
			}
		}
	}
}

// TestBlocks copies blocks of BC1, 8 bytes for 4×4 texels, into a level whose edge cuts blocks, and to texels of 64 bits.
func TestBlocks(t *testing.T) {
	m := image(t, texture.Desc{Format: "BC1_RGBA_UNORM_BLOCK", Dim: ir.Dim2D, Width: 10, Height: 6}) // 3×2 blocks
	buffer := make([]byte, 6*8)
	for i := range buffer {
		buffer[i] = byte(i*7 + 1)
	}
	all := BufferImage{Extent: [3]int{10, 6, 1}}
	if err := BufferToImage(m, buffer, &all); err != nil {
		t.Fatal(err)
	}
	if got := m.Blocks(0, 0); !bytes.Equal(got, buffer) {
		t.Fatalf("blocks %x, want %x", got, buffer)
	}
	plain := image(t, texture.Desc{Format: "R32G32_UINT", Dim: ir.Dim2D, Width: 3, Height: 2})
	if err := Image(plain, m, &ImageCopy{Extent: [3]int{10, 6, 1}}); err != nil {
		t.Fatal(err)
	}
	for y := range 2 {
		if got := plain.TexelRow(texture.Coord{Y: y}); !bytes.Equal(got, buffer[24*y:][:24]) {
			t.Errorf("row %d is %x, want %x", y, got, buffer[24*y:][:24])
		}
	}
	// One texel back to the block at (4, 4).
	if err := Image(m, plain, &ImageCopy{FromOffset: [3]int{2, 0, 0}, ToOffset: [3]int{4, 4, 0}, Extent: [3]int{1, 1, 1}}); err != nil {
		t.Fatal(err)
	}
	if got := m.Blocks(0, 0)[32:40]; !bytes.Equal(got, buffer[16:24]) {
		t.Errorf("block is %x, want %x", got, buffer[16:24])
	}
	if err := BufferToImage(m, buffer, &BufferImage{Offset: [3]int{2, 0, 0}, Extent: [3]int{4, 4, 1}}); err == nil {
		t.Error("an offset inside a block")
	}
}

// TestSlicesToLayers copies the slices of a volume to layers and back (Vulkan, Copying Data Between Images).
func TestSlicesToLayers(t *testing.T) {
	volume := image(t, texture.Desc{Format: "R32_UINT", Dim: ir.Dim3D, Width: 4, Height: 2, Depth: 5})
	layers := image(t, texture.Desc{Format: "R32_SFLOAT", Dim: ir.Dim2D, Width: 4, Height: 2, Layers: 6})
	for z := range 5 {
		volume.Store(texture.Coord{X: 1, Y: 1, Z: z}, [4]uint64{uint64(z + 1)})
	}
	if err := Image(layers, volume, &ImageCopy{FromOffset: [3]int{1, 1, 1}, To: Subresource{BaseLayer: 2, Layers: 3}, Extent: [3]int{2, 1, 3}}); err != nil {
		t.Fatal(err)
	}
	for z := range 3 {
		if got := layers.Texel(texture.Coord{Layer: 2 + z}); got[0] != byte(z+2) {
			t.Errorf("layer %d has %v, want %d", 2+z, got, z+2)
		}
	}
	if err := Image(volume, layers, &ImageCopy{From: Subresource{BaseLayer: 2, Layers: 3}, Extent: [3]int{1, 1, 3}}); err != nil {
		t.Fatal(err)
	}
	if got := volume.Texel(texture.Coord{Z: 2}); got[0] != 4 {
		t.Errorf("slice 2 has %v, want 4", got)
	}
}

// TestImageSamples copies a region between images of several samples, which have rows of different pitches: every sample of a
// texel goes to the same sample of another, and no other texel changes (VkImageCopy).
func TestImageSamples(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, samples := range []int{2, 4, 8, 16} {
		from := image(t, texture.Desc{Format: "R8G8B8A8_UNORM", Dim: ir.Dim2D, Width: 1024, Height: 5, Layers: 3, Samples: samples})
		to := image(t, texture.Desc{Format: "R32_UINT", Dim: ir.Dim2D, Width: 37, Height: 9, Layers: 4, Samples: samples})
		want := map[texture.Coord]uint32{}
		for _, m := range []*texture.Image{from, to} {
			eachSample(m, func(at texture.Coord, texel []byte) {
				binary.LittleEndian.PutUint32(texel, random.Uint32())
				if m == to {
					want[at] = binary.LittleEndian.Uint32(texel)
				}
			})
		}
		r := ImageCopy{From: Subresource{BaseLayer: 1, Layers: 2}, To: Subresource{BaseLayer: 2, Layers: 2}, FromOffset: [3]int{999, 1, 0}, ToOffset: [3]int{12, 5, 0}, Extent: [3]int{25, 4, 1}}
		if err := Image(to, from, &r); err != nil {
			t.Fatal(err)
		}
		eachSample(from, func(at texture.Coord, texel []byte) {
			if x, y, layer := at.X-999, at.Y-1, at.Layer-1; x >= 0 && y >= 0 && layer >= 0 {
				want[texture.Coord{X: 12 + x, Y: 5 + y, Layer: 2 + layer, Sample: at.Sample}] = binary.LittleEndian.Uint32(texel)
			}
		})
		eachSample(to, func(at texture.Coord, texel []byte) {
			if got := binary.LittleEndian.Uint32(texel); got != want[at] {
				t.Fatalf("%d samples: %+v is %#x; must be %#x", samples, at, got, want[at])
			}
		})
	}
}

func eachSample(m *texture.Image, f func(at texture.Coord, texel []byte)) {
	for layer := range m.Layers {
		for y := range m.Height {
			for x := range m.Width {
				for sample := range m.Samples {
					at := texture.Coord{X: x, Y: y, Layer: layer, Sample: sample}
					f(at, m.Texel(at))
				}
			}
		}
	}
}

// TestBlit scales a row of texels with the values 0 to 7.
func TestBlit(t *testing.T) {
	from := image(t, texture.Desc{Format: "R32_SFLOAT", Dim: ir.Dim2D, Width: 8, Height: 1})
	for x := range 8 {
		from.Store(texture.Coord{X: x}, [4]uint64{uint64(math.Float32bits(float32(x)))})
	}
	for _, c := range []struct {
		name   string
		from   [2]int
		to     [2]int
		linear bool
		want   []float32
	}{
		{"copy", [2]int{0, 8}, [2]int{0, 8}, false, []float32{0, 1, 2, 3, 4, 5, 6, 7}},
		{"copy linear", [2]int{0, 8}, [2]int{0, 8}, true, []float32{0, 1, 2, 3, 4, 5, 6, 7}},
		{"mirror", [2]int{0, 8}, [2]int{8, 0}, false, []float32{7, 6, 5, 4, 3, 2, 1, 0}},
		{"mirror twice", [2]int{8, 0}, [2]int{8, 0}, false, []float32{0, 1, 2, 3, 4, 5, 6, 7}},
		{"half", [2]int{0, 8}, [2]int{0, 4}, false, []float32{1, 3, 5, 7}}, // the centers 1, 3, 5, 7 are in these texels
		{"half linear", [2]int{0, 8}, [2]int{0, 4}, true, []float32{.5, 2.5, 4.5, 6.5}},
		{"twice", [2]int{2, 4}, [2]int{0, 4}, false, []float32{2, 2, 3, 3}},
		{"twice linear", [2]int{2, 4}, [2]int{0, 4}, true, []float32{1.75, 2.25, 2.75, 3.25}}, // neighbours outside of the box count
		{"edge linear", [2]int{6, 8}, [2]int{0, 4}, true, []float32{5.75, 6.25, 6.75, 7}},     // clamped to the level
		{"quarter", [2]int{0, 8}, [2]int{0, 2}, false, []float32{2, 6}},
		{"quarter mirror", [2]int{0, 8}, [2]int{2, 0}, false, []float32{6, 2}},
		{"eighth", [2]int{0, 8}, [2]int{0, 1}, false, []float32{4}},
		{"eighth linear", [2]int{0, 8}, [2]int{0, 1}, true, []float32{3.5}},
	} {
		to := image(t, texture.Desc{Format: "R16_SFLOAT", Dim: ir.Dim2D, Width: 8, Height: 1})
		r := &Blit{FromBox: [2][3]int{{c.from[0], 0, 0}, {c.from[1], 1, 1}}, ToBox: [2][3]int{{c.to[0], 0, 0}, {c.to[1], 1, 1}}}
		if err := BlitImage(to, from, r, linearIf(c.linear)); err != nil {
			t.Fatal(err)
		}
		for x, want := range c.want {
			if got := math.Float32frombits(uint32(to.Load(texture.Coord{X: x})[0])); got != want {
				t.Errorf("%s: texel %d is %v, want %v", c.name, x, got, want)
			}
		}
	}
}

// TestBlitWidths converts components to narrower and to wider ones: floats are rounded, integers are clamped.
func TestBlitWidths(t *testing.T) {
	bits := func(f float32) uint64 { return uint64(math.Float32bits(f)) }
	for _, c := range []struct {
		from, to    string
		value, want uint64
	}{
		{"R64_SFLOAT", "R32_SFLOAT", math.Float64bits(0.1), bits(0.1)},
		{"R64_SFLOAT", "R8_SNORM", math.Float64bits(-3), bits(-1)},
		{"R32_SFLOAT", "R64_SFLOAT", bits(0.1), math.Float64bits(float64(float32(0.1)))},
		{"R8_UNORM", "R64_SFLOAT", bits(1), math.Float64bits(1)},
		{"R64_UINT", "R32_UINT", 7, 7},
		{"R64_UINT", "R32_UINT", 1 << 40, math.MaxUint32},
		{"R32_UINT", "A2B10G10R10_UINT_PACK32", 5000, 1023},
		{"R16_UINT", "R8_UINT", 256, 255},
		{"R32_SINT", "R8_SINT", uint64(uint32(1 << 31)), uint64(uint32(1<<32 - 128))},
		{"R64_SINT", "R32_SINT", 1 << 40, math.MaxInt32},
		{"R64_SINT", "R16_SINT", ^uint64(0), math.MaxUint32}, // -1
		{"R16_SINT", "R64_SINT", math.MaxUint32, ^uint64(0)},
		{"R32_UINT", "R64_UINT", math.MaxUint32, math.MaxUint32},
	} {
		from := image(t, texture.Desc{Format: c.from, Dim: ir.Dim2D, Width: 1, Height: 1})
		to := image(t, texture.Desc{Format: c.to, Dim: ir.Dim2D, Width: 1, Height: 1})
		from.Store(texture.Coord{}, [4]uint64{c.value})
		for _, turn := range []Rotation{0, 1} {
			to.Store(texture.Coord{}, [4]uint64{})
			r := &Blit{FromBox: [2][3]int{{0, 0, 0}, {1, 1, 1}}, ToBox: [2][3]int{{0, 0, 0}, {1, 1, 1}}, Rotation: turn}
			if err := BlitImage(to, from, r, Filter{}); err != nil {
				t.Fatal(err)
			}
			if got := to.Load(texture.Coord{})[0]; got != c.want {
				t.Errorf("%s to %s, %d quarter turns: %#x; want %#x", c.from, c.to, turn, got, c.want)
			}
		}
	}
}

// TestBlitBlocks blits a box in the second block of a 3D image with blocks of 4×4×4 texels.
func TestBlitBlocks(t *testing.T) {
	from := image(t, texture.Desc{Format: "ASTC_4x4x4_UNORM_BLOCK_EXT", Dim: ir.Dim3D, Width: 4, Height: 4, Depth: 8})
	to := image(t, texture.Desc{Format: "R8G8B8A8_UNORM", Dim: ir.Dim3D, Width: 4, Height: 4, Depth: 8})
	box := [2][3]int{{0, 0, 5}, {4, 4, 8}}
	if err := BlitImage(to, from, &Blit{FromBox: box, ToBox: box}, Filter{}); err != nil {
		t.Fatal(err)
	}
	for z := range 8 {
		want := [4]uint64{}
		if z >= 5 {
			want = from.Load(texture.Coord{Z: z})
		}
		if got := to.Load(texture.Coord{Z: z}); got != want {
			t.Errorf("slice %d: %x; want %x", z, got, want)
		}
	}
}

func linearIf(on bool) Filter {
	if on {
		return Filter{Kind: enum.FilterLinear}
	}
	return Filter{}
}

// TestBlitCubic compares a cubic blit with the sum of 4×4 texels, weighted by the kernel as a function of the distance
// (Vulkan, Cubic Filtering; Catmull–Rom and the B-spline of Mitchell and Netravali 1988).
func TestBlitCubic(t *testing.T) {
	kernels := map[enum.CubicWeights][2]float64{enum.CubicWeightsCatmullRom: {0, .5}, enum.CubicWeightsZeroTangentCardinal: {0, 0}, enum.CubicWeightsBSpline: {1, 0}, enum.CubicWeightsMitchellNetravali: {1. / 3, 1. / 3}}
	random := rand.New(rand.NewPCG(3, 4))
	const w, h, tw, th = 6, 5, 9, 7
	from, to := image(t, texture.Desc{Format: "R32_SFLOAT", Dim: ir.Dim2D, Width: w, Height: h}), image(t, texture.Desc{Format: "R32_SFLOAT", Dim: ir.Dim2D, Width: tw, Height: th})
	var texels [h][w]float64
	for y := range h {
		for x := range w {
			v := random.Float32()
			texels[y][x] = float64(v)
			from.Store(texture.Coord{X: x, Y: y}, [4]uint64{uint64(math.Float32bits(v))})
		}
	}
	for weights, bc := range kernels {
		kernel := func(x float64) float64 {
			b, c := bc[0], bc[1]
			switch x = math.Abs(x); {
			case x < 1:
				return ((12-9*b-6*c)*x*x*x + (-18+12*b+6*c)*x*x + 6 - 2*b) / 6
			case x < 2:
				return ((-b-6*c)*x*x*x + (6*b+30*c)*x*x + (-12*b-48*c)*x + 8*b + 24*c) / 6
			}
			return 0
		}
		r := Blit{FromBox: [2][3]int{{}, {w, h, 1}}, ToBox: [2][3]int{{}, {tw, th, 1}}}
		if err := BlitImage(to, from, &r, Filter{enum.FilterCubic, weights}); err != nil {
			t.Fatal(err)
		}
		for y := range th {
			for x := range tw {
				u, v := (float64(x)+.5)*w/tw-.5, (float64(y)+.5)*h/th-.5
				want := 0.
				for j := -2; j < h+2; j++ {
					for i := -2; i < w+2; i++ {
						want += kernel(u-float64(i)) * kernel(v-float64(j)) * texels[min(max(j, 0), h-1)][min(max(i, 0), w-1)]
					}
				}
				got := math.Float32frombits(uint32(to.Load(texture.Coord{X: x, Y: y})[0]))
				if math.Abs(float64(got)-want) > 1e-5 {
					t.Fatalf("weights %d: texel %d, %d is %v; must be %v", weights, x, y, got, want)
				}
			}
		}
	}
	r := Blit{FromBox: [2][3]int{{}, {1, 1, 1}}, ToBox: [2][3]int{{}, {1, 1, 1}}}
	if err := r.Check(to, image(t, texture.Desc{Format: "R32_SFLOAT", Dim: ir.Dim3D}), Filter{Kind: enum.FilterCubic}); err == nil {
		t.Error("a cubic blit of a volume") // VUID-vkCmdBlitImage-filter-00237
	}
}

// TestBlitSRGB filters in linear space: the mean of black and white, 0.5, is 188 in sRGB.
func TestBlitSRGB(t *testing.T) {
	from := image(t, texture.Desc{Format: "R8G8B8A8_SRGB", Dim: ir.Dim2D, Width: 2, Height: 1})
	copy(from.TexelRow(texture.Coord{}), []byte{0, 0, 0, 0, 255, 255, 255, 255})
	to := image(t, texture.Desc{Format: "B8G8R8A8_SRGB", Dim: ir.Dim2D, Width: 1, Height: 1})
	if err := BlitImage(to, from, &Blit{FromBox: [2][3]int{{}, {2, 1, 1}}, ToBox: [2][3]int{{}, {1, 1, 1}}}, linearIf(true)); err != nil {
		t.Fatal(err)
	}
	if got := to.Texel(texture.Coord{}); !bytes.Equal(got, []byte{188, 188, 188, 128}) {
		t.Errorf("%v, want 188 188 188 128", got)
	}
}

// TestClear clears levels and layers of one aspect and no others.
func TestClear(t *testing.T) {
	m := image(t, texture.Desc{Format: "D32_SFLOAT_S8_UINT", Dim: ir.Dim2D, Width: 4, Height: 4, Layers: 3, Levels: 2})
	half := uint64(math.Float32bits(.5))
	if err := Clear(m, Range{Aspects: format.Depth, BaseLevel: 1, BaseLayer: 1, Layers: 1}, [4]uint64{7}, [4]uint64{half}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		at   texture.Coord
		want uint64
	}{
		{texture.Coord{Level: 1, Layer: 1, X: 1, Y: 1, Aspect: format.Depth}, half},
		{texture.Coord{Level: 1, Layer: 1, Aspect: format.Stencil}, 0},
		{texture.Coord{Level: 1, Layer: 2, Aspect: format.Depth}, 0},
		{texture.Coord{Level: 0, Layer: 1, Aspect: format.Depth}, 0},
	} {
		if got := m.Load(c.at)[0]; got != c.want {
			t.Errorf("%+v: %#x, want %#x", c.at, got, c.want)
		}
	}
}

// TestHostile calls everything with random numbers: a *RangeError or success, no panic.
func TestHostile(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	edge := []int{0, 1, 2, 3, 4, 5, 8, 9, -1, 1 << 24, 1<<31 - 1, math.MaxInt>>31 + 1, math.MaxInt, math.MinInt}
	n := func() int {
		if random.IntN(8) > 0 {
			return random.IntN(2)
		}
		return edge[random.IntN(len(edge))]
	}
	three := func() [3]int { return [3]int{n(), n(), n()} }
	sub := func() Subresource {
		return Subresource{Level: n(), BaseLayer: n(), Layers: n(), Aspect: format.Aspect(n())}
	}
	images := []*texture.Image{
		image(t, texture.Desc{Format: "R8G8B8A8_UNORM", Dim: ir.Dim2D, Width: 8, Height: 8, Layers: 2, Levels: 2}),
		image(t, texture.Desc{Format: "BC3_UNORM_BLOCK", Dim: ir.Dim2D, Width: 9, Height: 8}),
		image(t, texture.Desc{Format: "R32_SFLOAT", Dim: ir.Dim3D, Width: 4, Height: 4, Depth: 4}),
		image(t, texture.Desc{Format: "D16_UNORM", Dim: ir.Dim2D, Width: 8, Height: 8, Samples: 4}),
		image(t, texture.Desc{Format: "G8_B8_R8_3PLANE_422_UNORM", Dim: ir.Dim2D, Width: 8, Height: 8}),
		image(t, texture.Desc{Format: "G8B8G8R8_422_UNORM", Dim: ir.Dim2D, Width: 8, Height: 8}),
		nil,
	}
	pick := func() *texture.Image { return images[random.IntN(len(images))] }
	buffer := make([]byte, 1024)
	worked := 0
	for range 40_000 {
		r := &BufferImage{BufferOffset: n(), RowLength: n(), ImageHeight: n(), Image: sub(), Offset: three(), Extent: three()}
		box := func() [2][3]int { return [2][3]int{three(), three()} }
		m := pick()
		for _, err := range []error{
			BufferToImage(m, buffer, r), ImageToBuffer(buffer, m, r),
			Image(pick(), m, &ImageCopy{From: sub(), To: sub(), FromOffset: three(), ToOffset: three(), Extent: three()}),
			BlitImage(pick(), m, &Blit{From: sub(), To: sub(), FromBox: box(), ToBox: box()}, Filter{[]enum.Filter{enum.FilterNearest, enum.FilterLinear, enum.FilterCubic, 7}[random.IntN(4)], enum.CubicWeights(random.IntN(5))}),
		} {
			var bad *RangeError
			if err == nil {
				worked++
			} else if !errors.As(err, &bad) {
				t.Fatalf("%T %v", err, err)
			}
		}
		if m != nil {
			Clear(m, Range{format.Aspect(n()), n(), n(), n(), n()}, [4]uint64{}, [4]uint64{})
		}
	}
	if worked == 0 {
		t.Error("no call worked")
	}
}
