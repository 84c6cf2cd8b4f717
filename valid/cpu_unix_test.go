//go:build unix

package valid

import (
	"syscall"
	"time"
)

// cpuTime returns the processor time of this process, the collector's included.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
