package driver

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
)

// reportedDevice makes a device with VK_EXT_device_memory_report and two callbacks, and returns the events of both.
func reportedDevice(t *testing.T) (device *abi.Dispatch, events *[]abi.DeviceMemoryReportCallbackDataEXT) {
	t.Helper()
	listen(t)
	events = &[]abi.DeviceMemoryReportCallbackDataEXT{}
	calls := new([2]int) // of the callbacks, whose data they are
	pin(t, calls)
	host.Memory = func(_ unsafe.Pointer, d *abi.DeviceMemoryReportCallbackDataEXT, user uintptr) {
		which := 0
		if user != uintptr(unsafe.Pointer(&calls[0])) {
			which = 1
		}
		if calls[which]++; which == 0 {
			*events = append(*events, *d)
		}
	}
	i := newInstance(t, nil)
	n := uint32(1)
	var p *abi.Dispatch
	do(abi.CmdEnumeratePhysicalDevices, &abi.EnumeratePhysicalDevicesArgs{Instance: i, PPhysicalDeviceCount: &n, PPhysicalDevices: &p})
	name := cText(t, "VK_EXT_device_memory_report")
	second := abi.DeviceDeviceMemoryReportCreateInfoEXT{SType: abi.StructureTypeDeviceDeviceMemoryReportCreateInfoEXT, PfnUserCallback: unsafe.Pointer(&callback), PUserData: unsafe.Pointer(&calls[1])}
	first := second
	first.PNext, first.PUserData = unsafe.Pointer(&second), unsafe.Pointer(&calls[0])
	features := abi.PhysicalDeviceDeviceMemoryReportFeaturesEXT{SType: abi.StructureTypePhysicalDeviceDeviceMemoryReportFeaturesEXT, PNext: unsafe.Pointer(&first), DeviceMemoryReport: abi.True}
	info := abi.DeviceCreateInfo{
		PNext: unsafe.Pointer(&features), QueueCreateInfoCount: 1, PQueueCreateInfos: &abi.DeviceQueueCreateInfo{QueueCount: 1},
		EnabledExtensionCount: 1, PpEnabledExtensionNames: unsafe.Pointer(&name),
	}
	if r := do(abi.CmdCreateDevice, &abi.CreateDeviceArgs{PhysicalDevice: p, PCreateInfo: &info, PDevice: &device}); r != abi.Success {
		t.Fatalf("the device: %d", r)
	}
	t.Cleanup(func() {
		do(abi.CmdDestroyDevice, &abi.DestroyDeviceArgs{Device: device})
		if calls[0] != calls[1] {
			t.Errorf("the callbacks have run %d and %d times; must be as often", calls[0], calls[1])
		}
	})
	return device, events
}

// TestMemoryReport allocates, exports, imports and frees memory: each is an event with the object, and all uses of one file have one
// number (Vulkan, VkDeviceMemoryReportCallbackDataEXT).
func TestMemoryReport(t *testing.T) {
	d, events := reportedDevice(t)
	allocate := func(size uint64, chain unsafe.Pointer) (m abi.DeviceMemory, r abi.Result) {
		r = do(abi.CmdAllocateMemory, &abi.AllocateMemoryArgs{Device: d, PAllocateInfo: &abi.MemoryAllocateInfo{PNext: chain, AllocationSize: size}, PMemory: &m})
		return m, r
	}
	free := func(m abi.DeviceMemory) { do(abi.CmdFreeMemory, &abi.FreeMemoryArgs{Device: d, Memory: m}) }
	plain, _ := allocate(4096, nil)
	other, _ := allocate(8192, nil)
	free(plain)
	free(0)
	free(plain)
	if m, r := allocate(1<<62, nil); r >= 0 || m != 0 {
		t.Fatalf("an allocation of 2⁶² bytes: %d", r)
	}
	want := []abi.DeviceMemoryReportCallbackDataEXT{
		{Type: abi.DeviceMemoryReportEventTypeAllocateEXT, Size: 4096, ObjectHandle: uint64(plain)},
		{Type: abi.DeviceMemoryReportEventTypeAllocateEXT, Size: 8192, ObjectHandle: uint64(other)},
		{Type: abi.DeviceMemoryReportEventTypeFreeEXT, ObjectHandle: uint64(plain)},
		{Type: abi.DeviceMemoryReportEventTypeAllocationFailedEXT, Size: 1 << 62},
	}
	if hasFiles {
		export := abi.ExportMemoryAllocateInfo{SType: abi.StructureTypeExportMemoryAllocateInfo, HandleTypes: abi.ExternalMemoryHandleTypeOpaqueFdBit}
		exported, _ := allocate(4096, unsafe.Pointer(&export))
		var fd int32
		do(abi.CmdGetMemoryFdKHR, &abi.GetMemoryFdKHRArgs{Device: d, PGetFdInfo: &abi.MemoryGetFdInfoKHR{Memory: exported, HandleType: abi.ExternalMemoryHandleTypeOpaqueFdBit}, PFd: &fd})
		file := abi.ImportMemoryFdInfoKHR{SType: abi.StructureTypeImportMemoryFdInfoKHR, HandleType: abi.ExternalMemoryHandleTypeOpaqueFdBit, Fd: fd}
		imported, _ := allocate(4096, unsafe.Pointer(&file))
		free(exported)
		free(imported)
		want = append(want,
			abi.DeviceMemoryReportCallbackDataEXT{Type: abi.DeviceMemoryReportEventTypeAllocateEXT, Size: 4096, ObjectHandle: uint64(exported)},
			abi.DeviceMemoryReportCallbackDataEXT{Type: abi.DeviceMemoryReportEventTypeImportEXT, Size: 4096, ObjectHandle: uint64(imported)},
			abi.DeviceMemoryReportCallbackDataEXT{Type: abi.DeviceMemoryReportEventTypeFreeEXT, ObjectHandle: uint64(exported)},
			abi.DeviceMemoryReportCallbackDataEXT{Type: abi.DeviceMemoryReportEventTypeUnimportEXT, ObjectHandle: uint64(imported)},
		)
	}
	var ids []uint64
	for i := range *events {
		e := &(*events)[i]
		if e.SType != abi.StructureTypeDeviceMemoryReportCallbackDataEXT || e.ObjectType != abi.ObjectTypeDeviceMemory || e.HeapIndex != 0 {
			t.Errorf("event %d is of the structure %d, the type %d and the heap %d", i, e.SType, e.ObjectType, e.HeapIndex)
		}
		ids = append(ids, e.MemoryObjectId)
		*e = abi.DeviceMemoryReportCallbackDataEXT{Type: e.Type, Size: e.Size, ObjectHandle: e.ObjectHandle}
	}
	if !slices.Equal(*events, want) {
		t.Fatalf("the events are\n%v, want\n%v", *events, want)
	}
	if ids[0] == 0 || ids[0] == ids[1] || ids[0] != ids[2] {
		t.Errorf("the objects of two allocations and of the free of the first are %v", ids[:3])
	}
	if hasFiles && (ids[4] == 0 || slices.ContainsFunc(ids[4:], func(n uint64) bool { return n != ids[4] }) || slices.Contains(ids[:3], ids[4])) {
		t.Errorf("the objects of an export and an import are %v, and before %v; must be one, and another one", ids[4:], ids[:3])
	}
	free(other)
}
