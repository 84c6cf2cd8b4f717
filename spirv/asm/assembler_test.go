package asm

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// TestAssemble checks the words of each form of the syntax, written out from
// the encoding of instructions (SPIR-V §2.2.1, §2.3, §3.3).
func TestAssemble(t *testing.T) {
	head := spirv.Head
	tests := []struct {
		name, text string
		want       []uint32
	}{
		{"nothing", " ; only a comment\n\t\r\n", nil},
		{"no operands", "OpNop", []uint32{head(spirv.OpNop, 1)}},
		{"enumerant", "OpCapability Shader", []uint32{head(spirv.OpCapability, 2), 1}},
		{"named ids in order of their words", "%a = OpTypeVoid %b = OpTypeFunction %a", []uint32{head(spirv.OpTypeVoid, 2), 1, head(spirv.OpTypeFunction, 3), 2, 1}},
		{"type before result", "%x = OpUndef %t", []uint32{head(spirv.OpUndef, 3), 1, 2}},
		{"numbers are names", "%7 = OpTypeVoid", []uint32{head(spirv.OpTypeVoid, 2), 1}},
		{"comment between operands", "OpLine %f ; file\n 3 4", []uint32{head(spirv.OpLine, 4), 1, 3, 4}},
		{"string", `OpExtension "abc"`, []uint32{head(spirv.OpExtension, 2), 0x636261}},
		{"string of whole words", `OpExtension "abcd"`, []uint32{head(spirv.OpExtension, 3), 0x64636261, 0}},
		{"empty string", `OpExtension ""`, []uint32{head(spirv.OpExtension, 2), 0}},
		{"escapes", `OpExtension "\"\\n"`, []uint32{head(spirv.OpExtension, 2), 0x6e5c22}},
		{"strings without a space between", `OpExtension "a""b"`, []uint32{head(spirv.OpExtension, 3), 0x62222261, 0}},
		{"quotes in a string", `OpExtension "a"b"c" OpExtension """"`, []uint32{head(spirv.OpExtension, 3), 0x22622261, 'c', head(spirv.OpExtension, 2), 0x2222}},
		{"separators in a string", "OpExtension \"a;\n\"", []uint32{head(spirv.OpExtension, 2), 0x0a3b61}},
		{"mask", "OpStore %p %v Volatile|Aligned 16", []uint32{head(spirv.OpStore, 5), 1, 2, 3, 16}},
		{"mask parameters in order of bits", "%r = OpImageFetch %t %i %c Lod|Bias %b %l",
			[]uint32{head(spirv.OpImageFetch, 8), 1, 2, 3, 4, 3, 5, 6}},
		{"mask of nothing", "OpStore %p %v None", []uint32{head(spirv.OpStore, 4), 1, 2, 0}},
		{"alias", "OpCapability SubgroupBallotKHR OpDecorate %1 NonUniformEXT",
			[]uint32{head(spirv.OpCapability, 2), 4423, head(spirv.OpDecorate, 3), 1, 5300}},
		{"optional operands absent", "OpSource GLSL 450 %1 = OpTypeVoid", []uint32{head(spirv.OpSource, 3), 2, 450, head(spirv.OpTypeVoid, 2), 1}},
		{"wide constant", "%l = OpTypeInt 64 1 %c = OpConstant %l -2",
			[]uint32{head(spirv.OpTypeInt, 4), 1, 64, 1, head(spirv.OpConstant, 5), 1, 2, 0xfffffffe, 0xffffffff}},
		{"narrow constant is sign-extended", "%s = OpTypeInt 16 1 %c = OpConstant %s -2",
			[]uint32{head(spirv.OpTypeInt, 4), 1, 16, 1, head(spirv.OpConstant, 4), 1, 2, 0xfffffffe}},
		{"half", "%h = OpTypeFloat 16 %c = OpSpecConstant %h 0x1p+0",
			[]uint32{head(spirv.OpTypeFloat, 3), 1, 16, head(spirv.OpSpecConstant, 4), 1, 2, 0x3c00}},
		{"encoded float", "%h = OpTypeFloat 16 BFloat16KHR %c = OpConstant %h 1",
			[]uint32{head(spirv.OpTypeFloat, 4), 1, 16, 0, head(spirv.OpConstant, 4), 1, 2, 0x3f80}},
		{"wide switch", "%l = OpTypeInt 64 0 %c = OpConstantNull %l OpSwitch %c %d 0x100000000 %e 7 %d",
			[]uint32{head(spirv.OpTypeInt, 4), 1, 64, 0, head(spirv.OpConstantNull, 3), 1, 2, head(spirv.OpSwitch, 9), 2, 3, 0, 1, 4, 7, 0, 3}},
		{"a type stays a type after a second definition", "%l = OpTypeInt 32 0 %l = OpConstant %l 1 %l = OpConstant %l 2",
			[]uint32{head(spirv.OpTypeInt, 4), 1, 32, 0, head(spirv.OpConstant, 4), 1, 1, 1, head(spirv.OpConstant, 4), 1, 1, 2}},
		{"operation of a specialization constant", "%c = OpSpecConstantOp %t IAdd %a %b",
			[]uint32{head(spirv.OpSpecConstantOp, 6), 1, 2, uint32(spirv.OpIAdd), 3, 4}},
		{"its literals", "%c = OpSpecConstantOp %t CompositeExtract %a 1 2",
			[]uint32{head(spirv.OpSpecConstantOp, 7), 1, 2, uint32(spirv.OpCompositeExtract), 3, 1, 2}},
		{"extended instruction", `%g = OpExtInstImport "GLSL.std.450" %r = OpExtInst %t %g Sqrt %x`,
			[]uint32{head(spirv.OpExtInstImport, 6), 1, 0x4c534c47, 0x6474732e, 0x3035342e, 0, head(spirv.OpExtInst, 6), 2, 3, 1, 31, 4}},
		{"extended instruction without effect by number", `%g = OpExtInstImport "NonSemantic.X" %r = OpExtInst %t %g 7 %x`,
			[]uint32{head(spirv.OpExtInstImport, 6), 1, 0x536e6f4e, 0x6e616d65, 0x2e636974, 0x58, head(spirv.OpExtInst, 6), 2, 3, 1, 7, 4}},
		{"extended instruction without effect and more ids", `%g = OpExtInstImport "NonSemantic.DebugBreak" %r = OpExtInst %t %g DebugBreak %x`,
			[]uint32{head(spirv.OpExtInstImport, 8), 1, 0x536e6f4e, 0x6e616d65, 0x2e636974, 0x75626544, 0x65724267, 0x00006b61, head(spirv.OpExtInst, 6), 2, 3, 1, 1, 4}},
		{"decoration with a string", `OpDecorate %f LinkageAttributes "g" Export`, []uint32{head(spirv.OpDecorate, 5), 1, 41, 0x67, 0}},
		{"pairs", "%p = OpPhi %t %a %b %c %d", []uint32{head(spirv.OpPhi, 7), 1, 2, 3, 4, 5, 6}},
		{"immediate operand", "%c = OpConstant !1 42", []uint32{head(spirv.OpConstant, 4), 1, 1, 42}},
		{"immediate before the result", "%a = OpArrayLength !2 %c 123", []uint32{head(spirv.OpArrayLength, 5), 2, 1, 2, 123}},
		{"anything after an immediate", "%a = OpTypeVector %c !5 \"x\" -6 0.5 %b",
			[]uint32{head(spirv.OpTypeVector, 8), 1, 2, 5, 0x78, 0xfffffffa, 0x3f000000, 3}},
		{"immediate instruction", "!0x00040015 %a !32 1 OpNop", []uint32{0x40015, 1, 32, 1, head(spirv.OpNop, 1)}},
		{"unknown instruction", "OpUnknown(65534, 3) 42 !99 OpNop", []uint32{head(65534, 3), 42, 99, head(spirv.OpNop, 1)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			words, err := Assemble([]byte(tt.text), AssembleOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(words[spirv.HeaderWords:], tt.want) {
				t.Errorf("%s\n got %#x\nwant %#x", tt.text, words[spirv.HeaderWords:], tt.want)
			}
		})
	}
}

func TestHeader(t *testing.T) {
	words, err := Assemble([]byte("%a = OpTypeVoid %b = OpTypeBool"), AssembleOptions{Version: spirv.Version13, Generator: 9<<16 | 1})
	if err != nil {
		t.Fatal(err)
	}
	if want := []uint32{spirv.Magic, 0x10300, 9<<16 | 1, 3, 0}; !slices.Equal(words[:5], want) {
		t.Errorf("header %#x; want %#x", words[:5], want)
	}
	if words, _ = Assemble(nil, AssembleOptions{}); words[1] != 0x10600 || words[3] != 1 {
		t.Errorf("an empty text has version %#x and bound %d; want the newest and 1", words[1], words[3])
	}
}

// TestPreserveNumericIDs pins the ids of names if some numbers are in use.
func TestPreserveNumericIDs(t *testing.T) {
	text := "%a = OpTypeVoid %3 = OpTypeBool %b = OpTypeEvent %1 = OpTypeSampler %c = OpTypeQueue ; %2\nOpName %c \"%5\""
	words, err := Assemble([]byte(text), AssembleOptions{PreserveNumericIDs: true})
	if err != nil {
		t.Fatal(err)
	}
	var got []uint32
	for i := 6; i < 15; i += 2 {
		got = append(got, words[i])
	}
	if want := []uint32{2, 3, 4, 1, 5}; !slices.Equal(got, want) || words[3] != 6 {
		t.Errorf("ids %d, bound %d; want %d and 6", got, words[3], want)
	}
	words, err = Assemble([]byte("%4294967294 = OpTypeVoid"), AssembleOptions{PreserveNumericIDs: true})
	if err != nil || words[3] != 4294967295 {
		t.Errorf("the largest id: %v, bound %d; want 4294967295", err, words[3])
	}
}

func TestTarget(t *testing.T) {
	for name, want := range map[string]spirv.Version{
		"spv1.0": 0x10000, "universal1.5": 0x10500, "vulkan1.0": 0x10000, "vulkan1.1": 0x10300, "vulkan1.1spv1.4": 0x10400,
		"vulkan1.2": 0x10500, "vulkan1.3": 0x10600, "vulkan1.4": 0x10600, "opencl2.1": 0x10000, "opencl2.2embedded": 0x10200, "opengl4.5": 0x10000,
	} {
		if got, ok := Target(name); !ok || got != want {
			t.Errorf("%s: %v, %v; want %v", name, got, ok, want)
		}
	}
	if _, ok := Target("vulkan9"); ok {
		t.Error("vulkan9 is a target")
	}
	for _, name := range Targets() {
		if _, ok := Target(name); !ok {
			t.Errorf("%s is listed and not known", name)
		}
	}
}

// TestFaults checks position and code of each fault, and the expectation in the
// message.
func TestFaults(t *testing.T) {
	tests := []struct {
		text      string
		line, col int
		code, say string
	}{
		{"Invalid", 1, 1, "SPV-Text-Instruction", "expected an opcode or a result id, found 'Invalid'"},
		{"OpNop\n  5 = OpNop", 2, 3, "SPV-Text-Instruction", "expected an opcode or a result id"},
		{"%a", 1, 3, "SPV-Text-Instruction", "expected = after the result id %a, found the end of the text"},
		{"%a OpTypeVoid", 1, 4, "SPV-Text-Instruction", "expected ="},
		{"%a =", 1, 5, "SPV-Text-Instruction", "expected an opcode"},
		{"%a = foo", 1, 6, "SPV-Text-Instruction", "expected an opcode"},
		{"OpFoo", 1, 1, "SPV-Text-Opcode", "'OpFoo' is no opcode"},
		{"OpTypeVoid", 1, 1, "SPV-Text-Result", "expected %id ="},
		{"\n%a = OpNop", 2, 1, "SPV-Text-Result", "OpNop has no result"},
		{"OpCapability", 1, 13, "SPV-Text-Operand", "expected a Capability, found the end of the text"},
		{"OpCapability OpNop", 1, 14, "SPV-Text-Operand", "ends early"},
		{"OpCapability Foo", 1, 14, "SPV-Text-Operand", "expected a Capability"},
		{"OpCapability 1", 1, 14, "SPV-Text-Operand", "expected a Capability"},
		{"OpStore %p %v Volatile|", 1, 15, "SPV-Text-Operand", "expected a MemoryAccess"},
		{"OpStore %p %v Volatile|Foo", 1, 15, "SPV-Text-Operand", "expected a MemoryAccess"},
		{"OpName x \"\"", 1, 8, "SPV-Text-Operand", "expected an id for Target"},
		{"OpName %a-b \"\"", 1, 8, "SPV-Text-Id", "'%a-b' is no id"},
		{"OpName % \"\"", 1, 8, "SPV-Text-Id", "expected a name"},
		{"OpName %a b", 1, 11, "SPV-Text-Operand", "expected a quoted string for Name"},
		{"OpName %a \"b", 1, 11, "SPV-Text-String", "ends with a double quote"},
		{"OpName %a \"b\"c\"", 1, 11, "SPV-Text-String", "ends with a double quote"},
		{"OpName %a \"b\"\\\"", 1, 11, "SPV-Text-String", "ends with a double quote"},
		{"OpName %a \"b\"c", 1, 11, "SPV-Text-String", "ends with a double quote"},
		{"OpName %a \"b\\", 1, 11, "SPV-Text-String", "ends with a double quote"},
		{"OpName %a \"b\x00c\"", 1, 13, "SPV-Text-String", "zero byte"},
		{"OpKill 1", 1, 8, "SPV-Text-Instruction", "expected an opcode"},
		{"OpSource GLSL 1.5", 1, 15, "SPV-Text-Literal", "expected an unsigned integer literal"},
		{"OpSource GLSL -1", 1, 15, "SPV-Text-Literal", "is negative"},
		{"OpSource GLSL 4294967296", 1, 15, "SPV-Text-Literal", "does not fit in 32 bits"},
		{"%i = OpTypeInt 16 0\n%c = OpConstant %i 65536", 2, 20, "SPV-Text-Literal", "does not fit in 16 bits"},
		{"%f = OpTypeFloat 32 %c = OpConstant %f 1e40", 1, 40, "SPV-Text-Literal", "in the range of a 32-bit float"},
		{"%f = OpTypeFloat 17 %c = OpConstant %f 1", 1, 40, "SPV-Text-Literal", "the type has 17 bits"},
		{"%f = OpTypeInt 128 0 %c = OpConstant %f 1", 1, 41, "SPV-Text-Literal", "the type has 128 bits"},
		{"%f = OpTypeFloat 8 BFloat16KHR", 1, 31, "SPV-Text-FloatWidth", "has 16 bits"},
		{"%f = OpTypeInt 32 0 %f = OpTypeInt 32 0", 1, 21, "SPV-Text-Type", "%f is a type already"},
		{"%f = OpTypeVoid %g = OpTypeVoid %f = OpTypeStruct", 1, 33, "SPV-Text-Type", "%f is a type already"},
		{"%f = OpTypeInt !32", 1, 1, "SPV-Text-Type", "found 1 words"},
		{"%f = OpTypeInt 32 !0 !0", 1, 1, "SPV-Text-Type", "found 3 words"},
		{"%f = OpTypeFloat !32 !1 !1", 1, 1, "SPV-Text-Type", "at most an encoding"},
		{"%f = OpTypeFloat 8 !77", 1, 1, "SPV-Text-Type", "77 is no FPEncoding"},
		{"%b = OpTypeBool %c = OpConstant %b 1", 1, 36, "SPV-Text-LiteralType", "expected a result type"},
		{"OpSwitch %s %d 1 %a", 1, 16, "SPV-Text-LiteralType", "expected a selector"},
		{"%c = OpSpecConstantOp %t FMin %a", 1, 26, "SPV-Text-SpecConstantOp", "found 'FMin'"},
		{"%c = OpSpecConstantOp %t SpecConstantOp %a", 1, 26, "SPV-Text-SpecConstantOp", "expected an opcode"},
		{"%i = OpExtInstImport \"Foo\"", 1, 22, "SPV-Text-Import", "no known extended instruction set"},
		{"%i = OpExtInstImport \"OpenCL.std\"\n%i = OpExtInstImport \"OpenCL.std\"", 2, 1, "SPV-Text-Import", "is an instruction set already"},
		{"%r = OpExtInst %t %i Sqrt %x", 1, 22, "SPV-Text-Import", "expected an earlier OpExtInstImport"},
		{"%i = OpExtInstImport \"OpenCL.std\" %r = OpExtInst %t %i foo", 1, 56, "SPV-Text-ExtInst", "expected an instruction of OpenCL.std"},
		{"%i = OpExtInstImport \"OpenCL.std\" %r = OpExtInst %t %i sqrt %a %b", 1, 64, "SPV-Text-Operand", "sqrt takes 1 operands"},
		{"!4294967296", 1, 1, "SPV-Text-Immediate", "a word of 32 bits"},
		{"!-1", 1, 1, "SPV-Text-Immediate", "a word of 32 bits"},
		{"OpMemoryModel !0 foo", 1, 18, "SPV-Text-Immediate", "after an immediate word"},
		{"!2 = OpNop", 1, 4, "SPV-Text-Immediate", "found '='"},
		{"OpUnknown(1", 1, 12, "SPV-Text-Unknown", "expected OpUnknown(opcode, word count)"},
		{"OpUnknown(1, 3) 4", 1, 18, "SPV-Text-Unknown", "expected 3 words"},
		{"OpUnknown(1, 0)", 1, 16, "SPV-Text-Unknown", "has 1 words"},
		{"OpExtension \"" + strings.Repeat("x", 4*maxWords) + "\"", 1, 13, "SPV-Text-Size", "at most 65535"},
		{"%s = OpTypeStruct" + strings.Repeat(" %a", maxWords), 1, 18 + 3*maxWords, "SPV-Text-Size", "at most 65535"},
	}
	for _, tt := range tests {
		words, err := Assemble([]byte(tt.text), AssembleOptions{})
		checkFault(t, tt.text, words, err, diag.Pos{Line: tt.line, Column: tt.col}, tt.code, tt.say)
	}
	for text, say := range map[string]string{"%r = OpCopyLogical %t %a": "needs 1.4", "OpTypeVoid": "has a result"} {
		if _, err := Assemble([]byte(text), AssembleOptions{Version: spirv.Version13}); err == nil || !strings.Contains(err.Error(), say) {
			t.Errorf("%s for 1.3: %v; want %q", text, err, say)
		}
	}
	for _, id := range []string{"0", "01", "4294967295", "9999999999999"} {
		words, err := Assemble([]byte("%"+id+" = OpTypeVoid"), AssembleOptions{PreserveNumericIDs: true})
		checkFault(t, id, words, err, diag.Pos{Line: 1, Column: 1}, "SPV-Text-Id", "cannot keep its number")
	}
}

func checkFault(t *testing.T, text string, words []uint32, err error, pos diag.Pos, code, say string) {
	t.Helper()
	text = shorten(text)
	var f *diag.Finding
	if !errors.As(err, &f) {
		t.Errorf("%s: %v; want %s", text, err, code)
		return
	}
	if f.Code != code || f.Pos != pos || !strings.Contains(f.Message, say) {
		t.Errorf("%s:\n got %v\nwant %v: … %s … [%s]", text, f, pos, say, code)
	}
	if words != nil {
		t.Errorf("%s: words with a finding", text)
	}
}

// TestLargeText assembles texts of a piece and around two of them: a comment, and an instruction at the end.
func TestLargeText(t *testing.T) {
	const last = "\nOpNop\n"
	for _, n := range []int{1 << 20, 1<<20 + 1, 2<<20 - 1, 2<<20 + 3} {
		text := ";" + strings.Repeat("x", n-1-len(last)) + last
		words, err := Assemble([]byte(text), AssembleOptions{})
		if err != nil || len(words) != spirv.HeaderWords+1 {
			t.Errorf("%d bytes: %d words, %v; want one instruction", n, len(words), err)
		}
	}
}
