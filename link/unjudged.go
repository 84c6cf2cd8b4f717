package link

import (
	"iter"
	"slices"
)

// reason is the answer for some rules that this package does not check. A * at the end of
// a code matches all unchecked rules with that prefix.
type reason struct {
	by    Judge
	why   string
	codes []string // without VUID-
}

// reasons yields all lists of rules that this package does not check.
func reasons() iter.Seq[reason] {
	return slices.Values(slices.Concat(unjudged, objectLists, runLists, refusedLists, absentLists, driverLists))
}

// unjudged are the rules on pipelines, layouts, objects and commands that this package does
// not check, by their answers.
var unjudged = []reason{
	{ByReader, "the reader of descriptions refuses a wrong name, with its position", []string{
		"VkShaderCreateInfoEXT-flags-parameter", "VkShaderCreateInfoEXT-nextStage-parameter", "VkPipelineShaderStageCreateInfo-flags-parameter",
		"VkPipelineRobustnessCreateInfo-storageBuffers-parameter", "VkPipelineRobustnessCreateInfo-uniformBuffers-parameter", "VkPipelineRobustnessCreateInfo-vertexInputs-parameter",
		"VkPipelineRobustnessCreateInfo-images-parameter", "VkPipelineLayoutCreateInfo-flags-parameter", "VkPushConstantRange-stageFlags-parameter",
		"vkCmdPushConstants-stageFlags-parameter", "VkPushConstantsInfo-stageFlags-parameter", "VkDescriptorSetLayoutCreateInfo-flags-parameter",
		"VkDescriptorSetLayoutBinding-descriptorType-parameter", "VkDescriptorSetLayoutBindingFlagsCreateInfo-pBindingFlags-parameter", "VkMutableDescriptorTypeListEXT-pDescriptorTypes-parameter",
		"VkDescriptorSetAndBindingMappingEXT-resourceMask-parameter", "VkDescriptorSetAndBindingMappingEXT-source-parameter", "VkRayTracingShaderGroupCreateInfoKHR-type-parameter",
		"VkRayTracingShaderGroupCreateInfoNV-type-parameter", "VkVertexInputBindingDescription-inputRate-parameter", "VkVertexInputBindingDescription2EXT-inputRate-parameter",
		"VkVertexInputAttributeDescription-format-parameter", "VkVertexInputAttributeDescription2EXT-format-parameter", "VkPipelineTessellationDomainOriginStateCreateInfo-domainOrigin-parameter",
		"vkCmdSetTessellationDomainOriginEXT-domainOrigin-parameter",
	}},
	{ByOther, "it states in general what the individual rules of interfaces and layouts require", []string{
		"VkExecutionGraphPipelineCreateInfoAMDX-pStages-09129", "VkExecutionGraphPipelineCreateInfoAMDX-layout-09130",
	}},
	{ByOther, "the same is judged of the pipeline: VkGraphicsPipelineCreateInfo-renderPass-06038", []string{
		"vkCmdDraw-OpTypeImage-07468",
	}},
	{ByOther, "package vk makes no buffer view of a format that shaders cannot read and write without a format", []string{
		"vkCmdDraw-OpTypeImage-07029", "vkCmdDraw-OpTypeImage-07030",
	}},
	{ByOther, "package vk makes no sampler that clamps the range of another filter than a cubic one", []string{
		"vkCmdDraw-reductionMode-09213",
	}},
	{ByOther, "it is of a specification without the feature flags of Vulkan 1.3; with them it is vkCmdDraw-None-06479", []string{
		"vkCmdDraw-aspectMask-06478",
	}},
	{ByOther, "`check` checks it for each module, under this name", []string{
		"VkShaderModuleCreateInfo-pCode-08739", "VkShaderModuleCreateInfo-pCode-08740", "VkShaderModuleCreateInfo-pCode-08741", "VkShaderModuleCreateInfo-pCode-08742",
	}},
	{ByOther, "`check` judges it of each module, by the name that shader modules have for it: VkShaderModuleCreateInfo-pCode", []string{
		"VkShaderCreateInfoEXT-pCode-08739", "VkShaderCreateInfoEXT-pCode-08740", "VkShaderCreateInfoEXT-pCode-08741", "VkShaderCreateInfoEXT-pCode-08742",
	}},
	{ByOther, "it states in general what the individual rules of SPIR-V and of modules require, which `check` checks for each module: docs/rules.md, docs/vuids.md", []string{
		"VkShaderModuleCreateInfo-pCode-08736", "VkShaderModuleCreateInfo-pCode-08737", "VkShaderCreateInfoEXT-pCode-08736", "VkShaderCreateInfoEXT-pCode-08737",
	}},
	{ByOther, "`check` judges it of each module: without Shader there is no memory model and no execution model that Vulkan has, SPV-Capability-Missing", []string{
		"VkShaderModuleCreateInfo-pCode-08738", "VkShaderCreateInfoEXT-pCode-08738",
	}},
	{ByOther, "`check` judges it of each module: SPV-Stream-Size, SPV-Header-Size", []string{
		"VkShaderModuleCreateInfo-codeSize-08735", "VkShaderModuleCreateInfo-codeSize-01085", "VkShaderCreateInfoEXT-codeSize-08735",
	}},
	{ByOther, "`check` checks the module after specialization, and reports for a pipeline of an archive the additional findings", []string{
		"VkPipelineShaderStageCreateInfo-pSpecializationInfo-06849", "VkShaderCreateInfoEXT-pCode-08460",
	}},
	{ByReader, "modules are SPIR-V; other code is refused as it is read", []string{
		"VkShaderModuleCreateInfo-pCode-07912", "VkShaderModuleCreateInfo-pCode-01379", "vkCreateShadersEXT-pCreateInfos-08411", "VkShaderCreateInfoEXT-pCode-08492",
	}},
	{ByOther, "it is on a pointer, and other rules check the content", []string{
		"VkShaderCreateInfoEXT-flags-11291", "VkShaderCreateInfoEXT-flags-11371", "VkGraphicsPipelineCreateInfo-pStages-06600", "VkGraphicsPipelineCreateInfo-flags-06640",
		"VkGraphicsPipelineCreateInfo-pTessellationState-09023",
	}},
	{ByReader, "a description names one stage for each module; others are refused as it is read", []string{
		"VkShaderCreateInfoEXT-stage-08418", "VkShaderCreateInfoEXT-stage-08425", "VkShaderCreateInfoEXT-stage-08426",
		"VkPipelineShaderStageCreateInfo-stage-00706", "VkDescriptorSetLayoutBinding-descriptorCount-09465",
		"vkCmdBindShadersEXT-pStages-08464", "vkCmdBindShadersEXT-pStages-08467", "vkCmdBindShadersEXT-pStages-08468", "vkCmdBindShadersEXT-pShaders-08469",
	}},
	{ByOther, "no such shader object can be made: VkShaderCreateInfoEXT-stage-12445", []string{
		"vkCmdBindShadersEXT-pStages-08465",
	}},
	{ByOther, "it states in general what the individual rules of interfaces and layouts require", []string{
		"VkComputePipelineCreateInfo-stage-00702", "VkRayTracingPipelineCreateInfoNV-pStages-03426",
	}},
	{ByOther, "it is of a specification without VK_EXT_shader_object or VK_EXT_vertex_input_dynamic_state; with both it is vkCmdSetVertexInputEXT-None-08546", []string{
		"vkCmdSetVertexInputEXT-None-08547", "vkCmdSetVertexInputEXT-None-04790",
	}},
	{NeedsRun, "the payloads that shaders initialize, the draws of the graph, and the use of the scratch buffer", []string{
		"vkCmdDispatchGraphAMDX-*",
	}},
}
