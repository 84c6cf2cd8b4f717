package valid

import (
	"context"
	"testing"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
)

// TestSpecConstantOpcodeIsNoID: the opcode of an OpSpecConstantOp is a literal (SPIR-V
// §3.3.7). Here values of another type have the ids of the same numbers: 81 is
// OpCompositeExtract, 169 OpSelect.
func TestSpecConstantOpcodeIsNoID(t *testing.T) {
	words, err := asm.Assemble([]byte(`OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %1 "main"
OpExecutionMode %1 LocalSize 1 1 1
%2 = OpTypeVoid
%3 = OpTypeFunction %2
%4 = OpTypeBool
%5 = OpTypeInt 32 0
%6 = OpTypeVector %5 3
%81 = OpConstant %5 1
%169 = OpConstant %5 7
%7 = OpSpecConstantTrue %4
%8 = OpSpecConstantComposite %6 %81 %169 %81
%9 = OpSpecConstantOp %5 CompositeExtract %8 0
%10 = OpSpecConstantOp %5 Select %7 %81 %169
%11 = OpSpecConstantOp %6 CompositeInsert %81 %8 2
%12 = OpSpecConstantOp %6 VectorShuffle %8 %8 0 1 2
%13 = OpSpecConstantOp %5 Select %81 %81 %169
%14 = OpSpecConstantOp %5 CompositeExtract %81 0
%1 = OpFunction %2 None %3
%15 = OpLabel
OpReturn
OpFunctionEnd
`), asm.AssembleOptions{Version: spirv.Version15, PreserveNumericIDs: true})
	if err != nil {
		t.Fatal(err)
	}
	m, err := spirv.FromWords(words)
	if err != nil {
		t.Fatal(err)
	}
	env, _ := ParseEnv("vulkan1.2")
	r, err := Check(context.Background(), facts.Gather(m, nil), env, Options{})
	if err != nil {
		t.Fatal(err)
	}
	bad := map[int]bool{}
	for _, f := range r.Findings {
		bad[f.Pos.Instruction] = true
	}
	if len(bad) != 2 || !bad[18] || !bad[19] {
		t.Errorf("findings %v; want instructions 18 and 19 alone, the last two constants", r.Findings)
	}
}
