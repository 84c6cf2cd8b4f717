package vk

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/internal/jit"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// fullTriangle is a vertex shader of a triangle that covers all pixels.
const fullTriangle = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main "main" %index %out
OpDecorate %index BuiltIn VertexIndex
OpDecorate %out BuiltIn Position
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%v4 = OpTypeVector %float 4
%pin = OpTypePointer Input %uint
%pout = OpTypePointer Output %v4
%u1 = OpConstant %uint 1
%u2 = OpConstant %uint 2
%f0 = OpConstant %float 0
%f1 = OpConstant %float 1
%f3 = OpConstant %float 3
%fm1 = OpConstant %float -1
%index = OpVariable %pin Input
%out = OpVariable %pout Output
%main = OpFunction %void None %fn
%l = OpLabel
%i = OpLoad %uint %index
%c1 = OpIEqual %bool %i %u1
%c2 = OpIEqual %bool %i %u2
%x = OpSelect %float %c1 %f3 %fm1
%y = OpSelect %float %c2 %f3 %fm1
%p = OpCompositeConstruct %v4 %x %y %f0 %f1
OpStore %out %p
OpReturn
OpFunctionEnd
`

// stageTracer runs trace in the stages of a device.
type stageTracer struct {
	*randomScene
	stages map[string]*queryStage
	trace  string
	size   uint32 // of subgroups
}

// stage returns a stage with trace, or a plain one.
func (s *stageTracer) stage(t testing.TB, name string, traces bool, kill string) *StageInfo {
	t.Helper()
	trace := ""
	if traces {
		trace = s.trace
	}
	info := &StageInfo{Code: code(t, s.stages[name].text(trace, kill))}
	if traces {
		info.SubgroupSize = s.size
	}
	return info
}

// ran returns the results of commands.
func (s *stageTracer) ran(t testing.TB, what string, record func(c *CommandBuffer)) []byte {
	t.Helper()
	out := s.memory.Bytes()[crossData+crossBytes/2:][:crossBytes/2]
	clear(out)
	if err := s.submit(t, s.record(t, record)); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	return bytes.Clone(out)
}

// compute returns the results of the compute stage.
func (s *stageTracer) compute(t testing.TB) []byte {
	t.Helper()
	return s.computeBy(t, s.stage(t, "compute", true, ""))
}

// computeBy returns the results of a shader.
func (s *stageTracer) computeBy(t testing.TB, shader *StageInfo) []byte {
	t.Helper()
	p := must(s.dev.NewComputePipeline(context.Background(), ComputePipelineInfo{Stage: *shader, Layout: s.layout}))(t)
	defer p.Close()
	return s.ran(t, "compute", func(c *CommandBuffer) {
		c.BindPipeline(p)
		c.BindSets(Compute, s.layout, 0, []*Set{s.set}, nil)
		c.Dispatch(crossRays/32, 1, 1)
	})
}

// drawing describes draws to crossRays pixels.
func (s *stageTracer) drawing(discard bool) GraphicsPipelineInfo {
	return GraphicsPipelineInfo{Layout: s.layout, State: FixedState{
		Rasterization: &link.Rasterization{LineWidth: 1, Discard: discard}, Multisample: &link.Multisample{Samples: 1},
		Viewports: []Viewport{{Width: 16, Height: crossRays / 16, MaxDepth: 1}}, Scissors: []Rect{{Width: 16, Height: crossRays / 16}},
	}}
}

// draw returns the results of a stage of graphics. Vertices have the topology of the stage.
func (s *stageTracer) draw(t testing.TB, name, kill string) []byte {
	t.Helper()
	info := s.drawing(name != "fragment")
	topology, n := enum.TopologyLineList, uint32(crossRays)
	draw := func(c *CommandBuffer) { c.Draw(n, 1, 0, 0) }
	switch name {
	case "vertex":
		info.Vertex = s.stage(t, name, true, kill)
	case "control", "evaluation":
		topology, n = enum.TopologyPatchList, crossRays/4
		info.State.Tessellation = &link.Tessellation{PatchControlPoints: 1}
		info.Vertex = s.stage(t, "vertex", false, "")
		info.TessControl, info.TessEvaluation = s.stage(t, "control", name == "control", kill), s.stage(t, "evaluation", name == "evaluation", kill)
	case "geometry":
		topology, n = enum.TopologyPointList, crossRays/4
		info.Vertex, info.Geometry = s.stage(t, "vertex", false, ""), s.stage(t, name, true, kill)
	case "fragment":
		topology, n = enum.TopologyTriangleList, 3
		info.Vertex, info.Fragment = &StageInfo{Code: code(t, fullTriangle)}, s.stage(t, name, true, kill)
	case "task", "mesh":
		if name == "task" {
			info.Task = s.stage(t, name, true, kill)
		}
		info.Mesh = s.stage(t, "mesh", name == "mesh", kill)
		draw = func(c *CommandBuffer) { c.DrawMeshTasks(crossRays/32, 1, 1) }
	}
	if info.Vertex != nil {
		info.State.Vertex, info.State.Assembly = &link.VertexInput{}, &link.InputAssembly{Topology: topology}
	}
	return s.drawBy(t, name, info, draw)
}

// drawBy returns the results of a draw with a pipeline.
func (s *stageTracer) drawBy(t testing.TB, what string, info GraphicsPipelineInfo, draw func(c *CommandBuffer)) []byte {
	t.Helper()
	p := must(s.dev.NewGraphicsPipeline(context.Background(), info))(t)
	defer p.Close()
	return s.ran(t, what, func(c *CommandBuffer) {
		c.BeginRendering(RenderingInfo{Area: Rect{Width: 16, Height: crossRays / 16}})
		c.BindGraphicsPipeline(p)
		c.BindSets(Graphics, s.layout, 0, []*Set{s.set}, nil)
		draw(c)
		c.EndRendering()
	})
}

// launched returns the results of a ray stage.
func (s *stageTracer) launched(t testing.TB, name string) []byte {
	t.Helper()
	first := map[string]string{"raygen": "raygen", "callable": "call"}[name]
	if first == "" {
		first = "launch"
	}
	var info RayTracingPipelineInfo
	add := func(of string, traces bool) *link.Ref {
		model := map[string]spirv.ExecutionModel{"miss": spirv.ExecutionModelMissKHR, "closest": spirv.ExecutionModelClosestHitKHR, "any": spirv.ExecutionModelAnyHitKHR,
			"callable": spirv.ExecutionModelCallableKHR, "intersection": spirv.ExecutionModelIntersectionKHR}
		m, ok := model[of]
		if !ok {
			m = spirv.ExecutionModelRayGenerationKHR
		}
		info.Stages = append(info.Stages, RayStageInfo{m, *s.stage(t, of, traces, "")})
		info.Stages[len(info.Stages)-1].SubgroupSize = s.size
		return ref(link.Ref(len(info.Stages) - 1))
	}
	info.Groups = []link.Group{
		{Type: enum.GroupTypeGeneral, General: add(first, first == name)}, {Type: enum.GroupTypeGeneral, General: add("miss", name == "miss")},
		{Type: enum.GroupTypeGeneral, General: add("callable", name == "callable")},
		{Type: enum.GroupTypeTrianglesHitGroup}, {Type: enum.GroupTypeProceduralHitGroup, Intersection: add("intersection", name == "intersection")},
	}
	switch name {
	case "closest":
		info.Groups[3].ClosestHit = add(name, true)
	case "any":
		info.Groups[3].AnyHit = add(name, true)
	}
	info.Depth = 1
	info.Flags = enum.PipelineFlagsRayTracingOpacityMicromap | enum.PipelineFlagsRayTracingAllowSpheresAndLinearSweptSpheres
	p := s.pipeline(t, info)
	defer p.Close()
	b, next := s.memory.Bytes()[rayTables:], 0
	table := func(n, group int) ShaderTable {
		at := next
		for range n {
			copy(b[randomRecord*next:], must(p.GroupHandles(group, 1))(t))
			next++
		}
		return ShaderTable{Address: s.buffer.Address() + rayTables + uint64(randomRecord*at), Stride: randomRecord, Size: uint64(randomRecord * n)}
	}
	tables := ShaderTables{RayGen: table(1, 0), Miss: table(1, 1), Callable: table(1, 2), Hit: table(randomTriangles, 3)}
	table(randomTriangles, 4) // the records of boxes follow the triangles'
	tables.Hit.Size *= 2
	return s.ran(t, name, func(c *CommandBuffer) { s.bind(c, p); c.TraceRays(tables, crossRays, 1, 1) })
}

// newStageTracer returns a device with the random scene without motion.
func newStageTracer(t testing.TB, engine exec.Engine, wild bool) *stageTracer {
	t.Helper()
	s := &stageTracer{randomScene: newRandomScene(t, DeviceInfo{Engine: engine, Workers: 2}, wild), stages: queryStages()}
	if err := s.set.Update(Write{Structures: []*AccelerationStructure{s.still}}); err != nil {
		t.Fatal(err)
	}
	return s
}

// same compares the results of a stage with those of the compute stage. Stages of hits run for some rays only.
func (s *stageTracer) same(t testing.TB, what string, got, want []byte, some bool) {
	t.Helper()
	found := 0
	for i := range crossRays {
		a, b := got[32*i:][:4*stageRounds], want[32*i:][:4*stageRounds]
		none := len(bytes.Trim(a, "\x00")) == 0
		if !none {
			found++
		}
		if !bytes.Equal(a, b) && !(some && none) {
			t.Fatalf("%s: invocation %d stores %x; must store %x, as the compute stage", what, i, a, b)
		}
	}
	if found < crossRays/16 {
		t.Errorf("%s: only %d invocations store anything", what, found)
	}
}

// TestStageQueries traces the same rays by queries in each stage: all store what the compute stage of the interpreter stores. Queries are
// variables of functions or private ones, alone or in arrays, are passed to functions, run in divergent control flow, two side by side, and after
// other fragments were killed or demoted. Each instruction of SPV_KHR_ray_query and its extensions is among them. A second scene has numbers of
// all magnitudes. CHIARO_SEEDS=from-to runs others.
func TestStageQueries(t *testing.T) {
	from, to, all := uint64(0), uint64(2), false
	if s := os.Getenv("CHIARO_SEEDS"); s != "" {
		all = true
		if _, err := fmt.Sscanf(s, "%d-%d", &from, &to); err != nil {
			t.Fatal(err)
		}
	}
	engines := []exec.Engine{interp.Engine{}}
	for _, level := range jit.Levels() {
		engines = append(engines, jit.Engine{Level: level})
	}
	for _, wild := range []bool{false, true} {
		var scenes []*stageTracer
		for _, e := range engines {
			scenes = append(scenes, newStageTracer(t, e, wild))
		}
		for seed := from; seed < to; seed++ {
			if !all && wild != (seed%2 == 1) {
				continue
			}
			var want []byte
			for k, s := range scenes {
				s.trace, s.size = newStageQueries(seed), 4<<((seed+uint64(k))%5)
				what := fmt.Sprintf("seed %d, wild %v, %v, subgroups of %d, ", seed, wild, engines[k], s.size)
				own := s.compute(t)
				if want == nil {
					want = own
				}
				s.same(t, what+"compute", own, want, false)
				for _, name := range strings.Fields("vertex control evaluation geometry fragment task mesh") {
					s.same(t, what+name, s.draw(t, name, ""), want, false)
				}
				for _, kill := range strings.Fields("OpKill OpTerminateInvocation OpDemoteToHelperInvocation") {
					s.same(t, what+kill, s.draw(t, "fragment", kill), want, false)
				}
				for _, name := range strings.Fields("raygen miss callable closest any intersection") {
					some := name == "closest" || name == "any" || name == "intersection"
					s.same(t, what+name, s.launched(t, name), want, some)
				}
			}
		}
	}
}

// TestHelperQueries traces rays by queries in helper invocations: those that no primitive covers and those that are demoted. The differences of
// distances in a quad are those of the distances that a compute shader finds.
func TestHelperQueries(t *testing.T) {
	engines := []exec.Engine{interp.Engine{}}
	for _, level := range jit.Levels() {
		engines = append(engines, jit.Engine{Level: level})
	}
	for _, e := range engines {
		s := newStageTracer(t, e, false)
		want := s.computeBy(t, &StageInfo{Code: code(t, s.stages["compute"].helperText())})
		info := s.drawing(false)
		info.Vertex = &StageInfo{Code: code(t, strings.Replace(fullTriangle, "OpConstant %float 3", "OpConstant %float 0.5", 1))}
		info.Fragment = &StageInfo{Code: code(t, s.stages["fragment"].helperText())}
		info.State.Vertex, info.State.Assembly = &link.VertexInput{}, &link.InputAssembly{Topology: enum.TopologyTriangleList}
		got := s.drawBy(t, "fragments", info, func(c *CommandBuffer) { c.Draw(3, 1, 0, 0) })
		word := func(of []byte, i, k int) float32 {
			return math.Float32frombits(binary.LittleEndian.Uint32(of[32*i+4*k:]))
		}
		stores := func(i int) bool { return word(got, i, 0) != 0 }
		found, helped := 0, 0
		for i := range crossRays {
			if !stores(i) {
				continue
			}
			found++
			for _, j := range []int{i ^ 1, i ^ 16} {
				if !stores(j) {
					helped++
				}
			}
			list := [3]float32{word(want, i, 0), word(want, i|1, 0) - word(want, i&^1, 0), word(want, i|16, 0) - word(want, i&^16, 0)}
			for k, x := range list {
				if word(got, i, k) != x {
					t.Errorf("%v: word %d of pixel %d is %v; must be %v", e, k, i, word(got, i, k), x)
				}
			}
		}
		if found < crossRays/8 || helped < crossRays/8 {
			t.Errorf("%v: only %d pixels, with %d helpers as neighbors", e, found, helped)
		}
	}
}
