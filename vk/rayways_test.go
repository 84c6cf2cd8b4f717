package vk

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// The scene of TestRayWays: triangles that are not opaque, its instances and its rays.
const (
	crossTriangles = 160
	crossRays      = 128
	crossVertices  = 1 << 19               // offset
	crossData      = crossVertices + 1<<16 // offset of the rays, and after them of the results: two vectors each
	crossBytes     = crossRays * 4 * 16
)

// crossMatrices are an identity, a turned and stretched instance, and a mirrored one.
var crossMatrices = [][12]float32{
	{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, {0, -2, 0, 0.5, 1, 0, 0, -0.25, 0, 0, 0.5, 0.125}, {-1, 0, 0, 0.25, 0, 1, 0.5, 0, 0, 0, 1, -0.5},
}

// crossScene is a device with the scene.
type crossScene struct {
	*rayScene
	triangles [][3][3]float64 // of all instances in world space, by instance and primitive
}

func newCrossScene(t testing.TB, info DeviceInfo) *crossScene {
	t.Helper()
	s := &crossScene{rayScene: newRayScene(t, info)}
	r := rand.New(rand.NewPCG(21, 4))
	list := make([]float32, 0, 9*crossTriangles)
	for range crossTriangles {
		at := [3]float32{2*r.Float32() - 1, 2*r.Float32() - 1, 2*r.Float32() - 1}
		for range 3 {
			for k := range 3 {
				list = append(list, at[k]+0.6*(2*r.Float32()-1))
			}
		}
	}
	s.floats(crossVertices, list...)
	for i := range crossRays {
		var from, d [4]float32
		for k := range 3 {
			from[k] = 6*r.Float32() - 3
			d[k] = 2*r.Float32() - 1 - from[k]
		}
		s.floats(crossData+32*i, from[:]...)
		s.floats(crossData+32*i+16, d[:]...)
	}
	bottom := BuildInfo{
		Level: BottomLevel, Scratch: s.at(rayScratch), Ranges: []BuildRange{{Primitives: crossTriangles}},
		Geometries: []Geometry{{Flags: GeometryNoDuplicateAnyHits, Triangles: &TriangleGeometry{Format: 106, Vertices: s.at(crossVertices), Stride: 12, MaxVertex: 3*crossTriangles - 1}}},
	}
	top := s.top(nil, uint32(len(crossMatrices)))
	for _, b := range []*BuildInfo{&bottom, &top} {
		size := must(s.dev.AccelerationStructureBuildSizes(*b, []uint32{b.Ranges[0].Primitives}))(t).Structure
		b.Target = must(s.dev.NewAccelerationStructure(AccelerationStructureInfo{Buffer: s.buffer, Offset: s.area, Size: size, Level: b.Level}))(t)
		s.area += (size + 255) &^ 255
	}
	for i, m := range crossMatrices {
		s.instance(i, bottom.Target, 0)
		s.floats(rayInstances+instanceBytes*i, m[:]...)
		binary.LittleEndian.PutUint32(s.memory.Bytes()[rayInstances+instanceBytes*i+52:], 0) // its records begin at 0
		for j := range crossTriangles {
			var world [3][3]float64
			for v := range 3 {
				p := list[9*j+3*v:]
				for k := range 3 {
					row := m[4*k:]
					world[v][k] = float64(row[0])*float64(p[0]) + float64(row[1])*float64(p[1]) + float64(row[2])*float64(p[2]) + float64(row[3])
				}
			}
			s.triangles = append(s.triangles, world)
		}
	}
	s.build(t, bottom)
	s.build(t, top)
	if err := s.set.Update(Write{Structures: []*AccelerationStructure{top.Target}}, Write{Binding: 1, Buffers: []BufferDescriptor{{s.buffer, crossData, crossBytes}}}); err != nil {
		t.Fatal(err)
	}
	return s
}

// pipelines returns pipelines for rays and for ray queries, whose shaders have a size of subgroups.
func (s *crossScene) pipelines(t testing.TB, size uint32) (*RayTracingPipeline, *ComputePipeline) {
	t.Helper()
	stage := func(name string) StageInfo {
		x := rayShader(t, name)
		x.SubgroupSize = size
		return x
	}
	p := s.pipeline(t, RayTracingPipelineInfo{
		Stages: []RayStageInfo{
			{spirv.ExecutionModelRayGenerationKHR, stage("crossgen")}, {spirv.ExecutionModelMissKHR, stage("crossmiss")},
			{spirv.ExecutionModelClosestHitKHR, stage("crosschit")}, {spirv.ExecutionModelAnyHitKHR, stage("crossahit")},
		},
		Groups: []link.Group{
			{Type: enum.GroupTypeGeneral, General: ref(0)}, {Type: enum.GroupTypeGeneral, General: ref(1)},
			{Type: enum.GroupTypeTrianglesHitGroup, ClosestHit: ref(2), AnyHit: ref(3)},
		},
		Depth: 1,
	})
	return p, must(s.dev.NewComputePipeline(context.Background(), ComputePipelineInfo{Stage: stage("crossquery"), Layout: s.layout}))(t)
}

// results runs commands that trace the rays, with an any-hit shader that ignores the primitives that have all bits of mode.
func (s *crossScene) results(t testing.TB, mode uint32, trace func(c *CommandBuffer)) []byte {
	t.Helper()
	out := s.memory.Bytes()[crossData+crossBytes/2:][:crossBytes/2]
	clear(out)
	s.rayScene.run(t, func(c *CommandBuffer) {
		c.PushConstants(s.layout, 0, binary.LittleEndian.AppendUint32(make([]byte, 4), mode))
		trace(c)
	})
	return bytes.Clone(out)
}

// crossing is what exact arithmetic finds of a ray: the triangles that it crosses, and the closest one with an even number. It is not clear
// if an edge is closer than the rounding of coordinates, or two triangles than that of distances.
type crossing struct {
	count, first int
	t            float64
	clear        bool
}

// exact tests a ray with each triangle, in 64-bit numbers.
func (s *crossScene) exact(ray int) (x crossing) {
	const near = 1e-4
	var from, d [3]float64
	for k := range 3 {
		at := s.memory.Bytes()[crossData+32*ray+4*k:]
		from[k] = float64(math.Float32frombits(binary.LittleEndian.Uint32(at)))
		d[k] = -float64(math.Float32frombits(binary.LittleEndian.Uint32(at[16:])))
	}
	x.clear, x.first = true, -1
	for i, p := range s.triangles {
		var e1, e2, o [3]float64
		for k := range 3 {
			e1[k], e2[k], o[k] = p[1][k]-p[0][k], p[2][k]-p[0][k], from[k]-p[0][k]
		}
		all := determinant(&e1, &e2, &d)
		t, u, v := determinant(&e1, &e2, &o)/all, determinant(&o, &e2, &d)/all, determinant(&e1, &o, &d)/all
		least := min(u, v, 1-u-v)
		if t < -near || least < -near {
			continue
		}
		if t < near || least < near {
			x.clear = false
			continue
		}
		x.count++
		if i%crossTriangles%2 == 1 {
			continue
		}
		if x.first >= 0 && math.Abs(t-x.t) < near {
			x.clear = false
		}
		if x.first < 0 || t < x.t {
			x.first, x.t = i, t
		}
	}
	return x
}

func determinant(a, b, c *[3]float64) float64 {
	return a[0]*(b[1]*c[2]-b[2]*c[1]) + a[1]*(b[2]*c[0]-b[0]*c[2]) + a[2]*(b[0]*c[1]-b[1]*c[0])
}

// TestRayWays traces random rays at instances of triangles that are not opaque, by a pipeline and by ray queries, on both engines, with
// each size of subgroups and 1, 2 and 4 threads: all have the same bytes. The any-hit shader ignores odd triangles, and the closest even one
// is the hit of exact arithmetic. If it ignores all triangles, it runs once for each triangle on the ray.
func TestRayWays(t *testing.T) {
	var first [3][]byte
	modes := [...]uint32{0, 1, 1 << 31} // all triangles are ignored; the odd ones; none
	check := func(what string, mode int, got []byte) {
		t.Helper()
		if first[mode] == nil {
			first[mode] = got
		} else if !bytes.Equal(got, first[mode]) {
			t.Errorf("%s, mode %d: the results are not those of the first way", what, modes[mode])
		}
	}
	for _, engine := range []struct {
		name string
		of   exec.Engine
	}{{"machine code", nil}, {"interpreter", interp.Engine{}}} {
		for _, workers := range []int{1, 2, 4} {
			s := newCrossScene(t, DeviceInfo{Engine: engine.of, Workers: workers})
			for _, size := range []uint32{4, 8, 16, 32, 64} {
				if engine.of != nil && workers != 2 && size != 8 {
					continue
				}
				rays, queries := s.pipelines(t, size)
				tables := s.motionTables(t, rays)
				name := fmt.Sprintf("%s, %d threads, subgroups of %d", engine.name, workers, size)
				for i, mode := range modes {
					check(name+", pipeline", i, s.results(t, mode, func(c *CommandBuffer) {
						c.BindRayTracingPipeline(rays)
						c.BindSets(RayTracing, s.layout, 0, []*Set{s.set}, nil)
						c.TraceRays(tables, crossRays, 1, 1)
					}))
					check(name+", queries", i, s.results(t, mode, func(c *CommandBuffer) {
						c.BindPipeline(queries)
						c.BindSets(Compute, s.layout, 0, []*Set{s.set}, nil)
						c.Dispatch(crossRays/64, 1, 1)
					}))
				}
			}
			if engine.of != nil || workers > 1 {
				continue
			}
			clear := 0
			for i := range crossRays {
				x := s.exact(i)
				if !x.clear {
					continue
				}
				clear++
				count := int(binary.LittleEndian.Uint32(first[0][32*i+16:]))
				if hit := binary.LittleEndian.Uint32(first[0][32*i:]); count != x.count || hit != 0 {
					t.Errorf("ray %d runs %d any-hit shaders that ignore, and hits %d; must run %d", i, count, hit, x.count)
				}
				want := 0
				if x.first >= 0 {
					want = 1 + x.first%crossTriangles + 1000*(x.first/crossTriangles)
				}
				hit, at := int(binary.LittleEndian.Uint32(first[1][32*i:])), float64(math.Float32frombits(binary.LittleEndian.Uint32(first[1][32*i+4:])))
				if hit != want || want != 0 && math.Abs(at-x.t) > 1e-4 {
					t.Errorf("ray %d hits %d at %v; must hit %d at %v", i, hit, at, want, x.t)
				}
			}
			if clear < crossRays*3/4 {
				t.Errorf("only %d rays are clear", clear)
			}
		}
	}
}
