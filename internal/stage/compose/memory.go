package compose

import (
	"math"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/exec"
)

// Memory is words that Go and programs share. It grows and never shrinks.
type Memory struct{ Data []uint64 }

// Grow makes room for so many bytes; what stood there may be lost.
func (m *Memory) Grow(bytes int) {
	if n := (bytes + 7) / 8; n > len(m.Data) {
		m.Data = make([]uint64, n+n/4)
	}
}

// Bytes returns the first n bytes.
func (m *Memory) Bytes(n int) []byte { return BytesOf(m.Data)[:n] }

// Words returns the first n words of 32 bits.
func (m *Memory) Words(n int) []uint32 {
	if len(m.Data) == 0 {
		return nil
	}
	return unsafe.Slice((*uint32)(unsafe.Pointer(&m.Data[0])), 2*len(m.Data))[:n]
}

// BytesOf returns the bytes of a list of numbers.
func BytesOf[T any](list []T) []byte {
	if len(list) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&list[0])), len(list)*int(unsafe.Sizeof(list[0])))
}

// SetFloats puts floats into words from n on.
func SetFloats(words []uint32, n int, list ...float32) {
	for i, x := range list {
		words[n+i] = math.Float32bits(x)
	}
}

// Shared returns bytes as the buffer that a program finds.
func Shared(b []byte) exec.Buffer { return exec.Buffer{Bytes: b} }
