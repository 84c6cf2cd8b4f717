package vk

import (
	"time"

	"golang.org/x/sys/unix"
)

// doze sleeps in the kernel, without a timer of the runtime.
func doze(d time.Duration) {
	left := unix.NsecToTimespec(int64(d))
	for unix.Nanosleep(&left, &left) == unix.EINTR {
	}
}
