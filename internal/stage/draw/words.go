package draw

import (
	"math"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/internal/exec"
	"github.com/chiaro-gpu/chiaro/internal/raster"
)

// memory is words that Go and programs share. It grows and never shrinks.
type memory struct{ long []uint64 }

// size makes room for so many bytes; what stood there may be lost.
func (m *memory) size(bytes int) {
	if n := (bytes + 7) / 8; n > len(m.long) {
		m.long = make([]uint64, n+n/4)
	}
}

// bytes returns the first n bytes.
func (m *memory) bytes(n int) []byte { return bytesOf(m.long)[:n] }

// words returns the first n words of 32 bits.
func (m *memory) words(n int) []uint32 {
	if len(m.long) == 0 {
		return nil
	}
	return unsafe.Slice((*uint32)(unsafe.Pointer(&m.long[0])), 2*len(m.long))[:n]
}

// bytesOf returns the bytes of a list of numbers.
func bytesOf[T uint32 | uint64 | primitive | raster.Primitive | raster.Batch](list []T) []byte {
	if len(list) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&list[0])), len(list)*int(unsafe.Sizeof(list[0])))
}

// setFloats puts floats into words from n on.
func setFloats(words []uint32, n int, list ...float32) {
	for i, x := range list {
		words[n+i] = math.Float32bits(x)
	}
}

// shared returns bytes as the buffer that a program finds.
func shared(b []byte) exec.Buffer { return exec.Buffer{Bytes: b} }
