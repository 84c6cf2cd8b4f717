package link

import (
	"fmt"
	"strings"

	"github.com/chiaro-gpu/chiaro/enum"
)

// Finding.Path is the part of the description that a finding is about: the first side that
// is a state, such as a binding of the layout, else the first side, which is a stage. If no
// side has a path, the structure and the member in the rule's code determine it.

// place returns the path of a finding.
func (l *linker) place(code string, sides []Side) string {
	for i := range sides {
		if sides[i].path != "" {
			return l.sidePath(&sides[i])
		}
	}
	if len(sides) > 0 {
		if p := l.sidePath(&sides[0]); p != "" {
			return p
		}
	}
	path := codePath(code)
	if path == "flags" && l.d.Flags == 0 && len(l.d.Libraries) > 0 {
		path = "libraries" // a rule on the flags of libraries
	}
	return l.of(path)
}

// sidePath returns the path of a side, "" if it has none.
func (l *linker) sidePath(s *Side) string {
	switch {
	case s.shader != nil && s.path != "" && s.shader.Path != "":
		return s.shader.Path + "." + s.path
	case s.shader != nil:
		return s.shader.Path
	case s.path != "":
		return l.of(s.path)
	case s.Stage == "pipeline" || s.Stage == "commands" || s.Stage == "":
		return ""
	}
	if key, ok := stagePaths[s.Stage]; ok {
		return l.of(key)
	}
	for i := range l.d.Stages { // a stage without an entry point
		if k := &l.d.Stages[i]; k.Path != "" && (k.Stage.String() == s.Stage || k.Entry != nil && stageOrder[max(StageOf(k.Entry.Model), 0)].name == s.Stage) {
			return k.Path
		}
	}
	return ""
}

// of returns the path of a state of the checked pipeline. If the pipeline was merged from
// libraries, the path begins with the library that provides the state.
func (l *linker) of(path string) string {
	key, _, _ := strings.Cut(path, ".")
	part, ok := pathParts[key]
	for _, g := range l.pieces {
		if ok && g.gives()&part != 0 || key == "layout" && g.Layout != nil {
			return g.Path + path
		}
	}
	return l.d.Path + path
}

// pathParts are the parts of a pipeline that provide a state, by the state's key.
var pathParts = map[string]enum.Parts{
	"vertex_input": enum.PartsVertexInputInterface, "input_assembly": enum.PartsVertexInputInterface,
	"tessellation": enum.PartsPreRasterizationShaders, "viewport": enum.PartsPreRasterizationShaders, "rasterization": enum.PartsPreRasterizationShaders,
	"fragment_shading_rate": enum.PartsPreRasterizationShaders, "depth_stencil": enum.PartsFragmentShader,
	"color_blend": enum.PartsFragmentOutputInterface, "multisample": enum.PartsFragmentOutputInterface, "render_pass": enum.PartsFragmentOutputInterface,
	"rendering": enum.PartsFragmentOutputInterface, "subpass": enum.PartsFragmentOutputInterface,
}

// stagePaths are the paths of sides that are no stage, by the name of the side.
var stagePaths = map[string]string{
	"layout": "layout", "rendering": "rendering", "vertex input": "vertex_input", "tessellation state": "tessellation",
	"input assembly": "input_assembly", "ray tracing": "ray_tracing", "libraries": "libraries",
	"graph": "data_graph", "call": "call", "shader objects": "stages",
}

// structurePaths are the paths of Vulkan's structures.
var structurePaths = map[string]string{
	"VkPipelineLayoutCreateInfo": "layout", "VkPushConstantRange": "layout.push_constants", "VkPushConstantBankInfoNV": "layout.push_constants",
	"VkPipelineVertexInputStateCreateInfo": "vertex_input", "VkVertexInputBindingDescription": "vertex_input.bindings",
	"VkVertexInputAttributeDescription": "vertex_input.attributes", "VkVertexInputBindingDivisorDescription": "vertex_input.bindings",
	"VkPipelineTessellationStateCreateInfo": "tessellation", "VkPipelineRobustnessCreateInfo": "robustness",
	"VkRenderingAttachmentLocationInfo": "rendering.color_locations", "VkRenderingInputAttachmentIndexInfo": "rendering.color_input_indices",
	"VkRayTracingPipelineCreateInfoKHR": "ray_tracing", "VkRayTracingPipelineCreateInfoNV": "ray_tracing",
	"VkRayTracingPipelineInterfaceCreateInfoKHR": "ray_tracing.interface", "VkRayTracingShaderGroupCreateInfoKHR": "ray_tracing.groups",
	"VkRayTracingShaderGroupCreateInfoNV": "ray_tracing.groups", "VkPipelineShaderStageCreateInfo": "stages",
	"VkShaderCreateInfoEXT": "stages", "VkComputePipelineCreateInfo": "stages", "VkExecutionGraphPipelineCreateInfoAMDX": "nodes",
	"vkCreateRayTracingPipelinesKHR": "ray_tracing", "vkCreateRayTracingPipelinesNV": "ray_tracing", "vkCreateExecutionGraphPipelinesAMDX": "nodes",
	"VkGraphicsPipelineCreateInfo": "stages", "vkCmdSetRenderingAttachmentLocations": "rendering.color_locations",
	"vkCmdSetRenderingInputAttachmentIndices": "rendering.color_input_indices", "vkCmdSetVertexInputEXT": "vertex_input",
	"vkCmdSetPatchControlPointsEXT": "tessellation", "vkCmdSetTessellationDomainOriginEXT": "tessellation", "vkCmdDraw": "dynamic",
}

// memberPaths are the paths of members of VkGraphicsPipelineCreateInfo and of the other
// structures of pipelines.
var memberPaths = map[string]string{
	"flags": "flags", "layout": "layout", "stageCount": "stages", "pStages": "stages", "stage": "stages", "pLibraries": "libraries", "libraryCount": "libraries",
	"pVertexInputState": "vertex_input", "Input": "vertex_input", "pInputAssemblyState": "input_assembly", "topology": "input_assembly.topology",
	"pTessellationState": "tessellation", "pViewportState": "viewport", "pRasterizationState": "rasterization", "rasterizerDiscard": "rasterization.discard",
	"pMultisampleState": "multisample", "rasterizationSamples": "multisample.samples", "sampleShadingEnable": "multisample.sample_shading",
	"pDepthStencilState": "depth_stencil", "pColorBlendState": "color_blend", "blendEnable": "color_blend", "attachmentCount": "color_blend.attachments",
	"pDynamicState": "dynamic", "pDynamicStates": "dynamic", "renderPass": "render_pass", "subpass": "subpass", "colorAttachmentCount": "rendering.color",
	"externalFormatResolve": "rendering.external_format", "basePipelineHandle": "base_pipeline_flags",
	"extendedDynamicState3TessellationDomainOrigin": "dynamic", "pNext": "flags",
}

// codePath returns the path of the structure and the member in a code, "" for the
// description as a whole.
func codePath(code string) string {
	parts := strings.Split(code, "-")
	if len(parts) < 4 || parts[0] != "VUID" {
		return ""
	}
	structure := parts[1]
	if p, ok := memberPaths[parts[2]]; ok && (strings.Contains(structure, "PipelineCreateInfo") || strings.HasPrefix(structure, "vkCreate")) {
		return p
	}
	return structurePaths[structure]
}

// bindingPath returns the path of a buffer of vertices by its number.
func (v *VertexInput) bindingPath(number uint32) string {
	for i := range v.Bindings {
		if v.Bindings[i].Binding == number {
			return fmt.Sprintf("vertex_input.bindings[%d]", i)
		}
	}
	return "vertex_input.bindings"
}
