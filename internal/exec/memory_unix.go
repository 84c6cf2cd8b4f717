//go:build unix

package exec

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// hugePage is the size of the pages that large memory is aligned for.
const hugePage = 2 << 20

// Alloc returns n bytes of zeroed memory. The error says that n is negative,
// or the system has no room.
func Alloc(n int) (*Memory, error) {
	page := os.Getpagesize()
	align := page
	if n >= hugePage {
		align = hugePage
	}
	if n < 0 || uint64(n) > 1<<46 {
		return nil, &LimitError{What: "bytes of device memory", Have: uint64(n), Most: 1 << 46}
	}
	body := (n + page - 1) &^ (page - 1)
	block, err := unix.Mmap(-1, 0, body+align+page, unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, os.NewSyscallError("mmap", err)
	}
	// At least one page stays before the body and one behind it.
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
