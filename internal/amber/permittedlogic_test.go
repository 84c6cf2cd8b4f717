package amber_test

import (
	"strings"
	"testing"
)

// logicScript draws a quad with a logical operation, in colors of FragCoord.
const logicScript = `#!amber
SHADER vertex v SPIRV-ASM
` + placedVertex + `END
SHADER fragment f SPIRV-ASM
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %at %o
OpExecutionMode %main OriginUpperLeft
OpDecorate %at BuiltIn FragCoord
OpDecorate %o Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%uint = OpTypeInt 32 0
%v4 = OpTypeVector %float 4
%u4 = OpTypeVector %uint 4
%in4 = OpTypePointer Input %v4
%outp = OpTypePointer Output OUTTYPE
%at = OpVariable %in4 Input
%o = OpVariable %outp Output
%a = OpConstant %float FACTOR
%b = OpConstant %float 0.25
%k = OpConstant %uint 29
%k4 = OpConstantComposite %u4 %k %k %k %k
%main = OpFunction %void None %fn
%l = OpLabel
%x = OpLoad %v4 %at
%y = OpVectorTimesScalar %v4 %x %a
%n = OpConvertFToU %u4 %x
%m = OpIMul %u4 %n %k4
OpStore %o OUTVALUE
OpReturn
OpFunctionEnd
END
BUFFER corners DATA_TYPE vec4<float> DATA
-1 -1 0 1
1 -1 0 1
-1 1 0 1
1 1 0 1
END
BUFFER picture FORMAT FORMATNAME
PIPELINE graphics draw
  ATTACH v
  ATTACH f
  VERTEX_DATA corners LOCATION 0
  BIND BUFFER picture AS color LOCATION 0
  FRAMEBUFFER_SIZE 8 8
  STATE
    LOGIC_OP OPERATION
  END
END
CLEAR_COLOR draw 100 7 200 51
CLEAR draw
RUN draw DRAW_ARRAY AS TRIANGLE_STRIP START_IDX 0 COUNT 4
`

// TestPermittedLogic: all logical operations on integers, normalized integers, and on formats that have none ("Logical Operations").
func TestPermittedLogic(t *testing.T) {
	found, judged := 0, 0
	for _, op := range []string{"clear", "and", "and_reverse", "copy", "and_inverted", "no_op", "xor", "or", "nor", "equivalent", "invert", "or_reverse", "copy_inverted", "or_inverted", "nand", "set"} {
		for _, f := range []struct{ name, kind, value, factor string }{
			{"R8G8B8A8_UNORM", "%v4", "%y", "0.0784313725"}, // 20/255, so that each component is an integer and a half
			{"R16G16B16A16_UNORM", "%v4", "%y", "0.11"}, {"R8G8B8A8_UINT", "%u4", "%m", "1"}, {"R16G16_UINT", "%u4", "%m", "1"},
			{"R8G8B8A8_SRGB", "%v4", "%y", "0.11"}, {"R16G16B16A16_SFLOAT", "%v4", "%y", "0.11"},
		} {
			p, r := permit(t, "logic.amber", strings.NewReplacer("OUTTYPE", f.kind, "OUTVALUE", f.value, "FACTOR", f.factor, "FORMATNAME", f.name, "OPERATION", op).Replace(logicScript))
			right := r.Contents["picture"]
			if len(p.Pictures) != 1 || len(right) == 0 || p.Pictures[0].Undecided != "" {
				t.Fatalf("%s, %s: %v, undecided %q", op, f.name, r.Message, p.Pictures[0].Undecided)
			}
			if list, any := p.Pictures[0].Judge(right); len(list) > 0 || any > 64 { // FragCoord.w is close to 1: its integer may be 0
				t.Errorf("%s, %s: %d components with any value, %d are not permitted, the first %+v", op, f.name, any, len(list), list[:min(len(list), 1)])
			}
			judged++
			if findsSeeded(p.Pictures[0], right) {
				found++
			}
		}
	}
	if found < judged*9/10 {
		t.Errorf("%d of %d seeded values are found", found, judged)
	}
}
