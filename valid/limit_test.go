package valid

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/asmtest"
	"github.com/chiaro-gpu/chiaro/spirv"
)

// TestUniversalLimits checks a module at each universal limit of SPIR-V §2.17, and
// one beyond it. The text of a module with many variables has one of them.
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
	}{
		{"members", 16383, "SPV-Type-StructMembers", func(n int) (string, string) {
			return "%s = OpTypeStruct" + strings.Repeat(" %u32", n), ""
		}},
		{"nested structs", 255, "SPV-Type-StructDepth", func(n int) (string, string) {
			var s strings.Builder
			s.WriteString("%s0 = OpTypeStruct %u32\n")
			for k := 1; k < n; k++ {
				fmt.Fprintf(&s, "%%s%d = OpTypeStruct %%s%d\n", k, k-1)
			}
			return s.String(), ""
		}},
		{"variables of a module", 65535, "SPV-Variable-Globals", func(int) (string, string) {
			return "%v = OpVariable %private Private", ""
		}},
		{"variables of a function", 524287, "SPV-Variable-Locals", func(int) (string, string) {
			return "", "%v = OpVariable %function Function"
		}},
		{"cases", 16383, "SPV-Switch-Branches", func(n int) (string, string) {
			return "", "OpSelectionMerge %m None\nOpSwitch %zero %m " + strings.ReplaceAll(each(n, "# %%m"), "\n", " ") + "\n%m = OpLabel"
		}},
		{"parameters", 255, "SPV-Type-FunctionParameters", func(n int) (string, string) {
			return "%f = OpTypeFunction %void" + strings.Repeat(" %u32", n), ""
		}},
		{"nested constructs", 1023, "SPV-Construct-Depth", func(n int) (string, string) {
			var s strings.Builder
			s.WriteString(each(n, "OpSelectionMerge %%m# None\nOpBranchConditional %%true %%t# %%m#\n%%t# = OpLabel"))
			for k := n - 1; k >= 0; k-- {
				fmt.Fprintf(&s, "OpBranch %%m%d\n%%m%d = OpLabel\n", k, k)
			}
			return "", s.String()
		}},
	} {
		t.Run(k.what, func(t *testing.T) {
			for _, n := range []int{k.limit, k.limit + 1} {
				global, body := k.text(n)
				text := fmt.Sprintf(limitText, global, body)
				words := asmtest.Words(t, text, env.SPIRV)
				m, err := spirv.FromWords(copyVariable(words, n))
				if err != nil {
					t.Fatal(err)
				}
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

// copyVariable returns a module with n variables in place of its one, if it has one. Half a million lines of text would
// take seconds to assemble.
func copyVariable(words []uint32, n int) []uint32 {
	const header, bound = 5, 3
	for i := header; i < len(words); i += int(words[i] >> 16) {
		if spirv.Op(words[i]&0xffff) != spirv.OpVariable {
			continue
		}
		end := i + int(words[i]>>16)
		out := slices.Clone(words[:end])
		for range n - 1 {
			out = append(out, words[i], words[i+1], out[bound], words[i+3])
			out[bound]++
		}
		return append(out, words[end:]...)
	}
	return words
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
