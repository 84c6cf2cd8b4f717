package vk

import (
	"cmp"
	"slices"
)

// at returns n bytes at a device address and holds their memory until release is called; ok is false if they are not in one
// allocation that is alive.
func (h *heap) at(address, n uint64) (b []byte, release func(), ok bool) {
	b, release, ok = h.from(address)
	if ok && n > uint64(len(b)) {
		release()
		return nil, nil, false
	}
	if !ok {
		return nil, nil, false
	}
	return b[:n:n], release, true
}

// from returns the bytes from a device address to the end of its allocation, and holds them as at does.
func (h *heap) from(address uint64) (b []byte, release func(), ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	m := h.holder(address)
	if m == nil || !m.acquire() {
		return nil, nil, false
	}
	return m.bytes[address-m.address:], m.release, true
}

// place returns the memory with a device address, and the offset in it; nil if there is none.
func (h *heap) place(address uint64) (*Memory, uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	m := h.holder(address)
	if m == nil {
		return nil, 0
	}
	return m, address - m.address
}

// holder returns the memory with a device address, or nil. The heap is locked.
func (h *heap) holder(address uint64) *Memory {
	i, found := slices.BinarySearchFunc(h.addressed, address, func(m *Memory, a uint64) int { return cmp.Compare(m.address, a) })
	if !found {
		i--
	}
	if i < 0 || address-h.addressed[i].address > uint64(len(h.addressed[i].bytes)) {
		return nil
	}
	return h.addressed[i]
}

// keep notes a buffer from which the program can query a device address.
func (h *heap) keep(b *Buffer) {
	if b.Address() == 0 {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.buffers == nil {
		h.buffers = map[*Memory][]*Buffer{}
	}
	h.buffers[b.memory] = append(h.buffers[b.memory], b)
}

// forget is the opposite of keep.
func (h *heap) forget(b *Buffer) {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := h.buffers[b.memory]
	if i := slices.Index(list, b); i >= 0 {
		list = slices.Delete(list, i, i+1)
	}
	if len(list) == 0 {
		delete(h.buffers, b.memory)
	} else {
		h.buffers[b.memory] = list
	}
}

// usageAt returns the usages of the buffers from which a device address may have been queried; ok is false if there is none.
func (h *heap) usageAt(address uint64) (usage BufferUsage, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	m := h.holder(address)
	for _, b := range h.buffers[m] {
		if a := b.Address(); address >= a && address-a < b.size {
			usage, ok = usage|b.usage, true
		}
	}
	return usage, ok
}

// addressAlignment is the alignment of the first byte of a buffer of BufferAt: that of all offsets in buffers.
const addressAlignment = 256

// BufferAt returns a buffer that has size bytes at a device address from an offset on, with all usages, for use in place of the buffers from
// which a program has the address (VkDeviceAddressRangeKHR). It needs no Close. The offset has the alignment of the address, up to 256.
// For the address 0 without bytes the buffer is nil.
func (d *Device) BufferAt(address, size uint64) (b *Buffer, offset uint64, err error) {
	if b, offset, err = d.bufferAt(address, size); err != nil {
		return nil, 0, err
	}
	return b, offset, nil
}

// bufferAt is BufferAt. Together with the error for a range that is partly in memory, it returns a buffer of that part.
func (d *Device) bufferAt(address, size uint64) (b *Buffer, offset uint64, err error) {
	const rule = "VUID-VkDeviceAddressRangeKHR-"
	if err := d.Err(); err != nil {
		return nil, 0, err
	}
	switch {
	case address == 0 && size == 0:
		return nil, 0, nil
	case address == 0:
		return nil, 0, usage(rule+"size-11411", "a range of %d bytes is at the address 0; must be at another", size)
	}
	d.heap.mu.Lock()
	defer d.heap.mu.Unlock()
	m, n := d.heap.holder(address), size
	if m != nil && m.alive() {
		n = min(n, uint64(len(m.bytes))-(address-m.address))
	}
	if m == nil || !m.alive() || n < size {
		err = usage(rule+"address-11365", "%d bytes at the address %#x are not in memory; must be", size, address)
		if m == nil || !m.alive() || n == 0 {
			return nil, 0, err
		}
	}
	offset = address % addressAlignment
	b = &Buffer{size: offset + n, usage: ^BufferUsage(0), memory: m, offset: address - offset - m.address}
	b.dev, b.kind, b.free = d, "buffer", func() { d.objects.Add(1) } // the device does not count it
	return b, offset, err
}

// BufferAt returns a buffer for a command that is recorded next. If it fails, so does that command. A tolerant device cuts a range that
// begins in memory and ends outside of it, with a message.
func (c *CommandBuffer) BufferAt(address, size uint64) (b *Buffer, offset uint64) {
	if c == nil || c.dev == nil {
		return nil, 0
	}
	c.drop()
	c.mark = len(c.commands)
	b, offset, err := c.dev.bufferAt(address, size)
	switch f, ok := err.(*UsageError); {
	case err == nil:
		return b, offset
	case !ok || !c.dev.tolerant:
		c.fail(err)
	case b != nil:
		c.tell(f)
		return b, offset
	case c.misplaced == nil:
		c.misplaced = f
	}
	return nil, 0
}
