package exec

import (
	"errors"
	"os"
)

// ErrFile reports a file that is not the file of a memory, or too small, or memory without a file.
var ErrFile = errors.New("exec: not the file of a memory of the size")

// Memory is device memory: initially zero, outside Go's heap if the system permits, and between two guard
// pages, so that an access past either end faults.
type Memory struct {
	bytes []byte
	block []byte // the whole mapping with its guard pages; nil on the heap

	shared bool     // a Space can map it
	file   *os.File // of AllocFile and MapFile; nil without one
}

// Bytes returns the memory. Its address is a multiple of 4096, and of 2 MiB if it is at least that large. It
// must not be used after Free.
func (m *Memory) Bytes() []byte { return m.bytes }

// Free unmaps the memory. A second call does nothing.
func (m *Memory) Free() error {
	block, file := m.block, m.file
	m.bytes, m.block, m.file = nil, nil, nil
	err := unmap(block)
	if file != nil {
		err = errors.Join(err, file.Close())
	}
	return err
}
