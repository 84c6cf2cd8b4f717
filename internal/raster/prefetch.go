package raster

import "unsafe"

// cacheLine is the size of a cache line in bytes; maxPrefetchLines bounds the lines of varyings that are
// prefetched for one primitive.
const (
	cacheLine        = 64
	maxPrefetchLines = 8
)

// Prefetch prefetches primitive n, its rest, and its three records of varyings, of size words each. An index outside
// the slices is ignored.
func Prefetch(primitives []Primitive, rests []PrimitiveRest, kept []uint32, size int, n uint32) {
	if int(n) >= len(primitives) {
		return
	}
	prefetchRange(unsafe.Pointer(&primitives[n]), 4*PrimitiveWords)
	if int(n) < len(rests) {
		prefetchRange(unsafe.Pointer(&rests[n]), 4*PrimitiveRestWords)
	}
	if at := 3 * int(n) * size; at < len(kept) {
		prefetchRange(unsafe.Pointer(&kept[at]), min(12*size, maxPrefetchLines*cacheLine))
	}
}

// PrefetchItems prefetches up to 8 cache lines of the given number of words of a tile's items, from index
// first on. An index outside the list is ignored.
func PrefetchItems(items []uint64, first, words int) {
	if first < len(items) && words > 0 {
		prefetchRange(unsafe.Pointer(&items[first]), min(8*words, maxPrefetchLines*cacheLine))
	}
}

// prefetchRange prefetches all cache lines that overlap a range of bytes.
func prefetchRange(at unsafe.Pointer, bytes int) {
	prefetch(at, 0, (int(uintptr(at)%cacheLine)+bytes+cacheLine-1)/cacheLine)
}
