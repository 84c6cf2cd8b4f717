//go:build !unix

package exec

import "unsafe"

// Alloc returns n bytes of zeroed memory on Go's heap, without guard pages. It returns a *LimitError if n is
// negative or exceeds 64 TiB.
func Alloc(n int) (*Memory, error) {
	const page = 4096
	if n < 0 || uint64(n) > 1<<46 {
		return nil, &LimitError{Quantity: "bytes of device memory", Value: uint64(n), Max: 1 << 46}
	}
	b := make([]byte, n+page)
	at := -int(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) & (page - 1)
	return &Memory{bytes: b[at : at+n : at+n]}, nil
}

func unmap([]byte) error { return nil }
