package facts

import (
	"reflect"
	"testing"
)

// releasedTexts are modules of different sizes, with every kind of fact.
var releasedTexts = []string{
	`OpCapability Shader
OpExtension "SPV_KHR_storage_buffer_storage_class"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 8 4 2
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset 16
OpDecorate %buffer DescriptorSet 1
OpDecorate %buffer Binding 2
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%vec = OpTypeVector %uint 4
%one = OpConstant %uint 1
%all = OpConstantComposite %vec %one %one %one %one
%block = OpTypeStruct %vec %uint
%toBlock = OpTypePointer StorageBuffer %block
%toUint = OpTypePointer StorageBuffer %uint
%buffer = OpVariable %toBlock StorageBuffer
%yes = OpConstantTrue %bool
%main = OpFunction %void None %fn
%entry = OpLabel
OpBranch %head
%head = OpLabel
OpLoopMerge %end %next None
OpBranchConditional %yes %body %end
%body = OpLabel
%at = OpAccessChain %toUint %buffer %one
OpStore %at %one
OpBranch %next
%next = OpLabel
OpBranch %head
%end = OpLabel
OpReturn
OpFunctionEnd`,
	`OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %out
OpExecutionMode %main OriginUpperLeft
OpDecorate %out Location 3
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%two = OpConstant %float 2
%toFloat = OpTypePointer Output %float
%out = OpVariable %toFloat Output
%main = OpFunction %void None %fn
%entry = OpLabel
OpStore %out %two
OpReturn
OpFunctionEnd`,
	`OpCapability Linkage
OpCapability Shader
OpMemoryModel Logical GLSL450
%void = OpTypeVoid`,
}

// TestRelease checks that the facts of a module do not depend on the modules whose memory they reuse.
func TestRelease(t *testing.T) {
	fresh := make([]module, len(releasedTexts))
	for n, text := range releasedTexts {
		fresh[n] = gather(t, text, nil)
	}
	for round := range 4 * len(releasedTexts) {
		n := round * (round + 1) / 2 % len(releasedTexts)
		want, got := fresh[n], gather(t, releasedTexts[n], nil)
		for _, pair := range [...][2]any{
			{got.Types, want.Types}, {got.Consts, want.Consts}, {got.Variables, want.Variables}, {got.Functions, want.Functions},
			{got.EntryPoints, want.EntryPoints}, {got.Capabilities, want.Capabilities}, {got.Extensions, want.Extensions},
			{got.names, want.names}, {got.decor, want.decor}, {got.fact, want.fact}, {got.blocks, want.blocks},
		} {
			a, b := reflect.ValueOf(pair[0]), reflect.ValueOf(pair[1])
			if a.Kind() == reflect.Slice && a.Len() == 0 && b.Len() == 0 {
				continue
			}
			if !reflect.DeepEqual(pair[0], pair[1]) {
				t.Fatalf("round %d, module %d: %#v; must be %#v", round, n, pair[0], pair[1])
			}
		}
		got.Release()
		got.Release() // has no effect
	}
}
