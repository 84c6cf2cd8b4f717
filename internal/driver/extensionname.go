package driver

// furtherNames are the extensions that the driver announces after announcedNames, by topic.
var furtherNames = []string{
	// shader objects, pipelines and modules
	"VK_EXT_shader_object", "VK_AMD_pipeline_compiler_control", "VK_KHR_pipeline_binary", "VK_KHR_pipeline_executable_properties", "VK_EXT_shader_module_identifier", "VK_ARM_shader_instrumentation", "VK_EXT_validation_cache",
	// descriptors
	"VK_EXT_descriptor_buffer", "VK_EXT_descriptor_heap", "VK_NV_push_constant_bank", "VK_VALVE_mutable_descriptor_type",
	// cooperative matrices and vectors
	"VK_KHR_cooperative_matrix", "VK_NV_cooperative_matrix", "VK_NV_cooperative_matrix2", "VK_NV_cooperative_matrix_decode_vector",
	"VK_EXT_cooperative_matrix_maintenance1", "VK_QCOM_cooperative_matrix_conversion", "VK_NV_cooperative_vector",
	// fixed functions
	"VK_KHR_fragment_shading_rate", "VK_AMD_rasterization_order", "VK_EXT_sample_locations", "VK_EXT_depth_clamp_control", "VK_EXT_depth_bias_control",
	"VK_EXT_blend_operation_advanced", "VK_EXT_custom_resolve", "VK_EXT_multisampled_render_to_single_sampled", "VK_EXT_conservative_rasterization", "VK_EXT_legacy_dithering",
	"VK_EXT_dynamic_rendering_unused_attachments", "VK_EXT_mesh_shader", "VK_NV_mesh_shader", "VK_EXT_nested_command_buffer",
	"VK_EXT_rasterization_order_attachment_access", "VK_ARM_rasterization_order_attachment_access",
	"VK_EXT_attachment_feedback_loop_layout", "VK_EXT_attachment_feedback_loop_dynamic_state", "VK_KHR_maintenance7",
	"VK_KHR_maintenance8", "VK_KHR_maintenance9", "VK_KHR_maintenance10", "VK_EXT_vertex_attribute_robustness", "VK_EXT_legacy_vertex_attributes", "VK_KHR_depth_clamp_zero_one",
	"VK_EXT_depth_clamp_zero_one", "VK_QCOM_render_pass_shader_resolve", "VK_QCOM_render_pass_store_ops", "VK_QCOM_tile_properties", "VK_QCOM_tile_shading", "VK_QCOM_tile_memory_heap",
	// images and memory
	"VK_EXT_image_2d_view_of_3d", "VK_EXT_image_sliced_view_of_3d", "VK_KHR_unified_image_layouts", "VK_EXT_zero_initialize_device_memory",
	"VK_EXT_border_color_swizzle", "VK_NV_corner_sampled_image", "VK_EXT_texture_compression_astc_3d",
	"VK_EXT_filter_cubic", "VK_IMG_filter_cubic", "VK_QCOM_filter_cubic_weights", "VK_QCOM_filter_cubic_clamp", "VK_EXT_ycbcr_image_arrays", "VK_EXT_rgba10x6_formats", "VK_MESA_image_alignment_control", "VK_QCOM_rotated_copy_commands",
	"VK_QCOM_image_processing", "VK_QCOM_image_processing2", "VK_QCOM_image_processing3",
	// shaders
	"VK_KHR_shader_bfloat16", "VK_EXT_shader_float8", "VK_EXT_shader_ocp_microscaling_types", "VK_VALVE_shader_mixed_float_dot_product",
	"VK_EXT_shader_replicated_composites", "VK_KHR_shader_untyped_pointers", "VK_KHR_shader_relaxed_extended_instruction", "VK_KHR_shader_fma",
	"VK_EXT_shader_subgroup_partitioned", "VK_NV_shader_subgroup_partitioned", "VK_EXT_shader_split_barrier", "VK_EXT_shader_long_vector",
	"VK_NV_shader_atomic_float16_vector", "VK_NV_raw_access_chains", "VK_INTEL_shader_integer_functions2", "VK_NV_shader_image_footprint",
	"VK_ARM_shader_core_builtins", "VK_NV_shader_sm_builtins", "VK_NV_compute_shader_derivatives", "VK_NV_fragment_shader_barycentric",
	"VK_NV_sample_mask_override_coverage", "VK_NV_geometry_shader_passthrough", "VK_NV_viewport_array2", "VK_NVX_multiview_per_view_attributes",
	"VK_EXT_shader_tile_image", "VK_EXT_shader_64bit_indexing", "VK_QCOM_shader_multiple_wait_queues", "VK_KHR_shader_constant_data", "VK_KHR_shader_abort", "VK_GOOGLE_decorate_string", "VK_GOOGLE_hlsl_functionality1",
	"VK_GOOGLE_user_type", "VK_AMD_gcn_shader", "VK_AMD_gpu_shader_half_float", "VK_AMD_gpu_shader_int16", "VK_AMD_shader_ballot",
	"VK_AMD_shader_early_and_late_fragment_tests", "VK_AMD_shader_explicit_vertex_parameter", "VK_AMD_shader_fragment_mask",
	"VK_AMD_shader_image_load_store_lod", "VK_AMD_shader_trinary_minmax", "VK_AMD_texture_gather_bias_lod",
	// aliases of core features
	"VK_EXT_buffer_device_address", "VK_EXT_global_priority", "VK_EXT_global_priority_query", "VK_AMD_draw_indirect_count",
	// stages
	"VK_HUAWEI_subpass_shading", "VK_AMDX_shader_enqueue", "VK_HUAWEI_cluster_culling_shader", "VK_NV_cuda_kernel_launch", "VK_NVX_image_view_handle",
	// queues
	"VK_EXT_device_generated_commands", "VK_NV_device_generated_commands", "VK_NV_device_generated_commands_compute", "VK_KHR_copy_memory_indirect", "VK_NV_copy_memory_indirect", "VK_KHR_deferred_host_operations", "VK_EXT_pageable_device_local_memory",
	"VK_EXT_device_fault", "VK_KHR_device_fault", "VK_EXT_device_memory_report", "VK_KHR_internally_synchronized_queues", "VK_EXT_external_memory_acquire_unmodified",
	"VK_KHR_device_address_commands", "VK_EXT_frame_boundary", "VK_NV_command_buffer_inheritance",
	// rays
	"VK_KHR_acceleration_structure", "VK_KHR_ray_query", "VK_KHR_ray_tracing_position_fetch", "VK_KHR_ray_tracing_pipeline",
	"VK_KHR_ray_tracing_maintenance1", "VK_EXT_pipeline_library_group_handles", "VK_NV_ray_tracing_linear_swept_spheres", "VK_EXT_opacity_micromap", "VK_KHR_opacity_micromap",
	"VK_NV_ray_tracing_invocation_reorder", "VK_EXT_ray_tracing_invocation_reorder", "VK_NV_ray_tracing_motion_blur",
	// windows
	"VK_KHR_surface_maintenance1", "VK_EXT_surface_maintenance1", "VK_KHR_swapchain_maintenance1", "VK_EXT_swapchain_maintenance1",
	"VK_KHR_present_id", "VK_KHR_present_wait", "VK_KHR_present_id2", "VK_KHR_present_wait2", "VK_KHR_present_mode_fifo_latest_ready",
	"VK_EXT_present_mode_fifo_latest_ready", "VK_KHR_incremental_present", "VK_EXT_swapchain_colorspace", "VK_KHR_surface_protected_capabilities",
	"VK_GOOGLE_display_timing", "VK_GOOGLE_surfaceless_query",
}

// fileNames are the extensions that the driver announces on systems with files of memory: see hasFiles.
var fileNames = []string{"VK_KHR_external_memory_fd", "VK_KHR_external_semaphore_fd", "VK_KHR_external_fence_fd", "VK_EXT_map_memory_placed"}
