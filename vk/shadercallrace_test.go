package vk

import (
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// countRays is a ray generation shader that adds 1 to a word, by an atomic of the scope SCOPE. The word is the first one for all
// invocations, or that of the x of the launch ID.
const countRays = `OpCapability RayTracingKHR
OpExtension "SPV_KHR_ray_tracing"
OpExtension "SPV_KHR_storage_buffer_storage_class"
OpMemoryModel Logical GLSL450
OpEntryPoint RayGenerationKHR %main "main" %id %b
OpDecorate %id BuiltIn LaunchIdKHR
OpDecorate %words ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %b DescriptorSet 0
OpDecorate %b Binding 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%v3 = OpTypeVector %uint 3
%pv3 = OpTypePointer Input %v3
%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %words
%pblock = OpTypePointer StorageBuffer %block
%puint = OpTypePointer StorageBuffer %uint
%0 = OpConstant %uint 0
%1 = OpConstant %uint 1
%scope = OpConstant %uint SCOPE
%id = OpVariable %pv3 Input
%b = OpVariable %pblock StorageBuffer
%main = OpFunction %void None %fn
%l = OpLabel
%at = OpLoad %v3 %id
%x = OpCompositeExtract %uint %at 0
%p = OpAccessChain %puint %b %0 %WORD
%old = OpAtomicIAdd %uint %p %scope %0 %1
OpReturn
OpFunctionEnd
`

// TestShaderCallScope: a shader call scope instance has the invocations that are related by shader calls (Vulkan, "Shader Call"), so not
// two ray generation invocations: atomics of the scope ShaderCallKHR do not exclude each other there.
func TestShaderCallScope(t *testing.T) {
	const device, shaderCall = "1", "6"
	for _, k := range []struct {
		scope, word string
		races       bool
	}{{device, "0", false}, {shaderCall, "0", true}, {shaderCall, "x", false}} {
		var reports []Report
		r := newRayScene(t, DeviceInfo{Sanitize: SanitizeRace, Reports: func(x Report) { reports = append(reports, x) }})
		module := strings.NewReplacer("SCOPE", k.scope, "WORD", k.word).Replace(countRays)
		p := r.pipeline(t, RayTracingPipelineInfo{
			Stages: []RayStageInfo{{spirv.ExecutionModelRayGenerationKHR, StageInfo{Code: code(t, module)}}},
			Groups: []link.Group{{Type: enum.GroupTypeGeneral, General: ref(0)}},
		})
		err := r.submit(t, r.record(t, func(c *CommandBuffer) {
			r.bind(c, p)
			c.TraceRays(r.tables(t, p, 0), 8, 1, 1)
		}))
		if err != nil {
			t.Fatal(err)
		}
		if is := len(reports) > 0; is != k.races {
			t.Errorf("scope %s, word %s: the reports %+v; must be a race: %v", k.scope, k.word, reports, k.races)
		}
	}
}
