package raster

import "testing"

// TestFetchItems asks for items within a list, at its end and behind it: caches may be
// asked for anything, but nothing is read and nothing fails.
func TestFetchItems(t *testing.T) {
	items := make([]uint64, 20)
	for first := range 24 {
		for _, words := range []int{0, 2, 20 - first, 1 << 20} {
			PrefetchItems(items, first, words)
		}
	}
	PrefetchItems(nil, 0, 2)
}
