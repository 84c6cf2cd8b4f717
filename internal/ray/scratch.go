package ray

import "sync"

// scratch is a pool of lists without pointers that builds use and no structure keeps. Without a pool, a build of many small ones takes most of
// its time to clear new memory, and to collect it, and a fast build of a large one waits for new memory of the system. The collector frees the
// lists that no build has used for a while. The size of an element is a multiple of 8.
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
	return fresh[T](n)
}

// give returns a list to the pool. The caller uses it no more.
func (s *scratch[T]) give(list []T) {
	if cap(list) > 0 {
		s.pool.Put(&list)
	}
}
