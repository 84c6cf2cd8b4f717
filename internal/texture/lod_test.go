package texture_test

import (
	"math"
	"math/rand"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// TestLevelOfDetail compares the level of detail of derivatives with the logarithm of their length (Vulkan
// §"Scale Factor Operation", §"Level-of-Detail Operation"): within 2⁻¹⁵, and exactly for powers of two. NaN
// lengths do not count.
func TestLevelOfDetail(t *testing.T) {
	const size = 64
	m, _ := texture.NewImage(texture.Desc{Format: "R8_UNORM", Dim: ir.Dim2D, Width: size, Height: size})
	v, _ := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D})
	s, _ := texture.NewSampler(texture.SamplerDesc{MaxLod: 99})
	x := ir.Texture{Op: ir.TextureQueryLod, Dim: ir.Dim2D, Type: ir.F32, Operands: ir.TextureGrad}
	nan, inf := math.NaN(), math.Inf(1)
	type gradient struct {
		dx, dy [2]float64
		want   float64
		within float64
	}
	var list []gradient
	for n := -40; n <= 40; n++ {
		p := math.Exp2(float64(n))
		list = append(list, gradient{[2]float64{p, 0}, [2]float64{0, p / 2}, float64(n), 0}, gradient{[2]float64{0, 0}, [2]float64{0, -p}, float64(n), 0})
	}
	r := rand.New(rand.NewSource(1))
	some := func() float64 { return float64(float32((r.Float64()*2 - 1) * math.Exp2(float64(r.Intn(40)-20)))) }
	for range 4000 {
		g := gradient{dx: [2]float64{some(), some()}, dy: [2]float64{some(), some()}, within: 0x1p-15}
		g.want = math.Log2(max(math.Hypot(g.dx[0], g.dx[1]), math.Hypot(g.dy[0], g.dy[1])))
		list = append(list, g)
	}
	list = append(list,
		gradient{want: -63.5},
		gradient{dx: [2]float64{inf, 0}, want: 64},
		gradient{dx: [2]float64{nan, 1}, dy: [2]float64{0, 8}, want: 3},
		gradient{dx: [2]float64{8, 0}, dy: [2]float64{0, nan}, want: 3},
		gradient{dx: [2]float64{nan, 0}, dy: [2]float64{nan, 0}, want: -63.5},
	)
	var args [][]uint64
	for _, g := range list {
		args = append(args, []uint64{0, 0, 0, 0, f32(g.dx[0] / size), f32(g.dx[1] / size), f32(g.dy[0] / size), f32(g.dy[1] / size)})
	}
	for i, got := range call(t, x, v, s, args) {
		if g := list[i]; math.Abs(number(got[1])-g.want) > g.within {
			t.Errorf("derivatives %v and %v: %g; must be %g, within %g", g.dx, g.dy, number(got[1]), g.want, g.within)
		}
	}
}
