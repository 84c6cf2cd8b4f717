package texture_test

import (
	"errors"
	"math"
	"math/rand"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// TestSlices reads and writes slices of a volume through views: slice 0 of a view is its first, and no other
// slice is accessible (VkImageViewSlicedCreateInfoEXT). TestGuards covers their neighbourhood.
func TestSlices(t *testing.T) {
	m, _ := texture.NewImage(texture.Desc{Format: "R16_UINT", Dim: ir.Dim3D, Width: 3, Height: 2, Depth: 9, Levels: 3})
	fill(m, rand.New(rand.NewSource(44)))
	for _, c := range []struct{ level, base, count, shown int }{{0, 0, 9, 9}, {0, 4, 0, 5}, {0, 8, 1, 1}, {1, 1, 2, 2}, {1, 3, 0, 1}, {2, 0, 1, 1}} {
		v, err := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim3D, BaseLevel: c.level, Levels: 1, BaseSlice: c.base, Slices: c.count})
		if err != nil {
			t.Fatal(err)
		}
		x := ir.Texture{Op: ir.TextureRead, Dim: ir.Dim3D, Type: ir.I32, Sampler: -1}
		var args [][]uint64
		for z := range 10 {
			args = append(args, []uint64{0, 0, 0, uint64(z)})
		}
		for z, got := range call(t, x, v, nil, args) {
			want := [4]uint64{0, 0, 0, 1}
			if z < c.shown {
				want[0] = m.Load(texture.Coord{Z: c.base + z, Level: c.level})[0]
			}
			if [4]uint64(got) != want {
				t.Errorf("%+v: slice %d reads %x; must be %x", c, z, got, want)
			}
		}
		x.Op = ir.TextureWrite
		call(t, x, v, nil, [][]uint64{{0, 0, 0, uint64(c.shown - 1), 77, 0, 0, 0}, {0, 0, 0, uint64(c.shown), 78, 0, 0, 0}})
		if got := m.Load(texture.Coord{Z: c.base + c.shown - 1, Level: c.level})[0]; got != 77 {
			t.Errorf("%+v: the last slice is %d; must be 77", c, got)
		}
	}
	flat, _ := texture.NewImage(texture.Desc{Format: "R16_UINT", Dim: ir.Dim2D, Width: 3, Height: 2, Layers: 9})
	for _, c := range []struct {
		m *texture.Image
		d texture.ViewDesc
	}{
		{m, texture.ViewDesc{Dim: ir.Dim3D, BaseSlice: 1}},                           // of three levels
		{m, texture.ViewDesc{Dim: ir.Dim3D, Levels: 1, BaseSlice: 9}},                // after the last
		{m, texture.ViewDesc{Dim: ir.Dim3D, Levels: 1, BaseSlice: -1, Slices: 2}},    // before the first
		{m, texture.ViewDesc{Dim: ir.Dim3D, Levels: 1, BaseSlice: 3, Slices: 7}},     // one too many
		{m, texture.ViewDesc{Dim: ir.Dim3D, Levels: 1, Slices: math.MaxInt}},         // far too many
		{m, texture.ViewDesc{Dim: ir.Dim3D, BaseLevel: 1, Levels: 1, Slices: 5}},     // of the level below
		{m, texture.ViewDesc{Dim: ir.Dim2D, Levels: 1, Layers: 1, Slices: 1}},        // of a slice that is no volume
		{flat, texture.ViewDesc{Dim: ir.Dim2D, Arrayed: true, Levels: 1, Slices: 1}}, // of layers
	} {
		if _, err := texture.NewView(c.m, c.d); !errors.As(err, new(*texture.DescError)) {
			t.Errorf("%+v: %v; must be a *DescError", c.d, err)
		}
	}
}
