package lower

import (
	"fmt"
	"strings"
	"testing"
)

// TestFullSubgroups: VUID-VkPipelineShaderStageCreateInfo-pNext-02757 and
// -flags-02759 have the width of the workgroup a multiple of the subgroup's size,
// -flags-02758 one of the largest size where sizes may vary.
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
		x, y    int
		size    uint32
		full    bool
		varying bool
		ok      bool
	}{
		{16, 1, 16, true, false, true}, {32, 3, 16, true, false, true}, {8, 2, 16, true, false, false}, {20, 1, 16, true, false, false},
		{8, 2, 16, false, false, true}, {8, 2, 8, true, false, true}, {4, 1, 0, true, false, false}, {16, 1, 0, true, false, true},
		{16, 1, 0, true, true, false}, {64, 2, 0, true, true, false}, {128, 1, 0, true, true, true}, {256, 2, 0, true, true, true},
		{16, 1, 0, false, true, true}, {20, 1, 0, false, true, true}, {120, 1, 8, true, true, false},
	} {
		o := Options{SubgroupSize: c.size, FullSubgroups: c.full, VaryingSubgroups: c.varying}
		_, err := stage(t, fmt.Appendf(nil, module, c.x, c.y), nil, o)
		if (err == nil) != c.ok || err != nil && !strings.Contains(err.Error(), "full subgroups are required") {
			t.Errorf("%d×%d, %+v: %v; want an error: %v", c.x, c.y, o, err, !c.ok)
		}
	}
}
