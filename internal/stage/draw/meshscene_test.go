package draw_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// givenMeshText is givenText as a mesh program: a workgroup draws five primitives with a vertex for each of their corners. The buffer has
// seven numbers for each of COUNT vertices, which repeat.
const givenMeshText = `
program "given" mesh
subgroup 16
local 16 1 1
modes MODE
outputvertices VERTICES
outputprimitives 5
in localindex i32 0
in workgroup.x i32 0
out vertexcount i32 0
out primitivecount i32 0
out primitiveindices i32 0 perprimitive
out primitiveindices i32 1 perprimitive
out primitiveindices i32 2 perprimitive
out position f32 0
out position f32 1
out position f32 2
out position f32 3
out location f32 4
out location f32 5
out location f32 6
DECLARED
res storage 0 1 count 1 nonwritable
func "main"() L1 {
	v50 = in.i32 #0
	v51 = in.i32 #1
	v52 = mul.i32 v51, VERTICES:i32
	v53 = add.i32 v52, v50
	v54 = umod.i32 v53, COUNT:i32
	v55 = mul.i32 v54, 28:i32
	v56 = res 0:i32, #0
	v57 = ult.i32 v50, VERTICES:i32
	if v57 {
		v1 = ld.f32 v56, v55, #0
		outat.f32 v50, v1, #5
		v2 = ld.f32 v56, v55, #4
		outat.f32 v50, v2, #6
		v3 = ld.f32 v56, v55, #8
		outat.f32 v50, v3, #7
		v4 = ld.f32 v56, v55, #12
		outat.f32 v50, v4, #8
		v5 = ld.f32 v56, v55, #16
		outat.f32 v50, v5, #9
		v6 = ld.f32 v56, v55, #20
		outat.f32 v50, v6, #10
		v7 = ld.f32 v56, v55, #24
		outat.f32 v50, v7, #11
		MORE
	}
	v60 = ult.i32 v50, 5:i32
	if v60 {
		v61 = mul.i32 v50, CORNERS:i32
		outat.i32 v50, v61, #2
		v62 = add.i32 v61, 1:i32
		outat.i32 v50, v62, #3
		v63 = add.i32 v61, 2:i32
		outat.i32 v50, v63, #4
	}
	v64 = eq.i32 v50, 0:i32
	if v64 {
		outat.i32 0:i32, VERTICES:i32, #0
		outat.i32 0:i32, 5:i32, #1
	}
}`

// meshText returns givenMeshText for primitives with some corners, with the outputs of an extra.
func meshText(corners, count int, extra [2]string) string {
	more := strings.NewReplacer("out.f32 ", "outat.f32 v50, ", "#7", "#12", "#8", "#13").Replace(extra[1])
	return strings.NewReplacer("MODE", []string{"outputpoints", "outputlines", "outputtriangles"}[corners-1], "VERTICES", fmt.Sprint(5*corners),
		"CORNERS", fmt.Sprint(corners), "COUNT", fmt.Sprint(count), "DECLARED", extra[0], "MORE", more).Replace(givenMeshText)
}

// TestMeshScenes draws scenes by vertices and by mesh workgroups: their pictures are the same, bit for bit, with each engine, several
// sizes of subgroups and several workers, with and without set-up programs and packs, and with bins that are shaded early.
func TestMeshScenes(t *testing.T) {
	extra := map[string]int{"points": 2, "clipped": 5} // of scenes
	numbers := func(n int) (list []float32) {
		for i := range n {
			list = append(list, float32(40+i*71%200)/255)
		}
		return list
	}
	for name, f := range scenes() {
		corners := int(state.Corners(f.state.Assembly.Topology))
		switch f.state.Assembly.Topology {
		case enum.TopologyPatchList:
			continue
		case enum.TopologyLineStrip:
			f.state.Assembly.Topology = enum.TopologyLineList
		}
		if f.middle != 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			count := int(f.args.Count)
			colors := numbers(3 * count)
			v := &f.state.Vertex
			v.Bindings[1].Stride, v.Attributes[1].Format = 12, "R32G32B32_SFLOAT"
			f.args.VertexBuffers[1].Bytes = floats(colors...)
			places := f.args.VertexBuffers[0].Bytes
			for i := range count {
				f.mesh.data = append(append(f.mesh.data, places[16*i:][:16]...), floats(colors[3*i:][:3]...)...)
			}
			jit := engines()[len(engines())-1]
			want, passed, err := f.plainly(t, how{jit, 16, 1})
			if err != nil || passed < 100 {
				t.Fatalf("%d samples passed; want more: %v", passed, err)
			}
			f.mesh.text = meshText(corners, count, extras[extra[name]])
			f.mesh.groups = uint32(count/corners) * f.args.Instances / 5
			for i, h := range []how{{engines()[0], 16, 1}, {jit, 16, 1}, {jit, 64, 3}, {jit, 8, 2}, {jit, 32, 4}} {
				draws := f.run
				switch {
				case i < 2:
					draws = f.plainly
				case i < 4:
					draws = f.throughout
				default:
					defer draw.SmallBins()()
					defer draw.PackPixels()()
					defer draw.SetLeast(0, 1)()
				}
				got, n, err := draws(t, h)
				if err != nil || n != passed || !bytes.Equal(got, want) {
					t.Errorf("%s, subgroups of %d, %d workers: another picture than that of vertices; %d samples passed, want %d: %v", h.engine.Name(), h.subgroup, h.workers, n, passed, err)
				}
			}
		})
	}
}
