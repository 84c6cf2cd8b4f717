package texture

import (
	"fmt"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// TestShown compares the texels of views with their images: of levels, layers, slices and samples, of a part of them, of each aspect, and with a swizzle.
func TestShown(t *testing.T) {
	for _, x := range []struct {
		image Desc
		view  ViewDesc
	}{
		{Desc{Format: "R8G8B8A8_SRGB", Dim: ir.Dim2D, Width: 13, Height: 7, Layers: 3, Levels: 3}, ViewDesc{Dim: ir.Dim2D, Arrayed: true, BaseLevel: 1, BaseLayer: 1}},
		{Desc{Format: "R16G16_SINT", Dim: ir.Dim3D, Width: 5, Height: 6, Depth: 7, Levels: 2}, ViewDesc{Dim: ir.Dim3D}},
		{Desc{Format: "R5G6B5_UNORM_PACK16", Dim: ir.Dim1D, Width: 9, Layers: 4}, ViewDesc{Dim: ir.Dim1D, Arrayed: true}},
		{Desc{Format: "R32G32B32A32_SFLOAT", Dim: ir.Dim2D, Width: 4, Height: 3, Samples: 4}, ViewDesc{Dim: ir.Dim2D}},
		{Desc{Format: "R64_UINT", Dim: ir.Dim2D, Width: 4, Height: 4, Layers: 6}, ViewDesc{Dim: ir.DimCube}},
		{Desc{Format: "D32_SFLOAT_S8_UINT", Dim: ir.Dim2D, Width: 4, Height: 3}, ViewDesc{Dim: ir.Dim2D, Aspect: format.Stencil}},
		{Desc{Format: "D32_SFLOAT_S8_UINT", Dim: ir.Dim2D, Width: 4, Height: 3}, ViewDesc{Dim: ir.Dim2D, Aspect: format.Depth}},
		{Desc{Format: "B8G8R8A8_UNORM", Dim: ir.Dim2D, Width: 4, Height: 3}, ViewDesc{Dim: ir.Dim2D, Swizzle: [4]enum.Swizzle{enum.SwizzleA, enum.SwizzleZero, enum.SwizzleOne, enum.SwizzleR}}},
		{Desc{Format: "R8_UNORM", Dim: ir.Dim2D, Width: 5, Height: 9, Levels: 3, Corner: true}, ViewDesc{Dim: ir.Dim2D}},
	} {
		t.Run(fmt.Sprint(x.image.Format, x.view.Dim), func(t *testing.T) { shownIs(t, x.image, x.view) })
	}
}

func shownIs(t *testing.T, d Desc, of ViewDesc) {
	d.Height, d.Depth, d.Layers, d.Levels, d.Samples = max(d.Height, 1), max(d.Depth, 1), max(d.Layers, 1), max(d.Levels, 1), max(d.Samples, 1)
	m, err := NewImage(d)
	if err != nil {
		t.Fatal(err)
	}
	v, err := NewView(m, of)
	if err != nil {
		t.Fatal(err)
	}
	s, ok := Show(v.Memory().Bytes, v.Shape().Bytes)
	if !ok || !s.Of(v.Memory().Bytes, v.Shape().Bytes) {
		t.Fatal("the view has no texels")
	}
	seed := uint64(1)
	for level := range s.Levels() {
		width, height, depth := s.Extent(level)
		if w, h, z := m.LevelExtent(level + of.BaseLevel); w != width || h != height || z != depth {
			t.Errorf("level %d has %d×%d×%d texels; must have %d×%d×%d", level, width, height, depth, w, h, z)
		}
		for n := range width * height * depth * s.Layers() * s.Samples() {
			at := Coord{X: n % width, Y: n / width % height, Z: n / width / height % depth, Level: level}
			at.Sample = n / width / height / depth % s.Samples()
			at.Layer = n / width / height / depth / s.Samples()
			in := at
			in.Level, in.Layer, in.Aspect = in.Level+of.BaseLevel, in.Layer+of.BaseLayer, of.Aspect
			for i := range m.Texel(in) {
				seed = seed*6364136223846793005 + 1
				m.Texel(in)[i] = byte(seed>>56) & 0x3f // no NaN
			}
			want := m.Load(in)
			if of.Swizzle != [4]enum.Swizzle{} {
				want = [4]uint64{want[3], 0, s.one(), want[0]}
			}
			if got, ok := s.Load(at); !ok || got != want {
				t.Fatalf("texel %+v is %x; must be %x", at, got, want)
			}
		}
		for _, at := range []Coord{{X: width}, {Y: height}, {Z: depth}, {X: -1}, {Layer: s.Layers()}, {Sample: s.Samples()}} {
			at.Level = level
			if _, ok := s.Load(at); ok {
				t.Errorf("there is a texel %+v", at)
			}
		}
	}
	for _, level := range []int{-1, s.Levels()} {
		if _, ok := s.Load(Coord{Level: level}); ok {
			t.Errorf("there is a level %d", level)
		}
	}
	if _, ok := Show(nil, nil); ok {
		t.Error("the null descriptor has texels")
	}
}
