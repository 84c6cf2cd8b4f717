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

	users int  // the regions that have it; guarded by heap.mu
	gone  bool // freed when users is 0
}

// heap is the memory of a device.
type heap struct {
	mu          sync.Mutex
	limit, used uint64
	all         map[*Memory]struct{}
	addressed   []*Memory // with device addresses, ascending
	next        uint64    // the next device address
	current     *regions  // of addressed; nil after a change, and if there are none
}

// regions are the allocations that commands reach by address. A command uses those of its beginning: memory that is
// freed meanwhile is unmapped after it.
type regions struct {
	list   []exec.Region
	memory []*Memory
	users  int // commands, and the heap while they are current
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
		h.change()
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

// free frees an allocation: at once, or after the commands that reach it by its address.
func (h *heap) free(m *Memory) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := h.all[m]; !ok {
		return
	}
	if i := slices.Index(h.addressed, m); i >= 0 {
		h.addressed = slices.Delete(h.addressed, i, i+1)
		h.change()
	}
	m.gone = true
	h.unmap(m)
}

// unmap unmaps an allocation that is freed and that no command reaches.
func (h *heap) unmap(m *Memory) {
	if !m.gone || m.users > 0 {
		return
	}
	delete(h.all, m)
	h.used -= uint64(len(m.bytes))
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
	h.all, h.addressed, h.current, h.used = nil, nil, nil, 0
}

// change makes the regions of later commands others than those of earlier ones.
func (h *heap) change() {
	h.leave(h.current)
	h.current = nil
}

// regions returns the allocations with device addresses; nil if there are none. They stay mapped until release.
func (h *heap) regions() *regions {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.addressed) == 0 {
		return nil
	}
	if h.current == nil {
		r := &regions{users: 1, memory: slices.Clone(h.addressed)}
		for _, m := range r.memory {
			m.users++
			r.list = append(r.list, exec.Region{Address: m.address, Bytes: m.bytes})
		}
		h.current = r
	}
	h.current.users++
	return h.current
}

// release ends a use of regions.
func (h *heap) release(r *regions) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.leave(r)
}

func (h *heap) leave(r *regions) {
	if r == nil {
		return
	}
	if r.users--; r.users > 0 {
		return
	}
	for _, m := range r.memory {
		m.users--
		h.unmap(m)
	}
}

// all returns the list of r; nil if r is.
func (r *regions) all() []exec.Region {
	if r == nil {
		return nil
	}
	return r.list
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
