package vk

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// randomPipeline is a pipeline of random shaders, the groups of its records and the size of its launch.
type randomPipeline struct {
	stages []RayStageInfo
	texts  []string
	groups []link.Group

	miss, callable, hit []int // the groups of records; -1 is a null handle
	size                [3]uint32
	moves               bool // the structure moves
	skips               enum.PipelineFlags
}

func newRandomPipeline(t testing.TB, seed uint64) *randomPipeline {
	r := rand.New(rand.NewPCG(seed, 21))
	p := &randomPipeline{
		moves: r.IntN(2) == 0,
		skips: []enum.PipelineFlags{0, 0, enum.PipelineFlagsRayTracingSkipTriangles, enum.PipelineFlagsRayTracingSkipAabbs}[r.IntN(4)],
	}
	subgroup := uint32(4) << r.IntN(5)
	shader := func(m spirv.ExecutionModel) *link.Ref {
		s := &randomShader{r: r, model: m, traces: 1, moves: p.moves, nvidia: r.IntN(2) == 0, skips: p.skips}
		text := s.text()
		p.texts = append(p.texts, text)
		p.stages = append(p.stages, RayStageInfo{m, StageInfo{Code: code(t, text), SubgroupSize: subgroup}})
		return ref(link.Ref(len(p.stages) - 1))
	}
	for _, m := range []spirv.ExecutionModel{
		spirv.ExecutionModelRayGenerationKHR, spirv.ExecutionModelMissKHR, spirv.ExecutionModelMissKHR, spirv.ExecutionModelCallableKHR, spirv.ExecutionModelCallableKHR,
	} {
		p.groups = append(p.groups, link.Group{Type: enum.GroupTypeGeneral, General: shader(m)})
	}
	var closest, any [2]*link.Ref
	for i := range closest {
		closest[i], any[i] = shader(spirv.ExecutionModelClosestHitKHR), shader(spirv.ExecutionModelAnyHitKHR)
	}
	meets := shader(spirv.ExecutionModelIntersectionKHR)
	for i := range 6 {
		g := link.Group{Type: enum.GroupTypeTrianglesHitGroup}
		if i >= 3 {
			g.Type, g.Intersection = enum.GroupTypeProceduralHitGroup, meets
		}
		if r.IntN(5) > 0 {
			g.ClosestHit = closest[r.IntN(2)]
		}
		if r.IntN(4) > 0 {
			g.AnyHit = any[r.IntN(2)]
		}
		p.groups = append(p.groups, g)
	}
	record := func(first, n int) int {
		if r.IntN(8) == 0 {
			return -1
		}
		return first + r.IntN(n)
	}
	for range 4 {
		p.miss, p.callable = append(p.miss, record(1, 2)), append(p.callable, record(3, 2))
	}
	for i := range 2 * randomTriangles {
		p.hit = append(p.hit, record(5+i/randomTriangles*3, 3))
	}
	p.size = [3]uint32{1 + r.Uint32N(crossRays), 1, 1}
	if r.IntN(2) == 0 {
		p.size[0] = 1 + p.size[0]/8 // subgroups that are tiles
	}
	p.size[1] = 1 + r.Uint32N(crossRays/p.size[0])
	return p
}

// randomScene is a device with bottom levels of moving triangles with a micromap, of boxes, of spheres and of swept spheres, each with a geometry
// that is opaque and one that is not, and instances of them, some of which move. A second scene has the same without motion.
type randomScene struct {
	*crossScene
	still, moving *AccelerationStructure
}

// The offsets of the inputs of the scene.
const (
	randomBoxes     = crossVertices + 1<<15
	randomMoved     = randomBoxes + 1<<12
	randomSpheres   = randomBoxes + 2<<12
	randomInstances = randomBoxes + 3<<12
	randomStill     = randomInstances + 1<<11
	randomIndices   = randomBoxes + 4<<12 // of the micromap
	randomSphere    = 16                  // bytes of a center and a radius
	randomCount     = 8                   // instances
)

// input writes the boxes, the spheres, the moved vertices and the indices of the micromap.
func (s *randomScene) input() {
	r := rand.New(rand.NewPCG(7, 9))
	boxes := make([]float32, 0, 6*2*randomPrimitives)
	for range 2 * randomPrimitives {
		var low, high [3]float32
		for k := range 3 {
			low[k] = 2*r.Float32() - 1.2
			high[k] = low[k] + 0.5*r.Float32()
		}
		boxes = append(append(boxes, low[:]...), high[:]...)
	}
	s.floats(randomBoxes, boxes...)
	for i := range 2 * 2 * randomPrimitives { // a swept sphere has two
		s.floats(randomSpheres+randomSphere*i, 2*r.Float32()-1, 2*r.Float32()-1, 2*r.Float32()-1, 0.3*r.Float32())
	}
	b := s.memory.Bytes()
	for i := range 9 * 2 * randomPrimitives {
		at := math.Float32frombits(binary.LittleEndian.Uint32(b[crossVertices+4*i:]))
		s.floats(randomMoved+4*i, at+0.4*r.Float32())
	}
	for i := range randomPrimitives {
		b[randomIndices+i] = []byte{0, 0, 1, 0xff, 0xfe, 0xfd, 0xfc}[i%7]
	}
}

// levels returns the builds of the bottom levels. m is the micromap of the triangles that are not opaque.
func (s *randomScene) levels(m *Micromap, moves bool) (list []*BuildInfo) {
	const n = randomPrimitives
	for kind := range 4 {
		b := &BuildInfo{Level: BottomLevel, Scratch: s.rayScene.at(rayScratch), Ranges: []BuildRange{{Primitives: n}, {Primitives: n}}}
		for k, f := range []GeometryFlags{GeometryNoDuplicateAnyHits, GeometryOpaque} {
			g := Geometry{Flags: f}
			first := uint64(randomSpheres + randomSphere*2*n*k)
			spheres := SphereGeometry{Format: 106, Centers: s.rayScene.at(first), Stride: randomSphere, RadiusFormat: 100, Radii: s.rayScene.at(first + 12), RadiusStride: randomSphere}
			switch kind {
			case 0:
				g.Triangles = &TriangleGeometry{Format: 106, Vertices: s.rayScene.at(uint64(crossVertices + 36*n*k)), Stride: 12, MaxVertex: 3*n - 1}
				if b.Flags = BuildAllowDataAccess; moves {
					moved := s.rayScene.at(uint64(randomMoved + 36*n*k))
					g.Triangles.Moved, b.Flags = &moved, b.Flags|BuildMotion
				}
				if k == 0 {
					g.Triangles.Opacity = &OpacityGeometry{Micromap: m, Indices: s.rayScene.at(randomIndices), IndexSize: 1, IndexStride: 1}
				}
			case 1:
				g.Boxes = &BoxGeometry{Data: s.rayScene.at(uint64(randomBoxes + 24*n*k)), Stride: 24}
			case 2:
				g.Spheres = &spheres
			case 3:
				g.SweptSpheres = &SweptSphereGeometry{Spheres: spheres, Chained: k == 0}
			}
			b.Geometries = append(b.Geometries, g)
		}
		list = append(list, b)
	}
	return list
}

// place writes instance i of a bottom level. An instance that moves is static, or has two matrices or two SRT decompositions. In the shader
// binding table, the records of boxes (bottom level 1) follow those of triangles.
func (s *randomScene) place(i, number int, bottom *AccelerationStructure, moves bool) {
	at, kind := randomStill+instanceBytes*i, staticInstance
	b := s.memory.Bytes()
	if moves {
		at, kind = randomInstances+motionStride*i, i%3
		binary.LittleEndian.PutUint32(b[at:], uint32(kind))
		at += motionHeader
	}
	matrix, next := crossMatrices[i%3], crossMatrices[i%3]
	next[3], next[11] = next[3]+0.5, next[11]-0.25
	switch kind {
	case staticInstance:
		s.floats(at, matrix[:]...)
		at += 48
	case matrixInstance:
		s.floats(at, append(matrix[:], next[:]...)...)
		at += 96
	case srtInstance:
		s.floats(at, 1, 0.25, 0, 0, 1, 0, 0.125, 1, 0, 0, 0, 0, 1, 0, 0, 0.25)
		s.floats(at+64, 1, 0, 0.5, 0, 0.75, 0, 0, 1, 0.25, 0.5, 0, 0.5, 0.75, 0.5, 0, 0)
		at += 128
	}
	flags := []uint32{0, 0, uint32(InstanceFlipFacing), uint32(InstanceForceNoOpaque), uint32(InstanceNoCulling | InstanceForceTwoStates)}[i%5]
	record := i / 4
	if number == 1 {
		record += randomTriangles
	}
	binary.LittleEndian.PutUint32(b[at:], uint32(0xff>>(i%5))<<24|uint32(100+i))
	binary.LittleEndian.PutUint32(b[at+4:], flags<<24|uint32(record))
	binary.LittleEndian.PutUint64(b[at+8:], bottom.Address())
}

// spoil gives some numbers of the input and of the rays the magnitudes of all floats, or makes them infinite, a NaN or zero.
func (s *randomScene) spoil() {
	r := rand.New(rand.NewPCG(7, 10))
	b := s.memory.Bytes()
	for _, part := range []struct{ from, bytes int }{
		{crossVertices, 36 * 2 * randomPrimitives}, {randomMoved, 36 * 2 * randomPrimitives}, {randomBoxes, 24 * 2 * randomPrimitives},
		{randomSpheres, randomSphere * 4 * randomPrimitives}, {crossData, 32 * crossRays},
	} {
		for at := part.from; at < part.from+part.bytes; at += 4 {
			if r.IntN(40) > 0 {
				continue
			}
			x := math.Float32frombits(binary.LittleEndian.Uint32(b[at:])) * float32(math.Pow(10, float64(r.IntN(76)-38)))
			if r.IntN(4) == 0 {
				x = []float32{float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), 0, math.MaxFloat32, -math.MaxFloat32, 1e-45, 1e10, 1e15}[r.IntN(9)]
			}
			s.floats(at, x)
		}
	}
}

// newRandomScene returns a scene. wild: spoil changes its input.
func newRandomScene(t testing.TB, info DeviceInfo, wild bool) *randomScene {
	t.Helper()
	s := &randomScene{crossScene: newCrossScene(t, info)}
	s.input()
	if wild {
		s.spoil()
	}
	maps := micromapsOf(t, s.rays)
	m := maps.micromap(t)
	s.submitted(t, func(c *CommandBuffer) { c.BuildMicromaps([]MicromapBuild{maps.of(m)}) })
	s.still, s.moving = s.built(t, m, false), s.built(t, m, true)
	return s
}

// built returns a top level with its bottom levels.
func (s *randomScene) built(t testing.TB, m *Micromap, moves bool) *AccelerationStructure {
	t.Helper()
	levels, top := s.levels(m, moves), s.top(nil, randomCount)
	top.Geometries[0].Instances = &InstanceGeometry{Data: s.rayScene.at(randomStill)}
	if moves {
		top.Flags |= BuildMotion
		top.Geometries[0].Instances = &InstanceGeometry{Data: s.rayScene.at(randomInstances)}
	}
	for _, b := range append(levels, &top) {
		most := []uint32{randomPrimitives, randomPrimitives}
		if b == &top {
			most = []uint32{randomCount}
		}
		into := AccelerationStructureInfo{Buffer: s.buffer, Offset: s.area, Level: b.Level}
		if b.Flags&BuildMotion != 0 {
			into.Flags, into.Motion = StructureMotion, &StructureMotionInfo{MaxInstances: randomCount}
		}
		into.Size = must(s.dev.AccelerationStructureBuildSizes(*b, most))(t).Structure
		b.Target = must(s.dev.NewAccelerationStructure(into))(t)
		s.area += (into.Size + 255) &^ 255
	}
	for i := range randomCount {
		s.place(i, i%4, levels[i%4].Target, moves)
	}
	for _, b := range append(levels, &top) {
		s.build(t, *b)
	}
	return top.Target
}

// launch returns the results of a pipeline.
func (s *randomScene) launch(t testing.TB, x *randomPipeline) ([]byte, error) {
	t.Helper()
	p := s.pipeline(t, RayTracingPipelineInfo{
		Creation: Creation{Flags: x.skips | enum.PipelineFlagsRayTracingAllowMotion | enum.PipelineFlagsRayTracingOpacityMicromap | enum.PipelineFlagsRayTracingAllowSpheresAndLinearSweptSpheres},
		Stages:   x.stages, Groups: x.groups, Depth: randomDepth,
	})
	defer p.Close()
	top := s.still
	if x.moves {
		top = s.moving
	}
	if err := s.set.Update(Write{Structures: []*AccelerationStructure{top}}); err != nil {
		t.Fatal(err)
	}
	b, next := s.memory.Bytes()[rayTables:], 0
	table := func(groups ...int) ShaderTable {
		first := next
		for _, g := range groups {
			record := b[randomRecord*next:][:randomRecord]
			clear(record)
			if g >= 0 {
				copy(record, must(p.GroupHandles(g, 1))(t))
			}
			for i := range 8 {
				binary.LittleEndian.PutUint32(record[GroupHandleSize+4*i:], uint32(next*77+i))
			}
			next++
		}
		return ShaderTable{Address: s.buffer.Address() + rayTables + uint64(randomRecord*first), Stride: randomRecord, Size: uint64(randomRecord * len(groups))}
	}
	tables := ShaderTables{RayGen: table(0), Miss: table(x.miss...), Callable: table(x.callable...), Hit: table(x.hit...)}
	out := s.memory.Bytes()[crossData+crossBytes/2:][:crossBytes/2]
	clear(out)
	err := s.submit(t, s.record(t, func(c *CommandBuffer) { s.bind(c, p); c.TraceRays(tables, x.size[0], x.size[1], 1) }))
	return bytes.Clone(out), err
}

// TestRandomPipelines runs pipelines of random shaders of all six stages, with payloads, attributes, records, recursion, hit objects of EXT and
// of NV, times, ray queries and flags that skip primitives, in scenes with all kinds of primitives, a micromap and motion, on the interpreter and at each level of machine code: all store the
// same bytes. A second set of scenes has numbers of all magnitudes. CHIARO_SEEDS=from-to runs others.
func TestRandomPipelines(t *testing.T) {
	from, to := uint64(0), uint64(6)
	if s := os.Getenv("CHIARO_SEEDS"); s != "" {
		if _, err := fmt.Sscanf(s, "%d-%d", &from, &to); err != nil {
			t.Fatal(err)
		}
	}
	engines := []exec.Engine{interp.Engine{}}
	for _, level := range jit.Levels() {
		engines = append(engines, jit.Engine{Level: level})
	}
	var scenes [2][]*randomScene
	for i := range scenes {
		for _, e := range engines {
			scenes[i] = append(scenes[i], newRandomScene(t, DeviceInfo{Engine: e, Workers: 1}, i == 1))
		}
	}
	full := 0
	for seed := from; seed < to; seed++ {
		p := newRandomPipeline(t, seed)
		for i, list := range scenes {
			want, err := list[0].launch(t, p)
			if err != nil {
				t.Fatalf("seed %d, wild %v: the interpreter: %v", seed, i == 1, err)
			}
			if len(bytes.TrimLeft(want, "\x00")) > 0 {
				full++
			}
			for j, s := range list[1:] {
				got, err := s.launch(t, p)
				if err != nil {
					t.Fatalf("seed %d, wild %v: %v: %v", seed, i == 1, engines[j+1], err)
				}
				if !bytes.Equal(got, want) {
					at := 0
					for got[at] == want[at] {
						at++
					}
					t.Errorf("seed %d, wild %v, launch of %v, subgroups of %d: %v stores other bytes than the interpreter, first in word %d of invocation %d",
						seed, i == 1, p.size, p.stages[0].SubgroupSize, engines[j+1], at/4%8, at/32)
				}
			}
		}
	}
	if full == 0 {
		t.Error("no launch stores anything")
	}
}
