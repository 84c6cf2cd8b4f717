package draw_test

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// cornersText is a vertex program that gives vertex n the place (x, y) that stands in
// push constants, and a color that is 1 in component n.
const cornersText = `
program "corners" vertex
subgroup 16
local 1 1 1
push 48
in vertexindex i32 0
out position f32 0
out position f32 1
out position f32 2
out position f32 3
out location f32 4
out location f32 5
out location f32 6
func "main"() L1 {
	v1 = in.i32 #0
	v2 = at 0:i32, v1, #16
	v3 = push
	v4 = ld.f32 v3, v2, #0
	out.f32 v4, #0
	v5 = ld.f32 v3, v2, #4
	out.f32 v5, #1
	v8 = ld.f32 v3, v2, #8
	out.f32 v8, #2
	v9 = ld.f32 v3, v2, #12
	out.f32 v9, #3
	v10 = eq.i32 v1, 0:i32
	v11 = select.f32 v10, 1.0:f32, 0.0:f32
	out.f32 v11, #4
	v12 = eq.i32 v1, 1:i32
	v13 = select.f32 v12, 1.0:f32, 0.0:f32
	out.f32 v13, #5
	v14 = eq.i32 v1, 2:i32
	v15 = select.f32 v14, 1.0:f32, 0.0:f32
	out.f32 v15, #6
}`

// shownText is a fragment program that shows the color.
const shownText = `
program "shown" fragment
subgroup 16
local 1 1 1
in location f32 4
in location f32 5
in location f32 6
out location f32 0
out location f32 1
out location f32 2
out location f32 3
func "main"() L1 {
	v1 = in.f32 #0
	out.f32 v1, #0
	v2 = in.f32 #1
	out.f32 v2, #1
	v3 = in.f32 #2
	out.f32 v3, #2
	out.f32 1.0:f32, #3
}`

// TestTriangle draws a triangle whose corners are red, green and blue: it covers the
// pixels whose middle is inside, and its colors are the weights of the corners
// (Vulkan §"Basic Polygon Rasterization").
func TestTriangle(t *testing.T) {
	everywhere(t, func(t *testing.T, e exec.Engine, subgroup uint32, workers int) []byte {
		c := blank(t, 16, 8, "R8G8B8A8_UNORM")
		paint(t, e, draw.Stages{Vertex: parse(t, cornersText, subgroup), Fragment: parse(t, shownText, subgroup)}, full(c), c,
			state.Args{Count: 3, Shader: compute.Args{Workers: workers, Push: floats(-1, -1, 0, 1, 1, -1, 0, 1, -1, 1, 0, 1)}})
		for y := range 8 {
			for x := range 16 {
				got := [4]byte(c.bytes(0)[4*(16*y+x):])
				// weights of the corners (0, 0), (16, 0) and (0, 8) at the middle
				green, blue := (2*x+1)*8, (2*y+1)*16
				red := 256 - green - blue
				want := [4]byte{}
				if red > 0 || red == 0 && false {
					want = [4]byte{part(red), part(green), part(blue), 255}
				}
				if got != want {
					t.Fatalf("texel (%d, %d) is %v; want %v", x, y, got, want)
				}
			}
		}
		return c.bytes(0)
	})
}

// part is n/256 in 8 bits, to the nearest.
func part(n int) byte { return byte((n*255 + 128) / 256) }
