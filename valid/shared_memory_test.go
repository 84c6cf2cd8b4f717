package valid

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/spirv"
)

// TestWorkgroupBlockVersions checks a block in Workgroup without WorkgroupMemoryExplicitLayoutKHR. SPV_KHR_workgroup_memory_explicit_layout
// requires SPIR-V 1.4, and its rules are about the variables that an interface lists: before 1.4 it lists only Input and Output.
func TestWorkgroupBlockVersions(t *testing.T) {
	for _, test := range []struct {
		env, listed string
		version     spirv.Version
		want        int
	}{{"spv1.3", "", spirv.Version13, 0}, {"spv1.4", " %v", spirv.Version14, 1}, {"spv1.6", " %v", spirv.Version16, 1}} {
		env, _ := ParseEnv(test.env)
		r := judgeIn(t, moduleOf(t, `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"`+test.listed+`
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %s Block
OpMemberDecorate %s 0 Offset 0
%void = OpTypeVoid
%f = OpTypeFunction %void
%int = OpTypeInt 32 0
%s = OpTypeStruct %int
%p = OpTypePointer Workgroup %s
%v = OpVariable %p Workgroup
%main = OpFunction %void None %f
%l = OpLabel
%x = OpLoad %s %v
OpReturn
OpFunctionEnd
`, test.version), env)
		for _, f := range r.Findings {
			if f.Code != "SPV-Workgroup-Block" {
				t.Errorf("%s: %v", test.env, f)
			}
		}
		if len(r.Findings) != test.want {
			t.Errorf("%s: %d findings; want %d", test.env, len(r.Findings), test.want)
		}
	}
}
