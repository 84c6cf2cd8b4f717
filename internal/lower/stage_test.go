package lower

import (
	"fmt"
	"strings"
	"testing"
)

// TestFullSubgroups: VUID-VkPipelineShaderStageCreateInfo-pNext-02757 and
// -flags-02759 have the width of the workgroup a multiple of the subgroup's size.
func TestFullSubgroups(t *testing.T) {
	const module = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %%main "main"
OpExecutionMode %%main LocalSize %d %d 1
%%void = OpTypeVoid
%%fn = OpTypeFunction %%void
%%main = OpFunction %%void None %%fn
%%entry = OpLabel
OpReturn
OpFunctionEnd
`
	for _, c := range []struct {
		x, y int
		size uint32
		full bool
		ok   bool
	}{
		{16, 1, 16, true, true}, {32, 3, 16, true, true}, {8, 2, 16, true, false}, {20, 1, 16, true, false},
		{8, 2, 16, false, true}, {8, 2, 8, true, true}, {4, 1, 0, true, false}, {16, 1, 0, true, true},
	} {
		_, err := stage(t, fmt.Appendf(nil, module, c.x, c.y), nil, Options{SubgroupSize: c.size, FullSubgroups: c.full})
		if (err == nil) != c.ok || err != nil && !strings.Contains(err.Error(), "full subgroups are required") {
			t.Errorf("%d×%d in subgroups of %d, full %v: %v; want an error: %v", c.x, c.y, c.size, c.full, err, !c.ok)
		}
	}
}
