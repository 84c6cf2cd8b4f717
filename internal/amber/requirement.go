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
	"ShaderAtomicInt64Features.shaderBufferInt64Atomics":                                      true,
	"ShaderAtomicInt64Features.shaderSharedInt64Atomics":                                      true,
	"ShaderAtomicFloatFeaturesEXT.shaderBufferFloat32Atomics":                                 true,
	"ShaderAtomicFloatFeaturesEXT.shaderBufferFloat32AtomicAdd":                               true,
	"ShaderAtomicFloatFeaturesEXT.shaderBufferFloat64Atomics":                                 true,
	"ShaderAtomicFloatFeaturesEXT.shaderBufferFloat64AtomicAdd":                               true,
	"ShaderAtomicFloat2FeaturesEXT.shaderBufferFloat16Atomics":                                true,
	"ShaderAtomicFloat2FeaturesEXT.shaderBufferFloat16AtomicAdd":                              true,
	"ShaderAtomicFloat2FeaturesEXT.shaderBufferFloat16AtomicMinMax":                           true,
	"ShaderAtomicFloat2FeaturesEXT.shaderBufferFloat32AtomicMinMax":                           true,
	"ShaderAtomicFloat2FeaturesEXT.shaderBufferFloat64AtomicMinMax":                           true,
	"ShaderAtomicFloatFeaturesEXT.shaderSharedFloat32Atomics":                                 true,
	"ShaderAtomicFloatFeaturesEXT.shaderSharedFloat32AtomicAdd":                               true,
	"ShaderAtomicFloatFeaturesEXT.shaderSharedFloat64Atomics":                                 true,
	"ShaderAtomicFloatFeaturesEXT.shaderSharedFloat64AtomicAdd":                               true,
	"ShaderAtomicFloat2FeaturesEXT.shaderSharedFloat16Atomics":                                true,
	"ShaderAtomicFloat2FeaturesEXT.shaderSharedFloat16AtomicAdd":                              true,
	"ShaderAtomicFloat2FeaturesEXT.shaderSharedFloat16AtomicMinMax":                           true,
	"ShaderAtomicFloat2FeaturesEXT.shaderSharedFloat32AtomicMinMax":                           true,
	"ShaderAtomicFloat2FeaturesEXT.shaderSharedFloat64AtomicMinMax":                           true,
	"SubgroupSupportedOperations.quad":                                                        true,
	"ShaderSubgroupExtendedTypesFeatures.shaderSubgroupExtendedTypes":                         true,
	"ShaderSubgroupRotateFeatures.shaderSubgroupRotate":                                       true,
	"ShaderSubgroupRotateFeatures.shaderSubgroupRotateClustered":                              true,
	"ShaderSubgroupPartitionedFeaturesEXT.shaderSubgroupPartitioned":                          true,
	"ShaderMaximalReconvergenceFeaturesKHR.shaderMaximalReconvergence":                        true,
	"ShaderIntegerDotProductFeatures.shaderIntegerDotProduct":                                 true,
	"ShaderIntegerFunctions2FeaturesINTEL.shaderIntegerFunctions2":                            true,
	"ShaderExpectAssumeFeatures.shaderExpectAssume":                                           true,
	"ShaderFloatControls2Features.shaderFloatControls2":                                       true,
	"ShaderFmaFeaturesKHR.shaderFmaFloat16":                                                   true,
	"ShaderFmaFeaturesKHR.shaderFmaFloat32":                                                   true,
	"ShaderFmaFeaturesKHR.shaderFmaFloat64":                                                   true,
	"ShaderBfloat16FeaturesKHR.shaderBFloat16Type":                                            true,
	"ShaderBfloat16FeaturesKHR.shaderBFloat16DotProduct":                                      true,
	"ShaderFloat8FeaturesEXT.shaderFloat8":                                                    true,
	"ShaderMixedFloatDotProductFeaturesVALVE.shaderMixedFloatDotProductFloat16AccFloat32":     true,
	"ShaderMixedFloatDotProductFeaturesVALVE.shaderMixedFloatDotProductFloat16AccFloat16":     true,
	"ShaderMixedFloatDotProductFeaturesVALVE.shaderMixedFloatDotProductBFloat16Acc":           true,
	"ShaderMixedFloatDotProductFeaturesVALVE.shaderMixedFloatDotProductFloat8AccFloat32":      true,
	"ShaderLongVectorFeaturesEXT.longVector":                                                  true,
	"ShaderReplicatedCompositesFeaturesEXT.shaderReplicatedComposites":                        true,
	"ShaderUntypedPointersFeaturesKHR.shaderUntypedPointers":                                  true,
	"ShaderSplitBarrierFeaturesEXT.shaderSplitBarrier":                                        true,
	"ComputeShaderDerivativesFeaturesKHR.computeDerivativeGroupQuads":                         true,
	"ComputeShaderDerivativesFeaturesKHR.computeDerivativeGroupLinear":                        true,
	"ShaderRelaxedExtendedInstructionFeaturesKHR.shaderRelaxedExtendedInstruction":            true,
	"VulkanMemoryModelFeatures.vulkanMemoryModelAvailabilityVisibilityChains":                 true,
	"ShaderCoreBuiltinsFeaturesARM.shaderCoreBuiltins":                                        true,
	"ShaderSMBuiltinsFeaturesNV.shaderSMBuiltins":                                             true,
	"ScalarBlockLayoutFeatures.scalarBlockLayout":                                             true,
	"UniformBufferStandardLayoutFeatures.uniformBufferStandardLayout":                         true,
}

// properties are the device properties that Chiaro has: floats of 32 and 16
// bits keep signed zeros, infinities and NaN, and round and keep or flush
// denormals as the shader says.
var properties = map[string]bool{
	"FloatControlsProperties.shaderSignedZeroInfNanPreserveFloat16": true,
	"FloatControlsProperties.shaderSignedZeroInfNanPreserveFloat32": true,
	"FloatControlsProperties.shaderSignedZeroInfNanPreserveFloat64": true,
	"FloatControlsProperties.shaderDenormPreserveFloat16":           true,
	"FloatControlsProperties.shaderDenormPreserveFloat32":           true,
	"FloatControlsProperties.shaderDenormPreserveFloat64":           true,
	"FloatControlsProperties.shaderDenormFlushToZeroFloat16":        true,
	"FloatControlsProperties.shaderDenormFlushToZeroFloat32":        true,
	"FloatControlsProperties.shaderDenormFlushToZeroFloat64":        true,
	"FloatControlsProperties.shaderRoundingModeRTZFloat16":          true,
	"FloatControlsProperties.shaderRoundingModeRTZFloat32":          true,
	"FloatControlsProperties.shaderRoundingModeRTZFloat64":          true,
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
	"VK_KHR_shader_atomic_int64":                  true,
	"VK_EXT_shader_atomic_float":                  true,
	"VK_EXT_shader_atomic_float2":                 true,
	"VK_KHR_shader_subgroup_rotate":               true,
	"VK_NV_shader_subgroup_partitioned":           true,
	"VK_EXT_shader_subgroup_partitioned":          true,
	"VK_KHR_shader_expect_assume":                 true,
	"VK_KHR_shader_float_controls2":               true,
	"VK_KHR_shader_fma":                           true,
	"VK_KHR_shader_bfloat16":                      true,
	"VK_EXT_shader_float8":                        true,
	"VK_EXT_shader_long_vector":                   true,
	"VK_KHR_shader_untyped_pointers":              true,
	"VK_EXT_shader_replicated_composites":         true,
	"VK_EXT_shader_split_barrier":                 true,
	"VK_VALVE_shader_mixed_float_dot_product":     true,
	"VK_INTEL_shader_integer_functions2":          true,
	"VK_KHR_compute_shader_derivatives":           true,
	"VK_NV_compute_shader_derivatives":            true,
	"VK_KHR_shader_relaxed_extended_instruction":  true,
	"VK_ARM_shader_core_builtins":                 true,
	"VK_NV_shader_sm_builtins":                    true,
	"VK_AMD_shader_ballot":                        true,
	"VK_AMD_shader_trinary_minmax":                true,
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
