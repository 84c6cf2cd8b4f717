package raster

import "unsafe"

const cacheLine = 64

// Fetch asks the caches for a primitive and for what is kept with it of records, of each
// so many words, wherever these lists have them.
func Fetch(primitives []Primitive, kept []uint32, size int, n uint32) {
	if int(n) >= len(primitives) {
		return
	}
	askLines(unsafe.Pointer(&primitives[n]), 4*PrimitiveWords)
	if at := 3 * int(n) * size; at < len(kept) {
		askLines(unsafe.Pointer(&kept[at]), min(12*size, 8*cacheLine))
	}
}

// askLines asks for all lines in which some bytes lie.
func askLines(at unsafe.Pointer, bytes int) {
	prefetch(at, 0, (int(uintptr(at)%cacheLine)+bytes+cacheLine-1)/cacheLine)
}
