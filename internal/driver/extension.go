package driver

import (
	"os"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/chiaro-gpu/chiaro/internal/abi"
)

// announcedNames are the extensions that the driver announces: all of each works. Extensions that the announced version
// contains are announced as well, if the driver has their features.
var announcedNames = []string{
	// of the instance
	"VK_KHR_surface", "VK_KHR_get_surface_capabilities2", "VK_EXT_headless_surface", "VK_KHR_xcb_surface", "VK_KHR_xlib_surface",
	"VK_EXT_debug_utils", "VK_EXT_debug_report",
	// of devices
	"VK_KHR_swapchain", "VK_KHR_swapchain_mutable_format", "VK_KHR_robustness2", "VK_EXT_robustness2", "VK_EXT_extended_dynamic_state3",
	"VK_EXT_vertex_input_dynamic_state", "VK_EXT_color_write_enable", "VK_EXT_conditional_rendering", "VK_EXT_multi_draw",
	"VK_EXT_custom_border_color", "VK_EXT_depth_clip_enable", "VK_EXT_depth_clip_control", "VK_EXT_provoking_vertex",
	"VK_EXT_primitive_topology_list_restart", "VK_EXT_non_seamless_cube_map", "VK_EXT_image_view_min_lod",
	"VK_KHR_pipeline_library", "VK_EXT_graphics_pipeline_library", "VK_EXT_memory_priority", "VK_EXT_memory_budget",
	"VK_EXT_transform_feedback", "VK_EXT_primitives_generated_query", "VK_EXT_discard_rectangles", "VK_EXT_mutable_descriptor_type",
	"VK_EXT_vertex_attribute_divisor", "VK_EXT_line_rasterization", "VK_EXT_index_type_uint8", "VK_EXT_load_store_op_none",
	"VK_EXT_queue_family_foreign", "VK_EXT_calibrated_timestamps", "VK_KHR_calibrated_timestamps", "VK_EXT_external_memory_host",
	"VK_EXT_shader_stencil_export", "VK_EXT_post_depth_coverage", "VK_EXT_shader_subgroup_ballot", "VK_EXT_shader_subgroup_vote",
	"VK_KHR_shader_clock", "VK_EXT_depth_range_unrestricted", "VK_KHR_shader_subgroup_uniform_control_flow",
	"VK_KHR_shader_maximal_reconvergence", "VK_KHR_shader_quad_control", "VK_KHR_workgroup_memory_explicit_layout",
	"VK_EXT_shader_atomic_float", "VK_EXT_shader_atomic_float2", "VK_EXT_shader_image_atomic_int64", "VK_KHR_fragment_shader_barycentric",
	"VK_KHR_compute_shader_derivatives", "VK_EXT_fragment_shader_interlock",
}

// announcement is the extensions of the instance and of devices, without those that the variable CHIARO_EXTENSIONS removes:
// "-VK_KHR_multiview,-VK_EXT_multi_draw".
var announcement = sync.OnceValue(func() (out [2][]*abi.Extension) {
	var removed []string
	for _, n := range strings.Split(os.Getenv("CHIARO_EXTENSIONS"), ",") {
		if name, ok := strings.CutPrefix(strings.TrimSpace(n), "-"); ok {
			removed = append(removed, name)
		}
	}
	names := slices.Concat(announcedNames, furtherNames)
	if hasFiles {
		names = append(names, fileNames...)
	}
	if host.Wayland.Open != nil {
		names = append(names, "VK_KHR_wayland_surface")
	}
	for i := range abi.Extensions {
		if v, ok := coreVersion(abi.Extensions[i].Promoted); ok && v <= apiVersion() {
			names = append(names, abi.Extensions[i].Name)
		}
	}
	for _, name := range names {
		i := sort.Search(len(abi.Extensions), func(i int) bool { return abi.Extensions[i].Name >= name })
		if i == len(abi.Extensions) || abi.Extensions[i].Name != name || slices.Contains(removed, name) || !supported(&abi.Extensions[i]) {
			continue
		}
		kind := 1
		if abi.Extensions[i].Instance {
			kind = 0
		}
		out[kind] = append(out[kind], &abi.Extensions[i])
	}
	return out
})

// supported reports whether the driver has the features of an extension. Some features are choices.
func supported(e *abi.Extension) bool {
	return !slices.ContainsFunc(e.Features, func(name string) bool { return !selfProfile().Device.Features[name] })
}

// announced returns the extensions of the instance or of devices.
func announced(ofInstance bool) []*abi.Extension {
	if ofInstance {
		return announcement()[0]
	}
	return announcement()[1]
}

// listExtensions answers a query for extensions.
func listExtensions(ofInstance bool, count *uint32, to *abi.ExtensionProperties) abi.Result {
	return list(count, to, announced(ofInstance), func(p *abi.ExtensionProperties, e *abi.Extension) {
		abi.PutString(p.ExtensionName[:], e.Name)
		p.SpecVersion = uint32(e.Revision)
	})
}
