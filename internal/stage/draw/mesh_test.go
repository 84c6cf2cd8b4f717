package draw_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
	"github.com/chiaro-gpu/chiaro/internal/texture"
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
		args := state.Args{Count: 3, Shader: compute.Args{Workers: workers, Push: floats(-1, -1, 0, 1, 1, -0.5, 0, 1, -1, 1, 0.5, 2)}}
		c, d := blank(t, 16, 16, "R32G32B32A32_SFLOAT"), blank(t, 16, 16, "R32G32B32A32_SFLOAT")
		paint(t, e, draw.Stages{Vertex: parse(t, cornersText, subgroup), Fragment: parse(t, shownText, subgroup)}, full(c), c, args)
		args.Mesh, args.Tasks = true, [3]uint32{1, 1, 1}
		paint(t, e, draw.Stages{Mesh: parse(t, meshedText, subgroup), Fragment: parse(t, shownText, subgroup)}, full(d), d, args)
		if !bytes.Equal(c.bytes(0), d.bytes(0)) || bytes.Equal(c.bytes(0), make([]byte, len(c.bytes(0)))) {
			t.Error("another picture than the vertex program's, or none")
		}
		return d.bytes(0)
	})
}

// tileBody computes the position (registers v66, v76) and color of vertex v51 of primitive v50, a number.
const tileBody = `
	v60 = mul.i32 v50, 7:i32
	v61 = mul.i32 v51, 13:i32
	v62 = add.i32 v60, v61
	v63 = umod.i32 v62, 17:i32
	v64 = utof.f32.i32 v63
	v65 = fmul.f32 v64, 0.125:f32
	v66 = fadd.f32 v65, -1.0:f32
	v70 = mul.i32 v50, 5:i32
	v71 = mul.i32 v51, 11:i32
	v72 = add.i32 v70, v71
	v73 = umod.i32 v72, 19:i32
	v74 = utof.f32.i32 v73
	v75 = fmul.f32 v74, 0.109375:f32
	v76 = fadd.f32 v75, -1.0:f32
	v80 = utof.f32.i32 v50
	v81 = utof.f32.i32 v51
`

// tileVertexText draws the primitives of tileBody by vertices; CORNERS for each.
const tileVertexText = `
program "tiles" vertex
subgroup 16
local 1 1 1
in vertexindex i32 0
out position f32 0
out position f32 1
out position f32 2
out position f32 3
out location f32 4
out location f32 5
out location f32 6
out pointsize f32 0
func "main"() L1 {
	v1 = in.i32 #0
	v50 = udiv.i32 v1, CORNERS:i32
	v51 = umod.i32 v1, CORNERS:i32
` + tileBody + `
	out.f32 v66, #0
	out.f32 v76, #1
	out.f32 0.0:f32, #2
	out.f32 1.0:f32, #3
	out.f32 v80, #4
	out.f32 v81, #5
	out.f32 v80, #6
	out.f32 2.0:f32, #7
}`

// tileMeshText draws primitives by workgroups: each draws primitives 2n and 2n + 1, where n is its number in a grid plus the
// first word of the payload. Location 4 is of the primitive, location 5 of the vertex; a third primitive is culled.
const tileMeshText = `
program "tiles" mesh
subgroup 16
local 8 1 1
modes MODE
outputvertices VERTICES
outputprimitives 4
in localindex i32 0
in workgroup.x i32 0
in workgroup.y i32 0
in workgroup.z i32 0
in numworkgroups.x i32 0
in numworkgroups.y i32 0
out position f32 0
out position f32 1
out position f32 3
out location f32 4 perprimitive
out location f32 5
out location f32 6 perprimitive
out pointsize f32 0
out vertexcount i32 0
out primitivecount i32 0
out primitiveindices i32 0 perprimitive
out primitiveindices i32 1 perprimitive
out primitiveindices i32 2 perprimitive
out cullprimitive i32 0 perprimitive
res storage 4294967294 0 count 1
func "main"() L1 {
	v1 = in.i32 #0
	v2 = in.i32 #1
	v3 = in.i32 #2
	v4 = in.i32 #3
	v5 = in.i32 #4
	v6 = in.i32 #5
	v7 = mul.i32 v4, v6
	v8 = add.i32 v7, v3
	v9 = mul.i32 v8, v5
	v10 = add.i32 v9, v2
	v11 = res 0:i32, #0
	v12 = ld.i32 v11, 0:i32, #0
	v13 = add.i32 v10, v12
	v14 = mul.i32 v13, 2:i32
	v15 = udiv.i32 v1, CORNERS:i32
	v50 = add.i32 v14, v15
	v51 = umod.i32 v1, CORNERS:i32
` + tileBody + `
	v16 = mul.i32 2:i32, CORNERS:i32
	v17 = ult.i32 v1, v16
	if v17 {
		outat.f32 v1, v66, #0
		outat.f32 v1, v76, #1
		outat.f32 v1, 1.0:f32, #2
		outat.f32 v1, v81, #4
		outat.f32 v1, 2.0:f32, #6
	}
	v18 = ult.i32 v1, 3:i32
	if v18 {
		v20 = mul.i32 v1, CORNERS:i32
		outat.i32 v1, v20, #9
		v21 = add.i32 v20, 1:i32
		outat.i32 v1, v21, #10
		v22 = add.i32 v20, 2:i32
		outat.i32 v1, v22, #11
		v23 = add.i32 v14, v1
		v24 = utof.f32.i32 v23
		outat.f32 v1, v24, #3
		outat.f32 v1, v24, #5
		v25 = eq.i32 v1, 2:i32
		if v25 {
			outat.i32 v1, 0:i32, #9
			outat.i32 v1, 0:i32, #10
			outat.i32 v1, 0:i32, #11
			outat.i32 v1, 1:i32, #12
		}
	}
	v26 = eq.i32 v1, 0:i32
	if v26 {
		outat.i32 0:i32, v16, #7
		outat.i32 0:i32, 3:i32, #8
	}
}`

// tileTaskText emits COUNTX×1×1 mesh workgroups for each workgroup; the payload has the number of the first.
// Its size is no multiple of the alignment of descriptors.
const tileTaskText = `
program "tiles" task
subgroup 16
local 4 1 1
payload 20
in localindex i32 0
in workgroup.x i32 0
out taskcount i32 0
out taskcount i32 1
out taskcount i32 2
out taskpayload i32 0
func "main"() L1 {
	v1 = in.i32 #0
	v2 = in.i32 #1
	v3 = eq.i32 v1, 0:i32
	if v3 {
		v4 = mul.i32 v2, 2:i32
		outat.i32 0:i32, v4, #3
		outat.i32 0:i32, COUNTX:i32, #0
		outat.i32 0:i32, 1:i32, #1
		outat.i32 0:i32, 1:i32, #2
	}
}`

// TestMeshTiles draws points, lines and triangles over each other by mesh workgroups, with and without task workgroups: the
// picture, which shows their order, is the one of vertices, for any number of workers.
func TestMeshTiles(t *testing.T) {
	topologies := []enum.Topology{enum.TopologyPointList, enum.TopologyLineList, enum.TopologyTriangleList}
	for i, mode := range []string{"outputpoints", "outputlines", "outputtriangles"} {
		for _, last := range []bool{false, true}[:min(i+1, 2)] { // a point has one vertex
			run := func(t *testing.T, e exec.Engine, subgroup uint32, workers int) []byte {
				// 1024 vertices of a workgroup make several tasks of the draw without task workgroups.
				vertices := "1024"
				program := func(s string) *ir.Program {
					return parse(t, strings.NewReplacer("MODE", mode, "CORNERS", fmt.Sprint(i+1), "COUNTX", "2", "VERTICES", vertices).Replace(s), subgroup)
				}
				fragment := parse(t, strings.NewReplacer("in location f32 4", "in location f32 4 flat", "in location f32 6", "in location f32 6 flat").Replace(shownText), subgroup)
				plain, meshes, tasks := blank(t, 20, 20, "R32G32B32A32_SFLOAT"), blank(t, 20, 20, "R32G32B32A32_SFLOAT"), blank(t, 20, 20, "R32G32B32A32_SFLOAT")
				s := full(plain)
				s.Assembly.Topology, s.Rasterization.LastVertex = topologies[i], last
				// 40 task workgroups, of 2 mesh workgroups of two primitives each
				args := state.Args{Count: 160 * uint32(i+1), Shader: compute.Args{Workers: workers}}
				paint(t, e, draw.Stages{Vertex: program(tileVertexText), Fragment: fragment}, s, plain, args)
				args.Mesh, args.Tasks = true, [3]uint32{4, 5, 4}
				paint(t, e, draw.Stages{Mesh: program(tileMeshText), Fragment: fragment}, s, meshes, args)
				vertices, args.Tasks = "6", [3]uint32{40, 1, 1}
				paint(t, e, draw.Stages{Task: program(tileTaskText), Mesh: program(tileMeshText), Fragment: fragment}, s, tasks, args)
				if !bytes.Equal(plain.bytes(0), meshes.bytes(0)) || !bytes.Equal(plain.bytes(0), tasks.bytes(0)) {
					t.Error("another picture than the vertex program's")
				}
				return meshes.bytes(0)
			}
			if mode == "outputtriangles" && !last {
				everywhere(t, run)
				continue
			}
			for _, e := range engines() {
				run(t, e, 16, 2)
			}
		}
	}
}

// TestMeshPacks draws small triangles of mesh workgroups, whose fragments may be packed by quads or by pixels: the picture does not
// depend on it.
func TestMeshPacks(t *testing.T) {
	defer draw.SetLeast(1, 1)()
	text := strings.NewReplacer("MODE", "outputtriangles", "CORNERS", "3", "COUNTX", "2", "VERTICES", "6")
	for _, e := range engines() {
		run := func(task *ir.Program) []byte {
			c := blank(t, 20, 20, "R32G32B32A32_SFLOAT")
			args := state.Args{Mesh: true, Tasks: [3]uint32{40, 1, 1}}
			paint(t, e, draw.Stages{Task: task, Mesh: parse(t, text.Replace(tileMeshText), 16), Fragment: parse(t, shownText, 16)}, full(c), c, args)
			return c.bytes(0)
		}
		for _, task := range []*ir.Program{nil, parse(t, text.Replace(tileTaskText), 16)} {
			back := draw.Packs(false)
			want := run(task)
			back()
			for i, pack := range []func() func(){func() func() { return draw.Packs(true) }, draw.PackPixels} {
				back = pack()
				if got := run(task); !bytes.Equal(got, want) || bytes.Equal(got, make([]byte, len(got))) {
					t.Errorf("%s: packs of %s give another picture, or none", e.Name(), []string{"quads", "pixels"}[i])
				}
				back()
			}
		}
	}
}

// TestMeshTasks runs task workgroups that emit nothing and too much, and reads payloads without a value.
func TestMeshTasks(t *testing.T) {
	text := strings.NewReplacer("MODE", "outputtriangles", "CORNERS", "3", "COUNTX", "2", "VERTICES", "6")
	run := func(e exec.Engine, task string) ([]byte, error) {
		c := blank(t, 16, 16, "R32G32B32A32_SFLOAT")
		p, err := draw.New(draw.Stages{Task: parse(t, text.Replace(task), 0), Mesh: parse(t, text.Replace(tileMeshText), 0), Fragment: parse(t, shownText, 0)}, full(c), e, exec.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		err = p.Draw(context.Background(), &c.Target, &state.Args{Mesh: true, Tasks: [3]uint32{2, 1, 1}})
		return c.bytes(0), err
	}
	for _, e := range engines() {
		silent := strings.NewReplacer("outat.i32 0:i32, COUNTX:i32, #0", "").Replace(tileTaskText)
		if got, err := run(e, silent); err != nil || !bytes.Equal(got, make([]byte, len(got))) {
			t.Errorf("%s: a task without mesh workgroups draws, or fails: %v", e.Name(), err)
		}
		for _, n := range []string{"65536", "-1"} {
			_, err := run(e, strings.Replace(tileTaskText, "COUNTX", n, 1))
			if limit := (*exec.LimitError)(nil); !errors.As(err, &limit) {
				t.Errorf("%s: %s workgroups in x: %v; want an error", e.Name(), n, err)
			}
		}
		want, err := run(e, strings.Replace(tileTaskText, "v4 = mul.i32 v2, 2:i32", "v4 = mul.i32 v2, 0:i32", 1))
		if err != nil {
			t.Fatal(err)
		}
		// Without a store to the payload it is 0, and so it is beyond a payload of no bytes.
		unwritten := strings.NewReplacer("outat.i32 0:i32, v4, #3", "").Replace(tileTaskText)
		for _, task := range []string{unwritten, strings.Replace(unwritten, "payload 20", "", 1)} {
			if got, err := run(e, task); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: the payload without a value is not 0: %v", e.Name(), err)
			}
		}
	}
}

// TestMeshLimits draws by mesh programs that leave what they may.
func TestMeshLimits(t *testing.T) {
	set := "outat.i32 0:i32, 3:i32, #7\n\t\toutat.i32 0:i32, 1:i32, #8"
	for _, x := range []struct {
		name     string
		old, new string
		draws    bool
	}{
		{"the counts exceed the declared numbers", set, "outat.i32 0:i32, 77:i32, #7\n outat.i32 0:i32, -1:i32, #8", true},
		{"the counts are stored twice", set, "outat.i32 0:i32, 0:i32, #7\n outat.i32 0:i32, 0:i32, #8\n" + set, true},
		{"no counts", set, "", false},
		{"fewer vertices than indices", "3:i32, #7", "2:i32, #7", false},
		{"no primitives", "1:i32, #8", "0:i32, #8", false},
		{"an index beyond the vertices", "2:i32, #11", "3:i32, #11", false},
		{"a great index", "2:i32, #11", "-1:i32, #11", false},
		{"no vertices", "outputvertices 3", "", false},
		{"no room for primitives", "outputprimitives 1", "", false},
		{"stores beyond the outputs", set, set + "\n outat.i32 -1:i32, 9:i32, #9\n outat.f32 1000000:i32, 9.0:f32, #0\n outat.i32 1:i32, 9:i32, #10", true},
	} {
		for _, e := range engines() {
			if !strings.Contains(meshedText, x.old) {
				t.Fatal(x.name)
			}
			args := state.Args{Mesh: true, Tasks: [3]uint32{1, 1, 1}, Shader: compute.Args{Push: floats(-1, -1, 0, 1, 3, -1, 0, 1, -1, 3, 0, 1)}}
			c := blank(t, 4, 4, "R32G32B32A32_SFLOAT")
			paint(t, e, draw.Stages{Mesh: parse(t, strings.Replace(meshedText, x.old, x.new, 1), 0), Fragment: parse(t, shownText, 0)}, full(c), c, args)
			if drawn := !bytes.Equal(c.bytes(0), make([]byte, len(c.bytes(0)))); drawn != x.draws {
				t.Errorf("%s, %s: drawn is %v", x.name, e.Name(), drawn)
			}
		}
	}
	// Outputs without a store are 0, whatever the memory had before.
	for _, e := range engines() {
		c := blank(t, 4, 4, "R32G32B32A32_SFLOAT")
		args := state.Args{Mesh: true, Tasks: [3]uint32{1, 1, 1}, Shader: compute.Args{Push: floats(-1, -1, 0, 1, 3, -1, 0, 1, -1, 3, 0, 1)}}
		paint(t, e, draw.Stages{Mesh: parse(t, meshedText, 0), Fragment: parse(t, shownText, 0)}, full(c), c, args)
		bare := strings.NewReplacer("outat.f32 v1, v11, #4", "", "outat.f32 v1, v13, #5", "", "outat.f32 v1, v15, #6", "").Replace(meshedText)
		paint(t, e, draw.Stages{Mesh: parse(t, bare, 0), Fragment: parse(t, shownText, 0)}, full(c), c, args)
		if got := c.bytes(0)[:16]; !bytes.Equal(got, floats(0, 0, 0, 1)) {
			t.Errorf("%s: outputs without a store are % x", e.Name(), got)
		}
		paint(t, e, draw.Stages{Mesh: parse(t, meshedText, 0), Fragment: parse(t, giveText("primitiveid i32 0", "i32"), 0)}, full(c), c, args)
		if got := c.bytes(0)[:8]; !bytes.Equal(got, floats(0, 1)) {
			t.Errorf("%s: PrimitiveId without a store is % x", e.Name(), got)
		}
	}
}

// TestMeshPrimitiveOutputs selects the layer, the viewport, the PrimitiveId and the shading rate by outputs of a primitive, and
// runs the program for each view.
func TestMeshPrimitiveOutputs(t *testing.T) {
	push := floats(-1, -1, 0, 1, 3, -1, 0, 1, -1, 3, 0, 1)
	for _, e := range engines() {
		for _, x := range []struct {
			out, in string
			value   uint32
			mask    uint32
			layers  [3]float32 // the value that each layer shows; −1: nothing is drawn
		}{
			{"layer i32 0", "layer i32 0", 2, 0, [3]float32{-1, -1, 2}},
			{"layer i32 0", "layer i32 0", 3, 0, [3]float32{-1, -1, 2}},
			{"viewportindex i32 0", "viewportindex i32 0", 1, 0, [3]float32{1, -1, -1}},
			{"primitiveid i32 0", "primitiveid i32 0", 77, 0, [3]float32{77, -1, -1}},
			{"primitiveshadingrate i32 0", "shadingrate i32 0", 4, 0, [3]float32{4, -1, -1}},
			{"primitiveid i32 0", "viewindex i32 0", 0, 6, [3]float32{-1, 1, 2}},
		} {
			m, v := image(t, texture.Desc{Format: "R32G32_SFLOAT", Width: 4, Height: 4, Layers: 3, Packed: true}, texture.ViewDesc{})
			c := &canvas{images: []*texture.Image{m}}
			c.Colors = append(c.Colors, v)
			s := full(c)
			s.Viewports, s.Scissors = append(s.Viewports, s.Viewports[0]), append(s.Scissors, s.Scissors[0])
			s.ViewMask, s.Rate = x.mask, state.ShadingRate{Width: 1, Height: 1, Combiners: [2]enum.RateCombiner{enum.RateCombinerReplace, enum.RateCombinerKeep}}
			text := strings.Replace(meshedText, "func ", "out "+x.out+" perprimitive\nfunc ", 1)
			text = strings.Replace(text, "outat.i32 0:i32, 0:i32, #9", fmt.Sprintf("outat.i32 0:i32, %d:i32, #12\n outat.i32 0:i32, 0:i32, #9", x.value), 1)
			paint(t, e, draw.Stages{Mesh: parse(t, text, 0), Fragment: parse(t, giveText(x.in, "i32"), 0)}, s, c, state.Args{Mesh: true, Tasks: [3]uint32{1, 1, 1}, Shader: compute.Args{Push: push}})
			for i, want := range x.layers {
				expected := floats(want, 1)
				if want < 0 {
					expected = floats(0, 0)
				}
				if got := m.LayerBytes(0, 0, i)[:8]; !bytes.Equal(got, expected) {
					t.Errorf("%s, %s to %s of %d: layer %d has % x; want % x", e.Name(), x.out, x.in, x.value, i, got, expected)
				}
			}
		}
	}
}
