package exec

// Memory is device memory: initially zero, outside Go's heap if the system permits, and between two guard
// pages, so that an access past either end faults.
type Memory struct {
	bytes []byte
	block []byte // the whole mapping with its guard pages; nil on the heap

	shared bool // a Space can map it
}

// Bytes returns the memory. Its address is a multiple of 4096, and of 2 MiB if it is at least that large. It
// must not be used after Free.
func (m *Memory) Bytes() []byte { return m.bytes }

// Free unmaps the memory. A second call does nothing.
func (m *Memory) Free() error {
	block := m.block
	m.bytes, m.block = nil, nil
	return unmap(block)
}
