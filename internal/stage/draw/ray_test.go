package draw_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// echo answers each request with twice the first slot of the ray, a float, plus the slot after it as it was, also a float,
// which it then makes 64: an answer shows that the slots of an invocation are 0 at first.
type echo struct{}

func (*echo) ServeRays(c *exec.RayCall) {
	for lane := range c.Lanes.All {
		slot := func(n int) *uint32 { return &c.Memory[(int(c.Slot[lane])+n)*c.Stride+lane] }
		x, y := math.Float32frombits(*slot(0)), math.Float32frombits(*slot(1))
		*slot(ir.RayAnswer), *slot(1) = math.Float32bits(2*x+y), math.Float32bits(64)
	}
}

// TestRays draws with rays in the vertex and in the fragment shader: the position is twice the pushed one, and each fragment
// has twice the column of its middle.
func TestRays(t *testing.T) {
	vertex := `program "v" vertex
subgroup 16
local 1 1 1
push 48
in vertexindex i32 0
out position f32 0
out position f32 1
out position f32 2
out position f32 3
var "q" %d -1
func "main"() L1 {
	v1 = in.i32 #0
	v2 = at 0:i32, v1, #16
	v3 = push
	v4 = ld.i32 v3, v2, #0
	pst.i32 0:i32, v4, #0
	ray 0:i32, 1:i32, #0
	v5 = pld.f32 %d:i32, #0
	out.f32 v5, #0
	v6 = ld.f32 v3, v2, #4
	out.f32 v6, #1
	out.f32 0.0:f32, #2
	out.f32 1.0:f32, #3
}`
	fragment := `program "f" fragment
subgroup 16
local 1 1 1
in fragcoord f32 0
out location f32 0
var "q" %d -1
func "main"() L1 {
	v1 = in.f32 #0
	v2 = bitcast.i32.f32 v1
	pst.i32 0:i32, v2, #0
	ray 0:i32, 1:i32, #0
	v5 = pld.f32 %d:i32, #0
	out.f32 v5, #0
}`
	text := func(s string) string { return fmt.Sprintf(s, ir.RaySlots, ir.RayAnswer) }
	everywhere(t, func(t *testing.T, e exec.Engine, subgroup uint32, workers int) []byte {
		c := blank(t, side, side, "R32_SFLOAT")
		paint(t, e, draw.Stages{Vertex: parse(t, text(vertex), subgroup), Fragment: parse(t, text(fragment), subgroup)}, full(c), c,
			state.Args{Count: 3, Shader: compute.Args{Workers: workers, Rays: &echo{}, Push: floats(-0.5, -1, 0, 1, 1.5, -1, 0, 1, -0.5, 3, 0, 1)}})
		for i := range side * side {
			if got, want := number(c.bytes(0), i), float64(2*(i%side)+1); got != want {
				t.Fatalf("pixel (%d, %d) is %v; want %v", i%side, i/side, got, want)
			}
		}
		return c.bytes(0)
	})
}
