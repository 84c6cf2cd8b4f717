package valid

import (
	"fmt"
	"maps"
	"math"
	"strings"
	"testing"
)

// TestOffsetOfLargeFragments checks that the largest fragment of the device scales the range of offsets, and that the rules
// are silent if the size of fragments is not known.
func TestOffsetOfLargeFragments(t *testing.T) {
	module := func(x float64) string {
		return fmt.Sprintf("OpCapability Shader\nOpCapability InterpolationFunction\n%%g = OpExtInstImport \"GLSL.std.450\"\nOpMemoryModel Logical GLSL450\n"+
			"OpEntryPoint Fragment %%main \"main\" %%in\nOpExecutionMode %%main OriginUpperLeft\nOpDecorate %%in Location 0\n%%void = OpTypeVoid\n%%fn = OpTypeFunction %%void\n"+
			"%%f = OpTypeFloat 32\n%%f2 = OpTypeVector %%f 2\n%%p = OpTypePointer Input %%f\n%%in = OpVariable %%p Input\n%%x = OpConstant %%f %g\n%%y = OpConstant %%f 0\n"+
			"%%o = OpConstantComposite %%f2 %%x %%y\n%%main = OpFunction %%void None %%fn\n%%l = OpLabel\n%%v = OpExtInst %%f %%g InterpolateAtOffset %%in %%o\nOpReturn\nOpFunctionEnd\n", x)
	}
	min, ok := BuiltinDevice("min", Vulkan14)
	if !ok {
		t.Fatal("no device min")
	}
	coarse, unknown := *min, *min
	coarse.Features = maps.Clone(min.Features)
	coarse.Features["pipelineFragmentShadingRate"] = true
	coarse.Limits = maps.Clone(min.Limits)
	coarse.Limits["maxFragmentSize[0]"] = 4
	unknown.AllOthers = false
	for _, c := range []struct {
		device *Device
		x      float64
		fails  bool
	}{
		{min, 1.5, true}, {min, math.Nextafter(0.4375, 0), false}, {min, -0.75, true},
		// four pixels: −2 to 4 × (0.4375 + 1/16) − 1/16
		{&coarse, 1.5, false}, {&coarse, 1.9375, false}, {&coarse, 1.95, true}, {&coarse, -2, false}, {&coarse, -2.25, true},
		{&unknown, 100, false}, {nil, 100, false},
	} {
		fails := false
		for _, x := range checkText(t, module(c.x), c.device) {
			fails = fails || strings.HasPrefix(x.Code, "VUID-RuntimeSpirv-Offset-063")
		}
		if fails != c.fails {
			t.Errorf("offset %g: a finding %t; want %t", c.x, fails, c.fails)
		}
	}
}
