package driver

import (
	"os"
	"syscall"
	"testing"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
)

// TestPlacedMappings maps memory at addresses of the application, in parts and as a whole, and with reserved addresses: the bytes are
// those of the memory (Vulkan, VK_EXT_map_memory_placed).
func TestPlacedMappings(t *testing.T) {
	listen(t)
	i := newInstance(t, nil)
	n := uint32(1)
	var physical, d *abi.Dispatch
	do(abi.CmdEnumeratePhysicalDevices, &abi.EnumeratePhysicalDevicesArgs{Instance: i, PPhysicalDeviceCount: &n, PPhysicalDevices: &physical})
	name := cText(t, "VK_EXT_map_memory_placed")
	features := abi.PhysicalDeviceMapMemoryPlacedFeaturesEXT{SType: abi.StructureTypePhysicalDeviceMapMemoryPlacedFeaturesEXT, MemoryMapPlaced: abi.True, MemoryMapRangePlaced: abi.True, MemoryUnmapReserve: abi.True}
	info := abi.DeviceCreateInfo{
		PNext: unsafe.Pointer(&features), QueueCreateInfoCount: 1, PQueueCreateInfos: &abi.DeviceQueueCreateInfo{QueueCount: 1},
		EnabledExtensionCount: 1, PpEnabledExtensionNames: unsafe.Pointer(&name),
	}
	if r := do(abi.CmdCreateDevice, &abi.CreateDeviceArgs{PhysicalDevice: physical, PCreateInfo: &info, PDevice: &d}); r != abi.Success {
		t.Fatalf("the device: %d", r)
	}
	defer do(abi.CmdDestroyDevice, &abi.DestroyDeviceArgs{Device: d})
	page := os.Getpagesize()
	room, err := syscall.Mmap(-1, 0, 4*page, syscall.PROT_NONE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Munmap(room)
	at := func(pages int) unsafe.Pointer { return unsafe.Pointer(&room[pages*page]) }
	p := &program{T: t, instance: i, device: d}
	allocate := func(size int) (m abi.DeviceMemory) {
		must(p, abi.CmdAllocateMemory, &abi.AllocateMemoryArgs{Device: d, PAllocateInfo: &abi.MemoryAllocateInfo{AllocationSize: uint64(size)}, PMemory: &m})
		return m
	}
	var data unsafe.Pointer
	place := func(m abi.DeviceMemory, offset, size uint64, address unsafe.Pointer) abi.Result {
		placed := abi.MemoryMapPlacedInfoEXT{SType: abi.StructureTypeMemoryMapPlacedInfoEXT, PPlacedAddress: address}
		return do(abi.CmdMapMemory2, &abi.MapMemory2Args{Device: d, PpData: unsafe.Pointer(&data), PMemoryMapInfo: &abi.MemoryMapInfo{PNext: unsafe.Pointer(&placed), Flags: abi.MemoryMapPlacedBitEXT, Memory: m, Offset: offset, Size: size}})
	}
	unmapWith := func(m abi.DeviceMemory, flags uint32) {
		must(p, abi.CmdUnmapMemory2, &abi.UnmapMemory2Args{Device: d, PMemoryUnmapInfo: &abi.MemoryUnmapInfo{Flags: flags, Memory: m}})
	}
	m := allocate(2 * page)
	odd := &outside[abi.MemoryMapPlacedInfoEXT](t, 1)[0]
	odd.SType = abi.StructureTypeMemoryMapPlacedInfoEXT
	*(*uintptr)(unsafe.Pointer(&odd.PPlacedAddress)) = 16 // no pointer of Go may have it
	if r := do(abi.CmdMapMemory2, &abi.MapMemory2Args{Device: d, PpData: unsafe.Pointer(&data), PMemoryMapInfo: &abi.MemoryMapInfo{PNext: unsafe.Pointer(odd), Flags: abi.MemoryMapPlacedBitEXT, Memory: m, Size: abi.WholeSize}}); r != abi.ErrorMemoryMapFailed {
		t.Errorf("a mapping at address 16 has the result %d; must be %d", r, abi.ErrorMemoryMapFailed) // VUID-VkMemoryMapPlacedInfoEXT-pPlacedAddress-09577
	}
	if r := place(m, 0, abi.WholeSize, at(1)); r != abi.Success || data != at(1) {
		t.Fatalf("the result is %d, the address %p; must be %p", r, data, at(1))
	}
	if r := place(m, 0, abi.WholeSize, at(0)); r != abi.ErrorMemoryMapFailed { // VUID-VkMemoryMapInfo-memory-07958
		t.Errorf("mapping mapped memory has the result %d; must be %d", r, abi.ErrorMemoryMapFailed)
	}
	room[page], room[3*page-1] = 7, 9
	unmapWith(m, abi.MemoryUnmapReserveBitEXT)
	if r := place(m, uint64(page), uint64(page), at(2)); r != abi.Success || room[3*page-1] != 9 {
		t.Errorf("the second page: %d, its last byte is %d; must be 9", r, room[3*page-1])
	}
	unmapWith(m, abi.MemoryUnmapReserveBitEXT)
	must(p, abi.CmdMapMemory, &abi.MapMemoryArgs{Device: d, Memory: m, Offset: 4, Size: abi.WholeSize, PpData: unsafe.Pointer(&data)})
	if b := unsafe.Slice((*byte)(unsafe.Add(data, -4)), 2*page); b[0] != 7 || b[2*page-1] != 9 {
		t.Errorf("memory that is mapped anywhere has the bytes %d and %d; must be 7 and 9", b[0], b[2*page-1])
	}
	do(abi.CmdUnmapMemory, &abi.UnmapMemoryArgs{Device: d, Memory: m})
	small := allocate(100)
	host := make([]byte, 3*page)
	pin(t, &host[0])
	from := abi.ImportMemoryHostPointerInfoEXT{
		SType: abi.StructureTypeImportMemoryHostPointerInfoEXT, HandleType: abi.ExternalMemoryHandleTypeHostAllocationBitEXT,
		PHostPointer: unsafe.Pointer((uintptr(unsafe.Pointer(&host[0])) + uintptr(page) - 1) &^ (uintptr(page) - 1)),
	}
	var imported abi.DeviceMemory
	must(p, abi.CmdAllocateMemory, &abi.AllocateMemoryArgs{Device: d, PAllocateInfo: &abi.MemoryAllocateInfo{PNext: unsafe.Pointer(&from), AllocationSize: uint64(page)}, PMemory: &imported})
	for what, r := range map[string]abi.Result{
		"no address":      place(m, 0, abi.WholeSize, nil),
		"odd address":     place(m, 0, abi.WholeSize, unsafe.Add(at(1), 64)),
		"odd offset":      place(m, 64, uint64(page), at(1)),
		"odd size":        place(m, 0, 64, at(1)),
		"odd allocation":  place(small, 0, abi.WholeSize, at(1)),
		"beyond the end":  place(m, uint64(page), uint64(2*page), at(1)),
		"host memory":     place(imported, 0, abi.WholeSize, at(1)),
		"a stale handle":  place(m+1<<40, 0, abi.WholeSize, at(1)),
		"the null handle": place(0, 0, abi.WholeSize, at(1)),
	} {
		if r != abi.ErrorMemoryMapFailed {
			t.Errorf("%s: the result is %d; must be %d", what, r, abi.ErrorMemoryMapFailed)
		}
	}
	for _, x := range []abi.DeviceMemory{m, small, imported} {
		do(abi.CmdFreeMemory, &abi.FreeMemoryArgs{Device: d, Memory: x})
	}
}
