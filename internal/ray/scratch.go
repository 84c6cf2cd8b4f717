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

// mostLooks is the largest number of lists in a pool that take compares, and that KeepScratch keeps.
const mostLooks = 4

// take returns a list of n elements, with any values: one of the pool, or a new one.
func (s *scratch[T]) take(n int) []T {
	var found [mostLooks]*[]T
	for i := range found {
		if found[i], _ = s.pool.Get().(*[]T); found[i] == nil {
			break
		}
	}
	best := fitting(found[:], n)
	for i, list := range found {
		if list != nil && i != best {
			s.pool.Put(list)
		}
	}
	if best < 0 {
		return fresh[T](n)
	}
	return (*found[best])[:n]
}

// fitting returns the index of the smallest list for n elements, or -1. If a build of few primitives had the long list, the next build of many would
// have a new one.
func fitting[T any](lists []*[]T, n int) int {
	best := -1
	for i, list := range lists {
		if list != nil && cap(*list) >= n && (best < 0 || cap(*list) < cap(*lists[best])) {
			best = i
		}
	}
	return best
}

// give returns a list to the pool. The caller uses it no more.
func (s *scratch[T]) give(list []T) {
	if cap(list) > 0 {
		s.pool.Put(&list)
	}
}

// KeepScratch calls f, over which the lists of builds stay in their pools. A collection in f then frees the memory of dropped structures, and
// not that of the lists: new ones would take the place of the next structure in it.
func KeepScratch(f func()) {
	for _, back := range []func(){
		scratchItems.keep(), scratchPoints.keep(), scratchKeys.keep(), scratchBoxes.keep(), scratchLinks.keep(), scratchRanges.keep(), scratchNodes.keep(),
	} {
		defer back()
	}
	f()
}

// keep removes lists from the pool. back gives them back.
func (s *scratch[T]) keep() (back func()) {
	var kept [mostLooks]any
	for i := range kept {
		if kept[i] = s.pool.Get(); kept[i] == nil {
			break
		}
	}
	return func() {
		for _, list := range kept {
			if list != nil {
				s.pool.Put(list)
			}
		}
	}
}
