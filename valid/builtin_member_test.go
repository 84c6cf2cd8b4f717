package valid

import (
	"slices"
	"testing"
)

// TestMemberBuiltIns checks that Vulkan's built-ins of subgroups must be on
// variables, and that others may be on members.
func TestMemberBuiltIns(t *testing.T) {
	const head = `OpCapability Shader
OpCapability GroupNonUniform
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %S Block
`
	const rest = `%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%S = OpTypeStruct %uint
%main = OpFunction %void None %fn
%start = OpLabel
OpReturn
OpFunctionEnd
`
	env, ok := ParseEnv("vulkan1.1")
	if !ok {
		t.Fatal("no environment")
	}
	for name, mark := range map[string]string{
		"SubgroupId": " ; ERROR SPV-Decoration-BuiltIn", "SubgroupSize": " ; ERROR SPV-Decoration-BuiltIn", "LocalInvocationIndex": "",
	} {
		text := head + "OpMemberDecorate %S 0 BuiltIn " + name + mark + "\n" + rest
		if got, want := judgeForm(t, env, Limits{}, "spvasm", []byte(text)), marks(text); !slices.Equal(got, want) {
			t.Errorf("%s: findings %v; want %v", name, got, want)
		}
	}
}
