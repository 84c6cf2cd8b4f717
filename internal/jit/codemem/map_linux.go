//go:build amd64 || arm64

package codemem

import (
	"errors"
	"fmt"
	"syscall"
	"unsafe"
)

// pageSize is a multiple of the page size of every Linux machine on these architectures: arm64 kernels use 4,
// 16 or 64 KiB. On a machine with smaller pages the heap is only coarser than necessary.
const pageSize = 64 << 10

// Flags of memfd_create(2).
const mfdCloexec = 1

// mapDual maps one anonymous file twice, writable and executable.
func mapDual(size int) (mapping, error) {
	name := []byte("chiaro-code\x00")
	fd, _, e := syscall.Syscall(sysMemfdCreate, uintptr(unsafe.Pointer(&name[0])), mfdCloexec, 0)
	if e != 0 {
		return mapping{}, fmt.Errorf("codemem: memfd_create: %w", e)
	}
	defer syscall.Close(int(fd))
	if err := syscall.Ftruncate(int(fd), int64(size)); err != nil {
		return mapping{}, fmt.Errorf("codemem: ftruncate: %w", err)
	}
	run, err := syscall.Mmap(int(fd), 0, size, syscall.PROT_READ|syscall.PROT_EXEC, syscall.MAP_SHARED)
	if err != nil {
		return mapping{}, fmt.Errorf("codemem: mmap executable: %w", err)
	}
	write, err := syscall.Mmap(int(fd), 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return mapping{}, errors.Join(fmt.Errorf("codemem: mmap writable: %w", err), syscall.Munmap(run))
	}
	discard := func(off, size int) error {
		return syscall.Madvise(write[off:off+size], syscall.MADV_REMOVE)
	}
	return mapping{write: write, run: run, discard: discard}, nil
}

// mapSingle reserves memory in which each page is either writable or executable.
func mapSingle(size int) (mapping, error) {
	m, err := syscall.Mmap(-1, 0, size, syscall.PROT_NONE, syscall.MAP_PRIVATE|syscall.MAP_ANON|syscall.MAP_NORESERVE)
	if err != nil {
		return mapping{}, fmt.Errorf("codemem: mmap: %w", err)
	}
	protect := func(off, size int, writable bool) error {
		prot := syscall.PROT_READ | syscall.PROT_EXEC
		if writable {
			prot = syscall.PROT_READ | syscall.PROT_WRITE
		}
		if err := syscall.Mprotect(m[off:off+size], prot); err != nil {
			return fmt.Errorf("codemem: mprotect: %w", err)
		}
		return nil
	}
	discard := func(off, size int) error {
		return syscall.Madvise(m[off:off+size], syscall.MADV_DONTNEED)
	}
	return mapping{write: m, run: m, protect: protect, discard: discard}, nil
}

func unmap(m mapping) error {
	err := syscall.Munmap(m.run)
	if m.protect == nil {
		err = errors.Join(err, syscall.Munmap(m.write))
	}
	return err
}
