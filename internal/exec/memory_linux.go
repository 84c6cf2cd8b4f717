package exec

import "golang.org/x/sys/unix"

// adviseHuge requests transparent huge pages. It is only a hint, so a kernel without them is not an error.
func adviseHuge(b []byte) { _ = unix.Madvise(b, unix.MADV_HUGEPAGE) }
