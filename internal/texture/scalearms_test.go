package texture_test

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/pass"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// TestScaledArms checks that the results of a trilinear sample of bytes are scaled in both arms: no argument of a branch to their block is a value of the
// first level, which waits for the second one. Probes of an anisotropic sample are added before their sum is scaled.
func TestScaledArms(t *testing.T) {
	for _, anisotropy := range []float32{0, 4} {
		d := texture.SamplerDesc{Mag: enum.FilterLinear, Min: enum.FilterLinear, MipLinear: true, MinLod: 0.375, MaxLod: 9, Anisotropy: anisotropy}
		m, _ := texture.NewImage(texture.Desc{Format: "R8G8B8A8_UNORM", Dim: ir.Dim2D, Width: 64, Height: 64, Levels: 4})
		v, _ := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D, Levels: 4})
		s, _ := texture.NewSampler(d)
		q, err := texture.Bind(rotation(), []texture.Bound{{}, {Views: []*texture.View{v}}, {}, {Samplers: []*texture.Sampler{s}}})
		if err != nil {
			t.Fatal(err)
		}
		pass.Run(q)
		f, scaled, others := q.Funcs[0], 0, 0
		for _, x := range f.Code {
			if f.Val(x).Op != ir.Br || f.Val(f.Val(x).Args[0]).Op != ir.Block || len(f.BrArgs(x)) != 4 {
				continue
			}
			for _, a := range f.BrArgs(x) {
				switch y := f.Val(a); {
				case y.Type != ir.F32:
				case y.Op == ir.FFma && f.Val(y.Args[2]).Op == ir.FMul:
					scaled++
				default:
					others++
				}
			}
		}
		if anisotropy == 0 && (scaled != 4*8 || others > 0) {
			t.Errorf("%d results are scaled, %d are not\n%s", scaled, others, f)
		}
		if anisotropy > 0 && scaled > 0 {
			t.Errorf("%d probes are scaled\n%s", scaled, f)
		}
	}
}
