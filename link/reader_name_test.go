package link_test

import (
	"strings"
	"testing"

	"github.com/chiaro-gpu/chiaro/internal/describe"
	"github.com/chiaro-gpu/chiaro/link"
)

// TestReaderNames demands that the reader of descriptions refuses a wrong name for each enumeration that a rule is on.
func TestReaderNames(t *testing.T) {
	for code, text := range map[string]string{
		"VkShaderCreateInfoEXT-flags-parameter":                                    "stages: {vertex: {file: v, object_flags: [x]}}",
		"VkShaderCreateInfoEXT-nextStage-parameter":                                "stages: {vertex: {file: v, next_stages: [x]}}",
		"VkPipelineShaderStageCreateInfo-flags-parameter":                          "stages: {vertex: {file: v, flags: [x]}}",
		"VkPipelineRobustnessCreateInfo-storageBuffers-parameter":                  "robustness: {storage_buffers: x}",
		"VkPipelineRobustnessCreateInfo-uniformBuffers-parameter":                  "robustness: {uniform_buffers: x}",
		"VkPipelineRobustnessCreateInfo-vertexInputs-parameter":                    "robustness: {vertex_inputs: x}",
		"VkPipelineRobustnessCreateInfo-images-parameter":                          "robustness: {images: x}",
		"VkPipelineLayoutCreateInfo-flags-parameter":                               "layout: {flags: [x]}",
		"VkPushConstantRange-stageFlags-parameter":                                 "layout: {push_constants: [{offset: 0, size: 4, stages: [x]}]}",
		"vkCmdPushConstants-stageFlags-parameter":                                  "commands: {push_constants: [{offset: 0, size: 4, stages: [x]}]}",
		"VkPushConstantsInfo-stageFlags-parameter":                                 "commands: {push_constants_2: [{offset: 0, size: 4, stages: [x]}]}",
		"VkDescriptorSetLayoutCreateInfo-flags-parameter":                          "layout: {sets: {0: {0: {type: sampler}}}, set_flags: {0: [x]}}",
		"VkDescriptorSetLayoutBinding-descriptorType-parameter":                    "layout: {sets: {0: {0: {type: x}}}}",
		"VkDescriptorSetLayoutBindingFlagsCreateInfo-pBindingFlags-parameter":      "layout: {sets: {0: {0: {type: sampler, flags: [x]}}}}",
		"VkMutableDescriptorTypeListEXT-pDescriptorTypes-parameter":                "layout: {sets: {0: {0: {type: mutable, mutable: [x]}}}}",
		"VkDescriptorSetAndBindingMappingEXT-resourceMask-parameter":               "stages: {vertex: {file: v, mappings: [{resources: [x]}]}}",
		"VkDescriptorSetAndBindingMappingEXT-source-parameter":                     "stages: {vertex: {file: v, mappings: [{source: x}]}}",
		"VkRayTracingShaderGroupCreateInfoKHR-type-parameter":                      "ray_tracing: {groups: [{type: x}]}",
		"VkRayTracingShaderGroupCreateInfoNV-type-parameter":                       "kind: ray_tracing_nv\nray_tracing: {groups: [{type: x}]}",
		"VkVertexInputBindingDescription-inputRate-parameter":                      "vertex_input: {bindings: [{binding: 0, rate: x}]}",
		"VkVertexInputBindingDescription2EXT-inputRate-parameter":                  "kind: shader_objects\nvertex_input: {bindings: [{binding: 0, rate: x}]}",
		"VkVertexInputAttributeDescription-format-parameter":                       "vertex_input: {attributes: [{location: 0, format: x}]}",
		"VkVertexInputAttributeDescription2EXT-format-parameter":                   "kind: shader_objects\nvertex_input: {attributes: [{location: 0, format: x}]}",
		"VkPipelineTessellationDomainOriginStateCreateInfo-domainOrigin-parameter": "tessellation: {domain_origin: x}",
		"vkCmdSetTessellationDomainOriginEXT-domainOrigin-parameter":               "kind: shader_objects\ntessellation: {domain_origin: x}",
	} {
		if a, _ := link.AnswerOf("VUID-" + code); a.By != link.ByReader {
			t.Errorf("%s: the answer is %s; must be the reader", code, a.By)
		}
		_, err := describe.Read([]byte(text), "d.yaml", func(describe.Stage) (*link.Shader, error) { return &link.Shader{}, nil })
		if err == nil || !strings.Contains(err.Error(), `"x"`) {
			t.Errorf("%s: %q: the error is %v; must be about the name x", code, text, err)
		}
	}
}
