package raster

import "testing"

// TestPrefetchItems prefetches items inside a list, at its end and past it: nothing is read and nothing fails.
func TestPrefetchItems(t *testing.T) {
	items := make([]uint64, 20)
	for first := range 24 {
		for _, words := range []int{0, 2, 20 - first, 1 << 20} {
			PrefetchItems(items, first, words)
		}
	}
	PrefetchItems(nil, 0, 2)
}
