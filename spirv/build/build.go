// Package build has a function for each instruction that appends it to words. It
// knows the grammar but no module: literals with a width from their type, and the
// cases of a switch, are words. Package inst has the views for reading.
//
//	words = build.TypeInt(words, 1, 32, 0)
//	words = build.Constant(words, 1, 2, 7)
//
// The functions are apart from the views, because few programs write modules: a
// command that only reads them does not compile the functions.
package build

import (
	"fmt"
	"unsafe"

	"github.com/chiaro-gpu/chiaro/spirv"
)

// words returns ids as words.
func words(ids []spirv.ID) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.SliceData(ids)), len(ids))
}

// finish writes the first word of the instruction that begins at word at. It
// panics if the instruction has more words than its word count can encode.
func finish(dst []uint32, at int, op spirv.Op) []uint32 {
	n := len(dst) - at
	if n > 0xffff {
		panic(fmt.Sprintf("%v of %d words; must be below 65536", op, n))
	}
	dst[at] = spirv.Head(op, n)
	return dst
}
