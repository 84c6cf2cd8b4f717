package texture_test

import (
	"math/rand"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/pass"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// rowFormats are formats of one to four words of 32 bits, by number of words.
var rowFormats = []string{"R8G8B8A8_SRGB", "R16G16B16A16_SFLOAT", "R32G32B32_SFLOAT", "R32G32B32A32_SFLOAT"}

// TestTexelRows is TestSample for linear filters of texels of several words.
func TestTexelRows(t *testing.T) {
	rounds := int64(160)
	if testing.Short() {
		rounds = 30
	}
	for seed := range rounds {
		r := rand.New(rand.NewSource(46000000 + seed))
		c := drawCase(r)
		c.image.Format = rowFormats[r.Intn(len(rowFormats))]
		c.sampler.Mag, c.sampler.Min = enum.FilterLinear, enum.FilterLinear
		c.sampler.Compare, c.x.Operands = false, c.x.Operands&^ir.TextureDref
		if sampleOnce(t, int(seed), r, c); t.Failed() {
			return
		}
	}
}

// TestRowLoads checks that a linear filter loads both texels of a row at one offset.
func TestRowLoads(t *testing.T) {
	for i, name := range rowFormats {
		m, _ := texture.NewImage(texture.Desc{Format: name, Dim: ir.Dim2D, Width: 64, Height: 64, Levels: 1})
		v, _ := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D, Levels: 1})
		s, _ := texture.NewSampler(texture.SamplerDesc{Mag: enum.FilterLinear, Min: enum.FilterLinear})
		q, err := texture.Bind(rotation(), []texture.Bound{{}, {Views: []*texture.View{v}}, {}, {Samplers: []*texture.Sampler{s}}})
		if err != nil {
			t.Fatal(err)
		}
		pass.Run(q)
		f, at := q.Funcs[0], map[ir.V]int{}
		for _, x := range f.Code {
			if y := f.Val(x); y.Op == ir.Ld && f.Val(y.Args[0]).Op == ir.Res && q.Res[f.Val(y.Args[0]).Aux].Kind == ir.Texels {
				at[y.Args[1]]++
			}
		}
		rows := 0
		for _, n := range at {
			if n == 2*(i+1) {
				rows++
			}
		}
		if rows != 2*4 { // two rows of each of four samples
			t.Errorf("%s: %d rows of two texels of %d words; want 8\n%s", name, rows, i+1, f)
		}
	}
}
