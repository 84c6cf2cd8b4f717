package link_test

import (
	"testing"

	"github.com/chiaro-gpu/chiaro/enum"
	"github.com/chiaro-gpu/chiaro/link"
	"github.com/chiaro-gpu/chiaro/valid"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// TestMappedTexels checks that a uniform texel buffer of OpTypeSampledImage has the rule on
// sampled images. SPIR-V 1.6 has no such type, so that no case of the current environment has.
func TestMappedTexels(t *testing.T) {
	const text = `OpCapability Shader
OpCapability SampledBuffer
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %t DescriptorSet 0
OpDecorate %t Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%image = OpTypeImage %float Buffer 0 0 0 1 Unknown
%sampled = OpTypeSampledImage %image
%p = OpTypePointer UniformConstant %sampled
%t = OpVariable %p UniformConstant
%main = OpFunction %void None %fn
%l = OpLabel
%x = OpLoad %sampled %t
OpReturn
OpFunctionEnd
`
	env, _ := valid.ParseEnv("vulkan1.1")
	s, err := pairShader(text, "compute", env)
	if err != nil {
		t.Fatal(err)
	}
	for offset, want := range map[uint64]bool{32: true, 64: false} {
		s.Mappings = &[]link.Mapping{{Source: enum.MappingSourceHeapWithConstantOffset, HeapOffset: offset}}
		d := &link.Description{Stages: []link.Shader{*s}, Device: &valid.Device{Limits: map[string]uint64{"imageDescriptorAlignment": 64}}}
		found := link.Link(d)
		if got := len(found) == 1 && found[0].Code == vuid.VkDescriptorSetAndBindingMappingEXT_source_12406; got != want || len(found) > 1 {
			t.Errorf("offset %d: %v; must be a finding: %t", offset, found, want)
		}
	}
}
