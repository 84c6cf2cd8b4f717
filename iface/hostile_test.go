package iface_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/facts"
	"github.com/chiaro-gpu/chiaro/iface"
	"github.com/chiaro-gpu/chiaro/spirv"
	"github.com/chiaro-gpu/chiaro/spirv/asm"
	"github.com/chiaro-gpu/chiaro/valid"
)

// TestUnfolded reflects interfaces that would be endless if they were unfolded:
// huge arrays of structs without members, and structs of two of each other.
func TestUnfolded(t *testing.T) {
	doubled := func(first string) string {
		var b strings.Builder
		fmt.Fprintf(&b, "%%s0 = OpTypeStruct %s\n", first)
		for i := 1; i < 60; i++ {
			fmt.Fprintf(&b, "%%s%d = OpTypeStruct %%s%d %%s%d\n", i, i-1, i-1)
		}
		return b.String() + "%t = OpTypeStruct %s59 %s59\n"
	}
	for name, c := range map[string]struct{ annotations, types string }{
		"array of nothing":    {"", "%s = OpTypeStruct\n%a = OpTypeArray %s %n\n%b = OpTypeArray %a %n\n%t = OpTypeStruct %b\n"},
		"doubled nothing":     {"", doubled("")},
		"doubled built-ins":   {"OpMemberDecorate %s0 0 BuiltIn Position\n", doubled("%v4")},
		"doubled huge arrays": {"", "%big = OpTypeArray %v4 %n\n" + doubled("%big")},
	} {
		words, err := asm.Assemble([]byte("OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint Vertex %main \"main\" %v\nOpDecorate %v Location 0\n"+c.annotations+
			"%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%float = OpTypeFloat 32\n%v4 = OpTypeVector %float 4\n%uint = OpTypeInt 32 0\n%n = OpConstant %uint 4294967295\n"+c.types+
			"%p = OpTypePointer Output %t\n%v = OpVariable %p Output\n%main = OpFunction %void None %fn\n%l = OpLabel\nOpReturn\nOpFunctionEnd\n"), asm.AssembleOptions{Version: spirv.Version16})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		m, err := spirv.FromWords(words)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		e := iface.Reflect(valid.Assume(facts.Gather(m, nil)))[0]
		if n := len(e.Outputs) + len(e.BuiltIns); n > 1<<13 {
			t.Errorf("%s: %d outputs; must be bounded", name, n)
		}
	}
}
