package lower

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// extreme is a compute shader with more declarations and a body.
func extreme(types, body string) []byte {
	return []byte(`OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%true = OpConstantTrue %bool
%uint = OpTypeInt 32 0
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%big = OpConstant %uint 65536
%huge = OpConstant %uint 4294967295
` + types + `
%main = OpFunction %void None %fn
%entry = OpLabel
` + body + `
OpFunctionEnd
`)
}

// repeat writes a text for each number below n.
func repeat(n int, f func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(f(i))
	}
	return b.String()
}

// TestExtremes lowers what is too large or too deep, and what is only long. Each
// takes little time, and what is refused is refused by name.
func TestExtremes(t *testing.T) {
	nested := func(n int) string {
		return "%s0 = OpTypeStruct %uint\n" + repeat(n, func(i int) string {
			return fmt.Sprintf("%%s%d = OpTypeStruct %%s%d\n", i+1, i)
		}) + fmt.Sprintf("%%p = OpTypePointer Private %%s%d\n%%v = OpVariable %%p Private\n", n)
	}
	copyAll := func(typ string) string { return "%x = OpLoad " + typ + " %v\nOpStore %v %x\nOpReturn" }
	tests := []struct {
		name, types, body string
		want              string // part of the error; "" for none
	}{
		{"struct of 200 levels", nested(200), copyAll("%s200"), ""},
		{"struct of 20000 levels", nested(20000), copyAll("%s20000"), "nested more than 255 deep"},
		{
			"array of arrays", "%a = OpTypeArray %uint %huge\n%aa = OpTypeArray %a %huge\n%aaa = OpTypeArray %aa %huge\n" +
				"%p = OpTypePointer Private %aaa\n%v = OpVariable %p Private\n", copyAll("%aaa"), "slots in private memory",
		},
		{
			"workgroup memory", "%a = OpTypeArray %uint %huge\n%p = OpTypePointer Workgroup %a\n%v = OpVariable %p Workgroup\n" +
				"%pu = OpTypePointer Workgroup %uint\n", "%x = OpAccessChain %pu %v %u1\nOpStore %x %u1\nOpReturn", "a variable of 17179869180 bytes",
		},
		{"many variables", "%a = OpTypeArray %uint %big\n%p = OpTypePointer Function %a\n", repeat(1000, func(i int) string {
			return fmt.Sprintf("%%v%d = OpVariable %%p Function\n", i)
		}) + "OpReturn", "private memory of more than 4194304 slots"},
		{"large value", "%big1 = OpConstant %uint 65537\n%a = OpTypeArray %uint %big1\n%n = OpConstantNull %a\n", "%x = OpCopyObject %a %n\nOpReturn", "a value of 65537 scalars"},
		{
			"many large values", "%a = OpTypeArray %uint %big\n%n = OpConstantNull %a\n", "%x0 = OpCopyObject %a %n\n" + repeat(2000, func(i int) string {
				return fmt.Sprintf("%%x%d = OpCompositeInsert %%a %%u1 %%x%d %d\n", i+1, i, i)
			}) + "OpReturn", "scalars in the module",
		},
		{
			"many operations", "%a = OpTypeArray %uint %big\n%p = OpTypePointer Private %a\n%v = OpVariable %p Private\n",
			repeat(100, func(i int) string {
				return fmt.Sprintf("%%x%d = OpLoad %%a %%v\n%%y%d = OpSelect %%a %%true %%x%d %%x%d\n", i, i, i, i)
			}) + "OpReturn", "a program of more than 4194304 values",
		},
		{
			"deep selections", "", repeat(70000, func(i int) string {
				return fmt.Sprintf("OpSelectionMerge %%m%d None\nOpBranchConditional %%true %%t%d %%m%d\n%%t%d = OpLabel\n", i, i, i, i)
			}) + "OpReturn\n" + repeat(70000, func(i int) string { return fmt.Sprintf("%%m%d = OpLabel\nOpReturn\n", 69999-i) }),
			"nested more than 65536 deep",
		},
		{
			"long selections", "", repeat(10000, func(i int) string {
				return fmt.Sprintf("OpSelectionMerge %%m%d None\nOpBranchConditional %%true %%t%d %%m%d\n%%t%d = OpLabel\nOpBranch %%m%d\n%%m%d = OpLabel\n", i, i, i, i, i, i)
			}) + "OpReturn", "",
		},
		{"many blocks", "", repeat(100000, func(i int) string { return fmt.Sprintf("OpBranch %%b%d\n%%b%d = OpLabel\n", i, i) }) + "OpReturn", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			start := time.Now()
			_, err := stage(t, extreme(tt.types, tt.body), nil, Options{})
			if d := time.Since(start); d > time.Minute {
				t.Errorf("took %v", d)
			}
			switch {
			case tt.want == "" && err != nil:
				t.Error(err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("%v; want %q", err, tt.want)
			}
		})
	}
}
