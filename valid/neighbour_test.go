package valid

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/diag"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// TestNeighbours: an index that certainly differs between invocations 0 and 1 of a workgroup of 8 breaks the rule in
// every execution; for one that may be the same in both the finding is a warning. %i is the number of the invocation,
// %g of the workgroup. Each row's comment has the values of invocations 0 and 1.
func TestNeighbours(t *testing.T) {
	const bit = "%b = OpBitwiseAnd %u %i %u1\n"
	const isOdd = bit + "%o = OpINotEqual %bool %b %u0\n"
	for _, k := range []struct {
		body  string
		error bool
	}{
		{"%k = OpBitwiseAnd %u %i %u1", true},                                                    // 0, 1
		{"%k = OpBitwiseAnd %u %u3 %i", true},                                                    // 0, 1
		{"%k = OpBitwiseAnd %u %i %u2", false},                                                   // 0, 0
		{"%k = OpBitwiseOr %u %i %u2", true},                                                     // 2, 3
		{"%k = OpBitwiseOr %u %i %u1", false},                                                    // 1, 1
		{"%k = OpBitwiseXor %u %i %u1", true},                                                    // 1, 0
		{"%k = OpNot %u %i", true},                                                               // ~0, ~1
		{"%k = OpUMod %u %i %u2", true},                                                          // 0, 1
		{"%k = OpUMod %u %i %u3", true},                                                          // 0, 1
		{"%b = OpISub %u %i %u1\n%k = OpUMod %u %b %u3", false},                                  // 0, 0: 2³²−1 is a multiple of 3
		{"%b = OpSNegate %u %i\n%k = OpUMod %u %b %u3", false},                                   // may wrap in others
		{"%b = OpISub %u %i %u1\n%k = OpUMod %u %b %u2", true},                                   // 1, 0
		{"%k = OpUMod %u %i %u1", false},                                                         // 0, 0
		{"%k = OpUDiv %u %i %u2", false},                                                         // 0, 0
		{"%k = OpShiftRightLogical %u %i %u1", false},                                            // 0, 0
		{"%b = OpShiftLeftLogical %u %i %u1\n%k = OpBitwiseOr %u %b %u0", false},                 // 0, 2, not followed further
		{"%k = OpShiftLeftLogical %u %i %u1", true},                                              // 0, 2
		{"%b = OpIAdd %u %i %u3\n%k = OpBitwiseAnd %u %b %u1", true},                             // 1, 0
		{"%b = OpISub %u %u3 %i\n%k = OpUMod %u %b %u2", true},                                   // 1, 0
		{"%b = OpIMul %u %i %u3\n%k = OpBitwiseAnd %u %b %u1", true},                             // 0, 1
		{"%b = OpIMul %u %i %u3\n%k = OpUMod %u %b %u3", false},                                  // 0, 0
		{"%b = OpIMul %u %i %u2\n%k = OpBitwiseAnd %u %b %u1", false},                            // 0, 0
		{"%b = OpIAdd %u %i %g\n%k = OpBitwiseAnd %u %b %u1", false},                             // not followed
		{"%b = OpBitwiseAnd %u %i %u3\n%k = OpUMod %u %b %u2", true},                             // 0, 1
		{bit + "%k = OpBitwiseXor %u %b %u1", true},                                              // 1, 0
		{bit + "%k = OpBitwiseAnd %u %b %u2", false},                                             // 0, 0
		{isOdd + "%k = OpSelect %u %o %u2 %u3", true},                                            // 3, 2
		{isOdd + "%k = OpSelect %u %o %u2 %u2", false},                                           // 2, 2
		{isOdd + "%n = OpLogicalNot %bool %o\n%k = OpSelect %u %n %u0 %u1", true},                // 0, 1
		{isOdd + "%c = OpSelect %u %o %u1 %u3\n%k = OpBitwiseAnd %u %c %u1", false},              // 1, 1
		{"%c = OpIEqual %bool %i %u3\n%k = OpSelect %u %c %u0 %u1", false},                       // 1, 1
		{"OpStore %v %i\n%l = OpLoad %u %v\n%k = OpBitwiseAnd %u %l %u1", true},                  // 0, 1
		{"OpStore %v %i\nOpStore %v %u0\n%l = OpLoad %u %v\n%k = OpBitwiseAnd %u %l %u1", false}, // 0, 0
		{"%r = OpGroupNonUniformBroadcastFirst %u %u3 %i\n%k = OpBitwiseAnd %u %r %u1", false},   // 0, 0
		{"%k = OpBitwiseAnd %u %g %u1", false},                                                   // the same in a workgroup
	} {
		text := strings.Replace(fmt.Sprintf(divergenceText, k.body, "%k", ""), "OpDecorate %promised Uniform\n", "", 1)
		env, _ := ParseEnv("vulkan1.3")
		failed := false
		for _, f := range judgeIn(t, moduleOf(t, text, env.SPIRV), env).Findings {
			if f.Code != vuid.RuntimeSpirv_UniformBufferArrayNonUniformIndexing_10134 {
				t.Errorf("%s: %s: %s", k.body, f.Code, f.Message)
			}
			failed = failed || f.Severity == diag.Error
		}
		if failed != k.error {
			t.Errorf("%s: an error is %t, want %t", k.body, failed, k.error)
		}
	}
	once := strings.Replace(fmt.Sprintf(divergenceText, "%k = OpBitwiseAnd %u %i %u1", "%k", ""), "OpDecorate %promised Uniform\n", "", 1)
	env, _ := ParseEnv("vulkan1.3")
	for _, f := range judgeIn(t, moduleOf(t, strings.Replace(once, "LocalSize 8 1 1", "LocalSize 1 1 1", 1), env.SPIRV), env).Findings {
		t.Errorf("one invocation: %s: %s", f.Code, f.Message)
	}
}
