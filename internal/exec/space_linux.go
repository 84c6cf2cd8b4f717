package exec

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// AllocShared is Alloc of memory that [Space.Map] can map a second time. It has no huge pages.
func AllocShared(n int) (*Memory, error) {
	block, data, err := guarded(n, unix.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	return &Memory{bytes: data[:n:n], block: block, shared: true}, nil
}

// Share lets [Space.Map] map memory of Alloc, as if it were of AllocShared: other pages with its content take its place, at the same
// addresses. A store of another goroutine meanwhile can be lost. Share of one Memory must not run twice at once, or with Map of it.
func (m *Memory) Share() error {
	if m.shared || m.block == nil {
		return nil
	}
	block, data, err := guarded(len(m.bytes), unix.MAP_SHARED)
	if err != nil {
		return err
	}
	defer unix.Munmap(block)
	copy(data, m.bytes)
	if len(data) > 0 {
		_, err = unix.MremapPtr(unsafe.Pointer(&data[0]), uintptr(len(data)), unsafe.Pointer(&m.bytes[0]), uintptr(len(data)), unix.MREMAP_MAYMOVE|unix.MREMAP_FIXED)
	}
	m.shared = err == nil
	return os.NewSyscallError("mremap", err)
}

// guarded maps n bytes, rounded up to pages, between two guard pages.
func guarded(n, flags int) (block, data []byte, err error) {
	page := os.Getpagesize()
	if n < 0 || uint64(n) > 1<<46 {
		return nil, nil, &LimitError{Quantity: "bytes of device memory", Value: uint64(n), Max: 1 << 46}
	}
	body := (n + page - 1) &^ (page - 1)
	block, err = unix.Mmap(-1, 0, body+2*page, unix.PROT_NONE, unix.MAP_ANON|unix.MAP_NORESERVE|flags)
	if err != nil {
		return nil, nil, os.NewSyscallError("mmap", err)
	}
	data = block[page : page+body]
	if body > 0 {
		if err := unix.Mprotect(data, unix.PROT_READ|unix.PROT_WRITE); err != nil {
			unix.Munmap(block)
			return nil, nil, os.NewSyscallError("mprotect", err)
		}
	}
	return block, data, nil
}

// NewSpace returns a space of n bytes. scratch, of AllocShared, backs the pages without an allocation; the space must be freed
// before it. It is nil for pages of zeros. Then n is any number; otherwise n and the scratch are whole pages.
func NewSpace(n int, scratch *Memory) (*Space, error) {
	block, data, err := guarded(n, unix.MAP_PRIVATE)
	if err != nil {
		return nil, err
	}
	s := &Space{Memory{bytes: data[:n:n], block: block}, scratch}
	if scratch != nil {
		if err := s.Unmap(0, n); err != nil {
			s.Free()
			return nil, err
		}
	}
	return s, nil
}

// Map shows n bytes of m from an offset on at an offset of the space: stores to one are visible in the other. m may be freed
// afterwards. Offsets and n are multiples of the page size; m must be of AllocShared or shared. After an error the range is as before or
// shows nothing.
func (s *Space) Map(at int, m *Memory, offset, n int) error {
	if !m.shared || !pages(at, n, len(s.bytes)) || !pages(offset, n, len(m.bytes)) {
		return &LimitError{Quantity: "bytes of a range of pages", Value: uint64(n), Max: uint64(len(s.bytes))}
	}
	if err := s.alias(at, m, offset, n); err != nil {
		s.Unmap(at, n)
		return err
	}
	return nil
}

// alias maps n bytes of shared memory a second time.
func (s *Space) alias(at int, m *Memory, offset, n int) error {
	// An old size of 0 duplicates a shared mapping (mremap(2)).
	_, err := unix.MremapPtr(unsafe.Pointer(&m.bytes[offset]), 0, unsafe.Pointer(&s.bytes[at]), uintptr(n), unix.MREMAP_MAYMOVE|unix.MREMAP_FIXED)
	return os.NewSyscallError("mremap", err)
}

// Unmap ends an earlier Map of a range of pages: they show the scratch allocation, or zeros if there is none. After an error
// pages of the range are as before or zero.
func (s *Space) Unmap(at, n int) error {
	if !pages(at, n, len(s.bytes)) {
		return &LimitError{Quantity: "bytes of a range of pages", Value: uint64(n), Max: uint64(len(s.bytes))}
	}
	if s.scratch == nil {
		return s.blank(at, n)
	}
	// A place has the same page of the scratch after each Unmap, so that the system joins the mappings of neighbours.
	for size := len(s.scratch.bytes); n > 0; {
		offset := at % size
		k := min(size-offset, n)
		if err := s.alias(at, s.scratch, offset, k); err != nil {
			s.blank(at, k) // an mremap that fails may leave a hole
			return err
		}
		at, n = at+k, n-k
	}
	return nil
}

// blank maps pages of zeros.
func (s *Space) blank(at, n int) error {
	_, err := unix.MmapPtr(-1, 0, unsafe.Pointer(&s.bytes[at]), uintptr(n), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_FIXED|unix.MAP_NORESERVE)
	return os.NewSyscallError("mmap", err)
}

// pages reports whether a range is whole pages, at least one, of size bytes.
func pages(at, n, size int) bool {
	page := os.Getpagesize()
	return at >= 0 && n > 0 && at%page == 0 && n%page == 0 && at <= size && n <= size-at
}
