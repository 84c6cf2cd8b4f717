package target

// The region table has the device address and the size of each region, 64 bits each, in ascending order. It has 2ⁿ entries; those
// after the last region have the greatest address and the size −1, which no access fits.
const (
	RegionShift = 1 // log₂ of the words of an entry
	RegionSize  = 8 // offset of the size in an entry
)

// AppendRegions appends a region table to words. get returns the region i of n.
func AppendRegions(words []uint64, n int, get func(i int) (address, size uint64)) []uint64 {
	for i := range n {
		address, size := get(i)
		words = append(words, address, size)
	}
	for n == 0 || n&(n-1) != 0 {
		words = append(words, 1<<64-1, 1<<64-1)
		n++
	}
	return words
}

// RegionStep returns ArgRegionStep of a region table.
func RegionStep(words []uint64) int { return len(words) >> RegionShift >> 1 }
