package conformance

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/amber"
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/lower"
)

// racingTexels is a script whose invocations, 32 in a row of an image, access their own texel and that of another one: %s are the
// capabilities, the memory model, the instructions, and the number of workgroups.
const racingTexels = `#!amber
SHADER compute c SPIRV-ASM TARGET_ENV spv1.5
OpCapability Shader
%s
OpMemoryModel Logical %s
OpEntryPoint GLCompute %%main "main" %%index %%picture
OpExecutionMode %%main LocalSize 32 1 1
OpDecorate %%index BuiltIn LocalInvocationIndex
OpDecorate %%picture DescriptorSet 0
OpDecorate %%picture Binding 0
%%void = OpTypeVoid
%%fn = OpTypeFunction %%void
%%uint = OpTypeInt 32 0
%%uvec2 = OpTypeVector %%uint 2
%%uvec4 = OpTypeVector %%uint 4
%%image = OpTypeImage %%uint 2D 0 0 0 2 R32ui
%%pimage = OpTypePointer UniformConstant %%image
%%ptexel = OpTypePointer Image %%uint
%%pin = OpTypePointer Input %%uint
%%index = OpVariable %%pin Input
%%picture = OpVariable %%pimage UniformConstant
%%c0 = OpConstant %%uint 0
%%c1 = OpConstant %%uint 1
%%c2 = OpConstant %%uint 2
%%c5 = OpConstant %%uint 5
%%c31 = OpConstant %%uint 31
%%far = OpConstant %%uint 40
%%s72 = OpConstant %%uint 72
%%s2056 = OpConstant %%uint 2056
%%s26632 = OpConstant %%uint 26632
%%main = OpFunction %%void None %%fn
%%start = OpLabel
%%i = OpLoad %%uint %%index
%%j = OpBitwiseXor %%uint %%i %%c31
%%own = OpCompositeConstruct %%uvec2 %%i %%c1
%%other = OpCompositeConstruct %%uvec2 %%j %%c1
%%outside = OpCompositeConstruct %%uvec2 %%far %%c1
%%value = OpCompositeConstruct %%uvec4 %%i %%i %%i %%i
%%p = OpLoad %%image %%picture
%s
OpReturn
OpFunctionEnd
END
IMAGE data FORMAT R32_UINT DIM_2D WIDTH 32 HEIGHT 2 FILL 0
PIPELINE compute pipeline
  ATTACH c
  BIND BUFFER data AS storage_image DESCRIPTOR_SET 0 BINDING 0
END
RUN pipeline %d 1 1
`

// TestImageRaces runs litmus tests on texels. A barrier orders their accesses by the semantics ImageMemory (2048), and in modules with
// the Vulkan memory model those with NonPrivateTexel.
func TestImageRaces(t *testing.T) {
	const (
		write   = "OpImageWrite %p %own %value\n"
		read    = "%x = OpImageRead %uvec4 %p %other\n"
		texel   = "%t = OpImageTexelPointer %ptexel %picture %other %c0\n"
		barrier = "OpControlBarrier %c2 %c2 %s2056\n"
		shares  = "OpControlBarrier %c2 %c2 %s26632\n" // MakeAvailable, MakeVisible
		shared  = " NonPrivateTexel\n"
	)
	nonPrivate := func(s string) string { return strings.Replace(s, "\n", shared, 1) }
	for _, c := range []struct {
		name, body     string
		groups         int
		vulkan, racing bool
	}{
		{"own texels", write + "%x = OpImageRead %uvec4 %p %own\n", 1, false, false},
		{"own texels of two groups", write, 2, false, true},
		{"reads", read, 2, false, false},
		{"no barrier", write + read, 1, false, true},
		{"barrier", write + barrier + read, 1, false, false},
		{"barrier of buffers", write + "OpControlBarrier %c2 %c2 %s72\n" + read, 1, false, true},
		{"memory barrier and barrier", write + "OpMemoryBarrier %c1 %s2056\nOpControlBarrier %c2 %c2 %s72\n" + read, 1, false, false},
		{"read and write", read + write, 1, false, true},
		{"outside of the image", "OpImageWrite %p %outside %value\n", 1, false, false},
		{"atomics", texel + "%x = OpAtomicIAdd %uint %t %c1 %c0 %c1\n", 2, false, false},
		{"atomics of scope workgroup", texel + "%x = OpAtomicIAdd %uint %t %c2 %c0 %c1\n", 2, false, true},
		{"write and atomic", write + texel + "%x = OpAtomicIAdd %uint %t %c1 %c0 %c1\n", 1, false, true},
		{"write, barrier and atomic", write + barrier + texel + "%x = OpAtomicIAdd %uint %t %c1 %c0 %c1\n", 1, false, false},
		{"private texels", write + shares + read, 1, true, true},
		{"private read", nonPrivate(write) + shares + read, 1, true, true},
		{"private write", write + shares + nonPrivate(read), 1, true, true},
		{"non-private texels", nonPrivate(write) + shares + nonPrivate(read), 1, true, false},
		{"texels without availability", nonPrivate(write) + barrier + nonPrivate(read), 1, true, true},
	} {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			capabilities, model := "", "GLSL450"
			if c.vulkan {
				capabilities, model = "OpCapability VulkanMemoryModel\nOpCapability VulkanMemoryModelDeviceScope", "Vulkan"
			}
			checkRaces(t, fmt.Sprintf(racingTexels, capabilities, model, c.body, c.groups), c.racing)
		})
	}
}

// checkRaces runs a script with the sanitizer race on all engines.
func checkRaces(t *testing.T, text string, racing bool) {
	s, err := amber.Parse("races.amber", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range engines {
		r := amber.Run(context.Background(), s, amber.Options{Engine: e, Lowering: lower.Options{Sanitize: ir.SanitizeRace}})
		if len(r.Reports) == 0 && r.Status != amber.Pass {
			t.Fatalf("%s: %s", e.Name(), r.Message)
		}
		if (len(r.Reports) > 0) != racing {
			t.Errorf("%s: the reports %+v; must have some: %t", e.Name(), r.Reports, racing)
		}
		for i := range r.Reports {
			if r.Reports[i].Sanitizer != ir.SanitizeRace.String() {
				t.Errorf("%s: %s", e.Name(), r.Reports[i].Text())
			}
		}
	}
}
