package conformance

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// TestSanitizerRules checks that each finding of a sanitizer names a VUID or the case of a row of docs/undefined.md.
func TestSanitizerRules(t *testing.T) {
	text, err := os.ReadFile("../../docs/undefined.md")
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]bool{"Precision and Operation of SPIR-V Instructions": true} // a section of Vulkan
	for line := range strings.SplitSeq(string(text), "\n") {
		if cells := strings.Split(strings.ReplaceAll(line, `\|`, "¦"), "|"); len(cells) > 2 {
			cases[strings.ReplaceAll(strings.TrimSpace(cells[1]), "¦", "|")] = true
		}
	}
	files, _ := filepath.Glob("../../internal/lower/sanitize*.go")
	form := regexp.MustCompile(`finding\{ir\.Sanitize\w+, "([^"]*)"\}|(?:negative|zero|beyondOne|anyNaN)\("([^"]*)"|\{\{?"([^"]*)", \d, "`)
	n := 0
	for _, file := range files {
		for _, m := range form.FindAllStringSubmatch(goText(t, strings.TrimPrefix(file, "../../")), -1) {
			n++
			rule := m[1] + m[2] + m[3]
			if !cases[rule] && !slices.Contains(vuid.All[:], rule) {
				t.Errorf("%s: %q is neither a VUID nor a case of docs/undefined.md", filepath.Base(file), rule)
			}
		}
	}
	if n < 30 {
		t.Errorf("%d findings; there are more", n)
	}
}

// sanitizerCase is a body that loads %a, %b and %c of operands and has a fault for some of them.
type sanitizerCase struct {
	name      string
	sanitizer string
	rule      string
	body      string
	fault     []uint32 // operands with the fault
	sound     []uint32 // operands without
	message   string   // a part of the report on the fault
	lanes     int      // of the workgroup; 0 is 1
}

func f32(list ...float64) (out []uint32) {
	for _, x := range list {
		out = append(out, math.Float32bits(float32(x)))
	}
	return out
}

func i32(list ...int32) (out []uint32) {
	for _, x := range list {
		out = append(out, uint32(x))
	}
	return out
}

// integerOp and others make bodies of one instruction.
func integerOp(op string) string {
	return "%ia = OpBitcast %int %a\n%ib = OpBitcast %int %b\n%r = " + op + " %int %ia %ib\n%u = OpBitcast %uint %r\nput 0 %u"
}

func unsignedOp(op string) string { return "%u = " + op + " %uint %a %b\nput 0 %u" }

func floatOp(op string, operands int) string {
	return "%fa = OpBitcast %float %a\n%fb = OpBitcast %float %b\n%fc = OpBitcast %float %c\n%r = " + op + " %fa %fb %fc"[:4*operands] +
		"\n%u = OpBitcast %uint %r\nput 0 %u"
}

func glslOp(name string, operands int) string {
	return floatOp("OpExtInst %float %glsl "+name, operands)
}

var (
	inf = math.Inf(1)
	nan = math.NaN()
)

// sanitizerCases are made from SPIR-V, "Instructions", GLSL.std.450 and Vulkan, "Precision and Operation of SPIR-V
// Instructions".
var sanitizerCases = []sanitizerCase{
	{"udiv", "undefined", "OpUDiv, OpUMod by 0", unsignedOp("OpUDiv"), []uint32{9, 0, 0}, []uint32{0, 9, 0}, "a division of 9 by 0", 0},
	{"umod", "undefined", "OpUDiv, OpUMod by 0", unsignedOp("OpUMod"), []uint32{9, 0, 0}, []uint32{0, 9, 0}, "by 0", 0},
	{"sdiv", "undefined", "OpSDiv, OpSRem, OpSMod by 0", integerOp("OpSDiv"), i32(-9, 0, 0), i32(-9, -1, 0), "a division of -9 by 0", 0},
	{"sdiv overflow", "undefined", "OpSDiv of the least number by −1", integerOp("OpSDiv"), i32(math.MinInt32, -1, 0), i32(math.MinInt32, 1, 0), "least number", 0},
	{"srem overflow", "undefined", "OpSRem, OpSMod of the least number by −1", integerOp("OpSRem"), i32(math.MinInt32, -1, 0), i32(7, 2, 0), "least number", 0},
	{"srem negative", "undefined", "OpSRem, OpSMod with operands of either sign", integerOp("OpSRem"), i32(-7, 2, 0), i32(7, 2, 0), "a remainder of -7 by 2", 0},
	{"smod negative", "undefined", "OpSRem, OpSMod with operands of either sign", integerOp("OpSMod"), i32(7, -2, 0), i32(0, 2, 0), "a remainder of 7 by -2", 0},
	{"shift left", "undefined", "shift by the width or more, or by a negative amount", unsignedOp("OpShiftLeftLogical"), []uint32{1, 32, 0}, []uint32{1, 31, 0}, "a shift of 32 bits by 32", 0},
	{"shift right", "undefined", "shift by the width or more, or by a negative amount", unsignedOp("OpShiftRightLogical"), i32(1, -1, 0), []uint32{1, 0, 0}, "a shift of 32 bits by -1", 0},
	{"shift arithmetic", "undefined", "shift by the width or more, or by a negative amount", integerOp("OpShiftRightArithmetic"), i32(1, 33, 0), []uint32{1, 1, 0}, "33", 0},
	{"extract", "undefined", "OpBitFieldUExtract, OpBitFieldSExtract with offset + count beyond the width", "%u = OpBitFieldUExtract %uint %a %b %c\nput 0 %u", []uint32{1, 30, 3}, []uint32{1, 30, 2}, "a field of 3 bits from bit 30 on of 32 bits", 0},
	{"extract wrap", "undefined", "OpBitFieldUExtract, OpBitFieldSExtract with offset + count beyond the width", "%u = OpBitFieldSExtract %uint %a %b %c\nput 0 %u", []uint32{1, 0xffffffff, 2}, []uint32{1, 0, 32}, "", 0},
	{"insert", "undefined", "OpBitFieldInsert with offset + count beyond the width", "%u = OpBitFieldInsert %uint %a %a %b %c\nput 0 %u", []uint32{1, 1, 32}, []uint32{1, 32, 0}, "", 0},
	{"to int", "undefined", "OpConvertFToS, OpConvertFToU out of range", floatOp("OpConvertFToS %int", 1), f32(2147483648, 0, 0), f32(-2147483648, 0, 0), "2.14748e+09", 0},
	{"to uint", "undefined", "OpConvertFToS, OpConvertFToU out of range", floatOp("OpConvertFToU %uint", 1), f32(-1, 0, 0), f32(-0.5, 0, 0), "-1", 0},
	{"NaN to int", "undefined", "OpConvertFToS, OpConvertFToU of NaN", floatOp("OpConvertFToS %int", 1), f32(nan, 0, 0), f32(2147483520, 0, 0), "NaN", 0},
	{"frem", "undefined", "OpFRem, OpFMod by 0", floatOp("OpFRem %float", 2), f32(1, 0, 0), f32(0, 1, 0), "a remainder of 1 by 0", 0},
	{"fmod", "undefined", "OpFRem, OpFMod by 0", floatOp("OpFMod %float", 2), f32(1, 0, 0), f32(0, 1, 0), "a remainder of 1 by 0", 0},
	{"fclamp", "undefined", "FClamp with least > greatest", glslOp("FClamp", 3), f32(1, 3, 2), f32(5, 2, 2), "3 and 2", 0},
	{"fclamp NaN", "undefined", "FClamp of NaN", glslOp("FClamp", 3), f32(nan, 1, 2), f32(1, 1, 2), "NaN", 0},
	{"nclamp", "undefined", "FClamp with least > greatest", glslOp("NClamp", 3), f32(1, 3, 2), f32(nan, 2, 2), "", 0},
	{"uclamp", "undefined", "SClamp, UClamp with least > greatest", "%u = OpExtInst %uint %glsl UClamp %a %b %c\nput 0 %u", []uint32{1, 3, 2}, []uint32{1, 2, 3}, "3 and 2", 0},
	{"sclamp", "undefined", "SClamp, UClamp with least > greatest", "%u = OpExtInst %uint %glsl SClamp %a %b %c\nput 0 %u", i32(1, 1, -2), i32(1, -2, 1), "", 0},
	{"pow", "undefined", "Pow of x < 0", glslOp("Pow", 2), f32(-2, 2, 0), f32(2, -2, 0), "a base of -2", 0},
	{"pow 0", "undefined", "Pow of 0 and y ≤ 0", glslOp("Pow", 2), f32(0, 0, 0), f32(0, 1, 0), "", 0},
	{"sqrt", "undefined", "Sqrt, InverseSqrt of x < 0", glslOp("Sqrt", 1), f32(-1, 0, 0), f32(math.Copysign(0, -1), 0, 0), "-1", 0},
	{"inversesqrt", "undefined", "InverseSqrt of ±0, of ∞", glslOp("InverseSqrt", 1), f32(0, 0, 0), f32(1, 0, 0), "", 0},
	{"log", "undefined", "Log, Log2 of x < 0", glslOp("Log", 1), f32(-1, 0, 0), f32(1, 0, 0), "", 0},
	{"log2 0", "undefined", "Log, Log2 of 0", glslOp("Log2", 1), f32(0, 0, 0), f32(1, 0, 0), "", 0},
	{"asin", "undefined", "Asin, Acos of |x| > 1", glslOp("Asin", 1), f32(1.5, 0, 0), f32(-1, 0, 0), "1.5", 0},
	{"acos", "undefined", "Asin, Acos of |x| > 1", glslOp("Acos", 1), f32(-1.5, 0, 0), f32(1, 0, 0), "", 0},
	{"acosh", "undefined", "Acosh of x < 1", glslOp("Acosh", 1), f32(0.5, 0, 0), f32(1, 0, 0), "", 0},
	{"atanh", "undefined", "Atanh of |x| ≥ 1", glslOp("Atanh", 1), f32(1, 0, 0), f32(0.5, 0, 0), "", 0},
	{"atan2", "undefined", "Atan2 of two zeros", glslOp("Atan2", 2), f32(0, 0, 0), f32(0, 1, 0), "", 0},
	{"smoothstep", "undefined", "SmoothStep with edge0 ≥ edge1, SmoothStep of NaN", glslOp("SmoothStep", 3), f32(1, 1, 0), f32(0, 1, 0), "edges of 1 and 1", 0},
	{"fmin", "undefined", "FMin, FMax if one operand is NaN", glslOp("FMin", 2), f32(nan, 1, 0), f32(2, 1, 0), "", 0},

	{"fdiv", "float", "OpFDiv by 0", floatOp("OpFDiv %float", 2), f32(3, 0, 0), f32(0, 3, 0), "a division of 3 by 0", 0},
	{"NaN", "float", "Precision and Operation of SPIR-V Instructions", floatOp("OpFSub %float", 2), f32(inf, inf, 0), f32(nan, inf, 0), "the result of inf and inf is NaN", 0},
	{"infinity", "float", "Precision and Operation of SPIR-V Instructions", floatOp("OpFMul %float", 2), f32(3e38, 2, 0), f32(inf, 2, 0), "is infinite", 0},
	{"underflow", "float", "Precision and Operation of SPIR-V Instructions", floatOp("OpFMul %float", 2), f32(1e-30, 1e-30, 0), f32(0, 1e-30, 0), "is 0", 0},
	{"exp", "float", "Precision and Operation of SPIR-V Instructions", glslOp("Exp", 1), f32(1000, 0, 0), f32(80, 0, 0), "of 1000 is infinite", 0},
	{"quantize", "float", "OpConvertUToF, OpFConvert beyond the greatest finite number", floatOp("OpQuantizeToF16 %float", 1), f32(70000, 0, 0), f32(65504, 0, 0), "70000", 0},
	{"lost", "float", "Precision and Operation of SPIR-V Instructions", floatOp("OpQuantizeToF16 %float", 1), f32(1e-10, 0, 0), f32(1, 0, 0), "is 0", 0},

	{"load", "bounds", "load outside a buffer", "%p = OpAccessChain %ptr_uint %in %c0 %a\n%u = OpLoad %uint %p\nput 0 %u", []uint32{3, 0, 0}, []uint32{2, 0, 0}, "a load of 4 bytes at offset 12, beyond the 12 bytes", 0},
	{"store", "bounds", "store outside a buffer", "%p = OpAccessChain %ptr_uint %out %c0 %a\nOpStore %p %b", []uint32{64, 0, 0}, []uint32{63, 0, 0}, "at offset 256, beyond the 256 bytes", 0},
	{"atomic", "bounds", "atomic outside a buffer", "%p = OpAccessChain %ptr_uint %out %c0 %a\n%u = OpAtomicIAdd %uint %p %c1 %c0 %b", []uint32{64, 0, 0}, []uint32{63, 0, 0}, "atomic access", 0},
	{"private", "bounds", "index beyond an array in Function or Private memory", "%p = OpAccessChain %ptr_fun_uint %array %a\n%u = OpLoad %uint %p\nput 0 %u", []uint32{4, 0, 0}, []uint32{3, 0, 0}, "index 4 of 4 elements", 0},
	{"unused chain", "", "", "%p = OpAccessChain %ptr_fun_uint %array %a\nput 0 %b", nil, []uint32{4, 0, 0}, "", 0},
	{"component", "bounds", "OpVectorExtractDynamic beyond the vector", "%v = OpCompositeConstruct %uvec2 %b %c\n%u = OpVectorExtractDynamic %uint %v %a\nput 0 %u", []uint32{2, 0, 0}, []uint32{1, 0, 0}, "index 2 of 2 components", 0},

	{"unwritten", "uninit", "a Function or Private variable without initializer", "%is = OpIEqual %bool %a %c0\nOpSelectionMerge %m None\nOpBranchConditional %is %t %m\n%t = OpLabel\nOpStore %local %b\nOpBranch %m\n%m = OpLabel\n%u = OpLoad %uint %local\nput 0 %u", []uint32{1, 0, 0}, []uint32{0, 0, 0}, "a store depends on local, without a value", 0},
	{"unwritten copy", "uninit", "a Function or Private variable without initializer", "%x = OpLoad %uint %local\nOpStore %other %x\nOpCopyMemory %third %other\n%y = OpLoad %uint %third\n%u = OpSelect %uint %isa %y %b\nput 0 %u", []uint32{1, 5, 0}, []uint32{0, 5, 0}, "local, without a value", 0},
	{"unwritten float", "uninit", "a Function or Private variable without initializer", "%x = OpLoad %uint %local\n%f = OpBitcast %float %x\n%g = OpFAdd %float %f %f\n%y = OpBitcast %uint %g\n%u = OpSelect %uint %isa %y %b\nput 0 %u", []uint32{1, 5, 0}, []uint32{0, 5, 0}, "a store depends on local", 0},
	{"unwritten component", "uninit", "a Function or Private variable without initializer", "%px = OpAccessChain %ptr_fun_uint %pair %c0\nOpStore %px %b\n%v = OpLoad %uvec2 %pair\n%u = OpVectorExtractDynamic %uint %v %a\nput 0 %u", []uint32{1, 5, 0}, []uint32{0, 5, 0}, "a store depends on pair", 0},
	{"branch on a copy", "uninit", "a Function or Private variable without initializer", "OpSelectionMerge %m None\nOpBranchConditional %isa %m %t\n%t = OpLabel\nOpStore %local %b\nOpBranch %m\n%m = OpLabel\n%x = OpLoad %uint %local\n%y = OpIAdd %uint %x %c1\n%z = OpINotEqual %bool %y %c0\nOpSelectionMerge %n None\nOpBranchConditional %z %f %n\n%f = OpLabel\nOpBranch %n\n%n = OpLabel\nput 0 %b", []uint32{1, 5, 0}, []uint32{0, 5, 0}, "a branch depends on local", 0},
	{"index", "uninit", "a Function or Private variable without initializer", "%x = OpLoad %uint %local\n%i = OpSelect %uint %isa %x %c1\n%q = OpAccessChain %ptr_fun_uint %array %i\n%u = OpLoad %uint %q\nput 0 %u", []uint32{1, 5, 0}, []uint32{0, 5, 0}, "an index depends on local", 0},
	{"mask", "uninit", "a Function or Private variable without initializer", "%x = OpLoad %uint %local\n%u = OpBitwiseAnd %uint %x %a\nput 0 %u", []uint32{1, 5, 0}, []uint32{0, 5, 0}, "a store depends on local", 0},
	{"undefined value", "uninit", "OpUndef", "%un = OpUndef %uint\n%x = OpIMul %uint %un %a\nput 0 %x", []uint32{1, 5, 0}, []uint32{0, 5, 0}, "a store depends on OpUndef", 0},
	{"stored undefined value", "uninit", "OpUndef", "OpStore %pair %un2\n%v = OpLoad %uvec2 %pair\n%x = OpVectorExtractDynamic %uint %v %c1\n%u = OpSelect %uint %isa %x %b\nput 0 %u", []uint32{1, 5, 0}, []uint32{0, 5, 0}, "a store depends on OpUndef", 0},
	{"undefined constituent", "uninit", "OpUndef", "OpStore %pair %un12\n%v = OpLoad %uvec2 %pair\n%u = OpVectorExtractDynamic %uint %v %a\nput 0 %u", []uint32{1, 5, 0}, []uint32{0, 5, 0}, "a store depends on OpUndef", 0},
	{"argument", "uninit", "a Function or Private variable without initializer", "%x = OpLoad %uint %local\n%y = OpFunctionCall %uint %twice %x\n%u = OpSelect %uint %isa %y %b\nput 0 %u", []uint32{1, 5, 0}, []uint32{0, 5, 0}, "a store depends on local", 0},
	{"pointer", "uninit", "a Function or Private variable without initializer", "OpSelectionMerge %m None\nOpBranchConditional %isa %m %t\n%t = OpLabel\n%n = OpFunctionCall %void %write %local %b\nOpBranch %m\n%m = OpLabel\n%u = OpLoad %uint %local\nput 0 %u", []uint32{1, 5, 0}, []uint32{0, 5, 0}, "a store depends on local", 0},

	{"scan", "uninit", "a Function or Private variable without initializer", "%i = lane\n%without = OpIEqual %bool %i %a\nOpSelectionMerge %m None\nOpBranchConditional %without %m %t\n%t = OpLabel\nOpStore %local %b\nOpBranch %m\n%m = OpLabel\n%x = OpLoad %uint %local\n%y = OpGroupNonUniformIAdd %uint %c3 InclusiveScan %x\n%end = OpIEqual %bool %i %c3\n%drop = OpLogicalAnd %bool %end %without\n%u = OpSelect %uint %drop %b %y\nputlane %u", []uint32{0, 5, 0}, []uint32{3, 5, 0}, "a store depends on", 4},
	{"cluster", "uninit", "a Function or Private variable without initializer", "%i = lane\n%bit = OpBitwiseAnd %uint %i %a\n%without = OpIEqual %bool %bit %c0\nOpSelectionMerge %m None\nOpBranchConditional %without %m %t\n%t = OpLabel\nOpStore %local %b\nOpBranch %m\n%m = OpLabel\n%x = OpLoad %uint %local\n%y = OpGroupNonUniformIAdd %uint %c3 ClusteredReduce %x %c2\n%isb = OpIEqual %bool %a %c2\n%drop = OpLogicalAnd %bool %isb %without\n%u = OpSelect %uint %drop %b %y\nputlane %u", []uint32{1, 5, 0}, []uint32{2, 5, 0}, "a store depends on", 4},

	{"broadcast", "uniform", "VUID-RuntimeSpirv-subgroupBroadcastDynamicId-06277", "%i = lane\n%n = OpIMul %uint %i %a\n%u = OpGroupNonUniformBroadcast %uint %c3 %b %n\nputlane %u", []uint32{1, 0, 0}, []uint32{0, 0, 0}, "is not uniform in the subgroup", 4},
	{"quad broadcast", "uniform", "VUID-RuntimeSpirv-subgroupBroadcastDynamicId-06276", "%i = lane\n%n = OpIMul %uint %i %a\n%u = OpGroupNonUniformQuadBroadcast %uint %c3 %b %n\nputlane %u", []uint32{1, 0, 0}, []uint32{0, 0, 0}, "is not uniform in the quad", 4},
	{"shuffle", "uniform", "a group operation reads an inactive lane", "%u = OpGroupNonUniformShuffle %uint %c3 %b %a\nput 0 %u", []uint32{1, 0, 0}, []uint32{0, 0, 0}, "invocation 1", 0},
	{"quad broadcast to an index", "undefined", "OpGroupNonUniformQuadBroadcast of an index above 3", "%u = OpGroupNonUniformQuadBroadcast %uint %c3 %b %a\nputlane %u", []uint32{4, 0, 0}, []uint32{3, 0, 0}, "index 4", 4},
	{"ballot bit", "undefined", "OpGroupNonUniformBallotBitExtract of a bit beyond the subgroup", "%w = OpCompositeConstruct %uvec4 %b %b %b %b\n%x = OpGroupNonUniformBallotBitExtract %bool %c3 %w %a\n%u = OpSelect %uint %x %c1 %c0\nputlane %u", []uint32{128, 5, 0}, []uint32{3, 5, 0}, "bit 128", 4},
	{"first bit", "undefined", "OpGroupNonUniformBallotFindLSB, OpGroupNonUniformBallotFindMSB without a bit", "%w = OpCompositeConstruct %uvec4 %a %a %a %a\n%u = OpGroupNonUniformBallotFindLSB %uint %c3 %w\nputlane %u", []uint32{0, 5, 0}, []uint32{1, 5, 0}, "no bit", 4},
	{"last bit", "undefined", "OpGroupNonUniformBallotFindLSB, OpGroupNonUniformBallotFindMSB without a bit", "%w = OpCompositeConstruct %uvec4 %a %a %a %a\n%u = OpGroupNonUniformBallotFindMSB %uint %c3 %w\nputlane %u", []uint32{0, 5, 0}, []uint32{1, 5, 0}, "no bit", 4},
	{"inverse ballot", "uniform", "OpGroupNonUniformInverseBallot of ballots that differ", "%i = lane\n%n = OpIMul %uint %i %a\n%w = OpCompositeConstruct %uvec4 %n %n %n %n\n%x = OpGroupNonUniformInverseBallot %bool %c3 %w\n%u = OpSelect %uint %x %c1 %c0\nputlane %u", []uint32{1, 5, 0}, []uint32{0, 5, 0}, "not uniform", 4},
}

// shaderOf returns the shader of a case for operands.
func (c *sanitizerCase) shaderOf(operands []uint32) *shader {
	s := &shader{
		caps: "OpCapability GroupNonUniformArithmetic\nOpCapability GroupNonUniformClustered\n%glsl = OpExtInstImport \"GLSL.std.450\"",
		decl: "%t_array = OpTypeArray %uint %c4\n%p_array = OpTypePointer Function %t_array\n%zeros = OpConstantNull %t_array\n%p_pair = OpTypePointer Function %uvec2\n" +
			"%un1 = OpUndef %uint\n%un2 = OpUndef %uvec2\n%un12 = OpConstantComposite %uvec2 %c1 %un1\n%t_twice = OpTypeFunction %uint %uint\n%t_write = OpTypeFunction %void %ptr_fun_uint %uint",
		annot: "OpName %local \"local\"\nOpName %pair \"pair\"",
		funcs: "%twice = OpFunction %uint None %t_twice\n%twice_x = OpFunctionParameter %uint\n%twice_l = OpLabel\n%twice_r = OpIAdd %uint %twice_x %twice_x\n" +
			"OpReturnValue %twice_r\nOpFunctionEnd\n%write = OpFunction %void None %t_write\n%write_p = OpFunctionParameter %ptr_fun_uint\n" +
			"%write_x = OpFunctionParameter %uint\n%write_l = OpLabel\nOpStore %write_p %write_x\nOpReturn\nOpFunctionEnd\n",
		in: operands, log: &exec.Log{}, lanes: c.lanes,
	}
	s.body = "%array = OpVariable %p_array Function %zeros\n%local = OpVariable %ptr_fun_uint Function\n%other = OpVariable %ptr_fun_uint Function\n" +
		"%third = OpVariable %ptr_fun_uint Function\n%pair = OpVariable %p_pair Function\n%a = get 0\n%b = get 1\n%c = get 2\n%isa = OpIEqual %bool %a %c1\n" + c.body
	s.options.Sanitize = ir.SanitizeAll
	return s
}

// TestSanitizers runs each case with its fault, which is the only report of its sanitizer, and without, which has none.
func TestSanitizers(t *testing.T) {
	for i := range sanitizerCases {
		c := &sanitizerCases[i]
		t.Run(c.name, func(t *testing.T) {
			for _, e := range engines {
				if c.fault != nil {
					c.check(t, e, c.fault, true)
				}
				c.check(t, e, c.sound, false)
			}
		})
	}
}

// TestQuadNeighbors: "If an active invocation reads Value from an inactive invocation, the resulting value is undefined."
func TestQuadNeighbors(t *testing.T) {
	const body = "%i = lane\n%some = OpULessThan %bool %i %a\nOpSelectionMerge %m None\nOpBranchConditional %some %t %m\n%t = OpLabel\n"
	for _, op := range []string{"QuadSwap %uint %c3 %b %c0", "QuadSwap %uint %c3 %b %c1", "QuadSwap %uint %c3 %b %c2", "QuadBroadcast %uint %c3 %b %c3"} {
		c := sanitizerCase{body: body + "%u = OpGroupNonUniform" + op + "\nputlane %u\nOpBranch %m\n%m = OpLabel", lanes: 4}
		for _, e := range engines {
			for active := uint32(1); active <= 4; active += 3 {
				list, ran := c.shaderOf([]uint32{active, 5, 0}).reports(t, e)
				if ran && (len(list) > 0) != (active < 4) {
					t.Errorf("%s, %s with %d active invocations: the reports %v", e.Name(), op, active, list)
				}
			}
		}
	}
}

// check runs a case with operands.
func (c *sanitizerCase) check(t *testing.T, e exec.Engine, operands []uint32, fault bool) {
	s := c.shaderOf(operands)
	list, ran := s.reports(t, e)
	if !ran {
		return
	}
	found := false
	for _, r := range list {
		switch {
		case fault && r.Rule == c.rule && r.Sanitizer == c.sanitizer:
			found = true
			if !strings.Contains(r.Message, c.message) || r.Invocation != "workgroup [0 0 0], invocation [0 0 0]" || r.Times != uint64(max(c.lanes, 1)) {
				t.Errorf("%s, operands %#x: the report %q; must have %q", e.Name(), operands, r.Text(), c.message)
			}
		case !fault || r.Sanitizer == c.sanitizer: // a result without a definition may also be NaN
			t.Errorf("%s, operands %#x: the further report %q", e.Name(), operands, r.Text())
		}
	}
	if found != fault {
		t.Errorf("%s, operands %#x: no report of %q", e.Name(), operands, c.rule)
	}
}
