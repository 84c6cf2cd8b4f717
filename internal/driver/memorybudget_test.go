package driver

import (
	"testing"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
)

// TestHeapUsage: the usage of the heap is that of the process, whichever instance is asked, and ends with the memory
// (VkPhysicalDeviceMemoryBudgetPropertiesEXT).
func TestHeapUsage(t *testing.T) {
	p := newProgram(t)
	n, other := uint32(1), (*abi.Dispatch)(nil)
	do(abi.CmdEnumeratePhysicalDevices, &abi.EnumeratePhysicalDevicesArgs{Instance: newInstance(t, nil), PPhysicalDeviceCount: &n, PPhysicalDevices: &other})
	usage := func() uint64 {
		budget := abi.PhysicalDeviceMemoryBudgetPropertiesEXT{SType: abi.StructureTypePhysicalDeviceMemoryBudgetPropertiesEXT}
		do(abi.CmdGetPhysicalDeviceMemoryProperties2, &abi.GetPhysicalDeviceMemoryProperties2Args{
			PhysicalDevice: other, PMemoryProperties: &abi.PhysicalDeviceMemoryProperties2{PNext: unsafe.Pointer(&budget)},
		})
		return budget.HeapUsage[0]
	}
	const size = 4 << 20
	before, memory := usage(), abi.DeviceMemory(0)
	must(p, abi.CmdAllocateMemory, &abi.AllocateMemoryArgs{Device: p.device, PAllocateInfo: &abi.MemoryAllocateInfo{AllocationSize: size}, PMemory: &memory})
	if got := usage(); got < before+size {
		t.Errorf("the usage is %d with %d bytes more; must be at least %d", got, size, before+size)
	}
	do(abi.CmdFreeMemory, &abi.FreeMemoryArgs{Device: p.device, Memory: memory})
	if got := usage(); got != before {
		t.Errorf("the usage is %d without the memory; must be %d", got, before)
	}
}
