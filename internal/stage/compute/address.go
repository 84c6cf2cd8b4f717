package compute

import "github.com/chiaro-gpu/chiaro/internal/exec"

// FirstAddress is the first device address, far from 0. The gap after an allocation is larger than the offset of an access
// that misses it by little.
const (
	FirstAddress = 1 << 32
	addressGap   = 1 << 20
)

// AddressAfter returns the device address of the allocation after one of n bytes.
func AddressAfter(address, n uint64) uint64 {
	return address + (n+2*addressGap-1)&^(addressGap-1)
}

// RegionsOf returns regions of allocations, in their order. The addresses depend on the sizes alone.
func RegionsOf(allocations [][]byte) []exec.Region {
	list := make([]exec.Region, len(allocations))
	next := uint64(FirstAddress)
	for i, b := range allocations {
		list[i] = exec.Region{Address: next, Bytes: b}
		next = AddressAfter(next, uint64(len(b)))
	}
	return list
}
