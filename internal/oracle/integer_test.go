package oracle

import (
	"strings"
	"testing"
)

// integerHead are types and constants of the tests of integers.
const integerHead = `%uvec2 = OpTypeVector %uint 2
%uvec4 = OpTypeVector %uint 4
%pair = OpTypeStruct %uint %uint
%pair2 = OpTypeStruct %uint %uint
%u4 = OpConstant %uint 4
%u31 = OpConstant %uint 31
%u30 = OpConstant %uint 30
%umax = OpConstant %uint 4294967295
%uhalf = OpConstant %uint 0x3c00c000
%bytes = OpConstant %uint 0xff020304
%im = OpConstant %int -1
%ileast = OpConstant %int -2147483648
%i5 = OpConstant %int 5
%c2 = OpConstantComposite %uvec2 %u4 %umax
%cpair = OpConstantComposite %pair %u4 %u9
%main = OpFunction`

// TestIntegers has instructions on integers, with the result that SPIR-V and GLSL.std.450 define, or any value where they define none. A
// body computes %n or %s.
func TestIntegers(t *testing.T) {
	for _, c := range []struct {
		body string
		want string
	}{
		{"%s1 = OpCopyLogical %pair2 %cpair\n%n = OpCompositeExtract %uint %s1 1", "9"},
		{"%p = OpIAddCarry %pair %umax %u2\n%n = OpCompositeExtract %uint %p 0", "1"},
		{"%p = OpIAddCarry %pair %umax %u2\n%n = OpCompositeExtract %uint %p 1", "1"},
		{"%p = OpISubBorrow %pair %u1 %u2\n%n = OpCompositeExtract %uint %p 1", "1"},
		{"%p = OpISubBorrow %pair %u2 %u1\n%n = OpCompositeExtract %uint %p 0", "1"},
		{"%p = OpUMulExtended %pair %umax %u4\n%n = OpCompositeExtract %uint %p 1", "3"},
		{"%p = OpSMulExtended %pair %umax %u4\n%m = OpCompositeExtract %uint %p 1\n%n = OpNot %uint %m", "0"}, // −4 has the high-order part −1
		{"%n = OpBitFieldInsert %uint %u0 %u9 %u4 %u2", "16"},
		{"%n = OpBitFieldInsert %uint %u9 %u9 %u4 %u0", "9"},
		{"%n = OpBitFieldInsert %uint %u0 %u9 %u31 %u2", "any value"}, // "undefined if Count plus Offset is greater than the number of bits"
		{"%m = OpVectorInsertDynamic %uvec2 %c2 %u9 %u1\n%n = OpCompositeExtract %uint %m 1", "9"},
		{"%m = OpVectorInsertDynamic %uvec2 %c2 %u9 %u1\n%n = OpCompositeExtract %uint %m 0", "4"},
		{"%m = OpVectorInsertDynamic %uvec2 %c2 %u9 %u2\n%n = OpCompositeExtract %uint %m 0", "any value"}, // out of bounds
		{"%n = OpExtInst %uint %glsl UMin %u9 %u4", "4"},
		{"%n = OpExtInst %uint %glsl UMax %u9 %u4", "9"},
		{"%n = OpExtInst %uint %glsl UClamp %umax %u2 %u4", "4"},
		{"%n = OpExtInst %uint %glsl UClamp %umax %u4 %u2", "any value"}, // "undefined if minVal > maxVal"
		{"%s = OpExtInst %int %glsl SMin %im %i5", "-1"},
		{"%s = OpExtInst %int %glsl SMax %im %i5", "5"},
		{"%s = OpExtInst %int %glsl SAbs %im", "1"},
		{"%s = OpExtInst %int %glsl SSign %ileast", "-1"},
		{"%s = OpExtInst %int %glsl FindSMsb %im", "-1"},
		{"%s = OpExtInst %int %glsl FindSMsb %ileast", "30"},
		{"%s = OpExtInst %int %glsl FindUMsb %u9", "3"},
		{"%s = OpExtInst %int %glsl FindILsb %u4", "2"},
		{"%s = OpExtInst %int %glsl FindILsb %u0", "-1"},
		{"%h = OpExtInst %vec2 %glsl UnpackHalf2x16 %uhalf\n%r = OpCompositeExtract %float %h 0", "-2"},
		{"%h = OpExtInst %vec2 %glsl UnpackHalf2x16 %uhalf\n%r = OpCompositeExtract %float %h 1", "1"},
		{"%k = OpIsNan %bool %a\n%n = OpSelect %uint %k %u1 %u2", "2"},
		{"%k = OpIsInf %bool %a\n%n = OpSelect %uint %k %u1 %u2", "2"},
		{"%s = OpSDot %int %bytes %bytes PackedVectorFormat4x8Bit", "30"}, // (−1)² + 2² + 3² + 4²
		{"%n = OpUDot %uint %c2 %c2", "17"},                               // 4² + (2³² − 1)², of which the last is 1 in 32 bits
		{"%s = OpSDotAccSat %int %bytes %bytes %i5 PackedVectorFormat4x8Bit", "35"},
		{"%n = OpUDotAccSat %uint %bytes %bytes %umax PackedVectorFormat4x8Bit", "4.294967e+09 to 4.2949673e+09"},
	} {
		body := c.body
		switch {
		case strings.Contains(body, "%n ="):
			body += "\n%r = OpConvertUToF %float %n"
		case strings.Contains(body, "%s ="):
			body += "\n%r = OpConvertSToF %float %s"
		}
		text := strings.Replace(head, "OpCapability Shader", "OpCapability Shader\nOpCapability DotProduct\nOpCapability DotProductInputAll\nOpCapability DotProductInput4x8BitPacked", 1)
		text = strings.Replace(text, "%main = OpFunction", integerHead, 1)
		r := runText(t, text+body+tail, 1, 1, 1, 2, 3)
		list, _ := r.Permitted(Place{0, 1})
		if r.Undecided != "" || len(list) != 1 || list[0].String() != c.want {
			t.Errorf("%s: %+v (%s); must be %s", c.body, list, r.Undecided, c.want)
		}
	}
}
