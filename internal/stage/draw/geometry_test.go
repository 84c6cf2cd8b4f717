package draw_test

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// doubledText is a geometry program of two invocations for each triangle: each gives
// its triangle as a strip, the second one turned by half a turn; the color is the
// number of the invocation, and the second component that of the vertex. More
// vertices than it may emit it tries to.
const doubledText = `
program "doubled" geometry
subgroup 16
local 1 1 1
modes inputtriangles outputtrianglestrip
outputvertices 3
instances 2
in position f32 0
in position f32 1
in location f32 5
in invocationid i32 0
in primitiveid i32 0
out position f32 0
out position f32 1
out position f32 2
out position f32 3
out location f32 4
out location f32 5
out location f32 6
out primitiveid i32 0
func "main"() L1 {
	v1 = in.i32 #3
	v2 = eq.i32 v1, 1:i32
	v3 = select.f32 v2, -1.0:f32, 1.0:f32
	v4 = utof.f32.i32 v1
	v20 = in.i32 #4
	v21 = add.i32 v20, 5:i32
	loop L2(v6 i32 = 0:i32) {
		v7 = inat.f32 v6, #0
		v8 = fmul.f32 v7, v3
		v9 = inat.f32 v6, #1
		v10 = fmul.f32 v9, v3
		v11 = inat.f32 v6, #2
		out.f32 v8, #0
		out.f32 v10, #1
		out.f32 0.0:f32, #2
		out.f32 1.0:f32, #3
		out.f32 v4, #4
		out.f32 v11, #5
		out.f32 1.0:f32, #6
		out.i32 v21, #7
		emit #0
		v12 = add.i32 v6, 1:i32
		v13 = ult.i32 v12, 6:i32
		if v13 {
			br L2(v12)
		}
		br L1()
	}
}`

// TestGeometry draws a triangle that a geometry program makes two of, in the order of
// its invocations.
func TestGeometry(t *testing.T) {
	everywhere(t, func(t *testing.T, e exec.Engine, subgroup uint32, workers int) []byte {
		c := blank(t, 16, 8, "R8G8B8A8_UNORM")
		paint(t, e, draw.Stages{Vertex: parse(t, cornersText, subgroup), Geometry: parse(t, doubledText, subgroup), Fragment: parse(t, shownText, subgroup)}, full(c), c,
			state.Args{Count: 3, Shader: compute.Args{Workers: workers, Push: floats(-1, -1, 0, 1, 1, -1, 0, 1, -1, 1, 0, 1)}})
		for y := range 8 {
			for x := range 16 {
				got := [4]byte(c.bytes(0)[4*(16*y+x):])
				// the weight of the corner (16, 0), or (0, 8), at the middle
				green, red := (2*x+1)*8, byte(0)
				switch over := 256 - green - (2*y+1)*16; {
				case over == 0: // on the edge of both; the top-left rule gives it to one
					continue
				case over < 0:
					green, red = 256-green, 255
				}
				if want := [4]byte{red, part(green), 255, 255}; got != want {
					t.Fatalf("texel (%d, %d) is %v; want %v", x, y, got, want)
				}
			}
		}
		return c.bytes(0)
	})
}

// TestGeometryPrimitiveID shows the PrimitiveId that a geometry program writes.
func TestGeometryPrimitiveID(t *testing.T) {
	for _, e := range engines() {
		c := blank(t, side, side, "R32G32_SFLOAT")
		paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Geometry: parse(t, doubledText, 0), Fragment: parse(t, giveText("primitiveid i32 0", "i32"), 0)}, full(c), c,
			state.Args{Count: 3, Shader: compute.Args{Push: cover}})
		if got := number(c.bytes(0), 0); got != 5 {
			t.Errorf("%s: %g; want 5", e.Name(), got)
		}
	}
}

// manyText is a geometry program that emits MaxEmitted points, in one line of the picture: the color of the point is its number.
const manyText = `
program "many" geometry
subgroup 16
local 1 1 1
modes inputtriangles outputpoints
outputvertices 1024
out position f32 0
out position f32 1
out position f32 2
out position f32 3
out location f32 4
func "main"() L1 {
	loop L2(v1 i32 = 0:i32) {
		v2 = utof.f32.i32 v1
		v3 = fmul.f32 v2, 0.001953125:f32
		v4 = fadd.f32 v3, -0.9990234375:f32
		out.f32 v4, #0
		out.f32 0.0:f32, #1
		out.f32 0.0:f32, #2
		out.f32 1.0:f32, #3
		out.f32 v2, #4
		emit #0
		v5 = add.i32 v1, 1:i32
		v6 = ult.i32 v5, 1030:i32
		if v6 {
			br L2(v5)
		}
		br L1()
	}
}`

// TestGeometryMost draws the points of a geometry program that emits as many vertices as the limit permits, and tries to emit more.
func TestGeometryMost(t *testing.T) {
	for _, e := range engines() {
		c := blank(t, state.MaxEmitted, 1, "R32_SFLOAT")
		paint(t, e, draw.Stages{Vertex: parse(t, cornersText, 0), Geometry: parse(t, manyText, 0), Fragment: parse(t, giveText("location f32 4", "f32"), 0)}, full(c), c,
			state.Args{Count: 3, Shader: compute.Args{Push: cover}})
		for i := range state.MaxEmitted {
			if got := number(c.bytes(0), i); got != float64(i) {
				t.Fatalf("%s: point %d is %g", e.Name(), i, got)
			}
		}
	}
}
