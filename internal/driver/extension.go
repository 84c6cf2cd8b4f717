package driver

import (
	"os"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/chiaro-gpu/chiaro/internal/abi"
)

// announcedNames are the extensions that the driver announces: all of each works.
var announcedNames = []string{
	// of the instance
	"VK_KHR_device_group_creation", "VK_KHR_external_fence_capabilities", "VK_KHR_external_memory_capabilities",
	"VK_KHR_external_semaphore_capabilities", "VK_KHR_get_physical_device_properties2",
	"VK_KHR_surface", "VK_KHR_get_surface_capabilities2", "VK_EXT_headless_surface", "VK_KHR_xcb_surface", "VK_KHR_xlib_surface",
	// of devices
	"VK_KHR_swapchain", "VK_KHR_swapchain_mutable_format",
	"VK_KHR_16bit_storage", "VK_KHR_8bit_storage", "VK_KHR_bind_memory2", "VK_KHR_dedicated_allocation",
	"VK_KHR_get_memory_requirements2", "VK_KHR_maintenance1", "VK_KHR_maintenance2", "VK_KHR_maintenance3",
	"VK_KHR_storage_buffer_storage_class", "VK_KHR_variable_pointers", "VK_KHR_relaxed_block_layout",
	"VK_KHR_shader_float16_int8", "VK_KHR_spirv_1_4", "VK_KHR_shader_float_controls", "VK_KHR_timeline_semaphore",
	"VK_KHR_vulkan_memory_model", "VK_KHR_uniform_buffer_standard_layout", "VK_EXT_scalar_block_layout", "VK_KHR_driver_properties",
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
	for _, name := range announcedNames {
		i := sort.Search(len(abi.Extensions), func(i int) bool { return abi.Extensions[i].Name >= name })
		if i == len(abi.Extensions) || abi.Extensions[i].Name != name || slices.Contains(removed, name) {
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
