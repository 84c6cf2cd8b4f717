package exec

// Memory is device memory: zero at first, outside Go's heap where the system
// allows, between two guard pages whose touch is a fault.
type Memory struct {
	bytes []byte
	block []byte // the whole mapping, guards included; nil on the heap
}

// Bytes returns the memory. It begins at a multiple of 4096, and of 2 MiB
// where it is that large, and must not be used after Free.
func (m *Memory) Bytes() []byte { return m.bytes }

// Free gives the memory back. A second Free does nothing.
func (m *Memory) Free() error {
	block := m.block
	m.bytes, m.block = nil, nil
	return unmap(block)
}
