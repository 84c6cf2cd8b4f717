package vk

import (
	"github.com/chiaro-gpu/chiaro/internal/ir"
	"github.com/chiaro-gpu/chiaro/internal/stage/compute"
	"github.com/chiaro-gpu/chiaro/vuid"
)

// mapped checks the place of a mapped resource: the addresses in push data and in memory, and the offset in a heap. The address 0 is
// for a resource that no invocation accesses; a sanitizer reports an access.
func (c *descriptorCheck) mapped(u *resourceUse, m *compute.Mapping) {
	args := compute.Args{Push: c.push[:]}
	c.bindHeaps(&args)
	place := args.Place(u.program, *u.resource, *m)
	at := u.resource.Place()
	if place.Indirect && place.Table == 0 {
		return
	}
	if place.Indirect { // the address in push data is of indices or of an address
		multiple, backed, size := vuid.VkCmdDraw_None_11300, vuid.VkCmdDraw_None_11301, uint64(4)
		if m.Source == compute.IndirectAddress {
			multiple, backed, size = vuid.VkCmdDraw_None_11304, vuid.VkCmdDraw_None_11305, 8
		}
		if place.Table%size != 0 {
			c.find(multiple, "the address %#x in push data for %s is no multiple of %d; must be", place.Table, at, size)
		}
		if !place.Found {
			c.find(backed, "the address %#x in push data for %s is not of memory at all offsets of the mapping; must be", place.Table, at)
			return
		}
		if usage, ok := c.dev.heap.usageAt(place.Table); ok && usage&UniformBuffer == 0 {
			c.find(vuid.VkCmdDraw_None_11437, "the address %#x in push data for %s is of a buffer without the usage UniformBuffer; must have it", place.Table, at)
		}
	}
	switch m.Source {
	case compute.HeapPushIndex, compute.HeapIndirectIndex, compute.HeapIndirectArray:
		rule := vuid.VkCmdDraw_None_11297
		switch u.resource.Kind {
		case ir.Texels:
			rule = vuid.VkCmdDraw_None_11298
		case ir.SamplerState:
			rule = vuid.VkCmdDraw_None_11299
		}
		if place.Address%DescriptorAlignment != 0 && !u.resource.Structure {
			c.find(rule, "the descriptor of %s is at offset %d of the heap; must be a multiple of %d", at, place.Address, DescriptorAlignment)
		}
	case compute.PushAddress, compute.IndirectAddress:
		c.mappedAddress(u, m, place.Address)
	case compute.HeapData:
		c.mappedAlignment(u, c.heaps[0].Address+place.Address)
	}
}

// mappedAddress checks the address that a resource is mapped to.
func (c *descriptorCheck) mappedAddress(u *resourceUse, m *compute.Mapping, address uint64) {
	at := u.resource.Place()
	if address == 0 {
		return
	}
	if u.resource.Structure {
		if !c.dev.heap.structures.has(address) {
			c.find(vuid.VkCmdDraw_None_11485, "%s is mapped to the address %#x, which is of no acceleration structure; must be", at, address)
		}
		return
	}
	valid := vuid.VkCmdDraw_None_11302
	if m.Source == compute.IndirectAddress {
		valid = vuid.VkCmdDraw_None_11306
	}
	usage, ok := c.dev.heap.usageAt(address)
	if !ok {
		c.find(valid, "%s is mapped to the address %#x, which is of no buffer; must be", at, address)
		return
	}
	switch {
	case u.resource.Kind == ir.UniformBuffer && usage&UniformBuffer == 0:
		c.find(vuid.VkCmdDraw_None_11438, "%s is mapped to the address %#x of a buffer without the usage UniformBuffer; must have it", at, address)
	case u.resource.Kind == ir.StorageBuffer && usage&StorageBuffer == 0:
		c.find(vuid.VkCmdDraw_None_11439, "%s is mapped to the address %#x of a buffer without the usage StorageBuffer; must have it", at, address)
	}
	c.mappedAlignment(u, address)
}

// mappedAlignment checks the alignment of the address that a buffer is mapped to.
func (c *descriptorCheck) mappedAlignment(u *resourceUse, address uint64) {
	rule, limit := vuid.VkCmdDraw_None_11441, "minUniformBufferOffsetAlignment"
	if u.resource.Kind == ir.StorageBuffer {
		rule, limit = vuid.VkCmdDraw_None_11442, "minStorageBufferOffsetAlignment"
	}
	n, known := c.dev.env.Device.Limit(limit)
	if !known || n == 0 {
		n = BufferAlignment
	}
	if address%n != 0 {
		c.find(rule, "%s is mapped to the address %#x; must be a multiple of %d", u.resource.Place(), address, n)
	}
}

// has reports whether an address is the one of an acceleration structure.
func (s *structures) has(address uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.numbers[address] != nil
}
