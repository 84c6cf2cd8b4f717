package confine

import (
	"fmt"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// DieWithParent makes the end of this process the end of the command, even if it is busy. It is called before the start.
func DieWithParent(cmd *exec.Cmd) {
	attributes(cmd).Pdeathsig = syscall.SIGKILL
}

// Limit sets the limits of a process. They hold for the memory that it maps from then on.
func Limit(pid int, l Limits) error {
	for _, r := range []struct {
		resource int
		most     int64
	}{{unix.RLIMIT_DATA, l.Memory}, {unix.RLIMIT_FSIZE, l.Output}} {
		if r.most == 0 {
			continue
		}
		if err := unix.Prlimit(pid, r.resource, &unix.Rlimit{Cur: uint64(r.most), Max: uint64(r.most)}, nil); err != nil {
			return fmt.Errorf("the limits of a process cannot be set: %w", err)
		}
	}
	return unix.Prlimit(pid, unix.RLIMIT_CORE, &unix.Rlimit{}, nil)
}
