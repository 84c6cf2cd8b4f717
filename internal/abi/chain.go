package abi

import "unsafe"

// Base is the head of every struct in a chain (VkBaseInStructure).
type Base struct {
	SType uint32
	PNext unsafe.Pointer
}

// MaxChain bounds the length of a chain: a longer one is a cycle.
const MaxChain = 1 << 10

// Chain calls f with each struct of a chain, in order.
func Chain(first unsafe.Pointer, f func(sType uint32, p unsafe.Pointer)) {
	for n := 0; first != nil && n < MaxChain; n++ {
		b := (*Base)(first)
		f(b.SType, first)
		first = b.PNext
	}
}

// Find returns the first struct of a type in a chain, or nil.
func Find[T any](first unsafe.Pointer, sType uint32) *T {
	for n := 0; first != nil && n < MaxChain; n++ {
		b := (*Base)(first)
		if b.SType == sType {
			return (*T)(first)
		}
		first = b.PNext
	}
	return nil
}

// Slice returns an array of the application; nil if the pointer is nil.
func Slice[T any, N uint32 | uint64 | uint | int](p *T, n N) []T {
	if p == nil || n == 0 {
		return nil
	}
	return unsafe.Slice(p, int(n))
}

// Bytes returns n bytes of the application; nil if the pointer is nil.
func Bytes(p unsafe.Pointer, n uint64) []byte {
	return Slice((*byte)(p), n)
}

// PutAddress writes an address to memory of the application as an integer. The write barrier of a pointer assignment would pass
// the former value to the garbage collector. The application need not initialize the memory, so that value can be the address
// of a freed Go object, and the collector aborts the process if it finds one.
func PutAddress(to, address unsafe.Pointer) { *(*uintptr)(to) = uintptr(address) }

// MaxString bounds strings of the application in bytes.
const MaxString = 1 << 16

// String copies a string that ends with 0; "" if the pointer is nil.
func String(p unsafe.Pointer) string {
	if p == nil {
		return ""
	}
	n := 0
	for n < MaxString && *(*byte)(unsafe.Add(p, n)) != 0 {
		n++
	}
	return string(unsafe.Slice((*byte)(p), n))
}

// Strings copies an array of strings.
func Strings(p unsafe.Pointer, n uint32) []string {
	out := make([]string, 0, min(n, 1024))
	for _, s := range Slice((*unsafe.Pointer)(p), n) {
		out = append(out, String(s))
	}
	return out
}

// PutString copies a string into an array of characters, with a 0 at its end.
func PutString(to []byte, s string) {
	n := copy(to[:len(to)-1], s)
	clear(to[n:])
}
