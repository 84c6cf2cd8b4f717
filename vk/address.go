package vk

import (
	"cmp"
	"slices"
)

// at returns n bytes at a device address and holds their memory until release is called; ok is false if they are not in one
// allocation that is alive.
func (h *heap) at(address, n uint64) (b []byte, release func(), ok bool) {
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
	from, size := address-m.address, uint64(len(m.bytes))
	if from > size || n > size-from || !m.acquire() {
		return nil, nil, false
	}
	return m.bytes[from:][:n:n], m.release, true
}
