package valid

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/vuid"
)

// divergenceText is a shader of 8 invocations; the first verb is the body of main up to
// its last block, the second the index of a uniform buffer, the third the functions.
const divergenceText = `OpCapability Shader
OpCapability GroupNonUniformBallot
OpCapability GroupNonUniformArithmetic
OpCapability GroupNonUniformClustered
OpCapability UniformBufferArrayDynamicIndexing
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %%main "main" %%id %%group %%a %%s
OpExecutionMode %%main LocalSize 8 1 1
OpDecorate %%id BuiltIn LocalInvocationId
OpDecorate %%group BuiltIn WorkgroupId
OpDecorate %%B Block
OpMemberDecorate %%B 0 Offset 0
OpDecorate %%a DescriptorSet 0
OpDecorate %%a Binding 0
OpDecorate %%R Block
OpMemberDecorate %%R 0 Offset 0
OpDecorate %%rt ArrayStride 4
OpDecorate %%s DescriptorSet 0
OpDecorate %%s Binding 1
OpDecorate %%promised Uniform
%%void = OpTypeVoid
%%bool = OpTypeBool
%%u = OpTypeInt 32 0
%%uvec3 = OpTypeVector %%u 3
%%fn = OpTypeFunction %%void
%%u0 = OpConstant %%u 0
%%u1 = OpConstant %%u 1
%%u2 = OpConstant %%u 2
%%u3 = OpConstant %%u 3
%%B = OpTypeStruct %%u
%%Bs = OpTypeArray %%B %%u2
%%pBs = OpTypePointer Uniform %%Bs
%%pUni = OpTypePointer Uniform %%u
%%rt = OpTypeRuntimeArray %%u
%%R = OpTypeStruct %%rt
%%pR = OpTypePointer StorageBuffer %%R
%%pSto = OpTypePointer StorageBuffer %%u
%%pIn3 = OpTypePointer Input %%uvec3
%%pIn = OpTypePointer Input %%u
%%pFun = OpTypePointer Function %%u
%%toU = OpTypeFunction %%u %%u
%%toP = OpTypeFunction %%void %%pFun %%u
%%id = OpVariable %%pIn3 Input
%%group = OpVariable %%pIn3 Input
%%a = OpVariable %%pBs Uniform
%%s = OpVariable %%pR StorageBuffer
%%main = OpFunction %%void None %%fn
%%entry = OpLabel
%%v = OpVariable %%pFun Function
%%ids = OpLoad %%uvec3 %%id
%%i = OpCompositeExtract %%u %%ids 0
%%groups = OpLoad %%uvec3 %%group
%%g = OpCompositeExtract %%u %%groups 0
%%div = OpULessThan %%bool %%i %%u3
%%uni = OpULessThan %%bool %%g %%u3
%s
%%p = OpAccessChain %%pUni %%a %s %%u0
%%x = OpLoad %%u %%p
OpReturn
OpFunctionEnd
%s
`

// A loop that counts up to a limit; the index is read after it or in it.
const countTo = `OpBranch %%h
%%h = OpLabel
%%k = OpPhi %%u %%u0 %%entry %%k1 %%c
OpLoopMerge %%m %%c None
OpBranch %%t
%%t = OpLabel
%%more = OpULessThan %%bool %%k %s
OpBranchConditional %%more %%c %%m
%%c = OpLabel
%s
%%k1 = OpIAdd %%u %%k %%u1
OpBranch %%h
%%m = OpLabel`

const inLoopUse = "%%q = OpAccessChain %%pUni %%a %%k %%u0\n%%y = OpLoad %%u %%q"

func TestDivergence(t *testing.T) {
	arms := func(c, yes, no string) string {
		return "OpSelectionMerge %j None\nOpBranchConditional " + c + " %yes %no\n%yes = OpLabel\n" + yes + "\nOpBranch %j\n%no = OpLabel\n" + no + "\nOpBranch %j\n%j = OpLabel"
	}
	loop := func(limit, body string) string {
		return strings.ReplaceAll(fmt.Sprintf(countTo, limit, body), "%%", "%")
	}
	read := strings.ReplaceAll(inLoopUse, "%%", "%")
	for _, k := range []struct {
		name, body, index, more string
		varies                  bool
	}{
		{"the invocation's number", "", "%i", "", true},
		{"bits of it", "%k = OpBitwiseAnd %u %i %u1", "%k", "", true},
		{"a dimension of one", "%k = OpCompositeExtract %u %ids 1", "%k", "", false},
		{"the workgroup's number", "", "%g", "", false},
		{"a phi of a divergent branch", arms("%div", "", "") + "\n%k = OpPhi %u %u0 %yes %u1 %no", "%k", "", true},
		{"a phi of a uniform branch", arms("%uni", "", "") + "\n%k = OpPhi %u %u0 %yes %u1 %no", "%k", "", false},
		{"a phi of a varying value", arms("%uni", "", "") + "\n%k = OpPhi %u %i %yes %u1 %no", "%k", "", true},
		{"a phi of one value", arms("%div", "", "") + "\n%k = OpPhi %u %u1 %yes %u1 %no", "%k", "", false},
		{"a phi after a return", "OpSelectionMerge %j None\nOpBranchConditional %div %yes %no\n%yes = OpLabel\n" +
			"OpSelectionMerge %go None\nOpBranchConditional %uni %out %go\n%out = OpLabel\nOpReturn\n%go = OpLabel\nOpBranch %j\n" +
			"%no = OpLabel\nOpBranch %j\n%j = OpLabel\n%k = OpPhi %u %u0 %go %u1 %no", "%k", "", true},
		{"a uniform branch in a divergent arm", "OpSelectionMerge %j None\nOpBranchConditional %div %yes %j\n%yes = OpLabel\n" +
			"OpSelectionMerge %z None\nOpBranchConditional %uni %p1 %p2\n%p1 = OpLabel\nOpBranch %z\n%p2 = OpLabel\nOpBranch %z\n" +
			"%z = OpLabel\n%k = OpPhi %u %u0 %p1 %u1 %p2\n%q = OpAccessChain %pUni %a %k %u0\n%y = OpLoad %u %q\nOpBranch %j\n%j = OpLabel", "%u0", "", false},
		{"a counter after a divergent loop", loop("%i", ""), "%k", "", true},
		{"a phi of one value after a divergent loop", loop("%i", "") + "\n%w = OpPhi %u %u1 %t", "%w", "", false},
		{"a counter in a divergent loop", loop("%i", read), "%u0", "", false},
		{"a counter after a uniform loop", loop("%g", ""), "%k", "", false},
		{"a phi of a divergent continue", "OpBranch %h\n%h = OpLabel\n%k = OpPhi %u %u0 %entry %k1 %c\nOpLoopMerge %m %c None\nOpBranch %t\n%t = OpLabel\n" +
			"%more = OpULessThan %bool %k %g\nOpBranchConditional %more %b %m\n%b = OpLabel\nOpSelectionMerge %r None\nOpBranchConditional %div %c %r\n" +
			"%r = OpLabel\nOpBranch %c\n%c = OpLabel\n%w = OpPhi %u %u0 %b %u1 %r\n%q = OpAccessChain %pUni %a %w %u0\n%y = OpLoad %u %q\n" +
			"%k1 = OpIAdd %u %k %u1\nOpBranch %h\n%m = OpLabel", "%u0", "", true},
		{"a phi of two ways out of a loop", "OpBranch %h\n%h = OpLabel\n%k = OpPhi %u %u0 %entry %k1 %c\nOpLoopMerge %m %c None\nOpBranch %t\n%t = OpLabel\n" +
			"%more = OpULessThan %bool %k %g\nOpBranchConditional %more %b %m\n%b = OpLabel\nOpSelectionMerge %r None\nOpBranchConditional %div %m %r\n" +
			"%r = OpLabel\nOpBranch %c\n%c = OpLabel\n%k1 = OpIAdd %u %k %u1\nOpBranch %h\n%m = OpLabel\n%w = OpPhi %u %u0 %t %u1 %b", "%w", "", true},
		{"a value from memory", "%q = OpAccessChain %pSto %s %u0 %i\n%k = OpLoad %u %q", "%k", "", true},
		{"a value from one place in memory", "%q = OpAccessChain %pSto %s %u0 %g\n%k = OpLoad %u %q", "%k", "", false},
		{"a variable stored in one arm", "OpStore %v %u0\n" + arms("%div", "OpStore %v %u1", "") + "\n%k = OpLoad %u %v", "%k", "", true},
		{"a variable stored and read in one arm", arms("%div", "OpStore %v %u1\n%k = OpLoad %u %v\n%q = OpAccessChain %pUni %a %k %u0\n%y = OpLoad %u %q", ""), "%u0", "", false},
		{"a variable stored in a divergent loop", "OpStore %v %u0\n" + loop("%i", "OpStore %v %u1") + "\n%last = OpLoad %u %v", "%last", "", true},
		{"the value of one invocation", "%k = OpGroupNonUniformBroadcastFirst %u %u3 %i", "%k", "", false},
		{"an atomic", "%q = OpAccessChain %pSto %s %u0 %u0\n%k = OpAtomicIAdd %u %q %u1 %u0 %u1", "%k", "", true},
		{"the minimum in a cluster", "%k = OpGroupNonUniformUMin %u %u3 ClusteredReduce %i %u2", "%k", "", true},
		{"the minimum in a subgroup", "%k = OpGroupNonUniformUMin %u %u3 Reduce %i", "%k", "", false},
		{"a promised value", "%promised = OpBitwiseAnd %u %i %u1", "%promised", "", false},
		{"a result of divergent returns", "%k = OpFunctionCall %u %f %i", "%k", "%f = OpFunction %u None %toU\n%n = OpFunctionParameter %u\n%fe = OpLabel\n" +
			"%fc = OpULessThan %bool %n %u3\nOpSelectionMerge %fj None\nOpBranchConditional %fc %fy %fj\n%fy = OpLabel\nOpReturnValue %u0\n%fj = OpLabel\nOpReturnValue %u1\nOpFunctionEnd", true},
		{"a result that ignores its argument", "%k = OpFunctionCall %u %f %i", "%k", "%f = OpFunction %u None %toU\n%n = OpFunctionParameter %u\n%fe = OpLabel\nOpReturnValue %u0\nOpFunctionEnd", false},
		{"a parameter that is written", "%_ = OpFunctionCall %void %f %v %i\n%k = OpLoad %u %v", "%k", "%f = OpFunction %void None %toP\n%o = OpFunctionParameter %pFun\n%n = OpFunctionParameter %u\n%fe = OpLabel\nOpStore %o %n\nOpReturn\nOpFunctionEnd", true},
	} {
		t.Run(k.name, func(t *testing.T) {
			text := fmt.Sprintf(divergenceText, k.body, k.index, k.more)
			if !strings.Contains(text, "%promised =") {
				text = strings.Replace(text, "OpDecorate %promised Uniform\n", "", 1)
			}
			env, _ := ParseEnv("vulkan1.3")
			m := moduleOf(t, text, env.SPIRV)
			r := judgeIn(t, m, env)
			found := false
			for _, f := range r.Findings {
				if f.Code == vuid.RuntimeSpirv_UniformBufferArrayNonUniformIndexing_10134 {
					found = true
				} else {
					t.Errorf("%s: %s", f.Code, f.Message)
				}
			}
			if found != k.varies {
				t.Errorf("varies is %t, want %t", found, k.varies)
			}
		})
	}
}
