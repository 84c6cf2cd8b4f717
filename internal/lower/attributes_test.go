package lower

import (
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/asmtest"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/valid"
)

// TestLargeAttributes checks that the attributes of a hit object have a limit when a shader reads them, as when it records them:
// more would be read from memory beyond the object.
func TestLargeAttributes(t *testing.T) {
	for _, c := range []struct{ count, want string }{{"32", ""}, {"33", "hit attributes of 33 slots; at most 32"}} {
		m := asmtest.Module(t, strings.ReplaceAll(`OpCapability RayTracingKHR
OpCapability ShaderInvocationReorderNV
OpExtension "SPV_KHR_ray_tracing"
OpExtension "SPV_NV_shader_invocation_reorder"
OpMemoryModel Logical GLSL450
OpEntryPoint RayGenerationKHR %main "main" %a %h
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%n = OpConstant %uint COUNT
%arr = OpTypeArray %uint %n
%pa = OpTypePointer HitObjectAttributeNV %arr
%a = OpVariable %pa HitObjectAttributeNV
%obj = OpTypeHitObjectNV
%ph = OpTypePointer Private %obj
%h = OpVariable %ph Private
%main = OpFunction %void None %fn
%label = OpLabel
OpHitObjectGetAttributesNV %h %a
OpReturn
OpFunctionEnd
`, "COUNT", c.count), spirv.Version16)
		v := valid.Assume(facts.Gather(m, nil))
		_, err := Stage(v, &v.Facts().EntryPoints[0], Options{})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s slots: %v; want %q", c.count, err, c.want)
		}
	}
}
