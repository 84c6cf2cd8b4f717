package frontend

import (
	"slices"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/stage/draw/state"
)

// TestRepeatedRuns fills one chunk with draws that do and do not repeat the triangles of the draw before. Each must equal the
// chunk of a new assembler.
func TestRepeatedRuns(t *testing.T) {
	var m Assembler
	var used []*chunk
	for i, x := range []struct {
		a        state.Args
		topology enum.Topology
		last     bool
	}{
		{a: state.Args{Count: 30, Instances: 1}, topology: enum.TopologyTriangleList},
		{a: state.Args{Count: 30, Instances: 1}, topology: enum.TopologyTriangleList},
		{a: state.Args{Count: 30, Instances: 1}, topology: enum.TopologyTriangleList, last: true},
		{a: state.Args{Count: 31, Instances: 1, First: 3}, topology: enum.TopologyTriangleList, last: true},
		{a: state.Args{Count: 30, Instances: 2, First: 3}, topology: enum.TopologyTriangleList},
		{a: state.Args{Count: 30, Instances: 2, First: 3}, topology: enum.TopologyTriangleList},
		{a: state.Args{Count: 30, Instances: 1, First: 3}, topology: enum.TopologyTriangleList},
		{a: state.Args{Count: 30, Instances: 1, First: 3}, topology: enum.TopologyTriangleStrip},
		{a: state.Args{Count: 30, Instances: 1, First: 3}, topology: enum.TopologyTriangleList},
		{a: state.Args{Count: 30, Instances: 1, First: 3, FirstInstance: 1}, topology: enum.TopologyTriangleList},
		{a: state.Args{Count: 3 * chunkPrimitives, Instances: 1}, topology: enum.TopologyTriangleList},
		{a: state.Args{Count: 3 * chunkPrimitives, Instances: 1}, topology: enum.TopologyTriangleList},
	} {
		var fresh Assembler
		var s state.State
		s.Assembly.Topology, s.Rasterization.LastVertex = x.topology, x.last
		m.Start(&x.a, nil, &s, false)
		fresh.Start(&x.a, nil, &s, false)
		for n := 0; ; n++ {
			var want []*chunk
			used, want = m.Fill(used, 1), fresh.Fill(want, 1)
			if len(used) != len(want) {
				t.Fatalf("draw %d has %d chunks at %d, want %d", i, len(used), n, len(want))
			}
			if len(want) == 0 {
				if c := used[:1][0]; i == 0 && c.prefix.count != 10 {
					t.Errorf("after the first draw the chunk has a run of %d triangles, want 10", c.prefix.count)
				}
				break
			}
			if got, want := used[0], want[0]; !slices.Equal(got.list, want.list) || !slices.Equal(got.primitives, want.primitives) {
				t.Errorf("draw %d, chunk %d: %v and %v, want %v and %v", i, n, got.list, got.primitives, want.list, want.primitives)
			}
		}
		if m.InputVertices != fresh.InputVertices {
			t.Errorf("draw %d has %d input vertices, want %d", i, m.InputVertices, fresh.InputVertices)
		}
	}
}

// TestContentInPlace overlaps draws of different sizes: a draw has the content of its memory only if all of it is unchanged. After
// another draw nothing is known of what followed before.
func TestContentInPlace(t *testing.T) {
	var x inPlace
	run := func(count uint32) triangleRun { return triangleRun{count: count} }
	step := func(r triangleRun, vertices, triangles int, vertexContent, triangleContent bool) {
		t.Helper()
		x.add(vertices, triangles)
		d := inPlaceDraw{r, x.vertices.first, x.triangles.first}
		if v, p := x.vertices.has(d), x.triangles.has(d); v != vertexContent || p != triangleContent {
			t.Errorf("draw of %d triangles has %v, %v; want %v, %v", r.count, v, p, vertexContent, triangleContent)
		}
	}
	again := func() {
		x.vertices.free()
		x.triangles.free()
	}
	x.add(10*inPlaceGroup, 10*inPlaceGroup)
	again()
	step(run(100), 300, 100, false, false)
	step(run(100), 300, 100, false, false)
	again()
	step(run(100), 300, 100, true, true)
	step(run(100), 300, 100, true, true)
	again()
	step(triangleRun{}, 10, 200, false, false)
	again()
	step(run(100), 300, 100, false, false)
	step(run(100), 300, 100, false, false)
	again()
	step(triangleRun{}, 1, 1, false, false)
	step(triangleRun{}, 1, 1, false, false)
	again()
	step(triangleRun{}, 1, 1, false, false)
}
