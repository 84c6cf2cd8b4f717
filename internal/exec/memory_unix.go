//go:build unix

package exec

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// hugePage is the alignment in bytes of large allocations: the size of a transparent huge page on amd64.
const hugePage = 2 << 20

// Alloc returns n bytes of zeroed memory. It returns a *LimitError if n is negative or exceeds 64 TiB, and
// the system's error if it has no memory.
func Alloc(n int) (*Memory, error) {
	page := os.Getpagesize()
	align := page
	if n >= hugePage {
		align = hugePage
	}
	if n < 0 || uint64(n) > 1<<46 {
		return nil, &LimitError{Quantity: "bytes of device memory", Value: uint64(n), Max: 1 << 46}
	}
	body := (n + page - 1) &^ (page - 1)
	block, err := unix.Mmap(-1, 0, body+align+page, unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, os.NewSyscallError("mmap", err)
	}
	// base: at least one guard page remains before the data and one after it.
	base := int(uintptr(unsafe.Pointer(unsafe.SliceData(block))))
	at := (base+page+align-1)&^(align-1) - base
	data := block[at : at+body]
	if body > 0 {
		if err := unix.Mprotect(data, unix.PROT_READ|unix.PROT_WRITE); err != nil {
			unix.Munmap(block)
			return nil, os.NewSyscallError("mprotect", err)
		}
		if align == hugePage {
			adviseHuge(data)
		}
	}
	return &Memory{bytes: data[:n:n], block: block}, nil
}

func unmap(block []byte) error {
	if block == nil {
		return nil
	}
	return os.NewSyscallError("munmap", unix.Munmap(block))
}
