package compose

import (
	"math"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/exec"
)

// Memory is a buffer shared by Go and programs, aligned to 8 bytes. It grows and never shrinks, so
// steady work allocates nothing.
type Memory struct{ Data []uint64 }

// Grow makes space for a number of bytes. The content is undefined afterwards.
func (m *Memory) Grow(bytes int) {
	if n := (bytes + 7) / 8; n > len(m.Data) {
		m.Data = make([]uint64, n+n/4)
	}
}

// Bytes returns the first n bytes.
func (m *Memory) Bytes(n int) []byte { return BytesOf(m.Data)[:n] }

// Words returns the first n 32-bit words.
func (m *Memory) Words(n int) []uint32 {
	if len(m.Data) == 0 {
		return nil
	}
	return unsafe.Slice((*uint32)(unsafe.Pointer(&m.Data[0])), 2*len(m.Data))[:n]
}

// BytesOf returns the memory of a slice. T has no pointers.
func BytesOf[T any](list []T) []byte {
	if len(list) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&list[0])), len(list)*int(unsafe.Sizeof(list[0])))
}

// SetFloats stores floats from word n on.
func SetFloats(words []uint32, n int, list ...float32) {
	for i, x := range list {
		words[n+i] = math.Float32bits(x)
	}
}

// Shared returns bytes as a buffer of a program.
func Shared(b []byte) exec.Buffer { return exec.Buffer{Bytes: b} }
