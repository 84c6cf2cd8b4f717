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
	i, found := slices.BinarySearchFunc(h.addressed, address, func(m *Memory, a uint64) int { return cmp.Compare(m.address, a) })
	if !found {
		i--
	}
	if i < 0 {
		return nil, nil, false
	}
	m := h.addressed[i]
	from := address - m.address
	if from > uint64(len(m.bytes)) || !m.acquire() {
		return nil, nil, false
	}
	return m.bytes[from:], m.release, true
}
