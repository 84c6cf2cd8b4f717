package raster

import "unsafe"

// cacheLine is the size of a line of a cache in bytes, mostLines how many lines of
// records are fetched for a primitive at most.
const (
	cacheLine = 64
	mostLines = 8
)

// Prefetch asks the caches for a primitive and for what is kept with it of records, of each
// so many words, wherever these lists have them.
func Prefetch(primitives []Primitive, kept []uint32, size int, n uint32) {
	if int(n) >= len(primitives) {
		return
	}
	askLines(unsafe.Pointer(&primitives[n]), 4*PrimitiveWords)
	if at := 3 * int(n) * size; at < len(kept) {
		askLines(unsafe.Pointer(&kept[at]), min(12*size, mostLines*cacheLine))
	}
}

// PrefetchItems asks the caches for the first lines of so many words of a list of items.
func PrefetchItems(items []uint64, first, words int) {
	if first < len(items) && words > 0 {
		askLines(unsafe.Pointer(&items[first]), min(8*words, mostLines*cacheLine))
	}
}

// askLines asks for all lines in which some bytes lie.
func askLines(at unsafe.Pointer, bytes int) {
	prefetch(at, 0, (int(uintptr(at)%cacheLine)+bytes+cacheLine-1)/cacheLine)
}
