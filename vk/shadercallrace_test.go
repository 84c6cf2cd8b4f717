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

// TestLaunchRaces: two launches of rays that store to a word race unless a dependency between the stages of ray tracing shaders orders
// them; so do a launch and a transfer. The shaders have one layout, or two that share sets (Vulkan, "Pipeline Stages").
func TestLaunchRaces(t *testing.T) {
	const rayShader = 1 << 21
	module := strings.NewReplacer("SCOPE", "1", "WORD", "x", "%old = OpAtomicIAdd %uint %p %scope %0 %1", "OpStore %p %1").Replace(countRays)
	barrier := func(source, target, sourceAccess uint64) MemoryDependency {
		return MemoryDependency{SourceStages: source, SourceAccess: sourceAccess, TargetStages: target, TargetAccess: shaderRead | shaderWrite}
	}
	for _, k := range []struct {
		name    string
		barrier []MemoryDependency
		fill    bool // the first command is a fill
		races   bool
	}{
		{"no barrier", nil, false, true},
		{"a barrier", []MemoryDependency{barrier(rayShader, rayShader, shaderWrite)}, false, false},
		{"a barrier of compute shaders", []MemoryDependency{barrier(computeShader, computeShader, shaderWrite)}, false, true},
		{"a barrier without the store", []MemoryDependency{barrier(rayShader, rayShader, 0)}, false, true},
		{"a fill, no barrier", nil, true, true},
		{"a fill, a barrier", []MemoryDependency{barrier(clearing, rayShader, transferWrite)}, true, false},
	} {
		var reports []Report
		r := newRayScene(t, DeviceInfo{Sanitize: SanitizeRace, Reports: func(x Report) { reports = append(reports, x) }})
		p := r.pipeline(t, RayTracingPipelineInfo{
			Stages: []RayStageInfo{{spirv.ExecutionModelRayGenerationKHR, StageInfo{Code: code(t, module)}}},
			Groups: []link.Group{{Type: enum.GroupTypeGeneral, General: ref(0)}},
		})
		err := r.submit(t, r.record(t, func(c *CommandBuffer) {
			if r.bind(c, p); k.fill {
				c.FillBuffer(r.buffer, rayOutput, 64, 7)
			} else {
				c.TraceRays(r.tables(t, p, 0), 8, 1, 1)
			}
			if k.barrier != nil {
				c.Barrier(k.barrier...)
			}
			c.TraceRays(r.tables(t, p, 0), 8, 1, 1)
		}))
		if err != nil {
			t.Fatal(err)
		}
		if is := len(reports) > 0; is != k.races {
			t.Errorf("%s: the reports %+v; must be a race: %v", k.name, reports, k.races)
		}
	}
}
