package conformance

import (
	"fmt"
	"strings"
	"testing"
)

// racingOutputs is a script that draws 40 patches of four vertices: %s is a part of the tessellation control shader, whose
// invocation has the number %own, in the patch %n.
const racingOutputs = `#!amber
SHADER vertex v PASSTHROUGH
SHADER tessellation_control tc SPIRV-ASM
OpCapability Tessellation
OpMemoryModel Logical GLSL450
OpEntryPoint TessellationControl %%main "main" %%index %%primitive %%each %%patch %%outer %%inner %%block
OpExecutionMode %%main OutputVertices 4
OpName %%each "each"
OpName %%patch "patch"
OpDecorate %%index BuiltIn InvocationId
OpDecorate %%primitive BuiltIn PrimitiveId
OpDecorate %%each Location 0
OpDecorate %%patch Location 4
OpDecorate %%patch Patch
OpDecorate %%outer BuiltIn TessLevelOuter
OpDecorate %%outer Patch
OpDecorate %%inner BuiltIn TessLevelInner
OpDecorate %%inner Patch
OpDecorate %%block Location 5
%%void = OpTypeVoid
%%fn = OpTypeFunction %%void
%%bool = OpTypeBool
%%uint = OpTypeInt 32 0
%%float = OpTypeFloat 32
%%vec2 = OpTypeVector %%float 2
%%c0 = OpConstant %%uint 0
%%c1 = OpConstant %%uint 1
%%c2 = OpConstant %%uint 2
%%c3 = OpConstant %%uint 3
%%c4 = OpConstant %%uint 4
%%one = OpConstant %%float 1
%%a2 = OpTypeArray %%float %%c2
%%a4 = OpTypeArray %%float %%c4
%%aa = OpTypeArray %%a2 %%c4
%%av = OpTypeArray %%vec2 %%c4
%%pin = OpTypePointer Input %%uint
%%pa2 = OpTypePointer Output %%a2
%%pa4 = OpTypePointer Output %%a4
%%paa = OpTypePointer Output %%aa
%%pav = OpTypePointer Output %%av
%%po = OpTypePointer Output %%float
%%index = OpVariable %%pin Input
%%primitive = OpVariable %%pin Input
%%each = OpVariable %%pav Output
%%block = OpVariable %%paa Output
%%patch = OpVariable %%pa2 Output
%%outer = OpVariable %%pa4 Output
%%inner = OpVariable %%pa2 Output
%%main = OpFunction %%void None %%fn
%%start = OpLabel
%%own = OpLoad %%uint %%index
%%next0 = OpIAdd %%uint %%own %%c1
%%next = OpUMod %%uint %%next0 %%c4
%%f = OpConvertUToF %%float %%own
%%number = OpLoad %%uint %%primitive
%%n = OpConvertUToF %%float %%number
%%low = OpBitwiseAnd %%uint %%own %%c1
%%mine = OpAccessChain %%po %%each %%own %%c0
%%mine1 = OpAccessChain %%po %%each %%own %%c1
%%others = OpAccessChain %%po %%each %%next %%c0
%%element = OpAccessChain %%po %%block %%own %%low
%%element1 = OpAccessChain %%po %%block %%next %%low
%%whole = OpAccessChain %%po %%patch %%c0
%%level = OpAccessChain %%po %%outer %%own
%s
OpReturn
OpFunctionEnd
END
SHADER tessellation_evaluation te SPIRV-ASM
OpCapability Tessellation
OpMemoryModel Logical GLSL450
OpEntryPoint TessellationEvaluation %%main "main" %%position
OpExecutionMode %%main Quads
OpDecorate %%position BuiltIn Position
%%void = OpTypeVoid
%%fn = OpTypeFunction %%void
%%float = OpTypeFloat 32
%%vec4 = OpTypeVector %%float 4
%%p = OpTypePointer Output %%vec4
%%zero = OpConstantNull %%vec4
%%position = OpVariable %%p Output
%%main = OpFunction %%void None %%fn
%%start = OpLabel
OpStore %%position %%zero
OpReturn
OpFunctionEnd
END
SHADER fragment f SPIRV-ASM
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %%main "main"
OpExecutionMode %%main OriginUpperLeft
%%void = OpTypeVoid
%%fn = OpTypeFunction %%void
%%main = OpFunction %%void None %%fn
%%start = OpLabel
OpReturn
OpFunctionEnd
END
BUFFER picture FORMAT B8G8R8A8_UNORM
BUFFER position DATA_TYPE vec4<float> SIZE 160 FILL 0.0
PIPELINE graphics p
  ATTACH v
  ATTACH tc
  ATTACH te
  ATTACH f
  FRAMEBUFFER_SIZE 4 4
  BIND BUFFER picture AS color LOCATION 0
  VERTEX_DATA position LOCATION 0
END
RUN p DRAW_ARRAY AS PATCH_LIST START_IDX 0 COUNT 160
`

// TestOutputRaces: "Tessellation control shaders will read undefined values if one invocation reads a per-vertex or per-patch output
// written by another invocation at any point during the same phase, or if two invocations attempt to write different values to the
// same per-patch output in a single phase."
func TestOutputRaces(t *testing.T) {
	const (
		barrier = "OpControlBarrier %c2 %c4 %c0\n" // of the patch, with the semantics None
		store   = "OpStore %mine %f\n"
	)
	load := func(name, of string) string { return "%" + name + " = OpLoad %float %" + of + "\n" }
	for _, c := range []struct {
		name, body string
		racing     bool
	}{
		{"own output", store + load("x", "mine"), false},
		{"read in the same phase", store + load("x", "others"), true},
		{"read before the store in the same phase", load("x", "others") + store, true},
		{"read in the next phase", store + barrier + load("x", "others"), false},
		{"store after a read", barrier + load("x", "others") + store, true},
		{"store in the phase after a read", load("x", "others") + barrier + store, false},
		{"three phases", store + barrier + load("x", "others") + barrier + "OpStore %mine %x\n", false},
		{"another component", store + "OpStore %mine1 %f\n" + load("x", "mine1"), false},
		{"patch output with one value", "OpStore %whole %one\n", false},
		{"patch output with several values", "OpStore %whole %f\n", true},
		{"patch output in two phases", "OpStore %whole %one\n" + barrier + "OpStore %whole %one\n", false},
		{"patch output that is read", "OpStore %whole %one\n" + load("x", "whole"), true},
		{"patch output that is read later", "OpStore %whole %one\n" + barrier + load("x", "whole"), false},
		{"an element by each invocation", "OpStore %level %f\n", false},
		{"an element by two invocations", "%e = OpAccessChain %po %outer %low\nOpStore %e %f\n", true},
		{"indexed outputs of a vertex", "OpStore %element %f\n" + load("x", "element"), false},
		{"indexed outputs of vertices", "OpStore %element %f\n%e = OpAccessChain %po %block %next %c1\n" + load("x", "e"), true},
		{"an element that no invocation writes", "OpStore %element %f\n" + load("x", "element1"), false},
		{"another value in each patch", "OpStore %whole %n\nOpStore %mine %n\nOpStore %level %n\n", false},
		{"copies", store + "OpCopyMemory %mine1 %others\n", true},
	} {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) { checkRaces(t, fmt.Sprintf(racingOutputs, c.body), c.racing) })
	}
}
