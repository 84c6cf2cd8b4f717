package vk

import (
	"github.com/chiaro-gpu/chiaro/internal/exec"
)

// BufferUsage is a set of uses of a buffer (VkBufferUsageFlagBits).
type BufferUsage uint32

// The uses.
const (
	TransferSource BufferUsage = 1 << iota
	TransferTarget
	UniformTexelBuffer
	StorageTexelBuffer
	UniformBuffer
	StorageBuffer
	IndexBuffer
	vertexBufferBit
	IndirectBuffer
)

// DeviceAddress lets shaders use the address of the buffer (VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT).
const DeviceAddress BufferUsage = 0x20000

// BufferTileMemory lets the buffer be in tile memory (VK_BUFFER_USAGE_TILE_MEMORY_BIT_QCOM).
const BufferTileMemory BufferUsage = 0x8000000

// tileBuffers are the usages that a buffer with BufferTileMemory may have.
const tileBuffers = BufferTileMemory | UniformTexelBuffer | StorageTexelBuffer | UniformBuffer | StorageBuffer | DeviceAddress | TransferSource | TransferTarget

// BufferInfo describes a buffer.
type BufferInfo struct {
	Size  uint64 // bytes
	Usage BufferUsage
	Flags BufferFlags

	// OpaqueAddress is the result of [Buffer.OpaqueAddress] in an earlier run (VkBufferOpaqueCaptureAddressCreateInfo).
	OpaqueAddress uint64
}

// BufferFlags are further properties of a buffer (VkBufferCreateFlagBits).
type BufferFlags uint32

// The flags.
const (
	BufferSparseBinding   BufferFlags = 0x1 // memory is bound by [Queue.BindSparse]
	BufferSparseResidency BufferFlags = 0x2 // also in part
	BufferSparseAliased   BufferFlags = 0x4 // also several times at once

	// BufferCaptureReplay permits OpaqueAddress, and a later run to use the buffer's. It has no effect: all addresses can be repeated.
	BufferCaptureReplay BufferFlags = 0x10
)

// BufferAlignment is the alignment of a buffer in its memory and of the offsets of its descriptors, in bytes:
// minStorageBufferOffsetAlignment and minUniformBufferOffsetAlignment.
const BufferAlignment = 16

// Buffer is a range of memory. It has no memory before Bind.
type Buffer struct {
	object
	size   uint64
	usage  BufferUsage
	opaque uint64
	memory *Memory
	offset uint64
	sparse *Memory // the address range of a sparse buffer, which is its memory
}

// NewBuffer makes a buffer.
func (d *Device) NewBuffer(info BufferInfo) (*Buffer, error) {
	if err := d.Err(); err != nil {
		return nil, err
	}
	switch {
	case info.Size == 0:
		return nil, usage("VUID-VkBufferCreateInfo-size-00912", "the size of the buffer is 0; must be greater than 0")
	case d.checking > None && info.Usage == 0:
		return nil, usage("VUID-VkBufferCreateInfo-usage-requiredbitmask", "the buffer has no usage; must have one")
	}
	if err := info.checkTile(d); err != nil {
		return nil, err
	}
	b := &Buffer{size: info.Size, usage: info.Usage, opaque: info.OpaqueAddress}
	if flags := info.Flags &^ BufferCaptureReplay; flags != 0 {
		if err := b.spread(d, flags); err != nil {
			return nil, err
		}
	}
	d.adopt(&b.object, "buffer", func() {
		d.heap.forget(b)
		d.heap.drop(b.sparse)
	})
	d.heap.keep(b)
	return b, nil
}

// Requirements returns the memory that the buffer needs; zero if it is nil.
func (b *Buffer) Requirements() MemoryRequirements {
	if b == nil || b.dev == nil {
		return MemoryRequirements{}
	}
	return bufferRequirements(b.size, b.sparse != nil).withTile(b.usage&BufferTileMemory != 0)
}

// Size returns the size of the buffer in bytes; 0 if it is nil.
func (b *Buffer) Size() uint64 {
	if b == nil {
		return 0
	}
	return b.size
}

// bindRules are the rules on the offset of a resource in its memory.
type bindRules struct{ alignment, size string }

var (
	bufferBinds     = bindRules{"VUID-vkBindBufferMemory-None-10739", "VUID-vkBindBufferMemory-None-10741"}
	tileBufferBinds = bindRules{"VUID-vkBindBufferMemory-memory-10740", "VUID-vkBindBufferMemory-memory-10742"}
)

// checkTile checks the flags and the usage of a buffer for tile memory.
func (i *BufferInfo) checkTile(d *Device) error {
	const rule = "VUID-VkBufferCreateInfo-"
	switch {
	case i.Usage&BufferTileMemory == 0:
		return nil
	case d.lacks("tileMemoryHeap"):
		return usage(rule+"tileMemoryHeap-10762", "the buffer has the usage of tile memory; needs the feature tileMemoryHeap")
	case i.Flags != 0:
		return usage(rule+"usage-10763", "a buffer for tile memory has the flags %#x; must have none", i.Flags)
	case i.Usage&^tileBuffers != 0:
		return usage(rule+"usage-10764", "a buffer for tile memory has the usage %#x; must have at most %#x", i.Usage, tileBuffers)
	}
	return nil
}

// Bind binds the buffer to memory, once.
func (b *Buffer) Bind(m *Memory, offset uint64) error {
	if err := check(nil, "the buffer", b); err != nil {
		return err
	}
	if err := check(b.dev, "the memory", m); err != nil {
		return err
	}
	size := uint64(len(m.bytes))
	if err := m.fits(&b.object, offset, "VUID-vkBindBufferMemory-memory-01508"); err != nil {
		return err
	}
	rules := &bufferBinds
	if m.class == TileMemory {
		rules = &tileBufferBinds
	}
	switch {
	case b.sparse != nil:
		return usage("VUID-vkBindBufferMemory-buffer-01030", "%v is sparse; must be bound by a queue", &b.object)
	case b.opaque != 0 && b.opaque != m.address+offset:
		return ErrOpaqueAddress
	case b.memory != nil:
		return usage("VUID-vkBindBufferMemory-buffer-07459", "%v has memory already; must have none", &b.object)
	case m.class == TileMemory && b.usage&BufferTileMemory == 0:
		return usage("VUID-vkBindBufferMemory-memory-01035", "%v has no usage of tile memory, and %v is tile memory; must have it", &b.object, &m.object)
	case offset%BufferAlignment != 0:
		return usage(rules.alignment, "the offset is %d; must be a multiple of %d", offset, BufferAlignment)
	case offset > size || b.size > size-offset:
		return usage(rules.size, "%v has %d bytes, and the memory has %d from offset %d on; must have as many", &b.object, b.size, size-min(offset, size), offset)
	case b.usage&DeviceAddress != 0 && m.address == 0:
		return usage("VUID-vkBindBufferMemory-bufferDeviceAddress-03339", "%v has device addresses, and its memory has none; must have them", &b.object)
	}
	b.memory, b.offset = m, offset
	b.dev.heap.defined.bindBuffer(b)
	b.dev.heap.keep(b)
	return nil
}

// Address returns the device address of the buffer; 0 if it has none.
func (b *Buffer) Address() uint64 {
	if b == nil || b.memory == nil || b.usage&DeviceAddress == 0 {
		return 0
	}
	return b.memory.address + b.offset
}

// OpaqueAddress returns the value with which a later run makes a buffer at the same device address
// (vkGetBufferOpaqueCaptureAddress); 0 if the buffer has no address.
func (b *Buffer) OpaqueAddress() uint64 { return b.Address() }

// bytes returns the memory of the buffer; nil if it has none.
func (b *Buffer) bytes() []byte {
	if b.memory == nil {
		return nil
	}
	return b.memory.bytes[b.offset : b.offset+b.size]
}

// WholeSize is a range to the end of a buffer.
const WholeSize = 1<<64 - 1

// part returns n bytes from offset on; ok is false if the buffer does not have them.
func (b *Buffer) part(offset, n uint64) (part []byte, ok bool) {
	all := b.bytes()
	size := uint64(len(all))
	if offset > size || n > size-offset {
		return nil, false
	}
	return all[offset : offset+n], true
}

// descriptor returns the descriptor of a range of the buffer. The program may reach the bytes after the range, depending
// on the robustness of its stage.
func (b *Buffer) descriptor(offset, n uint64) (exec.Buffer, error) {
	all := b.bytes()
	size := uint64(len(all))
	switch {
	case all == nil:
		return exec.Buffer{}, usage("VUID-VkWriteDescriptorSet-descriptorType-00329", "%v has no memory; must have some", &b.object)
	case offset >= size:
		return exec.Buffer{}, usage("VUID-VkDescriptorBufferInfo-offset-00340", "the offset is %d; must be less than the %d bytes of %v", offset, size, &b.object)
	case b.dev.checking > None && offset%BufferAlignment != 0:
		return exec.Buffer{}, usage("VUID-VkWriteDescriptorSet-descriptorType-00328", "the offset is %d; must be a multiple of %d", offset, BufferAlignment)
	case n == WholeSize:
		n = size - offset
	case n == 0 || n > size-offset:
		return exec.Buffer{}, usage("VUID-VkDescriptorBufferInfo-range-00342", "the range is %d bytes; must be 1 to %d", n, size-offset)
	}
	return exec.Buffer{Bytes: all[offset:], Beyond: int(size - offset - n)}, nil
}
