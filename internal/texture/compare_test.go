package texture_test

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// TestComparing compares references below, at and above a texel's depth by every operator (Vulkan, "Depth
// Compare Operation"): 1 if the reference passes. For a fixed-point format the reference is clamped first.
func TestComparing(t *testing.T) {
	ops := []struct {
		op   enum.CompareOp
		want [3]float64
	}{
		{enum.CompareOpNever, [3]float64{0, 0, 0}},
		{enum.CompareOpLess, [3]float64{1, 0, 0}},
		{enum.CompareOpEqual, [3]float64{0, 1, 0}},
		{enum.CompareOpLessOrEqual, [3]float64{1, 1, 0}},
		{enum.CompareOpGreater, [3]float64{0, 0, 1}},
		{enum.CompareOpNotEqual, [3]float64{1, 0, 1}},
		{enum.CompareOpGreaterOrEqual, [3]float64{0, 1, 1}},
		{enum.CompareOpAlways, [3]float64{1, 1, 1}},
	}
	for _, c := range []struct {
		format string
		depth  float64
		refs   [3]float64
	}{
		{"D32_SFLOAT", 0.5, [3]float64{0.25, 0.5, 0.75}},
		{"D32_SFLOAT", 2, [3]float64{1, 2, 3}},
		{"D16_UNORM", 1, [3]float64{0.5, 1, 1}},
		{"D16_UNORM", 1, [3]float64{-1, 2, 1}},
	} {
		m, err := texture.NewImage(texture.Desc{Format: c.format, Dim: ir.Dim2D, Width: 1, Height: 1})
		if err != nil {
			t.Fatal(err)
		}
		m.Store(texture.Coord{}, [4]uint64{f32(c.depth)})
		v, err := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range ops {
			s, err := texture.NewSampler(texture.SamplerDesc{Compare: true, CompareOp: o.op})
			if err != nil {
				t.Fatal(err)
			}
			var args [][]uint64
			for _, ref := range c.refs {
				args = append(args, []uint64{0, 0, f32(0.5), f32(0.5), f32(ref), 0})
			}
			x := ir.Texture{Op: ir.TextureSample, Dim: ir.Dim2D, Type: ir.F32, Operands: ir.TextureDref | ir.TextureLod}
			for i, got := range call(t, x, v, s, args) {
				want := o.want[i]
				if c.format == "D16_UNORM" && c.refs[i] >= 1 {
					want = o.want[1] // clamped to the texel's
				}
				if got[0] != f32(want) {
					t.Errorf("%s, operation %d: %v beside %v gives %x; must be %v", c.format, o.op, c.refs[i], c.depth, got[0], want)
				}
			}
		}
	}
}
