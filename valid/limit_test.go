package valid

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestUniversalLimits checks a module at each universal limit of SPIR-V §2.17, and
// one beyond it. CHIARO_LONG adds the variables of a function.
func TestUniversalLimits(t *testing.T) {
	env, _ := ParseEnv("spv1.3")
	each := func(n int, format string) string {
		var s strings.Builder
		for k := range n {
			fmt.Fprintf(&s, strings.ReplaceAll(format, "#", "%[1]d")+"\n", k)
		}
		return s.String()
	}
	for _, k := range []struct {
		what  string
		limit int
		code  string
		text  func(n int) (global, body string)
		long  bool
	}{
		{"members", 16383, "SPV-Type-StructMembers", func(n int) (string, string) {
			return "%s = OpTypeStruct" + strings.Repeat(" %u32", n), ""
		}, false},
		{"nested structs", 255, "SPV-Type-StructDepth", func(n int) (string, string) {
			var s strings.Builder
			s.WriteString("%s0 = OpTypeStruct %u32\n")
			for k := 1; k < n; k++ {
				fmt.Fprintf(&s, "%%s%d = OpTypeStruct %%s%d\n", k, k-1)
			}
			return s.String(), ""
		}, false},
		{"variables of a module", 65535, "SPV-Variable-Globals", func(n int) (string, string) {
			return each(n, "%%v# = OpVariable %%private Private"), ""
		}, false},
		{"variables of a function", 524287, "SPV-Variable-Locals", func(n int) (string, string) {
			return "", each(n, "%%v# = OpVariable %%function Function")
		}, true},
		{"cases", 16383, "SPV-Switch-Branches", func(n int) (string, string) {
			return "", "OpSelectionMerge %m None\nOpSwitch %zero %m " + strings.ReplaceAll(each(n, "# %%m"), "\n", " ") + "\n%m = OpLabel"
		}, false},
		{"parameters", 255, "SPV-Type-FunctionParameters", func(n int) (string, string) {
			return "%f = OpTypeFunction %void" + strings.Repeat(" %u32", n), ""
		}, false},
		{"nested constructs", 1023, "SPV-Construct-Depth", func(n int) (string, string) {
			var s strings.Builder
			s.WriteString(each(n, "OpSelectionMerge %%m# None\nOpBranchConditional %%true %%t# %%m#\n%%t# = OpLabel"))
			for k := n - 1; k >= 0; k-- {
				fmt.Fprintf(&s, "OpBranch %%m%d\n%%m%d = OpLabel\n", k, k)
			}
			return "", s.String()
		}, false},
	} {
		t.Run(k.what, func(t *testing.T) {
			if k.long && os.Getenv("CHIARO_LONG") == "" {
				t.Skip("half a million variables take 2 seconds: set CHIARO_LONG to try them")
			}
			for _, n := range []int{k.limit, k.limit + 1} {
				global, body := k.text(n)
				text := fmt.Sprintf(limitText, global, body)
				m := moduleOf(t, text, env.SPIRV)
				r := judgeIn(t, m, env)
				var codes []string
				for _, f := range r.Findings {
					codes = append(codes, f.Code)
				}
				var want []string
				if n > k.limit {
					want = []string{k.code}
				}
				if codes = slices.Compact(codes); !slices.Equal(codes, want) {
					t.Errorf("%d %s have findings %v; want %v", n, k.what, codes, want)
				}
			}
		})
	}
}

const limitText = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %%main "main"
OpExecutionMode %%main LocalSize 1 1 1
%%void = OpTypeVoid
%%fn = OpTypeFunction %%void
%%bool = OpTypeBool
%%true = OpConstantTrue %%bool
%%u32 = OpTypeInt 32 0
%%zero = OpConstant %%u32 0
%%private = OpTypePointer Private %%u32
%%function = OpTypePointer Function %%u32
%s
%%main = OpFunction %%void None %%fn
%%entry = OpLabel
%s
OpReturn
OpFunctionEnd
`
