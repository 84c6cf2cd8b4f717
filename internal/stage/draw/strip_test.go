package draw_test

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
)

// tallyText is a fragment program that counts in a variable how often it has run, and
// writes an output for every second column alone.
const tallyText = `
program "tally" fragment
subgroup 16
local 1 1 1
var "count" 1 -1
in fragcoord f32 0
out location f32 0
out location f32 1
func "main"() L1 {
	v1 = pld.i32 0:i32, #0
	v2 = add.i32 v1, 1:i32
	pst.i32 0:i32, v2, #0
	v3 = utof.f32.i32 v2
	out.f32 v3, #0
	v4 = in.f32 #0
	v5 = ftou.i32.f32 v4
	v6 = and.i32 v5, 1:i32
	v7 = eq.i32 v6, 1:i32
	if v7 {
		out.f32 1.0:f32, #1
	}
}`

// TestAfresh checks that each invocation begins with variables that are zero, and with
// outputs that nothing was written to, whichever others were before it.
func TestAfresh(t *testing.T) {
	everywhere(t, func(t *testing.T, e exec.Engine, subgroup uint32, workers int) []byte {
		c := blank(t, side, side, "R32G32_SFLOAT")
		paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Fragment: parse(t, tallyText, subgroup)}, full(c), c,
			draw.Args{Count: 3, Shader: compute.Args{Push: cover, Workers: workers}})
		for i := range side * side {
			if x, y := number(c.bytes(0)[8*i:], 0), number(c.bytes(0)[8*i:], 1); x != 1 || y != float64(i%side%2) {
				t.Fatalf("texel %d is %v, %v", i, x, y)
			}
		}
		return c.bytes(0)
	})
}
