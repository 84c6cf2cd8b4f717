package lower

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/internal/ir"
)

// TestWideProfile: with a budget above the default, a sum over all lanes does not fit in 32 bits. So only parts of a lane's sum are combined.
func TestWideProfile(t *testing.T) {
	p := lowered(t, []byte(`OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 64 1 1
OpDecorate %id BuiltIn LocalInvocationIndex
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%pin = OpTypePointer Input %uint
%id = OpVariable %pin Input
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%main = OpFunction %void None %fn
%first = OpLabel
%n = OpLoad %uint %id
OpBranch %head
%head = OpLabel
%i = OpPhi %uint %u0 %first %next %more
OpLoopMerge %out %more None
OpBranch %body
%body = OpLabel
OpSelectionMerge %join None
OpSwitch %i %join 1 %one 2 %two
%one = OpLabel
OpBranch %join
%two = OpLabel
OpBranch %join
%join = OpLabel
OpBranch %more
%more = OpLabel
%next = OpIAdd %uint %i %u1
%again = OpULessThan %bool %next %n
OpBranchConditional %again %head %out
%out = OpLabel
OpReturn
OpFunctionEnd
`), facts.Spec{}, Options{Profile: true})
	adds := 0
	for _, f := range p.Funcs {
		for _, v := range f.Code {
			x := f.Val(v)
			if x.Op != ir.Reduce {
				continue
			}
			adds++
			y := f.Val(x.Args[0])
			if n := f.Val(y.Args[1]).Aux; !(y.Op == ir.And && n < 1<<laneBits || y.Op == ir.LShr && n == laneBits) {
				t.Errorf("v%d is a sum over the lanes of more than %d bits", v, laneBits)
			}
		}
	}
	if adds != 6 {
		t.Errorf("%d sums over the lanes; must be 6: the low and the high bits of the three counters of the switch\n%s", adds, p)
	}
}
