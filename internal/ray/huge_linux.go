package ray

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// hugePage is the size of a huge page.
const hugePage = 1 << 21

// adviseHuge asks for huge pages for memory that no code has written yet. An error changes nothing.
func adviseHuge(at unsafe.Pointer, size uintptr) {
	skip := -uintptr(at) % hugePage
	if size < skip+hugePage {
		return
	}
	_ = unix.Madvise(unsafe.Slice((*byte)(unsafe.Add(at, skip)), (size-skip)/hugePage*hugePage), unix.MADV_HUGEPAGE)
}
