package texture_test

import (
	"fmt"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// sparseImage returns an image with memory for the listed blocks.
func sparseImage(t *testing.T, d texture.Desc, tail bool, blocks ...texture.SparsePlace) *texture.Image {
	t.Helper()
	m, err := texture.NewImage(d)
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Sparse()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range blocks {
		r.Set(p, true)
	}
	r.SetTail(0, tail)
	return m
}

// TestResidencyCode samples images with some blocks in every kind of filter, in every engine: the code tells whether all texels
// with a weight have memory.
func TestResidencyCode(t *testing.T) {
	row := sparseImage(t, texture.Desc{Format: "R32_SFLOAT", Dim: ir.Dim2D, Width: 256, Height: 128}, false, texture.SparsePlace{})
	depth := sparseImage(t, texture.Desc{Format: "D32_SFLOAT", Dim: ir.Dim2D, Width: 256, Height: 128}, false, texture.SparsePlace{})
	integer := sparseImage(t, texture.Desc{Format: "R32_UINT", Dim: ir.Dim2D, Width: 256, Height: 128}, false, texture.SparsePlace{})
	cube := sparseImage(t, texture.Desc{Format: "R32_SFLOAT", Dim: ir.Dim2D, Width: 128, Height: 128, Layers: 6}, false, texture.SparsePlace{})
	volume := sparseImage(t, texture.Desc{Format: "R32_SFLOAT", Dim: ir.Dim3D, Width: 32, Height: 32, Depth: 32}, false, texture.SparsePlace{})
	levels := sparseImage(t, texture.Desc{Format: "R32_SFLOAT", Dim: ir.Dim2D, Width: 256, Height: 128, Levels: 3}, false, texture.SparsePlace{}, texture.SparsePlace{X: 1})
	tail := sparseImage(t, texture.Desc{Format: "R32_SFLOAT", Dim: ir.Dim2D, Width: 64, Height: 64, Levels: 2}, true)
	layers := sparseImage(t, texture.Desc{Format: "R32_SFLOAT", Dim: ir.Dim2D, Width: 128, Height: 128, Layers: 3}, false, texture.SparsePlace{Layer: 1})
	compressed := sparseImage(t, texture.Desc{Format: "BC1_RGBA_UNORM_BLOCK", Dim: ir.Dim2D, Width: 1024, Height: 256}, false, texture.SparsePlace{})
	edge := [3]enum.AddressMode{enum.AddressModeClampToEdge, enum.AddressModeClampToEdge, enum.AddressModeClampToEdge}
	border := [3]enum.AddressMode{enum.AddressModeClampToBorder, enum.AddressModeClampToBorder, enum.AddressModeClampToBorder}
	linear := texture.SamplerDesc{Mag: enum.FilterLinear, Min: enum.FilterLinear, MipLinear: true, MaxLod: 10, Address: edge}
	nearest := texture.SamplerDesc{Address: edge, MaxLod: 10}
	cubic := texture.SamplerDesc{Mag: enum.FilterCubic, Min: enum.FilterCubic, Address: edge}
	compare := linear
	compare.Compare, compare.CompareOp = true, enum.CompareOpLess
	long := linear
	long.Anisotropy = 8
	bordered := linear
	bordered.Address = border
	const sample, gather = ir.TextureSample, ir.TextureGather
	two := texture.ViewDesc{Dim: ir.Dim2D}
	at := func(x float64, more ...float64) (list []uint64) {
		list = []uint64{0, 0, f32(x / 256)}
		for _, v := range more {
			list = append(list, f32(v))
		}
		return list
	}
	lod := ir.TextureLod | ir.TextureSparse
	for i, c := range []struct {
		image    *texture.Image
		view     texture.ViewDesc
		sampler  texture.SamplerDesc
		op       ir.TextureOp
		operands ir.TextureOperands
		args     []uint64
		code     uint64
	}{
		{row, two, nearest, sample, lod, at(127.9, .5, 0), 0}, {row, two, nearest, sample, lod, at(128.1, .5, 0), 1},
		{row, two, linear, sample, lod, at(100, .5, 0), 0}, {row, two, linear, sample, lod, at(128, .5, 0), 1}, {row, two, linear, sample, lod, at(200, .5, 0), 1},
		{row, two, linear, sample, lod, at(127.5, .5, 0), 0}, // the texel 128 has weight 0
		{row, two, cubic, sample, lod, at(125.9, .5, 0), 0}, {row, two, cubic, sample, lod, at(126.9, .5, 0), 1},
		{row, two, bordered, sample, lod, at(-5, .5, 0), 0}, {row, two, bordered, sample, lod, at(261, .5, 0), 0}, {row, two, bordered, sample, lod, at(255.9, .5, 0), 1},
		{row, two, linear, gather, ir.TextureSparse, at(100, .5), 0}, {row, two, linear, gather, ir.TextureSparse, at(128, .5), 1},
		{row, two, long, sample, ir.TextureGrad | ir.TextureSparse, at(110, .5, 8./256, 0, 0, 1./128), 0}, {row, two, long, sample, ir.TextureGrad | ir.TextureSparse, at(126, .5, 8./256, 0, 0, 1./128), 1},
		{depth, two, compare, sample, lod | ir.TextureDref, at(100, .5, .5, 0), 0}, {depth, two, compare, sample, lod | ir.TextureDref, at(128, .5, .5, 0), 1},
		{depth, two, compare, gather, ir.TextureDref | ir.TextureSparse, at(100, .5, .5), 0}, {depth, two, compare, gather, ir.TextureDref | ir.TextureSparse, at(128, .5, .5), 1},
		{integer, two, linear, sample, lod, at(127.9, .5, 0), 0}, {integer, two, linear, sample, lod, at(128.1, .5, 0), 1},
		{levels, two, linear, sample, lod, at(128, .5, 0), 0}, {levels, two, linear, sample, lod, at(128, .5, .5), 1}, {levels, two, linear, sample, lod, at(128, .5, 2), 1},
		{tail, two, linear, sample, lod, at(128, .5, .5), 0},
		{compressed, two, linear, sample, lod, at(127, .5, 0), 0}, {compressed, two, linear, sample, lod, at(128, .5, 0), 1},
		{cube, texture.ViewDesc{Dim: ir.DimCube}, linear, sample, lod, []uint64{0, 0, f32(1), f32(.1), f32(.1), 0}, 0},
		{cube, texture.ViewDesc{Dim: ir.DimCube}, linear, sample, lod, []uint64{0, 0, f32(-1), f32(.1), f32(.1), 0}, 1},
		{cube, texture.ViewDesc{Dim: ir.DimCube}, linear, sample, lod, []uint64{0, 0, f32(1), f32(.999), f32(.1), 0}, 1}, // across the edge
		{cube, texture.ViewDesc{Dim: ir.DimCube}, cubic, sample, lod, []uint64{0, 0, f32(1), f32(.1), f32(.1), 0}, 0},
		{cube, texture.ViewDesc{Dim: ir.DimCube}, cubic, sample, lod, []uint64{0, 0, f32(1), f32(.98), f32(.1), 0}, 1},
		{volume, texture.ViewDesc{Dim: ir.Dim3D}, linear, sample, lod, []uint64{0, 0, f32(.5), f32(.5), f32(.25), 0}, 0},
		{volume, texture.ViewDesc{Dim: ir.Dim3D}, linear, sample, lod, []uint64{0, 0, f32(.5), f32(.5), f32(.5), 0}, 1},
		{volume, texture.ViewDesc{Dim: ir.Dim3D, BaseSlice: 16, Slices: 16}, linear, sample, lod, []uint64{0, 0, f32(.5), f32(.5), f32(.25), 0}, 1},
		{volume, texture.ViewDesc{Dim: ir.Dim2D, BaseLayer: 15, Layers: 1}, linear, sample, lod, []uint64{0, 0, f32(.5), f32(.5), 0}, 0},
		{volume, texture.ViewDesc{Dim: ir.Dim2D, BaseLayer: 16, Layers: 1}, linear, sample, lod, []uint64{0, 0, f32(.5), f32(.5), 0}, 1},
		{layers, texture.ViewDesc{Dim: ir.Dim2D, BaseLayer: 1, Layers: 1}, linear, sample, lod, at(100, .5, 0), 0},
		{layers, texture.ViewDesc{Dim: ir.Dim2D, BaseLayer: 2, Layers: 1}, linear, sample, lod, at(100, .5, 0), 1},
		{layers, texture.ViewDesc{Dim: ir.Dim2D, Arrayed: true}, linear, sample, lod, at(100, .5, 1, 0), 0},
		{layers, texture.ViewDesc{Dim: ir.Dim2D, Arrayed: true}, linear, sample, lod, at(100, .5, 2, 0), 1},
	} {
		v, err := texture.NewView(c.image, c.view)
		if err != nil {
			t.Fatal(err)
		}
		s, err := texture.NewSampler(c.sampler)
		if err != nil {
			t.Fatal(err)
		}
		x := ir.Texture{Op: c.op, Dim: c.view.Dim, Arrayed: c.view.Arrayed, Type: ir.F32, Operands: c.operands}
		if format.InfoByName(c.image.Format).Sampled == format.Uint {
			x.Type = ir.I32
		}
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			if got := call(t, x, v, s, [][]uint64{c.args})[0][0]; got != c.code {
				t.Errorf("the residency code is %d; must be %d", got, c.code)
			}
		})
	}
}

// TestResidencyRows compares the rows of all blocks with the texels of a level: each is in one block.
func TestResidencyRows(t *testing.T) {
	for _, d := range []texture.Desc{
		{Format: "R32_UINT", Dim: ir.Dim2D, Width: 300, Height: 200, Layers: 2}, {Format: "R16_UINT", Dim: ir.Dim3D, Width: 70, Height: 40, Depth: 35},
		{Format: "R8_UINT", Dim: ir.Dim2D, Width: 130, Height: 260, Samples: 4}, {Format: "BC7_UNORM_BLOCK", Dim: ir.Dim2D, Width: 515, Height: 258},
		{Format: "R32G32B32_UINT", Dim: ir.Dim2D, Width: 130, Height: 70}, // of a block with unused memory
	} {
		m, _ := texture.NewImage(d)
		r, err := m.Sparse()
		if err != nil {
			t.Fatal(err)
		}
		n, _ := r.Blocks(0, 0)
		seen := map[*byte]bool{}
		total := 0
		for layer := range m.Layers {
			for i := range n[0] * n[1] * n[2] {
				p := texture.SparsePlace{Layer: layer, X: i % n[0], Y: i / n[0] % n[1], Z: i / n[0] / n[1]}
				last := -1
				r.Rows(p, func(row []byte, offset int) {
					if offset <= last || offset+len(row) > texture.SparseBytes || seen[&row[0]] {
						t.Errorf("%s: a row of %d bytes at %d of block %+v", d.Format, len(row), offset, p)
					}
					last, seen[&row[0]] = offset, true
					total += len(row)
				})
			}
		}
		want := m.Width * m.Height * max(m.Depth, 1) * m.Layers * m.TexelBytes(0) * m.Samples
		if d.Format == "BC7_UNORM_BLOCK" {
			want = 129 * 65 * 16
		}
		if total != want {
			t.Errorf("%s: the blocks have %d bytes; must have %d", d.Format, total, want)
		}
	}
}

// TestSparseTail checks which levels are the mip tail: those that are smaller than a block (Vulkan, "Mip Tail Regions"). A level that is less
// wide, high or deep than a block and has more texels has blocks of its own.
func TestSparseTail(t *testing.T) {
	for _, x := range []struct {
		desc texture.Desc
		tail int
	}{
		{texture.Desc{Format: "R32_SFLOAT", Dim: ir.Dim2D, Width: 256, Height: 256, Levels: 3}, 2}, // 128×128, 64×64
		{texture.Desc{Format: "R32_SFLOAT", Dim: ir.Dim2D, Width: 256, Height: 64, Levels: 2}, 1},
		{texture.Desc{Format: "R32_SFLOAT", Dim: ir.Dim2D, Width: 255, Height: 64, Levels: 2}, 0},
		{texture.Desc{Format: "R8G8B8A8_UNORM", Dim: ir.Dim3D, Width: 512, Height: 256, Depth: 6, Levels: 3}, 2}, // of 32×32×16; 256×128×3, 128×64×1
		{texture.Desc{Format: "R8G8B8A8_UNORM", Dim: ir.Dim3D, Width: 32, Height: 32, Depth: 15}, 0},
		{texture.Desc{Format: "BC1_RGBA_UNORM_BLOCK", Dim: ir.Dim2D, Width: 1024, Height: 128, Levels: 2}, 1}, // of 512×256
	} {
		l, err := texture.NewLayout(x.desc)
		if err != nil {
			t.Fatal(err)
		}
		list, err := l.SparseAspects()
		if err != nil || len(list) != 1 {
			t.Fatalf("%+v: %+v, %v", x.desc, list, err)
		}
		if list[0].TailLevel != x.tail {
			t.Errorf("%+v: the tail begins at level %d; must at %d", x.desc, list[0].TailLevel, x.tail)
		}
	}
}
