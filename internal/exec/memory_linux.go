package exec

import "golang.org/x/sys/unix"

// adviseHuge asks for huge pages. It is a hint: that the kernel was built
// without them is no error.
func adviseHuge(b []byte) { _ = unix.Madvise(b, unix.MADV_HUGEPAGE) }
