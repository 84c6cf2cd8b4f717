package driver

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vk"
)

// instance is a VkInstance.
type instance struct {
	handle     *abi.Dispatch
	version    uint32 // that the application uses
	extensions map[string]bool
	physical   *physicalDevice
	messengers messengers
}

var instanceCalls = map[int]call{
	abi.CmdCreateInstance:                       on(createInstance),
	abi.CmdDestroyInstance:                      run(destroyInstance),
	abi.CmdEnumerateInstanceVersion:             on(enumerateInstanceVersion),
	abi.CmdEnumerateInstanceExtensionProperties: on(enumerateInstanceExtensions),
	abi.CmdEnumerateInstanceLayerProperties:     on(enumerateInstanceLayers),
	abi.CmdEnumeratePhysicalDevices:             on(enumeratePhysicalDevices),
	abi.CmdEnumeratePhysicalDeviceGroups:        on(enumeratePhysicalDeviceGroups),
}

// apiVersion is the version of Vulkan that the driver announces. The variable CHIARO_API lowers it: "1.1".
var apiVersion = sync.OnceValue(func() uint32 {
	v := makeVersion(1, abi.Minor, abi.HeaderVersion)
	if minor, ok := strings.CutPrefix(os.Getenv("CHIARO_API"), "1."); ok {
		if n, err := strconv.Atoi(minor); err == nil && n >= 0 && n < abi.Minor {
			v = makeVersion(1, uint32(n), abi.HeaderVersion)
		}
	}
	return v
})

// conformance returns the version of the conformance tests that the driver announces, and whether CHIARO_CONFORMANCE has a version, such as
// "1.4.1.0". Without it the version is 0.0.0.0: the driver is not certified, so it claims nothing by itself. Some programs use no such device.
func conformance() (v abi.ConformanceVersion, ok bool) {
	parts := strings.Split(os.Getenv("CHIARO_CONFORMANCE"), ".")
	if len(parts) != 4 {
		return v, false
	}
	for i, to := range []*uint8{&v.Major, &v.Minor, &v.Subminor, &v.Patch} {
		n, err := strconv.ParseUint(parts[i], 10, 8)
		if err != nil {
			return abi.ConformanceVersion{}, false
		}
		*to = uint8(n)
	}
	return v, true
}

func enumerateInstanceVersion(a *abi.EnumerateInstanceVersionArgs) abi.Result {
	*a.PApiVersion = apiVersion()
	return abi.Success
}

func createInstance(a *abi.CreateInstanceArgs) abi.Result {
	x := &instance{version: makeVersion(1, 0, 0), extensions: map[string]bool{}}
	if app := a.PCreateInfo.PApplicationInfo; app != nil && app.ApiVersion != 0 {
		x.version = app.ApiVersion
	}
	if v := host.Interface(); v != 0 && v < 5 && x.version >= makeVersion(1, 1, 0) {
		return abi.ErrorIncompatibleDriver // such a loader does not know later versions
	}
	if checking() != vk.None {
		listened.Store(true)
	}
	x.messengers.begin(a.PCreateInfo.PNext)
	defer x.messengers.begun()
	if text := os.Getenv("CHIARO_CONFORMANCE"); text != "" {
		if _, ok := conformance(); !ok {
			x.lacks(fmt.Sprintf("CHIARO_CONFORMANCE is %q; want a version of four numbers, such as 1.4.1.0", text))
		}
	}
	for _, name := range abi.Strings(a.PCreateInfo.PpEnabledExtensionNames, a.PCreateInfo.EnabledExtensionCount) {
		if !slices.ContainsFunc(announced(true), func(e *abi.Extension) bool { return e.Name == name }) {
			x.lacks("the driver lacks the extension " + name + " of instances")
			return abi.ErrorExtensionNotPresent
		}
		x.extensions[name] = true
	}
	if x.handle = newDispatch(&instances, x); x.handle == nil {
		return outOfHost
	}
	x.physical = &physicalDevice{instance: x, vk: vk.Play(selfProfile()), profile: selfProfile()}
	if x.physical.handle = newDispatch(&physicals, x.physical); x.physical.handle == nil {
		dropDispatch(&instances, x.handle)
		return outOfHost
	}
	abi.PutAddress(unsafe.Pointer(a.PInstance), unsafe.Pointer(x.handle))
	return abi.Success
}

func destroyInstance(a *abi.DestroyInstanceArgs) {
	if x := instanceOf(a.Instance); x != nil {
		x.messengers.ending()
		defer x.messengers.begun()
		dropDispatch(&physicals, x.physical.handle)
		dropDispatch(&instances, x.handle)
	}
}

// lacks tells the messengers of a request that the driver does not have.
func (x *instance) lacks(text string) {
	x.messengers.send(&message{severity: severeError, types: ofGeneral, text: text})
}

func enumerateInstanceExtensions(a *abi.EnumerateInstanceExtensionPropertiesArgs) abi.Result {
	if a.PLayerName != nil {
		return abi.ErrorLayerNotPresent
	}
	return listExtensions(true, a.PPropertyCount, a.PProperties)
}

func enumerateInstanceLayers(a *abi.EnumerateInstanceLayerPropertiesArgs) abi.Result {
	*a.PPropertyCount = 0
	return abi.Success
}

func enumeratePhysicalDevices(a *abi.EnumeratePhysicalDevicesArgs) abi.Result {
	x := instanceOf(a.Instance)
	if x == nil {
		return abi.ErrorInitializationFailed
	}
	return list(a.PPhysicalDeviceCount, a.PPhysicalDevices, []abi.PhysicalDevice{x.physical.handle}, func(to *abi.PhysicalDevice, v abi.PhysicalDevice) {
		abi.PutAddress(unsafe.Pointer(to), unsafe.Pointer(v))
	})
}

func enumeratePhysicalDeviceGroups(a *abi.EnumeratePhysicalDeviceGroupsArgs) abi.Result {
	x := instanceOf(a.Instance)
	if x == nil {
		return abi.ErrorInitializationFailed
	}
	return list(a.PPhysicalDeviceGroupCount, a.PPhysicalDeviceGroupProperties, []abi.PhysicalDevice{x.physical.handle}, func(to *abi.PhysicalDeviceGroupProperties, v abi.PhysicalDevice) {
		to.PhysicalDeviceCount = 1
		abi.PutAddress(unsafe.Pointer(&to.PhysicalDevices[0]), unsafe.Pointer(v))
		to.SubsetAllocation = 0
	})
}

// list answers a query in two calls: the number of elements if to is nil, else as many elements as there is space for.
func list[T, V any](count *uint32, to *T, values []V, put func(*T, V)) abi.Result {
	if to == nil {
		*count = uint32(len(values))
		return abi.Success
	}
	space := *count
	n := min(int(space), len(values))
	out := array(to, uint32(n))
	for i := range out {
		put(&out[i], values[i])
	}
	*count = uint32(n)
	if n < len(values) {
		return abi.Incomplete
	}
	return abi.Success
}
