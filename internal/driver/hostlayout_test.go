package driver

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
)

// TestHostLayouts lists the layouts that copies by the host accept: images of Chiaro have no layouts, so the list has the general
// layout, those of attachments, that of presentation, and those of extensions in whose place the general one may be used
// (unifiedImageLayouts), each once.
func TestHostLayouts(t *testing.T) {
	p := newProgram(t)
	var layouts [64]uint32
	x := abi.PhysicalDeviceHostImageCopyProperties{SType: abi.StructureTypePhysicalDeviceHostImageCopyProperties, CopySrcLayoutCount: 64, PCopySrcLayouts: &layouts[0]}
	do(abi.CmdGetPhysicalDeviceProperties2, &abi.GetPhysicalDeviceProperties2Args{PhysicalDevice: p.physical, PProperties: &abi.PhysicalDeviceProperties2{PNext: unsafe.Pointer(&x)}})
	list := layouts[:x.CopySrcLayoutCount]
	for _, l := range []uint32{abi.ImageLayoutGeneral, abi.ImageLayoutColorAttachmentOptimal, abi.ImageLayoutDepthAttachmentOptimal, abi.ImageLayoutPresentSrcKHR,
		abi.ImageLayoutAttachmentFeedbackLoopOptimalEXT, abi.ImageLayoutRenderingLocalRead, abi.ImageLayoutFragmentShadingRateAttachmentOptimalKHR} {
		if !slices.Contains(list, l) {
			t.Errorf("layout %d is missing", l)
		}
	}
	if sorted := slices.Sorted(slices.Values(list)); len(slices.Compact(sorted)) != len(list) {
		t.Errorf("a layout is listed twice: %v", list)
	}
}
