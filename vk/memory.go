package vk

import (
	"slices"
	"sync"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
)

// MemoryInfo describes an allocation.
type MemoryInfo struct {
	Size uint64 // bytes

	// DeviceAddress lets buffers in the memory have device addresses (VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT).
	DeviceAddress bool
}

// Memory is an allocation of device memory. It is zero at first, visible to the host, coherent and cached.
type Memory struct {
	object
	bytes   []byte
	memory  *exec.Memory
	address uint64 // device address; 0 if it has none
}

// heap is the memory of a device.
type heap struct {
	mu          sync.Mutex
	limit, used uint64
	all         map[*Memory]struct{}
	addressed   []*Memory // with device addresses, ascending
	next        uint64    // the next device address
}

// Allocate allocates memory. It returns an *OutOfMemoryError beyond the bound of the device.
func (d *Device) Allocate(info MemoryInfo) (*Memory, error) {
	if err := d.Err(); err != nil {
		return nil, err
	}
	if info.Size == 0 {
		return nil, usage("VUID-VkMemoryAllocateInfo-allocationSize-07897", "the size of the allocation is 0; must be greater than 0")
	}
	h := &d.heap
	if err := h.reserve(info.Size); err != nil {
		return nil, err
	}
	memory, err := exec.Alloc(int(info.Size))
	if err != nil {
		h.unreserve(info.Size)
		return nil, &OutOfMemoryError{Bytes: info.Size, Cause: err}
	}
	m := &Memory{memory: memory, bytes: memory.Bytes()}
	d.adopt(&m.object, "memory", func() { h.free(m) })
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.all == nil {
		h.all = map[*Memory]struct{}{}
	}
	h.all[m] = struct{}{}
	if info.DeviceAddress {
		m.address = max(h.next, compute.FirstAddress)
		h.next = compute.AddressAfter(m.address, info.Size)
		h.addressed = append(h.addressed, m)
	}
	return m, nil
}

// reserve counts an allocation.
func (h *heap) reserve(n uint64) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if left := h.limit - h.used; n > left {
		return &OutOfMemoryError{Bytes: n, Left: left}
	}
	h.used += n
	return nil
}

func (h *heap) unreserve(n uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.used -= n
}

// free unmaps an allocation.
func (h *heap) free(m *Memory) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := h.all[m]; !ok {
		return
	}
	delete(h.all, m)
	h.used -= uint64(len(m.bytes))
	if i := slices.Index(h.addressed, m); i >= 0 {
		h.addressed = slices.Delete(h.addressed, i, i+1)
	}
	m.memory.Free()
}

// freeAll unmaps everything.
func (h *heap) freeAll() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for m := range h.all {
		m.state.Store(closed)
		m.memory.Free()
	}
	h.all, h.addressed, h.used = nil, nil, 0
}

// regions returns the allocations with device addresses and holds them until release is called.
func (h *heap) regions() (list []exec.Region, release func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var held []*Memory
	for _, m := range h.addressed {
		if m.acquire() {
			held = append(held, m)
			list = append(list, exec.Region{Address: m.address, Bytes: m.bytes})
		}
	}
	return list, func() {
		for _, m := range held {
			m.release()
		}
	}
}

// Bytes returns the memory itself (vkMapMemory): writes are visible to submissions that begin later, and results are
// visible when a submission is finished. It is nil after Close, and must not be used after it.
func (m *Memory) Bytes() []byte {
	if m == nil || !m.alive() {
		return nil
	}
	return m.bytes
}

// Used returns the bytes that the allocations of the device have together, and their bound.
func (d *Device) Used() (used, limit uint64) {
	if d == nil {
		return 0, 0
	}
	d.heap.mu.Lock()
	defer d.heap.mu.Unlock()
	return d.heap.used, d.heap.limit
}
