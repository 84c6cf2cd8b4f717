package link

// runLists are the rules that a run judges: it stops with an error, or a sanitizer reports the fault. A test demands that the sources
// of the packages that run shaders name each of them.
var runLists = []reason{
	{ByRun, "a run stops if the dimensionality of a view or its kind of number does not match the image in the shader", []string{
		"vkCmdDraw-viewType-07752", "vkCmdDraw-format-07753",
	}},
	{ByRun, "a run stops at an invocation that does not end: each has a budget of steps", []string{
		"vkCmdDraw-None-07288",
	}},
	{ByRun, "the sanitizer bounds reports texels of tile attachments outside of the active tile", []string{
		"RuntimeSpirv-Coordinate-10713", "RuntimeSpirv-Coordinate-10714",
	}},
	{ByRun, "a dispatch of an execution graph stops at a node with too many workgroups", []string{
		"vkCmdDispatchGraphAMDX-maxComputeWorkGroupCount-09186",
	}},
	{ByRun, "the sanitizer bounds reports accesses beyond the range of a descriptor or of a mapped resource, whatever the robustness", []string{
		"vkCmdDraw-uniformBuffers-06935", "vkCmdDraw-storageBuffers-06936", "vkCmdDraw-None-08612", "vkCmdDraw-None-08613", "vkCmdDraw-None-11372",
		"vkCmdDraw-None-11373", "vkCmdDraw-None-11374", "vkCmdDraw-None-11398",
	}},
	{ByRun, "the sanitizer bounds reports vertex attributes past the end of their buffer, whatever the robustness", []string{
		"vkCmdDraw-None-02721",
	}},
	{ByRun, "the sanitizer bounds reports addresses outside of all buffers, and those that are less aligned than the operand says", []string{
		"RuntimeSpirv-PhysicalStorageBuffer64-11819", "RuntimeSpirv-PhysicalStorageBuffer64-06315",
	}},
	{ByRun, "the sanitizer bounds reports offsets in buffers of more than 32 bits, and accesses by untyped pointers that are less aligned than every layout requires", []string{
		"RuntimeSpirv-None-10834", "RuntimeSpirv-OpTypeUntypedPointerKHR-11166",
	}},
	{ByRun, "the sanitizer bounds reports descriptors beyond the end of a heap, and those that are neither null nor of a live object", []string{
		"vkCmdDraw-None-11309", "vkCmdDraw-None-12472",
	}},
	{ByRun, "the sanitizer bounds reports an address in a shader record that is of no buffer", []string{
		"vkCmdTraceRaysKHR-None-11319",
	}},
	{ByRun, "the sanitizer bounds reports descriptors in descriptor buffers that are neither null nor valid, and those outside of memory", []string{
		"vkCmdDraw-None-08116", "vkCmdDraw-None-08119", "vkCmdDraw-None-08605",
	}},
	{ByRun, "the sanitizer bounds reports reference coordinates of a comparison of blocks outside of the image, unless the sampler clamps to the edge", []string{
		"vkCmdDraw-OpImageBlockMatchSADQCOM-06976", "vkCmdDraw-OpImageBlockMatchWindow-09217",
	}},
	{ByRun, "a dispatch of an execution graph stops at a workgroup that allocates too many payloads; the sanitizer bounds reports more of a type than its node may have", []string{
		"vkCmdDispatchGraphAMDX-maxExecutionGraphShaderPayloadCount-09187", "vkCmdDispatchGraphAMDX-NodeMaxPayloadsAMDX-09188",
	}},
	{ByRun, "the sanitizer uniform reports a barrier that not all invocations of the workgroup reach", []string{
		"RuntimeSpirv-OpControlBarrierArriveEXT-13558",
	}},
	{ByRun, "the sanitizer undefined reports a hit outside of the rest of the ray, and the vertices of a hit that is no triangle", []string{
		"RuntimeSpirv-OpRayQueryGenerateIntersectionKHR-06353", "HitTriangleVertexPositionsKHR-HitTriangleVertexPositionsKHR-08750",
	}},
}
