package lower

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/ir"
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

// TestVoidVariable lowers a variable of void: there is nothing to store in it.
func TestVoidVariable(t *testing.T) {
	const module = `OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%p = OpTypePointer Function %void
%main = OpFunction %void None %fn
%entry = OpLabel
%v = OpVariable %p Function
OpReturn
OpFunctionEnd
`
	if _, err := stage(t, []byte(module), nil, Options{}); err != nil {
		t.Error(err)
	}
}

// TestColorComponents checks that component n of a fragment output is component n of the attachment, whatever its width: a
// location is an attachment there, not an interface slot of 16 bytes (Vulkan §"Fragment Output Interface").
func TestColorComponents(t *testing.T) {
	const module = `OpCapability Shader
OpCapability Float64
OpCapability Int64
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %%main "main" %%out
OpExecutionMode %%main OriginUpperLeft
OpDecorate %%out Location 2
%%void = OpTypeVoid
%%fn = OpTypeFunction %%void
%%scalar = %s
%%vector = OpTypeVector %%scalar 4
%%pointer = OpTypePointer Output %%vector
%%value = OpConstantNull %%vector
%%out = OpVariable %%pointer Output
%%main = OpFunction %%void None %%fn
%%entry = OpLabel
OpStore %%out %%value
OpReturn
OpFunctionEnd
`
	for _, scalar := range []string{"OpTypeFloat 32", "OpTypeFloat 64", "OpTypeInt 64 0"} {
		p, err := stage(t, fmt.Appendf(nil, module, scalar), nil, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var list []uint32
		for _, o := range p.Out {
			list = append(list, o.Index)
		}
		if fmt.Sprint(list) != "[8 9 10 11]" {
			t.Errorf("%s: outputs %v; want 8 to 11, the components of attachment 2", scalar, list)
		}
	}
}

// TestSampleBuiltIns: if the interface of a fragment shader has an input with the built-in SampleId or SamplePosition,
// per-sample shading is enabled, whether or not a function uses it (Vulkan, Built-In Variables).
func TestSampleBuiltIns(t *testing.T) {
	for builtIn, want := range map[string]bool{"SampleId": true, "SamplePosition": true, "FragCoord": false} {
		typ := map[string]string{"SampleId": "%int", "SamplePosition": "%vec2", "FragCoord": "%vec4"}[builtIn]
		for _, use := range []string{"", "%x = OpLoad " + typ + " %in\n"} {
			p := lowered(t, []byte(`OpCapability Shader
OpCapability SampleRateShading
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %in
OpExecutionMode %main OriginUpperLeft
OpDecorate %in BuiltIn `+builtIn+`
OpDecorate %in Flat
%void = OpTypeVoid
%fn = OpTypeFunction %void
%int = OpTypeInt 32 1
%float = OpTypeFloat 32
%vec2 = OpTypeVector %float 2
%vec4 = OpTypeVector %float 4
%pointer = OpTypePointer Input `+typ+`
%in = OpVariable %pointer Input
%main = OpFunction %void None %fn
%entry = OpLabel
`+use+`OpReturn
OpFunctionEnd
`), nil, Options{})
			if got := p.Modes.Has(ir.PerSample); got != want {
				t.Errorf("%s, used %v: per-sample shading %v; want %v", builtIn, use != "", got, want)
			}
		}
	}
}
