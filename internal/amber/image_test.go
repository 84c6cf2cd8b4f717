package amber

import (
	"strings"
	"testing"
)

// samples reads x, y and a level of detail from the buffer at binding 1 and stores the
// result of sampling the image at binding 0 there, from byte 16 on.
const samples = `SHADER compute sample SPIRV-ASM
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %B BufferBlock
OpMemberDecorate %B 0 Offset 0
OpMemberDecorate %B 1 Offset 8
OpMemberDecorate %B 2 Offset 16
OpDecorate %b DescriptorSet 0
OpDecorate %b Binding 1
OpDecorate %tex DescriptorSet 0
OpDecorate %tex Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%vec2 = OpTypeVector %float 2
%vec4 = OpTypeVector %float 4
%u0 = OpConstant %uint 0
%u1 = OpConstant %uint 1
%u2 = OpConstant %uint 2
%B = OpTypeStruct %vec2 %float %vec4
%pB = OpTypePointer Uniform %B
%p1 = OpTypePointer Uniform %float
%p2 = OpTypePointer Uniform %vec2
%p4 = OpTypePointer Uniform %vec4
%image = OpTypeImage %float 2D 0 0 0 1 Unknown
%sampled = OpTypeSampledImage %image
%ps = OpTypePointer UniformConstant %sampled
%b = OpVariable %pB Uniform
%tex = OpVariable %ps UniformConstant
%main = OpFunction %void None %fn
%l = OpLabel
%pat = OpAccessChain %p2 %b %u0
%plod = OpAccessChain %p1 %b %u1
%pout = OpAccessChain %p4 %b %u2
%at = OpLoad %vec2 %pat
%lod = OpLoad %float %plod
%t = OpLoad %sampled %tex
%c = OpImageSampleExplicitLod %vec4 %t %at Lod %lod
OpStore %pout %c
OpReturn
OpFunctionEnd
END
`

// writes stores (0.5, 0, 0, 1) in the texel (0, 0) of the image at binding 0.
const writes = `SHADER compute write SPIRV-ASM
OpCapability Shader
OpCapability StorageImageWriteWithoutFormat
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %img DescriptorSet 0
OpDecorate %img Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%uvec2 = OpTypeVector %uint 2
%vec4 = OpTypeVector %float 4
%u0 = OpConstant %uint 0
%f0 = OpConstant %float 0
%f1 = OpConstant %float 1
%half = OpConstant %float 0.5
%at = OpConstantComposite %uvec2 %u0 %u0
%texel = OpConstantComposite %vec4 %half %f0 %f0 %f1
%image = OpTypeImage %float 2D 0 0 0 2 Unknown
%p = OpTypePointer UniformConstant %image
%img = OpVariable %p UniformConstant
%main = OpFunction %void None %fn
%l = OpLabel
%i = OpLoad %image %img
OpImageWrite %i %at %texel
OpReturn
OpFunctionEnd
END
`

// sampleScript is a script that samples an image of 2×1 texels, 1 and 3, with two
// mip levels, at one place by a sampler.
func sampleScript(sampler, at, expect string) string {
	return "#!amber\n" + samples + `IMAGE tex FORMAT R32_SFLOAT DIM_2D WIDTH 2 HEIGHT 1 MIP_LEVELS 2 DATA 1 3 END
BUFFER io DATA_TYPE float DATA ` + at + ` 0 9 9 9 9 END
SAMPLER s ` + sampler + `
PIPELINE compute p
  ATTACH sample
  BIND BUFFER tex AS combined_image_sampler SAMPLER s DESCRIPTOR_SET 0 BINDING 0
  BIND BUFFER io AS storage DESCRIPTOR_SET 0 BINDING 1
END
RUN p 1 1 1
EXPECT io IDX 16 EQ ` + expect + "\n"
}

// TestSamplers samples through samplers with each of AmberScript's words.
func TestSamplers(t *testing.T) {
	for _, c := range []struct{ sampler, at, expect string }{
		{"", "0.6 0.5 0", "3 0 0 1"},
		{"MAG_FILTER linear MIN_FILTER linear ADDRESS_MODE_U clamp_to_edge", "0.5 0.5 0", "2 0 0 1"},
		{"MAG_FILTER linear", "0.5 0.5 0", "2 0 0 1"}, // level 0 is magnified
		{"", "1.25 0.5 0", "1 0 0 1"},                 // repeats
		{"ADDRESS_MODE_U clamp_to_edge", "1.25 0.5 0", "3 0 0 1"},
		{"ADDRESS_MODE_U mirrored_repeat", "1.25 0.5 0", "3 0 0 1"},
		{"ADDRESS_MODE_U mirrored_repeat", "1.75 0.5 0", "1 0 0 1"},
		{"ADDRESS_MODE_U mirror_clamp_to_edge", "-0.75 0.5 0", "3 0 0 1"},
		{"ADDRESS_MODE_U clamp_to_border", "-0.5 0.5 0", "0 0 0 1"}, // components of the border that the format has
		{"ADDRESS_MODE_U clamp_to_border BORDER_COLOR float_opaque_black", "-0.5 0.5 0", "0 0 0 1"},
		{"ADDRESS_MODE_V clamp_to_border BORDER_COLOR float_opaque_white", "0.25 -0.5 0", "1 0 0 1"},
		{"", "0.25 0.5 1", "0 0 0 1"}, // level 1, which is never written
		{"MAX_LOD 0", "0.25 0.5 1", "1 0 0 1"},
		{"MIN_LOD 1", "0.25 0.5 0", "0 0 0 1"},
		{"UNNORMALIZED_COORDS ADDRESS_MODE_U clamp_to_edge ADDRESS_MODE_V clamp_to_edge", "1.5 0.5 0", "3 0 0 1"},
	} {
		if r := runText(t, sampleScript(c.sampler, c.at, c.expect)); r.Status != Pass {
			t.Errorf("%s at %s: %s %s", c.sampler, c.at, r.Status, r.Message)
		}
	}
}

// TestMipLevels writes a level of an image by one pipeline and samples it by
// another; the base level, which the image's contents are, stays. A view that begins
// at a level has no other before it.
func TestMipLevels(t *testing.T) {
	r := runText(t, "#!amber\n"+samples+writes+`
IMAGE tex FORMAT R8G8B8A8_UNORM DIM_2D WIDTH 2 HEIGHT 2 MIP_LEVELS 2 FILL 255
BUFFER io DATA_TYPE float DATA 0.5 0.5 1 0 9 9 9 9 END
BUFFER base DATA_TYPE float DATA 0.5 0.5 0 0 9 9 9 9 END
SAMPLER s MAG_FILTER linear
PIPELINE compute fill
  ATTACH write
  BIND BUFFER tex AS storage_image DESCRIPTOR_SET 0 BINDING 0 BASE_MIP_LEVEL 1
END
PIPELINE compute p
  ATTACH sample
  BIND BUFFER tex AS combined_image_sampler SAMPLER s DESCRIPTOR_SET 0 BINDING 0
  BIND BUFFER io AS storage DESCRIPTOR_SET 0 BINDING 1
END
DERIVE_PIPELINE q FROM p
  BIND BUFFER tex AS combined_image_sampler SAMPLER s DESCRIPTOR_SET 0 BINDING 0 BASE_MIP_LEVEL 1
  BIND BUFFER base AS storage DESCRIPTOR_SET 0 BINDING 1
END
RUN fill 1 1 1
RUN p 1 1 1
RUN q 1 1 1
EXPECT io IDX 16 TOLERANCE 0.01 EQ 0.502 0 0 1
EXPECT base IDX 16 TOLERANCE 0.01 EQ 0.502 0 0 1
EXPECT tex IDX 0 0 SIZE 2 2 EQ_RGBA 255 255 255 255
`)
	if r.Status != Pass {
		t.Errorf("%s %s", r.Status, r.Message)
	}
}

// TestImagesAreCopied copies an image that a pipeline wrote: as the buffers that
// scripts see, and to another that is bound as an image later.
func TestImagesAreCopied(t *testing.T) {
	r := runText(t, "#!amber\n"+samples+writes+`
IMAGE a FORMAT R32_SFLOAT DIM_2D WIDTH 2 HEIGHT 1 DATA 1 2 END
IMAGE b FORMAT R32_SFLOAT DIM_2D WIDTH 2 HEIGHT 1 FILL 7
BUFFER io DATA_TYPE float DATA 0.25 0.5 0 0 9 9 9 9 END
SAMPLER s
PIPELINE compute fill
  ATTACH write
  BIND BUFFER a AS storage_image DESCRIPTOR_SET 0 BINDING 0
END
PIPELINE compute p
  ATTACH sample
  BIND BUFFER b AS combined_image_sampler SAMPLER s DESCRIPTOR_SET 0 BINDING 0
  BIND BUFFER io AS storage DESCRIPTOR_SET 0 BINDING 1
END
RUN p 1 1 1
EXPECT io IDX 16 EQ 7
RUN fill 1 1 1
COPY a TO b
EXPECT a EQ_BUFFER b
EXPECT b IDX 0 EQ 0.5 2
RUN p 1 1 1
EXPECT io IDX 16 EQ 0.5
`)
	if r.Status != Pass {
		t.Errorf("%s %s", r.Status, r.Message)
	}
}

// TestImagesThatDoNotFit binds a buffer that is no image, and a level that does not exist.
func TestImagesThatDoNotFit(t *testing.T) {
	for _, c := range []struct{ declared, bound, says string }{
		{"BUFFER x DATA_TYPE float SIZE 4 FILL 0", "BIND BUFFER x AS storage_image DESCRIPTOR_SET 0 BINDING 0", "it is no image"},
		{"IMAGE x FORMAT R32_SFLOAT DIM_2D WIDTH 2 HEIGHT 1 FILL 0", "BIND BUFFER x AS storage_image DESCRIPTOR_SET 0 BINDING 0 BASE_MIP_LEVEL 3", "levels from 3 on"},
		{"BUFFER x DATA_TYPE mat2x2<float> SIZE 4 FILL 0", "BIND BUFFER x AS storage_texel_buffer DESCRIPTOR_SET 0 BINDING 0", "are no texels"},
		{"IMAGE x FORMAT R32_SFLOAT DIM_2D WIDTH 2 HEIGHT 2 SAMPLES 3 FILL 0", "BIND BUFFER x AS storage_image DESCRIPTOR_SET 0 BINDING 0", "3 samples"},
	} {
		r := runText(t, "#!amber\n"+writes+c.declared+"\nPIPELINE compute p\n  ATTACH write\n  "+c.bound+"\nEND\nRUN p 1 1 1\n")
		if r.Status != Failed || !strings.Contains(r.Message, c.says) {
			t.Errorf("%s: %s %s, want %q", c.declared, r.Status, r.Message, c.says)
		}
	}
}
