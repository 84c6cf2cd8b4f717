package texture_test

import (
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

// writeBlocks writes random blocks to every level and layer of an image.
func writeBlocks(t testing.TB, m *texture.Image, r *rand.Rand) {
	t.Helper()
	l := format.InfoByName(m.Format).Layout()
	for n := range m.Levels {
		w, _, _ := m.LevelExtent(n)
		columns, _, _ := l.Blocks(w, 1, 1)
		for layer := 0; m.Blocks(n, layer) != nil; layer++ {
			data := make([]byte, len(m.Blocks(n, layer)))
			r.Read(data)
			if err := m.WriteBlocks(n, layer, 0, 0, columns, data); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// blockTexel is a texel as format.Blocks decodes it out of the image's bytes.
func blockTexel(m *texture.Image, name string, level, layer, x, y, z int) (want [4]uint64) {
	b, _ := format.InfoByName(name).Blocks()
	w, _, _ := m.LevelExtent(level)
	columns := (w + b.Width - 1) / b.Width
	var texels [format.MaxBlockTexels][4]float32
	b.DecodeAt(texels[:], m.Blocks(level, layer+z/b.Depth), columns, x/b.Width, y/b.Height)
	for i, v := range texels[(z%b.Depth*b.Height+y%b.Height)*b.Width+x%b.Width] {
		want[i] = uint64(math.Float32bits(v))
	}
	return want
}

// TestBorderOfBlocks samples the border of compressed formats with and without alpha, and fetches a texel outside: a border has the
// components of the format, a texel outside is 0, and missing components are 0, 0 and 1 (Vulkan §"Texel Replacement", Border Texel
// Components After Replacement; §"Conversion to RGBA"; robustImageAccess2).
func TestBorderOfBlocks(t *testing.T) {
	edge := [3]enum.AddressMode{enum.AddressModeClampToBorder, enum.AddressModeClampToBorder}
	var border [4]uint32
	for i := range border {
		border[i] = math.Float32bits(float32(i+1) / 8)
	}
	s, _ := texture.NewSampler(texture.SamplerDesc{Address: edge, Border: border})
	for name, want := range map[string][4]float32{
		"BC1_RGB_UNORM_BLOCK": {0.125, 0.25, 0.375, 1}, "BC1_RGBA_UNORM_BLOCK": {0.125, 0.25, 0.375, 0.5},
		"BC4_UNORM_BLOCK": {0.125, 0, 0, 1}, "BC5_UNORM_BLOCK": {0.125, 0.25, 0, 1}, "BC6H_UFLOAT_BLOCK": {0.125, 0.25, 0.375, 1},
		"BC7_UNORM_BLOCK": {0.125, 0.25, 0.375, 0.5}, "ETC2_R8G8B8_UNORM_BLOCK": {0.125, 0.25, 0.375, 1}, "ETC2_R8G8B8_SRGB_BLOCK": {0.125, 0.25, 0.375, 1},
		"ETC2_R8G8B8A8_UNORM_BLOCK": {0.125, 0.25, 0.375, 0.5}, "ASTC_4x4_UNORM_BLOCK": {0.125, 0.25, 0.375, 0.5},
	} {
		m, _ := texture.NewImage(texture.Desc{Format: name, Dim: ir.Dim2D, Width: 4, Height: 4})
		for _, swizzled := range []bool{false, true} {
			d, want := texture.ViewDesc{Dim: ir.Dim2D}, want
			if swizzled {
				d.Swizzle, want[0] = [4]enum.Swizzle{enum.SwizzleA}, want[3]
			}
			v, err := texture.NewView(m, d)
			if err != nil {
				t.Fatal(err)
			}
			sample := ir.Texture{Op: ir.TextureSample, Dim: ir.Dim2D, Type: ir.F32, Operands: ir.TextureLod}
			for i, x := range call(t, sample, v, s, [][]uint64{{0, 0, f32(-0.5), f32(0.5), 0}})[0] {
				if got := math.Float32frombits(uint32(x)); got != want[i] {
					t.Errorf("%s: component %d of the border is %g; must be %g", name, i, got, want[i])
				}
			}
			outside := [4]float32{}
			if !strings.Contains(format.InfoByName(name).Components, "A") {
				outside[3] = 1
			}
			if swizzled {
				outside[0] = outside[3]
			}
			fetch := ir.Texture{Op: ir.TextureFetch, Dim: ir.Dim2D, Type: ir.F32, Sampler: -1, Operands: ir.TextureLod}
			for i, x := range call(t, fetch, v, nil, [][]uint64{{0, 4, 0, 0}})[0] {
				if got := math.Float32frombits(uint32(x)); got != outside[i] {
					t.Errorf("%s: component %d of a texel outside is %g; must be %g", name, i, got, outside[i])
				}
			}
			for i := range want {
				gather := ir.Texture{Op: ir.TextureGather, Dim: ir.Dim2D, Type: ir.F32, Component: uint8(i)}
				for _, x := range call(t, gather, v, s, [][]uint64{{0, 0, f32(-0.75), f32(0.5)}})[0] {
					if got := math.Float32frombits(uint32(x)); got != want[i] {
						t.Errorf("%s: a gather of component %d of the border is %g; must be %g", name, i, got, want[i])
					}
				}
			}
		}
	}
}

// TestReadBlocks fetches every texel of images of each kind of compressed format in every engine: in levels,
// layers and slices, in levels smaller than their blocks, and through views of the class's other format.
func TestReadBlocks(t *testing.T) {
	r := rand.New(rand.NewSource(21))
	for _, c := range []struct {
		desc texture.Desc
		view texture.ViewDesc
	}{
		{texture.Desc{Format: "BC1_RGBA_UNORM_BLOCK", Dim: ir.Dim2D, Width: 11, Height: 7, Levels: 4}, texture.ViewDesc{Dim: ir.Dim2D}},
		{texture.Desc{Format: "BC1_RGB_UNORM_BLOCK", Dim: ir.Dim2D, Width: 8, Height: 8}, texture.ViewDesc{Dim: ir.Dim2D, Format: "BC1_RGB_SRGB_BLOCK"}},
		{texture.Desc{Format: "BC3_SRGB_BLOCK", Dim: ir.Dim2D, Width: 9, Height: 4, Layers: 3}, texture.ViewDesc{Dim: ir.Dim2D, Arrayed: true}},
		{texture.Desc{Format: "BC4_SNORM_BLOCK", Dim: ir.Dim3D, Width: 6, Height: 5, Depth: 3}, texture.ViewDesc{Dim: ir.Dim3D}},
		{texture.Desc{Format: "BC5_UNORM_BLOCK", Dim: ir.Dim2D, Width: 4, Height: 4}, texture.ViewDesc{Dim: ir.Dim2D}},
		{texture.Desc{Format: "BC6H_SFLOAT_BLOCK", Dim: ir.Dim2D, Width: 12, Height: 12}, texture.ViewDesc{Dim: ir.Dim2D}},
		{texture.Desc{Format: "BC7_UNORM_BLOCK", Dim: ir.Dim2D, Width: 12, Height: 12}, texture.ViewDesc{Dim: ir.Dim2D, Format: "BC7_SRGB_BLOCK"}},
		{texture.Desc{Format: "ETC2_R8G8B8A1_SRGB_BLOCK", Dim: ir.Dim2D, Width: 13, Height: 6}, texture.ViewDesc{Dim: ir.Dim2D}},
		{texture.Desc{Format: "EAC_R11G11_SNORM_BLOCK", Dim: ir.Dim2D, Width: 5, Height: 5}, texture.ViewDesc{Dim: ir.Dim2D}},
		{texture.Desc{Format: "ASTC_8x5_UNORM_BLOCK", Dim: ir.Dim2D, Width: 17, Height: 11, Levels: 5}, texture.ViewDesc{Dim: ir.Dim2D}},
		{texture.Desc{Format: "ASTC_10x10_SRGB_BLOCK", Dim: ir.Dim2D, Width: 21, Height: 10}, texture.ViewDesc{Dim: ir.Dim2D, Format: "ASTC_10x10_SFLOAT_BLOCK"}},
		{texture.Desc{Format: "ASTC_4x4x3_UNORM_BLOCK_EXT", Dim: ir.Dim3D, Width: 9, Height: 6, Depth: 7, Levels: 4}, texture.ViewDesc{Dim: ir.Dim3D}},
		{texture.Desc{Format: "PVRTC1_4BPP_UNORM_BLOCK_IMG", Dim: ir.Dim2D, Width: 32, Height: 8, Levels: 6}, texture.ViewDesc{Dim: ir.Dim2D, Format: "PVRTC1_4BPP_SRGB_BLOCK_IMG"}},
		{texture.Desc{Format: "PVRTC1_2BPP_SRGB_BLOCK_IMG", Dim: ir.Dim2D, Width: 16, Height: 16, Layers: 2}, texture.ViewDesc{Dim: ir.Dim2D, Arrayed: true}},
		{texture.Desc{Format: "PVRTC2_4BPP_UNORM_BLOCK_IMG", Dim: ir.Dim2D, Width: 13, Height: 7, Levels: 4}, texture.ViewDesc{Dim: ir.Dim2D}},
		{texture.Desc{Format: "PVRTC2_2BPP_UNORM_BLOCK_IMG", Dim: ir.Dim2D, Width: 19, Height: 5}, texture.ViewDesc{Dim: ir.Dim2D}},
	} {
		m, err := texture.NewImage(c.desc)
		if err != nil {
			t.Fatal(err)
		}
		early, err := texture.NewView(m, c.view) // before there are blocks
		if err != nil {
			t.Fatal(err)
		}
		writeBlocks(t, m, r)
		late, err := texture.NewView(m, c.view)
		if err != nil {
			t.Fatal(err)
		}
		name := c.view.Format
		if name == "" {
			name = m.Format
		}
		x := ir.Texture{Op: ir.TextureFetch, Dim: c.view.Dim, Arrayed: c.view.Arrayed, Type: ir.F32, Sampler: -1, Operands: ir.TextureLod}
		var args [][]uint64
		var want [][4]uint64
		for level := range m.Levels {
			w, h, depth := m.LevelExtent(level)
			for n := range w * h * depth * m.Layers {
				px, py, pz := n%w, n/w%h, n/(w*h)
				list := []uint64{0, uint64(px), uint64(py)}
				layer := 0
				if c.view.Dim == ir.Dim3D {
					list = append(list, uint64(pz))
				} else if c.view.Arrayed {
					layer, pz = pz, 0
					list = append(list, uint64(layer))
				}
				args = append(args, append(list, uint64(level)))
				want = append(want, blockTexel(m, name, level, layer, px, py, pz))
			}
		}
		for _, v := range []*texture.View{early, late} {
			for i, got := range call(t, x, v, nil, args) {
				if [4]uint64(got) != want[i] {
					t.Errorf("%s as %s: %v reads %x; must be %x", m.Format, name, args[i][1:], got, want[i])
					break
				}
			}
		}
	}
}

// TestSampleBlocks filters an image of blocks and one of their texels alike.
func TestSampleBlocks(t *testing.T) {
	r := rand.New(rand.NewSource(22))
	m, _ := texture.NewImage(texture.Desc{Format: "BC7_SRGB_BLOCK", Dim: ir.Dim2D, Width: 16, Height: 12})
	writeBlocks(t, m, r)
	plain, _ := texture.NewImage(texture.Desc{Format: "R8G8B8A8_SRGB", Dim: ir.Dim2D, Width: 16, Height: 12})
	for n := range 16 * 12 {
		plain.Store(texture.Coord{X: n % 16, Y: n / 16}, blockTexel(m, m.Format, 0, 0, n%16, n/16, 0))
	}
	s, err := texture.NewSampler(texture.SamplerDesc{Mag: enum.FilterLinear, Min: enum.FilterLinear, Address: [3]enum.AddressMode{enum.AddressModeRepeat, enum.AddressModeMirroredRepeat}, MaxLod: 1})
	if err != nil {
		t.Fatal(err)
	}
	var args [][]uint64
	for range 200 {
		args = append(args, []uint64{0, 0, uint64(math.Float32bits(r.Float32()*3 - 1)), uint64(math.Float32bits(r.Float32()*3 - 1)), 0})
	}
	x := ir.Texture{Op: ir.TextureSample, Dim: ir.Dim2D, Type: ir.F32, Operands: ir.TextureLod}
	one, _ := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D})
	two, _ := texture.NewView(plain, texture.ViewDesc{Dim: ir.Dim2D})
	got, want := call(t, x, one, s, args), call(t, x, two, s, args)
	for i := range got {
		if [4]uint64(got[i]) != [4]uint64(want[i]) {
			t.Errorf("%x: %x; must be %x", args[i], got[i], want[i])
		}
	}
}

// TestWriteBlocks replaces some blocks: the others are unchanged, and an invalid write is an error without
// effect.
func TestWriteBlocks(t *testing.T) {
	m, _ := texture.NewImage(texture.Desc{Format: "BC4_UNORM_BLOCK", Dim: ir.Dim2D, Width: 10, Height: 9})
	full := []byte{255, 255, 0, 0, 0, 0, 0, 0} // red 1 everywhere
	if err := m.WriteBlocks(0, 0, 1, 1, 2, append(append(full[:8:8], full...), append(full[:8:8], full...)...)); err != nil {
		t.Fatal(err)
	}
	for n := range 90 {
		x, y := n%10, n/10
		want := uint64(0)
		if x >= 4 && y >= 4 {
			want = 0x3f800000
		}
		if got := m.Load(texture.Coord{X: x, Y: y})[0]; got != want {
			t.Errorf("%d, %d is %#x; must be %#x", x, y, got, want)
		}
	}
	m.Store(texture.Coord{}, [4]uint64{0x3f800000})
	if m.Load(texture.Coord{})[0] != 0 {
		t.Error("a texel of a block is stored")
	}
	before := string(m.Blocks(0, 0))
	for _, c := range []struct {
		level, layer, x, y, columns, bytes int
	}{{1, 0, 0, 0, 1, 8}, {0, 1, 0, 0, 1, 8}, {0, -1, 0, 0, 1, 8}, {0, 0, 3, 0, 1, 8}, {0, 0, 0, 3, 1, 8}, {0, 0, -1, 0, 1, 8}, {0, 0, 0, 0, 4, 32}, {0, 0, 0, 0, 1, 32}, {0, 0, 0, 0, 1, 7},
		{0, 0, 0, 0, 0, 8}, {0, 0, 0, 0, -1, 8}, {0, 0, math.MaxInt>>1 + 1, 0, 1, 8}, {0, 0, 0, 0, math.MaxInt>>3 + 1, 8}} {
		err := m.WriteBlocks(c.level, c.layer, c.x, c.y, c.columns, make([]byte, c.bytes))
		if e := (*texture.DescError)(nil); !errors.As(err, &e) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if string(m.Blocks(0, 0)) != before {
		t.Error("what does not fit changes blocks")
	}
	plain, _ := texture.NewImage(texture.Desc{Format: "R8_UNORM", Dim: ir.Dim2D, Width: 4, Height: 4})
	if err := plain.WriteBlocks(0, 0, 0, 0, 1, full); err == nil || plain.Blocks(0, 0) != nil {
		t.Error("an image of R8_UNORM has blocks")
	}
}

// TestBlockImages has images and views of compressed formats that there are not.
func TestBlockImages(t *testing.T) {
	for _, c := range []struct {
		d    texture.Desc
		want string
	}{
		{texture.Desc{Format: "BC7_UNORM_BLOCK", Dim: ir.Dim2D, Width: 8, Height: 8, Samples: 4}, "samples"},
		{texture.Desc{Format: "BC7_UNORM_BLOCK", Dim: ir.Dim1D, Width: 8}, "dimension"},
		{texture.Desc{Format: "ASTC_4x4x4_UNORM_BLOCK_EXT", Dim: ir.Dim2D, Width: 8, Height: 8}, "dimension"},
		{texture.Desc{Format: "PVRTC1_4BPP_UNORM_BLOCK_IMG", Dim: ir.Dim2D, Width: 8, Height: 12}, "powers of two"},
		{texture.Desc{Format: "R8_BOOL_ARM", Dim: ir.Dim2D, Width: 8, Height: 8}, "only tensors have"},
	} {
		if _, err := texture.NewImage(c.d); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.d, err)
		}
	}
	m, _ := texture.NewImage(texture.Desc{Format: "BC7_UNORM_BLOCK", Dim: ir.Dim2D, Width: 8, Height: 8})
	for _, name := range []string{"BC6H_UFLOAT_BLOCK", "R32G32_UINT", "R8G8B8A8_UNORM", "nothing"} {
		if _, err := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D, Format: name}); err == nil {
			t.Errorf("a view of blocks as %s", name)
		}
	}
	if _, err := texture.NewBufferView(make([]byte, 64), "BC7_UNORM_BLOCK"); err == nil {
		t.Error("a texel buffer of blocks")
	}
}

// TestWovenBlocks writes the blocks of images of PVRTC one by one: each changes texels
// of the blocks around it too, across the edges, and those alone are decoded anew.
func TestWovenBlocks(t *testing.T) {
	r := rand.New(rand.NewSource(25))
	for _, d := range []texture.Desc{
		{Format: "PVRTC1_4BPP_UNORM_BLOCK_IMG", Width: 16, Height: 4},
		{Format: "PVRTC1_2BPP_UNORM_BLOCK_IMG", Width: 32, Height: 16},
		{Format: "PVRTC2_4BPP_SRGB_BLOCK_IMG", Width: 22, Height: 17},
		{Format: "PVRTC2_2BPP_UNORM_BLOCK_IMG", Width: 9, Height: 9},
	} {
		d.Dim = ir.Dim2D
		m, err := texture.NewImage(d)
		if err != nil {
			t.Fatal(err)
		}
		writeBlocks(t, m, r)
		l := format.InfoByName(m.Format).Layout()
		columns, rows, _ := l.Blocks(d.Width, d.Height, 1)
		for range 30 {
			x, y := r.Intn(columns), r.Intn(rows)
			word := make([]byte, 8)
			r.Read(word)
			if err := m.WriteBlocks(0, 0, x, y, 1, word); err != nil {
				t.Fatal(err)
			}
			for n := range d.Width * d.Height {
				px, py := n%d.Width, n/d.Width
				if got, want := m.Load(texture.Coord{X: px, Y: py}), blockTexel(m, m.Format, 0, 0, px, py, 0); got != want {
					t.Fatalf("%s: block %d, %d written: texel %d, %d is %x; must be %x", m.Format, x, y, px, py, got, want)
				}
			}
		}
	}
}
