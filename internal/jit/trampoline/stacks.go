//go:build (linux && (amd64 || arm64)) || (windows && amd64)

package trampoline

import (
	"errors"
	"fmt"
	"os"
	"unsafe"
)

// Stacks are the stacks of one worker for machine code, each with a guard page below.
type Stacks struct {
	mem    []byte
	stride int
	n      int
}

// stagger is an offset in bytes between the tops of neighboring stacks, modulo maxShift. With equal low address bits
// all frames would compete for the same sets of the L1 cache.
const (
	stagger  = 17 * 64
	maxShift = 4096
)

// NewStacks maps n stacks of at least size bytes.
func NewStacks(n, size int) (*Stacks, error) {
	guard := os.Getpagesize() // arm64 kernels use 4, 16 or 64 KiB
	stride := strideOf(size+faultBytes, guard)
	mem, err := mapMemory(n * stride)
	if err != nil {
		return nil, fmt.Errorf("jit: %d native stacks of %d bytes: %w", n, size, err)
	}
	for i := range n {
		if err := forbid(mem[i*stride : i*stride+guard]); err != nil {
			return nil, errors.Join(fmt.Errorf("jit: guard page: %w", err), unmapMemory(mem))
		}
	}
	return &Stacks{mem, stride, n}, nil
}

// strideOf returns the distance of stacks of at least size bytes: whole pages, one of which is the guard.
func strideOf(size, page int) int { return (size+maxShift+page-1)&^(page-1) + page }

// Top returns the initial stack pointer of the i-th stack, aligned to 64 bytes. Stacks grow down.
func (s *Stacks) Top(i int) uintptr {
	shift := i * stagger % maxShift
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
func (s *Stacks) Close() error { return unmapMemory(s.mem) }
