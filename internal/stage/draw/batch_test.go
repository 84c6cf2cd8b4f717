package draw_test

import (
	"bytes"
	"context"
	"math/rand"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// littered is small triangles all over a picture, some of which reach over its edges,
// lie behind the eye or before the near plane; and colors of their vertices.
func littered(n int) (places, colors []byte) {
	random := rand.New(rand.NewSource(5))
	var list []float32
	for range n {
		x, y := random.Float32()*2.2-1.1, random.Float32()*2.2-1.1
		size := []float32{0.03, 0.1, 0.1, 0.6}[random.Intn(4)]
		for range 3 {
			w := float32(1)
			if random.Intn(3) == 0 {
				w = random.Float32()*2 - 0.1
			}
			list = append(list, (x+size*(random.Float32()-0.5))*w, (y+size*(random.Float32()-0.5))*w, (random.Float32()*1.2-0.1)*w, w)
			colors = append(colors, byte(random.Int()), byte(random.Int()), byte(random.Int()), 255)
		}
	}
	return floats(list...), colors
}

// TestManyTriangles draws triangles and lines that a program sets up, and the same with clip
// distances that take nothing away, with which none does: the picture is the same, and so
// is what is counted.
func TestManyTriangles(t *testing.T) {
	const n = 3000
	places, colors := littered(n)
	var indices []byte
	for i := range 3 * n {
		if i%7 == 6 {
			i -= 6
		}
		indices = append(indices, byte(i), byte(i>>8))
	}
	vertex := func(extra int) string {
		return strings.NewReplacer("DECLARED", extras[extra][0], "MORE", extras[extra][1]).Replace(givenText)
	}
	for name, change := range map[string]func(f *fuzzed){
		"list":      func(f *fuzzed) {},
		"strip":     func(f *fuzzed) { f.state.Assembly.Topology = enum.TopologyTriangleStrip },
		"indices":   func(f *fuzzed) { f.args.Index, f.args.IndexBytes = indices, 2 },
		"instances": func(f *fuzzed) { f.args.Count, f.args.Instances = 3*n/4, 2 },
		"bias":      func(f *fuzzed) { f.state.Rasterization.DepthBias, f.state.Rasterization.BiasConstant = true, 40 },
		"culled":    func(f *fuzzed) { f.state.Rasterization.DepthClip, f.state.Rasterization.Cull = true, enum.CullModeBack },
		"samples":   func(f *fuzzed) { f.samples, f.state.Multisample.Samples = 4, 4 },
		"coarse":    func(f *fuzzed) { f.state.Rate = state.ShadingRate{Width: 2, Height: 2} },
		"layers":    func(f *fuzzed) { f.layers, f.state.ViewMask = 2, 3 },
		"outlines":  func(f *fuzzed) { f.state.Rasterization.PolygonMode = enum.PolygonModeLine },
		"lines":     func(f *fuzzed) { f.state.Assembly.Topology = enum.TopologyLineList },
		"line strip": func(f *fuzzed) {
			f.state.Assembly.Topology, f.state.Rasterization.LastVertex = enum.TopologyLineStrip, true
		},
		"wide lines": func(f *fuzzed) {
			f.state.Assembly.Topology, f.state.Rasterization.LineWidth = enum.TopologyLineListWithAdjacency, 3
		},
		"layers of lines": func(f *fuzzed) { f.state.Assembly.Topology, f.layers, f.state.ViewMask = enum.TopologyLineList, 2, 3 },
	} {
		t.Run(name, func(t *testing.T) {
			f := &fuzzed{formats: []string{"R8G8B8A8_UNORM"}, fragment: shownText, tests: "D32_SFLOAT_S8_UINT", counted: true,
				state: state.State{DepthStencil: state.DepthStencil{Test: true, Write: true, Compare: enum.CompareOpLessOrEqual}}}
			f.complete(vertex(0))
			f.args.VertexBuffers, f.args.Count = []exec.Buffer{{Bytes: places}, {Bytes: colors}}, 3*n
			change(f)
			alone := *f
			alone.vertex = vertex(5)
			all := engines()
			want, passed, err := alone.run(t, how{all[len(all)-1], 16, 1})
			if err != nil || passed < 100 {
				t.Fatalf("%d samples passed: %v", passed, err)
			}
			for _, e := range all {
				p, err := draw.New(f.stages(t, 16), f.state, e, exec.Options{})
				must(t, err)
				defer p.Close()
				for _, workers := range []int{1, 4} {
					if got, _, err := f.draw(t, p, workers); err != nil || !bytes.Equal(got, want) {
						t.Errorf("%s, %d workers: another picture: %v", e.Name(), workers, err)
					}
				}
			}
		})
	}
}

// TestSteadyTriangles: a pass of many triangles with a depth test, like one before it,
// allocates nothing.
func TestSteadyTriangles(t *testing.T) {
	const n = 2000
	places, colors := littered(n)
	c, _ := deepTarget(t, 300, 300, "D32_SFLOAT", 1)
	s := full(c)
	s.DepthStencil = state.DepthStencil{Test: true, Write: true, Compare: enum.CompareOpLessOrEqual}
	s.Vertex = state.VertexInput{Bindings: []state.VertexBinding{{Stride: 16}, {Binding: 1, Stride: 4}},
		Attributes: []state.VertexAttribute{{Format: "R32G32B32A32_SFLOAT"}, {Location: 1, Binding: 1, Format: "R8G8B8A8_UNORM"}}}
	vertex := strings.NewReplacer("DECLARED", "", "MORE", "").Replace(givenText)
	p, err := draw.New(draw.Stages{Vertex: parse(t, vertex, 16), Fragment: parse(t, whiteText, 16)}, s, machine(), exec.Options{})
	must(t, err)
	defer p.Close()
	a := state.Args{Count: 3 * n, Instances: 1, VertexBuffers: []exec.Buffer{{Bytes: places}, {Bytes: colors}}}
	clears := draw.Clears{Depth: draw.Clear{Do: true, Value: [4]uint64{0x3f800000}}}
	for _, workers := range []int{1, exec.MaxIdleWorkers()} {
		var pass draw.Pass
		frame := func() {
			must(t, pass.Begin(&c.Target, &clears, workers))
			for range 3 {
				must(t, pass.Draw(context.Background(), p, &a))
			}
			must(t, pass.End(context.Background()))
		}
		for range 5 {
			frame()
		}
		if n := settled(frame); n != 0 {
			t.Errorf("%d workers: %g allocations in a pass", workers, n)
		}
	}
}
