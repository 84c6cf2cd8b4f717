package ray

import (
	"sync"
	"unsafe"
)

// maxScratch is the size of a list, in bytes, beyond which a pool does not keep it.
const maxScratch = 1 << 24

// scratch is a pool of lists without pointers that builds use and no structure keeps. A build of many small ones takes most of its time to
// clear new memory, and to collect it, without a pool. The collector frees the lists that no build has used for a while.
type scratch[T any] struct{ pool sync.Pool }

// The lists of builds.
var (
	scratchItems  scratch[item]
	scratchPoints scratch[point]
	scratchKeys   scratch[mortonKey]
	scratchBoxes  scratch[wideBounds]
	scratchLinks  scratch[[width]ref]
	scratchRanges scratch[blockRange]
	scratchNodes  scratch[binaryNode]
)

// take returns a list of n elements, with any values.
func (s *scratch[T]) take(n int) []T {
	if list, _ := s.pool.Get().(*[]T); list != nil && cap(*list) >= n {
		return (*list)[:n]
	}
	return make([]T, n)
}

// give returns a list to the pool. The caller uses it no more.
func (s *scratch[T]) give(list []T) {
	if n := uintptr(cap(list)) * unsafe.Sizeof(*new(T)); n > 0 && n <= maxScratch {
		s.pool.Put(&list)
	}
}
