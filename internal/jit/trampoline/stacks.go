//go:build linux && (amd64 || arm64)

package trampoline

import (
	"errors"
	"fmt"
	"syscall"
	"unsafe"
)

// Stacks are the stacks of one worker for machine code, each with a guard page below.
type Stacks struct {
	mem    []byte
	stride int
	n      int
}

const guard = 4096

// stagger is an offset in bytes between the tops of neighboring stacks. With equal low address bits
// all frames would compete for the same sets of the L1 cache.
const stagger = 17 * 64

// NewStacks maps n stacks of at least size bytes.
func NewStacks(n, size int) (*Stacks, error) {
	stride := (size+2*guard-1)&^(guard-1) + guard
	mem, err := syscall.Mmap(-1, 0, n*stride, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON|syscall.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("jit: %d native stacks of %d bytes: %w", n, size, err)
	}
	for i := range n {
		if err := syscall.Mprotect(mem[i*stride:i*stride+guard], syscall.PROT_NONE); err != nil {
			return nil, errors.Join(fmt.Errorf("jit: guard page: %w", err), syscall.Munmap(mem))
		}
	}
	return &Stacks{mem, stride, n}, nil
}

// Top returns the initial stack pointer of the i-th stack, aligned to 64 bytes. Stacks grow down.
func (s *Stacks) Top(i int) uintptr {
	shift := i * stagger % guard
	return uintptr(unsafe.Pointer(&s.mem[0])) + uintptr((i+1)*s.stride-shift)
}

// Bytes returns the stack memory from address at on, or nil if the address is not in these stacks.
func (s *Stacks) Bytes(at uintptr) []byte {
	off := at - uintptr(unsafe.Pointer(&s.mem[0]))
	if off >= uintptr(len(s.mem)) {
		return nil
	}
	return s.mem[off:]
}

// Size returns the number of mapped bytes.
func (s *Stacks) Size() int { return len(s.mem) }

// Close unmaps the stacks.
func (s *Stacks) Close() error { return syscall.Munmap(s.mem) }
