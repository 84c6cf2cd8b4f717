package valid

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// TestNonWritableInitializer: SPIR-V 1.4 allows NonWritable on variables in Function and
// Private. Optimizers replace the initializer of such a constant array by a store, which
// contradicts the decoration (SPIR-V 3.2.20) and has no other effect: a warning. A store
// to a buffer is an error.
func TestNonWritableInitializer(t *testing.T) {
	m := moduleOf(t, `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %p %b
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %f NonWritable
OpDecorate %p NonWritable
OpDecorate %b NonWritable
OpDecorate %b DescriptorSet 0
OpDecorate %b Binding 0
OpDecorate %S Block
OpMemberDecorate %S 0 Offset 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%u1 = OpConstant %uint 1
%u2 = OpConstant %uint 2
%A = OpTypeArray %uint %u2
%a = OpConstantComposite %A %u1 %u2
%S = OpTypeStruct %uint
%s = OpConstantComposite %S %u1
%pf = OpTypePointer Function %A
%pp = OpTypePointer Private %A
%pb = OpTypePointer StorageBuffer %S
%p = OpVariable %pp Private
%b = OpVariable %pb StorageBuffer
%main = OpFunction %void None %fn
%l = OpLabel
%f = OpVariable %pf Function
OpStore %f %a
OpStore %p %a
OpStore %b %s
OpReturn
OpFunctionEnd
`, spirv.Version14)
	env, _ := ParseEnv("vulkan1.2")
	r := judgeIn(t, m, env)
	want := []diag.Severity{diag.Warning, diag.Warning, diag.Error}
	if len(r.Findings) != len(want) {
		t.Fatalf("%d findings; want %d: %v", len(r.Findings), len(want), r.Findings)
	}
	for i, f := range r.Findings {
		if f.Code != "SPV-Store-NonWritable" || f.Severity != want[i] {
			t.Errorf("%s, severity %v; want SPV-Store-NonWritable, severity %v", f.Code, f.Severity, want[i])
		}
	}
}
