package amber

// has reports whether Chiaro has what is required.
func has(q Requirement) bool {
	switch q.Kind {
	case Feature:
		return features[q.Name]
	case Property:
		return properties[q.Name]
	case InstanceExtension:
		return instanceExtensions[q.Name]
	case DeviceExtension:
		return deviceExtensions[q.Name]
	}
	return deviceExtensions[q.Name] || instanceExtensions[q.Name]
}

// features are the device features that Chiaro has, in the spelling of
// scripts: those of VkPhysicalDeviceFeatures by name alone, others behind the
// name of their structure without VkPhysicalDevice. It grows as engines grow;
// an instruction that cannot be lowered is named when its shader is compiled.
var features = map[string]bool{
	"robustBufferAccess": true,
	"shaderFloat64":      true,
	"shaderInt64":        true,
	"shaderInt16":        true,
	"shaderUniformBufferArrayDynamicIndexing":                                                 true,
	"shaderStorageBufferArrayDynamicIndexing":                                                 true,
	"Float16Int8Features.shaderFloat16":                                                       true,
	"Float16Int8Features.shaderInt8":                                                          true,
	"Storage8BitFeatures.storageBuffer8BitAccess":                                             true,
	"Storage8BitFeatures.uniformAndStorageBuffer8BitAccess":                                   true,
	"Storage8BitFeatures.storagePushConstant8":                                                true,
	"Storage16BitFeatures.storageBuffer16BitAccess":                                           true,
	"Storage16BitFeatures.uniformAndStorageBuffer16BitAccess":                                 true,
	"Storage16BitFeatures.storagePushConstant16":                                              true,
	"VariablePointerFeatures.variablePointers":                                                true,
	"VariablePointerFeatures.variablePointersStorageBuffer":                                   true,
	"VulkanMemoryModelFeatures.vulkanMemoryModel":                                             true,
	"VulkanMemoryModelFeatures.vulkanMemoryModelDeviceScope":                                  true,
	"SubgroupSizeControl.subgroupSizeControl":                                                 true,
	"SubgroupSizeControl.computeFullSubgroups":                                                true,
	"SubgroupSupportedOperations.basic":                                                       true,
	"SubgroupSupportedOperations.vote":                                                        true,
	"SubgroupSupportedOperations.arithmetic":                                                  true,
	"SubgroupSupportedOperations.ballot":                                                      true,
	"SubgroupSupportedOperations.shuffle":                                                     true,
	"SubgroupSupportedOperations.shuffleRelative":                                             true,
	"SubgroupSupportedOperations.clustered":                                                   true,
	"SubgroupSupportedStages.compute":                                                         true,
	"ZeroInitializeWorkgroupMemoryFeatures.shaderZeroInitializeWorkgroupMemory":               true,
	"WorkgroupMemoryExplicitLayoutFeaturesKHR.workgroupMemoryExplicitLayout":                  true,
	"WorkgroupMemoryExplicitLayoutFeaturesKHR.workgroupMemoryExplicitLayoutScalarBlockLayout": true,
	"WorkgroupMemoryExplicitLayoutFeaturesKHR.workgroupMemoryExplicitLayout8BitAccess":        true,
	"WorkgroupMemoryExplicitLayoutFeaturesKHR.workgroupMemoryExplicitLayout16BitAccess":       true,
	"ShaderSubgroupUniformControlFlowFeaturesKHR.shaderSubgroupUniformControlFlow":            true,
}

// properties are the device properties that Chiaro has: floats of 32 and 16
// bits keep signed zeros, infinities, NaN and denormals and round to nearest
// even; nothing is flushed and nothing rounds toward zero.
var properties = map[string]bool{
	"FloatControlsProperties.shaderSignedZeroInfNanPreserveFloat16": true,
	"FloatControlsProperties.shaderSignedZeroInfNanPreserveFloat32": true,
	"FloatControlsProperties.shaderSignedZeroInfNanPreserveFloat64": true,
	"FloatControlsProperties.shaderDenormPreserveFloat16":           true,
	"FloatControlsProperties.shaderDenormPreserveFloat32":           true,
	"FloatControlsProperties.shaderDenormPreserveFloat64":           true,
	"FloatControlsProperties.shaderRoundingModeRTEFloat16":          true,
	"FloatControlsProperties.shaderRoundingModeRTEFloat32":          true,
	"FloatControlsProperties.shaderRoundingModeRTEFloat64":          true,
}

// deviceExtensions are the device extensions that Chiaro has.
var deviceExtensions = map[string]bool{
	"VK_KHR_16bit_storage":                        true,
	"VK_KHR_8bit_storage":                         true,
	"VK_KHR_shader_float16_int8":                  true,
	"VK_KHR_shader_float_controls":                true,
	"VK_KHR_shader_integer_dot_product":           true,
	"VK_KHR_shader_maximal_reconvergence":         true,
	"VK_KHR_shader_non_semantic_info":             true,
	"VK_KHR_shader_subgroup_extended_types":       true,
	"VK_KHR_shader_subgroup_uniform_control_flow": true,
	"VK_KHR_spirv_1_4":                            true,
	"VK_KHR_storage_buffer_storage_class":         true,
	"VK_KHR_variable_pointers":                    true,
	"VK_KHR_vulkan_memory_model":                  true,
	"VK_KHR_workgroup_memory_explicit_layout":     true,
	"VK_KHR_zero_initialize_workgroup_memory":     true,
	"VK_EXT_descriptor_indexing":                  true, // for buffers, which every index may differ for
	"VK_EXT_scalar_block_layout":                  true,
	"VK_EXT_subgroup_size_control":                true,
	"VK_EXT_shader_subgroup_ballot":               true,
	"VK_EXT_shader_subgroup_vote":                 true,
	"VK_KHR_relaxed_block_layout":                 true,
	"VK_KHR_uniform_buffer_standard_layout":       true,
	"VK_KHR_maintenance1":                         true,
	"VK_KHR_maintenance2":                         true,
	"VK_KHR_maintenance3":                         true,
	"VK_KHR_get_physical_device_properties2":      true, // scripts ask for it on either side
	"VK_KHR_shader_terminate_invocation":          true,
	"VK_EXT_shader_demote_to_helper_invocation":   true,
	"VK_GOOGLE_hlsl_functionality1":               true,
	"VK_GOOGLE_decorate_string":                   true,
	"VK_GOOGLE_user_type":                         true,
}

// instanceExtensions are the instance extensions that Chiaro has.
var instanceExtensions = map[string]bool{
	"VK_KHR_get_physical_device_properties2": true,
	"VK_EXT_debug_utils":                     true,
	"VK_EXT_validation_features":             true,
}
