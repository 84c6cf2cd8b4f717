package draw_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// TestOwnedRows draws triangles at random places of pictures whose rows are whole tiles, and of others, with areas that are whole
// tiles and others. Pixels that no triangle covers keep what they had, in the area and beyond it, with each engine and any
// number of workers (Vulkan §"Render Pass Store Operations": pixels outside of the render area are not affected).
func TestOwnedRows(t *testing.T) {
	for _, width := range []int{128, 100} {
		for _, area := range []state.Rect{{}, {X: 64, Width: 64, Height: 70}, {X: 3, Y: 2, Width: 61, Height: 71}} {
			var want []byte
			each := []exec.Engine{interp.Engine{}}
			for _, level := range jit.Levels() {
				each = append(each, jit.Engine{Level: level})
			}
			for _, e := range each {
				for _, workers := range []int{1, 4} {
					c := blank(t, width, 90, "R8G8B8A8_UNORM")
					for i, b := 0, c.bytes(0); i < len(b); i++ {
						b[i] = byte(i % 251)
					}
					s := full(c)
					stages := draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, shownText, 0)}
					r := rand.New(rand.NewPCG(1, 2))
					for range 40 {
						x, y := r.Float32()*2-1, r.Float32()*2-1
						at := func() []float32 { return []float32{x + r.Float32()*0.2, y + r.Float32()*0.2, 0, 1} }
						corners := floats(append(append(at(), at()...), at()...)...)
						paint(t, e, stages, s, c, state.Args{Count: 3, Instances: 1, Area: area, Shader: compute.Args{Push: corners, Workers: workers}})
					}
					if want == nil {
						want = bytes.Clone(c.bytes(0))
					}
					if !bytes.Equal(want, c.bytes(0)) {
						t.Errorf("%d pixels across, area %v: %s with %d workers draws another picture", width, area, e.Name(), workers)
					}
				}
			}
		}
	}
}
