package texture_test

import (
	"math"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/format"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// A clear reaches all texels and samples of one layer of one level and aspect, and no
// other.
func TestClear(t *testing.T) {
	m, err := texture.NewImage(texture.Desc{Format: "D24_UNORM_S8_UINT", Dim: ir.Dim2D, Width: 13, Height: 5, Layers: 3, Levels: 2, Samples: 1})
	if err != nil {
		t.Fatal(err)
	}
	m.Clear(texture.Coord{Level: 1, Layer: 1, Aspect: format.Stencil}, [4]uint64{9})
	m.Clear(texture.Coord{Level: 0, Layer: 2, Aspect: format.Depth}, [4]uint64{uint64(math.Float32bits(0.5))})
	for level := range 2 {
		w, h, _ := m.LevelExtent(level)
		for layer := range 3 {
			for i := range w * h {
				at := texture.Coord{X: i % w, Y: i / w, Level: level, Layer: layer, Aspect: format.Stencil}
				stencil := m.Load(at)[0]
				at.Aspect = format.Depth
				depth := math.Float32frombits(uint32(m.Load(at)[0]))
				if stencil != 0 != (level == 1 && layer == 1) || stencil != 0 && stencil != 9 {
					t.Fatalf("stencil %d at %+v", stencil, at)
				}
				if half := depth > 0.499 && depth < 0.501; half != (level == 0 && layer == 2) || !half && depth != 0 {
					t.Fatalf("depth %g at %+v", depth, at)
				}
			}
		}
	}
	m.Clear(texture.Coord{Level: 7}, [4]uint64{1}) // there is none
}

// TestFill fills a rectangle of a view's layer, all samples, and nothing outside the view.
func TestFill(t *testing.T) {
	m, err := texture.NewImage(texture.Desc{Format: "R8_UINT", Dim: ir.Dim2D, Width: 6, Height: 5, Layers: 3, Samples: 2, Packed: true})
	if err != nil {
		t.Fatal(err)
	}
	v, err := texture.NewView(m, texture.ViewDesc{Dim: ir.Dim2D, Arrayed: true, BaseLayer: 1, Layers: 2})
	if err != nil {
		t.Fatal(err)
	}
	var texel [texture.MaxTexel]byte
	n := v.EncodeTexel(&texel, [4]uint64{7})
	v.Fill(1, 4, -1, 9, 2, texel[:n])
	v.Fill(2, 0, 0, 6, 5, texel[:n])
	v.Fill(-1, 0, 0, 6, 5, texel[:n])
	v.Fill(0, 3, 2, 3, 5, texel[:n])
	for layer := range 3 {
		for y := range 5 {
			for x := range 6 {
				for s := range 2 {
					want := uint64(0)
					if layer == 2 && x >= 4 && y < 2 {
						want = 7
					}
					if got := m.Load(texture.Coord{X: x, Y: y, Layer: layer, Sample: s})[0]; got != want {
						t.Errorf("sample %d of (%d, %d) of layer %d is %d; want %d", s, x, y, layer, got, want)
					}
				}
			}
		}
	}
	if n := (*texture.View)(nil).EncodeTexel(&texel, [4]uint64{}); n != 0 {
		t.Errorf("a texel of %d bytes of no view", n)
	}
}
