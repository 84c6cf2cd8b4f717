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

// NewSpace returns n bytes of zeros.
func NewSpace(n int) (*Space, error) {
	block, data, err := guarded(n, unix.MAP_PRIVATE)
	if err != nil {
		return nil, err
	}
	return &Space{Memory{bytes: data[:n:n], block: block}}, nil
}

// Map shows n bytes of m from an offset on at an offset of the space: stores to one are visible in the other. m may be freed
// afterwards. Offsets and n are multiples of the page size; m must be of AllocShared. After an error the range is as before or
// zero.
func (s *Space) Map(at int, m *Memory, offset, n int) error {
	if !m.shared || !pages(at, n, len(s.bytes)) || !pages(offset, n, len(m.bytes)) {
		return &LimitError{Quantity: "bytes of a range of pages", Value: uint64(n), Max: uint64(len(s.bytes))}
	}
	// An old size of 0 duplicates a shared mapping (mremap(2)).
	_, err := unix.MremapPtr(unsafe.Pointer(&m.bytes[offset]), 0, unsafe.Pointer(&s.bytes[at]), uintptr(n), unix.MREMAP_MAYMOVE|unix.MREMAP_FIXED)
	if err != nil {
		s.Unmap(at, n)
		return os.NewSyscallError("mremap", err)
	}
	return nil
}

// Unmap sets a range of pages to zero, and ends an earlier Map of it.
func (s *Space) Unmap(at, n int) error {
	if !pages(at, n, len(s.bytes)) {
		return &LimitError{Quantity: "bytes of a range of pages", Value: uint64(n), Max: uint64(len(s.bytes))}
	}
	_, err := unix.MmapPtr(-1, 0, unsafe.Pointer(&s.bytes[at]), uintptr(n), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_FIXED|unix.MAP_NORESERVE)
	return os.NewSyscallError("mmap", err)
}

// pages reports whether a range is whole pages, at least one, of size bytes.
func pages(at, n, size int) bool {
	page := os.Getpagesize()
	return at >= 0 && n > 0 && at%page == 0 && n%page == 0 && at <= size && n <= size-at
}
