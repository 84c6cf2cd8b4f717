package link

// absentLists are the rules on objects, states and parameters that package vk does not have, and the rules on parts of calls that Go
// does not have.
var absentLists = []reason{
	{ByOther, "calls of package vk have no stack: any size is large enough", []string{
		"vkCmdSetRayTracingPipelineStackSizeKHR-pipelineStackSize-03610",
	}},
	{ByOther, "methods of package vk have a receiver of the type", []string{
		"vkGetRayTracingShaderGroupHandlesKHR-pipeline-04619", "vkGetRayTracingCaptureReplayShaderGroupHandlesKHR-pipeline-04620",
		"vkGetRayTracingShaderGroupStackSizeKHR-pipeline-04622",
	}},
	{ByOther, "no command of the driver defers its work: an operation is complete when its command returns", []string{
		"vkCreateRayTracingPipelinesKHR-deferredOperation-03678",
	}},
	{ByOther, "minSamplerHeapReservedRangeWithEmbedded of the device is 0: any reserved range is large enough", []string{
		"vkCmdDraw-pBindInfo-11375",
	}},
	{ByOther, "shaders access attachments only as attachments, storage images and sampled images", []string{
		"vkCmdDraw-None-09003",
	}},
	{ByOther, "no shader object can be made without the feature: vkCreateShadersEXT-None-08400", []string{
		"vkDestroyShaderEXT-None-08481",
	}},
	{ByOther, "package vk has one command for both: vkCmdPushConstants", []string{
		"vkCmdPushConstants2-commandBuffer-11295", "vkCmdPushConstants2-commandBuffer-11296", "vkCmdPushConstants2-commandBuffer-cmdpool",
		"vkCmdPushConstants2-commandBuffer-recording",
	}},
}
