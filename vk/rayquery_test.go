package vk

import (
	"context"
	"encoding/binary"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// queries is a compute shader whose invocation i traces the ray from (10·i + ¼, ¼, 5) down the axis z, in the structure of binding 0,
// and stores T, or −1 for a miss.
const queries = `OpCapability Shader
OpCapability RayQueryKHR
OpExtension "SPV_KHR_ray_query"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id %top %out %q
OpExecutionMode %main LocalSize 4 1 1
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %floats ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %top DescriptorSet 0
OpDecorate %top Binding 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%uvec3 = OpTypeVector %uint 3
%float = OpTypeFloat 32
%vec3 = OpTypeVector %float 3
%floats = OpTypeRuntimeArray %float
%block = OpTypeStruct %floats
%structure = OpTypeAccelerationStructureKHR
%query = OpTypeRayQueryKHR
%pin = OpTypePointer Input %uvec3
%pblock = OpTypePointer StorageBuffer %block
%pfloat = OpTypePointer StorageBuffer %float
%pstructure = OpTypePointer UniformConstant %structure
%pquery = OpTypePointer Private %query
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%mask = OpConstant %uint 255
%f0 = OpConstant %float 0
%quarter = OpConstant %float 0.25
%five = OpConstant %float 5
%ten = OpConstant %float 10
%far = OpConstant %float 100
%none = OpConstant %float -1
%down = OpConstantComposite %vec3 %f0 %f0 %none
%id = OpVariable %pin Input
%top = OpVariable %pstructure UniformConstant
%out = OpVariable %pblock StorageBuffer
%q = OpVariable %pquery Private
%main = OpFunction %void None %fn
%l = OpLabel
%ids = OpLoad %uvec3 %id
%i = OpCompositeExtract %uint %ids 0
%fi = OpConvertUToF %float %i
%step = OpFMul %float %fi %ten
%x = OpFAdd %float %step %quarter
%origin = OpCompositeConstruct %vec3 %x %quarter %five
%s = OpLoad %structure %top
OpRayQueryInitializeKHR %q %s %one %mask %origin %f0 %down %far
%go = OpRayQueryProceedKHR %bool %q
%kind = OpRayQueryGetIntersectionTypeKHR %uint %q %one
%hit = OpINotEqual %bool %kind %zero
%t = OpRayQueryGetIntersectionTKHR %float %q %one
%result = OpSelect %float %hit %t %none
%p = OpAccessChain %pfloat %out %zero %i
OpStore %p %result
OpReturn
OpFunctionEnd
`

// byAddress is queries with the structure at the device address in the push constants.
var byAddress = strings.NewReplacer(
	"OpExtension", "OpCapability Int64\nOpExtension", "%id %top %out %q", "%id %push %out %q",
	"OpDecorate %top DescriptorSet 0\nOpDecorate %top Binding 0\n", "OpDecorate %pushes Block\nOpMemberDecorate %pushes 0 Offset 0\n",
	"%pstructure = OpTypePointer UniformConstant %structure", "%long = OpTypeInt 64 0\n%pushes = OpTypeStruct %long\n%ppushes = OpTypePointer PushConstant %pushes\n%plong = OpTypePointer PushConstant %long",
	"%top = OpVariable %pstructure UniformConstant", "%push = OpVariable %ppushes PushConstant",
	"%s = OpLoad %structure %top", "%pa = OpAccessChain %plong %push %zero\n%a = OpLoad %long %pa\n%s = OpConvertUToAccelerationStructureKHR %structure %a",
).Replace(queries)

// rayWays are the ways by which a shader gets an acceleration structure.
var rayWays = map[string]func(t *testing.T, r *rays, c *CommandBuffer, top *AccelerationStructure){
	"set": func(t *testing.T, r *rays, c *CommandBuffer, top *AccelerationStructure) {
		p, l := r.tracer(t, queries, 0, 0)
		set := must(must(r.dev.NewPool(PoolInfo{MaxSets: 1}))(t).Allocate(l.sets[0]))(t)
		r.write(t, set, top)
		c.BindPipeline(p)
		c.BindSets(Compute, l, 0, []*Set{set}, nil)
	},
	"copy": func(t *testing.T, r *rays, c *CommandBuffer, top *AccelerationStructure) {
		p, l := r.tracer(t, queries, 0, 0)
		pool := must(r.dev.NewPool(PoolInfo{MaxSets: 2}))(t)
		source, set := must(pool.Allocate(l.sets[0]))(t), must(pool.Allocate(l.sets[0]))(t)
		r.write(t, source, top)
		if err := set.Copy(Copy{Source: source, Count: 1}, Copy{Source: source, SourceBinding: 1, Binding: 1, Count: 1}); err != nil {
			t.Fatal(err)
		}
		c.BindPipeline(p)
		c.BindSets(Compute, l, 0, []*Set{set}, nil)
	},
	"push": func(t *testing.T, r *rays, c *CommandBuffer, top *AccelerationStructure) {
		p, l := r.tracer(t, queries, enum.SetFlagsPushDescriptor, 0)
		c.BindPipeline(p)
		c.PushDescriptors(Compute, l, 0, Write{Structures: []*AccelerationStructure{top}}, Write{Binding: 1, Buffers: []BufferDescriptor{{r.buffer, rayOutput, 64}}})
	},
	"descriptor buffer": func(t *testing.T, r *rays, c *CommandBuffer, top *AccelerationStructure) {
		p, l := r.tracer(t, queries, enum.SetFlagsDescriptorBuffer, enum.PipelineFlagsDescriptorBuffer)
		for i, info := range []DescriptorInfo{{Type: link.AccelerationStructure, Address: top.Address()}, {Type: storage, Address: r.buffer.Address() + rayOutput, Range: 64}} {
			at, _, _ := l.sets[0].BindingOffset(uint32(i))
			if err := r.dev.WriteDescriptor(r.memory.Bytes()[rayDescriptors+at:], info); err != nil {
				t.Fatal(err)
			}
		}
		c.BindPipeline(p)
		c.BindDescriptorBuffers([]uint64{r.buffer.Address() + rayDescriptors})
		c.SetDescriptorBufferOffsets(Compute, l, 0, []uint32{0}, []uint64{0})
	},
	"address": func(t *testing.T, r *rays, c *CommandBuffer, top *AccelerationStructure) {
		p, l := r.tracer(t, byAddress, 0, 0)
		set := must(must(r.dev.NewPool(PoolInfo{MaxSets: 1}))(t).Allocate(l.sets[0]))(t)
		r.write(t, set, nil)
		c.BindPipeline(p)
		c.BindSets(Compute, l, 0, []*Set{set}, nil)
		c.PushConstants(l, 0, binary.LittleEndian.AppendUint64(nil, top.Address()))
	},
}

// Offsets of the output and of descriptors in the buffer of rays.
const (
	rayOutput      = 8192
	rayDescriptors = 12288
)

// tracer returns a pipeline of a shader with ray queries, and its layout.
func (r *rays) tracer(t *testing.T, text string, set enum.SetFlags, flags enum.PipelineFlags) (*ComputePipeline, *PipelineLayout) {
	t.Helper()
	bindings := append([]link.Binding{{Binding: 1, Type: storage, Count: 1, Stages: link.AllStages}}, structureBinding...)
	l := must(r.dev.NewPipelineLayout(PipelineLayoutInfo{
		Sets: []*SetLayout{must(r.dev.NewSetLayout(SetLayoutInfo{Flags: set, Bindings: bindings}))(t)}, Push: []link.Range{{Size: 8, Stages: link.AllStages}},
	}))(t)
	return must(r.dev.NewComputePipeline(context.Background(), ComputePipelineInfo{Creation: Creation{Flags: flags}, Stage: StageInfo{Code: code(t, text)}, Layout: l}))(t), l
}

func (r *rays) write(t testing.TB, set *Set, top *AccelerationStructure) {
	t.Helper()
	if err := set.Update(Write{Structures: []*AccelerationStructure{top}}, Write{Binding: 1, Buffers: []BufferDescriptor{{r.buffer, rayOutput, 64}}}); err != nil {
		t.Fatal(err)
	}
}

// TestRayQuery traces rays by queries of a compute shader that gets the structure in each way, on both engines. The structure is
// built after its descriptor is written.
func TestRayQuery(t *testing.T) {
	for name, of := range map[string]exec.Engine{"machine code": nil, "interpreter": interp.Engine{}} {
		r := newRays(t, DeviceInfo{Engine: of})
		r.dev.checking = All
		bottom, top := r.structure(t, BottomLevel), r.structure(t, TopLevel)
		r.instance(0, bottom, 0)
		r.instance(1, bottom, 20)
		for way, bind := range rayWays {
			c := r.record(t, func(c *CommandBuffer) {
				c.BuildAccelerationStructures([]BuildInfo{r.bottom(bottom, 2)})
				c.BuildAccelerationStructures([]BuildInfo{r.top(top, 2)})
				bind(t, r, c, top)
				c.Dispatch(1, 1, 1)
			})
			for i := range 4 {
				r.floats(rayOutput+4*i, 7)
			}
			if err := r.submit(t, c); err != nil {
				t.Fatal(err)
			}
			for i, want := range []float32{4, -1, 4, -1} {
				if got := math.Float32frombits(binary.LittleEndian.Uint32(r.memory.Bytes()[rayOutput+4*i:])); got != want {
					t.Errorf("%s, %s: ray %d has T %v; must be %v", name, way, i, got, want)
				}
			}
		}
	}
}

// byValue is queries with a function that gets the ray query as a value and traces with its copy. The result is −2 if the original
// has a hit.
var byValue = strings.NewReplacer(
	"%go = OpRayQueryProceedKHR %bool %q\n", "%value = OpLoad %query %q\n%t = OpFunctionCall %float %trace %value\n",
	"%t = OpRayQueryGetIntersectionTKHR %float %q %one\n", "",
	"OpSelect %float %hit %t %none", "OpSelect %float %hit %wrong %t",
	"%down =", "%wrong = OpConstant %float -2\n%tracer = OpTypeFunction %float %query\n%fquery = OpTypePointer Function %query\n%down =",
	"OpFunctionEnd\n", `OpFunctionEnd
%trace = OpFunction %float None %tracer
%given = OpFunctionParameter %query
%start = OpLabel
%copy = OpVariable %fquery Function
OpStore %copy %given
%more = OpRayQueryProceedKHR %bool %copy
%found = OpRayQueryGetIntersectionTypeKHR %uint %copy %one
%any = OpINotEqual %bool %found %zero
%at = OpRayQueryGetIntersectionTKHR %float %copy %one
%answer = OpSelect %float %any %at %none
OpReturnValue %answer
OpFunctionEnd
`).Replace(queries)

// TestRayQueryValue passes ray queries by value, which SPV_KHR_ray_query forbids and devices do: the copy has the ray, and what happens
// to it leaves the original as it is.
func TestRayQueryValue(t *testing.T) {
	for name, of := range map[string]exec.Engine{"machine code": nil, "interpreter": interp.Engine{}} {
		r := newRays(t, DeviceInfo{Engine: of})
		r.dev.checking = None
		bottom, top := r.structure(t, BottomLevel), r.structure(t, TopLevel)
		r.instance(0, bottom, 0)
		r.instance(1, bottom, 20)
		r.build(t, r.bottom(bottom, 2))
		r.build(t, r.top(top, 2))
		p, l := r.tracer(t, byValue, 0, 0)
		set := must(must(r.dev.NewPool(PoolInfo{MaxSets: 1}))(t).Allocate(l.sets[0]))(t)
		r.write(t, set, top)
		if err := r.submit(t, r.record(t, func(c *CommandBuffer) {
			c.BindPipeline(p)
			c.BindSets(Compute, l, 0, []*Set{set}, nil)
			c.Dispatch(1, 1, 1)
		})); err != nil {
			t.Fatal(err)
		}
		for i, want := range []float32{4, -1, 4, -1} {
			if got := math.Float32frombits(binary.LittleEndian.Uint32(r.memory.Bytes()[rayOutput+4*i:])); got != want {
				t.Errorf("%s: ray %d has T %v; must be %v", name, i, got, want)
			}
		}
	}
}

// TestRayQueryNull traces rays in structures that do not exist: a null descriptor, one without content, a closed one, any address.
func TestRayQueryNull(t *testing.T) {
	r := newRays(t, DeviceInfo{DeferFree: true})
	p, l := r.tracer(t, byAddress, 0, 0)
	q, k := r.tracer(t, queries, 0, 0)
	bottom, top, closed := r.structure(t, BottomLevel), r.structure(t, TopLevel), r.structure(t, TopLevel)
	r.instance(0, bottom, 0)
	r.build(t, r.bottom(bottom, 1), r.top(closed, 1))
	address := closed.Address()
	closed.Close()
	pool := must(r.dev.NewPool(PoolInfo{MaxSets: 3}))(t)
	for i, x := range []struct {
		address uint64
		top     *AccelerationStructure
	}{{1, nil}, {address, nil}, {bottom.Address(), nil}, {math.MaxUint64, nil}, {0, nil}, {0, top}} {
		set := must(pool.Allocate(l.sets[0]))(t)
		r.write(t, set, x.top)
		r.floats(rayOutput, 7)
		c := r.record(t, func(c *CommandBuffer) {
			c.BindPipeline(q)
			if x.address != 0 {
				c.BindPipeline(p)
				c.PushConstants(l, 0, binary.LittleEndian.AppendUint64(nil, x.address))
				c.BindSets(Compute, l, 0, []*Set{set}, nil)
			} else {
				c.BindSets(Compute, k, 0, []*Set{set}, nil)
			}
			c.Dispatch(1, 1, 1)
		})
		if err := r.submit(t, c); err != nil {
			t.Fatal(err)
		}
		if got := math.Float32frombits(binary.LittleEndian.Uint32(r.memory.Bytes()[rayOutput:])); got != -1 {
			t.Errorf("case %d: the ray has T %v; must miss", i, got)
		}
		c.Close()
		set.Close()
	}
}

// TestRayQueryRules breaks the rules on the acceleration structure of a ray query: it is a top level (06352), and it is built for fetches
// of positions if a shader fetches them (flags-08761).
func TestRayQueryRules(t *testing.T) {
	fetching := strings.NewReplacer(
		"OpExtension", "OpCapability RayQueryPositionFetchKHR\nOpExtension \"SPV_KHR_ray_tracing_position_fetch\"\nOpExtension",
		"%main = OpFunction", "%three = OpConstant %uint 3\n%corners = OpTypeArray %vec3 %three\n%main = OpFunction",
		"%p = OpAccessChain", "OpSelectionMerge %end None\nOpBranchConditional %hit %then %end\n%then = OpLabel\n"+
			"%fetched = OpRayQueryGetIntersectionTriangleVertexPositionsKHR %corners %q %one\nOpBranch %end\n%end = OpLabel\n%p = OpAccessChain",
	).Replace(queries)
	for _, x := range []struct {
		name, shader string
		level        StructureLevel // of the structure of the query
		flags        BuildFlags     // of its bottom level
		rule         string         // "" for valid commands
	}{
		{"a top level", queries, TopLevel, 0, ""},
		{"a bottom level", queries, BottomLevel, 0, "VUID-RuntimeSpirv-OpRayQueryInitializeKHR-06352"},
		{"positions of a structure with the flag", fetching, TopLevel, BuildAllowDataAccess, ""},
		{"positions of a structure without the flag", fetching, TopLevel, 0, "VUID-RuntimeSpirv-flags-08761"},
	} {
		r := newRays(t, DeviceInfo{})
		r.dev.checking = All
		bottom, of := r.structure(t, BottomLevel), r.structure(t, AnyLevel)
		r.instance(0, bottom, 0)
		p, l := r.tracer(t, x.shader, 0, 0)
		set := must(must(r.dev.NewPool(PoolInfo{MaxSets: 1}))(t).Allocate(l.sets[0]))(t)
		r.write(t, set, of)
		build := r.bottom(bottom, 2)
		build.Flags |= x.flags
		r.build(t, build)
		if last := r.top(of, 1); x.level == TopLevel {
			r.build(t, last)
		} else {
			r.build(t, r.bottom(of, 2))
		}
		err := r.submit(t, r.record(t, func(c *CommandBuffer) {
			c.BindPipeline(p)
			c.BindSets(Compute, l, 0, []*Set{set}, nil)
			c.Dispatch(1, 1, 1)
		}))
		switch {
		case x.rule == "" && err != nil:
			t.Errorf("%s: %v", x.name, err)
		case x.rule != "" && (err == nil || !strings.Contains(err.Error(), x.rule)):
			t.Errorf("%s: the error is %v; must have the rule %s", x.name, err, x.rule)
		}
	}
}

// TestTraceLevel traces rays of a pipeline in a structure that was built as a bottom level (06359).
func TestTraceLevel(t *testing.T) {
	r := newRayScene(t, DeviceInfo{})
	of := r.structure(t, AnyLevel)
	r.write(t, r.set, of)
	p := r.pipeline(t, RayTracingPipelineInfo{Stages: rayStages(t), Groups: rayGroups(), Depth: 1})
	tables := r.tables(t, p, 0, 1, 2)
	trace := func(c *CommandBuffer) { r.bind(c, p); c.TraceRays(tables, 4, 1, 1) }
	r.build(t, r.top(of, 2))
	r.run(t, trace)
	r.build(t, r.bottom(of, 2))
	const rule = "VUID-RuntimeSpirv-OpTraceRayKHR-06359"
	if err := r.submit(t, r.record(t, trace)); err == nil || !strings.Contains(err.Error(), rule) {
		t.Errorf("the error is %v; must have the rule %s", err, rule)
	}
}

// TestTraceMotion traces rays in structures with motion and without. A structure with motion needs the flag of the pipeline
// (OpTraceRayKHR-06360); a ray with a time needs motion (OpTraceRayMotionNV-06365, OpHitObjectTraceRayMotionNV-07709, flags-11876).
func TestTraceMotion(t *testing.T) {
	data, err := os.ReadFile("testdata/rays/gen.spvasm")
	if err != nil {
		t.Fatal(err)
	}
	const blur = "OpCapability RayTracingMotionBlurNV\nOpExtension \"SPV_NV_ray_tracing_motion_blur\"\nOpExtension"
	timed := func(text string) string { return strings.Replace(text, " %float_100 %p", " %float_100 %float_0 %p", 1) }
	shader := func(text string) StageInfo {
		return StageInfo{Code: code(t, strings.Replace(timed(text), "OpExtension", blur, 1))}
	}
	object := func(vendor, name string) StageInfo {
		return shader(hitObjectText(t, vendor, name+" %h TRACE"))
	}
	for _, x := range []struct {
		name         string
		gen          StageInfo
		moves, flags bool // the structure has motion, the pipeline has the flag
		rule         string
	}{
		{"a still structure", rayShader(t, "gen"), false, false, ""},
		{"motion", rayShader(t, "gen"), true, true, ""},
		{"motion without the flag", rayShader(t, "gen"), true, false, "VUID-RuntimeSpirv-OpTraceRayKHR-06360"},
		{"a time", shader(strings.Replace(string(data), "OpTraceRayKHR", "OpTraceRayMotionNV", 1)), true, true, ""},
		{"a time, a still structure", shader(strings.Replace(string(data), "OpTraceRayKHR", "OpTraceRayMotionNV", 1)), false, true, "VUID-RuntimeSpirv-OpTraceRayMotionNV-06365"},
		{"a hit object of NV", object("NV", "OpHitObjectTraceRayMotionNV"), false, true, "VUID-RuntimeSpirv-OpHitObjectTraceRayMotionNV-07709"},
		{"a hit object of EXT", object("EXT", "OpHitObjectTraceRayMotionEXT"), false, true, "VUID-RuntimeSpirv-flags-11876"},
		{"a hit object and its shaders", object("EXT", "OpHitObjectTraceMotionReorderExecuteEXT"), false, true, "VUID-RuntimeSpirv-flags-11876"},
	} {
		r := newRayScene(t, DeviceInfo{})
		bottom, top := r.structure(t, BottomLevel), r.structure(t, TopLevel)
		if x.moves {
			top = r.motion(t, TopLevel)
		}
		r.instance(0, bottom, 0)
		r.build(t, r.bottom(bottom, 2))
		build := r.top(top, 1)
		if x.moves { // and no instances, which have another size
			build = r.top(top, 0)
			build.Flags |= BuildMotion
		}
		r.build(t, build)
		r.write(t, r.set, top)
		stages := rayStages(t)
		stages[0].StageInfo = x.gen
		info := RayTracingPipelineInfo{Stages: stages, Groups: rayGroups(), Depth: 1}
		if x.flags {
			info.Flags |= enum.PipelineFlagsRayTracingAllowMotion
		}
		p := r.pipeline(t, info)
		tables := r.tables(t, p, 0, 1, 2)
		err := r.submit(t, r.record(t, func(c *CommandBuffer) { r.bind(c, p); c.TraceRays(tables, 4, 1, 1) }))
		if x.rule == "" && err != nil || x.rule != "" && ruleOf(err) != x.rule {
			t.Errorf("%s: the error is %v; must have the rule %q", x.name, err, x.rule)
		}
	}
}

// TestHitPositions traces rays of a pipeline whose only shader of hits reads the positions of vertices (08751), in structures that were built
// for fetches and without; a second shader that reads none may be the one of each hit.
func TestHitPositions(t *testing.T) {
	text, err := os.ReadFile("testdata/rays/hit.spvasm")
	if err != nil {
		t.Fatal(err)
	}
	reading := strings.NewReplacer(
		"OpExtension", "OpCapability RayTracingPositionFetchKHR\nOpExtension \"SPV_KHR_ray_tracing_position_fetch\"\nOpExtension",
		"%gl_InstanceCustomIndexEXT\nOpMember", "%gl_InstanceCustomIndexEXT %corners\nOpDecorate %corners BuiltIn HitTriangleVertexPositionsKHR\nOpMember",
		"%main = OpFunction", "%float = OpTypeFloat 32\n%v3 = OpTypeVector %float 3\n%uint_3 = OpConstant %uint 3\n%a3 = OpTypeArray %v3 %uint_3\n"+
			"%pa3 = OpTypePointer Input %a3\n%corners = OpVariable %pa3 Input\n%main = OpFunction",
		"OpReturn", "%positions = OpLoad %a3 %corners\nOpReturn",
	).Replace(string(text))
	const rule = "VUID-HitTriangleVertexPositionsKHR-None-08751"
	for _, x := range []struct {
		flags BuildFlags
		other bool // a second group has a shader that reads no positions
		fails bool
	}{{BuildAllowDataAccess, false, false}, {0, false, true}, {0, true, false}} {
		r := newRayScene(t, DeviceInfo{})
		bottom, top := r.structure(t, BottomLevel), r.structure(t, TopLevel)
		r.instance(0, bottom, 0)
		build := r.bottom(bottom, 2)
		build.Flags |= x.flags
		r.build(t, build)
		r.build(t, r.top(top, 1))
		r.write(t, r.set, top)
		stages, groups := rayStages(t), rayGroups()
		stages[2].StageInfo = StageInfo{Code: code(t, reading)}
		if x.other {
			stages = append(stages, RayStageInfo{spirv.ExecutionModelClosestHitKHR, rayShader(t, "hit")})
			groups = append(groups, link.Group{Type: enum.GroupTypeTrianglesHitGroup, ClosestHit: ref(3)})
		}
		p := r.pipeline(t, RayTracingPipelineInfo{Stages: stages, Groups: groups, Depth: 1})
		tables := r.tables(t, p, 0, 1, 2)
		err := r.submit(t, r.record(t, func(c *CommandBuffer) { r.bind(c, p); c.TraceRays(tables, 4, 1, 1) }))
		if failed := err != nil && strings.Contains(err.Error(), rule); failed != x.fails || err != nil && !failed {
			t.Errorf("flags %d, another shader %t: the error is %v; must have the rule %t", x.flags, x.other, err, x.fails)
		}
	}
}
