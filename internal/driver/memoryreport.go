package driver

import (
	"sync"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vk"
)

// memoryReports are the callbacks of VK_EXT_device_memory_report that a device has, and what they know of its memory. The driver
// allocates no memory of the device besides VkDeviceMemory.
type memoryReports struct {
	callbacks []memoryCallback
	mu        sync.Mutex
	known     map[uint64]memoryObject // by handle
}

// memoryCallback is a PFN_vkDeviceMemoryReportCallbackEXT.
type memoryCallback struct {
	call unsafe.Pointer
	user uintptr
}

// memoryObject identifies a VkDeviceMemory in the reports.
type memoryObject struct {
	id       uint64
	imported bool
}

// newMemoryReports reads the callbacks of a device from the chain of its creation; nil if there is none.
func newMemoryReports(chain unsafe.Pointer) *memoryReports {
	var list []memoryCallback
	abi.Chain(chain, func(sType uint32, s unsafe.Pointer) {
		if x := (*abi.DeviceDeviceMemoryReportCreateInfoEXT)(s); sType == abi.StructureTypeDeviceDeviceMemoryReportCreateInfoEXT && x.PfnUserCallback != nil {
			list = append(list, memoryCallback{x.PfnUserCallback, *(*uintptr)(unsafe.Pointer(&x.PUserData))})
		}
	})
	if list == nil {
		return nil
	}
	return &memoryReports{callbacks: list, known: map[uint64]memoryObject{}}
}

// allocated reports an allocation or an import with its result.
func (r *memoryReports) allocated(result abi.Result, h abi.DeviceMemory, size uint64, imported bool) {
	if r == nil {
		return
	}
	if result != abi.Success {
		r.send(abi.DeviceMemoryReportCallbackDataEXT{Type: abi.DeviceMemoryReportEventTypeAllocationFailedEXT, Size: size})
		return
	}
	o := memoryObject{objectID(h), imported}
	r.mu.Lock()
	r.known[uint64(h)] = o
	r.mu.Unlock()
	event := uint32(abi.DeviceMemoryReportEventTypeAllocateEXT)
	if imported {
		event = abi.DeviceMemoryReportEventTypeImportEXT
	}
	r.send(abi.DeviceMemoryReportCallbackDataEXT{Type: event, MemoryObjectId: o.id, Size: size, ObjectHandle: uint64(h)})
}

// objectID returns the number of the object behind memory: the handle, or for exported and imported memory the number of the file,
// which all users of the file have.
func objectID(h abi.DeviceMemory) uint64 {
	f, err := memories.get(uint64(h)).File()
	if err != nil {
		return uint64(h)
	}
	defer f.Close()
	const ofFile = 1 << 63 // no handle has this bit before 2³¹ objects were in one place of the table
	return ofFile | fileNumber(f)
}

// freed reports the end of memory.
func (r *memoryReports) freed(h abi.DeviceMemory) {
	if r == nil {
		return
	}
	r.mu.Lock()
	o, ok := r.known[uint64(h)]
	delete(r.known, uint64(h))
	r.mu.Unlock()
	if !ok {
		return
	}
	event := uint32(abi.DeviceMemoryReportEventTypeFreeEXT)
	if o.imported {
		event = abi.DeviceMemoryReportEventTypeUnimportEXT
	}
	r.send(abi.DeviceMemoryReportCallbackDataEXT{Type: event, MemoryObjectId: o.id, ObjectHandle: uint64(h)})
}

// send runs the callbacks. It holds no lock.
func (r *memoryReports) send(d abi.DeviceMemoryReportCallbackDataEXT) {
	if host.Memory == nil {
		return
	}
	d.SType, d.ObjectType = abi.StructureTypeDeviceMemoryReportCallbackDataEXT, abi.ObjectTypeDeviceMemory
	for _, c := range r.callbacks {
		host.Memory(c.call, &d, c.user)
	}
}

// memoryReportsOf returns the reports of a device; nil if it has none.
func memoryReportsOf(device *abi.Dispatch) *memoryReports {
	if d := deviceOf(device); d != nil {
		return d.allocations
	}
	return nil
}

// freeMemory frees memory, which ends its mapping and which the device reports.
func freeMemory(a *abi.FreeMemoryArgs) {
	unmap(a.Device, a.Memory, 0)
	memoryReportsOf(a.Device).freed(a.Memory)
	destroy(&memories, uint64(a.Memory))
}

// imports reports whether memory is imported.
func imports(i *vk.MemoryInfo) bool { return i.Host != nil || i.File != nil }
