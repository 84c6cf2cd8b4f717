//go:build amd64 || arm64

package trampoline

import "syscall"

// faultBytes is the stack memory in bytes that a fault needs: none, since signal handlers have stacks of their own.
const faultBytes = 0

func mapMemory(size int) ([]byte, error) {
	return syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON|syscall.MAP_NORESERVE)
}

func unmapMemory(mem []byte) error { return syscall.Munmap(mem) }

// forbid makes pages inaccessible.
func forbid(pages []byte) error { return syscall.Mprotect(pages, syscall.PROT_NONE) }
