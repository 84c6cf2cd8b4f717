package vk

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// Offsets of the tables, of indirect arguments and of many results in the buffer of rays.
const (
	rayTables    = 16384
	rayArguments = 20480
	rayManyRows  = 1 << 19
)

// rayShader returns a shader of testdata/rays.
func rayShader(t testing.TB, name string) StageInfo {
	t.Helper()
	return StageInfo{Code: code(t, rayText(t, name))}
}

// rayText returns the assembly of a shader of testdata/rays.
func rayText(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/rays/" + name + ".spvasm")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// emptyRays is a ray generation shader that does nothing.
const emptyRays = `OpCapability RayTracingKHR
OpExtension "SPV_KHR_ray_tracing"
OpMemoryModel Logical GLSL450
OpEntryPoint RayGenerationKHR %main "main"
%void = OpTypeVoid
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%l = OpLabel
OpReturn
OpFunctionEnd
`

// emptyTrace describes a pipeline of emptyRays.
func (r *rig) emptyTrace(t testing.TB) RayTracingPipelineInfo {
	return RayTracingPipelineInfo{
		Stages: []RayStageInfo{{spirv.ExecutionModelRayGenerationKHR, StageInfo{Code: code(t, emptyRays)}}},
		Groups: rayGroups()[:1], Layout: r.pipeline,
	}
}

// rayStages returns the stages of a pipeline: the ray generation shader of testdata/rays, which traces a ray at 10·x + ¼ for each x, a miss
// shader whose result is 7 + the word of its record, and a closest-hit shader with the custom index of the instance + the word.
func rayStages(t testing.TB) []RayStageInfo {
	t.Helper()
	miss := rayShader(t, "far")
	miss.Specialization = facts.Spec{3: 7}
	return []RayStageInfo{
		{spirv.ExecutionModelRayGenerationKHR, rayShader(t, "gen")}, {spirv.ExecutionModelMissKHR, miss},
		{spirv.ExecutionModelClosestHitKHR, rayShader(t, "hit")},
	}
}

func ref(n link.Ref) *link.Ref { return &n }

// rayGroups are the groups of rayStages.
func rayGroups() []link.Group {
	return []link.Group{
		{Type: enum.GroupTypeGeneral, General: ref(0)}, {Type: enum.GroupTypeGeneral, General: ref(1), AnyHit: ref(link.Unused)},
		{Type: enum.GroupTypeTrianglesHitGroup, ClosestHit: ref(2)},
	}
}

// rayScene is a device with a scene of two instances, at 0 and at 20, with the custom indices 100 and 101.
type rayScene struct {
	*rays
	layout *PipelineLayout
	set    *Set
}

func newRayScene(t testing.TB, info DeviceInfo) *rayScene {
	t.Helper()
	r := &rayScene{rays: newRays(t, info)}
	r.dev.checking = All
	bottom, top := r.structure(t, BottomLevel), r.structure(t, TopLevel)
	r.instance(0, bottom, 0)
	r.instance(1, bottom, 20)
	r.build(t, r.bottom(bottom, 2))
	r.build(t, r.top(top, 2))
	bindings := append([]link.Binding{{Binding: 1, Type: storage, Count: 1, Stages: link.AllStages}}, structureBinding...)
	r.layout = must(r.dev.NewPipelineLayout(PipelineLayoutInfo{
		Sets: []*SetLayout{must(r.dev.NewSetLayout(SetLayoutInfo{Bindings: bindings}))(t)}, Push: []link.Range{{Size: 8, Stages: link.AllStages}},
	}))(t)
	r.set = must(must(r.dev.NewPool(PoolInfo{MaxSets: 1}))(t).Allocate(r.layout.sets[0]))(t)
	r.write(t, r.set, top)
	return r
}

func (r *rayScene) pipeline(t testing.TB, info RayTracingPipelineInfo) *RayTracingPipeline {
	t.Helper()
	if info.Layout == nil {
		info.Layout = r.layout
	}
	return must(r.dev.NewRayTracingPipeline(context.Background(), info))(t)
}

// tables writes the tables: records of 64 bytes with the handles of the groups 0, 1 and 2, and the words 5 and 1000.
func (r *rayScene) tables(t testing.TB, p *RayTracingPipeline, groups ...int) ShaderTables {
	t.Helper()
	for i, g := range groups {
		record := r.memory.Bytes()[rayTables+64*i:]
		copy(record, must(p.GroupHandles(g, 1))(t))
		binary.LittleEndian.PutUint32(record[GroupHandleSize:], [...]uint32{0, 5, 1000}[i])
	}
	at := r.buffer.Address() + rayTables
	return ShaderTables{
		RayGen: ShaderTable{Address: at, Stride: 64, Size: 64}, Miss: ShaderTable{Address: at + 64, Stride: 64, Size: 64},
		Hit: ShaderTable{Address: at + 128 - 7*64, Stride: 64, Size: 8 * 64}, // the instances have the record offset 7
	}
}

// bind records what a trace needs; the results have 10000 added.
func (r *rayScene) bind(c *CommandBuffer, p *RayTracingPipeline) {
	c.BindRayTracingPipeline(p)
	c.BindSets(RayTracing, r.layout, 0, []*Set{r.set}, nil)
	c.PushConstants(r.layout, 0, binary.LittleEndian.AppendUint32(nil, 10000))
}

func (r *rayScene) word(at int) uint32 {
	return binary.LittleEndian.Uint32(r.memory.Bytes()[at:])
}

// arguments writes the arguments of TraceRaysIndirect2, which end with those of TraceRaysIndirect, and returns the addresses of both.
func (r *rayScene) arguments(s ShaderTables, size [3]uint32) (second, first uint64) {
	b := r.memory.Bytes()[rayArguments:][:0]
	for _, n := range []uint64{s.RayGen.Address, s.RayGen.Size, s.Miss.Address, s.Miss.Size, s.Miss.Stride,
		s.Hit.Address, s.Hit.Size, s.Hit.Stride, s.Callable.Address, s.Callable.Size, s.Callable.Stride} {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	at := r.buffer.Address() + rayArguments
	first = at + uint64(len(b))
	for _, n := range size {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	return at, first
}

// expect compares the results with those of two hits and two misses.
func (r *rayScene) expect(t testing.TB, what string) {
	t.Helper()
	for i, want := range []uint32{11100, 10012, 11101, 10012} {
		if got := r.word(rayOutput + 4*i); got != want {
			t.Errorf("%s: result %d is %d; must be %d", what, i, got, want)
		}
	}
	r.floats(rayOutput, 0, 0, 0, 0)
}

func (r *rayScene) run(t testing.TB, record func(c *CommandBuffer)) {
	t.Helper()
	if err := r.submit(t, r.record(t, record)); err != nil {
		t.Fatal(err)
	}
}

// TestRayTracing traces by each command, on both engines, with a pipeline and with one of libraries.
func TestRayTracing(t *testing.T) {
	for engine, of := range map[string]exec.Engine{"machine code": nil, "interpreter": interp.Engine{}} {
		r := newRayScene(t, DeviceInfo{Engine: of})
		whole := r.pipeline(t, RayTracingPipelineInfo{Stages: rayStages(t), Groups: rayGroups(), Depth: 1})
		library := RayTracingPipelineInfo{
			Creation: Creation{Flags: enum.PipelineFlagsLibrary}, Interface: &link.RayInterface{Payload: 4, HitAttribute: 8}, Depth: 1,
			Stages: rayStages(t)[1:], Groups: []link.Group{{Type: enum.GroupTypeTrianglesHitGroup, ClosestHit: ref(1)}, {Type: enum.GroupTypeGeneral, General: ref(0)}},
		}
		part := r.pipeline(t, library)
		linked := r.pipeline(t, RayTracingPipelineInfo{Stages: rayStages(t)[:1], Groups: rayGroups()[:1], Depth: 1, Interface: library.Interface, Libraries: []*RayTracingPipeline{part}})
		part.Close()
		if linked.Groups() != 3 || linked.Stage(2).Entry == nil || linked.Stage(3).Entry != nil {
			t.Errorf("%s: %d groups; must be 3, and 3 stages", engine, linked.Groups())
		}
		for what, p := range map[string]*RayTracingPipeline{"pipeline": whole, "libraries": linked} {
			tables := r.tables(t, p, 0, 1, 2)
			if what == "libraries" {
				tables = r.tables(t, p, 0, 2, 1)
			}
			r.run(t, func(c *CommandBuffer) { r.bind(c, p); c.TraceRays(tables, 2, 1, 1) })
			if got := r.word(rayOutput + 8); got != 0 {
				t.Errorf("%s, %s: result 2 is %d; must be untouched", engine, what, got)
			}
			r.run(t, func(c *CommandBuffer) { r.bind(c, p); c.TraceRays(tables, 4, 1, 1) })
			r.expect(t, engine+", "+what)
			arguments := r.memory.Bytes()[rayArguments:]
			copy(arguments, []byte{4, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0})
			r.run(t, func(c *CommandBuffer) { r.bind(c, p); c.TraceRaysIndirect(tables, r.buffer.Address()+rayArguments) })
			r.expect(t, engine+", indirect "+what)
			r.arguments(tables, [3]uint32{4, 1, 1})
			r.run(t, func(c *CommandBuffer) { r.bind(c, p); c.TraceRaysIndirect2(r.buffer.Address() + rayArguments) })
			r.expect(t, engine+", second indirect "+what)
		}
	}
}

// TestRaySkips traces with a pipeline that skips triangles: all rays miss.
func TestRaySkips(t *testing.T) {
	r := newRayScene(t, DeviceInfo{})
	p := r.pipeline(t, RayTracingPipelineInfo{Creation: Creation{Flags: enum.PipelineFlagsRayTracingSkipTriangles}, Stages: rayStages(t), Groups: rayGroups(), Depth: 1})
	tables := r.tables(t, p, 0, 1, 2)
	r.run(t, func(c *CommandBuffer) { r.bind(c, p); c.TraceRays(tables, 4, 1, 1) })
	for i := range 4 {
		if got := r.word(rayOutput + 4*i); got != 10012 {
			t.Errorf("result %d is %d; must be the miss 10012", i, got)
		}
	}
}

// TestRayRows traces more rows than a dispatch may have workgroups.
func TestRayRows(t *testing.T) {
	r := newRayScene(t, DeviceInfo{})
	const rows = 1<<16 + 20
	if err := r.set.Update(Write{Binding: 1, Buffers: []BufferDescriptor{{r.buffer, rayManyRows, 4 * rows}}}); err != nil {
		t.Fatal(err)
	}
	p := r.pipeline(t, RayTracingPipelineInfo{Stages: rayStages(t), Groups: rayGroups(), Depth: 1})
	tables := r.tables(t, p, 0, 1, 2)
	r.run(t, func(c *CommandBuffer) { r.bind(c, p); c.TraceRays(tables, 1, rows, 1) })
	for i := range rows + 1 {
		want := uint32(11100)
		if i == rows {
			want = 0
		}
		if got := r.word(rayManyRows + 4*i); got != want {
			t.Fatalf("row %d is %d; must be %d", i, got, want)
		}
	}
}

// TestRayDepth traces from closest-hit shaders without an end: the launch fails at the depth of the pipeline.
func TestRayDepth(t *testing.T) {
	for _, depth := range []uint32{1, 4} {
		r := newRayScene(t, DeviceInfo{})
		stages := rayStages(t)
		stages[2].StageInfo = rayShader(t, "deep")
		p := r.pipeline(t, RayTracingPipelineInfo{Stages: stages, Groups: rayGroups(), Depth: depth})
		tables := r.tables(t, p, 0, 1, 2)
		err := r.submit(t, r.record(t, func(c *CommandBuffer) { r.bind(c, p); c.TraceRays(tables, 4, 1, 1) }))
		broke(t, "recursion", err, "VUID-vkCmdTraceRaysKHR-maxPipelineRayRecursionDepth-03679")
		// Each of the depth rays adds 1; the last one finds no shader.
		if got := r.word(rayOutput); got != 10000+depth {
			t.Errorf("depth %d: the result is %d; must be %d", depth, got, 10000+depth)
		}
	}
}

// TestRayRobustness traces with stages of different robustness: the ray generation shader alone reaches bytes after the range.
func TestRayRobustness(t *testing.T) {
	for behavior, want := range map[BufferBehavior]uint32{Exact: 0, NotRobust: 11101} {
		r := newRayScene(t, DeviceInfo{})
		if err := r.set.Update(Write{Binding: 1, Buffers: []BufferDescriptor{{r.buffer, rayOutput, 8}}}); err != nil {
			t.Fatal(err)
		}
		stages := rayStages(t)
		stages[0].Robustness = &Robustness{Storage: behavior}
		p := r.pipeline(t, RayTracingPipelineInfo{Stages: stages, Groups: rayGroups(), Depth: 1})
		tables := r.tables(t, p, 0, 1, 2)
		r.run(t, func(c *CommandBuffer) { r.bind(c, p); c.TraceRays(tables, 4, 1, 1) })
		if got := r.word(rayOutput + 8); got != want {
			t.Errorf("behavior %d: result 2 is %d; must be %d", behavior, got, want)
		}
	}
}

// TestRayBudget has a launch that runs for too long: its location is in the shader that does not end.
func TestRayBudget(t *testing.T) {
	r := newRayScene(t, DeviceInfo{Budget: 1 << 16})
	stages := rayStages(t)
	stages[2].StageInfo = rayShader(t, "endless")
	p := r.pipeline(t, RayTracingPipelineInfo{Stages: stages, Groups: rayGroups(), Depth: 1})
	tables := r.tables(t, p, 0, 1, 2)
	err := r.submit(t, r.record(t, func(c *CommandBuffer) { r.bind(c, p); c.TraceRays(tables, 4, 1, 1) }))
	var lost *LostError
	if !errors.As(err, &lost) || lost.Location == nil || lost.Location.Model != spirv.ExecutionModelClosestHitKHR || lost.Location.Op != spirv.OpLabel {
		t.Errorf("%v; must be lost at the loop of the closest-hit shader", err)
	}
}

// TestRayGroups asks for handles and sizes of groups.
func TestRayGroups(t *testing.T) {
	r := newRayScene(t, DeviceInfo{})
	p := r.pipeline(t, RayTracingPipelineInfo{Stages: rayStages(t), Groups: rayGroups(), Depth: 1})
	all := must(p.GroupHandles(0, 3))(t)
	if len(all) != 3*GroupHandleSize {
		t.Fatalf("%d bytes of handles; must be %d", len(all), 3*GroupHandleSize)
	}
	for i := range 3 {
		one := must(p.GroupHandles(i, 1))(t)
		if !slices.Equal(one, all[i*GroupHandleSize:(i+1)*GroupHandleSize]) || slices.Equal(one, make([]byte, GroupHandleSize)) {
			t.Errorf("the handle of group %d is %x; must be the one among all, and not zeros", i, one)
		}
	}
	if n := must(p.GroupStackSize(2, ClosestHitShader))(t); n == 0 {
		t.Error("a closest-hit shader needs no stack; must need some")
	}
	library := r.pipeline(t, RayTracingPipelineInfo{
		Creation: Creation{Flags: enum.PipelineFlagsLibrary}, Interface: &link.RayInterface{Payload: 4, HitAttribute: 8}, Depth: 1,
		Stages: rayStages(t), Groups: rayGroups(),
	})
	for rule, ask := range map[string]func() error{
		"VUID-vkGetRayTracingShaderGroupHandlesKHR-firstGroup-04050": func() error { _, err := p.GroupHandles(3, 0); return err },
		"VUID-vkGetRayTracingShaderGroupHandlesKHR-firstGroup-02419": func() error { _, err := p.GroupHandles(1, 3); return err },
		"VUID-vkGetRayTracingShaderGroupHandlesKHR-pipeline-07828": func() error {
			r.dev.enabled = map[string]bool{}
			defer func() { r.dev.enabled = nil }()
			_, err := library.GroupHandles(0, 1)
			return err
		},
		"VUID-vkGetRayTracingShaderGroupStackSizeKHR-group-03608":       func() error { _, err := p.GroupStackSize(3, GeneralShader); return err },
		"VUID-vkGetRayTracingShaderGroupStackSizeKHR-groupShader-03609": func() error { _, err := p.GroupStackSize(2, AnyHitShader); return err },
		"VUID-VkPipelineLibraryCreateInfoKHR-pLibraries-03381": func() error {
			_, err := r.dev.NewRayTracingPipeline(t.Context(), RayTracingPipelineInfo{Stages: rayStages(t), Groups: rayGroups(), Depth: 1, Layout: r.layout, Libraries: []*RayTracingPipeline{p}})
			return err
		},
	} {
		broke(t, "a query", ask(), rule)
	}
}

// TestRayCommandRules breaks the rules of commands that trace rays.
func TestRayCommandRules(t *testing.T) {
	r := newRayScene(t, DeviceInfo{})
	info := RayTracingPipelineInfo{Stages: rayStages(t), Groups: rayGroups(), Depth: 1}
	p := r.pipeline(t, info)
	library := r.pipeline(t, RayTracingPipelineInfo{Creation: Creation{Flags: enum.PipelineFlagsLibrary}, Interface: &link.RayInterface{Payload: 4, HitAttribute: 8}, Depth: 1})
	good := r.tables(t, p, 0, 1, 2)
	trace := func(change func(*ShaderTables)) func(c *CommandBuffer) {
		return func(c *CommandBuffer) {
			tables := good
			change(&tables)
			c.TraceRays(tables, 4, 1, 1)
		}
	}
	size := func(x, y, z uint32) func(c *CommandBuffer) {
		return func(c *CommandBuffer) { c.TraceRays(good, x, y, z) }
	}
	for rule, record := range map[string]func(c *CommandBuffer){
		"VUID-vkCmdTraceRaysKHR-size-04023":                        trace(func(s *ShaderTables) { s.RayGen.Stride = 32 }),
		"VUID-vkCmdTraceRaysKHR-pRayGenShaderBindingTable-03682":   trace(func(s *ShaderTables) { s.RayGen.Address += 32 }),
		"VUID-vkCmdTraceRaysKHR-pMissShaderBindingTable-03685":     trace(func(s *ShaderTables) { s.Miss.Address += 32 }),
		"VUID-vkCmdTraceRaysKHR-pHitShaderBindingTable-03689":      trace(func(s *ShaderTables) { s.Hit.Address += 32 }),
		"VUID-vkCmdTraceRaysKHR-pCallableShaderBindingTable-03693": trace(func(s *ShaderTables) { s.Callable.Address += 32 }),
		"VUID-vkCmdTraceRaysKHR-stride-03686":                      trace(func(s *ShaderTables) { s.Miss.Stride = 48 }),
		"VUID-vkCmdTraceRaysKHR-stride-03690":                      trace(func(s *ShaderTables) { s.Hit.Stride = 48 }),
		"VUID-vkCmdTraceRaysKHR-stride-03694":                      trace(func(s *ShaderTables) { s.Callable.Stride = 48 }),
		"VUID-vkCmdTraceRaysKHR-stride-04029":                      trace(func(s *ShaderTables) { s.Miss.Stride = MaxGroupStride + GroupHandleAlignment }),
		"VUID-vkCmdTraceRaysKHR-stride-04035":                      trace(func(s *ShaderTables) { s.Hit.Stride = MaxGroupStride + GroupHandleAlignment }),
		"VUID-vkCmdTraceRaysKHR-stride-04041":                      trace(func(s *ShaderTables) { s.Callable.Stride = MaxGroupStride + GroupHandleAlignment }),
		"VUID-vkCmdTraceRaysKHR-height-03639":                      size(1, 1<<31, 1),
		"VUID-vkCmdTraceRaysKHR-depth-03640":                       size(1, 1, 1<<31),
		"VUID-vkCmdTraceRaysKHR-width-03641":                       size(1<<15, 1<<15, 2),
		"VUID-vkCmdTraceRaysIndirectKHR-stride-03686": func(c *CommandBuffer) {
			tables := good
			tables.Miss.Stride = 48
			c.TraceRaysIndirect(tables, 64)
		},
		"VUID-vkCmdTraceRaysIndirectKHR-indirectDeviceAddress-03634": func(c *CommandBuffer) { c.TraceRaysIndirect(good, 2) },
		"VUID-vkCmdBindPipeline-pipeline-03382":                      func(c *CommandBuffer) { c.BindRayTracingPipeline(library) },
	} {
		c := must(r.dev.NewCommandBuffer(CommandBufferInfo{}))(t)
		if err := c.Begin(BeginInfo{}); err != nil {
			t.Fatal(err)
		}
		record(c)
		broke(t, "a recording", c.End(), rule)
	}
	for rule, record := range map[string]func(c *CommandBuffer){
		"VUID-vkCmdSetRayTracingPipelineStackSizeKHR-commandBuffer-recording": func(c *CommandBuffer) { c.End(); c.SetRayTracingPipelineStackSize(1) },
		"VUID-vkCmdSetRayTracingPipelineStackSizeKHR-commandBuffer-cmdpool":   func(c *CommandBuffer) { c.SetRayTracingPipelineStackSize(1) },
		"VUID-vkCmdSetRayTracingPipelineStackSizeKHR-renderpass": func(c *CommandBuffer) {
			c.BeginRendering(RenderingInfo{Area: Rect{Width: 1, Height: 1}, Layers: 1})
			c.SetRayTracingPipelineStackSize(1)
		},
	} {
		family := 0
		if rule == "VUID-vkCmdSetRayTracingPipelineStackSizeKHR-commandBuffer-cmdpool" {
			family = slices.IndexFunc(queueFamilies[:], func(f QueueFamily) bool { return f.Flags&QueueCompute == 0 })
		}
		c := must(r.dev.NewCommandBuffer(CommandBufferInfo{Family: family}))(t)
		if err := c.Begin(BeginInfo{}); err != nil {
			t.Fatal(err)
		}
		record(c)
		err := c.Err()
		if err == nil {
			err = c.End()
		}
		broke(t, "a recording", err, rule)
	}
}

// TestRayTraceRules breaks the rules that a trace checks when it runs.
func TestRayTraceRules(t *testing.T) {
	for rule, x := range map[string]struct {
		change  func(*ShaderTables)
		unbound bool
		dynamic bool
		zero    bool // the handle of the ray generation record
	}{
		"VUID-vkCmdTraceRaysKHR-pRayGenShaderBindingTable-03681":   {change: func(s *ShaderTables) { s.RayGen.Address = 1 << 50 }},
		"VUID-vkCmdTraceRaysKHR-pMissShaderBindingTable-03684":     {change: func(s *ShaderTables) { s.Miss.Size = 1 << 40 }},
		"VUID-vkCmdTraceRaysKHR-pHitShaderBindingTable-03688":      {change: func(s *ShaderTables) { s.Hit.Address = 1 << 50 }},
		"VUID-vkCmdTraceRaysKHR-pCallableShaderBindingTable-03692": {change: func(s *ShaderTables) { s.Callable = ShaderTable{Address: 1 << 50, Stride: 32, Size: 32} }},
		"VUID-vkCmdTraceRaysKHR-None-03429":                        {zero: true},
		"VUID-vkCmdTraceRaysKHR-None-09458":                        {dynamic: true},
		"VUID-vkCmdTraceRaysKHR-None-08606":                        {unbound: true},
	} {
		r := newRayScene(t, DeviceInfo{})
		p := r.pipeline(t, RayTracingPipelineInfo{Stages: rayStages(t), Groups: rayGroups(), Depth: 1, DynamicStackSize: x.dynamic})
		tables := r.tables(t, p, 0, 1, 2)
		if x.zero {
			binary.LittleEndian.PutUint32(r.memory.Bytes()[rayTables:], 0)
		}
		if x.change != nil {
			x.change(&tables)
		}
		err := r.submit(t, r.record(t, func(c *CommandBuffer) {
			if !x.unbound {
				r.bind(c, p)
			}
			c.TraceRays(tables, 4, 1, 1)
		}))
		broke(t, fmt.Sprint(rule), err, rule)
	}
}

// TestRayIndirectRules breaks rules of indirect traces: those on tables and sizes in memory have the names of the structs in memory.
func TestRayIndirectRules(t *testing.T) {
	for rule, x := range map[string]struct {
		second  bool // the tables are in memory
		unbound bool
		change  func(r *rayScene, tables *ShaderTables, size *[3]uint32)
	}{
		"VUID-vkCmdTraceRaysIndirectKHR-None-08606":                         {unbound: true},
		"VUID-vkCmdTraceRaysIndirectKHR-None-03429":                         {change: func(r *rayScene, _ *ShaderTables, _ *[3]uint32) { clear(r.memory.Bytes()[rayTables:][:4]) }},
		"VUID-vkCmdTraceRaysIndirectKHR-pMissShaderBindingTable-03684":      {change: func(_ *rayScene, s *ShaderTables, _ *[3]uint32) { s.Miss.Size = 1 << 40 }},
		"VUID-VkTraceRaysIndirectCommandKHR-height-03639":                   {change: func(_ *rayScene, _ *ShaderTables, n *[3]uint32) { n[1] = 1 << 31 }},
		"VUID-VkTraceRaysIndirectCommandKHR-depth-03640":                    {change: func(_ *rayScene, _ *ShaderTables, n *[3]uint32) { n[2] = 1 << 31 }},
		"VUID-vkCmdTraceRaysIndirect2KHR-None-08606":                        {second: true, unbound: true},
		"VUID-vkCmdTraceRaysIndirect2KHR-None-03429":                        {second: true, change: func(r *rayScene, _ *ShaderTables, _ *[3]uint32) { clear(r.memory.Bytes()[rayTables:][:4]) }},
		"VUID-VkTraceRaysIndirectCommand2KHR-pMissShaderBindingTable-03684": {second: true, change: func(_ *rayScene, s *ShaderTables, _ *[3]uint32) { s.Miss.Size = 1 << 40 }},
		"VUID-VkTraceRaysIndirectCommand2KHR-stride-03690":                  {second: true, change: func(_ *rayScene, s *ShaderTables, _ *[3]uint32) { s.Hit.Stride = 48 }},
		"VUID-VkTraceRaysIndirectCommand2KHR-height-03639":                  {second: true, change: func(_ *rayScene, _ *ShaderTables, n *[3]uint32) { n[1] = 1 << 31 }},
	} {
		r := newRayScene(t, DeviceInfo{})
		p := r.pipeline(t, RayTracingPipelineInfo{Stages: rayStages(t), Groups: rayGroups(), Depth: 1})
		tables, size := r.tables(t, p, 0, 1, 2), [3]uint32{4, 1, 1}
		if x.change != nil {
			x.change(r, &tables, &size)
		}
		second, first := r.arguments(tables, size)
		err := r.submit(t, r.record(t, func(c *CommandBuffer) {
			if !x.unbound {
				r.bind(c, p)
			}
			if x.second {
				c.TraceRaysIndirect2(second)
			} else {
				c.TraceRaysIndirect(tables, first)
			}
		}))
		broke(t, fmt.Sprint(rule), err, rule)
	}
}

// TestRayStackSize traces with a dynamic size of the stack, in a secondary command buffer too.
func TestRayStackSize(t *testing.T) {
	r := newRayScene(t, DeviceInfo{})
	p := r.pipeline(t, RayTracingPipelineInfo{Stages: rayStages(t), Groups: rayGroups(), Depth: 1, DynamicStackSize: true})
	tables := r.tables(t, p, 0, 1, 2)
	second := must(r.dev.NewCommandBuffer(CommandBufferInfo{Secondary: true}))(t)
	if err := second.Begin(BeginInfo{}); err != nil {
		t.Fatal(err)
	}
	r.bind(second, p)
	second.SetRayTracingPipelineStackSize(256)
	second.TraceRays(tables, 4, 1, 1)
	if err := second.End(); err != nil {
		t.Fatal(err)
	}
	r.run(t, func(c *CommandBuffer) { c.Execute(second) })
	r.expect(t, "a secondary command buffer")
}

// TestRayBinaries makes a pipeline of the binaries of another one, in the order of the stages: two of them are of one kind.
func TestRayBinaries(t *testing.T) {
	r := newRayScene(t, DeviceInfo{})
	stages := append(rayStages(t), rayStages(t)[1])
	stages[3].Specialization = facts.Spec{3: 9}
	groups := append(rayGroups(), link.Group{Type: enum.GroupTypeGeneral, General: ref(3)})
	info := RayTracingPipelineInfo{Creation: Creation{Flags: enum.PipelineFlagsCaptureData}, Stages: stages, Groups: groups, Depth: 1}
	p := r.pipeline(t, info)
	binaries := must(r.dev.NewPipelineBinaries(PipelineBinaryInfo{Pipeline: p}))(t)
	if same := must(r.dev.NewPipelineBinaries(PipelineBinaryInfo{RayTracing: &info}))(t); len(same) != 4 || len(binaries) != 4 || same[3].Key() != binaries[3].Key() || same[1].Key() == same[3].Key() {
		t.Fatalf("%d binaries of the pipeline, %d of its description; must be 4, the second and the last of different keys", len(binaries), len(same))
	}
	var data []PipelineBinaryData
	for _, b := range binaries {
		data = append(data, must(b.Data())(t))
	}
	info.Flags, info.Binaries = 0, must(r.dev.NewPipelineBinaries(PipelineBinaryInfo{Data: data}))(t)
	q := r.pipeline(t, info)
	for _, x := range []struct {
		miss int
		want uint32
	}{{1, 10012}, {3, 10014}} {
		tables := r.tables(t, q, 0, x.miss, 2)
		r.run(t, func(c *CommandBuffer) { r.bind(c, q); c.TraceRays(tables, 4, 1, 1) })
		if got := r.word(rayOutput + 4); got != x.want {
			t.Errorf("miss group %d: the result is %d; must be %d", x.miss, got, x.want)
		}
	}
	if a, b := must(r.dev.RayTracingPipelineKey(&info))(t), must(r.dev.RayTracingPipelineKey(&RayTracingPipelineInfo{Stages: stages[:3]}))(t); a == b {
		t.Error("pipelines of different stages have one key")
	}
	info.Binaries = []*PipelineBinary{info.Binaries[1], info.Binaries[0], info.Binaries[2], info.Binaries[3]}
	info.Layout = r.layout
	_, err := r.dev.NewRayTracingPipeline(t.Context(), info)
	broke(t, "binaries in another order", err, "VUID-VkPipelineBinaryInfoKHR-binaryCount-09603")
}

// TestLibraryHandles traces with a pipeline of three libraries, one of which is in another, and the handles of the libraries, which are
// those of the pipeline. A handle of another library has no shaders.
func TestLibraryHandles(t *testing.T) {
	r := newRayScene(t, DeviceInfo{})
	library := func(from, to int, group link.Group, parts ...*RayTracingPipeline) *RayTracingPipeline {
		return r.pipeline(t, RayTracingPipelineInfo{
			Creation: Creation{Flags: enum.PipelineFlagsLibrary}, Interface: &link.RayInterface{Payload: 4, HitAttribute: 8}, Depth: 1,
			Stages: rayStages(t)[from:to], Groups: []link.Group{group}, Libraries: parts,
		})
	}
	miss := link.Group{Type: enum.GroupTypeGeneral, General: ref(0)}
	hits := library(2, 3, link.Group{Type: enum.GroupTypeTrianglesHitGroup, ClosestHit: ref(0)})
	other := library(1, 2, miss)
	misses := library(1, 2, miss, hits)
	p := r.pipeline(t, RayTracingPipelineInfo{Stages: rayStages(t)[:1], Groups: rayGroups()[:1], Depth: 1, Interface: &link.RayInterface{Payload: 4, HitAttribute: 8}, Libraries: []*RayTracingPipeline{misses}})
	tables := r.tables(t, p, 0, 1, 2)
	for i, x := range []*RayTracingPipeline{misses, hits} {
		own := must(x.GroupHandles(0, 1))(t)
		if all := must(p.GroupHandles(1+i, 1))(t); !slices.Equal(own, all) {
			t.Errorf("the handle of library %d is %x, in the pipeline %x; must be the same", i, own, all)
		}
		copy(r.memory.Bytes()[rayTables+64*(1+i):], own)
	}
	if a, b := must(misses.GroupHandles(1, 1))(t), must(hits.GroupHandles(0, 1))(t); !slices.Equal(a, b) {
		t.Errorf("the handle of the library in the library is %x; must be %x", a, b)
	}
	r.run(t, func(c *CommandBuffer) { r.bind(c, p); c.TraceRays(tables, 4, 1, 1) })
	r.expect(t, "libraries")
	copy(r.memory.Bytes()[rayTables+64:], must(other.GroupHandles(0, 1))(t))
	r.run(t, func(c *CommandBuffer) { r.bind(c, p); c.TraceRays(tables, 4, 1, 1) })
	if got := r.word(rayOutput + 4); got != 10000 {
		t.Errorf("with a handle of another library the result is %d; must be 10000", got)
	}

	// The groups of the pipeline are its own one, that of misses and that of hits: each part has the number 1 alone.
	own, part := must(p.GroupHandles(0, 1))(t), must(misses.GroupHandles(0, 1))(t)
	for what, handle := range map[string][]byte{"own": own, "library": part} {
		for _, number := range []uint32{0, 2, 1<<32 - 1} {
			forged := slices.Clone(handle)
			binary.LittleEndian.PutUint32(forged, number)
			for _, table := range []int{1, 2} {
				r.tables(t, p, 0, 1, 2)
				copy(r.memory.Bytes()[rayTables+64*table:], forged)
				r.run(t, func(c *CommandBuffer) { r.bind(c, p); c.TraceRays(tables, 4, 1, 1) })
				if got := r.word(rayOutput + 4*(2-table)); got != 10000 {
					t.Errorf("%s, group %d of a part of 1 in table %d: the result is %d; must be 10000", what, number, table, got)
				}
			}
		}
	}
}

// TestReplayHandles makes pipelines and a library again with the handles of the first ones.
func TestReplayHandles(t *testing.T) {
	const replay = enum.PipelineFlagsRayTracingShaderGroupHandleCaptureReplay
	handles := func(t *testing.T, p *RayTracingPipeline) (list [][]byte) {
		b := must(p.ReplayHandles(0, p.Groups()))(t)
		for i := 0; i < len(b); i += ReplayHandleSize {
			list = append(list, b[i:i+ReplayHandleSize])
		}
		return list
	}
	whole := RayTracingPipelineInfo{Creation: Creation{Flags: replay}, Stages: rayStages(t), Groups: rayGroups(), Depth: 1}
	library := whole
	library.Flags, library.Interface = library.Flags|enum.PipelineFlagsLibrary, &link.RayInterface{Payload: 4, HitAttribute: 8}
	r, again := newRayScene(t, DeviceInfo{}), newRayScene(t, DeviceInfo{})
	again.pipeline(t, library)
	for what, info := range map[string]RayTracingPipelineInfo{"pipeline": whole, "library": library} {
		p := r.pipeline(t, info)
		info.ReplayHandles = handles(t, p)
		q := again.pipeline(t, info)
		if a, b := must(p.GroupHandles(0, 3))(t), must(q.GroupHandles(0, 3))(t); !slices.Equal(a, b) {
			t.Errorf("%s: the handles are %x; must be %x", what, b, a)
		}
		info.Layout = again.layout
		for _, other := range [][][]byte{{info.ReplayHandles[1]}, {nil, info.ReplayHandles[1][:4]}, {nil, make([]byte, ReplayHandleSize)}} {
			info.ReplayHandles = other
			if _, err := again.dev.NewRayTracingPipeline(t.Context(), info); !errors.Is(err, ErrOpaqueAddress) {
				t.Errorf("%s: other handles: %v; must be ErrOpaqueAddress", what, err)
			}
		}
	}
	whole.Layout, library.Layout, whole.Flags = r.layout, r.layout, 0
	p, l := r.pipeline(t, whole), r.pipeline(t, library)
	whole.Flags = replay
	q := r.pipeline(t, whole)
	with := func(p *RayTracingPipeline, first, n int, enabled map[string]bool) error {
		r.dev.enabled = enabled
		defer func() { r.dev.enabled = nil }()
		_, err := p.ReplayHandles(first, n)
		return err
	}
	const feature = "rayTracingPipelineShaderGroupHandleCaptureReplay"
	for rule, err := range map[string]error{
		"VUID-vkGetRayTracingCaptureReplayShaderGroupHandlesKHR-firstGroup-04051":                                       with(q, 3, 0, nil),
		"VUID-vkGetRayTracingCaptureReplayShaderGroupHandlesKHR-firstGroup-03483":                                       with(q, 1, 3, nil),
		"VUID-vkGetRayTracingCaptureReplayShaderGroupHandlesKHR-pipeline-03607":                                         with(p, 0, 1, nil),
		"VUID-vkGetRayTracingCaptureReplayShaderGroupHandlesKHR-pipeline-07829":                                         with(l, 0, 1, map[string]bool{feature: true}),
		"VUID-vkGetRayTracingCaptureReplayShaderGroupHandlesKHR-rayTracingPipelineShaderGroupHandleCaptureReplay-03606": with(q, 0, 1, map[string]bool{}),
	} {
		broke(t, "handles for a replay", err, rule)
	}
}

// TestReplayOrder creates pipelines with handles for a replay after ones without, and at the same time, on devices that can mix them
// and that cannot (Vulkan: rayTracingPipelineShaderGroupHandleCaptureReplayMixed).
func TestReplayOrder(t *testing.T) {
	info := RayTracingPipelineInfo{
		Creation: Creation{Flags: enum.PipelineFlagsRayTracingShaderGroupHandleCaptureReplay}, Stages: rayStages(t), Groups: rayGroups(), Depth: 1,
	}
	handles := [][]byte{must(newRayScene(t, DeviceInfo{}).pipeline(t, info).ReplayHandles(0, 1))(t)}
	for _, mixed := range []bool{false, true} {
		for _, order := range []struct {
			given []bool // whether the creations have handles
			wrong bool   // the last one
		}{
			{[]bool{true}, false}, {[]bool{false}, false}, {[]bool{true, true}, false}, {[]bool{true, false}, false}, {[]bool{true, false, true}, false},
			{[]bool{false, true}, true}, {[]bool{false, false, true}, true},
		} {
			r := newRayScene(t, DeviceInfo{})
			r.dev.physical = &PhysicalDevice{Limits: features(mixed, "rayTracingPipelineShaderGroupHandleCaptureReplayMixed")}
			var err error
			for _, given := range order.given {
				x := info
				if x.Layout = r.layout; given {
					x.ReplayHandles = handles
				}
				_, err = r.dev.NewRayTracingPipeline(t.Context(), x)
			}
			switch wrong := order.wrong && !mixed; {
			case wrong:
				wantRule(t, err, "VUID-VkRayTracingShaderGroupCreateInfoKHR-rayTracingPipelineShaderGroupHandleCaptureReplayMixed-03603")
			case err != nil:
				t.Errorf("mixed %v, handles %v: %v; must have no error", mixed, order.given, err)
			}
			if !order.given[0] {
				continue
			}
			finish := must(r.dev.replays.begin(r.dev, handles))(t) // a creation with handles is in progress
			switch _, err := r.dev.NewRayTracingPipeline(t.Context(), RayTracingPipelineInfo{Creation: info.Creation, Stages: info.Stages, Groups: info.Groups, Depth: 1, Layout: r.layout}); {
			case !mixed:
				wantRule(t, err, "VUID-VkRayTracingShaderGroupCreateInfoKHR-rayTracingPipelineShaderGroupHandleCaptureReplayMixed-03604")
			case err != nil:
				t.Errorf("mixed, at the same time: %v; must have no error", err)
			}
			finish()
		}
	}
}

// TestRayHeap traces with descriptors in a heap, where two stages have one binding at different places.
func TestRayHeap(t *testing.T) {
	r := newRayScene(t, DeviceInfo{})
	const heap = 20480 // of the buffer
	at := func(stage string, offset uint64) StageInfo {
		s := rayShader(t, stage)
		s.Mappings = []Mapping{{Mapping: link.Mapping{First: 1, Source: enum.MappingSourceHeapWithConstantOffset, HeapOffset: offset}}}
		return s
	}
	for i := range 2 {
		info := DescriptorInfo{Type: storage, Address: r.buffer.Address() + rayOutput + uint64(256*i), Range: 64}
		if err := r.dev.WriteDescriptor(r.memory.Bytes()[heap+64*i:], info); err != nil {
			t.Fatal(err)
		}
	}
	p := must(r.dev.NewRayTracingPipeline(t.Context(), RayTracingPipelineInfo{
		Creation: Creation{Flags: enum.PipelineFlagsDescriptorHeap},
		Stages: []RayStageInfo{
			{spirv.ExecutionModelRayGenerationKHR, at("heapgen", 0)}, {spirv.ExecutionModelCallableKHR, at("heapcall", 64)},
		},
		Groups: []link.Group{{Type: enum.GroupTypeGeneral, General: ref(0)}, {Type: enum.GroupTypeGeneral, General: ref(1)}},
	}))(t)
	tables := r.tables(t, p, 0, 1)
	tables.Callable, tables.Miss = tables.Miss, ShaderTable{}
	r.run(t, func(c *CommandBuffer) {
		c.BindRayTracingPipeline(p)
		c.BindResourceHeap(HeapRange{r.buffer.Address() + heap, 2048})
		c.TraceRays(tables, 4, 1, 1)
	})
	for i := range 4 {
		if a, b := r.word(rayOutput+4*i), r.word(rayOutput+256+4*i); a != uint32(i+1) || b != uint32(i+10) {
			t.Errorf("results %d are %d and %d; must be %d and %d", i, a, b, i+1, i+10)
		}
	}
}

// TestReplayedLibrarySerial checks that a library that is made after a replayed one has other handles (Vulkan: handles of shader
// groups are unique).
func TestReplayedLibrarySerial(t *testing.T) {
	const replay = enum.PipelineFlagsRayTracingShaderGroupHandleCaptureReplay
	library := RayTracingPipelineInfo{
		Creation: Creation{Flags: replay | enum.PipelineFlagsLibrary}, Stages: rayStages(t), Groups: rayGroups(), Depth: 1,
		Interface: &link.RayInterface{Payload: 4, HitAttribute: 8},
	}
	captured, replayed := newRayScene(t, DeviceInfo{}), newRayScene(t, DeviceInfo{})
	captured.pipeline(t, library)
	all := must(captured.pipeline(t, library).ReplayHandles(0, 3))(t)
	again := library
	for i := range 3 {
		again.ReplayHandles = append(again.ReplayHandles, all[i*ReplayHandleSize:(i+1)*ReplayHandleSize])
	}
	old := must(replayed.pipeline(t, again).GroupHandles(0, 3))(t)
	if fresh := must(replayed.pipeline(t, library).GroupHandles(0, 3))(t); bytes.Equal(old, fresh) {
		t.Errorf("two libraries of a device have the handles %x", fresh)
	}
}
