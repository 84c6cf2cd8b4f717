//go:build unix

package driver

import "golang.org/x/sys/unix"

// monotonic returns CLOCK_MONOTONIC in nanoseconds.
func monotonic() uint64 {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &t) // the clock always exists
	return uint64(t.Nano())
}
