package draw_test

import (
	"bytes"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// meshedText is a mesh program that draws the triangle of cornersText: each of the first three
// invocations writes a vertex, the first one the primitive.
const meshedText = `
program "meshed" mesh
subgroup 16
local 32 1 1
modes outputtriangles
outputvertices 3
outputprimitives 1
push 48
in localindex i32 0
out position f32 0
out position f32 1
out position f32 2
out position f32 3
out location f32 4
out location f32 5
out location f32 6
out vertexcount i32 0
out primitivecount i32 0
out primitiveindices i32 0 perprimitive
out primitiveindices i32 1 perprimitive
out primitiveindices i32 2 perprimitive
func "main"() L1 {
	v1 = in.i32 #0
	v30 = eq.i32 v1, 0:i32
	if v30 {
		outat.i32 0:i32, 3:i32, #7
		outat.i32 0:i32, 1:i32, #8
		outat.i32 0:i32, 0:i32, #9
		outat.i32 0:i32, 1:i32, #10
		outat.i32 0:i32, 2:i32, #11
	}
	v2 = at 0:i32, v1, #16
	v3 = push
	v4 = ld.f32 v3, v2, #0
	outat.f32 v1, v4, #0
	v5 = ld.f32 v3, v2, #4
	outat.f32 v1, v5, #1
	v8 = ld.f32 v3, v2, #8
	outat.f32 v1, v8, #2
	v9 = ld.f32 v3, v2, #12
	outat.f32 v1, v9, #3
	v10 = eq.i32 v1, 0:i32
	v11 = select.f32 v10, 1.0:f32, 0.0:f32
	outat.f32 v1, v11, #4
	v12 = eq.i32 v1, 1:i32
	v13 = select.f32 v12, 1.0:f32, 0.0:f32
	outat.f32 v1, v13, #5
	v14 = eq.i32 v1, 2:i32
	v15 = select.f32 v14, 1.0:f32, 0.0:f32
	outat.f32 v1, v15, #6
}`

// TestMeshTriangle draws a triangle by a mesh program; the picture is the one of the vertex program.
func TestMeshTriangle(t *testing.T) {
	everywhere(t, func(t *testing.T, e exec.Engine, subgroup uint32, workers int) []byte {
		args := state.Args{Count: 3, Tasks: [3]uint32{1, 1, 1}, Shader: compute.Args{Workers: workers, Push: floats(-1, -1, 0, 1, 1, -0.5, 0, 1, -1, 1, 0.5, 2)}}
		c, d := blank(t, 16, 16, "R32G32B32A32_SFLOAT"), blank(t, 16, 16, "R32G32B32A32_SFLOAT")
		paint(t, e, draw.Stages{Vertex: parse(t, cornersText, subgroup), Fragment: parse(t, shownText, subgroup)}, full(c), c, args)
		paint(t, e, draw.Stages{Mesh: parse(t, meshedText, subgroup), Fragment: parse(t, shownText, subgroup)}, full(d), d, args)
		if !bytes.Equal(c.bytes(0), d.bytes(0)) || bytes.Equal(c.bytes(0), make([]byte, len(c.bytes(0)))) {
			t.Error("another picture than the vertex program's, or none")
		}
		return d.bytes(0)
	})
}
