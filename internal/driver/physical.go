package driver

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	profiles "github.com/chiaro-gpu/chiaro/device"
	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/internal/self"
	"github.com/chiaro-gpu/chiaro/vk"
)

// physicalDevice is a VkPhysicalDevice: the one that the driver has.
type physicalDevice struct {
	handle   *abi.Dispatch
	instance *instance
	vk       *vk.PhysicalDevice
	profile  profiles.Profile
}

var physicalCalls = map[int]call{
	abi.CmdGetPhysicalDeviceFeatures:              run(getFeatures),
	abi.CmdGetPhysicalDeviceFeatures2:             run(getFeatures2),
	abi.CmdGetPhysicalDeviceProperties:            run(getProperties),
	abi.CmdGetPhysicalDeviceProperties2:           run(getProperties2),
	abi.CmdGetPhysicalDeviceMemoryProperties:      run(getMemoryProperties),
	abi.CmdGetPhysicalDeviceMemoryProperties2:     run(getMemoryProperties2),
	abi.CmdGetPhysicalDeviceQueueFamilyProperties: run(getQueueFamilies),
	abi.CmdGetPhysicalDeviceQueueFamilyProperties2: run(func(a *abi.GetPhysicalDeviceQueueFamilyProperties2Args) {
		p := physicalOf(a.PhysicalDevice)
		list(a.PQueueFamilyPropertyCount, a.PQueueFamilyProperties, p.families(), func(to *abi.QueueFamilyProperties2, f abi.QueueFamilyProperties) {
			to.QueueFamilyProperties = f
			if g := abi.Find[abi.QueueFamilyGlobalPriorityProperties](to.PNext, abi.StructureTypeQueueFamilyGlobalPriorityProperties); g != nil {
				// Devices accept all priorities: they are hints, without an effect.
				g.PriorityCount, g.Priorities = 4, [16]uint32{abi.QueueGlobalPriorityLow, abi.QueueGlobalPriorityMedium, abi.QueueGlobalPriorityHigh, abi.QueueGlobalPriorityRealtime}
			}
			if g := abi.Find[abi.QueueFamilyOwnershipTransferPropertiesKHR](to.PNext, abi.StructureTypeQueueFamilyOwnershipTransferPropertiesKHR); g != nil {
				g.OptimalImageTransferToQueueFamilies = 1<<len(p.families()) - 1 // all families have one memory
			}
		})
	}),
	abi.CmdEnumerateDeviceExtensionProperties: on(enumerateDeviceExtensions),
	abi.CmdEnumerateDeviceLayerProperties: on(func(a *abi.EnumerateDeviceLayerPropertiesArgs) abi.Result {
		*a.PPropertyCount = 0
		return abi.Success
	}),
	abi.CmdGetPhysicalDeviceToolProperties: on(func(a *abi.GetPhysicalDeviceToolPropertiesArgs) abi.Result {
		*a.PToolCount = 0
		return abi.Success
	}),
	abi.CmdGetPhysicalDeviceExternalBufferProperties: run(func(a *abi.GetPhysicalDeviceExternalBufferPropertiesArgs) {
		a.PExternalBufferProperties.ExternalMemoryProperties = externalMemory(a.PExternalBufferInfo.HandleType)
	}),
	abi.CmdGetPhysicalDeviceExternalFenceProperties:     run(externalFence),
	abi.CmdGetPhysicalDeviceExternalSemaphoreProperties: run(externalSemaphore),
}

// selfProfile is the profile of the device that the driver announces.
var selfProfile = sync.OnceValue(self.Profile)

func enumerateDeviceExtensions(a *abi.EnumerateDeviceExtensionPropertiesArgs) abi.Result {
	if a.PLayerName != nil {
		return abi.ErrorLayerNotPresent
	}
	return listExtensions(false, a.PPropertyCount, a.PProperties)
}

// heapSize is the size of the heap in bytes: the memory of the machine, or of its control group.
var heapSize = sync.OnceValue(func() uint64 {
	size := uint64(4 << 30)
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		if f := strings.Fields(string(text)); len(f) > 1 {
			if kb, err := strconv.ParseUint(f[1], 10, 64); err == nil {
				size = kb << 10
			}
		}
	}
	if text, err := os.ReadFile("/sys/fs/cgroup/memory.max"); err == nil {
		if n, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64); err == nil {
			size = min(size, n)
		}
	}
	return size &^ 0xfff
})

func getMemoryProperties(a *abi.GetPhysicalDeviceMemoryPropertiesArgs) {
	*a.PMemoryProperties = memoryProperties()
}

func getMemoryProperties2(a *abi.GetPhysicalDeviceMemoryProperties2Args) {
	a.PMemoryProperties.MemoryProperties = memoryProperties()
	if b := abi.Find[abi.PhysicalDeviceMemoryBudgetPropertiesEXT](a.PMemoryProperties.PNext, abi.StructureTypePhysicalDeviceMemoryBudgetPropertiesEXT); b != nil {
		b.HeapBudget, b.HeapUsage = [16]uint64{heapSize(), vk.TileHeapSize}, [16]uint64{heapUsage()}
	}
}

// heapUsage returns the bytes of all memory of the process, of every instance and device (VkPhysicalDeviceMemoryBudgetPropertiesEXT).
func heapUsage() (n uint64) {
	memories.each(func(_ uint64, m *vk.Memory) {
		if m.Type() != vk.TileMemory { // all allocations of tile memory are the same bytes
			n += m.Size()
		}
	})
	return n
}

// memoryProperties returns the heap of the machine, the one of tile memory, and their types, in the order of vk.MemoryType. The flags of the
// types are equal: a type with a strict subset of the flags would have to be first, and applications would choose it for memory of the
// device, without huge pages or in tile memory.
func memoryProperties() (out abi.PhysicalDeviceMemoryProperties) {
	out.MemoryHeapCount = 2
	out.MemoryHeaps[0] = abi.MemoryHeap{Size: heapSize(), Flags: abi.MemoryHeapDeviceLocalBit}
	out.MemoryHeaps[1] = abi.MemoryHeap{Size: vk.TileHeapSize, Flags: abi.MemoryHeapDeviceLocalBit | abi.MemoryHeapTileMemoryBitQCOM}
	out.MemoryTypeCount = 3
	out.MemoryTypes[vk.TileMemory].HeapIndex = 1
	for _, t := range []vk.MemoryType{vk.PlainMemory, vk.SparseMemory, vk.TileMemory} {
		out.MemoryTypes[t].PropertyFlags = abi.MemoryPropertyDeviceLocalBit | abi.MemoryPropertyHostVisibleBit | abi.MemoryPropertyHostCoherentBit | abi.MemoryPropertyHostCachedBit
	}
	return out
}

func getQueueFamilies(a *abi.GetPhysicalDeviceQueueFamilyPropertiesArgs) {
	list(a.PQueueFamilyPropertyCount, a.PQueueFamilyProperties, physicalOf(a.PhysicalDevice).families(), func(to *abi.QueueFamilyProperties, f abi.QueueFamilyProperties) { *to = f })
}

// families returns the queue families.
func (p *physicalDevice) families() (out []abi.QueueFamilyProperties) {
	if p == nil {
		return nil
	}
	for i, f := range p.vk.QueueFamilies() {
		if i == ownFamily {
			f.Count-- // the driver's own: see withOwnQueue
		}
		out = append(out, abi.QueueFamilyProperties{
			QueueFlags: uint32(f.Flags), QueueCount: uint32(f.Count), TimestampValidBits: uint32(f.TimestampBits),
			MinImageTransferGranularity: abi.Extent3D{Width: 1, Height: 1, Depth: 1},
		})
	}
	return out
}

// at returns a pointer to a member of a struct of the application.
func at[T any](p unsafe.Pointer, offset uintptr) *T { return (*T)(unsafe.Add(p, offset)) }

// externalMemory returns the properties of a type of external memory: pointers of the host can be imported, and files of memory
// can be exported and imported.
func externalMemory(handleType uint32) (out abi.ExternalMemoryProperties) {
	out.CompatibleHandleTypes = handleType
	switch {
	case handleType == abi.ExternalMemoryHandleTypeHostAllocationBitEXT:
		out.ExternalMemoryFeatures = abi.ExternalMemoryFeatureImportableBit
	case handleType == abi.ExternalMemoryHandleTypeOpaqueFdBit && hasFiles:
		out.ExternalMemoryFeatures = abi.ExternalMemoryFeatureExportableBit | abi.ExternalMemoryFeatureImportableBit
		out.ExportFromImportedHandleTypes = handleType
	}
	return out
}
