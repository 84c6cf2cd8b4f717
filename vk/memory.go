package vk

import (
	"cmp"
	"errors"
	"os"
	"slices"
	"sync"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/internal/texture"
)

// MemoryType is a kind of memory (the index of a VkMemoryType, in the order of Chiaro).
type MemoryType uint32

// The types. All are local to the device, visible to the host, coherent and cached. The first two fit every resource that is not
// sparse.
const (
	PlainMemory  MemoryType = iota
	SparseMemory            // also for sparse resources; without huge pages, so slower
	TileMemory              // for resources with the usage; its content lives as long as a submission, see [CommandBuffer.BindTileMemory]
)

// MemoryInfo describes an allocation.
type MemoryInfo struct {
	Size uint64 // bytes
	Type MemoryType

	// DeviceAddress lets buffers in the memory have device addresses (VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT).
	DeviceAddress bool

	// OpaqueAddress is the result of [Memory.OpaqueAddress] in an earlier run, to have the same addresses again
	// (VkMemoryOpaqueCaptureAddressAllocateInfo). It needs DeviceAddress. If it is taken, the error is ErrOpaqueAddress.
	OpaqueAddress uint64

	// Host is memory of the host that becomes the allocation, in place (VkImportMemoryHostPointerInfoEXT). Its address and its
	// length are multiples of HostAlignment; Size is its length, or 0.
	Host []byte

	// Export lets other devices and processes import the memory, by [Memory.File] (VkExportMemoryAllocateInfo, with a handle of
	// the type OPAQUE_FD).
	Export bool

	// File is the file of exported memory of the same Size, which becomes the allocation (VkImportMemoryFdInfoKHR). The caller
	// may close it afterwards. The error is ErrExternalHandle if it is another file.
	File *os.File

	// Buffer or Image is the only object that is bound to the memory (VkMemoryDedicatedAllocateInfo).
	Buffer *Buffer
	Image  *Image
}

// HostAlignment is the alignment of memory that is imported, in bytes (minImportedHostPointerAlignment).
const HostAlignment = 64

// Memory is an allocation of device memory. It is zero at first.
type Memory struct {
	object
	bytes     []byte
	memory    *exec.Memory   // of the bytes; nil if the host owns them. Of tile memory the bytes that the host sees, guarded by heap.mu
	space     *exec.Space    // of a sparse resource
	runs      sparseRuns     // of a space
	pages     *texture.Pages // of the space of a buffer with BufferSparseResidency
	class     MemoryType
	counted   uint64  // bytes of the heap that the allocation counts
	address   uint64  // device address; 0 if it has none
	dedicated *object // nil for any

	shared bool // others than commands may write it; see definedness

	users int  // the regions that have it; guarded by heap.mu
	gone  bool // freed when users is 0
}

// heap is the memory of a device.
type heap struct {
	mu          sync.Mutex
	limit, used uint64
	all         map[*Memory]struct{}
	addressed   []*Memory             // with device addresses, ascending
	buffers     map[*Memory][]*Buffer // with device addresses in the memory
	next        uint64                // the next device address
	current     *regions              // of addressed; nil after a change, and if there are none

	scratch *exec.Memory // the pages of sparse resources without memory; nil if there are no such resources
	spread  uint64       // bytes of the address ranges that show it

	runs, expected uint64 // of all spaces, and those that submissions may add

	structures structures // in the memory
	tile       tileHeap

	defined *definedness // of the content; nil without the sanitizer uninit
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
	if err := info.check(d); err != nil {
		return nil, err
	}
	h := &d.heap
	m := &Memory{class: info.Type, bytes: info.Host}
	switch {
	case info.Buffer != nil:
		m.dedicated = &info.Buffer.object
	case info.Image != nil:
		m.dedicated = &info.Image.object
	}
	switch {
	case info.Type == TileMemory:
		bytes, err := h.tileBytes(info.Size)
		if err != nil {
			return nil, err
		}
		m.bytes = bytes
	case info.Host == nil:
		if err := h.reserve(info.Size); err != nil {
			return nil, err
		}
		memory, err := info.allocate()
		if err != nil {
			h.unreserve(info.Size)
			return nil, err
		}
		m.memory, m.bytes, m.counted = memory, memory.Bytes(), info.Size
	}
	m.shared = info.Host != nil || info.File != nil || info.Export || info.OpaqueAddress != 0
	d.adopt(&m.object, "memory", func() { h.free(m) })
	if err := h.add(m, info.DeviceAddress, info.OpaqueAddress); err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

// allocate allocates or maps the memory.
func (i *MemoryInfo) allocate() (m *exec.Memory, err error) {
	switch {
	case i.File != nil:
		m, err = exec.MapFile(i.File, int(i.Size))
	case i.Export:
		m, err = exec.AllocFile(int(i.Size))
	case i.Type == SparseMemory:
		m, err = exec.AllocShared(int(i.Size))
	default:
		m, err = exec.Alloc(int(i.Size))
	}
	switch {
	case errors.Is(err, exec.ErrFile):
		return nil, ErrExternalHandle
	case errors.Is(err, errors.ErrUnsupported):
		return nil, &UnsupportedError{Feature: "exported memory on this system", Cause: err}
	case err != nil:
		return nil, &OutOfMemoryError{Bytes: i.Size, Cause: err}
	}
	return m, nil
}

// File returns the file of exported or imported memory (vkGetMemoryFdKHR), which the caller closes. Its other users see the
// same bytes; it lives as long as one of them.
func (m *Memory) File() (*os.File, error) {
	if err := check(nil, "the memory", m); err != nil {
		return nil, err
	}
	if m.memory == nil {
		return nil, usage("VUID-VkMemoryGetFdInfoKHR-handleType-00671", "%v is not exported; must be", &m.object)
	}
	f, err := m.memory.File()
	if errors.Is(err, exec.ErrFile) {
		return nil, usage("VUID-VkMemoryGetFdInfoKHR-handleType-00671", "%v is not exported; must be", &m.object)
	}
	return f, err
}

// check checks the description.
func (i *MemoryInfo) check(d *Device) error {
	if i.Host != nil && i.Size == 0 {
		i.Size = uint64(len(i.Host))
	}
	switch {
	case i.Size == 0:
		return usage("VUID-VkMemoryAllocateInfo-allocationSize-07897", "the size of the allocation is 0; must be greater than 0")
	case i.Type > TileMemory:
		return usage("VUID-vkAllocateMemory-pAllocateInfo-01714", "the memory type is %d; must be at most %d", i.Type, TileMemory)
	case i.Type == TileMemory && d.lacks("tileMemoryHeap"):
		return usage("VUID-vkAllocateMemory-tileMemoryHeap-10976", "the memory type is %d, of tile memory; needs the feature tileMemoryHeap", i.Type)
	case i.Type == TileMemory && (i.Export || i.File != nil):
		return usage("", "tile memory is exported or of a file; must not be")
	case i.Host != nil && (i.Export || i.File != nil):
		return usage("", "memory of the host is exported, or also of a file; must not be")
	case i.Host != nil && i.Size != uint64(len(i.Host)):
		return usage("", "the size of the allocation is %d, and the memory of the host has %d; must be equal", i.Size, len(i.Host))
	case i.Host != nil && i.Size%HostAlignment != 0:
		return usage("VUID-VkMemoryAllocateInfo-allocationSize-01745", "the memory of the host has %d bytes; must be a multiple of %d", i.Size, HostAlignment)
	case i.Host != nil && address(i.Host)%HostAlignment != 0:
		return usage("VUID-VkImportMemoryHostPointerInfoEXT-pHostPointer-01749", "the memory of the host is at %#x; must be at a multiple of %d", address(i.Host), HostAlignment)
	case i.Host != nil && i.Type != PlainMemory:
		return usage("VUID-VkMemoryAllocateInfo-memoryTypeIndex-01744", "memory of the host has the type %d; must be %d", i.Type, PlainMemory)
	case i.OpaqueAddress != 0 && !i.DeviceAddress:
		return usage("VUID-VkMemoryAllocateInfo-opaqueCaptureAddress-03333", "the memory has an opaque address and no device addresses; must have them")
	case i.Buffer != nil && i.Image != nil:
		return usage("VUID-VkMemoryDedicatedAllocateInfo-image-01432", "the memory is dedicated to a buffer and to an image; must be to at most one")
	case i.Buffer != nil:
		if err := check(d, "the buffer of the memory", i.Buffer); err != nil {
			return err
		}
		if need := i.Buffer.Requirements().Size; i.Size < need || i.Buffer.sparse != nil {
			return usage("VUID-VkMemoryDedicatedAllocateInfo-buffer-02965", "the memory has %d bytes, and %v needs %d; must be at least as many, and the buffer not sparse", i.Size, &i.Buffer.object, need)
		}
	case i.Image != nil:
		if err := check(d, "the image of the memory", i.Image); err != nil {
			return err
		}
		if need := i.Image.MemoryRequirements(0).Size; i.Size < need || i.Image.sparse != nil || i.Image.layout.Disjoint {
			return usage("VUID-VkMemoryDedicatedAllocateInfo-image-02964", "the memory has %d bytes, and %v needs %d; must be at least as many, and the image neither sparse nor disjoint", i.Size, &i.Image.object, need)
		}
	}
	return nil
}

// fits returns an error if an object may not be bound at an offset of the memory, because the memory is dedicated.
func (m *Memory) fits(o *object, offset uint64, rule string) error {
	if m.dedicated == nil || m.dedicated == o && offset == 0 {
		return nil
	}
	return usage(rule, "%v is bound at offset %d of %v, which is dedicated to %v; must be that, at offset 0", o, offset, &m.object, m.dedicated)
}

// add adds an allocation, with a device address if it is addressed: the opaque one, or the next if that is 0.
func (h *heap) add(m *Memory, addressed bool, opaque uint64) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.all == nil {
		h.all = map[*Memory]struct{}{}
	}
	h.all[m] = struct{}{}
	if !addressed {
		return nil
	}
	n := uint64(len(m.bytes))
	at := opaque
	if at == 0 {
		at = max(h.next, compute.FirstAddress)
	}
	i, taken := slices.BinarySearchFunc(h.addressed, at, func(m *Memory, a uint64) int { return cmp.Compare(m.address, a) })
	if opaque != 0 {
		taken = taken || at < compute.FirstAddress || at >= 1<<63 || compute.AddressAfter(at, 0) != at+compute.AddressAfter(0, 0) ||
			i > 0 && compute.AddressAfter(h.addressed[i-1].address, uint64(len(h.addressed[i-1].bytes))) > at ||
			i < len(h.addressed) && compute.AddressAfter(at, n) > h.addressed[i].address
	}
	if taken {
		return ErrOpaqueAddress
	}
	m.address = at
	h.next = max(h.next, compute.AddressAfter(at, n))
	h.addressed = slices.Insert(h.addressed, i, m)
	h.change()
	return nil
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
	h.used -= min(n, h.used) // 0 after freeAll
}

// free frees an allocation: at once, or after the commands that reach it by its address.
func (h *heap) free(m *Memory) {
	h.structures.forget(m)
	h.defined.drop(m)
	m.dev.printer.queues.drop(m.bytes)
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
	if m.memory != nil {
		m.memory.Free()
	}
	if m.space != nil {
		h.runs -= m.runs.count
		h.unreserveSpace(uint64(len(m.bytes)), m.counted)
	} else {
		h.used -= m.counted
	}
}

// freeAll unmaps everything.
func (h *heap) freeAll() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for m := range h.all {
		m.state.Store(closed)
		if m.memory != nil {
			m.memory.Free()
		}
	}
	if h.scratch != nil {
		h.scratch.Free()
	}
	if h.tile.memory != nil {
		h.tile.memory.Free()
	}
	h.all, h.addressed, h.current, h.used, h.scratch, h.spread = nil, nil, nil, 0, nil, 0
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

// has reports whether regions would return r, which the caller uses already.
func (h *heap) has(r *regions) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.addressed) == 0 {
		return r == nil
	}
	return r != nil && r == h.current
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
// visible when a submission is finished. It is nil after Close, and must not be used after it. The host has other bytes of tile memory than
// commands, and other ones of each allocation; nil if there is no memory for them.
func (m *Memory) Bytes() []byte {
	if m == nil || !m.alive() {
		return nil
	}
	if m.isTile() {
		return m.dev.heap.hostBytes(m)
	}
	if m.dev != nil {
		m.dev.heap.defined.share(m)
	}
	return m.bytes
}

// Type returns the type of the memory; PlainMemory if it is nil.
func (m *Memory) Type() MemoryType {
	if m == nil {
		return PlainMemory
	}
	return m.class
}

// Size returns the size of the memory in bytes; 0 if it is nil.
func (m *Memory) Size() uint64 {
	if m == nil {
		return 0
	}
	return uint64(len(m.bytes))
}

// OpaqueAddress returns the value with which a later run allocates memory at the same device addresses
// (vkGetDeviceMemoryOpaqueCaptureAddress); 0 if the memory has none.
func (m *Memory) OpaqueAddress() uint64 {
	if m == nil {
		return 0
	}
	return m.address
}

// Used returns the bytes that the allocations of the device have together, with the micromaps that bottom levels retain, and their bound.
func (d *Device) Used() (used, limit uint64) {
	if d == nil {
		return 0, 0
	}
	d.heap.mu.Lock()
	defer d.heap.mu.Unlock()
	return d.heap.used, d.heap.limit
}
