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
	m.Clear(texture.Place{Level: 1, Layer: 1, Aspect: format.Stencil}, [4]uint64{9})
	m.Clear(texture.Place{Level: 0, Layer: 2, Aspect: format.Depth}, [4]uint64{uint64(math.Float32bits(0.5))})
	for level := range 2 {
		w, h, _ := m.LevelExtent(level)
		for layer := range 3 {
			for i := range w * h {
				at := texture.Place{X: i % w, Y: i / w, Level: level, Layer: layer, Aspect: format.Stencil}
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
	m.Clear(texture.Place{Level: 7}, [4]uint64{1}) // there is none
}
