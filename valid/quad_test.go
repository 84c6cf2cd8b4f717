package valid

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// quadText is a fragment shader that filters with a box; the verbs are the body of main
// and the box size.
const quadText = `OpCapability Shader
OpCapability TextureBoxFilterQCOM
OpCapability GroupNonUniformQuad
OpCapability GroupNonUniformClustered
OpCapability GroupNonUniformArithmetic
OpExtension "SPV_QCOM_image_processing"
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %%main "main" %%coord %%smooth %%flat %%a
OpExecutionMode %%main OriginUpperLeft
OpDecorate %%coord BuiltIn FragCoord
OpDecorate %%smooth Location 0
OpDecorate %%flat Location 1
OpDecorate %%flat Flat
OpDecorate %%a DescriptorSet 0
OpDecorate %%a Binding 0
%%float = OpTypeFloat 32
%%float2 = OpTypeVector %%float 2
%%float4 = OpTypeVector %%float 4
%%uint = OpTypeInt 32 0
%%uint2 = OpTypeVector %%uint 2
%%bool = OpTypeBool
%%u0 = OpConstant %%uint 0
%%u2 = OpConstant %%uint 2
%%u3 = OpConstant %%uint 3
%%u4 = OpConstant %%uint 4
%%f0 = OpConstant %%float 0
%%f2 = OpConstant %%float 2
%%two = OpConstantComposite %%float2 %%f2 %%f2
%%one = OpConstantComposite %%float2 %%f0 %%f2
%%img = OpTypeImage %%float 2D 0 0 0 1 Unknown
%%si = OpTypeSampledImage %%img
%%pa = OpTypePointer UniformConstant %%si
%%a = OpVariable %%pa UniformConstant
%%pIn4 = OpTypePointer Input %%float4
%%coord = OpVariable %%pIn4 Input
%%pIn2 = OpTypePointer Input %%float2
%%smooth = OpVariable %%pIn2 Input
%%flat = OpVariable %%pIn2 Input
%%void = OpTypeVoid
%%fn = OpTypeFunction %%void
%%main = OpFunction %%void None %%fn
%%start = OpLabel
%%pos = OpLoad %%float4 %%coord
%%x = OpCompositeExtract %%float %%pos 0
%%z = OpCompositeExtract %%float %%pos 2
%%in = OpLoad %%float2 %%smooth
%%each = OpLoad %%float2 %%flat
%%f = OpCompositeExtract %%float %%each 0
%%t = OpLoad %%si %%a
%s
%%r = OpImageBoxFilterQCOM %%float4 %%t %%in %s
OpReturn
OpFunctionEnd
`

func TestQuadUniform(t *testing.T) {
	const silent, warned, failed = "", "warning", "error"
	choose := func(condition string) string {
		return "%c = OpFOrdLessThan %bool " + condition + " %f2\nOpSelectionMerge %j None\nOpBranchConditional %c %yes %j\n%yes = OpLabel\nOpBranch %j\n%j = OpLabel\n%k = OpPhi %float2 %two %start %one %yes"
	}
	for _, k := range []struct{ name, body, size, want string }{
		{"a constant", "", "%two", silent},
		{"x of the position", "%k = OpCompositeConstruct %float2 %x %f2", "%k", failed},
		{"the position as integers", "%i = OpConvertFToU %uint %x\n%g = OpIAdd %uint %i %u3\n%j = OpConvertUToF %float %g\n%k = OpCompositeConstruct %float2 %j %f2", "%k", warned},
		{"the depth", "%k = OpCompositeConstruct %float2 %z %f2", "%k", warned},
		{"an interpolated input", "", "%in", warned},
		{"a flat input", "", "%each", silent},
		{"a branch on an interpolated value", "%s = OpCompositeExtract %float %in 0\n" + choose("%s"), "%k", warned},
		{"a branch on a flat value", choose("%f"), "%k", silent},
		{"the value of one invocation of the quad", "%k = OpGroupNonUniformQuadBroadcast %float2 %u3 %in %u2", "%k", silent},
		{"a swap in the quad", "%k = OpGroupNonUniformQuadSwap %float2 %u3 %in %u2", "%k", warned},
		{"the sum of a cluster of four", "%k = OpGroupNonUniformFAdd %float2 %u3 ClusteredReduce %in %u4", "%k", silent},
		{"the sum of a cluster of two", "%k = OpGroupNonUniformFAdd %float2 %u3 ClusteredReduce %in %u2", "%k", warned},
		{"the sum of the subgroup", "%k = OpGroupNonUniformFAdd %float2 %u3 Reduce %in", "%k", silent},
	} {
		t.Run(k.name, func(t *testing.T) {
			env, _ := ParseEnv("vulkan1.3")
			m := moduleOf(t, fmt.Sprintf(quadText, k.body, k.size), env.SPIRV)
			r := judgeIn(t, m, env)
			got := silent
			for _, f := range r.Findings {
				switch {
				case f.Code != vuid.RuntimeSpirv_OpImageBoxFilterQCOM_06990 || !strings.Contains(f.Message, "the box size"):
					t.Errorf("%s: %s", f.Code, f.Message)
				case f.Severity == diag.Warning:
					got = warned
				default:
					got = failed
				}
			}
			if got != k.want {
				t.Errorf("severity %q, want %q", got, k.want)
			}
		})
	}
}
