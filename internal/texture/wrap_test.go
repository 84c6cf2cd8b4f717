package texture_test

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// TestWrapping looks at the texels from −4 on of an image that is three texels along one
// axis, in every address mode (Vulkan, "Wrapping Operation"): each has its number, and
// −1 is the border.
func TestWrapping(t *testing.T) {
	const first, size, border = -4, 3, 77
	modes := []struct {
		mode enum.AddressMode
		want [11]int
	}{
		{enum.AddressModeRepeat, [11]int{2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0}},
		{enum.AddressModeMirroredRepeat, [11]int{2, 2, 1, 0, 0, 1, 2, 2, 1, 0, 0}},
		{enum.AddressModeClampToEdge, [11]int{0, 0, 0, 0, 0, 1, 2, 2, 2, 2, 2}},
		{enum.AddressModeClampToBorder, [11]int{-1, -1, -1, -1, 0, 1, 2, -1, -1, -1, -1}},
		{enum.AddressModeMirrorClampToEdge, [11]int{2, 2, 1, 0, 0, 1, 2, 2, 2, 2, 2}},
	}
	for _, dim := range []ir.Dim{ir.Dim1D, ir.Dim2D, ir.Dim3D} {
		d := texture.Desc{Format: "R8_UINT", Dim: dim, Width: 1, Height: 1, Depth: 1}
		axis := dim.Axes() - 1
		*[]*int{&d.Width, &d.Height, &d.Depth}[axis] = size
		m, err := texture.NewImage(d)
		if err != nil {
			t.Fatal(err)
		}
		for i := range size {
			var at [3]int
			at[axis] = i
			m.Store(texture.Coord{X: at[0], Y: at[1], Z: at[2]}, [4]uint64{uint64(10 + i)})
		}
		v, err := texture.NewView(m, texture.ViewDesc{Dim: dim})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range modes {
			of := texture.SamplerDesc{Border: [4]uint32{border, border, border, border}}
			of.Address[axis] = c.mode
			s, err := texture.NewSampler(of)
			if err != nil {
				t.Fatal(err)
			}
			var args [][]uint64
			for i := range c.want {
				list := make([]uint64, 2+axis+2) // two descriptors, the coordinates and the level
				for k := range axis {
					list[2+k] = f32(0.5)
				}
				list[2+axis] = f32((float64(first+i) + 0.5) / size)
				args = append(args, list)
			}
			x := ir.Texture{Op: ir.TextureSample, Dim: dim, Type: ir.I32, Operands: ir.TextureLod}
			for i, got := range call(t, x, v, s, args) {
				want := uint64(border)
				if c.want[i] >= 0 {
					want = uint64(10 + c.want[i])
				}
				if got[0] != want {
					t.Errorf("%v, mode %v: texel %d is %d; must be %d", dim, c.mode, first+i, got[0], want)
				}
			}
		}
	}
}
