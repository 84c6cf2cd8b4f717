package driver

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
)

// TestConformance: the version of the conformance tests is 0.0.0.0, or the one of CHIARO_CONFORMANCE, in both structs that have it. A
// messenger of the instance hears of a value that is no version.
func TestConformance(t *testing.T) {
	list := listen(t)
	for _, c := range []struct {
		text  string
		want  abi.ConformanceVersion
		heard int
	}{
		{"", abi.ConformanceVersion{}, 0},
		{"1.4.1.0", abi.ConformanceVersion{Major: 1, Minor: 4, Subminor: 1}, 0},
		{"1.2.3.255", abi.ConformanceVersion{Major: 1, Minor: 2, Subminor: 3, Patch: 255}, 0},
		{"1.4", abi.ConformanceVersion{}, 1},
		{"1.4.1.256", abi.ConformanceVersion{}, 1},
		{"1.4.1.0.0", abi.ConformanceVersion{}, 1},
	} {
		*list = nil
		t.Setenv("CHIARO_CONFORMANCE", c.text)
		info := abi.DebugUtilsMessengerCreateInfoEXT{
			SType: abi.StructureTypeDebugUtilsMessengerCreateInfoEXT, MessageSeverity: severeError, MessageType: ofGeneral, PfnUserCallback: unsafe.Pointer(&callback),
		}
		i := newInstance(t, unsafe.Pointer(&info))
		core := abi.PhysicalDeviceVulkan12Properties{SType: abi.StructureTypePhysicalDeviceVulkan1_2Properties}
		x := abi.PhysicalDeviceDriverProperties{SType: abi.StructureTypePhysicalDeviceDriverProperties, PNext: unsafe.Pointer(&core)}
		do(abi.CmdGetPhysicalDeviceProperties2, &abi.GetPhysicalDeviceProperties2Args{PhysicalDevice: instanceOf(i).physical.handle, PProperties: &abi.PhysicalDeviceProperties2{PNext: unsafe.Pointer(&x)}})
		if x.ConformanceVersion != c.want || core.ConformanceVersion != c.want {
			t.Errorf("CHIARO_CONFORMANCE=%s: %v and %v; must be %v", c.text, x.ConformanceVersion, core.ConformanceVersion, c.want)
		}
		if len(*list) != c.heard || c.heard == 1 && !strings.Contains((*list)[0].text, "want a version of four numbers") {
			t.Errorf("CHIARO_CONFORMANCE=%s: heard %+v; must hear %d messages", c.text, *list, c.heard)
		}
	}
}
