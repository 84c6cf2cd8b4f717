package driver

import (
	"os"
	"sync"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/abi"
	"github.com/chiaro-gpu/chiaro/vk"
)

// memoryMaps are the mappings of the memory of a device with the feature memoryMapPlaced: its memory is in files, and each mapping has
// addresses of its own. Memory of other devices is mapped at all times.
type memoryMaps struct {
	mu   sync.Mutex
	list map[uint64]memoryMap // by the handle of the memory
}

// memoryMap is a range of addresses, of whole pages.
type memoryMap struct {
	address unsafe.Pointer
	bytes   uintptr
}

// newMemoryMaps returns the mappings of a device; nil without the feature.
func newMemoryMaps(enabled map[string]bool) *memoryMaps {
	if !hasFiles || !enabled["memoryMapPlaced"] {
		return nil
	}
	return &memoryMaps{list: map[uint64]memoryMap{}}
}

// place maps memory, if it is in a file, at an address of the application, or without one where the system chooses. twice is the
// rule on mapped memory.
func (m *memoryMaps) place(d *device, i *abi.MemoryMapInfo, to unsafe.Pointer, twice string) abi.Result {
	memory := memories.get(uint64(i.Memory))
	placed := i.Flags&abi.MemoryMapPlacedBitEXT != 0
	f, err := memory.File()
	if err != nil && !placed {
		return mapAt(i.Memory, i.Offset, to)
	}
	if err != nil {
		d.result(&vk.UsageError{Rule: "VUID-VkMemoryMapInfo-flags-09575", Message: "memory of the host is mapped at an address; must be mapped anywhere"})
		return abi.ErrorMemoryMapFailed
	}
	defer f.Close()
	var at unsafe.Pointer
	var address uintptr // at, which is no pointer before it is checked: a small number must not be in one of Go
	place := abi.Find[abi.MemoryMapPlacedInfoEXT](i.PNext, abi.StructureTypeMemoryMapPlacedInfoEXT)
	if placed && place != nil {
		address = *(*uintptr)(unsafe.Pointer(&place.PPlacedAddress))
	}
	size, page := memory.Size(), uint64(os.Getpagesize())
	n := i.Size
	if n == abi.WholeSize && i.Offset < size {
		n = size - i.Offset
	}
	rule := ""
	switch {
	case i.Offset >= size || n > size-i.Offset || n == 0:
		return abi.ErrorMemoryMapFailed
	case !placed:
	case address == 0:
		rule = "VUID-VkMemoryMapInfo-flags-09570"
	case uint64(address)%page != 0:
		rule = "VUID-VkMemoryMapPlacedInfoEXT-pPlacedAddress-09577"
	case i.Offset%page != 0:
		rule = "VUID-VkMemoryMapInfo-flags-09573"
	case n%page != 0 && i.Size == abi.WholeSize:
		rule = "VUID-VkMemoryMapInfo-flags-09651"
	case n%page != 0:
		rule = "VUID-VkMemoryMapInfo-flags-09574"
	}
	if rule != "" {
		d.result(&vk.UsageError{Rule: rule, Message: "the address, the offset and the size of a placed mapping must be multiples of the size of a page"})
		return abi.ErrorMemoryMapFailed
	}
	first := i.Offset &^ (page - 1)
	bytes := uintptr((i.Offset + n - first + page - 1) &^ (page - 1))
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, mapped := m.list[uint64(i.Memory)]; mapped {
		d.result(&vk.UsageError{Rule: twice, Message: "memory is mapped twice; must be unmapped before"})
		return abi.ErrorMemoryMapFailed
	}
	if address != 0 {
		at = place.PPlacedAddress
	}
	at, ok := mapFile(f, first, bytes, at)
	if !ok {
		return abi.ErrorMemoryMapFailed
	}
	m.list[uint64(i.Memory)] = memoryMap{at, bytes}
	abi.PutAddress(to, unsafe.Add(at, i.Offset-first))
	return abi.Success
}

// end unmaps memory. A reserved range keeps its addresses, without access.
func (m *memoryMaps) end(h abi.DeviceMemory, reserve bool) abi.Result {
	if m == nil {
		return abi.Success
	}
	m.mu.Lock()
	x, ok := m.list[uint64(h)]
	delete(m.list, uint64(h))
	m.mu.Unlock()
	if ok && !unmapFile(x.address, x.bytes, reserve) {
		return abi.ErrorMemoryMapFailed
	}
	return abi.Success
}

func mapMemory(a *abi.MapMemoryArgs) abi.Result {
	i := &abi.MemoryMapInfo{Flags: a.Flags, Memory: a.Memory, Offset: a.Offset, Size: a.Size}
	return mapWith(a.Device, i, a.PpData, "VUID-vkMapMemory-memory-00678")
}

func mapMemory2(a *abi.MapMemory2Args) abi.Result {
	return mapWith(a.Device, a.PMemoryMapInfo, a.PpData, "VUID-VkMemoryMapInfo-memory-07958")
}

// mapWith maps memory. twice is the rule that mapped memory is not mapped again.
func mapWith(h *abi.Dispatch, i *abi.MemoryMapInfo, to unsafe.Pointer, twice string) abi.Result {
	if d := deviceOf(h); d != nil && d.maps != nil {
		return d.maps.place(d, i, to, twice)
	}
	if i.Flags&abi.MemoryMapPlacedBitEXT != 0 {
		return abi.ErrorMemoryMapFailed
	}
	return mapAt(i.Memory, i.Offset, to)
}

// mapAt writes the address of an offset in memory.
func mapAt(h abi.DeviceMemory, offset uint64, to unsafe.Pointer) abi.Result {
	b := memories.get(uint64(h)).Bytes()
	if offset >= uint64(len(b)) {
		return abi.ErrorMemoryMapFailed
	}
	abi.PutAddress(to, unsafe.Pointer(&b[offset]))
	return abi.Success
}

// unmap ends the mapping of memory.
func unmap(device *abi.Dispatch, h abi.DeviceMemory, flags uint32) abi.Result {
	if d := deviceOf(device); d != nil {
		return d.maps.end(h, flags&abi.MemoryUnmapReserveBitEXT != 0)
	}
	return abi.Success
}
