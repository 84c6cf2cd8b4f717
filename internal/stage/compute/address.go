package compute

import "github.com/chiaro-gpu/chiaro/internal/exec"

// Device addresses of RegionsOf begin far from 0, and the gap after an allocation is larger than the offset of an access
// that misses it by little.
const (
	firstAddress = 1 << 32
	addressGap   = 1 << 20
)

// RegionsOf returns regions of allocations, in their order. The addresses depend on the sizes alone.
func RegionsOf(allocations [][]byte) []exec.Region {
	list := make([]exec.Region, len(allocations))
	next := uint64(firstAddress)
	for i, b := range allocations {
		list[i] = exec.Region{Address: next, Bytes: b}
		next += (uint64(len(b)) + 2*addressGap - 1) &^ (addressGap - 1)
	}
	return list
}
