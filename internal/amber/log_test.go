package amber

import (
	"context"
	"slices"
	"testing"
)

// TestPrintedOfDraw: each stage of a draw prints its own texts, the vertices before the fragments.
func TestPrintedOfDraw(t *testing.T) {
	const script = `#!amber
SHADER vertex v SPIRV-ASM
OpCapability Shader
OpExtension "SPV_KHR_non_semantic_info"
%printf = OpExtInstImport "NonSemantic.DebugPrintf"
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main "main" %in %position
%text = OpString "vertex %f"
OpDecorate %in Location 0
OpDecorate %position BuiltIn Position
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%vec4 = OpTypeVector %float 4
%pin = OpTypePointer Input %vec4
%pout = OpTypePointer Output %vec4
%in = OpVariable %pin Input
%position = OpVariable %pout Output
%main = OpFunction %void None %fn
%body = OpLabel
%p = OpLoad %vec4 %in
%x = OpCompositeExtract %float %p 0
%printed = OpExtInst %void %printf 1 %text %x
OpStore %position %p
OpReturn
OpFunctionEnd
END
SHADER fragment f SPIRV-ASM
OpCapability Shader
OpExtension "SPV_KHR_non_semantic_info"
%printf = OpExtInstImport "NonSemantic.DebugPrintf"
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %out
OpExecutionMode %main OriginUpperLeft
%first = OpString "fragment"
%second = OpString "second %u"
OpDecorate %out Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%uint = OpTypeInt 32 0
%seven = OpConstant %uint 7
%ptr = OpTypePointer Output %float
%out = OpVariable %ptr Output
%one = OpConstant %float 1
%main = OpFunction %void None %fn
%body = OpLabel
%x = OpExtInst %void %printf 1 %first
%y = OpExtInst %void %printf 1 %second %seven
OpStore %out %one
OpReturn
OpFunctionEnd
END
SHADER vertex silent PASSTHROUGH
BUFFER color FORMAT R8_UNORM
BUFFER places DATA_TYPE vec4<float> DATA -1 -1 0 1  3 -1 0 1  -1 3 0 1 END
PIPELINE graphics p
  ATTACH v
  ATTACH f
  FRAMEBUFFER_SIZE 1 1
  VERTEX_DATA places LOCATION 0
  BIND BUFFER color AS color LOCATION 0
END
PIPELINE graphics q
  ATTACH silent
  ATTACH f
  FRAMEBUFFER_SIZE 1 1
  VERTEX_DATA places LOCATION 0
  BIND BUFFER color AS color LOCATION 0
END
RUN p DRAW_ARRAY AS TRIANGLE_LIST
RUN q DRAW_ARRAY AS TRIANGLE_LIST
`
	want := []string{"vertex -1.000000", "vertex 3.000000", "vertex -1.000000", "fragment", "second 7", "fragment", "second 7"}
	s, err := Parse("printed.amber", []byte(script), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range bothEngines() {
		for _, workers := range []int{1, 3} {
			r := Run(context.Background(), s, Options{Engine: e, Workers: workers})
			if r.Status != Pass || !slices.Equal(r.Log, want) {
				t.Errorf("%s, %d workers: %s %s %q; must print %q", e.Name(), workers, r.Status, r.Message, r.Log, want)
			}
		}
	}
}
