package driver

import (
	"errors"

	"golang.org/x/sys/unix"
)

// duplicate returns a further number of an open file.
func duplicate(fd int) (int, bool) {
	n, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	return n, err == nil
}

// closeNumber closes the number of a file.
func closeNumber(fd int) { _ = unix.Close(fd) }

// waitNumber waits until a sync file is signaled, and closes its number. The number −1 is signaled. It reports false if there
// is no such file.
func waitNumber(fd int) bool {
	if fd < 0 { // poll ignores negative numbers and would wait forever
		return fd == -1
	}
	for {
		list := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		_, err := unix.Poll(list, -1)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil || list[0].Revents&unix.POLLIN == 0:
			return false
		}
		closeNumber(fd)
		return true
	}
}
