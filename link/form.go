package link

import "strings"

// formWords are the requirements of implicit valid usage that the driver checks for each call, by the last part of a rule's code.
var formWords = []struct{ end, words string }{
	{"-sType-sType", "the type member of a struct is the one of the struct"},
	{"-sType-unique", "each type is in a chain once"},
	{"-pNext-pNext", "a chain has only structs that extend the first one"},
	{"-parameter", "a pointer points to memory, a handle has an object, and an enumerant or a mask has values of its type"},
	{"-commonparent", "the handles have been made by one device"},
	{"-parent", "the handle has been made by the device of the call"},
	{"-arraylength", "the array has an element"},
	{"-zerobitmask", "the mask is 0"},
	{"-requiredbitmask", "the mask has a bit"},
	{"-queuecount", "the device has a queue"},
}

// formLists are the rules of implicit valid usage that the driver does not check. A * at the end of a code matches all with that
// prefix that formWords has.
var formLists = []reason{
	{ByOther, "a query finds a struct by its type: a wrong one breaks the rule pNext of VkPhysicalDeviceFeatures2 or VkPhysicalDeviceProperties2, which the driver checks", []string{
		"VkPhysicalDeviceCooperativeMatrix2*", "VkPhysicalDeviceCooperativeMatrixFeatures*", "VkPhysicalDeviceCooperativeMatrixProperties*",
		"VkPhysicalDeviceCooperativeVector*", "VkPhysicalDeviceCuda*", "VkPhysicalDeviceShader*",
	}},
	{ByOther, "a struct in a chain is found by its type: a wrong one breaks the rule pNext of the first struct", []string{
		"VkDescriptorSetLayoutBindingFlagsCreateInfo-sType-sType", "VkDescriptorSetVariableDescriptorCountLayoutSupport-sType-sType",
		"VkMutableDescriptorTypeCreateInfoEXT-sType-sType", "VkPipelineRobustnessCreateInfo-sType-sType",
		"VkPipelineShaderStageModuleIdentifierCreateInfoEXT-sType-sType", "VkPipelineShaderStageNodeCreateInfoAMDX-sType-sType",
		"VkPipelineShaderStageRequiredSubgroupSizeCreateInfo-sType-sType", "VkPushConstantBankInfoNV-sType-sType",
		"VkShaderDescriptorSetAndBindingMappingInfoEXT-sType-sType", "VkShaderModuleValidationCacheCreateInfoEXT-sType-sType",
		"VkPipelineTessellationDomainOriginStateCreateInfo-sType-sType", "VkPipelineVertexInputDivisorStateCreateInfo-sType-sType",
	}},
	{NeedsForm, "the driver writes it", []string{
		"VkShaderInstrumentationMetricDataHeaderARM-stages-*",
	}},
	{ByOther, "the rules on the address judge it: vkConvertCooperativeVectorMatrixNV-pInfo-10073 and -10075, vkCmdConvertCooperativeVectorMatrixNV-pInfo-10083 and -10895", []string{
		"VkConvertCooperativeVectorMatrixInfoNV-srcData-parameter", "VkConvertCooperativeVectorMatrixInfoNV-dstData-parameter",
	}},
	{ByRefusal, "the device refuses VK_NV_ray_tracing", []string{
		"VkRayTracingPipelineCreateInfoNV-*", "VkRayTracingShaderGroupCreateInfoNV-*", "vkCreateRayTracingPipelinesNV-*",
	}},
}

// driverLists are further rules on the memory of calls that the driver checks.
var driverLists = []reason{
	{ByDriver, "the chain of a module has only validation caches and validation features", []string{"vkCreateShaderModule-pCreateInfo-06904"}},
	{ByDriver, "SPIR-V is aligned to 4 bytes, and the binary code of a shader to 16", []string{
		"VkShaderCreateInfoEXT-pCode-08493", "vkGetShaderBinaryDataEXT-None-08499",
	}},
	{ByDriver, "the handle has an object, or is VK_NULL_HANDLE", []string{
		"VkGraphicsPipelineCreateInfo-flags-06643", "VkShaderCreateInfoEXT-setLayoutCount-13360",
	}},
	{ByDriver, "an object with allocation callbacks is destroyed with some, and one without is destroyed without", []string{
		"vkDestroyDescriptorSetLayout-descriptorSetLayout-00284", "vkDestroyDescriptorSetLayout-descriptorSetLayout-00285",
		"vkDestroyPipelineLayout-pipelineLayout-00299", "vkDestroyPipelineLayout-pipelineLayout-00300", "vkDestroyShaderEXT-pAllocator-08483",
		"vkDestroyShaderEXT-pAllocator-08484", "vkDestroyShaderModule-shaderModule-01092", "vkDestroyShaderModule-shaderModule-01093",
		"vkDestroyValidationCacheEXT-validationCache-01537", "vkDestroyValidationCacheEXT-validationCache-01538",
	}},
	{ByDriver, "the memory for handles of shader groups is large enough for all of them", []string{
		"vkGetRayTracingShaderGroupHandlesKHR-dataSize-02420", "vkGetRayTracingCaptureReplayShaderGroupHandlesKHR-dataSize-03484",
	}},
	{ByDriver, "the name of an embedded sampler is for no type of object", []string{
		"VkDescriptorMappingSourceConstantOffsetEXT-pEmbeddedSampler-11415", "VkDescriptorMappingSourceIndirectIndexArrayEXT-pEmbeddedSampler-11415",
		"VkDescriptorMappingSourceIndirectIndexEXT-pEmbeddedSampler-11415", "VkDescriptorMappingSourcePushIndexEXT-pEmbeddedSampler-11415",
		"VkDescriptorMappingSourceShaderRecordIndexEXT-pEmbeddedSampler-11415",
	}},
}

// formAnswer returns the answer for a rule of implicit valid usage, without VUID-.
func formAnswer(of string) (Answer, bool) {
	for _, f := range formWords {
		if !strings.HasSuffix(of, f.end) {
			continue
		}
		for _, k := range formLists {
			for _, c := range k.codes {
				if begin, many := strings.CutSuffix(c, "*"); c == of || many && strings.HasPrefix(of, begin) {
					return Answer{k.by, k.why}, true
				}
			}
		}
		return Answer{ByDriver, f.words}, true
	}
	return Answer{}, false
}
