//go:build (linux && (amd64 || arm64)) || (windows && amd64)

package trampoline

import (
	"os"
	"testing"
)

// TestStrides checks that the guard page of every stack begins at a page, as mprotect requires, for all page sizes of Linux, and that the
// stack above it has its size wherever its top is.
func TestStrides(t *testing.T) {
	for _, page := range []int{4 << 10, 16 << 10, 64 << 10} {
		for _, size := range []int{1, 4096, 5000, 1 << 16, 1<<16 + 1} {
			if d := strideOf(size, page); d%page != 0 || d < page+maxShift+size {
				t.Errorf("stacks of %d bytes with pages of %d: %d bytes", size, page, d)
			}
		}
	}
}

func TestStacks(t *testing.T) {
	s, err := NewStacks(8, 1<<16)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for i := range 8 {
		top := s.Top(i)
		if top%64 != 0 {
			t.Errorf("top %d is %#x", i, top)
		}
		if i > 0 {
			if d := top - s.Top(i-1); d < 1<<16+uintptr(os.Getpagesize()) || d%4096 == 0 {
				t.Errorf("stack %d is %d bytes above the one before", i, d)
			}
		}
		b := s.Bytes(top - 1<<16)
		b[0], b[1<<16-1] = 1, 1 // both ends are mapped
	}
	if s.Bytes(1) != nil {
		t.Error("memory of nobody")
	}
}
