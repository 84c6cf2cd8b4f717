package vk

import (
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/interp"
)

// hitObjectShader returns the ray generation shader of testdata/rays with instructions on the hit object %h of a vendor, NV or EXT,
// instead of its trace. TRACE stands for the operands of the trace.
func hitObjectShader(t testing.TB, vendor, instructions string) StageInfo {
	t.Helper()
	return StageInfo{Code: code(t, hitObjectText(t, vendor, instructions))}
}

// hitObjectText returns the assembly of hitObjectShader.
func hitObjectText(t testing.TB, vendor, instructions string) string {
	t.Helper()
	text := rayText(t, "gen")
	_, operands, _ := strings.Cut(text, "OpTraceRayKHR ")
	operands, _, _ = strings.Cut(operands, "\n")
	return strings.NewReplacer(
		"OpTraceRayKHR "+operands, strings.ReplaceAll(instructions, "TRACE", operands),
		"OpExtension", "OpCapability ShaderInvocationReorder"+vendor+"\nOpExtension \"SPV_"+vendor+"_shader_invocation_reorder\"\nOpExtension",
		"%gl_LaunchSizeEXT %__0", "%gl_LaunchSizeEXT %__0 %h",
		"%main = OpFunction", "%object = OpTypeHitObject"+vendor+"\n%to_object = OpTypePointer Private %object\n"+
			"%h = OpVariable %to_object Private\n%main = OpFunction",
	).Replace(text)
}

// TestHitObjects checks that hit objects have the results of OpTraceRayKHR: the sequence of a trace, a reorder and an execution
// "is equivalent to OpTraceRayKHR" (SPV_EXT_shader_invocation_reorder), on both engines and for all sizes of subgroups.
func TestHitObjects(t *testing.T) {
	sequence := "OpHitObjectTraceRayV %h TRACE\nOpReorderThreadWithHitObjectV %h\nOpHitObjectExecuteShaderV %h %p"
	for engine, of := range map[string]exec.Engine{"machine code": nil, "interpreter": interp.Engine{}} {
		r := newRayScene(t, DeviceInfo{Engine: of})
		for name, x := range map[string]struct{ vendor, instructions string }{
			"NV":          {"NV", strings.ReplaceAll(sequence, "V %", "NV %")},
			"EXT":         {"EXT", strings.ReplaceAll(sequence, "V %", "EXT %")},
			"two steps":   {"EXT", "OpHitObjectTraceRayEXT %h TRACE\nOpHitObjectReorderExecuteShaderEXT %h %p"},
			"one step":    {"EXT", "OpHitObjectTraceReorderExecuteEXT %h TRACE %uint_10 %uint_1"},
			"second time": {"EXT", "OpHitObjectTraceReorderExecuteEXT %h TRACE\nOpStore %p %uint_0\nOpHitObjectExecuteShaderEXT %h %p"},
		} {
			for _, size := range []uint32{4, 8, 16, 32, 64} {
				stages := rayStages(t)
				stages[0].StageInfo = hitObjectShader(t, x.vendor, x.instructions)
				for i := range stages {
					stages[i].SubgroupSize = size
				}
				p := r.pipeline(t, RayTracingPipelineInfo{Stages: stages, Groups: rayGroups(), Depth: 1})
				tables := r.tables(t, p, 0, 1, 2)
				r.run(t, func(c *CommandBuffer) { r.bind(c, p); c.TraceRays(tables, 4, 1, 1) })
				r.expect(t, engine+", "+name)
			}
		}
	}
}

// TestHitObjectDepth checks that the trace of a hit object beyond the depth of the pipeline is an error.
func TestHitObjectDepth(t *testing.T) {
	r := newRayScene(t, DeviceInfo{})
	stages := rayStages(t)
	stages[0].StageInfo = hitObjectShader(t, "EXT", "OpHitObjectTraceRayEXT %h TRACE\nOpHitObjectExecuteShaderEXT %h %p")
	p := r.pipeline(t, RayTracingPipelineInfo{Stages: stages, Groups: rayGroups()})
	tables := r.tables(t, p, 0, 1, 2)
	err := r.submit(t, r.record(t, func(c *CommandBuffer) { r.bind(c, p); c.TraceRays(tables, 4, 1, 1) }))
	broke(t, "a hit object", err, "VUID-vkCmdTraceRaysKHR-maxPipelineRayRecursionDepth-03679")
}
