package vk

import (
	"encoding/binary"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// motionShader returns the ray generation shader of testdata/rays with instructions instead of its trace. TRACE stands for the operands
// of the trace with the time y/2 of the launch, before the payload; PAYLOAD for the payload.
func motionShader(t testing.TB, vendor, instructions string) StageInfo {
	t.Helper()
	data, err := os.ReadFile("testdata/rays/gen.spvasm")
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	_, operands, _ := strings.Cut(text, "OpTraceRayKHR ")
	operands, _, _ = strings.Cut(operands, "\n")
	timed := strings.TrimSuffix(operands, " %p") + " %time"
	capability, extension, variable := "", "", ""
	if vendor != "" {
		capability = "OpCapability ShaderInvocationReorder" + vendor + "\n"
		extension = "OpExtension \"SPV_" + vendor + "_shader_invocation_reorder\"\n"
		variable = "%object = OpTypeHitObject" + vendor + "\n%to_object = OpTypePointer Private %object\n%h = OpVariable %to_object Private\n"
	}
	text = strings.NewReplacer(
		"OpTraceRayKHR "+operands, "%y0 = OpAccessChain %_ptr_Input_uint %gl_LaunchIDEXT %uint_1\n%y1 = OpLoad %uint %y0\n"+
			"%y2 = OpConvertUToF %float %y1\n%time = OpFMul %float %y2 %half\n"+
			strings.NewReplacer("TRACE", timed, "PAYLOAD", "%p", "PLAIN", operands).Replace(instructions),
		"OpExtension", capability+"OpCapability RayTracingMotionBlurNV\n"+extension+"OpExtension \"SPV_NV_ray_tracing_motion_blur\"\nOpExtension",
		"%main = OpFunction", "%half = OpConstant %float 0.5\n%sixteen = OpConstant %float 16\n%bool = OpTypeBool\n%m4v3 = OpTypeMatrix %v3float 4\n"+
			variable+"%main = OpFunction",
	).Replace(text)
	if vendor == "EXT" || vendor == "NV" {
		text = strings.Replace(text, "%gl_LaunchSizeEXT %__0", "%gl_LaunchSizeEXT %__0 %h", 1)
	}
	return StageInfo{Code: code(t, text)}
}

// timedHit is a closest-hit shader whose payload is the bits of RayTmax + 16·time; timedMiss is a miss shader with 100 in place of RayTmax.
const timedHit = `OpCapability RayTracingKHR
OpCapability RayTracingMotionBlurNV
OpExtension "SPV_KHR_ray_tracing"
OpExtension "SPV_NV_ray_tracing_motion_blur"
OpMemoryModel Logical GLSL450
OpEntryPoint ClosestHitKHR %main "main" %p %far %time
OpDecorate %far BuiltIn RayTmaxKHR
OpDecorate %time BuiltIn CurrentRayTimeNV
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%hundred = OpConstant %float 100
%sixteen = OpConstant %float 16
%pp = OpTypePointer IncomingRayPayloadKHR %uint
%pin = OpTypePointer Input %float
%p = OpVariable %pp IncomingRayPayloadKHR
%far = OpVariable %pin Input
%time = OpVariable %pin Input
%main = OpFunction %void None %fn
%l = OpLabel
%t = OpLoad %float %far
%now = OpLoad %float %time
%scaled = OpFMul %float %now %sixteen
%sum = OpFAdd %float %t %scaled
%bits = OpBitcast %uint %sum
OpStore %p %bits
OpReturn
OpFunctionEnd
`

var timedMiss = strings.NewReplacer("ClosestHitKHR", "MissKHR", "%t = OpLoad %float %far", "%t = OpCopyObject %float %hundred").Replace(timedHit)

// motionScene is a rayScene with the moving instances of rays.moving.
func motionScene(t testing.TB, info DeviceInfo) (r *rayScene, top *AccelerationStructure) {
	t.Helper()
	r = newRayScene(t, info)
	bottom := r.motion(t, BottomLevel)
	top = r.motion(t, TopLevel)
	r.moving(t, bottom)
	r.build(t, r.movingTop(top, 4))
	r.write(t, r.set, top)
	return r, top
}

// timed makes a pipeline of a ray generation shader and the shaders with times.
func (r *rayScene) timed(t testing.TB, generate StageInfo, flags enum.PipelineFlags) *RayTracingPipeline {
	t.Helper()
	stages := []RayStageInfo{
		{spirv.ExecutionModelRayGenerationKHR, generate}, {spirv.ExecutionModelMissKHR, StageInfo{Code: code(t, timedMiss)}},
		{spirv.ExecutionModelClosestHitKHR, StageInfo{Code: code(t, timedHit)}},
	}
	return r.pipeline(t, RayTracingPipelineInfo{Creation: Creation{Flags: flags}, Stages: stages, Groups: rayGroups(), Depth: 1})
}

// motionTables returns tables whose hit records begin at 0.
func (r *rayScene) motionTables(t testing.TB, p *RayTracingPipeline) ShaderTables {
	t.Helper()
	tables := r.tables(t, p, 0, 1, 2)
	tables.Hit = ShaderTable{Address: r.buffer.Address() + rayTables + 128, Stride: 64, Size: 64}
	return tables
}

// The forms of a trace with a time, and one without.
var motionForms = map[string]struct{ vendor, instructions string }{
	"trace":    {"", "OpTraceRayMotionNV TRACE PAYLOAD"},
	"NV":       {"NV", "OpHitObjectTraceRayMotionNV %h TRACE PAYLOAD\nOpHitObjectExecuteShaderNV %h PAYLOAD"},
	"EXT":      {"EXT", "OpHitObjectTraceRayMotionEXT %h TRACE PAYLOAD\nOpHitObjectExecuteShaderEXT %h PAYLOAD"},
	"one step": {"EXT", "OpHitObjectTraceMotionReorderExecuteEXT %h TRACE PAYLOAD"},
	"no time":  {"", "OpTraceRayKHR PLAIN"},
}

// TestMotionTrace traces rays with the times 0, ½ and 1 at moving instances: "The vertex positions of the triangle are linearly
// interpolated between" their ends, as are matrices. A trace without a time has time 0.
func TestMotionTrace(t *testing.T) {
	for engine, of := range map[string]exec.Engine{"machine code": nil, "interpreter": interp.Engine{}} {
		r, _ := motionScene(t, DeviceInfo{Engine: of})
		for name, form := range motionForms {
			p := r.timed(t, motionShader(t, form.vendor, form.instructions), enum.PipelineFlagsRayTracingAllowMotion)
			tables := r.motionTables(t, p)
			second, first := r.arguments(tables, [3]uint32{4, 3, 1})
			for command, trace := range map[string]func(c *CommandBuffer){
				"direct":   func(c *CommandBuffer) { c.TraceRays(tables, 4, 3, 1) },
				"indirect": func(c *CommandBuffer) { c.TraceRaysIndirect(tables, first) },
				"second":   func(c *CommandBuffer) { c.TraceRaysIndirect2(second) },
			} {
				clear(r.memory.Bytes()[rayOutput:][:4*12])
				r.run(t, func(c *CommandBuffer) {
					r.bind(c, p)
					c.PushConstants(r.layout, 0, make([]byte, 4))
					trace(c)
				})
				for i := range 12 {
					time := float32(i/4) / 2
					if name == "no time" {
						time = 0
					}
					// 5 less the place of the triangle, by the motions of its vertices and of its instance
					want := [...]float32{5 - 2*time, 5 - 3*time, 5 - time, 100}[i%4] + 16*time
					if got := math.Float32frombits(binary.LittleEndian.Uint32(r.memory.Bytes()[rayOutput+4*i:])); got != want {
						t.Errorf("%s, %s, %s: ray %d at time %v has the result %v; must be %v", engine, name, command, i%4, time, got, want)
					}
				}
			}
		}
	}
}

// TestMotionHitObjects asks hit objects for their time, and for matrices and rays at this time: those of an instance that moves by z in its
// space give 5 - 2·z.
func TestMotionHitObjects(t *testing.T) {
	const instructions = "OpHitObjectTraceRayMotionV %h TRACE PAYLOAD\n%hit = OpHitObjectIsHitV %bool %h\n" +
		"%m = OpHitObjectGetObjectToWorldV %m4v3 %h\n%z = OpCompositeExtract %float %m 3 2\n%d = OpHitObjectGetObjectRayOriginV %v3float %h\n" +
		"%dz = OpCompositeExtract %float %d 2\n%far = OpFSub %float %dz %z\n%now = OpHitObjectGetCurrentTimeV %float %h\n" +
		"%scaled = OpFMul %float %now %sixteen\n%sum = OpFAdd %float %far %scaled\n%some = OpSelect %float %hit %sum %scaled\n" +
		"%bits = OpBitcast %uint %some\nOpStore PAYLOAD %bits"
	for engine, of := range map[string]exec.Engine{"machine code": nil, "interpreter": interp.Engine{}} {
		r, _ := motionScene(t, DeviceInfo{Engine: of})
		for _, vendor := range []string{"NV", "EXT"} {
			p := r.timed(t, motionShader(t, vendor, strings.ReplaceAll(instructions, "V %", vendor+" %")), enum.PipelineFlagsRayTracingAllowMotion)
			tables := r.motionTables(t, p)
			r.run(t, func(c *CommandBuffer) {
				r.bind(c, p)
				c.PushConstants(r.layout, 0, make([]byte, 4))
				c.TraceRays(tables, 4, 3, 1)
			})
			for i := range 12 {
				time := float32(i/4) / 2
				want := [...]float32{5, 5 - 2*time, 5 + 2*time, 0}[i%4] + 16*time
				if got := math.Float32frombits(binary.LittleEndian.Uint32(r.memory.Bytes()[rayOutput+4*i:])); got != want {
					t.Errorf("%s, %s: ray %d at time %v has the result %v; must be %v", engine, vendor, i%4, time, got, want)
				}
			}
		}
	}
}

// TestMotionTraceRules breaks the rules on traces with a time and on structures with motion. A device without checks runs indirect traces.
func TestMotionTraceRules(t *testing.T) {
	const allow = enum.PipelineFlagsRayTracingAllowMotion
	const indirect = "rayTracingMotionBlurPipelineTraceRaysIndirect-04951"
	direct := func(r *rayScene, c *CommandBuffer, s ShaderTables) { c.TraceRays(s, 4, 1, 1) }
	for _, x := range []struct {
		form  string
		moves bool // the structure has motion
		flags enum.PipelineFlags
		trace func(r *rayScene, c *CommandBuffer, s ShaderTables)
		rule  string
		free  bool // the device does not check
	}{
		{"no time", false, allow, direct, "", false},
		{"no time", true, allow, direct, "", false},
		{"no time", true, 0, direct, "VUID-RuntimeSpirv-OpTraceRayKHR-06360", false},
		{"trace", false, allow, direct, "VUID-RuntimeSpirv-OpTraceRayMotionNV-06365", false},
		{"NV", false, allow, direct, "VUID-RuntimeSpirv-OpHitObjectTraceRayMotionNV-07709", false},
		{"EXT", false, allow, direct, "VUID-RuntimeSpirv-flags-11876", false},
		{"one step", false, allow, direct, "VUID-RuntimeSpirv-flags-11876", false},
		{"trace", true, allow, func(r *rayScene, c *CommandBuffer, s ShaderTables) {
			_, first := r.arguments(s, [3]uint32{4, 1, 1})
			c.TraceRaysIndirect(s, first)
		}, "VUID-vkCmdTraceRaysIndirectKHR-" + indirect, false},
		{"trace", true, allow, func(r *rayScene, c *CommandBuffer, s ShaderTables) {
			second, _ := r.arguments(s, [3]uint32{4, 1, 1})
			c.TraceRaysIndirect2(second)
		}, "VUID-vkCmdTraceRaysIndirect2KHR-" + indirect, false},
		{"trace", true, allow, func(r *rayScene, c *CommandBuffer, s ShaderTables) {
			_, first := r.arguments(s, [3]uint32{4, 1, 1})
			c.TraceRaysIndirect(s, first)
		}, "", true},
	} {
		r, top := motionScene(t, DeviceInfo{})
		if !x.moves {
			top = r.structure(t, TopLevel)
			r.build(t, r.top(top, 2))
		}
		r.write(t, r.set, top)
		stages := rayStages(t)
		if x.flags != 0 {
			stages[0].StageInfo = motionShader(t, motionForms[x.form].vendor, motionForms[x.form].instructions)
		}
		p := r.pipeline(t, RayTracingPipelineInfo{Creation: Creation{Flags: x.flags}, Stages: stages, Groups: rayGroups(), Depth: 1})
		tables := r.motionTables(t, p)
		r.dev.enabled = map[string]bool{"rayTracingPipelineTraceRaysIndirect": true, "rayTracingPipelineTraceRaysIndirect2": true}
		if x.free {
			r.dev.checking = None
		}
		err := r.submit(t, r.record(t, func(c *CommandBuffer) { r.bind(c, p); x.trace(r, c, tables) }))
		if x.rule == "" && err != nil || x.rule != "" && (err == nil || !strings.Contains(err.Error(), x.rule)) {
			t.Errorf("%s: the error is %v; must have the rule %q", x.form, err, x.rule)
		}
	}
}

// TestMotionQuery traces ray queries in a structure with motion, at time 0, and generates intersections in it, which breaks 06354.
func TestMotionQuery(t *testing.T) {
	generating := strings.NewReplacer("%kind = OpRayQuery", "OpSelectionMerge %end None\nOpBranchConditional %go %then %end\n%then = OpLabel\n"+
		"OpRayQueryGenerateIntersectionKHR %q %f0\nOpBranch %end\n%end = OpLabel\n%kind = OpRayQuery").Replace(queries)
	for _, x := range []struct{ shader, rule string }{{queries, ""}, {generating, "VUID-RuntimeSpirv-OpRayQueryGenerateIntersectionKHR-06354"}} {
		r, top := motionScene(t, DeviceInfo{})
		p, l := r.tracer(t, x.shader, 0, 0)
		set := must(must(r.dev.NewPool(PoolInfo{MaxSets: 1}))(t).Allocate(l.sets[0]))(t)
		r.rays.write(t, set, top)
		err := r.submit(t, r.record(t, func(c *CommandBuffer) {
			c.BindPipeline(p)
			c.BindSets(Compute, l, 0, []*Set{set}, nil)
			c.Dispatch(1, 1, 1)
		}))
		if x.rule != "" {
			broke(t, "a query", err, x.rule)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []float32{5, 5, 5, -1} {
			if got := math.Float32frombits(binary.LittleEndian.Uint32(r.memory.Bytes()[rayOutput+4*i:])); got != want {
				t.Errorf("query %d has T = %v; must be %v", i, got, want)
			}
		}
	}
}
