package vk

import (
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// depthAny is an any-hit shader that accepts each hit.
const depthAny = `OpCapability RayTracingKHR
OpExtension "SPV_KHR_ray_tracing"
OpMemoryModel Logical GLSL450
OpEntryPoint AnyHitKHR %main "main"
%void = OpTypeVoid
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%label = OpLabel
OpReturn
OpFunctionEnd
`

// depthClauses are instructions of a closest-hit shader at the depth of its pipeline, by the sentences of Vulkan's "Shader Call
// Instructions": "Shaders directly invoked from the API always have a recursion depth of 0; each shader executed by a pipeline trace ray
// instruction has a recursion depth one higher than the recursion depth of the shader which invoked it. Applications must not invoke a
// shader with a recursion depth greater than the value of maxPipelineRayRecursionDepth". So a trace that invokes no shader is valid.
// ARGS(flags, mask) are the operands of a trace along the ray of the shader. The payload is 1 more than %q.
var depthClauses = []struct {
	name, instructions string
	any                bool   // the hit group has an any-hit shader
	want               uint32 // of the payload; 0 if a rule is broken
}{
	{"a hit object of an opaque triangle", "OpHitObjectTraceRayV %h ARGS(0, 255)\n%b = OpHitObjectIsHitV %bool %h\n%v = OpSelect %uint %b %uint_5 %uint_9\nOpStore %q %v", true, 6},
	{"a hit object of a miss", "OpHitObjectTraceRayV %h ARGS(0, 0)\n%b = OpHitObjectIsMissV %bool %h\n%v = OpSelect %uint %b %uint_5 %uint_9\nOpStore %q %v", true, 6},
	{"a hit object of a triangle without an any-hit shader", "OpHitObjectTraceRayV %h ARGS(2, 255)\n%b = OpHitObjectIsHitV %bool %h\n" +
		"%v = OpSelect %uint %b %uint_5 %uint_9\nOpStore %q %v", false, 6},
	{"an empty hit object", "OpHitObjectRecordEmptyV %h\nOpHitObjectExecuteShaderV %h %q", false, 1},
	{"the execution of a hit without closest-hit shaders", "OpHitObjectTraceRayV %h ARGS(8, 255)\nOpHitObjectExecuteShaderV %h %q", false, 1},
	{"a ray without closest-hit shaders", "OpTraceRayKHR ARGS(8, 255)", true, 1},
	{"the closest-hit shader of a ray", "OpTraceRayKHR ARGS(0, 255)", false, 0},
	{"the miss shader of a ray", "OpTraceRayKHR ARGS(0, 0)", false, 0},
	{"the any-hit shader of a ray", "OpTraceRayKHR ARGS(10, 255)", true, 0},
	{"the any-hit shader of a hit object", "OpHitObjectTraceRayV %h ARGS(2, 255)", true, 0},
	{"the closest-hit shader of a hit object", "OpHitObjectTraceRayV %h ARGS(0, 255)\nOpHitObjectExecuteShaderV %h %q", false, 0},
	{"the miss shader of a hit object", "OpHitObjectTraceRayV %h ARGS(0, 0)\nOpHitObjectExecuteShaderV %h %q", false, 0},
}

// depthText returns the closest-hit shader testdata/rays/deep with instructions in place of its trace.
func depthText(t testing.TB, vendor, instructions string) string {
	t.Helper()
	before, rest, _ := strings.Cut(rayText(t, "deep"), "OpTraceRayKHR ")
	_, after, _ := strings.Cut(rest, "\n")
	for {
		head, tail, ok := strings.Cut(instructions, "ARGS(")
		if !ok {
			break
		}
		flags, tail, _ := strings.Cut(tail, ", ")
		mask, tail, _ := strings.Cut(tail, ")")
		instructions = head + "%13 %uint_" + flags + " %uint_" + mask + " %uint_0 %uint_0 %uint_0 %19 %float_0 %22 %float_100 %q" + tail
	}
	for _, name := range []string{"TraceRay", "ExecuteShader", "RecordEmpty", "IsHit", "IsMiss"} {
		instructions = strings.ReplaceAll(instructions, "OpHitObject"+name+"V ", "OpHitObject"+name+vendor+" ")
	}
	constants := ""
	for _, n := range []string{"2", "5", "8", "9", "10"} {
		constants += "%uint_" + n + " = OpConstant %uint " + n + "\n"
	}
	return strings.NewReplacer(
		"OpExtension", "OpCapability ShaderInvocationReorder"+vendor+"\nOpExtension \"SPV_"+vendor+"_shader_invocation_reorder\"\nOpExtension",
		"%p %_\n", "%p %_ %h\n", "%main = OpFunction", "%bool = OpTypeBool\n"+constants+"%object = OpTypeHitObject"+vendor+
			"\n%to_object = OpTypePointer Private %object\n%h = OpVariable %to_object Private\n%main = OpFunction",
	).Replace(before) + instructions + "\n" + after
}

// TestRayDepthClauses runs the instructions of depthClauses in pipelines of depth 1, on both engines.
func TestRayDepthClauses(t *testing.T) {
	for engine, of := range map[string]exec.Engine{"machine code": nil, "interpreter": interp.Engine{}} {
		for _, c := range depthClauses {
			for _, vendor := range []string{"NV", "EXT"} {
				r := newRayScene(t, DeviceInfo{Engine: of})
				stages, groups := rayStages(t), rayGroups()
				stages[2].StageInfo = StageInfo{Code: code(t, depthText(t, vendor, c.instructions))}
				if c.any {
					groups[2].AnyHit = ref(link.Ref(len(stages)))
					stages = append(stages, RayStageInfo{spirv.ExecutionModelAnyHitKHR, StageInfo{Code: code(t, depthAny)}})
				}
				p := r.pipeline(t, RayTracingPipelineInfo{Stages: stages, Groups: groups, Depth: 1})
				tables := r.tables(t, p, 0, 1, 2)
				err := r.submit(t, r.record(t, func(cb *CommandBuffer) { r.bind(cb, p); cb.TraceRays(tables, 4, 1, 1) }))
				if c.want == 0 {
					broke(t, engine+", "+vendor+": "+c.name, err, "VUID-vkCmdTraceRaysKHR-maxPipelineRayRecursionDepth-03679")
					continue
				}
				if got := r.word(rayOutput) - 10000; err != nil || got != c.want {
					t.Errorf("%s, %s: %s: the payload is %d (%v); must be %d", engine, vendor, c.name, got, err, c.want)
				}
			}
		}
	}
}

// TestHitObjectWithoutDepth traces a hit object from a ray generation shader, whose depth is 0, in a pipeline of depth 0. It executes
// nothing.
func TestHitObjectWithoutDepth(t *testing.T) {
	for engine, of := range map[string]exec.Engine{"machine code": nil, "interpreter": interp.Engine{}} {
		r := newRayScene(t, DeviceInfo{Engine: of})
		stages := rayStages(t)
		stages[0].StageInfo = hitObjectShader(t, "EXT", "OpHitObjectTraceRayEXT %h TRACE\n%f = OpHitObjectGetRayTMaxEXT %float %h\n"+
			"%u = OpConvertFToU %uint %f\nOpStore %p %u")
		p := r.pipeline(t, RayTracingPipelineInfo{Stages: stages, Groups: rayGroups()})
		tables := r.tables(t, p, 0, 1, 2)
		r.run(t, func(c *CommandBuffer) { r.bind(c, p); c.TraceRays(tables, 4, 1, 1) })
		for i, want := range []uint32{4, 100, 4, 100} {
			if got := r.word(rayOutput+4*i) - 10000; got != want {
				t.Errorf("%s: ray %d ends at %d; must end at %d", engine, i, got, want)
			}
		}
	}
}
